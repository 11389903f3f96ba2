"""What is compared, and how a difference is measured.

Forces, accelerations and the mass matrix are scaled by the square roots of the mass matrix's
diagonal, so that units drop out and a light finger counts as much as a heavy trunk:

    mass matrix   max |ΔM_ij| / sqrt(M_ii M_jj)
    forces        max |Δf_i| / sqrt(M_ii)   over   max |f_i| / sqrt(M_ii)
    accelerations max |Δa_i| · sqrt(M_ii)   over   max |a_i| · sqrt(M_ii)

Positions are relative to the largest distance from the origin, at least 1 m; rotations are
compared as matrices. Lengths, rates and forces of tendons and actuators and readings of sensors are relative to
the largest of their kind, at least 1 of their unit.
"""

from dataclasses import dataclass, field

import numpy as np

TOLERANCE = 1e-9
SINGULAR = 1e12  # condition number from which on forward dynamics is not compared
NAMES = ["mass", "poses", "M", "bias", "inverse", "forward", "passive", "tendons", "actuators", "sensors"]


@dataclass
class Evaluation:
    """One model at one state, in the layout of q and v used here."""

    M: np.ndarray
    bias: np.ndarray
    inverse: np.ndarray  # M a + bias
    forward: np.ndarray  # the acceleration under tau
    poses: dict = field(default_factory=dict)  # body name -> (rotation 3x3, position 3)
    # What only MJCF has: springs, dampers and gravity compensation; then quantity -> numbers of all tendons,
    # of all actuators, and sensor name -> reading.
    passive: np.ndarray | None = None
    tendons: dict = field(default_factory=dict)
    actuators: dict = field(default_factory=dict)
    sensors: dict = field(default_factory=dict)


def differences(reference, other):
    """Relative differences by name, and the condition number of the scaled mass matrix."""
    diagonal = np.diag(reference.M)
    largest = max(diagonal.max(initial=0.0), 1e-300)
    root = np.sqrt(np.maximum(diagonal, 1e-12 * largest))
    condition = np.linalg.cond(reference.M / np.outer(root, root)) if len(root) else 1.0
    if diagonal.min(initial=largest) < 1e-12 * largest or not condition < SINGULAR:
        # Some files describe directions without any inertia: measure those against the others.
        root, condition = np.full(len(root), np.sqrt(largest)), np.inf
    result = {
        "M": np.abs((other.M - reference.M) / np.outer(root, root)).max(initial=0.0),
        "bias": relative(other.bias / root, reference.bias / root, reference.inverse / root),
        "inverse": relative(other.inverse / root, reference.inverse / root),
        "forward": relative(other.forward * root, reference.forward * root),
    }
    if any(name in other.poses for name in reference.poses):
        result["poses"] = pose_difference(reference.poses, other.poses)
    if reference.passive is not None:
        largest = reference.passive / root
        result["passive"] = relative(other.passive / root, largest, np.append(reference.inverse / root, 1e-9))
    for kind in ("tendons", "actuators", "sensors"):
        theirs, mine = getattr(reference, kind), getattr(other, kind)
        shared = [name for name in theirs if name in mine and np.size(theirs[name])]
        if shared:
            result[kind] = max(at_least_one(mine[name], theirs[name]) for name in shared)
    return result, condition


def pose_difference(reference, other):
    """Largest difference of rotations, and of positions over the largest distance, at least 1 m."""
    shared = [name for name in reference if name in other]
    reach = max([1.0, *(np.abs(reference[name][1]).max() for name in shared)])
    turned = [np.abs(reference[name][0] - other[name][0]).max() for name in shared]
    moved = [np.abs(reference[name][1] - other[name][1]).max() / reach for name in shared]
    return float(max([0.0, *turned, *moved]))


def at_least_one(value, reference):
    """Largest difference over the largest entry, at least 1."""
    return np.abs(np.asarray(value) - reference).max() / max(1.0, np.abs(reference).max())


def solve(matrix, right):
    """The solution, or NaN where the matrix is singular (a file may describe massless bodies)."""
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        return np.full(len(right), np.nan)


def relative(value, reference, scale=None):
    """Largest difference over the largest entry of the reference (and of `scale`, if given)."""
    size = np.abs(reference).max(initial=0.0)
    if scale is not None:
        size = max(size, np.abs(scale).max(initial=0.0))
    return np.abs(value - reference).max(initial=0.0) / max(size, 1e-300)


def tolerance(name, condition):
    """1e-9, but for accelerations never below what rounding does to a badly conditioned M."""
    return max(TOLERANCE, 100 * np.finfo(float).eps * condition) if name == "forward" else TOLERANCE
