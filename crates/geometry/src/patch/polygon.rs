//! Convex polygons in fixed-size arrays: cutting tetrahedra and clipping, without allocation.

use crate::V3;

/// Room for vertices: 4 of a cut tetrahedron, one more for each of up to 4 faces, and 3 for the ends
/// of the margin and the split at zero pressure, with some to spare for vertices that rounding splits.
pub(crate) const CAPACITY: usize = 16;

/// A convex polygon; the order of its vertices is cyclic, either way round.
///
/// Clipping writes from one of two buffers into the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Polygon {
    buffers: [[V3; CAPACITY]; 2],
    current: usize,
    len: usize,
}

impl Default for Polygon {
    fn default() -> Self {
        Self { buffers: [[V3::zeros(); CAPACITY]; 2], current: 0, len: 0 }
    }
}

impl Polygon {
    #[inline]
    pub(crate) fn vertices(&self) -> &[V3] {
        &self.buffers[self.current][..self.len]
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn set<const N: usize>(&mut self, v: [V3; N]) {
        self.buffers[self.current][..N].copy_from_slice(&v);
        self.len = N;
    }

    #[inline]
    pub(crate) fn set_triangle(&mut self, t: [V3; 3]) {
        self.set(t);
    }

    /// The cut of a tetrahedron with corners `v` by the zero set of the linear function with corner
    /// values `h`. Empty unless signs differ; zero counts as negative, so that of two neighbours that
    /// share a face lying in the cut exactly one gives the polygon.
    #[inline]
    pub(crate) fn set_cut(&mut self, v: &[V3; 4], h: &[f64; 4]) {
        self.len = 0;
        let mask = h.iter().enumerate().fold(0, |m, (i, &x)| m | (usize::from(x > 0.0) << i));
        // Always from the positive to the negative corner: neighbours compute the same bits.
        let edge = |i: usize, j: usize| {
            let (p, n) = if h[i] > 0.0 { (i, j) } else { (j, i) };
            let t = h[p] / (h[p] - h[n]);
            v[p] + (v[n] - v[p]) * t
        };
        let one = |i: usize| [edge(i, (i + 1) & 3), edge(i, (i + 2) & 3), edge(i, (i + 3) & 3)];
        match mask {
            0 | 15 => {}
            1 | 14 => self.set_triangle(one(0)),
            2 | 13 => self.set_triangle(one(1)),
            4 | 11 => self.set_triangle(one(2)),
            8 | 7 => self.set_triangle(one(3)),
            _ => {
                let (i, j, k, l) = match mask {
                    3 | 12 => (0, 1, 2, 3),
                    5 | 10 => (0, 2, 1, 3),
                    _ => (0, 3, 1, 2),
                };
                self.set([edge(i, k), edge(i, l), edge(j, l), edge(j, k)]);
            }
        }
    }

    /// Keeps the part with n . r - d <= 0. Returns whether anything is left.
    #[inline]
    pub(crate) fn clip(&mut self, n: &V3, d: f64) -> bool {
        let [first, second] = &mut self.buffers;
        let (old, new) = if self.current == 0 { (first, second) } else { (second, first) };
        let old = &old[..self.len];
        let mut s = [0.0; CAPACITY];
        let (mut inside, mut outside) = (false, false);
        for (s, v) in s.iter_mut().zip(old) {
            *s = n.dot(v) - d;
            inside |= *s < 0.0;
            outside |= *s > 0.0;
        }
        if !outside {
            return self.len > 0;
        }
        if !inside {
            self.len = 0;
            return false;
        }
        let mut len = 0;
        let mut push = |p: V3| {
            // Only noise can fill a polygon: vertices within rounding of a clip line. Losing one loses no area.
            if len < CAPACITY {
                new[len] = p;
                len += 1;
            }
        };
        let mut prev = old.len() - 1;
        for i in 0..old.len() {
            if (s[prev] > 0.0) != (s[i] > 0.0) {
                // From the inner to the outer vertex, whichever comes first.
                let (a, b) = if s[i] > 0.0 { (prev, i) } else { (i, prev) };
                if s[a] < 0.0 {
                    push(old[a] + (old[b] - old[a]) * (s[a] / (s[a] - s[b])));
                }
            }
            if s[i] <= 0.0 {
                push(old[i]);
            }
            prev = i;
        }
        self.len = len;
        self.current ^= 1;
        self.len > 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the area.
    fn double_area(p: &Polygon) -> f64 {
        let v = p.vertices();
        (2..v.len()).map(|i| (v[i - 1] - v[0]).cross(&(v[i] - v[0]))).sum::<V3>().norm()
    }

    #[test]
    fn cutting_a_tetrahedron_gives_triangles_and_quadrilaterals() {
        let v = [V3::zeros(), V3::x(), V3::y(), V3::z()];
        let mut p = Polygon::default();
        p.set_cut(&v, &[-0.5, 0.5, -0.5, -0.5]); // x = 1/2
        assert_eq!(p.len(), 3);
        assert!((double_area(&p) - 0.25).abs() < 1e-15);
        p.set_cut(&v, &[-0.5, 0.5, 0.5, -0.5]); // x + y = 1/2
        assert_eq!(p.len(), 4);
        p.set_cut(&v, &[-0.5, -0.5, -0.5, 0.0]);
        assert_eq!(p.len(), 0);
    }

    #[test]
    fn clipping_halves_a_square() {
        let mut p = Polygon::default();
        p.set([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| V3::new(x, y, 0.0)));
        assert!(p.clip(&V3::x(), 0.5));
        assert_eq!(p.len(), 4);
        assert!((double_area(&p) - 1.0).abs() < 1e-15);
        assert!(p.clip(&V3::new(1.0, 1.0, 0.0).normalize(), 1.25 / 2f64.sqrt()));
        assert_eq!(p.len(), 5);
        assert!(!p.clip(&V3::x(), -0.1));
    }
}
