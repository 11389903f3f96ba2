//! The hand: a palm and two fingers with bubbles, which slide towards each other.
//!
//! Its frame H lies between the bubbles: x points from the palm forward, y along the closing. The fingers are coupled; the
//! control of the one motor is the force of each of them, N.

use super::grid::{Grid, soft};
use super::spatula::HANDLE_RADIUS;

/// Radii of a bubble, m: along the finger, along the closing, across.
pub const BUBBLE: [f64; 3] = [0.032, 0.018, 0.025];
/// Modulus of the bubbles, Pa (VLP V-B).
pub const BUBBLE_MODULUS: f64 = 1e5;
/// Gap between a bubble and the spatula's handle in the open hand, m.
pub const OPEN: f64 = 0.012;
/// How deep 16 N press each bubble onto the handle, m: where fingers begin that are closed already.
pub const PRESSED: f64 = 0.0062;
/// Where the hand is mounted: the back of its flange, on the negative x axis of H, m.
pub const FLANGE: f64 = -0.16;

/// Defaults, within `<default>`.
pub const DEFAULTS: &str = r#"    <default class="finger">
      <geom type="box" size="0.066 0.005 0.011" mass="0.08" rgba="0.22 0.25 0.3 1"/>
      <joint type="slide" range="0 0.03" damping="40"/>
    </default>
"#;

/// The hand, a body with H at `pose` (its attributes) in its parent, whose fingers begin `closed` (m) from wide open. With
/// `soft_bubbles` false the bubbles are rigid and touch at points.
pub fn hand(pose: &str, closed: f64, grid: &Grid, soft_bubbles: bool) -> String {
    let [along, thick, across] = BUBBLE;
    let end = if soft_bubbles {
        format!(">\n            {}\n          </geom>", soft(BUBBLE_MODULUS, grid.bubble))
    } else {
        "/>".into()
    };
    let finger = |name: &str, side: f64| {
        format!(
            r#"        <body name="{name}_finger" pos="0 {at:.4} 0">
          <joint name="{name}" class="finger" axis="0 {axis} 0" ref="{closed}"/>
          <geom name="{name}_plate" class="finger" pos="-0.034 {back:.4} 0"/>
          <geom name="{name}_bubble" type="ellipsoid" size="{along} {thick} {across}" mass="0.02" friction="1" rgba="0.86 0.9 0.95 0.75"{end}
        </body>
"#,
            at = side * (thick + HANDLE_RADIUS + OPEN - closed),
            axis = -side,
            back = side * 0.017,
        )
    };
    format!(
        r#"      <body name="hand" {pose}>
        <geom name="palm" type="box" pos="-0.118 0 0" size="0.016 0.064 0.028" mass="0.35" rgba="0.86 0.87 0.89 1"/>
        <geom name="flange" type="cylinder" pos="-0.147 0 0" euler="0 90 0" size="0.034 0.013" mass="0.15" rgba="0.22 0.25 0.3 1"/>
        <site name="grip" pos="0 0 0"/>
{}{}      </body>
"#,
        finger("left", 1.0),
        finger("right", -1.0),
    )
}

/// The coupling of the fingers, within `<equality>`.
pub const EQUALITY: &str = "    <joint joint1=\"right\" joint2=\"left\"/>\n";

/// Pairs of the hand that never touch, within `<contact>`.
pub const CONTACT: &str = r#"    <exclude body1="left_finger" body2="right_finger"/>
    <exclude body1="hand" body2="left_finger"/>
    <exclude body1="hand" body2="right_finger"/>
"#;

/// The motor, within `<actuator>`: a force on one finger, of which the coupling takes half to the other.
pub const ACTUATOR: &str = "    <motor name=\"grip\" joint=\"left\" gear=\"2\" ctrlrange=\"-10 40\"/>\n";
