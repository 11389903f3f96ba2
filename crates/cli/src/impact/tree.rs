//! `stiction impact --tree`: futures that fork at every impact with several outcomes.

use super::report::{coordinate, unit};
use super::{ImpactArguments, ghosts};
use crate::failure::Failure;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use stiction::rigid::{BranchEnd, Futures, FuturesOptions, futures};
use stiction::{Model, State};
use stiction_impact::{Options, Problem, fork};
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, color, to_svg, write_png};

/// Grows the tree; returns its report for the terminal and for programs.
pub fn grow(
    arguments: &ImpactArguments,
    model: &Model,
    state: &State,
    options: &Options,
    name: &str,
) -> Result<(String, Value), Failure> {
    let settings = FuturesOptions {
        horizon: arguments.horizon,
        step: arguments.step,
        touch: arguments.touch.max(1e-9),
        budget: arguments.budget,
        outcomes: arguments.outcomes,
        ..FuturesOptions::default()
    };
    let mut resolve = |touching: &stiction::rigid::Touching, most: usize| {
        let problem = Problem::new(&touching.instant).map_err(|e| e.to_string())?;
        fork(&problem, options, most).map_err(|e| e.to_string())
    };
    let tree = futures(model, state, &settings, &mut resolve).map_err(super::moved)?;
    let mut files = picture(arguments, model, &tree, name)?;
    let page = ghosts::write(&arguments.out, name, model, &tree)?;
    let shown = page.as_ref().map(|(_, shown)| *shown);
    files.extend(page.map(|(path, _)| path));
    Ok((text(model, &tree, &files, shown), report(model, &tree, &files, shown)))
}

/// Weighted mean, least and greatest value of each position coordinate over the leaves.
fn quantities(model: &Model, tree: &Futures) -> Vec<[f64; 3]> {
    (0..model.nq())
        .map(|i| {
            let ends = tree.leaves().filter_map(|(_, b)| b.frames.last().map(|f| (f.1[i], b.weight)));
            ends.fold([0.0, f64::INFINITY, f64::NEG_INFINITY], |[mean, low, high], (q, w)| {
                [mean + w * q, low.min(q), high.max(q)]
            })
        })
        .collect()
}

fn text(model: &Model, tree: &Futures, files: &[PathBuf], shown: Option<usize>) -> String {
    let mut text = String::new();
    let leaves = tree.leaves().count();
    let forks = tree.branches.iter().filter(|b| b.end == BranchEnd::Fork).count();
    let merged = tree.branches.iter().filter(|b| matches!(b.end, BranchEnd::Merged(_))).count();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "futures: {leaves} ends after {forks} forks, {merged} merged, {} impacts went on with one outcome because the budget was spent",
        tree.pruned
    );
    let _ = writeln!(
        text,
        "  {:>6} {:>7} {:>9} {:>9} {:>8}  end",
        "branch", "parent", "from (s)", "to (s)", "weight"
    );
    for (k, b) in tree.branches.iter().enumerate() {
        let end = match &b.end {
            BranchEnd::Horizon => "horizon".to_string(),
            BranchEnd::Fork => "forks".to_string(),
            BranchEnd::Merged(other) => format!("as branch {other}"),
        };
        let time = |f: Option<&(f64, Vec<f64>, Vec<f64>)>| f.map_or(f64::NAN, |f| f.0);
        let _ = writeln!(
            text,
            "  {k:>6} {:>7} {:>9.4} {:>9.4} {:>8.4}  {end}",
            b.parent.map_or("–".into(), |p| p.to_string()),
            time(b.frames.first()),
            time(b.frames.last()),
            b.weight
        );
    }
    let _ = writeln!(text, "  positions at the horizon   {:>12} {:>12} {:>12}", "mean", "least", "greatest");
    for (i, [mean, low, high]) in quantities(model, tree).into_iter().enumerate() {
        let _ = writeln!(text, "  q{i:<25} {mean:>12.6} {low:>12.6} {high:>12.6}");
    }
    text.push_str("  weights are a sampling measure over impulse rates, not probabilities\n");
    if let Some(shown) = shown {
        let _ = writeln!(
            text,
            "  the page shows {shown} of {leaves} ends in one picture, the heaviest solid and the others as ghosts"
        );
    }
    for (k, path) in files.iter().enumerate() {
        let _ = writeln!(text, "  {:<10} {}", if k == 0 { "files" } else { "" }, path.display());
    }
    text
}

fn report(model: &Model, tree: &Futures, files: &[PathBuf], shown: Option<usize>) -> Value {
    let branches: Vec<Value> = tree
        .branches
        .iter()
        .map(|b| {
            let end = match &b.end {
                BranchEnd::Horizon => json!("horizon"),
                BranchEnd::Fork => json!("fork"),
                BranchEnd::Merged(other) => json!({ "merged": other }),
            };
            json!({
                "parent": b.parent, "weight": b.weight, "passed": b.passed, "end": end,
                "time": b.frames.iter().map(|f| f.0).collect::<Vec<_>>(),
                "qpos": b.frames.iter().map(|f| f.1.clone()).collect::<Vec<_>>(),
                "qvel": b.frames.iter().map(|f| f.2.clone()).collect::<Vec<_>>(),
            })
        })
        .collect();
    let ends: Vec<Value> = quantities(model, tree)
        .into_iter()
        .map(|[mean, low, high]| json!({ "mean": mean, "least": low, "greatest": high }))
        .collect();
    json!({
        "branches": branches, "pruned": tree.pruned, "positions_at_horizon": ends, "ends_on_page": shown,
        "files": files.iter().map(|p| p.display().to_string()).collect::<Vec<_>>(),
    })
}

/// The velocity coordinate that differs most at the end, over time, for every branch.
fn picture(
    arguments: &ImpactArguments,
    model: &Model,
    tree: &Futures,
    name: &str,
) -> Result<Vec<PathBuf>, Failure> {
    let width = |i: usize| {
        let all = tree.branches.iter().flat_map(|b| b.frames.iter().map(move |f| f.2[i]));
        let [low, high] = all.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], v| [l.min(v), h.max(v)]);
        high - low
    };
    let mut order: Vec<usize> = (0..model.nv()).collect();
    order.sort_by(|a, b| width(*b).total_cmp(&width(*a)).then(a.cmp(b)));
    let panels: Vec<Panel> = order
        .into_iter()
        .take(2)
        .map(|i| Panel {
            title: coordinate(model, i),
            x: Axis::linear("time (s)"),
            y: Axis::linear(&format!("{} ({})", coordinate(model, i), unit(model, i))),
            series: tree
                .branches
                .iter()
                .map(|b| {
                    let points = b.frames.iter().map(|f| [f.0, f.2[i]]).collect();
                    Series::new(
                        "",
                        Look::Line,
                        if b.parent.is_none() { color::BLACK } else { color::BLUE },
                        points,
                    )
                })
                .collect(),
            legend: Corner::TopRight,
        })
        .collect();
    let caption = "Velocities along all branches.".to_string();
    let figure = Figure { name: "tree", caption, panels };
    let [png, svg] = ["png", "svg"].map(|end| arguments.out.join(format!("{name}-tree.{end}")));
    let failed = |e: &dyn std::fmt::Display| {
        Failure::work(format!("cannot write {}: {e}; choose another --out", png.display()))
    };
    write_png(&figure, &png).map_err(|e| failed(&e))?;
    stiction_base::whole_file::write(&svg, to_svg(&figure).as_bytes()).map_err(|e| failed(&e))?;
    Ok(vec![png, svg])
}
