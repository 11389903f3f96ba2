//! A contact as defined by the builder.

use super::{NormalLawId, check::finite};
use crate::error::{ProblemError, require};
use crate::friction::ellipse::Ellipse;
use nalgebra::{Matrix3, Vector2, Vector3};
use stiction_base::fused::Fused;

/// A tangential spring at a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TangentialSpring {
    /// k_t, N/m.
    pub stiffness: f64,
    /// c_t, N s/m.
    pub damping: f64,
    /// K, N/m: if positive, the damping k_t · 2/√(K w) is added to c_t, with the Delassus estimate w of the contact. If the
    /// springs of all contacts between two bodies add up to K, a mode that moves the contact as freely as w says is
    /// critically damped, however many contacts there are. With an ellipse, spin about the normal is critically damped if
    /// that is slower.
    pub critical: f64,
    /// Stretch δ0 at the previous state in the contact frame's x and y, m.
    pub stretch: Vector2<f64>,
    /// Turn of b against a that the spring holds, about the contact frame's axes, rad; only with an ellipse.
    pub turn: Vector3<f64>,
}

impl TangentialSpring {
    /// A spring of stiffness k_t (N/m) and damping c_t (N s/m) with the stretch δ0 (m, contact frame) and no turn.
    pub fn new(stiffness: f64, damping: f64, stretch: Vector2<f64>) -> Self {
        Self { stiffness, damping, critical: 0.0, stretch, turn: Vector3::zeros() }
    }

    /// The same with critical damping, where the springs between the two bodies add up to `stiffness` (N/m).
    pub fn critically_damped(self, stiffness: f64) -> Self {
        Self { critical: stiffness, ..self }
    }

    /// The stretch as scaled slip.
    pub(crate) fn slip(&self, ellipse: Option<&Ellipse>) -> [f64; 5] {
        match ellipse {
            None => [self.stretch.x, self.stretch.y, 0.0, 0.0, 0.0],
            Some(e) => e.slip([self.stretch.x, self.stretch.y, 0.0], self.turn.into()),
        }
    }
}

/// A contact point, or a face of a contact patch, of the pair it is added to.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactEntry {
    /// Point from the pair's reference point P, world axes, m.
    pub r: Vector3<f64>,
    /// R_wc: columns are the contact frame's axes in world; z is the normal from a into b.
    pub frame: Matrix3<f64>,
    /// Penetration x0, m (negative when apart). Used by laws other than the linear one.
    pub penetration: f64,
    /// Elastic force f0 at the previous state, N: k x0 for a point, area times pressure for a face.
    pub elastic_force: f64,
    /// Stiffness k, N/m (N/m^1.5 for Hertz).
    pub stiffness: f64,
    /// Hunt & Crossley dissipation d, s/m (Lagged and Similar).
    pub dissipation: f64,
    /// Relaxation time τ_d, s (SAP).
    pub relaxation_time: f64,
    /// Static friction coefficient.
    pub friction_static: f64,
    /// Dynamic friction coefficient.
    pub friction_dynamic: f64,
    /// Prescribed velocity added to that of b relative to a at the point, world axes, m/s.
    pub bias: Vector3<f64>,
    /// The normal law.
    pub normal_law: NormalLawId,
    /// A tangential spring in place of the model's friction.
    pub spring: Option<TangentialSpring>,
    /// Scales of the slip, if friction depends on its direction or resists turning; the friction coefficients are those of a
    /// scale of 1.
    pub ellipse: Option<Ellipse>,
    /// Factor of the limits of stiffness, at least 1: how much heavier what the contact may have to carry is than the bodies that
    /// it is between.
    pub load: f64,
}

impl ContactEntry {
    /// A contact of penetration x0 and stiffness k at `r` with the given frame, one friction coefficient and
    /// no dissipation; set further fields by struct update.
    pub fn point(
        r: Vector3<f64>,
        frame: Matrix3<f64>,
        penetration: f64,
        stiffness: f64,
        friction: f64,
    ) -> Self {
        Self {
            r,
            frame,
            penetration,
            elastic_force: stiffness * penetration,
            stiffness,
            dissipation: 0.0,
            relaxation_time: 0.0,
            friction_static: friction,
            friction_dynamic: friction,
            bias: Vector3::zeros(),
            normal_law: NormalLawId::default(),
            spring: None,
            ellipse: None,
            load: 1.0,
        }
    }

    /// Fast check that there is neither spring nor ellipse and that every number is finite and, if required, at least 0.
    /// [`check_contact`] identifies the error.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        let (r, b, f) = (&self.r, &self.bias, &self.frame);
        // Zero times a number is zero only if the number is finite.
        let zeros = [
            [r.x, r.y, r.z, b.x, b.y, b.z],
            [f.m11, f.m21, f.m31, f.m12, f.m22, f.m32],
            [f.m13, f.m23, f.m33, self.penetration, self.elastic_force, self.stiffness],
            [
                self.dissipation,
                self.relaxation_time,
                self.friction_static,
                self.friction_dynamic,
                self.load,
                0.0,
            ],
        ]
        .map(|row| row.iter().fold(0.0, |sum, x| 0.0f64.fused(*x, sum)));
        let at_least_0 = (self.stiffness >= 0.0)
            & (self.dissipation >= 0.0)
            & (self.relaxation_time >= 0.0)
            & (self.friction_static >= 0.0)
            & (self.friction_dynamic >= 0.0)
            & (self.load >= 1.0);
        self.spring.is_none()
            & self.ellipse.is_none()
            & at_least_0
            & ((zeros[0] + zeros[1]) + (zeros[2] + zeros[3]) == 0.0)
    }
}

/// Returns the error of an entry, if any.
pub(super) fn check_contact(entry: &ContactEntry) -> Result<(), ProblemError> {
    finite("contact point", entry.r.as_slice())?;
    finite("contact frame", entry.frame.as_slice())?;
    finite("contact bias", entry.bias.as_slice())?;
    let at_least_0 = |what, x: f64| require(x >= 0.0 && x.is_finite(), what, x, "at least 0 and finite");
    at_least_0("contact stiffness", entry.stiffness)?;
    at_least_0("dissipation", entry.dissipation)?;
    at_least_0("relaxation time", entry.relaxation_time)?;
    at_least_0("static friction", entry.friction_static)?;
    at_least_0("dynamic friction", entry.friction_dynamic)?;
    require(entry.load >= 1.0 && entry.load.is_finite(), "load", entry.load, "at least 1 and finite")?;
    require(entry.penetration.is_finite(), "penetration", entry.penetration, "finite")?;
    require(entry.elastic_force.is_finite(), "elastic force", entry.elastic_force, "finite")?;
    if let Some(ellipse) = &entry.ellipse {
        ellipse.scales.iter().try_for_each(|s| at_least_0("scale of a slip", *s))?;
    }
    if let Some(spring) = &entry.spring {
        at_least_0("tangential stiffness", spring.stiffness)?;
        at_least_0("tangential damping", spring.damping)?;
        at_least_0("stiffness for critical damping", spring.critical)?;
        finite("tangential stretch", spring.stretch.as_slice())?;
        finite("turn of a tangential spring", spring.turn.as_slice())?;
    }
    Ok(())
}

/// A frame R_wc whose z-axis is the given unit normal; a pure function of it.
pub fn frame_from_normal(normal: &Vector3<f64>) -> Matrix3<f64> {
    // Duff et al. 2017: continuous but for the sign flip of z.
    let (x, y, z) = (normal.x, normal.y, normal.z);
    let sign = 1.0_f64.copysign(z);
    let a = -1.0 / (sign + z);
    let b = x * y * a;
    let t1 = Vector3::new(1.0 + sign * x * x * a, sign * b, -sign * x);
    let t2 = Vector3::new(b, sign + y * y * a, -y);
    Matrix3::from_columns(&[t1, t2, *normal])
}
