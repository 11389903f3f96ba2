//! Small worlds built in code, with the settings the papers' cases share.

use crate::failure::Failure;
use crate::numerics::Trajectory;
use crate::report::Table;
use nalgebra::{Matrix3, Vector3};
use stiction::model::{Body, ContactProperties, Geom, Inertia, Joint, JointKind, Shape, World};
use stiction::{ContactModel, Model, Options, Simulation, Sticking};
use stiction_plot::{Axis, Corner, Panel, color};

/// Default gravity, m/s².
pub const GRAVITY: f64 = 9.81;

/// Adds a body that moves freely, at `height` over the origin, with diagonal inertia about its centre.
pub fn free_body(world: &mut World, name: &str, height: f64, mass: f64, inertia: Vector3<f64>) -> usize {
    let mut body = Body::new(name, 0);
    body.pose.translation.vector.z = height;
    body.joints.push(Joint::new(format!("{name} joint"), JointKind::Free));
    body.inertia = Inertia { mass, com: Vector3::zeros(), rotational: Matrix3::from_diagonal(&inertia) };
    world.bodies.push(body);
    world.bodies.len() - 1
}

/// Adds a geom with these contact properties.
pub fn geom(world: &mut World, name: &str, body: usize, shape: Shape, contact: ContactProperties) {
    let mut geom = Geom::new(name, body, shape);
    geom.contact = contact;
    world.geoms.push(geom);
}

/// Point contact of two equal geoms whose pair has stiffness `k`, dissipation `d`, relaxation time `tau`.
pub fn point_contact(k: f64, d: f64, tau: f64, friction: f64) -> ContactProperties {
    ContactProperties {
        stiffness: Some(2.0 * k), // two in series make k
        dissipation: Some(d),
        relaxation_time: Some(0.5 * tau), // two add up to tau
        static_friction: Some(friction),
        dynamic_friction: Some(friction),
        ..ContactProperties::default()
    }
}

/// The convex step as it is published: one solve, in which friction lags and nothing is felt before bodies overlap.
pub fn published() -> Options {
    Options {
        friction_passes: 0,
        speculative: false,
        limit_stiffness: false,
        tangential_springs: Sticking::Damped,
        ..Options::default()
    }
}

/// Settings of ICF section IX: v_s = 1e-4 m/s fixed for Lagged and Similar, σ = 1e-3 for SAP.
pub fn icf_options(contact: ContactModel, step: f64) -> Options {
    let regularization = if contact == ContactModel::Sap { 1e-3 } else { 0.0 };
    Options {
        step,
        contact,
        regularization,
        stiction_tolerance: 1e-4,
        relative_tolerance: 1e-10,
        ..published()
    }
}

/// A simulation of a world.
pub fn simulation(world: World, options: Options) -> Result<Simulation, Failure> {
    let model = Model::new(world).map_err(Failure::work)?;
    Simulation::new(&model, options).map_err(Failure::work)
}

/// One step, which must converge.
pub fn step(simulation: &mut Simulation) -> Result<(), Failure> {
    simulation.step(1).map_err(Failure::work)?;
    if simulation.last_report().converged {
        return Ok(());
    }
    Err(Failure::work(format!("the step to {} s did not converge", simulation.state().time)))
}

/// The three models of ICF, with the colour and the name they have in every figure.
pub const MODELS: [(ContactModel, &str, [u8; 3]); 3] = [
    (ContactModel::Lagged, "Lagged", color::BLUE),
    (ContactModel::Similar, "Similar", color::GREEN),
    (ContactModel::Sap, "SAP", color::VERMILLION),
];

/// What a contact of a planar case did in a step: speeds of B's surface relative to A's and forces on B, x along the
/// slip, z normal.
#[derive(Clone, Copy)]
pub struct Sample {
    /// Time at the end of the step, s.
    pub time: f64,
    /// Position of the body, x and z, m.
    pub place: [f64; 2],
    /// Slip and normal velocity, m/s.
    pub velocity: [f64; 2],
    /// Friction and normal force, N.
    pub force: [f64; 2],
}

/// The present sample of a free body 1 on a surface whose velocity in x is `belt`; `radius` is the distance of the contact
/// below the body's centre.
pub fn sample(simulation: &Simulation, belt: f64, radius: f64) -> Sample {
    let state = simulation.state();
    let force: Vector3<f64> = simulation.contacts().iter().map(|c| c.force).sum();
    // v of the contact point: ω × (0, 0, −radius) = (−ω_y radius, …)
    let slip = state.v[0] - state.v[4] * radius - belt;
    Sample {
        time: state.time,
        place: [state.q[0], state.q[2]],
        velocity: [slip, state.v[2]],
        force: [force.x, force.z],
    }
}

/// Positions of samples, from `start` on.
pub fn trajectory(start: [f64; 2], samples: &[Sample], step: f64) -> Trajectory {
    let places = samples.iter().map(|s| s.place);
    Trajectory { step, samples: std::iter::once(start).chain(places).map(|p| p.to_vec()).collect() }
}

/// A table of the motion of a body in the x-z plane.
pub fn motion_table(name: &'static str, samples: &[Sample]) -> Table {
    let columns =
        ["time_s", "x_m", "z_m", "slip_m_per_s", "normal_velocity_m_per_s", "friction_N", "normal_N"];
    let mut table = Table::new(name, &columns);
    let row = |s: &Sample| {
        vec![s.time, s.place[0], s.place[1], s.velocity[0], s.velocity[1], s.force[0], s.force[1]]
    };
    table.rows = samples.iter().map(row).collect();
    table
}

/// Panels for slip, normal velocity and normal force against time.
pub fn motion_panels() -> [Panel; 3] {
    [
        ("Slip", "slip velocity (m/s)"),
        ("Normal velocity", "normal velocity (m/s)"),
        ("Normal force", "normal force (N)"),
    ]
    .map(|(title, label)| Panel {
        title: title.into(),
        x: Axis::linear("time (s)"),
        y: Axis::linear(label),
        series: Vec::new(),
        legend: Corner::TopRight,
    })
}
