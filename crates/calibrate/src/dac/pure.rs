//! The purely data-driven baseline (PDD): one regressor for the whole impulse, no classes, no constraints.
//!
//! Inputs are DAC's own: rotation matrix, q̇⁽¹⁾, centre of the patch in the body frame and its velocity; outputs the force
//! at the centre for a point, force and torque otherwise. Networks and training are those of the law's regressors.

use super::instances::Instance;
use super::network::{FitOptions, Task, fit};
use super::stepper::{Contact, Impulse, Scene};
use super::train::{held, scaling};
use nalgebra::{DMatrix, UnitQuaternion, Vector3, Vector6};
use rayon::prelude::*;
use stiction_dac::{Class, LawError, Mlp, Patch, PatchKind, Scaling};

/// The baseline.
pub struct Pure {
    nets: [Option<(Scaling, Mlp, Scaling)>; 3],
}

fn inputs(patch: &Patch, rotation: &UnitQuaternion<f64>) -> Vec<f64> {
    let r = rotation.to_rotation_matrix();
    let centre: Vector3<f64> = r.matrix().tr_mul(&(patch.frame * patch.centre));
    let mut x: Vec<f64> = r.matrix().iter().copied().collect();
    x.extend((patch.frame * patch.twist.fixed_rows::<3>(0)).iter());
    let v = patch.twist.fixed_rows::<3>(3).into_owned();
    let spin: Vector3<f64> = patch.twist.fixed_rows::<3>(0).into();
    x.extend((patch.frame * (v - spin.cross(&patch.centre))).iter());
    x.extend(centre.iter());
    x.extend((patch.frame * v).iter());
    x
}

/// Force first, then torque.
fn outputs(kind: PatchKind, wrench: &Vector6<f64>) -> Vec<f64> {
    let mut y = vec![wrench[3], wrench[4], wrench[5]];
    if kind != PatchKind::Point {
        y.extend([wrench[0], wrench[1], wrench[2]]);
    }
    y
}

impl Pure {
    /// Trains on all instances.
    pub fn train(instances: &[Instance], options: &FitOptions, hold: f64) -> Self {
        let kinds: Vec<_> = PatchKind::ALL
            .par_iter()
            .map(|&kind| {
                let rows: Vec<&Instance> = instances.iter().filter(|i| i.patch.kind == kind).collect();
                if rows.len() < 200 {
                    return None;
                }
                let xs: Vec<Vec<f64>> = rows.iter().map(|i| inputs(&i.patch, &i.rotation)).collect();
                let ys: Vec<Vec<f64>> = rows.iter().map(|i| outputs(kind, &i.wrench)).collect();
                let (nx, ny) = (xs[0].len(), ys[0].len());
                let x_scale = scaling(nx, xs.iter().map(Vec::as_slice));
                let y_scale = scaling(ny, ys.iter().map(Vec::as_slice));
                let matrix = |n: usize, rows: &[Vec<f64>], s: &Scaling| {
                    let mut m = DMatrix::<f32>::zeros(n, rows.len());
                    for (c, r) in rows.iter().enumerate() {
                        let mut r = r.clone();
                        s.normalise(&mut r);
                        r.iter().enumerate().for_each(|(k, v)| m[(k, c)] = *v as f32);
                    }
                    m
                };
                let task = Task {
                    x: matrix(nx, &xs, &x_scale),
                    y: matrix(ny, &ys, &y_scale),
                    weight: vec![1.0; rows.len()],
                    held: rows.iter().map(|i| held(i.toss, hold, options.seed)).collect(),
                    classes: false,
                };
                let (net, _) = fit(&task, options, |_, _| {});
                Some((x_scale, net, y_scale))
            })
            .collect();
        let mut nets = [None, None, None];
        for (slot, net) in nets.iter_mut().zip(kinds) {
            *slot = net;
        }
        Self { nets }
    }
}

impl Contact for Pure {
    fn impulse(&self, scene: &Scene) -> Result<Impulse, LawError> {
        let patch = scene.patch;
        let loads = vec![0.0; patch.len()];
        let none = Impulse { wrench: Vector6::zeros(), loads, class: Class::Dynamic, outside: None };
        let Some((x_scale, net, y_scale)) = &self.nets[patch.kind as usize] else { return Ok(none) };
        let mut x = inputs(patch, &scene.motion.rotation);
        x_scale.normalise(&mut x);
        let y = net.evaluate(&x);
        let value = |k: usize| if k < y.len() { y_scale.mean[k] + y_scale.scale[k] * y[k] } else { 0.0 };
        let local = Vector6::new(value(3), value(4), value(5), value(0), value(1), value(2));
        Ok(Impulse { wrench: patch.wrench_w(&local), ..none })
    }
}
