//! Energy accounting of a scene: sources and sinks of energy, and bounds on the energy stored in contacts.

use nalgebra::Vector3;
use stiction::contact::{FaceView, PatchView};
use stiction::convex::{RowCompliance, RowLaw};
use stiction::model::{Joint, JointKind, Pose};
use stiction::{Model, Simulation};

/// Energies since the beginning of a scene, J, and observed extremes.
#[derive(Default)]
pub struct Books {
    /// Energy at the beginning.
    begin: f64,
    /// Work of actuators and of pushes.
    pub driven: f64,
    /// Net work of contacts.
    pub contacts: f64,
    /// Work of limits and couplings, which store no energy at the beginning.
    pub couplings: f64,
    /// Largest kinetic and potential energies and works so far: the scale of the relative tolerances.
    pub scale: f64,
    /// Largest energy above the sum of the initial energy, `driven` and the discretisation error.
    pub gained: f64,
    /// Largest energy above the sum of all sources.
    pub without_cause: f64,
    /// Largest displacement of a body's point in a step, m.
    pub travel: f64,
    /// Energy stored in contacts in the first step: scenes may begin with overlapping bodies.
    held_at_first: Option<f64>,
    /// Kinetic and gravitational energy lost by the end of the last step.
    there: f64,
    /// Largest excess of the energy stored in contacts over the available energy: (stored, available), and the
    /// contact with the largest energy.
    pub deep: Option<(f64, f64, String)>,
    /// Energy added by the discretisation of the motion in steps of fixed length, and its maximum so far: see
    /// [`motion`].
    motion: f64,
    pub carried: f64,
    /// Energy that steps by accuracy may gain or lose, because only their ends are observed: the Coriolis forces c
    /// of their beginning add ½δt² c·M⁻¹c, its mass matrix changes the rotational energy by about (rotation per
    /// step)², and the work of a push varies if a velocity changes within the step.
    pub unresolved: f64,
    /// Energy added by conservative forces because positions use the final velocity of a step and kinetic energy
    /// uses its mean.
    lag: f64,
    /// Energy added by the springs of tendons, and its maximum so far, because their paths are curved and a step
    /// uses the moment arms of its beginning. Path discontinuities are counted as well: a side point passes behind
    /// the wrapping geom, or an end of the path enters it.
    paths: f64,
    pub crooked: f64,
    /// Whether a link rotated too far in a step. Energy accounting stops from then on.
    pub lost: bool,
    /// First body of each tree, and its end, by tree.
    trees: Vec<(usize, usize)>,
    poses: Vec<Pose>,
}

/// Contact energies of a step.
#[derive(Default)]
pub struct Balance {
    /// Largest energy released by a contact beyond its stored energy, above rounding, J. It must be zero.
    pub excess: f64,
    /// That contact.
    pub what: String,
    /// Energy added by the solver's tolerance, relative to the energies in the scene.
    pub residual: f64,
}

/// Extent of bodies and their shapes, m.
const REACH: f64 = 0.2;
/// Rotation of a link per step, rad, above which it is too fast for the step.
const TURN: f64 = 0.2;
/// Depth at which the core of the pressure field of the smallest solid is reached, m.
const CORE: f64 = 0.04;

impl Books {
    pub fn open(sim: &mut Simulation) -> Self {
        let energy = sim.energy();
        let scale = energy.kinetic.abs() + sim.model().total_mass() * 9.81;
        let poses = sim.poses().to_vec();
        let bodies = &sim.model().world().bodies;
        let mut trees: Vec<(usize, usize)> = Vec::new();
        for (b, body) in bodies.iter().enumerate().skip(1) {
            match trees.last_mut() {
                Some(last) if body.parent != Some(0) => last.1 = b + 1,
                _ => trees.push((b, b + 1)),
            }
        }
        Self { begin: energy.total(), scale, poses, trees, ..Self::default() }
    }

    /// Adds a step that began at positions `q0` and velocities `v0` to the accounting.
    pub fn step(&mut self, sim: &mut Simulation, q0: &[f64], v0: &[f64]) {
        let report = *sim.last_report();
        let dt = report.step;
        let poses = sim.poses().to_vec();
        let (way, turned, lifted) = self.follow(sim.model(), poses, dt);
        self.travel = self.travel.max(way);
        if self.lost {
            return;
        }
        if sim.options().error_controlled() {
            self.unresolved += coriolis(sim.model(), q0, v0, dt) + turned;
        } else {
            self.motion += lifted + motion(sim, q0, v0, dt);
            self.carried = self.carried.max(self.motion);
        }
        let (lag, paths) = potentials(sim, q0, v0, dt);
        self.lag += lag;
        self.paths += paths;
        self.crooked = self.crooked.max(self.paths);
        let state = sim.state();
        let pushed: f64 =
            state.applied.iter().zip(v0).zip(&state.v).map(|((f, a), b)| 0.5 * f * (a + b) * dt).sum();
        if sim.options().error_controlled() {
            let ends = state.applied.iter().zip(v0).zip(&state.v);
            self.unresolved += ends.map(|((f, a), b)| (0.25 * f * (b - a) * dt).abs()).sum::<f64>();
        }
        self.driven += pushed;
        let readings = sim.sensors().to_vec();
        self.driven += work_of_actuators(sim, &readings, q0, v0, dt);
        self.contacts -= report.friction_loss + report.normal_loss;
        self.couplings += work_of_couplings(sim, v0);
        let energy = sim.energy();
        self.scale = self.scale.max(energy.kinetic.abs()).max(self.driven.abs()).max(self.contacts.abs());
        self.scale = self.scale.max(self.couplings.abs()).max((energy.potential - self.begin).abs());
        let given = self.begin + self.driven + self.lag + self.motion + self.paths;
        let gained = energy.total() - given;
        let unexplained = gained - self.contacts - self.couplings;
        self.gained = self.gained.max(gained);
        self.without_cause = self.without_cause.max(unexplained);
        // The energy of patches is evaluated at the beginning of a step.
        let there = given + self.couplings.max(0.0) - energy.total();
        self.depths(sim, there.max(self.there));
        self.there = there;
    }

    /// Whether the energy ever exceeded the initial energy by more than all sources explain.
    pub fn verdict(&self) -> (bool, bool) {
        let tolerance = 1e-3 * self.scale + 2.0 * self.unresolved + 1e-6;
        (self.gained > tolerance, self.without_cause > tolerance)
    }

    /// Updates the poses after a step. Returns the largest displacement of a body's point, m, the sum over trees of
    /// (largest rotation)² times energy, and the energy gained by lifted weights, J.
    fn follow(&mut self, model: &Model, poses: Vec<Pose>, dt: f64) -> (f64, f64, f64) {
        let bodies = &model.world().bodies;
        let (mut furthest, mut turned, mut lifted) = (0.0_f64, 0.0, 0.0);
        for &(first, end) in &self.trees {
            let (mut energy, mut most) = (0.0, 0.0_f64);
            for b in first..end {
                let (before, after, mass) = (&self.poses[b], &poses[b], bodies[b].inertia.mass);
                let turn = (before.rotation.inverse() * after.rotation).angle();
                let way = (after.translation.vector - before.translation.vector).norm();
                furthest = furthest.max(way + REACH * turn);
                // The motion of a single free body is exact. Gravity compensation is an external force.
                let com = |x: &Pose| (x * nalgebra::Point3::from(bodies[b].inertia.com)).z;
                let (weight, borne) = (9.81 * mass, bodies[b].gravity_compensation);
                self.driven += weight * borne * (com(after) - com(before));
                lifted += weight * (1.0 - borne) * (com(after) - com(before));
                let along = if end - first > 1 { way } else { 0.0 };
                energy += 0.5 * mass * (along.powi(2) + 0.004 * turn.powi(2)) / dt.powi(2);
                most = most.max(turn);
            }
            // The rotation of a single free body conserves its energy at any speed.
            let alone =
                end - first == 1 && matches!(bodies[first].joints[..], [Joint { kind: JointKind::Free, .. }]);
            self.lost |= most > TURN && !alone;
            turned += most.powi(2) * energy;
        }
        self.poses = poses;
        (furthest, turned, lifted)
    }

    /// Compares the energy stored in contacts with the available energy. At first touch a body is as deep as it
    /// moved in the step (twice that if both move), which requires no energy. Any deeper penetration must have been
    /// caused by work: ½ k (x − travel)² of every point (less where it pushes with less), and a quarter of elastic
    /// force times depth of every patch, which is what a corner holds, whose force goes with the cube of its depth;
    /// together no more than the energy `there`.
    fn depths(&mut self, sim: &Simulation, there: f64) {
        let free = 2.0 * self.travel;
        let mut held = 0.0;
        let mut most = (0.0, 0.0, (0, 0));
        let mut hold = |energy: f64, depth: f64, geoms: (usize, usize)| {
            held += energy;
            if energy > most.0 {
                most = (energy, depth, geoms);
            }
        };
        let material = |geom: usize| sim.model().world().geoms[geom].contact.stiffness.unwrap_or(1e5);
        for c in sim.contacts() {
            // Points share the stiffness of their pair: k/4 is the least that one of a face's corners has.
            let (a, b) = (material(c.geom_a.0), material(c.geom_b.0));
            let deeper = (c.penetration - free).max(0.0);
            // Friction stores no energy. Near-rigid contacts of light bodies are softer than their material by
            // orders of magnitude (SAP), even softer under load, and are not springs.
            let (push, spring) = (c.force.dot(&c.normal).abs(), 0.25 * a * b / (a + b) * deeper);
            let energy = if push < 0.1 * spring { 0.0 } else { 0.5 * push.min(spring) * deeper };
            hold(energy, c.penetration, (c.geom_a.0, c.geom_b.0));
        }
        for p in sim.patch_views() {
            let depth = CORE * p.peak_extent.min(1.0);
            hold(elastic_force(&p) * (depth - free).max(0.0) / 4.0, depth, (p.geom_a.0, p.geom_b.0));
        }
        let there = 1.1 * there.max(0.0) + *self.held_at_first.get_or_insert(held) + 0.01 * self.scale + 1e-6;
        if held > there && self.deep.as_ref().is_none_or(|(worst, ..)| held > *worst) {
            let words = |geom: usize| word(&sim.model().world().geoms[geom]);
            let (_, depth, (a, b)) = most;
            let what = format!(
                "{depth:.4} m of {} {a} in {} {b} at t = {:.4} s",
                words(a),
                words(b),
                sim.state().time
            );
            self.deep = Some((held, there, what));
        }
    }
}

/// Description of the deepest contact point of the last step; empty if there is none.
pub fn deepest(sim: &Simulation) -> String {
    let words = |geom: usize| word(&sim.model().world().geoms[geom]);
    let deepest = sim.contacts().iter().max_by(|a, b| a.penetration.total_cmp(&b.penetration));
    deepest.map_or(String::new(), |c| {
        format!(
            " ({:.2e} m of {} {} in {} {})",
            c.penetration,
            words(c.geom_a.0),
            c.geom_a.0,
            words(c.geom_b.0),
            c.geom_b.0
        )
    })
}

/// Elastic force of a patch, N: the pressure of its faces, or their contact force if that is smaller (near-rigid
/// contacts of light bodies, SAP). Damping and friction store no energy. Pressure is linear over a face.
fn elastic_force(patch: &PatchView) -> f64 {
    let push = |face: FaceView| -> Vector3<f64> {
        let points = &patch.vertices[face.vertices.clone()];
        let pressure = &patch.pressure[face.vertices.clone()];
        let fan = (1..points.len().saturating_sub(1)).map(|k| {
            let area = 0.5 * (points[k] - points[0]).cross(&(points[k + 1] - points[0])).norm();
            area * (pressure[0] + pressure[k] + pressure[k + 1]) / 3.0
        });
        fan.sum::<f64>().min(face.force.dot(&face.normal)).max(0.0) * face.normal
    };
    patch.faces().map(push).sum::<Vector3<f64>>().norm()
}

/// Description of a geom.
pub fn word(geom: &stiction::model::Geom) -> String {
    match geom.contact.compliance {
        stiction::model::Compliance::Compliant => format!("compliant {}", geom.shape.word()),
        _ => geom.shape.word().to_string(),
    }
}

/// Energy that Coriolis forces c taken at the beginning of a step add to it: ½δt² c·M⁻¹c.
fn coriolis(model: &Model, q: &[f64], v: &[f64], dt: f64) -> f64 {
    let still = vec![0.0; v.len()];
    let moving = (model.forward_dynamics(q, v, &still), model.bias(q, v));
    let (Ok(a), Ok(a0), Ok(c), Ok(c0)) =
        (moving.0, model.forward_dynamics(q, &still, &still), moving.1, model.bias(q, &still))
    else {
        return 0.0;
    };
    (0..v.len()).map(|k| -0.5 * dt * dt * (a[k] - a0[k]) * (c[k] - c0[k])).sum::<f64>().max(0.0)
}

/// Energy added by the discretisation of the motion in a step from q₀, v₀ to q, v, except for lifted weights. Forces
/// and impulses add ½(v + v₀)·M(q₀)(v − v₀), with M at the beginning; the energy at the end is that of M(q). The
/// Coriolis forces c of the step, of trees those of its beginning, should compensate for the difference. The
/// remainder is ½v·(M(q) − M(q₀))v − ½δt c·(v + v₀). And weights W do the work W·vδt as if bodies moved along
/// straight lines.
fn motion(sim: &Simulation, q0: &[f64], v0: &[f64], dt: f64) -> f64 {
    let (model, state) = (sim.model(), sim.state());
    let still = vec![0.0; v0.len()];
    let energies = (model.energy(&state.q, &state.v), model.energy(q0, &state.v));
    let (Ok(end), Ok(begin), Ok(mut workspace), Ok(bearing)) =
        (energies.0, energies.1, model.at(q0, v0), model.bias(q0, &still))
    else {
        return 0.0;
    };
    let (mut bias, mut weights) = (still.clone(), still);
    model.multibody().mean_bias(&mut workspace, v0, dt, &mut bias);
    model.multibody().add_gravity_compensation(&mut workspace, &mut weights);
    let mut work = 0.0;
    for k in 0..v0.len() {
        work += 0.5 * dt * (bias[k] - bearing[k]) * (state.v[k] + v0[k]);
        work += dt * (bearing[k] - weights[k]) * state.v[k];
    }
    end.kinetic - begin.kinetic - work
}

/// Sum of two errors. Weights, springs, dampers and dry friction F do the work F·v̄δt on kinetic energy, with the
/// mean v̄ of the velocities before and after; the potential energy lost by weights and springs, and the energy
/// dissipated by dampers and dry friction, is F·vδt, with the final velocity only: −½δt F·(v − v₀) more in total.
/// The springs of tendons lose energy as on a straight path, but store the energy of the actual path.
fn potentials(sim: &Simulation, q0: &[f64], v0: &[f64], dt: f64) -> (f64, f64) {
    let (model, state) = (sim.model(), sim.state());
    // Under error control a step is two of half its length.
    let dt = if sim.options().error_controlled() { 0.5 * dt } else { dt };
    let still = vec![0.0; v0.len()];
    let (Ok(weights), Ok(mut workspace)) = (model.bias(q0, &still), model.at(q0, &still)) else {
        return (0.0, 0.0);
    };
    let mut springs = still;
    model.multibody().add_spring_forces(&state.q, &mut springs);
    model.multibody().add_gravity_compensation(&mut workspace, &mut springs);
    let change: Vec<f64> = state.v.iter().zip(v0).map(|(v, v0)| v - v0).collect();
    let damping = model.multibody().damping();
    let joints = |k: usize| springs[k] - weights[k] - damping[k] * state.v[k];
    let mut lag: f64 = (0..v0.len()).map(|k| -0.5 * dt * joints(k) * change[k]).sum();
    let (problem, solver) = (sim.last_problem(), sim.last_solver());
    for row in 0..problem.row_count() {
        if matches!(problem.row_law(row), Some(RowLaw::DryFriction { .. })) {
            let change = solver.row_velocities()[row] - problem.row_velocity(row, v0);
            lag -= 0.5 * solver.row_impulses()[row] * change;
        }
    }
    let mut paths = 0.0;
    if sim.options().error_controlled() {
        return (lag, paths); // of which the middle would be needed
    }
    let (Ok(before), Ok(after), Ok(arms)) =
        (model.tendon_lengths(q0), model.tendon_lengths(&state.q), model.tendon_moments(q0))
    else {
        return (lag, paths);
    };
    for (t, tendon) in model.world().tendons.iter().enumerate() {
        let along = |v: &[f64]| v.iter().enumerate().map(|(k, v)| arms[(t, k)] * v).sum::<f64>();
        let [low, high] = model.tendon_rest()[t];
        let stretch = |length: f64| (length - high).max(0.0) - (low - length).max(0.0);
        let straight = stretch(before[t] + dt * along(&state.v));
        lag += 0.5 * dt * (tendon.stiffness * straight + tendon.damping * along(&state.v)) * along(&change);
        paths += 0.5 * tendon.stiffness * (stretch(after[t]).powi(2) - straight.powi(2));
    }
    (lag, paths)
}

/// Work of the actuators over a step, from the sensors of their forces: force times mean rate, with the arms of the step.
fn work_of_actuators(sim: &Simulation, readings: &[f64], q0: &[f64], v0: &[f64], dt: f64) -> f64 {
    let (v, Ok(arms)) = (&sim.state().v, sim.model().actuator_moments(q0)) else { return 0.0 };
    let rate = |row: usize| (0..v0.len()).map(|k| 0.5 * arms[(row, k)] * (v0[k] + v[k])).sum::<f64>();
    readings.iter().take(arms.nrows()).enumerate().map(|(row, force)| force * rate(row) * dt).sum()
}

/// Work of limits and equalities: impulse times mean velocity. Actuators are counted by their sensors, dry friction
/// only dissipates, and springs of tendons that may be slack (limits without damping in the problem) are potentials.
fn work_of_couplings(sim: &Simulation, v0: &[f64]) -> f64 {
    let (problem, solver) = (sim.last_problem(), sim.last_solver());
    let counts = |row: &usize| match problem.row_law(*row) {
        Some(RowLaw::Limit { compliance: RowCompliance::Spring { relaxation_time, .. }, .. }) => {
            *relaxation_time > 0.0
        }
        Some(RowLaw::Limit { .. } | RowLaw::Equality { .. }) => true,
        _ => false,
    };
    let mean = |row: usize| 0.5 * (solver.row_velocities()[row] + problem.row_velocity(row, v0));
    (0..problem.row_count()).filter(counts).map(|row| solver.row_impulses()[row] * mean(row)).sum()
}

/// Compares the work of a step's contacts, γ·v, with the energy stored in their springs, U = ½kx² (and ½k_tδ²). No
/// contact may release more than max(0, U₀ − U), with U at the end of the step's straight motion
/// (`docs/contact.md`).
pub fn balance(sim: &Simulation) -> Balance {
    let (problem, solver) = (sim.last_problem(), sim.last_solver());
    let dt = problem.time_step();
    let mut balance = Balance::default();
    for (c, entry) in problem.contacts().iter().enumerate() {
        let in_frame = |x: &Vector3<f64>| entry.frame.tr_mul(x);
        let (gamma, v) = (in_frame(&solver.contact_impulses()[c]), in_frame(&solver.contact_velocities()[c]));
        // Of a face, too, the law is that of a spring: f₀ − k δt v.
        let x0 = if entry.stiffness > 0.0 { entry.elastic_force / entry.stiffness } else { 0.0 };
        let x = x0 - dt * v.z;
        let stored = |x: f64| 0.5 * entry.stiffness * x.max(0.0).powi(2);
        let mut most = (stored(x0) - stored(x)).max(0.0);
        if entry.stiffness == 0.0 {
            most = entry.elastic_force * (dt * v.z).max(0.0); // a face whose pressure is the same at any depth
        }
        // Velocities have a relative rounding error of about 1e-16, which stiffness converts to energy.
        let mut noise = entry.stiffness * (dt * v.z).hypot(x0).powi(2);
        if let Some(spring) = &entry.spring {
            let stored = |stretch: f64| 0.5 * spring.stiffness * stretch.powi(2);
            most += (stored(spring.stretch.norm()) - stored(solver.stretches()[c].norm())).max(0.0);
            noise += (spring.stiffness + spring.damping / dt)
                * (dt * v.xy().norm()).hypot(spring.stretch.norm()).powi(2);
        }
        let gave = gamma.dot(&v);
        let rounding = 1e-9 * gamma.norm() * v.norm() + 1e-12 * noise;
        if gave > most + rounding && gave - most > balance.excess {
            balance.excess = gave - most;
            balance.what = format!(
                "k {:.3e} N/m, f0 {:.3e} N, depth {:.3e} m, gave {gave:.3e} J of {most:.3e} J, impulse {:.3e} {:.3e} {:.3e} N s, \
                 velocity {:.3e} {:.3e} {:.3e} m/s",
                entry.stiffness,
                entry.elastic_force,
                entry.penetration,
                gamma.x,
                gamma.y,
                gamma.z,
                v.x,
                v.y,
                v.z
            );
        }
    }
    let work = solver.work(problem);
    let size = work.kinetic.abs() + work.forces.abs() + work.impulses.abs() + work.numerical;
    balance.residual = if size > 0.0 { work.residual().max(0.0) / size } else { 0.0 };
    balance
}

/// Vertical force that the world's geoms exert on everything else, over the weight; for scenes at rest on the ground.
pub fn carried(sim: &Simulation, model: &Model) -> f64 {
    let mut force = 0.0;
    for c in sim.contacts() {
        force += if c.body_a == 0 {
            c.force.z
        } else if c.body_b == 0 {
            -c.force.z
        } else {
            0.0
        };
    }
    for p in sim.patch_views() {
        force += if p.body_a == 0 {
            p.force.z
        } else if p.body_b == 0 {
            -p.force.z
        } else {
            0.0
        };
    }
    let bodies = model.world().bodies.iter();
    let weight: f64 = bodies.map(|b| 9.81 * b.inertia.mass * (1.0 - b.gravity_compensation)).sum();
    force / weight
}
