//! ICF Table I: what each convex approximation of contact does to the physics, every cell measured.
//!
//! A body that can only translate touches the ground with a sphere. One step from a chosen penetration x0, slip v_t and
//! normal velocity v_n gives one value of the contact law of the model; derivatives and roots of the law give the cells:
//!
//! ```text
//!     consistent          f_n at δt → 0 over k x0 (1 − d v_n), or k (x0 − τ_d v_n) for SAP, while sliding
//!     strongly coupled    ‖f_t‖ over μ f_n in a step in which f_n doubles
//!     gliding             the distance up to which there is force, while sliding with v_n = 0
//!     stiffness           ∂f_n/∂x0 while sliding
//!     dissipation         −(∂f_n/∂v_n)/f_n while sliding; over ∂f_n/∂x0 for SAP
//!     transition slip     where ‖f_t‖ reaches μ f_n: 1/√2 of it for the soft norms, all of it for SAP
//! ```

use crate::Reproduction;
use crate::failure::Failure;
use crate::report::{Check, Outcome, Study, number};
use crate::worlds::{MODELS, free_body, geom, point_contact, published, simulation, step};
use nalgebra::Vector3;
use std::fmt::Write;
use stiction::model::{Joint, JointKind, Shape, World};
use stiction::{ContactModel, Options};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "table-1",
    summary: "Consistency, coupling, gliding, compliance and transition slip of the three models (ICF Table I)",
    claim: "ICF Table I: SAP and Similar couple friction and normal force strongly but are not consistent, Lagged is consistent but \
            not strongly coupled. While sliding SAP glides at μ(δt + τ_d)‖v_t‖ and Similar at μδt‖v_t‖; SAP has stiffness \
            k/(1 + μ̃²) with μ̃² = μ²R_t/R_n, Similar k(1 + μd‖v_t‖) and dissipation d/(1 + μd‖v_t‖). Slip becomes stiction at σwμγ_n \
            with SAP, at v_s with the others.",
    run,
};

const FRICTION: f64 = 0.7;
const STIFFNESS: f64 = 1e6;
const DISSIPATION: f64 = 20.0;
const RELAXATION: f64 = 1e-3;
const STICTION_TOLERANCE: f64 = 1e-4;
/// A depth, a slip, and a mass that a step does not move: m, m/s, kg.
const DEPTH: f64 = 1e-4;
const SLIP: f64 = 0.5;
const HEAVY: f64 = 1e6;

/// A body with which the law is probed.
#[derive(Clone, Copy)]
struct Probe {
    contact: ContactModel,
    step: f64,
    mass: f64,
    /// σ of SAP.
    sigma: f64,
}

/// A value of the law.
struct Law {
    /// Friction, N.
    tangential: f64,
    /// Normal force, N.
    normal: f64,
    /// Slip at the end of the step, m/s.
    slip: f64,
}

impl Probe {
    fn law(&self, depth: f64, slip: f64, normal_velocity: f64) -> Result<Law, Failure> {
        const RADIUS: f64 = 0.1;
        let mut world = World::new("probe");
        world.options.gravity = Vector3::zeros();
        let body = free_body(&mut world, "probe", RADIUS, self.mass, Vector3::repeat(self.mass));
        let slide = |(name, axis): (&str, Vector3<f64>)| Joint::new(name, JointKind::Slide { axis });
        let axes = [("x", Vector3::x()), ("y", Vector3::y()), ("z", Vector3::z())];
        world.bodies[body].joints = axes.map(slide).into();
        let contact = point_contact(STIFFNESS, DISSIPATION, RELAXATION, FRICTION);
        geom(&mut world, "ground", 0, Shape::HalfSpace { size: [0.0; 2] }, contact);
        geom(&mut world, "probe", body, Shape::Sphere { radius: RADIUS }, contact);
        let options = Options {
            step: self.step,
            contact: self.contact,
            stiction_tolerance: STICTION_TOLERANCE,
            regularization: if self.contact == ContactModel::Sap { self.sigma } else { 0.0 },
            relative_tolerance: 1e-14,
            margin: RADIUS,
            ..published()
        };
        let mut sim = simulation(world, options)?;
        sim.state_mut().q[2] = -depth;
        sim.state_mut().v.copy_from_slice(&[slip, 0.0, normal_velocity]);
        step(&mut sim)?;
        let force: Vector3<f64> = sim.contacts().iter().map(|c| c.force).sum();
        Ok(Law { tangential: force.x.abs(), normal: force.z, slip: sim.state().v[0].abs() })
    }

    /// w for a body of this mass that translates: ‖J diag(A)⁻¹ Jᵀ‖_F/3 with J = 1.
    fn delassus(&self) -> f64 {
        3f64.sqrt() / (3.0 * self.mass)
    }
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let mut text = String::from(
        "Table I as measured:\n\n\
         | model | f_n over the physical law | ‖f_t‖ over μ f_n when f_n doubles | gliding (m) | stiffness / k | dissipation / \
         (d or τ_d) | transition slip (m/s) | G_t (eq. 43) |\n|---|---|---|---|---|---|---|---|\n",
    );
    for (contact, name, _) in MODELS {
        study.say(name);
        let cells = [
            consistency(contact)?,
            coupling(contact)?,
            gliding(contact)?,
            stiffness(contact)?,
            dissipation(contact)?,
            transition(contact)?,
            rest_stiffness(contact)?,
        ];
        let values: Vec<String> = cells.iter().map(|c| number(c.value)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {name} | {} |", values.join(" | "));
        let named = |c: Check| Check { metric: format!("{name}: {}", c.metric), ..c };
        outcome.checks.extend(cells.into_iter().map(named));
    }
    outcome.notes = text;
    Ok(outcome)
}

/// A check relative to what is expected.
fn cell(metric: &str, value: f64, expected: f64, relative: f64, source: &str) -> Check {
    Check::within(metric, value, expected, relative * expected.abs(), &format!("ICF Table I: {source}"))
}

/// How much Similar stiffens while sliding.
fn modulation() -> f64 {
    1.0 + FRICTION * DISSIPATION * SLIP
}

fn consistency(contact: ContactModel) -> Result<Check, Failure> {
    let probe = Probe { contact, step: 1e-9, mass: HEAVY, sigma: 1e-3 };
    let approach = -0.01;
    let law = probe.law(DEPTH, SLIP, approach)?;
    let hunt_crossley = STIFFNESS * DEPTH * (1.0 - DISSIPATION * approach);
    let linear = STIFFNESS * (DEPTH - RELAXATION * approach);
    let (physical, expected, source) = match contact {
        ContactModel::Lagged => (hunt_crossley, 1.0, "consistent"),
        // (1 − d (v_n − μ v_t))/(1 − d v_n)
        ContactModel::Similar => (
            hunt_crossley,
            1.0 + DISSIPATION * FRICTION * SLIP / (1.0 - DISSIPATION * approach),
            "not consistent; the law with v_n − μ‖v_t‖ for v_n",
        ),
        ContactModel::Sap => (
            linear,
            1.0 + RELAXATION * FRICTION * SLIP / (DEPTH - RELAXATION * approach),
            "not consistent; the law with v_n − μ‖v_t‖ for v_n",
        ),
    };
    let metric = "normal force while sliding, δt → 0, over the physical law";
    Ok(cell(metric, law.normal / physical, expected, 1e-3, source))
}

fn coupling(contact: ContactModel) -> Result<Check, Failure> {
    // In a step of 1 ms an approach at 0.1 m/s adds the depth that is there.
    let probe = Probe { contact, step: 1e-3, mass: HEAVY, sigma: 1e-3 };
    let law = probe.law(DEPTH, SLIP, -DEPTH / probe.step)?;
    let (expected, source) = match contact {
        ContactModel::Lagged => {
            (0.5, "not strongly coupled; friction of the force at the beginning of the step")
        }
        _ => (1.0, "strongly coupled"),
    };
    let metric = "friction over μ times the normal force, in a step in which that doubles";
    Ok(cell(metric, law.tangential / (FRICTION * law.normal), expected, 1e-3, source))
}

fn gliding(contact: ContactModel) -> Result<Check, Failure> {
    let probe = Probe { contact, step: 1e-2, mass: HEAVY, sigma: 1e-3 };
    // Where the force ends: bisection on the distance.
    let (mut low, mut high) = (-1e-3, 0.05);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if probe.law(-middle, SLIP, 0.0)?.normal > 0.0 { low = middle } else { high = middle }
    }
    let metric = "gliding height, δt = 10 ms (m)";
    Ok(match contact {
        ContactModel::Lagged => Check::within(metric, low, 0.0, 1e-9, "ICF Table I: none"),
        ContactModel::Similar => cell(metric, low, FRICTION * probe.step * SLIP, 1e-3, "μδt‖v_t‖"),
        ContactModel::Sap => {
            cell(metric, low, FRICTION * (probe.step + RELAXATION) * SLIP, 1e-3, "μ(δt + τ_d)‖v_t‖")
        }
    })
}

fn stiffness(contact: ContactModel) -> Result<Check, Failure> {
    // σ and δt so large that SAP's μ̃² is of order one.
    let probe = Probe { contact, step: 1e-3, mass: HEAVY, sigma: 1e6 };
    let (more, less) = (probe.law(1.01 * DEPTH, SLIP, 0.0)?, probe.law(0.99 * DEPTH, SLIP, 0.0)?);
    let slope = (more.normal - less.normal) / (0.02 * DEPTH) / STIFFNESS;
    let (expected, source) = match contact {
        ContactModel::Lagged => (1.0, "k"),
        ContactModel::Similar => (modulation(), "k(1 + μd‖v_t‖)"),
        ContactModel::Sap => {
            let normal = 1.0 / (probe.step * STIFFNESS * (probe.step + RELAXATION));
            let mu2 = FRICTION.powi(2) * probe.sigma * probe.delassus() / normal;
            (1.0 / (1.0 + mu2), "k/(1 + μ̃²), μ̃² = μ²R_t/R_n")
        }
    };
    Ok(cell("stiffness while sliding over k", slope, expected, 1e-3, source))
}

fn dissipation(contact: ContactModel) -> Result<Check, Failure> {
    let probe = Probe { contact, step: 1e-9, mass: HEAVY, sigma: 1e-3 };
    let speed = 1e-3;
    let (away, toward) = (probe.law(DEPTH, SLIP, speed)?.normal, probe.law(DEPTH, SLIP, -speed)?.normal);
    let slope = (toward - away) / (2.0 * speed);
    let force = 0.5 * (toward + away);
    let metric = "dissipation while sliding over d, τ_d for SAP";
    Ok(match contact {
        ContactModel::Lagged => cell(metric, slope / force / DISSIPATION, 1.0, 1e-3, "d"),
        ContactModel::Similar => {
            cell(metric, slope / force / DISSIPATION, 1.0 / modulation(), 1e-3, "d/(1 + μd‖v_t‖)")
        }
        ContactModel::Sap => cell(metric, slope / STIFFNESS / RELAXATION, 1.0, 1e-3, "τ_d"),
    })
}

/// Eq. 43: what friction resists slip with at rest, ‖γ_t‖/‖v_t‖, over μγ̃_n/v_s with v_s of Table I.
fn rest_stiffness(contact: ContactModel) -> Result<Check, Failure> {
    let sap = contact == ContactModel::Sap;
    let probe = Probe { contact, step: 1e-3, mass: if sap { 1.0 } else { HEAVY }, sigma: 1e-3 };
    // So slow that all laws are linear; a step in which the normal force doubles tells γ_n0 from γ_n.
    let law = probe.law(DEPTH, 1e-9, if sap { 0.0 } else { -DEPTH / probe.step })?;
    let normal = match contact {
        ContactModel::Lagged => STIFFNESS * DEPTH * (1.0 + DISSIPATION * DEPTH / probe.step),
        _ => law.normal,
    };
    let slip = if sap {
        probe.sigma * probe.delassus() * FRICTION * probe.step * law.normal
    } else {
        STICTION_TOLERANCE
    };
    let value = law.tangential / law.slip / (FRICTION * normal / slip);
    let source = "ICF eq. 43: G_t = μγ̃_n/v_s; γ̃_n of the step's beginning for Lagged";
    Ok(Check::within("G_t at rest over μγ̃_n/v_s", value, 1.0, 1e-3, source))
}

fn transition(contact: ContactModel) -> Result<Check, Failure> {
    // SAP's depends on the inertia, the others' does not.
    let sap = contact == ContactModel::Sap;
    let probe = Probe { contact, step: 1e-3, mass: if sap { 1.0 } else { HEAVY }, sigma: 1e-3 };
    let full = if sap { 1.0 - 1e-6 } else { std::f64::consts::FRAC_1_SQRT_2 };
    // Slip at the beginning of the step at which friction becomes full, by bisection; then the slip at its end.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let law = probe.law(DEPTH, middle, 0.0)?;
        if law.tangential < full * FRICTION * law.normal { low = middle } else { high = middle }
    }
    let law = probe.law(DEPTH, high, 0.0)?;
    let (expected, source) = if sap {
        (probe.sigma * probe.delassus() * FRICTION * probe.step * law.normal, "σwμγ_n")
    } else {
        (STICTION_TOLERANCE, "v_s")
    };
    Ok(cell("transition slip (m/s)", law.slip, expected, 1e-3, source))
}
