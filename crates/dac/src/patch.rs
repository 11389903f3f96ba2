//! What touches: the points of a body on a stationary surface, as one patch in its own frame.
//!
//! Everything is written for the patch's centre and axes [t1 t2 n], with lengths over L = √(tr I / 2m) and impulses
//! over the mass, so that all quantities but velocities are without unit:
//!
//! ```text
//! t = [ω L; v]            twist of the body at the centre, m/s
//! w = [τ / L; f] / m      wrench impulse there, m/s
//! t⁺ = t + g w            g the mobility, 6 × 6
//! u_i = B_i t             velocity of point i, B_i = [−ρ_i× 1]
//! ```

use crate::error::LawError;
use crate::instant::BodyInstant;
use nalgebra::{DMatrix, DVector, Matrix3, Matrix3x6, Matrix6, Vector3, Vector6};

/// The dimension of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchKind {
    /// A single point: no friction torque.
    Point,
    /// Points on a line.
    Line,
    /// Points that span an area.
    Surface,
}

impl PatchKind {
    /// All of them, by dimension.
    pub const ALL: [Self; 3] = [Self::Point, Self::Line, Self::Surface];

    /// In files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Line => "line",
            Self::Surface => "surface",
        }
    }
}

/// A patch at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Its dimension.
    pub kind: PatchKind,
    /// Columns t1, t2, n in the world, n out of the surface into the body.
    pub frame: Matrix3<f64>,
    /// Mean of the points, from the centre of mass, patch frame, over L.
    pub centre: Vector3<f64>,
    /// The points from the centre, patch frame, over L.
    pub offsets: Vec<Vector3<f64>>,
    /// Mobility g.
    pub mobility: Matrix6<f64>,
    /// Twist t at the centre, m/s.
    pub twist: Vector6<f64>,
    /// L, m.
    pub length: f64,
    /// The body's mass, kg.
    pub mass: f64,
}

/// Share of L below which an extent counts as none.
const FLAT: f64 = 0.02;

impl Patch {
    /// The patch of a body's `points` (world, m) on a surface with the axes `frame` = [t1 t2 n].
    pub fn new(body: &BodyInstant, frame: &Matrix3<f64>, points: &[Vector3<f64>]) -> Result<Self, LawError> {
        if points.is_empty() {
            return Err(LawError::NoPoints);
        }
        let inverse = body.inverse_inertia()?;
        if !points.iter().flatten().all(|x| x.is_finite()) {
            return Err(LawError::Number { what: "a contact point", positive: false });
        }
        let off = (frame.transpose() * frame - Matrix3::identity()).norm();
        if off.is_nan() || off > 1e-9 || frame.determinant() < 0.0 {
            return Err(LawError::Frame);
        }
        let length = body.length();
        let mean = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
        let centre = frame.tr_mul(&(mean - body.com)) / length;
        let offsets: Vec<_> = points.iter().map(|p| frame.tr_mul(&(p - mean)) / length).collect();
        // m L² I⁻¹ in the patch's axes, then moved to the centre.
        let a = frame.transpose() * inverse * frame * (body.mass * length * length);
        let x = centre.cross_matrix();
        let mut mobility = Matrix6::zeros();
        mobility.fixed_view_mut::<3, 3>(0, 0).copy_from(&a);
        mobility.fixed_view_mut::<3, 3>(0, 3).copy_from(&(a * x));
        mobility.fixed_view_mut::<3, 3>(3, 0).copy_from(&-(x * a));
        mobility.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Matrix3::identity() - x * a * x));
        let mobility = 0.5 * (mobility + mobility.transpose());
        let spin = frame.tr_mul(&body.twist.fixed_rows::<3>(0)) * length;
        let linear = frame.tr_mul(&body.twist.fixed_rows::<3>(3)) + spin.cross(&centre);
        let mut twist = Vector6::zeros();
        twist.fixed_rows_mut::<3>(0).copy_from(&spin);
        twist.fixed_rows_mut::<3>(3).copy_from(&linear);
        let kind = kind(&offsets);
        Ok(Self { kind, frame: *frame, centre, offsets, mobility, twist, length, mass: body.mass })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Never: a patch has points.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// B_i: velocity of point i from the twist.
    pub fn row(&self, i: usize) -> Matrix3x6<f64> {
        let mut row = Matrix3x6::zeros();
        row.fixed_view_mut::<3, 3>(0, 0).copy_from(&-self.offsets[i].cross_matrix());
        row.fixed_view_mut::<3, 3>(0, 3).fill_with_identity();
        row
    }

    /// All B_i, one below the other, rows [t1 t2 n] a point.
    pub fn rows(&self) -> DMatrix<f64> {
        let mut rows = DMatrix::zeros(3 * self.len(), 6);
        for i in 0..self.len() {
            rows.fixed_view_mut::<3, 6>(3 * i, 0).copy_from(&self.row(i));
        }
        rows
    }

    /// Velocity of every point, [t1 t2 n] a point, for a twist at the centre.
    pub fn velocities(&self, twist: &Vector6<f64>) -> DVector<f64> {
        let mut u = DVector::zeros(3 * self.len());
        for i in 0..self.len() {
            u.fixed_rows_mut::<3>(3 * i).copy_from(&(self.row(i) * twist));
        }
        u
    }

    /// The largest speed of a point, m/s.
    pub fn speed(&self, twist: &Vector6<f64>) -> f64 {
        (0..self.len()).map(|i| (self.row(i) * twist).norm()).fold(0.0, f64::max)
    }

    /// A wrench impulse at the centre, over the mass, as [torque about the centre of mass; force] in the world,
    /// N m s and N s.
    pub fn wrench_w(&self, wrench: &Vector6<f64>) -> Vector6<f64> {
        let torque = wrench.fixed_rows::<3>(0).into_owned();
        let force = wrench.fixed_rows::<3>(3).into_owned();
        let moment = torque + self.centre.cross(&force);
        let mut world = Vector6::zeros();
        world.fixed_rows_mut::<3>(0).copy_from(&(self.frame * moment * (self.mass * self.length)));
        world.fixed_rows_mut::<3>(3).copy_from(&(self.frame * force * self.mass));
        world
    }

    /// The inverse of [`Patch::wrench_w`].
    pub fn wrench_local(&self, world: &Vector6<f64>) -> Vector6<f64> {
        let force = self.frame.tr_mul(&world.fixed_rows::<3>(3)) / self.mass;
        let moment = self.frame.tr_mul(&world.fixed_rows::<3>(0)) / (self.mass * self.length);
        let mut wrench = Vector6::zeros();
        wrench.fixed_rows_mut::<3>(0).copy_from(&(moment - self.centre.cross(&force)));
        wrench.fixed_rows_mut::<3>(3).copy_from(&force);
        wrench
    }

    /// The mobility at the centre that belongs to another response M⁻¹ of the body ([torque about the centre of mass;
    /// force] to [angular; linear], world): that of a link held by a joint.
    pub fn mobility_of(&self, response: &Matrix6<f64>) -> Matrix6<f64> {
        // Columns: what each unit wrench at the centre does, in the world, as a twist at the centre.
        let mut mobility = Matrix6::zeros();
        for k in 0..6 {
            let twist = response * self.wrench_w(&Vector6::ith(k, 1.0));
            let spin = self.frame.tr_mul(&twist.fixed_rows::<3>(0)) * self.length;
            let linear = self.frame.tr_mul(&twist.fixed_rows::<3>(3)) + spin.cross(&self.centre);
            mobility.fixed_view_mut::<3, 1>(0, k).copy_from(&spin);
            mobility.fixed_view_mut::<3, 1>(3, k).copy_from(&linear);
        }
        0.5 * (mobility + mobility.transpose())
    }

    /// The direction of a line patch in the surface.
    pub(crate) fn direction(&self) -> Vector3<f64> {
        let far = self.offsets.iter().max_by(|a, b| a.xy().norm().total_cmp(&b.xy().norm()));
        far.and_then(|d| Vector3::new(d.x, d.y, 0.0).try_normalize(0.0)).unwrap_or_else(Vector3::x)
    }
}

/// The wrench impulse of friction (p₁, p₂, m_n / L) at the centre: T_f of Algorithm 1.
pub(crate) fn friction_wrench(f: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(0.0, 0.0, f.z, f.x, f.y, 0.0)
}

fn kind(offsets: &[Vector3<f64>]) -> PatchKind {
    let mut s = nalgebra::Matrix2::zeros();
    for o in offsets {
        s += o.xy() * o.xy().transpose();
    }
    // Extents along the two principal directions.
    let values = s.symmetric_eigenvalues();
    let (large, small) = (values.max().max(0.0).sqrt(), values.min().max(0.0).sqrt());
    match (large > FLAT, small > FLAT) {
        (false, _) => PatchKind::Point,
        (true, false) => PatchKind::Line,
        (true, true) => PatchKind::Surface,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;

    fn body() -> BodyInstant {
        BodyInstant {
            mass: 2.0,
            inertia_w: Matrix3::from_diagonal(&Vector3::new(0.01, 0.02, 0.025)),
            com: Vector3::new(0.1, -0.2, 0.3),
            twist: Vector6::new(1.0, -2.0, 0.5, 0.3, 0.1, -1.0),
        }
    }

    #[test]
    fn points_lines_and_areas_are_told_apart() {
        let frame = Matrix3::identity();
        let p = |x: f64, y: f64| Vector3::new(x, y, 0.0);
        let kind = |points: &[Vector3<f64>]| Patch::new(&body(), &frame, points).unwrap().kind;
        assert_eq!(kind(&[p(0.1, 0.1)]), PatchKind::Point);
        assert_eq!(kind(&[p(0.1, 0.1), p(0.1, 0.1001)]), PatchKind::Point);
        assert_eq!(kind(&[p(0.1, 0.1), p(0.2, 0.3)]), PatchKind::Line);
        assert_eq!(kind(&[p(0.1, 0.1), p(0.2, 0.2), p(0.3, 0.3)]), PatchKind::Line);
        assert_eq!(kind(&[p(0.1, 0.1), p(0.2, 0.2), p(0.3, 0.1)]), PatchKind::Surface);
    }

    #[test]
    fn mobility_predicts_what_a_wrench_does_to_the_body() {
        let body = body();
        let frame = *Rotation3::from_euler_angles(0.3, -0.2, 1.0).matrix();
        let points = [Vector3::new(0.2, 0.0, 0.1), Vector3::new(0.1, 0.1, 0.15)];
        let patch = Patch::new(&body, &frame, &points).unwrap();
        let wrench = Vector6::new(0.1, 0.2, -0.3, 0.5, -0.4, 0.7);
        let world = patch.wrench_w(&wrench);
        assert!((patch.wrench_local(&world) - wrench).norm() < 1e-12);
        let after = BodyInstant { twist: body.after(&world), ..body };
        let expected = Patch::new(&after, &frame, &points).unwrap().twist;
        assert!((patch.twist + patch.mobility * wrench - expected).norm() < 1e-12);
        for (i, p) in points.iter().enumerate() {
            let spin: Vector3<f64> = body.twist.fixed_rows::<3>(0).into();
            let linear: Vector3<f64> = body.twist.fixed_rows::<3>(3).into();
            let u = frame.tr_mul(&(linear + spin.cross(&(p - body.com))));
            assert!((patch.row(i) * patch.twist - u).norm() < 1e-12);
        }
    }
}
