//! PFC 5.3.2: a cam cleat lets a rubber-coated rod through one way and locks it the other.
//!
//! Each cam's face is a logarithmic spiral r = r₀ e^(−φ tan β) about its pivot, which meets whatever it touches under one
//! angle: the normal at the contact is inclined by β to the radius, however far the cam has turned. Let the rod pull along the
//! face with F each side, N press, and a spring turn the cam towards the rod with T:
//!
//! ```text
//! locked    r (F cos β − N sin β) + T = 0       N = F/tan β + T/(r sin β): holds any load if tan β < μ
//! free      r (μ N cos β + N sin β) = T         drag 2 μ N, which is small as the spring is weak
//! ```
//!
//! With μ < tan β the cleat must let go, which is checked too.

use crate::Reproduction;
use crate::failure::Failure;
use crate::report::{Check, Outcome, Study, Table};
use crate::stage::{Stage, Way, account, load};
use std::f64::consts::TAU;
use std::fmt::Write;
use stiction::Simulation;
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "cam-cleat",
    summary: "A rubber-coated rod passes a cam cleat one way and is locked the other (PFC 5.3.2, Fig. 5.4)",
    claim: "PFC section 5.3.2: the rod moves freely forward, the rubber slipping on the spiral cams, but is prevented from moving \
            backwards: the cams turn with the rubber until they hold it. Here 3 N pull it through; 60 and 120 N the other \
            way are held by cams whose springs press with 1 N. What each cam presses with follows from its spiral's \
            angle β, tan β = 0.3, and where friction is below tan β it must not hold.",
    run,
};

/// tan β, the spiral's radius at φ = 0, half the thickness of a cam, the rod's radius, half of its length (m).
const TAN: f64 = 0.3;
const RADIUS: f64 = 0.02;
const HALF: f64 = 0.007;
const ROD: f64 = 0.007;
const ROD_HALF: f64 = 0.17;
/// Spring torque at rest (N m), over so many radians.
const TORQUE: f64 = 0.02;
const SPRUNG: f64 = 2.0;
const FRICTION: f64 = 0.6;
/// From time (s), force along the rod (N), reached after so long (s); negative is the free way.
const PULL: [(f64, f64, f64); 4] = [(0.0, -3.0, 0.0), (0.4, 60.0, 0.2), (1.1, -3.0, 0.1), (1.5, 120.0, 0.2)];
const END: f64 = 2.3;

/// The scene: the rod along x, cams at ±y that turn about z. Also a file of `scenes/`, with a friction coefficient of 0.6.
pub fn scene(friction: f64) -> String {
    let cosine = TAN.atan().cos();
    let contact = RADIUS * (TAN * TAN.atan()).exp();
    let pivot = ROD + contact * cosine;
    let cam = |name: &str, side: f64| {
        format!(
            r#"    <body name="{name}" pos="0 {y:.6} 0">
      <joint name="{name}" type="hinge" axis="0 0 {side}" stiffness="{k}" springref="{rest:.4}" damping="0.001"/>
      <inertial pos="0 0 0" mass="0.1" diaginertia="3e-5 3e-5 4e-5"/>
      <geom name="{name}" type="mesh" mesh="{name}" rgba="0.79 0.62 0.28 1">
        <drake:proximity_properties><drake:rigid_hydroelastic/></drake:proximity_properties>
      </geom>
      <geom class="show" type="cylinder" size="0.0045 0.0095" rgba="0.7 0.72 0.75 1"/>
      <geom class="show" type="cylinder" pos="0 0 0.0085" size="0.0065 0.0015" rgba="0.55 0.57 0.6 1"/>
    </body>
"#,
            y = side * pivot,
            k = TORQUE / SPRUNG,
            rest = SPRUNG.to_degrees(),
        )
    };
    let [left, right] = [mesh(-1.0), mesh(1.0)];
    let lock = 0.5 * 30.0 / TAN;
    format!(
        r#"<!-- A cam cleat: two spiral cams let a rubber-coated rod through one way and lock it the other. Written by
     `stiction reproduce cam-cleat`.
     Look for: at -3 N the rod slips through (keyframe "free"); at 30 N the cams turn with it and hold it (keyframe "lock"),
     each pressing with {lock:.0} N. tan of the spiral's angle is {TAN}: with less friction than that it does not hold. -->
<mujoco model="cam_cleat">
  <option timestep="0.001"/>
  <visual><global azimuth="-65" elevation="-38"/></visual>
  <statistic center="0.01 0 0" extent="0.11"/>
  <default>
    <geom friction="{friction}"/>
    <default class="show"><geom contype="0" conaffinity="0" mass="0"/></default>
  </default>
  <asset>
    <mesh name="left" {left}/>
    <mesh name="right" {right}/>
  </asset>
  <worldbody>
    <geom class="show" name="base" type="box" pos="0.005 0 -0.012" size="0.05 0.055 0.0035" rgba="0.3 0.34 0.38 1"/>
    <geom class="show" name="fairlead" type="box" pos="0.075 0 -0.006" size="0.006 0.02 0.004" rgba="0.3 0.34 0.38 1"/>
{cams}    <body name="rod">
      <joint name="along" type="slide" axis="1 0 0" damping="10"/>
      <joint name="across" type="slide" axis="0 1 0" damping="10"/>
      <geom name="rod" type="cylinder" euler="0 90 0" size="{ROD} {ROD_HALF}" mass="0.2" rgba="0.16 0.17 0.19 1">
        <drake:proximity_properties>
          <drake:compliant_hydroelastic/><drake:hydroelastic_modulus value="2e7"/>
          <drake:mesh_resolution_hint value="0.003"/><drake:hunt_crossley_dissipation value="1"/>
        </drake:proximity_properties>
      </geom>
{bands}      <geom class="show" type="cylinder" euler="0 90 0" size="0.005 {core:.3}" rgba="0.75 0.77 0.8 1"/>
    </body>
  </worldbody>
  <contact><exclude body1="left" body2="right"/></contact>
  <actuator>
    <motor name="pull" joint="along"/>
  </actuator>
  <keyframe>
    <key name="free" qpos="0.02 0.02 0 0" ctrl="-3"/>
    <key name="lock" qpos="0.02 0.02 0 0" ctrl="30"/>
  </keyframe>
</mujoco>
"#,
        cams = cam("left", -1.0) + &cam("right", 1.0),
        bands = bands(),
        core = ROD_HALF + 0.006,
    )
}

/// Thin light rings along the rod, so that its motion is seen.
fn bands() -> String {
    let ring = |k: i32| {
        format!(
            "      <geom class=\"show\" type=\"cylinder\" pos=\"{:.3} 0 0\" euler=\"0 90 0\" size=\"{:.5} 0.0012\" rgba=\"0.85 0.85 0.8 1\"/>\n",
            0.02 * f64::from(k),
            ROD + 5e-5
        )
    };
    (-8..=8).map(ring).collect()
}

/// A cam: the spiral over 180°, closed around the hub, as vertices and faces of MJCF. φ is counted from the rod, towards +x.
fn mesh(side: f64) -> String {
    let (from, to) = (-110f64.to_radians(), 70f64.to_radians());
    let (facets, around) = (45, 12);
    let spiral = (0..=facets).map(|i| {
        let phi = from + (to - from) * f64::from(i) / f64::from(facets);
        (RADIUS * (-TAN * phi).exp(), phi)
    });
    let hub = (1..around).map(|i| (0.009, to + (TAU + from - to) * f64::from(i) / f64::from(around)));
    let outline: Vec<(f64, f64)> = spiral.chain(hub).collect();
    let n = outline.len();
    let (mut vertices, mut faces) = (String::new(), String::new());
    for z in [-HALF, HALF] {
        for (r, phi) in &outline {
            // Writing to a string cannot fail.
            let _ = write!(vertices, "{:.6} {:.6} {z} ", r * phi.sin(), -side * r * phi.cos());
        }
    }
    let _ = write!(vertices, "0 0 {} 0 0 {}", -HALF, HALF);
    for i in 0..n {
        let j = (i + 1) % n;
        for [a, b, c] in [[i, j, n + j], [i, n + j, n + i], [2 * n, j, i], [2 * n + 1, n + i, n + j]] {
            // φ runs with the clock seen from above on the left cam, against it on the right one.
            let [b, c] = if side < 0.0 { [c, b] } else { [b, c] };
            let _ = write!(faces, "{a} {b} {c} ");
        }
    }
    format!("vertex=\"{vertices}\" face=\"{}\"", faces.trim_end())
}

/// What is seen at a time.
struct Seen {
    time: f64,
    pull: f64,
    /// Place of the rod along its axis, m.
    along: f64,
    /// Mean angle of the cams, rad.
    turned: f64,
    /// Mean of what the cams press and rub with, N.
    press: f64,
    rub: f64,
}

fn look(sim: &Simulation) -> Seen {
    let state = sim.state();
    let (mut press, mut rub) = (0.0, 0.0);
    for patch in sim.patch_views() {
        press += 0.5 * patch.force.y.abs();
        rub += 0.5 * patch.force.x.abs();
    }
    Seen {
        time: state.time,
        pull: state.ctrl[0],
        along: state.q[2],
        turned: 0.5 * (state.q[0] + state.q[1]),
        press,
        rub,
    }
}

fn perform(stage: &mut Stage, end: f64) -> Result<Vec<Seen>, Failure> {
    let mut seen = Vec::new();
    stage.run(end, 0.005, |sim| {
        let now = sim.state().time + 1e-9;
        let index = PULL.iter().rposition(|p| p.0 <= now).unwrap_or(0);
        let (from, force, rise) = PULL[index];
        let before = if index > 0 { PULL[index - 1].1 } else { force };
        let share = if rise > 0.0 { ((now - from) / rise).min(1.0) } else { 1.0 };
        sim.state_mut().ctrl[0] = before + share * (force - before);
        seen.push(look(sim));
        Ok(true)
    })?;
    seen.push(look(&stage.sim));
    Ok(seen)
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let text = scene(FRICTION);
    let model = load(&text)?;
    let ways = [Way::Continuous(1e-4), Way::Discrete(1e-3)];
    let (mut runs, mut performances) = (Vec::new(), Vec::new());
    for way in ways {
        let recording = format!("cam-cleat-{}", way.name());
        let mut stage = Stage::new(study, &model, way, Some(&recording))?;
        runs.push(perform(&mut stage, END)?);
        performances.push(stage.finish()?);
    }
    for (way, seen) in ways.iter().zip(&runs) {
        check(&mut outcome, way.name(), seen);
    }
    // Just above and below what holds.
    for (friction, holds) in [(1.15 * TAN, true), (0.85 * TAN, false)] {
        let model = load(&scene(friction))?;
        let seen = perform(&mut Stage::new(study, &model, Way::Discrete(1e-3), None)?, PULL[2].0)?;
        let metric = format!("friction {friction:.3}: moved under 60 N in the last 0.3 s (mm)");
        let moved = 1e3 * (at(&seen, PULL[2].0).along - at(&seen, PULL[2].0 - 0.3).along);
        outcome.checks.push(if holds {
            Check::at_most(metric, moved, 0.2, "locks where μ > tan β = 0.3")
        } else {
            Check::at_least(metric, moved, 50.0, "lets go where μ < tan β = 0.3")
        });
    }
    account(study, &mut outcome, performances, END, "PFC 5.3.5: real time");
    figures(&mut outcome, &runs);
    outcome.scenes.push(("cam_cleat", text));
    Ok(outcome)
}

/// The last that was seen at or before a time; there is always a first.
fn at(seen: &[Seen], time: f64) -> &Seen {
    let index = seen.iter().rposition(|s| s.time <= time + 1e-6).unwrap_or(0);
    &seen[index]
}

fn check(outcome: &mut Outcome, name: &str, seen: &[Seen]) {
    let claim = "PFC 5.3.2";
    let checks = &mut outcome.checks;
    let moved = |from: f64, to: f64| 1e3 * (at(seen, to).along - at(seen, from).along);
    for (from, to) in [(PULL[0].0, PULL[1].0), (PULL[2].0 + PULL[2].2, PULL[3].0)] {
        checks.push(Check::at_most(
            format!("{name}: moved the free way from {from:.1} to {to:.1} s, at 3 N (mm)"),
            moved(from, to),
            -20.0,
            claim,
        ));
    }
    for (phase, next) in [(PULL[1], PULL[2].0), (PULL[3], END)] {
        let (from, force, rise) = phase;
        checks.push(Check::at_most(
            format!("{name}: moved under {force} N from 0.1 s after it is reached on (mm)"),
            moved(from + rise + 0.1, next).abs(),
            0.1,
            claim,
        ));
        let held = at(seen, next - 0.01);
        let (sine, cosine) = TAN.atan().sin_cos();
        let radius = RADIUS * (TAN * (TAN.atan() + held.turned)).exp();
        let torque = TORQUE * (1.0 - held.turned / SPRUNG);
        let expected = (0.5 * force * cosine + torque / radius) / sine;
        checks.push(Check::within(
            format!("{name}: what a cam presses with to hold {force} N (N)"),
            held.press,
            expected,
            0.02 * expected,
            "balance of moments about the pivot",
        ));
        checks.push(Check::within(
            format!("{name}: held by both cams of {force} N (N)"),
            2.0 * held.rub,
            force,
            0.01 * force,
            "balance of forces",
        ));
    }
    // Dragged through, the cams press only with their springs: N = T/(r (μ cos β + sin β)).
    let free = at(seen, PULL[1].0 - 0.01);
    let (sine, cosine) = TAN.atan().sin_cos();
    let radius = RADIUS * (TAN * (TAN.atan() + free.turned)).exp();
    let torque = TORQUE * (1.0 - free.turned / SPRUNG);
    let expected = torque / (radius * (FRICTION * cosine + sine));
    checks.push(Check::within(
        format!("{name}: what a cam presses with while the rod slips through (N)"),
        free.press,
        expected,
        0.05 * expected,
        "balance of moments about the pivot",
    ));
}

fn figures(outcome: &mut Outcome, runs: &[Vec<Seen>]) {
    let mut table = Table::new(
        "cam-cleat",
        &[
            "time_s",
            "pull_N",
            "along_continuous_mm",
            "along_discrete_mm",
            "turned_continuous_deg",
            "turned_discrete_deg",
            "press_continuous_N",
            "press_discrete_N",
        ],
    );
    for (c, d) in runs[0].iter().zip(&runs[1]) {
        table.rows.push(vec![
            c.time,
            c.pull,
            1e3 * c.along,
            1e3 * d.along,
            c.turned.to_degrees(),
            d.turned.to_degrees(),
            c.press,
            d.press,
        ]);
    }
    let series = |label: &str, column: usize, look: Look, color: [u8; 3]| {
        Series::new(label, look, color, table.rows.iter().map(|r| [r[0], r[column]]).collect())
    };
    let along = Panel {
        title: "Place of the rod".into(),
        x: Axis::linear("time (s)"),
        y: Axis::linear("along the rod (mm), locked upwards"),
        series: vec![
            series("continuous", 2, Look::Line, color::BLUE),
            series("discrete", 3, Look::Dashed, color::VERMILLION),
        ],
        legend: Corner::TopRight,
    };
    let force = Panel {
        title: "Pull, and what each cam presses with".into(),
        x: Axis::linear("time (s)"),
        y: Axis::linear("force (N)"),
        series: vec![
            series("pull", 1, Look::Dotted, color::BLACK),
            series("press, continuous", 6, Look::Line, color::BLUE),
            series("press, discrete", 7, Look::Dashed, color::VERMILLION),
        ],
        legend: Corner::TopLeft,
    };
    outcome.tables.push(table);
    outcome.figures.push(Figure {
        name: "cam-cleat",
        caption: "A cam cleat. Left: 3 N draw the rod through the free way (downwards); 60 N, then 120 N, are held. Right: the \
                  cams press in proportion to the pull, by their spirals' angle."
            .into(),
        panels: vec![along, force],
    });
}
