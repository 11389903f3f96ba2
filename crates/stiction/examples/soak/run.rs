//! One scene, step by step.

use crate::books::{self, Books};
use crate::machine;
use crate::random::Random;
use crate::report::{Finding, Tally};
use crate::scene::{self, Scene};
use std::panic::{AssertUnwindSafe, catch_unwind};
use stiction::convex::Criterion;
use stiction::model::{Compliance, Shape};
use stiction::{Method, Simulation, StepError, contact_model_name};
use stiction_base::counting_allocator::bytes_in_use;

/// Seconds of processor time after which a scene is aborted.
const PATIENCE: f64 = 20.0;

/// Generates the scene of a seed, runs it and records the findings. Its memory is freed.
pub fn scene(seed: u64, tell: bool, tally: &mut Tally) {
    let steps = tally.steps;
    // The growth of the tally is not part of the scene: a first scene allocates its memory.
    let before = bytes_in_use();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut kept = Vec::new();
        match scene::draw(seed) {
            Ok(scene) => {
                Run::new(&scene, &mut kept).map_or_else(|e| Err((e, seed)), |run| Ok(run.go(tell, &mut kept)))
            }
            Err(error) => Err((error, seed)),
        }
        .map(|seen| (seen, kept))
    }));
    match outcome {
        Ok(Ok((seen, notes))) => {
            let bytes = size_of_notes(&notes) + seen.kinds.capacity() * size_of::<&str>();
            let left = bytes_in_use() - before - bytes as isize;
            seen.count(tally);
            for note in notes {
                tally.note(note.0, &note.1);
                tally.more(note.0, note.2 - 1);
            }
            if left > 0 && steps > 0 {
                tally.note(Finding::Leak, &format!("seed {seed}: {left} bytes"));
            }
        }
        Ok(Err((error, seed))) => tally.note(Finding::Refused, &format!("seed {seed}: {error}")),
        Err(panic) => {
            let what = panic.downcast_ref::<String>().map(String::as_str);
            let what = what.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?");
            tally.note(Finding::Panic, &format!("seed {seed}: {what}"));
        }
    }
}

type Note = (Finding, String, u64);

fn size_of_notes(notes: &Vec<Note>) -> usize {
    notes.capacity() * size_of::<Note>() + notes.iter().map(|n| n.1.capacity()).sum::<usize>()
}

/// Contribution of a scene to the counts.
#[derive(Default)]
struct Seen {
    stats: stiction::Stats,
    rounded: u64,
    worst_rounded: f64,
    worst_residual: f64,
    fast: bool,
    unresolved: bool,
    crooked: bool,
    carried: bool,
    at_rest: bool,
    slowest: f64,
    kinds: Vec<&'static str>,
}

impl Seen {
    fn count(&self, tally: &mut Tally) {
        tally.scenes += 1;
        tally.steps += self.stats.steps;
        tally.points += self.stats.points;
        tally.faces += self.stats.faces;
        tally.iterations += self.stats.iterations;
        tally.most_iterations = tally.most_iterations.max(self.stats.max_iterations);
        tally.rounded += self.rounded;
        tally.worst_rounded = tally.worst_rounded.max(self.worst_rounded);
        tally.worst_residual = tally.worst_residual.max(self.worst_residual);
        tally.fast += u64::from(self.fast);
        tally.unresolved += u64::from(self.unresolved);
        tally.crooked += u64::from(self.crooked);
        tally.carried += u64::from(self.carried);
        tally.at_rest += u64::from(self.at_rest);
        tally.slowest = tally.slowest.max(self.slowest);
        for kind in &self.kinds {
            *tally.kinds.entry((*kind).into()).or_default() += 1;
        }
    }
}

struct Run<'a> {
    scene: &'a Scene,
    sim: Simulation,
    random: Random,
    books: Books,
    seen: Seen,
    /// Whether every work in the scene is counted.
    whole_books: bool,
}

impl<'a> Run<'a> {
    fn new(scene: &'a Scene, _notes: &mut [Note]) -> Result<Self, String> {
        let mut sim =
            Simulation::new(&scene.model, scene.options.clone()).map_err(|error| error.to_string())?;
        sim.state_mut().v.copy_from_slice(&scene.velocities);
        let books = Books::open(&mut sim);
        let world = scene.model.world();
        // For a step by accuracy, only the forces of the second half are available.
        let rows = world.equalities.len() + world.tendons.len() + world.actuators.len();
        let limits = world.joints().any(|(_, j)| j.dofs.iter().any(|d| d.lower.is_finite()));
        let accurate = scene.options.error_controlled() && (rows > 0 || limits);
        let whole_books = !scene.conveyor && !accurate && !continuous(scene);
        let seen = Seen { kinds: kinds(scene), ..Seen::default() };
        let random = Random(scene.acts);
        Ok(Self { scene, sim, random, books, seen, whole_books })
    }

    fn go(mut self, tell: bool, notes: &mut Vec<Note>) -> Seen {
        let label = &self.scene.label;
        let mut note =
            |finding, text: String, count| notes.push((finding, format!("{label}: {text}"), count));
        let (mut unconverged, mut created) = ((0, String::new()), (0, String::new()));
        let began = machine::computed();
        let (mut q0, mut v0) = (Vec::new(), Vec::new());
        let (mut usual, mut slow) = (0.0_f64, (0, String::new()));
        for k in 0..400 {
            if machine::computed() - began > PATIENCE {
                note(Finding::CutShort, format!("{k} steps to t = {:.4} s", self.sim.state().time), 1);
                break;
            }
            if self.sim.state().time > 2.0 && self.scene.options.error_controlled() {
                break;
            }
            self.act(k);
            q0.clone_from(&self.sim.state().q);
            v0.clear();
            v0.extend_from_slice(&self.sim.state().v);
            let clock = machine::computed();
            if let Err(error) = self.sim.step(1) {
                let finding = match &error {
                    StepError::NotFinite { .. } => Finding::NotFinite,
                    StepError::Accuracy { .. } => Finding::Accuracy,
                    _ if self.books.lost => Finding::NotFinite,
                    _ => Finding::OtherError,
                };
                let finding = match finding {
                    Finding::NotFinite if self.books.lost => Finding::Lost,
                    other => other,
                };
                note(finding, format!("step {k}: {error}"), 1);
                break;
            }
            let seconds = machine::computed() - clock;
            self.seen.slowest = self.seen.slowest.max(seconds);
            if k > 20 && seconds > 0.05 && seconds > 100.0 * usual && !self.books.lost {
                slow.0 += 1;
                slow.1 = format!("step {k}: {seconds:.3} s, usually {usual:.5} s");
            }
            usual += (if k == 0 { 1.0 } else { 0.05 }) * (seconds - usual);
            let report = *self.sim.last_report();
            if !report.converged && !continuous(self.scene) && !self.books.lost {
                unconverged.0 += 1;
                let (criterion, residual) = (report.criterion, report.relative_residual);
                unconverged.1 = format!("step {k}: {criterion:?}, residual {residual:.1e}");
            }
            if report.criterion == Criterion::Rounding {
                self.seen.rounded += 1;
                let rounded = self.sim.last_solver().island_reports().filter(|i| i.rounding.is_some());
                let worst = rounded.map(|island| island.residual / island.scale).fold(0.0, f64::max);
                self.seen.worst_rounded = self.seen.worst_rounded.max(worst);
            }
            if continuous(self.scene) {
                if tell {
                    eprintln!("{}", self.account(k));
                }
                continue;
            }
            let balance = books::balance(&self.sim);
            if !self.books.lost {
                self.seen.worst_residual = self.seen.worst_residual.max(balance.residual);
            }
            if balance.excess > 0.0 && !self.books.lost {
                created.0 += 1;
                created.1 =
                    format!("step {k}: {:.2e} J more than it had stored; {}", balance.excess, balance.what);
            }
            self.books.step(&mut self.sim, &q0, &v0);
            if tell {
                eprintln!("{}", self.account(k));
            }
        }
        for (finding, (count, text)) in
            [(Finding::Unconverged, unconverged), (Finding::Created, created), (Finding::Slow, slow)]
        {
            if count > 0 {
                note(finding, text, count);
            }
        }
        self.close(&mut note);
        self.seen.stats = *self.sim.stats();
        self.seen
    }

    /// Prints the progress at step `k` of a scene that is run alone.
    fn account(&mut self, k: u64) -> String {
        let (energy, report) = (self.sim.energy(), *self.sim.last_report());
        let v = &self.sim.state().v;
        let fastest = (0..v.len()).max_by(|a, b| v[*a].abs().total_cmp(&v[*b].abs())).unwrap_or(0);
        format!(
            "step {k}, t = {:.4} s: kinetic {:.3e}, potential {:.3e}; driven {:.3e}, contacts {:.3e}, couplings {:.3e}, without \
             cause {:.3e} J; {} iterations; depth {:.2e} m{}; fastest {:.2e} at dof {fastest} ({})",
            self.sim.state().time,
            energy.kinetic,
            energy.potential,
            self.books.driven,
            self.books.contacts,
            self.books.couplings,
            self.books.without_cause,
            report.iterations,
            report.max_penetration,
            books::deepest(&self.sim),
            v[fastest],
            self.scene.model.joint_of(fastest),
        )
    }

    /// Pushes and controls of step `k`.
    fn act(&mut self, k: u64) {
        let (nv, nu) = (self.scene.model.nv(), self.scene.model.nu());
        let state = self.sim.state_mut();
        if self.scene.pushes {
            state.applied.fill(0.0);
            if k % 97 < 10 {
                let dof = self.random.modulo(nv);
                state.applied[dof] = self.scene.inertia[dof] * self.random.range(-50.0, 50.0);
            }
        }
        if nu > 0 && k.is_multiple_of(50) {
            for control in &mut state.ctrl {
                *control = self.random.range(-1.0, 1.0);
            }
        }
    }

    /// Checks at the end of a scene.
    fn close(&mut self, note: &mut dyn FnMut(Finding, String, u64)) {
        let books = &self.books;
        self.seen.fast = books.travel > 0.05;
        if continuous(self.scene) {
            return;
        }
        self.seen.unresolved = books.lost;
        self.seen.crooked = books.crooked > 0.01 * books.scale + 1e-6;
        self.seen.carried = books.carried > 0.01 * books.scale + 1e-6;
        if self.whole_books {
            let (gained, without_cause) = books.verdict();
            let account = format!(
                "{:.3e} J more than at the beginning and by drives; contacts gave {:.3e} J in all, couplings {:.3e} J; the \
                 motion itself gave at most {:.3e} J, paths of tendons {:.3e} J; largest energy {:.3e} J",
                books.gained,
                books.contacts,
                books.couplings,
                books.carried + books.unresolved,
                books.crooked,
                books.scale
            );
            if without_cause {
                note(Finding::WithoutCause, format!("{:.3e} J; {account}", books.without_cause), 1);
            } else if gained {
                note(Finding::Gained, account, 1);
            }
            if let (Some((held, there, what)), false) = (&books.deep, gained || self.seen.fast || books.lost)
            {
                note(
                    Finding::Deep,
                    format!("they hold {held:.3e} J, there were {there:.3e} J to push; {what}"),
                    1,
                );
            }
        }
        // A body that moves further than its size in a step may pass through thinner bodies.
        let poses = self.sim.poses().to_vec();
        let least =
            self.scene.model.world().geoms.iter().filter_map(|g| g.contact.stiffness).fold(1e12, f64::min);
        let depth = 0.2 + 20.0 * self.scene.model.total_mass() * 9.81 / (0.5 * least);
        let soft = self.sim.stats().doubtful_patches > 0;
        for body in self.scene.loose.iter().filter(|_| !self.seen.fast && !soft) {
            let z = poses[*body].translation.z;
            let geoms = &self.scene.model.world().geoms;
            let surface =
                |s: &Shape| matches!(s, Shape::Mesh { convex: false, .. } | Shape::HeightField { .. });
            // Two rigid surfaces do not touch; the model warns about this.
            let unseen = |g: &stiction::model::Geom| surface(&g.shape) && surface(&geoms[0].shape);
            if z < -depth && !geoms.iter().any(|g| g.body == *body && unseen(g)) {
                let own = geoms.iter().find(|g| g.body == *body).map_or(String::new(), books::word);
                note(
                    Finding::Sank,
                    format!("{own} {body} on {} ended at z = {z:.3} m", books::word(&geoms[0])),
                    1,
                );
            }
        }
        let calm = self.sim.state().v.iter().all(|v| v.abs() < 2e-3);
        let undriven = !self.scene.pushes && self.scene.model.nu() == 0 && !self.scene.conveyor;
        if calm && undriven && !self.scene.held && self.sim.stats().steps > 100 {
            self.seen.at_rest = true;
            let carried = books::carried(&self.sim, &self.scene.model);
            if (carried - 1.0).abs() > 0.05 {
                note(Finding::NotCarried, format!("the ground carries {carried:.3} of the weight"), 1);
            }
        }
    }
}

fn continuous(scene: &Scene) -> bool {
    matches!(scene.options.method, Method::Continuous(_))
}

/// Content of a scene, for the count of scenes.
fn kinds(scene: &Scene) -> Vec<&'static str> {
    let world = scene.model.world();
    let compliant = |c: Compliance| c == Compliance::Compliant;
    let patches = world.geoms.iter().filter(|g| compliant(g.contact.compliance)).count();
    let trees = world.bodies.iter().any(|b| b.parent.is_some_and(|p| p > 0));
    let uneven = world
        .geoms
        .iter()
        .any(|g| matches!(g.shape, Shape::Mesh { convex: false, .. } | Shape::HeightField { .. }));
    let mut kinds: Vec<&'static str> = vec![match (continuous(scene), scene.options.accuracy.is_some()) {
        (true, _) => "continuous time",
        (_, true) => "steps by accuracy",
        _ => contact_model_name(scene.options.contact),
    }];
    for (there, what) in [
        (patches > 0, "patches"),
        (patches < world.geoms.len(), "points"),
        (uneven, "shapes that are not convex"),
        (trees, "trees"),
        (!world.equalities.is_empty(), "closed loops and couplings"),
        (!world.tendons.is_empty(), "tendons"),
        (!world.actuators.is_empty(), "actuators"),
        (scene.options.springs().is_some(), "tangential springs"),
        (scene.pushes, "pushes"),
        (scene.conveyor, "a conveyor"),
    ] {
        if there {
            kinds.push(what);
        }
    }
    kinds
}
