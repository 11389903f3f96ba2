//! Random problems, and the same problem written down densely as an independent reference.

#![allow(dead_code)]

use nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3, Vector6};
pub use stiction_base::random::Random;
use stiction_convex::*;

/// What is drawn at random.
pub trait Draw {
    /// Uniform in [−1, 1).
    fn next(&mut self) -> f64;

    fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }

    fn rotation(&mut self) -> Rotation3<f64> {
        Rotation3::new(3.0 * self.vector())
    }

    fn index(&mut self, n: usize) -> usize;

    /// A random symmetric positive definite n×n matrix with condition about 1e2.
    fn spd(&mut self, n: usize) -> DMatrix<f64> {
        let m = DMatrix::from_fn(n, n, |_, _| self.next());
        &m * m.transpose() + DMatrix::identity(n, n) * 0.1
    }
}

impl Draw for Random {
    fn next(&mut self) -> f64 {
        self.sym()
    }

    fn index(&mut self, n: usize) -> usize {
        self.below(n)
    }
}

/// A·, J of a free body at rotation R with its origin as reference: v = [linear world, angular body].
pub fn free_jacobian(r: &Rotation3<f64>) -> DMatrix<f64> {
    let mut j = DMatrix::zeros(6, 6);
    j.view_mut((0, 3), (3, 3)).copy_from(r.matrix());
    j.view_mut((3, 0), (3, 3)).copy_from(&Matrix3::identity());
    j
}

pub struct DenseBody {
    pub point: Vector3<f64>,
    /// 6 × all dofs.
    pub jacobian: DMatrix<f64>,
}

pub struct DenseContact {
    /// 6 × all dofs, [linear; angular] in the contact frame.
    pub jacobian: DMatrix<f64>,
    pub bias: Vector6<f64>,
}

impl DenseContact {
    /// Of the velocity alone.
    pub fn linear(&self) -> DMatrix<f64> {
        self.jacobian.rows(0, 3).into_owned()
    }
}

pub struct DenseRow {
    pub jacobian: DMatrix<f64>,
    pub bias: f64,
    /// Delassus estimate that scales its law.
    pub w: f64,
    /// Lever that scales the correction of a row between bodies, m.
    pub lever: Option<f64>,
}

impl DenseRow {
    /// The compiled law of the row in a step of `dt`.
    pub fn compile(&self, law: &RowLaw, dt: f64) -> stiction_convex::scalar::ScalarLaw {
        self.lever
            .map_or_else(|| law.compile(dt, self.w), |lever| law.compile_with_lever(dt, self.w, lever).0)
    }
}

/// A problem and its dense twin.
pub struct Twin {
    pub problem: Problem,
    pub a: DMatrix<f64>,
    pub v_star: DVector<f64>,
    pub v0: DVector<f64>,
    pub contacts: Vec<DenseContact>,
    pub rows: Vec<DenseRow>,
    pub row_laws: Vec<RowLaw>,
    /// Row, pair and direction of the rows on pairs.
    pub pair_rows: Vec<(usize, usize, Vector6<f64>)>,
    /// Dofs by clique.
    pub cliques: Vec<std::ops::Range<usize>>,
}

impl Twin {
    /// ‖J diag(A)⁻¹ Jᵀ‖_F/3 of a contact.
    pub fn delassus(&self, jacobian: &DMatrix<f64>) -> f64 {
        let d = DMatrix::from_diagonal(&self.a.diagonal().map(|x| 1.0 / x));
        let w = jacobian * d * jacobian.transpose();
        w.norm() / 3.0
    }
}

/// A random problem with `free` free bodies and `trees` other cliques, pairs between any of them, within one
/// tree and with the ground, contacts, springs, pair rows and coordinate rows.
pub fn random(seed: u64, free: usize, trees: usize, settings: ContactSettings, springs: bool) -> Twin {
    random_with(seed, free, trees, settings, springs, false)
}

/// The same; with `turning`, half of the contacts have friction by direction, torsion and rolling.
pub fn random_with(
    seed: u64,
    free: usize,
    trees: usize,
    settings: ContactSettings,
    springs: bool,
    turning: bool,
) -> Twin {
    let mut rng = Random::new(seed);
    let dt = 2e-3;
    let mut problem = Problem::new(dt, settings).unwrap();
    let mut blocks = Vec::new();
    let mut bodies: Vec<(usize, Vector3<f64>, DMatrix<f64>)> = Vec::new();
    let order: Vec<bool> =
        (0..free + trees).map(|i| (i * 7 + seed as usize) % (free + trees) < free).collect();
    let free_cliques = order.clone();
    for (clique, is_free) in order.into_iter().enumerate() {
        let n = if is_free { 6 } else { 1 + rng.index(8) };
        let mut a = rng.spd(n);
        if is_free {
            a = DMatrix::from_diagonal(&DVector::from_fn(6, |i, _| {
                (if i < 3 { 1.0 } else { 0.02 }) * (1.3 + rng.next())
            }));
            let (m, c) = (a[(0, 0)], 0.02 * rng.vector());
            for i in 0..3 {
                a[(i, i)] = m;
                for j in 0..3 {
                    let skew = c.cross_matrix()[(i, j)];
                    a[(3 + i, j)] += m * skew;
                    a[(j, 3 + i)] += m * skew;
                }
            }
            let inertia = rng.spd(3) * 0.02;
            a.view_mut((3, 3), (3, 3))
                .copy_from(&(inertia + Matrix3::identity() * (2.0 * m * c.norm_squared())));
        }
        let v_star = DVector::from_fn(n, |_, _| rng.next());
        let v0 = DVector::from_fn(n, |_, _| rng.next());
        let applied = &a * (&v_star - &v0);
        let (r, origin) = (rng.rotation(), rng.vector());
        if is_free {
            problem
                .add_free_body(a.as_slice(), applied.as_slice(), v0.as_slice(), r.matrix(), origin)
                .unwrap();
            bodies.push((clique, origin, free_jacobian(&r)));
        } else {
            problem.add_clique(a.as_slice(), applied.as_slice(), v0.as_slice()).unwrap();
            for _ in 0..2 {
                let (point, j) = (rng.vector(), DMatrix::from_fn(6, n, |_, _| rng.next()));
                problem.add_link(clique, point, j.as_slice()).unwrap();
                bodies.push((clique, point, j));
            }
        }
        blocks.push((a, v_star, v0));
    }
    let dofs = problem.dof_count();
    let mut a = DMatrix::zeros(dofs, dofs);
    let (mut v_star, mut v0) = (DVector::zeros(dofs), DVector::zeros(dofs));
    let mut cliques = Vec::new();
    let mut at = 0;
    for (block, s, o) in &blocks {
        let n = s.len();
        a.view_mut((at, at), (n, n)).copy_from(block);
        v_star.rows_mut(at, n).copy_from(s);
        v0.rows_mut(at, n).copy_from(o);
        cliques.push(at..at + n);
        at += n;
    }
    let full: Vec<DenseBody> = bodies
        .iter()
        .map(|(clique, point, j)| {
            let mut jacobian = DMatrix::zeros(6, dofs);
            jacobian.columns_mut(cliques[*clique].start, cliques[*clique].len()).copy_from(j);
            DenseBody { point: *point, jacobian }
        })
        .collect();
    let shifted = |body: &DenseBody, p: &Vector3<f64>| {
        let mut x = DMatrix::<f64>::identity(6, 6);
        x.view_mut((3, 0), (3, 3)).copy_from(&-(p - body.point).cross_matrix());
        x * &body.jacobian
    };
    let inverse_diagonal = DMatrix::from_diagonal(&a.diagonal().map(|x| 1.0 / x));
    let (mut contacts, mut rows, mut row_laws) = (Vec::new(), Vec::new(), Vec::new());
    let mut pair_rows = Vec::new();
    for _ in 0..bodies.len() * 2 {
        let pick = |rng: &mut Random| (rng.next() > -0.6).then(|| rng.index(bodies.len()));
        let (ia, ib) = (pick(&mut rng), pick(&mut rng));
        // Two bodies welded together do not move relative to each other.
        let welded = |a: usize, b: usize| bodies[a].0 == bodies[b].0 && free_cliques[bodies[a].0];
        if ia == ib || ia.zip(ib).is_some_and(|(a, b)| welded(a, b)) {
            continue;
        }
        let point = ib.or(ia).map(|i| bodies[i].1).unwrap() + 0.2 * rng.vector();
        let bias =
            if rng.next() > 0.0 { Vector6::zeros() } else { Vector6::from_fn(|_, _| 0.1 * rng.next()) };
        let id = |i: Option<usize>| i.map(|i| BodyId(i as u32));
        let pair = problem.add_pair(id(ia), id(ib), point, bias).unwrap();
        let mut relative = DMatrix::zeros(6, dofs);
        if let Some(i) = ib {
            relative += shifted(&full[i], &point);
        }
        if let Some(i) = ia {
            relative -= shifted(&full[i], &point);
        }
        for _ in 0..rng.index(5) {
            let normal = rng.vector().normalize();
            let frame = frame_from_normal(&normal);
            let r = 0.1 * rng.vector();
            let mut entry = ContactEntry::point(
                r,
                frame,
                1e-3 * (rng.next() + 0.7),
                10f64.powf(5.0 + 2.0 * rng.next()),
                0.5 + 0.5 * rng.next(),
            );
            entry.dissipation = 5.0 * (rng.next() + 1.0);
            entry.relaxation_time = 0.02 * (rng.next() + 1.0);
            if rng.next() > 0.5 {
                entry.bias = 0.1 * rng.vector();
            }
            if springs && rng.next() > 0.0 {
                let stretch = 1e-4 * rng.vector().xy();
                let spring = TangentialSpring::new(1e5, 10.0, stretch);
                entry.spring = Some(if stretch.x > 0.0 { spring.critically_damped(2e5) } else { spring });
            }
            if turning && rng.next() > 0.0 {
                // Sliding, and turning with coefficients about as long as the arms; some vanish.
                let scales = [1.0, 0.6, 0.05, 0.02, 0.1].map(|s: f64| s * rng.next().max(-0.5).abs());
                entry.ellipse = Some(Ellipse { scales });
                if let Some(spring) = &mut entry.spring {
                    spring.turn = 1e-3 * rng.vector();
                }
            }
            let mut to_contact = DMatrix::zeros(6, 6);
            let axes = frame.transpose();
            to_contact.view_mut((0, 0), (3, 3)).copy_from(&(-axes * r.cross_matrix()));
            to_contact.view_mut((0, 3), (3, 3)).copy_from(&axes);
            to_contact.view_mut((3, 0), (3, 3)).copy_from(&axes);
            let mut contact_bias = Vector6::from_column_slice((&to_contact * bias).as_slice());
            let mut linear = contact_bias.fixed_rows_mut::<3>(0);
            linear += axes * entry.bias;
            contacts.push(DenseContact { jacobian: &to_contact * &relative, bias: contact_bias });
            problem.add_contact(entry).unwrap();
        }
        if rng.next() > 0.6 {
            let direction = Vector6::from_fn(|_, _| rng.next());
            let law = RowLaw::equality(1e-3 * rng.next());
            let row = problem.add_pair_row(pair, direction, law).unwrap();
            pair_rows.push((row, pair.0 as usize, direction));
            let d = DMatrix::from_row_slice(1, 6, direction.as_slice());
            // ‖K‖_F/√3 of the angular and of the linear block of K = J diag(A)⁻¹ Jᵀ, whatever the axes.
            let k = &relative * &inverse_diagonal * relative.transpose();
            let block = |i: usize| k.view((i, i), (3, 3)).norm() / 3f64.sqrt();
            let w = direction.fixed_rows::<3>(0).norm_squared() * block(0)
                + direction.fixed_rows::<3>(3).norm_squared() * block(3);
            let lever = (block(3) / block(0)).sqrt();
            rows.push(DenseRow {
                jacobian: &d * &relative,
                bias: direction.dot(&bias),
                w,
                lever: Some(lever),
            });
            row_laws.push(law);
        }
    }
    for k in 0..4 {
        let count = 1 + rng.index(3);
        let entries: Vec<(usize, f64)> = (0..count).map(|_| (rng.index(dofs), rng.next())).collect();
        let law = match k {
            0 => RowLaw::Limit { phi: -1e-3, compliance: RowCompliance::default() },
            1 => RowLaw::equality(1e-3),
            2 => RowLaw::Pd {
                proportional: 100.0,
                derivative: 1.0,
                position_error: 0.1,
                target_velocity: 0.2,
                feed_forward: 0.0,
                effort_limit: 5.0,
            },
            _ => RowLaw::DryFriction { force: 2.0, epsilon: 1e-3 },
        };
        let bias = 0.1 * rng.next();
        problem.add_row(&entries, bias, law).unwrap();
        let mut jacobian = DMatrix::zeros(1, dofs);
        for (dof, c) in entries {
            jacobian[(0, dof)] += c;
        }
        let w = (&jacobian * &inverse_diagonal * jacobian.transpose())[(0, 0)];
        rows.push(DenseRow { jacobian, bias, w, lever: None });
        row_laws.push(law);
    }
    Twin { problem, a, v_star, v0, contacts, rows, row_laws, pair_rows, cliques }
}
