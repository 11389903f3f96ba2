//! Runs of the pile: the variants of the contact model, and quantities of each step.

use crate::failure::Failure;
use crate::worlds::published;
use stiction::convex::{Solver, SolverSettings};
use stiction::{ContactModel, Model, Options, Simulation, StepError};
use stiction_plot::{Shape as Glyph, color};

pub const DURATION: f64 = 3.0;
/// While objects fall and collide, until here, s.
pub const TRANSIENT: f64 = 1.2;
/// From here on they lie, or roll slowly, s.
pub const QUIET: f64 = 2.0;
/// Fig. 17 averages over the end of a run, s.
pub const LAST: f64 = 1.25;
pub const STEP: f64 = 2e-3;
/// Of the studies of stiffness, ICF X-A.
pub const LARGE_STEP: f64 = 5e-3;
pub const STEEL: f64 = 1e7;
pub const TOLERANCE: f64 = 1e-4;
pub const SIGMA: f64 = 1e-3;
pub const MARGIN: f64 = 1e-3;
/// Piles over which a small difference is averaged.
pub const PILES: usize = 8;

/// A contact model, and how its curves look.
pub struct Variant {
    pub name: &'static str,
    pub contact: ContactModel,
    pub sigma: f64,
    pub color: [u8; 3],
    pub glyph: Glyph,
}

pub const VARIANTS: [Variant; 4] = [
    Variant {
        name: "Lagged",
        contact: ContactModel::Lagged,
        sigma: 0.0,
        color: color::BLUE,
        glyph: Glyph::Circle,
    },
    Variant {
        name: "Similar",
        contact: ContactModel::Similar,
        sigma: 0.0,
        color: color::GREEN,
        glyph: Glyph::Triangle,
    },
    Variant {
        name: "SAP",
        contact: ContactModel::Sap,
        sigma: SIGMA,
        color: color::VERMILLION,
        glyph: Glyph::Square,
    },
    Variant {
        name: "Lagged, regularized",
        contact: ContactModel::Lagged,
        sigma: SIGMA,
        color: color::SKY,
        glyph: Glyph::Diamond,
    },
];
pub const LAGGED: usize = 0;
pub const SIMILAR: usize = 1;
pub const SAP: usize = 2;
pub const REGULARIZED: usize = 3;

/// Quantities of a step.
#[derive(Clone, Copy)]
pub struct Sample {
    pub time: f64,
    pub iterations: f64,
    /// Not a number where it was not asked for or nothing touches.
    pub condition: f64,
    /// Effective stiction tolerance, mean over the contacts that push, by the solver's own ε (with its γ_n0), m/s; not a number
    /// where the condition is not.
    pub tolerance: f64,
    /// Mean over the contacts that overlap, m.
    pub penetration: f64,
    /// Mean of its logarithm over the same contacts.
    pub log_penetration: f64,
}

/// A run of the pile.
pub struct Run {
    pub samples: Vec<Sample>,
    pub unconverged: u64,
    /// Objects that are outside of the box in the end, or below its floor.
    pub left: usize,
    /// The largest kinetic and potential energy that the objects had together, over that at the start.
    pub energy: f64,
    /// Why it ended early, if it did.
    pub failure: Option<StepError>,
}

impl Run {
    /// Penetration near the end, m: arithmetic mean over contacts and steps, as the paper's.
    pub fn penetration(&self) -> f64 {
        self.mean(DURATION - LAST, DURATION, |s| s.penetration)
    }

    /// The geometric mean. One sphere that rolls, in and out of its contacts, outweighs all that lie in the arithmetic mean of the
    /// stiffest piles.
    pub fn typical_penetration(&self) -> f64 {
        self.mean(DURATION - LAST, DURATION, |s| s.log_penetration).exp()
    }

    /// Geometric mean of the condition number.
    pub fn condition(&self, begin: f64, end: f64) -> f64 {
        self.mean(begin, end, |s| s.condition.ln()).exp()
    }

    /// Mean of a quantity over the steps from `begin` to `end` in which it is a number.
    pub fn mean(&self, begin: f64, end: f64, quantity: impl Fn(&Sample) -> f64) -> f64 {
        let within = self.samples.iter().filter(|s| s.time > begin && s.time <= end);
        let (mut sum, mut count) = (0.0, 0.0);
        for value in within.map(quantity).filter(|x| !x.is_nan()) {
            sum += value;
            count += 1.0;
        }
        sum / count
    }
}

/// A run of the pile; `every` how many steps the condition number is estimated.
pub fn pile(variant: &Variant, dt: f64, stiffness: f64, every: usize) -> Result<Run, Failure> {
    moved_pile(variant, dt, stiffness, every, 0)
}

/// How a pile is simulated.
#[derive(Clone, Copy)]
pub struct Setting {
    pub dt: f64,
    pub stiffness: f64,
    /// Steps from one estimate of the condition number to the next.
    pub every: usize,
    /// Another number is another pile.
    pub number: usize,
    /// Newton's method with the true Hessian, as published.
    pub exact: bool,
    /// Simulated time, s.
    pub until: f64,
}

/// The same with objects that start up to a millimetre elsewhere: another pile for another number.
pub fn moved_pile(
    variant: &Variant,
    dt: f64,
    stiffness: f64,
    every: usize,
    number: usize,
) -> Result<Run, Failure> {
    simulate(variant, &Setting { dt, stiffness, every, number, exact: false, until: DURATION })
}

/// A run.
pub fn simulate(variant: &Variant, setting: &Setting) -> Result<Run, Failure> {
    let Setting { dt, stiffness, every, number, exact, until } = *setting;
    let mut world = Model::from_scene("clutter").map_err(Failure::work)?.world().clone();
    for (k, body) in world.bodies.iter_mut().enumerate().filter(|(_, body)| !body.joints.is_empty()) {
        body.pose.translation.vector.x += 1e-3 * ((k * number) as f64).sin();
    }
    for geom in &mut world.geoms {
        geom.contact.stiffness = Some(2.0 * stiffness); // two in series
    }
    let model = Model::new(world).map_err(Failure::work)?;
    let options = Options {
        step: dt,
        contact: variant.contact,
        stiction_tolerance: TOLERANCE,
        regularization: variant.sigma,
        relative_tolerance: 1e-5,
        margin: MARGIN,
        exact_hessian: exact,
        ..published()
    };
    let mut simulation = Simulation::new(&model, options).map_err(Failure::work)?;
    let settings = SolverSettings { relative_tolerance: 1e-5, condition: true, ..SolverSettings::default() };
    let mut probe = Solver::new(settings).map_err(Failure::work)?;
    let steps = (until / dt).round() as usize;
    let total = |simulation: &mut Simulation| {
        let energy = simulation.energy();
        energy.kinetic + energy.potential
    };
    let before = total(&mut simulation);
    let mut run =
        Run { samples: Vec::with_capacity(steps), unconverged: 0, left: 0, energy: 0.0, failure: None };
    for k in 0..steps {
        if let Err(error) = simulation.step(1) {
            run.failure = Some(error);
            break;
        }
        let asked = k % every == every - 1;
        let (condition, tolerance) =
            if asked { probed(&mut probe, &simulation)? } else { (f64::NAN, f64::NAN) };
        run.energy = run.energy.max(total(&mut simulation) / before);
        let contacts = simulation.contacts();
        let depths = || contacts.iter().map(|c| c.penetration).filter(|x| *x > 0.0);
        run.samples.push(Sample {
            time: simulation.state().time,
            iterations: simulation.last_report().iterations as f64,
            condition,
            tolerance,
            penetration: mean(depths()),
            log_penetration: mean(depths().map(f64::ln)),
        });
    }
    run.unconverged = simulation.stats().unconverged;
    // Walls stand at ±0.4 m; positions of object b are q[7b…].
    let outside = |p: &&[f64]| p[0].abs() > 0.45 || p[1].abs() > 0.45 || p[2] < 0.0 || p[2] > 1.6;
    run.left = simulation.state().q.chunks(7).filter(outside).count();
    Ok(run)
}

/// Not a number for an empty sequence.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(s, n), x| (s + x, n + 1.0));
    sum / count
}

/// The largest condition number of the last step's islands, and the mean of the slip at which its pushing contacts go from sticking
/// to sliding: its problem solved again, from its solution.
fn probed(probe: &mut Solver, simulation: &Simulation) -> Result<(f64, f64), Failure> {
    let problem = simulation.last_problem();
    probe.solve(problem, &simulation.state().v).map_err(Failure::work)?;
    let touching = probe.island_reports().filter(|island| island.contacts > 0);
    let condition = touching.filter_map(|island| island.condition).fold(f64::NAN, f64::max);
    let slips = probe.transition_slips(problem);
    let pushing = slips.iter().zip(probe.contact_impulses()).filter(|(_, impulse)| impulse.norm() > 0.0);
    Ok((condition, mean(pushing.filter_map(|(slip, _)| *slip))))
}
