// The Hessian A + JᵀGJ by blocks of trees: order of elimination, fill, factor L D Lᵀ and solves.
//
// Trees are eliminated by least degree; sets of trees are bits. Block (i, j), i eliminated after j, lies at block[i * trees + j],
// column after column.

typedef unsigned long long Bits;

#if defined(__CUDACC__)
FN int count_bits(Bits b) { return __popcll(b); }
FN int lowest_bit(Bits b) { return __ffsll((int64)b) - 1; }
#else
FN int count_bits(Bits b) { return __builtin_popcountll(b); }
FN int lowest_bit(Bits b) { return __builtin_ctzll(b); }
#endif

// Smallest pivot accepted, relative to the diagonal entry before elimination (as in stiction-convex).
const real PIVOT_FLOOR = 4.0 * 2.220446049250313e-16;

FN real invert_pivot(real pivot, real yardstick) {
    real least = PIVOT_FLOOR * yardstick;
    return 1.0 / (pivot > least ? pivot : (least > 0.0 ? least : 2.3e-308));
}

// Order of elimination and places of the blocks for the links of this step. Returns false if they do not fit.
FN bool analyse(const Model &m, const Work &w, int links, Group g) {
    const Header &h = *m.h;
    int trees = h.trees, words = h.words;
    Bits *near = (Bits *)w.masks(), *left = near + words * trees;
    for (int i = g.lane; i < words * trees; i += g.lanes) near[i] = 0;
    g.sync();
    if (g.lane == 0) {
        for (int i = 0; i < words; i++) left[i] = 0;
        for (int l = 0; l < links; l++) {
            int a = w.link_shape()[4 * l + L_TREE_A], b = w.link_shape()[4 * l + L_TREE_B];
            if (a < 0 || b < 0 || a == b) continue;
            near[words * a + b / 64] |= (Bits)1 << (b % 64);
            near[words * b + a / 64] |= (Bits)1 << (a % 64);
        }
    }
    for (int t = g.lane; t < trees; t += g.lanes) w.position()[t] = -1;
    g.sync();
    for (int k = 0; k < trees; k++) {
        int best = -1, degree = 0;
        for (int t = g.lane; t < trees; t += g.lanes) {
            if (w.position()[t] >= 0) continue;
            int mine = 0;
            for (int i = 0; i < words; i++) mine += count_bits(near[words * t + i]);
            if (best < 0 || mine < degree) {
                best = t;
                degree = mine;
            }
        }
        best = g.least(degree, best);
        Bits *set = near + words * best;
        // The neighbours of an eliminated tree become neighbours of each other.
        for (int t = g.lane; t < trees; t += g.lanes) {
            if (!(set[t / 64] >> (t % 64) & 1)) continue;
            for (int i = 0; i < words; i++) near[words * t + i] |= set[i];
            near[words * t + t / 64] &= ~((Bits)1 << (t % 64));
            near[words * t + best / 64] &= ~((Bits)1 << (best % 64));
        }
        if (g.lane == 0) {
            w.order()[k] = best;
            w.position()[best] = k;
        }
        g.sync();
    }
    int at = 0, listed = 0;
    if (g.lane == 0) {
        for (int k = 0; k < trees && at >= 0; k++) {
            int t = w.order()[k], n = m.tree_i(t)[T_N];
            w.block()[t * trees + t] = at;
            at += n * n;
            w.below_first()[k] = listed;
            for (int i = 0; i < words; i++)
                for (Bits set = near[words * t + i]; set; set &= set - 1) {
                    int b = 64 * i + lowest_bit(set), place = listed++;
                    while (place > w.below_first()[k] && w.position()[w.below()[place - 1]] > w.position()[b]) {
                        w.below()[place] = w.below()[place - 1];
                        place--;
                    }
                    w.below()[place] = b;
                }
            for (int i = w.below_first()[k]; i < listed; i++) {
                int b = w.below()[i];
                w.block()[b * trees + t] = at;
                at += n * m.tree_i(b)[T_N];
            }
            if (at > h.factor_size) at = -1;
        }
        w.below_first()[trees] = listed;
        w.sides()[0] = at;
    }
    g.sync();
    return w.sides()[0] >= 0;
}

// Writes A into the blocks, zero elsewhere.
FN void begin_hessian(const Model &m, const Work &w, Group g) {
    const Header &h = *m.h;
    int size = w.sides()[0];
    for (int i = g.lane; i < size; i += g.lanes) w.factor()[i] = 0.0;
    g.sync();
    for (int d = g.lane; d < h.nv; d += g.lanes) {
        int t = m.dof_i(d)[D_TREE];
        const int *tree = m.tree_i(t);
        int n = tree[T_N], c = d - tree[T_V];
        real *to = w.factor() + w.block()[t * h.trees + t];
        for (int r = c; r < n; r++) to[r + n * c] = w.mass()[tree[T_A] + r * n + c];
    }
    g.sync();
}

// Adds `value` at the coordinates i and j.
FN void add_hessian(const Model &m, const Work &w, int i, int j, real value) {
    int ti = m.dof_i(i)[D_TREE], tj = m.dof_i(j)[D_TREE];
    if (ti == tj ? i < j : w.position()[ti] < w.position()[tj]) {
        int s = i;
        i = j;
        j = s;
        s = ti;
        ti = tj;
        tj = s;
    }
    int n = m.tree_i(ti)[T_N];
    w.factor()[w.block()[ti * m.h->trees + tj] + (i - m.tree_i(ti)[T_V]) + n * (j - m.tree_i(tj)[T_V])] += value;
}

// A row of the panel below block column k: its tree and its place in it.
FN int panel_row(const Model &m, const Work &w, int from, int to, int row, int *r) {
    for (int i = from; i < to; i++) {
        int t = w.below()[i], n = m.tree_i(t)[T_N];
        if (row < n) {
            *r = row;
            return t;
        }
        row -= n;
    }
    return -1;
}

FN int panel_rows(const Model &m, const Work &w, int from, int to) {
    int rows = 0;
    for (int i = from; i < to; i++) rows += m.tree_i(w.below()[i])[T_N];
    return rows;
}

// Factors a diagonal block of N coordinates and returns L by rows below the diagonal; every lane does the same in its registers.
template <int N> FN void factor_small(real *a, real *pivots, real l[N][N], real inverse[N], Group g) {
    real yard[N];
    for (int c = 0; c < N; c++)
        for (int r = c; r < N; r++) l[r][c] = a[r + N * c];
    for (int c = 0; c < N; c++) yard[c] = pivots[c];
    for (int k = 0; k < N; k++) {
        inverse[k] = invert_pivot(l[k][k], yard[k]);
        real column[N];
        for (int r = k + 1; r < N; r++) column[r] = l[r][k];
        for (int c = k + 1; c < N; c++)
            for (int r = c; r < N; r++) l[r][c] -= column[r] * (column[c] * inverse[k]);
        for (int r = k + 1; r < N; r++) l[r][k] = column[r] * inverse[k];
    }
    g.sync();
    if (g.lane == 0)
        for (int c = 0; c < N; c++) {
            pivots[c] = inverse[c];
            for (int r = c + 1; r < N; r++) a[r + N * c] = l[r][c];
        }
}

FN void factor_large(real *a, real *pivots, int n, Group g) {
    for (int k = 0; k < n; k++) {
        real inverse = invert_pivot(a[k + n * k], pivots[k]);
        g.sync();
        int rest = n - k - 1;
        for (int i = g.lane; i < rest * rest; i += g.lanes) {
            int c = k + 1 + i / rest, r = k + 1 + i % rest;
            if (r >= c) a[r + n * c] -= a[r + n * k] * (a[c + n * k] * inverse);
        }
        g.sync();
        for (int r = k + 1 + g.lane; r < n; r += g.lanes) a[r + n * k] *= inverse;
        if (g.lane == 0) pivots[k] = inverse;
        g.sync();
    }
}

// X = B L⁻ᵀ for the rows below, kept in the panel, and B = X D⁻¹; then what they take from the blocks among them.
template <int N> FN void eliminate(const Model &m, const Work &w, int k, Group g) {
    const Header &h = *m.h;
    int t = w.order()[k], n = N ? N : m.tree_i(t)[T_N], from = w.below_first()[k], to = w.below_first()[k + 1];
    real *a = w.factor() + w.block()[t * h.trees + t], *pivots = w.pivots() + m.tree_i(t)[T_V];
    real l[N ? N : 1][N ? N : 1], inverse[N ? N : 1];
    if constexpr (N > 0) factor_small<N>(a, pivots, l, inverse, g);
    else factor_large(a, pivots, n, g);
    int rows = panel_rows(m, w, from, to);
    for (int row = g.lane; row < rows; row += g.lanes) {
        int r = 0, i = panel_row(m, w, from, to, row, &r), size = m.tree_i(i)[T_N];
        real *b = w.factor() + w.block()[i * h.trees + t] + r, *x = w.panel() + row * n;
        if constexpr (N > 0) {
            real y[N];
            for (int c = 0; c < N; c++) y[c] = b[size * c];
            for (int c = 1; c < N; c++)
                for (int e = 0; e < c; e++) y[c] -= y[e] * l[c][e];
            for (int c = 0; c < N; c++) {
                x[c] = y[c];
                b[size * c] = y[c] * inverse[c];
            }
        } else {
            for (int c = 0; c < n; c++) {
                real y = b[size * c];
                for (int e = 0; e < c; e++) y -= x[e] * a[c + n * e];
                x[c] = y;
            }
            for (int c = 0; c < n; c++) b[size * c] = x[c] * pivots[c];
        }
    }
    g.sync();
    for (int row = g.lane; row < rows; row += g.lanes) {
        int r = 0, i = panel_row(m, w, from, to, row, &r), size = m.tree_i(i)[T_N];
        const real *x = w.panel() + row * n;
        for (int e = from; e < to; e++) {
            int j = w.below()[e], width = m.tree_i(j)[T_N];
            const real *lj = w.factor() + w.block()[j * h.trees + t];
            real *c = w.factor() + w.block()[i * h.trees + j] + r;
            for (int v = 0; v < width; v++) {
                real sum = 0.0;
                for (int u = 0; u < n; u++) sum += x[u] * lj[v + width * u];
                c[size * v] -= sum;
            }
            if (j == i) break;
        }
    }
    g.sync();
}

FN void factor(const Model &m, const Work &w, Group g) {
    const Header &h = *m.h;
    for (int d = g.lane; d < h.nv; d += g.lanes) {
        int t = m.dof_i(d)[D_TREE], n = m.tree_i(t)[T_N];
        w.pivots()[d] = w.factor()[w.block()[t * h.trees + t] + (d - m.tree_i(t)[T_V]) * (n + 1)];
    }
    g.sync();
    for (int k = 0; k < h.trees; k++) {
        int n = m.tree_i(w.order()[k])[T_N];
        if (n == 6) eliminate<6>(m, w, k, g);
        else eliminate<0>(m, w, k, g);
    }
}

// Solves H x = b in place: forward, then back.
FN void solve_forward(const Model &m, const Work &w, real *x, Group g) {
    const Header &h = *m.h;
    for (int k = 0; k < h.trees; k++) {
        int t = w.order()[k], n = m.tree_i(t)[T_N], from = w.below_first()[k], to = w.below_first()[k + 1];
        const real *a = w.factor() + w.block()[t * h.trees + t];
        real *own = x + m.tree_i(t)[T_V];
        for (int c = 0; c < n; c++) {
            for (int r = c + 1 + g.lane; r < n; r += g.lanes) own[r] -= a[r + n * c] * own[c];
            g.sync();
        }
        int rows = panel_rows(m, w, from, to);
        for (int row = g.lane; row < rows; row += g.lanes) {
            int r = 0, i = panel_row(m, w, from, to, row, &r), size = m.tree_i(i)[T_N];
            const real *b = w.factor() + w.block()[i * h.trees + t] + r;
            real sum = 0.0;
            for (int c = 0; c < n; c++) sum += b[size * c] * own[c];
            x[m.tree_i(i)[T_V] + r] -= sum;
        }
        g.sync();
    }
}

FN void solve_back(const Model &m, const Work &w, real *x, Group g) {
    const Header &h = *m.h;
    for (int k = h.trees - 1; k >= 0; k--) {
        int t = w.order()[k], n = m.tree_i(t)[T_N], from = w.below_first()[k], to = w.below_first()[k + 1];
        const real *a = w.factor() + w.block()[t * h.trees + t];
        real *own = x + m.tree_i(t)[T_V];
        for (int c = g.lane; c < n; c += g.lanes) {
            real sum = own[c] * w.pivots()[m.tree_i(t)[T_V] + c];
            for (int e = from; e < to; e++) {
                int i = w.below()[e], size = m.tree_i(i)[T_N];
                const real *b = w.factor() + w.block()[i * h.trees + t] + size * c, *y = x + m.tree_i(i)[T_V];
                for (int r = 0; r < size; r++) sum -= b[r] * y[r];
            }
            own[c] = sum;
        }
        g.sync();
        for (int c = n - 1; c > 0; c--) {
            for (int r = g.lane; r < c; r += g.lanes) own[r] -= a[c + n * r] * own[c];
            g.sync();
        }
    }
}

FN void solve(const Model &m, const Work &w, real *x, Group g) {
    solve_forward(m, w, x, g);
    solve_back(m, w, x, g);
}

// Rows of a panel that the group keeps near.
enum { NEAR_ROWS = 96 };

// The same for free bodies alone, six coordinates each: factors, and solves L y = x on the way.
FN void factor_free(const Model &m, const Work &w, real *x, Group g) {
    const Header &h = *m.h;
#if defined(__CUDACC__)
    __shared__ real near[12 * NEAR_ROWS];
#else
    real near[12 * NEAR_ROWS];
#endif
    for (int d = g.lane; d < h.nv; d += g.lanes) {
        int t = m.dof_i(d)[D_TREE];
        w.pivots()[d] = w.factor()[w.block()[t * h.trees + t] + (d - m.tree_i(t)[T_V]) * 7];
    }
    g.sync();
    for (int k = 0; k < h.trees; k++) {
        int t = w.order()[k], from = w.below_first()[k], blocks = w.below_first()[k + 1] - from, rows = 6 * blocks;
        real *a = w.factor() + w.block()[t * h.trees + t], *pivots = w.pivots() + m.tree_i(t)[T_V], *own = x + m.tree_i(t)[T_V];
        real l[6][6], inverse[6], y[6];
        factor_small<6>(a, pivots, l, inverse, g);
        for (int c = 0; c < 6; c++) {
            y[c] = own[c];
            for (int e = 0; e < c; e++) y[c] -= y[e] * l[c][e];
        }
        real *panel = rows <= NEAR_ROWS ? near : w.panel();
        for (int row = g.lane; row < rows; row += g.lanes) {
            int i = w.below()[from + row / 6];
            real *b = w.factor() + w.block()[i * h.trees + t] + row % 6, *p = panel + 12 * row, z[6], sum = 0.0;
            for (int c = 0; c < 6; c++) z[c] = b[6 * c];
            for (int c = 1; c < 6; c++)
                for (int e = 0; e < c; e++) z[c] -= z[e] * l[c][e];
            for (int c = 0; c < 6; c++) {
                real scaled = z[c] * inverse[c];
                p[c] = z[c];
                p[6 + c] = scaled;
                b[6 * c] = scaled;
                sum += scaled * y[c];
            }
            x[m.tree_i(i)[T_V] + row % 6] -= sum;
        }
        g.sync();
        if (g.lane == 0)
            for (int c = 0; c < 6; c++) own[c] = y[c];
        for (int item = g.lane; item < rows * blocks; item += g.lanes) {
            int row = item % rows, e = item / rows;
            if (row / 6 < e) continue;
            int i = w.below()[from + row / 6], j = w.below()[from + e];
            real *c = w.factor() + w.block()[i * h.trees + j] + row % 6, z[6], sum[6];
            const real *p = panel + 12 * row, *q = panel + 72 * e + 6;
            for (int v = 0; v < 6; v++) {
                z[v] = p[v];
                sum[v] = c[6 * v];
            }
            for (int v = 0; v < 6; v++)
                for (int u = 0; u < 6; u++) sum[v] -= z[u] * q[12 * v + u];
            for (int v = 0; v < 6; v++) c[6 * v] = sum[v];
        }
        g.sync();
    }
}
