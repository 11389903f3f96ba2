//! Sensors: what they must read where the answer is known.

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
    // A turntable without friction goes on at ω: towards the axis ω² r, upward g, and the mount of 2 kg at 0.3 m carries
    // both, with the moments about a site 0.2 m from the axis.
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
