//! From a contact surface and a relative motion to a wrench: t = p n̂ + t_f on B (PFC eq. 5.19).

use super::damping::PairLaw;
use super::law::{KelvinVoigt, cutoff_friction, pressure, soft_friction};
use super::settings::{ContinuousOptions, TractionFriction};
use super::surface::SurfacePoint;
use crate::contact::patch_springs::{StiffnessSums, stretch};
use nalgebra::{Vector3, Vector6};
use stiction_convex::friction::blended_friction;

/// Power that contact and other forces exchange, W.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Flow {
    /// Of normal tractions on the relative motion.
    pub normal: f64,
    /// Of friction on the relative motion.
    pub friction: f64,
    /// Dissipated by normal damping, friction and tangential dampers; never negative.
    pub dissipated: f64,
    /// Of all other forces on the bodies: actuators, applied forces, joint damping, limits, prescribed motion.
    pub other: f64,
}

impl Flow {
    /// Self + k · other.
    pub fn add(&mut self, k: f64, other: &Flow) {
        self.normal += k * other.normal;
        self.friction += k * other.friction;
        self.dissipated += k * other.dissipated;
        self.other += k * other.other;
    }
}

/// Motion of B relative to A, world axes: angular velocity, and velocity at a reference point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelativeMotion {
    pub angular: Vector3<f64>,
    pub linear: Vector3<f64>,
    pub reference: Vector3<f64>,
}

impl RelativeMotion {
    fn at(&self, position: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(&(position - self.reference))
    }
}

/// Wrench and spring rates of a pair's surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// The centre of pressure, or the reference point if there is no pressure.
    pub center: Vector3<f64>,
    /// Moment about the centre and force on B.
    pub wrench: Vector6<f64>,
    /// ṡ in world axes.
    pub rate: Vector6<f64>,
    /// ∫ p dS, N.
    pub normal_force: f64,
    pub flow: Flow,
}

/// Sums the tractions over a surface. `s` is the state of the tangential springs in world axes. `pressures` is scratch.
/// `visit` is called for each point with its traction on B and its slip.
pub(crate) fn load(
    points: &[SurfacePoint],
    motion: &RelativeMotion,
    law: &PairLaw,
    options: &ContinuousOptions,
    cutoff: f64,
    s: &Vector6<f64>,
    pressures: &mut Vec<f64>,
    mut visit: impl FnMut(&SurfacePoint, &Vector3<f64>, &Vector3<f64>),
) -> Load {
    let (mut first, mut normal_force) = (Vector3::zeros(), 0.0);
    pressures.clear();
    for q in points {
        let p = pressure(q.pressure, law.chi, motion.at(&q.position).dot(&q.normal), options.adhesion);
        pressures.push(p);
        // Negative pressure (suction) causes no friction.
        let push = p.max(0.0) * q.area;
        normal_force += push;
        first += (q.position - motion.reference) * push;
    }
    let center = if normal_force > 0.0 { motion.reference + first / normal_force } else { motion.reference };
    let springs = match options.friction {
        TractionFriction::Springs(springs) => Some(springs),
        _ => None,
    };
    let stiffness = springs.and_then(|springs| {
        let mut sums = StiffnessSums::zero();
        for (q, p) in points.iter().zip(&*pressures).filter(|(_, p)| **p > 0.0) {
            sums.add(&(q.position - center), &q.normal, p * q.area / springs.stretch);
        }
        sums.finish()
    });
    let delta = stiffness.as_ref().map_or(Vector6::zeros(), |k| k.displacement(s));
    let (mut wrench, mut rub) = (Vector6::zeros(), Vector6::zeros());
    let mut flow = Flow::default();
    let mut pull = 0.0; // ∫ δ·t_f dS
    for (q, &p) in points.iter().zip(&*pressures) {
        let (arm, v) = (q.position - center, motion.at(&q.position));
        let v_n = v.dot(&q.normal);
        let v_t = v - q.normal * v_n;
        let push = p.max(0.0);
        let t_f = match options.friction {
            TractionFriction::Springs(springs) => {
                let gives = stretch(&delta, &arm, &q.normal);
                let k = push / springs.stretch; // PFC eq. 6.17, 6.18
                let element = KelvinVoigt { stiffness: k, damping: springs.relaxation_time * k };
                // The shell's slip selects the static or dynamic coefficient. It is not needed if they are equal.
                let mu = blended_friction(law.friction.0, law.friction.1, v_t.norm(), cutoff);
                let t_f = element.friction(&gives, &v_t, mu * push);
                pull += gives.dot(&t_f) * q.area;
                t_f
            }
            TractionFriction::Cutoff => {
                push * cutoff_friction(
                    blended_friction(law.friction.0, law.friction.1, v_t.norm(), cutoff),
                    &v_t,
                    cutoff,
                )
            }
            TractionFriction::Soft => {
                push * soft_friction(
                    blended_friction(law.friction.0, law.friction.1, v_t.norm(), cutoff),
                    &v_t,
                    cutoff,
                )
            }
        };
        let traction = p * q.normal + t_f;
        add_wrench(&mut wrench, &arm, &(traction * q.area));
        add_wrench(&mut rub, &arm, &(t_f * q.area));
        flow.normal += p * v_n * q.area;
        flow.friction += t_f.dot(&v_t) * q.area;
        flow.dissipated += (q.pressure - p) * v_n * q.area;
        visit(q, &traction, &v_t);
    }
    flow.dissipated -= flow.friction;
    let mut rate = Vector6::zeros();
    if let Some(springs) = springs {
        let tau = springs.relaxation_time;
        let drive = stiffness.map_or(Vector6::zeros(), |k| k.drive(&rub));
        rate = -(drive + s) / tau; // PFC eq. 6.26
        flow.dissipated += (pull + s.norm_squared()) / tau;
    }
    Load { center, wrench, rate, normal_force, flow }
}

fn add_wrench(sum: &mut Vector6<f64>, arm: &Vector3<f64>, force: &Vector3<f64>) {
    let moment = arm.cross(force);
    for k in 0..3 {
        sum[k] += moment[k];
        sum[3 + k] += force[k];
    }
}
