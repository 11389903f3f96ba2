// Poses, twists, mass matrix and forces: the algorithms of stiction-multibody, with the nodes of a level of depth in parallel.
//
// Spatial vectors are [angular; linear] in world axes about the tree's point O.

FN void positions(const Model &m, const real *q, const Work &w, Group g) {
    const Header &h = *m.h;
    for (int l = 0; l < h.levels; l++) {
        for (int k = m.level(l)[0] + g.lane; k < m.level(l)[1]; k += g.lanes) {
            int n = m.level_node(k);
            const int *ni = m.node_i(n);
            const real *nr = m.node_r(n);
            int parent = ni[N_PARENT], motion = ni[N_MOTION];
            bool root = ni[N_ROOT];
            Q parent_quat = root ? load4(w.quat() + 4 * parent) : load4(w.quat() + 4 * parent);
            M3 parent_rot = load9(w.rot() + 9 * parent);
            V3 parent_origin = load3(w.origin() + 3 * parent);
            Q quat, turn = load4(nr + NR_TURN);
            V3 origin = parent_origin + parent_rot * load3(nr + NR_OFFSET);
            const real *x = q + ni[N_Q];
            if (motion == SCREW) {
                real half = 0.5 * (x[0] - nr[NR_REFERENCE]), s = sin(half), c = cos(half);
                Q about = load4(nr + NR_TURN_AXIS);
                quat = parent_quat * q4(c * turn.w + s * about.w, c * turn.x + s * about.x, c * turn.y + s * about.y, c * turn.z + s * about.z);
            } else if (motion == SLIDE) {
                quat = parent_quat * turn;
            } else if (motion == BALL) {
                quat = parent_quat * (turn * unit(load4(x)));
            } else {
                quat = unit(load4(x + 3));
                origin = load3(x);
            }
            M3 rot = matrix(quat);
            V3 axis = rot * load3(nr + NR_AXIS);
            if (motion == SCREW && nr[NR_LEAD] != 0.0) origin = origin + axis * (nr[NR_LEAD] * (x[0] - nr[NR_REFERENCE]));
            if (motion == SLIDE) origin = origin + axis * (x[0] - nr[NR_REFERENCE]);
            if (root) {
                store3(w.tree_origin() + 3 * ni[N_TREE], origin);
                origin = v3(0, 0, 0);
            }
            real *s = w.columns() + 6 * ni[N_V];
            if (motion == SCREW) {
                store6(s, v6(axis, cross(origin, axis) + axis * nr[NR_LEAD]));
            } else if (motion == SLIDE) {
                store6(s, v6(v3(0, 0, 0), axis));
            } else {
                if (motion == FREE) {
                    for (int i = 0; i < 3; i++) {
                        store6(s + 6 * i, zero6());
                        s[6 * i + 3 + i] = 1.0;
                    }
                    s += 18;
                }
                for (int i = 0; i < 3; i++) {
                    V3 a = column(rot, i);
                    store6(s + 6 * i, v6(a, cross(origin, a)));
                }
            }
            store4(w.quat() + 4 * n, quat);
            store9(w.rot() + 9 * n, rot);
            store3(w.origin() + 3 * n, origin);
            store3(w.com() + 3 * n, origin + rot * load3(nr + NR_COM));
        }
        g.sync();
    }
}

// Pose of a body: rotation, and place in the world.
APART void body_pose(const Model &m, const Work &w, int body, Q *quat, V3 *place) {
    const int *bi = m.body_i(body);
    const real *br = m.body_r(body);
    int node = bi[B_NODE];
    *quat = load4(w.quat() + 4 * node) * load4(br);
    V3 p = load3(w.origin() + 3 * node) + load9(w.rot() + 9 * node) * load3(br + 4);
    *place = node == 0 ? p : load3(w.tree_origin() + 3 * m.node_i(node)[N_TREE]) + p;
}

// Twist of a body, linear at the world point `p`; zero for the world.
FN V6 twist_at(const Model &m, const Work &w, int body, V3 p) {
    int node = m.body_i(body)[B_NODE];
    if (node == 0) return zero6();
    return shifted(load6(w.twist() + 6 * node), p - load3(w.tree_origin() + 3 * m.node_i(node)[N_TREE]));
}

FN void velocities(const Model &m, const real *v, const Work &w, Group g) {
    const Header &h = *m.h;
    for (int l = 0; l < h.levels; l++) {
        for (int k = m.level(l)[0] + g.lane; k < m.level(l)[1]; k += g.lanes) {
            int n = m.level_node(k);
            const int *ni = m.node_i(n);
            V6 before = ni[N_ROOT] ? zero6() : load6(w.twist() + 6 * ni[N_PARENT]), own = zero6();
            for (int d = ni[N_V]; d < ni[N_V] + ni[N_NV]; d++) own = own + load6(w.columns() + 6 * d) * v[d];
            store6(w.twist() + 6 * n, before + own);
            store6(w.drift() + 6 * n, ni[N_MOTION] == FREE ? v6(v3(0, 0, 0), cross(own.l, own.a)) : cross_motion(before, own));
        }
        g.sync();
    }
}

// Mass matrix by composite inertias: for each tree a square block, row after row, both triangles filled.
FN void mass_matrix(const Model &m, const Work &w, Group g) {
    const Header &h = *m.h;
    for (int l = h.levels - 1; l >= 0; l--) {
        for (int k = m.level(l)[0] + g.lane; k < m.level(l)[1]; k += g.lanes) {
            int n = m.level_node(k);
            const int *ni = m.node_i(n);
            real sum[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
            if (ni[N_INERTIA]) {
                const real *nr = m.node_r(n);
                M3 rot = load9(w.rot() + 9 * n);
                V3 c = load3(w.com() + 3 * n), f = c * nr[NR_MASS];
                const real *i = nr + NR_ROT;
                V3 x = symmetric(i, rot.r0), y = symmetric(i, rot.r1), z = symmetric(i, rot.r2);
                sum[0] = nr[NR_MASS];
                store3(sum + 1, f);
                sum[4] = dot(rot.r0, x) + (f.y * c.y + f.z * c.z);
                sum[5] = dot(rot.r1, y) + (f.x * c.x + f.z * c.z);
                sum[6] = dot(rot.r2, z) + (f.x * c.x + f.y * c.y);
                sum[7] = dot(rot.r0, y) - f.x * c.y;
                sum[8] = dot(rot.r0, z) - f.x * c.z;
                sum[9] = dot(rot.r1, z) - f.y * c.z;
            }
            for (int c = 0; c < ni[N_CHILDREN]; c++) {
                const real *more = w.inertia() + 10 * m.child(ni[N_CHILD] + c);
                for (int i = 0; i < 10; i++) sum[i] += more[i];
            }
            for (int i = 0; i < 10; i++) w.inertia()[10 * n + i] = sum[i];
        }
        g.sync();
    }
    for (int i = g.lane; i < h.mass_size; i += g.lanes) w.mass()[i] = 0.0;
    g.sync();
    for (int j = g.lane; j < h.nv; j += g.lanes) {
        const int *di = m.dof_i(j), *tree = m.tree_i(di[D_TREE]);
        const real *c = w.inertia() + 10 * di[D_NODE];
        V6 s = load6(w.columns() + 6 * j);
        V3 moment = load3(c + 1);
        V6 f = v6(symmetric(c + 4, s.a) + cross(moment, s.l), s.l * c[0] + cross(s.a, moment));
        int n = tree[T_N], first = tree[T_V];
        real *a = w.mass() + tree[T_A];
        a[(j - first) * n + (j - first)] = dot(s, f) + m.dof_r(j)[DR_ARMATURE];
        for (int i = di[D_PARENT]; i >= 0; i = m.dof_i(i)[D_PARENT]) {
            real x = dot(load6(w.columns() + 6 * i), f);
            a[(j - first) * n + (i - first)] = x;
            a[(i - first) * n + (j - first)] = x;
        }
    }
    g.sync();
}

// (I + b×)⁻¹ r with a symmetric I; 0 where I is singular.
FN V3 gyroscopic_solve(const real *i, V3 b, V3 r) {
    real adjoint[6] = {i[1] * i[2] - i[5] * i[5], i[0] * i[2] - i[4] * i[4], i[0] * i[1] - i[3] * i[3],
                       i[4] * i[5] - i[3] * i[2], i[3] * i[5] - i[4] * i[1], i[3] * i[4] - i[5] * i[0]};
    V3 carried = symmetric(i, b);
    real det = i[0] * adjoint[0] + i[3] * adjoint[3] + i[4] * adjoint[4] + dot(b, carried);
    if (det <= 0.0) return v3(0, 0, 0);
    return (symmetric(adjoint, r) + b * dot(b, r) - cross(carried, r)) * (1.0 / det);
}

// Change of ω in `dt` with angular momentum p: (I − dt/2 p×) δ = dt p × ω.
FN V3 gyroscopic_turn(const real *i, V3 p, V3 omega, real dt) {
    return gyroscopic_solve(i, p * (-0.5 * dt), cross(p, omega) * dt);
}

// Coriolis, centrifugal and gravity forces over a step, subtracted from `out`: of trees at the beginning, of single free bodies
// their mean over the step (stiction_multibody::floating).
FN void subtract_bias(const Model &m, const real *v, const Work &w, real *out, Group g) {
    const Header &h = *m.h;
    V3 gravity = load3(h.gravity);
    for (int l = 0; l < h.levels; l++) {
        for (int k = m.level(l)[0] + g.lane; k < m.level(l)[1]; k += g.lanes) {
            int n = m.level_node(k);
            const int *ni = m.node_i(n);
            V6 acc = load6(w.drift() + 6 * n);
            if (!ni[N_ROOT]) acc = acc + load6(w.acc() + 6 * ni[N_PARENT]);
            store6(w.acc() + 6 * n, acc);
            V6 f = zero6();
            if (ni[N_INERTIA]) {
                const real *nr = m.node_r(n);
                M3 rot = load9(w.rot() + 9 * n);
                V3 com = load3(w.com() + 3 * n);
                V6 t = load6(w.twist() + 6 * n);
                V3 velocity = t.l + cross(t.a, com);
                V3 acceleration = acc.l + cross(acc.a, com) + cross(t.a, velocity);
                V3 force = (acceleration - gravity) * nr[NR_MASS];
                V3 w_b = back(rot, t.a), alpha_b = back(rot, acc.a);
                V3 moment = symmetric(nr + NR_ROT, alpha_b) + cross(w_b, symmetric(nr + NR_ROT, w_b));
                f = v6(rot * moment + cross(com, force), force);
            }
            store6(w.wrench() + 6 * n, f);
        }
        g.sync();
    }
    for (int l = h.levels - 1; l >= 0; l--) {
        for (int k = m.level(l)[0] + g.lane; k < m.level(l)[1]; k += g.lanes) {
            int n = m.level_node(k);
            const int *ni = m.node_i(n);
            V6 f = load6(w.wrench() + 6 * n);
            for (int c = 0; c < ni[N_CHILDREN]; c++) f = f + load6(w.wrench() + 6 * m.child(ni[N_CHILD] + c));
            store6(w.wrench() + 6 * n, f);
            if (m.tree_i(ni[N_TREE])[T_FLOATING]) {
                const real *nr = m.node_r(n);
                const real *inertia = nr + NR_ROT;
                M3 rot = load9(w.rot() + 9 * n);
                V3 omega = load3(v + ni[N_V] + 3), com = load3(nr + NR_COM);
                V3 half = omega + gyroscopic_turn(inertia, symmetric(inertia, omega), omega, 0.5 * h.dt);
                V3 more = gyroscopic_turn(inertia, symmetric(inertia, half), omega, h.dt);
                V3 end = omega + more, x = end * (0.5 * h.dt), y = cross(end, com), across = cross(x, y);
                V3 swing = (across + cross(x, across)) * (2.0 / (1.0 + dot(x, x)));
                V3 force = swing * (nr[NR_MASS] / h.dt) - back(rot, gravity) * nr[NR_MASS];
                V3 moment = symmetric(inertia, more) * (-1.0 / h.dt) + cross(com, force);
                V3 world = rot * force;
                for (int i = 0; i < 3; i++) {
                    out[ni[N_V] + i] -= world.get(i);
                    out[ni[N_V] + 3 + i] -= moment.get(i);
                }
            } else {
                for (int d = ni[N_V]; d < ni[N_V] + ni[N_NV]; d++) out[d] -= dot(load6(w.columns() + 6 * d), f);
            }
        }
        g.sync();
    }
}

// Kinds of row on one coordinate.
enum { ROW_NONE, ROW_LIMIT, ROW_SERVO, ROW_DRY };

// Diagonal of A − M and the impulse p of a step without constraints and contact, and the laws of actuators.
FN void free_motion(const Model &m, const World &s, const Work &w, Group g) {
    const Header &h = *m.h;
    real *added = w.added(), *p = w.impulse();
    for (int d = g.lane; d < h.nv; d += g.lanes) {
        const real *dr = m.dof_r(d);
        added[d] = h.dt * (dr[DR_DAMPING] + h.dt * dr[DR_STIFFNESS]);
        p[d] = s.applied[d];
        if (dr[DR_STIFFNESS] != 0.0) p[d] -= dr[DR_STIFFNESS] * (s.q[m.node_i(m.dof_i(d)[D_NODE])[N_Q]] - dr[DR_REST]);
    }
    g.sync();
    subtract_bias(m, s.v, w, p, g);
    if (g.lane == 0) { // several may drive one coordinate
        for (int k = 0; k < h.drives; k++) {
            const int *ai = m.drive_i(k);
            const real *ar = m.drive_r(k);
            real gear = ar[AR_GEAR], length = gear * s.q[ai[0]], rate = gear * s.v[ai[1]];
            real input = clamped(s.ctrl[k], ar[AR_CTRL], ar[AR_CTRL + 1]);
            real slope[3];
            for (int i = 0; i < 3; i++) slope[i] = ar[AR_GAIN + i] * input + ar[AR_BIAS + i];
            real *servo = w.servo() + 3 * k;
            servo[0] = slope[0] + slope[1] * length + slope[2] * rate;
            servo[1] = slope[1] < 0.0 ? -slope[1] : 0.0;
            servo[2] = 0.0;
            if (slope[2] < 0.0) {
                servo[2] = -slope[2];
                servo[0] -= slope[2] * rate;
            }
            if (is_finite(ar[AR_FORCE])) { // limited: the middle of the range is constant, a row carries the rest
                p[ai[1]] += gear * 0.5 * (ar[AR_FORCE] + ar[AR_FORCE + 1]);
            } else {
                real by = h.dt * servo[1] + servo[2];
                p[ai[1]] += gear * servo[0];
                added[ai[1]] += gear * gear * h.dt * by;
            }
        }
    }
    g.sync();
    for (int d = g.lane; d < h.nv; d += g.lanes) {
        p[d] = h.dt * p[d] - added[d] * s.v[d];
        const int *tree = m.tree_i(m.dof_i(d)[D_TREE]);
        w.mass()[tree[T_A] + (d - tree[T_V]) * (tree[T_N] + 1)] += added[d];
    }
    g.sync();
}

// q ⊕ dt v, quaternions along the tangent and normalised.
FN void integrate(const Model &m, const real *q, const real *v, real *out, Group g) {
    const Header &h = *m.h;
    for (int n = 1 + g.lane; n < h.nodes; n += g.lanes) {
        const int *ni = m.node_i(n);
        const real *x = q + ni[N_Q], *r = v + ni[N_V];
        real *y = out + ni[N_Q];
        if (ni[N_MOTION] == SCREW || ni[N_MOTION] == SLIDE) {
            y[0] = x[0] + h.dt * r[0];
            continue;
        }
        if (ni[N_MOTION] == FREE) {
            for (int i = 0; i < 3; i++) y[i] = x[i] + h.dt * r[i];
            x += 3;
            y += 3;
            r += 3;
        }
        Q half = q4(1, 0.5 * (h.dt * r[0]), 0.5 * (h.dt * r[1]), 0.5 * (h.dt * r[2]));
        store4(y, unit(unit(load4(x)) * half));
    }
    g.sync();
}
