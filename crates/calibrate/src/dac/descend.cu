// Adam on a small network, a whole pass over the data in one launch (see gpu.rs, and network.rs for the same on a CPU).
//
//   a block has S samples of each batch     forward, backward, and its share of the gradient, all in shared memory
//   a gate                                  every share is written
//   a block has a part of the weights       sums the shares in their order, and takes Adam's step
//   a gate                                  every weight is new
//
// Sums have a fixed order: the result is a function of its input. A layer is a matrix of (inputs + 1) rows of outputs, the
// last row its bias; activations have a last row of ones to go with it.

#define S 16
#define PAD 20  // room of a row of S numbers, so that rows fall on different banks
#define MOST 6  // layers

struct Shape {
    int layers;
    int sizes[MOST + 1];
};

__device__ int weights_before(const Shape& shape, int layer, int pad) {
    int sum = 0;
    for (int k = 0; k < layer; k++) sum += (shape.sizes[k] + 1) * (shape.sizes[k + 1] + pad);
    return sum;
}

__device__ int rows_before(const Shape& shape, int layer) {
    int sum = 0;
    for (int k = 0; k < layer; k++) sum += shape.sizes[k] + 1;
    return sum;
}

__device__ int widest(const Shape& shape) {
    int most = 0;
    for (int k = 0; k <= shape.layers; k++) most = max(most, shape.sizes[k]);
    return most;
}

// Waits until all blocks are here; all of them are resident (a cooperative launch).
__device__ void gate(unsigned* count) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        unsigned before = atomicAdd(count, 1u);
        unsigned needed = (before / gridDim.x + 1) * gridDim.x;
        while (*(volatile unsigned*)count < needed) {}
        __threadfence();
    }
    __syncthreads();
}

__device__ float sigmoid(float z) { return 1.0f / (1.0f + __expf(-z)); }

__device__ float sum_of_block(float mine, float* room) {
    room[threadIdx.x] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) room[threadIdx.x] += room[threadIdx.x + half];
        __syncthreads();
    }
    float sum = room[0];
    __syncthreads();
    return sum;
}

// Weights into shared memory, with rows of one number more than they have.
__device__ void load_weights(const Shape& shape, const float* w, float* held) {
    for (int k = 0; k < shape.layers; k++) {
        int out = shape.sizes[k + 1], count = (shape.sizes[k] + 1) * out;
        const float* from = w + weights_before(shape, k, 0);
        float* to = held + weights_before(shape, k, 1);
        for (int i = threadIdx.x; i < count; i += blockDim.x) to[i / out * (out + 1) + i % out] = __ldcg(from + i);
    }
}

// The samples `columns[0 .. count]` into the first rows, zero where there are fewer than S.
__device__ void load_samples(const Shape& shape, const float* x, const int* columns, int count, float* act) {
    int inputs = shape.sizes[0];
    for (int i = threadIdx.x; i < S * inputs; i += blockDim.x) {
        int s = i / inputs, r = i % inputs;
        act[r * PAD + s] = s < count ? x[(size_t)columns[s] * inputs + r] : 0.0f;
    }
    for (int k = 0; k < shape.layers; k++) {
        float* ones = act + (rows_before(shape, k) + shape.sizes[k]) * PAD;
        for (int s = threadIdx.x; s < S; s += blockDim.x) ones[s] = 1.0f;
    }
    __syncthreads();
}

// Fills activations and what they were before x σ(x); the last layer goes to `end`.
__device__ void forward(const Shape& shape, const float* held, float* act, float* pre, float* end) {
    for (int k = 0; k < shape.layers; k++) {
        int in = shape.sizes[k], out = shape.sizes[k + 1];
        const float* w = held + weights_before(shape, k, 1);
        const float* a = act + rows_before(shape, k) * PAD;
        int next = rows_before(shape, k + 1) * PAD;
        bool last = k + 1 == shape.layers;
        for (int t = threadIdx.x; t < out * (S / 4); t += blockDim.x) {
            int o = t % out, g = 4 * (t / out);
            float4 z = make_float4(0, 0, 0, 0);
            for (int i = 0; i <= in; i++) {
                float v = w[i * (out + 1) + o];
                float4 u = *(const float4*)(a + i * PAD + g);
                z.x += v * u.x; z.y += v * u.y; z.z += v * u.z; z.w += v * u.w;
            }
            if (last) {
                *(float4*)(end + o * PAD + g) = z;
            } else {
                *(float4*)(pre + next + o * PAD + g) = z;
                float4 u = make_float4(z.x * sigmoid(z.x), z.y * sigmoid(z.y), z.z * sigmoid(z.z), z.w * sigmoid(z.w));
                *(float4*)(act + next + o * PAD + g) = u;
            }
        }
        __syncthreads();
    }
}

// Error signal of one sample in `end`, in place, over `total`; returns its weighted loss.
__device__ float signal(int outputs, const float* y, float weight, float total, int classes, float* end) {
    float loss = 0, top = -1e30f, sum = 0;
    if (classes) {
        for (int r = 0; r < outputs; r++) top = fmaxf(top, end[r * PAD]);
        for (int r = 0; r < outputs; r++) sum += expf(end[r * PAD] - top);
    }
    for (int r = 0; r < outputs; r++) {
        float out = end[r * PAD], want = y[r];
        if (classes) {
            float p = expf(out - top) / sum;
            if (want > 0.5f) loss -= weight * logf(fmaxf(p, 1e-12f));
            end[r * PAD] = weight * (p - want) / total;
        } else {
            loss += 0.5f * weight * (out - want) * (out - want);
            end[r * PAD] = weight * (out - want) / total;
        }
    }
    return loss;
}

extern "C" __global__ void pass(Shape shape, const float* x, const float* y, const float* weight, const int* order,
                                int count, int batch, int classes, const float* rates, float* w, float* m, float* v,
                                float* shares, unsigned* gates) {
    extern __shared__ float4 memory[];
    int wide = widest(shape), rows = rows_before(shape, shape.layers), outputs = shape.sizes[shape.layers];
    int all = weights_before(shape, shape.layers, 0);
    float* act = (float*)memory;
    float* pre = act + rows * PAD;
    float* delta = pre + rows * PAD;
    float* back = delta + wide * PAD;
    float* room = back + wide * PAD;
    float* held = room + blockDim.x;
    for (int first = 0, step = 0; first < count; first += batch, step++) {
        int size = min(batch, count - first);
        int mine = max(0, min(S, size - (int)blockIdx.x * S));
        const int* columns = order + first + blockIdx.x * S;
        float sum = 0;
        for (int i = threadIdx.x; i < size; i += blockDim.x) sum += weight[order[first + i]];
        float total = fmaxf(sum_of_block(sum, room), 1e-12f);
        load_weights(shape, w, held);
        load_samples(shape, x, columns, mine, act);
        forward(shape, held, act, pre, delta);
        if (threadIdx.x < S) {
            int s = threadIdx.x;
            if (s < mine) {
                int c = columns[s];
                signal(outputs, y + (size_t)c * outputs, weight[c], total, classes, delta + s);
            } else {
                for (int r = 0; r < outputs; r++) delta[r * PAD + s] = 0.0f;
            }
        }
        __syncthreads();
        for (int k = shape.layers - 1; k >= 0; k--) {
            int in = shape.sizes[k], out = shape.sizes[k + 1];
            const float* a = act + rows_before(shape, k) * PAD;
            const float* z = pre + rows_before(shape, k) * PAD;
            const float* h = held + weights_before(shape, k, 1);
            float* share = shares + (size_t)blockIdx.x * all + weights_before(shape, k, 0);
            for (int i = threadIdx.x; i < (in + 1) * out; i += blockDim.x) {
                const float4* left = (const float4*)(a + i / out * PAD);
                const float4* right = (const float4*)(delta + i % out * PAD);
                float g = 0;
                for (int q = 0; q < S / 4; q++) {
                    float4 l = left[q], r = right[q];
                    g += l.x * r.x + l.y * r.y + l.z * r.z + l.w * r.w;
                }
                __stcg(share + i, g);
            }
            if (k > 0) {
                for (int t = threadIdx.x; t < in * (S / 4); t += blockDim.x) {
                    int i = t % in, g = 4 * (t / in);
                    float4 d = make_float4(0, 0, 0, 0);
                    for (int o = 0; o < out; o++) {
                        float u = h[i * (out + 1) + o];
                        float4 e = *(const float4*)(delta + o * PAD + g);
                        d.x += u * e.x; d.y += u * e.y; d.z += u * e.z; d.w += u * e.w;
                    }
                    float4 p = *(const float4*)(z + i * PAD + g);
                    float4 s = make_float4(sigmoid(p.x), sigmoid(p.y), sigmoid(p.z), sigmoid(p.w));
                    d.x *= s.x * (1 + p.x * (1 - s.x)); d.y *= s.y * (1 + p.y * (1 - s.y));
                    d.z *= s.z * (1 + p.z * (1 - s.z)); d.w *= s.w * (1 + p.w * (1 - s.w));
                    *(float4*)(back + i * PAD + g) = d;
                }
                __syncthreads();
                float* swap = delta; delta = back; back = swap;
            }
        }
        gate(gates);
        float rate = rates[step];
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += gridDim.x * blockDim.x) {
            float g = 0;
            for (int b = 0; b < gridDim.x; b++) g += __ldcg(shares + (size_t)b * all + i);
            float mean = 0.9f * m[i] + 0.1f * g, square = 0.999f * v[i] + 0.001f * g * g;
            m[i] = mean;
            v[i] = square;
            __stcg(w + i, __ldcg(w + i) - rate * mean / (sqrtf(square) + 1e-8f));
        }
        gate(gates);
    }
}

// Loss and weight of some columns, two numbers a block.
extern "C" __global__ void loss(Shape shape, const float* x, const float* y, const float* weight, const int* columns,
                                int count, int classes, const float* w, float* out) {
    extern __shared__ float4 memory[];
    int rows = rows_before(shape, shape.layers), outputs = shape.sizes[shape.layers];
    float* act = (float*)memory;
    float* pre = act + rows * PAD;
    float* end = pre + rows * PAD;
    float* room = end + 2 * widest(shape) * PAD;
    float* held = room + blockDim.x;
    float sum = 0, total = 0;
    load_weights(shape, w, held);
    for (int first = blockIdx.x * S; first < count; first += gridDim.x * S) {
        int mine = min(S, count - first);
        load_samples(shape, x, columns + first, mine, act);
        forward(shape, held, act, pre, end);
        if (threadIdx.x < mine) {
            int c = columns[first + threadIdx.x];
            sum += signal(outputs, y + (size_t)c * outputs, weight[c], 1.0f, classes, end + threadIdx.x);
            total += weight[c];
        }
        __syncthreads();
    }
    sum = sum_of_block(sum, room);
    total = sum_of_block(total, room);
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x] = sum;
        out[2 * blockIdx.x + 1] = total;
    }
}
