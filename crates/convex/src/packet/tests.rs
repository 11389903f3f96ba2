//! Packets against the plain law of a contact, over random states.

use super::*;
use crate::friction::spring::SpringLaw;
use crate::normal::{NormalInput, NormalLaw};
use crate::spatial::{PairSum, add, dot, rotate_symmetric};
use nalgebra::{Rotation3, Vector3};
use proptest::prelude::*;

/// A contact in its frame (columns of `axes`), with the data of its packet.
#[derive(Debug)]
struct Case {
    contact: CompiledContact,
    kind: Kind,
    axes: [V3; 3],
    /// The law's velocity at α = 0, and its step.
    v: V3,
    dv: V3,
}

fn log_uniform(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low.ln()..high.ln()).prop_map(f64::exp)
}

fn case() -> impl Strategy<Value = Case> {
    let law = (log_uniform(1e2, 1e7), -1e-3f64..5e-3, 0.0f64..20.0, 0.0f64..1.5, log_uniform(1e-4, 1e-1));
    let unit = || prop::array::uniform3(-1.0f64..1.0);
    (0u8..5, law, unit(), unit(), unit(), log_uniform(1e-5, 1.0), log_uniform(1e-5, 1.0)).prop_map(
        |(which, (k, x0, d, mu, epsilon), turn, v, dv, slip, normal_speed)| {
            let normal = NormalInput {
                dt: 1e-2,
                penetration: x0,
                elastic_force: k * x0,
                stiffness: k,
                dissipation: d,
            };
            let limit = mu * 1e-2 * k * 1e-3;
            let spring = SpringLaw::new(1e-2, limit, 0.7 * k, 1e-3 * k, [1e-4 * v[0], -1e-4 * v[1]]);
            let sap = || CompiledContact::sap(normal, 0.01, mu, 1e-3, 1.0);
            let (contact, kind) = match which {
                0 => (CompiledContact::lagged(normal, limit, epsilon), Kind::Model(FrictionModel::Lagged)),
                1 => (CompiledContact::similar(normal, mu, epsilon), Kind::Model(FrictionModel::Similar)),
                2 => (sap(), Kind::Model(FrictionModel::Sap)),
                3 => (CompiledContact::lagged(normal, limit, epsilon).with_spring(spring), Kind::Spring),
                _ => (sap().with_spring(spring), Kind::Spring),
            };
            let axes = Rotation3::new(3.0 * Vector3::from(turn)).into_inner();
            let axes = [0, 1, 2].map(|i| axes.column(i).into());
            let scale = |x: V3| [slip * x[0], slip * x[1], normal_speed * x[2]];
            Case { contact, kind, axes, v: scale(v), dv: scale(dv) }
        },
    )
}

impl Case {
    fn world(&self, x: V3) -> V3 {
        v3(|i| (0..3).map(|k| self.axes[k][i] * x[k]).sum())
    }

    /// A twist that moves the contact, which is at r, with velocity `v` of its frame.
    fn twist(&self, v: V3, r: V3) -> V6 {
        let w = [0.3, -0.7, 0.2];
        let swing = crate::spatial::cross(w, r);
        let linear = crate::spatial::sub(self.world(v), swing);
        [w[0], w[1], w[2], linear[0], linear[1], linear[2]]
    }

    fn packet(&self, r: V3) -> Packet {
        let mut packet: Packet = Packet::EMPTY;
        let [x, y, ..] = self.contact.spring.map_or([0.0; 5], |s| s.equivalent_velocity());
        packet.set(2, r, self.axes[2], self.world([x, y, 0.0]), &self.contact, 1.0);
        packet
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_packet_and_its_line_are_the_plain_law(case in case(), alpha in 0.0f64..2.0) {
        let r = [0.1, -0.2, 0.05];
        let mut packets = [case.packet(r)];
        place(&mut packets, case.kind, &case.twist(case.v, r));
        let mut sum = PairSum::default();
        evaluate(&mut packets, case.kind, Hessian::Exact, &mut sum);
        let plain = |v: V3| case.contact.evaluate(&NormalLaw::Linear, v);
        let value = plain(case.v);
        // Velocities are rounded to 1e-16 of themselves, and multiplied by the stiffness.
        let norm = |m: &[[f64; 3]; 3]| m.iter().flatten().map(|x| x.abs()).sum::<f64>();
        let slack = |v: V3, value: &crate::contact::ContactValue| {
            1e-14 * (norm(&value.hessian) * (1.0 + dot(v, v).sqrt()) + dot(value.impulse, value.impulse).sqrt())
        };
        let force = case.world(value.impulse);
        for i in 0..3 {
            prop_assert!((sum.wrench[3 + i] - force[i]).abs() <= slack(case.v, &value), "{:?} {force:?}", sum.wrench);
        }
        let stiffness = rotate_symmetric(&case.axes, &value.hessian);
        for i in 0..6 {
            // Near rest, the curvature changes by a fraction of itself over ε.
            let allowed = 1e-9 * norm(&value.hessian) + slack(case.v, &value) / case.contact.coefficients.epsilon.max(1e-6);
            prop_assert!((sum.ll[i] - stiffness[i]).abs() <= allowed, "{:?} {stiffness:?}", sum.ll);
        }
        let mut lines = [LinePacket::default()];
        let mut change = case.twist(case.dv, r);
        let origin = case.twist([0.0; 3], r);
        (0..6).for_each(|i| change[i] -= origin[i]);
        step(&mut packets, case.kind, &change, &mut lines);
        let found = line(&lines, case.kind, alpha);
        let at = add(case.v, v3(|i| alpha * case.dv[i]));
        let value = plain(at);
        let size = dot(case.dv, case.dv).sqrt();
        let slope = -dot(value.impulse, case.dv);
        let curvature = dot(v3(|i| dot(value.hessian[i], case.dv)), case.dv);
        prop_assert!((found.slope - slope).abs() <= slack(at, &value) * size, "{} {slope}", found.slope);
        let allowed = 1e-9 * norm(&value.hessian) + slack(at, &value) / case.contact.coefficients.epsilon.max(1e-6);
        prop_assert!((found.curvature - curvature).abs() <= allowed * size * size, "{} {curvature}", found.curvature);
    }

    /// The same with slip by direction, spin and rolling: all six rates.
    #[test]
    fn a_packet_of_turning_contacts_is_the_plain_law(
        case in case(), alpha in 0.0f64..2.0, scales in prop::array::uniform5(0.0f64..1.5),
        omega in prop::array::uniform3(-1.0f64..1.0), turn in prop::array::uniform3(-1.0f64..1.0), speed in log_uniform(1e-5, 1.0),
    ) {
        let r = [0.1, -0.2, 0.05];
        let ellipse = Ellipse { scales };
        let contact = case.contact.with_ellipse(ellipse);
        let mut packet = Packet::<Turning>::EMPTY;
        packet.set(1, r, case.axes[2], [0.0; 3], &contact, 1.0);
        let offset = contact.spring.map_or([0.0; 5], |s| s.equivalent_velocity());
        packet.set_turning(1, [case.axes[0], case.axes[1]], &ellipse, offset);
        let mut packets = [packet];
        // Rates in the contact's frame, and the twist that has them.
        let twist = |v: V3, w: V3| -> V6 {
            let (omega, linear) = (case.world(w), case.world(v));
            let swing = crate::spatial::cross(omega, r);
            let [x, y, z] = crate::spatial::sub(linear, swing);
            [omega[0], omega[1], omega[2], x, y, z]
        };
        let (w, dw) = (omega.map(|x| speed * x), turn.map(|x| speed * x));
        let plain = |a: f64| {
            let mix = |x: V3, dx: V3| v3(|i| x[i] + a * dx[i]);
            contact.evaluate_turning(&NormalLaw::Linear, mix(case.v, case.dv), mix(w, dw))
        };
        let rates = [case.dv[0], case.dv[1], case.dv[2], dw[0], dw[1], dw[2]];
        place(&mut packets, case.kind, &twist(case.v, w));
        let mut sum = PairSum::default();
        evaluate(&mut packets, case.kind, Hessian::Exact, &mut sum);
        let value = plain(0.0);
        let norm = |v: &crate::contact::TurningValue| v.hessian.iter().flatten().map(|x| x.abs()).sum::<f64>();
        let size = |v: &crate::contact::TurningValue| v.impulse.iter().map(|x| x.abs()).sum::<f64>();
        let slack = |v: &crate::contact::TurningValue| 1e-14 * (3.0 * norm(v) + size(v));
        let [x, y, z, a, b, c] = value.impulse;
        let (force, torque) = (case.world([x, y, z]), case.world([a, b, c]));
        let moment = add(crate::spatial::cross(r, force), torque);
        for i in 0..3 {
            prop_assert!((sum.wrench[3 + i] - force[i]).abs() <= slack(&value));
            prop_assert!((sum.wrench[i] - moment[i]).abs() <= slack(&value));
        }
        let mut lines = [LinePacket::default()];
        let step_twist = twist(case.dv, dw);
        step(&mut packets, case.kind, &step_twist, &mut lines);
        // Curvature along the step, from the pair's 6×6 and from the line.
        let near = contact.coefficients.epsilon.max(1e-6);
        let curvature = |v: &crate::contact::TurningValue| -> f64 {
            (0..6).map(|i| (0..6).map(|j| v.hessian[i][j] * rates[j]).sum::<f64>() * rates[i]).sum()
        };
        let length = rates.iter().map(|x| x * x).sum::<f64>();
        let m = sum.matrix();
        let found: f64 = (0..6).map(|i| (0..6).map(|j| m[i + 6 * j] * step_twist[j]).sum::<f64>() * step_twist[i]).sum();
        let allowed = |v| (1e-9 * norm(v) + slack(v) / near) * length;
        prop_assert!((found - curvature(&value)).abs() <= allowed(&value), "{found} {}", curvature(&value));
        let (found, value) = (line(&lines, case.kind, alpha), plain(alpha));
        let slope: f64 = -(0..6).map(|i| value.impulse[i] * rates[i]).sum::<f64>();
        prop_assert!((found.slope - slope).abs() <= slack(&value) * 6.0 * length.sqrt(), "{} {slope}", found.slope);
        prop_assert!((found.curvature - curvature(&value)).abs() <= allowed(&value), "{} {}", found.curvature, curvature(&value));
    }
}
