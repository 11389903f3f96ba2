//! PFC 5.3.3: a paddle sorts objects of three sizes by the area of contact, its only measurement.
//!
//! A slow belt brings objects one after the other, a fast one throws each onto a paddle of foam. When the contact area that
//! the paddle feels has stayed the same for a while, it tips towards one of three bins; when it feels nothing any more it
//! comes back. The objects are boxes, discs and hexagons, alike in area by size, so that only area distinguishes them.

use crate::Reproduction;
use crate::failure::Failure;
use crate::report::{Check, Outcome, Study, Table};
use crate::stage::{Stage, Way, account, load};
use std::f64::consts::{FRAC_PI_3, PI};
use std::fmt::Write;
use stiction::Simulation;
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "sorting",
    summary: "A tipping paddle sorts three sizes into three bins by contact area alone (PFC 5.3.3, Fig. 5.5)",
    claim: "PFC section 5.3.3: contact surfaces serve as virtual tactile data. A sensing and tipping paddle above three bins reads \
            the area of its contact surface, and nothing else, and tilts towards a bin accordingly. Here nine objects \
            (boxes, discs and hexagonal prisms of three sizes) come along two belts; the dissertation needed about four hours.",
    run,
};

/// A size: its colour, area of the face it lies on (m²), half of its height (m), and where the paddle tips for it: pitch and
/// roll, in units of [`TIP`].
struct Size {
    name: &'static str,
    color: &'static str,
    area: f64,
    half: f64,
    tip: [f64; 2],
}

const SIZES: [Size; 3] = [
    Size { name: "small", color: "0.86 0.37 0.23", area: 450e-6, half: 0.007, tip: [0.0, 1.0] },
    Size { name: "medium", color: "0.2 0.55 0.75", area: 1020e-6, half: 0.008, tip: [0.0, -1.0] },
    Size { name: "large", color: "0.35 0.65 0.35", area: 2120e-6, half: 0.009, tip: [1.0, 0.0] },
];

/// Between the sizes, m²: geometric means.
const BETWEEN: [f64; 2] = [677e-6, 1470e-6];

/// Size and shape of each object, in the order they come.
const OBJECTS: [(usize, Form); 9] = [
    (1, Form::Box),
    (0, Form::Disc),
    (2, Form::Hexagon),
    (2, Form::Box),
    (1, Form::Disc),
    (0, Form::Hexagon),
    (0, Form::Box),
    (2, Form::Disc),
    (1, Form::Hexagon),
];

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Box,
    Disc,
    Hexagon,
}

/// How far the paddle tips, and how fast, rad and rad/s.
const TIP: f64 = 0.7;
const RATE: f64 = 2.6;
/// Time between samples, how long an area must stay for, how long tipping takes at least, and the way back (s).
const PERIOD: f64 = 0.01;
const STILL: f64 = 0.12;
const TIPPED: f64 = 0.45;
const BACK: f64 = 0.35;
/// Distance of objects on the slow belt (m) and the belts' speeds (m/s).
const GAP: f64 = 0.15;
const SLOW: f64 = 0.08;
const FAST: f64 = 0.72;
/// Bins: where they begin, their half length and half width (m).
const BIN: [f64; 3] = [0.06, 0.09, 0.06];

fn soft(modulus: f64) -> String {
    format!(
        "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value=\"{modulus}\"/>\
         <drake:mesh_resolution_hint value=\"0.01\"/><drake:hunt_crossley_dissipation value=\"10\"/></drake:proximity_properties>"
    )
}

/// The scene with the first `count` objects. With all of them also a file of `scenes/`.
pub fn scene(count: usize) -> String {
    let (mut meshes, mut objects, mut bins) = (String::new(), String::new(), String::new());
    // Writing to a string cannot fail.
    for size in &SIZES {
        let r = (size.area / (1.5 * 3f64.sqrt())).sqrt();
        let _ = write!(meshes, "    <mesh name=\"hexagon_{}\" vertex=\"", size.name);
        for z in [-size.half, size.half] {
            for k in 0..6 {
                let (s, c) = (FRAC_PI_3 * f64::from(k)).sin_cos();
                let _ = write!(meshes, "{:.6} {:.6} {z} ", r * c, r * s);
            }
        }
        meshes.truncate(meshes.trim_end().len());
        meshes += "\"/>\n";
        bins += &bin(size);
    }
    for (k, (size, form)) in OBJECTS.iter().enumerate().take(count) {
        let size = &SIZES[*size];
        let shape = match form {
            Form::Box => {
                format!("type=\"box\" size=\"{0:.5} {0:.5} {1}\"", 0.5 * size.area.sqrt(), size.half)
            }
            Form::Disc => format!("type=\"cylinder\" size=\"{:.5} {}\"", (size.area / PI).sqrt(), size.half),
            Form::Hexagon => format!("type=\"mesh\" mesh=\"hexagon_{}\"", size.name),
        };
        // Not in line, and turned.
        let (y, yaw) = ([0.0, 0.006, -0.008, 0.004, -0.003][k % 5], [0, 20, -35, 10, 50][k % 5]);
        let _ = writeln!(
            objects,
            "    <body name=\"{name}_{k}\" pos=\"{x:.3} {y} {z}\" euler=\"0 0 {yaw}\"><freejoint name=\"{name}_{k}\"/>\n      \
             <geom name=\"{name}_{k}\" {shape} density=\"600\" rgba=\"{color} 1\">{soft}</geom></body>",
            name = size.name,
            x = -0.22 - GAP * k as f64,
            z = 0.3 + size.half,
            color = size.color,
            soft = soft(2e5),
        );
    }
    let half = 0.15 + 0.5 * GAP * count as f64;
    format!(
        r#"<!-- A paddle that sorts by contact area: two belts bring objects of three sizes, one by one. Written by
     `stiction reproduce sorting`, which also has the controller; without it the objects pile up on the paddle.
     Look for: the patch under each object as it comes to rest. -->
<mujoco model="sorting">
  <option timestep="0.002"/>
  <visual><global azimuth="150" elevation="-30"/></visual>
  <statistic center="-0.02 0 0.22" extent="0.3"/>
  <default>
    <geom friction="0.5"/>
    <default class="show"><geom contype="0" conaffinity="0" mass="0"/></default>
  </default>
  <asset>
{meshes}  </asset>
  <worldbody>
    <geom name="slow_belt" type="box" pos="{slow:.4} 0 0.285" size="{half:.4} 0.05 0.015" surfacevel="{SLOW} 0 0" rgba="0.2 0.2 0.23 1"/>
    <geom name="fast_belt" type="box" pos="-0.12 0 0.285" size="0.049 0.05 0.015" surfacevel="{FAST} 0 0" rgba="0.36 0.26 0.3 1"/>
    <geom class="show" name="post" type="cylinder" pos="0 0 0.19" size="0.008 0.07" rgba="0.4 0.43 0.47 1"/>
    <geom class="show" name="table" type="box" pos="-0.3 0 0.104" size="0.58 0.26 0.006" rgba="0.8 0.8 0.78 1"/>
{bins}    <body name="paddle" pos="0 0 0.276">
      <joint name="pitch" type="hinge" axis="0 1 0" armature="1e-4"/>
      <joint name="roll" type="hinge" axis="1 0 0" armature="1e-4"/>
      <geom name="paddle" type="box" size="0.055 0.055 0.005" mass="0.05" rgba="0.93 0.88 0.72 1">{foam}</geom>
      <geom class="show" type="box" pos="0 0 -0.006" size="0.05 0.05 0.0012" rgba="0.5 0.53 0.57 1"/>
    </body>
{objects}  </worldbody>
  <actuator>
    <position name="pitch" joint="pitch" kp="20" kv="0.3"/>
    <position name="roll" joint="roll" kp="20" kv="0.3"/>
  </actuator>
</mujoco>
"#,
        slow = -0.17 - half,
        foam = soft(5e4),
    )
}

/// The direction in which a size's bin lies: down the tipped paddle.
fn towards(size: &Size) -> [f64; 2] {
    [size.tip[0], -size.tip[1]]
}

/// A floor and four walls, the one towards the paddle lower.
fn bin(size: &Size) -> String {
    let [begin, half, wide] = BIN;
    let [ux, uy] = towards(size);
    let wall = |along: f64, across: f64, extents: [f64; 2], z: f64, high: f64, name: &str| {
        let (x, y) = (along * ux - across * uy, along * uy + across * ux);
        let [sx, sy] = if ux == 0.0 { [extents[1], extents[0]] } else { extents };
        format!(
            "    <geom {name}type=\"box\" pos=\"{x:.4} {y:.4} {z}\" size=\"{sx} {sy} {high}\" rgba=\"{} 0.45\"/>\n",
            size.color
        )
    };
    let (middle, thin) = (begin + half, 0.002);
    wall(middle, 0.0, [half, wide], 0.117, 0.003, &format!("name=\"bin_{}\" ", size.name))
        + &wall(begin, 0.0, [thin, wide], 0.14, 0.02, "")
        + &wall(begin + 2.0 * half, 0.0, [thin, wide], 0.155, 0.035, "")
        + &wall(middle, wide, [half, thin], 0.155, 0.035, "")
        + &wall(middle, -wide, [half, thin], 0.155, 0.035, "")
}

/// What the paddle is doing, since when (s).
#[derive(Clone, Copy)]
enum Doing {
    /// Waits for an area that stays.
    Waits(f64),
    /// Tips for a size; the time is also that at which it last felt something.
    Tips(usize, f64, f64),
    /// Comes back.
    Returns(f64),
}

/// The controller: area in, angles out.
struct Sorter {
    doing: Doing,
    last: f64,
    /// What it decided: when, on which area, for which size.
    decisions: Vec<(f64, f64, usize)>,
}

impl Sorter {
    fn target(&mut self, time: f64, area: f64) -> [f64; 2] {
        let changed = (area - self.last).abs() > 0.02 * area;
        self.last = area;
        self.doing = match self.doing {
            Doing::Waits(_) if area < 1e-4 || changed => Doing::Waits(time),
            Doing::Waits(since) if time - since > STILL => {
                let size = BETWEEN.iter().filter(|b| area > **b).count();
                self.decisions.push((time, area, size));
                Doing::Tips(size, time, time)
            }
            Doing::Tips(size, since, felt) => {
                let felt = if area > 0.0 { time } else { felt };
                if time - since > TIPPED && time - felt > 0.05 {
                    Doing::Returns(time)
                } else {
                    Doing::Tips(size, since, felt)
                }
            }
            Doing::Returns(since) if time - since > BACK => Doing::Waits(time),
            unchanged => unchanged,
        };
        match self.doing {
            Doing::Tips(size, ..) => SIZES[size].tip.map(|t| TIP * t),
            _ => [0.0; 2],
        }
    }
}

/// What is seen at a time: time (s), area (m²), pitch and roll (rad).
type Seen = [f64; 4];

/// How a run went.
struct Sorted {
    seen: Vec<Seen>,
    decisions: Vec<(f64, f64, usize)>,
    /// Where each object ended: the index of its bin, if it is in one.
    bins: Vec<Option<usize>>,
}

fn perform(stage: &mut Stage, count: usize) -> Result<Sorted, Failure> {
    let end = 2.5 + GAP / SLOW * count as f64;
    let paddle = stage.sim.model().geom_index("paddle").map_err(Failure::work)?;
    let mut sorter = Sorter { doing: Doing::Waits(0.0), last: 0.0, decisions: Vec::new() };
    let mut seen = Vec::new();
    stage.run(end, PERIOD, |sim| {
        let time = sim.state().time;
        // Its only measurement.
        let touches = |p: &stiction::contact::PatchView| p.geom_a == paddle || p.geom_b == paddle;
        let area: f64 = sim.patch_views().filter(touches).map(|p| p.area).sum();
        let target = sorter.target(time, area);
        let most = RATE * PERIOD;
        for (ctrl, target) in sim.state_mut().ctrl.iter_mut().zip(target) {
            *ctrl += (target - *ctrl).clamp(-most, most);
        }
        let q = &sim.state().q;
        seen.push([time, area, q[0], q[1]]);
        Ok(true)
    })?;
    let bins = (0..count).map(|k| bin_of(&stage.sim, k)).collect();
    Ok(Sorted { seen, decisions: sorter.decisions, bins })
}

/// The bin that object `k` lies in. The paddle's two coordinates come first.
fn bin_of(sim: &Simulation, k: usize) -> Option<usize> {
    let p = &sim.state().q[2 + 7 * k..5 + 7 * k];
    let [begin, half, wide] = BIN;
    SIZES.iter().position(|size| {
        let [ux, uy] = towards(size);
        let (along, across) = (p[0] * ux + p[1] * uy, p[1] * ux - p[0] * uy);
        along > begin && along < begin + 2.0 * half && across.abs() < wide && p[2] > 0.12 && p[2] < 0.19
    })
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let count = if study.quick { 3 } else { OBJECTS.len() };
    let text = scene(count);
    let model = load(&text)?;
    let ways = [Way::Continuous(1e-4), Way::Discrete(2e-3)];
    let (mut runs, mut performances) = (Vec::new(), Vec::new());
    for way in ways {
        let recording = format!("sorting-{}", way.name());
        let mut stage = Stage::new(study, &model, way, Some(&recording))?;
        let sorted = perform(&mut stage, count)?;
        check(&mut outcome, way.name(), &sorted, count);
        runs.push(sorted);
        performances.push(stage.finish()?);
    }
    outcome.notes += &decisions(&ways, &runs);
    account(study, &mut outcome, performances, 300.0, "PFC 5.3.5: about four hours; aim: five minutes");
    figures(&mut outcome, &runs);
    outcome.scenes.push(("sorting", scene(OBJECTS.len())));
    Ok(outcome)
}

fn check(outcome: &mut Outcome, name: &str, sorted: &Sorted, count: usize) {
    let claim = "PFC 5.3.3";
    let right = sorted.bins.iter().zip(OBJECTS).filter(|(bin, (size, _))| **bin == Some(*size)).count();
    let checks = &mut outcome.checks;
    checks.push(Check::within(
        format!("{name}: objects in the bin of their size, of {count}"),
        right as f64,
        count as f64,
        0.0,
        claim,
    ));
    checks.push(Check::within(
        format!("{name}: decisions of the paddle"),
        sorted.decisions.len() as f64,
        count as f64,
        0.0,
        "one for each object",
    ));
    let off = sorted.decisions.iter().zip(OBJECTS).map(|(d, (size, _))| (d.1 / SIZES[size].area - 1.0).abs());
    checks.push(Check::at_most(
        format!("{name}: areas that were felt, largest relative deviation from the faces'"),
        off.fold(0.0, f64::max),
        0.05,
        "the area of the face an object lies on",
    ));
}

fn decisions(ways: &[Way], runs: &[Sorted]) -> String {
    let mut text = String::from("| object |");
    for way in ways {
        let _ = write!(text, " {0}: felt (mm²) | {0}: bin |", way.name());
    }
    text += "\n|---|";
    text += &"---|---|".repeat(ways.len());
    for (k, (size, form)) in OBJECTS.iter().enumerate().take(runs[0].bins.len()) {
        let form = match form {
            Form::Box => "box",
            Form::Disc => "disc",
            Form::Hexagon => "hexagon",
        };
        let _ = write!(text, "\n| {} {form}, {:.0} mm² |", SIZES[*size].name, 1e6 * SIZES[*size].area);
        for run in runs {
            let felt = run.decisions.get(k).map_or(f64::NAN, |d| 1e6 * d.1);
            let bin = run.bins[k].map_or("none", |b| SIZES[b].name);
            let _ = write!(text, " {felt:.0} | {bin} |");
        }
    }
    text
}

fn figures(outcome: &mut Outcome, runs: &[Sorted]) {
    let mut table = Table::new(
        "sorting",
        &[
            "time_s",
            "area_continuous_mm2",
            "area_discrete_mm2",
            "pitch_continuous_deg",
            "pitch_discrete_deg",
            "roll_continuous_deg",
            "roll_discrete_deg",
        ],
    );
    for (c, d) in runs[0].seen.iter().zip(&runs[1].seen) {
        let mut row = vec![c[0], 1e6 * c[1], 1e6 * d[1]];
        row.extend([c[2], d[2], c[3], d[3]].map(f64::to_degrees));
        table.rows.push(row);
    }
    let series = |label: &str, column: usize, look: Look, color: [u8; 3]| {
        Series::new(label, look, color, table.rows.iter().map(|r| [r[0], r[column]]).collect())
    };
    let end = table.rows.last().map_or(1.0, |r| r[0]);
    let mut panels = vec![Panel {
        title: "What the paddle feels".into(),
        x: Axis::linear("time (s)"),
        y: Axis::linear("contact area (mm²)").over(-50.0, 2900.0),
        series: vec![
            series("continuous", 1, Look::Line, color::BLUE),
            series("discrete", 2, Look::Dashed, color::VERMILLION),
        ],
        legend: Corner::TopRight,
    }];
    for between in BETWEEN {
        let line = vec![[0.0, 1e6 * between], [end, 1e6 * between]];
        panels[0].series.push(Series::new("", Look::Dotted, color::GREY, line));
    }
    panels.push(Panel {
        title: "What it does".into(),
        x: Axis::linear("time (s)"),
        y: Axis::linear("angle (degrees)").over(-50.0, 70.0),
        series: vec![
            series("pitch (large)", 4, Look::Line, color::GREEN),
            series("roll (small, medium)", 6, Look::Line, color::PURPLE),
        ],
        legend: Corner::TopRight,
    });
    outcome.tables.push(table);
    outcome.figures.push(Figure {
        name: "sorting",
        caption: "Sorting by contact area. Left: the area that the paddle feels, with the bounds between sizes. Right: how it \
                  tips, forwards for large objects, to the sides for small and medium ones."
            .into(),
        panels,
    });
}
