//! Contact patches of pairs of shapes: reads one pair a line, writes one patch a line.
//!
//! `patches-of-pairs [ROUNDS] [all|drake] < PAIRS`
//!
//! A line has two bodies, one after the other, each as
//!
//! ```text
//! SHAPE SIZES… MODULUS THICKNESS HINT FIT x y z qw qx qy qz
//! ```
//!
//! with SHAPE and sizes in metres one of `sphere r`, `box hx hy hz`, `cylinder r half_length`,
//! `capsule r half_length`, `ellipsoid a b c`, `halfspace` (z <= 0); MODULUS in Pa or `inf` for a rigid body;
//! THICKNESS of a compliant half-space; HINT the edge length of curved meshes; FIT `equal` (volume) or
//! `inscribed`; then the pose in the world. The answer has, for the frictionless patch,
//!
//! ```text
//! area fx fy fz cx cy cz faces element_tests elements_a elements_b peak_extent microseconds
//! ```
//!
//! the force being the one on the second body, c the centroid, and the time the best of ROUNDS. With `drake`
//! only faces count that Drake keeps: those whose normal is less than 112.5° from each field's gradient.

use std::error::Error;
use std::io::BufRead;
use std::sync::Arc;
use std::time::Instant;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use stiction_geometry::Shape;
use stiction_geometry::patch::{
    ContactSolid, FaceFilter, PatchFace, PatchFaces, PatchOptions, PatchScratch, contact_patch,
};
use stiction_geometry::solid::{Fit, MeshOptions, RigidMesh, Solid};

struct Body {
    solid: ContactSolid,
    elements: usize,
    x_wb: Isometry3<f64>,
}

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let rounds = std::env::args().nth(1).map_or(Ok(1), |text| text.parse::<usize>())?;
    let as_drake = match std::env::args().nth(2).as_deref() {
        None | Some("all") => false,
        Some("drake") => true,
        Some(other) => return Err(format!("faces are `all` or `drake`, not `{other}`").into()),
    };
    let options = PatchOptions { filter: FaceFilter::All, ..PatchOptions::default() };
    let (mut scratch, mut faces) = (PatchScratch::default(), PatchFaces::default());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let (a, b) = (body(&mut words)?, body(&mut words)?);
        let mut best = f64::INFINITY;
        let mut answer = None;
        let before = scratch.element_tests();
        for _ in 0..rounds.max(1) {
            faces.clear();
            let start = Instant::now();
            let patch =
                contact_patch(&a.solid, &a.x_wb, &b.solid, &b.x_wb, &options, &mut scratch, &mut faces)?;
            best = best.min(start.elapsed().as_secs_f64());
            answer = Some(patch);
        }
        let patch = answer.expect("there is at least one round");
        if as_drake {
            faces.faces.retain(|face| drake_keeps(face, &a, &b));
        }
        let (mut area, mut f, mut c) = (0.0, Vector3::zeros(), Vector3::zeros());
        for face in &faces.faces {
            area += face.area;
            f += face.force() * face.normal;
            c += face.area * face.centroid;
        }
        c /= if area > 0.0 { area } else { 1.0 };
        let tests = (scratch.element_tests() - before) / rounds.max(1) as u64;
        println!(
            "{:e} {:e} {:e} {:e} {:e} {:e} {:e} {} {} {} {} {:e} {:.3}",
            area,
            f.x,
            f.y,
            f.z,
            c.x,
            c.y,
            c.z,
            faces.faces.len(),
            tests,
            a.elements,
            b.elements,
            patch.peak_extent,
            1e6 * best
        );
    }
    Ok(())
}

/// Whether the normal is along each compliant side's gradient by Drake's measure.
fn drake_keeps(face: &PatchFace, a: &Body, b: &Body) -> bool {
    let least = (5.0 * std::f64::consts::PI / 8.0).cos();
    // The normal is out of A, into B; pressure rises inwards.
    let along = |body: &Body, element: u32, inward: Vector3<f64>| match &body.solid {
        ContactSolid::Compliant(solid) => {
            let (gradient, _) = solid.field(element as usize);
            (body.x_wb.rotation * gradient).normalize().dot(&inward) > least
        }
        ContactSolid::CompliantHalfSpace { .. } => (body.x_wb.rotation * -Vector3::z()).dot(&inward) > least,
        _ => true,
    };
    along(a, face.element_a, -face.normal) && along(b, face.element_b, face.normal)
}

fn body<'a>(words: &mut impl Iterator<Item = &'a str>) -> Outcome<Body> {
    let kind = words.next().ok_or("a line ends before its second body")?;
    let shape = match kind {
        "sphere" => Shape::sphere(number(words)?)?,
        "box" => Shape::cuboid(vector(words)?)?,
        "cylinder" => Shape::cylinder(number(words)?, number(words)?)?,
        "capsule" => Shape::capsule(number(words)?, number(words)?)?,
        "ellipsoid" => Shape::ellipsoid(vector(words)?)?,
        "halfspace" => Shape::HalfSpace,
        other => return Err(format!("no shape is called `{other}`").into()),
    };
    let (modulus, thickness, hint) = (number(words)?, number(words)?, number(words)?);
    let fit = match words.next() {
        Some("equal") => Fit::EqualVolume,
        Some("inscribed") => Fit::Inscribed,
        other => return Err(format!("a fit is `equal` or `inscribed`, not {other:?}").into()),
    };
    let position = Translation3::from(vector(words)?);
    let (w, v) = (number(words)?, vector(words)?);
    let rotation = UnitQuaternion::from_quaternion(Quaternion::from_parts(w, v));
    let x_wb = Isometry3::from_parts(position, rotation);

    let mesh = MeshOptions { fit, ..MeshOptions::with_hint(hint) };
    let (solid, elements) = match (shape, modulus.is_finite()) {
        (Shape::HalfSpace, true) => (ContactSolid::compliant_half_space(modulus, thickness)?, 0),
        (Shape::HalfSpace, false) => (ContactSolid::RigidHalfSpace, 0),
        (shape, true) => {
            let solid = Solid::from_shape(&shape, modulus, &mesh)?;
            let elements = solid.tets().len();
            (ContactSolid::Compliant(Arc::new(solid)), elements)
        }
        (shape, false) => {
            let surface = RigidMesh::from_shape(&shape, &mesh)?;
            let elements = surface.triangles().len();
            (ContactSolid::Rigid(Arc::new(surface)), elements)
        }
    };
    Ok(Body { solid, elements, x_wb })
}

fn number<'a>(words: &mut impl Iterator<Item = &'a str>) -> Outcome<f64> {
    let word = words.next().ok_or("a line ends in the middle of a body")?;
    word.parse().map_err(|_| format!("`{word}` is not a number").into())
}

fn vector<'a>(words: &mut impl Iterator<Item = &'a str>) -> Outcome<Vector3<f64>> {
    Ok(Vector3::new(number(words)?, number(words)?, number(words)?))
}
