//! Central differences of whole steps, to compare derivatives with.
#![allow(dead_code)]

pub mod worlds;

use nalgebra::DMatrix;
use stiction::model::World;
use stiction::multibody::QuaternionStep;
use stiction::{ContactParameter, ContactProperty, Model, Options, Simulation, State, StepDerivatives};
pub use stiction_base::random::Random;

/// Random numbers over magnitudes.
pub trait Magnitudes {
    /// A power of ten between two exponents.
    fn power(&mut self, low: f64, high: f64) -> f64;
}

impl Magnitudes for Random {
    fn power(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.range(low, high))
    }
}

/// The outcome of one comparison.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Largest error of a column over its size.
    pub error: f64,
    /// Where it is.
    pub place: String,
    /// Columns compared.
    pub columns: usize,
    /// Columns along which the step has a kink within the reach of the difference: not compared.
    pub kinks: usize,
}

impl Comparison {
    pub fn take(&mut self, other: Comparison) {
        if other.error > self.error {
            (self.error, self.place) = (other.error, other.place);
        }
        self.columns += other.columns;
        self.kinks += other.kinks;
    }
}

/// State after one step, solved as tightly as rounding allows.
fn after(model: &Model, options: &Options, state: &State) -> State {
    let options = Options { relative_tolerance: 1e-13, ..options.clone() };
    let mut sim = Simulation::new(model, options).unwrap();
    *sim.state_mut() = state.clone();
    sim.step(1).unwrap();
    sim.state().clone()
}

/// [δq; δv; δact] from one state to another.
fn between(model: &Model, from: &State, to: &State) -> Vec<f64> {
    let mut out = vec![0.0; model.nv()];
    model.multibody().difference(&to.q, &from.q, &mut out);
    out.extend(to.v.iter().zip(&from.v).map(|(a, b)| a - b));
    out.extend(to.activation.iter().zip(&from.activation).map(|(a, b)| a - b));
    out
}

pub fn with_parameter(world: &World, parameter: ContactParameter, change: f64) -> Model {
    let mut world = world.clone();
    let contact = &mut world.geoms[parameter.geom.0].contact;
    let add = |x: &mut Option<f64>| *x = Some(x.expect("the test's geoms state every property") + change);
    match parameter.property {
        ContactProperty::Friction => {
            add(&mut contact.static_friction);
            add(&mut contact.dynamic_friction);
        }
        ContactProperty::StaticFriction => add(&mut contact.static_friction),
        ContactProperty::DynamicFriction => add(&mut contact.dynamic_friction),
        ContactProperty::Stiffness => add(&mut contact.stiffness),
        ContactProperty::Dissipation => add(&mut contact.dissipation),
        ContactProperty::RelaxationTime => add(&mut contact.relaxation_time),
        ContactProperty::Modulus => add(&mut contact.hydroelastic_modulus),
    }
    Model::new(world).unwrap()
}

/// Compares the derivatives of the step from `state` with differences of whole steps.
pub fn compare(
    model: &Model,
    options: &Options,
    state: &State,
    parameters: &[ContactParameter],
) -> Comparison {
    let mut sim = Simulation::new(model, options.clone()).unwrap();
    *sim.state_mut() = state.clone();
    let found = sim.step_derivatives(parameters).unwrap();
    let base = after(model, options, state);
    let (nv, na, nu) = (model.nv(), state.activation.len(), state.ctrl.len());
    let mut out = Comparison::default();
    let mut column = |name: &str, exact: &[f64], h: f64, moved: &dyn Fn(f64) -> State| {
        let side = |h: f64| between(model, &base, &moved(h));
        judge(name, exact, nv, h, &side, &mut out);
    };
    let at = |m: &DMatrix<f64>, c: usize| m.column(c).as_slice().to_vec();
    for j in 0..nv {
        column(&format!("q{j}"), &at(&found.state, j), 1e-6, &|h| {
            let (mut moved, mut unit) = (state.clone(), vec![0.0; nv]);
            unit[j] = 1.0;
            model.multibody().integrate(&state.q, &unit, h, QuaternionStep::Exponential, &mut moved.q);
            after(model, options, &moved)
        });
        column(&format!("v{j}"), &at(&found.state, nv + j), 1e-6, &|h| {
            let mut moved = state.clone();
            moved.v[j] += h;
            after(model, options, &moved)
        });
    }
    for j in 0..na {
        column(&format!("act{j}"), &at(&found.state, 2 * nv + j), 1e-4, &|h| {
            let mut moved = state.clone();
            moved.activation[j] += h;
            after(model, options, &moved)
        });
    }
    for j in 0..nu {
        column(&format!("u{j}"), &at(&found.ctrl, j), 1e-4, &|h| {
            let mut moved = state.clone();
            moved.ctrl[j] += h;
            after(model, options, &moved)
        });
    }
    for (j, &parameter) in parameters.iter().enumerate() {
        let contact = &model.world().geoms[parameter.geom.0].contact;
        let size = match parameter.property {
            ContactProperty::Stiffness => contact.stiffness.unwrap(),
            ContactProperty::Dissipation => contact.dissipation.unwrap(),
            ContactProperty::RelaxationTime => contact.relaxation_time.unwrap(),
            ContactProperty::Modulus => contact.hydroelastic_modulus.unwrap(),
            _ => 1.0,
        };
        // Long enough that the solver's error is negligible: 1e-13 of the momentum, and more for the velocities of
        // light bodies.
        let h = 1e-3 * size;
        // Per relative change, so that all columns are velocities.
        let exact: Vec<f64> = at(&found.parameters, j).iter().map(|x| x * size).collect();
        let name = format!("{} of {}", parameter.property.name(), parameter.geom.0);
        column(&name, &exact, h / size, &|h| {
            after(&with_parameter(model.world(), parameter, h * size), options, state)
        });
    }
    out
}

fn judge(name: &str, exact: &[f64], nv: usize, h: f64, side: &dyn Fn(f64) -> Vec<f64>, out: &mut Comparison) {
    let (plus, minus, plus2, minus2) = (side(h), side(-h), side(0.5 * h), side(-0.5 * h));
    let size = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    // Positions move by δt times velocities: judged apart.
    for rows in [0..nv, nv..exact.len()] {
        let pick = |f: &dyn Fn(usize) -> f64| rows.clone().map(f).collect::<Vec<f64>>();
        let up = pick(&|i| plus[i] / h);
        let down = pick(&|i| -minus[i] / h);
        let wide = pick(&|i| (plus[i] - minus[i]) / (2.0 * h));
        let narrow = pick(&|i| (plus2[i] - minus2[i]) / h);
        let best: Vec<f64> = wide.iter().zip(&narrow).map(|(w, n)| (4.0 * n - w) / 3.0).collect();
        let scale = size(&best).max(size(&exact[rows.clone()])).max(1e-3);
        let difference =
            |a: &[f64], b: &[f64]| size(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>());
        out.columns += 1;
        // Curvature lets the halves differ by h; a kink lets them differ whatever h is.
        let spread = difference(&wide, &narrow);
        if difference(&up, &down) > 0.05 * scale || spread > 1e-4 * scale {
            out.kinks += 1;
            continue;
        }
        // Rounding error of positions of order 1 over h, and error of both differences from the solver's tolerance.
        let noise = 5e-13 / h + 2.0 * spread;
        let error = (difference(&best, &exact[rows.clone()]) - noise).max(0.0) / scale;
        if error > out.error {
            out.error = error;
            out.place = format!(
                "{name} (spread {spread:.1e} of {scale:.1e}) rows {rows:?}: {:?} for {best:?}",
                &exact[rows.clone()]
            );
        }
    }
}

/// All derivatives as one matrix, to look at.
pub fn whole(found: &StepDerivatives) -> DMatrix<f64> {
    let (n, a, b) = (found.state.nrows(), found.state.ncols(), found.ctrl.ncols());
    let mut all = DMatrix::zeros(n, a + b);
    all.columns_mut(0, a).copy_from(&found.state);
    all.columns_mut(a, b).copy_from(&found.ctrl);
    all
}
