//! Continuous time: a cone in motion against its closed form, and energy through patches that split, merge and vanish.

mod common;
use common::{G, model};
use std::fmt::Write;
use stiction::continuous::{ContinuousOptions, Integrator, TangentialCompliance, TractionFriction};
use stiction::{Method, Model, Options, Simulation};

/// Pressure of the floor's field per depth, Pa/m: 1e5 Pa over 0.1 m.
const SLOPE: f64 = 1e6;

fn floor(dissipation: f64, mu: f64) -> String {
    format!(
        "<geom type=\"plane\" size=\"1 1 1\" friction=\"{mu} 0 0\"><drake:proximity_properties><drake:compliant_hydroelastic/>\
         <drake:hydroelastic_modulus value=\"1e5\"/><drake:hunt_crossley_dissipation value=\"{dissipation}\"/>\
         <drake:slab_thickness value=\"0.1\"/></drake:proximity_properties></geom>"
    )
}

fn options(friction: TractionFriction, accuracy: f64) -> Options {
    let method = Method::Continuous(ContinuousOptions {
        integrator: Integrator::Radau,
        friction,
        ..Default::default()
    });
    Options { method, accuracy: Some(accuracy), ..Options::default() }
}

/// Attributes of a mesh asset.
fn mesh(vertices: &[[f64; 3]], faces: &[[usize; 3]]) -> String {
    let mut text = String::from("vertex=\"");
    for [x, y, z] in vertices {
        let _ = write!(text, "{x} {y} {z} ");
    }
    text += "\" face=\"";
    for [a, b, c] in faces {
        let _ = write!(text, "{a} {b} {c} ");
    }
    text + "\""
}

/// A body of 2 kg with a rigid mesh and the joints given; the mesh's frame is the body's.
fn body(joint: &str, mesh: &str, dissipation: f64, mu: f64) -> Model {
    let world = format!(
        "{}<body><inertial pos=\"0 0 0.02\" mass=\"2\" diaginertia=\"4e-3 4e-3 6e-3\"/>{joint}\
         <geom type=\"mesh\" mesh=\"m\" friction=\"{mu} 0 0\"><drake:proximity_properties><drake:rigid_hydroelastic/>\
         <drake:hunt_crossley_dissipation value=\"{dissipation}\"/></drake:proximity_properties></geom></body>",
        floor(dissipation, mu)
    );
    model(&world, &format!("<asset><mesh name=\"m\" inertia=\"shell\" {mesh}/></asset>"))
}

#[test]
fn a_cone_dives_into_a_soft_floor_and_comes_back_as_its_closed_form_does() {
    // A regular pyramid of 24 sides, apex down, half angle 45°: F = slope·V, V = c d³/3, c = (n/2) sin(2π/n) tan²α.
    let (sides, height) = (24, 0.1);
    let mut vertices = vec![[0.0, 0.0, 0.0], [0.0, 0.0, height]];
    vertices.extend((0..sides).map(|k| {
        let angle = std::f64::consts::TAU * k as f64 / sides as f64;
        [height * angle.cos(), height * angle.sin(), height]
    }));
    let mut faces = Vec::new();
    for k in 0..sides {
        let (a, b) = (2 + k, 2 + (k + 1) % sides);
        faces.push([0, b, a]);
        faces.push([1, a, b]);
    }
    // MuJoCo centres a mesh on its centre of mass. Only the position of the apex matters.
    let model = body("<joint type=\"slide\" axis=\"0 0 1\"/>", &mesh(&vertices, &faces), 0.0, 0.0);
    let c = 0.5 * sides as f64 * (std::f64::consts::TAU / sides as f64).sin();
    let force = |z: f64| if z < 0.0 { SLOPE * c * (-z).powi(3) / 3.0 } else { 0.0 };
    let mut sim = Simulation::new(&model, options(TractionFriction::Cutoff, 1e-9)).unwrap();
    let lowest = sim.state().q[0];
    assert_eq!(lowest, 0.0);
    sim.state_mut().v[0] = -0.8;
    // The closed form by fine steps of the classical Runge–Kutta method.
    let (mut z, mut w, steps, end) = (0.0, -0.8, 200_000, 0.2);
    let h = end / steps as f64;
    let pull = |z: f64| force(z) / 2.0 - G;
    let mut deepest: f64 = 0.0;
    for _ in 0..steps {
        let (k1, l1) = (w, pull(z));
        let (k2, l2) = (w + 0.5 * h * l1, pull(z + 0.5 * h * k1));
        let (k3, l3) = (w + 0.5 * h * l2, pull(z + 0.5 * h * k2));
        let (k4, l4) = (w + h * l3, pull(z + h * k3));
        z += h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
        w += h * (l1 + 2.0 * l2 + 2.0 * l3 + l4) / 6.0;
        deepest = deepest.max(-z);
    }
    assert!(deepest > 0.02 && z > 0.0, "it dives {deepest} m and is back at {z} m");
    sim.run_until(end).unwrap();
    assert!((sim.state().q[0] - z).abs() < 1e-6 * deepest, "{} {z}", sim.state().q[0]);
    assert!((sim.state().v[0] - w).abs() < 1e-5, "{} {w}", sim.state().v[0]);
}

/// A bridge: two feet 5 cm long with a shallow arch of 4 mm between them, 10 cm deep.
fn bridge() -> String {
    let profile =
        [(-0.1, 0.0), (-0.05, 0.0), (0.0, 0.004), (0.05, 0.0), (0.1, 0.0), (0.1, 0.05), (-0.1, 0.05)];
    let n = profile.len();
    let mut vertices: Vec<[f64; 3]> = profile.iter().map(|&(x, z)| [x, -0.05, z]).collect();
    vertices.extend(profile.iter().map(|&(x, z)| [x, 0.05, z]));
    // Seen from −y the profile runs counter-clockwise: x to the right, z up.
    let cap = [[0, 1, 6], [1, 2, 6], [2, 5, 6], [2, 3, 5], [3, 4, 5]];
    let mut faces: Vec<[usize; 3]> = cap.to_vec();
    faces.extend(cap.iter().map(|&[a, b, c]| [a + n, c + n, b + n]));
    for k in 0..n {
        let next = (k + 1) % n;
        faces.push([k, k + n, next]);
        faces.push([next, k + n, next + n]);
    }
    mesh(&vertices, &faces)
}

#[test]
fn energy_is_accounted_for_while_a_patch_splits_merges_and_vanishes() {
    let springs = TractionFriction::Springs(TangentialCompliance { stretch: 1e-3, relaxation_time: 6e-3 });
    for friction in [TractionFriction::Soft, springs] {
        let model = body("<freejoint/>", &bridge(), 2.0, 0.5);
        let options = Options { stiction_tolerance: 1e-2, ..options(friction, 1e-8) };
        let mut sim = Simulation::new(&model, options).unwrap();
        sim.state_mut().q[2] = 0.02;
        sim.state_mut().v.copy_from_slice(&[0.3, 0.1, -0.7, 0.1, 0.6, 0.5]);
        let balance = |sim: &mut Simulation| {
            sim.energy().total() + sim.contact_energy() + sim.stats().dissipated - sim.stats().other_work
        };
        let begin = balance(&mut sim);
        // Shape of the patch: no contact, one foot, two feet with the arch open, or one merged patch.
        let mut seen = Vec::new();
        while sim.state().time < 0.25 {
            sim.step(1).unwrap();
            let x_wb = sim.poses()[1];
            let x: Vec<f64> = (sim.patches().iter())
                .flat_map(|p| p.centroids.iter().zip(&p.areas).filter(|(_, a)| **a > 1e-9).map(|(c, _)| *c))
                .map(|c| x_wb.inverse_transform_point(&c.into()).x)
                .collect();
            let look = match (x.iter().any(|x| *x < -0.05), x.iter().any(|x| *x > 0.05)) {
                (false, false) => "apart",
                (true, true) if x.iter().any(|x| x.abs() < 5e-3) => "all",
                (true, true) => "two feet",
                _ => "one foot",
            };
            if seen.last() != Some(&look) {
                seen.push(look);
            }
        }
        let has = |a: &str, b: &str| seen.windows(2).any(|w| w[0] == a && w[1] == b);
        assert!(has("two feet", "all") && has("all", "two feet"), "it merges and splits: {seen:?}");
        assert!(has("apart", "one foot") && seen.windows(2).any(|w| w[1] == "apart"), "{seen:?}");
        let (end, lost) = (balance(&mut sim), sim.stats().dissipated);
        assert!(lost > 0.05, "{lost}");
        assert!((end - begin).abs() < 1e-6 * begin.abs(), "{friction:?}: {:.3e} of {begin} J", end - begin);
    }
}
