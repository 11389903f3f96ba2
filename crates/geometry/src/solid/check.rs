//! Checks and repairs of tetrahedra from outside.

use super::SolidError;
use crate::V3;

/// Faults found and repaired in a tetrahedral mesh from a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SolidReport {
    /// Tetrahedra that were inside out and have been turned.
    pub flipped: usize,
    /// Surface vertices whose extent is not zero: contact starts with a jump of pressure there.
    pub surface_nonzero: usize,
    /// Largest extent on the surface.
    pub surface_extent: f64,
    /// Pieces that share no face with each other.
    pub components: usize,
    /// Vertices no tetrahedron uses.
    pub unused_vertices: usize,
    /// Tetrahedra with extent 0 at all corners, which carry no pressure.
    pub empty_tets: usize,
}

impl SolidReport {
    /// Whether nothing needs saying.
    pub fn is_clean(&self) -> bool {
        self.flipped == 0
            && self.surface_nonzero == 0
            && self.components == 1
            && self.unused_vertices == 0
            && self.empty_tets == 0
    }

    /// One sentence for each finding, with its effect.
    pub fn notes(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.flipped > 0 {
            out.push(format!("{} tetrahedra were inside out; their corners were reordered", self.flipped));
        }
        if self.surface_nonzero > 0 {
            out.push(format!(
                "{} surface vertices have extents up to {}, not 0: pressure jumps where contact begins there",
                self.surface_nonzero, self.surface_extent
            ));
        }
        if self.components > 1 {
            out.push(format!("the mesh has {} separate pieces", self.components));
        }
        if self.unused_vertices > 0 {
            out.push(format!("{} vertices belong to no tetrahedron and are ignored", self.unused_vertices));
        }
        if self.empty_tets > 0 {
            out.push(format!(
                "{} tetrahedra have all corners on the surface and carry no pressure; \
                 split their inner edges to make contact there push back",
                self.empty_tets
            ));
        }
        out
    }
}

/// Six times the signed volume.
pub(crate) fn six_volume(v: &[V3; 4]) -> f64 {
    (v[1] - v[0]).dot(&(v[2] - v[0]).cross(&(v[3] - v[0])))
}

/// Faces of a positively oriented tetrahedron, counter-clockwise seen from outside.
pub(crate) fn faces(t: &[u32; 4]) -> [[u32; 3]; 4] {
    let [a, b, c, d] = *t;
    [[b, c, d], [a, d, c], [a, b, d], [a, c, b]]
}

/// A mesh that passed, its outer triangles, and what there is to say about it.
pub(crate) struct Checked {
    pub(crate) tets: Vec<[u32; 4]>,
    pub(crate) surface: Vec<[u32; 3]>,
    pub(crate) report: SolidReport,
}

pub(crate) fn check(
    vertices: &[V3],
    mut tets: Vec<[u32; 4]>,
    extents: &[f64],
) -> Result<Checked, SolidError> {
    if vertices.len() != extents.len() {
        return Err(SolidError::Length { vertices: vertices.len(), values: extents.len() });
    }
    if tets.is_empty() {
        return Err(SolidError::Empty);
    }
    if let Some(vertex) = vertices.iter().position(|v| !v.iter().all(|c| c.is_finite())) {
        return Err(SolidError::NotFinite { what: "position", vertex });
    }
    for (vertex, &value) in extents.iter().enumerate() {
        if !value.is_finite() {
            return Err(SolidError::NotFinite { what: "extent", vertex });
        }
        if !(0.0..=1.0 + 1e-12).contains(&value) {
            return Err(SolidError::Extent { vertex, value });
        }
    }
    let mut report = SolidReport::default();
    let count = vertices.len();
    let mut used = vec![false; count];
    for (tet, t) in tets.iter_mut().enumerate() {
        let repeated = (0..4).any(|i| (0..i).any(|j| t[i] == t[j]));
        if repeated || t.iter().any(|&v| v as usize >= count) {
            return Err(SolidError::BadIndex { tet, corners: *t, count });
        }
        let v = t.map(|i| vertices[i as usize]);
        let six = six_volume(&v);
        let longest = (0..4).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| (v[i] - v[j]).norm());
        let longest = longest.fold(0.0, f64::max);
        if six.abs() <= 1e-12 * longest.powi(3) {
            return Err(SolidError::Flat { tet, volume: six / 6.0 });
        }
        if six < 0.0 {
            t.swap(2, 3);
            report.flipped += 1;
        }
        t.iter().for_each(|&i| used[i as usize] = true);
    }
    report.unused_vertices = used.iter().filter(|u| !**u).count();
    report.empty_tets = tets.iter().filter(|t| t.iter().all(|&i| extents[i as usize] == 0.0)).count();
    if report.empty_tets == tets.len() {
        return Err(SolidError::NoField);
    }
    let (surface, components) = adjacency(&tets)?;
    report.components = components;
    let mut outer: Vec<u32> = surface.iter().flatten().copied().collect();
    outer.sort_unstable();
    outer.dedup();
    for &i in &outer {
        if extents[i as usize] > 0.0 {
            report.surface_nonzero += 1;
            report.surface_extent = report.surface_extent.max(extents[i as usize]);
        }
    }
    Ok(Checked { tets, surface, report })
}

/// Outer faces in the order of their tetrahedra, and the number of pieces.
fn adjacency(tets: &[[u32; 4]]) -> Result<(Vec<[u32; 3]>, usize), SolidError> {
    let mut all: Vec<([u32; 3], u32, [u32; 3])> = Vec::with_capacity(4 * tets.len());
    for (k, t) in tets.iter().enumerate() {
        for f in faces(t) {
            let mut key = f;
            key.sort_unstable();
            all.push((key, k as u32, f));
        }
    }
    all.sort_unstable();
    let mut surface: Vec<(u32, [u32; 3])> = Vec::new();
    let mut root: Vec<u32> = (0..tets.len() as u32).collect();
    fn find(root: &mut [u32], mut i: u32) -> u32 {
        while root[i as usize] != i {
            root[i as usize] = root[root[i as usize] as usize];
            i = root[i as usize];
        }
        i
    }
    let odd = |f: &[u32; 3]| (f[0] > f[1]) ^ (f[1] > f[2]) ^ (f[0] > f[2]);
    for group in all.chunk_by(|x, y| x.0 == y.0) {
        match group {
            [one] => surface.push((one.1, one.2)),
            [a, b] if odd(&a.2) != odd(&b.2) => {
                let (ra, rb) = (find(&mut root, a.1), find(&mut root, b.1));
                root[ra.max(rb) as usize] = ra.min(rb);
            }
            _ => return Err(SolidError::Overlap { tet: group[0].1 as usize, face: group[0].0 }),
        }
    }
    surface.sort_unstable();
    let components = (0..tets.len() as u32).filter(|&i| root[i as usize] == i).count();
    Ok((surface.into_iter().map(|s| s.1).collect(), components))
}
