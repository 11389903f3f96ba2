// One step of one world.

const real SHARE = 0.05; // error of a contact's friction that is accepted, as a share of it

// Gives contacts whose friction had the limit of another load the normal impulse just found. Returns whether there are any.
FN bool late_friction(const Model &m, const Work &w, int contacts, Group g) {
    const Header &h = *m.h;
    bool any = false;
    for (int c = g.lane; c < contacts; c += g.lanes) {
        real *e = w.contacts() + C_SIZE * c;
        if (!(e[C_MU] > 0.0)) continue;
        real normal = positive(e[C_GAMMA_N]), allowed = e[C_MU] * normal, missing = allowed - e[C_LIMIT];
        if (fabs(missing) <= larger(e[C_NEGLIGIBLE], SHARE * larger(allowed, e[C_LIMIT]))) continue;
        V3 n = load3(e + C_N), v = load3(e + C_VT);
        bool late;
        if (missing > 0.0) {
            late = norm(straightened(n, v - load3(e + C_BIAS))) > h.stiction_tolerance;
        } else {
            real tangential = e[C_A] * norm(v);
            late = tangential - allowed > larger(e[C_NEGLIGIBLE], SHARE * tangential);
        }
        if (!late) continue;
        e[C_LAGGED] = normal;
        compile_law(m, w, c);
        any = true;
    }
    g.sync();
    return g.any(any);
}

// Keeps the springs of all contacts.
FN void keep_springs(const Model &m, const World &s, const Work &w, int contacts, Group g) {
    const Header &h = *m.h;
    for (int c = g.lane; c < contacts; c += g.lanes) {
        const real *e = w.contacts() + C_SIZE * c;
        int pair = w.contact_pair()[c];
        V3 t1 = load3(e + C_T1), t2 = load3(e + C_T2), v = load3(e + C_VT), stretch = v3(0, 0, 0);
        real kappa = e[C_KAPPA];
        if (kappa > 0.0) {
            real x = kappa * dot(t1, v), y = kappa * dot(t2, v), length = sqrt(x * x + y * y);
            real by = length > e[C_LIMIT] ? h.dt * e[C_LIMIT] / length : h.dt;
            stretch = t1 * ((e[C_MEMORY] + by * x) / kappa) + t2 * ((e[C_MEMORY + 1] + by * y) / kappa);
        }
        if (m.pair_i(pair)[P_SWAPPED]) stretch = -stretch;
        Q quat;
        V3 place;
        body_pose(m, w, m.geom_i(m.pair_i(pair)[P_A])[G_BODY], &quat, &place);
        M3 rot = matrix(quat);
        s.spring_pairs[c] = pair;
        store3(s.springs + 6 * c, back(rot, load3(e + C_POSITION) - place));
        store3(s.springs + 6 * c + 3, back(rot, stretch));
    }
    if (g.lane == 0) s.counts[COUNT_SPRINGS] = contacts;
    g.sync();
}

FN void step_world(const Model &m, const World &s, const Work &w, Group g) {
    const Header &h = *m.h;
    int status = 0, iterations = 0, passes = 0;
    if (g.lane == 0) {
        store4(w.quat(), q4(1, 0, 0, 0));
        store9(w.rot(), matrix(q4(1, 0, 0, 0)));
        store3(w.origin(), v3(0, 0, 0));
        store6(w.twist(), zero6());
    }
    g.sync();
    positions(m, s.q, w, g);
    velocities(m, s.v, w, g);
    mass_matrix(m, w, g);
    free_motion(m, s, w, g);
    place_geoms(m, w, g);
    int manifolds = find_points(m, s, w, &status, g);
    drop_covered(m, w, manifolds, g);
    Touching touching = number_contacts(m, w, manifolds, &status, g);
    place_contacts(m, w, manifolds, g);
    links(m, w, touching.links, g);
    entries(m, s, w, touching.contacts, g);
    islands(m, w, touching.links, touching.contacts, g);
    rows(m, s, w, g);
    for (int d = g.lane; d < h.nv; d += g.lanes) {
        w.u()[d] = s.v[d];
        w.scale()[d] = 1.0 / sqrt(diagonal(m, w, d));
        w.momentum0()[d] = times_a(m, w, d, s.v, 0);
    }
    g.sync();
    bool converged = analyse(m, w, touching.links, g);
    if (!converged) status |= NO_ROOM;
    else converged = newton(m, s.v, w, touching.links, touching.contacts, &iterations, &status, g);
    while (converged && passes < h.friction_passes && late_friction(m, w, touching.contacts, g)) {
        passes++;
        converged = newton(m, s.v, w, touching.links, touching.contacts, &iterations, &status, g);
    }
    if (!converged) status |= UNCONVERGED;
    bool bad = false;
    for (int d = g.lane; d < h.nv; d += g.lanes) bad = bad || !is_finite(w.u()[d]);
    if (g.any(bad)) status |= NOT_FINITE;
    for (int bit = 1; bit <= NO_SHAPE; bit <<= 1)
        if (g.any(status & bit)) status |= bit;
    if (!(status & NOT_FINITE)) {
        integrate(m, s.q, w.u(), w.q_next(), g);
        if (h.springs) keep_springs(m, s, w, touching.contacts, g);
        for (int i = g.lane; i < h.nq; i += g.lanes) s.q[i] = w.q_next()[i];
        for (int d = g.lane; d < h.nv; d += g.lanes) s.v[d] = w.u()[d];
    }
    if (g.lane == 0) {
        s.counts[COUNT_STATUS] |= status;
        s.counts[COUNT_ITERATIONS] += iterations;
        s.counts[COUNT_PASSES] += passes;
        s.counts[COUNT_CONTACTS] = touching.contacts;
        s.counts[COUNT_UNCONVERGED] += status ? 1 : 0;
    }
    g.sync();
}

// The arrays of a batch; those of a world are consecutive.
struct Arrays {
    real *q, *v;
    const real *ctrl, *applied;
    int *spring_pairs;
    real *springs;
    int *counts;
};

FN World world_of(const Header &h, const Arrays &a, int64 i) {
    World s = {a.q + h.nq * i, a.v + h.nv * i, a.ctrl + h.nu * i, a.applied + h.nv * i, a.spring_pairs + h.max_contacts * i, a.springs + 6 * h.max_contacts * i, a.counts + COUNT_SIZE * i};
    return s;
}
