//! The law of one contact during a step: previous slip, lagged impulse, ε of ICF eq. 44, Delassus estimate.

use super::evaluate::frame_axes;
use super::island::{Island, LocalContact, PackedContact, PackedSpring};
use super::transform::point_delassus;
use crate::contact::sap::SapLaw;
use crate::contact::spring::SpringLaw;
use crate::contact::{ContactLaw, ContactModel, ModelLaw};
use crate::contact::{lagged, similar};
use crate::friction::{Regularizer, blended_friction};
use crate::lanes::F4;
use crate::normal::{NormalInput, NormalLaw};
use crate::packet::Packet;
use crate::problem::{ContactEntry, Problem};
use crate::spatial::{V3, V6, add, cross, dot, sub, v3};

/// A pair's constant quantities while its contacts and rows are compiled.
pub struct PairContext {
    /// The solver's point, world.
    pub shift: V3,
    /// Relative twist at the previous velocities.
    pub twist0: V6,
    /// J diag(A)⁻¹ Jᵀ at the solver's point.
    pub delassus: [f64; 36],
    /// Square roots of the traces of its linear and angular parts.
    pub trace: (f64, f64),
    /// Diagonal of the same without regard to what two bodies of one clique share: its natural size.
    pub size: V6,
}

/// Estimates of w below this part of their natural size are lost in rounding: the direction does not move
/// (two bodies welded together, out of the plane of a planar loop). The floor keeps its law finite.
pub const DELASSUS_FLOOR: f64 = 1e-10;

/// Compiles contact `index` of the problem; `lanes` are the next free ones of the pair's last packets, without and with
/// springs.
pub fn add_contact(
    problem: &Problem,
    island: &mut Island,
    index: usize,
    pair: &PairContext,
    lanes: &mut [usize; 2],
) {
    let entry = &problem.contacts[index];
    let r = sub(entry.r.into(), pair.shift);
    let axes = frame_axes(problem, index as u32);
    let world_bias: V3 = entry.bias.into();
    // Contact velocity at the previous state.
    let [wx, wy, wz, x, y, z] = pair.twist0;
    let at_point = add(add([x, y, z], world_bias), cross([wx, wy, wz], r));
    let v0 = v3(|i| dot(axes[i], at_point));
    let law = compile_law(problem, entry, problem.lagged[index], v0, pair, r);
    let linear = matches!(problem.normal_laws[entry.normal_law.0 as usize], NormalLaw::Linear);
    let soft = matches!(problem.settings.regularizer, Regularizer::Soft);
    let packable = match &law.spring {
        None => linear && soft,
        Some(spring) => linear && spring.kappa > 0.0,
    };
    if packable {
        let bound = (pair.trace.0 + dot(r, r).sqrt() * pair.trace.1).powi(2);
        let mass = if bound > 0.0 { 3.0 / bound } else { f64::MAX.sqrt() };
        let (packets, lane, bias) = match &law.spring {
            None => (&mut island.packets, &mut lanes[0], world_bias),
            Some(spring) => {
                // The spring's v_t is the slip and what the stretch is worth.
                let [x, y] = spring.offset.map(|o| o / spring.kappa);
                let worth = v3(|i| axes[0][i] * x + axes[1][i] * y);
                (&mut island.springs, &mut lanes[1], add(world_bias, worth))
            }
        };
        if *lane == F4::LANES {
            packets.push(Packet::EMPTY);
            *lane = 0;
        }
        let packet = packets.len() - 1;
        packets[packet].set(*lane, r, axes[2], bias, &law, mass);
        let place = PackedContact { global: index as u32, packet: packet as u32, lane: *lane as u32 };
        match law.spring {
            None => island.packed.push(place),
            Some(spring) => island.packed_springs.push(PackedSpring { place, law, spring }),
        }
        *lane += 1;
        return;
    }
    let lower_bound = problem.normal_laws[entry.normal_law.0 as usize].lower_bound(&law.normal);
    let lower_bound = if let ModelLaw::Sap(_) = law.model { f64::NEG_INFINITY } else { lower_bound };
    island.contacts.push(LocalContact {
        global: index as u32,
        r,
        axes,
        bias: v3(|i| dot(axes[i], world_bias)),
        law,
        normal_law: entry.normal_law.0,
        lower_bound,
    });
}

/// The law of a contact with previous contact velocity `v0` at `r` from the pair's point, and the normal impulse given for
/// its friction, if one was.
pub fn compile_law(
    problem: &Problem,
    entry: &ContactEntry,
    lagged: Option<f64>,
    v0: V3,
    pair: &PairContext,
    r: V3,
) -> ContactLaw {
    let settings = &problem.settings;
    let dt = problem.dt;
    let sigma = settings.regularization.max(1.0 / lagged::RESOLVED);
    let mut normal = NormalInput {
        dt,
        penetration: entry.penetration,
        elastic_force: entry.elastic_force,
        stiffness: entry.stiffness,
        dissipation: entry.dissipation,
    };
    // w is bounded by the trace of E K Eᵀ over 3.
    let arm = dot(r, r).sqrt();
    let bound = (pair.trace.0 + arm * pair.trace.1).powi(2);
    let delassus = || estimate(pair, r, bound);
    let slip = (v0[0] * v0[0] + v0[1] * v0[1]).sqrt();
    let v_s = settings.stiction_tolerance;
    let mu = blended_friction(entry.friction_static, entry.friction_dynamic, slip, v_s);
    let limit = match settings.model {
        ContactModel::Similar => similar::NEAR_RIGID / (1.0 + mu * mu),
        ContactModel::Lagged if entry.normal_law.0 == 0 => lagged::RESOLVED,
        ContactModel::Lagged | ContactModel::Sap => f64::INFINITY,
    };
    let slope = dt * (dt * normal.stiffness + normal.dissipation * normal.elastic_force.max(0.0));
    let mut scale = 1.0;
    if slope * bound > 3.0 * limit {
        scale = (limit / (slope * delassus())).min(1.0);
        normal.elastic_force *= scale;
        normal.stiffness *= scale;
    }
    let n0 = lagged
        .unwrap_or_else(|| problem.normal_laws[entry.normal_law.0 as usize].lagged_impulse(&normal, v0[2]));
    // The bound says for most contacts that ε = v_s without more ado.
    let w = if settings.model == ContactModel::Sap || sigma * bound / 3.0 * mu * n0 > v_s {
        delassus()
    } else {
        0.0
    };
    // ICF eq. 44
    let epsilon = v_s.max(sigma * w * mu * n0);
    let model = match settings.model {
        ContactModel::Lagged => ModelLaw::Lagged { friction_limit: mu * n0, epsilon },
        ContactModel::Similar => ModelLaw::Similar { friction: mu, epsilon },
        ContactModel::Sap => ModelLaw::Sap(SapLaw::new(
            dt,
            entry.elastic_force,
            entry.stiffness,
            entry.relaxation_time,
            mu,
            sigma,
            w,
        )),
    };
    let spring = entry
        .spring
        .map(|s| SpringLaw::new(dt, mu * n0, scale * s.stiffness, scale * s.damping, s.stretch.into()));
    ContactLaw { normal, model, spring }
}

/// The Delassus estimate w of a contact at `r` from the pair's point.
pub fn delassus_estimate(pair: &PairContext, r: V3) -> f64 {
    let bound = (pair.trace.0 + dot(r, r).sqrt() * pair.trace.1).powi(2);
    estimate(pair, r, bound)
}

fn estimate(pair: &PairContext, r: V3, bound: f64) -> f64 {
    point_delassus(&pair.delassus, r).max(DELASSUS_FLOOR * bound)
}
