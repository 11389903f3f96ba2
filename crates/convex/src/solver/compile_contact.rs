//! The law of one contact during a step: previous slip, lagged impulse, ε of ICF eq. 44, Delassus estimate.

use super::evaluate::frame_axes;
use super::island::{Island, LocalContact, PackedContact, PackedSpring};
use super::late_friction::Lag;
use super::transform::point_delassus;
use crate::contact::{CompiledContact, ContactTerms, SpringTerms};
use crate::friction::FrictionModel;
use crate::friction::blended_friction;
use crate::lanes::F4;
use crate::normal::{NormalInput, NormalLaw};
use crate::packet::{Packet, Slip, Turning};
use crate::problem::{ContactEntry, Pair, Problem};
use crate::spatial::{V3, V6, add, cross, dot, sub, v3};

/// A pair's constant quantities while its contacts and rows are compiled.
#[derive(Debug, Clone, Copy)]
pub struct PairContext {
    /// The solver's point, world.
    pub shift: V3,
    /// Relative twist at the previous velocities.
    pub twist0: V6,
    /// J diag(A)⁻¹ Jᵀ at the solver's point.
    pub delassus: [f64; 36],
    /// Square roots of the traces of its linear and angular parts, without the coupling of two bodies in one clique: its
    /// natural scale.
    pub trace: (f64, f64),
    /// Number of contacts of the pair.
    pub contacts: usize,
}

/// Estimates of w below this fraction of their natural scale are rounding errors: the direction cannot move (two
/// welded bodies, or out of the plane of a planar loop). The floor keeps the law finite.
const DELASSUS_FLOOR: f64 = 1e-10;

/// Compiles contact `index` of the problem, of local pair `local`; `lanes` are the next free ones of the pair's last packets:
/// plain ones, with springs, with an ellipse, with both.
pub fn add_contact(
    problem: &Problem,
    island: &mut Island,
    index: usize,
    (local, pair): (usize, &PairContext),
    lanes: &mut [usize; 4],
) {
    let contact = PlacedContact::compile(problem, index, pair);
    let PlacedContact { r, axes, bias, law, .. } = contact;
    if law.share < 1.0 {
        island.capped.push((index as u32, law.share));
    }
    let lag = problem.settings.model == FrictionModel::Lagged && contact.friction > 0.0;
    let place = if contact.is_packed(problem) {
        let turning = law.ellipse.is_some();
        let (kind, lane) = match (turning, law.spring.is_some()) {
            (false, false) => (PlaceIn::Packet, &mut lanes[0]),
            (false, true) => (PlaceIn::Spring(island.packed_springs.len() as u32), &mut lanes[1]),
            (true, false) => (PlaceIn::Turning, &mut lanes[2]),
            (true, true) => {
                (PlaceIn::TurningSpring(island.packed_turning_springs.len() as u32), &mut lanes[3])
            }
        };
        let place = match kind {
            PlaceIn::Packet => place_in(&mut island.packets, index, lane),
            PlaceIn::Spring(_) => place_in(&mut island.springs, index, lane),
            PlaceIn::Turning => place_in(&mut island.turning, index, lane),
            _ => place_in(&mut island.turning_springs, index, lane),
        };
        match law.spring {
            None if turning => island.packed_turning.push(place),
            None => island.packed.push(place),
            Some(spring) if turning => island.packed_turning_springs.push(PackedSpring { place, spring }),
            Some(spring) => island.packed_springs.push(PackedSpring { place, spring }),
        }
        contact.put(island, kind, place);
        (kind, place)
    } else {
        let normal_law = &problem.normal_laws[contact.normal_law as usize];
        island.contacts.push(LocalContact {
            global: index as u32,
            r,
            axes,
            bias: v3(|i| dot(axes[i], bias)),
            lower_bound: normal_law.lower_bound(&law.normal),
            law,
            normal_law: contact.normal_law,
        });
        let number = island.contacts.len() as u32 - 1;
        (PlaceIn::Alone(number), PackedContact { global: index as u32, packet: 0, lane: 0 })
    };
    if lag {
        let v_s = problem.settings.stiction_tolerance;
        island.lags.push(Lag {
            contact: index as u32,
            friction: contact.friction,
            limit: law.coefficients.friction,
            negligible: contact.mass * v_s / pair.contacts as f64,
            given: problem.lagged[index],
            pair: local as u32,
            place,
        });
    }
}

/// Where a contact is evaluated: in a packet of a kind, with the number of its spring if it has one, or by itself.
#[derive(Debug, Clone, Copy)]
pub enum PlaceIn {
    Packet,
    Spring(u32),
    Turning,
    TurningSpring(u32),
    Alone(u32),
}

/// A contact of the problem as the solver evaluates it.
pub struct PlacedContact {
    r: V3,
    axes: [V3; 3],
    /// Bias velocity, world axes.
    bias: V3,
    law: CompiledContact,
    normal_law: u32,
    /// About 1/w.
    mass: f64,
    /// μ of Lagged, else 0.
    friction: f64,
}

impl PlacedContact {
    fn compile(problem: &Problem, index: usize, pair: &PairContext) -> Self {
        let entry = &problem.contacts[index];
        let r = sub(entry.r.into(), pair.shift);
        let axes = frame_axes(problem, index as u32);
        let bias: V3 = entry.bias.into();
        // Contact velocity at the previous state.
        let [wx, wy, wz, x, y, z] = pair.twist0;
        let at_point = add(add([x, y, z], bias), cross([wx, wy, wz], r));
        let v0 = v3(|i| dot(axes[i], at_point));
        let law = compile_law(problem, entry, problem.lagged[index], v0, pair, r);
        let bound = delassus_bound(pair, r);
        let mass = if bound > 0.0 { 3.0 / bound } else { f64::MAX.sqrt() };
        let mut friction = 0.0;
        if problem.settings.model == FrictionModel::Lagged {
            let v_s = problem.settings.stiction_tolerance;
            let slip = (v0[0] * v0[0] + v0[1] * v0[1]).sqrt();
            friction = blended_friction(entry.friction_static, entry.friction_dynamic, slip, v_s);
        }
        Self { r, axes, bias, law, normal_law: entry.normal_law.0, mass, friction }
    }

    /// Whether packets have its law.
    fn is_packed(&self, problem: &Problem) -> bool {
        problem.normal_laws[self.normal_law as usize] == NormalLaw::Linear
    }

    /// Writes the contact into its lane.
    fn put(&self, island: &mut Island, kind: PlaceIn, place: PackedContact) {
        let Self { r, axes, bias, law, mass, .. } = self;
        let (at, lane) = (place.packet as usize, place.lane as usize);
        match (kind, &law.spring) {
            (PlaceIn::Spring(_), Some(spring)) => {
                let [x, y, ..] = spring.equivalent_velocity();
                let stretched = v3(|i| axes[0][i] * x + axes[1][i] * y);
                island.springs[at].set(lane, *r, axes[2], add(*bias, stretched), law, *mass);
            }
            (PlaceIn::Turning, _) => self.turn(&mut island.turning[at], lane),
            (PlaceIn::TurningSpring(_), _) => self.turn(&mut island.turning_springs[at], lane),
            _ => island.packets[at].set(lane, *r, axes[2], *bias, law, *mass),
        }
    }

    /// Writes a contact whose slip is scaled by direction into its lane.
    fn turn(&self, packet: &mut Packet<Turning>, lane: usize) {
        let Self { r, axes, bias, law, mass, .. } = self;
        let offset = law.spring.map_or([0.0; 5], |spring| spring.equivalent_velocity());
        packet.set(lane, *r, axes[2], *bias, law, *mass);
        if let Some(ellipse) = &law.ellipse {
            packet.set_turning(lane, [axes[0], axes[1]], ellipse, offset);
        }
    }
}

impl Island {
    /// Compiles the contacts anew whose given normal impulse is another than that they were compiled with. Returns whether
    /// there are any.
    pub fn change_lags(&mut self, problem: &Problem) -> bool {
        let mut changed = false;
        for k in 0..self.lags.len() {
            let lag = self.lags[k];
            let index = lag.contact as usize;
            if lag.given == problem.lagged[index] {
                continue;
            }
            changed = true;
            let contact = PlacedContact::compile(problem, index, &self.pairs[lag.pair as usize].context);
            let law = contact.law;
            let (kind, place) = lag.place;
            match (kind, law.spring) {
                (PlaceIn::Spring(at), Some(spring)) => self.packed_springs[at as usize].spring = spring,
                (PlaceIn::TurningSpring(at), Some(spring)) => {
                    self.packed_turning_springs[at as usize].spring = spring;
                }
                (PlaceIn::Alone(at), _) => self.contacts[at as usize].law = law,
                _ => {}
            }
            if !matches!(kind, PlaceIn::Alone(_)) {
                contact.put(self, kind, place);
            }
            self.lags[k] = Lag { limit: law.coefficients.friction, given: problem.lagged[index], ..lag };
        }
        changed
    }
}

/// The next free lane of the last packet, or the first of a new one.
fn place_in<S: Slip>(packets: &mut Vec<Packet<S>>, index: usize, lane: &mut usize) -> PackedContact {
    if *lane == F4::LANES {
        packets.push(Packet::EMPTY);
        *lane = 0;
    }
    *lane += 1;
    PackedContact { global: index as u32, packet: packets.len() as u32 - 1, lane: *lane as u32 - 1 }
}

/// The law of a contact with previous contact velocity `v0` at `r` from the pair's point, and the given normal
/// impulse for its friction, if any.
pub fn compile_law(
    problem: &Problem,
    entry: &ContactEntry,
    lagged: Option<f64>,
    v0: V3,
    pair: &PairContext,
    r: V3,
) -> CompiledContact {
    let terms = ContactTerms {
        normal: NormalInput {
            dt: problem.dt,
            penetration: entry.penetration,
            elastic_force: entry.elastic_force,
            stiffness: entry.stiffness,
            dissipation: entry.dissipation,
        },
        relaxation_time: entry.relaxation_time,
        friction_static: entry.friction_static,
        friction_dynamic: entry.friction_dynamic,
        v_n0: v0[2],
        slip: (v0[0] * v0[0] + v0[1] * v0[1]).sqrt(),
        lagged,
        spring: entry.spring.map(|s| SpringTerms {
            stiffness: s.stiffness,
            damping: s.damping,
            critical: s.critical,
            stretch: s.slip(entry.ellipse.as_ref()),
        }),
        ellipse: entry.ellipse,
        load: entry.load,
        spin: entry.ellipse.map_or(0.0, |_| turn_mobility(pair, entry.frame.column(2).into_owned().into())),
    };
    let bound = delassus_bound(pair, r);
    let law = &problem.normal_laws[entry.normal_law.0 as usize];
    CompiledContact::compile(&problem.settings, law, &terms, || estimate(pair, r, bound), bound)
}

/// nᵀ K n of the angular block of the pair's Delassus estimate K.
fn turn_mobility(pair: &PairContext, n: V3) -> f64 {
    let row = |i: usize| (0..3).map(|j| pair.delassus[i + 6 * j] * n[j]).sum::<f64>();
    (0..3).map(|i| n[i] * row(i)).sum()
}

/// An upper bound of 3 w at `r` from the pair's point: the trace of E K Eᵀ.
pub fn delassus_bound(pair: &PairContext, r: V3) -> f64 {
    (pair.trace.0 + dot(r, r).sqrt() * pair.trace.1).powi(2)
}

/// The Delassus estimate w of a contact at `r` from the pair's point.
pub fn delassus_estimate(pair: &PairContext, r: V3) -> f64 {
    estimate(pair, r, delassus_bound(pair, r))
}

fn estimate(pair: &PairContext, r: V3, bound: f64) -> f64 {
    point_delassus(&pair.delassus, r).max(DELASSUS_FLOOR * bound)
}

/// Fraction of its terms below which a component of a Jacobian is their rounding error: 2⁻⁵² times some thousand operations
/// along a chain of joints.
const JACOBIAN_ROUNDING: f64 = 1e-12;

/// Delassus estimates that the rows of a pair share, one for translation and one for rotation.
///
/// The rows of a connection or a weld are components of one vector along axes that the builder chose. If each took its own
/// estimate as its scale, a direction that cannot move (out of the plane of a planar mechanism) would have R → 0 with a
/// Jacobian of rounding errors, and would multiply them without bound. So R is the same for every direction, as SAP has it
/// for a contact: the constraint is an isotropic spring, and its impulse in a direction that does not move does no work.
#[derive(Clone, Copy, Default)]
pub struct RowScale {
    rotation: f64,
    translation: f64,
}

impl RowScale {
    /// The estimate for a row along `direction` = [angular; linear] about the pair's own point.
    pub fn along(&self, direction: &V6) -> f64 {
        let [a, b, c, x, y, z] = *direction;
        (a * a + b * b + c * c) * self.rotation + (x * x + y * y + z * z) * self.translation
    }

    /// Distance from the axes about which the pair turns that gives a turn the same estimate as a translation, m.
    pub fn lever(&self) -> f64 {
        if self.translation > 0.0 { (self.translation / self.rotation).sqrt() } else { f64::INFINITY }
    }
}

/// ‖K‖_F/√3 of the angular and of the linear block of the pair's Delassus estimate K at its own point: independent of the
/// axes, and equal to w where w is the same in every direction. Zero, for a row without an impulse, where the block is the
/// rounding error of its terms: two bodies that cannot move against each other, or a point on the axis of its hinge.
pub fn row_scale(problem: &Problem, pair: &Pair, context: &PairContext) -> RowScale {
    let k = &context.delassus;
    let mut sum = 0.0;
    for j in 0..3 {
        for i in 0..3 {
            sum += k[i + 6 * j] * k[i + 6 * j];
        }
    }
    let r = sub([0.0; 3], context.shift);
    let rotation = (sum / 3.0).sqrt();
    let translation = 3f64.sqrt() * point_delassus(k, r);
    // A position has the rounding of its coordinates, which is that of a lever arm.
    let mut reach = pair.point.norm();
    for id in [pair.a, pair.b].into_iter().flatten() {
        reach = reach.max(problem.bodies[id.0 as usize].point.norm());
    }
    let floor = |w: f64, size: f64, noise: f64| match JACOBIAN_ROUNDING * JACOBIAN_ROUNDING * noise {
        noise if w <= noise => 0.0,
        _ => w.max(DELASSUS_FLOOR * size),
    };
    let (linear, angular) = (delassus_bound(context, r), context.trace.1.powi(2));
    RowScale {
        rotation: floor(rotation, angular, angular),
        translation: floor(translation, linear, linear + reach * reach * angular),
    }
}
