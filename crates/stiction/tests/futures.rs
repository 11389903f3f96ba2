//! Trees of futures: forks, weights, and actuators between impacts.

use stiction::rigid::{BranchEnd, FuturesOptions, Touching, futures};
use stiction::{Format, LoadOptions, Model};

/// A block 1 m wide and 2 m tall in the plane, mass 1, inertia 5/12, its bottom 0.04905 m above the floor: free fall of a tenth of a second.
fn block(more: &str) -> Model {
    let text = format!(
        r#"<mujoco><worldbody><geom type="plane" size="9 9 1" friction="1"/>
        <body pos="0 0 1.04905"><joint name="x" type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint type="hinge" axis="0 -1 0"/>
          <inertial pos="0 0 0" mass="1" diaginertia="1 0.416666666666666667 1"/>
          <geom type="box" size="0.5 0.01 1" friction="1"/></body></worldbody>{more}</mujoco>"#
    );
    Model::from_string(&text, Format::Mjcf, &LoadOptions::default()).unwrap()
}

/// The two sequences of the landing block: left or right by 0.21 of the speed.
fn rocks(touching: &Touching, most: usize) -> Result<Vec<(Vec<f64>, f64)>, String> {
    let v = -touching.instant.velocity()[1];
    let all = [(vec![0.21 * v, 0.105 * v, -0.21 * v], 1.0), (vec![-0.21 * v, 0.105 * v, 0.21 * v], 3.0)];
    Ok(all.into_iter().take(most).collect())
}

#[test]
fn a_landing_block_forks_once_and_its_branches_mirror_each_other() {
    let model = block("");
    let options = FuturesOptions { horizon: 0.15, step: 1e-4, ..FuturesOptions::default() };
    let tree = futures(&model, &model.default_state(), &options, &mut rocks).unwrap();
    assert_eq!(tree.branches.len(), 3);
    assert_eq!(tree.branches[0].end, BranchEnd::Fork);
    let time = tree.branches[0].frames.last().unwrap().0;
    // Steps of 0.1 ms are early by half of one.
    assert!((time - 0.1).abs() < 1e-4, "{time}");
    let weights: Vec<f64> = tree.leaves().map(|(_, b)| b.weight).collect();
    assert_eq!(weights, [0.25, 0.75]);
    let ends: Vec<&Vec<f64>> = tree.leaves().map(|(_, b)| &b.frames.last().unwrap().1).collect();
    assert!((ends[0][0] + ends[1][0]).abs() < 1e-9 && (ends[0][2] + ends[1][2]).abs() < 1e-9);
    assert!(ends[0][2] < -1e-3, "{:?}", ends[0]);
}

#[test]
fn a_spent_budget_follows_one_outcome_and_is_told() {
    let model = block("");
    let options = FuturesOptions { horizon: 0.12, budget: 2, ..FuturesOptions::default() };
    let tree = futures(&model, &model.default_state(), &options, &mut rocks).unwrap();
    assert_eq!((tree.branches.len(), tree.pruned), (1, 1));
    assert!(tree.branches[0].frames.last().unwrap().2[2] < 0.0);
}

#[test]
fn motors_move_the_model_before_it_forks() {
    let model = block(
        r#"<actuator><motor joint="x" ctrlrange="-1 1" ctrllimited="true" forcerange="-1 1" forcelimited="true"/></actuator>"#,
    );
    let mut state = model.default_state();
    state.ctrl[0] = 1.0;
    let options = FuturesOptions { horizon: 0.05, ..FuturesOptions::default() };
    let tree = futures(&model, &state, &options, &mut rocks).unwrap();
    // One newton on one kilogram.
    let v = tree.branches[0].frames.last().unwrap().2[0];
    assert!((v - 0.05).abs() < 1e-6, "{v}");
}

#[test]
fn options_out_of_range_are_refused() {
    let model = block("");
    for options in [
        FuturesOptions { horizon: -1.0, ..FuturesOptions::default() },
        FuturesOptions { step: f64::NAN, ..FuturesOptions::default() },
        FuturesOptions { budget: 0, ..FuturesOptions::default() },
    ] {
        let error = futures(&model, &model.default_state(), &options, &mut rocks).unwrap_err();
        assert!(error.to_string().contains("not allowed"), "{error}");
    }
}
