//! Adhesion: a force that pulls a body towards the bodies that it touches.

use crate::contact::query::Touching;
use crate::model::Compiled;
use crate::model::geom_id::{GeomPair, geoms_of};
use nalgebra::{Vector3, Vector6};
use stiction_multibody::Workspace;

/// Adds the joint forces of adhesion, `pull` newtons in total, divided evenly among the contact points and patches
/// of a body.
pub(super) fn adhere(
    compiled: &Compiled,
    workspace: &Workspace,
    touching: Touching,
    body: usize,
    pull: f64,
    force: &mut [f64],
) {
    let body_of = |geom| compiled.geom(geom).body;
    let touches = |(a, b): GeomPair| body_of(a) == body || body_of(b) == body;
    let points = || touching.points.iter().filter(|p| touches(geoms_of(p)));
    let patches = || {
        let found = touching.patches.patches.iter();
        found.filter(|p| touches(p.geoms) && !p.patch.faces.is_empty())
    };
    let share = pull / (points().count() + patches().count()).max(1) as f64;
    let mut add = |(a, b): GeomPair, point: &Vector3<f64>, normal: &Vector3<f64>, share: f64| {
        for (body, sign) in [(body_of(a), share), (body_of(b), -share)] {
            let f = sign * normal;
            let wrench = Vector6::new(0.0, 0.0, 0.0, f.x, f.y, f.z);
            compiled.multibody.add_wrench(workspace, body, point, &wrench, force);
        }
    };
    for p in points() {
        add(geoms_of(p), &(0.5 * (p.p_wa + p.p_wb)), &p.normal_w, share);
    }
    for found in patches() {
        let faces = &touching.patches.faces.faces[found.patch.faces.clone()];
        let area = faces.iter().map(|f| f.area).sum::<f64>();
        for face in faces {
            add(found.geoms, &face.centroid, &face.normal, share * face.area / area);
        }
    }
}
