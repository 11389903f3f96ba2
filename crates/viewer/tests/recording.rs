//! What is recorded is what happened, and it survives what happens to runs.

use proptest::prelude::*;
use std::path::{Path, PathBuf};
use stiction::{Model, Options, Simulation, scenes};
use stiction_viewer::read::{self, Recording};
use stiction_viewer::{JointChoice, RecordError, RecordOptions, Recorded, Recorder};

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recordings");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn simulation(scene: &str) -> Simulation {
    let model = Model::from_scene(scene).unwrap();
    let step = model.world().options.step.unwrap_or(1e-3);
    Simulation::new(&model, Options { step, ..Options::default() }).unwrap()
}

/// Records `seconds` of a scene to these files.
fn record(scene: &str, seconds: f64, rate: f64, paths: &[&Path]) -> (Simulation, Vec<Recorded>) {
    let mut sim = simulation(scene);
    let options = RecordOptions { rate, ..RecordOptions::default() };
    let mut recorder = Recorder::create(&sim, scene, paths, &options).unwrap();
    while sim.step_towards(seconds).unwrap() {
        recorder.observe(&sim).unwrap();
    }
    let files = recorder.finish(Some(&sim)).unwrap();
    (sim, files)
}

fn read(path: &Path) -> Recording {
    read::html(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn channel(recording: &Recording, group: &str, name: &str) -> usize {
    let channels = recording.scene["channels"].as_array().unwrap();
    channels.iter().position(|c| c["group"] == group && c["name"] == name).unwrap()
}

#[test]
fn every_scene_records_and_its_files_decode() {
    for scene in scenes::all() {
        let html = scratch(&format!("every-{}.html", scene.name));
        let mcap = scratch(&format!("every-{}.mcap", scene.name));
        let (sim, files) = record(scene.name, 0.2, 60.0, &[&html, &mcap]);
        let recording = read(&html);
        let world = sim.model().world();
        assert_eq!(recording.scene["bodies"].as_array().unwrap().len(), world.bodies.len());
        assert_eq!(recording.scene["geoms"].as_array().unwrap().len(), world.geoms.len());
        let channels = recording.scene["channels"].as_array().unwrap().len();
        assert!(recording.frames.len() >= 13, "{}: {} frames", scene.name, recording.frames.len());
        assert_eq!(files[0].frames as usize, recording.frames.len());
        assert_eq!(files[0].bytes, std::fs::metadata(&html).unwrap().len());
        for frame in &recording.frames {
            assert_eq!((frame.poses.len(), frame.channels.len()), (world.bodies.len(), channels));
            assert!(frame.channels.iter().all(|c| c.is_finite()), "{}: {frame:?}", scene.name);
        }
        // Geoms only name buffers that are there.
        for geom in recording.scene["geoms"].as_array().unwrap() {
            for id in [&geom["solid"], &geom["shape"]["buffer"]] {
                let known =
                    id.as_u64().is_none_or(|id| recording.buffers.iter().any(|b| u64::from(b.id) == id));
                assert!(known, "{}: {geom}", scene.name);
            }
        }
        let bytes = std::fs::read(&mcap).unwrap();
        let topics: Vec<String> =
            mcap::MessageStream::new(&bytes).unwrap().map(|m| m.unwrap().channel.topic.clone()).collect();
        let count = |topic: &str| topics.iter().filter(|t| *t == topic).count();
        assert_eq!(count("/scene"), 1);
        for topic in ["/tf", "/contacts", "/channels"] {
            assert_eq!(count(topic), recording.frames.len(), "{}: {topic}", scene.name);
        }
    }
}

#[test]
fn frames_hold_the_state_and_what_touched() {
    let path = scratch("gripper_soft.html");
    let (mut sim, _) = record("gripper_soft", 0.5, 60.0, &[&path]);
    let recording = read(&path);
    let (frame, state) = (recording.frames.last().unwrap(), sim.state().clone());
    assert_eq!(frame.time, state.time);
    let close = |a: f32, b: f64, scale: f64| assert!((f64::from(a) - b).abs() <= 1e-6 * scale, "{a} {b}");
    let workspace = sim.model().at(&state.q, &state.v).unwrap();
    for (b, pose) in frame.poses.iter().enumerate() {
        let x = sim.model().multibody().pose(&workspace, b);
        let q = &x.rotation;
        let p = &x.translation.vector;
        for (a, b) in pose.iter().zip([p.x, p.y, p.z, q.w, q.i, q.j, q.k]) {
            close(*a, b, 1.0);
        }
    }
    let energy = sim.energy();
    for (name, value) in
        [("kinetic", energy.kinetic), ("potential", energy.potential), ("total", energy.total())]
    {
        close(frame.channels[channel(&recording, "energy", name)], value, energy.potential.abs().max(1.0));
    }
    assert_eq!(frame.contacts.len(), sim.contacts().len());
    for (a, b) in frame.contacts.iter().zip(sim.contacts()) {
        assert_eq!((a.geom_a as usize, a.geom_b as usize, a.sticking), (b.geom_a.0, b.geom_b.0, b.sticking));
        (0..3).for_each(|k| close(a.force[k], b.force[k], b.force.norm()));
        (0..3).for_each(|k| close(a.position[k], b.position[k], 1.0));
    }
    let patches = sim.patches();
    assert!(!patches.is_empty() && frame.patches.len() == patches.len());
    for (a, b) in frame.patches.iter().zip(&patches) {
        assert_eq!((a.geom_a as usize, a.geom_b as usize), (b.geom_a.0, b.geom_b.0));
        assert_eq!(a.faces, b.polygons);
        close(a.area, b.area, b.area);
        (0..3).for_each(|k| close(a.force[k], b.force[k], b.force.norm()));
        (0..3).for_each(|k| close(a.moment[k], b.moment[k], b.moment.norm()));
        for (a, b) in a.pressure.iter().zip(&b.pressure) {
            close(*a, *b, b.abs());
        }
        for (a, b) in a.traction.iter().zip(&b.traction) {
            (0..3).for_each(|k| close(a[k], b[k], b.norm()));
        }
        for (a, b) in a.slip.iter().zip(&b.slip) {
            (0..3).for_each(|k| close(a[k], b[k], 1.0));
        }
    }
    // The solid's buffer is the solid.
    let geoms = recording.scene["geoms"].as_array().unwrap();
    let soft = geoms.iter().position(|g| g["solid"].is_u64()).unwrap();
    let solid = sim.model().solid(stiction::GeomId(soft)).unwrap();
    let id = geoms[soft]["solid"].as_u64().unwrap();
    let buffer = recording.buffers.iter().find(|b| u64::from(b.id) == id).unwrap();
    assert_eq!(buffer.tetrahedra, solid.tets());
    assert_eq!(buffer.triangles, solid.surface());
    let most = buffer.pressure.iter().copied().fold(0.0, f32::max);
    close(most, solid.modulus(), solid.modulus());
}

#[test]
fn recording_does_not_change_the_simulation() {
    let (sim, _) = record("soft_pile", 0.3, 60.0, &[&scratch("unchanged.html")]);
    let mut alone = simulation("soft_pile");
    alone.run_until(0.3).unwrap();
    assert_eq!(sim.state(), alone.state());
}

#[test]
fn frames_come_at_the_rate_asked_for_and_restart_after_a_reset() {
    let path = scratch("rate.html");
    let mut sim = simulation("double_pendulum");
    let options = RecordOptions { rate: 25.0, ..RecordOptions::default() };
    let mut recorder = Recorder::create(&sim, "rate", &[&path], &options).unwrap();
    for _ in 0..2 {
        while sim.step_towards(0.2).unwrap() {
            recorder.observe(&sim).unwrap();
        }
        sim.reset();
        recorder.observe(&sim).unwrap();
    }
    recorder.finish(Some(&sim)).unwrap();
    let times: Vec<f64> = read(&path).frames.iter().map(|f| f.time).collect();
    let run = [0.0, 0.04, 0.08, 0.12, 0.16, 0.2];
    let expected = [&run[..], &run[..], &[0.0]].concat();
    assert_eq!(times.len(), expected.len(), "{times:?}");
    assert!(times.iter().zip(expected).all(|(t, e)| (t - e).abs() < 1e-9), "{times:?}");
}

#[test]
fn a_file_cut_off_anywhere_opens_up_to_its_last_block() {
    let path = scratch("cut.html");
    // Frames larger than a batch make several blocks only once a second; cut the one there is, and before it.
    record("stack", 0.5, 60.0, &[&path]);
    let text = std::fs::read_to_string(&path).unwrap();
    let whole = read::html(&text).unwrap();
    let blocks: Vec<usize> = text.match_indices("</script>\n").map(|(at, end)| at + end.len()).collect();
    let data: Vec<usize> = blocks.into_iter().filter(|&at| read::html(&text[..at]).is_ok()).collect();
    assert!(data.len() >= 2, "a block of the scene and one of frames");
    for cut in [data[0], data[0] + 1, data[0] + 100, text.len() - 1, text.len() - 11] {
        let cut = (cut..).find(|&c| text.is_char_boundary(c)).unwrap();
        let part = read::html(&text[..cut]).unwrap();
        let expected = if cut >= *data.last().unwrap() - 1 { &whole.frames[..] } else { &[] };
        assert_eq!(part.frames.len(), expected.len(), "cut at {cut} of {}", text.len());
        assert_eq!(part.scene, whole.scene);
    }
    assert!(matches!(read::html("<!doctype html>"), Err(stiction_viewer::ReadError::Empty)));
}

#[test]
fn joints_are_chosen_by_name_and_unknown_ones_are_refused() {
    let sim = simulation("double_pendulum");
    let names: Vec<String> = sim.model().multibody().joints().iter().map(|j| j.name.clone()).collect();
    let path = scratch("joints.html");
    let options = |joints| RecordOptions { joints, ..RecordOptions::default() };
    let one = options(JointChoice::Named(vec![names[1].clone()]));
    Recorder::create(&sim, "joints", &[&path], &one).unwrap().finish(None).unwrap();
    let recording = read(&path);
    let index = channel(&recording, "joints", &names[1]);
    assert_eq!(index + 1, recording.scene["channels"].as_array().unwrap().len());
    assert_eq!(recording.frames[0].channels[index], sim.state().q[1] as f32);
    let wrong = options(JointChoice::Named(vec!["knee".into()]));
    let error = Recorder::create(&sim, "joints", &[&path], &wrong).err().unwrap().to_string();
    assert!(error.contains("knee") && error.contains(&names[0]), "{error}");
}

#[test]
fn wrong_names_rates_and_folders_are_told_at_once() {
    let sim = simulation("double_pendulum");
    let create = |path: &str, rate| {
        Recorder::create(&sim, "x", &[path], &RecordOptions { rate, ..RecordOptions::default() })
            .err()
            .unwrap()
    };
    assert!(matches!(create("x.gif", 60.0), RecordError::Extension(_)));
    assert!(matches!(create("x.html", 0.0), RecordError::Rate(_)));
    assert!(matches!(create("x.html", f64::NAN), RecordError::Rate(_)));
    let error = create("/proc/no/such/folder/x.html", 60.0);
    assert!(matches!(error, RecordError::Create { .. }) && error.to_string().contains("/proc/no"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_with_the_file() {
    for ending in ["html", "mcap"] {
        let full = scratch(&format!("full.{ending}"));
        let _ = std::fs::remove_file(&full);
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        let sim = simulation("stack");
        let recorder = Recorder::create(&sim, "full", &[&full], &RecordOptions::default());
        let error = recorder.and_then(|recorder| recorder.finish(None)).unwrap_err();
        let told = match &error {
            RecordError::Create { path, .. } | RecordError::Write { path, frames: 0, .. } => path,
            other => panic!("{other}"),
        };
        assert_eq!(*told, full);
        assert!(error.to_string().contains("full."), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_bytes_are_refused_or_read_but_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read::chunks(&bytes);
        let _ = read::frame(&bytes);
        let _ = read::html(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn damaged_recordings_are_refused_or_read_but_never_panic(
        at in prop::collection::vec((0.0f64..1.0, any::<u8>()), 1..8), length in 0.0f64..1.0
    ) {
        let mut sim = simulation("gripper_soft");
        sim.step(2).unwrap();
        let mut capture = stiction_viewer::Capture::new(&sim, &JointChoice::default(), &[]).unwrap();
        let mut bytes = Vec::new();
        capture.scene(&sim, "x", &mut bytes);
        capture.frame(&sim, &mut bytes).unwrap();
        prop_assert!(read::chunks(&bytes).is_ok());
        for (place, value) in at {
            let place = (place * bytes.len() as f64) as usize;
            bytes[place] = value;
        }
        bytes.truncate((length * bytes.len() as f64) as usize);
        let _ = read::chunks(&bytes);
    }
}

#[test]
fn velocities_and_controls_are_recorded_beside_positions() {
    let path = scratch("velocities.html");
    let mut sim = simulation("gripper_soft");
    let controls: Vec<f64> = (0..sim.state().ctrl.len()).map(|i| 0.001 * (i + 1) as f64).collect();
    sim.state_mut().ctrl.copy_from_slice(&controls);
    let options = RecordOptions { joints: JointChoice::UpTo(1000), ..RecordOptions::default() };
    let mut recorder = Recorder::create(&sim, "gripper", &[&path], &options).unwrap();
    while sim.step_towards(0.05).unwrap() {
        recorder.observe(&sim).unwrap();
    }
    recorder.finish(Some(&sim)).unwrap();
    let recording = read(&path);
    let (state, last) = (sim.state(), recording.frames.last().unwrap());
    let values = |group: &str| -> Vec<f32> {
        let channels = recording.scene["channels"].as_array().unwrap().iter().zip(&last.channels);
        channels.filter(|(c, _)| c["group"] == group).map(|(_, value)| *value).collect()
    };
    assert_eq!(values("controls"), state.ctrl.iter().map(|x| *x as f32).collect::<Vec<_>>());
    // Of a free joint three of the six velocities are linear; every other joint of the scene has one.
    let joints = sim.model().multibody().joints();
    let sorted = |mut list: Vec<f32>| {
        list.sort_by(f32::total_cmp);
        list
    };
    let v = joints.iter().flat_map(|j| j.v.clone().take(if j.v.len() == 6 { 3 } else { 1 }));
    assert_eq!(sorted(values("velocities")), sorted(v.map(|i| state.v[i] as f32).collect()));
    assert_eq!(values("velocities").len(), values("joints").len());
    assert!(values("velocities").iter().any(|x| *x != 0.0));
}
