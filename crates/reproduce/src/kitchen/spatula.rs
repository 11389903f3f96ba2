//! The spatula: a handle with a steel cap at its end, a cranked neck, and a blade.
//!
//! Its frame S lies on the axis of the handle, x towards the blade, z up. The blade is bent up by 12°, so that it is level
//! when the handle comes down to it, and a hand stays above the stove.

use super::grid::{Grid, rigid};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// Radius of the handle, m.
pub const HANDLE_RADIUS: f64 = 0.01;
/// Half of the blade's length, width and thickness, m.
pub const BLADE: [f64; 3] = [0.05, 0.045, 0.001];
/// Where a hand holds it that wants to work with it: at this x, m.
pub const HOLD: f64 = -0.12;

/// How much the blade is bent up from the handle, rad.
const BEND: f64 = 12.0 * std::f64::consts::PI / 180.0;
/// Middle of the blade's rear edge in S, m.
const REAR: [f64; 3] = [0.165, 0.0, -0.012];
/// Masses, kg: handle, cap, neck, blade.
const MASSES: [f64; 4] = [0.022, 0.03, 0.002, 0.036];

/// Pose of the blade in S: origin in its middle, x forward, z up.
pub fn x_sb() -> Isometry3<f64> {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -BEND);
    let middle = Vector3::from(REAR) + turn * Vector3::new(BLADE[0], 0.0, 0.0);
    Isometry3::from_parts(Translation3::from(middle), turn)
}

/// Mass, kg, and centre of mass in S, m.
pub fn balance() -> (f64, Vector3<f64>) {
    let neck = Vector3::new(0.142, 0.0, -0.0055);
    let places =
        [Vector3::new(-0.04, 0.0, 0.0), Vector3::new(-0.205, 0.0, 0.0), neck, x_sb().translation.vector];
    let mass: f64 = MASSES.iter().sum();
    (mass, MASSES.iter().zip(places).map(|(m, p)| p * (m / mass)).sum())
}

/// The spatula as a free body with S at `pos`.
pub fn spatula(pos: [f64; 3], grid: &Grid, touched_by_soft: bool) -> String {
    let blade = x_sb().translation.vector;
    let [handle_mass, cap_mass, neck_mass, blade_mass] = MASSES;
    let tags = if touched_by_soft {
        format!(">\n        {}\n      </geom>", rigid(grid.handle))
    } else {
        "/>".into()
    };
    format!(
        r#"    <body name="spatula" pos="{:.4} {:.4} {:.4}">
      <freejoint name="spatula"/>
      <geom name="handle" type="cylinder" pos="-0.04 0 0" euler="0 90 0" size="{HANDLE_RADIUS} 0.16" mass="{handle_mass}" rgba="0.13 0.14 0.16 1"{tags}
      <geom name="cap" type="cylinder" pos="-0.205 0 0" euler="0 90 0" size="{cap_radius} 0.01" mass="{cap_mass}" rgba="0.72 0.74 0.77 1"/>
      <geom name="neck" type="capsule" fromto="0.118 0 0 0.166 0 -0.011" size="0.004" mass="{neck_mass}" rgba="0.72 0.74 0.77 1"/>
      <geom name="blade" type="box" pos="{:.6} 0 {:.6}" euler="0 {:.4} 0" size="{} {} {}" friction="0.12" mass="{blade_mass}" rgba="0.72 0.74 0.77 1"/>
    </body>
"#,
        pos[0],
        pos[1],
        pos[2],
        blade.x,
        blade.z,
        -BEND.to_degrees(),
        BLADE[0],
        BLADE[1],
        BLADE[2],
        cap_radius = HANDLE_RADIUS + 0.001,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blade_is_level_when_the_handle_comes_down_to_it() {
        // Nose of S down by the bend: the blade's x-axis is level, and a hand at the hold is above the blade.
        let x_ws = Isometry3::from_parts(
            Translation3::identity(),
            UnitQuaternion::from_axis_angle(&Vector3::y_axis(), BEND),
        );
        let x_wb = x_ws * x_sb();
        assert!((x_wb.rotation * Vector3::x()).z.abs() < 1e-12);
        let hold = x_ws * nalgebra::Point3::new(HOLD, 0.0, 0.0);
        assert!(hold.z - x_wb.translation.z > 0.05);
    }
}
