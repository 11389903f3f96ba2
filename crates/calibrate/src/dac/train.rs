//! A law from instances: friction of the plain model, then a classifier and a regressor for each kind of patch.

use super::instances::Instance;
use super::network::{self, FitOptions, Fitted, Task};
use nalgebra::{DMatrix, Vector3};
use rayon::prelude::*;
use serde::Serialize;
use stiction_base::random::{mix, unit};
use stiction_dac::{
    Class, Coulomb, DacLaw, Expert, Limits, Mlp, PatchKind, Scaling, Stick, Symmetry, Turn, coulomb,
    feature_count, features,
};

/// How to train a law.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainOptions {
    /// Symmetry of the floor.
    #[serde(skip)]
    pub symmetry: Symmetry,
    /// The classifiers.
    pub classifier: FitOptions,
    /// The regressors.
    pub regressor: FitOptions,
    /// Share of the tosses kept back for early stopping and the report.
    pub hold: f64,
    /// Instances below which a kind of patch gets no networks.
    pub fewest: usize,
    /// Whether slow contacts count less than impacts, by the root of their impulse.
    pub weigh: bool,
    /// Where the networks are trained.
    #[serde(skip)]
    pub device: Device,
}

/// Where networks are trained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// On the processor.
    #[default]
    Cpu,
    /// On an NVIDIA GPU; needs the feature `gpu`.
    Gpu,
}

impl Device {
    /// Whether this program and this machine have what it takes, as far as that is quick to say: to be asked before data
    /// are made for it.
    pub fn check(self) -> Result<(), TrainError> {
        match self {
            Self::Cpu => Ok(()),
            #[cfg(feature = "gpu")]
            Self::Gpu => super::gpu::libraries().map_err(|e| TrainError::Gpu(e.to_string())),
            #[cfg(not(feature = "gpu"))]
            Self::Gpu => {
                let what = "this program was built without the feature gpu: build it with --features gpu, or train without --gpu";
                Err(TrainError::Gpu(what.into()))
            }
        }
    }
}

impl TrainOptions {
    /// Networks that are large enough for the paper's cases, and small.
    pub fn new(symmetry: Symmetry, seed: u64) -> Self {
        let net = |hidden: &[usize], epochs| FitOptions {
            hidden: hidden.to_vec(),
            epochs,
            batch: 256,
            rate: 3e-3,
            patience: 12,
            seed,
        };
        Self {
            symmetry,
            classifier: net(&[48, 48], 40),
            regressor: net(&[96, 96], 60),
            hold: 0.1,
            fewest: 200,
            weigh: true,
            device: Device::Cpu,
        }
    }
}

/// How one kind of patch went. Errors are of tosses kept back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindReport {
    /// The kind.
    pub kind: &'static str,
    /// Instances: static, dynamic, detach.
    pub instances: [usize; 3],
    /// Share of classes that are right.
    pub accuracy: f64,
    /// Mean error of the friction impulse, over the size of the whole impulse, of dynamic instances.
    pub friction_error: f64,
    /// The same of plain Coulomb friction.
    pub coulomb_error: f64,
    /// Training of the classifier.
    pub classifier: Fitted,
    /// Training of the regressor.
    pub regressor: Fitted,
}

/// How training went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainReport {
    /// Friction of the plain model.
    pub friction: f64,
    /// By kind of patch.
    pub kinds: Vec<KindReport>,
    /// Wall time, s.
    pub seconds: f64,
}

/// Data that cannot be trained on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainError {
    /// Too little.
    #[error(
        "{0} contacts were found, {1} of one kind are needed: give more tosses, or a larger touch distance"
    )]
    TooFew(usize, usize),
    /// No GPU, or one that failed.
    #[error("{0}")]
    Gpu(String),
}

/// Progress of a training.
pub struct Progress<'a> {
    /// Such as "line classifier".
    pub network: &'a str,
    /// Passes over the data.
    pub epoch: usize,
    /// Passes at most.
    pub epochs: usize,
    /// Loss on the data kept back.
    pub loss: f64,
}

/// The friction coefficient with which plain Coulomb friction explains the impulses best.
pub fn fit_friction(instances: &[Instance]) -> f64 {
    let moving: Vec<&Instance> = instances.iter().filter(|i| i.class == Class::Dynamic).collect();
    let every = (moving.len() / 3000).max(1);
    let subset: Vec<&Instance> = moving.into_iter().step_by(every).collect();
    let misfit = |mu: f64| -> f64 {
        let each = subset.par_iter().map(|i| {
            let plain = coulomb(&i.patch, mu);
            (plain.wrench - i.wrench).norm() / i.wrench.norm().max(f64::MIN_POSITIVE)
        });
        // Collected first: a sum in parallel has no order of its own.
        each.collect::<Vec<_>>().iter().sum()
    };
    // Golden section over the logarithm, from a coarse look.
    let coarse: Vec<f64> = (0..14).map(|k| 0.05 * 1.35f64.powi(k)).collect();
    let values: Vec<f64> = coarse.iter().map(|mu| misfit(*mu)).collect();
    let best = (0..values.len()).min_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap_or(0);
    let (mut low, mut high) = (coarse[best.saturating_sub(1)], coarse[(best + 1).min(coarse.len() - 1)]);
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    for _ in 0..12 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if misfit(a) < misfit(b) { high = b } else { low = a }
    }
    0.5 * (low + high)
}

/// The inputs of one instance and what the networks should say.
struct Row {
    toss: usize,
    x: Vec<f64>,
    class: Class,
    plain: Vector3<f64>,
    ratio: Vector3<f64>,
    normal: f64,
    speed: f64,
}

fn row(instance: &Instance, friction: f64, symmetry: Symmetry) -> Row {
    let patch = &instance.patch;
    let stick = Stick::solve(patch);
    let plain: Coulomb = coulomb(patch, friction);
    let turn: Turn = symmetry.turn(&-plain.ratio.xy(), -plain.ratio.z);
    let mut x = Vec::new();
    features(patch, &stick, &plain, friction, &turn, &mut x);
    Row {
        toss: instance.toss,
        x,
        class: instance.class,
        plain: turn.friction(&plain.ratio),
        ratio: turn.friction(&instance.ratio()),
        normal: instance.wrench[5],
        speed: patch.twist.norm(),
    }
}

/// Whether a toss is kept back.
pub fn held(toss: usize, share: f64, seed: u64) -> bool {
    unit(mix(seed ^ 0xA11 ^ mix(toss as u64 + 1))) < share
}

/// Trains a law. `watch` is called from several threads.
pub fn train(
    instances: &[Instance],
    options: &TrainOptions,
    provenance: serde_json::Value,
    watch: &(dyn Fn(&Progress) + Sync),
) -> Result<(DacLaw, TrainReport), TrainError> {
    let trainer = Trainer::new(options.device)?;
    let start = std::time::Instant::now();
    let friction = fit_friction(instances);
    let jobs: Vec<Option<Job>> = PatchKind::ALL
        .iter()
        .map(|&kind| {
            let of_kind: Vec<&Instance> = instances.iter().filter(|i| i.patch.kind == kind).collect();
            (of_kind.len() >= options.fewest).then(|| {
                let rows = of_kind.par_iter().map(|i| row(i, friction, options.symmetry)).collect();
                Job::new(kind, rows, options)
            })
        })
        .collect();
    if jobs.iter().all(Option::is_none) {
        return Err(TrainError::TooFew(instances.len(), options.fewest));
    }
    // Six networks, the long ones first, on as many cores as there are.
    let mut tasks: Vec<(&Job, bool)> = jobs.iter().flatten().map(|j| (j, false)).collect();
    tasks.extend(jobs.iter().flatten().map(|j| (j, true)));
    let trained: Vec<(Mlp, Fitted)> = tasks
        .par_iter()
        .with_max_len(1)
        .map(|(job, classes)| {
            let (task, fitting) = if *classes {
                (&job.classes, &options.classifier)
            } else {
                (&job.friction, &options.regressor)
            };
            let name = format!("{} {}", job.kind.name(), if *classes { "classifier" } else { "regressor" });
            trainer.fit(task, fitting, |epoch, loss| {
                watch(&Progress { network: &name, epoch, epochs: fitting.epochs, loss });
            })
        })
        .collect::<Result<_, TrainError>>()?;
    let count = trained.len() / 2;
    let mut experts = [None, None, None];
    let mut kinds = Vec::new();
    for (k, job) in jobs.iter().flatten().enumerate() {
        let (regressor, classifier) = (&trained[k], &trained[count + k]);
        let expert = job.expert(classifier.0.clone(), regressor.0.clone());
        kinds.push(job.report(&expert, classifier.1, regressor.1));
        experts[job.kind as usize] = Some(expert);
    }
    let report = TrainReport { friction, kinds, seconds: start.elapsed().as_secs_f64() };
    let mut provenance = provenance;
    provenance["training"] = serde_json::json!(options);
    provenance["report"] = serde_json::json!({ "friction": report.friction, "kinds": report.kinds });
    Ok((DacLaw { friction, symmetry: options.symmetry, experts, provenance }, report))
}

/// What trains the networks.
enum Trainer {
    Cpu,
    #[cfg(feature = "gpu")]
    Gpu(super::gpu::Gpu),
}

impl Trainer {
    fn new(device: Device) -> Result<Self, TrainError> {
        #[cfg(feature = "gpu")]
        if device == Device::Gpu {
            return super::gpu::Gpu::new().map(Self::Gpu).map_err(|e| TrainError::Gpu(e.to_string()));
        }
        device.check().map(|()| Self::Cpu)
    }

    fn fit(
        &self,
        task: &Task,
        options: &FitOptions,
        progress: impl FnMut(usize, f64),
    ) -> Result<(Mlp, Fitted), TrainError> {
        match self {
            Self::Cpu => Ok(network::fit(task, options, progress)),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => gpu.fit(task, options, progress).map_err(|e| TrainError::Gpu(e.to_string())),
        }
    }
}

/// Friction ratios beyond this are noise of a normal impulse near zero.
const LARGEST_RATIO: f64 = 5.0;

/// Whether a regressor can learn from a row.
fn pressed(row: &Row) -> bool {
    row.class != Class::Detach && row.ratio.amax() <= LARGEST_RATIO
}

/// The two tasks of a kind of patch.
struct Job {
    kind: PatchKind,
    rows: Vec<Row>,
    inputs: Scaling,
    correction: Scaling,
    classes: Task,
    friction: Task,
}

impl Job {
    fn new(kind: PatchKind, rows: Vec<Row>, options: &TrainOptions) -> Self {
        let n = feature_count(kind);
        let inputs = scaling(n, rows.iter().map(|r| r.x.as_slice()));
        let outputs = kind.friction_count();
        let change = |r: &Row| r.ratio - r.plain;
        let pressed: Vec<&Row> = rows.iter().filter(|r| pressed(r)).collect();
        let changes: Vec<Vector3<f64>> = pressed.iter().map(|r| change(r)).collect();
        let correction = scaling(outputs, changes.iter().map(|c| &c.as_slice()[..outputs]));
        let seed = options.regressor.seed;
        let task = |rows: &[&Row], classes: bool| {
            let mut x = DMatrix::<f32>::zeros(n, rows.len());
            let mut y = DMatrix::<f32>::zeros(if classes { 3 } else { outputs }, rows.len());
            let mut weight = Vec::new();
            for (c, r) in rows.iter().enumerate() {
                let mut values = r.x.clone();
                inputs.normalise(&mut values);
                for (k, v) in values.iter().enumerate() {
                    x[(k, c)] = *v as f32;
                }
                if classes {
                    y[(r.class as usize, c)] = 1.0;
                    weight.push(1.0);
                    continue;
                }
                let d = change(r);
                for k in 0..outputs {
                    let scale = correction.scale[k];
                    y[(k, c)] = if scale > 0.0 { ((d[k] - correction.mean[k]) / scale) as f32 } else { 0.0 };
                }
                let impact = if options.weigh { (r.normal / 0.02).sqrt().clamp(0.5, 8.0) } else { 1.0 };
                weight.push(if r.class == Class::Static { 0.3 } else { impact as f32 });
            }
            let held = rows.iter().map(|r| held(r.toss, options.hold, seed)).collect();
            Task { x, y, weight, held, classes }
        };
        let all: Vec<&Row> = rows.iter().collect();
        let (classes, friction) = (task(&all, true), task(&pressed, false));
        Self { kind, inputs, correction, classes, friction, rows }
    }

    fn expert(&self, classifier: Mlp, regressor: Mlp) -> Expert {
        let outputs = self.kind.friction_count();
        let seen = limits(feature_count(self.kind), self.rows.iter().map(|r| r.x.as_slice()));
        let ratios: Vec<Vector3<f64>> = self.rows.iter().filter(|r| pressed(r)).map(|r| r.ratio).collect();
        let speeds = limits(1, self.rows.iter().map(|r| std::slice::from_ref(&r.speed)));
        Expert {
            inputs: self.inputs.clone(),
            seen,
            speeds: (speeds.low[0], speeds.high[0]),
            classifier,
            regressor,
            correction: self.correction.clone(),
            ratios: limits(outputs, ratios.iter().map(|r| &r.as_slice()[..outputs])),
        }
    }

    fn report(&self, expert: &Expert, classifier: Fitted, regressor: Fitted) -> KindReport {
        let outputs = self.kind.friction_count();
        let mut instances = [0; 3];
        let (mut right, mut seen) = (0, 0);
        let (mut off, mut plain_off, mut moving) = (0.0, 0.0, 0);
        for (c, r) in self.rows.iter().enumerate() {
            instances[r.class as usize] += 1;
            if !self.classes.held[c] {
                continue;
            }
            let mut x = r.x.clone();
            self.inputs.normalise(&mut x);
            seen += 1;
            let scores = expert.classifier.evaluate(&x);
            let best = (1..3).fold(0, |b, k| if scores[k] > scores[b] { k } else { b });
            right += usize::from(best == r.class as usize);
            if r.class == Class::Dynamic && pressed(r) {
                let y = expert.regressor.evaluate(&x);
                let mut ratio = r.plain;
                for k in 0..outputs {
                    ratio[k] += expert.correction.mean[k] + expert.correction.scale[k] * y[k];
                    ratio[k] = ratio[k].clamp(expert.ratios.low[k], expert.ratios.high[k]);
                }
                let size = (1.0 + r.ratio.norm_squared()).sqrt();
                off += (ratio - r.ratio).norm() / size;
                plain_off += (r.plain - r.ratio).norm() / size;
                moving += 1;
            }
        }
        let share = |a: f64, b: usize| if b == 0 { f64::NAN } else { a / b as f64 };
        KindReport {
            kind: self.kind.name(),
            instances,
            accuracy: share(right as f64, seen),
            friction_error: share(off, moving),
            coulomb_error: share(plain_off, moving),
            classifier,
            regressor,
        }
    }
}

/// Mean and deviation of each component; a deviation that is only rounding is none.
pub(crate) fn scaling<'a>(n: usize, rows: impl Iterator<Item = &'a [f64]> + Clone) -> Scaling {
    let count = rows.clone().count().max(1) as f64;
    let mut mean = vec![0.0; n];
    for r in rows.clone() {
        mean.iter_mut().zip(r).for_each(|(m, x)| *m += x / count);
    }
    let mut scale = vec![0.0; n];
    for r in rows {
        for k in 0..n {
            scale[k] += (r[k] - mean[k]).powi(2) / count;
        }
    }
    for (s, m) in scale.iter_mut().zip(&mean) {
        *s = s.sqrt();
        if *s <= 1e-7 * (1.0 + m.abs()) {
            *s = 0.0;
        }
    }
    Scaling { mean, scale }
}

fn limits<'a>(n: usize, rows: impl Iterator<Item = &'a [f64]>) -> Limits {
    let (mut low, mut high) = (vec![f64::INFINITY; n], vec![f64::NEG_INFINITY; n]);
    for r in rows {
        for k in 0..n {
            low[k] = low[k].min(r[k]);
            high[k] = high[k].max(r[k]);
        }
    }
    if low.iter().any(|x| !x.is_finite()) {
        (low, high) = (vec![0.0; n], vec![0.0; n]);
    }
    Limits { low, high }
}
