//! Transmissions of actuators: lengths and moment arms.

use crate::forces::moments::{Moments, Pattern, Place};
use crate::forces::tendons::joint_at;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use stiction_model::{Transmission, World};
use stiction_multibody::Multibody;

/// A transmission in coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Link {
    /// A joint of one coordinate: its position, and the gear. Its arm is constant.
    Coordinate { q: usize, gear: f64 },
    /// A ball joint, or the rotation of a free one (whose translations have constant arms).
    Turn { q: usize, v: usize, gear: Vector3<f64>, in_parent: bool, measured: bool },
    /// Several coordinates with constant arms and no length.
    Coordinates,
    /// A tendon.
    Tendon { tendon: usize, gear: f64 },
    /// A wrench at a site, relative to another if there is one.
    Site { site: usize, reference: Option<usize>, force: Vector3<f64>, torque: Vector3<f64> },
    /// A slider and a crank.
    SliderCrank { slider: usize, crank: usize, rod: f64, gear: f64 },
    /// All contacts of a body; no length.
    Adhesion { body: usize, gear: f64 },
}

/// Compiles the transmission of an actuator and adds its row to `pattern`. Also returns the constant arms.
pub(crate) fn compile(
    transmission: &Transmission,
    world: &World,
    multibody: &Multibody,
    tendons: &Moments,
    pattern: &mut Pattern,
) -> (Link, Vec<(usize, f64)>) {
    match *transmission {
        Transmission::Joint { body, joint, gear } | Transmission::JointInParent { body, joint, gear } => {
            let in_parent = matches!(transmission, Transmission::JointInParent { .. });
            let info = joint_at(multibody, (body, joint));
            let arms: Vec<_> = info.v.clone().zip(gear).filter(|(_, g)| *g != 0.0).collect();
            let (q, v) = (info.q.start, info.v.start);
            let turn = |at: usize, q: usize, measured: bool| {
                let gear = Vector3::new(gear[at], gear[at + 1], gear[at + 2]);
                Link::Turn { q, v: v + at, gear, in_parent, measured }
            };
            match info.q.len() {
                4 => {
                    pattern.push((v..v + 3).collect());
                    (turn(0, q, true), Vec::new())
                }
                7 if in_parent => {
                    pattern.push((v..v + 6).collect());
                    (turn(3, q + 3, false), (v..v + 3).zip(gear).collect())
                }
                1 => {
                    pattern.push(arms.iter().map(|a| a.0).collect());
                    (Link::Coordinate { q, gear: gear[0] }, arms)
                }
                _ => {
                    pattern.push(arms.iter().map(|a| a.0).collect());
                    (Link::Coordinates, arms)
                }
            }
        }
        Transmission::Tendon { tendon, gear } => {
            pattern.push(tendons.row(tendon).iter().map(|a| a.0).collect());
            (Link::Tendon { tendon, gear }, Vec::new())
        }
        Transmission::Site { site, reference, gear } => {
            let bodies = [site, reference.unwrap_or(site)].map(|s| world.sites[s].body);
            pattern.push_bodies(multibody, bodies.into_iter());
            let (force, torque) =
                (Vector3::new(gear[0], gear[1], gear[2]), Vector3::new(gear[3], gear[4], gear[5]));
            (Link::Site { site, reference, force, torque }, Vec::new())
        }
        Transmission::SliderCrank { slider, crank, rod, gear } => {
            pattern.push_bodies(multibody, [slider, crank].map(|s| world.sites[s].body).into_iter());
            (Link::SliderCrank { slider, crank, rod, gear }, Vec::new())
        }
        Transmission::Body { body, gear } => {
            pattern.push(Vec::new());
            (Link::Adhesion { body, gear }, Vec::new())
        }
    }
}

impl Link {
    /// Length and arms of row `row` at a state.
    pub fn update(&self, row: usize, place: &Place, tendons: &Moments, out: &mut Moments) {
        match *self {
            Self::Coordinate { q, gear } => out.lengths[row] = gear * place.q[q],
            Self::Coordinates | Self::Adhesion { .. } => {}
            Self::Turn { q, v, gear, in_parent, measured } => {
                let [w, x, y, z] = [0, 1, 2, 3].map(|k| place.q[q + k]);
                let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
                let arms = if in_parent { turn.inverse() * gear } else { gear };
                if measured {
                    out.lengths[row] = gear.dot(&turn.scaled_axis());
                }
                let first = out.row(row).partition_point(|&(dof, _)| dof < v);
                let locked = place.compiled.multibody.locked();
                for (k, (dof, arm)) in out.row_mut(row)[first..first + 3].iter_mut().enumerate() {
                    *arm = if locked[*dof] { 0.0 } else { arms[k] };
                }
            }
            Self::Tendon { tendon, gear } => {
                out.clear(row);
                out.add_row(row, tendons, tendon, gear);
            }
            Self::Site { site, reference: None, force, torque } => {
                out.clear(row);
                let (x_ws, body) = (place.site(site), place.compiled.world.sites[site].body);
                let (force, torque) = (x_ws.rotation * force, x_ws.rotation * torque);
                out.add_wrench(row, place, body, &x_ws.translation.vector, &force, &torque);
            }
            Self::Site { site, reference: Some(reference), force, torque } => {
                out.clear(row);
                relative(row, site, reference, &force, &torque, place, out);
            }
            Self::SliderCrank { slider, crank, rod, gear } => {
                out.clear(row);
                slider_crank(row, slider, crank, rod, gear, place, out);
            }
        }
    }
}

/// The motion of a site relative to another, along a wrench in the other's axes. Coordinates that move both sites
/// are ignored, although they rotate those axes.
fn relative(
    row: usize,
    site: usize,
    reference: usize,
    force: &Vector3<f64>,
    torque: &Vector3<f64>,
    place: &Place,
    out: &mut Moments,
) {
    let sites = &place.compiled.world.sites;
    let (x_ws, x_wr) = (place.site(site), place.site(reference));
    let (body, base) = (sites[site].body, sites[reference].body);
    let between = x_wr.inverse() * x_ws;
    out.lengths[row] = force.dot(&between.translation.vector) + torque.dot(&between.rotation.scaled_axis());
    let (force, torque) = (x_wr.rotation * force, x_wr.rotation * torque);
    out.add_wrench(row, place, body, &x_ws.translation.vector, &force, &torque);
    out.add_wrench(row, place, base, &x_wr.translation.vector, &-force, &-torque);
    let multibody = &place.compiled.multibody;
    let moves = |body: usize, dof: usize| multibody.body_dofs(body).iter().any(|run| run.contains(&dof));
    for (dof, arm) in out.row_mut(row) {
        if moves(body, *dof) && moves(base, *dof) {
            *arm = 0.0;
        }
    }
}

/// The slider's position s along its axis a from which a rod of length r reaches the crank at c (from the
/// slider's site): |c − s a| = r, the nearer solution. If the crank is out of reach, s is the nearest point.
fn slider_crank(
    row: usize,
    slider: usize,
    crank: usize,
    rod: f64,
    gear: f64,
    place: &Place,
    out: &mut Moments,
) {
    let sites = &place.compiled.world.sites;
    let (x_ws, x_wc) = (place.site(slider), place.site(crank));
    let (axis, p_s, p_c) = (x_ws.rotation * Vector3::z(), x_ws.translation.vector, x_wc.translation.vector);
    let c = p_c - p_s;
    let along = c.dot(&axis);
    let square = along * along + rod * rod - c.norm_squared();
    // Gradients of the length with c and with the axis.
    let (length, by_c, by_axis) = if square <= 0.0 {
        (along, axis, c)
    } else {
        let root = square.sqrt();
        let share = 1.0 - along / root;
        (along - root, axis * share + c / root, c * share)
    };
    out.lengths[row] = gear * length;
    let none = Vector3::zeros();
    out.add_wrench(row, place, sites[crank].body, &p_c, &(gear * by_c), &none);
    // The axis rotates with the slider: its rate is ω × a.
    let torque = gear * axis.cross(&by_axis);
    out.add_wrench(row, place, sites[slider].body, &p_s, &(-gear * by_c), &torque);
}
