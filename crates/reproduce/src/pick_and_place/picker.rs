//! Who sorts: an arm that takes one thing after the other, feels how much it gives, and puts it into the bin of its kind.
//!
//! ```text
//! choose ─► approach ─► descend ─► touch ─► squeeze ─► lift ─► carry ─► let go ─► choose …
//!    ▲                                                    │ nothing in the hand
//!    └────────────────────────────────────────────────────┘
//! ```
//!
//! It sees where things are and what shape they have, but not what they are made of: it takes a thing with a small force,
//! then with a large one; the distance that the fingers close in between distinguishes hard from soft. All it remembers is in the
//! controller's memory.

use super::objects::{ALL, reach};
use crate::arm::{JOINTS, SPEEDS};
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};
use std::f64::consts::PI;
use std::sync::{Arc, Mutex};
use stiction::control::{
    GripForce, GripGains, IkSettings, JointControlLaw, Joints, Part, PosePath, PosePoint, PoseServo,
};
use stiction::{Controller, InputError, Model, Sample, Senses};

/// Time between samples, s.
pub const PERIOD: f64 = 4e-3;
/// Grip that feels, and grip that holds, N on each pad.
pub const GRIPS: [f64; 2] = [2.0, 8.0];
/// A thing whose two sides together give more than this between the two grips is soft, m.
pub const SOFT: f64 = 3e-3;
/// Middle of the tray, and of the bins of hard and soft things, m; and half their inner size.
pub const TRAY: [f64; 2] = [0.45, 0.0];
pub const TRAY_SIZE: [f64; 2] = [0.15, 0.16];
pub const BINS: [[f64; 2]; 2] = [[0.3, 0.42], [0.3, -0.42]];
pub const BIN_SIZE: [f64; 2] = [0.14, 0.12];

/// When the arm lets things fall and settle before it begins, s.
const SETTLE: f64 = 1.0;
/// Speeds of its hand.
const SPEED: (f64, f64) = (0.9, 3.0);
/// Height of the tool on its ways, m.
const ABOVE: f64 = 0.2;
/// Least height of the tool over the table: half a pad and a little, m.
const LOWEST: f64 = 0.027;

/// Where the memory keeps what; the reference of the joints follows.
mod at {
    pub const PHASE: usize = 0;
    pub const BEGIN: usize = 1;
    pub const END: usize = 2;
    pub const FROM: usize = 3;
    pub const TO: usize = 10;
    pub const THING: usize = 17;
    pub const OPENING: usize = 18;
    pub const INTEGRAL: usize = 19;
    pub const TOUCHED: usize = 20;
    pub const BIN: usize = 21;
    /// How often each thing was missed.
    pub const MISSED: usize = 22;
    pub const LENGTH: usize = 32;
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Choose,
    Approach,
    Descend,
    Touch,
    Squeeze,
    Lift,
    Carry,
    LetGo,
    Home,
}

const PHASES: [Phase; 9] = [
    Phase::Choose,
    Phase::Approach,
    Phase::Descend,
    Phase::Touch,
    Phase::Squeeze,
    Phase::Lift,
    Phase::Carry,
    Phase::LetGo,
    Phase::Home,
];

/// Something worth telling; decides nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A thing (by number) gave by so much (m) between the grips.
    Felt(usize, f64),
    /// It is not in the hand after lifting.
    Missed(usize),
    /// It was let go over bin 0 or 1.
    LetGo(usize, usize),
}

/// Events with their times, shared with who asks.
pub type Log = Arc<Mutex<Vec<(f64, Event)>>>;

struct Thing {
    geom: usize,
    /// First of its coordinates.
    q: usize,
}

/// The controller.
pub struct Picker {
    servo: PoseServo,
    grip: GripForce,
    fingers: [Part; 2],
    slide: usize,
    things: Vec<Thing>,
    log: Log,
}

impl Picker {
    pub fn new(model: &Model) -> Result<(Self, Log), InputError> {
        let joints = Joints::new(model, &JOINTS)?.with_speed_limits(&SPEEDS)?;
        let settings = IkSettings { linear_speed: 2.0, angular_speed: 6.0, ..IkSettings::default() };
        let servo = PoseServo::new(model, &joints, "tool", settings, JointControlLaw::ServoFeedForward)?;
        let fingers =
            [Part::Body(model.body_index("left_finger")?), Part::Body(model.body_index("right_finger")?)];
        let gains = GripGains { speed: 0.12, ..GripGains::default() };
        let grip = GripForce::new(model, "left_slide", -1.0, fingers.to_vec(), gains)?;
        let slide = model.multibody().joints()[model.joint_index("left_slide")?].q.start;
        let thing = |kind: &super::objects::Kind| {
            let joint = &model.multibody().joints()[model.joint_index(kind.name)?];
            Ok(Thing { geom: model.geom_index(kind.name)?.0, q: joint.q.start })
        };
        let things = ALL.iter().map(thing).collect::<Result<_, InputError>>()?;
        let log = Log::default();
        Ok((Self { servo, grip, fingers, slide, things, log: log.clone() }, log))
    }

    fn pose(&self, sample: &Sample<'_>, thing: usize) -> Isometry3<f64> {
        body_pose(&sample.q[self.things[thing].q..])
    }

    fn tell(&self, time: f64, event: Event) {
        if let Ok(mut log) = self.log.lock() {
            log.push((time, event));
        }
    }

    /// How to take a thing: pose of the tool, opening, and how good it is (less is better).
    fn plan(&self, sample: &Sample<'_>, thing: usize, hand: &Isometry3<f64>) -> (Isometry3<f64>, f64, f64) {
        let x = self.pose(sample, thing);
        let center = x.translation.vector;
        let geom = self.things[thing].geom;
        let mut best = (*hand, 0.0, f64::INFINITY);
        for k in 0..24 {
            let yaw = PI * f64::from(k) / 24.0;
            let (along, across) =
                (Vector3::new(yaw.cos(), yaw.sin(), 0.0), Vector3::new(-yaw.sin(), yaw.cos(), 0.0));
            let half = reach(sample.model, geom, &x, &along);
            let opening = (half + 0.012).min(0.044);
            let mut cost = 0.3 * half;
            if half > 0.036 {
                cost += 1.0;
            }
            for side in [-1.0, 1.0] {
                let finger = center + side * (opening + 0.011) * along;
                for (other, it) in self.things.iter().enumerate().filter(|(o, _)| *o != thing) {
                    let x_o = self.pose(sample, other);
                    let gap = x_o.translation.vector - finger;
                    let room = |d: &Vector3<f64>, own: f64| {
                        gap.dot(d).abs() - own - reach(sample.model, it.geom, &x_o, d)
                    };
                    let (a, b) = (room(&along, 0.013), room(&across, 0.014));
                    if a < 0.0 && b < 0.0 {
                        cost += 5.0 * (-a).min(-b);
                    }
                }
                for (axis, size) in TRAY_SIZE.iter().enumerate() {
                    let out = (finger[axis] - TRAY[axis]).abs() + 0.014 - size;
                    cost += 10.0 * out.max(0.0);
                }
            }
            let z = center.z.max(LOWEST);
            // The hand points down, its x along the fingers' way: two turns do, the nearer is taken.
            for yaw in [yaw, yaw + PI] {
                let down = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw)
                    * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI);
                let cost = cost + 2e-3 * down.angle_to(&hand.rotation);
                if cost < best.2 {
                    let place = Vector3::new(center.x, center.y, z);
                    best = (Isometry3::from_parts(place.into(), down), opening, cost);
                }
            }
        }
        best
    }

    /// The next thing: high, free, and not missed before.
    fn choose(&self, sample: &Sample<'_>, memory: &[f64], hand: &Isometry3<f64>) -> Option<usize> {
        let mut best = (f64::INFINITY, None);
        for thing in 0..self.things.len() {
            let place = self.pose(sample, thing).translation.vector;
            let sorted =
                BINS.iter().any(|bin| (0..2).all(|k| (place[k] - bin[k]).abs() < BIN_SIZE[k] + 0.01));
            let reachable = place.z > 0.0 && (0.2..0.62).contains(&place.x.hypot(place.y));
            if sorted || !reachable {
                continue;
            }
            let cost = self.plan(sample, thing, hand).2 - 1.5 * place.z + 0.05 * memory[at::MISSED + thing];
            if cost < best.0 {
                best = (cost, Some(thing));
            }
        }
        best.1
    }

    /// Begins a phase that moves the hand to a pose.
    fn go(
        &self,
        sample: &Sample<'_>,
        memory: &mut [f64],
        phase: Phase,
        from: &Isometry3<f64>,
        to: &Isometry3<f64>,
    ) {
        let distance = (to.translation.vector - from.translation.vector).norm();
        let angle = from.rotation.angle_to(&to.rotation);
        let time = 1.875 * (distance / SPEED.0).max(angle / SPEED.1);
        write(&mut memory[at::FROM..], from);
        write(&mut memory[at::TO..], to);
        self.begin(sample, memory, phase, time.max(0.1));
    }

    /// Begins a phase of some length with the hand where its last way ends.
    fn stay(&self, sample: &Sample<'_>, memory: &mut [f64], phase: Phase, time: f64) {
        memory.copy_within(at::TO..at::TO + 7, at::FROM);
        self.begin(sample, memory, phase, time);
    }

    fn begin(&self, sample: &Sample<'_>, memory: &mut [f64], phase: Phase, time: f64) {
        memory[at::PHASE] = PHASES.iter().position(|p| *p == phase).unwrap_or(0) as f64;
        memory[at::BEGIN] = sample.time;
        memory[at::END] = sample.time + time;
    }

    /// A pose at another height.
    fn raised(pose: &Isometry3<f64>, z: f64) -> Isometry3<f64> {
        let p = pose.translation.vector;
        Isometry3::from_parts(Vector3::new(p.x, p.y, z).into(), pose.rotation)
    }

    /// Goes on to the next phase when the present one is over.
    fn think(&self, sample: &Sample<'_>, memory: &mut [f64], hand: &Isometry3<f64>) -> Result<(), String> {
        let phase = PHASES[(memory[at::PHASE] as usize).min(PHASES.len() - 1)];
        // A way is over when the hand is there, which joints at their limits of speed may delay.
        let off = (read(&memory[at::TO..]).translation.vector - hand.translation.vector).norm();
        let late = sample.time - memory[at::END] + 1e-9;
        let over = late >= 0.0 && (off < 4e-3 || late > 1.5);
        let thing = memory[at::THING] as usize;
        match phase {
            Phase::Choose if sample.time >= SETTLE => {
                memory[at::INTEGRAL] = 0.0;
                let Some(thing) = self.choose(sample, memory, hand) else {
                    let home = Isometry3::from_parts(
                        Vector3::new(TRAY[0] - 0.05, 0.0, ABOVE + 0.05).into(),
                        hand.rotation,
                    );
                    self.go(sample, memory, Phase::Home, hand, &home);
                    return Ok(());
                };
                let (grasp, opening, _) = self.plan(sample, thing, hand);
                memory[at::THING] = thing as f64;
                memory[at::OPENING] = opening;
                self.go(sample, memory, Phase::Approach, hand, &Self::raised(&grasp, ABOVE - 0.06));
            }
            Phase::Approach if over => {
                // It may have moved since.
                let (grasp, opening, _) = self.plan(sample, thing, hand);
                memory[at::OPENING] = opening;
                self.go(sample, memory, Phase::Descend, hand, &grasp);
                memory[at::END] = memory[at::END].max(sample.time + 0.4);
            }
            Phase::Descend => {
                let mut push = 0.0;
                for finger in self.fingers {
                    push += sample.force_on(finger, Part::Any)?.z.abs();
                }
                if over || push > 15.0 {
                    write(&mut memory[at::TO..], hand);
                    memory[at::INTEGRAL] = 0.0;
                    self.stay(sample, memory, Phase::Touch, 0.45);
                }
            }
            Phase::Touch if over => {
                memory[at::TOUCHED] = sample.q[self.slide];
                self.stay(sample, memory, Phase::Squeeze, 0.35);
            }
            Phase::Squeeze if over => {
                let gave = 2.0 * (memory[at::TOUCHED] - sample.q[self.slide]);
                memory[at::BIN] = f64::from(u8::from(gave > SOFT));
                self.tell(sample.time, Event::Felt(thing, gave));
                self.go(sample, memory, Phase::Lift, hand, &Self::raised(hand, ABOVE));
            }
            Phase::Lift if over => {
                let off = self.pose(sample, thing).translation.vector - hand.translation.vector;
                let held = off.norm() < 0.05 && self.grip.felt(sample)? > GRIPS[1];
                if held {
                    let bin = BINS[memory[at::BIN] as usize];
                    // Side by side: five things of a kind do not make a tower.
                    const SPOTS: [[f64; 2]; 5] =
                        [[-0.08, -0.05], [0.08, 0.05], [0.0, 0.0], [0.08, -0.05], [-0.08, 0.05]];
                    let [x, y] = SPOTS[(thing / 2).min(4)];
                    let place = Vector3::new(bin[0] + x, bin[1] + y, 0.1);
                    let to = Isometry3::from_parts(place.into(), hand.rotation);
                    self.go(sample, memory, Phase::Carry, hand, &to);
                } else {
                    self.tell(sample.time, Event::Missed(thing));
                    memory[at::MISSED + thing] += 1.0;
                    memory[at::OPENING] = 0.044;
                    self.stay(sample, memory, Phase::LetGo, 0.3);
                }
            }
            Phase::Carry if over => {
                self.tell(sample.time, Event::LetGo(thing, memory[at::BIN] as usize));
                memory[at::OPENING] = 0.044;
                // Long enough to fall clear of the fingers.
                self.stay(sample, memory, Phase::LetGo, 0.6);
            }
            Phase::LetGo if over => self.stay(sample, memory, Phase::Choose, 0.0),
            Phase::Home if over => self.stay(sample, memory, Phase::Choose, 0.0),
            _ => {}
        }
        Ok(())
    }
}

impl Controller for Picker {
    fn period(&self) -> f64 {
        PERIOD
    }

    fn senses(&self) -> Senses {
        Senses::touches()
    }

    fn control(
        &mut self,
        sample: &Sample<'_>,
        ctrl: &mut [f64],
        memory: &mut Vec<f64>,
    ) -> Result<(), String> {
        let first = memory.len() < at::LENGTH;
        memory.resize(memory.len().max(at::LENGTH), 0.0);
        let mut joints = memory.split_off(at::LENGTH);
        let hand = self.servo.reference_pose(sample, &joints);
        if first {
            write(&mut memory[at::FROM..], &hand);
            write(&mut memory[at::TO..], &hand);
            memory[at::OPENING] = 0.03;
        }
        self.think(sample, memory, &hand)?;
        let (begin, end) = (memory[at::BEGIN], memory[at::END]);
        let phase = PHASES[(memory[at::PHASE] as usize).min(PHASES.len() - 1)];
        let (from, to) = (read(&memory[at::FROM..]), read(&memory[at::TO..]));
        let target = if end > begin {
            let path = PosePath::minimum_jerk(&[begin, end], &[from, to]).map_err(|e| e.to_string())?;
            path.at(sample.time)
        } else {
            PosePoint::rest(to)
        };
        self.servo.follow(sample, &target, PERIOD, ctrl, &mut joints)?;
        let integral = &mut memory[at::INTEGRAL];
        match phase {
            Phase::Touch => drop(self.grip.press(sample, GRIPS[0], PERIOD, ctrl, integral)?),
            Phase::Squeeze | Phase::Lift | Phase::Carry => {
                self.grip.press(sample, GRIPS[1], PERIOD, ctrl, integral)?;
            }
            _ => self.grip.move_to(sample, memory[at::OPENING], ctrl),
        }
        memory.append(&mut joints);
        Ok(())
    }
}

/// Pose of a free body from its coordinates.
pub fn body_pose(q: &[f64]) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[4], q[5], q[6]));
    Isometry3::from_parts(Vector3::new(q[0], q[1], q[2]).into(), turn)
}

fn write(memory: &mut [f64], pose: &Isometry3<f64>) {
    let (p, q) = (pose.translation.vector, pose.rotation);
    memory[..7].copy_from_slice(&[p.x, p.y, p.z, q.w, q.i, q.j, q.k]);
}

fn read(memory: &[f64]) -> Isometry3<f64> {
    body_pose(&memory[..7])
}
