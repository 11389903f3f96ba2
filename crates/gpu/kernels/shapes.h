// Contact points of pairs of shapes, as in stiction-geometry (`point/`): half-space against all, spheres, capsules, boxes.

struct Frame { M3 r; V3 p; };
FN V3 to_world(const Frame &x, V3 q) { return x.r * q + x.p; }
FN V3 to_local(const Frame &x, V3 q) { return back(x.r, q - x.p); }

struct Shape { int kind; V3 size; };

// Where the points of one pair go; `swapped` if the routine's first shape is the pair's second geom.
struct Sink {
    real *out;
    int count;
    bool swapped;
    real margin;
    int failed;
    FN void push(V3 n, V3 first, V3 second, real distance) {
        if (count >= POINTS_OF_PAIR) return;
        real *p = out + POINT_R * count++;
        store3(p, swapped ? -n : n);
        store3(p + 3, swapped ? second : first);
        store3(p + 6, swapped ? first : second);
        p[9] = distance;
    }
};

// A point of the other shape over the half-space z <= 0 of `x`.
FN void over_plane(const Frame &x, V3 q, Sink &sink) {
    V3 n = column(x.r, 2);
    real gap = dot(n, q - x.p);
    if (gap <= sink.margin) sink.push(n, q - n * gap, q, gap);
}

FN void half_space(const Frame &x, const Shape &s, const Frame &xb, Sink &sink) {
    V3 n = column(x.r, 2);
    if (s.kind == SPHERE) {
        over_plane(x, xb.p - n * s.size.x, sink);
    } else if (s.kind == CAPSULE) {
        V3 half = column(xb.r, 2) * s.size.y;
        over_plane(x, xb.p - half - n * s.size.x, sink);
        over_plane(x, xb.p + half - n * s.size.x, sink);
    } else {
        for (int k = 0; k < 8; k++) {
            V3 q = v3(k & 1 ? s.size.x : -s.size.x, k & 2 ? s.size.y : -s.size.y, k & 4 ? s.size.z : -s.size.z);
            over_plane(x, to_world(xb, q), sink);
        }
    }
}

FN void sphere_sphere(real ra, V3 ca, real rb, V3 cb, Sink &sink) {
    V3 d = cb - ca;
    real reach = ra + rb + sink.margin, length = norm(d);
    if (dot(d, d) > reach * reach || reach < 0.0) return;
    V3 n = length > 0.0 ? d / length : v3(0, 0, 1);
    sink.push(n, ca + n * ra, cb - n * rb, length - ra - rb);
}

FN void sphere_box(real radius, V3 c, V3 h, const Frame &x, Sink &sink) {
    V3 p = to_local(x, c);
    V3 q = v3(clamped(p.x, -h.x, h.x), clamped(p.y, -h.y, h.y), clamped(p.z, -h.z, h.z)), d = p - q, m;
    real s = norm(d);
    if (s > 0.0) {
        m = d / s;
    } else {
        V3 depth = h - absolute(p);
        int k = depth.y < depth.x ? (depth.z < depth.y ? 2 : 1) : (depth.z < depth.x ? 2 : 0);
        real sign = copysign(1.0, p.get(k));
        q = p;
        m = v3(0, 0, 0);
        q.set(k, sign * h.get(k));
        m.set(k, sign);
        s = -depth.get(k);
    }
    real gap = s - radius;
    if (gap > sink.margin) return;
    V3 n = x.r * m;
    sink.push(-n, c - n * radius, to_world(x, q), gap);
}

FN void sphere_capsule(real radius, V3 c, real rb, real half, const Frame &x, Sink &sink) {
    V3 axis = column(x.r, 2);
    V3 core = x.p + axis * clamped(dot(axis, c - x.p), -half, half), d = core - c;
    real length = norm(d), gap = length - radius - rb;
    V3 n = length > 0.0 ? d / length : column(x.r, 0);
    if (gap <= sink.margin) sink.push(n, c + n * radius, core - n * rb, gap);
}

FN V3 sideways(V3 u, V3 v, V3 d, V3 other) {
    V3 c = cross(u, v);
    real length = norm(c);
    V3 n = length > 1e-9 ? c / length : other;
    return dot(n, d) < 0.0 ? -n : n;
}

FN void capsule_capsule(real ra, real la, const Frame &xa, real rb, real lb, const Frame &xb, Sink &sink) {
    V3 u = column(xa.r, 2), v = column(xb.r, 2), d = xb.p - xa.p, across = cross(u, v);
    real c = dot(u, v), du = dot(d, u), dv = dot(d, v), sine2 = dot(across, across);
    real s = sine2 > 1e-14 ? clamped((du - c * dv) / sine2, -la, la) : 0.0;
    real t = clamped(s * c - dv, -lb, lb);
    s = clamped(du + t * c, -la, la);
    t = clamped(s * c - dv, -lb, lb);
    real ss[3], tt[3], length[3];
    int n = 0;
    ss[2] = s;
    tt[2] = t;
    real reach = ra + rb + sink.margin;
    length[2] = norm(xb.p + v * t - (xa.p + u * s));
    if (length[2] > reach) return;
    bool crossing = true;
    if (sine2 < 0.01) { // nearly parallel: both ends of the stretch they share
        real b0 = du - lb * c, b1 = du + lb * c, lo = smaller(b0, b1), hi = larger(b0, b1), sign = copysign(1.0, c);
        if (larger(lo, -la) < smaller(hi, la)) {
            for (int upper = 0; upper < 2; upper++) {
                real end = upper ? la : -la, s_b = upper ? hi : lo, t_b = upper ? lb * sign : -lb * sign;
                bool of_a = upper ? end <= s_b : end >= s_b;
                ss[n] = of_a ? end : clamped(s_b, -la, la);
                tt[n] = of_a ? clamped(end * c - dv, -lb, lb) : t_b;
                length[n] = norm(xb.p + v * tt[n] - (xa.p + u * ss[n]));
                n++;
            }
            crossing = !(length[2] >= smaller(length[0], length[1]) - 1e-9 * (ra + rb));
        }
    }
    for (int k = 0; k < 3; k++) {
        if (k >= n && !(k == 2 && crossing)) continue;
        if (length[k] > reach) continue;
        V3 p = xa.p + u * ss[k], q = xb.p + v * tt[k];
        V3 m = length[k] > 1e-12 * (la + lb) ? (q - p) / length[k] : sideways(u, v, d, column(xa.r, 0));
        sink.push(m, p + m * ra, q - m * rb, length[k] - ra - rb);
    }
}

FN real box_slope(V3 h, V3 c, V3 u, real t) {
    real s = 0.0;
    for (int k = 0; k < 3; k++) {
        real x = c.get(k) + t * u.get(k);
        s += u.get(k) * (x - clamped(x, -h.get(k), h.get(k)));
    }
    return s;
}

// Parameter of the point of c + t u, |t| <= half, nearest to the box.
FN real nearest_to_box(V3 h, V3 c, V3 u, real half) {
    real lo = -half, hi = half, f_lo = box_slope(h, c, u, lo), f_hi = box_slope(h, c, u, hi);
    if (f_lo > 0.0) return lo;
    if (f_hi < 0.0) return hi;
    for (int k = 0; k < 3; k++)
        for (int side = 0; side < 2; side++) {
            real t = ((side ? h.get(k) : -h.get(k)) - c.get(k)) / u.get(k);
            if (t > lo && t < hi) {
                real f = box_slope(h, c, u, t);
                if (f <= 0.0) { lo = t; f_lo = f; }
                if (f >= 0.0) { hi = t; f_hi = f; }
            }
        }
    return f_hi - f_lo > 0.0 ? lo + (hi - lo) * (-f_lo / (f_hi - f_lo)) : 0.5 * (lo + hi);
}

// Shortest translation that frees a segment from a box: direction from the box outward, and its length.
FN real axis_of_overlap(V3 h, V3 c, V3 u, real half, V3 *n) {
    real best = infinity();
    *n = v3(0, 0, 1);
    for (int k = 0; k < 3; k++) {
        real depth = h.get(k) + half * fabs(u.get(k)) - fabs(c.get(k));
        if (depth < best) {
            best = depth;
            *n = v3(0, 0, 0);
            n->set(k, copysign(1.0, c.get(k)));
        }
    }
    for (int k = 0; k < 3; k++) {
        V3 e = v3(k == 0, k == 1, k == 2), m = cross(u, e);
        real length = norm(m);
        if (length <= 1e-7) continue;
        m = m / length;
        real depth = dot(absolute(m), h) - fabs(dot(m, c));
        if (depth < best - 1e-12 * largest(h)) {
            best = depth;
            *n = dot(m, c) < 0.0 ? -m : m;
        }
    }
    return best;
}

FN void box_capsule(V3 h, const Frame &xa, real radius, real half, const Frame &xb, Sink &sink) {
    V3 c = to_local(xa, xb.p), u = back(xa.r, column(xb.r, 2));
    real reach = radius + sink.margin;
    V3 b = c + u * nearest_to_box(h, c, u, half);
    V3 a = v3(clamped(b.x, -h.x, h.x), clamped(b.y, -h.y, h.y), clamped(b.z, -h.z, h.z)), d = b - a, n;
    real gap = norm(d);
    if (gap > reach) return;
    if (gap > 1e-12 * largest(h)) n = d / gap;
    else gap = -axis_of_overlap(h, c, u, half, &n);
    V3 n_w = xa.r * n;
    int k = argmax_abs(n), i = (k + 1) % 3, j = (k + 2) % 3;
    real sign = copysign(1.0, n.get(k)), least = infinity();
    // The segment projected along n on the face that faces it: (u, v, gap).
    V3 ends[2];
    for (int e = 0; e < 2; e++) {
        V3 q = e ? c + u * half : c - u * half;
        real over = (q.get(k) * sign - h.get(k)) / fabs(n.get(k));
        ends[e] = v3(q.get(i) - over * n.get(i), q.get(j) - over * n.get(j), over);
    }
    real lo = 0.0, hi = 1.0;
    bool over = true;
    for (int axis = 0; axis < 2; axis++) {
        real from = ends[0].get(axis), by = ends[1].get(axis) - from, limit = h.get(axis ? j : i);
        if (fabs(by) <= 1e-14 * limit) {
            if (fabs(from) > limit * (1.0 + 1e-12)) over = false;
            continue;
        }
        real t0 = (-limit - from) / by, t1 = (limit - from) / by;
        lo = larger(lo, smaller(t0, t1));
        hi = smaller(hi, larger(t0, t1));
    }
    if (over && lo <= hi)
        for (int e = 0; e < (lo == hi ? 1 : 2); e++) {
            V3 w = ends[0] + (ends[1] - ends[0]) * (e ? hi : lo), q = v3(0, 0, 0);
            least = smaller(least, w.z);
            if (w.z > reach) continue;
            q.set(i, w.x);
            q.set(j, w.y);
            q.set(k, sign * h.get(k));
            V3 p = to_world(xa, q);
            sink.push(n_w, p, p + n_w * (w.z - radius), w.z - radius);
        }
    if (least > gap + 1e-9 * (fabs(gap) + largest(h)) && gap <= reach) {
        V3 p = to_world(xa, a);
        sink.push(n_w, p, p + n_w * (gap - radius), gap - radius);
    }
}

// Axis of largest separation of two boxes (from a to b, frame of a); false if the separation along it exceeds the margin.
FN bool box_axis(V3 ha, V3 hb, const M3 &r, V3 t, real margin, V3 *normal, real *separation) {
    M3 q = {absolute(r.r0), absolute(r.r1), absolute(r.r2)};
    V3 sa = absolute(t) - ha - q * hb, tb = back(r, t), sb = absolute(tb) - hb - back(q, ha);
    int ka = argmax(sa), kb = argmax(sb);
    if (sa.get(ka) > margin || sb.get(kb) > margin) return false;
    real tie = 1e-12 * (largest(ha) + largest(hb)), best = sa.get(ka);
    V3 n = v3(0, 0, 0);
    if (sb.get(kb) > best + tie) {
        best = sb.get(kb);
        n = column(r, kb) * copysign(1.0, tb.get(kb));
    } else {
        n.set(ka, copysign(1.0, t.get(ka)));
    }
    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        V3 row = i == 0 ? r.r0 : (i == 1 ? r.r1 : r.r2), row1 = i1 == 0 ? r.r0 : (i1 == 1 ? r.r1 : r.r2);
        V3 row2 = i2 == 0 ? r.r0 : (i2 == 1 ? r.r1 : r.r2);
        for (int j = 0; j < 3; j++) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            real len2 = 1.0 - row.get(j) * row.get(j);
            if (len2 < 1e-14) continue;
            real along = t.get(i2) * row1.get(j) - t.get(i1) * row2.get(j);
            real reach_a = ha.get(i1) * fabs(row2.get(j)) + ha.get(i2) * fabs(row1.get(j));
            real reach_b = hb.get(j1) * fabs(row.get(j2)) + hb.get(j2) * fabs(row.get(j1));
            real s = fabs(along) - reach_a - reach_b;
            bool better = s < 0.0 ? best < 0.0 && s * s < best * best * len2 : best < 0.0 || s * s > best * best * len2;
            if (!better) continue;
            V3 l = v3(0, 0, 0);
            l.set(i1, -row2.get(j));
            l.set(i2, row1.get(j));
            l = l * (copysign(1.0, along) / norm(l));
            s = dot(t, l) - dot(absolute(l), ha) - dot(absolute(back(r, l)), hb);
            if (s > margin) return false;
            if (s > best + tie) {
                best = s;
                n = l;
            }
        }
    }
    *normal = n;
    *separation = best;
    return true;
}

struct Polygon { real v[8][3]; int n; };

// Keeps sign * v[axis] <= h.
FN void clip_side(Polygon &p, int axis, real sign, real h) {
    bool all = true;
    for (int k = 0; k < p.n; k++) all = all && sign * p.v[k][axis] - h <= 0.0;
    if (all) return;
    Polygon old = p;
    p.n = 0;
    for (int k = 0; k < old.n; k++) {
        const real *a = old.v[k], *b = old.v[k + 1 == old.n ? 0 : k + 1];
        real sa = sign * a[axis] - h, sb = sign * b[axis] - h;
        if (sa <= 0.0 && p.n < 8) {
            for (int d = 0; d < 3; d++) p.v[p.n][d] = a[d];
            p.n++;
        }
        if (((sa < 0.0 && sb > 0.0) || (sa > 0.0 && sb < 0.0)) && p.n < 8) {
            real t = sa / (sa - sb);
            for (int d = 0; d < 3; d++) p.v[p.n][d] = a[d] + (b[d] - a[d]) * t;
            p.v[p.n++][axis] = sign * h;
        }
    }
}

FN void box_box(V3 ha, const Frame &xa, V3 hb, const Frame &xb, Sink &sink) {
    M3 r = transposed_times(xa.r, xb.r);
    V3 t = to_local(xa, xb.p), n;
    real s;
    if (!box_axis(ha, hb, r, t, sink.margin, &n, &s)) return;
    int k = argmax_abs(n), i = (k + 1) % 3, j = (k + 2) % 3;
    real sign = copysign(1.0, n.get(k));
    // The face of b towards a, projected along n on a's face with normal axis k: (u, v, gap).
    V3 nb = back(r, n);
    int m = argmax_abs(nb), m1 = (m + 1) % 3, m2 = (m + 2) % 3;
    V3 c = t - column(r, m) * copysign(hb.get(m), nb.get(m));
    V3 edges[3] = {c, column(r, m1) * hb.get(m1), column(r, m2) * hb.get(m2)};
    real inverse = 1.0 / fabs(n.get(k)), flat[3][3];
    for (int e = 0; e < 3; e++) {
        real over = (edges[e].get(k) * sign - (e == 0 ? ha.get(k) : 0.0)) * inverse;
        flat[e][0] = edges[e].get(i) - over * n.get(i);
        flat[e][1] = edges[e].get(j) - over * n.get(j);
        flat[e][2] = over;
    }
    Polygon p;
    p.n = 4;
    for (int w = 0; w < 4; w++) {
        real a = w == 0 || w == 3 ? -1.0 : 1.0, b = w < 2 ? -1.0 : 1.0;
        for (int d = 0; d < 3; d++) p.v[w][d] = flat[0][d] + a * flat[1][d] + b * flat[2][d];
    }
    clip_side(p, 0, 1.0, ha.get(i));
    clip_side(p, 0, -1.0, ha.get(i));
    clip_side(p, 1, 1.0, ha.get(j));
    clip_side(p, 1, -1.0, ha.get(j));
    // Neighbours nearer than the tolerance count as one, the deeper.
    real near = 1e-6 * (largest(ha) + largest(hb));
    for (int a = 0; p.n > 1 && a < p.n;) {
        int b = a + 1 == p.n ? 0 : a + 1;
        if (fabs(p.v[a][0] - p.v[b][0]) > near || fabs(p.v[a][1] - p.v[b][1]) > near) {
            a++;
            continue;
        }
        if (p.v[b][2] < p.v[a][2])
            for (int d = 0; d < 3; d++) p.v[a][d] = p.v[b][d];
        for (int e = b; e + 1 < p.n; e++)
            for (int d = 0; d < 3; d++) p.v[e][d] = p.v[e + 1][d];
        p.n--;
    }
    real least = infinity();
    for (int a = 0; a < p.n; a++) least = smaller(least, p.v[a][2]);
    V3 n_w = xa.r * n;
    if (least > s + 1e-9 * (ha.get(k) + largest(hb))) {
        if (s > 0.0) { // corner against corner or edge, apart
            sink.failed = 1;
            return;
        }
        V3 a = v3(copysign(ha.x, n.x), copysign(ha.y, n.y), copysign(ha.z, n.z));
        V3 b = t + r * v3(-copysign(hb.x, nb.x), -copysign(hb.y, nb.y), -copysign(hb.z, nb.z)) - n * s;
        V3 at = to_world(xa, (a + b) * 0.5);
        sink.push(n_w, at, at + n_w * s, s);
    }
    V3 base = xa.p + column(xa.r, k) * (sign * ha.get(k)), u = column(xa.r, i), v = column(xa.r, j);
    for (int a = 0; a < p.n; a++)
        if (p.v[a][2] <= sink.margin) {
            V3 q = base + u * p.v[a][0] + v * p.v[a][1];
            sink.push(n_w, q, q + n_w * p.v[a][2], p.v[a][2]);
        }
}

// Contact points of two shapes, the lower kind first.
APART void contact_pair(Shape sa, Frame xa, Shape sb, Frame xb, Sink &sink) {
    if (sa.kind > sb.kind) {
        Shape s = sa;
        Frame x = xa;
        sa = sb;
        xa = xb;
        sb = s;
        xb = x;
        sink.swapped = true;
    }
    if (sa.kind == HALF_SPACE) half_space(xa, sb, xb, sink);
    else if (sa.kind == SPHERE && sb.kind == SPHERE) sphere_sphere(sa.size.x, xa.p, sb.size.x, xb.p, sink);
    else if (sa.kind == SPHERE && sb.kind == BOX) sphere_box(sa.size.x, xa.p, sb.size, xb, sink);
    else if (sa.kind == SPHERE) sphere_capsule(sa.size.x, xa.p, sb.size.x, sb.size.y, xb, sink);
    else if (sa.kind == BOX && sb.kind == BOX) box_box(sa.size, xa, sb.size, xb, sink);
    else if (sa.kind == BOX) box_capsule(sa.size, xa, sb.size.x, sb.size.y, xb, sink);
    else capsule_capsule(sa.size.x, sa.size.y, xa, sb.size.x, sb.size.y, xb, sink);
}
