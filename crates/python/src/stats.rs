//! Counts and times as the dict `Stats`.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::Stats;

pub fn stats_dict<'py>(py: Python<'py>, stats: &Stats) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, count) in [
        ("steps", stats.steps),
        ("rejected", stats.rejected),
        ("iterations", stats.iterations),
        ("max_iterations", stats.max_iterations),
        ("unconverged", stats.unconverged),
        ("line_search_evaluations", stats.line_search_evaluations),
        ("friction_passes", stats.friction_passes),
        ("points", stats.points),
        ("patches", stats.patches),
        ("faces", stats.faces),
        ("doubtful_patches", stats.doubtful_patches),
        ("speculative", stats.speculative),
        ("held_back", stats.held_back),
        ("passed", stats.passed),
        ("capped", stats.capped),
        ("found", stats.found),
        ("missed_equalities", stats.missed_equalities),
        ("last_iterations", stats.last_iterations),
        ("last_points", stats.last_points),
        ("last_patches", stats.last_patches),
        ("last_faces", stats.last_faces),
    ] {
        dict.set_item(name, count)?;
    }
    dict.set_item("max_penetration", stats.max_penetration)?;
    dict.set_item("max_found", stats.max_found)?;
    dict.set_item("max_gap", stats.max_gap)?;
    dict.set_item("max_angle", stats.max_angle)?;
    dict.set_item("friction_loss", stats.friction_loss)?;
    dict.set_item("normal_loss", stats.normal_loss)?;
    dict.set_item("dissipated", stats.dissipated)?;
    dict.set_item("other_work", stats.other_work)?;
    dict.set_item("min_step", stats.min_step)?;
    dict.set_item("max_step", stats.max_step)?;
    let seconds = PyDict::new(py);
    for (stage, time) in stats.seconds.named() {
        seconds.set_item(stage, time)?;
    }
    dict.set_item("seconds", seconds)?;
    Ok(dict)
}
