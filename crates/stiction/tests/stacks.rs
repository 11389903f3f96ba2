//! Piles, mass ratios, stiffness, overlaps: robustness.

mod common;
use common::{G, MODELS, model, run, simulation, tags, tight};
use stiction::{Model, Options};

fn stack(count: usize, half: f64, masses: impl Fn(usize) -> f64, stiffness: f64) -> Model {
    let tags = tags(stiffness, 10.0);
    let mut bodies = format!("<geom type=\"plane\" size=\"5 5 1\" friction=\"0.7 0 0\">{tags}</geom>");
    for k in 0..count {
        let (z, mass) = (half * (2 * k + 1) as f64, masses(k));
        bodies += &format!(
            "<body pos=\"0 0 {z}\"><freejoint/><geom type=\"box\" size=\"{half} {half} {half}\" mass=\"{mass}\" \
             friction=\"0.7 0 0\">{tags}</geom></body>"
        );
    }
    model(&bodies, "")
}

#[test]
fn a_stack_of_ten_boxes_stands_for_a_minute() {
    for contact in MODELS {
        let model = stack(10, 0.05, |_| 1.0, 1e6);
        let mut sim = simulation(&model, Options { step: 5e-3, contact, ..Options::default() });
        run(&mut sim, 60.0);
        for k in 0..10 {
            let q = &sim.state().q[7 * k..7 * k + 7];
            assert!(q[0].hypot(q[1]) < 2e-3, "{contact:?}: box {k} drifted to ({}, {})", q[0], q[1]);
            assert!((q[2] - 0.05 * (2 * k + 1) as f64).abs() < 2e-3, "{contact:?}: box {k} is at {}", q[2]);
            assert!(q[3].abs() > 0.999, "{contact:?}: box {k} turned");
        }
    }
}

#[test]
fn a_heavy_box_rests_on_a_light_one_and_a_light_one_on_a_heavy_one() {
    for masses in [[1.0, 1000.0], [1000.0, 1.0]] {
        for contact in MODELS {
            let model = stack(2, 0.05, |k| masses[k], 1e8);
            let mut sim = simulation(&model, Options { contact, ..Options::default() });
            run(&mut sim, 2.0);
            let ground: f64 = sim.contacts().iter().filter(|c| c.body_a == 0).map(|c| c.force.z).sum();
            let expected = (masses[0] + masses[1]) * G;
            assert!(
                (ground / expected - 1.0).abs() < 1e-3,
                "{contact:?}: the ground carries {ground}, not {expected}"
            );
            assert!(sim.stats().max_penetration < 1e-3);
        }
    }
}

#[test]
fn a_stack_of_steel_at_1e12_converges_at_every_step() {
    for contact in MODELS {
        let model = stack(4, 0.05, |_| 7.8, 1e12);
        let mut sim = simulation(&model, Options { step: 2e-3, contact, ..Options::default() });
        run(&mut sim, 1.0);
        assert!(sim.state().v.iter().all(|v| v.abs() < 1e-2), "{contact:?}: {:?}", sim.state().v);
    }
}

#[test]
fn deeply_overlapped_boxes_are_pushed_apart_and_not_thrown() {
    let tags = tags(1e7, 10.0);
    let model = model(
        &format!(
            "<geom type=\"plane\" size=\"5 5 1\">{tags}</geom>\
             <body pos=\"0 0 0.1\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\">{tags}</geom></body>\
             <body pos=\"0.08 0 0.11\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\">{tags}</geom></body>"
        ),
        "",
    );
    for contact in [MODELS[0], MODELS[1]] {
        let mut sim = simulation(&model, Options { contact, ..Options::default() });
        let mut fastest = 0.0_f64;
        for _ in 0..3000 {
            run(&mut sim, 1e-3);
            fastest = sim.state().v.iter().fold(fastest, |m, v| m.max(v.abs()));
        }
        // Hunt & Crossley lets nothing be pushed faster than 1/d = 0.1 m/s; the rest is falling over.
        assert!(fastest < 3.0, "{contact:?}: thrown at {fastest}");
        let q = &sim.state().q;
        let apart = ((q[0] - q[7]).powi(2) + (q[1] - q[8]).powi(2) + (q[2] - q[9]).powi(2)).sqrt();
        assert!(apart > 0.19, "{contact:?}: still overlapped, {apart} apart");
    }
}

#[test]
fn a_body_falls_freely_when_its_support_is_removed() {
    let tags = tags(1e6, 10.0);
    let model = model(
        &format!(
            "<body name=\"table\" mocap=\"true\" pos=\"0 0 0\"><geom type=\"box\" size=\"1 1 0.1\">{tags}</geom></body>\
             <body pos=\"0 0 0.2\"><freejoint/><geom type=\"sphere\" size=\"0.1\" mass=\"1\">{tags}</geom></body>"
        ),
        "",
    );
    let mut sim = simulation(&model, tight());
    run(&mut sim, 0.5);
    assert_eq!(sim.contacts().len(), 1);
    let (z, v) = (sim.state().q[2], sim.state().v[2]);
    assert!(v.abs() < 1e-9);
    sim.state_mut().mocap[0].pose.translation.vector.x = 10.0;
    run(&mut sim, 0.1);
    assert!(sim.contacts().is_empty());
    // Symplectic Euler: Δz = −g δt² n (n + 1)/2.
    let expected = -G * 1e-6 * 100.0 * 101.0 / 2.0;
    assert!((sim.state().q[2] - z - expected).abs() < 1e-9, "{}", sim.state().q[2] - z);
}

#[test]
fn a_table_moved_from_outside_carries_what_stands_on_it() {
    let tags = tags(1e6, 10.0);
    let model = model(
        &format!(
            "<body name=\"table\" mocap=\"true\"><geom type=\"box\" size=\"1 1 0.1\" friction=\"1 0 0\">{tags}</geom></body>\
             <body pos=\"0 0 0.15\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.05\" mass=\"1\" friction=\"1 0 0\">\
             {tags}</geom></body>"
        ),
        "",
    );
    let mut sim = simulation(&model, Options::default());
    run(&mut sim, 0.2);
    sim.state_mut().mocap[0].twist[3] = 0.25;
    for _ in 0..500 {
        sim.state_mut().mocap[0].pose.translation.vector.x += 0.25e-3;
        run(&mut sim, 1e-3);
    }
    assert!((sim.state().v[0] - 0.25).abs() < 1e-6, "{}", sim.state().v[0]);
}

#[test]
fn a_sphere_crosses_the_edges_of_a_height_field_without_a_kick() {
    let heights = vec!["0.1"; 25].join(" ");
    let tags = tags(1e6, 20.0);
    let text = format!(
        "<mujoco><asset><hfield name=\"h\" nrow=\"5\" ncol=\"5\" size=\"1 1 0.1 0.1\" elevation=\"{heights}\"/></asset>\
         <worldbody><geom type=\"hfield\" hfield=\"h\" friction=\"0 0 0\">{tags}</geom>\
         <body pos=\"-0.5 0.013 0.2\"><freejoint/><geom type=\"sphere\" size=\"0.1\" mass=\"1\" friction=\"0 0 0\">{tags}\
         </geom></body></worldbody></mujoco>"
    );
    let model = Model::from_string(&text, stiction::Format::Mjcf, &Default::default()).unwrap();
    let mut sim = simulation(&model, tight());
    run(&mut sim, 1.0);
    sim.state_mut().v[0] = 0.8;
    let mut largest = 0.0_f64;
    for _ in 0..1000 {
        run(&mut sim, 1e-3);
        largest = largest.max(sim.state().v[2].abs()).max(sim.state().v[1].abs());
    }
    assert!(largest < 1e-6, "kicked at {largest} m/s");
    assert!((sim.state().v[0] - 0.8).abs() < 1e-6);
}

#[test]
fn a_margin_does_not_change_how_deep_a_box_sinks() {
    let depth = |margin: f64| {
        let mut sim = simulation(&stack(1, 0.05, |_| 1.0, 1e5), Options { margin, ..tight() });
        run(&mut sim, 2.0);
        0.05 - sim.state().q[2]
    };
    let without = depth(0.0);
    assert!((without / (G / 0.5e5) - 1.0).abs() < 1e-6, "{without}");
    for margin in [1e-3, 0.2] {
        assert!((depth(margin) / without - 1.0).abs() < 1e-6, "{margin}: {}", depth(margin));
    }
}

#[test]
fn contact_wrenches_carry_a_stack_at_rest_and_come_in_opposite_pairs() {
    let boxes = 3;
    let mut sim = simulation(&stack(boxes, 0.05, |_| 1.0, 1e6), tight());
    run(&mut sim, 2.0);
    let wrenches = stiction::contact::body_wrenches(sim.contacts(), boxes + 1);
    for body in 1..=boxes {
        let [mx, my, _, fx, fy, fz] = wrenches[body];
        assert!((fz / G - 1.0).abs() < 1e-6 && fx.hypot(fy) < 1e-6, "{:?}", wrenches[body]);
        // Each is carried below its middle, which stands over the origin.
        assert!(mx.hypot(my) < 1e-6, "{:?}", wrenches[body]);
    }
    let sum = |k: usize| wrenches.iter().map(|w| w[k]).sum::<f64>();
    assert!((0..6).all(|k| sum(k).abs() < 1e-9), "{wrenches:?}");
}
