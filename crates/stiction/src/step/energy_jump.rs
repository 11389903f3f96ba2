//! Energy that constraints create in a step without a cause.
//!
//! A solve that converges still fails its purpose if the problem is wrong, for instance by a row whose Jacobian is a rounding error.
//! The kinetic energy T = ½ vᵀ M v, with M at the beginning of the step, says so. From A (v − v₀) = p + Jᵀ γ follows
//!
//! ```text
//! T(v) − T(v₀) = (p − (A − M)(v − v₀)) · (v₀ + v)/2 + W       W the work of constraints and contacts
//! ```
//!
//! exactly. W may be what contacts had stored (at most f₀ x₀ each), what servos with a limit supply, and what corrects
//! errors of equalities and limits. A step whose W is above all this, above the work of the other forces and above T(v₀) doubles the
//! energy without a cause. The bounds are generous: they are there to see a failure, not to account for energy.

use crate::forces;
use crate::forces::actuators::Servo;
use crate::step::assemble::{Assembly, Parts};
use stiction_convex::NormalLaw;

/// Speed with which limits and couplings correct their errors, m/s and rad/s.
const CORRECTION: f64 = 1.0;

/// Speed below which nothing is examined, m/s and rad/s.
const SLOW: f64 = 0.01;

/// Energy that the step from `v0` to `v` created without a cause, J; 0 if none.
pub(crate) fn created(parts: &Parts, assembly: &Assembly, v: &[f64]) -> f64 {
    let (world, free, v0) = (parts.model.world(), parts.free, &parts.kinematics.v);
    let trace = free.mass.trace();
    let slow = 0.5 * trace * SLOW * SLOW;
    // What rests ends here.
    if free.mass.energy_bound(v) <= slow {
        return 0.0;
    }
    let after = free.mass.energy(v);
    // Most steps end here.
    if after.is_nan() || after <= slow {
        return 0.0;
    }
    let before = free.mass.energy(v0);
    if after <= 2.0 * before || !accountable(parts) {
        return 0.0;
    }
    let work: f64 =
        (0..v.len()).map(|i| 0.5 * (free.impulse[i] - free.added[i] * (v[i] - v0[i])) * (v0[i] + v[i])).sum();
    let stored: f64 =
        assembly.problem.contacts().iter().map(|c| c.elastic_force.max(0.0) * c.penetration.max(0.0)).sum();
    let moments = &parts.kinematics.transmissions;
    let supplied: f64 = (parts.model.compiled().drives.drives.iter().zip(&free.servos).enumerate())
        .filter(|(row, (drive, servo))| drive.needs_row(servo, moments.row(*row).len()))
        .map(|(row, (drive, servo))| {
            let rate = moments.rate(row, v0).abs().max(moments.rate(row, v).abs());
            parts.dt
                * rate
                * largest_force(servo, rate, parts.dt).min(drive.force_range[1] - drive.force_range[0])
        })
        .sum();
    let errors = assembly.log.equality_errors.iter().map(|e| ((e.gap + e.angle) / parts.dt).powi(2));
    let couples = world.equalities.iter().any(|e| e.active);
    let limits = {
        let limits = &parts.model.compiled().limits;
        !(limits.coordinates.is_empty() && limits.balls.is_empty())
    };
    let corrected =
        errors.sum::<f64>() + if couples || limits { CORRECTION * CORRECTION } else { SLOW * SLOW };
    let allowed = before + work.abs() + stored + supplied + trace * corrected;
    let made = after - before - work;
    if made > allowed { made } else { 0.0 }
}

/// The largest force of a servo over a step in which it moves at up to `rate`.
fn largest_force(servo: &Servo, rate: f64, dt: f64) -> f64 {
    servo.force.abs() + (dt * servo.proportional + servo.derivative) * rate
}

/// Whether everything that can do work is in the sum: no force does any that is not, no surface moves and nothing bounces.
fn accountable(parts: &Parts) -> bool {
    let world = parts.model.world();
    forces::all().iter().all(|force| force.work_is_counted(world))
        && world.geoms.iter().all(|g| g.surface_velocity.is_none() && g.contact.restitution.is_none())
        && parts.options.normal_law == NormalLaw::Linear
}

#[cfg(test)]
mod tests {
    use crate::contact::query::ContactQuery;
    use crate::options::Options;
    use crate::step::assemble::{Assembly, Parts};
    use crate::step::free_motion::FreeMotion;
    use crate::step::kinematics::Kinematics;
    use crate::{Format, LoadOptions, Model};

    /// What a step of a swinging four-bar creates if its solution is the free motion times `factor`.
    fn created(factor: f64) -> f64 {
        let text = "<mujoco><worldbody><body><joint axis='0 1 0'/><geom size='0.1' pos='0.3 0 0'/><body pos='0.5 0 0'>\
            <joint axis='0 1 0'/><geom size='0.1' pos='0.3 0 0' contype='0'/></body></body></worldbody></mujoco>";
        let model = Model::from_string(text, Format::Mjcf, &LoadOptions::default()).unwrap();
        let options = Options { step: 1e-3, ..Options::default() };
        let mut state = model.default_state();
        state.v.copy_from_slice(&[1.0, -0.5]);
        let (mut kinematics, mut free) = (Kinematics::new(model.compiled()), FreeMotion::new(&model));
        kinematics.at(model.compiled(), &state);
        free.begin(&model, &mut kinematics);
        let contacts = ContactQuery::new(model.compiled());
        free.gather(&model, &state, &mut kinematics, contacts.touching(), options.step).unwrap();
        let mut v = vec![0.0; 2];
        free.velocities(&kinematics, &mut v);
        v.iter_mut().for_each(|v| *v *= factor);
        let calibration = Default::default();
        let parts = Parts {
            model: &model,
            options: &options,
            calibration: &calibration,
            softness: None,
            state: &state,
            kinematics: &kinematics,
            touching: contacts.touching(),
            free: &free,
            dt: options.step,
        };
        super::created(&parts, &Assembly::new(&model), &v)
    }

    #[test]
    fn only_a_motion_that_nothing_explains_is_reported() {
        assert_eq!(created(1.0), 0.0);
        assert_eq!(created(1.2), 0.0);
        assert!(created(3.0) > 0.0);
        // T grows by the square: 9 and 100 times that of the free motion, of which one is known.
        let ratio = created(10.0) / created(3.0);
        assert!((ratio - 99.0 / 8.0).abs() < 0.3, "{ratio}");
    }
}
