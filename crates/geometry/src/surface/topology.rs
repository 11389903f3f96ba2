//! Who is next to whom on a triangle surface.

use crate::V3;

/// A side of a face: corner `k` to corner `k + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Side {
    /// Ends, the lower number first.
    pub(super) ends: (u32, u32),
    pub(super) face: u32,
    pub(super) k: u8,
    /// Whether the face runs from the higher to the lower end.
    pub(super) backwards: bool,
}

/// All sides, sorted by their ends.
pub(super) fn sides(faces: &[[u32; 3]]) -> Vec<Side> {
    let mut out = Vec::with_capacity(3 * faces.len());
    for (f, v) in faces.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (v[k], v[(k + 1) % 3]);
            out.push(Side { ends: (a.min(b), a.max(b)), face: f as u32, k: k as u8, backwards: a > b });
        }
    }
    out.sort_unstable();
    out
}

/// Sums of tetrahedra to the first vertex.
pub(super) fn signed_volume(vertices: &[V3], faces: &[[u32; 3]]) -> f64 {
    let Some(origin) = faces.first().map(|f| vertices[f[0] as usize]) else { return 0.0 };
    let six = |f: &[u32; 3]| {
        let [a, b, c] = f.map(|i| vertices[i as usize] - origin);
        a.dot(&b.cross(&c))
    };
    faces.iter().map(six).sum::<f64>() / 6.0
}

/// Sets of numbers that are joined.
pub(crate) struct Groups(Vec<u32>);

impl Groups {
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    pub(crate) fn find(&mut self, mut i: u32) -> u32 {
        while self.0[i as usize] != i {
            self.0[i as usize] = self.0[self.0[i as usize] as usize];
            i = self.0[i as usize];
        }
        i
    }

    /// Joins; the lower number stands for both.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// Number of the connected piece of each face, and how many there are. Pieces share edges.
pub(super) fn shells(faces: &[[u32; 3]], sides: &[Side]) -> (Vec<u32>, usize) {
    let mut groups = Groups::new(faces.len());
    for pair in sides.windows(2).filter(|w| w[0].ends == w[1].ends) {
        groups.join(pair[0].face, pair[1].face);
    }
    let mut number = vec![u32::MAX; faces.len()];
    let mut count = 0;
    let shell = (0..faces.len() as u32)
        .map(|f| {
            let root = groups.find(f) as usize;
            if number[root] == u32::MAX {
                number[root] = count;
                count += 1;
            }
            number[root]
        })
        .collect();
    (shell, count as usize)
}

/// Turns faces so that neighbours agree; in each piece the larger side wins. Gives the number turned, or a
/// face where that is impossible.
pub(super) fn orient(faces: &mut [[u32; 3]], sides: &[Side]) -> Result<usize, u32> {
    // Across an edge of exactly two faces; `true` if one of them has to be turned.
    let mut links: Vec<(u32, u32, bool)> = Vec::with_capacity(sides.len());
    for group in sides.chunk_by(|a, b| a.ends == b.ends) {
        if let [a, b] = group {
            links.push((a.face, b.face, a.backwards == b.backwards));
            links.push((b.face, a.face, a.backwards == b.backwards));
        }
    }
    links.sort_unstable();
    let start = |f: u32| links.partition_point(|l| l.0 < f);
    let mut turned: Vec<Option<bool>> = vec![None; faces.len()];
    let mut total = 0;
    for seed in 0..faces.len() {
        if turned[seed].is_some() {
            continue;
        }
        turned[seed] = Some(false);
        let mut piece = vec![seed as u32];
        let mut next = 0;
        while next < piece.len() {
            let f = piece[next];
            next += 1;
            let own = turned[f as usize] == Some(true);
            for &(_, other, opposed) in links[start(f)..].iter().take_while(|l| l.0 == f) {
                match turned[other as usize] {
                    None => {
                        turned[other as usize] = Some(own ^ opposed);
                        piece.push(other);
                    }
                    Some(state) if state != own ^ opposed => return Err(other),
                    Some(_) => {}
                }
            }
        }
        let count = piece.iter().filter(|&&f| turned[f as usize] == Some(true)).count();
        let flip_turned = 2 * count <= piece.len();
        for &f in &piece {
            if (turned[f as usize] == Some(true)) == flip_turned {
                faces[f as usize].swap(1, 2);
            }
        }
        total += if flip_turned { count } else { piece.len() - count };
    }
    Ok(total)
}

/// Rims of holes as loops of vertices, in the direction in which the missing faces would run.
pub(super) fn rims(sides: &[Side]) -> Vec<Vec<u32>> {
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for group in sides.chunk_by(|a, b| a.ends == b.ends) {
        if let [one] = group {
            // The face runs one way, the missing one would run the other.
            let (low, high) = one.ends;
            edges.push(if one.backwards { (low, high) } else { (high, low) });
        }
    }
    edges.sort_unstable();
    let mut used = vec![false; edges.len()];
    let mut out = Vec::new();
    for seed in 0..edges.len() {
        // Walk until stuck; a vertex met again closes a loop, which is cut off the path.
        let mut path: Vec<u32> = vec![edges[seed].0];
        while let Some(&from) = path.last() {
            let begin = edges.partition_point(|e| e.0 < from);
            let free = (begin..edges.len()).take_while(|&e| edges[e].0 == from).find(|&e| !used[e]);
            let Some(edge) = free else { break };
            used[edge] = true;
            let to = edges[edge].1;
            match path.iter().position(|&v| v == to) {
                Some(k) => {
                    out.push(path[k..].to_vec());
                    path.truncate(k + 1);
                }
                None => path.push(to),
            }
        }
    }
    out
}
