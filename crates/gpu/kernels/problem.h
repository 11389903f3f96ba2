// The convex problem of a step: pairs of bodies in contact with their Jacobians, contact entries and their laws, rows of coordinates.
//
// As crates/stiction/src/contact/entries.rs makes the entries and crates/convex compiles them, for the Lagged model with the linear
// normal law, with and without tangential springs.

const real RESOLVED = 1e13, DELASSUS_FLOOR = 1e-10, TINY = 1e-150;
const real NEAR_RIGID_BETA = 0.1, NEAR_RIGID_MIN_STEP = 1e-4, STEP_ACCELERATION = 300.0, CLOSING_TIME = 0.05, CLOSING_SPEED = 1.0;

// Columns of a link: its coordinates, how many are body B's, and the trees of B and A (−1 for none).
enum { L_COUNT, L_B, L_TREE_B, L_TREE_A };

FN real diagonal(const Model &m, const Work &w, int dof) {
    const int *tree = m.tree_i(m.dof_i(dof)[D_TREE]);
    return w.mass()[tree[T_A] + (dof - tree[T_V]) * (tree[T_N] + 1)];
}

// Appends the columns of a body's chain of coordinates that are not those of `other`'s too, at the point p, times `sign`.
FN int add_chain(const Model &m, const Work &w, int link, int count, int body, int other, V3 p, real sign) {
    int tree = m.body_i(body)[B_TREE], last = m.body_i(body)[B_LAST_DOF], of_other = -1;
    if (other >= 0 && m.body_i(other)[B_TREE] == tree) of_other = m.body_i(other)[B_LAST_DOF];
    V3 arm = p - load3(w.tree_origin() + 3 * tree);
    for (int d = last; d >= 0 && count < m.h->max_columns; d = m.dof_i(d)[D_PARENT]) {
        while (of_other > d) of_other = m.dof_i(of_other)[D_PARENT];
        if (of_other == d) break;
        w.link_dofs()[m.h->max_columns * link + count] = d;
        store6(w.link_columns() + 6 * (m.h->max_columns * link + count), shifted(load6(w.columns() + 6 * d), arm) * sign);
        count++;
    }
    return count;
}

// Adds J diag(A)⁻¹ Jᵀ of columns from..to to `k`, and returns the traces of its linear and angular parts.
FN void add_delassus(const Model &m, const Work &w, int link, int from, int to, real *k) {
    for (int c = from; c < to; c++) {
        const real *j = w.link_columns() + 6 * (m.h->max_columns * link + c);
        real inverse = 1.0 / diagonal(m, w, w.link_dofs()[m.h->max_columns * link + c]);
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < 6; b++) k[6 * a + b] += j[a] * (inverse * j[b]);
    }
}

FN void links(const Model &m, const Work &w, int count, Group g) {
    const Header &h = *m.h;
    for (int l = g.lane; l < count; l += g.lanes) {
        int a = w.link_bodies()[2 * l], b = w.link_bodies()[2 * l + 1];
        int tree_a = m.body_i(a)[B_TREE], tree_b = m.body_i(b)[B_TREE], *shape = w.link_shape() + 4 * l;
        // The point: a free body's own, else the mean of the contacts.
        int floating = tree_b >= 0 && m.tree_i(tree_b)[T_FLOATING] ? tree_b : (tree_a >= 0 && m.tree_i(tree_a)[T_FLOATING] ? tree_a : -1);
        V3 p = v3(0, 0, 0);
        if (floating >= 0) {
            Q quat;
            body_pose(m, w, m.tree_i(floating)[T_ROOT_BODY], &quat, &p);
        } else {
            int from = w.link_contacts()[2 * l], to = w.link_contacts()[2 * l + 1];
            for (int c = from; c < to; c++) {
                const real *e = w.contacts() + C_SIZE * c;
                p = p + (load3(e + C_POSITION) + load3(e + C_BIAS)) * 0.5; // the two witnesses, kept here until now
            }
            p = p / (real)(to - from);
        }
        store3(w.link_point() + 3 * l, p);
        bool same = tree_a >= 0 && tree_a == tree_b;
        shape[L_TREE_B] = tree_b;
        shape[L_TREE_A] = same ? -1 : tree_a;
        int n = tree_b >= 0 ? add_chain(m, w, l, 0, b, a, p, 1.0) : 0;
        shape[L_B] = n;
        if (tree_a >= 0) n = add_chain(m, w, l, n, a, b, p, -1.0);
        shape[L_COUNT] = n;
        real *k = w.link_delassus() + 36 * l, trace[2] = {0, 0};
        for (int i = 0; i < 36; i++) k[i] = 0.0;
        add_delassus(m, w, l, 0, n, k);
        if (same) { // the natural scale counts each body with all of its coordinates
            for (int e = 0; e < 2; e++)
                for (int d = m.body_i(e ? a : b)[B_LAST_DOF]; d >= 0; d = m.dof_i(d)[D_PARENT]) {
                    V6 j = shifted(load6(w.columns() + 6 * d), p - load3(w.tree_origin() + 3 * tree_a));
                    real inverse = 1.0 / diagonal(m, w, d);
                    trace[0] += dot(j.l, j.l) * inverse;
                    trace[1] += dot(j.a, j.a) * inverse;
                }
        } else {
            for (int i = 0; i < 3; i++) {
                trace[1] += k[7 * i];
                trace[0] += k[7 * (3 + i)];
            }
        }
        real by = same ? sqrt(2.0) : 1.0;
        w.link_trace()[2 * l] = by * sqrt(trace[0]);
        w.link_trace()[2 * l + 1] = by * sqrt(trace[1]);
        V6 va = twist_at(m, w, a, p), vb = twist_at(m, w, b, p);
        store6(w.link_motion() + 12 * l, v6(vb.a - va.a, vb.l - va.l));
    }
    g.sync();
    // The links of each tree.
    for (int t = g.lane; t < h.trees; t += g.lanes) {
        int n = 0;
        for (int l = 0; l < count; l++) n += w.link_shape()[4 * l + L_TREE_A] == t || w.link_shape()[4 * l + L_TREE_B] == t;
        w.order()[t] = n;
    }
    g.sync();
    if (g.lane == 0) {
        int sum = 0;
        for (int t = 0; t < h.trees; t++) {
            w.tree_first()[t] = sum;
            sum += w.order()[t];
        }
        w.tree_first()[h.trees] = sum;
    }
    g.sync();
    for (int t = g.lane; t < h.trees; t += g.lanes) {
        int at = w.tree_first()[t];
        for (int l = 0; l < count; l++)
            if (w.link_shape()[4 * l + L_TREE_A] == t || w.link_shape()[4 * l + L_TREE_B] == t) w.tree_links()[at++] = l;
    }
    g.sync();
}

// Where the column of a coordinate of a tree is among those of a link; negative if the link does not move it.
FN int column_of(const Model &m, const Work &w, int link, int tree, int dof) {
    const int *shape = w.link_shape() + 4 * link;
    int base = m.h->max_columns * link, of_b = shape[L_TREE_B] == tree;
    int from = of_b ? 0 : shape[L_B], to = of_b && shape[L_TREE_A] >= 0 ? shape[L_B] : shape[L_COUNT];
    if (m.tree_i(tree)[T_FLOATING]) return base + from + m.tree_i(tree)[T_V] + 5 - dof;
    for (int c = from; c < to; c++)
        if (w.link_dofs()[base + c] == dof) return base + c;
    return -1;
}

// Drake's estimate of the Delassus operator at a point, ‖E K Eᵀ‖_F/3.
FN real point_delassus(const real *k, V3 r) {
    real m[3][6], sum = 0.0;
    for (int j = 0; j < 6; j++) {
        V3 c = cross(load3(k + 6 * j), r);
        for (int i = 0; i < 3; i++) m[i][j] = k[6 * j + 3 + i] + c.get(i);
    }
    for (int i = 0; i < 3; i++) {
        V3 c = cross(v3(m[i][0], m[i][1], m[i][2]), r);
        for (int j = 0; j < 3; j++) sum += square(m[i][3 + j] + c.get(j));
    }
    return sqrt(sum) / 3.0;
}

FN real soft_step(real x) { return x / sqrt(1.0 + x * x); }

// Friction coefficient between static and dynamic at a slip speed.
FN real blended(real fixed, real moving, real slip, real tolerance) {
    real rise = fixed - moving;
    if (rise == 0.0) return moving;
    return moving + 0.5 * rise * (1.0 - soft_step(slip / tolerance - 10.0) / soft_step(10.0));
}

// The law of a contact during a solve: limits of stiffness, lagged friction, ε of ICF eq. 44, spring.
APART void compile_law(const Model &m, const Work &w, int contact) {
    const Header &h = *m.h;
    real *e = w.contacts() + C_SIZE * contact;
    real dt = h.dt, f0 = e[C_BASE_F0], k = e[C_BASE_K], d = e[C_DISSIPATION], wd = e[C_W], scale = 1.0;
    real stiff = dt * dt * k, most = h.stiffness_limit * e[C_LOAD];
    if (stiff * wd > most) {
        real share = most / (stiff * wd);
        scale = share;
        f0 *= share;
        k *= share;
    }
    real slope = dt * (dt * k + d * positive(f0));
    if (slope * wd > RESOLVED) {
        real share = RESOLVED / (slope * wd);
        scale *= share;
        f0 *= share;
        k *= share;
    }
    real n0 = e[C_LAGGED] >= 0.0 ? e[C_LAGGED] : dt * positive(f0) * positive(1.0 - d * e[C_VN0]);
    real sigma = larger(h.regularization, 1.0 / RESOLVED), limit = e[C_MU] * n0;
    e[C_OFFSET] = dt * f0;
    e[C_STIFFNESS] = dt * dt * k;
    e[C_LOSS] = d;
    e[C_LIMIT] = limit;
    e[C_EPSILON] = larger(sigma * wd * limit, h.stiction_tolerance);
    store3(e + C_BIAS, v3(0, 0, 0));
    if (!h.springs) return;
    // Springs that a step can hold oscillate no faster than once in it.
    real held = 4.0 * PI * PI * e[C_LOAD], spring = dt * dt * scale * e[C_KT] * wd;
    if (h.limit_stiffness && spring > held) scale *= held / spring;
    real kt = scale * e[C_KT], ct = scale * e[C_CT], critical = scale * e[C_CRITICAL] * wd;
    if (e[C_CRITICAL] > 0.0 && critical > 0.0) ct += kt * 2.0 / sqrt(critical);
    real kappa = dt * (dt * kt + ct);
    e[C_KAPPA] = kappa;
    e[C_MEMORY] = dt * ct * e[C_STRETCH];
    e[C_MEMORY + 1] = dt * ct * e[C_STRETCH + 1];
    e[C_EPSILON] = kappa > 0.0 ? limit / kappa : infinity();
    if (kappa > 0.0)
        store3(e + C_BIAS, load3(e + C_T1) * (dt * kt * e[C_STRETCH] / kappa) + load3(e + C_T2) * (dt * kt * e[C_STRETCH + 1] / kappa));
}

// Witness points and frame of each contact, before its pair of bodies has a point.
FN void place_contacts(const Model &m, const Work &w, int manifolds, Group g) {
    for (int k = g.lane; k < manifolds; k += g.lanes) {
        int count = w.manifold_count()[k], pair = w.manifold_pair()[k];
        const real *points = w.points() + POINT_R * POINTS_OF_PAIR * k, *pr = m.pair_r(pair);
        if (count <= 0) continue;
        real stiffness = pr[PR_STIFFNESS] / points_that_share(points, count, pr[PR_MARGIN]);
        for (int i = 0; i < count; i++) {
            const real *p = points + POINT_R * i;
            real *e = w.contacts() + C_SIZE * (w.manifold_first()[k] + i);
            store3(e + C_POSITION, load3(p + 3));
            store3(e + C_BIAS, load3(p + 6));
            store3(e + C_N, m.pair_i(pair)[P_SWAPPED] ? -load3(p) : load3(p));
            e[C_PENETRATION] = -p[9];
            e[C_BASE_K] = stiffness;
        }
    }
    g.sync();
}

// The entries, once links have their points.
FN void entries(const Model &m, const World &s, const Work &w, int count, Group g) {
    const Header &h = *m.h;
    for (int c = g.lane; c < count; c += g.lanes) {
        real *e = w.contacts() + C_SIZE * c;
        int pair = w.contact_pair()[c], link = w.contact_link()[c];
        const real *pr = m.pair_r(pair);
        const int *pi = m.pair_i(pair);
        V3 pa = load3(e + C_POSITION), pb = load3(e + C_BIAS), n = load3(e + C_N), t1, t2;
        V3 position = pa + (pb - pa) * pr[PR_WEIGHT_B], r = position - load3(w.link_point() + 3 * link);
        tangents(n, &t1, &t2);
        store3(e + C_POSITION, position);
        store3(e + C_R, r);
        store3(e + C_T1, t1);
        store3(e + C_T2, t2);
        e[C_BASE_F0] = e[C_BASE_K] * e[C_PENETRATION];
        e[C_DISSIPATION] = pr[PR_DISSIPATION];
        const real *trace = w.link_trace() + 2 * link;
        real bound = square(trace[0] + norm(r) * trace[1]);
        e[C_W] = larger(point_delassus(w.link_delassus() + 36 * link, r), DELASSUS_FLOOR * bound);
        V6 twist = load6(w.link_motion() + 12 * link);
        V3 v0 = twist.l + cross(twist.a, r);
        real slip = sqrt(square(dot(t1, v0)) + square(dot(t2, v0)));
        e[C_VN0] = dot(n, v0);
        e[C_MU] = blended(pr[PR_STATIC], pr[PR_DYNAMIC], slip, h.stiction_tolerance);
        real mass = bound > 0.0 ? 3.0 / bound : 1e150;
        e[C_NEGLIGIBLE] = mass * h.stiction_tolerance / (w.link_contacts()[2 * link + 1] - w.link_contacts()[2 * link]);
        e[C_LAGGED] = -1.0;
        e[C_STRETCH] = e[C_STRETCH + 1] = e[C_KT] = e[C_CT] = e[C_CRITICAL] = 0.0;
        if (h.springs) {
            e[C_KT] = h.spring_ratio * e[C_BASE_K];
            e[C_CT] = positive(h.spring_relaxation) * e[C_KT];
            e[C_CRITICAL] = h.spring_relaxation < 0.0 ? h.spring_ratio * pr[PR_STIFFNESS] : 0.0;
            // The stretch stored nearest to the contact, in the frame of A's body.
            Q quat;
            V3 place;
            body_pose(m, w, m.geom_i(pi[P_A])[G_BODY], &quat, &place);
            M3 rot = matrix(quat);
            V3 p_a = back(rot, position - place);
            real best = infinity();
            for (int k = first_spring(s, pair); k < s.counts[COUNT_SPRINGS] && s.spring_pairs[k] == pair; k++) {
                V3 off = load3(s.springs + 6 * k) - p_a;
                if (dot(off, off) < best) {
                    best = dot(off, off);
                    V3 stretch = rot * load3(s.springs + 6 * k + 3) * (pi[P_SWAPPED] ? -1.0 : 1.0);
                    e[C_STRETCH] = dot(t1, stretch);
                    e[C_STRETCH + 1] = dot(t2, stretch);
                }
            }
        }
    }
    g.sync();
}

// Groups of trees that touch: for each tree the first of its group; and how much heavier the heaviest of a group is than the lighter
// body of a contact.
FN void islands(const Model &m, const Work &w, int links, int contacts, Group g) {
    const Header &h = *m.h;
    for (int t = g.lane; t < h.trees; t += g.lanes) w.island()[t] = t;
    g.sync();
    if (g.lane == 0) {
        int *next = w.island();
        for (int l = 0; l < links; l++) {
            int a = m.body_i(w.link_bodies()[2 * l])[B_TREE], b = m.body_i(w.link_bodies()[2 * l + 1])[B_TREE];
            if (a < 0 || b < 0) continue;
            while (next[a] != a) a = next[a] = next[next[a]];
            while (next[b] != b) b = next[b] = next[next[b]];
            next[a > b ? a : b] = a > b ? b : a;
        }
        for (int t = 0; t < h.trees; t++) {
            next[t] = next[next[t]]; // earlier trees are settled
            real mass = m.tree_r(t)[0];
            w.heaviest()[t] = mass;
            w.heaviest()[next[t]] = larger(w.heaviest()[next[t]], mass);
        }
    }
    g.sync();
    for (int c = g.lane; c < contacts; c += g.lanes) {
        const int *bodies = w.link_bodies() + 2 * w.contact_link()[c];
        real load = 1.0, lightest = infinity();
        int tree = -1;
        for (int e = 0; e < 2; e++) {
            int t = m.body_i(bodies[e])[B_TREE];
            if (t < 0) continue;
            tree = t;
            lightest = smaller(lightest, m.tree_r(t)[0]);
        }
        if (h.limit_stiffness && tree >= 0) {
            load = w.heaviest()[w.island()[tree]] / (10.0 * lightest);
            load = is_finite(load) ? larger(load, 1.0) : 1.0;
        }
        w.contacts()[C_SIZE * c + C_LOAD] = load;
        compile_law(m, w, c);
    }
    g.sync();
}

// Rows on single coordinates: limits of both ends, limited actuators, dry friction. Kind, then for limits 1/R and v̂, for servos y0,
// gain and limit, for friction its limit.
FN int row_dof(const Model &m, int r, real *arm) {
    const Header &h = *m.h;
    *arm = 1.0;
    if (r < 2 * h.limits) {
        if (r & 1) *arm = -1.0;
        return m.limit_i(r / 2)[1];
    }
    r -= 2 * h.limits;
    if (r < h.drives) {
        *arm = m.drive_r(r)[AR_GEAR];
        return m.drive_i(r)[1];
    }
    return m.ints[h.i_friction + r - h.drives];
}

FN void rows(const Model &m, const World &s, const Work &w, Group g) {
    const Header &h = *m.h;
    for (int r = g.lane; r < h.rows; r += g.lanes) {
        real *law = w.row_law() + ROW_R * r, arm, dt = h.dt;
        int dof = row_dof(m, r, &arm), drive = r - 2 * h.limits;
        law[0] = ROW_NONE;
        if (r < 2 * h.limits) {
            const real *lr = m.limit_r(r / 2);
            real q = s.q[m.limit_i(r / 2)[0]], phi = r & 1 ? lr[1] - q : q - lr[0];
            if (!is_finite(phi)) continue;
            real wd = 1.0 / diagonal(m, w, dof), inverse, span, least = NEAR_RIGID_BETA * NEAR_RIGID_BETA / (4.0 * PI * PI) * wd;
            if (lr[2] < 0.0) {
                real floored = larger(dt, NEAR_RIGID_MIN_STEP), tau = NEAR_RIGID_BETA * floored / PI;
                inverse = least * (floored * (floored + tau)) / (dt * (dt + tau));
                span = dt + tau;
                real made = STEP_ACCELERATION * floored * floored, beyond = -phi - made;
                if (phi < 0.0 && beyond > 0.0) {
                    real share = smaller(span / CLOSING_TIME, 1.0), fastest = CLOSING_SPEED * span;
                    phi = -(made + smaller(beyond * share, fastest));
                }
            } else {
                span = dt + dt; // its relaxation time is a step
                inverse = larger(least, 1.0 / (dt * lr[2] * span));
            }
            law[0] = ROW_LIMIT;
            law[1] = inverse > 0.0 ? 1.0 / inverse : 0.0;
            law[2] = inverse > 0.0 ? -phi / span : 0.0;
        } else if (drive < h.drives) {
            const real *ar = m.drive_r(drive), *servo = w.servo() + 3 * drive;
            if (!is_finite(ar[AR_FORCE])) continue;
            law[0] = ROW_SERVO;
            law[1] = dt * (servo[0] - 0.5 * (ar[AR_FORCE] + ar[AR_FORCE + 1]));
            law[2] = dt * (dt * servo[1] + servo[2]);
            law[3] = dt * 0.5 * (ar[AR_FORCE + 1] - ar[AR_FORCE]);
        } else {
            law[0] = ROW_DRY;
            law[1] = dt * m.reals[h.r_friction + drive - h.drives];
        }
    }
    g.sync();
}

// The velocity from which a row's argument is counted.
FN real row_origin(const real *law) {
    if (law[0] == ROW_LIMIT) return law[2];
    if (law[0] == ROW_SERVO && law[2] > 0.0 && is_finite(law[1] / law[2])) return law[1] / law[2];
    return 0.0;
}

// Impulse and curvature of a row at x above its origin.
FN void row_value(const Header &h, const real *law, real x, real *impulse, real *curvature) {
    *impulse = *curvature = 0.0;
    if (law[0] == ROW_LIMIT) {
        real y = -law[1] * x;
        if (y > 0.0) {
            *impulse = y;
            *curvature = law[1];
        }
    } else if (law[0] == ROW_SERVO) {
        real y = row_origin(law) == 0.0 ? law[1] - law[2] * x : -law[2] * x;
        *impulse = clamped(y, -law[3], law[3]);
        if (fabs(y) <= law[3]) *curvature = law[2];
    } else if (law[0] == ROW_DRY) {
        real e = h.stiction_tolerance, root = sqrt(x * x + e * e);
        *impulse = -law[1] * x / root;
        *curvature = law[1] * e * e / (root * root * root);
    }
}
