//! What a run reports at its end, as text and as JSON.

use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use stiction::continuous::DEFAULT_ACCURACY;
use stiction::{Method, Simulation, TrajectoryHash, contact_model_name};

/// What is reported of a run.
pub struct Summary<'a> {
    pub simulation: &'a Simulation,
    /// Seconds spent stepping and recording.
    pub wall: f64,
    /// Simulated seconds.
    pub simulated: f64,
    /// Files written.
    pub files: &'a [PathBuf],
    /// Total energy at the start and at the end, J.
    pub energy: [f64; 2],
    pub hash: TrajectoryHash,
}

impl Summary<'_> {
    fn rate(&self) -> f64 {
        self.simulated / self.wall.max(1e-12)
    }

    /// The file with this extension, if it was written.
    fn file(&self, extension: &str) -> Option<String> {
        let path = self.files.iter().find(|p| p.extension().is_some_and(|e| e == extension));
        path.map(|p| p.display().to_string())
    }

    /// Warnings of the model and of the run.
    fn warnings(&self) -> Vec<String> {
        let (model, run) = (self.simulation.model().warnings(), self.simulation.warnings());
        model.iter().chain(&run).map(ToString::to_string).collect()
    }

    pub fn text(&self, scene: &str) -> String {
        let stats = self.simulation.stats();
        let options = self.simulation.options();
        let steps = stats.steps.max(1) as f64;
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{scene}: {:.3} s simulated in {:.3} s ({:.*} times real time), {} steps of {}, {}",
            self.simulated,
            self.wall,
            if self.rate() < 1.0 { 3 } else { 1 },
            self.rate(),
            stats.steps,
            if options.error_controlled() {
                format!(
                    "{:.1e} to {:.1e} s for an accuracy of {}, {} rejected",
                    stats.min_step,
                    stats.max_step,
                    options.accuracy.unwrap_or(DEFAULT_ACCURACY),
                    stats.rejected
                )
            } else {
                let own = self.simulation.model().world().options.step == Some(options.step);
                format!("{} s{}", options.step, if own { " (the model's)" } else { "" })
            },
            method_text(self.simulation),
        );
        let _ = writeln!(
            text,
            "  solver      {:.2} iterations per step, {} at most, {}",
            stats.iterations as f64 / steps,
            stats.max_iterations,
            match stats.unconverged {
                0 => "every step converged".to_string(),
                n => format!("{n} STEPS DID NOT CONVERGE"),
            }
        );
        let _ = writeln!(
            text,
            "  contact     {:.1} points per step, {} at the end, largest penetration {:.3e} m",
            stats.points as f64 / steps,
            stats.last_points,
            stats.max_penetration
        );
        if stats.patches > 0 {
            let _ = writeln!(
                text,
                "  patches     {:.1} per step with {:.1} faces, {} with {} at the end",
                stats.patches as f64 / steps,
                stats.faces as f64 / steps,
                stats.last_patches,
                stats.last_faces
            );
        }
        let _ = writeln!(
            text,
            "  energy      {:.6} J at the start, {:.6} J at the end; {:.6} J dissipated by friction, {:.6} J by normal forces",
            self.energy[0], self.energy[1], stats.friction_loss, stats.normal_loss
        );
        let total = stats.seconds.total().max(1e-12);
        let stages: Vec<String> =
            stats.seconds.named().iter().map(|(n, s)| format!("{n} {:.0} %", 100.0 * s / total)).collect();
        let _ =
            writeln!(text, "  time        {:.1} µs per step: {}", 1e6 * self.wall / steps, stages.join(", "));
        for (k, path) in self.files.iter().enumerate() {
            let _ = writeln!(text, "  {:<10}  {}", if k == 0 { "files" } else { "" }, path.display());
        }
        text
    }

    pub fn json(&self, scene: &str) -> Value {
        let stats = self.simulation.stats();
        let options = self.simulation.options();
        let state = self.simulation.state();
        let seconds: Map<String, Value> =
            stats.seconds.named().iter().map(|(n, s)| (n.to_string(), json!(s))).collect();
        let mut summary = json!({
            "scene": scene,
            "time": state.time,
            "step": options.step,
            "accuracy": options.accuracy,
            "rejected": stats.rejected,
            "min_step": stats.min_step,
            "max_step": stats.max_step,
            "method": options.method_name(),
            "contact": if self.simulation.contact_law().is_some() { "dac" } else { contact_model_name(options.contact) },
            "outside_steps": self.simulation.learned_report().map(|r| r.outside_steps),
            "dissipated": stats.dissipated,
            "other_work": stats.other_work,
            "steps": stats.steps,
            "iterations": stats.iterations,
            "max_iterations": stats.max_iterations,
            "unconverged": stats.unconverged,
            "points": stats.points,
            "last_points": stats.last_points,
            "patches": stats.patches,
            "faces": stats.faces,
            "speculative": stats.speculative,
            "passed": stats.passed,
            "last_patches": stats.last_patches,
            "last_faces": stats.last_faces,
            "max_penetration": stats.max_penetration,
            "friction_loss": stats.friction_loss,
            "normal_loss": stats.normal_loss,
            "energy_start": self.energy[0],
            "energy_end": self.energy[1],
            "wall_seconds": self.wall,
            "real_time_factor": self.rate(),
            "seconds": seconds,
            "trajectory_hash": format!("{:016x}", self.hash.value()),
            "qpos": state.q,
            "qvel": state.v,
            "html": self.file("html"),
            "mcap": self.file("mcap"),
            "csv": self.file("csv"),
            "warnings": self.warnings(),
        });
        // The macro takes no more keys.
        summary["friction_passes"] = json!(stats.friction_passes);
        summary["missed_equalities"] = json!(stats.missed_equalities);
        summary["max_gap"] = json!(stats.max_gap);
        summary["max_angle"] = json!(stats.max_angle);
        summary["held_back"] = json!(stats.held_back);
        summary["doubtful_patches"] = json!(stats.doubtful_patches);
        summary
    }
}

/// The method of a run, in words.
fn method_text(simulation: &Simulation) -> String {
    if simulation.contact_law().is_some() {
        return "a data-augmented law".into();
    }
    let options = simulation.options();
    match options.method {
        Method::Convex => contact_model_name(options.contact).into(),
        Method::Continuous(c) => format!("continuous time by {}", c.integrator.name()),
    }
}
