//! Sensors: readings against known values.

mod common;
use common::{G, model, run, simulation, tight};
use nalgebra::Vector3;
use proptest::prelude::*;
use stiction::{Model, Options, Simulation};

fn read(sim: &mut Simulation, name: &str) -> Vec<f64> {
    sim.sensor(name).unwrap().to_vec()
}

fn close(have: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(have.len(), want.len());
    for (h, w) in have.iter().zip(want) {
        assert!((h - w).abs() < tolerance, "{have:?} instead of {want:?}");
    }
}

#[test]
fn a_box_at_rest_feels_gravity_and_its_weight() {
    let model = model(
        "<geom type=\"plane\" size=\"5 5 1\"/><body pos=\"0 0 0.1\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"3\"/>\
         <site name=\"s\" euler=\"90 0 0\" type=\"box\" size=\"0.2 0.2 0.2\"/><site name=\"top\" pos=\"0 0 0.3\" type=\"sphere\" size=\"0.05\"/></body>",
        "<sensor><accelerometer name=\"acc\" site=\"s\"/><touch name=\"all\" site=\"s\"/><touch name=\"none\" site=\"top\"/>\
         <gyro name=\"gyro\" site=\"s\"/><touch name=\"cut\" site=\"s\" cutoff=\"10\"/></sensor>",
    );
    let mut sim = simulation(&model, Options::default());
    assert_eq!(read(&mut sim, "acc"), [0.0; 3], "nothing acted yet");
    run(&mut sim, 1.0);
    // The site is turned by 90° about x: up is its y... −(−y) of the world's z.
    close(&read(&mut sim, "acc"), &[0.0, G, 0.0], 1e-5);
    close(&read(&mut sim, "all"), &[3.0 * G], 1e-3);
    close(&read(&mut sim, "none"), &[0.0], 1e-12);
    close(&read(&mut sim, "gyro"), &[0.0; 3], 1e-5);
    assert_eq!(read(&mut sim, "cut"), [10.0]);
}

#[test]
fn a_falling_accelerometer_reads_nothing() {
    let model = model(
        "<body><freejoint/><geom size=\"0.1\"/><site name=\"s\"/></body>",
        "<sensor><accelerometer name=\"a\" site=\"s\"/><framelinacc name=\"f\" objtype=\"site\" objname=\"s\"/></sensor>",
    );
    let mut sim = simulation(&model, tight());
    run(&mut sim, 0.1);
    close(&read(&mut sim, "a"), &[0.0; 3], 1e-9);
    close(&read(&mut sim, "f"), &[0.0; 3], 1e-9);
}

#[test]
fn a_wrist_carries_what_hangs_on_it() {
    // 2 kg welded 0.3 m out on an arm that a hinge holds at its limit: force and moment of its weight.
    let model = model(
        "<body><joint name=\"j\" axis=\"0 1 0\" range=\"0 90\"/><geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0.5 0 0\" mass=\"1\"/>\
         <body pos=\"0.5 0 0\"><geom size=\"0.05\" pos=\"0.3 0 0\" mass=\"2\"/><site name=\"s\"/></body></body>",
        "<sensor><force name=\"f\" site=\"s\"/><torque name=\"t\" site=\"s\"/></sensor><actuator><position joint=\"j\" kp=\"1e6\" kv=\"1e4\"/></actuator>",
    );
    let mut sim = simulation(&model, tight());
    run(&mut sim, 1.0);
    let angle = sim.state().q[0];
    let (s, c) = angle.sin_cos();
    // In the site's axes, which have turned with the arm.
    close(&read(&mut sim, "f"), &[-2.0 * G * s, 0.0, 2.0 * G * c], 1e-6);
    close(&read(&mut sim, "t"), &[0.0, -2.0 * G * 0.3 * c, 0.0], 1e-6);
}

#[test]
fn instruments_on_a_turntable_read_its_turning() {
    // A turntable without friction keeps rotating at ω: towards the axis ω² r, upward g, and the mount of 2 kg at
    // 0.3 m carries both, with the moments about a site 0.2 m from the axis.
    let (w, r, m) = (3.0, 0.3, 2.0);
    let model = model(
        "<body name=\"table\"><joint name=\"j\" axis=\"0 0 1\"/><geom type=\"cylinder\" size=\"0.1 0.01\" mass=\"1\"/>\
         <body name=\"load\" pos=\"0.2 0 0\"><geom size=\"0.02\" pos=\"0.1 0 0\" mass=\"2\"/><site name=\"mount\"/>\
         <site name=\"imu\" pos=\"0.1 0 0\" euler=\"0 0 90\"/></body></body>",
        "<sensor><accelerometer name=\"a\" site=\"imu\"/><gyro name=\"g\" site=\"imu\"/><force name=\"f\" site=\"mount\"/>\
         <torque name=\"t\" site=\"mount\"/></sensor>",
    );
    let mut sim = simulation(&model, tight());
    sim.state_mut().v[0] = w;
    run(&mut sim, 0.7);
    close(&[sim.state().v[0]], &[w], 1e-9);
    // The IMU is turned by 90° about z: its y points to the axis.
    close(&read(&mut sim, "a"), &[0.0, w * w * r, G], 1e-6);
    close(&read(&mut sim, "g"), &[0.0, 0.0, w], 1e-9);
    close(&read(&mut sim, "f"), &[-m * w * w * r, 0.0, m * G], 1e-6);
    close(&read(&mut sim, "t"), &[0.0, -m * G * 0.1, 0.0], 1e-6);
}

#[test]
fn a_coupling_between_bodies_counts_as_a_force_from_elsewhere() {
    // The second body carries the first by a weld: the first's joint carries nothing of it.
    let model = model(
        "<body name=\"a\"><joint type=\"slide\" axis=\"0 0 1\"/><geom size=\"0.1\" mass=\"2\" contype=\"0\" conaffinity=\"0\"/><site name=\"s\"/></body>\
         <body name=\"b\"><geom size=\"0.1\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/></body>",
        "<equality><connect body1=\"b\" body2=\"a\" anchor=\"0 0 0\"/></equality><sensor><force name=\"f\" site=\"s\"/></sensor>",
    );
    let mut sim = simulation(&model, tight());
    run(&mut sim, 1.0);
    close(&read(&mut sim, "f"), &[0.0; 3], 1e-6);
}

#[test]
fn a_rangefinder_measures_to_the_first_geom_of_another_body() {
    let model = model(
        "<geom type=\"plane\" size=\"1 1 1\"/><body pos=\"0 0 2\"><geom size=\"0.1\"/><site name=\"down\" euler=\"180 0 0\"/>\
         <site name=\"up\"/></body><body pos=\"0 0 3\"><geom type=\"box\" size=\"0.2 0.2 0.2\" contype=\"0\" conaffinity=\"0\"/></body>\
         <body pos=\"2 0 2\"><site name=\"beside\" euler=\"180 0 0\"/></body>",
        "<sensor><rangefinder name=\"down\" site=\"down\"/><rangefinder name=\"up\" site=\"up\"/><rangefinder name=\"beside\" site=\"beside\"/></sensor>",
    );
    let mut sim = simulation(&model, Options::default());
    close(&read(&mut sim, "down"), &[2.0], 1e-12);
    close(&read(&mut sim, "up"), &[0.8], 1e-12);
    close(&read(&mut sim, "beside"), &[-1.0], 1e-12);
}

fn tree() -> Model {
    model(
        "<body name=\"base\" pos=\"0.1 0.2 1\"><freejoint/><geom type=\"box\" size=\"0.1 0.2 0.3\" mass=\"2\" pos=\"0.1 0 0\"/>\
         <site name=\"s\" pos=\"0.3 0.1 -0.2\" euler=\"10 50 -30\"/>\
         <body name=\"leg\" pos=\"0 0 -0.3\"><joint type=\"ball\" name=\"ball\"/><geom type=\"capsule\" size=\"0.05\" fromto=\"0 0 0 0.1 0 -0.3\" mass=\"1\"/>\
         <body pos=\"0 0 -0.3\"><joint name=\"j\" axis=\"0 1 1\"/><geom size=\"0.1\" pos=\"0.1 0 0\" mass=\"0.7\"/></body></body></body>",
        "<sensor><gyro name=\"gyro\" site=\"s\"/><velocimeter name=\"vel\" site=\"s\"/><framepos name=\"pos\" objtype=\"site\" objname=\"s\"/>\
         <framequat name=\"quat\" objtype=\"site\" objname=\"s\"/><framelinvel name=\"linvel\" objtype=\"site\" objname=\"s\"/>\
         <subtreecom name=\"com\" body=\"base\"/><subtreelinvel name=\"comvel\" body=\"base\"/><subtreeangmom name=\"angmom\" body=\"base\"/>\
         <subtreecom name=\"legcom\" body=\"leg\"/><ballangvel name=\"ball\" joint=\"ball\"/><jointvel name=\"jv\" joint=\"j\"/>\
         <framelinvel name=\"own\" objtype=\"site\" objname=\"s\" reftype=\"xbody\" refname=\"base\"/><e_kinetic name=\"kinetic\"/><clock name=\"clock\"/></sensor>",
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn readings_agree_with_twists_and_momentum(by in prop::collection::vec(-1.0..1.0f64, 10), v in prop::collection::vec(-1.0..1.0f64, 10)) {
        let model = tree();
        let multibody = model.multibody();
        let mut state = model.default_state();
        let from = state.q.clone();
        multibody.integrate(&from, &by, 1.0, stiction::multibody::QuaternionStep::Exponential, &mut state.q);
        state.v.copy_from_slice(&v);
        let values = model.sensors(&state, &[0.0; 10]).unwrap();
        let get = |name: &str| -> Vector3<f64> {
            let k = model.world().sensors.iter().position(|s| s.name == name).unwrap();
            let range = model.sensor_range(k);
            Vector3::from_column_slice(&values[range.start..range.start + 3])
        };
        let workspace = model.at(&state.q, &state.v).unwrap();
        let site = &model.world().sites[0];
        let x_ws = multibody.pose(&workspace, site.body) * site.pose;
        let twist = multibody.twist(&workspace, site.body);
        let w: Vector3<f64> = twist.fixed_rows::<3>(0).into();
        let p = x_ws.translation.vector;
        let velocity = multibody.point_velocity(&workspace, site.body, &p);
        prop_assert!((x_ws.rotation * get("gyro") - w).norm() < 1e-12);
        prop_assert!((x_ws.rotation * get("vel") - velocity).norm() < 1e-12);
        prop_assert!((get("linvel") - velocity).norm() < 1e-12 && (get("pos") - p).norm() < 1e-12);
        prop_assert!(get("own").norm() < 1e-12, "a point of the body does not move in its frame");
        let momentum = multibody.momentum(&workspace);
        prop_assert!((get("com") - momentum.com).norm() < 1e-12);
        prop_assert!((model.total_mass() * get("comvel") - momentum.linear).norm() < 1e-11);
        prop_assert!((get("angmom") - momentum.angular).norm() < 1e-11);
        let kinetic = values[model.sensor_range(12)][0];
        prop_assert!((kinetic - multibody.kinetic_energy(&workspace, &state.v)).abs() < 1e-12);
    }
}

#[test]
fn sensors_have_unique_names_and_unknown_ones_are_named() {
    let model = tree();
    let mut sim = simulation(&model, Options::default());
    let error = sim.sensor("nose").unwrap_err().to_string();
    assert!(error.contains("nose") && error.contains("gyro"), "{error}");
}

/// A ball of 1 kg that slides along +x on the plane z = 0 with friction 0.5 and without spin.
const SLIDING: &str = "<geom name=\"floor\" type=\"plane\" size=\"5 5 1\" friction=\"0.5\"/>\
     <body name=\"b\" pos=\"0 0 0.1\"><joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 0 1\"/>\
     <geom name=\"ball\" size=\"0.1\" mass=\"1\" friction=\"0.5\"/><site name=\"low\" pos=\"0 0 -0.1\" size=\"0.02\"/>\
     <site name=\"high\" pos=\"0 0 0.1\" size=\"0.02\"/></body>";

#[test]
fn a_contact_sensor_reads_the_friction_of_a_sliding_ball_from_either_side() {
    let all = "found force torque dist pos normal tangent linvel angvel";
    let model = model(
        SLIDING,
        &format!(
            "<sensor><contact name=\"down\" geom1=\"ball\" geom2=\"floor\" data=\"{all}\"/>\
             <contact name=\"up\" geom1=\"floor\" geom2=\"ball\" data=\"{all}\"/>\
             <contact name=\"any\" num=\"2\" data=\"found force\"/>\
             <contact name=\"mine\" subtree1=\"b\" data=\"found normal\"/>\
             <contact name=\"theirs\" body2=\"b\" data=\"found normal\"/>\
             <contact name=\"low\" site=\"low\"/><contact name=\"high\" site=\"high\"/>\
             <contact name=\"cut\" geom1=\"ball\" data=\"found\" cutoff=\"0.5\"/></sensor>"
        ),
    );
    let mut sim = simulation(&model, tight());
    sim.state_mut().v[0] = 3.0;
    run(&mut sim, 0.2);
    let n = G;
    // The frame's axes are z, y and −x: friction on the ball points along −x, which is the third axis.
    let up = read(&mut sim, "up");
    close(&up[..7], &[1.0, n, 0.0, 0.5 * n, 0.0, 0.0, 0.0], 1e-3);
    close(&up[11..17], &[0.0, 0.0, 1.0, 0.0, 1.0, 0.0], 1e-12);
    // The velocity is that at the beginning of the last step, before friction reduced it.
    let before = sim.state().v[0] + up[3] * sim.options().step;
    close(&up[17..23], &[0.0, 0.0, -before, 0.0, 0.0, 0.0], 1e-6);
    assert!(up[7] <= 0.0 && up[7] > -1e-3, "the distance is that of a small overlap: {}", up[7]);
    // Seen from the ball normal and tangent turn round, and so does the force: it is that on the floor.
    let down = read(&mut sim, "down");
    for (k, sign) in
        [1., 1., 1., -1., 1., 1., -1., 1., 1., 1., 1., -1., -1., -1., -1., -1., -1.].iter().enumerate()
    {
        assert!((down[k] - sign * up[k]).abs() < 1e-12, "{k}: {down:?} and {up:?}");
    }
    close(&read(&mut sim, "any"), &[1.0, n, 0.0, 0.5 * n, 0.0, 0.0, 0.0, 0.0], 1e-3);
    assert_eq!(read(&mut sim, "mine"), [1.0, 0.0, 0.0, -1.0]);
    assert_eq!(read(&mut sim, "theirs"), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!((read(&mut sim, "low"), read(&mut sim, "high")), (vec![1.0], vec![0.0]));
    assert_eq!(read(&mut sim, "cut"), [1.0], "contacts have no cutoff");
}

#[test]
fn the_sum_of_contacts_is_the_weight_for_points_and_for_patches() {
    for tag in [
        "",
        "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value=\"1e6\"/></drake:proximity_properties>",
    ] {
        let model = model(
            &format!(
                "<geom name=\"floor\" type=\"plane\" size=\"5 5 1\"/><body name=\"b\" pos=\"1 0 0.1\"><freejoint/>\
                 <geom name=\"box\" type=\"box\" size=\"0.1 0.1 0.1\" mass=\"3\">{tag}</geom></body>"
            ),
            "<sensor><contact name=\"on\" geom2=\"box\" reduce=\"netforce\" data=\"found force torque dist pos normal tangent\"/>\
             <contact name=\"by\" geom1=\"box\" reduce=\"netforce\" data=\"force\"/>\
             <contact name=\"near\" geom1=\"box\" num=\"5\" reduce=\"mindist\" data=\"found dist\"/>\
             <contact name=\"strong\" geom1=\"box\" num=\"5\" reduce=\"maxforce\" data=\"force\"/></sensor>",
        );
        let mut sim = simulation(&model, tight());
        run(&mut sim, 1.0);
        let on = read(&mut sim, "on");
        close(&on[1..8], &[0.0, 0.0, 3.0 * G, 0.0, 0.0, 0.0, 0.0], 2e-3);
        close(&on[8..], &[1.0, 0.0, on[10], 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], 1e-3);
        close(&read(&mut sim, "by"), &[0.0, 0.0, -3.0 * G], 2e-3);
        let found = on[0] as usize;
        assert_eq!(found, if tag.is_empty() { 4 } else { 1 });
        let near = read(&mut sim, "near");
        assert!((0..5).all(|k| near[2 * k] == if k < found { found as f64 } else { 0.0 }), "{near:?}");
        assert!((1..found).all(|k| near[2 * k - 1] <= near[2 * k + 1]), "{near:?}");
        let strong = read(&mut sim, "strong");
        let size = |k: usize| strong[3 * k..3 * k + 3].iter().map(|x| x * x).sum::<f64>();
        assert!((1..5).all(|k| size(k - 1) >= size(k)), "{strong:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    /// Two balls, wherever they are: distance, direction and points are those of their centres, within the cutoff.
    #[test]
    fn the_distance_of_balls_is_that_of_their_centres(p in prop::array::uniform3(-1.0..1.0f64), r in 0.05..0.8f64, cutoff in 0.01..2.0f64) {
        let centre = Vector3::from(p);
        prop_assume!(centre.norm() > 1e-3);
        let model = model(
            &format!(
                "<geom name=\"a\" size=\"0.3\"/><body name=\"b\" pos=\"{} {} {}\"><freejoint/><geom name=\"b\" size=\"{r}\"/>\
                 <geom name=\"far\" size=\"0.01\" pos=\"9 9 9\"/></body>",
                p[0], p[1], p[2]
            ),
            &format!(
                "<sensor><distance name=\"d\" geom1=\"a\" body2=\"b\" cutoff=\"{cutoff}\"/><normal name=\"n\" geom1=\"a\" body2=\"b\" cutoff=\"{cutoff}\"/>\
                 <fromto name=\"p\" geom1=\"a\" geom2=\"b\" cutoff=\"{cutoff}\"/><fromto name=\"q\" geom1=\"b\" geom2=\"a\" cutoff=\"{cutoff}\"/>\
                 <distance name=\"touch\" geom1=\"a\" geom2=\"b\"/></sensor>"
            ),
        );
        let mut sim = simulation(&model, Options::default());
        let (distance, u) = (centre.norm() - 0.3 - r, centre.normalize());
        let within = distance < cutoff;
        close(&read(&mut sim, "d"), &[distance.clamp(-cutoff, cutoff)], 1e-12);
        close(&read(&mut sim, "touch"), &[distance.min(0.0)], 1e-12);
        let direction = if within { u * distance.signum() } else { Vector3::zeros() };
        close(&read(&mut sim, "n"), direction.as_slice(), 1e-12);
        let (from, to) = if within { (u * 0.3, centre - u * r) } else { (Vector3::zeros(), Vector3::zeros()) };
        let points: Vec<f64> = from.iter().chain(to.iter()).copied().collect();
        close(&read(&mut sim, "p"), &points, 1e-12);
        let back: Vec<f64> = to.iter().chain(from.iter()).copied().collect();
        close(&read(&mut sim, "q"), &back, 1e-12);
    }
}

#[test]
fn limits_push_back_with_the_weight_that_leans_on_them() {
    // 2 kg, 0.3 m out on a hinge at its limit, and 1.5 kg on a slide that hangs in a tendon of limited length.
    let model = model(
        "<body><joint name=\"j\" axis=\"0 1 0\" range=\"-90 20\"/><geom size=\"0.05\" pos=\"0.3 0 0\" mass=\"2\"/></body>\
         <site name=\"hook\" pos=\"3 0 1\"/><body pos=\"3 0 0\"><joint name=\"s\" type=\"slide\" axis=\"0 0 1\"/>\
         <geom size=\"0.05\" mass=\"1.5\"/><site name=\"eye\"/></body>",
        "<tendon><spatial name=\"t\" range=\"0 1.1\"><site site=\"hook\"/><site site=\"eye\"/></spatial></tendon>\
         <sensor><jointlimitfrc name=\"jf\" joint=\"j\"/><jointlimitvel name=\"jv\" joint=\"j\"/><jointlimitpos name=\"jp\" joint=\"j\"/>\
         <tendonlimitfrc name=\"tf\" tendon=\"t\"/><tendonlimitvel name=\"tv\" tendon=\"t\"/><jointlimitfrc name=\"sf\" joint=\"s\"/></sensor>",
    );
    let mut sim = simulation(&model, tight());
    sim.step(1).unwrap();
    assert_eq!(read(&mut sim, "jf"), [0.0], "not there yet");
    run(&mut sim, 3.0);
    close(&read(&mut sim, "jf"), &[2.0 * G * 0.3 * 20f64.to_radians().cos()], 1e-3);
    close(&read(&mut sim, "tf"), &[1.5 * G], 1e-3);
    assert_eq!(read(&mut sim, "sf"), [0.0], "a joint without limits");
    // Beyond its limit, moving back in.
    sim.state_mut().q[0] = 21f64.to_radians();
    sim.state_mut().v.copy_from_slice(&[-0.25, -0.5]);
    sim.state_mut().q[1] = -0.2;
    close(&read(&mut sim, "jv"), &[0.25], 1e-12);
    close(&read(&mut sim, "tv"), &[-0.5], 1e-12);
    sim.state_mut().q[0] = 0.0;
    assert_eq!(read(&mut sim, "jv"), [0.0]);
}

/// As MuJoCo reads them: the actuators' own forces on a tendon, before their gears, and the weight of what stands still too.
#[test]
fn tendon_forces_are_before_the_gear_and_standing_bodies_have_weight() {
    let model = model(
        "<body pos=\"0 0 2\"><geom size=\"0.1\" mass=\"5\"/></body><body><joint name=\"x\" type=\"slide\" axis=\"1 0 0\"/><geom size=\"0.1\" mass=\"3\"/></body>",
        "<tendon><fixed name=\"t\"><joint joint=\"x\" coef=\"1\"/></fixed></tendon>\
         <actuator><motor tendon=\"t\" gear=\"2\"/><motor tendon=\"t\" gear=\"-3\"/></actuator>\
         <sensor><tendonactuatorfrc name=\"pull\" tendon=\"t\"/><e_potential name=\"energy\"/></sensor>",
    );
    let mut sim = simulation(&model, Options::default());
    sim.state_mut().ctrl.copy_from_slice(&[4.0, 1.5]);
    sim.step(1).unwrap();
    close(&read(&mut sim, "pull"), &[5.5], 1e-12);
    close(&read(&mut sim, "energy"), &[5.0 * G * 2.0], 1e-9);
}

#[test]
fn sensors_after_a_change_of_method_do_not_read_what_another_method_left() {
    let box_ = "<geom type=\"plane\" size=\"1 1 1\"/><body name=\"box\" pos=\"0 0 0.1\"><freejoint/>\
                <geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\"/><site name=\"s\"/></body>";
    let model = common::model(box_, "<sensor><framepos objtype=\"site\" objname=\"s\"/></sensor>");
    let mut sim = Simulation::new(&model, Options::default()).unwrap();
    let law = std::sync::Arc::new(stiction::contact_law::DacLaw::coulomb(0.4));
    for law in [Some(law.clone()), None, Some(law), None] {
        sim.set_contact_law(law).unwrap();
        assert!(sim.contacts().is_empty());
        assert!((sim.sensors()[2] - 0.1).abs() < 1e-3);
        sim.step(1).unwrap();
        assert!((sim.sensors()[2] - 0.1).abs() < 1e-3);
    }
}

#[test]
fn sensors_after_a_failed_step_read_the_state_and_no_forces() {
    let soft = "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value=\"1e6\"/>\
                <drake:mesh_resolution_hint value=\"0.1\"/></drake:proximity_properties>";
    let box_ = format!(
        "<geom type=\"plane\" size=\"1 1 1\"/><body name=\"box\" pos=\"0 0 0.0999\"><freejoint/>\
         <geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\">{soft}</geom><site name=\"s\" size=\"0.3\"/></body>"
    );
    let model = common::model(&box_, "<sensor><touch site=\"s\"/></sensor>");
    let mut sim = Simulation::new(&model, Options::default()).unwrap();
    sim.step(200).unwrap();
    assert!((sim.sensors()[0] / 9.81 - 1.0).abs() < 0.05, "{}", sim.sensors()[0]);
    let before = sim.state().clone();
    sim.state_mut().applied[2] = 1.7e308;
    assert!(sim.step(1).is_err());
    assert_eq!(sim.sensors()[0], 0.0);
    assert_eq!(sim.state().q, before.q);
}
