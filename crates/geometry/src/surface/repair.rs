//! From triangles as they come to a surface that bounds something.
//!
//! Safe repairs are made and counted: welding, leaving out faces without meaning, turning faces, closing
//! small holes. What cannot be repaired without guessing is an error.

use super::topology::{Side, orient, rims, shells, sides, signed_volume};
use super::tree::SurfaceTree;
use super::triangle::{solid_angle, triangles_cross};
use super::{SurfaceError, SurfaceReport};
use crate::{Aabb, V3};
use std::collections::HashMap;

/// Holes whose fan is larger than this part of the whole area are not closed.
const LARGEST_HOLE: f64 = 0.02;
/// Vertices nearer than this part of the diagonal are one, if the surface is open without that.
const WELD: f64 = 1e-6;

type Mesh = (Vec<V3>, Vec<[u32; 3]>, SurfaceReport);

pub(super) fn repair(vertices: &[V3], faces: &[[u32; 3]]) -> Result<Mesh, SurfaceError> {
    if let Some(vertex) = vertices.iter().position(|v| !v.iter().all(|x| x.is_finite())) {
        return Err(SurfaceError::NotFinite { vertex });
    }
    let count = vertices.len();
    for (face, f) in faces.iter().enumerate() {
        if let Some(&vertex) = f.iter().find(|&&v| v as usize >= count) {
            return Err(SurfaceError::BadIndex { face, vertex, count });
        }
    }
    let mut report = SurfaceReport::default();
    let (mut vertices, mut faces) = weld_equal(vertices, faces, &mut report);
    drop_meaningless(&mut faces, &mut report);
    let mut all = sides(&faces);
    if open_edges(&all) > 0 {
        weld_near(&mut vertices, &mut faces, &mut report);
        drop_meaningless(&mut faces, &mut report);
        all = sides(&faces);
    }
    if faces.is_empty() {
        return Err(SurfaceError::Empty { what: "no faces" });
    }
    report.flipped_faces = orient(&mut faces, &all)
        .map_err(|f| SurfaceError::NotOrientable { at: vertices[faces[f as usize][0] as usize].into() })?;
    fill_holes(&mut vertices, &mut faces, &mut report)?;
    let all = sides(&faces);
    report.nonmanifold_edges = all.chunk_by(|a, b| a.ends == b.ends).filter(|g| g.len() > 2).count();
    orient_shells(&vertices, &mut faces, &all, &mut report)?;
    find_intersections(&vertices, &faces, &mut report);
    Ok((vertices, faces, report))
}

fn open_edges(all: &[Side]) -> usize {
    all.chunk_by(|a, b| a.ends == b.ends).filter(|g| g.len() == 1).count()
}

/// Welds vertices at the same place and leaves out those no face uses.
fn weld_equal(vertices: &[V3], faces: &[[u32; 3]], report: &mut SurfaceReport) -> (Vec<V3>, Vec<[u32; 3]>) {
    let mut number: HashMap<[u64; 3], u32> = HashMap::with_capacity(vertices.len());
    let mut kept = Vec::new();
    let mut used = vec![false; vertices.len()];
    let faces = faces
        .iter()
        .map(|f| {
            f.map(|i| {
                used[i as usize] = true;
                let v = vertices[i as usize];
                // Adding zero makes -0 equal 0.
                let key = [v.x, v.y, v.z].map(|x| (x + 0.0).to_bits());
                *number.entry(key).or_insert_with(|| {
                    kept.push(v);
                    kept.len() as u32 - 1
                })
            })
        })
        .collect();
    report.welded_vertices += used.iter().filter(|u| **u).count() - kept.len();
    (kept, faces)
}

/// Welds vertices that nearly coincide, to the one with the lowest number.
fn weld_near(vertices: &mut [V3], faces: &mut [[u32; 3]], report: &mut SurfaceReport) {
    let near = WELD * 2.0 * Aabb::of_points(vertices.iter()).half().norm();
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order
        .sort_unstable_by(|&i, &j| vertices[i as usize].x.total_cmp(&vertices[j as usize].x).then(i.cmp(&j)));
    let mut to: Vec<u32> = (0..vertices.len() as u32).collect();
    for (k, &i) in order.iter().enumerate() {
        let p = vertices[i as usize];
        for &j in order[k + 1..].iter().take_while(|&&j| vertices[j as usize].x - p.x <= near) {
            if (vertices[j as usize] - p).norm() <= near {
                let (a, b) = (to[i as usize].min(to[j as usize]), i.max(j));
                to[b as usize] = to[b as usize].min(a);
            }
        }
    }
    for i in 0..to.len() {
        to[i] = to[to[i] as usize];
    }
    report.welded_vertices += to.iter().enumerate().filter(|(i, t)| *i != **t as usize).count();
    faces.iter_mut().for_each(|f| *f = f.map(|i| to[i as usize]));
}

/// Leaves out faces with a corner twice, and faces given twice; two back to back leave together.
fn drop_meaningless(faces: &mut Vec<[u32; 3]>, report: &mut SurfaceReport) {
    let before = faces.len();
    faces.retain(|f| f[0] != f[1] && f[1] != f[2] && f[2] != f[0]);
    report.collapsed_faces += before - faces.len();
    let mut keys: Vec<([u32; 3], bool, u32)> = faces
        .iter()
        .enumerate()
        .map(|(k, f)| {
            let mut key = *f;
            key.sort_unstable();
            let odd = (f[0] > f[1]) ^ (f[1] > f[2]) ^ (f[0] > f[2]);
            (key, odd, k as u32)
        })
        .collect();
    keys.sort_unstable();
    let mut keep = vec![true; faces.len()];
    for group in keys.chunk_by(|a, b| a.0 == b.0).filter(|g| g.len() > 1) {
        group.iter().for_each(|g| keep[g.2 as usize] = false);
        // One stays if none looks the other way.
        if group.iter().all(|g| g.1 == group[0].1) {
            keep[group[0].2 as usize] = true;
        }
    }
    let before = faces.len();
    let mut index = 0;
    faces.retain(|_| {
        index += 1;
        keep[index - 1]
    });
    report.duplicate_faces += before - faces.len();
}

/// Closes small holes by fans to the middle of their rims; larger ones are an error.
fn fill_holes(
    vertices: &mut Vec<V3>,
    faces: &mut Vec<[u32; 3]>,
    report: &mut SurfaceReport,
) -> Result<(), SurfaceError> {
    let holes = rims(&sides(faces));
    if holes.is_empty() {
        return Ok(());
    }
    let area_of = |t: [V3; 3]| (t[1] - t[0]).cross(&(t[2] - t[0])).norm() / 2.0;
    let total: f64 = faces.iter().map(|f| area_of(f.map(|i| vertices[i as usize]))).sum();
    let (mut large, mut longest, mut at) = (0, 0.0, [0.0; 3]);
    for rim in &holes {
        let points: Vec<V3> = rim.iter().map(|&i| vertices[i as usize]).collect();
        let middle = points.iter().sum::<V3>() / points.len() as f64;
        let next = |k: usize| points[(k + 1) % points.len()];
        let fan: f64 = (0..points.len()).map(|k| area_of([middle, points[k], next(k)])).sum();
        let length: f64 = (0..points.len()).map(|k| (next(k) - points[k]).norm()).sum();
        if fan > LARGEST_HOLE * total {
            large += 1;
            if length > longest {
                (longest, at) = (length, points[0].into());
            }
            continue;
        }
        report.filled_holes += 1;
        if rim.len() < 3 {
            continue; // a seam of T-junctions without area
        }
        if let [a, b, c] = rim[..] {
            faces.push([a, b, c]);
            continue;
        }
        vertices.push(middle);
        let center = vertices.len() as u32 - 1;
        faces.extend((0..rim.len()).map(|k| [center, rim[k], rim[(k + 1) % rim.len()]]));
    }
    if large > 0 {
        return Err(SurfaceError::Open { holes: large, rim: longest, at });
    }
    Ok(())
}

/// Turns outer shells that are inside out, and what lies in them along with them.
fn orient_shells(
    vertices: &[V3],
    faces: &mut [[u32; 3]],
    all: &[Side],
    report: &mut SurfaceReport,
) -> Result<(), SurfaceError> {
    let (shell, count) = shells(faces, all);
    let mut lists = vec![Vec::new(); count];
    for (f, &s) in shell.iter().enumerate() {
        lists[s as usize].push(f as u32);
    }
    let of = |list: &[u32], faces: &[[u32; 3]]| list.iter().map(|&f| faces[f as usize]).collect::<Vec<_>>();
    let volume: Vec<f64> = lists.iter().map(|l| signed_volume(vertices, &of(l, faces))).collect();
    let size = 2.0 * Aabb::of_points(vertices.iter()).half().norm();
    if volume.iter().all(|v| v.abs() <= 1e-12 * size.powi(3)) {
        return Err(SurfaceError::Empty { what: "its faces are flat or cancel" });
    }
    report.shells = count;
    // Which shells hold which: the winding number of a shell at a face of another. Many shells are not compared.
    let boxes: Vec<Aabb> = lists
        .iter()
        .map(|l| {
            let points: Vec<V3> = of(l, faces).iter().flatten().map(|&i| vertices[i as usize]).collect();
            Aabb::of_points(&points)
        })
        .collect();
    let holds = |outer: usize, inner: usize, faces: &[[u32; 3]]| {
        if outer == inner || !boxes[outer].overlaps(&boxes[inner]) {
            return false;
        }
        let corners = |f: u32| faces[f as usize].map(|i| vertices[i as usize]);
        // A shell that only overlaps has samples on both sides.
        lists[inner].iter().step_by(lists[inner].len().div_ceil(16)).all(|&f| {
            let p = corners(f).iter().sum::<V3>() / 3.0;
            let angle: f64 = lists[outer].iter().map(|&f| solid_angle(&p, &corners(f))).sum();
            angle.abs() > std::f64::consts::TAU
        })
    };
    let outer_of: Vec<Vec<usize>> =
        (0..count).map(|i| (0..count).filter(|&o| holds(o, i, faces)).collect()).collect();
    let outermost = |i: usize| outer_of[i].iter().copied().find(|&o| outer_of[o].is_empty()).unwrap_or(i);
    for i in 0..count {
        let root = outermost(i);
        let turn = volume[root] < 0.0;
        if turn {
            lists[i].iter().for_each(|&f| faces[f as usize].swap(1, 2));
            report.inverted_shells += usize::from(root == i);
        }
        if root != i {
            let outward = (volume[i] > 0.0) != turn;
            // At even depth an outward shell is a body within a hollow.
            match (outward, outer_of[i].len() % 2) {
                (false, _) => report.cavities += 1,
                (true, 1) => report.filled_shells += 1,
                _ => {}
            }
        }
    }
    Ok(())
}

/// Counts pairs of faces that cross, faces with a common corner excepted.
fn find_intersections(vertices: &[V3], faces: &[[u32; 3]], report: &mut SurfaceReport) {
    let tree = SurfaceTree::new(vertices, faces);
    for (f, own) in faces.iter().enumerate() {
        let corners = own.map(|i| vertices[i as usize]);
        let bounds = Aabb::of_points(&corners);
        tree.walk(
            |b| b.overlaps(&bounds),
            |other, c| {
                let apart = || faces[other as usize].iter().all(|i| !own.contains(i));
                if other as usize > f && apart() && triangles_cross(&corners, c) {
                    report.self_intersections += 1;
                    report.intersection_at.get_or_insert_with(|| corners[0].into());
                }
            },
        );
    }
}
