//! ICF Fig. 14–18: forty objects fall into a box; how hard each step is to solve.
//!
//! What friction adds to the Hessian near sticking is G_t = μγ_n/ε, ε the effective stiction tolerance:
//!
//! ```text
//!     Lagged, Similar      ε = v_s                     G_t grows with the impulse, hence with δt and in impacts
//!     regularized (eq. 44) ε = max(v_s, σ w μ γ_n)     bounded by 1/(σw)
//!     SAP                  ε = σ w μ γ_n               G_t = 1/(σw), whatever the impulse
//! ```
//!
//! The scene is the built-in `clutter`. Iterations of a step are those of the group of touching bodies that needs
//! most, its condition number is the largest of the groups', that of D H D with D = diag(A)^(−½). Condition numbers
//! span orders of magnitude, so their means are geometric. Piles are chaotic: single runs scatter by
//! several per cent.
//!
//! Contacts are found within a margin of 1 mm. Without it the stiffest piles rattle: an object that is pushed out of a
//! contact falls for a step and returns deeper than its weight would press it.
//!
//! | file | |
//! |---|---|
//! | `pile.rs` | runs of the pile |
//! | `sweep.rs` | means of runs against a parameter |

mod pile;
mod sweep;

use crate::Reproduction;
use crate::failure::Failure;
use crate::numerics::order;
use crate::report::{Check, Outcome, Study, Table, number};
use pile::*;
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, color};
use sweep::Sweep;

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "clutter",
    summary: "Iterations, conditioning, effective stiction and penetration of a pile (ICF Fig. 14–18)",
    claim: "ICF section X-A: forty spheres and boxes of 10 cm fall into a box; μ = 1, d = 10 s/m, τ_d = 1e-4 s, v_s = 1e-4 m/s, \
            σ = 1e-3, k = 1e7 N/m (steel). Lagged and Similar are harder to solve while objects collide, SAP afterwards; \
            the regularization of eq. 44 helps Lagged in the impacts. Conditioning of Lagged and Similar improves with \
            smaller steps, SAP's does not depend on the step, and at small steps the regularization no longer matters. \
            Penetration falls with stiffness over eight orders of magnitude (SAP's until its near-rigid limit), and \
            the mean number of iterations changes by no more than 20 % up to the stiffness of steel.",
    run,
};

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    over_time(study, &mut outcome)?;
    against_step(study, &mut outcome)?;
    against_stiffness(study, &mut outcome)?;
    Ok(outcome)
}

/// Fig. 14 and 15.
fn over_time(study: &Study, outcome: &mut Outcome) -> Result<(), Failure> {
    let files = ["clutter-lagged", "clutter-similar", "clutter-sap", "clutter-regularized"];
    let panel = |title: &str, y: Axis, legend| Panel {
        title: title.into(),
        x: Axis::linear("time (s)"),
        y,
        series: Vec::new(),
        legend,
    };
    let mut difficulty = vec![
        panel("Iterations, our Hessian", Axis::linear("Newton iterations"), Corner::TopRight),
        panel(
            "Iterations, true Hessian",
            Axis::linear("Newton iterations").over(0.0, 40.0),
            Corner::TopRight,
        ),
        panel("Condition number", Axis::log("condition number"), Corner::TopRight),
    ];
    let mut sticking =
        panel("Effective stiction tolerance", Axis::log("effective tolerance (m/s)"), Corner::TopRight);
    let mut runs = Vec::new();
    for (variant, file) in VARIANTS.iter().zip(files) {
        study.say(format!("{}, steps of 2 ms", variant.name));
        let run = pile(variant, STEP, STEEL, 2)?;
        let mut table =
            Table::new(file, &["time_s", "iterations", "condition", "tolerance_m_per_s", "penetration_m"]);
        table.rows = run
            .samples
            .iter()
            .map(|s| vec![s.time, s.iterations, s.condition, s.tolerance, s.penetration])
            .collect();
        outcome.tables.push(table);
        let series = |points| Series::new(variant.name, Look::Line, variant.color, points);
        difficulty[0].series.push(series(smooth(&run, |s| s.iterations)));
        difficulty[2].series.push(series(smooth(&run, |s| s.condition)));
        if variant.sigma > 0.0 {
            sticking.series.push(series(smooth(&run, |s| s.tolerance)));
        }
        let metric = format!("{}: steps of 2 ms that did not converge", variant.name);
        outcome.checks.push(Check::at_most(
            metric,
            run.unconverged as f64,
            0.0,
            "ICF X-A: a convex problem each step",
        ));
        runs.push(run);
    }
    let ends = vec![[0.0, TOLERANCE], [DURATION, TOLERANCE]];
    sticking.series.push(Series::new("Lagged, Similar: v_s", Look::Dashed, color::BLACK, ends));

    let early = |k: usize, quantity: fn(&Sample) -> f64| runs[k].mean(0.0, TRANSIENT, quantity);
    let late = |k: usize, quantity: fn(&Sample) -> f64| runs[k].mean(QUIET, DURATION, quantity);
    for k in [LAGGED, SIMILAR] {
        let name = VARIANTS[k].name;
        let ratio = runs[k].condition(0.0, TRANSIENT) / runs[SAP].condition(0.0, TRANSIENT);
        let metric = format!("{name} over SAP: mean condition number in the transient");
        outcome.checks.push(Check::at_least(metric, ratio, 1.0, "ICF Fig. 14: higher in the transient"));
        let ratio = runs[SAP].condition(QUIET, DURATION) / runs[k].condition(QUIET, DURATION);
        let metric = format!("SAP over {name}: mean condition number after 2 s");
        outcome.checks.push(Check::at_least(
            metric,
            ratio,
            1.0,
            "ICF Fig. 14: SAP's is higher past the transient",
        ));
        let ratio = early(k, |s| s.iterations) / late(k, |s| s.iterations);
        let metric = format!("{name}: iterations in the transient over those after 2 s");
        outcome.checks.push(Check::at_least(metric, ratio, 1.0, "ICF Fig. 14: more in the violent phase"));
    }
    study.say("the transient of more piles");
    let piles = if study.quick { 1 } else { PILES };
    for (exact, name) in [(false, "our"), (true, "exact")] {
        let mut iterations = [0.0; 4];
        for (variant, mean) in VARIANTS.iter().zip(&mut iterations) {
            study.say(format!("{}, {name} Hessian", variant.name));
            for number in 0..piles {
                let setting = Setting {
                    dt: STEP,
                    stiffness: STEEL,
                    every: usize::MAX,
                    number,
                    exact,
                    until: TRANSIENT,
                };
                let run = simulate(variant, &setting)?;
                *mean += run.mean(0.0, TRANSIENT, |s| s.iterations) / piles as f64;
                if exact && number == 0 {
                    let points = smooth(&run, |s| s.iterations);
                    difficulty[1].series.push(Series::new(variant.name, Look::Line, variant.color, points));
                }
            }
        }
        outcome.notes += &format!(
            "Mean Newton iterations of a step in the transient (to {TRANSIENT} s, {piles} piles), {name} Hessian: {}.\n\n",
            VARIANTS
                .iter()
                .zip(iterations)
                .map(|(v, i)| format!("{} {i:.1}", v.name))
                .collect::<Vec<_>>()
                .join(", ")
        );
        for k in [LAGGED, SIMILAR] {
            let metric =
                format!("{}, {name} Hessian, over SAP's: iterations in the transient", VARIANTS[k].name);
            let check = Check::at_least(
                metric,
                iterations[k] / iterations[SAP],
                1.0,
                "ICF Fig. 14: higher in the transient",
            );
            outcome.checks.push(match exact {
                true => check,
                false => check.unless(
                    "it is the Hessian: by the true one, the published method, the order is the paper's (the check of that name); the \
                     primal-dual one keeps the direction of slip as an unknown of its own, so that a stiff G_t costs Lagged less",
                ),
            });
        }
        let metric = format!("Lagged, regularized over not, {name} Hessian: iterations in the transient");
        let ratio = iterations[REGULARIZED] / iterations[LAGGED];
        let check = Check::at_most(metric, ratio, 1.0, "ICF Fig. 14: brings the number of iterations down");
        let condition = runs[REGULARIZED].condition(0.0, TRANSIENT) / runs[LAGGED].condition(0.0, TRANSIENT);
        outcome.checks.push(check.unless(format!(
            "the condition number changes by a factor of {condition:.3}, iterations by {ratio:.3}: they do not follow the conditioning"
        )));
    }
    let ratio = runs[REGULARIZED].condition(0.0, TRANSIENT) / runs[LAGGED].condition(0.0, TRANSIENT);
    let source = "ICF Fig. 14: better conditioned";
    outcome.checks.push(Check::at_most(
        "Lagged, regularized over not: condition in the transient",
        ratio,
        1.0,
        source,
    ));
    let metric = "SAP: mean effective stiction tolerance in the transient over v_s";
    let source = "ICF Fig. 15: looser than v_s in impacts";
    outcome.checks.push(Check::at_least(metric, early(SAP, |s| s.tolerance) / TOLERANCE, 1.0, source));
    let metric = "SAP: mean effective stiction tolerance after 2 s over v_s";
    let source = "ICF Fig. 15: unnecessarily tight at rest";
    outcome.checks.push(Check::at_most(metric, late(SAP, |s| s.tolerance) / TOLERANCE, 1.0, source));

    outcome.figures.push(Figure {
        name: "clutter-time",
        caption: "ICF Fig. 14: iterations and condition number against time, δt = 2 ms (means over 20 ms)."
            .into(),
        panels: difficulty,
    });
    outcome.figures.push(Figure {
        name: "clutter-tolerance",
        caption: "ICF Fig. 15: effective stiction tolerance against time, δt = 2 ms.".into(),
        panels: vec![sticking],
    });
    Ok(())
}

/// Means over 20 ms; gaps where there is nothing.
fn smooth(run: &Run, quantity: impl Fn(&Sample) -> f64 + Copy) -> Vec<[f64; 2]> {
    const WINDOW: f64 = 0.02;
    let count = (DURATION / WINDOW).round() as usize;
    (0..count)
        .map(|k| {
            let begin = k as f64 * WINDOW + 1e-9;
            [begin + 0.5 * WINDOW, run.mean(begin, begin + WINDOW, quantity)]
        })
        .filter(|p| p[1].is_finite())
        .collect()
}

/// Fig. 16.
fn against_step(study: &Study, outcome: &mut Outcome) -> Result<(), Failure> {
    let steps: &[f64] = if study.quick { &[1e-3, 2e-2] } else { &[2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2] };
    let mut sweep = Sweep::new("clutter-steps", "step_s", "δt (s)");
    for &dt in steps {
        study.say(format!("steps of {} ms", 1e3 * dt));
        let every = ((4e-3 / dt).round() as usize).max(1);
        sweep.take(dt, |variant| pile(variant, dt, STEEL, every))?;
    }
    let conditions: Vec<f64> = (0..VARIANTS.len()).map(|k| order(&sweep.condition(k))).collect();
    let metric = "SAP: power of δt by which the mean condition number grows";
    let source = "ICF Fig. 16: essentially independent of the step";
    outcome.checks.push(Check::within(metric, conditions[SAP], 0.0, 0.2, source));
    for k in [LAGGED, SIMILAR] {
        let metric = format!("{}: power of δt by which the mean condition number grows", VARIANTS[k].name);
        outcome.checks.push(Check::at_least(
            metric,
            conditions[k],
            0.4,
            "ICF Fig. 16: improves as the step is reduced",
        ));
        let (first, last) = (sweep.iterations(k)[0][1], sweep.iterations(k)[steps.len() - 1][1]);
        let metric = format!("{}: mean iterations at the smallest over the largest step", VARIANTS[k].name);
        outcome.checks.push(Check::at_most(
            metric,
            first / last,
            1.0,
            "ICF Fig. 16: fewer for smaller steps",
        ));
    }
    if study.quick {
        outcome.left_out.push(
            "the smallest step of Fig. 16 with and without regularization, which takes many piles to compare",
        );
    } else {
        study.say("the smallest step, more piles");
        let smallest = |k: usize| -> Result<f64, Failure> {
            let mut total = sweep.iterations(k)[0][1];
            for number in 1..PILES {
                let run = moved_pile(&VARIANTS[k], steps[0], STEEL, usize::MAX, number)?;
                total += run.mean(0.0, DURATION, |s| s.iterations);
            }
            Ok(total / PILES as f64)
        };
        let ratio = smallest(REGULARIZED)? / smallest(LAGGED)?;
        let metric =
            format!("Lagged, regularized over not: mean iterations at the smallest step ({PILES} piles)");
        outcome.checks.push(Check::within(metric, ratio, 1.0, 0.15, "ICF Fig. 16: the same"));
    }
    let last = steps.len() - 1;
    let ratio = sweep.iterations(REGULARIZED)[last][1] / sweep.iterations(LAGGED)[last][1];
    let metric = "Lagged, regularized over not: mean iterations at the largest step";
    outcome.checks.push(Check::at_most(metric, ratio, 1.0, "ICF Fig. 16: the desired effect at large steps"));
    let ratio = |from: f64, to: f64| {
        let within = |p: &[f64; 2]| p[0] > 0.99 * from && p[0] < 1.01 * to;
        spread(&sweep.iterations(SAP).into_iter().filter(within).collect::<Vec<_>>())
    };
    let metric = "SAP: mean iterations over all steps, largest over smallest";
    let check = Check::at_most(metric, ratio(0.0, 1.0), 1.5, "ICF Fig. 16: quite constant");
    outcome.checks.push(check.unless(format!(
        "over two decades of steps, from 0.2 to 20 ms; from 1 to 10 ms it is {:.2}",
        ratio(1e-3, 1e-2)
    )));
    let unconverged = (0..VARIANTS.len()).map(|k| sweep.unconverged(k)).sum();
    let metric = "all models and steps: steps that did not converge";
    outcome.checks.push(Check::at_most(metric, unconverged, 0.0, "ICF X-A: a convex problem each step"));
    outcome.figures.push(sweep.figure(
        "clutter-steps",
        "ICF Fig. 16: mean iterations and mean condition number of a step against the step, k = 1e7 N/m.",
    ));
    outcome.tables.push(sweep.table);
    Ok(())
}

/// Fig. 17 and 18, and what happens beyond.
fn against_stiffness(study: &Study, outcome: &mut Outcome) -> Result<(), Failure> {
    let exponents: &[i32] = if study.quick { &[4, 7, 12] } else { &[4, 5, 6, 7, 8, 9, 10, 11, 12] };
    let mut coarse = Sweep::new("clutter-stiffness-5ms", "stiffness_N_per_m", "k (N/m)");
    let mut fine = Sweep::new("clutter-stiffness-2ms", "stiffness_N_per_m", "k (N/m)");
    for &exponent in exponents {
        study.say(format!("k = 1e{exponent} N/m"));
        let k = 10f64.powi(exponent);
        coarse.take(k, |variant| pile(variant, LARGE_STEP, k, 4))?;
        fine.take(k, |variant| pile(variant, STEP, k, 10))?;
    }
    for (k, variant) in VARIANTS.iter().enumerate() {
        let metric = format!("{}, k = 1e4 … 1e12: steps of 2 and 5 ms that did not converge", variant.name);
        let unconverged = coarse.unconverged(k) + fine.unconverged(k);
        outcome.checks.push(Check::at_most(metric, unconverged, 0.0, "ICF Fig. 17: robust up to 1e12"));
    }
    for (k, variant) in VARIANTS.iter().enumerate() {
        let metric = format!("{}, k = 1e4 … 1e12: objects that left the box, δt = 5 ms", variant.name);
        let check = Check::at_most(metric, coarse.left(k), 0.0, "ICF Fig. 17: robust up to 1e12");
        let (two, most) = (fine.left(k), coarse.energy(k));
        outcome.checks.push(check.unless(format!(
            "of {} runs with 40 objects at 5 ms; at 2 ms {two} leave; the largest energy of a run at 5 ms is {most:.3} of that at its start",
            exponents.len()
        )));
        let metric = format!(
            "{}, k = 1e4 … 1e12: energy gained by the pile, δt = 5 ms, over that at the start",
            variant.name
        );
        let check = Check::at_most(
            metric,
            coarse.energy(k) - 1.0,
            0.01,
            "ICF Fig. 17: robust up to 1e12; energy to a hundredth",
        );
        outcome
            .checks
            .push(check.unless(format!("at 2 ms it is {:.3} of that at the start", fine.energy(k))));
    }
    for (k, variant) in VARIANTS.iter().enumerate().filter(|(k, _)| *k != SAP) {
        let power = order(&coarse.penetration(k));
        let metric = format!("{}: power of k by which the mean penetration grows, 1e4 … 1e12", variant.name);
        let check = Check::within(metric, power, -1.0, 0.1, "ICF Fig. 17; f = kx");
        outcome.checks.push(check.unless(format!(
            "the arithmetic mean is that of the few contacts that move; the geometric one falls with power {:.2}; Similar's stiffness ends at 1e7/(w(1 + μ²)) effective masses a step, about 2e11 N/m",
            order(&coarse.typical_penetration(k))
        )));
    }
    let sap = coarse.penetration(SAP);
    let metric = "SAP: mean penetration at 1e12 N/m, δt = 5 ms (µm)";
    let source = "ICF X-A: in the tenths of microns";
    let check = Check::within(metric, 1e6 * sap[sap.len() - 1][1], 0.55, 0.45, source);
    outcome.checks.push(check.unless(
        "at the near-rigid stiffness of about 1e6 N/m, which the paper gives too, one box of 1 kg sinks by mg/k = 9.8 µm, and a pile more: microns",
    ));
    let piles = if study.quick { 1 } else { PILES };
    study.say("up to steel, more piles");
    let up_to_steel = exponents.iter().filter(|&&e| e <= 7).count();
    // A sphere that happens to roll on for long changes the mean of one pile by a quarter.
    let steel = |k: usize| -> Result<Vec<[f64; 2]>, Failure> {
        let mut points = fine.iterations(k)[..up_to_steel].to_vec();
        for point in &mut points {
            for number in 1..piles {
                let run = moved_pile(&VARIANTS[k], STEP, point[0], usize::MAX, number)?;
                point[1] += run.mean(0.0, DURATION, |s| s.iterations);
            }
            point[1] /= piles as f64;
        }
        Ok(points)
    };
    for k in [LAGGED, SIMILAR, SAP, REGULARIZED] {
        let points = steel(k)?;
        let off = spread(&points);
        let name = VARIANTS[k].name;
        let metric = format!(
            "{name}: mean iterations of {piles} piles, 1e4 … 1e7 N/m, δt = 2 ms, largest over smallest"
        );
        let check = Check::at_most(metric, off, 1.2, "ICF Fig. 18: within 20 % up to steel");
        let means: Vec<String> = points.iter().map(|p| format!("{:.1}", p[1])).collect();
        // The published method, where it matters: one pile, the softest and steel.
        let mut reason = format!("mean iterations from 1e4 to 1e7 N/m: {}", means.join(", "));
        if !study.quick && !check.pass() {
            let exact = |stiffness: f64| -> Result<f64, Failure> {
                let setting = Setting {
                    dt: STEP,
                    stiffness,
                    every: usize::MAX,
                    number: 0,
                    exact: true,
                    until: DURATION,
                };
                Ok(simulate(&VARIANTS[k], &setting)?.mean(0.0, DURATION, |s| s.iterations))
            };
            let (soft, steel) = (exact(1e4)?, exact(STEEL)?);
            reason += &format!(
                "; by the true Hessian, one pile, {soft:.1} at 1e4 and {steel:.1} at 1e7 N/m, a factor of {:.2}",
                soft.max(steel) / soft.min(steel)
            );
        }
        outcome.checks.push(check.unless(reason));
    }
    study.say("k = 1e13 N/m");
    let (text, unconverged) = beyond(study)?;
    outcome.notes += &text;
    let check = Check::at_least(
        "k = 1e13 N/m: steps that did not converge",
        unconverged,
        1.0,
        "ICF X-A: the solver fails due to round-off errors",
    );
    outcome.checks.push(check.unless(
        "velocities are taken from positions once a step and follow Newton's steps from there, which keeps their digits (crates/convex/src/packet/mod.rs): no step fails up to 1e15 N/m",
    ));
    outcome.figures.push(coarse.penetration_figure());
    outcome.figures.push(fine.figure(
        "clutter-stiffness",
        "ICF Fig. 18: mean iterations and mean condition number of a step against stiffness, δt = 2 ms.",
    ));
    outcome.tables.extend([coarse.table, fine.table]);
    Ok(())
}

/// The largest over the smallest.
fn spread(points: &[[f64; 2]]) -> f64 {
    let least = points.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    points.iter().map(|p| p[1]).fold(0.0, f64::max) / least
}

/// What happens where round-off takes over: at 1e12 N/m, at 1e13 N/m, where the paper's solver fails, and at 1e15.
fn beyond(study: &Study) -> Result<(String, f64), Failure> {
    let mut failed = 0.0;
    let mut text = String::from(
        "At k = 1e13 N/m, \"a non-physical value\", the paper's solver fails from round-off. Here runs go on \
         (δt = 5 ms, 600 steps):\n\n\
         | k (N/m) | model | steps that did not converge | mean iterations | mean penetration (m) | objects that left the box | \
         largest energy over that at the start |\n|---|---|---:|---:|---:|---:|---:|\n",
    );
    let beyond: &[f64] = if study.quick { &[1e13] } else { &[1e12, 1e13, 1e15] };
    for &stiffness in beyond {
        for variant in &VARIANTS {
            let run = pile(variant, LARGE_STEP, stiffness, usize::MAX)?;
            if stiffness == 1e13 {
                failed += run.unconverged as f64 + f64::from(u8::from(run.failure.is_some()));
            }
            let ended = run.failure.as_ref().map_or(String::new(), |e| format!("; ended: {e}"));
            text += &format!(
                "| {stiffness:.0e} | {} | {}{ended} | {:.1} | {} | {} | {:.3} |\n",
                variant.name,
                run.unconverged,
                run.mean(0.0, DURATION, |s| s.iterations),
                number(run.penetration()),
                run.left,
                run.energy,
            );
        }
    }
    Ok((text, failed))
}
