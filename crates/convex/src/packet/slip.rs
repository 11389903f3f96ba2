//! From the motion at a contact to its slip, and back from friction to a wrench: plain slip in the tangent plane, or slip
//! scaled by direction with spin and rolling ([`crate::friction::ellipse`]).

use super::Packet;
use crate::friction::Friction;
use crate::friction::ellipse::Ellipse;
use crate::lanes::{F4, V4, cross, dot, v4};
use crate::number::Number;
use crate::spatial::V3;
use std::fmt::Debug;
use std::ops::Index;

const ZERO: F4 = F4([0.0; 4]);

/// The slip of the contacts of a packet.
pub trait Slip: Copy + Debug {
    /// Its components.
    type Vector: Copy + Debug + Index<usize, Output = F4>;
    /// No contacts.
    const EMPTY: Self;
    /// No slip.
    const ZERO: Self::Vector;

    /// Components from a function of their index.
    fn each(f: impl Fn(usize) -> F4) -> Self::Vector;
    /// Scalar product.
    fn dot(a: &Self::Vector, b: &Self::Vector) -> F4;
    /// Slip of a relative motion: angular velocity, velocity at the contact, and its part along the normal.
    fn of(&self, n: &V4, omega: &V4, u: &V4, v_n: F4) -> Self::Vector;
    /// The same with what the stretch of a tangential spring stands for.
    fn stretched(&self, slip: Self::Vector) -> Self::Vector;
    /// Removes the rounding error of slip along n, which stiff friction would convert to a normal force.
    fn straightened(n: &V4, slip: Self::Vector) -> Self::Vector;
    /// Torque and force on b for a unit of `a`: the friction is minus this times a.
    fn pull(&self, n: &V4, slip: &Self::Vector) -> (V4, V4);
    /// Wrench and 6×6 by lanes: torque 3, force 3, then `tt`, `tl`, `ll` of [`crate::spatial::PairSum`]. `a` and `w` are those of
    /// the Hessian.
    fn project<F: Friction>(packet: &Packet<Self>, a: F4, w: &Self::Vector, g: F4, mu_c: F4) -> [F4; 27];
}

/// Slip in the tangent plane, in world axes.
#[derive(Debug, Clone, Copy)]
pub struct Plane;

impl Slip for Plane {
    type Vector = V4;
    const EMPTY: Self = Self;
    const ZERO: V4 = [ZERO; 3];

    #[inline(always)]
    fn each(f: impl Fn(usize) -> F4) -> V4 {
        v4(f)
    }

    #[inline(always)]
    fn dot(a: &V4, b: &V4) -> F4 {
        dot(a, b)
    }

    #[inline(always)]
    fn of(&self, n: &V4, _: &V4, u: &V4, v_n: F4) -> V4 {
        v4(|i| u[i].less(v_n, n[i]))
    }

    #[inline(always)]
    fn stretched(&self, slip: V4) -> V4 {
        slip // the packet's bias has it
    }

    #[inline(always)]
    fn straightened(n: &V4, slip: V4) -> V4 {
        let lean = dot(n, &slip);
        v4(|i| slip[i].less(lean, n[i]))
    }

    #[inline(always)]
    fn pull(&self, _: &V4, slip: &V4) -> (V4, V4) {
        ([ZERO; 3], *slip)
    }

    #[inline(always)]
    fn project<F: Friction>(packet: &Packet, a: F4, w: &V4, g: F4, mu_c: F4) -> [F4; 27] {
        let (t, n) = (packet.t, packet.n);
        let [fx, fy, fz] = v4(|i| (packet.gamma_n * n[i]).less(packet.a, packet.v_t[i]));
        let [tx, ty, tz] = cross(&packet.r, &[fx, fy, fz]);
        let s: V4 = if F::SEPARABLE { n } else { v4(|i| n[i].less(mu_c, t[i])) };
        let half = a * F4::constant(0.5);
        let (an, gs) = (v4(|i| a * n[i]), v4(|i| g * s[i]));
        let (ht, hw) = (v4(|i| half * t[i]), v4(|i| half * w[i]));
        // G = a I − a n nᵀ − ½a (w tᵀ + t wᵀ) + g s sᵀ
        let at = |i: usize, j: usize| {
            let off = (gs[i] * s[j]).less(an[i], n[j]).less(ht[i], w[j]).less(hw[i], t[j]);
            if i == j { off + a } else { off }
        };
        let [xx, xy, xz, yy, yz, zz] = [at(0, 0), at(0, 1), at(0, 2), at(1, 1), at(1, 2), at(2, 2)];
        // m = r× G by columns of G; then tt = −m r×.
        let c0 = cross(&packet.r, &[xx, xy, xz]);
        let c1 = cross(&packet.r, &[xy, yy, yz]);
        let c2 = cross(&packet.r, &[xz, yz, zz]);
        let [x, y, z] = packet.r;
        let tt = [
            (y * c2[0]).less(z, c1[0]),
            (z * c0[0]).less(x, c2[0]),
            (x * c1[0]).less(y, c0[0]),
            (z * c0[1]).less(x, c2[1]),
            (x * c1[1]).less(y, c0[1]),
            (x * c1[2]).less(y, c0[2]),
        ];
        [
            tx, ty, tz, fx, fy, fz, tt[0], tt[1], tt[2], tt[3], tt[4], tt[5], c0[0], c1[0], c2[0], c0[1],
            c1[1], c2[1], c0[2], c1[2], c2[2], xx, xy, xz, yy, yz, zz,
        ]
    }
}

/// Slip scaled by direction, with spin and rolling: five components along the contact frame's axes.
#[derive(Debug, Clone, Copy)]
pub struct Turning {
    /// The frame's x and y, world.
    axes: [V4; 2],
    scales: [F4; 5],
    /// What the stretch of a tangential spring stands for.
    offset: [F4; 5],
}

impl Turning {
    /// Sets a lane. `offset` is the scaled slip that a spring's stretch stands for.
    pub fn set(&mut self, lane: usize, axes: [V3; 2], ellipse: &Ellipse, offset: [f64; 5]) {
        for (to, from) in self.axes.iter_mut().zip(axes) {
            (0..3).for_each(|i| to[i].0[lane] = from[i]);
        }
        for i in 0..5 {
            self.scales[i].0[lane] = ellipse.scales[i];
            self.offset[i].0[lane] = offset[i];
        }
    }

    /// Directions of the slip as wrenches [torque; force] about the pair's point.
    #[inline(always)]
    fn rows(&self, r: &V4, n: &V4) -> [[F4; 6]; 5] {
        let [x, y] = &self.axes;
        let slide = |axis: &V4, s: F4| {
            let turn = cross(r, axis);
            [s * turn[0], s * turn[1], s * turn[2], s * axis[0], s * axis[1], s * axis[2]]
        };
        let turn = |axis: &V4, s: F4| [s * axis[0], s * axis[1], s * axis[2], ZERO, ZERO, ZERO];
        let s = &self.scales;
        [slide(x, s[0]), slide(y, s[1]), turn(n, s[2]), turn(x, s[3]), turn(y, s[4])]
    }
}

#[inline(always)]
fn each5(f: impl Fn(usize) -> F4) -> [F4; 5] {
    [f(0), f(1), f(2), f(3), f(4)]
}

#[inline(always)]
fn each6(f: impl Fn(usize) -> F4) -> [F4; 6] {
    [f(0), f(1), f(2), f(3), f(4), f(5)]
}

/// Σ x_i row_i.
#[inline(always)]
fn sum_of(rows: &[[F4; 6]; 5], x: &[F4; 5]) -> [F4; 6] {
    each6(|k| {
        let first = (rows[0][k] * x[0]).plus(rows[1][k], x[1]).plus(rows[2][k], x[2]);
        first.plus(rows[3][k], x[3]).plus(rows[4][k], x[4])
    })
}

/// Entry (i, j) of a Σ row rowᵀ + gs sᵀ − ht wᵀ − hw tᵀ.
#[inline(always)]
fn product<const N: usize>(
    a: F4,
    rows: &[[F4; 6]; N],
    [gs, s, ht, w, hw, t]: [F4; 6],
    (i, j): (usize, usize),
) -> F4 {
    let mut sum = rows[0][i] * rows[0][j];
    for row in &rows[1..] {
        sum = sum.plus(row[i], row[j]);
    }
    (gs * s).plus(a, sum).less(ht, w).less(hw, t)
}

impl Slip for Turning {
    type Vector = [F4; 5];
    const EMPTY: Self = Self { axes: [[ZERO; 3]; 2], scales: [ZERO; 5], offset: [ZERO; 5] };
    const ZERO: [F4; 5] = [ZERO; 5];

    #[inline(always)]
    fn each(f: impl Fn(usize) -> F4) -> [F4; 5] {
        each5(f)
    }

    #[inline(always)]
    fn dot(a: &[F4; 5], b: &[F4; 5]) -> F4 {
        (a[0] * b[0]).plus(a[1], b[1]).plus(a[2], b[2]).plus(a[3], b[3]).plus(a[4], b[4])
    }

    #[inline(always)]
    fn of(&self, n: &V4, omega: &V4, u: &V4, _: F4) -> [F4; 5] {
        let ([x, y], s) = (&self.axes, &self.scales);
        let slide = [s[0] * dot(x, u), s[1] * dot(y, u)];
        [slide[0], slide[1], s[2] * dot(n, omega), s[3] * dot(x, omega), s[4] * dot(y, omega)]
    }

    #[inline(always)]
    fn stretched(&self, slip: [F4; 5]) -> [F4; 5] {
        each5(|i| slip[i] + self.offset[i])
    }

    #[inline(always)]
    fn straightened(_: &V4, slip: [F4; 5]) -> [F4; 5] {
        slip // its components are along axes in the plane
    }

    #[inline(always)]
    fn pull(&self, n: &V4, slip: &[F4; 5]) -> (V4, V4) {
        let ([x, y], s) = (&self.axes, &self.scales);
        let y5 = each5(|i| s[i] * slip[i]);
        let force = v4(|i| (y5[0] * x[i]).plus(y5[1], y[i]));
        (v4(|i| (y5[2] * n[i]).plus(y5[3], x[i]).plus(y5[4], y[i])), force)
    }

    #[inline(always)]
    fn project<F: Friction>(packet: &Packet<Self>, a: F4, w: &[F4; 5], g: F4, mu_c: F4) -> [F4; 27] {
        let n = &packet.n;
        let rows = packet.slip.rows(&packet.r, n);
        let turn = cross(&packet.r, n);
        let normal = [turn[0], turn[1], turn[2], n[0], n[1], n[2]];
        let drag = sum_of(&rows, &packet.v_t);
        let wrench = each6(|k| (packet.gamma_n * normal[k]).less(packet.a, drag[k]));
        let (t, w) = (sum_of(&rows, &packet.t), sum_of(&rows, w));
        let s = if F::SEPARABLE { normal } else { each6(|k| normal[k].less(mu_c, t[k])) };
        let half = a * F4::constant(0.5);
        let (gs, ht, hw) = (each6(|k| g * s[k]), each6(|k| half * t[k]), each6(|k| half * w[k]));
        // Jᵀ G J = a Σ row rowᵀ − ½a (w tᵀ + t wᵀ) + g s sᵀ, with t, w, s as sums of rows
        let others = |i: usize, j: usize| [gs[i], s[j], ht[i], w[j], hw[i], t[j]];
        let tt = |i, j| product(a, &rows, others(i, j), (i, j));
        // Spin and rolling have no force.
        let slides = [rows[0], rows[1]];
        let at = |i, j| product(a, &slides, others(i, j), (i, j));
        let [tx, ty, tz, fx, fy, fz] = wrench;
        let [tt0, tt1, tt2] =
            [[tt(0, 0), tt(0, 1), tt(0, 2)], [tt(1, 1), tt(1, 2), ZERO], [tt(2, 2), ZERO, ZERO]];
        let [tl0, tl1, tl2] = [0, 1, 2].map(|i| [at(i, 3), at(i, 4), at(i, 5)]);
        let [ll0, ll1, ll2] =
            [[at(3, 3), at(3, 4), at(3, 5)], [at(4, 4), at(4, 5), ZERO], [at(5, 5), ZERO, ZERO]];
        [
            tx, ty, tz, fx, fy, fz, tt0[0], tt0[1], tt0[2], tt1[0], tt1[1], tt2[0], tl0[0], tl0[1], tl0[2],
            tl1[0], tl1[1], tl1[2], tl2[0], tl2[1], tl2[2], ll0[0], ll0[1], ll0[2], ll1[0], ll1[1], ll2[0],
        ]
    }
}
