//! Random networks, bodies and patches.
#![allow(dead_code, missing_docs)]

use nalgebra::{Matrix3, UnitQuaternion, Vector3, Vector6};
use proptest::prelude::*;
use stiction_base::random::Random;
use stiction_dac::{
    BodyInstant, DacLaw, Expert, Layer, Limits, Mlp, PatchKind, Scaling, Symmetry, feature_count,
};

pub struct Noise(Random);

impl Noise {
    pub fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    pub fn next(&mut self) -> f64 {
        self.0.sym()
    }

    fn vec(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| size * self.next()).collect()
    }

    fn net(&mut self, sizes: &[usize], size: f64) -> Mlp {
        let layer = |w: &[usize], noise: &mut Self| Layer {
            inputs: w[0],
            outputs: w[1],
            weights: noise.vec(w[0] * w[1], size).iter().map(|x| *x as f32).collect(),
            bias: noise.vec(w[1], size).iter().map(|x| *x as f32).collect(),
        };
        Mlp::new("random", sizes.windows(2).map(|w| layer(w, self)).collect()).unwrap()
    }

    /// A law whose networks know nothing.
    pub fn law(&mut self, size: f64, symmetry: Symmetry) -> DacLaw {
        let expert = |kind: PatchKind, noise: &mut Self| {
            let (n, m) = (feature_count(kind), kind.friction_count());
            let bound = 3.0 * noise.next().abs();
            Expert {
                inputs: Scaling { mean: noise.vec(n, 0.3), scale: vec![0.5; n] },
                seen: Limits { low: vec![-0.5; n], high: vec![0.5; n] },
                speeds: (0.0, 2.0),
                classifier: noise.net(&[n, 12, 3], size),
                regressor: noise.net(&[n, 12, m], size),
                correction: Scaling { mean: noise.vec(m, 0.3), scale: vec![1.0; m] },
                ratios: Limits { low: vec![-bound; m], high: vec![bound; m] },
            }
        };
        DacLaw {
            friction: 0.7 * (1.0 + self.next()),
            symmetry,
            experts: PatchKind::ALL.map(|kind| Some(expert(kind, self))),
            provenance: serde_json::json!({ "seed": 1 }),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Scene {
    pub body: BodyInstant,
    pub frame: Matrix3<f64>,
    pub points: Vec<Vector3<f64>>,
}

pub fn scene() -> impl Strategy<Value = Scene> {
    let number = || -1.0..1.0f64;
    (
        proptest::array::uniform3(0.05..1.0f64),
        -2.0..2.0f64,
        proptest::array::uniform4(number()),
        proptest::array::uniform6(number()),
        -3.0..1.5f64,
        proptest::array::uniform3(number()),
        (1usize..6, any::<bool>()),
        proptest::array::uniform10(number()),
    )
        .prop_map(|(sides, log_mass, q, twist, log_speed, centre, (count, line), offsets)| {
            let mass = 10f64.powf(log_mass);
            let s = Vector3::from(sides);
            let square = s.component_mul(&s);
            let diagonal = Vector3::new(square.y + square.z, square.x + square.z, square.x + square.y);
            let quaternion = nalgebra::Quaternion::new(q[0] + 1.1, q[1], q[2], q[3]);
            let r = *UnitQuaternion::from_quaternion(quaternion).to_rotation_matrix().matrix();
            let inertia_w = r * Matrix3::from_diagonal(&(diagonal * (mass / 12.0))) * r.transpose();
            let speed = 10f64.powf(log_speed);
            let twist = Vector6::from(twist) * speed;
            let com = Vector3::new(0.3, -0.1, 0.5);
            let body = BodyInstant { mass, inertia_w, com, twist };
            let frame =
                *UnitQuaternion::from_euler_angles(q[1], q[2], 3.0 * q[3]).to_rotation_matrix().matrix();
            let middle =
                com + frame * (Vector3::from(centre).component_mul(&s) * 0.5) - frame.column(2) * s.min();
            let point = |k: usize| {
                let (x, y) = (offsets[2 * k], if line { 0.4 * offsets[2 * k] } else { offsets[2 * k + 1] });
                middle + frame * Vector3::new(x * s.x, y * s.x, 0.0) * 0.5
            };
            Scene { body, frame, points: (0..count).map(point).collect() }
        })
}
