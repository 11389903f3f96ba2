// Numbers, vectors and the group of lanes that steps one world.
//
// One source for two machines. NVRTC compiles it for the GPU, where a group is a block and its lanes share the work of a loop; the
// system's C++ compiler compiles it for the host, where a group is one lane that does all of it. Loops over independent items are
// written `for (int i = g.lane; i < n; i += g.lanes)`, and `g.sync()` separates loops that read what others wrote.

#if defined(__CUDACC__)
#define FN __device__ inline
#define APART __device__ __noinline__
#else
#define FN inline
#define APART inline
#endif

#if defined(__CUDACC__)
#define INFINITY_HERE __longlong_as_double(0x7ff0000000000000ll)
#else
#define INFINITY_HERE HUGE_VAL
#endif

typedef double real;
typedef long long int64;

#if defined(__CUDACC__)
// LANES is 32, a warp, or a multiple of it: a block steps a world.
struct Group {
    int lane;
    enum { lanes = LANES, warps = LANES / 32 };
    FN void sync() const {
        if constexpr (warps == 1) __syncwarp();
        else __syncthreads();
    }
    // Sum over the lanes, in the same order on each of them.
    template <typename T> FN T over_warps(T x) const {
        if constexpr (warps == 1) return x;
        __shared__ T part[warps];
        __syncthreads();
        if (lane % 32 == 0) part[lane / 32] = x;
        __syncthreads();
        T sum = 0;
        for (int i = 0; i < warps; i++) sum += part[i];
        return sum;
    }
    FN real sum(real x) const {
        for (int d = 16; d > 0; d >>= 1) x += __shfl_xor_sync(0xffffffffu, x, d);
        return over_warps(x);
    }
    FN int sum(int x) const {
        for (int d = 16; d > 0; d >>= 1) x += __shfl_xor_sync(0xffffffffu, x, d);
        return over_warps(x);
    }
    FN bool any(bool x) const {
        if constexpr (warps == 1) return __any_sync(0xffffffffu, x);
        else return __syncthreads_or(x);
    }
    // Sum over the lanes before this one; `total` is that over all.
    FN int before(int x, int *total) const {
        int sum = x;
        for (int d = 1; d < 32; d <<= 1) {
            int y = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane % 32 >= d) sum += y;
        }
        *total = __shfl_sync(0xffffffffu, sum, 31);
        int earlier = 0;
        if constexpr (warps > 1) {
            __shared__ int part[warps];
            __syncthreads();
            if (lane % 32 == 0) part[lane / 32] = *total;
            __syncthreads();
            *total = 0;
            for (int i = 0; i < warps; i++) {
                if (i < lane / 32) earlier += part[i];
                *total += part[i];
            }
        }
        return earlier + sum - x;
    }
    // The index of the least key; of equal ones the least index. Lanes without a candidate give a negative index.
    FN int least(int key, int index) const {
        for (int d = 16; d > 0; d >>= 1) {
            int k = __shfl_xor_sync(0xffffffffu, key, d), i = __shfl_xor_sync(0xffffffffu, index, d);
            if (index < 0 || (i >= 0 && (k < key || (k == key && i < index)))) { key = k; index = i; }
        }
        if constexpr (warps > 1) {
            __shared__ int keys[warps], found[warps];
            __syncthreads();
            if (lane % 32 == 0) { keys[lane / 32] = key; found[lane / 32] = index; }
            __syncthreads();
            key = keys[0];
            index = found[0];
            for (int w = 1; w < warps; w++) {
                int k = keys[w], i = found[w];
                if (index < 0 || (i >= 0 && (k < key || (k == key && i < index)))) { key = k; index = i; }
            }
        }
        return index;
    }
};
#else
struct Group {
    int lane, lanes;
    void sync() const {}
    real sum(real x) const { return x; }
    int sum(int x) const { return x; }
    bool any(bool x) const { return x; }
    int before(int x, int *total) const { *total = x; return 0; }
    int least(int, int index) const { return index; }
};
#endif

FN real positive(real x) { return x > 0.0 ? x : 0.0; }
FN real larger(real a, real b) { return a > b ? a : b; }
FN real smaller(real a, real b) { return a < b ? a : b; }
FN real clamped(real x, real low, real high) { return x < low ? low : (x > high ? high : x); }
FN real square(real x) { return x * x; }
FN bool is_finite(real x) { return x - x == 0.0; }
FN real infinity() { return INFINITY_HERE; }

const real PI = 3.14159265358979323846;

struct V3 {
    real x, y, z;
    FN real get(int i) const { return i == 0 ? x : (i == 1 ? y : z); }
    FN void set(int i, real a) { if (i == 0) x = a; else if (i == 1) y = a; else z = a; }
};
FN V3 v3(real x, real y, real z) { V3 v = {x, y, z}; return v; }
FN V3 operator+(V3 a, V3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
FN V3 operator-(V3 a, V3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
FN V3 operator-(V3 a) { return v3(-a.x, -a.y, -a.z); }
FN V3 operator*(V3 a, real s) { return v3(a.x * s, a.y * s, a.z * s); }
FN V3 operator*(real s, V3 a) { return a * s; }
FN V3 operator/(V3 a, real s) { return v3(a.x / s, a.y / s, a.z / s); }
FN real dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
FN V3 cross(V3 a, V3 b) { return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
FN real norm(V3 a) { return sqrt(dot(a, a)); }
FN V3 absolute(V3 a) { return v3(fabs(a.x), fabs(a.y), fabs(a.z)); }
FN V3 load3(const real *p) { return v3(p[0], p[1], p[2]); }
FN void store3(real *p, V3 a) { p[0] = a.x; p[1] = a.y; p[2] = a.z; }
FN real largest(V3 a) { return larger(a.x, larger(a.y, a.z)); }
// Index of the first largest component.
FN int argmax(V3 a) { return a.y > a.x ? (a.z > a.y ? 2 : 1) : (a.z > a.x ? 2 : 0); }
FN int argmax_abs(V3 a) { return argmax(absolute(a)); }

// Rotation matrix by rows.
struct M3 { V3 r0, r1, r2; };
FN V3 operator*(const M3 &m, V3 a) { return v3(dot(m.r0, a), dot(m.r1, a), dot(m.r2, a)); }
// Transpose times vector.
FN V3 back(const M3 &m, V3 a) { return m.r0 * a.x + m.r1 * a.y + m.r2 * a.z; }
FN V3 column(const M3 &m, int k) { return v3(m.r0.get(k), m.r1.get(k), m.r2.get(k)); }
FN M3 load9(const real *p) { M3 m = {load3(p), load3(p + 3), load3(p + 6)}; return m; }
FN void store9(real *p, const M3 &m) { store3(p, m.r0); store3(p + 3, m.r1); store3(p + 6, m.r2); }
// A transposed times B.
FN M3 transposed_times(const M3 &a, const M3 &b) {
    M3 out;
    V3 c0 = column(a, 0), c1 = column(a, 1), c2 = column(a, 2);
    out.r0 = b.r0 * c0.x + b.r1 * c0.y + b.r2 * c0.z;
    out.r1 = b.r0 * c1.x + b.r1 * c1.y + b.r2 * c1.z;
    out.r2 = b.r0 * c2.x + b.r1 * c2.y + b.r2 * c2.z;
    return out;
}

// Quaternion, w first.
struct Q { real w, x, y, z; };
FN Q q4(real w, real x, real y, real z) { Q q = {w, x, y, z}; return q; }
FN Q load4(const real *p) { return q4(p[0], p[1], p[2], p[3]); }
FN void store4(real *p, Q q) { p[0] = q.w; p[1] = q.x; p[2] = q.y; p[3] = q.z; }
FN Q operator*(Q a, Q b) {
    return q4(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
              a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z, a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x);
}
FN Q unit(Q q) {
    real n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return n < 1e-15 ? q4(1, 0, 0, 0) : q4(q.w / n, q.x / n, q.y / n, q.z / n);
}
FN M3 matrix(Q q) {
    real x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    real wx = q.w * x2, wy = q.w * y2, wz = q.w * z2, xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    real xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    M3 m = {v3(1 - (yy + zz), xy - wz, xz + wy), v3(xy + wz, 1 - (xx + zz), yz - wx), v3(xz - wy, yz + wx, 1 - (xx + yy))};
    return m;
}

// Symmetric 3×3 matrix (xx, yy, zz, xy, xz, yz) times a vector.
FN V3 symmetric(const real *i, V3 x) {
    return v3(i[0] * x.x + i[3] * x.y + i[4] * x.z, i[3] * x.x + i[1] * x.y + i[5] * x.z, i[4] * x.x + i[5] * x.y + i[2] * x.z);
}

// Spatial vectors [angular; linear].
struct V6 { V3 a, l; };
FN V6 v6(V3 a, V3 l) { V6 v = {a, l}; return v; }
FN V6 zero6() { return v6(v3(0, 0, 0), v3(0, 0, 0)); }
FN V6 operator+(V6 p, V6 q) { return v6(p.a + q.a, p.l + q.l); }
FN V6 operator*(V6 p, real s) { return v6(p.a * s, p.l * s); }
FN real dot(V6 p, V6 q) { return dot(p.a, q.a) + dot(p.l, q.l); }
FN V6 load6(const real *p) { return v6(load3(p), load3(p + 3)); }
FN void store6(real *p, V6 v) { store3(p, v.a); store3(p + 3, v.l); }
FN V6 cross_motion(V6 v, V6 m) { return v6(cross(v.a, m.a), cross(v.a, m.l) + cross(v.l, m.a)); }
// The twist at a point `p` away from its reference point.
FN V6 shifted(V6 v, V3 p) { return v6(v.a, v.l + cross(v.a, p)); }

// A frame whose z-axis is the unit vector n (Duff et al. 2017): the tangents.
FN void tangents(V3 n, V3 *t1, V3 *t2) {
    real s = copysign(1.0, n.z), a = -1.0 / (s + n.z), b = n.x * n.y * a;
    *t1 = v3(1.0 + s * n.x * n.x * a, s * b, -s * n.x);
    *t2 = v3(b, s + n.y * n.y * a, -n.y);
}
