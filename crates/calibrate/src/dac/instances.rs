//! What touched and which impulse came of it: from ground truth, or from recorded samples.

use super::body::TossBody;
use super::cases::Case;
use super::reference::class;
use super::stepper::{Contact, Stepper};
use crate::dataset::{Dataset, Header, Toss};
use nalgebra::{UnitQuaternion, Vector3, Vector6};
use rayon::prelude::*;
use stiction_base::random::mix;
use stiction_dac::{Class, LawError, Patch};

/// One contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Which toss it is from.
    pub toss: usize,
    /// What touches, with q̇⁽¹⁾.
    pub patch: Patch,
    /// Axes of the body.
    pub rotation: UnitQuaternion<f64>,
    /// Impulse at the centre of the patch, over the mass: [τ / L; f] / m, patch axes, m/s.
    pub wrench: Vector6<f64>,
    /// What the patch did.
    pub class: Class,
}

impl Instance {
    /// Friction (p₁, p₂, m_n / L) for each unit of normal impulse.
    pub fn ratio(&self) -> Vector3<f64> {
        let w = &self.wrench;
        if w[5] > 0.0 { Vector3::new(w[3], w[4], w[2]) / w[5] } else { Vector3::zeros() }
    }
}

/// Steps of a toss; it ends before if the body has come to rest.
pub const STEPS: usize = 800;

/// Tosses by a law, up to rest or `steps`.
pub fn collect(
    case: &Case,
    law: &dyn Contact,
    tosses: usize,
    steps: usize,
    seed: u64,
) -> Result<Dataset, LawError> {
    let stepper = Stepper::default();
    let tosses: Result<Vec<Toss>, LawError> = (0..tosses)
        .into_par_iter()
        .map(|number| {
            let mut motion = case.start(number as u64, seed);
            let mut samples = vec![case.body.sample(0.0, &motion)];
            let mut still = 0;
            for k in 1..=steps {
                let touch = stepper.step(&case.body, &mut motion, law)?;
                samples.push(case.body.sample(k as f64 * stepper.step, &motion));
                still = if touch.is_some() && at_rest(&motion) { still + 1 } else { 0 };
                if still > 5 {
                    break;
                }
            }
            Ok(Toss { number, samples })
        })
        .collect();
    let mut header = Header::new(case.name, 7, 6);
    header.source = format!("stiction learn collect {} --seed {seed}", case.name);
    header.notes = serde_json::json!({
        "body": case.body, "ranges": case.ranges, "friction": case.reference.friction, "step": stepper.step,
        "touch": stepper.touch, "seed": seed,
    });
    Ok(Dataset { header, tosses: tosses?, extra: Default::default() })
}

/// Whether a body stands still, but for what a step of rounding leaves.
pub fn at_rest(motion: &super::body::Motion) -> bool {
    motion.linear.norm() < 1e-4 && motion.spin.norm() < 1e-3
}

/// The contacts in recorded tosses. The impulse is what free motion does not explain: p = M (q̇_{t+1} − q̇⁽¹⁾) (DAC 3.4).
/// Of slow contacts, which are many and alike, one in `thin` is kept. `noise` is the speed (m/s) below which a recorded
/// patch stands; 0 for simulated ones.
pub fn instances(
    body: &TossBody,
    tosses: &[&Toss],
    stepper: &Stepper,
    thin: u64,
    noise: f64,
) -> Result<Vec<Instance>, LawError> {
    let all: Result<Vec<Vec<Instance>>, LawError> = tosses
        .par_iter()
        .map(|toss| {
            let mut found = Vec::new();
            for (k, pair) in toss.samples.windows(2).enumerate() {
                let (now, next) = (body.motion(&pair[0]), body.motion(&pair[1]));
                let h = pair[1].time - pair[0].time;
                let stepper = Stepper { step: h, ..*stepper };
                let Some((_, patch)) = stepper.patch(body, &now)? else { continue };
                let free = body.free(&now, h);
                let mut change = Vector6::zeros();
                let (spin, linear) = (free.twist.fixed_rows::<3>(0), free.twist.fixed_rows::<3>(3));
                change.fixed_rows_mut::<3>(0).copy_from(&(free.inertia_w * (next.spin - spin)));
                change.fixed_rows_mut::<3>(3).copy_from(&((next.linear - linear) * body.mass));
                let wrench = patch.wrench_local(&change);
                let slow = wrench[5] < 3.0 * super::body::GRAVITY * h;
                if slow && !mix(((toss.number as u64) << 20) ^ k as u64).is_multiple_of(thin.max(1)) {
                    continue;
                }
                let class = class(&patch, &wrench, noise);
                found.push(Instance { toss: toss.number, patch, rotation: now.rotation, wrench, class });
            }
            Ok(found)
        })
        .collect();
    Ok(all?.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dac::stepper::Scene;
    use crate::dac::train::{TrainOptions, train};

    #[test]
    fn impulses_are_recovered_from_recorded_motion() {
        for name in ["box", "prism", "box-2d"] {
            let case = Case::named(name).unwrap();
            let data = collect(&case, &case.reference, 6, STEPS, 5).unwrap();
            let stepper = Stepper::default();
            let (mut count, mut other, mut left) = (0, 0, 0);
            for toss in &data.tosses {
                let found = instances(&case.body, &[toss], &stepper, 1, 0.0).unwrap();
                count += found.len();
                for i in found {
                    let motion = crate::dac::Motion {
                        com: Vector3::zeros(),
                        rotation: i.rotation,
                        linear: Vector3::zeros(),
                        spin: Vector3::zeros(),
                    };
                    let scene = Scene { body: &case.body, motion: &motion, patch: &i.patch };
                    let truth = case.reference.impulse(&scene).unwrap();
                    let off = (i.patch.wrench_local(&truth.wrench) - i.wrench).norm();
                    other += usize::from(off > 1e-6 * (i.wrench.norm() + i.patch.twist.norm()));
                    // The pyramid: a resultant does not leave it.
                    let slack = 1e-6 * (i.wrench.norm() + i.patch.twist.norm());
                    left += usize::from(i.wrench[3].abs() > 0.4 * i.wrench[5] + slack);
                }
                let out_of_plane = toss.samples.iter().map(|s| s.q[1].abs()).fold(0.0, f64::max);
                assert!(name != "box-2d" || out_of_plane < 1e-9, "a planar body leaves its plane");
            }
            assert!(count > 100, "{name}: {count}");
            // A friction problem may have several solutions, and the last bit of a pose can decide between them.
            println!("{name}: of {count} impulses {other} differ and {left} leave the pyramid");
            assert!(other * 100 <= count, "{name}: {other} of {count} impulses differ");
            assert!(left * 200 <= count, "{name}: {left} of {count} impulses leave the pyramid");
        }
    }

    #[test]
    fn the_reference_slides_as_far_as_coulomb_says() {
        let case = Case::named("box").unwrap();
        let mut motion = case.start(0, 0);
        motion.rotation = UnitQuaternion::identity();
        motion.com = Vector3::new(0.0, 0.0, 0.06);
        motion.linear = Vector3::new(1.0, 0.0, 0.0);
        motion.spin = Vector3::zeros();
        for _ in 0..400 {
            Stepper::default().step(&case.body, &mut motion, &case.reference).unwrap();
        }
        let expected = 1.0 / (2.0 * 0.4 * super::super::body::GRAVITY);
        assert!((motion.com.x - expected).abs() < 1.5e-3, "{} against {expected}", motion.com.x);
        assert!(at_rest(&motion));
    }

    #[test]
    fn a_law_learns_from_few_tosses_and_training_is_a_function_of_its_seed() {
        let case = Case::named("box").unwrap();
        let data = collect(&case, &case.reference, 60, STEPS, 3).unwrap();
        let tosses: Vec<&Toss> = data.tosses.iter().collect();
        let found = instances(&case.body, &tosses, &Stepper::default(), 4, 0.0).unwrap();
        let mut options = TrainOptions::new(case.symmetry, 1);
        (options.regressor.epochs, options.classifier.epochs) = (12, 8);
        options.regressor.hidden = vec![32, 32];
        let (law, report) = train(&found, &options, serde_json::json!({}), &|_| {}).unwrap();
        for k in &report.kinds {
            assert!(k.accuracy > 0.85, "{k:?}");
            assert!(k.friction_error < k.coulomb_error, "{k:?}");
        }
        let (again, _) = train(&found, &options, serde_json::json!({}), &|_| {}).unwrap();
        assert!(again == law);
        assert!(train(&found[..5], &options, serde_json::json!({}), &|_| {}).is_err());
    }
}
