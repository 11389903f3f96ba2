//! A six-joint arm with the reach and masses of a light assistive arm: 0.83 m to its flange, 4.3 kg, and a spherical wrist.
//!
//! With all joints at zero it is stretched out along x. Joints turn about z, y, y (shoulder and elbow) and x, y, x (wrist).
//! Each has a position servo.

/// Names of the joints, base to wrist.
pub const JOINTS: [&str; 6] = ["turn", "shoulder", "elbow", "forearm", "wrist", "roll"];
/// Where the arm begins, rad: elbow up, hand level.
pub const START: [f64; 6] = [0.0, -1.05, 2.0, 0.0, -0.95, 0.0];
/// Where the hand's flange is mounted in the last body, m along x.
pub const MOUNT: f64 = 0.03;

/// Defaults, within `<default>`.
pub const DEFAULTS: &str = r#"    <default class="big">
      <joint damping="1" armature="0.1"/>
      <position kp="4000" kv="150" forcerange="-80 80"/>
    </default>
    <default class="small">
      <joint damping="0.3" armature="0.02"/>
      <position kp="800" kv="20" forcerange="-30 30"/>
    </default>
"#;

/// The arm with its base at `x` on the table and `hand` on its flange. Its links are drawn but touch nothing.
pub fn arm(x: f64, hand: &str) -> String {
    let (light, dark) = ("rgba=\"0.88 0.89 0.91 1\"", "rgba=\"0.22 0.25 0.3 1\"");
    format!(
        r#"    <geom class="show" name="base" type="cylinder" pos="{x} 0 0.06" size="0.062 0.06" {dark}/>
    <body name="column" pos="{x} 0 0.12">
      <joint name="turn" class="big" axis="0 0 1" range="-180 180"/>
      <geom class="show" type="cylinder" pos="0 0 0.06" size="0.05 0.06" mass="0.9" {light}/>
      <body name="upper_arm" pos="0 0 0.15">
      <joint name="shoulder" class="big" axis="0 1 0" range="-150 60"/>
      <geom class="show" type="capsule" fromto="0 -0.05 0 0 0.05 0" size="0.045" mass="0.5" {dark}/>
      <geom class="show" type="capsule" fromto="0 0 0 0.4 0 0" size="0.036" mass="0.9" {light}/>
      <body name="lower_arm" pos="0.4 0 0">
      <joint name="elbow" class="big" axis="0 1 0" range="5 160"/>
      <geom class="show" type="capsule" fromto="0 -0.04 0 0 0.04 0" size="0.04" mass="0.4" {dark}/>
      <geom class="show" type="capsule" fromto="0 0 0 0.18 0 0" size="0.032" mass="0.5" {light}/>
      <body name="forearm" pos="0.198 0 0">
      <joint name="forearm" class="small" axis="1 0 0" range="-350 350"/>
      <geom class="show" type="capsule" fromto="0.02 0 0 0.132 0 0" size="0.029" mass="0.4" {light}/>
      <body name="wrist" pos="0.132 0 0">
      <joint name="wrist" class="small" axis="0 1 0" range="-120 120"/>
      <geom class="show" type="capsule" fromto="0 -0.028 0 0 0.028 0" size="0.032" mass="0.3" {dark}/>
      <geom class="show" type="capsule" fromto="0 0 0 0.06 0 0" size="0.028" mass="0.2" {light}/>
      <body name="roll" pos="0.07 0 0">
      <joint name="roll" class="small" axis="1 0 0" range="-350 350"/>
      <geom class="show" type="cylinder" fromto="0.005 0 0 0.03 0 0" size="0.032" mass="0.2" {dark}/>
{hand}      </body></body></body></body></body>
    </body>
"#
    )
}

/// The servos, within `<actuator>`, in the order of the joints.
pub fn actuators() -> String {
    let class = |k: usize| if k < 3 { "big" } else { "small" };
    let servo = |(k, joint): (usize, &&str)| {
        format!("    <position name=\"{joint}\" class=\"{}\" joint=\"{joint}\"/>\n", class(k))
    };
    JOINTS.iter().enumerate().map(servo).collect()
}
