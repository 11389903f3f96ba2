//! Contact points as soft as MuJoCo makes them from `solref` and `solimp` ([`crate::ContactFrom::Mujoco`]).
//!
//! [`Softness`] has the law F(r) of a contact of unit inverse mass. MuJoCo's inverse mass of a contact is the sum of those of the two
//! bodies, each the mean of the translational inverse inertia over the three directions at the body's centre of mass in the
//! default pose:
//!
//! ```text
//! Â = w_a + w_b,   w = tr(J M⁻¹ Jᵀ)/3,   J the translational Jacobian at the centre of mass, M with armature
//! ```
//!
//! Each point of a manifold has the whole law, as in MuJoCo, and not a share of a pair's stiffness. In a step the law is its tangent at the
//! depth x₀ at the beginning, with the damper c: n(v) = δt (F(x₀) − (δt F′ + c) v)₊. F grows with depth, so the problem stays convex.

use crate::model::geom_id::GeomPair;
use crate::model::material::PairMaterial;
use crate::model::{Compiled, Model};
use stiction_model::{SoftForce, Softness};
use stiction_multibody::{Factor, MassMatrix, Workspace};

/// An inverse mass below this counts as none, 1/kg.
const LEAST: f64 = 1e-15;

/// Inverse masses of the bodies of a model.
#[derive(Clone)]
pub(crate) struct FileSoftness {
    /// w of each body, 1/kg; zero for bodies that no joint moves.
    inverse_masses: Vec<f64>,
}

impl FileSoftness {
    pub fn new(model: &Model) -> Self {
        let (multibody, world) = (model.multibody(), model.world());
        let mut workspace = Workspace::new(multibody);
        let state = model.default_state();
        crate::step::kinematics::place(multibody, &state.mocap, &state.q, &mut workspace);
        let mut mass = MassMatrix::new(multibody);
        multibody.mass_matrix(&mut workspace, &mut mass);
        let mut factor = Factor::new(multibody);
        // Without inertia there are no inverse masses, and no steps either.
        let solvable = factor.compute(&mass, &vec![0.0; multibody.nv()]);
        let inverse = |body: usize| -> f64 {
            if !solvable || multibody.body_tree(body).is_none() {
                return 0.0;
            }
            let centre =
                multibody.pose(&workspace, body) * nalgebra::Point3::from(world.bodies[body].inertia.com);
            let jacobian = multibody.full_jacobian(&workspace, body, &centre.coords);
            let mean = |rows: std::ops::Range<usize>| -> f64 {
                let along = |k: usize| -> f64 {
                    let row: Vec<f64> = jacobian.row(k).iter().copied().collect();
                    let mut solved = row.clone();
                    factor.solve(&mut solved);
                    row.iter().zip(&solved).map(|(a, b)| a * b).sum()
                };
                rows.map(along).sum::<f64>() / 3.0
            };
            // A body that only turns about its centre of mass has the number of its rotation.
            let linear = mean(3..6);
            if linear > LEAST { linear } else { mean(0..3) }
        };
        Self { inverse_masses: (0..world.bodies.len()).map(inverse).collect() }
    }

    /// The softness of the contact points of a pair of geoms.
    pub fn pair(&self, compiled: &Compiled, pair: GeomPair, material: &PairMaterial) -> PairSoftness {
        let own = compiled.pair_softness(pair);
        let [a, b] = [pair.0, pair.1].map(|g| compiled.material(g));
        let softness = own.unwrap_or_else(|| {
            let of = |given: Option<Softness>| given.unwrap_or_default();
            Softness::combine((&of(a.softness), a.priority), (&of(b.softness), b.priority))
        });
        let [w_a, w_b] = [pair.0, pair.1].map(|g| self.inverse_masses[compiled.geom(g).body]);
        let cone = compiled.world.options.cone.inverse_mass(material.dimensions, material.dynamic_friction);
        PairSoftness { softness, mass: 1.0 / ((w_a + w_b) * cone).max(LEAST) }
    }
}

/// Softness of the contact points of a pair of geoms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairSoftness {
    softness: Softness,
    /// 1/Â, kg.
    mass: f64,
}

impl PairSoftness {
    /// Force, slope and damping of a point at a depth (m), in a step of length `dt`.
    pub fn force(&self, depth: f64, dt: f64) -> SoftForce {
        let SoftForce { force, slope, damping } = self.softness.force(depth, dt);
        SoftForce { force: self.mass * force, slope: self.mass * slope, damping: self.mass * damping }
    }
}
