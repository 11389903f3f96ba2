// Newton's method with exact line search, as crates/convex/src/solver does it: primal–dual Hessian, velocities that follow the
// steps, the optimality test of each group of trees that touch.

const real FLOOR = 1e-13, LINE_ROUNDING = 16.0 * 2.220446049250313e-16, LEVEL = 32.0 * 2.220446049250313e-16, NEAR = 1e4;
const real ABSOLUTE_TOLERANCE = 1e-14, LINE_TOLERANCE = 0.1, LONGEST = 16.0;

// Twist of a link for coordinates (or a step) u.
FN V6 link_twist(const Model &m, const Work &w, int link, const real *u) {
    V6 twist = zero6();
    int base = m.h->max_columns * link;
    for (int c = 0; c < w.link_shape()[4 * link + L_COUNT]; c++)
        twist = twist + load6(w.link_columns() + 6 * (base + c)) * u[w.link_dofs()[base + c]];
    return twist;
}

FN V3 straightened(V3 n, V3 slip) { return slip - n * dot(n, slip); }

// All velocities from u; fresh duals.
FN void place(const Model &m, const Work &w, int links, Group g) {
    const Header &h = *m.h;
    for (int l = g.lane; l < links; l += g.lanes) {
        V6 twist = link_twist(m, w, l, w.u());
        for (int c = w.link_contacts()[2 * l]; c < w.link_contacts()[2 * l + 1]; c++) {
            real *e = w.contacts() + C_SIZE * c;
            V3 n = load3(e + C_N), v = twist.l + load3(e + C_BIAS) + cross(twist.a, load3(e + C_R));
            real v_n = dot(n, v);
            store3(e + C_VT, straightened(n, v - n * v_n));
            store3(e + C_DUAL, v3(0, 0, 0));
            e[C_VN] = v_n;
            e[C_ELASTIC] = e[C_OFFSET] - e[C_STIFFNESS] * v_n;
            e[C_DAMPING] = 1.0 - e[C_LOSS] * v_n;
        }
    }
    for (int r = g.lane; r < h.rows; r += g.lanes) {
        real arm;
        int dof = row_dof(m, r, &arm);
        const real *law = w.row_law() + ROW_R * r;
        w.row_state()[4 * r] = law[0] == ROW_NONE ? 0.0 : arm * w.u()[dof] - row_origin(law);
    }
    g.sync();
}

// Normal impulse and its slope.
FN void normal_law(real elastic, real damping, real stiffness, real loss, real *impulse, real *slope) {
    elastic = positive(elastic);
    damping = positive(damping);
    *impulse = elastic * damping;
    *slope = *impulse > 0.0 ? stiffness * damping + loss * elastic : 0.0;
}

// Impulses and curvatures at the velocities; of each link their sum: wrench, then tt (xx xy xz yy yz zz), tl by rows, ll.
FN bool evaluate(const Model &m, const Work &w, int links, Group g) {
    const Header &h = *m.h;
    bool bad = false;
    for (int l = g.lane; l < links; l += g.lanes) {
        real sum[27];
        for (int i = 0; i < 27; i++) sum[i] = 0.0;
        for (int c = w.link_contacts()[2 * l]; c < w.link_contacts()[2 * l + 1]; c++) {
            real *e = w.contacts() + C_SIZE * c;
            V3 n = load3(e + C_N), v = load3(e + C_VT), r = load3(e + C_R), d = load3(e + C_DUAL);
            real gamma, slope, q = dot(v, v), inv_root, direction, eps = e[C_EPSILON];
            normal_law(e[C_ELASTIC], e[C_DAMPING], e[C_STIFFNESS], e[C_LOSS], &gamma, &slope);
            if (h.springs) {
                real root = sqrt(q);
                inv_root = 1.0 / larger(larger(root, eps), TINY);
                direction = root > eps ? inv_root : 0.0;
            } else {
                inv_root = direction = 1.0 / sqrt(q + eps * eps);
            }
            real a = e[C_LIMIT] * inv_root;
            V3 t = v * direction, f = n * gamma - v * a, torque = cross(r, f);
            e[C_GAMMA_N] = gamma;
            e[C_A] = a;
            store3(e + C_T, t);
            e[C_INV_ROOT] = inv_root;
            e[C_G] = slope;
            // G = a 1 − a n nᵀ − ½a (w tᵀ + t wᵀ) + g n nᵀ
            real x = slope - a, half = 0.5 * a;
            V3 g0 = n * (x * n.x) - t * (half * d.x) - d * (half * t.x), g1 = n * (x * n.y) - t * (half * d.y) - d * (half * t.y);
            V3 g2 = n * (x * n.z) - t * (half * d.z) - d * (half * t.z);
            g0.x += a;
            g1.y += a;
            g2.z += a;
            V3 c0 = cross(r, g0), c1 = cross(r, g1), c2 = cross(r, g2); // columns of r× G
            sum[0] += torque.x;
            sum[1] += torque.y;
            sum[2] += torque.z;
            sum[3] += f.x;
            sum[4] += f.y;
            sum[5] += f.z;
            sum[6] += r.y * c2.x - r.z * c1.x;
            sum[7] += r.z * c0.x - r.x * c2.x;
            sum[8] += r.x * c1.x - r.y * c0.x;
            sum[9] += r.z * c0.y - r.x * c2.y;
            sum[10] += r.x * c1.y - r.y * c0.y;
            sum[11] += r.x * c1.z - r.y * c0.z;
            sum[12] += c0.x;
            sum[13] += c1.x;
            sum[14] += c2.x;
            sum[15] += c0.y;
            sum[16] += c1.y;
            sum[17] += c2.y;
            sum[18] += c0.z;
            sum[19] += c1.z;
            sum[20] += c2.z;
            sum[21] += g0.x;
            sum[22] += g0.y;
            sum[23] += g0.z;
            sum[24] += g1.y;
            sum[25] += g1.z;
            sum[26] += g2.z;
        }
        real check = 0.0;
        for (int i = 0; i < 27; i++) {
            w.link_sum()[27 * l + i] = sum[i];
            check += sum[i];
        }
        bad = bad || !is_finite(check);
    }
    for (int r = g.lane; r < h.rows; r += g.lanes)
        row_value(h, w.row_law() + ROW_R * r, w.row_state()[4 * r], w.row_state() + 4 * r + 2, w.row_state() + 4 * r + 3);
    g.sync();
    return !g.any(bad);
}

// out = A x.
FN real times_a(const Model &m, const Work &w, int dof, const real *x, const real *minus) {
    const int *tree = m.tree_i(m.dof_i(dof)[D_TREE]);
    int n = tree[T_N], first = tree[T_V];
    const real *a = w.mass() + tree[T_A] + (dof - first) * n;
    real sum = 0.0;
    for (int j = 0; j < n; j++) sum += a[j] * (minus ? x[first + j] - minus[first + j] : x[first + j]);
    return sum;
}

FN void gradient(const Model &m, const real *u0, const Work &w, Group g) {
    const Header &h = *m.h;
    for (int d = g.lane; d < h.nv; d += g.lanes) {
        int t = m.dof_i(d)[D_TREE];
        real push = 0.0;
        for (int k = w.tree_first()[t]; k < w.tree_first()[t + 1]; k++) {
            int l = w.tree_links()[k], c = column_of(m, w, l, t, d);
            if (c >= 0) push += dot(load6(w.link_columns() + 6 * c), load6(w.link_sum() + 27 * l));
        }
        w.change()[d] = times_a(m, w, d, w.u(), u0) - w.impulse()[d];
        w.push()[d] = push;
    }
    g.sync();
    if (g.lane == 0)
        for (int r = 0; r < h.rows; r++) {
            real arm;
            int dof = row_dof(m, r, &arm);
            w.push()[dof] += arm * w.row_state()[4 * r + 2];
        }
    g.sync();
    for (int d = g.lane; d < h.nv; d += g.lanes) w.gradient()[d] = w.change()[d] - w.push()[d];
    g.sync();
}

// Rounding level of the gradient, times D, squared, for each tree: the sums of the magnitudes of its terms.
APART void rounding_levels(const Model &m, const real *u0, const Work &w, int links, Group g) {
    const Header &h = *m.h;
    for (int d = g.lane; d < h.nv; d += g.lanes) {
        const int *tree = m.tree_i(m.dof_i(d)[D_TREE]);
        int n = tree[T_N], first = tree[T_V];
        real sum = fabs(w.impulse()[d]);
        for (int j = 0; j < n; j++) sum += fabs(w.mass()[tree[T_A] + (d - first) * n + j]) * (fabs(w.u()[first + j]) + fabs(u0[first + j]));
        w.magnitude()[d] = sum;
    }
    g.sync();
    if (g.lane == 0) {
        for (int l = 0; l < links; l++) {
            real force = 0.0, torque = 0.0;
            for (int c = w.link_contacts()[2 * l]; c < w.link_contacts()[2 * l + 1]; c++) {
                const real *e = w.contacts() + C_SIZE * c;
                real size = sqrt(square(e[C_GAMMA_N]) + square(e[C_A]) * dot(load3(e + C_VT), load3(e + C_VT)));
                force += size;
                torque += size * norm(load3(e + C_R));
            }
            for (int c = 0; c < w.link_shape()[4 * l + L_COUNT]; c++) {
                int at = h.max_columns * l + c;
                V6 j = load6(w.link_columns() + 6 * at);
                w.magnitude()[w.link_dofs()[at]] += torque * (fabs(j.a.x) + fabs(j.a.y) + fabs(j.a.z)) + force * (fabs(j.l.x) + fabs(j.l.y) + fabs(j.l.z));
            }
        }
        for (int r = 0; r < h.rows; r++) {
            real arm;
            int dof = row_dof(m, r, &arm);
            w.magnitude()[dof] += fabs(arm * w.row_state()[4 * r + 2]);
        }
    }
    g.sync();
    for (int t = g.lane; t < h.trees; t += g.lanes) {
        real sum = 0.0;
        for (int d = m.tree_i(t)[T_V]; d < m.tree_i(t)[T_V] + m.tree_i(t)[T_N]; d++) sum += square(w.magnitude()[d] * w.scale()[d]);
        w.tree_sums()[5 * t + 4] = sum;
    }
    g.sync();
}

enum { GO_ON, DONE, BROKEN };

// The optimality test of every island. `residual` is the norm over the world.
FN int test(const Model &m, const real *u0, const Work &w, int links, real *residual, Group g) {
    const Header &h = *m.h;
    for (int t = g.lane; t < h.trees; t += g.lanes) {
        real sums[4] = {0, 0, 0, 0};
        for (int d = m.tree_i(t)[T_V]; d < m.tree_i(t)[T_V] + m.tree_i(t)[T_N]; d++) {
            real s = w.scale()[d];
            sums[0] += square(s * w.gradient()[d]);
            sums[1] += square(s * w.change()[d]);
            sums[2] += square(s * w.push()[d]);
            sums[3] += square(s * (w.change()[d] + (w.impulse()[d] + w.momentum0()[d])));
        }
        for (int i = 0; i < 4; i++) w.tree_sums()[5 * t + i] = sums[i];
    }
    g.sync();
    real all = 0.0;
    bool open = false, broken = false, stale = false;
    for (int t = g.lane; t < h.trees; t += g.lanes) {
        if (w.island()[t] != t) continue;
        real sums[4] = {0, 0, 0, 0};
        for (int o = t; o < h.trees; o++)
            if (w.island()[o] == t)
                for (int i = 0; i < 4; i++) sums[i] += w.tree_sums()[5 * o + i];
        real found = sqrt(sums[0]), size = sqrt(larger(sums[1], sums[2]));
        all += sums[0];
        broken = broken || !is_finite(found);
        w.tree_sums()[5 * t] = found; // of the island, from here on
        if (found <= ABSOLUTE_TOLERANCE + h.relative_tolerance * size + FLOOR * sqrt(sums[3])) w.done()[t] = 1;
        if (w.done()[t]) continue;
        if (found <= 0.5 * w.island_best()[t]) {
            w.island_best()[t] = found;
            w.stale()[t] = 0;
        } else if (++w.stale()[t] >= 2) {
            stale = true;
        }
        open = true;
    }
    *residual = sqrt(g.sum(all));
    if (g.any(broken)) return BROKEN;
    if (g.any(stale)) {
        rounding_levels(m, u0, w, links, g);
        open = false;
        for (int t = g.lane; t < h.trees; t += g.lanes) {
            if (w.island()[t] != t || w.done()[t]) continue;
            real sum = 0.0;
            for (int o = t; o < h.trees; o++)
                if (w.island()[o] == t) sum += w.tree_sums()[5 * o + 4];
            real level = LEVEL * sqrt(sum), found = w.tree_sums()[5 * t];
            if (w.stale()[t] >= 2 && found <= level) w.done()[t] = 1;
            else open = true;
        }
    }
    g.sync();
    return g.any(open) ? GO_ON : DONE;
}

// The sum of a link times a column.
FN V6 weighted(const real *s, V6 j) {
    V3 a = j.a, v = j.l;
    return v6(v3(s[6] * a.x + s[7] * a.y + s[8] * a.z + s[12] * v.x + s[13] * v.y + s[14] * v.z,
                 s[7] * a.x + s[9] * a.y + s[10] * a.z + s[15] * v.x + s[16] * v.y + s[17] * v.z,
                 s[8] * a.x + s[10] * a.y + s[11] * a.z + s[18] * v.x + s[19] * v.y + s[20] * v.z),
              v3(s[12] * a.x + s[15] * a.y + s[18] * a.z + s[21] * v.x + s[22] * v.y + s[23] * v.z,
                 s[13] * a.x + s[16] * a.y + s[19] * a.z + s[22] * v.x + s[24] * v.y + s[25] * v.z,
                 s[14] * a.x + s[17] * a.y + s[20] * a.z + s[23] * v.x + s[25] * v.y + s[26] * v.z));
}

// The Hessian of free bodies alone: each lane has a column of a diagonal block, or of the block of two bodies that touch.
FN void assemble_free(const Model &m, const Work &w, int links, Group g) {
    const Header &h = *m.h;
    for (int i = g.lane; i < 6 * (h.trees + links); i += g.lanes) {
        int at = i / 6, c = i % 6;
        if (at < h.trees) {
            real sum[6] = {0, 0, 0, 0, 0, 0};
            int first = m.tree_i(at)[T_V];
            for (int k = w.tree_first()[at]; k < w.tree_first()[at + 1]; k++) {
                int l = w.tree_links()[k], last = column_of(m, w, l, at, first + 5);
                V6 x = weighted(w.link_sum() + 27 * l, load6(w.link_columns() + 6 * (last + 5 - c)));
                for (int r = 0; r < 6; r++) sum[r] += dot(load6(w.link_columns() + 6 * (last + 5 - r)), x);
            }
            real *to = w.factor() + w.block()[at * h.trees + at];
            for (int r = c; r < 6; r++) to[r + 6 * c] += sum[r];
            continue;
        }
        int l = at - h.trees, a = w.link_shape()[4 * l + L_TREE_A], b = w.link_shape()[4 * l + L_TREE_B];
        if (a < 0 || b < 0) continue;
        bool a_later = w.position()[a] > w.position()[b];
        int row = a_later ? a : b, column = a_later ? b : a, base = h.max_columns * l;
        int of_row = base + (a_later ? 6 : 0), of_column = base + (a_later ? 0 : 6);
        V6 x = weighted(w.link_sum() + 27 * l, load6(w.link_columns() + 6 * (of_column + 5 - c)));
        real *to = w.factor() + w.block()[row * h.trees + column] + 6 * c;
        for (int r = 0; r < 6; r++) to[r] += dot(load6(w.link_columns() + 6 * (of_row + 5 - r)), x);
    }
    g.sync();
}

FN void assemble(const Model &m, const Work &w, int links, Group g) {
    const Header &h = *m.h;
    begin_hessian(m, w, g);
    if (g.lane == 0)
        for (int r = 0; r < h.rows; r++) {
            real arm;
            int dof = row_dof(m, r, &arm);
            if (w.row_state()[4 * r + 3] != 0.0) add_hessian(m, w, dof, dof, arm * arm * w.row_state()[4 * r + 3]);
        }
    g.sync();
    if (h.all_free) {
        assemble_free(m, w, links, g);
        return;
    }
    for (int l = 0; l < links; l++) {
        const real *s = w.link_sum() + 27 * l;
        int n = w.link_shape()[4 * l + L_COUNT], base = h.max_columns * l;
        for (int c = g.lane; c < n; c += g.lanes) {
            store6(w.link_weighted() + 6 * c, weighted(s, load6(w.link_columns() + 6 * (base + c))));
        }
        g.sync();
        for (int i = g.lane; i < n * n; i += g.lanes) {
            int r = i / n, c = i % n;
            if (c > r) continue;
            real value = dot(load6(w.link_columns() + 6 * (base + r)), load6(w.link_weighted() + 6 * c));
            add_hessian(m, w, w.link_dofs()[base + r], w.link_dofs()[base + c], value);
        }
        g.sync();
    }
}

// ℓ′ and ℓ″ at α along the step.
APART void line(const Model &m, const Work &w, int contacts, real alpha, real slope_a, real curvature_a, real *slope, real *curvature, Group g) {
    const Header &h = *m.h;
    real s = 0.0, k = 0.0;
    for (int c = g.lane; c < contacts; c += g.lanes) {
        const real *e = w.contacts() + C_SIZE * c, *l = e + C_LINE;
        real from = alpha - l[1], along = l[0] * from, q = l[2] + along * from, dv_n = e[C_DVN], move = alpha * dv_n, eps = e[C_EPSILON];
        real gamma, g_n, inv_root, across;
        normal_law(e[C_ELASTIC] - e[C_STIFFNESS] * move, e[C_DAMPING] - e[C_LOSS] * move, e[C_STIFFNESS], e[C_LOSS], &gamma, &g_n);
        if (h.springs) {
            real root = sqrt(q);
            inv_root = 1.0 / larger(larger(root, eps), TINY);
            across = root > eps ? l[2] * inv_root * inv_root : 1.0;
        } else {
            inv_root = 1.0 / sqrt(q);
            across = l[2] * inv_root * inv_root;
        }
        real a = e[C_LIMIT] * inv_root;
        s += a * along - gamma * dv_n;
        k += a * l[0] * across + g_n * dv_n * dv_n;
    }
    for (int r = g.lane; r < h.rows; r += g.lanes) {
        real impulse, bend, dv = w.row_state()[4 * r + 1];
        row_value(h, w.row_law() + ROW_R * r, w.row_state()[4 * r] + alpha * dv, &impulse, &bend);
        s -= impulse * dv;
        k += bend * dv * dv;
    }
    *slope = slope_a + alpha * curvature_a + g.sum(s);
    *curvature = curvature_a + g.sum(k);
}

// The root of ℓ′ by Newton's method with a bracket (crates/convex/src/solver/line_search.rs).
FN real search(const Model &m, const Work &w, int contacts, real slope0, real slope_a, real curvature_a, real *found, Group g) {
    real target = LINE_TOLERANCE * fabs(slope0), far = infinity();
    real lo = 0.0, lo_s = slope0, lo_k = -slope0, hi = far, hi_s = far, hi_k = far, alpha = 1.0, width = far, s, k;
    for (int evaluations = 1; evaluations <= 60; evaluations++) {
        line(m, w, contacts, alpha, slope_a, curvature_a, &s, &k, g);
        *found = s;
        if (fabs(s) <= target) return alpha;
        if (s < 0.0) {
            lo = alpha;
            lo_s = s;
            lo_k = k;
        } else {
            hi = alpha;
            hi_s = s;
            hi_k = k;
        }
        *found = lo_s;
        if (!is_finite(hi)) {
            if (lo >= LONGEST) return lo;
            alpha = smaller(clamped(lo - lo_s / lo_k, 1.01 * lo, 2.0 * lo), LONGEST);
            continue;
        }
        if (hi - lo <= 4.0 * 2.220446049250313e-16 * hi) return lo;
        if (!is_finite(hi_s)) {
            alpha = 0.5 * (lo + hi);
        } else {
            bool low_first = -lo_s < hi_s;
            real from_lo = lo - lo_s / lo_k, from_hi = hi - hi_s / hi_k;
            real first = low_first ? from_lo : from_hi, second = low_first ? from_hi : from_lo;
            alpha = first > lo && first < hi ? first : (second > lo && second < hi ? second : lo + (hi - lo) * lo_s / (lo_s - hi_s));
        }
        real now = hi - lo;
        if (!(alpha > lo && alpha < hi) || (now > 0.5 * width && evaluations % 3 == 0)) alpha = 0.5 * (lo + hi);
        width = now;
    }
    return lo;
}

// Newton's step, the line search and what follows it.
FN void advance(const Model &m, const real *u0, const Work &w, int links, int contacts, real residual, Group g) {
    const Header &h = *m.h;
    real slope_a = 0.0, curvature_a = 0.0, slope0 = 0.0, size = 0.0;
    for (int d = g.lane; d < h.nv; d += g.lanes) {
        real x = w.step()[d];
        slope_a += x * w.change()[d];
        curvature_a += x * times_a(m, w, d, w.step(), 0);
        slope0 += w.gradient()[d] * x;
        size += fabs((fabs(w.change()[d]) + fabs(w.push()[d])) * x);
    }
    slope_a = g.sum(slope_a);
    curvature_a = g.sum(curvature_a);
    slope0 = g.sum(slope0);
    size = g.sum(size);
    for (int l = g.lane; l < links; l += g.lanes) {
        V6 twist = link_twist(m, w, l, w.step());
        for (int c = w.link_contacts()[2 * l]; c < w.link_contacts()[2 * l + 1]; c++) {
            real *e = w.contacts() + C_SIZE * c;
            V3 n = load3(e + C_N), dv = twist.l + cross(twist.a, load3(e + C_R)), v = load3(e + C_VT);
            real dv_n = dot(n, dv);
            V3 dv_t = dv - n * dv_n;
            real along = dot(load3(e + C_T), dv_t);
            V3 dual = (v + dv_t - load3(e + C_DUAL) * along) * e[C_INV_ROOT];
            store3(e + C_DUAL, dual * (1.0 / sqrt(larger(dot(dual, dual), 1.0))));
            store3(e + C_DVT, dv_t);
            e[C_DVN] = dv_n;
            real b = dot(v, dv_t), c2 = dot(dv_t, dv_t), alpha0 = c2 > TINY ? -b / c2 : 0.0;
            V3 nearest = v + dv_t * alpha0;
            e[C_LINE] = c2;
            e[C_LINE + 1] = alpha0;
            e[C_LINE + 2] = dot(nearest, nearest) + (h.springs ? 0.0 : square(e[C_EPSILON]));
        }
    }
    for (int r = g.lane; r < h.rows; r += g.lanes) {
        real arm;
        int dof = row_dof(m, r, &arm);
        w.row_state()[4 * r + 1] = arm * w.step()[dof];
    }
    g.sync();
    real alpha = 1.0, slope = 0.0, curvature;
    bool noise = -slope0 <= LINE_ROUNDING * size;
    if (noise) {
        line(m, w, contacts, 1.0, slope_a, curvature_a, &slope, &curvature, g);
        noise = is_finite(slope);
    }
    if (!noise) {
        real found = search(m, w, contacts, slope0, slope_a, curvature_a, &slope, g);
        bool met = fabs(slope) <= LINE_TOLERANCE * fabs(slope0) || found >= LONGEST;
        if (!met) { // the bracket vanished before: ℓ′ is rounding error near the solution
            rounding_levels(m, u0, w, links, g);
            real sum = 0.0;
            for (int t = g.lane; t < h.trees; t += g.lanes) sum += w.tree_sums()[5 * t + 4];
            met = residual > NEAR * LEVEL * sqrt(g.sum(sum));
        }
        if (met) alpha = found;
    }
    for (int d = g.lane; d < h.nv; d += g.lanes) w.u()[d] += alpha * w.step()[d];
    for (int c = g.lane; c < contacts; c += g.lanes) {
        real *e = w.contacts() + C_SIZE * c, move = alpha * e[C_DVN];
        store3(e + C_VT, straightened(load3(e + C_N), load3(e + C_VT) + load3(e + C_DVT) * alpha));
        e[C_VN] += move;
        e[C_ELASTIC] -= e[C_STIFFNESS] * move;
        e[C_DAMPING] -= e[C_LOSS] * move;
    }
    for (int r = g.lane; r < h.rows; r += g.lanes) w.row_state()[4 * r] += alpha * w.row_state()[4 * r + 1];
    g.sync();
}

// Solves from the coordinates in `u`. Returns whether it converged; adds its iterations.
FN bool newton(const Model &m, const real *u0, const Work &w, int links, int contacts, int *iterations, int *status, Group g) {
    const Header &h = *m.h;
    for (int t = g.lane; t < h.trees; t += g.lanes) {
        w.done()[t] = w.stale()[t] = 0;
        w.island_best()[t] = infinity();
    }
    place(m, w, links, g);
    for (int iteration = 0;; iteration++) {
        bool sound = evaluate(m, w, links, g);
        gradient(m, u0, w, g);
        real residual;
        int verdict = test(m, u0, w, links, &residual, g);
        if (!sound || verdict == BROKEN) {
            *status |= NOT_FINITE;
            return false;
        }
        if (verdict == DONE) return true;
        if (iteration >= h.max_iterations) return false;
        ++*iterations;
        assemble(m, w, links, g);
        for (int d = g.lane; d < h.nv; d += g.lanes) w.step()[d] = -w.gradient()[d];
        g.sync();
        if (h.all_free) {
            factor_free(m, w, w.step(), g);
            solve_back(m, w, w.step(), g);
        } else {
            factor(m, w, g);
            solve(m, w, w.step(), g);
        }
        advance(m, u0, w, links, contacts, residual, g);
    }
}
