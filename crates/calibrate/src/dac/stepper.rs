//! One step of a body over the floor z = 0, with whatever contact law.
//!
//! ```text
//! q̇⁽¹⁾    gravity and gyroscopic torque act
//! patch    vertices within the touch distance of the floor
//! p        the law's impulse
//! q⁺       q turned and moved by q̇⁺                                   (DAC eq. 2)
//! ```
//!
//! Then positions are put right without touching velocities: vertices that carried load are put on the floor, others
//! out of it, by the smallest motion in the sense of the body's inertia. All laws share this.

use super::body::{Motion, TossBody};
use nalgebra::{Matrix3, UnitQuaternion, Vector3, Vector6};
use stiction_dac::{Answer, Class, DacLaw, LawError, Outside, Patch};

/// What a law is asked about.
pub struct Scene<'a> {
    /// The body.
    pub body: &'a TossBody,
    /// Where it is, before the step.
    pub motion: &'a Motion,
    /// What touches, with the velocity q̇⁽¹⁾.
    pub patch: &'a Patch,
}

/// What a law answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Impulse {
    /// [torque about the centre of mass; force], world, N m s and N s.
    pub wrench: Vector6<f64>,
    /// Normal impulse of each point of the patch, N s; zeros where the law does not say.
    pub loads: Vec<f64>,
    /// What the patch does.
    pub class: Class,
    /// Whether the law was asked for something it was not trained for.
    pub outside: Option<Outside>,
}

/// A contact law.
pub trait Contact: Sync {
    /// The contact impulse.
    fn impulse(&self, scene: &Scene) -> Result<Impulse, LawError>;
}

impl Contact for DacLaw {
    fn impulse(&self, scene: &Scene) -> Result<Impulse, LawError> {
        let Answer { wrench, loads, class, outside, .. } = self.contact(scene.patch)?;
        Ok(Impulse { wrench, loads, class, outside })
    }
}

/// What a step did.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    /// Indices of the vertices that touched.
    pub vertices: Vec<usize>,
    /// The patch, with q̇⁽¹⁾.
    pub patch: Patch,
    /// The law's answer.
    pub impulse: Impulse,
}

/// Steps of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stepper {
    /// Length of a step, s.
    pub step: f64,
    /// Height up to which a vertex touches, m.
    pub touch: f64,
    /// Whether a vertex that would be there at the end of the step touches too: for recordings, whose samples are far
    /// apart.
    pub ahead: bool,
}

impl Default for Stepper {
    /// The paper's step of 2 ms; vertices touch up to 0.2 mm.
    fn default() -> Self {
        Self { step: 2e-3, touch: 2e-4, ahead: false }
    }
}

impl Stepper {
    /// The patch at a motion, with q̇⁽¹⁾, and the vertices that make it.
    pub fn patch(&self, body: &TossBody, motion: &Motion) -> Result<Option<(Vec<usize>, Patch)>, LawError> {
        let mut vertices = Vec::new();
        let mut points = Vec::new();
        let free = body.free(motion, self.step);
        let (spin, linear): (Vector3<f64>, Vector3<f64>) =
            (free.twist.fixed_rows::<3>(0).into(), free.twist.fixed_rows::<3>(3).into());
        for (k, v) in body.vertices_w(motion).enumerate() {
            let rise = if self.ahead { (linear + spin.cross(&(v - motion.com))).z * self.step } else { 0.0 };
            if v.z + rise.min(0.0) <= self.touch {
                vertices.push(k);
                points.push(v);
            }
        }
        if points.is_empty() {
            return Ok(None);
        }
        let patch = Patch::new(&free, &Matrix3::identity(), &points)?;
        Ok(Some((vertices, patch)))
    }

    /// Takes one step; says what touched.
    pub fn step(
        &self,
        body: &TossBody,
        motion: &mut Motion,
        law: &dyn Contact,
    ) -> Result<Option<Touch>, LawError> {
        let free = body.free(motion, self.step);
        let touch = match self.patch(body, motion)? {
            None => None,
            Some((vertices, patch)) => {
                let mut impulse = law.impulse(&Scene { body, motion, patch: &patch })?;
                if stiction_base::mutation::is("normal-weak") {
                    impulse.wrench *= 0.95;
                }
                Some(Touch { vertices, patch, impulse })
            }
        };
        let twist = touch.as_ref().map_or(free.twist, |t| free.after(&t.impulse.wrench));
        motion.spin = twist.fixed_rows::<3>(0).into();
        motion.linear = twist.fixed_rows::<3>(3).into();
        motion.com += motion.linear * self.step;
        motion.rotation = UnitQuaternion::from_scaled_axis(motion.spin * self.step) * motion.rotation;
        motion.rotation.renormalize();
        let mut loaded = vec![false; body.vertices.len()];
        if let Some(touch) = &touch {
            for (&vertex, &load) in touch.vertices.iter().zip(&touch.impulse.loads) {
                loaded[vertex] = load > 0.0;
            }
        }
        put_on_floor(body, motion, &loaded);
        Ok(touch)
    }
}

/// Moves the body so that loaded vertices lie on the floor and no other below it.
fn put_on_floor(body: &TossBody, motion: &mut Motion, loaded: &[bool]) {
    if stiction_base::mutation::is("projection-off") {
        return;
    }
    for _ in 0..3 {
        let rotation = motion.rotation.to_rotation_matrix();
        let near: Vec<(usize, Vector3<f64>)> = body
            .vertices
            .iter()
            .enumerate()
            .map(|(k, v)| (k, rotation * v))
            .filter(|(k, r)| loaded[*k] || motion.com.z + r.z < 0.01)
            .collect();
        let wrong = |k: usize, height: f64| if loaded[k] { height.abs() } else { (-height).max(0.0) };
        if near.iter().all(|(k, r)| wrong(*k, motion.com.z + r.z) < 1e-9) {
            return;
        }
        let Some(inertia) = body.inertia_w(&motion.rotation).cholesky() else { return };
        let levers: Vec<Vector3<f64>> =
            near.iter().map(|(_, r)| inertia.solve(&r.cross(&Vector3::z()))).collect();
        let (mut lift, mut turn) = (0.0, Vector3::zeros());
        for _ in 0..40 {
            let mut worst: f64 = 0.0;
            for ((k, r), lever) in near.iter().zip(&levers) {
                let height = motion.com.z + r.z + lift + turn.cross(r).z;
                let off = wrong(*k, height);
                worst = worst.max(off);
                if off > 0.0 {
                    let push = -height / (1.0 / body.mass + r.cross(&Vector3::z()).dot(lever));
                    lift += push / body.mass;
                    turn += lever * push;
                }
            }
            if worst < 1e-10 {
                break;
            }
        }
        motion.com.z += lift;
        motion.rotation = UnitQuaternion::from_scaled_axis(turn) * motion.rotation;
    }
}
