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
    fn a_few_points_are_their_own_hull() {
        assert_eq!(convex_hull(&[[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]).len(), 2);
        assert!(convex_hull(&[]).is_empty() && alpha_shape(&[], 1.0).is_empty());
    }
}
