"""Rigid sphere and flat cylinder pressed into an elastic layer: axisymmetric finite elements (PFC section 4.5.1).

Small strain, frictionless, nu = 0.3, the layer's bottom fixed, its far wall fixed sideways; quadratic elements. As in
the dissertation: the sphere has R = 1600 and the layer H = 1, the depth h gives the contact diameter of the pressure
field D = sqrt(8 R h); the cylinder has R = 1 and h = H / 100, and H varies. Lengths and E are 1, forces are in units of
E: only ratios are used.

    python validation/elastic_layer/fem.py           writes forces.csv and pressures.csv next to this file

Needs scikit-fem (BSD), numpy and scipy: requirements.txt here.
"""

import csv
import pathlib

import numpy as np
import scipy.sparse.linalg as sla
from skfem import Basis, BilinearForm, ElementQuad2, ElementVector, FacetBasis, MeshQuad

NU = 0.3
LAMBDA = NU / ((1 + NU) * (1 - 2 * NU))  # E = 1
MU = 1 / (2 * (1 + NU))
HERE = pathlib.Path(__file__).parent
RATIOS = [0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


@BilinearForm
def stiffness(u, v, w):
    """2 pi integral of lambda tr(e) tr(e') + 2 mu e : e', with the hoop strain u_r / r."""
    r = w.x[0]
    err, ezz, ert = u.grad[0][0], u.grad[1][1], u.value[0] / r
    frr, fzz, frt = v.grad[0][0], v.grad[1][1], v.value[0] / r
    erz, frz = (u.grad[0][1] + u.grad[1][0]) / 2, (v.grad[0][1] + v.grad[1][0]) / 2
    products = err * frr + ezz * fzz + ert * frt + 2 * erz * frz
    return 2 * np.pi * r * (LAMBDA * (err + ezz + ert) * (frr + fzz + frt) + 2 * MU * products)


def graded(marks, most, growth=1.12):
    """Points through `marks` = [(place, size there), ...], sizes growing away from each mark up to `most`."""
    places = [m[0] for m in marks]
    size = lambda x: min(most, min(s + (growth - 1) * abs(x - p) for p, s in marks))
    points = [places[0]]
    for a, b in zip(places, places[1:]):
        inner, x = [], a
        while x < b - 1e-12:
            x += size(x + 0.5 * size(x))
            inner.append(x)
        inner = (np.array(inner) - a) * (b - a) / (inner[-1] - a) + a  # ends on the mark
        points += list(inner)
    return np.array(points)


class Layer:
    """A layer of thickness H, its top at z = 0, with a factorised stiffness."""

    def __init__(self, r, z):
        self.mesh = MeshQuad.init_tensor(r, z)
        self.basis = Basis(self.mesh, ElementVector(ElementQuad2()), intorder=5)
        self.k = stiffness.assemble(self.basis).tocsc()
        x = self.basis.doflocs
        # Which component a dof is: interpolate a field that is 0 in r and 1 in z.
        is_z = np.zeros(self.basis.N, dtype=bool)
        for block in (self.basis.nodal_dofs, self.basis.facet_dofs, self.basis.interior_dofs):
            if block is not None and len(block):
                is_z[block[1]] = True
        bottom, axis, wall = x[1] <= z[0] + 1e-12, x[0] <= 1e-12, x[0] >= r[-1] - 1e-9
        fixed = bottom | (~is_z & (axis | wall))
        self.free = np.flatnonzero(~fixed)
        self.top = np.flatnonzero(is_z & (x[1] >= -1e-12) & ~fixed)
        self.top = self.top[np.argsort(x[0][self.top])]
        self.r = x[0]

    def press(self, inside, target):
        """Displacements with the top dofs `inside` moved to `target`, and the force on them (downwards positive)."""
        u = np.zeros(self.basis.N)
        u[inside] = target
        rest = np.setdiff1d(self.free, inside)
        u[rest] = sla.spsolve(self.k[rest][:, rest], -self.k[rest][:, inside] @ target, permc_spec="COLAMD")
        return u, -(self.k @ u)[inside]

    def pressure(self, u, most):
        """Radii and -sigma_zz on the top, within `most`."""
        facets = self.mesh.facets_satisfying(lambda x: (x[1] >= -1e-12) & (x[0] < most), boundaries_only=True)
        facets = np.array([f for f in facets if abs(self.mesh.p[1][self.mesh.facets[:, f]]).max() < 1e-12])
        basis = FacetBasis(self.mesh, ElementVector(ElementQuad2()), facets=facets, intorder=2)
        f = basis.interpolate(u)
        x = basis.global_coordinates().value
        err, ezz, ert = f.grad[0][0], f.grad[1][1], f.value[0] / x[0]
        p = -(LAMBDA * (err + ezz + ert) + 2 * MU * ezz)
        r, p = x[0].mean(axis=1), p.mean(axis=1)
        order = np.argsort(r)
        return r[order], p[order]


def sphere(ratio):
    """Force, displacement and layer for a sphere at H / D = ratio."""
    R, H = 1600.0, 1.0
    D = H / ratio
    h = D * D / (8 * R)
    a, wide = D / 2, 40.0
    fine = min(a / 60, 0.03)
    r = graded([(0.0, fine), (1.02 * a, fine), (wide, 0.4)], 0.4)
    if a / fine > 150:  # a wide contact needs fine elements only at its edge
        r = graded([(0.0, 0.1), (0.9 * a, fine), (1.02 * a, fine), (wide, 0.4)], 0.2)
    z = -graded([(0.0, fine), (H, 0.15)], 0.15)[::-1]
    layer = Layer(r, z)
    gap = h - layer.r[layer.top] ** 2 / (2 * R)  # how far a point would have to go down
    # The contact is a disc: find its last vertex by bisection (no tension inside, no overlap outside).
    low, high = 2, int(np.count_nonzero(layer.r[layer.top] < 1.02 * a))
    while high - low > 1:
        middle = (low + high) // 2
        inside = layer.top[:middle]
        u, force = layer.press(inside, -gap[:middle])
        overlap = np.any(u[layer.top[middle:]] > -gap[middle:] + 1e-12)
        if force[-2:].sum() > 0 and overlap:
            low = middle
        elif force[-2:].sum() > 0:
            low = high = middle
        else:
            high = middle
    inside = layer.top[:low]
    u, force = layer.press(inside, -gap[:low])
    modulus = LAMBDA + 2 * MU
    pfc = np.pi * modulus * h * h * R / H
    return force.sum(), pfc, layer, u, a, modulus * h / H, layer.r[inside[-1]]


def cylinder(ratio):
    """The same for a cylinder's flat end."""
    R = 1.0
    H = 2 * R * ratio
    h, wide = H / 100, 60.0
    r = graded([(0.0, 0.02), (R - 0.02, 0.001), (R, 0.001), (R + 0.02, 0.001), (wide, 0.4)], 0.4)
    z = -graded([(0.0, 0.001), (H, H / 8)], min(0.2, H / 8))[::-1]
    layer = Layer(r, z)
    inside = layer.top[layer.r[layer.top] <= R + 1e-9]
    u, force = layer.press(inside, np.full(len(inside), -h))
    modulus = LAMBDA + 2 * MU
    return force.sum(), np.pi * R * R * modulus * h / H, layer, u, R, modulus * h / H, R


def main():
    forces, pressures = [], []
    for name, solve in (("sphere", sphere), ("cylinder", cylinder)):
        for ratio in RATIOS:
            fem, pfc, layer, u, a, unit, edge = solve(ratio)
            print(f"{name:8} H/D {ratio:5.3f}  {layer.basis.N:6} dofs  PFC/FEM {pfc / fem:.4f}  contact {edge / a:.4f} D/2",
                  flush=True)
            forces.append([name, ratio, f"{fem:.6e}", f"{pfc:.6e}", f"{pfc / fem:.5f}", f"{edge / a:.5f}"])
            if ratio == 0.25:
                for r, p in zip(*layer.pressure(u, 1.15 * a)):
                    pressures.append([name, f"{r / a:.5f}", f"{p / unit:.5f}"])
    with open(HERE / "forces.csv", "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["indenter", "H_over_D", "fem_force", "pfc_force", "pfc_over_fem", "fem_contact_radius"])
        w.writerows(forces)
    with open(HERE / "pressures.csv", "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["indenter", "r_over_half_D", "p_over_Mh_H"])
        w.writerows(pressures)


if __name__ == "__main__":
    main()
