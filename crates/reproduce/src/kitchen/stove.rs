//! The stove with the pancake on it, and the stand that holds the spatula.

use super::grid::{Grid, soft};
use super::spatula::HANDLE_RADIUS;
use std::fmt::Write;

/// Middle of the stove's top, m, world.
pub const TOP: [f64; 3] = [0.85, -0.08, 0.06];
/// Radius of the stove, m.
pub const RADIUS: f64 = 0.15;
/// Where the frame of the spatula lies on the stand, m, world.
pub const STAND: [f64; 3] = [0.6, 0.24, 0.15];
/// Radii of the pancake, m.
pub const PANCAKE: [f64; 3] = [0.055, 0.055, 0.008];
/// Its mass, kg.
pub const PANCAKE_MASS: f64 = 0.08;
/// Its modulus, Pa (VLP V-B).
pub const PANCAKE_MODULUS: f64 = 1e4;

/// The stove with a low guard along its far rim, against which a pancake is scooped up.
pub fn stove() -> String {
    let [x, y, top] = TOP;
    let mut text = format!(
        "    <geom name=\"stove\" type=\"cylinder\" pos=\"{x} {y} {half}\" size=\"{RADIUS} {half}\" friction=\"0.7\" \
         rgba=\"0.24 0.25 0.27 1\"/>\n",
        half = 0.5 * top,
    );
    let (thick, high) = (0.003, 0.012);
    for k in -3..=3 {
        let degrees = 12.0 * f64::from(k);
        let (sin, cos) = degrees.to_radians().sin_cos();
        let at = RADIUS - thick;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "    <geom name=\"guard{}\" type=\"box\" pos=\"{:.5} {:.5} {:.3}\" euler=\"0 0 {degrees}\" size=\"{thick} 0.0167 {high}\" \
             friction=\"0.3\" rgba=\"0.16 0.17 0.19 1\"/>",
            k + 4,
            x + at * cos,
            y + at * sin,
            top + high,
        );
    }
    text
}

/// The stand: two posts with a notch each.
pub fn stand() -> String {
    let mut text = String::new();
    let [x, y, z] = STAND;
    let (color, foot, cheek) = ("rgba=\"0.56 0.42 0.29 1\"", z - HANDLE_RADIUS, HANDLE_RADIUS + 0.0045);
    for (name, at) in [("near", x - 0.03), ("far", x + 0.1)] {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "    <geom name=\"{name}_post\" type=\"box\" pos=\"{at:.3} {y} {:.3}\" size=\"0.006 0.02 {:.3}\" {color}/>",
            0.5 * foot,
            0.5 * foot
        );
        for (side, sign) in [("left", 1.0), ("right", -1.0)] {
            let _ = writeln!(
                text,
                "    <geom name=\"{name}_{side}\" type=\"box\" pos=\"{at:.3} {:.4} {:.3}\" size=\"0.006 0.004 0.006\" {color}/>",
                y + sign * cheek,
                foot + 0.006
            );
        }
    }
    text + &format!(
        "    <geom name=\"foot\" type=\"box\" pos=\"{:.3} {y} 0.004\" size=\"0.085 0.035 0.004\" {color}/>\n",
        x + 0.035
    )
}

/// The pancake as a free body, at rest on the stove, 2 cm behind the middle. Its lower side is drawn browner.
pub fn pancake(grid: &Grid) -> String {
    let ([x, y, top], [a, b, c]) = (TOP, PANCAKE);
    format!(
        "    <body name=\"pancake\" pos=\"{:.3} {y} {:.4}\">\n      <freejoint name=\"pancake\"/>\n      \
         <geom name=\"pancake\" type=\"ellipsoid\" size=\"{a} {b} {c}\" mass=\"{PANCAKE_MASS}\" friction=\"0.12\" \
         rgba=\"0.93 0.74 0.43 1\">\n        {}\n      </geom>\n      \
         <geom class=\"show\" name=\"browned\" type=\"ellipsoid\" pos=\"0 0 -0.0006\" size=\"{:.4} {:.4} {c}\" mass=\"0\" \
         rgba=\"0.62 0.36 0.15 1\"/>\n    </body>\n",
        x + 0.02,
        top + c - 0.0007,
        soft(PANCAKE_MODULUS, grid.pancake),
        a - 0.0005,
        b - 0.0005,
    )
}
