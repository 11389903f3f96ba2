//! `stiction bench stages`: where the time of a step goes, and how far that is from what the core can do.

use super::Measured;
use crate::failure::Failure;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Instant;
use stiction::convex::{block_rate, peak_rate};
use stiction::{Model, Options, Simulation, Stats};
use stiction_viewer::{RecordOptions, Recorder};

/// Scenes shown when none is named: a pile of points, a pile of patches, a robot, a gripper.
const CHOICE: [&str; 4] = ["clutter", "soft_pile", "humanoid", "gripper"];
/// Simulated seconds of a run.
const DURATION: f64 = 3.0;

/// A stage's name, seconds, and floating-point operations where they are counted.
type Stage = (&'static str, f64, Option<f64>);

/// One scene's time by stages.
struct Shares {
    scene: String,
    /// The stages of a step, and what recording takes of the simulation's thread.
    stages: Vec<Stage>,
    stats: Stats,
}

impl Shares {
    /// All stages together, s.
    fn total(&self) -> f64 {
        self.stages.iter().map(|(_, seconds, _)| seconds).sum()
    }

    /// The least that each stage took in this run and another. All runs do the same; what else happens on the machine only
    /// adds.
    fn least(mut self, other: Self) -> Self {
        for (stage, other) in self.stages.iter_mut().zip(other.stages) {
            stage.1 = stage.1.min(other.1);
        }
        self
    }
}

/// Rates of the core's yardsticks, floating-point operations a second.
struct Core {
    peak: f64,
    block: f64,
}

/// Profiles `scene`, or a choice; the smallest time of each stage over `repeat` runs is reported.
pub fn stages(scene: Option<&str>, repeat: usize) -> Result<Measured, Failure> {
    let names: Vec<&str> = scene.map_or(CHOICE.to_vec(), |name| vec![name]);
    let core = Core { peak: peak_rate(), block: block_rate() };
    let mut all = Vec::new();
    for name in names {
        let runs: Result<Vec<Shares>, Failure> = (0..repeat).map(|_| profiled(name)).collect();
        all.extend(runs?.into_iter().reduce(Shares::least));
    }
    let (mut text, mut rows) = (head(&core, repeat), Vec::new());
    for shares in &all {
        text.push_str(&table(shares, &core));
        rows.push(as_json(shares));
    }
    let rows = json!({
        "peak_flops_per_s": core.peak, "block_kernel_flops_per_s": core.block, "scenes": rows,
    });
    Ok(Measured { rows, text, figure: None })
}

/// One run with the clocks of all stages on, recorded as `stiction run --out` does.
fn profiled(scene: &str) -> Result<Shares, Failure> {
    let model = Model::from_scene(scene).map_err(Failure::input)?;
    let options = Options::for_model(&model);
    let mut simulation = Simulation::new(&model, options).map_err(Failure::input)?;
    simulation.set_profiling(true);
    let folder = std::env::temp_dir().join(format!("stiction-stages-{}", std::process::id()));
    std::fs::create_dir_all(&folder)
        .map_err(|e| Failure::work(format!("cannot create {}: {e}", folder.display())))?;
    let recorded = record(&mut simulation, scene, &folder);
    let _ = std::fs::remove_dir_all(&folder);
    let recording = recorded?;
    let stages = simulation.profile().map(|p| p.named().to_vec()).unwrap_or_default();
    let stages = stages.into_iter().chain([("recording", recording, None)]).collect();
    Ok(Shares { scene: scene.into(), stages, stats: *simulation.stats() })
}

/// Runs to the end and returns the seconds spent on handing over frames.
fn record(simulation: &mut Simulation, scene: &str, folder: &std::path::Path) -> Result<f64, Failure> {
    let file = folder.join(format!("{scene}.html"));
    let created = Recorder::create(simulation, scene, &[file], &RecordOptions::default());
    let mut recorder = created.map_err(Failure::work)?;
    let mut seconds = 0.0;
    while simulation.step_towards(DURATION).map_err(Failure::work)? {
        let clock = Instant::now();
        recorder.observe(simulation).map_err(Failure::work)?;
        seconds += clock.elapsed().as_secs_f64();
    }
    recorder.finish(Some(simulation)).map_err(Failure::work)?;
    Ok(seconds)
}

fn head(core: &Core, repeat: usize) -> String {
    format!(
        "# Where the time goes\n\n\
         Written by `stiction bench stages --out docs/benchmarks` (`stiction bench stages SCENE` prints one scene). {DURATION} s of \
         each scene with its own step, Lagged, one thread, recorded at 60 frames a second; of {repeat} runs, which all do the same, the least of \
         each stage. The clocks of the stages \
         are on, which costs some 2 % of a small scene; a run without them reads none.\n\n\
         How far a stage is from the machine's limit is estimated from its floating-point operations, counted from the sizes of \
         what it works on, against two yardsticks measured just before on the same core, both in the first cache: \
         independent multiply-adds reach {:.1} GFLOP/s, and the factorisation's own kernel, C −= A Bᵀ on 6×6 blocks, {:.1} \
         GFLOP/s. What keeps the stages of a solve below them is not memory, which the caches hold, but short loops, dependent operations \
         (pivots, sums along a line) and divisions and square roots, which count as one operation and take \
         several.\n\n\
         Machine: {}\n\n",
        1e-9 * core.peak,
        1e-9 * core.block,
        machine()
    )
}

fn table(shares: &Shares, core: &Core) -> String {
    let Shares { scene, stages, stats } = shares;
    let (steps, total) = (stats.steps.max(1) as f64, shares.total());
    let mut text = format!(
        "## {scene}\n\n{:.1} µs a step: {:.1} contact points, {:.1} faces, {:.1} Newton iterations, {:.1} \
         evaluations in line searches.\n\n\
         | stage | µs a step | share | GFLOP/s | of the peak | of the 6×6 kernel |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n",
        1e6 * total / steps,
        stats.points as f64 / steps,
        stats.faces as f64 / steps,
        stats.iterations as f64 / steps,
        stats.line_search_evaluations as f64 / steps,
    );
    for &(name, seconds, flops) in stages {
        let _ = write!(text, "| {name} | {:.2} | {:.1} % |", 1e6 * seconds / steps, 100.0 * seconds / total);
        let _ = match flops.filter(|f| *f > 0.0 && seconds > 0.0).map(|f| f / seconds) {
            None => writeln!(text, " | | |"),
            Some(rate) => writeln!(
                text,
                " {:.2} | {:.0} % | {:.0} % |",
                1e-9 * rate,
                100.0 * rate / core.peak,
                100.0 * rate / core.block
            ),
        };
    }
    text.push('\n');
    text
}

fn as_json(shares: &Shares) -> Value {
    let steps = shares.stats.steps.max(1) as f64;
    let stages: Vec<Value> = shares
        .stages
        .iter()
        .map(|(name, seconds, flops)| json!({ "stage": name, "seconds_a_step": seconds / steps, "flops_a_step": flops.map(|f| f / steps) }))
        .collect();
    json!({ "scene": shares.scene, "steps": shares.stats.steps, "stages": stages })
}

/// Processor and system, on systems that report them.
fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpu.lines().find_map(|l| l.strip_prefix("model name")?.split_once(':')).map(|(_, n)| n.trim());
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().map_or(String::new(), |l| format!(", load {l}"));
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{}, {cores} cores, {os} {arch}{load}", name.unwrap_or("unknown processor"))
}
