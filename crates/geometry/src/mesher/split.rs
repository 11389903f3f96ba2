//! Splitting a tetrahedron where a linear function crosses a level.

use super::TetMesh;
use super::quality::shape_of;
use crate::V3;
use crate::solid::check::six_volume;

/// Where a corner lies with respect to the level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Above,
    On,
    Below,
}

/// Tetrahedra of the part above the level. `cut(a, b)` is the vertex on the edge from a corner above to
/// one below. Faces shared with other tetrahedra are split alike whoever splits them: a quadrilateral
/// takes the diagonal through its lowest corner above the level.
pub(super) fn above(
    t: &[u32; 4],
    level: [Level; 4],
    vertices: &[V3],
    cut: impl Fn(u32, u32) -> u32,
    add: &mut impl FnMut([u32; 4]),
) {
    let mut up: Vec4 = Vec4::default();
    let mut rest: Vec4 = Vec4::default();
    for k in 0..4 {
        if level[k] == Level::Above { up.push(t[k]) } else { rest.push(t[k]) }
    }
    let is_below = |v: u32| (0..4).any(|k| t[k] == v && level[k] == Level::Below);
    // The end of the edge from a corner above towards another one: the cut, or the corner on the level.
    let end = |a: u32, c: u32| if is_below(c) { cut(a, c) } else { c };
    let mut put = |mut t: [u32; 4]| {
        if (0..4).any(|i| (0..i).any(|j| t[i] == t[j])) {
            return;
        }
        if six_volume(&t.map(|i| vertices[i as usize])) < 0.0 {
            t.swap(2, 3);
        }
        add(t);
    };
    up.sort();
    rest.sort();
    match (up.as_slice(), rest.as_slice()) {
        (&[a], &[b, c, d]) => put([a, end(a, b), end(a, c), end(a, d)]),
        (&[a, b], &[c, d]) => {
            let (ac, ad, bc, bd) = (end(a, c), end(a, d), end(b, c), end(b, d));
            put([a, b, bc, bd]);
            // A pyramid from a over ac, bc, bd, ad; its base is the level itself.
            if ac == bc {
                put([a, ac, bd, ad]);
            } else if ad == bd {
                put([a, ac, bc, bd]);
            } else {
                let one = [[a, ac, bc, bd], [a, ac, bd, ad]];
                let two = [[a, ac, bc, ad], [a, bc, bd, ad]];
                let worst = |pair: &[[u32; 4]; 2]| {
                    pair.iter()
                        .map(|t| shape_of(&t.map(|i| vertices[i as usize])).abs())
                        .fold(f64::INFINITY, f64::min)
                };
                let chosen = if worst(&one) >= worst(&two) { one } else { two };
                chosen.into_iter().for_each(&mut put);
            }
        }
        (&[a, b, c], &[d]) => {
            if !is_below(d) {
                put(*t);
                return;
            }
            // A prism; the diagonals are a-bd, a-cd and b-cd.
            let (ad, bd, cd) = (cut(a, d), cut(b, d), cut(c, d));
            put([a, ad, bd, cd]);
            put([a, b, bd, cd]);
            put([a, b, c, cd]);
        }
        (&[_, _, _, _], _) => put(*t),
        _ => {}
    }
}

/// Up to four vertex numbers.
#[derive(Default)]
struct Vec4([u32; 4], usize);

impl Vec4 {
    fn push(&mut self, v: u32) {
        self.0[self.1] = v;
        self.1 += 1;
    }

    fn sort(&mut self) {
        self.0[..self.1].sort_unstable();
    }

    fn as_slice(&self) -> &[u32] {
        &self.0[..self.1]
    }
}

/// Puts vertices where a function, given at the vertices and linear between, crosses a level, and splits
/// the tetrahedra there, keeping both sides. Values nearer to the level than `snap` are taken to be on it
/// (their value becomes the level). Gives the number of tetrahedra that were split.
pub(crate) fn split_at_level(mesh: &mut TetMesh, values: &mut Vec<f64>, level: f64, snap: f64) -> usize {
    values.iter_mut().for_each(|v| {
        if (*v - level).abs() <= snap {
            *v = level;
        }
    });
    let side = |v: f64| match v.total_cmp(&level) {
        _ if v == level => Level::On,
        std::cmp::Ordering::Greater => Level::Above,
        _ => Level::Below,
    };
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for t in &mesh.tets {
        for i in 0..4 {
            for j in 0..i {
                let (a, b) = (t[i].min(t[j]), t[i].max(t[j]));
                let (va, vb) = (values[a as usize], values[b as usize]);
                if (va - level) * (vb - level) < 0.0 {
                    edges.push((a, b));
                }
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    let first = mesh.vertices.len() as u32;
    let outer = boundary_edges(&mesh.tets, &mesh.on_surface);
    for &(a, b) in &edges {
        let (va, vb) = (values[a as usize], values[b as usize]);
        let t = (level - va) / (vb - va);
        let p = mesh.vertices[a as usize] + (mesh.vertices[b as usize] - mesh.vertices[a as usize]) * t;
        mesh.vertices.push(p);
        mesh.on_surface.push(outer.binary_search(&(a, b)).is_ok());
        values.push(level);
    }
    let find =
        |a: u32, b: u32| edges.binary_search(&(a.min(b), a.max(b))).map_or(u32::MAX, |k| first + k as u32);
    let mut out = Vec::with_capacity(mesh.tets.len());
    let mut count = 0;
    for t in &mesh.tets {
        let levels = t.map(|i| side(values[i as usize]));
        let crosses = levels.contains(&Level::Above) && levels.contains(&Level::Below);
        if !crosses {
            out.push(*t);
            continue;
        }
        count += 1;
        let below = levels.map(|l| match l {
            Level::Above => Level::Below,
            Level::Below => Level::Above,
            Level::On => Level::On,
        });
        above(t, levels, &mesh.vertices, find, &mut |t| out.push(t));
        above_matching(t, below, levels, &mesh.vertices, find, &mut out);
    }
    mesh.tets = out;
    count
}

/// The part below, with the same diagonal on the level as the part above.
fn above_matching(
    t: &[u32; 4],
    below: [Level; 4],
    levels: [Level; 4],
    vertices: &[V3],
    cut: impl Fn(u32, u32) -> u32 + Copy,
    out: &mut Vec<[u32; 4]>,
) {
    let two_two = levels.iter().filter(|l| **l == Level::Above).count() == 2
        && levels.iter().filter(|l| **l == Level::Below).count() == 2;
    if !two_two {
        above(t, below, vertices, cut, &mut |t| out.push(t));
        return;
    }
    // Repeat the upper side's choice of the diagonal.
    let mut upper = Vec::with_capacity(3);
    above(t, levels, vertices, cut, &mut |t| upper.push(t));
    let mut up: Vec<u32> = (0..4).filter(|&k| levels[k] == Level::Above).map(|k| t[k]).collect();
    let mut low: Vec<u32> = (0..4).filter(|&k| levels[k] == Level::Below).map(|k| t[k]).collect();
    up.sort_unstable();
    low.sort_unstable();
    let (a, b, c, d) = (up[0], up[1], low[0], low[1]);
    let (ac, ad, bc, bd) = (cut(a, c), cut(a, d), cut(b, c), cut(b, d));
    let diagonal_ac_bd = upper.iter().any(|t| t.contains(&ac) && t.contains(&bd));
    let base = if diagonal_ac_bd { [[ac, bc, bd], [ac, bd, ad]] } else { [[ac, bc, ad], [bc, bd, ad]] };
    let mut put = |mut t: [u32; 4]| {
        if six_volume(&t.map(|i| vertices[i as usize])) < 0.0 {
            t.swap(2, 3);
        }
        out.push(t);
    };
    put([c, d, ad, bd]);
    base.into_iter().for_each(|[x, y, z]| put([c, x, y, z]));
}

/// Edges of outer faces, sorted.
fn boundary_edges(tets: &[[u32; 4]], on_surface: &[bool]) -> Vec<(u32, u32)> {
    let mut faces: Vec<[u32; 3]> = Vec::new();
    for t in tets {
        for f in crate::solid::check::faces(t) {
            if f.iter().all(|&i| on_surface[i as usize]) {
                let mut key = f;
                key.sort_unstable();
                faces.push(key);
            }
        }
    }
    faces.sort_unstable();
    let mut edges = Vec::new();
    for group in faces.chunk_by(|a, b| a == b) {
        if let [[a, b, c]] = group {
            edges.extend([(*a, *b), (*a, *c), (*b, *c)]);
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}
