//! Runs of the pile: the variants of the contact model, and quantities of each step.

use crate::failure::Failure;
use crate::worlds::published;
use nalgebra::{Matrix3, Vector3};
use stiction::convex::{Solver, SolverSettings};
use stiction::{Contact, ContactModel, Model, Options, Simulation, StepError};
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
    /// Effective stiction tolerance, mean over the contacts, m/s.
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
    /// Why it ended early, if it did.
    pub failure: Option<StepError>,
}

impl Run {
    /// Penetration near the end, m: geometric mean over contacts and steps. One sphere that rolls, in and out of its
    /// contacts, would outweigh all that lie in the arithmetic mean of the stiffest piles.
    pub fn penetration(&self) -> f64 {
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

/// The same with objects that start up to a millimetre elsewhere: another pile for another number.
pub fn moved_pile(
    variant: &Variant,
    dt: f64,
    stiffness: f64,
    every: usize,
    number: usize,
) -> Result<Run, Failure> {
    let mut world = Model::from_scene("clutter").map_err(Failure::work)?.world().clone();
    for (k, body) in world.bodies.iter_mut().enumerate().filter(|(_, body)| !body.joints.is_empty()) {
        body.pose.translation.vector.x += 1e-3 * ((k * number) as f64).sin();
    }
    for geom in &mut world.geoms {
        geom.contact.stiffness = Some(2.0 * stiffness); // two in series
    }
    let masses: Vec<Mobility> = world.bodies.iter().map(Mobility::of).collect();
    let model = Model::new(world).map_err(Failure::work)?;
    let options = Options {
        step: dt,
        contact: variant.contact,
        stiction_tolerance: TOLERANCE,
        regularization: variant.sigma,
        relative_tolerance: 1e-5,
        margin: MARGIN,
        ..published()
    };
    let mut simulation = Simulation::new(&model, options).map_err(Failure::work)?;
    let settings = SolverSettings { relative_tolerance: 1e-5, condition: true, ..SolverSettings::default() };
    let mut probe = Solver::new(settings).map_err(Failure::work)?;
    let steps = (DURATION / dt).round() as usize;
    let mut run = Run { samples: Vec::with_capacity(steps), unconverged: 0, failure: None };
    for k in 0..steps {
        if let Err(error) = simulation.step(1) {
            run.failure = Some(error);
            break;
        }
        let asked = k % every == every - 1;
        let condition = if asked { condition(&mut probe, &simulation)? } else { f64::NAN };
        let contacts = simulation.contacts();
        let epsilon = |c: &Contact| {
            let impulse = dt * c.force.dot(&c.normal);
            let scaled = variant.sigma * delassus(c, &masses, &simulation.state().q) * impulse; // μ = 1
            if variant.contact == ContactModel::Sap { scaled } else { scaled.max(TOLERANCE) }
        };
        let pressed = |c: &&Contact| c.penetration > 0.0 && c.force.dot(&c.normal) > 0.0;
        let depths = || contacts.iter().map(|c| c.penetration).filter(|x| *x > 0.0);
        run.samples.push(Sample {
            time: simulation.state().time,
            iterations: simulation.last_report().iterations as f64,
            condition,
            tolerance: mean(contacts.iter().filter(pressed).map(epsilon)),
            penetration: mean(depths()),
            log_penetration: mean(depths().map(f64::ln)),
        });
    }
    run.unconverged = simulation.stats().unconverged;
    Ok(run)
}

/// Not a number for an empty sequence.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(s, n), x| (s + x, n + 1.0));
    sum / count
}

/// The largest condition number of the last step's islands: its problem solved again, from its solution.
fn condition(probe: &mut Solver, simulation: &Simulation) -> Result<f64, Failure> {
    let problem = simulation.last_problem();
    probe.solve(problem, &simulation.state().v).map_err(Failure::work)?;
    let touching = probe.island_reports().filter(|island| island.contacts > 0);
    Ok(touching.filter_map(|island| island.condition).fold(f64::NAN, f64::max))
}

/// Inverse mass and inverse moment of inertia; the objects are spheres and cubes, with one moment about all axes.
#[derive(Clone, Copy)]
struct Mobility(f64, f64);

impl Mobility {
    fn of(body: &stiction::model::Body) -> Self {
        if body.joints.is_empty() {
            return Self(0.0, 0.0);
        }
        Self(1.0 / body.inertia.mass, 1.0 / body.inertia.rotational[(0, 0)])
    }
}

/// w = ‖W‖_F/3 of the contact's own block W = Σ (1/m) 1 − [r]× I⁻¹ [r]× of the Delassus matrix, 1/kg. Body b > 0 is
/// object b of the scene, with positions q[7(b−1)…].
fn delassus(contact: &Contact, masses: &[Mobility], q: &[f64]) -> f64 {
    let mut block = Matrix3::zeros();
    for body in [contact.body_a, contact.body_b].into_iter().filter(|&b| b > 0) {
        let Mobility(mass, moment) = masses[body];
        let at = 7 * (body - 1);
        let r = contact.position - Vector3::new(q[at], q[at + 1], q[at + 2]);
        block +=
            Matrix3::from_diagonal_element(mass + moment * r.norm_squared()) - moment * r * r.transpose();
    }
    block.norm() / 3.0
}
