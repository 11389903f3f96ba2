//! Tests: the guarantees of PFC A.2 on random contacts, with damping, friction and tangential springs.

use super::dynamics::Dynamics;
use super::{ContinuousOptions, TangentialCompliance, TractionFriction};
use crate::model::{CollidingGeomId, Model};
use crate::options::{Method, Options};
use crate::state::State;
use proptest::prelude::*;
use stiction_formats::{Format, LoadOptions};
use stiction_geometry::patch::strain_energy;

const LAWS: [TractionFriction; 3] = [
    TractionFriction::Cutoff,
    TractionFriction::Soft,
    TractionFriction::Springs(TangentialCompliance { stretch: 1e-3, relaxation_time: 0.02 }),
];

/// Two free bodies: shapes by number, the first compliant, the second compliant or rigid.
fn pair(kind: (usize, usize), rigid: bool) -> Model {
    let shape = |k: usize| {
        [
            "type=\"sphere\" size=\"0.1\"",
            "type=\"box\" size=\"0.08 0.1 0.06\"",
            "type=\"cylinder\" size=\"0.08 0.07\"",
        ][k]
    };
    let tags = |compliant: bool, modulus: f64| {
        let field =
            format!("<drake:hydroelastic_modulus value=\"{modulus}\"/><drake:compliant_hydroelastic/>");
        format!(
            "<drake:proximity_properties>{}<drake:hunt_crossley_dissipation value=\"3\"/>\
             <drake:mesh_resolution_hint value=\"0.05\"/></drake:proximity_properties>",
            if compliant { field } else { "<drake:rigid_hydroelastic/>".into() }
        )
    };
    let text = format!(
        "<mujoco><option gravity=\"0 0 0\"/><worldbody><body><freejoint/><geom {} mass=\"1\" friction=\"0.6 0 0\">{}</geom></body>\
         <body><freejoint/><geom {} mass=\"2\" friction=\"0.6 0 0\">{}</geom></body></worldbody></mujoco>",
        shape(kind.0),
        tags(true, 1e5),
        shape(kind.1),
        tags(!rigid, 3e5)
    );
    Model::from_string(&text, Format::Mjcf, &LoadOptions::default()).unwrap()
}

fn options(friction: TractionFriction, adhesion: f64) -> Options {
    let method = Method::Continuous(ContinuousOptions { friction, adhesion, ..Default::default() });
    Options { method, stiction_tolerance: 0.05, ..Options::default() }
}

/// A contact: position and orientation of the second body, all velocities, the state of the springs.
fn contact() -> impl Strategy<Value = (State, Vec<f64>, usize, (usize, usize), bool)> {
    let numbers = prop::array::uniform20(-1.0f64..1.0);
    (numbers, prop::array::uniform6(-0.1f64..0.1), 0..3usize, (0..3usize, 0..3usize), any::<bool>()).prop_map(
        |(n, s, law, kind, rigid)| {
            let mut state = pair((0, 0), false).default_state();
            let direction = nalgebra::Vector3::new(n[0], n[1], n[2] + 0.01).normalize();
            let place = direction * (0.13 + 0.02 * n[3]);
            state.q[7..10].copy_from_slice(place.as_slice());
            let turn =
                nalgebra::UnitQuaternion::from_scaled_axis(nalgebra::Vector3::new(n[4], n[5], n[6]) * 2.0);
            state.q[10..14].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
            state.v.copy_from_slice(&n[8..20]);
            (state, s.to_vec(), law, kind, rigid)
        },
    )
}

/// (0, v, s) and its derivative.
fn derivative(
    dynamics: &mut Dynamics,
    model: &Model,
    options: &Options,
    state: &State,
    x: &[f64],
) -> (Vec<f64>, super::Flow) {
    let mut f = vec![0.0; x.len()];
    let flow = dynamics.derivative(model, options, state, x, &mut f).unwrap();
    (f, flow)
}

fn start(dynamics: &mut Dynamics, model: &Model, options: &Options, state: &State, s: &[f64]) -> Vec<f64> {
    dynamics.begin(model, options, state, &[0.0; 12]);
    if matches!(options.continuous().friction, TractionFriction::Springs(_)) {
        dynamics.add_springs((CollidingGeomId::new(0), CollidingGeomId::new(1)));
    }
    let mut x = vec![0.0; 12];
    x.extend_from_slice(&state.v);
    x.extend_from_slice(if dynamics.sprung.is_empty() { &[] } else { s });
    x
}

fn stored(model: &Model, q: &[f64]) -> f64 {
    let compiled = model.compiled();
    let workspace = model.at(q, &[0.0; 12]).unwrap();
    let pose = |body: usize| model.multibody().pose(&workspace, body);
    strain_energy(&compiled.solids[0], &pose(1), &compiled.solids[1], &pose(2)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn energy_goes_into_fields_and_springs_or_is_lost_and_never_comes_from_nowhere(
        (state, s, law, kind, rigid) in contact(), adhesion in prop_oneof![Just(0.0), 0.0..1e3f64]
    ) {
        let model = pair(kind, rigid);
        let options = options(LAWS[law], adhesion);
        let mut dynamics = Dynamics::new(&model);
        let x = start(&mut dynamics, &model, &options, &state, &s);
        let (f, flow) = derivative(&mut dynamics, &model, &options, &state, &x);
        // PFC A.2: damping and friction, springs included, add no energy.
        let scale = flow.normal.abs() + flow.friction.abs() + flow.dissipated.abs();
        prop_assert!(flow.dissipated >= -1e-9 * scale, "{flow:?}");
        // U̇ of the fields by central differences along the motion, of the springs by s·ṡ.
        let (h, mut ahead, mut behind) = (1e-6, state.q.clone(), state.q.clone());
        let step = |h: f64, q: &mut [f64]| {
            let how = stiction_multibody::QuaternionStep::Exponential;
            model.multibody().integrate(&state.q, &state.v, h, how, q);
        };
        step(h, &mut ahead);
        step(-h, &mut behind);
        let fields = (stored(&model, &ahead) - stored(&model, &behind)) / (2.0 * h);
        let springs: f64 = x[24..].iter().zip(&f[24..]).map(|(s, r)| s * r).sum();
        let balance = flow.normal + flow.friction + fields + springs + flow.dissipated;
        prop_assert!(balance.abs() <= 1e-4 * (scale + fields.abs() + springs.abs()) + 1e-6, "{balance} {flow:?} {fields} {springs}");
        // Contact is the only force: momentum is conserved, and its power acts on the bodies.
        let momentum: Vec<f64> = (0..3).map(|k| f[12 + k] + 2.0 * f[18 + k]).collect();
        let force = (0..3).map(|k| f[12 + k].abs()).fold(0.0, f64::max);
        prop_assert!(momentum.iter().all(|m| m.abs() <= 1e-9 * (1.0 + force)));
        prop_assert!(flow.other.abs() <= 1e-9 * (1.0 + scale), "{}", flow.other);
    }

    #[test]
    fn the_wrench_and_the_stored_energy_are_continuous_with_state(
        (state, s, law, kind, _) in contact(), d in prop::array::uniform24(-1.0f64..1.0)
    ) {
        // Rigid on compliant: the condition ∇p_A · ∇p_B ≤ 0 of A.2 always holds.
        let model = pair(kind, true);
        let options = options(LAWS[law], 0.0);
        let mut dynamics = Dynamics::new(&model);
        let x = start(&mut dynamics, &model, &options, &state, &s);
        let (f, _) = derivative(&mut dynamics, &model, &options, &state, &x);
        let moved = |h: f64| {
            let mut y = x.clone();
            y.iter_mut().zip(&d).for_each(|(y, d)| *y += h * d);
            y
        };
        let mut jump = |h: f64| {
            let (g, _) = derivative(&mut dynamics, &model, &options, &state, &moved(h));
            g.iter().zip(&f).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let size = f.iter().map(|f| f.abs()).fold(1.0, f64::max);
        // Lipschitz, with stiffness over mass as the constant: a jump would stay as h shrinks.
        prop_assert!(jump(1e-10) <= 1e-4 * size, "{}", jump(1e-10));
        prop_assert!(jump(1e-12) <= 1e-6 * size + 1e-6, "{}", jump(1e-12));
        let mut q = state.q.clone();
        let how = stiction_multibody::QuaternionStep::Exponential;
        model.multibody().integrate(&state.q, &d[..12], 1e-10, how, &mut q);
        let u = stored(&model, &state.q);
        prop_assert!((stored(&model, &q) - u).abs() <= 1e-6 * u + 1e-12);
    }
}

#[test]
fn the_frame_of_the_world_does_not_matter() {
    let model = pair((1, 2), false);
    let options = options(LAWS[2], 0.0);
    let mut state = model.default_state();
    state.q[7..10].copy_from_slice(&[0.02, 0.01, 0.125]);
    state.v.copy_from_slice(&[0.1, 0.2, -0.3, 0.5, 0.1, 0.2, -0.2, 0.1, 0.4, -0.3, 0.6, 0.2]);
    let s = [0.01, -0.02, 0.05, 0.03, 0.02, -0.01];
    let mut dynamics = Dynamics::new(&model);
    let x = start(&mut dynamics, &model, &options, &state, &s);
    let (f, flow) = derivative(&mut dynamics, &model, &options, &state, &x);
    assert!(flow.normal.abs() > 1e-3, "they touch");
    let shift = nalgebra::Isometry3::new(
        nalgebra::Vector3::new(3.0, -2.0, 1.0),
        nalgebra::Vector3::new(0.4, 1.1, -0.7),
    );
    let mut other = state.clone();
    for b in 0..2 {
        let (q, v) = (&state.q[7 * b..7 * b + 7], &state.v[6 * b..6 * b + 3]);
        let p = shift * nalgebra::Point3::new(q[0], q[1], q[2]);
        let turn = shift.rotation
            * nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(q[3], q[4], q[5], q[6]));
        other.q[7 * b..7 * b + 7].copy_from_slice(&[p.x, p.y, p.z, turn.w, turn.i, turn.j, turn.k]);
        let w = shift.rotation * nalgebra::Vector3::new(v[0], v[1], v[2]);
        other.v[6 * b..6 * b + 3].copy_from_slice(w.as_slice());
    }
    let y = start(&mut dynamics, &model, &options, &other, &s);
    let (g, _) = derivative(&mut dynamics, &model, &options, &other, &y);
    // Angular accelerations and springs are in body axes: the same numbers. Linear ones rotate with the frame.
    for i in (15..18).chain(21..30) {
        assert!((f[i] - g[i]).abs() <= 1e-8 * (1.0 + f[i].abs()), "{i}: {} {}", f[i], g[i]);
    }
    for b in 0..2 {
        let a = shift.rotation * nalgebra::Vector3::from_row_slice(&f[12 + 6 * b..15 + 6 * b]);
        for k in 0..3 {
            assert!((a[k] - g[12 + 6 * b + k]).abs() <= 1e-8 * (1.0 + a.norm()));
        }
    }
}
