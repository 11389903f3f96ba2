//! Integration of a velocity, q ⊕ dt v, and its inverse, q₁ ⊖ q₀.
//!
//! Coordinates of hinges, screws, slides and the position of a free joint are added. Quaternions rotate by the
//! body-axes angular velocity, q̇ = ½ q ⊗ (0, ω), in one of two ways ([`QuaternionStep`]).

use crate::Multibody;
use crate::multibody::Motion;
use crate::spatial::{Quat, V3, exp, log, normalized, quat_mul};

/// Integration of a quaternion over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuaternionStep {
    /// Exactly, for a constant angular velocity in body axes: q ⊗ exp(dt ω).
    #[default]
    Exponential,
    /// Along the tangent, then normalised: (q + dt N(q) ω)/‖·‖, as Drake's discrete steps do. It rotates by 2
    /// atan(dt‖ω‖/2) instead of dt‖ω‖, which is smaller by (dt‖ω‖)³/12.
    Projected,
}

impl Multibody {
    /// `out` = `q` ⊕ dt `v`. Quaternions in `q` are normalised on use, and `out`'s are of unit length.
    pub fn integrate(&self, q: &[f64], v: &[f64], dt: f64, how: QuaternionStep, out: &mut [f64]) {
        assert_eq!(q.len(), self.nq(), "positions need nq numbers");
        assert_eq!(v.len(), self.nv(), "velocities need nv numbers");
        assert_eq!(out.len(), self.nq(), "positions need nq numbers");
        for node in &self.nodes[self.bases..] {
            let (q, v) = (&q[node.q..], &v[node.v..]);
            let out = &mut out[node.q..];
            match node.motion {
                Motion::Base => {}
                Motion::Screw | Motion::Slide => out[0] = q[0] + dt * v[0],
                Motion::Ball => turn(&q[..4], &v[..3], dt, how, &mut out[..4]),
                Motion::Free => {
                    for k in 0..3 {
                        out[k] = q[k] + dt * v[k];
                    }
                    turn(&q[3..7], &v[3..6], dt, how, &mut out[3..7]);
                }
            }
        }
    }

    /// `out` = `q1` ⊖ `q0`: the velocity that leads from `q0` to `q1` in unit time along the exponential
    /// map, with a rotation of at most half a turn.
    pub fn difference(&self, q1: &[f64], q0: &[f64], out: &mut [f64]) {
        assert_eq!(q1.len(), self.nq(), "positions need nq numbers");
        assert_eq!(q0.len(), self.nq(), "positions need nq numbers");
        assert_eq!(out.len(), self.nv(), "velocities need nv numbers");
        for node in &self.nodes[self.bases..] {
            let (q1, q0) = (&q1[node.q..], &q0[node.q..]);
            let out = &mut out[node.v..];
            match node.motion {
                Motion::Base => {}
                Motion::Screw | Motion::Slide => out[0] = q1[0] - q0[0],
                Motion::Ball => out[..3].copy_from_slice(&turn_between(&q1[..4], &q0[..4])),
                Motion::Free => {
                    for k in 0..3 {
                        out[k] = q1[k] - q0[k];
                    }
                    out[3..6].copy_from_slice(&turn_between(&q1[3..7], &q0[3..7]));
                }
            }
        }
    }

    /// Scales every quaternion in `q` to unit length (the identity where one vanishes).
    pub fn normalize(&self, q: &mut [f64]) {
        assert_eq!(q.len(), self.nq(), "positions need nq numbers");
        for node in &self.nodes[self.bases..] {
            let at = match node.motion {
                Motion::Ball => node.q,
                Motion::Free => node.q + 3,
                _ => continue,
            };
            let unit = read(&q[at..at + 4]);
            q[at..at + 4].copy_from_slice(&unit);
        }
    }
}

fn read(q: &[f64]) -> Quat {
    normalized([q[0], q[1], q[2], q[3]])
}

pub(crate) fn turn(q: &[f64], w: &[f64], dt: f64, how: QuaternionStep, out: &mut [f64]) {
    let (q, phi) = (read(q), [dt * w[0], dt * w[1], dt * w[2]]);
    let step = match how {
        QuaternionStep::Exponential => exp(phi),
        QuaternionStep::Projected => [1.0, 0.5 * phi[0], 0.5 * phi[1], 0.5 * phi[2]],
    };
    out.copy_from_slice(&normalized(quat_mul(q, step)));
}

fn turn_between(q1: &[f64], q0: &[f64]) -> V3 {
    let (q1, q0) = (read(q1), read(q0));
    log(quat_mul([q0[0], -q0[1], -q0[2], -q0[3]], q1))
}
