//! Discrete patches, taken at the points of the continuous model, converge to it as δt → 0, with first order. Solving a step
//! again for friction that lags takes away errors of single steps where the load changes fast. What is left is of the same order;
//! it can exceed the error with lag, in which errors of growing and falling loads cancel.

mod common;
use common::model;
use stiction::continuous::{ContinuousOptions, Integrator, TractionFriction};
use stiction::{Method, Model, Options, Simulation, Sticking, Tessellation};

const CUTOFF: f64 = 1e-2;

fn soft(modulus: f64, dissipation: f64, hint: f64) -> String {
    format!(
        "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value=\"{modulus}\"/>\
         <drake:hunt_crossley_dissipation value=\"{dissipation}\"/>\
         <drake:mesh_resolution_hint value=\"{hint}\"/></drake:proximity_properties>"
    )
}

/// A soft body of 1 kg on a rigid floor.
fn world(shape: &str, height: f64, mu: f64, hint: f64) -> Model {
    model(
        &format!(
            "<geom type=\"plane\" size=\"9 9 1\" friction=\"{mu} 0 0\"/><body pos=\"0 0 {height}\"><freejoint/>\
             <geom {shape} mass=\"1\" friction=\"{mu} 0 0\">{}</geom></body>",
            soft(2e5, 5.0, hint)
        ),
        "",
    )
}

/// Position and rotation vector after `time`.
fn end(model: &Model, options: Options, v: [f64; 6], time: f64) -> Vec<f64> {
    let mut sim = Simulation::new(model, options.clone()).unwrap();
    sim.state_mut().v.copy_from_slice(&v);
    sim.run_until(time).unwrap();
    sim.state().q.clone()
}

/// Errors of the discrete method against the continuous one at δt, δt/2, δt/4, δt/8, with friction that lags and with steps
/// that are solved again.
fn errors(model: &Model, v: [f64; 6], time: f64, step: f64) -> [Vec<f64>; 2] {
    let method = Method::Continuous(ContinuousOptions {
        integrator: Integrator::Radau,
        friction: TractionFriction::Soft,
        adhesion: 0.0,
    });
    let common = Options { stiction_tolerance: CUTOFF, ..Options::default() };
    let exact = end(model, Options { method, accuracy: Some(1e-8), ..common.clone() }, v, time);
    let error = |k: u32, friction_passes| {
        let convex = Options {
            step: step / f64::from(1 << k),
            regularization: 0.0,
            relative_tolerance: 1e-11,
            tessellation: Tessellation::Refined,
            // Friction of the continuous model here has no springs; `patch_springs.rs` has those.
            tangential_springs: Sticking::Damped,
            friction_passes,
            ..common.clone()
        };
        let q = end(model, convex, v, time);
        q.iter().zip(&exact).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    };
    [0, Options::default().friction_passes].map(|passes| (0..4).map(|k| error(k, passes)).collect())
}

fn assert_first_order(name: &str, [lagging, repeated]: &[Vec<f64>; 2]) {
    let order = (lagging[0] / lagging[3]).ln() / 8f64.ln();
    assert!((0.8..1.4).contains(&order), "{name}: order {order:.2}, errors {lagging:?}");
    for (with, without) in repeated.iter().zip(lagging) {
        assert!(with <= &(2.0 * without), "{name}: errors {repeated:?}, with lag {lagging:?}");
    }
}

#[test]
fn a_sliding_box() {
    let model = world("type=\"box\" size=\"0.1 0.08 0.05\"", 0.0497, 0.3, 0.1);
    assert_first_order("sliding", &errors(&model, [0.5, 0.0, 0.0, 0.0, 0.0, 0.0], 0.1, 1e-3));
}

#[test]
fn a_rolling_ball() {
    let model = world("type=\"sphere\" size=\"0.1\"", 0.0985, 0.3, 0.1);
    assert_first_order("rolling", &errors(&model, [0.5, 0.0, 0.0, 0.0, 0.0, 0.0], 0.1, 1e-3));
}

#[test]
fn a_twisting_disc() {
    let model = world("type=\"cylinder\" size=\"0.1 0.03\"", 0.0298, 0.3, 0.1);
    assert_first_order("twisting", &errors(&model, [0.1, 0.0, 0.0, 0.0, 0.0, 4.0], 0.1, 1e-3));
}

#[test]
fn an_impact() {
    let model = world("type=\"sphere\" size=\"0.1\"", 0.102, 0.3, 0.1);
    assert_first_order("impact", &errors(&model, [0.3, 0.0, -0.8, 0.0, 0.0, 0.0], 0.06, 5e-4));
}
