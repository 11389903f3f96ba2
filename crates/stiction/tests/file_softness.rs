//! Contacts as soft as MuJoCo makes them, and the medium around bodies: closed forms.

use stiction::{ContactFrom, Format, LoadOptions, Model, Options, Simulation, Sticking};

fn model(text: &str) -> Model {
    Model::from_string(text, Format::Mjcf, &LoadOptions::default()).unwrap()
}

fn soft(step: f64) -> Options {
    Options { contact_from: ContactFrom::Mujoco, step, ..Options::default() }
}

/// Depth of a single body at rest on the floor.
fn depth(option: &str, geom: &str) -> f64 {
    let text = format!(
        "<mujoco>{option}<worldbody><geom type='plane' size='1 1 1' {SPRING}/><body pos='0 0 0.1'><freejoint/><geom {geom} {SPRING}/></body></worldbody></mujoco>"
    );
    let mut simulation = Simulation::new(&model(&text), soft(1e-3)).unwrap();
    for _ in 0..1500 {
        simulation.step(1).unwrap();
    }
    assert!(simulation.state().v.iter().all(|v| v.abs() < 1e-6), "{:?}", simulation.state().v);
    0.1 - simulation.state().q[2]
}

/// d = 0.9 at every depth, t = 0.02 s, ζ = 1.5.
const SPRING: &str = "solref='0.02 1.5' solimp='0.9 0.9 0.001'";
const ELLIPTIC: &str = "<option cone='elliptic'/>";
/// m g = n K d² r/((1 − d) Â) with Â = 1/m of a free body: r = g (1 − d) t² ζ²/n for n points.
const SUNK: f64 = 9.81 * 0.1 * (0.02 * 1.5) * (0.02 * 1.5);

#[test]
fn a_sphere_sinks_as_solref_says_whatever_its_mass() {
    for mass in ["0.01", "1", "300"] {
        let found = depth(ELLIPTIC, &format!("type='sphere' size='0.1' mass='{mass}'"));
        assert!((found / SUNK - 1.0).abs() < 1e-4, "{mass} kg: {found}, not {SUNK}");
    }
}

#[test]
fn each_corner_of_a_box_has_the_whole_stiffness() {
    let found = depth(ELLIPTIC, "type='box' size='0.2 0.2 0.1' mass='3'");
    assert!((4.0 * found / SUNK - 1.0).abs() < 1e-4, "{found}");
}

#[test]
fn a_pyramidal_cone_changes_the_stiffness_by_its_friction() {
    // μ² (1 + μ²)/((n − 1) impratio)
    for (friction, dimensions, ratio) in [(1.0, 3, 1.0), (0.6, 3, 1.0), (0.6, 4, 2.0)] {
        let option = format!("<option impratio='{ratio}'/>");
        let geom = format!(
            "type='sphere' size='0.1' mass='1' friction='{friction}' condim='{dimensions}' priority='1'"
        );
        let factor = friction * friction * (1.0 + friction * friction) / (f64::from(dimensions - 1) * ratio);
        let found = depth(&option, &geom);
        assert!((found / (factor * SUNK) - 1.0).abs() < 1e-4, "{friction} {dimensions}: {found}");
    }
}

#[test]
fn the_impedance_at_the_depth_itself_decides() {
    // Strongly bent: d from 0.02 to 0.95 over 30 mm. At rest F(r) = m g.
    let bent = "solref='0.02 1' solimp='0.02 0.95 0.03'";
    let text = format!(
        "<mujoco>{ELLIPTIC}<worldbody><geom type='plane' size='1 1 1' {bent}/><body pos='0 0 0.1'><freejoint/>\
         <geom type='sphere' size='0.1' mass='2' {bent}/></body></worldbody></mujoco>"
    );
    let mut simulation = Simulation::new(&model(&text), soft(1e-3)).unwrap();
    (0..3000).for_each(|_| simulation.step(1).unwrap());
    let r = 0.1 - simulation.state().q[2];
    let x = r / 0.03;
    let y = if x < 0.5 { 2.0 * x * x } else { 1.0 - 2.0 * (1.0 - x) * (1.0 - x) };
    let d = 0.02 + y * 0.93;
    let acceleration = d * d / (1.0 - d) * r / (0.95f64 * 0.02).powi(2);
    assert!((acceleration / 9.81 - 1.0).abs() < 1e-3, "r = {r}: {acceleration}");
}

#[test]
fn mass_of_a_contact_on_a_leg_is_that_of_its_joint() {
    // A hinge with inertia I + armature at its axis, its centre of mass at L: Â = L²/(3 (I + armature)). The foot at 2 L has a
    // force F with F 2 L = m g L.
    let (mass, length, armature) = (0.8, 0.3, 0.07);
    let text = format!(
        "<mujoco>{ELLIPTIC}<worldbody><geom type='plane' size='1 1 1' {SPRING}/><body pos='0 0 0.05'>\
         <joint axis='0 1 0' armature='{armature}'/><inertial pos='{length} 0 0' mass='{mass}' diaginertia='0.001 0.001 0.001'/>\
         <geom type='sphere' size='0.05' pos='{} 0 0' mass='0' {SPRING}/></body></worldbody></mujoco>",
        2.0 * length
    );
    // A tangential spring would hold the foot back on its arc.
    let options = Options { tangential_springs: Sticking::Damped, ..soft(1e-3) };
    let mut simulation = Simulation::new(&model(&text), options).unwrap();
    (0..3000).for_each(|_| simulation.step(1).unwrap());
    let inverse = length * length / (3.0 * (0.001 + mass * length * length + armature));
    let wanted = 0.5 * mass * 9.81 * inverse * 0.1 * (0.02f64 * 1.5).powi(2);
    let found = simulation.contacts()[0].penetration;
    assert!((found / wanted - 1.0).abs() < 5e-3, "{found}, not {wanted}");
}

#[test]
fn softness_needs_the_lagged_model_and_no_other_law() {
    use stiction::ContactModel;
    let refused = |options: Options| options.check().unwrap_err().to_string();
    for contact in [ContactModel::Sap, ContactModel::Similar] {
        let text = refused(Options { contact, ..soft(1e-3) });
        assert!(text.contains("contact = lagged"), "{text}");
    }
    let hertz = Options { normal_law: stiction::convex::NormalLaw::Hertz, ..soft(1e-3) };
    assert!(refused(hertz).contains("normal_law"));
    assert!(ContactFrom::from_name("drake").unwrap_err().to_string().contains("stiction or mujoco"));
}

#[test]
fn a_ball_falls_through_oil_at_stokes_speed() {
    let (radius, mass, viscosity) = (0.05, 0.3, 2.0);
    let text = format!(
        "<mujoco><option viscosity='{viscosity}'/><worldbody><body><freejoint/>\
         <geom size='{radius}' mass='{mass}' fluidshape='ellipsoid'/></body></worldbody></mujoco>"
    );
    let mut simulation =
        Simulation::new(&model(&text), Options { step: 1e-3, ..Options::default() }).unwrap();
    // e^(−t 6πβr/m) is 2·10⁻¹⁴ after 5 s.
    (0..5000).for_each(|_| simulation.step(1).unwrap());
    let speed = mass * 9.81 / (6.0 * std::f64::consts::PI * viscosity * radius);
    assert!((simulation.state().v[2] / -speed - 1.0).abs() < 1e-9, "{} {speed}", simulation.state().v[2]);
}

#[test]
fn wind_carries_a_box_along() {
    let text = "<mujoco><option density='1.2' wind='3 -2 1' gravity='0 0 0'/><worldbody><body euler='10 20 30'><freejoint/>\
         <geom type='box' size='0.5 0.4 0.3' mass='0.5'/></body></worldbody></mujoco>";
    let mut simulation = Simulation::new(&model(text), Options { step: 1e-2, ..Options::default() }).unwrap();
    let off = |simulation: &Simulation| {
        let v = &simulation.state().v;
        ((v[0] - 3.0).powi(2) + (v[1] + 2.0).powi(2) + (v[2] - 1.0).powi(2)).sqrt()
    };
    let mut before = off(&simulation);
    for _ in 0..300 {
        simulation.step(1).unwrap();
        assert!(off(&simulation) <= before);
        before = off(&simulation);
    }
    // dv/dt ≥ ρ A v²/(2 m) with the smallest side A = 0.48 m² and one third of the speed along it at least.
    assert!(before < 1.0, "{before}");
}
