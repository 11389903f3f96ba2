//! Pulling a point of a body with the mouse: a damped spring between that point and a target, in every step until it is
//! released.

use nalgebra::{Point3, Vector3};
use stiction::multibody::Workspace;
use stiction::{Model, Simulation, StepError};

/// Natural frequency of the spring of a push, rad/s, and its damping ratio. It holds a body up 2.5 cm below the target.
const PUSH: (f64, f64) = (20.0, 0.7);
/// Stretch of that spring beyond which it pulls no harder, m.
const PUSH_STRETCH: f64 = 1.0;

/// A point of a body pulled towards a target.
#[derive(Clone, Copy)]
struct Push {
    body: usize,
    /// In the body frame, m.
    point: Vector3<f64>,
    /// In the world, m.
    target: Vector3<f64>,
    /// Mass that the spring is made for, kg.
    mass: f64,
}

/// The hand of the person at the page.
pub struct Hand {
    workspace: Workspace,
    push: Option<Push>,
    /// Generalised forces to put back after a pushed step.
    applied: Vec<f64>,
}

impl Hand {
    /// An empty hand, for simulations of this model and its variants.
    pub fn new(model: &Model) -> Self {
        Self { workspace: Workspace::new(model.multibody()), push: None, applied: Vec::new() }
    }

    /// Pulls a point of a body (in its frame, m) towards a target (in the world, m); the error is for the person at the page.
    pub fn push(
        &mut self,
        simulation: &Simulation,
        body: usize,
        point: [f64; 3],
        target: [f64; 3],
    ) -> Result<(), String> {
        let mass = moved_mass(simulation, body)?;
        self.push = Some(Push { body, point: point.into(), target: target.into(), mass });
        Ok(())
    }

    /// Lets go.
    pub fn release(&mut self) {
        self.push = None;
    }

    /// One step with the push, if there is one.
    pub fn step(&mut self, simulation: &mut Simulation) -> Result<(), StepError> {
        let Some(push) = self.push else { return simulation.step(1) };
        self.applied.clone_from(&simulation.state().applied);
        let (force, point) = self.pull(simulation, &push);
        let outcome = simulation.apply_force(push.body, force, point).map_err(Into::into);
        let outcome = outcome.and_then(|()| simulation.step(1));
        simulation.state_mut().applied.clone_from(&self.applied);
        outcome
    }

    /// Force of a push and the point it acts at, world: f = m (ω² stretch − 2 ζ ω v).
    fn pull(&mut self, simulation: &Simulation, push: &Push) -> (Vector3<f64>, Vector3<f64>) {
        let (model, multibody) = (simulation.model(), simulation.model().multibody());
        model.place(simulation.state(), &mut self.workspace);
        let point = (multibody.pose(&self.workspace, push.body) * Point3::from(push.point)).coords;
        let velocity = multibody.point_velocity(&self.workspace, push.body, &point);
        let stretch = (push.target - point).cap_magnitude(PUSH_STRETCH);
        // The force is constant over a step: softer where steps are long.
        let omega = PUSH.0.min(0.3 / simulation.last_report().step.max(1e-9));
        (push.mass * (omega * omega * stretch - 2.0 * PUSH.1 * omega * velocity), point)
    }
}

/// Mass of a body, or of the nearest one above it that has some.
fn moved_mass(simulation: &Simulation, body: usize) -> Result<f64, String> {
    let (multibody, bodies) = (simulation.model().multibody(), &simulation.model().world().bodies);
    let count = bodies.len();
    if body >= count {
        return Err(format!("there is no body {body}: the model has {count}"));
    }
    if multibody.body_tree(body).is_none() {
        return Err(format!("\"{}\" does not move", bodies[body].name));
    }
    let chain = std::iter::successors(Some(body), |&b| bodies[b].parent);
    Ok(chain.map(|b| multibody.body_mass(b)).find(|m| *m > 0.0).unwrap_or(1.0))
}
