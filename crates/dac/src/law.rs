//! Algorithm 1: the class of a patch, its friction, and the normal solve that has the last word.

use crate::constraint::{Normal, Stick, slips};
use crate::coulomb::coulomb;
use crate::error::LawError;
use crate::features::{feature_names, features};
use crate::mlp::Mlp;
use crate::patch::{Patch, PatchKind};
use crate::symmetry::Symmetry;
use nalgebra::{DVector, Vector3, Vector6};
use stiction_base::mutation::is;

/// What a patch does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It stays where it is.
    Static,
    /// It slips, turns or loses part of itself.
    Dynamic,
    /// It leaves the surface.
    Detach,
}

impl Class {
    /// In the order of a classifier's outputs.
    pub const ALL: [Self; 3] = [Self::Static, Self::Dynamic, Self::Detach];

    /// In reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Dynamic => "dynamic",
            Self::Detach => "detach",
        }
    }
}

/// How inputs or outputs were normalised: (x − mean) / scale; a scale of zero means that x never varied.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// Mean of the training data.
    pub mean: Vec<f64>,
    /// Deviation of the training data.
    pub scale: Vec<f64>,
}

/// Smallest and largest value in the training data.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Smallest.
    pub low: Vec<f64>,
    /// Largest.
    pub high: Vec<f64>,
}

/// The networks for one kind of patch.
#[derive(Clone, Debug, PartialEq)]
pub struct Expert {
    /// Normalisation of the inputs.
    pub inputs: Scaling,
    /// Inputs seen in training.
    pub seen: Limits,
    /// Speeds seen in training, m/s: smallest and largest.
    pub speeds: (f64, f64),
    /// Scores of [`Class::ALL`].
    pub classifier: Mlp,
    /// What to add to Coulomb's friction ratio (p₁, p₂, m_n / L) / p_n.
    pub regressor: Mlp,
    /// Normalisation of that correction.
    pub correction: Scaling,
    /// Friction ratios seen in training; predictions are kept within.
    pub ratios: Limits,
}

/// A learned contact law.
#[derive(Clone, Debug, PartialEq)]
pub struct DacLaw {
    /// Friction of the plain model that the networks correct.
    pub friction: f64,
    /// Symmetries of the floor.
    pub symmetry: Symmetry,
    /// Networks by [`PatchKind::ALL`]; a kind without networks gets plain Coulomb friction.
    pub experts: [Option<Expert>; 3],
    /// Where it comes from: data, command, seeds, scores. A JSON object.
    pub provenance: serde_json::Value,
}

/// A state the training data did not cover.
#[derive(Clone, Debug, PartialEq)]
pub struct Outside {
    /// What is outside.
    pub what: String,
    /// Its value.
    pub value: f64,
    /// The training range.
    pub range: (f64, f64),
}

/// What the law says about a patch.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What the classifier said.
    pub predicted: Class,
    /// What was done: differs from `predicted` where that would have broken physics.
    pub class: Class,
    /// Contact impulse on the body, [torque about the centre of mass; force], world, N m s and N s.
    pub wrench: Vector6<f64>,
    /// Normal impulse at every point, N s.
    pub loads: Vec<f64>,
    /// Friction (p₁, p₂ in N s, m_n about the patch's centre in N m s) along the patch's axes.
    pub friction: Vector3<f64>,
    /// Share of the predicted friction that could be given (see [`Normal::share`]).
    pub share: f64,
    /// The first quantity out of its training range, if any.
    pub outside: Option<Outside>,
}

/// How far past the training range a value may lie, as a share of the range.
const GRACE: f64 = 0.05;
/// Speed of a patch, relative to the speeds before, below which it stands.
const STANDS: f64 = 1e-7;

impl DacLaw {
    /// Plain Coulomb friction, without networks: the baseline.
    pub fn coulomb(friction: f64) -> Self {
        let provenance = serde_json::json!({ "model": "isotropic Coulomb friction" });
        Self { friction, symmetry: Symmetry::Round, experts: [None, None, None], provenance }
    }

    /// Algorithm 1. Fails only for input that is not finite.
    pub fn contact(&self, patch: &Patch) -> Result<Answer, LawError> {
        let stick = Stick::solve(patch);
        let plain = coulomb(patch, self.friction);
        let Some(expert) = &self.experts[patch.kind as usize] else {
            return self.without_expert(patch, &plain);
        };
        let turn = self.symmetry.turn(&-plain.ratio.xy(), -plain.ratio.z);
        let mut x = Vec::new();
        features(patch, &stick, &plain, self.friction, &turn, &mut x);
        let outside = expert.outside(patch, &x);
        expert.inputs.normalise(&mut x);
        let predicted = expert.class(&x); // line 2

        let answer = |class, normal: &Normal| Answer::new(patch, predicted, class, normal, outside.clone());
        // Line 12: detach. Where nothing approaches nothing is needed, whatever the class.
        if approach(patch) <= 0.0 {
            return Ok(answer(Class::Detach, &nothing(patch)));
        }
        // Line 3: static, if it needs no pull anywhere, for then the normal problem under the same friction stands too,
        // and no more friction for its normal impulse than was ever seen.
        if predicted == Class::Static
            && expert.holds(&turn.friction(&stick.friction), stick.normal)
            && let Some(normal) = standing(patch, &stick)?
        {
            return Ok(answer(Class::Static, &normal));
        }
        // Lines 7 to 11, and everything that fell through.
        let ratio = expert.ratio(&x, &turn.friction(&plain.ratio));
        let normal = Normal::solve(patch, &turn.friction_back(&ratio), &Vector3::zeros())?;
        Ok(answer(moving(&normal), &normal))
    }

    fn without_expert(&self, patch: &Patch, plain: &crate::coulomb::Coulomb) -> Result<Answer, LawError> {
        let trained = self.experts.iter().any(Option::is_some);
        let outside = trained.then(|| Outside {
            what: format!("a patch that is a {}, of which the law has seen none", patch.kind.name()),
            value: 1.0,
            range: (0.0, 0.0),
        });
        // Where Coulomb's law holds the patch, sticking is solved without the sweeps' rounding.
        if plain.normal > 0.0
            && slips(patch, &plain.twist) <= 1e-5 * patch.twist.norm()
            && let Some(normal) = standing(patch, &Stick::solve(patch))?
        {
            return Ok(Answer::new(patch, Class::Static, Class::Static, &normal, outside));
        }
        let normal = Normal::solve(patch, &plain.ratio, &Vector3::zeros())?;
        let class = moving(&normal);
        Ok(Answer::new(patch, class, class, &normal, outside))
    }
}

impl Answer {
    pub(crate) fn new(
        patch: &Patch,
        predicted: Class,
        class: Class,
        normal: &Normal,
        outside: Option<Outside>,
    ) -> Self {
        let f = normal.friction;
        Self {
            predicted,
            class,
            wrench: patch.wrench_w(&normal.wrench),
            loads: normal.loads.iter().map(|l| l * patch.mass).collect(),
            friction: Vector3::new(f.x, f.y, f.z * patch.length) * patch.mass,
            share: normal.share,
            outside,
        }
    }
}

/// What a patch that does not stick does under its impulses.
pub(crate) fn moving(normal: &Normal) -> Class {
    if normal.loads.iter().all(|l| *l == 0.0) { Class::Detach } else { Class::Dynamic }
}

/// The answer of sticking, if no point has to pull for it.
pub(crate) fn standing(patch: &Patch, stick: &Stick) -> Result<Option<Normal>, LawError> {
    if stick.normal <= 0.0 {
        return Ok(None);
    }
    let normal = Normal::solve(patch, &Vector3::zeros(), &stick.friction)?;
    let stands = slips(patch, &normal.twist) <= STANDS * patch.twist.norm();
    Ok((stands && normal.loads.sum() > 0.0).then_some(normal))
}

/// The largest speed at which a point approaches, m/s; not positive if none does.
fn approach(patch: &Patch) -> f64 {
    (0..patch.len()).map(|i| -(patch.row(i) * patch.twist).z).fold(f64::NEG_INFINITY, f64::max)
}

fn nothing(patch: &Patch) -> Normal {
    Normal {
        loads: DVector::zeros(patch.len()),
        friction: Vector3::zeros(),
        wrench: Vector6::zeros(),
        twist: patch.twist,
        share: 1.0,
    }
}

impl Scaling {
    /// Normalises `x` in place.
    pub fn normalise(&self, x: &mut [f64]) {
        for ((x, mean), scale) in x.iter_mut().zip(&self.mean).zip(&self.scale) {
            *x = if *scale > 0.0 { ((*x - mean) / scale).clamp(-10.0, 10.0) } else { 0.0 };
        }
    }
}

impl Expert {
    fn class(&self, x: &[f64]) -> Class {
        let scores = self.classifier.evaluate(x);
        let best = (1..scores.len()).fold(0, |best, k| if scores[k] > scores[best] { k } else { best });
        match () {
            () if is("classifier-constant") => Class::Static,
            () if is("classifier-sliding") => Class::Dynamic,
            () => Class::ALL[best],
        }
    }

    /// The friction ratio, Coulomb's plus the correction, within what training has seen.
    fn ratio(&self, x: &[f64], plain: &Vector3<f64>) -> Vector3<f64> {
        let y = self.regressor.evaluate(x);
        Vector3::from_fn(|k, _| {
            if k >= y.len() {
                return 0.0; // a point carries no torque
            }
            let scale = self.correction.scale[k];
            let change =
                if scale > 0.0 { self.correction.mean[k] + scale * y[k] } else { self.correction.mean[k] };
            let change = if is("regressor-off") { 0.0 } else { change };
            let ratio = (plain[k] + change).clamp(self.ratios.low[k], self.ratios.high[k]);
            if is("regressor-half") { 0.5 * ratio } else { ratio }
        })
    }

    /// Whether friction `f` with the normal impulse `normal` is within the ratios seen in training.
    fn holds(&self, f: &Vector3<f64>, normal: f64) -> bool {
        (0..self.ratios.low.len()).all(|k| {
            let (low, high) = (self.ratios.low[k], self.ratios.high[k]);
            let slack = GRACE * (high - low) + 1e-9;
            f[k] >= (low - slack) * normal && f[k] <= (high + slack) * normal
        })
    }

    fn outside(&self, patch: &Patch, x: &[f64]) -> Option<Outside> {
        let speed = patch.twist.norm();
        if speed > self.speeds.1 * (1.0 + GRACE) {
            return Some(Outside { what: "speed, m/s".into(), value: speed, range: self.speeds });
        }
        let beyond = (0..x.len()).find(|&k| {
            let (low, high) = (self.seen.low[k], self.seen.high[k]);
            let slack = GRACE * (high - low) + 1e-6;
            x[k] < low - slack || x[k] > high + slack
        })?;
        let what = feature_names(patch.kind).swap_remove(beyond);
        Some(Outside { what, value: x[beyond], range: (self.seen.low[beyond], self.seen.high[beyond]) })
    }
}

impl PatchKind {
    /// Number of friction components such a patch carries.
    pub fn friction_count(self) -> usize {
        if self == Self::Point { 2 } else { 3 }
    }
}
