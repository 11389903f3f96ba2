//! Beyond the paper: the compass walker, when its swing foot lands.
//!
//! Hip mass M, legs with a point mass m at b from the hip and a from the foot, l = a + b, legs at ±α. The stance foot rests on
//! the ground as the swing foot comes down. The model of the textbooks lets the swing foot take the whole impact and
//! keeps two angular momenta: of all about the landing foot, and of the old stance leg about the hip. That is the sequence
//! "swing foot alone", if the old stance foot then lifts off. Where it would instead be driven into the ground, the feet share,
//! and more than one outcome is possible (Remy 2017).

use crate::Reproduction;
use crate::failure::Failure;
use crate::impacts::{bound, largest_energy, largest_gap, set, worst_violation};
use crate::report::{Check, Outcome, Study, Table};
use nalgebra::{DMatrix, DVector, Matrix2, Vector2};
use stiction::rigid::contact::Instant;
use stiction_impact::{Origin, Outcomes, verdict};
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "compass-gait",
    summary: "A compass walker's step: when is the landing of the swing foot ambiguous?",
    claim: "Beyond the paper. M = 10 kg at the hip, m = 5 kg on each leg at a = b = 0.5 m, friction 1 (enough to stick): where the stance foot lifts off, the \
            landing is the one of the textbooks, two angular momenta kept; where it does not, the outcome is a set.",
    run,
};

const HIP: f64 = 10.0;
const LEG: f64 = 5.0;
const B: f64 = 0.5;
const L: f64 = 1.0;

/// Coordinates: hip x, hip z, angles of the stance and the swing leg (a leg at angle θ from the vertical, counter-clockwise positive,
/// has its foot at (sin θ, −cos θ) l from the hip).
struct Walker {
    alpha: f64,
    stance_rate: f64,
    swing_rate: f64,
    friction: f64,
}

/// Velocity rows of a point at `r` down a leg.
fn point(angle: f64, leg: usize, r: f64) -> [[f64; 4]; 2] {
    let (s, c) = angle.sin_cos();
    let mut rows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]];
    rows[0][2 + leg] = r * c;
    rows[1][2 + leg] = r * s;
    rows
}

impl Walker {
    /// The stance leg's foot is behind (left), the swing leg's in front.
    fn angles(&self) -> [f64; 2] {
        [-self.alpha, self.alpha]
    }

    fn instant(&self) -> Result<Instant, Failure> {
        let mut mass = DMatrix::zeros(4, 4);
        mass[(0, 0)] = HIP;
        mass[(1, 1)] = HIP;
        let mut jacobian = DMatrix::zeros(6, 4);
        for (leg, angle) in self.angles().into_iter().enumerate() {
            let rows = DMatrix::from_row_slice(2, 4, &point(angle, leg, B).concat());
            mass += LEG * rows.tr_mul(&rows);
            let foot = point(angle, leg, L);
            jacobian.row_mut(3 * leg).copy_from_slice(&foot[0]);
            jacobian.row_mut(3 * leg + 2).copy_from_slice(&foot[1]);
        }
        // The hip follows the stance foot, which rests.
        let foot = point(-self.alpha, 0, L);
        let (vx, vz) = (-foot[0][2] * self.stance_rate, -foot[1][2] * self.stance_rate);
        let v = DVector::from_vec(vec![vx, vz, self.stance_rate, self.swing_rate]);
        Instant::from_matrices(mass, jacobian, vec![Vector2::repeat(self.friction); 2], v)
            .map_err(Failure::work)
    }

    /// Rates (stance, swing leg) after the swing foot sticks alone, from the two angular momenta, with plain cross products.
    fn textbook(&self, v: &[f64]) -> Option<[f64; 2]> {
        let [stance, swing] = self.angles();
        let at = |angle: f64, r: f64| Vector2::new(r * angle.sin(), -r * angle.cos());
        let moved = |angle: f64, r: f64, hip: Vector2<f64>, rate: f64| {
            hip + rate * r * Vector2::new(angle.cos(), angle.sin())
        };
        let cross = |r: Vector2<f64>, p: Vector2<f64>| r.x * p.y - r.y * p.x;
        // About the landing foot, and of the stance leg about the hip.
        let momenta = |hip: Vector2<f64>, rates: [f64; 2]| {
            let foot = at(swing, L);
            let (p0, p1) = (at(stance, B), at(swing, B));
            let (v0, v1) = (moved(stance, B, hip, rates[0]), moved(swing, B, hip, rates[1]));
            let all = cross(-foot, HIP * hip) + cross(p0 - foot, LEG * v0) + cross(p1 - foot, LEG * v1);
            [all, cross(p0, LEG * v0)]
        };
        let before = momenta(Vector2::new(v[0], v[1]), [v[2], v[3]]);
        // After: the landing foot rests, so the hip moves with the swing leg.
        let after = |rates: [f64; 2]| {
            let hip = -rates[1] * L * Vector2::new(swing.cos(), swing.sin());
            momenta(hip, rates)
        };
        let (e0, e1) = (after([1.0, 0.0]), after([0.0, 1.0]));
        let matrix = Matrix2::new(e0[0], e1[0], e0[1], e1[1]);
        let rates = matrix.lu().solve(&Vector2::new(before[0], before[1]))?;
        Some([rates.x, rates.y])
    }
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let samples = if study.quick { 512 } else { 2048 };
    let mut outcome = Outcome::default();
    // A usual step: both legs turn so that the hip moves forward and the swing foot comes down.
    let (mut off, mut tried) = (0.0f64, 0);
    let mut table = Table::new(
        "compass-gait",
        &[
            "swing_rate_over_stance_rate",
            "spread",
            "stance_foot_after_least",
            "stance_foot_after_greatest",
            "alpha_deg",
        ],
    );
    let (mut energy, mut violation) = (0.0f64, 0.0f64);
    let mut panels = Vec::new();
    let mut unique_where_lifting = 0.0f64;
    let (mut gap, mut outside, mut undecided, mut unique) = (0.0f64, 0, 0, Vec::new());
    for (alpha, shade) in [(10.0, color::BLUE), (20.0, color::GREEN), (30.0, color::VERMILLION)] {
        let mut spread = Vec::new();
        for k in 0..=40 {
            let ratio = -2.0 + 0.1 * k as f64;
            let walker = Walker {
                alpha: f64::to_radians(alpha),
                stance_rate: -1.0,
                swing_rate: -ratio,
                friction: 1.0,
            };
            let instant = walker.instant()?;
            if instant.contact_velocity()[5] >= -1e-9 {
                continue;
            }
            let set = set(&instant, samples)?;
            let swing_only = (0..set.len()).find(|&i| set.origins[i] == Origin::Sequence(vec![1]));
            if let Some(i) = swing_only {
                // The textbook's case: the stance foot lifts off.
                let expected = walker.textbook(instant.velocity().as_slice());
                let Some(expected) = expected else { return Err(Failure::work("a singular walker")) };
                off = off
                    .max((set.velocity(i)[2] - expected[0]).abs())
                    .max((set.velocity(i)[3] - expected[1]).abs());
                tried += 1;
                unique_where_lifting = unique_where_lifting.max(set.ambiguity().spread);
            }
            let outer = bound(&set)?;
            gap = gap.max(largest_gap(&set, &outer)?);
            outside += u32::from(largest_gap(&set, &outer)? < 0.0);
            let answer = verdict(&set, Some(&outer)).map_err(Failure::work)?;
            undecided += u32::from(answer.name() == "unknown");
            if answer.name() == "unique" {
                unique.push([ratio, 0.0]);
            }
            energy = energy.max(largest_energy(&set));
            violation = violation.max(worst_violation(&set, 61));
            let stance = normal_range(&instant, &set);
            if answer.name() != "unique" {
                spread.push([ratio, set.ambiguity().spread]);
            }
            table.rows.push(vec![ratio, set.ambiguity().spread, stance[0], stance[1], alpha]);
        }
        panels.push(Series::new(format!("legs at ±{alpha}°"), Look::Joined(Shape::Circle), shade, spread));
    }
    let metric = format!("textbook steps ({tried}): largest error of a rate after (rad/s)");
    outcome.checks.push(Check::at_most(metric, off, 1e-10, "angular momenta about foot and hip"));
    outcome.checks.push(Check::at_least(
        "number of textbook steps",
        f64::from(tried),
        10.0,
        "the case occurs",
    ));
    let most = panels.iter().flat_map(|s| s.points.iter().map(|p| p[1])).fold(0.0, f64::max);
    outcome.checks.push(Check::at_least(
        "largest spread of a landing",
        most,
        0.05,
        "Remy 2017: ambiguous collisions",
    ));
    outcome.checks.push(Check::at_most(
        "largest kinetic energy after, over that before",
        energy,
        1.0,
        "MFI Lemma 5",
    ));
    outcome.checks.push(Check::at_most(
        "largest gap to the outer bound, over the set's width",
        gap,
        0.1,
        "the bound is tight here",
    ));
    outcome.checks.push(Check::at_most(
        "landings with an outcome outside the bound",
        f64::from(outside),
        0.0,
        "the bound is sound",
    ));
    outcome.checks.push(Check::at_most(
        "landings without a verdict",
        f64::from(undecided),
        0.0,
        "each is unique or ambiguous",
    ));
    let metric = "worst violation of the inclusion, relative";
    outcome.checks.push(Check::at_most(metric, violation, 1e-8, "the checker's tolerance"));
    outcome.notes = format!(
        "Where the textbook's sequence ends with the stance foot off the ground, the largest spread that other orders of impulses \
         leave is {unique_where_lifting:.3}."
    );
    panels.push(Series::new("proved unique", Look::Marks(Shape::Diamond), color::BLACK, unique));
    outcome.figures.push(Figure {
        name: "compass-gait",
        caption: "How ambiguous the landing of the swing foot is, over how fast the swing leg turns (in units of the stance leg's rate, \
                  positive if both turn the same way). Diamonds are landings with one outcome, proved by the outer bound."
            .into(),
        panels: vec![Panel {
            title: "landing of a compass walker".into(),
            x: Axis::linear("rate of the swing leg over that of the stance leg"),
            y: Axis::linear("spread of the outcomes"),
            series: panels,
            legend: Corner::TopLeft,
        }],
    });
    outcome.tables.push(table);
    Ok(outcome)
}

/// Range of the stance foot's normal velocity after.
fn normal_range(instant: &Instant, set: &Outcomes) -> [f64; 2] {
    let row: Vec<f64> = instant.jacobian().row(2).iter().copied().collect();
    let (low, high) = set.extremes(&row);
    [low.value, high.value]
}
