//! An impact in words and numbers.

use crate::failure::Failure;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use stiction::rigid::Touching;
use stiction::{Model, State};
use stiction_impact::outer::Method;
use stiction_impact::{Certificate, Membership, Outcomes, Outer, Verdict};

/// An impact and its outcomes.
pub struct Found {
    /// The state before it.
    pub state: State,
    /// What touches.
    pub touching: Touching,
    /// The outcomes.
    pub set: Outcomes,
    /// Whether solutions end.
    pub certificate: Certificate,
    /// The outcome of all contacts at once.
    pub one_shot: Option<usize>,
    /// Bounds from outside, if asked for, and those of each velocity coordinate.
    pub outer: Option<(Outer, Vec<[f64; 2]>)>,
    /// Whether the outcome is unique.
    pub verdict: Verdict,
    /// Contacts that slide and press, if this is an impact without a collision.
    pub pressed: Vec<usize>,
}

impl Found {
    /// The velocity to go on with: that of all contacts at once, or the first there is. A single contact has Routh's alone.
    pub fn next_velocity(&self) -> Option<Vec<f64>> {
        let i = self.one_shot.or((!self.set.is_empty()).then_some(0))?;
        Some(self.set.velocity(i).to_vec())
    }

    /// Least and greatest value of velocity coordinate `i`.
    pub fn range(&self, i: usize) -> [f64; 2] {
        let mut c = vec![0.0; self.set.nv];
        c[i] = 1.0;
        let (low, high) = self.set.extremes(&c);
        [low.value, high.value]
    }

    /// For the terminal.
    pub fn text(&self, model: &Model, files: &[PathBuf]) -> String {
        let mut text = String::new();
        let set = &self.set;
        let contacts = self.touching.kinds.len();
        let merged = set.problem().contacts();
        let same = if merged < contacts { format!(", {merged} different") } else { String::new() };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "impact at t = {:.6} s: {contacts} contacts touch{same}", self.state.time);
        if !self.pressed.is_empty() {
            text.push_str(
                "  an impact without collision: nothing approaches, but slip presses contacts together and no finite force keeps them apart (Painlevé)\n",
            );
        }
        let u = self.touching.instant.contact_velocity();
        let shares = set.shares();
        let _ = writeln!(
            text,
            "  {:<44} {:>10} {:>6} {:>7} {:>7} {:>9}",
            "contact", "m/s", "μ", "stick", "slide", "separate"
        );
        for c in 0..contacts {
            let mu = self.touching.instant.friction()[c][0];
            let [stick, slide, separate] = shares[c].map(|s| format!("{:.0} %", 100.0 * s));
            let name = self.touching.name(model, c);
            let _ = writeln!(
                text,
                "  {name:<44} {:>10.4} {mu:>6.2} {stick:>7} {slide:>7} {separate:>9}",
                u[3 * c + 2]
            );
        }
        let _ = writeln!(text, "  {}", self.answer());
        let _ = writeln!(
            text,
            "  {:<24} {:>12} {:>12} {:>12} {:>12}{}",
            "velocity",
            "before",
            "at once",
            "least",
            "greatest",
            if self.outer.is_some() { format!(" {:>25} {:>7}", "outer bound", "gap") } else { String::new() }
        );
        for i in 0..set.nv {
            let [low, high] = self.range(i);
            let at_once = self.one_shot.map_or("–".into(), |k| format!("{:.6}", clean(set.velocity(k)[i])));
            let outer = self.outer.as_ref().map_or(String::new(), |(_, bounds)| {
                let [least, greatest] = bounds[i];
                let range = format!("[{:.6}, {:.6}]", clean(least), clean(greatest));
                format!(
                    " {range:>25} {:>7}",
                    gap([low, high], bounds[i]).map_or("–".into(), |g| format!("{:.1} %", 100.0 * g))
                )
            });
            let _ = writeln!(
                text,
                "  {:<24} {:>12.6} {at_once:>12} {:>12.6} {:>12.6}{outer}",
                coordinate(model, i),
                self.state.v[i],
                clean(low),
                clean(high)
            );
        }
        if let Some((outer, _)) = &self.outer {
            let how = match &outer.method {
                Method::Cells if outer.exact => {
                    "outer bound by cells of constant force, which is exact: solutions come arbitrarily near its ends".to_string()
                }
                Method::Cells if self.set.problem().planar() => {
                    "outer bound by cells of constant force".to_string()
                }
                Method::Cells => {
                    "outer bound by cells and convex relaxations; --outer-sectors refines it".to_string()
                }
                Method::Relaxation(why) => {
                    format!("outer bound by convex relaxations, which are coarse ({why})")
                }
            };
            let _ =
                writeln!(text, "  {how}; gap is what it leaves beyond the outcomes found, over their width");
        }
        let energy = self.energy();
        let _ = writeln!(
            text,
            "  kinetic energy {:.6} J before, {:.6} to {:.6} J after",
            energy[0], energy[1], energy[2]
        );
        text += &self.ends();
        for (k, path) in files.iter().enumerate() {
            let _ = writeln!(text, "  {:<10} {}", if k == 0 { "files" } else { "" }, path.display());
        }
        text
    }

    /// The verdict in one line.
    fn answer(&self) -> String {
        let (set, ambiguity) = (&self.set, self.set.ambiguity());
        let reason = self.verdict.reason();
        match &self.verdict {
            Verdict::Unique(_) => format!("UNIQUE: one outcome; {reason}"),
            Verdict::Ambiguous { .. } => format!(
                "AMBIGUOUS: {} (spread {:.4}); {} outcomes, {reason}",
                ambiguity.level.name(),
                ambiguity.spread,
                set.len()
            ),
            Verdict::Unknown { .. } => format!("UNKNOWN: {reason}"),
        }
    }

    /// Kinetic energy before, and the least and greatest after.
    fn energy(&self) -> [f64; 3] {
        let instant = &self.touching.instant;
        let all = (0..self.set.len()).map(|i| self.set.kinetic_energy(i));
        let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), k| (l.min(k), h.max(k)));
        [instant.kinetic_energy(instant.velocity()), low, high]
    }

    /// What is known about the ends of solutions.
    fn ends(&self) -> String {
        let mut text = String::new();
        let c = &self.certificate;
        let _ = match (c.in_n, c.impulse_bound) {
            (Some(true), Some(bound)) => {
                writeln!(text, "  every resolution ends within a normal impulse of {bound:.4} N s")
            }
            (Some(true), None) => writeln!(text, "  every resolution ends"),
            (Some(false), _) => writeln!(text, "  JAM: a resolution need not end"),
            (None, _) => writeln!(text, "  too many contacts to decide whether every resolution ends"),
        };
        for jam in &c.balanced {
            let list = |contacts: &[usize]| {
                let groups = self.set.problem().groups();
                let names: Vec<String> = contacts.iter().map(|&g| groups[g][0].to_string()).collect();
                names.join(", ")
            };
            let harm = if jam.stuck.is_empty() {
                "and hold everything they touch".to_string()
            } else {
                format!("while contact {} can go on approaching", list(&jam.stuck))
            };
            let _ = writeln!(
                text,
                "  contacts {} can push against each other without limit, {harm}",
                list(&jam.holding)
            );
        }
        let worst = self.set.errors.iter().fold(0.0f64, |a, b| a.max(*b));
        let _ = writeln!(text, "  largest estimated error of an outcome {worst:.1e} of the contact speed");
        if self.set.rerouted > 0 {
            let _ = writeln!(
                text,
                "  {} samples went on one contact after another from a step without a solution at their rates",
                self.set.rerouted
            );
        }
        if self.set.unfinished > 0 {
            let _ = writeln!(text, "  {} solutions did not end and are left out", self.set.unfinished);
        }
        if self.set.unsolved > 0 {
            text.push_str("  all contacts at once has a step that could not be solved and is left out\n");
        }
        if self.set.cut_sequences > 0 {
            let _ =
                writeln!(text, "  {} more sequences were not followed to their end", self.set.cut_sequences);
        }
        text
    }

    /// The same as JSON.
    pub fn json(&self, model: &Model, files: &[PathBuf]) -> Value {
        let (set, c) = (&self.set, &self.certificate);
        let u = self.touching.instant.contact_velocity();
        let shares = set.shares();
        let contacts: Vec<Value> = (0..self.touching.kinds.len())
            .map(|k| {
                json!({
                    "name": self.touching.name(model, k),
                    "velocity": [u[3 * k], u[3 * k + 1], u[3 * k + 2]],
                    "friction": self.touching.instant.friction()[k][0],
                    "stick": shares[k][0], "slide": shares[k][1], "separate": shares[k][2],
                })
            })
            .collect();
        let velocities: Vec<Value> = (0..set.nv)
            .map(|i| {
                let [low, high] = self.range(i);
                let outer = self.outer.as_ref().map(|(_, bounds)| bounds[i]);
                json!({
                    "name": coordinate(model, i), "before": self.state.v[i], "least": low, "greatest": high,
                    "outer": outer, "gap": outer.and_then(|outer| gap([low, high], outer)),
                    "at_once": self.one_shot.map(|k| set.velocity(k)[i]),
                })
            })
            .collect();
        let ambiguity = set.ambiguity();
        let jams: Vec<Value> =
            c.balanced.iter().map(|j| json!({ "holding": j.holding, "stuck": j.stuck })).collect();
        json!({
            "time": self.state.time, "qpos": self.state.q, "qvel": self.state.v,
            "contacts": contacts, "velocities": velocities, "outcomes": set.len(),
            "without_collision": !self.pressed.is_empty(),
            "verdict": { "answer": self.verdict.name(), "reason": self.verdict.reason() },
            "largest_error": set.errors.iter().fold(0.0f64, |a, b| a.max(*b)),
            "outer_exact": self.outer.as_ref().map(|(outer, _)| outer.exact),
            "ambiguity": { "level": ambiguity.level.name(), "spread": ambiguity.spread },
            "kinetic_energy": self.energy(),
            "certificate": {
                "terminates": c.in_n, "epsilon": c.epsilon, "impulse_bound": c.impulse_bound, "balanced": jams,
                "dissipation": c.dissipation.map(|d| json!({
                    "rho": d.rho, "kappa": d.kappa, "contacts": d.contacts, "frictional": d.frictional,
                    "alpha_at_1_over_epsilon": d.alpha(1.0 / d.epsilon),
                })),
            },
            "unfinished": set.unfinished, "unsolved": set.unsolved, "rerouted": set.rerouted, "cut_sequences": set.cut_sequences,
            "files": files.iter().map(|p| p.display().to_string()).collect::<Vec<_>>(),
        })
    }
}

/// The outcomes with restitution.
pub struct Bounced {
    restitution: f64,
    /// Least and greatest value of each velocity coordinate.
    ranges: Vec<[f64; 2]>,
    shortened: usize,
    dropped: usize,
}

impl Bounced {
    /// For programs.
    pub fn json(&self) -> Value {
        json!({ "coefficient": self.restitution, "velocities": self.ranges, "shortened": self.shortened, "dropped": self.dropped })
    }
}

impl Found {
    /// The outcomes with Poisson's restitution, the same coefficient at all contacts.
    pub fn bounce(&self, restitution: f64) -> Result<Bounced, Failure> {
        let e = vec![restitution; self.set.problem().contacts()];
        let bounces = self.set.bounce(&e).map_err(Failure::input)?;
        let ranges = (0..self.set.nv).map(|i| {
            let all = bounces.velocities.iter().skip(i).step_by(self.set.nv);
            all.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], v| [l.min(*v), h.max(*v)])
        });
        let (shortened, dropped) = (bounces.shortened.len(), bounces.dropped.len());
        Ok(Bounced { restitution, ranges: ranges.collect(), shortened, dropped })
    }
}

/// The outcomes with restitution for the terminal.
pub fn bounced(model: &Model, b: &Bounced) -> String {
    let mut text = format!("  with Poisson's restitution {}:\n", b.restitution);
    for (i, [low, high]) in b.ranges.iter().enumerate() {
        let _ = writeln!(text, "  {:<50} {:>12.6} {:>12.6}", coordinate(model, i), clean(*low), clean(*high));
    }
    if b.shortened > 0 {
        let _ = writeln!(
            text,
            "  restitution of {} outcomes ends where the energy before is reached",
            b.shortened
        );
    }
    if b.dropped > 0 {
        let _ =
            writeln!(text, "  restitution of {} outcomes could not be followed and is left out", b.dropped);
    }
    text
}

impl Found {
    /// Whether the impact can end with a velocity, up to a millionth of its size.
    pub fn member(&self, velocity: &[f64]) -> Result<Membership, Failure> {
        let needs = "--member needs the bound from outside: leave out --no-outer, or give --outer";
        let (outer, _) = self.outer.as_ref().ok_or_else(|| Failure::input(needs))?;
        if velocity.len() != self.set.nv {
            let (given, nv) = (velocity.len(), self.set.nv);
            return Err(Failure::input(format!(
                "--member has {given} numbers, the model has {nv} velocities"
            )));
        }
        outer.membership(&self.set, velocity, 1e-6).map_err(Failure::input)
    }
}

/// Whether a velocity is an outcome, for the terminal.
pub fn member(member: &Membership) -> String {
    let near = |nearest: &Option<usize>, distance: f64| {
        nearest.map_or(String::new(), |i| format!("; the nearest outcome found is {i}, {distance:.1e} away"))
    };
    match member {
        Membership::Outcome { nearest, distance } => {
            format!("  the velocity asked for is an outcome{}\n", near(nearest, *distance))
        }
        Membership::No { reason } => format!("  the velocity asked for is no outcome: {reason}\n"),
        Membership::Unknown { nearest, distance } => {
            format!(
                "  it is not known whether the velocity asked for is an outcome{}\n",
                near(nearest, *distance)
            )
        }
    }
}

/// The same for programs.
pub fn member_json(member: &Membership) -> Value {
    let (nearest, distance, reason) = match member {
        Membership::Outcome { nearest, distance } | Membership::Unknown { nearest, distance } => {
            (*nearest, Some(*distance), None)
        }
        Membership::No { reason } => (None, None, Some(reason)),
    };
    json!({ "answer": member.name(), "nearest": nearest, "distance": distance, "reason": reason })
}

/// What an outer range leaves beyond an inner one, both sides together, over the inner width; none for an inner range without width.
fn gap(inner: [f64; 2], outer: [f64; 2]) -> Option<f64> {
    let width = inner[1] - inner[0];
    (width > 1e-6).then(|| ((inner[0] - outer[0]) + (outer[1] - inner[1])).max(0.0) / width)
}

/// The name of a velocity coordinate.
pub fn coordinate(model: &Model, i: usize) -> String {
    let joints = model.multibody().joints();
    let Some(joint) = joints.iter().find(|j| j.v.contains(&i)) else { return format!("v{i}") };
    let name =
        if joint.name.is_empty() { format!("joint of body {}", joint.body) } else { joint.name.clone() };
    match (joint.v.len(), i - joint.v.start) {
        (1, _) => name,
        (6, k) => format!("{name} {}", ["vx", "vy", "vz", "wx", "wy", "wz"][k]),
        (_, k) => format!("{name} [{k}]"),
    }
}

/// The unit of a velocity coordinate.
pub fn unit(model: &Model, i: usize) -> &'static str {
    let joints = model.multibody().joints();
    let Some(joint) = joints.iter().find(|j| j.v.contains(&i)) else { return "" };
    if joint.kind.turns(i - joint.v.start) { "rad/s" } else { "m/s" }
}

/// Rounding of zero is zero.
fn clean(x: f64) -> f64 {
    if x.abs() < 5e-7 { 0.0 } else { x }
}
