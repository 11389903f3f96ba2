//! PFC Table 4.1 and Fig. 4.5: eight ways to make an elastic foundation of arbitrary angles, one of which conserves
//! energy.
//!
//! An elastic foundation presses on each piece ds of a penetrator with (stretch of a spring) × (area) along some
//! direction. With large angles each of the three can be taken from the penetrator P or from the layer L. Where the
//! layer has pressure p, the piece's normal is n and c = |n·z| (z: normal of the layer), the force is
//!
//! ```text
//!     dF = p · {1 | 1/c} · {ds | c ds} · {−n | z}          (spring L | P) (area P | L) (direction P | L)
//! ```
//!
//! Three tests sort the eight: a boat at rest must feel no sideways and no infinite force (§4.2.1); PPL and LPL equal
//! PLP and LLP (§4.2.2); a closed path must give back what it took (§4.2.3). PLP remains: pressure field contact.
//! It is computed twice here, as the others are and by the simulator's own contact patches.
//!
//! The cycle A-B-C-D-A: a block dives through the top of the layer into the region of constant pressure (A-B), goes
//! sideways (B-C), leaves through a slope along its normal (C-D) and returns outside. For a block of area S tilted by
//! φ, with m(f) the factor of a face and f running over the two pairs of faces, the shares of the energy taken on
//! A-B that C-D gives back are, exactly,
//!
//! ```text
//!     direction P:  Σ m(f) (n_f·e)² / Σ m(f) (n_f·z)²,      e the normal of the slope
//!     direction L:  (e·z) (d_C − h/2) / (d_B − h/2),        d the depths of B and C, h that of constant pressure
//! ```

use crate::Reproduction;
use crate::failure::Failure;
use crate::report::{Check, Outcome, Study, Table, number};
use nalgebra::{Isometry3, UnitQuaternion, Vector2, Vector3};
use std::fmt::Write;
use std::sync::Arc;
use stiction_base::mutation;
use stiction_geometry::patch::{
    ContactSolid, FaceFilter, PatchFaces, PatchOptions, PatchScratch, Tessellation, contact_patch,
};
use stiction_geometry::solid::{RigidMesh, Solid};
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "closed-loop",
    summary: "Of eight elastic foundations for large angles one conserves energy: pressure field contact (PFC Table 4.1, Fig. 4.5)",
    claim: "PFC section 4.2: an elastic foundation for arbitrary angles takes the direction of the traction, the stretch of \
            the spring and the area each from the penetrator P or the layer L. Of the eight models LPP and PPP give \
            infinite forces on a vertical wall, PLL pushes a resting boat sideways, PPL and LPL equal PLP and LLP, and LLP \
            and LLL do not return on C-D what they took on A-B of a closed path. PLP alone remains, and is pressure field \
            contact. The cycle here has a tilted block so that all eight are finite on it, and each one's returned share \
            is known in closed form.",
    run,
};

/// Whose property a model uses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Penetrator,
    Layer,
}
use Side::{Layer as L, Penetrator as P};

/// A generalised elastic foundation.
#[derive(Clone, Copy)]
struct Foundation {
    name: &'static str,
    direction: Side,
    spring: Side,
    area: Side,
}

const fn foundation(name: &'static str, direction: Side, spring: Side, area: Side) -> Foundation {
    Foundation { name, direction, spring, area }
}

/// In the order of Table 4.1.
const FOUNDATIONS: [Foundation; 8] = [
    foundation("PLP", P, L, P),
    foundation("LLP", L, L, P),
    foundation("LLL", L, L, L),
    foundation("PPL", P, P, L),
    foundation("LPL", L, P, L),
    foundation("LPP", L, P, P),
    foundation("PPP", P, P, P),
    foundation("PLL", P, L, L),
];

impl Foundation {
    /// What multiplies ∫p ds on a face with normal `n`.
    fn factor(&self, n: &Vector2<f64>) -> f64 {
        let c = n.y.abs();
        let own = if mutation::is("foundations-swapped") { L } else { P };
        let spring = if self.spring == own { 1.0 / c } else { 1.0 };
        let area = if self.area == L { c } else { 1.0 };
        spring * area
    }

    /// Force on a face per width, from ∫p ds over it.
    fn force(&self, n: &Vector2<f64>, pressure: f64) -> Vector2<f64> {
        let own = if mutation::is("foundations-turned") { L } else { P };
        let direction = if self.direction == own { -n } else { Vector2::y() };
        direction * (self.factor(n) * pressure)
    }
}

/// Corners of a closed polygon, counter-clockwise.
type Outline = Vec<Vector2<f64>>;

/// ∫p ds over each face of an outline with the face's outward normal, by the midpoint rule.
fn pressures(outline: &Outline, pieces: usize, p: impl Fn(&Vector2<f64>) -> f64) -> Vec<(Vector2<f64>, f64)> {
    let face = |k: usize| {
        let (a, b) = (outline[k], outline[(k + 1) % outline.len()]);
        let along = b - a;
        let sum: f64 = (0..pieces).map(|i| p(&(a + along * ((i as f64 + 0.5) / pieces as f64)))).sum();
        let length = along.norm();
        (Vector2::new(along.y, -along.x) / length, sum * length / pieces as f64)
    };
    (0..outline.len()).map(face).collect()
}

fn net(model: &Foundation, faces: &[(Vector2<f64>, f64)]) -> Vector2<f64> {
    faces.iter().map(|(n, p)| model.force(n, *p)).sum()
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    study.say("a boat at rest");
    let sensible = boat(&mut outcome);
    study.say("models that are equal");
    equal_models(&mut outcome);
    study.say("the closed path");
    closed_path(study, &sensible, &mut outcome)?;
    Ok(outcome)
}

/// §4.2.1 and Fig. 4.3: a boat with a wall on the left and a 45° side on the right, draught 1, in a layer p = depth.
/// Returns for each model what went wrong.
fn boat(outcome: &mut Outcome) -> Vec<String> {
    // The wall leans by `lean` from the vertical so that every model is finite.
    let forces = |model: &Foundation, lean: f64| {
        let hull = [[-lean.tan(), 0.0], [0.0, -1.0], [1.0, -1.0], [2.0, 0.0]];
        let hull: Outline = hull.map(|[x, z]| Vector2::new(x, z)).to_vec();
        net(model, &pressures(&hull, 2000, |r| (-r.y).max(0.0)))
    };
    let source = "PFC section 4.2.1";
    let mut verdicts = Vec::new();
    for model in &FOUNDATIONS {
        let (upright, leaning) = (forces(model, 1e-6), forces(model, 1e-3));
        let growth = upright.norm() / leaning.norm();
        let metric = |what: &str| format!("{}: {what}", model.name);
        if model.spring == P && model.area == P {
            // (1/c) ds on the wall: its force is the pressure over the lean.
            let metric = metric("force on the boat, its wall leaning by 1e-6 over 1e-3 rad");
            outcome.checks.push(Check::within(metric, growth, 1000.0, 10.0, &format!("{source}: infinite")));
            verdicts.push("infinite force".into());
        } else {
            let sideways = upright.x;
            let (expected, note) = match model.name {
                // p c ds = depth dx on the 45° side, along (−1, 1)/√2.
                "PLL" => (-std::f64::consts::FRAC_1_SQRT_2 / 2.0, "to the left; our closed form −1/√8"),
                _ => (0.0, "equilibrium"),
            };
            let metric = metric("sideways force on the boat (κ draught²)");
            outcome.checks.push(Check::within(
                metric,
                sideways,
                expected,
                1e-5,
                &format!("{source}: {note}"),
            ));
            verdicts.push(if expected == 0.0 {
                "yes".into()
            } else {
                format!("sideways {}", number(sideways))
            });
        }
    }
    verdicts
}

/// §4.2.2 and Fig. 4.4: (1/c)(c ds) = ds, on regular polygons of many tilts in a planar layer.
fn equal_models(outcome: &mut Outcome) {
    for (one, other) in [(3, 0), (4, 1)] {
        let (one, other) = (&FOUNDATIONS[one], &FOUNDATIONS[other]);
        let mut worst = 0.0_f64;
        for corners in 3..9 {
            for tilt in 1..40 {
                let corner = |k: usize| {
                    let (s, c) =
                        (0.1 * f64::from(tilt) + std::f64::consts::TAU * k as f64 / corners as f64).sin_cos();
                    Vector2::new(c, s)
                };
                let faces = pressures(&(0..corners).map(corner).collect(), 50, |r| (0.3 - r.y).max(0.0));
                let (a, b) = (net(one, &faces), net(other, &faces));
                worst = worst.max((a - b).norm() / b.norm());
            }
        }
        let metric = format!("{} against {}: relative difference of the force", one.name, other.name);
        outcome.checks.push(Check::within(metric, worst, 0.0, 1e-12, "PFC section 4.2.2, Fig. 4.4: equal"));
    }
}

/// Depth of the region of constant pressure, m.
const BAND: f64 = 0.02;
/// Depth of the layer, m.
const DEEP: f64 = 0.2;
/// How far it goes to the left, m.
const LONG: f64 = 0.35;
/// Half of its width in y, m.
const WIDE: f64 = 0.1;
/// Constant pressure inside, Pa.
const PRESSURE: f64 = 1e5;
/// Block: width, height, depth in y, m.
const BLOCK: [f64; 3] = [0.04, 0.02, 0.05];
/// Tilt of the block, rad.
const TILT: f64 = 20.0 * std::f64::consts::PI / 180.0;
/// The cycle's corners A, B, C, D.
const CYCLE: [[f64; 2]; 4] = [[-0.2, 0.05], [-0.2, -0.08], [0.0, -0.08], [0.11, 0.03]];

/// Pressure of the layer: its top is z = 0, its slope the line x + z = 0, isobars follow both.
fn layer(r: &Vector2<f64>) -> f64 {
    let depth = (-r.y).min(-(r.x + r.y) * std::f64::consts::FRAC_1_SQRT_2);
    PRESSURE * (depth / BAND).clamp(0.0, 1.0)
}

fn block(center: &Vector2<f64>) -> Outline {
    let turn = nalgebra::Rotation2::new(TILT);
    let corner = |x: f64, z: f64| center + turn * Vector2::new(0.5 * x * BLOCK[0], 0.5 * z * BLOCK[1]);
    vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]
}

/// §4.2.3 and Fig. 4.5.
fn closed_path(study: &Study, sensible: &[String], outcome: &mut Outcome) -> Result<(), Failure> {
    let (legs, pieces) = if study.quick { (300, 400) } else { (1500, 1500) };
    let corners: Vec<Vector2<f64>> = CYCLE.iter().map(|c| Vector2::from(*c)).collect();
    let patches = PressureField::new()?;
    let mut columns = vec!["path_m".to_string(), "x_m".into(), "z_m".into()];
    columns.extend(FOUNDATIONS.iter().map(|m| format!("{}_work_J", m.name)));
    columns.push("patches_work_J".into());
    let mut table = Table { name: "closed-loop-work", columns, rows: Vec::new() };
    let count = FOUNDATIONS.len() + 1;
    let (mut work, mut path) = (vec![0.0; count], 0.0);
    // Work done on the block on each leg.
    let mut by_leg = [[0.0; 9]; 4];
    for leg in 0..4 {
        let (from, to) = (corners[leg], corners[(leg + 1) % 4]);
        let piece = (to - from) / f64::from(legs);
        for k in 0..legs {
            // Midpoint rule along the path.
            let center = from + piece * (f64::from(k) + 0.5);
            let faces = pressures(&block(&center), pieces, layer);
            let mut forces: Vec<Vector2<f64>> =
                FOUNDATIONS.iter().map(|m| net(m, &faces) * BLOCK[2]).collect();
            forces.push(patches.force(&center)?);
            for (m, force) in forces.iter().enumerate() {
                work[m] += force.dot(&piece);
                by_leg[leg][m] += force.dot(&piece);
            }
            path += piece.norm();
            if k % (legs / 150).max(1) == 0 || k + 1 == legs {
                let mut row = vec![path, center.x + 0.5 * piece.x, center.y + 0.5 * piece.y];
                row.extend(&work);
                table.rows.push(row);
            }
        }
    }
    path_checks(&by_leg, outcome);
    outcome.notes = summary(sensible, &by_leg);
    outcome.figures.push(figure(&table, &corners));
    outcome.tables.push(table);
    Ok(())
}

/// Share of the work taken on A-B that C-D returns, in closed form (see the head of this file).
fn returned_share(model: &Foundation) -> f64 {
    let e = Vector2::new(1.0, 1.0) * std::f64::consts::FRAC_1_SQRT_2;
    if model.direction == L {
        let (down, out) = (-CYCLE[1][1], -(CYCLE[2][0] + CYCLE[2][1]) * e.y);
        return e.y * (out - 0.5 * BAND) / (down - 0.5 * BAND);
    }
    let normals = [Vector2::new(-TILT.sin(), TILT.cos()), Vector2::new(TILT.cos(), TILT.sin())];
    let sum = |d: Vector2<f64>| normals.iter().map(|n| model.factor(n) * n.dot(&d).powi(2)).sum::<f64>();
    sum(e) / sum(Vector2::y())
}

fn path_checks(by_leg: &[[f64; 9]; 4], outcome: &mut Outcome) {
    let source = "PFC section 4.2.3, Fig. 4.5";
    // U = ∫p dV over the displaced volume (PFC eq. 4.4), all of it at the constant pressure in B.
    let stored = PRESSURE * BLOCK.iter().product::<f64>();
    let patches = FOUNDATIONS.len();
    let net_work = |m: usize| by_leg.iter().map(|leg| leg[m]).sum::<f64>();
    let energy = "PFC eq. 4.4: p V, the energy stored";
    let metric = "pressure field contact, simulator's patches: work against the layer on A-B (J)";
    outcome.checks.push(Check::within(metric, -by_leg[0][patches], stored, 1e-5 * stored, energy));
    let metric =
        "pressure field contact, simulator's patches: net work over the cycle (share of the energy stored)";
    let none = format!("{source}: none");
    outcome.checks.push(Check::within(metric, net_work(patches) / stored, 0.0, 1e-5, &none));
    for (m, model) in FOUNDATIONS.iter().enumerate() {
        let share = -by_leg[2][m] / by_leg[0][m];
        let expected = returned_share(model);
        let what = match model.name {
            "PLP" => "all of it",
            "LLP" | "LLL" => "less than was taken; our closed form",
            _ => "not in the paper; our closed form",
        };
        let metric = format!("{}: share of the work of A-B that C-D returns", model.name);
        outcome.checks.push(Check::within(metric, share, expected, 1e-4, &format!("{source}: {what}")));
        let idle = by_leg[1][m].abs().max(by_leg[3][m].abs()) / by_leg[0][m].abs();
        let metric = format!("{}: work on B-C and D-A (share of A-B's)", model.name);
        outcome.checks.push(Check::within(metric, idle, 0.0, 1e-9, &format!("{source}: none")));
    }
}

/// Table 4.1 as measured.
fn summary(sensible: &[String], by_leg: &[[f64; 9]; 4]) -> String {
    let mut text = String::from(
        "Table 4.1 as measured (net work over the cycle in per cent of the energy stored at B; run the other way round, \
         its sign turns, so every model with a net work can gain energy):\n\n\
         | direction, spring, area | sensible forces | equal to | returned on C-D | net work | conserves energy |\n\
         |---|---|---|---|---|---|\n",
    );
    let stored = PRESSURE * BLOCK.iter().product::<f64>();
    let names = FOUNDATIONS.iter().map(|f| f.name).chain(["simulator's patches"]);
    for (m, name) in names.enumerate() {
        let equal = match name {
            "PPL" | "simulator's patches" => "PLP",
            "LPL" => "LLP",
            _ => "",
        };
        let share = -100.0 * by_leg[2][m] / by_leg[0][m];
        let net = 100.0 * by_leg.iter().map(|leg| leg[m]).sum::<f64>() / stored;
        let conserves = if net.abs() < 0.01 { "yes" } else { "no" };
        let forces = sensible.get(m).map_or("yes", |s| s);
        // Writing to a string cannot fail. A share of rounding shows as +0.0.
        let net = if net.abs() < 0.05 { 0.0 } else { net };
        let _ = writeln!(text, "| {name} | {forces} | {equal} | {share:.1} % | {net:+.1} % | {conserves} |");
    }
    text
}

fn figure(table: &Table, corners: &[Vector2<f64>]) -> Figure {
    // Each model's work over what it takes on A-B: the lowest value, but for one that gains.
    let column = |k: usize| {
        let taken = table.rows.iter().map(|r| -r[3 + k]).fold(0.0, f64::max);
        table.rows.iter().map(|r| [r[0], r[3 + k] / taken]).collect::<Vec<_>>()
    };
    let works = [
        ("PLP = PPL: pressure field", 0, color::BLUE, Look::Line),
        ("PPP", 6, color::GREEN, Look::Line),
        ("PLL", 7, color::PURPLE, Look::Line),
        ("LLP = LPL", 1, color::VERMILLION, Look::Line),
        ("LLL", 2, color::ORANGE, Look::Dashed),
        ("LPP", 5, color::BLACK, Look::Dotted),
        ("simulator's patches", 8, color::SKY, Look::Dashed),
    ];
    let mut series: Vec<Series> =
        works.map(|(label, k, color, look)| Series::new(label, look, color, column(k))).into();
    let end = table.rows.last().map_or(1.0, |r| r[0]);
    series.push(Series::new("", Look::Dashed, color::GREY, vec![[0.0, 0.0], [end, 0.0]]));
    let line = |points: &[[f64; 2]]| points.to_vec();
    let mut scene = Vec::new();
    for level in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let d = level * BAND;
        let corner = d * (1.0 - std::f64::consts::SQRT_2);
        let isobar = line(&[[-0.26, -d], [corner, -d], [0.13 + corner, -0.13 - d]]);
        let (label, look) = match level {
            0.0 => ("surface", Look::Line),
            0.25 => ("isobars", Look::Line),
            _ => ("", Look::Line),
        };
        let color = if level == 0.0 { color::BLACK } else { color::SKY };
        scene.push(Series::new(label, look, color, isobar));
    }
    let mut path: Vec<[f64; 2]> = corners.iter().map(|c| [c.x, c.y]).collect();
    path.push(path[0]);
    scene.push(Series::new("path A-B-C-D-A", Look::Dashed, color::VERMILLION, path));
    for (k, center) in corners.iter().enumerate() {
        let mut outline: Vec<[f64; 2]> = block(center).iter().map(|c| [c.x, c.y]).collect();
        outline.push(outline[0]);
        scene.push(Series::new(if k == 0 { "block" } else { "" }, Look::Line, color::GREEN, outline));
    }
    Figure {
        name: "closed-loop",
        caption: "PFC Fig. 4.5: the closed path through a layer whose pressure rises to a constant, and the work the layer has \
                  done on the block along it. Only pressure field contact (PLP) ends at zero."
            .into(),
        panels: vec![
            Panel {
                title: "The cycle".into(),
                x: Axis::linear("x (m)").over(-0.26, 0.16),
                y: Axis::linear("z (m)").over(-0.13, 0.2),
                series: scene,
                legend: Corner::TopLeft,
            },
            Panel {
                title: "Work done by the layer".into(),
                x: Axis::linear("path (m)"),
                y: Axis::linear("work on the block / taken on A-B").over(-1.1, 3.5),
                series,
                legend: Corner::TopLeft,
            },
        ],
    }
}

/// The layer as a solid with a pressure field and the block as a rigid mesh: the simulator's own contact patches.
struct PressureField {
    layer: ContactSolid,
    block: ContactSolid,
}

impl PressureField {
    fn new() -> Result<Self, Failure> {
        // Cross-section: outer line p0-p1-p2, the band's inner line q0-q1-q2, lower left corner r.
        let inner = BAND * std::f64::consts::SQRT_2;
        let section = [
            [-LONG, 0.0],
            [0.0, 0.0],
            [DEEP, -DEEP],
            [-LONG, -BAND],
            [BAND - inner, -BAND],
            [DEEP - inner, -DEEP],
            [-LONG, -DEEP],
        ];
        let extents = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        let triangles = [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [3, 4, 5], [3, 5, 6_u32]];
        let count = section.len() as u32;
        let at = |y: f64| section.map(|[x, z]| Vector3::new(x, y, z));
        let vertices = [at(-WIDE), at(WIDE)].concat();
        // A prism over a triangle with sorted corners a < b < c makes three tetrahedra that fit its neighbours'.
        let tets = triangles.iter().flat_map(|t| {
            let mut t = *t;
            t.sort_unstable();
            let [a, b, c] = t;
            let far = |i: u32| i + count;
            [[a, b, c, far(c)], [a, b, far(b), far(c)], [a, far(a), far(b), far(c)]]
        });
        let extents = [extents, extents].concat();
        let (solid, _) =
            Solid::from_tets(vertices, tets.collect(), extents, PRESSURE).map_err(Failure::work)?;
        let half = BLOCK.map(|x| 0.5 * x);
        let shape = stiction_geometry::Shape::cuboid(Vector3::new(half[0], half[2], half[1]));
        let mesh = RigidMesh::from_shape(&shape.map_err(Failure::work)?, &Default::default())
            .map_err(Failure::work)?;
        Ok(Self {
            layer: ContactSolid::Compliant(Arc::new(solid)),
            block: ContactSolid::Rigid(Arc::new(mesh)),
        })
    }

    /// Force on the block, N; its mean in y is zero.
    fn force(&self, center: &Vector2<f64>) -> Result<Vector2<f64>, Failure> {
        let options = PatchOptions {
            filter: FaceFilter::All,
            tessellation: Tessellation::Polygons,
            ..PatchOptions::default()
        };
        // Counter-clockwise in the x-z plane is clockwise about y.
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -TILT);
        let pose = Isometry3::from_parts(Vector3::new(center.x, 0.0, center.y).into(), turn);
        let (mut scratch, mut faces) = (PatchScratch::default(), PatchFaces::default());
        let world = Isometry3::identity();
        let patch =
            contact_patch(&self.layer, &world, &self.block, &pose, &options, &mut scratch, &mut faces)
                .map_err(Failure::work)?;
        Ok(Vector2::new(patch.force.x, patch.force.z))
    }
}
