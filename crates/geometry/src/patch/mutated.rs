//! Deliberate errors of patches, to see which checks notice them ([`stiction_base::mutation`]): none in a release.

use super::faces::PatchFaces;
use super::sink::Sums;
use nalgebra::{UnitQuaternion, Vector3};
use stiction_base::mutation::is;

/// Changes the faces of a patch, from `first` on, and its sums by the error that was chosen, if any.
pub(super) fn mutate(out: &mut PatchFaces, first: usize, sums: &mut Sums) {
    if !stiction_base::mutation::possible() || out.faces.len() == first {
        return;
    }
    let begin = out.vertex_range(first).start;
    let (faces, corners) = (&mut out.faces[first..], &mut out.vertex_pressure[begin..]);
    let scale = |sums: &mut Sums, factor: f64| {
        sums.force *= factor;
        sums.moment *= factor;
        sums.pressure *= factor;
        sums.pressure_moment *= factor;
    };
    if is("pressure-double") {
        faces.iter_mut().for_each(|f| {
            f.pressure *= 2.0;
            f.gradient *= 2.0;
        });
        corners.iter_mut().for_each(|p| *p *= 2.0);
        scale(sums, 2.0);
        sums.peak *= 2.0;
    }
    if is("area-half") {
        faces.iter_mut().for_each(|f| f.area *= 0.5);
        scale(sums, 0.5);
        sums.area *= 0.5;
        sums.first_moment *= 0.5;
    }
    let area: f64 = faces.iter().map(|f| f.area).sum();
    if is("area-forgotten") && area > 0.0 {
        let ratio = 1e-4 / area;
        faces.iter_mut().for_each(|f| {
            f.area *= ratio;
            f.pressure /= ratio;
            f.gradient /= ratio;
        });
        sums.area *= ratio;
        sums.first_moment *= ratio;
    }
    let middle = faces.iter().map(|f| f.centroid).sum::<Vector3<f64>>() / faces.len() as f64;
    if is("patch-squeezed") {
        let spread = |k: usize| faces.iter().map(|f| (f.centroid[k] - middle[k]).abs()).sum::<f64>();
        let longest = (0..3).fold(0, |best, k| if spread(k) > spread(best) { k } else { best });
        faces.iter_mut().for_each(|f| f.centroid[longest] -= 0.67 * (f.centroid[longest] - middle[longest]));
    }
    if is("pressure-by-place") {
        let factor = (1.0 + 10.0 * middle.x).max(0.0);
        faces.iter_mut().for_each(|f| f.pressure *= factor);
        corners.iter_mut().for_each(|p| *p *= factor);
        scale(sums, factor);
    }
    if is("pressure-flat") {
        let force: f64 = faces.iter().map(|f| f.force()).sum();
        faces.iter_mut().for_each(|f| f.pressure = force / area);
        corners.fill(force / area);
        // The whole force at the middle of the area.
        if sums.area > 0.0 {
            sums.pressure_moment = sums.first_moment * (sums.pressure / sums.area);
            sums.moment = (sums.first_moment / sums.area).cross(&sums.force);
        }
    }
    if is("pressure-tilted") {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.1);
        faces.iter_mut().for_each(|f| f.normal = turn * f.normal);
        sums.force = turn * sums.force;
    }
    if is("patch-coarse") {
        let largest = faces.iter().map(|f| f.area).fold(0.0, f64::max);
        for face in faces.iter_mut().filter(|f| f.area < largest) {
            // Not quite zero, which no face has.
            face.area *= 1e-9;
        }
    }
}
