//! Poisson's restitution for simultaneous impacts, contact by contact.
//!
//! A solution of the inclusion is the compression; it spends the normal impulse P_c at contact c. Restitution then adds e_c P_c to each, all at once in
//! that proportion, with friction by the same law. Contacts that approach after it are stopped without restitution. A single contact has Poisson's law
//! of Routh's method.
//!
//! With several contacts Poisson's law alone can create energy: a contact that has separated is pushed on. Restitution therefore ends where the kinetic
//! energy reaches that before the impact, which the result says.

use crate::error::ImpactError;
use crate::outcomes::Outcomes;
use crate::path::{Advance, Path};

/// Steps of the restitution of one outcome at most.
const STEPS: usize = 2_000;

/// Outcomes with restitution, in the order of the set.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounces {
    /// Velocities after, nv an outcome; of outcomes that could not be followed, those without restitution.
    pub velocities: Vec<f64>,
    /// Impulses of compression and restitution together, [t1 t2 n] for each of the instant's contacts, N s.
    pub impulses: Vec<f64>,
    /// Outcomes whose restitution was cut short so that no energy is created.
    pub shortened: Vec<usize>,
    /// Outcomes whose restitution could not be followed to its end.
    pub dropped: Vec<usize>,
}

impl Outcomes {
    /// The set with coefficients of restitution `e` from 0 to 1, one for each contact of the problem (after merging, see
    /// [`crate::Problem::groups`]).
    pub fn bounce(&self, e: &[f64]) -> Result<Bounces, ImpactError> {
        let problem = &self.problem;
        if e.len() != problem.contacts() {
            let allowed = "as many as the problem has contacts";
            return Err(ImpactError::Option {
                option: "number of restitutions",
                value: e.len() as f64,
                allowed,
            });
        }
        if let Some(&value) = e.iter().find(|e| !(0.0..=1.0).contains(*e)) {
            return Err(ImpactError::Option {
                option: "restitution",
                value,
                allowed: "a number from 0 to 1",
            });
        }
        let mut all = Bounces {
            velocities: self.velocities.clone(),
            impulses: self.impulses.clone(),
            shortened: Vec::new(),
            dropped: Vec::new(),
        };
        let mut path = Path::new(problem, self.options.tolerance);
        let n = problem.rows();
        for i in 0..self.len() {
            let mut total = self.scaled[i * n..(i + 1) * n].to_vec();
            match follow(&mut path, e, &mut total) {
                Some(shortened) => {
                    if shortened {
                        all.shortened.push(i);
                    }
                    let (from, to) = (i * 3 * self.contacts, (i + 1) * 3 * self.contacts);
                    problem.expand(&total, &mut all.impulses[from..to]);
                    let impulse = &all.impulses[from..to];
                    problem.velocity_after(impulse, &mut all.velocities[i * self.nv..(i + 1) * self.nv]);
                }
                None => all.dropped.push(i),
            }
        }
        Ok(all)
    }
}

/// Adds the restitution to the compression `total`; whether it was cut short, or none if it could not be followed.
fn follow(path: &mut Path, e: &[f64], total: &mut [f64]) -> Option<bool> {
    let problem = path.problem;
    let (m, n, side, t) = (problem.contacts(), problem.rows(), problem.side(), problem.tangents);
    path.reset();
    apply(problem, total, &mut path.u);
    // Energy that compression took, in scaled units: the work Λ·(u + u⁺)/2.
    let mut left: f64 =
        -total.iter().zip(problem.u.iter().zip(&path.u)).map(|(l, (a, b))| 0.5 * l * (a + b)).sum::<f64>();
    let wanted: Vec<f64> = (0..m).map(|c| e[c] * total[c * side + t]).collect();
    let largest = wanted.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return Some(false);
    }
    let caps: Vec<f64> = wanted.iter().map(|w| w / largest).collect();
    let (mut rest, mut shortened) = (largest, false);
    path.forced = true;
    let mut steps = 0;
    while rest > 1e-13 * largest && !shortened {
        let before = path.u.clone();
        let Advance::By(h) = path.advance(&caps, rest) else {
            path.forced = false;
            return None;
        };
        rest -= h;
        steps += 1;
        if steps > STEPS {
            path.forced = false;
            return None;
        }
        // Gain over a share f of the step: f s·u + f² s·Ws/2.
        let (mut linear, mut change) = (0.0, 0.0);
        for k in 0..n {
            linear += path.step[k] * before[k];
            change += 0.5 * path.step[k] * (path.u[k] - before[k]);
        }
        let mut share = 1.0;
        if linear + change > left {
            // The root of change f² + linear f = left in [0, 1], without cancellation.
            let root = (linear * linear + 4.0 * change * left).max(0.0).sqrt();
            let below = linear + root;
            share = if below > 0.0 { (2.0 * left / below).clamp(0.0, 1.0) } else { 0.0 };
            shortened = true;
            for (u, b) in path.u.iter_mut().zip(&before) {
                *u = b + share * (*u - b);
            }
        }
        left -= share * linear + share * share * change;
        for (total, s) in total.iter_mut().zip(&path.step) {
            *total += share * s;
        }
    }
    path.forced = false;
    // What approaches now is stopped.
    let caps = vec![1.0; m];
    for _ in 0..STEPS {
        if path.finished() {
            return Some(shortened);
        }
        let Advance::By(_) = path.advance(&caps, f64::INFINITY) else { return None };
        for (total, s) in total.iter_mut().zip(&path.step) {
            *total += s;
        }
    }
    None
}

fn apply(problem: &crate::Problem, impulse: &[f64], u: &mut [f64]) {
    let n = problem.rows();
    for (k, l) in impulse.iter().enumerate() {
        for (u, w) in u.iter_mut().zip(&problem.w[k * n..(k + 1) * n]) {
            *u += l * w;
        }
    }
}
