"""Contact patches of pairs of shapes, from our geometry alone: the program in validation/patches.

    patches([(Body("sphere", (0.1,), 1e7), Body("halfspace"))])[0].area
"""

import math
import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
# Built by `cargo xtask`, which says where.
PROGRAM = os.environ.get("STICTION_PATCHES", ROOT / ".cache/patches/release/patches-of-pairs")


@dataclass(frozen=True)
class Body:
    shape: str  # sphere, box, cylinder, capsule, ellipsoid, halfspace
    size: tuple = ()  # radius; half sizes; radius and half length; radii, m
    modulus: float = math.inf  # Pa; infinite for a rigid body
    thickness: float = 1.0  # of a compliant half-space, m
    hint: float = 0.02  # resolution, m
    fit: str = "equal"  # or inscribed: where the vertices of curved meshes lie
    position: tuple = (0, 0, 0)  # world frame, m
    quaternion: tuple = (1, 0, 0, 0)

    def radius(self):
        """Of a sphere about the origin that holds the body, m."""
        if self.shape in ("cylinder",):
            return math.hypot(*self.size)
        return {"sphere": max, "ellipsoid": max, "box": lambda s: math.hypot(*s), "capsule": sum}[self.shape](self.size)

    def line(self):
        words = [*self.size, self.modulus, self.thickness, self.hint, self.fit, *self.position, *self.quaternion]
        return " ".join([self.shape, *(w if isinstance(w, str) else repr(float(w)) for w in words)])


@dataclass(frozen=True)
class Patch:
    area: float  # m2
    force: np.ndarray  # on the second body, frictionless, N, world frame
    centroid: np.ndarray  # m
    faces: int
    tests: int  # pairs of elements looked at
    elements_a: int
    elements_b: int
    peak_extent: float  # largest pressure over the smallest modulus
    microseconds: float


def inscribed(body):
    """The same body with the vertices of its mesh on the true surface, as Drake's."""
    return replace(body, fit="inscribed")


def patches(pairs, rounds=1, faces="all"):
    """The patch of each pair; the time is the best of some rounds. Faces: all, or those that Drake keeps."""
    text = "\n".join(f"{a.line()} {b.line()}" for a, b in pairs)
    result = subprocess.run([PROGRAM, str(rounds), faces], input=text, capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"{PROGRAM}: {result.stderr}")
    return [read(line) for line in result.stdout.splitlines()]


def read(line):
    w = line.split()
    x = [float(word) for word in w]
    return Patch(x[0], np.array(x[1:4]), np.array(x[4:7]), *(int(word) for word in w[7:11]), x[11], x[12])


def spheres(radius, hint, depth, modulus=1e7):
    """Two like spheres, one turned, whose surfaces overlap by depth."""
    direction = np.array([0.3, 0.45, 0.84])
    offset = (2 * radius - depth) * direction / np.linalg.norm(direction)
    turned = (0.97, 0.15, 0.1, 0.05)
    one = Body("sphere", (radius,), modulus, hint=hint)
    return one, Body("sphere", (radius,), modulus, hint=hint, position=tuple(offset), quaternion=turned)


def ellipsoids(p, depth):
    """The fine pair of patches.toml, tilted, about depth into each other."""
    one = Body("ellipsoid", tuple(p["radii"]), p["modulus"], hint=p["hint"])
    place, turned = (0.013, 0.007, 2 * p["radii"][2] - depth), (0.98, 0.03, 0.04, 0.17)
    return one, Body("ellipsoid", tuple(p["radii"]), p["modulus"], hint=p["hint"], position=place, quaternion=turned)
