//! Changes of a model from the command line, tables with names, and what shells are told.

mod common;

use common::{json, stiction, text};

/// Runs and returns the report.
fn report(command: &str) -> serde_json::Value {
    json(&stiction(&command.split_whitespace().chain(["--json"]).collect::<Vec<_>>()))
}

/// The message of a command that is refused as wrong input.
fn refused(command: &str) -> String {
    let output = stiction(&command.split_whitespace().collect::<Vec<_>>());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{command}: {said}");
    said
}

/// A box of 1 kg that slides on the floor at 1 m/s, called brick, and its file.
fn sliding(name: &str) -> String {
    let file = common::folder(&format!("changes/{name}")).join("sliding.xml");
    std::fs::write(
        &file,
        "<mujoco><option timestep='0.001'/><worldbody><geom name='floor' type='plane' size='1 1 1' friction='0.5'/>
        <body name='brick' pos='0 0 0.05'><freejoint name='brick'/>
        <geom name='brick' type='box' size='0.1 0.1 0.05' mass='1' friction='0.5'/></body></worldbody>
        <keyframe><key name='go' qpos='0 0 0.05 1 0 0 0' qvel='1 0 0 0 0 0'/></keyframe></mujoco>",
    )
    .unwrap();
    file.display().to_string()
}

/// How far the box slides.
fn way(file: &str, options: &str) -> f64 {
    report(&format!("run {file} --keyframe go --time 2 {options}"))["qpos"][0].as_f64().unwrap()
}

#[test]
fn friction_and_gravity_from_the_command_line_are_those_of_the_steps() {
    let file = sliding("friction");
    // v²/(2 μ g), and an explicit step's half of v δt.
    let expected = |mu: f64, g: f64| 0.5 / (mu * g);
    for (options, mu, g) in [
        ("", 0.5, 9.81),
        ("--friction 0.25", 0.25, 9.81),
        ("--set brick.friction=0.25 --set floor.friction=0.25", 0.25, 9.81),
        ("--set *.friction=0.25", 0.25, 9.81),
        ("--gravity -1.62 --friction 0.8", 0.8, 1.62),
        ("--gravity 0,0,-1.62 --friction 0.8", 0.8, 1.62),
        ("--friction 0.8 --set *.friction=0.25", 0.25, 9.81),
    ] {
        let way = way(&file, options);
        let expected = expected(mu, g);
        assert!((way - expected).abs() < 1.5e-3, "{options}: {way} m instead of {expected} m");
    }
}

#[test]
fn masses_and_drives_are_changed_by_name() {
    // E = m g h at the start.
    let energy = |options: &str| {
        report(&format!("run stack --time 0.002 {options}"))["energy_start"].as_f64().unwrap()
    };
    let plain = energy("");
    let model = report("inspect stack");
    let name = model["bodies"][1]["name"].as_str().unwrap().to_string();
    assert!(energy(&format!("--set {name}.mass=1000")) > plain + 1.0);
    let hash =
        |options: &str| report(&format!("run humanoid --time 0.1 {options}"))["trajectory_hash"].clone();
    let plain = hash("");
    for change in ["*.damping=5", "*.armature=2", "*.friction_loss=1"] {
        assert_ne!(hash(&format!("--set {change}")), plain, "{change}");
    }
}

#[test]
fn wrong_changes_are_refused_with_what_there_is() {
    let file = sliding("refused");
    for (options, words) in [
        ("--friction -1", vec!["--friction -1"]),
        ("--gravity 1,2", vec!["--gravity 1,2", "three"]),
        ("--gravity nan", vec!["--gravity nan"]),
        ("--set brick", vec!["NAME.PROPERTY=VALUE"]),
        ("--set brick.friction=slippery", vec!["slippery", "no number"]),
        ("--set brick.frction=1", vec!["frction", "did you mean \"friction\""]),
        ("--set brik.friction=1", vec!["brik", "did you mean \"brick\""]),
        ("--set elbow.damping=1", vec!["no joint", "brick"]),
        ("--set motor.kp=1", vec!["no actuator"]),
        ("--set brick.mass=-1", vec!["mass", "positive"]),
        ("--set brick.modulus=1e5", vec!["no pressure field"]),
    ] {
        let said = refused(&format!("run {file} --time 0.01 {options}"));
        assert!(words.iter().all(|word| said.contains(word)), "{options}: {said}");
    }
}

#[test]
fn tables_have_contact_forces_and_names_of_joints() {
    let file = sliding("tables");
    let out = common::folder("changes/tables/out");
    let shown = out.display().to_string();
    let files =
        report(&format!("run {file} --time 0.5 --out {shown} --skip html,mcap --columns joints --rate 20"));
    assert!(files["csv"].as_str().unwrap().ends_with("sliding.csv"));
    let table = std::fs::read_to_string(out.join("sliding.csv")).unwrap();
    let header = table.lines().next().unwrap();
    assert!(
        header.starts_with(
            "time,brick.x,brick.y,brick.z,brick.qw,brick.qx,brick.qy,brick.qz,brick.velocity.x,"
        )
    );
    assert!(
        header.ends_with("brick.velocity.wz,kinetic_energy,potential_energy,contacts,iterations"),
        "{header}"
    );
    let contacts = std::fs::read_to_string(out.join("sliding-contacts.csv")).unwrap();
    let mut rows = contacts.lines();
    assert_eq!(rows.next(), Some("time,body_a,body_b,points,patches,normal_force,fx,fy,fz,tx,ty,tz"));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(',').collect()).collect();
    assert!(rows.len() >= 10 && rows.iter().all(|row| row.len() == 12));
    // At rest the floor carries the weight, and its force has no moment about the middle.
    let last = rows.last().unwrap();
    assert_eq!(last[2], "brick");
    let numbers: Vec<f64> = last[5..].iter().map(|cell| cell.parse().unwrap()).collect();
    assert!((numbers[3] - 9.81).abs() < 1e-3 && (numbers[0] - 9.81).abs() < 1e-3, "{numbers:?}");
    assert!([1, 2, 4, 5, 6].iter().all(|&k| numbers[k].abs() < 1e-3), "{numbers:?}");
    assert!(refused(&format!("run {file} --out {shown} --skip csv --columns joints")).contains("--columns"));
}

#[test]
fn shells_and_man_know_the_commands() {
    for (shell, word) in
        [("bash", "COMPREPLY"), ("zsh", "#compdef stiction"), ("fish", "complete -c stiction")]
    {
        let script = text(&stiction(&["completions", shell]).stdout);
        assert!(
            script.contains(word) && script.contains("friction-passes") && script.contains("demo"),
            "{shell}"
        );
    }
    let page = text(&stiction(&["manual"]).stdout);
    assert!(page.contains(".TH") && page.contains("SUBCOMMANDS"), "{page}");
    let folder = common::folder("changes/man");
    assert!(stiction(&["manual", "--out", folder.to_str().unwrap()]).status.success());
    let run = std::fs::read_to_string(folder.join("stiction-run.1")).unwrap();
    assert!(run.contains("friction") && folder.join("stiction.1").exists());
}

#[test]
fn demonstrations_are_listed_and_misspelt_ones_refused() {
    let list = text(&stiction(&["demo"]).stdout);
    assert!(list.lines().count() >= 5 && list.contains("pancake-flip"), "{list}");
    assert!(refused("demo pancake").contains("pancake-flip"));
}

#[test]
fn a_solid_made_from_a_surface_is_dropped_on_the_ground_and_is_soft() {
    let folder = common::folder("changes/solid");
    let [surface, solid] = ["cube.obj", "cube.vtk"].map(|file| folder.join(file).display().to_string());
    let corners = "v 0 0 0\nv .1 0 0\nv .1 .1 0\nv 0 .1 0\nv 0 0 .1\nv .1 0 .1\nv .1 .1 .1\nv 0 .1 .1\n";
    let faces = "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    std::fs::write(&surface, format!("{corners}{faces}")).unwrap();
    assert!(refused(&format!("run {surface}")).contains("--ground"));
    let made = stiction(&["mesh", &surface, "-o", &solid, "--modulus", "1e5", "--resolution", "0.02"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let soft = report(&format!("run {solid} --ground --time 1"));
    let rigid = report(&format!("run {surface} --ground --time 1"));
    assert!(soft["last_patches"] == 1 && rigid["last_patches"] == 0, "{soft} {rigid}");
    // A slab of the half thickness 0.05 m has the pressure of 981 Pa of 1 kg on 0.01 m² at this depth; near its edges the field
    // is not that of a slab, so that the box is within a third of it.
    let depth = -soft["qpos"][2].as_f64().unwrap();
    let slab = 0.05 * 981.0 / 1e5;
    assert!((depth / slab - 1.0).abs() < 0.33, "{depth} m instead of {slab} m");
}
