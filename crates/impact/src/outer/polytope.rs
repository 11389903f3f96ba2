//! Convex sets of velocities by their generators: points and directions, in homogeneous coordinates.
//!
//! A point z is (z, 1), a direction r is (r, 0); a set is all non-negative combinations with last coordinate one. A linear
//! condition ℓ·(z, 1) ≤ 0 is then one functional, and what it leaves is spanned by the generators that meet it and, of every pair on
//! different sides, the one between them. Generators that others span are removed by non-negative least squares.

/// Coordinates at most, the homogeneous one included.
pub(super) const WIDTH: usize = 10;
/// Distance within which a generator counts as spanned by others, or lies on a plane.
const SAME: f64 = 1e-11;

/// A generator; coordinates beyond the dimension are zero, the homogeneous one is the last of the dimension.
pub(super) type Generator = [f64; WIDTH];

/// A convex set.
#[derive(Clone, Debug, Default)]
pub(super) struct Polytope {
    pub generators: Vec<Generator>,
}

pub(super) fn dot(a: &Generator, b: &Generator) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// What the search may still spend, in comparisons of two generators.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget(pub i64);

impl Budget {
    /// Takes the price of something done `n` times for each of `m`.
    fn pay(&mut self, n: usize, m: usize) {
        self.0 -= (n * m) as i64;
    }

    /// Whether it is used up. What was computed since is not to be used.
    pub fn is_spent(&self) -> bool {
        self.0 < 0
    }
}

/// Which side of a plane is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    Below,
    On,
    Above,
}

impl Polytope {
    /// Whether it holds no point.
    pub fn is_empty(&self, last: usize) -> bool {
        self.generators.iter().all(|g| g[last] == 0.0)
    }

    /// Whether it holds a direction, and so is without bound.
    pub fn is_unbounded(&self, last: usize) -> bool {
        self.generators.iter().any(|g| g[last] == 0.0)
    }

    /// Adds a direction.
    pub fn widen(&mut self, directions: &[Generator]) {
        self.generators.extend_from_slice(directions);
    }

    /// Keeps the part on one side of ℓ = 0, or on it.
    pub fn clip(&mut self, functional: &Generator, keep: Keep, last: usize, budget: &mut Budget) {
        if budget.is_spent() {
            return;
        }
        let values: Vec<f64> = self
            .generators
            .iter()
            .map(|g| {
                let value = dot(functional, g);
                let size: f64 = functional.iter().zip(g).map(|(a, b)| (a * b).abs()).sum();
                if value.abs() <= SAME * size.max(1e-3) { 0.0 } else { value }
            })
            .collect();
        let stays = |v: f64| match keep {
            Keep::Below => v <= 0.0,
            Keep::On => v == 0.0,
            Keep::Above => v >= 0.0,
        };
        if values.iter().all(|&v| stays(v)) {
            return;
        }
        let above = values.iter().filter(|v| **v > 0.0).count();
        budget.pay(above, values.iter().filter(|v| **v < 0.0).count());
        let mut kept: Vec<Generator> =
            self.generators.iter().zip(&values).filter(|(_, v)| stays(**v)).map(|(g, _)| *g).collect();
        for (p, &vp) in self.generators.iter().zip(&values).filter(|(_, v)| **v > 0.0) {
            for (q, &vq) in self.generators.iter().zip(&values).filter(|(_, v)| **v < 0.0) {
                let mut between: Generator = std::array::from_fn(|k| vp * q[k] - vq * p[k]);
                normalise(&mut between, last);
                kept.push(between);
            }
        }
        self.generators = kept;
        self.reduce(last, budget);
    }

    /// Removes generators that the others span.
    pub fn reduce(&mut self, last: usize, budget: &mut Budget) {
        budget.pay(self.generators.len(), self.generators.len());
        if budget.is_spent() {
            return;
        }
        let mut unique: Vec<Generator> = Vec::with_capacity(self.generators.len());
        for g in &self.generators {
            let size = g[..last].iter().fold(0.0f64, |a, x| a.max(x.abs()));
            if g[last] == 0.0 && size <= SAME {
                continue;
            }
            if !unique.iter().any(|o| o.iter().zip(g).all(|(a, b)| (a - b).abs() <= SAME)) {
                unique.push(*g);
            }
        }
        let mut k = 0;
        while k < unique.len() {
            let g = unique.swap_remove(k);
            if spans(&unique, &g, last) {
                continue;
            }
            unique.push(g);
            let end = unique.len() - 1;
            unique.swap(k, end);
            k += 1;
        }
        self.generators = unique;
    }

    /// Distance of a point from the set in homogeneous coordinates: no more than its distance in space.
    pub fn distance(&self, point: &Generator, last: usize) -> f64 {
        distance(&self.generators, point, last)
    }

    /// Whether another set lies within this one, up to `slack`.
    pub fn contains(&self, other: &Self, last: usize, slack: f64) -> bool {
        other.generators.iter().all(|g| distance(&self.generators, g, last) <= slack)
    }
}

fn normalise(g: &mut Generator, last: usize) {
    let size = if g[last] > 1e-14 { g[last] } else { g.iter().map(|x| x * x).sum::<f64>().sqrt() };
    if g[last] <= 1e-14 {
        g[last] = 0.0;
    }
    if size > 0.0 {
        g.iter_mut().for_each(|x| *x /= size);
    }
}

fn spans(generators: &[Generator], g: &Generator, last: usize) -> bool {
    distance(generators, g, last) <= SAME
}

/// Distance of a generator from the cone of others: non-negative least squares (Lawson and Hanson).
fn distance(generators: &[Generator], g: &Generator, last: usize) -> f64 {
    let dimension = last + 1;
    let mut passive: Vec<usize> = Vec::with_capacity(WIDTH);
    let mut weights: Vec<f64> = Vec::with_capacity(WIDTH);
    let mut rest = *g;
    for _ in 0..4 * WIDTH + generators.len() {
        let norm = dot(&rest, &rest).sqrt();
        if norm <= 0.1 * SAME {
            return norm;
        }
        let (mut best, mut most) = (usize::MAX, 1e-14 * norm.max(1e-3));
        for (k, other) in generators.iter().enumerate() {
            let gain = dot(other, &rest);
            if gain > most && !passive.contains(&k) {
                (best, most) = (k, gain);
            }
        }
        if best == usize::MAX || passive.len() >= dimension {
            return norm;
        }
        passive.push(best);
        weights.push(0.0);
        loop {
            let Some(next) = least_squares(generators, &passive, g) else {
                passive.pop();
                return norm;
            };
            if next.iter().all(|w| *w > 0.0) {
                weights = next;
                break;
            }
            // Back to where the first weight vanishes; that generator leaves.
            let (mut share, mut leaves) = (1.0, 0);
            for (k, (w, n)) in weights.iter().zip(&next).enumerate() {
                if *n <= 0.0 {
                    let s = if w - n > 0.0 { w / (w - n) } else { 0.0 };
                    if s <= share {
                        (share, leaves) = (s, k);
                    }
                }
            }
            for (w, n) in weights.iter_mut().zip(&next) {
                *w += share * (n - *w);
            }
            passive.remove(leaves);
            weights.remove(leaves);
            if passive.is_empty() {
                break;
            }
        }
        rest = *g;
        for (&k, w) in passive.iter().zip(&weights) {
            for (r, x) in rest.iter_mut().zip(&generators[k]) {
                *r -= w * x;
            }
        }
    }
    dot(&rest, &rest).sqrt()
}

/// Weights of the passive generators, by Gram–Schmidt done twice; none if they are dependent.
fn least_squares(generators: &[Generator], passive: &[usize], g: &Generator) -> Option<Vec<f64>> {
    let n = passive.len();
    let mut q = [[0.0; WIDTH]; WIDTH];
    let mut r = [[0.0; WIDTH]; WIDTH];
    for (k, &p) in passive.iter().enumerate() {
        let mut column = generators[p];
        let size = dot(&column, &column).sqrt();
        for _ in 0..2 {
            for j in 0..k {
                let along = dot(&q[j], &column);
                r[j][k] += along;
                for (c, b) in column.iter_mut().zip(&q[j]) {
                    *c -= along * b;
                }
            }
        }
        let left = dot(&column, &column).sqrt();
        if left <= 1e-12 * size {
            return None;
        }
        r[k][k] = left;
        q[k] = column.map(|x| x / left);
    }
    let mut weights: Vec<f64> = (0..n).map(|k| dot(&q[k], g)).collect();
    for k in (0..n).rev() {
        for j in k + 1..n {
            weights[k] -= r[k][j] * weights[j];
        }
        weights[k] /= r[k][k];
    }
    Some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64) -> Generator {
        let mut g = [0.0; WIDTH];
        (g[0], g[1], g[2]) = (x, y, 1.0);
        g
    }

    #[test]
    fn a_square_loses_its_inner_points_and_a_corner() {
        let budget = &mut Budget(1 << 40);
        let mut square = Polytope { generators: Vec::new() };
        for k in 0..=4 {
            for j in 0..=4 {
                square.generators.push(point(0.25 * k as f64, 0.25 * j as f64));
            }
        }
        square.reduce(2, budget);
        assert_eq!(square.generators.len(), 4);
        // x + y ≤ 1.5.
        let mut functional = [0.0; WIDTH];
        (functional[0], functional[1], functional[2]) = (1.0, 1.0, -1.5);
        square.clip(&functional, Keep::Below, 2, budget);
        assert_eq!(square.generators.len(), 5);
        assert!(square.contains(&Polytope { generators: vec![point(0.7, 0.7)] }, 2, 1e-9));
        assert!(!square.contains(&Polytope { generators: vec![point(0.8, 0.8)] }, 2, 1e-9));
    }

    #[test]
    fn a_direction_makes_a_strip_and_a_plane_ends_it() {
        let budget = &mut Budget(1 << 40);
        let mut set = Polytope { generators: vec![point(0.0, 0.0), point(0.0, 1.0)] };
        let mut east = [0.0; WIDTH];
        east[0] = 1.0;
        set.widen(&[east]);
        assert!(set.is_unbounded(2));
        let mut functional = [0.0; WIDTH];
        (functional[0], functional[2]) = (1.0, -2.0);
        set.clip(&functional, Keep::Below, 2, budget);
        assert!(!set.is_unbounded(2) && set.generators.len() == 4);
        set.clip(&functional, Keep::On, 2, budget);
        assert_eq!(set.generators.len(), 2);
    }
}
