//! Bushings: springs and dampers in six directions between a frame A and a frame C.
//!
//! ```text
//! torque on C   N_Aᵀ τ,       τᵢ = −(kᵢ qᵢ + dᵢ q̇ᵢ),   q̇ = N_A ω_AC          q the roll, pitch and yaw of R_AC
//! force on C    R_B f,        fᵢ = −(kᵢ xᵢ + dᵢ ẋᵢ),   x = R_Bᵀ p_AoCo        at B's origin, half-way from Ao to Co
//!               ẋ = R_Bᵀ (v_ACo − ½ ω_AC × p_AoCo)                           the relative velocity at B's origin
//! ```
//!
//! R_B is halfway between the orientations of A and C. Each of the six directions is therefore one row on the
//! relative twist about B's origin, with the rate q̇ᵢ or ẋᵢ. The force or torque acts along this row, so virtual
//! work is exact. In a step the rows keep their directions, and springs and dampers are evaluated at its end,
//! −(k (q + δt q̇⁺) + d q̇⁺), so any stiffness is stable. The true rate of B's axes is ½ ω_AC if C rotates about a fixed
//! axis, and otherwise to second order in the angle. If the stiffness differs by direction, rotations about changing
//! axes therefore do a small amount of work on the springs. (Drake's law has the same property, and the two agree.)

use super::{At, Force, StepAt, WrenchVisitor};
use crate::error::InputError;
use crate::methods::support::{Feature, MethodKind, Support};
use crate::model::Compiled;
use crate::step::assemble::Rows;
use crate::step::kinematics::{Kinematics, twist_at};
use nalgebra::{Point3, UnitQuaternion, Vector3, Vector6};
use stiction_convex::{ProblemError, RowLaw};
use stiction_model::{Bushing, Pose};

/// Least cosine of the pitch at which the angles determine C's orientation: half a degree from a right angle.
const LEAST_COSINE: f64 = 0.008_726_535_498_373_935;

/// A bushing's six stretches and the directions [angular; linear], world axes, about B's origin, along which they grow.
pub(crate) struct Stretch {
    /// B's origin in the world, m.
    pub point: Vector3<f64>,
    /// Roll, pitch, yaw, rad; x, y, z, m.
    pub values: [f64; 6],
    pub directions: [Vector6<f64>; 6],
    cosine: f64,
}

impl Stretch {
    pub fn new(bushing: &Bushing, x_wb: &[Pose]) -> Self {
        let x_wa = x_wb[bushing.body_a] * bushing.frame_a;
        let x_wc = x_wb[bushing.body_c] * bushing.frame_c;
        let r_ac = x_wa.rotation.inverse() * x_wc.rotation;
        let m = r_ac.to_rotation_matrix();
        let cosine = m[(0, 0)].hypot(m[(1, 0)]);
        let (roll, yaw) = (m[(2, 1)].atan2(m[(2, 2)]), m[(1, 0)].atan2(m[(0, 0)]));
        let pitch = (-m[(2, 0)]).atan2(cosine);
        // Rows of N_A. A pitch too near a right angle is reported as an error before they are used.
        let ((s, c), bound) = (yaw.sin_cos(), cosine.max(LEAST_COSINE));
        let tangent = -m[(2, 0)] / bound;
        let rates = [
            Vector3::new(c / bound, s / bound, 0.0),
            Vector3::new(-s, c, 0.0),
            Vector3::new(c * tangent, s * tangent, 1.0),
        ];
        // Half of the rotation: 1 + q, from the quaternion of the shorter rotation.
        let q = if r_ac.w < 0.0 { -r_ac.into_inner() } else { r_ac.into_inner() };
        let half = UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(1.0 + q.w, q.i, q.j, q.k));
        let r_wb = x_wa.rotation * half;
        let p_ac = x_wc.translation.vector - x_wa.translation.vector;
        let x = r_wb.inverse() * p_ac;
        let mut directions = [Vector6::zeros(); 6];
        for k in 0..3 {
            directions[k].fixed_rows_mut::<3>(0).copy_from(&(x_wa.rotation * rates[k]));
            directions[3 + k].fixed_rows_mut::<3>(3).copy_from(&(r_wb * Vector3::ith(k, 1.0)));
        }
        let middle =
            nalgebra::center(&Point3::from(x_wa.translation.vector), &x_wc.translation.vector.into());
        Self { point: middle.coords, values: [roll, pitch, yaw, x.x, x.y, x.z], directions, cosine }
    }

    /// Whether the angles determine C's orientation.
    fn regular(&self) -> bool {
        self.cosine >= LEAST_COSINE
    }
}

/// Stiffness and damping of the six directions.
fn constants(bushing: &Bushing) -> [(f64, f64); 6] {
    let Bushing { torque_stiffness: kt, torque_damping: dt, force_stiffness: kf, force_damping: df, .. } =
        bushing;
    std::array::from_fn(|k| if k < 3 { (kt[k], dt[k]) } else { (kf[k - 3], df[k - 3]) })
}

const FEATURES: [Feature; 1] = [Feature {
    name: "bushings",
    find: |world, _| {
        let b = world.bushings.first()?;
        Some(format!("{}: bushing \"{}\" ties bodies by springs and dampers", b.source, b.name))
    },
    support: Support::EVERYWHERE
        .without(MethodKind::Continuous, "remove it")
        .without(MethodKind::Learned, "remove it")
        .without(MethodKind::Rigid, "remove it")
        .note(MethodKind::Derivatives, "by differences")
        .without(MethodKind::Gpu, "remove it"),
}];

pub(crate) struct Bushings;

impl Force for Bushings {
    fn features(&self) -> &'static [Feature] {
        &FEATURES
    }

    fn work_is_counted(&self, world: &stiction_model::World) -> bool {
        world.bushings.is_empty()
    }

    /// The angles must be defined at these poses.
    fn check(&self, compiled: &Compiled, kinematics: &Kinematics) -> Result<(), InputError> {
        let turns =
            |b: &&Bushing| b.torque_stiffness != Vector3::zeros() || b.torque_damping != Vector3::zeros();
        let mut turning = compiled.world.bushings.iter().filter(turns);
        match turning.find(|b| !Stretch::new(b, &kinematics.x_wb).regular()) {
            Some(b) => Err(InputError::GimbalLock { bushing: b.name.clone() }),
            None => Ok(()),
        }
    }

    /// Six rows of each.
    fn rows(&self, at: &StepAt, rows: &mut Rows) -> Result<(), ProblemError> {
        let StepAt { compiled, state, kinematics, .. } = *at;
        for bushing in &compiled.world.bushings {
            let bodies = (bushing.body_a, bushing.body_c);
            let carriers = (compiled.carrier[bodies.0], compiled.carrier[bodies.1]);
            if carriers.0 == carriers.1 {
                continue; // welded together: no relative motion
            }
            let stretch = Stretch::new(bushing, &kinematics.x_wb);
            let pair = rows.pair(compiled, state, kinematics, carriers, stretch.point)?;
            for (k, (proportional, derivative)) in constants(bushing).into_iter().enumerate() {
                if proportional == 0.0 && derivative == 0.0 {
                    continue;
                }
                let law = RowLaw::Pd {
                    proportional,
                    derivative,
                    position_error: stretch.values[k],
                    target_velocity: 0.0,
                    feed_forward: 0.0,
                    effort_limit: f64::INFINITY,
                };
                rows.add_coupling(pair, bodies, stretch.point, stretch.directions[k], law)?;
            }
        }
        Ok(())
    }

    fn passive(&self) -> bool {
        true
    }

    fn conservative(&self, at: &mut At, out: &mut [f64]) {
        add_forces(at, |(k, _), x, _| k * x, out);
    }

    fn other(&self, at: &mut At, out: &mut [f64]) {
        add_forces(at, |(_, d), _, rate| d * rate, out);
    }

    fn wrenches(&self, at: &At, visit: &mut WrenchVisitor) {
        wrenches(at, |(k, d), x, rate| k * x + d * rate, visit);
    }

    /// ½ k x² of each direction.
    fn energy(&self, at: &At) -> f64 {
        let stored = |b: &Bushing| {
            let stretch = Stretch::new(b, &at.kinematics.x_wb);
            constants(b).iter().zip(stretch.values).map(|((k, _), x)| 0.5 * k * x * x).sum::<f64>()
        };
        at.compiled.world.bushings.iter().map(stored).sum()
    }
}

/// Visits the wrenches on C and A of every bushing whose directions pull with `pull(constants, stretch, rate)`.
fn wrenches(at: &At, pull: impl Fn((f64, f64), f64, f64) -> f64, visit: &mut WrenchVisitor) {
    let (multibody, kinematics) = (&at.compiled.multibody, &*at.kinematics);
    for bushing in &at.compiled.world.bushings {
        let stretch = Stretch::new(bushing, &kinematics.x_wb);
        let twist = |body: usize| twist_at(multibody, &kinematics.workspace, body, &stretch.point);
        let relative = twist(bushing.body_c) - twist(bushing.body_a);
        let mut wrench = Vector6::zeros();
        for (constants, (x, direction)) in
            constants(bushing).into_iter().zip(stretch.values.iter().zip(&stretch.directions))
        {
            wrench -= direction * pull(constants, *x, direction.dot(&relative));
        }
        visit(bushing.body_c, &stretch.point, &wrench);
        visit(bushing.body_a, &stretch.point, &-wrench);
    }
}

/// Adds the generalised forces of such wrenches.
fn add_forces(at: &At, pull: impl Fn((f64, f64), f64, f64) -> f64, out: &mut [f64]) {
    let (multibody, workspace) = (&at.compiled.multibody, &at.kinematics.workspace);
    wrenches(at, pull, &mut |body, point, wrench| multibody.add_wrench(workspace, body, point, wrench, out));
}
