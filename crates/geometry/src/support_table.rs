//! Which vertices of a hull can be furthest along a direction: a table over cells of directions.
//!
//! The cells are squares on the faces of a cube. The directions of a cell are the sums of its four corners with weights that are not
//! negative, so a vertex that one of its neighbours beats at all four corners is nowhere furthest in the cell. The others are
//! listed. A search of the list gives the vertex that a search of all vertices gives, and depends on the direction alone.

use crate::V3;

/// Hulls with fewer vertices are searched as a whole.
const SMALL: usize = 16;
/// Most cells along the edge of a cube face.
const FINEST: usize = 16;

/// Candidates for every cell of directions. Empty for small hulls.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SupportTable {
    /// Cells along the edge of a cube face; 0 without a table.
    cells: usize,
    /// `start[c]..start[c + 1]` into `candidates`.
    start: Vec<u32>,
    candidates: Vec<u32>,
}

impl SupportTable {
    /// The table of a hull; `neighbours(v)` are vertices joined to v by edges.
    pub fn new<'a>(vertices: &[V3], neighbours: impl Fn(usize) -> &'a [u32]) -> Self {
        if vertices.len() < SMALL {
            return Self::default();
        }
        let wanted = (vertices.len() as f64 / 6.0).sqrt();
        let mut cells = 2;
        while cells < FINEST && (cells as f64) < wanted {
            cells *= 2;
        }
        let mut lists = vec![Vec::new(); 6 * cells * cells];
        let all: Vec<u32> = (0..vertices.len() as u32).collect();
        // A vertex is dropped only where it is beaten by more than rounding.
        let size = vertices.iter().map(|v| v.amax()).fold(0.0, f64::max);
        let beaten = |v: u32, corners: &[V3; 4]| {
            let p = vertices[v as usize];
            neighbours(v as usize).iter().any(|&u| {
                let e = vertices[u as usize] - p;
                corners.iter().all(|c| e.dot(c) > 1e-13 * size)
            })
        };
        for face in 0..6 {
            // Halve the cells again and again, each starting from what was left of the larger one.
            let mut open = vec![([0usize, 0usize], cells, all.clone())];
            while let Some(([i, j], edge, list)) = open.pop() {
                let at = |k: usize| 2.0 * k as f64 / cells as f64 - 1.0;
                let corners = [(i, j), (i + edge, j), (i, j + edge), (i + edge, j + edge)]
                    .map(|(i, j)| direction(face, at(i), at(j)));
                let left: Vec<u32> = list.into_iter().filter(|&v| !beaten(v, &corners)).collect();
                if edge == 1 {
                    lists[(face * cells + i) * cells + j] = left;
                    continue;
                }
                let half = edge / 2;
                for (di, dj) in [(0, 0), (half, 0), (0, half), (half, half)] {
                    open.push(([i + di, j + dj], half, left.clone()));
                }
            }
        }
        let mut table = Self { cells, start: vec![0], candidates: Vec::new() };
        for list in lists {
            table.candidates.extend(list);
            table.start.push(table.candidates.len() as u32);
        }
        table
    }

    /// The first of the vertices furthest along `d`.
    #[inline]
    pub fn furthest(&self, vertices: &[V3], d: &V3) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        if self.cells == 0 {
            for (i, v) in vertices.iter().enumerate() {
                let s = v.dot(d);
                if s > best.1 {
                    best = (i, s);
                }
            }
            return best.0;
        }
        let cell = self.cell(d);
        for &i in &self.candidates[self.start[cell] as usize..self.start[cell + 1] as usize] {
            let s = vertices[i as usize].dot(d);
            if s > best.1 {
                best = (i as usize, s);
            }
        }
        best.0
    }

    #[inline]
    fn cell(&self, d: &V3) -> usize {
        let k = d.iamax();
        let scale = 1.0 / d[k].abs();
        // What is not finite becomes 0.
        let index = |c: f64| (((c * scale + 1.0) * 0.5 * self.cells as f64) as usize).min(self.cells - 1);
        let face = 2 * k + usize::from(d[k] < 0.0);
        (face * self.cells + index(d[(k + 1) % 3])) * self.cells + index(d[(k + 2) % 3])
    }
}

/// The direction of a point on a face of the cube: face 2 k is +1 along axis k, 2 k + 1 is -1.
fn direction(face: usize, u: f64, v: f64) -> V3 {
    let k = face / 2;
    let mut d = V3::zeros();
    d[k] = if face.is_multiple_of(2) { 1.0 } else { -1.0 };
    d[(k + 1) % 3] = u;
    d[(k + 2) % 3] = v;
    d
}
