//! The outline of a set of points in the plane: convex hull, and an alpha shape that follows hollows.

/// Corners of the convex hull, counter-clockwise, as indices into `points`; without points on edges.
pub fn convex_hull(points: &[[f64; 2]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| points[a][0].total_cmp(&points[b][0]).then(points[a][1].total_cmp(&points[b][1])));
    order.dedup_by(|a, b| points[*a] == points[*b]);
    if order.len() < 3 {
        return order;
    }
    let turn = |a: usize, b: usize, c: usize| cross(&points[a], &points[b], &points[c]);
    let mut hull: Vec<usize> = Vec::new();
    for pass in 0..2 {
        let start = hull.len();
        let iter: Box<dyn Iterator<Item = &usize>> =
            if pass == 0 { Box::new(order.iter()) } else { Box::new(order.iter().rev()) };
        for &p in iter {
            while hull.len() >= start + 2 && turn(hull[hull.len() - 2], hull[hull.len() - 1], p) <= 0.0 {
                hull.pop();
            }
            hull.push(p);
        }
        hull.pop();
    }
    hull
}

/// Twice the signed area of a triangle.
fn cross(a: &[f64; 2], b: &[f64; 2], c: &[f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Area of a polygon given by its corners.
pub fn polygon_area(corners: &[[f64; 2]]) -> f64 {
    let n = corners.len();
    (0..n)
        .map(|i| {
            let (a, b) = (corners[i], corners[(i + 1) % n]);
            0.5 * (a[0] * b[1] - a[1] * b[0])
        })
        .sum::<f64>()
        .abs()
}

/// Edges of the alpha shape: pairs of points (indices) with a circle of radius `alpha` through both that holds no
/// other point. A large alpha gives the convex hull, a small one falls apart into the points. Quadratic time.
pub fn alpha_shape(points: &[[f64; 2]], alpha: f64) -> Vec<[usize; 2]> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| points[a][0].total_cmp(&points[b][0]).then(points[a][1].total_cmp(&points[b][1])));
    order.dedup_by(|a, b| points[*a] == points[*b]);
    let reach = 2.0 * alpha;
    let mut edges = Vec::new();
    for (k, &i) in order.iter().enumerate() {
        for &j in order[k + 1..].iter().take_while(|&&j| points[j][0] - points[i][0] <= reach) {
            let (p, q) = (points[i], points[j]);
            let d = [q[0] - p[0], q[1] - p[1]];
            let length = d[0].hypot(d[1]);
            if length > reach || length == 0.0 {
                continue;
            }
            let rise = (alpha * alpha - 0.25 * length * length).max(0.0).sqrt() / length;
            let mut empty = [true; 2];
            for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                let center =
                    [0.5 * (p[0] + q[0]) - sign * rise * d[1], 0.5 * (p[1] + q[1]) + sign * rise * d[0]];
                let limit = alpha * (1.0 - 1e-9);
                let from = order.partition_point(|&o| points[o][0] < center[0] - alpha);
                empty[side] =
                    order[from..].iter().take_while(|&&o| points[o][0] <= center[0] + alpha).all(|&o| {
                        o == i
                            || o == j
                            || (points[o][0] - center[0]).hypot(points[o][1] - center[1]) >= limit
                    });
            }
            if empty[0] != empty[1] {
                edges.push([i, j]);
            }
        }
    }
    edges
}

/// Closed or open lines around a set of points, as its alpha shape has them: edges joined end to end. `alpha` is five times the median distance of
/// a point to its nearest neighbour, each axis over its own width. Of many points every k-th is taken. Empty for sets without area.
pub fn outline(points: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
    const MOST: usize = 1500;
    let some: Vec<[f64; 2]> = points.iter().step_by(points.len().div_ceil(MOST).max(1)).copied().collect();
    let range = |k: usize| {
        some.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], p| [l.min(p[k]), h.max(p[k])])
    };
    let ranges = [range(0), range(1)];
    if some.len() < 3 || ranges.iter().any(|[l, h]| h - l <= 0.0) {
        return Vec::new();
    }
    let unit: Vec<[f64; 2]> = some
        .iter()
        .map(|p| std::array::from_fn(|k| (p[k] - ranges[k][0]) / (ranges[k][1] - ranges[k][0])))
        .collect();
    let mut near: Vec<f64> = unit
        .iter()
        .map(|p| {
            let d = unit.iter().map(|q| (p[0] - q[0]).hypot(p[1] - q[1])).filter(|d| *d > 1e-9);
            d.fold(f64::INFINITY, f64::min)
        })
        .filter(|d| d.is_finite())
        .collect();
    near.sort_by(f64::total_cmp);
    let Some(&median) = near.get(near.len() / 2) else { return Vec::new() };
    let mut edges = alpha_shape(&unit, (5.0 * median).max(0.02));
    let mut lines = Vec::new();
    while let Some([a, b]) = edges.pop() {
        let mut line = std::collections::VecDeque::from([a, b]);
        // Grow at both ends while an edge goes on from there.
        while let Some(k) =
            edges.iter().position(|e| e.contains(&line[line.len() - 1]) || e.contains(&line[0]))
        {
            let [a, b] = edges.swap_remove(k);
            let (first, last) = (line[0], line[line.len() - 1]);
            if a == last || b == last {
                line.push_back(if a == last { b } else { a });
            } else {
                line.push_front(if a == first { b } else { a });
            }
        }
        lines.push(line.into_iter().map(|i| some[i]).collect());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A filled L: a square without its upper right quarter, on a grid.
    fn l_shape() -> Vec<[f64; 2]> {
        let grid = (0..=20).flat_map(|i| (0..=20).map(move |j| [i as f64 / 20.0, j as f64 / 20.0]));
        grid.filter(|p| p[0] <= 0.5 || p[1] <= 0.5).collect()
    }

    #[test]
    fn the_hull_of_an_l_cuts_its_corner() {
        let points = l_shape();
        let hull: Vec<[f64; 2]> = convex_hull(&points).into_iter().map(|i| points[i]).collect();
        assert_eq!(hull.len(), 5);
        assert!((polygon_area(&hull) - 0.875).abs() < 1e-12);
    }

    #[test]
    fn the_alpha_shape_of_an_l_follows_its_hollow() {
        let points = l_shape();
        let edges = alpha_shape(&points, 0.06);
        // The outline is 4 long, in steps of the grid; inside there are none.
        let length: f64 = edges
            .iter()
            .map(|[a, b]| (points[*a][0] - points[*b][0]).hypot(points[*a][1] - points[*b][1]))
            .sum();
        assert!((length - 4.0).abs() < 0.1, "{length}");
        let hollow = edges.iter().any(|[a, b]| {
            let middle = [0.5 * (points[*a][0] + points[*b][0]), 0.5 * (points[*a][1] + points[*b][1])];
            (middle[0] - 0.5).abs() < 1e-9 && middle[1] > 0.55
        });
        assert!(hollow, "the inner side of the L is part of the outline");
    }

    #[test]
    fn the_outline_of_an_l_is_one_line_of_its_length() {
        let lines = outline(&l_shape());
        assert_eq!(lines.len(), 1);
        let length: f64 = lines[0].windows(2).map(|w| (w[0][0] - w[1][0]).hypot(w[0][1] - w[1][1])).sum();
        assert!((length - 4.0).abs() < 0.3, "{length}");
        // A line has none.
        assert!(outline(&(0..50).map(|k| [k as f64, 0.0]).collect::<Vec<_>>()).is_empty());
    }

    #[test]
    fn a_few_points_are_their_own_hull() {
        assert_eq!(convex_hull(&[[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]).len(), 2);
        assert!(convex_hull(&[]).is_empty() && alpha_shape(&[], 1.0).is_empty());
    }
}
