//! How thin and how far-reaching geoms are, and the motion below which nothing needs to be looked at.

use crate::model::Model;
use crate::state::State;
use crate::step::kinematics::Kinematics;
use nalgebra::Vector3;
use std::ops::Range;
use stiction_geometry::{Geom, Shape, ShapeKind, TriangleMesh};
use stiction_model::{JointKind, Pose};

/// Normals of a surface along which its extent is measured.
const NORMALS: usize = 256;

/// Size of a geom.
#[derive(Clone, Copy)]
pub(super) struct Size {
    /// Least width, m, or a bound on it; infinite for flat surfaces, terrain and half-spaces.
    pub width: f64,
    /// Largest distance of a point that turns with the body from its origin, m.
    pub reach: f64,
    /// A bounded convex solid.
    pub convex: bool,
    pub plane: bool,
    /// Two geoms that both move no further than this within a step are not looked at, m.
    enough: f64,
}

impl Size {
    fn of(geom: &Geom) -> Self {
        let least = |x: &Vector3<f64>| 2.0 * x.min();
        let width = match &geom.shape {
            Shape::HalfSpace => f64::INFINITY,
            Shape::Sphere { radius } | Shape::Capsule { radius, .. } => 2.0 * radius,
            Shape::Box { half_extents } => least(half_extents),
            Shape::Cylinder { radius, half_length } => 2.0 * radius.min(*half_length),
            Shape::Ellipsoid { radii } => least(radii),
            Shape::Convex(hull) => {
                let extent = |n: &Vector3<f64>| (hull.support(n) - hull.support(&-n)).dot(n);
                // The least width is between two faces, a face and a corner, or two edges; the last can be less.
                0.5 * hull.normals().iter().map(extent).fold(f64::INFINITY, f64::min)
            }
            Shape::Mesh(mesh) => surface_width(mesh),
            // Solid below.
            Shape::HeightField(_) => f64::INFINITY,
        };
        let offset = geom.x_bg.translation.vector.norm();
        let reach = match &geom.shape {
            Shape::HalfSpace => 0.0,
            // It looks the same however it turns about its centre.
            Shape::Sphere { .. } => offset,
            shape => {
                let aabb = shape.aabb(&Pose::identity());
                offset + aabb.min.abs().sup(&aabb.max.abs()).norm()
            }
        };
        let kind = geom.shape.kind();
        let (convex, plane) = (kind.is_bounded_convex(), kind == ShapeKind::HalfSpace);
        Self { width, reach, convex, plane, enough: 0.0 }
    }

    /// Whether a geom that moves so far within a step must be looked at.
    pub fn moves_far(&self, travel: f64) -> bool {
        travel > self.enough
    }
}

/// Half of the least extent of a surface along its faces' normals (of many faces, some), a bound on its least width; infinite for a
/// flat one.
fn surface_width(mesh: &TriangleMesh) -> f64 {
    let extent = |n: &Vector3<f64>| {
        let along = mesh.vertices().iter().map(|v| v.dot(n));
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        high - low
    };
    let size = (mesh.aabb().max - mesh.aabb().min).norm();
    let normals = mesh.normals().iter().step_by(mesh.normals().len().div_ceil(NORMALS));
    let least = 0.5 * normals.map(extent).fold(f64::INFINITY, f64::min);
    if least > 1e-9 * size { least } else { f64::INFINITY }
}

/// w of a pair: how deep one must go into the other, twice, to be on its wrong side.
pub(super) fn pair_width(a: &Size, b: &Size) -> f64 {
    match (a.convex, b.convex) {
        (true, true) => a.width + b.width,
        // Beyond a half-space there is no other side, but what is deep inside does not come out before long.
        (true, false) if b.plane => a.width,
        (false, true) if a.plane => b.width,
        // One is convex: the other is a surface, from which what is on its wrong side by twice its width is not pushed back.
        (true, false) => a.width.min(2.0 * b.width),
        (false, true) => b.width.min(2.0 * a.width),
        (false, false) => a.width.min(b.width),
    }
}

/// Sizes of geoms, with the motion above which they are looked at: a pair is, if its relative motion is more than w/4.
pub(super) fn sizes(geoms: &[Geom]) -> Vec<Size> {
    let mut sizes: Vec<Size> = geoms.iter().map(Size::of).collect();
    let least = |convex: bool| {
        let of_kind = sizes.iter().filter(|s| s.convex == convex && !s.plane);
        of_kind.map(|s| s.width).fold(f64::INFINITY, f64::min)
    };
    let (solid, surface) = (least(true), least(false));
    let has_surfaces = sizes.iter().any(|s| !s.convex && !s.plane);
    for size in &mut sizes {
        size.enough = match size {
            Size { plane: true, .. } => 0.0,
            Size { convex: true, width, .. } if !has_surfaces => 0.25 * *width,
            Size { convex: true, width, .. } => 0.125 * width.min(2.0 * surface),
            _ => 0.125 * solid.min(surface),
        };
    }
    sizes
}

/// Bounds on the motion of a tree's geoms.
enum Tree {
    /// A body that floats alone: reach about its origin and [`Size::enough`] of each geom.
    Free(Vec<(f64, f64)>),
    /// For each velocity coordinate, a bound on the speed of the points it moves; the least of what is enough. The
    /// positions that lengthen the tree, those of its slides, with their values at the default positions.
    Jointed { levers: Vec<f64>, enough: f64, slides: Vec<(usize, f64)> },
    /// Without geoms.
    Bare,
}

/// Bounds on the motion of all geoms: a test that costs next to nothing.
pub(super) struct Bounds(Vec<(Range<usize>, Tree)>);

impl Bounds {
    pub fn new(model: &Model, sizes: &[Size]) -> Self {
        let (compiled, multibody) = (model.compiled(), model.multibody());
        let mut kinematics = Kinematics::new(compiled);
        let begin = model.default_state();
        kinematics.positions(compiled, &begin.mocap, &begin.q);
        let x_wb = &kinematics.x_wb;
        let bodies = &compiled.world.bodies;
        // Length of the way from the root of a tree to a body's origin. A joint about a point beside the origin moves it.
        let mut way = vec![0.0; bodies.len()];
        let beside = |body: usize| {
            let anchors = bodies[body].joints.iter().map(|j| j.anchor.norm());
            anchors.fold(0.0, f64::max)
        };
        for body in 0..bodies.len() {
            if let (Some(tree), Some(parent)) = (multibody.body_tree(body), bodies[body].parent)
                && multibody.trees()[tree].root_body != body
            {
                let step = (x_wb[body].translation.vector - x_wb[parent].translation.vector).norm();
                way[body] = way[parent] + step + 2.0 * beside(body);
            }
        }
        let tree = |index: usize| {
            let tree = &multibody.trees()[index];
            let joints = || multibody.joints().iter().filter(|j| tree.v.contains(&j.v.start));
            let all = compiled.geoms.geoms().iter().zip(sizes);
            let geoms = || all.clone().filter(|(g, _)| multibody.body_tree(g.body) == Some(index));
            let enough = geoms().map(|(_, s)| s.enough).fold(f64::INFINITY, f64::min);
            if enough == f64::INFINITY {
                return Tree::Bare;
            }
            if joints().count() == 1 && joints().all(|j| j.kind == JointKind::Free) {
                let origin = x_wb[tree.root_body].translation.vector;
                let reach = |g: &Geom, s: &Size| s.reach + (x_wb[g.body].translation.vector - origin).norm();
                return Tree::Free(geoms().map(|(g, s)| (reach(g, s), s.enough)).collect());
            }
            let mut levers = vec![0.0_f64; tree.v.len()];
            for joint in joints() {
                let from = way[joint.body] - beside(joint.body);
                let moved = geoms().filter(|(g, _)| {
                    multibody.body_dofs(g.body).iter().any(|dofs| dofs.contains(&joint.v.start))
                });
                let lever =
                    moved.map(|(g, s)| way[g.body] - from + s.reach + beside(joint.body)).fold(0.0, f64::max);
                for v in joint.v.clone() {
                    // A slide moves all points alike.
                    levers[v - tree.v.start] = lever.max(1.0);
                }
            }
            let slides = joints().filter(|j| j.kind.translates() && j.kind != JointKind::Free);
            let slides = slides.flat_map(|j| j.q.clone().map(|q| (q, begin.q[q]))).collect();
            Tree::Jointed { levers, enough, slides }
        };
        let trees = multibody.trees();
        Self((0..trees.len()).map(|k| (trees[k].v.clone(), tree(k))).collect())
    }

    /// Whether some geom may move so far within `dt` that its pairs must be looked at.
    pub fn exceeded(&self, state: &State, v: &[f64], dt: f64) -> bool {
        let moves = self.0.iter().any(|(range, tree)| {
            let v = &v[range.clone()];
            match tree {
                Tree::Bare => false,
                Tree::Free(geoms) => {
                    let (linear, angular) = (norm(&v[..3]), norm(&v[3..6]));
                    geoms.iter().any(|(reach, enough)| dt * (linear + angular * reach) > *enough)
                }
                Tree::Jointed { levers, enough, slides } => {
                    let slid: f64 = slides.iter().map(|&(q, from)| (state.q[q] - from).abs()).sum();
                    let speed: f64 = v.iter().zip(levers).map(|(v, lever)| v.abs() * (lever + slid)).sum();
                    dt * speed > *enough
                }
            }
        });
        moves || state.mocap.iter().any(|m| m.twist.iter().any(|x| *x != 0.0))
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}
