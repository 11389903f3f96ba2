//! A six-joint arm with the reach and masses of a light assistive arm, and a gripper whose fingers can be exchanged.
//!
//! ```text
//!   z up, arm straight up at zero                         hand, from its flange
//!
//!   0.28  shoulder   joint1 about z, joint2 about y        z  approach
//!   0.66  elbow      joint3 about y                        ^    [=]   [=]   pads, their middle 0.11 m from the flange
//!   0.96  wrist      joint4 about z, joint5 about y        |    finger frames: x to the other finger, z approach,
//!   1.04  flange     joint6 about z                        +-> x       origin in the middle of the pad's surface
//! ```
//!
//! From the shoulder to the flange it is 0.76 m, to the pads 0.87 m; arm and gripper weigh 4.3 kg. Each arm joint has a
//! position servo `servo1` … `servo6` with the torque limits of such arms. The fingers slide apart along the hand's x
//! (joints `left_slide`, `right_slide`: distance of the pad from the middle, m), are coupled to move as one, and the motor
//! `grip` on the left one drives both: positive opens.
//!
//! Sensors: torques of the joints' drives `torque1` … `torque6`, force and torque at the wrist `wrist_force`,
//! `wrist_torque` (site `flange`), `imu_accelerometer` and `imu_gyro` there, and `left_touch`, `right_touch` of the pads.

use nalgebra::{Isometry3, Vector3};
use std::fmt::Write;
use stiction::{InputError, Model, TactileGrid};

/// The arm's joints from the base on.
pub const JOINTS: [&str; 6] = ["joint1", "joint2", "joint3", "joint4", "joint5", "joint6"];
/// Speeds its joints may reach, rad/s.
pub const SPEEDS: [f64; 6] = [2.5, 2.5, 2.5, 4.0, 4.0, 4.0];
/// The tool, in the middle between the pads, 0.5 m ahead of the base and 0.26 m above it, pointing down.
pub const READY: [f64; 6] = [0.0, 0.652, 1.374, 0.0, 1.115, 0.0];

/// Pads of rubber (1 MPa) on stiff fingers.
pub const RUBBER: &str = r#"<geom name="{side}_pad" type="box" size="0.006 0.012 0.022" pos="-0.006 0 0" mass="0.012" friction="1" rgba="0.2 0.22 0.26 1">
  <drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value="1e6"/><drake:hunt_crossley_dissipation value="10"/></drake:proximity_properties></geom>
<geom name="{side}_back" type="box" size="0.004 0.012 0.045" pos="-0.0165 0 -0.023" mass="0.05" rgba="0.75 0.76 0.8 1"/>
<site name="{side}_skin" type="box" size="0.002 0.012 0.022" pos="0 0 0" rgba="0.2 0.5 0.9 0"/>
"#;

/// The arm on its pedestal at `pos` (m). `finger` is what a finger consists of, in its frame, with `{side}` for its side in
/// names; it must have a site `{side}_skin`.
pub fn body(pos: [f64; 3], finger: &str) -> String {
    let [x, y, z] = pos;
    let link = |fromto: &str, size: f64, mass: f64| {
        format!(
            r#"<geom type="capsule" fromto="{fromto}" size="{size}" mass="{mass}" friction="0.6" rgba="0.88 0.88 0.9 1"/>"#
        )
    };
    let hub = |axis: &str, size: f64, mass: f64| {
        format!(
            r#"<geom type="capsule" fromto="{axis}" size="{size}" mass="{mass}" friction="0.6" rgba="0.25 0.45 0.7 1"/>"#
        )
    };
    let joint = |n: usize, axis: &str, range: &str, armature: f64| {
        format!(
            r#"<joint name="joint{n}" axis="{axis}" range="{range}" damping="0.4" armature="{armature}"/>"#
        )
    };
    let fingers: String = [("left", "-0.03 0 0.11", "1 0 0 0"), ("right", "0.03 0 0.11", "0 0 0 1")]
        .iter()
        .map(|(side, pos, quat)| {
            let geoms = finger.replace("{side}", side);
            // At q the pad's surface is q from the middle; the reference is where the bodies stand.
            format!(
                r#"<body name="{side}_finger" pos="{pos}" quat="{quat}">
<joint name="{side}_slide" type="slide" axis="-1 0 0" ref="0.03" range="0 0.045" damping="2" armature="0.05"/>
{geoms}</body>
"#
            )
        })
        .collect();
    format!(
        r#"<geom name="pedestal" type="cylinder" pos="{x} {y} {}" size="0.06 0.08" mass="0" rgba="0.3 0.32 0.36 1"/>
<body name="link1" pos="{x} {y} {}">
{}{}
<body name="link2" pos="0 0 0.12">
{}{}{}
<body name="link3" pos="0 0 0.38">
{}{}{}
<body name="link4" pos="0 0 0.3">
{}{}
<body name="link5" pos="0 0 0">
{}{}
<body name="hand" pos="0 0 0.08">
{}<geom name="palm" type="box" size="0.05 0.03 0.02" pos="0 0 0.02" mass="0.35" friction="0.6" rgba="0.88 0.88 0.9 1"/>
<site name="flange" pos="0 0 0"/><site name="tool" pos="0 0 0.11"/>
{fingers}</body></body></body></body></body></body>
"#,
        z + 0.08,
        z + 0.16,
        joint(1, "0 0 1", "-350 350", 0.1),
        link("0 0 0.06 0 0 0.1", 0.05, 0.8),
        joint(2, "0 1 0", "-130 130", 0.1),
        hub("0 -0.04 0 0 0.04 0", 0.045, 0.5),
        link("0 0 0.06 0 0 0.31", 0.036, 0.7),
        joint(3, "0 1 0", "-155 155", 0.1),
        hub("0 -0.035 0 0 0.035 0", 0.04, 0.45),
        link("0 0 0.05 0 0 0.2", 0.032, 0.5),
        joint(4, "0 0 1", "-350 350", 0.02),
        link("0 0 -0.07 0 0 -0.05", 0.034, 0.45),
        joint(5, "0 1 0", "-125 125", 0.02),
        hub("0 -0.025 0 0 0.025 0", 0.034, 0.45),
        joint(6, "0 0 1", "-350 350", 0.02),
    )
}

/// What belongs after the `worldbody`: pairs that never touch, the coupling of the fingers, actuators and sensors.
pub fn rest() -> String {
    let mut text = String::from("<contact>\n");
    // Writing to a string cannot fail.
    for (a, b) in [
        ("link1", "link3"),
        ("link2", "link4"),
        ("link3", "link5"),
        ("link4", "hand"),
        ("link5", "left_finger"),
        ("link5", "right_finger"),
        ("hand", "left_finger"),
        ("hand", "right_finger"),
        ("link3", "hand"),
    ] {
        let _ = writeln!(text, r#"  <exclude body1="{a}" body2="{b}"/>"#);
    }
    text += "</contact>\n<equality><joint joint1=\"right_slide\" joint2=\"left_slide\"/></equality>\n<actuator>\n";
    for (n, (kp, kv, most)) in [
        (2000.0, 120.0, 40.0),
        (2000.0, 120.0, 40.0),
        (1500.0, 80.0, 30.0),
        (400.0, 16.0, 14.0),
        (400.0, 16.0, 14.0),
        (300.0, 12.0, 14.0),
    ]
    .iter()
    .enumerate()
    {
        let n = n + 1;
        let _ = writeln!(
            text,
            r#"  <position name="servo{n}" joint="joint{n}" kp="{kp}" kv="{kv}" forcerange="-{most} {most}"/>"#
        );
    }
    text += "  <motor name=\"grip\" joint=\"left_slide\" forcerange=\"-80 80\"/>\n</actuator>\n<sensor>\n";
    for n in 1..=6 {
        let _ = writeln!(text, r#"  <jointactuatorfrc name="torque{n}" joint="joint{n}"/>"#);
    }
    text += r#"  <force name="wrist_force" site="flange"/>
  <torque name="wrist_torque" site="flange"/>
  <accelerometer name="imu_accelerometer" site="flange"/>
  <gyro name="imu_gyro" site="flange"/>
  <touch name="left_touch" site="left_skin"/>
  <touch name="right_touch" site="right_skin"/>
</sensor>
"#;
    text
}

/// A tactile grid over the pad of a side, rows along the finger, z out of the pad.
pub fn skin(model: &Model, side: &str, rows: usize, columns: usize) -> Result<TactileGrid, InputError> {
    let body = model.body_index(&format!("{side}_finger"))?;
    // The grid's z is the finger's x (out of the pad), its y the finger's z.
    let axes = nalgebra::Matrix3::from_columns(&[Vector3::y(), Vector3::z(), Vector3::x()]);
    let rotation = nalgebra::Rotation3::from_matrix_unchecked(axes);
    let pose = Isometry3::from_parts(nalgebra::Translation3::identity(), rotation.into());
    TactileGrid::new(body, pose, [0.024, 0.044], rows, columns)
}

/// The scene `assistive_arm`: the arm over a floor.
pub fn scene() -> String {
    let q = READY.iter().chain(&[0.03, 0.03]).map(|x| format!("{x}")).collect::<Vec<_>>().join(" ");
    let ctrl = READY.iter().map(|x| format!("{x}")).collect::<Vec<_>>().join(" ");
    format!(
        r#"<!-- A six-joint arm with the reach (0.9 m) and weight (4.3 kg) of a light assistive arm, each joint a position servo, and a
     gripper of two rubber pads that one motor closes. Sensors: joint torques, force and torque at the wrist, an IMU, touch.
     Look for: it stands in "ready" with its hand down, and sags by what its servos need to hold it. -->
<mujoco model="assistive_arm">
<option timestep="0.002"/>
<worldbody>
<geom name="floor" type="plane" size="2 2 0.1" rgba="0.55 0.58 0.6 1"/>
{}</worldbody>
{}<keyframe>
  <key name="ready" qpos="{q}" ctrl="{ctrl} 0"/>
</keyframe>
</mujoco>
"#,
        body([0.0; 3], RUBBER),
        rest()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::load;
    use stiction::control::{IkSettings, InverseKinematics, Joints};

    #[test]
    fn the_arm_has_the_reach_and_weight_of_a_light_assistive_arm() {
        let model = load(&scene()).unwrap();
        let mass = model.total_mass();
        assert!((4.0..5.0).contains(&mass), "{mass} kg");
        let joints = Joints::new(&model, &JOINTS).unwrap();
        let mut ik = InverseKinematics::of_site(&model, joints, "tool", IkSettings::default()).unwrap();
        let mut q = model.default_q().to_vec();
        let straight = ik.pose(&model, &q, &[]).translation.vector;
        assert!((straight - Vector3::new(0.0, 0.0, 1.15)).norm() < 1e-12, "{straight}");
        q[..6].copy_from_slice(&READY);
        let ready = ik.pose(&model, &q, &[]);
        assert!((ready.translation.vector - Vector3::new(0.5, 0.0, 0.26)).norm() < 2e-3, "{ready}");
        assert!((ready.rotation * Vector3::z() + Vector3::z()).norm() < 2e-3);
    }
}
