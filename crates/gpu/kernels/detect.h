// Which geoms touch, and where: manifolds in the order of the table of pairs, which is sorted by pairs of bodies.

const real ROCKING = 1e-5;  // geoms that touch, or did, keep their points up to here, m
const real ROUNDING = 1e-12;
const real SHALLOW = 0.25;

FN Shape shape_of(const Model &m, int geom) {
    Shape s = {m.geom_i(geom)[G_KIND], load3(m.geom_r(geom))};
    return s;
}

FN Frame frame_of(const Work &w, int geom) {
    Frame f = {load9(w.geom_rot() + 9 * geom), load3(w.geom_pos() + 3 * geom)};
    return f;
}

FN void place_geoms(const Model &m, const Work &w, Group g) {
    for (int k = g.lane; k < m.h->geoms; k += g.lanes) {
        const real *gr = m.geom_r(k);
        Q quat;
        V3 place;
        body_pose(m, w, m.geom_i(k)[G_BODY], &quat, &place);
        store9(w.geom_rot() + 9 * k, matrix(quat * load4(gr + GR_QUAT)));
        store3(w.geom_pos() + 3 * k, place + matrix(quat) * load3(gr + GR_POS));
    }
    g.sync();
}

// Half of the extent of a box or another bounded shape along a world axis.
FN real extent(const Shape &s, const Frame &x, V3 axis) {
    if (s.kind == SPHERE) return s.size.x;
    if (s.kind == CAPSULE) return s.size.x + s.size.y * fabs(dot(column(x.r, 2), axis));
    return dot(absolute(back(x.r, axis)), s.size);
}

// Whether two geoms may be within the margin of each other.
FN bool near_each_other(const Model &m, const Work &w, int a, int b, real margin) {
    bool plane_a = m.geom_i(a)[G_KIND] == HALF_SPACE, plane_b = m.geom_i(b)[G_KIND] == HALF_SPACE;
    V3 d = load3(w.geom_pos() + 3 * b) - load3(w.geom_pos() + 3 * a);
    if (plane_a || plane_b) {
        int plane = plane_a ? a : b, other = plane_a ? b : a;
        V3 n = column(load9(w.geom_rot() + 9 * plane), 2);
        return dot(n, plane_a ? d : -d) - m.geom_r(other)[GR_RADIUS] <= margin;
    }
    real reach = m.geom_r(a)[GR_RADIUS] + m.geom_r(b)[GR_RADIUS] + margin;
    if (dot(d, d) > reach * reach) return false;
    Shape sa = shape_of(m, a), sb = shape_of(m, b);
    Frame xa = frame_of(w, a), xb = frame_of(w, b);
    for (int k = 0; k < 3; k++) {
        V3 axis = v3(k == 0, k == 1, k == 2);
        if (fabs(d.get(k)) > extent(sa, xa, axis) + extent(sb, xb, axis) + margin) return false;
    }
    return true;
}

// First spring of a pair in the state, or the number of springs.
FN int first_spring(const World &s, int pair) {
    int lo = 0, hi = s.counts[COUNT_SPRINGS];
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (s.spring_pairs[mid] < pair) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

FN bool has_spring(const World &s, int pair) {
    int at = first_spring(s, pair);
    return at < s.counts[COUNT_SPRINGS] && s.spring_pairs[at] == pair;
}

// Pairs of geoms that may touch into `manifold_pair`, then their points. Returns the number of manifolds with points.
FN int find_points(const Model &m, const World &s, const Work &w, int *status, Group g) {
    const Header &h = *m.h;
    int found = 0;
    for (int from = 0; from < h.pairs; from += g.lanes) {
        int p = from + g.lane, total;
        bool hit = false;
        if (p < h.pairs) {
            const int *pi = m.pair_i(p);
            hit = near_each_other(m, w, pi[P_A], pi[P_B], larger(m.pair_r(p)[PR_MARGIN], ROCKING));
        }
        int at = found + g.before(hit ? 1 : 0, &total);
        if (hit && at < h.max_manifolds) w.manifold_pair()[at] = p;
        found += total;
    }
    if (found > h.max_manifolds) {
        *status |= NO_ROOM;
        found = h.max_manifolds;
    }
    g.sync();
    int kept = 0;
    for (int from = 0; from < found; from += g.lanes) {
        int k = from + g.lane, pair = 0, count = 0, total;
        real points[POINT_R * POINTS_OF_PAIR];
        if (k < found) {
            pair = w.manifold_pair()[k];
            const int *pi = m.pair_i(pair);
            Sink sink = {points, 0, false, larger(m.pair_r(pair)[PR_MARGIN], ROCKING), 0};
            contact_pair(shape_of(m, pi[P_A]), frame_of(w, pi[P_A]), shape_of(m, pi[P_B]), frame_of(w, pi[P_B]), sink);
            // Points beyond the margin count only where geoms touch, or did.
            real reach = m.pair_r(pair)[PR_MARGIN];
            bool rocks = has_spring(s, pair);
            if (sink.failed && rocks) *status |= NO_SHAPE;
            for (int i = 0; i < sink.count; i++) rocks = rocks || points[POINT_R * i + 9] <= ROUNDING;
            if (rocks) reach = larger(reach, ROCKING);
            for (int i = 0; i < sink.count; i++)
                if (points[POINT_R * i + 9] <= reach) {
                    for (int j = 0; j < POINT_R; j++) points[POINT_R * count + j] = points[POINT_R * i + j];
                    count++;
                }
        }
        int at = kept + g.before(count > 0 ? 1 : 0, &total);
        g.sync();
        if (count > 0) { // never ahead of what is still to be read
            w.manifold_pair()[at] = pair;
            w.manifold_count()[at] = count;
            for (int j = 0; j < POINT_R * count; j++) w.points()[POINT_R * POINTS_OF_PAIR * at + j] = points[j];
        }
        kept += total;
        g.sync();
    }
    return kept;
}

const real IN_FRONT = 1e-6, OUTSIDE = 1e-9;

// Removes manifolds on faces that are inside a body of several geoms, if the other geom touches the geom that covers them.
FN void drop_covered(const Model &m, const Work &w, int manifolds, Group g) {
    if (!m.h->any_group) return;
    if (g.lane == 0) {
        // Sides: group and geom of the body, the other geom, the manifold; sorted by other, group, geom.
        int *sides = w.sides(), n = 0;
        for (int k = 0; k < manifolds; k++) {
            const int *pi = m.pair_i(w.manifold_pair()[k]);
            for (int e = 0; e < 2; e++) {
                int geom = pi[e ? P_B : P_A], other = pi[e ? P_A : P_B], group = m.geom_i(geom)[G_GROUP];
                if (group < 0) continue;
                int at = n++;
                while (at > 0) {
                    int *before = sides + 3 * (at - 1);
                    int before_group = m.geom_i(before[1])[G_GROUP];
                    bool after = before[0] > other || (before[0] == other && (before_group > group || (before_group == group && before[1] > geom)));
                    if (!after) break;
                    for (int i = 0; i < 3; i++) before[3 + i] = before[i];
                    at--;
                }
                sides[3 * at] = other;
                sides[3 * at + 1] = geom;
                sides[3 * at + 2] = k;
            }
        }
        for (int from = 0; from < n;) {
            int until = from + 1, group = m.geom_i(sides[3 * from + 1])[G_GROUP];
            while (until < n && sides[3 * until] == sides[3 * from] && m.geom_i(sides[3 * until + 1])[G_GROUP] == group) until++;
            for (int k = from; until - from > 1 && k < until; k++) {
                int geom = sides[3 * k + 1], manifold = sides[3 * k + 2];
                bool first = m.pair_i(w.manifold_pair()[manifold])[P_A] == geom, covered = false;
                int count = w.manifold_count()[manifold];
                count = count < 0 ? -count : count;
                for (int c = from; c < until && !covered; c++) {
                    int cover = sides[3 * c + 1];
                    if (cover == geom || w.manifold_count()[sides[3 * c + 2]] < 0) continue;
                    covered = true;
                    for (int i = 0; i < count && covered; i++) {
                        const real *p = w.points() + POINT_R * (POINTS_OF_PAIR * manifold + i);
                        V3 at = load3(p + (first ? 3 : 6)), out = first ? load3(p) : -load3(p);
                        Shape ball = {SPHERE, v3(OUTSIDE, 0, 0)};
                        Frame x;
                        x.r.r0 = v3(1, 0, 0);
                        x.r.r1 = v3(0, 1, 0);
                        x.r.r2 = v3(0, 0, 1);
                        x.p = at + out * (IN_FRONT + positive(-p[9]));
                        real room[POINT_R * POINTS_OF_PAIR];
                        Sink sink = {room, 0, false, 0.0, 0};
                        contact_pair(shape_of(m, cover), frame_of(w, cover), ball, x, sink);
                        covered = sink.count > 0;
                    }
                }
                if (covered && w.manifold_count()[manifold] > 0) w.manifold_count()[manifold] = -count;
            }
            from = until;
        }
    }
    g.sync();
}

// The number of points among which the stiffness of their pair is divided.
FN real points_that_share(const real *points, int count, real margin) {
    real deepest = 0.0, sum = 0.0;
    for (int i = 0; i < count; i++) deepest = larger(deepest, -points[POINT_R * i + 9]);
    if (deepest == 0.0) return count;
    real reach = smaller(deepest, larger(margin, ROCKING)) + ROUNDING;
    for (int i = 0; i < count; i++)
        sum += clamped((-points[POINT_R * i + 9] + reach) / (reach + SHALLOW * deepest), 0.0, 1.0);
    return sum;
}

struct Touching { int contacts, links; };

// Numbers the contacts and the pairs of bodies that touch. A manifold that was dropped has a negative count.
FN Touching number_contacts(const Model &m, const Work &w, int manifolds, int *status, Group g) {
    const Header &h = *m.h;
    Touching out = {0, 0};
    if (g.lane == 0) {
        int last_a = -1, last_b = -1;
        for (int k = 0; k < manifolds; k++) {
            int count = w.manifold_count()[k], pair = w.manifold_pair()[k];
            if (count <= 0) continue;
            const int *pi = m.pair_i(pair);
            bool same = pi[P_BODY_A] == last_a && pi[P_BODY_B] == last_b;
            if (out.contacts + count > h.max_contacts || (!same && out.links == h.max_links)) {
                *status |= NO_ROOM;
                w.manifold_count()[k] = -count;
                continue;
            }
            if (!same) {
                last_a = pi[P_BODY_A];
                last_b = pi[P_BODY_B];
                w.link_bodies()[2 * out.links] = last_a;
                w.link_bodies()[2 * out.links + 1] = last_b;
                w.link_contacts()[2 * out.links] = out.contacts;
                out.links++;
            }
            w.manifold_first()[k] = out.contacts;
            for (int i = 0; i < count; i++) {
                w.contact_pair()[out.contacts + i] = pair;
                w.contact_link()[out.contacts + i] = out.links - 1;
            }
            out.contacts += count;
            w.link_contacts()[2 * out.links - 1] = out.contacts;
        }
    }
    out.contacts = g.sum(g.lane == 0 ? out.contacts : 0);
    out.links = g.sum(g.lane == 0 ? out.links : 0);
    g.sync();
    return out;
}
