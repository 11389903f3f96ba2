//! Closed-form derivatives against central differences, on random trees of every joint kind.

mod common;
use common::{Case, RandomMechanics};
use nalgebra::DMatrix;
use proptest::prelude::*;
use stiction_multibody::{Derivatives, MassMatrix};

const H: f64 = 1e-5;

/// Column j of the derivative of `f` by the tangent of q.
fn by_q(case: &Case, j: usize, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let mut unit = vec![0.0; case.nv()];
    unit[j] = 1.0;
    let (plus, minus) = (f(&case.moved(&unit, H)), f(&case.moved(&unit, -H)));
    plus.iter().zip(&minus).map(|(p, m)| (p - m) / (2.0 * H)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn derivatives_of_inverse_dynamics_are_those_of_differences(seed: u64) {
        let mut case = Case::new(seed);
        let (nv, vdot) = (case.nv(), { let n = case.nv(); case.r.vector(n) });
        let mut out = Derivatives::new(&case.mb);
        let v = case.v.clone();
        case.mb.inverse_dynamics_derivatives(&mut case.ws, &v, &vdot, &mut out);
        let tau = |q: &[f64], v: &[f64]| {
            let mut ws = case.at(q, v);
            let mut tau = vec![0.0; nv];
            case.mb.inverse_dynamics(&mut ws, &vdot, &mut tau);
            tau
        };
        let scale = 1.0 + out.by_q.abs().max().max(out.by_v.abs().max());
        for j in 0..nv {
            let q = by_q(&case, j, |q| tau(q, &v));
            let at = |h: f64| { let mut v = v.clone(); v[j] += h; tau(&case.q, &v) };
            let (plus, minus) = (at(H), at(-H));
            for i in 0..nv {
                prop_assert!((out.by_q[(i, j)] - q[i]).abs() <= 1e-7 * scale, "q {} {}", i, j);
                let rate = (plus[i] - minus[i]) / (2.0 * H);
                prop_assert!((out.by_v[(i, j)] - rate).abs() <= 1e-7 * scale, "v {} {}", i, j);
            }
        }
    }

    #[test]
    fn derivatives_of_the_mass_diagonal_and_of_columns_are_those_of_differences(seed: u64) {
        let mut case = Case::new(seed);
        let nv = case.nv();
        let places = Derivatives::new(&case.mb);
        let (mut mass, mut out) = (MassMatrix::new(&case.mb), DMatrix::zeros(nv, nv));
        case.mb.mass_diagonal_derivatives(&mut case.ws, &mut mass, &places, &mut out);
        for j in 0..nv {
            let slope = by_q(&case, j, |q| {
                let (mut ws, mut mass) = (case.at(q, &case.v), MassMatrix::new(&case.mb));
                case.mb.mass_matrix(&mut ws, &mut mass);
                (0..nv).map(|k| mass.get(k, k)).collect()
            });
            for k in 0..nv {
                prop_assert!((out[(k, j)] - slope[k]).abs() <= 1e-7 * (1.0 + out.abs().max()), "{} {}", k, j);
            }
            // Columns about the O of the state itself, which the test must hold fixed.
            let columns = by_q(&case, j, |q| {
                let ws = case.at(q, &case.v);
                let mut all = Vec::new();
                for (t, tree) in case.mb.trees().iter().enumerate() {
                    let shift = case.mb.reference_point(&ws, t) - case.mb.reference_point(&case.ws, t);
                    for s in &case.mb.columns(&ws)[tree.v.clone()] {
                        let w = nalgebra::Vector3::new(s[0], s[1], s[2]);
                        let moved = nalgebra::Vector3::new(s[3], s[4], s[5]) - w.cross(&shift);
                        all.extend([w.x, w.y, w.z, moved.x, moved.y, moved.z]);
                    }
                }
                all
            });
            let s = case.mb.columns(&case.ws);
            for k in 0..nv {
                let (a, b) = (nalgebra::Vector6::from(s[j]), nalgebra::Vector6::from(s[k]));
                let (wa, va) = (a.fixed_rows::<3>(0).into_owned(), a.fixed_rows::<3>(3).into_owned());
                let (wb, vb) = (b.fixed_rows::<3>(0).into_owned(), b.fixed_rows::<3>(3).into_owned());
                let (w, v) = (wa.cross(&wb), wa.cross(&vb) + va.cross(&wb));
                let carried = if places.carries(&case.mb, j, k) { 1.0 } else { 0.0 };
                for c in 0..3 {
                    prop_assert!((carried * w[c] - columns[6 * k + c]).abs() <= 1e-6, "{} {}", j, k);
                    prop_assert!((carried * v[c] - columns[6 * k + 3 + c]).abs() <= 1e-6, "{} {}", j, k);
                }
            }
        }
    }
}
