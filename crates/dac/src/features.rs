//! The networks' inputs: what decides the friction of a patch, without unit, after the floor's symmetries.
//!
//! Impact maps are positively homogeneous: all velocities twice as large, all impulses twice as large. So velocities
//! come as shares of the speed, friction as a ratio to the normal impulse, masses and lengths over the body's own.
//! With U the size of the twist and x/(1 + |x|) written s(x):
//!
//! | inputs | point | line, surface |
//! |---|---|---|
//! | Coulomb's friction ratio over μ | 2 | 3 |
//! | friction that sticking asks for, s(p_f / μ p_n), axis by axis | 2 | 3 |
//! | normal impulse that sticking asks for, its share of the whole | 1 | 1 |
//! | velocity of the centre over U | 3 | 3 |
//! | slip after Coulomb's friction over U | 2 | 3 |
//! | spin over U | | 3 |
//! | where sticking and Coulomb press, from the centre | | 4 |
//! | second moments of the points | | 3 |
//! | mobility at the centre | 6 | 21 |
//!
//! DAC's own inputs (rotation matrix, velocities, centre of the patch and its velocity) carry the same information;
//! these carry it in a form in which the answer is nearly a function of a few numbers.

use crate::constraint::Stick;
use crate::coulomb::Coulomb;
use crate::patch::{Patch, PatchKind};
use crate::symmetry::Turn;
use nalgebra::Vector2;

/// Number of inputs for a patch of this kind.
pub fn feature_count(kind: PatchKind) -> usize {
    match kind {
        PatchKind::Point => 16,
        PatchKind::Line | PatchKind::Surface => 44,
    }
}

/// Names of the inputs, in order.
pub fn feature_names(kind: PatchKind) -> Vec<String> {
    let axes = ["1", "2", "n"];
    let point = kind == PatchKind::Point;
    let three = if point { 2 } else { 3 };
    let mut names = Vec::new();
    for what in ["Coulomb ratio", "sticking ratio"] {
        names.extend(axes[..three].iter().map(|a| format!("{what} {a}")));
    }
    names.push("sticking normal share".into());
    names.extend(axes.iter().map(|a| format!("velocity {a}")));
    names.extend(axes[..three].iter().map(|a| format!("slip after Coulomb {a}")));
    if !point {
        names.extend(axes.iter().map(|a| format!("spin {a}")));
        for what in ["sticking pressure", "Coulomb pressure"] {
            names.extend(axes[..2].iter().map(|a| format!("{what} {a}")));
        }
        names.extend(["11", "12", "22"].iter().map(|a| format!("moment {a}")));
    }
    let first = if point { 3 } else { 0 };
    for i in first..6 {
        names.extend((i..6).map(|j| format!("mobility {i}{j}")));
    }
    names
}

/// Writes the inputs of a patch, seen through `turn`. `friction` is the coefficient that `coulomb` was solved with.
pub fn features(
    patch: &Patch,
    stick: &Stick,
    coulomb: &Coulomb,
    friction: f64,
    turn: &Turn,
    out: &mut Vec<f64>,
) {
    out.clear();
    let point = patch.kind == PatchKind::Point;
    let three = if point { 2 } else { 3 };
    let mu = friction.max(1e-6);
    let linear = patch.twist.fixed_rows::<3>(3).norm();
    let size = if point { linear } else { patch.twist.norm() }.max(f64::MIN_POSITIVE);
    let seen = turn.patch(patch);

    let ratio = turn.friction(&coulomb.ratio) / mu;
    out.extend(&ratio.as_slice()[..three]);
    let wanted = turn.friction(&stick.friction);
    let hold = mu * stick.normal.max(0.0);
    out.extend(wanted.iter().take(three).map(|f| f / (f.abs() + hold).max(f64::MIN_POSITIVE)));
    let tangential = wanted.iter().take(three).map(|f| f * f).sum::<f64>().sqrt();
    out.push(stick.normal / (stick.normal.abs() + tangential).max(f64::MIN_POSITIVE));
    out.extend(seen.twist.fixed_rows::<3>(3).iter().map(|u| u / size));
    let after = turn.twist(&coulomb.twist);
    out.extend([after[3], after[4], after[2]].iter().take(three).map(|u| u / size));
    if !point {
        out.extend(seen.twist.fixed_rows::<3>(0).iter().map(|u| u / size));
        let limited = |p: Vector2<f64>| turn.vector(&p).map(|x| x.clamp(-4.0, 4.0));
        out.extend(limited(stick.pressure).iter());
        let pressed = if coulomb.normal > 0.0 {
            Vector2::new(-coulomb.wrench[1], coulomb.wrench[0]) / coulomb.normal
        } else {
            Vector2::zeros()
        };
        out.extend(limited(pressed).iter());
        let mut moments = [0.0; 3];
        for o in &seen.offsets {
            for (m, value) in moments.iter_mut().zip([o.x * o.x, o.x * o.y, o.y * o.y]) {
                *m += value / patch.len() as f64;
            }
        }
        out.extend(moments);
    }
    let first = if point { 3 } else { 0 };
    for i in first..6 {
        out.extend((i..6).map(|j| seen.mobility[(i, j)]));
    }
}
