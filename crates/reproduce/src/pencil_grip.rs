//! PFC 5.3.1: a pencil is reoriented in a pinched grip.
//!
//! A fixed and a driven fingertip of foam hold a pencil away from its middle. What keeps it from turning is scrub torque,
//! which grows with the grip and with the area of the patches; what keeps it from falling is friction, 2 μ N against the
//! weight. Between the two there is room: N with 2 μ N r(N) < m g l cos θ and 2 μ N > m g, where r is the mean arm of the
//! patches, lets it turn and not fall. While it turns, friction is shared: the centre of rotation lies off the middle of
//! the patches by so much that the difference of both sides carries the weight, which is how far it comes down.

use crate::Reproduction;
use crate::failure::Failure;
use crate::report::{Check, Outcome, Study, Table};
use crate::stage::{Stage, Way, account, load};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use std::fmt::Write;
use stiction::{Model, Simulation};
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "pencil-grip",
    summary: "A pencil turns in a loosened pinch and stops when it tightens (PFC 5.3.1, Fig. 5.3)",
    claim: "PFC section 5.3.1: loosening the pinch makes the pencil turn without falling, tightening it stops the turning. \
            Point contact has no scrub torque that depends on area, and fails. Here a driven fingertip of foam presses a \
            pencil of 10 g against a fixed one, 25 mm from its middle: 6 N hold it, 0.45 and 0.3 N let it turn. \
            The same scene with rigid fingertips, which touch at points, is shown next to it.",
    run,
};

/// Grip force (N) from each time (s) on, until [`END`].
const GRIP: [(f64, f64); 5] = [(0.0, TIGHT), (0.6, 0.45), (0.86, TIGHT), (1.5, 0.3), (1.8, TIGHT)];
const TIGHT: f64 = 6.0;
const END: f64 = 2.5;
/// Mass (kg), length and width over flats of the pencil, and where it is held, from its middle (m).
const MASS: f64 = 0.01;
const LENGTH: f64 = 0.175;
const FLATS: f64 = 0.009;
const OFFSET: f64 = 0.025;
/// Radii of a fingertip, across and along its face (m), its modulus (Pa) and how deep it is pressed at first (m).
const TIP: [f64; 2] = [0.008, 0.012];
const MODULUS: f64 = 4e5;
const PRESSED: f64 = 0.0014;
const FRICTION: f64 = 0.7;

/// The scene: the pencil along y, held at the origin of its body; fingers along x. Also a file of `scenes/`.
pub fn scene() -> String {
    let half = 0.5 * LENGTH;
    // The heavy side is that of the tip, −y.
    let (tip, end) = (-half - OFFSET, half - OFFSET);
    let (cone, ferrule) = (0.016, 0.018);
    let mut hexagons = [String::new(), String::new()];
    for (text, ends) in hexagons.iter_mut().zip([[tip + cone, end - ferrule], [tip + cone, tip + 0.004]]) {
        for (y, scale) in ends.iter().zip([1.0, if ends[1] < ends[0] { 0.25 } else { 1.0 }]) {
            for k in 0..6 {
                let (s, c) = (std::f64::consts::FRAC_PI_6 * f64::from(2 * k + 1)).sin_cos();
                let r = scale * FLATS / 3f64.sqrt();
                // Writing to a string cannot fail.
                let _ = write!(text, "{:.6} {y:.6} {:.6}  ", r * c, r * s);
            }
        }
    }
    let [wood, shaved] = hexagons.map(|h| h.trim_end().to_string());
    let [deep, wide] = TIP;
    let at = 0.5 * FLATS + deep - PRESSED;
    let finger = |side: f64, joint: &str, name: &str| {
        format!(
            r#"    <body name="{name}" pos="{x:.6} 0 0.2">{joint}
      <geom name="{name}_tip" type="ellipsoid" size="{deep} {wide} {wide}" mass="0.01" rgba="0.93 0.55 0.35 1">
        <drake:proximity_properties>
          <drake:compliant_hydroelastic/><drake:hydroelastic_modulus value="{MODULUS}"/>
          <drake:mesh_resolution_hint value="0.004"/><drake:hunt_crossley_dissipation value="5"/>
        </drake:proximity_properties>
      </geom>
      <geom class="show" type="box" pos="{back:.6} 0 0.036" size="0.005 0.011 0.05" rgba="0.35 0.38 0.42 1"/>
      <geom class="show" type="cylinder" pos="{plate:.6} 0 0" euler="0 90 0" size="0.0122 0.0035" rgba="0.2 0.22 0.25 1"/>
    </body>
"#,
            x = side * at,
            back = side * (deep + 0.004),
            plate = side * (deep - 0.0025),
        )
    };
    let driven = finger(
        1.0,
        r#"<joint name="close" type="slide" axis="-1 0 0" damping="25"/><inertial pos="0 0 0.03" mass="0.05" diaginertia="5e-5 5e-5 2e-5"/>"#,
        "driven",
    );
    let fixed = finger(-1.0, "", "fixed");
    format!(
        r#"<!-- A pencil in a pinched grip: a fixed and a driven fingertip of foam hold it away from its middle. Written by
     `stiction reproduce pencil-grip`.
     Look for: at 6 N (keyframe "tight") it is held level; at 0.4 N (keyframe "loose") it turns, and does not fall. -->
<mujoco model="pencil_grip">
  <option timestep="0.001"/>
  <visual><global azimuth="60" elevation="-12"/></visual>
  <statistic center="0 0 0.2" extent="0.13"/>
  <default>
    <geom friction="{FRICTION}"/>
    <default class="show"><geom contype="0" conaffinity="0" mass="0"/></default>
  </default>
  <asset>
    <mesh name="wood" vertex="{wood}"/>
    <mesh name="shaved" vertex="{shaved}"/>
  </asset>
  <worldbody>
    <geom class="show" name="table" type="plane" pos="0 0 0.08" size="0.2 0.2 0.01" rgba="0.86 0.86 0.84 1"/>
    <geom class="show" name="palm" type="box" pos="0 0 0.292" size="0.045 0.014 0.008" rgba="0.35 0.38 0.42 1"/>
    <geom class="show" name="wrist" type="cylinder" pos="0 0 0.33" size="0.014 0.03" rgba="0.2 0.22 0.25 1"/>
{fixed}{driven}    <body name="pencil" pos="0 0 0.2">
      <freejoint name="pencil"/>
      <inertial pos="0 {com} 0" mass="{MASS}" diaginertia="{i:.4e} {j:.1e} {i:.4e}"/>
      <geom name="wood" type="mesh" mesh="wood" rgba="0.95 0.76 0.2 1"/>
      <geom class="show" type="mesh" mesh="shaved" rgba="0.87 0.72 0.53 1"/>
      <geom class="show" type="capsule" fromto="0 {lead:.4} 0 0 {tip:.4} 0" size="0.0011" rgba="0.15 0.15 0.17 1"/>
      <geom class="show" type="cylinder" fromto="0 {f0:.4} 0 0 {f1:.4} 0" size="0.0048" rgba="0.72 0.75 0.78 1"/>
      <geom class="show" type="cylinder" fromto="0 {f1:.4} 0 0 {end:.4} 0" size="0.0045" rgba="0.85 0.4 0.45 1"/>
    </body>
  </worldbody>
  <actuator>
    <motor name="grip" joint="close" ctrlrange="0 20" ctrllimited="true"/>
  </actuator>
  <keyframe>
    <key name="tight" ctrl="{TIGHT}"/>
    <key name="loose" ctrl="0.4"/>
  </keyframe>
</mujoco>
"#,
        com = -OFFSET,
        i = MASS * LENGTH * LENGTH / 12.0,
        j = 1e-7,
        lead = tip + 0.005,
        f0 = end - ferrule,
        f1 = end - 0.009,
    )
}

/// What is seen at a time.
struct Seen {
    time: f64,
    grip: f64,
    /// Angle of the tip below the level, rad.
    turned: f64,
    /// How far the held place has come down, m.
    fallen: f64,
    /// Mean area of the two patches, m².
    area: f64,
}

fn look(sim: &Simulation) -> Seen {
    let state = sim.state();
    // The driven finger's slide comes first; then the pencil.
    let q = &state.q[1..8];
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[4], q[5], q[6]));
    let along = turn * -Vector3::y();
    let (mut area, mut patches) = (0.0, 0.0);
    for patch in sim.patch_views() {
        area += patch.area;
        patches += 1.0;
    }
    Seen {
        time: state.time,
        grip: state.ctrl[0],
        turned: (-along.z).atan2(-along.y),
        fallen: 0.2 - q[2],
        area: if patches > 0.0 { area / patches } else { 0.0 },
    }
}

/// Adds a sample with its angle next to that of the sample before, so that it does not jump by a turn.
fn add(seen: &mut Vec<Seen>, mut next: Seen) {
    if let Some(last) = seen.last() {
        let turn = std::f64::consts::TAU;
        next.turned += turn * ((last.turned - next.turned) / turn).round();
    }
    seen.push(next);
}

fn perform(stage: &mut Stage) -> Result<Vec<Seen>, Failure> {
    let mut seen = Vec::new();
    stage.run(END, 0.01, |sim| {
        let now = sim.state().time + 1e-9;
        let grip = GRIP.iter().rfind(|g| g.0 <= now).map_or(TIGHT, |g| g.1);
        sim.state_mut().ctrl[0] = grip;
        add(&mut seen, look(sim));
        Ok(true)
    })?;
    add(&mut seen, look(&stage.sim));
    Ok(seen)
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let text = scene();
    let model = load(&text)?;
    let ways = [Way::Continuous(1e-4), Way::Discrete(1e-3)];
    let (mut runs, mut performances) = (Vec::new(), Vec::new());
    for way in ways {
        let recording = format!("pencil-grip-{}", way.name());
        let mut stage = Stage::new(study, &model, way, Some(&recording))?;
        runs.push(perform(&mut stage)?);
        performances.push(stage.finish()?);
    }
    let rigid = text.replace("<drake:compliant_hydroelastic/>", "<drake:rigid_hydroelastic/>");
    let points = perform(&mut Stage::new(study, &points_model(&rigid)?, Way::Discrete(1e-3), None)?)?;

    for (way, seen) in ways.iter().zip(&runs) {
        check(&mut outcome, way.name(), seen);
    }
    let last = |seen: &[Seen]| seen.last().map_or(f64::NAN, |s| s.turned.to_degrees());
    outcome.checks.push(Check::within(
        "turned in the end, discrete against continuous (degrees)",
        last(&runs[1]),
        last(&runs[0]),
        3.0,
        "both methods simulate the same thing",
    ));
    let held = swing(&points, 0.95, 1.49);
    outcome.checks.push(Check::at_least(
        "point contact, tight: swing of the pencil between 0.95 and 1.49 s (degrees)",
        held.to_degrees(),
        20.0,
        "PFC 5.3.1: points do not stop it",
    ));
    account(study, &mut outcome, performances, END, "PFC 5.3.5: real time");
    figures(&mut outcome, &runs, &points);
    outcome.scenes.push(("pencil_grip", text));
    Ok(outcome)
}

/// The scene with rigid fingertips. Its reader says that tagged rigid bodies touch at points, which is what is wanted.
fn points_model(scene: &str) -> Result<Model, Failure> {
    Model::from_string(scene, stiction::Format::Mjcf, &stiction::LoadOptions::default())
        .map_err(Failure::work)
}

/// Largest less smallest angle in a span of time, rad.
fn swing(seen: &[Seen], from: f64, to: f64) -> f64 {
    let angles = || seen.iter().filter(|s| s.time > from && s.time < to).map(|s| s.turned);
    angles().fold(f64::MIN, f64::max) - angles().fold(f64::MAX, f64::min)
}

fn check(outcome: &mut Outcome, name: &str, seen: &[Seen]) {
    let at =
        |time: f64| seen.iter().find(|s| s.time >= time - 1e-6).map_or(f64::NAN, |s| s.turned.to_degrees());
    let claim = "PFC 5.3.1";
    let checks = &mut outcome.checks;
    checks.push(Check::at_most(
        format!("{name}: turned while tight at first (degrees)"),
        swing(seen, 0.0, GRIP[1].0).to_degrees(),
        0.5,
        claim,
    ));
    checks.push(Check::at_least(
        format!("{name}: turned by the first loosening (degrees)"),
        at(GRIP[3].0) - at(GRIP[1].0),
        30.0,
        claim,
    ));
    checks.push(Check::at_least(
        format!("{name}: turned by the second loosening (degrees)"),
        at(END) - at(GRIP[3].0),
        20.0,
        claim,
    ));
    for (from, to) in [(GRIP[2].0, GRIP[3].0), (GRIP[4].0, END)] {
        checks.push(Check::at_most(
            format!("{name}: turned from 0.1 s after tightening at {from} s on (degrees)"),
            swing(seen, from + 0.1, to).to_degrees(),
            0.5,
            claim,
        ));
    }
    let loose = [GRIP[2].0 - GRIP[1].0, GRIP[4].0 - GRIP[3].0];
    let free = 500.0 * 9.81 * (loose[0] * loose[0] + loose[1] * loose[1]);
    checks.push(Check::at_most(
        format!("{name}: came down at the grip (mm); let go it would fall {free:.0} mm"),
        1e3 * seen.iter().map(|s| s.fallen).fold(f64::MIN, f64::max),
        3.0,
        claim,
    ));
    let mean = |from: f64, to: f64| {
        let areas: Vec<f64> = seen.iter().filter(|s| s.time > from && s.time < to).map(|s| s.area).collect();
        areas.iter().sum::<f64>() / areas.len() as f64
    };
    checks.push(Check::at_least(
        format!("{name}: area of a patch, tight over loose"),
        mean(0.2, GRIP[1].0) / mean(GRIP[1].0 + 0.05, GRIP[2].0),
        2.0,
        "PFC 5.3.1: the torque depends on the area",
    ));
}

fn figures(outcome: &mut Outcome, runs: &[Vec<Seen>], points: &[Seen]) {
    let mut table = Table::new(
        "pencil-grip",
        &[
            "time_s",
            "grip_N",
            "turned_continuous_deg",
            "turned_discrete_deg",
            "turned_points_deg",
            "fallen_continuous_mm",
            "fallen_discrete_mm",
            "area_continuous_mm2",
            "area_discrete_mm2",
        ],
    );
    for ((c, d), p) in runs[0].iter().zip(&runs[1]).zip(points) {
        let mut row = vec![c.time, c.grip];
        row.extend([c, d, p].map(|s| s.turned.to_degrees()));
        row.extend([1e3 * c.fallen, 1e3 * d.fallen, 1e6 * c.area, 1e6 * d.area]);
        table.rows.push(row);
    }
    let series = |label: &str, column: usize, look: Look, color: [u8; 3]| {
        Series::new(label, look, color, table.rows.iter().map(|r| [r[0], r[column]]).collect())
    };
    let turned = Panel {
        title: "Turned".into(),
        x: Axis::linear("time (s)"),
        y: Axis::linear("tip below the level (degrees)").over(-10.0, 260.0),
        series: vec![
            series("point contact", 4, Look::Dotted, color::GREY),
            series("continuous", 2, Look::Line, color::BLUE),
            series("discrete", 3, Look::Dashed, color::VERMILLION),
        ],
        legend: Corner::TopLeft,
    };
    let area = Panel {
        title: "Grip, and area of a patch".into(),
        x: Axis::linear("time (s)"),
        y: Axis::linear("grip (0.1 N), area (mm²)").over(-5.0, 180.0),
        series: vec![
            Series::new(
                "grip",
                Look::Dotted,
                color::BLACK,
                table.rows.iter().map(|r| [r[0], 10.0 * r[1]]).collect(),
            ),
            series("area, continuous", 7, Look::Line, color::BLUE),
            series("area, discrete", 8, Look::Dashed, color::VERMILLION),
        ],
        legend: Corner::TopRight,
    };
    outcome.tables.push(table);
    outcome.figures.push(Figure {
        name: "pencil-grip",
        caption: "A pencil in a pinch that loosens twice. Left: it turns while the grip is loose, and stops when it tightens; \
                  held at points it swings on. Right: the grip, and the area of the patches that goes with it."
            .into(),
        panels: vec![turned, area],
    });
}
