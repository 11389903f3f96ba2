//! PFC Fig. 4.11 and 4.13: a rigid sphere and a rigid cylinder pressed into an elastic layer.
//!
//! The layer of thickness H is a pressure field p = M h/H with the modulus of uniaxial strain,
//! M = E(1 − ν)/((1 + ν)(1 − 2ν)), as tetrahedra; the indenters are triangles. With D the diameter of the contact
//! surface,
//!
//! ```text
//!     sphere     h = D²/(8R) ≪ H        F = π M R h²/H
//!     cylinder   D = 2R                 F = π R² M h/H
//! ```
//!
//! They are held against axisymmetric finite elements with unilateral contact, computed by
//! `validation/elastic_layer/fem.py` (scikit-fem) and kept as tables beside it.

use crate::Reproduction;
use crate::failure::Failure;
use crate::report::{Check, Outcome, Study, Table};
use nalgebra::Isometry3;
use std::f64::consts::PI;
use std::sync::Arc;
use stiction_geometry::field::{halfspace, modulus};
use stiction_geometry::patch::{
    ContactSolid, FaceFilter, PatchFaces, PatchOptions, PatchScratch, Tessellation, contact_patch,
};
use stiction_geometry::solid::RigidMesh;
use stiction_geometry::surface::shapes::revolve;
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape as Glyph, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "elastic-layer",
    summary: "A sphere and a cylinder on an elastic layer, against finite elements (PFC Fig. 4.11, 4.13)",
    claim: "PFC section 4.5: on a layer of thickness H (ν = 0.3, glued to a rigid base) the force of a pressure field with \
            the modulus of uniaxial strain approaches that of finite elements as the layer gets thin beside the diameter D of \
            the contact; at H = D it is at least 70 % of it for a sphere and 60 % for the flat end of a cylinder, and the \
            sphere is always the better one. At H/D = 1/4 the contact surface of the sphere is slightly larger than that of \
            finite elements, and the cylinder lacks the peak of pressure along its edge. A point contact has no surface at all.",
    run,
};

const FORCES: &str = include_str!("../../../validation/elastic_layer/forces.csv");
const PRESSURES: &str = include_str!("../../../validation/elastic_layer/pressures.csv");
/// Of the dissertation: the sphere's radius for a layer of thickness 1, the cylinder's depth over the thickness.
const SPHERE_RADIUS: f64 = 1600.0;
const CYLINDER_DEPTH: f64 = 0.01;

#[derive(Clone, Copy, PartialEq)]
enum Indenter {
    Sphere,
    Cylinder,
}

/// A row of the finite elements.
struct Reference {
    indenter: Indenter,
    ratio: f64,
    force: f64,
    contact_radius: f64,
}

fn indenter(name: &str) -> Result<Indenter, Failure> {
    match name {
        "sphere" => Ok(Indenter::Sphere),
        "cylinder" => Ok(Indenter::Cylinder),
        other => Err(Failure::work(format!("the tables of finite elements have an indenter \"{other}\""))),
    }
}

fn rows(text: &str) -> impl Iterator<Item = Result<(Indenter, Vec<f64>), Failure>> + '_ {
    text.lines().skip(1).map(|line| {
        let mut cells = line.split(',');
        let which = indenter(cells.next().unwrap_or(""))?;
        let numbers: Result<Vec<f64>, _> = cells.map(str::parse).collect();
        Ok((which, numbers.map_err(|e| Failure::work(format!("\"{line}\": {e}")))?))
    })
}

/// What the field gives.
struct Pressed {
    force: f64,
    /// Radius of a disc of the patch's area, over D/2.
    radius: f64,
    /// (r over D/2, p over M h/H).
    profile: Vec<[f64; 2]>,
}

/// Presses an indenter into a layer of tetrahedra; E = 1, lengths as in the dissertation.
fn press(which: Indenter, ratio: f64, rings: usize) -> Result<Pressed, Failure> {
    let m = modulus::layer(1.0, 0.3);
    let (thickness, depth, half) = match which {
        Indenter::Sphere => (1.0, 1.0 / (8.0 * SPHERE_RADIUS * ratio * ratio), 0.5 / ratio),
        Indenter::Cylinder => (2.0 * ratio, CYLINDER_DEPTH * 2.0 * ratio, 1.0),
    };
    let layer = halfspace::slab(4.0 * half, thickness, |h| m * h / thickness, 1e-3).map_err(Failure::work)?;
    let profile: Vec<(f64, f64)> = match which {
        // The paraboloid of Hertz, which the finite elements have as well.
        Indenter::Sphere => {
            let wide = 1.05 * half;
            let ring = |k: usize| wide * k as f64 / rings as f64;
            let mut profile: Vec<(f64, f64)> =
                (0..=rings).map(|k| (ring(k), ring(k).powi(2) / (2.0 * SPHERE_RADIUS))).collect();
            profile.push((0.0, wide));
            profile
        }
        Indenter::Cylinder => {
            let mut profile: Vec<(f64, f64)> =
                (0..=rings).map(|k| (half * k as f64 / rings as f64, 0.0)).collect();
            profile.extend([(half, half), (0.0, half)]);
            profile
        }
    };
    let (vertices, faces) = revolve(&profile, 4 * rings, false);
    let body = RigidMesh::from_triangles(vertices, faces).map_err(Failure::work)?;
    let options = PatchOptions {
        tessellation: Tessellation::Polygons,
        filter: FaceFilter::All,
        ..PatchOptions::default()
    };
    let mut out = PatchFaces::default();
    let patch = contact_patch(
        &ContactSolid::Compliant(Arc::new(layer)),
        &Isometry3::identity(),
        &ContactSolid::Rigid(Arc::new(body)),
        &Isometry3::translation(0.0, 0.0, -depth),
        &options,
        &mut PatchScratch::default(),
        &mut out,
    )
    .map_err(Failure::work)?;
    // Faces under the indenter, by radius, averaged in bins.
    let mut bins = vec![[0.0; 3]; 40];
    for face in &out.faces[patch.faces.clone()] {
        let r = face.centroid.xy().norm() / half;
        let bin = &mut bins[((r * 40.0) as usize).min(39)];
        if face.normal.z.abs() > 0.5 {
            *bin = [bin[0] + face.area * r, bin[1] + face.area * face.pressure, bin[2] + face.area];
        }
    }
    let unit = m * depth / thickness;
    let profile = bins.iter().filter(|b| b[2] > 0.0).map(|b| [b[0] / b[2], b[1] / b[2] / unit]).collect();
    let under = out.faces[patch.faces.clone()].iter().filter(|f| f.pressure > 0.0 && f.normal.z.abs() > 0.5);
    let radius = (under.map(|f| f.area).sum::<f64>() / PI).sqrt() / half;
    Ok(Pressed { force: patch.force.z, radius, profile })
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut references = Vec::new();
    for row in rows(FORCES) {
        let (which, cells) = row?;
        let [ratio, force, _, _, contact_radius] = cells[..] else {
            return Err(Failure::work("a row of forces.csv does not have five numbers"));
        };
        references.push(Reference { indenter: which, ratio, force, contact_radius });
    }
    let rings = if study.quick { 40 } else { 80 };
    let mut outcome = Outcome::default();
    let mut table =
        Table::new("elastic_layer", &["cylinder", "H_over_D", "pfc_over_fem", "fem_contact_over_D"]);
    let mut curves = [Vec::new(), Vec::new()];
    let (mut closed_form, mut radius) = (0.0f64, f64::NAN);
    for reference in &references {
        let which = reference.indenter;
        let pressed = press(which, reference.ratio, rings)?;
        let force = pressed.force;
        if which == Indenter::Sphere && (reference.ratio - 0.25).abs() < 1e-9 {
            radius = reference.contact_radius / pressed.radius;
        }
        let m = modulus::layer(1.0, 0.3);
        let exact = match which {
            Indenter::Sphere => {
                let h = 1.0 / (8.0 * SPHERE_RADIUS * reference.ratio.powi(2));
                PI * m * SPHERE_RADIUS * h * h
            }
            Indenter::Cylinder => PI * m * CYLINDER_DEPTH,
        };
        closed_form = closed_form.max((force / exact - 1.0).abs());
        let k = usize::from(which == Indenter::Cylinder);
        curves[k].push([reference.ratio, force / reference.force]);
        table.rows.push(vec![k as f64, reference.ratio, force / reference.force, reference.contact_radius]);
    }
    outcome.tables.push(table);
    checks(&mut outcome, radius, &curves, closed_form);
    figures(&mut outcome, &curves, rings)?;
    Ok(outcome)
}

/// How much of the force is right: 1 less the error, whichever its sign.
fn accuracy(ratio: f64) -> f64 {
    1.0 - (ratio - 1.0).abs()
}

fn checks(outcome: &mut Outcome, radius: f64, curves: &[Vec<[f64; 2]>; 2], closed_form: f64) {
    const PAPER: &str = "PFC section 4.5.2, Fig. 4.11";
    let at = |k: usize, ratio: f64| {
        curves[k].iter().find(|p| (p[0] - ratio).abs() < 1e-9).map_or(f64::NAN, |p| accuracy(p[1]))
    };
    let mut add = |check| outcome.checks.push(check);
    add(Check::at_most(
        "largest error of our forces against the closed forms",
        closed_form,
        2e-3,
        "PFC eq. 5.1",
    ));
    add(Check::at_least("sphere, H = D: accuracy of the force", at(0, 1.0), 0.7, PAPER));
    let cylinder = Check::at_least("cylinder, H = D: accuracy of the force", at(1, 1.0), 0.6, PAPER);
    add(cylinder.unless(
        "our finite elements are refined at the edge of the punch, where the stress is singular, and carry more force than the dissertation's",
    ));
    let thin = "PFC section 4.5.2: approaches 100 % as the layer thins; to 3 % at the thinnest of Fig. 4.11";
    add(Check::at_least("sphere, H/D = 0.05: accuracy of the force", at(0, 0.05), 0.97, thin));
    add(Check::at_least("cylinder, H/D = 0.05: accuracy of the force", at(1, 0.05), 0.97, thin));
    let better = curves[0].iter().map(|p| at(0, p[0]) - at(1, p[0])).fold(f64::INFINITY, f64::min);
    add(Check::at_least("sphere's accuracy less the cylinder's, at its smallest", better, 0.0, PAPER));
    let source = "PFC Fig. 4.13: the pressure field's is slightly larger";
    let metric = "sphere, H/D = 1/4: contact diameter of finite elements over that of the patch";
    add(Check::at_most(metric, radius, 1.0, source));
    let metric = "sphere, H/D = 1/4: the same, at least";
    add(Check::at_least(metric, radius, 0.9, source));
}

fn figures(outcome: &mut Outcome, curves: &[Vec<[f64; 2]>; 2], rings: usize) -> Result<(), Failure> {
    let percent = |c: &[[f64; 2]]| c.iter().map(|p| [p[0], 100.0 * p[1]]).collect::<Vec<_>>();
    let line = |label: &str, look, color, points: Vec<[f64; 2]>| Series::new(label, look, color, points);
    let forces = Panel {
        title: "Normal force of the pressure field".into(),
        x: Axis::linear("H/D").over(0.0, 1.05),
        y: Axis::linear("% of finite elements").over(50.0, 110.0),
        legend: Corner::BottomLeft,
        series: vec![
            line("exact", Look::Dashed, color::GREY, vec![[0.0, 100.0], [1.05, 100.0]]),
            line("sphere", Look::Joined(Glyph::Circle), color::BLUE, percent(&curves[0])),
            line("cylinder", Look::Joined(Glyph::Square), color::VERMILLION, percent(&curves[1])),
        ],
    };
    let mut panels = vec![forces];
    let mut table = Table::new("elastic_layer_pressure", &["cylinder", "r_over_half_D", "fem", "pfc"]);
    for (which, title, edge) in [(Indenter::Sphere, "Sphere", 0.0), (Indenter::Cylinder, "Cylinder", 1.0)] {
        let mut fem = Vec::new();
        for row in rows(PRESSURES) {
            let (indenter, cells) = row?;
            let [r, p] = cells[..] else {
                return Err(Failure::work("a row of pressures.csv does not have two numbers"));
            };
            if indenter == which {
                // Behind the edge of the contact the free surface carries nothing but rounding.
                fem.push([r, p.max(0.0)]);
            }
        }
        let mut pfc = press(which, 0.25, rings)?.profile;
        let last = pfc.last().map_or(1.0, |p| p[1]);
        if which == Indenter::Cylinder {
            pfc.push([1.0, last]);
        }
        pfc.push([1.0, 0.0]);
        pfc.push([1.15, 0.0]);
        let k = f64::from(u8::from(which == Indenter::Cylinder));
        table.rows.extend(fem.iter().map(|p| vec![k, p[0], p[1], f64::NAN]));
        table.rows.extend(pfc.iter().map(|p| vec![k, p[0], f64::NAN, p[1]]));
        let top = 3.0;
        panels.push(Panel {
            title: format!("{title}: pressure at H/D = 1/4"),
            x: Axis::linear("r/(D/2)").over(0.0, 1.15),
            y: Axis::linear("p H/(M h)").over(0.0, top),
            legend: if which == Indenter::Sphere { Corner::TopRight } else { Corner::TopLeft },
            series: vec![
                line(
                    "finite elements",
                    Look::Line,
                    color::BLACK,
                    fem.iter().map(|p| [p[0], p[1].min(top)]).collect(),
                ),
                line("pressure field", Look::Line, color::BLUE, pfc),
                line("point contact", Look::Dashed, color::VERMILLION, vec![[edge, 0.0], [edge, top]]),
            ],
        });
    }
    outcome.tables.push(table);
    outcome.figures.push(Figure {
        name: "elastic_layer",
        caption: "A rigid sphere and the flat end of a rigid cylinder on a layer (ν = 0.3) glued to a rigid base. Left: force \
                  of the pressure field over that of finite elements. Middle and right: pressure over the contact at H/D = 1/4; a \
                  point contact puts all of it at one radius. The peak at the cylinder's edge goes on beyond the picture."
            .into(),
        panels,
    });
    Ok(())
}
