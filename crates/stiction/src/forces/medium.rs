//! Drag, lift and added mass of a medium around the bodies (MuJoCo's `density`, `viscosity`, `wind` and `fluidshape`).
//!
//! A body without ellipsoids of its own feels the medium as the box of its inertia does, with full sides b along its principal axes
//! (MuJoCo, "Computation: inertia-based model"). In those axes, with v and ω the velocity against the wind at the centre of mass,
//! b̄ the mean side, and i, j, k the three axes in turn,
//!
//! ```text
//! force    −3π β b̄ vᵢ − ½ ρ bⱼ bₖ |vᵢ| vᵢ          torque   −π β b̄³ ωᵢ − ρ bᵢ (bⱼ⁴ + bₖ⁴) |ωᵢ| ωᵢ/64
//! ```
//!
//! A body with ellipsoids feels the sum of the forces on them ("ellipsoid-based model"), at the centre of each: with semi-axes r,
//! volume V, virtual mass μ and inertia ι (Lamb), the section A_v across v, its largest value A_m, and the
//! moments Iᵢ = 8π/15 rᵢ max(rⱼ, rₖ)⁴ of the swept volume about each axis,
//!
//! ```text
//! added mass  force (ρ μ∘v) × ω,   torque (ρ μ∘v) × v + (ρ ι∘ω) × ω
//! Magnus      c_M ρ V ω × v
//! Kutta       c_K ρ A_v cos α (n × v) × v,   n = (r_j² r_k² vᵢ)ᵢ,   cos α = (n · v)/(|v| |n|²)      (n is not normalised)
//! drag        −[3π β D + ρ |v| (c_B A_v + c_S (A_m − A_v))] v,   D = ⅔ Σ rᵢ
//! turning     −[π β D³ + ρ |(c_A Iᵢ + c_S (I_m − Iᵢ)) ωᵢ|] ω
//! ```
//!
//! A step evaluates them at its beginning.

use super::{At, Force, Implicit, WrenchVisitor};
use crate::methods::support::{Feature, MethodKind, Support};
use nalgebra::{Point3, Vector3, Vector6};
use std::f64::consts::PI;
use stiction_model::{Body, ImmersedEllipsoid, Medium, Pose, World};

/// What the medium acts on.
#[derive(Clone)]
enum Immersed {
    /// The box of a body's inertia, with its full sides; the pose has its centre and axes in the body.
    Box { body: usize, pose: Pose, sides: Vector3<f64> },
    /// An ellipsoid fixed to a body.
    Ellipsoid {
        body: usize,
        of: ImmersedEllipsoid,
        virtual_mass: Vector3<f64>,
        virtual_inertia: Vector3<f64>,
    },
}

/// Everything that the medium of a world acts on; empty without a medium.
#[derive(Clone, Default)]
pub(crate) struct ImmersedBodies(Vec<Immersed>);

/// Bodies below this mass are not in the medium, as in MuJoCo, kg.
const LEAST_MASS: f64 = 1e-15;

impl ImmersedBodies {
    pub fn new(world: &World) -> Self {
        if !world.options.medium.acts() {
            return Self::default();
        }
        let mut all = Vec::new();
        for (body, described) in world.bodies.iter().enumerate().skip(1) {
            if described.inertia.mass < LEAST_MASS {
                continue;
            }
            let before = all.len();
            let ellipsoids = world.geoms.iter().filter(|g| g.body == body).filter_map(|g| g.immersed);
            all.extend(ellipsoids.map(|of| {
                let (virtual_mass, virtual_inertia) = added_mass(&of.radii);
                Immersed::Ellipsoid { body, of, virtual_mass, virtual_inertia }
            }));
            if all.len() == before {
                all.push(inertia_box(body, described));
            }
        }
        Self(all)
    }
}

/// The box whose uniform mass has the inertia of a body along its inertial axes: bᵢ² = 6 (Iⱼ + Iₖ − Iᵢ)/m.
fn inertia_box(body: usize, described: &Body) -> Immersed {
    let inertia = &described.inertia;
    let axes = described.inertial_axes;
    let turned = axes.to_rotation_matrix().inverse() * inertia.rotational * axes.to_rotation_matrix();
    let [a, b, c] = [turned[(0, 0)], turned[(1, 1)], turned[(2, 2)]];
    let side = |twice: f64| (twice.max(LEAST_MASS) / inertia.mass * 6.0).sqrt();
    let sides = Vector3::new(side(b + c - a), side(c + a - b), side(a + b - c));
    Immersed::Box { body, pose: Pose::from_parts(inertia.com.into(), axes), sides }
}

/// Virtual mass and inertia of an ellipsoid over the density of the medium (Lamb, Hydrodynamics, §373): with
///
/// κᵢ = r₀ r₁ r₂ ∫₀^∞ dλ/((rᵢ² + λ) √((r₀² + λ)(r₁² + λ)(r₂² + λ))),
///
/// μᵢ = V κᵢ/(2 − κᵢ) and ιᵢ = V/5 (rⱼ² − rₖ²)² (κₖ − κⱼ)/(2 (rⱼ² − rₖ²) + (rⱼ² + rₖ²)(κⱼ − κₖ)).
fn added_mass(radii: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let volume = 4.0 / 3.0 * PI * radii.product();
    let kappa = Vector3::from_fn(|i, _| integral(radii, i));
    let mass = kappa.map(|k| volume * k / (2.0 - k).max(LEAST_MASS));
    let inertia = Vector3::from_fn(|i, _| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let (rj, rk) = (radii[j].powi(2), radii[k].powi(2));
        let below = 2.0 * (rj - rk) + (rj + rk) * (kappa[j] - kappa[k]);
        if below.abs() <= 1e-12 * (rj + rk) {
            return 0.0; // round about this axis
        }
        volume / 5.0 * ((rj - rk).powi(2) * (kappa[k] - kappa[j]) / below).max(0.0)
    });
    (mass, inertia)
}

/// κᵢ: with the middle radius as unit, λ = t²/(1 − t)² and Simpson's rule with halving intervals, to 1e-10.
fn integral(radii: &Vector3<f64>, i: usize) -> f64 {
    let unit = radii.product().cbrt();
    let r = radii / unit;
    // λ = s², s = t/(1 − t): dλ = 2 s ds, ds = dt/(1 − t)².
    let integrand = |t: f64| {
        if t >= 1.0 {
            // 2 s/((r + s²)^(5/2)) /(1 − t)² → 2 (1 − t)² → 0
            return 0.0;
        }
        let s = t / (1.0 - t);
        let at = |k: usize| r[k].powi(2) + s * s;
        2.0 * s / ((1.0 - t).powi(2) * at(i) * (at(0) * at(1) * at(2)).sqrt())
    };
    let (mut count, mut sum) = (2, 0.5 * (integrand(0.0) + integrand(1.0)) + integrand(0.5));
    let (mut trapezoid, mut simpson) = (sum / 2.0, f64::INFINITY);
    loop {
        let h = 1.0 / f64::from(2 * count);
        sum += (0..count).map(|k| integrand(f64::from(2 * k + 1) * h)).sum::<f64>();
        let finer = sum * h;
        let next = (4.0 * finer - trapezoid) / 3.0;
        if (next - simpson).abs() <= 1e-10 * next || count > 1 << 20 {
            return r.product() * next;
        }
        (trapezoid, simpson, count) = (finer, next, 2 * count);
    }
}

/// Force and torque on a box at its centre, in its axes, at velocities `v`, `w` against the medium.
fn on_box(medium: &Medium, b: &Vector3<f64>, v: &Vector3<f64>, w: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let (rho, beta, mean) = (medium.density, medium.viscosity, b.mean());
    let force = Vector3::from_fn(|i, _| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        -(3.0 * PI * beta * mean + 0.5 * rho * b[j] * b[k] * v[i].abs()) * v[i]
    });
    let torque = Vector3::from_fn(|i, _| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let swept = b[i] * (b[j].powi(4) + b[k].powi(4)) / 64.0;
        -(PI * beta * mean.powi(3) + rho * swept * w[i].abs()) * w[i]
    });
    [force, torque]
}

/// The same of an ellipsoid.
fn on_ellipsoid(
    medium: &Medium,
    of: &ImmersedEllipsoid,
    (mass, inertia): (&Vector3<f64>, &Vector3<f64>),
    v: &Vector3<f64>,
    w: &Vector3<f64>,
) -> [Vector3<f64>; 2] {
    let (rho, beta, r) = (medium.density, medium.viscosity, &of.radii);
    let [blunt, slender, angular, kutta, magnus] = of.coefficients;
    let (momentum, spin) = (rho * mass.component_mul(v), rho * inertia.component_mul(w));
    let mut force = momentum.cross(w);
    let mut torque = momentum.cross(v) + spin.cross(w);

    let volume = 4.0 / 3.0 * PI * r.product();
    force += magnus * rho * volume * w.cross(v);

    let mut sorted = [r.x, r.y, r.z];
    sorted.sort_by(f64::total_cmp);
    let [_, middle, longest] = sorted;
    let largest_section = PI * longest * middle;
    let speed = v.norm();
    let normal = Vector3::from_fn(|i, _| (r[(i + 1) % 3] * r[(i + 2) % 3]).powi(2) * v[i]);
    let along = normal.dot(v);
    // The section across v is π √(|n|²/(n · v)).
    let section = if along > 0.0 { PI * (normal.norm_squared() / along).sqrt() } else { 0.0 };
    if speed > 0.0 && along > 0.0 {
        let cosine = along / (speed * normal.norm_squared());
        force += (kutta * rho * cosine * section * normal.cross(v)).cross(v);
    }

    let diameter = 2.0 / 3.0 * r.sum();
    let drag = 3.0 * PI * beta * diameter
        + rho * speed * (blunt * section + slender * (largest_section - section).max(0.0));
    force -= drag * v;
    let moment = |i: usize| 8.0 / 15.0 * PI * r[i] * r[(i + 1) % 3].max(r[(i + 2) % 3]).powi(4);
    let largest_moment = 8.0 / 15.0 * PI * middle * longest.powi(4);
    let swept =
        Vector3::from_fn(|i, _| w[i] * (angular * moment(i) + slender * (largest_moment - moment(i))));
    torque -= (PI * beta * diameter.powi(3) + rho * swept.norm()) * w;
    [force, torque]
}

/// Visits the wrenches on all immersed bodies.
fn visit_wrenches(at: &At, visit: &mut WrenchVisitor) {
    let (compiled, kinematics) = (at.compiled, &*at.kinematics);
    let medium = &compiled.world.options.medium;
    for immersed in &compiled.immersed.0 {
        let (body, pose) = match immersed {
            Immersed::Box { body, pose, .. } => (*body, pose),
            Immersed::Ellipsoid { body, of, .. } => (*body, &of.pose),
        };
        let x_wb = &kinematics.x_wb[body];
        let (centre, turn) = (x_wb * Point3::from(pose.translation.vector), x_wb.rotation * pose.rotation);
        let twist = compiled.multibody.twist(&kinematics.workspace, body);
        let arm = centre.coords - x_wb.translation.vector;
        let spin: Vector3<f64> = twist.fixed_rows::<3>(0).into();
        let velocity = twist.fixed_rows::<3>(3) + spin.cross(&arm) - medium.wind;
        let (v, w) = (turn.inverse() * velocity, turn.inverse() * spin);
        let [force, torque] = match immersed {
            Immersed::Box { sides, .. } => on_box(medium, sides, &v, &w),
            Immersed::Ellipsoid { of, virtual_mass, virtual_inertia, .. } => {
                on_ellipsoid(medium, of, (virtual_mass, virtual_inertia), &v, &w)
            }
        };
        let (force, torque) = (turn * force, turn * torque);
        let wrench = Vector6::new(torque.x, torque.y, torque.z, force.x, force.y, force.z);
        visit(body, &centre.coords, &wrench);
    }
}

/// Adds their generalised forces.
fn add_forces(at: &At, out: &mut [f64]) {
    let (multibody, workspace) = (&at.compiled.multibody, &at.kinematics.workspace);
    visit_wrenches(at, &mut |body, point, wrench| multibody.add_wrench(workspace, body, point, wrench, out));
}

const FEATURES: [Feature; 1] = [Feature {
    name: "a medium around the bodies",
    find: |world, _| {
        let Medium { density, viscosity, .. } = world.options.medium;
        world.options.medium.acts().then(|| {
            format!(
                "{}: a medium with density = {density} kg/m³ and viscosity = {viscosity} Pa s",
                world.name
            )
        })
    },
    support: Support::EVERYWHERE
        .without(MethodKind::Learned, "set density and viscosity to 0")
        .without(MethodKind::Rigid, "set density and viscosity to 0")
        .note(MethodKind::Derivatives, "by differences")
        .without(MethodKind::Gpu, "set density and viscosity to 0"),
}];

pub(crate) struct MediumForces;

impl Force for MediumForces {
    fn features(&self) -> &'static [Feature] {
        &FEATURES
    }

    fn work_is_counted(&self, _: &stiction_model::World) -> bool {
        true
    }

    fn passive(&self) -> bool {
        true
    }

    fn implicit(&self, at: &mut At, step: &mut Implicit) {
        add_forces(at, step.force);
    }

    fn other(&self, at: &mut At, out: &mut [f64]) {
        add_forces(at, out);
    }

    fn wrenches(&self, at: &At, visit: &mut WrenchVisitor) {
        visit_wrenches(at, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sphere_drags_half_of_the_displaced_medium_along() {
        let (mass, inertia) = added_mass(&Vector3::repeat(0.3));
        let half = 0.5 * 4.0 / 3.0 * PI * 0.027;
        assert!((mass - Vector3::repeat(half)).norm() < 1e-9 * half, "{mass}");
        assert_eq!(inertia, Vector3::zeros());
    }

    #[test]
    fn a_long_ellipsoid_drags_the_displaced_medium_sideways_and_little_along() {
        // A cylinder across its axis drags its own volume (Lamb §68).
        let (mass, _) = added_mass(&Vector3::new(0.01, 0.01, 10.0));
        let volume = 4.0 / 3.0 * PI * 1e-3;
        assert!((mass.x / volume - 1.0).abs() < 1e-4 && mass.z < 1e-4 * volume, "{mass}");
    }

    #[test]
    fn a_slow_sphere_has_the_drag_and_torque_of_stokes() {
        let medium = Medium { viscosity: 0.7, ..Medium::default() };
        let radii = Vector3::repeat(0.2);
        let of =
            ImmersedEllipsoid { pose: Pose::identity(), radii, coefficients: [0.5, 0.25, 1.5, 1.0, 1.0] };
        let (v, w) = (Vector3::new(0.1, -0.2, 0.3), Vector3::new(1.0, 2.0, -1.0));
        let none = Vector3::zeros();
        let [force, torque] = on_ellipsoid(&medium, &of, (&none, &none), &v, &w);
        assert!((force + 6.0 * PI * 0.7 * 0.2 * v).norm() < 1e-12);
        assert!((torque + 8.0 * PI * 0.7 * 0.008 * w).norm() < 1e-12);
    }

    #[test]
    fn a_sphere_has_the_drag_of_its_section_and_no_lift_but_magnus() {
        let medium = Medium { density: 1.2, ..Medium::default() };
        let radii = Vector3::repeat(0.2);
        let of =
            ImmersedEllipsoid { pose: Pose::identity(), radii, coefficients: [0.5, 0.25, 1.5, 1.0, 1.0] };
        let (v, none) = (Vector3::new(1.0, -2.0, 3.0), Vector3::zeros());
        let [force, _] = on_ellipsoid(&medium, &of, (&none, &none), &v, &none);
        assert!((force + 1.2 * 0.5 * PI * 0.04 * v.norm() * v).norm() < 1e-12, "{force}");
        let w = Vector3::new(0.0, 0.0, 5.0);
        let [spinning, _] = on_ellipsoid(&medium, &of, (&none, &none), &v, &w);
        let lift = 1.2 * 4.0 / 3.0 * PI * 0.008 * w.cross(&v);
        assert!((spinning - force - lift).norm() < 1e-12);
    }
}
