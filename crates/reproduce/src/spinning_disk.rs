//! VLP Fig. 5 and 6: a coin that slides and spins on a plane.
//!
//! Friction couples the two motions: with u(r) = v + ω × r the slip and p = mg/(πR²) the pressure,
//!
//! ```text
//!     m dv/dt = −μ p ∫ u/|u| dA,        I dω/dt = −μ p ∫ r × u/|u| dA,        I = m R²/2
//! ```
//!
//! and ε = v/(ωR) tends to ε* = 0.6530 from every start while both motions end at the same instant. A patch of
//! triangles with one point at each centroid is a quadrature of these integrals: a fan of 152 triangles has all its
//! points at 2R/3, and its own limit 0.64426.
//!
//! The approach is slow: a coin that mostly spins has dε/d ln ω = −ε/4, and near the limit the deviation goes with
//! ω^0.615. From ε = 0.1 to 1 % of ε* takes six decades of speed. The equations know no scale (if v, ω, t solve them,
//! so do λv, λω, λt), so steps in proportion to the speed follow it to the end.

use crate::Reproduction;
use crate::failure::Failure;
use crate::numerics::{order, slope_line};
use crate::report::{Check, Outcome, Study, Table};
use crate::worlds::{GRAVITY, free_body, geom, published, simulation, step};
use nalgebra::Vector3;
use stiction::Options;
use stiction::model::{Compliance, ContactProperties, Mesh, Shape, World};
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape as Glyph, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "spinning-disk",
    summary: "A sliding, spinning coin comes to rest at one ratio of its speeds (VLP Fig. 5, 6)",
    claim: "VLP section V-A: a coin (R = 12.13 mm, 5.67 g, μ = 0.2, E = 1 GPa) slides at v and spins at ω on a plane. \
            Whatever the start, ε = v/(ωR) tends to 0.653 as it comes to rest; on a fan of 152 triangles to 0.64426, and \
            a fixed step of 1 ms stays within 0.5 % of that. Trajectories converge with first order in the step and \
            second order in the grid.",
    run,
};

const RADIUS: f64 = 0.01213;
const THICKNESS: f64 = 1.75e-3;
const MASS: f64 = 5.67e-3;
const FRICTION: f64 = 0.2;
const MODULUS: f64 = 1e9;
/// Small beside the speed that friction takes in a step, μ g δt = 2 mm/s at 1 ms.
const STICTION_TOLERANCE: f64 = 1e-7;

/// How time goes on.
#[derive(Clone, Copy)]
enum Pace {
    /// In steps of this length, s.
    Fixed(f64),
    /// In steps in which friction alone takes this share of v + ωR, until that is `end` of what it was.
    Share { share: f64, end: f64 },
}

/// The underside of the coin as triangles.
#[derive(Clone)]
struct Underside {
    vertices: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
}

impl Underside {
    /// A fan about the centre, as in the paper.
    fn fan(triangles: u32) -> Self {
        Self::new(&[triangles])
    }

    /// Concentric rings: the k-th circle has 6k points, so edges are about R/rings long everywhere.
    fn rings(rings: u32) -> Self {
        Self::new(&(1..=rings).map(|k| 6 * k).collect::<Vec<_>>())
    }

    /// Circles of equal spacing with these numbers of points.
    fn new(points: &[u32]) -> Self {
        let (mut vertices, mut triangles) = (vec![Vector3::new(0.0, 0.0, -0.5 * THICKNESS)], Vec::new());
        let (mut inner, mut first_inner) = (1, 0);
        for (k, &outer) in points.iter().enumerate() {
            let radius = RADIUS * (k + 1) as f64 / points.len() as f64;
            let first = vertices.len() as u32;
            for i in 0..outer {
                let (s, c) = (std::f64::consts::TAU * f64::from(i) / f64::from(outer)).sin_cos();
                vertices.push(Vector3::new(radius * c, radius * s, -0.5 * THICKNESS));
            }
            // Walk around both circles together; seen from below, outside, the order is counter-clockwise.
            let (mut i, mut j) = (0, 0);
            let (within, around) = (|i: u32| first_inner + i % inner, |j: u32| first + j % outer);
            while j < outer || (inner > 1 && i < inner) {
                if inner == 1 || (j < outer && (2 * j + 1) * inner <= (2 * i + 1) * outer) {
                    triangles.push([within(i), around(j + 1), around(j)]);
                    j += 1;
                } else {
                    triangles.push([within(i), within(i + 1), around(j)]);
                    i += 1;
                }
            }
            (inner, first_inner) = (outer, first);
        }
        Self { vertices, triangles }
    }

    fn area(&self) -> f64 {
        let corner = |t: &[u32; 3], k: usize| self.vertices[t[k] as usize];
        let area = |t: &[u32; 3]| (corner(t, 1) - corner(t, 0)).cross(&(corner(t, 2) - corner(t, 0))).z;
        -0.5 * self.triangles.iter().map(area).sum::<f64>()
    }
}

/// Speeds and places at every step.
struct Slide {
    /// (v, ωR), m/s.
    speeds: Vec<[f64; 2]>,
    /// (x, y), m.
    places: Vec<[f64; 2]>,
}

impl Slide {
    /// v/(ωR) at the last step before rest: the speeds of the next one are below the slowest that counts.
    fn final_ratio(&self) -> f64 {
        let moving = self.speeds.len() - 2;
        self.speeds[moving][0] / self.speeds[moving][1]
    }

    /// (v + ωR over its start, v/(ωR)) at the steps until rest.
    fn approach(&self) -> Vec<[f64; 2]> {
        let begin = self.speeds[0][0] + self.speeds[0][1];
        let moving = &self.speeds[..self.speeds.len() - 1];
        moving.iter().map(|s| [(s[0] + s[1]) / begin, s[0] / s[1]]).collect()
    }

    /// ‖x − x_ref‖₂/‖x_ref‖₂ over time, at this slide's steps, which are `every` of the reference's.
    fn error(&self, reference: &Slide, every: usize) -> f64 {
        let last = reference.places.len() - 1;
        let end = self.places.len().max(last / every + 1);
        let (mut off, mut size) = (0.0, 0.0);
        for i in 0..end {
            let here = self.places[i.min(self.places.len() - 1)];
            let there = reference.places[(i * every).min(last)];
            off += (here[0] - there[0]).powi(2) + (here[1] - there[1]).powi(2);
            size += there[0].powi(2) + there[1].powi(2);
        }
        (off / size).sqrt()
    }
}

/// Lets the coin slide from (v, ωR) in m/s until it rests.
fn slide(underside: &Underside, speeds: [f64; 2], pace: Pace) -> Result<Slide, Failure> {
    let friction = Some(FRICTION);
    let rigid =
        ContactProperties { static_friction: friction, compliance: Compliance::Rigid, ..Default::default() };
    // As deep a field as that of a compliant coin: half its thickness.
    let slab = 0.5 * THICKNESS;
    let compliant = ContactProperties {
        compliance: Compliance::Compliant,
        hydroelastic_modulus: Some(MODULUS),
        slab_thickness: Some(slab),
        ..rigid
    };
    let mut world = World::new("spinning disk");
    let depth = MASS * GRAVITY * slab / (underside.area() * MODULUS);
    let across = MASS * (3.0 * RADIUS * RADIUS + THICKNESS * THICKNESS) / 12.0;
    let inertia = Vector3::new(across, across, 0.5 * MASS * RADIUS * RADIUS);
    let coin = free_body(&mut world, "coin", 0.5 * THICKNESS - depth, MASS, inertia);
    let mesh = Mesh {
        name: "underside".into(),
        vertices: underside.vertices.clone(),
        triangles: underside.triangles.clone(),
        ..Mesh::default()
    };
    world.meshes.push(mesh.into());
    geom(&mut world, "plane", 0, Shape::HalfSpace { size: [0.0; 2] }, compliant);
    geom(&mut world, "underside", coin, Shape::Mesh { mesh: 0, convex: false }, rigid);
    // Step and stiction tolerance at a speed.
    let scale = |speed: f64| match pace {
        Pace::Fixed(step) => (step, STICTION_TOLERANCE),
        Pace::Share { share, .. } => (share * speed / (FRICTION * GRAVITY), 1e-6 * speed),
    };
    let begin = speeds[0] + speeds[1];
    let options = Options {
        step: scale(begin).0,
        stiction_tolerance: scale(begin).1,
        regularization: 0.0,
        relative_tolerance: 1e-10,
        margin: 1e-6,
        ..published()
    };
    let mut sim = simulation(world, options.clone())?;
    sim.state_mut().v[0] = speeds[0];
    sim.state_mut().v[5] = speeds[1] / RADIUS;
    let mut slide = Slide { speeds: vec![speeds], places: vec![[0.0; 2]] };
    loop {
        step(&mut sim)?;
        let state = sim.state();
        let now = [state.v[0].hypot(state.v[1]), state.v[5].abs() * RADIUS];
        slide.speeds.push(now);
        slide.places.push([state.q[0], state.q[1]]);
        let (time, speed) = (state.time, now[0] + now[1]);
        let end = match pace {
            Pace::Fixed(_) => 10.0 * STICTION_TOLERANCE,
            Pace::Share { end, .. } => end * begin,
        };
        if speed < end {
            return Ok(slide);
        }
        // Friction takes more than μg/2 of speed from a coin that moves in any way.
        if time > 3.0 * begin / (FRICTION * GRAVITY) {
            return Err(Failure::work(format!("the coin still moves at {now:?} m/s after {time} s")));
        }
        if let Pace::Share { .. } = pace {
            let (step, stiction_tolerance) = scale(speed);
            sim.set_options(Options { step, stiction_tolerance, ..options.clone() })
                .map_err(Failure::work)?;
        }
    }
}

/// (v, ωR) of the ratio, the larger one `top`.
fn start(ratio: f64, top: f64) -> [f64; 2] {
    if ratio < 1.0 { [ratio * top, top] } else { [top, top / ratio] }
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    ratios(study, &mut outcome)?;
    convergence(study, &mut outcome)?;
    Ok(outcome)
}

/// Fig. 5: the final ratio from starts over two decades.
fn ratios(study: &Study, outcome: &mut Outcome) -> Result<(), Failure> {
    let exponents: Vec<f64> =
        if study.quick { vec![-1.0, 1.0] } else { (-4..=4).map(|k| 0.25 * f64::from(k)).collect() };
    let (fixed, top) = (Pace::Fixed(1e-3), if study.quick { 5.0 } else { 10.0 });
    let share = Pace::Share { share: if study.quick { 0.05 } else { 0.02 }, end: 1e-7 };
    let rings = if study.quick { 10 } else { 16 };
    let mut table = Table::new("spinning-disk-ratios", &["start_ratio", "fan_of_152", "rings"]);
    let mut approach = Table::new("spinning-disk-approach", &["start_ratio", "speed_over_start", "ratio"]);
    let mut approaches = Vec::new();
    for ratio in exponents.iter().map(|e| 10f64.powf(*e)) {
        study.say(format_args!("from v/(ωR) = {ratio:.3}"));
        let fan = slide(&Underside::fan(152), start(ratio, top), fixed)?.final_ratio();
        let refined = slide(&Underside::rings(rings), start(ratio, top), share)?;
        table.rows.push(vec![ratio, fan, refined.final_ratio()]);
        approach.rows.extend(refined.approach().iter().map(|a| vec![ratio, a[0], a[1]]));
        approaches.push(Series::new("", Look::Line, color::VERMILLION, refined.approach()));
    }
    let column = |k: usize| table.rows.iter().map(|r| [r[0], r[k]]).collect::<Vec<_>>();
    let farthest = |k: usize, from: f64| {
        let off = |r: &&Vec<f64>| (r[k] - from).abs();
        table.rows.iter().max_by(|a, b| off(a).total_cmp(&off(b))).map_or(f64::NAN, |r| r[k])
    };
    let starts = "of starts 0.1 to 10 the one farthest off";
    let (fan, exact) = (0.64426, 0.653);
    outcome.checks.push(Check::within(
        format!("final v/(ωR), fan of 152 triangles, {starts}"),
        farthest(1, fan),
        fan,
        0.005 * fan,
        "VLP Fig. 5: 0.64426, within 0.5 %",
    ));
    outcome.checks.push(Check::within(
        format!("final v/(ωR), {rings} rings of triangles, {starts}"),
        farthest(2, exact),
        exact,
        0.01 * exact,
        "theory, VLP ref. 30: 0.653, within 1 %",
    ));
    let level = |from: f64, to: f64, value: f64| vec![[from, value], [to, value]];
    if let Some(first) = approaches.first_mut() {
        first.label = format!("{rings} rings");
    }
    approaches.push(Series::new("theory, 0.653", Look::Dashed, color::BLACK, level(1e-7, 1.0, exact)));
    outcome.figures.push(Figure {
        name: "spinning-disk-ratios",
        caption: format!(
            "VLP Fig. 5: ratio of speeds as the coin comes to rest against the ratio at the start (left; the fan with steps \
             of 1 ms as in the paper, {rings} rings with steps in proportion to the speed), and the way there (right)."
        ),
        panels: vec![
            Panel {
                title: "Ratio of speeds at rest".into(),
                x: Axis::log("v₀/(ω₀R) at the start").over(0.08, 12.5),
                y: Axis::linear("v/(ωR) at the end").over(0.636, 0.664),
                series: vec![
                    Series::new("theory, 0.653", Look::Dashed, color::BLACK, level(0.08, 12.5, exact)),
                    Series::new("paper's fan, 0.64426", Look::Dotted, color::BLACK, level(0.08, 12.5, fan)),
                    Series::new(format!("{rings} rings"), Look::Marks(Glyph::Square), color::VERMILLION, column(2)),
                    Series::new("fan of 152 triangles", Look::Marks(Glyph::Circle), color::BLUE, column(1)),
                ],
                legend: Corner::TopRight,
            },
            Panel {
                title: "Approach".into(),
                x: Axis::log("(v + ωR) / its start"),
                y: Axis::log("v/(ωR)"),
                series: approaches,
                legend: Corner::TopLeft,
            },
        ],
    });
    let early = slide(&Underside::rings(8), start(0.1, top), fixed)?;
    outcome.notes = format!(
        "A coin that mostly spins approaches slowly, dε/d ln ω = −ε/4, and near the limit the deviation goes with ω^0.615: from \
         0.1 it takes six decades of speed to come within 1 %. Fixed steps of 1 ms end before that: from {top} m/s at the rim \
         and a ratio of 0.1, on 8 rings, {} steps end at {:.3}. So the refined coin takes steps in proportion to its speed, \
         which the equations allow as they know no scale. The fan has all its points at 2R/3 and gets there sooner.",
        early.speeds.len() - 1,
        early.final_ratio()
    );
    outcome.tables.extend([table, approach]);
    Ok(())
}

/// Fig. 6: error of the trajectory against step and grid.
fn convergence(study: &Study, outcome: &mut Outcome) -> Result<(), Failure> {
    let from = start(1.0, 1.0);
    // Left: δx = R/5 = 2.4 mm. Steps divide each other, so that times coincide.
    let grid = Underside::rings(5);
    let finest = if study.quick { 2e-4 } else { 5e-5 };
    study.say("convergence with the step");
    let reference = slide(&grid, from, Pace::Fixed(finest / 10.0))?;
    let mut steps = Table::new("spinning-disk-steps", &["step_s", "relative_error"]);
    for multiple in [1_usize, 2, 4, 8, 16] {
        let dt = finest * multiple as f64;
        steps.rows.push(vec![dt, slide(&grid, from, Pace::Fixed(dt))?.error(&reference, 10 * multiple)]);
    }
    study.say("convergence with the grid");
    let (rings, finest): (&[u32], u32) = if study.quick { (&[2, 3, 4], 20) } else { (&[2, 3, 4, 6], 60) };
    let reference = slide(&Underside::rings(finest), from, Pace::Fixed(1e-3))?;
    let mut grids = Table::new("spinning-disk-grids", &["grid_m", "relative_error"]);
    for &n in rings {
        let error = slide(&Underside::rings(n), from, Pace::Fixed(1e-3))?.error(&reference, 1);
        grids.rows.push(vec![RADIUS / f64::from(n), error]);
    }
    let points = |t: &Table| t.rows.iter().map(|r| [r[0], r[1]]).collect::<Vec<_>>();
    let (in_time, in_space) = (points(&steps), points(&grids));
    outcome.checks.push(Check::within(
        "order of convergence with the step",
        order(&in_time),
        1.0,
        0.15,
        "VLP Fig. 6, left: first order",
    ));
    outcome.checks.push(Check::within(
        "order of convergence with the grid",
        order(&in_space),
        2.0,
        0.3,
        "VLP Fig. 6, right: second order",
    ));
    let panel = |title: &str, label: &str, data: Vec<[f64; 2]>, slope: f64, name: &str| Panel {
        title: title.into(),
        x: Axis::log(label),
        y: Axis::log("relative error of the path"),
        series: vec![
            Series::new(name, Look::Dashed, color::BLACK, slope_line(&data, slope, 0.6)),
            Series::new("measured", Look::Joined(Glyph::Circle), color::BLUE, data),
        ],
        legend: Corner::TopLeft,
    };
    outcome.figures.push(Figure {
        name: "spinning-disk-convergence",
        caption: "VLP Fig. 6: error of the coin's path against the step (left, grid 2.4 mm) and against the grid (right, \
                  step 1 ms)."
            .into(),
        panels: vec![
            panel("Step", "δt (s)", in_time, 1.0, "first order"),
            panel("Grid", "δx (m)", in_space, 2.0, "second order"),
        ],
    });
    outcome.tables.push(steps);
    outcome.tables.push(grids);
    Ok(())
}
