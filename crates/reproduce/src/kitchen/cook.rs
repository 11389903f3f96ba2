//! The robot: an arm whose hand follows poses and closes with a force.
//!
//! The hand's frame H is moved along minimum-jerk keyframes; differential inverse kinematics gives joint references, and
//! servos with feed-forward follow them. Force feedback reads contact results: what the bubbles feel, and what the blade
//! presses with.

use super::arm::JOINTS;
use super::spatula::{HOLD, x_sb};
use crate::failure::Failure;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3, Vector6};
use std::time::Instant;
use stiction::control::{IkSettings, JointControlLaw, Joints, PosePoint, PoseServo, Sample};
use stiction::{GeomId, Simulation};
use stiction_viewer::Recorder;

/// A step as it went.
#[derive(Clone, Copy)]
pub struct Moment {
    /// Its end, s.
    pub time: f64,
    /// Faces of patches and contact points.
    pub constraints: u64,
    /// Height of the pancake's middle, m.
    pub height: f64,
    /// How far up the pancake's upper side looks: 1 straight up, −1 upside down.
    pub up: f64,
    /// Force with which the blade presses on the stove, N.
    pub press: f64,
    /// Force of the bubbles along the closing of the fingers, mean of both, N.
    pub grip: f64,
    /// What it took, s.
    pub cost: Cost,
}

/// Time that a step took, s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// What touches what.
    pub geometry: f64,
    /// Building the problem.
    pub assembly: f64,
    /// Solving it.
    pub solver: f64,
    /// All of the step.
    pub step: f64,
}

impl Cost {
    /// The lesser of each.
    pub fn least(self, other: Self) -> Self {
        Self {
            geometry: self.geometry.min(other.geometry),
            assembly: self.assembly.min(other.assembly),
            solver: self.solver.min(other.solver),
            step: self.step.min(other.step),
        }
    }
}

/// An arm with a hand in a running simulation.
pub struct Cook {
    /// The simulation.
    pub sim: Simulation,
    /// Every step so far.
    pub moments: Vec<Moment>,
    /// What was done until when, s.
    pub events: Vec<(f64, &'static str)>,
    servo: PoseServo,
    memory: Vec<f64>,
    /// Where H is to be now.
    x_wh: Isometry3<f64>,
    grip: f64,
    recorder: Option<Recorder>,
    geoms: Geoms,
    /// Places of the free joints of spatula and pancake in q.
    free: [usize; 2],
}

struct Geoms {
    blade: GeomId,
    stove: GeomId,
    bubbles: [GeomId; 2],
}

impl Cook {
    /// Takes over a simulation at rest.
    pub fn new(sim: Simulation) -> Result<Self, Failure> {
        let model = sim.model().clone();
        let joints = Joints::new(&model, &JOINTS).map_err(Failure::work)?;
        let settings =
            IkSettings { gain: 20.0, linear_speed: 2.0, angular_speed: 10.0, ..IkSettings::default() };
        let mut servo = PoseServo::new(&model, &joints, "grip", settings, JointControlLaw::ServoFeedForward)
            .map_err(Failure::work)?;
        let x_wh = servo.reference_pose(&Sample::of(&model, sim.state()), &[]);
        let geom = |name: &str| model.geom_index(name).map_err(Failure::work);
        let geoms = Geoms {
            blade: geom("blade")?,
            stove: geom("stove")?,
            bubbles: [geom("left_bubble")?, geom("right_bubble")?],
        };
        // Joints of arm and fingers come first, then the free ones.
        let first = JOINTS.len() + 2;
        Ok(Self {
            sim,
            moments: Vec::new(),
            events: Vec::new(),
            servo,
            memory: Vec::new(),
            x_wh,
            grip: 0.0,
            recorder: None,
            geoms,
            free: [first, first + 7],
        })
    }

    /// Has every step from now on observed.
    pub fn record(&mut self, recorder: Recorder) {
        self.recorder = Some(recorder);
    }

    /// The recorder, if there was one; nothing more is observed.
    pub fn stop_recording(&mut self) -> Option<Recorder> {
        self.recorder.take()
    }

    /// Pose of the blade that goes with a pose of H, if the spatula is held where it should be.
    fn blade_of(x_wh: &Isometry3<f64>) -> Isometry3<f64> {
        x_wh * Translation3::new(-HOLD, 0.0, 0.0) * x_sb()
    }

    /// Pose of H that goes with a pose of the blade.
    fn hand_of(x_wb: &Isometry3<f64>) -> Isometry3<f64> {
        x_wb * x_sb().inverse() * Translation3::new(HOLD, 0.0, 0.0)
    }

    fn free_pose(&self, k: usize) -> Isometry3<f64> {
        let q = &self.sim.state().q[self.free[k]..];
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[4], q[5], q[6]));
        Isometry3::from_parts(Translation3::new(q[0], q[1], q[2]), turn)
    }

    /// Pose of the pancake.
    pub fn pancake(&self) -> Isometry3<f64> {
        self.free_pose(1)
    }

    /// Where the blade is to be.
    pub fn blade(&self) -> Isometry3<f64> {
        Self::blade_of(&self.x_wh)
    }

    /// Force with which the blade presses on the stove, N.
    fn press(&self) -> f64 {
        let Geoms { blade, stove, .. } = self.geoms;
        let pair = (blade.min(stove), blade.max(stove));
        let on = self.sim.contacts().iter().filter(|c| (c.geom_a, c.geom_b) == pair);
        on.map(|c| c.force.dot(&c.normal)).sum()
    }

    /// Force of the bubbles along the closing of the fingers, mean of both, N.
    fn felt(&self) -> f64 {
        let (bubbles, closing) = (self.geoms.bubbles, self.x_wh.rotation * Vector3::y());
        let on =
            self.sim.patch_views().filter(|p| bubbles.contains(&p.geom_a) || bubbles.contains(&p.geom_b));
        on.map(|p| p.force.dot(&closing).abs()).sum::<f64>() / 2.0
    }

    /// One step, in which H moves on to `next`.
    fn step_to(&mut self, next: Isometry3<f64>) -> Result<(), Failure> {
        let period = self.sim.options().step;
        let turn = (next.rotation * self.x_wh.rotation.inverse()).scaled_axis() / period;
        let shift = (next.translation.vector - self.x_wh.translation.vector) / period;
        let twist = Vector6::new(turn.x, turn.y, turn.z, shift.x, shift.y, shift.z);
        let target = PosePoint { pose: self.x_wh, twist };
        let model = self.sim.model().clone();
        let mut ctrl = self.sim.state().ctrl.clone();
        let sample = Sample::of(&model, self.sim.state());
        self.servo.follow(&sample, &target, period, &mut ctrl, &mut self.memory).map_err(Failure::work)?;
        let last = ctrl.len() - 1;
        ctrl[last] = self.grip;
        self.sim.state_mut().ctrl.copy_from_slice(&ctrl);
        self.x_wh = next;
        let before = self.sim.stats().seconds;
        let begin = Instant::now();
        self.sim.step(1).map_err(Failure::work)?;
        let step = crate::stage::slowed() * begin.elapsed().as_secs_f64();
        if let Some(recorder) = &mut self.recorder {
            recorder.observe(&self.sim).map_err(Failure::work)?;
        }
        let (pancake, stats) = (self.pancake(), self.sim.stats());
        let constraints = stats.last_faces + stats.last_points;
        let cost = Cost {
            geometry: stats.seconds.proximity - before.proximity,
            assembly: stats.seconds.assemble - before.assemble,
            solver: stats.seconds.solve - before.solve,
            step,
        };
        self.moments.push(Moment {
            time: self.sim.state().time,
            constraints,
            height: pancake.translation.z,
            up: (pancake.rotation * Vector3::z()).z,
            press: self.press(),
            grip: self.felt(),
            cost,
        });
        Ok(())
    }

    /// Notes that something is done.
    pub fn done(&mut self, what: &'static str) {
        self.events.push((self.sim.state().time, what));
    }

    /// Stays for a while (s).
    pub fn wait(&mut self, duration: f64) -> Result<(), Failure> {
        self.follow(duration, |_| None)
    }

    /// Follows a path of H over `duration` (s), given from 0 to 1 with the least jerk; none to stay.
    fn follow(&mut self, duration: f64, path: impl Fn(f64) -> Option<Isometry3<f64>>) -> Result<(), Failure> {
        let steps = (duration / self.sim.options().step).round().max(1.0) as usize;
        for k in 1..=steps {
            let s = k as f64 / steps as f64;
            let smooth = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
            let next = path(smooth).unwrap_or(self.x_wh);
            self.step_to(next)?;
        }
        Ok(())
    }

    /// Moves H in a straight line and a turn about one axis.
    pub fn hand_to(&mut self, x_wh: Isometry3<f64>, duration: f64) -> Result<(), Failure> {
        let from = self.x_wh;
        self.follow(duration, |s| Some(between(&from, &x_wh, s)))
    }

    /// Moves the blade likewise.
    pub fn blade_to(&mut self, x_wb: Isometry3<f64>, duration: f64) -> Result<(), Failure> {
        self.hand_to(Self::hand_of(&x_wb), duration)
    }

    /// Moves the blade along a path, given from 0 to 1.
    pub fn blade_along(
        &mut self,
        duration: f64,
        path: impl Fn(f64) -> Isometry3<f64>,
    ) -> Result<(), Failure> {
        self.follow(duration, |s| Some(Self::hand_of(&path(s))))
    }

    /// Closes the hand until both bubbles feel `share` of `force` (N); false if they do not within `patience` (s).
    pub fn grasp(&mut self, force: f64, share: f64, patience: f64) -> Result<bool, Failure> {
        self.grip = force;
        let end = self.sim.state().time + patience;
        while self.felt() < share * force {
            if self.sim.state().time > end {
                return Ok(false);
            }
            self.step_to(self.x_wh)?;
        }
        Ok(true)
    }

    /// Lowers the hand at `speed` (m/s) until the blade presses with `force` (N); false if it does not within `depth` (m).
    pub fn lower_until(&mut self, force: f64, speed: f64, depth: f64) -> Result<bool, Failure> {
        let (step, start) = (self.sim.options().step, self.x_wh.translation.z);
        while self.press() < force {
            let mut next = self.x_wh;
            next.translation.z -= speed * step;
            if start - next.translation.z > depth {
                return Ok(false);
            }
            self.step_to(next)?;
        }
        Ok(true)
    }

    /// Pushes the blade by `distance` (m) along x in `duration` (s) while it presses with about `force` (N): the height gives
    /// way by `compliance` (m/(N s)).
    pub fn push(&mut self, distance: f64, duration: f64, force: f64, compliance: f64) -> Result<(), Failure> {
        let (from, step) = (self.x_wh, self.sim.options().step);
        let steps = (duration / step).round().max(1.0) as usize;
        let mut give: f64 = 0.0;
        for k in 1..=steps {
            let s = k as f64 / steps as f64;
            // No faster than 4 cm/s.
            give += step * (compliance * (self.press() - force)).clamp(-0.04, 0.04);
            let mut next = from;
            next.translation.x += distance * s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
            next.translation.z += give;
            self.step_to(next)?;
        }
        Ok(())
    }
}

/// A share of the way between two poses.
fn between(a: &Isometry3<f64>, b: &Isometry3<f64>, s: f64) -> Isometry3<f64> {
    let turn = (a.rotation.inverse() * b.rotation).scaled_axis() * s;
    let place = a.translation.vector.lerp(&b.translation.vector, s);
    Isometry3::from_parts(Translation3::from(place), a.rotation * UnitQuaternion::from_scaled_axis(turn))
}
