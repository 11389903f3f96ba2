//! The reproductions as users run them, in their quick form.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn reproduce(arguments: &[&str], folder: &str) -> (Output, PathBuf) {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("reproduce").join(folder);
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
    command.arg("reproduce").args(arguments).arg("--out").arg(&out);
    (command.output().expect("the program runs"), out)
}

const FIGURES: [&str; 4] = [".svg", ".png", ".csv", ".md"];
/// What a demonstration leaves.
const SHOWN: [&str; 6] = [".svg", ".png", ".csv", ".md", ".html", ".xml"];

/// Runs a reproduction; its checks must hold and its files be there.
fn holds(name: &str, least_checks: usize, files: &[&str]) {
    let (output, out) = reproduce(&[name, "--quick", "--json"], name);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON on standard output");
    assert_eq!(report["name"], name);
    let checks = report["checks"].as_array().expect("a list of checks");
    // A difference from a paper has its measured reason, and is no failure.
    let failed: Vec<&Value> = checks.iter().filter(|c| c["standing"] == "fails").collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(checks.len() >= least_checks, "{} checks", checks.len());
    for check in checks {
        assert!(check["value"].is_number() && check["expected"].is_number(), "{check}");
        assert!(check["tolerance"].is_number(), "{check}");
        assert!(["metric", "source"].iter().all(|k| check[k].as_str().is_some_and(|s| !s.is_empty())));
    }
    assert!(output.status.success());
    let found: Vec<String> = std::fs::read_dir(&out)
        .expect("the folder was made")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    for end in files {
        assert!(found.iter().any(|f| f.ends_with(end)), "no {end} in {found:?}");
    }
}

#[test]
fn a_coin_comes_to_rest_at_one_ratio_of_its_speeds() {
    holds("spinning-disk", 4, &FIGURES);
}

#[test]
fn of_eight_elastic_foundations_only_pressure_fields_conserve_energy() {
    holds("closed-loop", 28, &FIGURES);
}

#[test]
fn a_pencil_turns_in_a_loose_grip_and_is_held_in_a_tight_one() {
    holds("pencil-grip", 18, &SHOWN);
}

#[test]
fn a_spatula_turns_in_a_loose_grip_and_holds_in_a_tight_one() {
    holds("spatula-slip", 20, &SHOWN);
}

#[test]
fn an_arm_flips_a_pancake_on_every_grid() {
    holds("pancake-flip", 20, &SHOWN);
}

#[test]
fn a_cam_cleat_lets_a_rod_through_one_way_and_holds_it_the_other() {
    holds("cam-cleat", 20, &SHOWN);
}

#[test]
fn a_paddle_sorts_by_contact_area_alone() {
    holds("sorting", 8, &SHOWN);
}

#[test]
fn a_bolt_skips_once_a_turn_and_then_goes_in_by_its_pitch() {
    holds("bolt", 6, &[".svg", ".png", ".csv", ".md", ".html", ".xml", ".vtk"]);
}

#[test]
fn a_dragged_block_remembers_where_it_came_from() {
    holds("dragging", 10, &FIGURES);
}

#[test]
fn a_spinning_cylinder_has_the_moments_of_the_paper() {
    holds("spinning-cylinder", 10, &FIGURES);
}

#[test]
fn every_way_through_time_leads_to_the_same_place() {
    holds("work-precision", 10, &FIGURES);
}

#[test]
fn gliding_on_a_belt_is_that_of_the_paper() {
    holds("conveyor-belt", 8, &FIGURES);
}

#[test]
fn a_thrown_sphere_rolls_at_five_sevenths_of_its_speed() {
    holds("falling-sphere", 7, &FIGURES);
}

#[test]
fn a_sliding_rod_jams_and_jumps() {
    holds("sliding-rod", 16, &FIGURES);
}

#[test]
fn every_cell_of_the_table_of_contact_models_is_measured() {
    holds("table-1", 18, &[".md"]);
}

#[test]
fn an_unknown_name_is_answered_with_those_that_exist() {
    let (output, _) = reproduce(&["perpetual-motion"], "unknown");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(message.contains("perpetual-motion") && message.contains("spinning-disk"), "{message}");
}

#[test]
fn without_a_name_all_are_listed() {
    let (output, _) = reproduce(&[], "list");
    let list = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success());
    let names = ["spinning-disk", "closed-loop", "conveyor-belt", "falling-sphere", "sliding-rod", "table-1"];
    assert!(names.iter().all(|n| list.contains(n)), "{list}");
}
