"""Contact patches of random pairs of primitives, next to Drake's hydroelastic contact surfaces.

    python validation/peers/patches_static.py

Random shapes, sizes, moduli, poses and depths; compliant on compliant and compliant on rigid. Area, force
and centroid are compared. Where no shape is curved, meshes and fields are the same and the patches must
agree to rounding; where one is, the meshes differ and the difference must vanish as both are refined.

Writes docs/patches_static.md and docs/patches_static.csv.
"""

import csv
import math
import sys
from importlib.metadata import version

import numpy as np
import pydrake.geometry as dg
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.common.eigen_geometry import Quaternion
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, ContactModel, CoulombFriction
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.framework import DiagramBuilder

from catalog import ROOT

sys.path.insert(0, str(ROOT / "validation" / "bench"))
from patches_pairs import Body, patches

SHAPES = ["sphere", "box", "cylinder", "capsule", "ellipsoid", "halfspace"]
FLAT = {"box", "halfspace"}
KINDS = ["compliant on compliant", "compliant on rigid"]
EACH = 8  # pairs of every combination
HINT = 0.01  # m, of the random pairs
REFINED = [0.02, 0.01, 0.005, 0.0025]  # m
EXACT = 1e-6  # relative, of pairs without curved shapes
FINE = 0.03  # largest median relative difference of area and force at the finest hint


def main():
    random = np.random.default_rng(4)
    pairs = [
        (kind, random_pair(kind, a, b, random))
        for kind in KINDS
        for k, a in enumerate(SHAPES)
        for b in (SHAPES[k:] if kind == KINDS[0] else SHAPES)
        if "halfspace" not in (a, b) or (a != b and kind == KINDS[1])
        for _ in range(EACH)
    ]
    rows = compare(pairs)
    levels = [sub for sub in pairs if not flat(sub[1])][:: 2 * EACH]
    refined = {hint: compare([(kind, with_hint(pair, hint)) for kind, pair in levels]) for hint in REFINED}
    write(rows, refined)
    wrong = [row for row in rows if row["flat"] and max(row["area"], row["force"]) > EXACT]
    missing = [row for row in rows if row["one empty"]]
    for row in wrong + missing:
        print("differs:", row)
    at_best = [max(row["area"], row["force"]) for row in refined[REFINED[-1]] if not row["flat"]]
    if wrong or missing or np.median(at_best) > FINE:
        sys.exit(
            f"{len(wrong)} pairs without curved shapes differ, {len(missing)} touch in one program only; at the finest "
            f"meshes the median difference is {np.median(at_best):.1e}"
        )


def flat(pair):
    return {body.shape for body in pair} <= FLAT


def with_hint(pair, hint):
    return tuple(Body(**{**vars(body), "hint": hint}) for body in pair)


def random_pair(kind, shape_a, shape_b, random):
    """Two bodies that overlap by 3 to 40 % of the smaller one's smallest half width."""
    moduli = [10 ** random.uniform(5, 7), 10 ** random.uniform(5, 7)]
    if kind == KINDS[1]:
        moduli[1] = math.inf
    sizes = [random_size(shape, random) for shape in (shape_a, shape_b)]
    widths = [min(size) if size else math.inf for size in sizes]
    depth = random.uniform(0.03, 0.4) * min(widths)
    direction = unit(random)
    bodies = []
    for k, (shape, size) in enumerate(zip((shape_a, shape_b), sizes)):
        out, point = feature(shape, size, random)
        # The outward direction of the feature along the contact's, tilted a little; B's the other way.
        tilt = np.cross(unit(random), direction) * random.uniform(0, 0.2)
        target = (direction if k == 0 else -direction) + tilt
        rotation = turn(out, target / np.linalg.norm(target), random)
        bodies.append((rotation, rotation @ point))
    origin = random.uniform(-0.2, 0.2, 3)
    # B's feature lies at A's, pushed in by the depth.
    place_b = origin + bodies[0][1] - bodies[1][1] - depth * direction
    return tuple(
        Body(shape, size, modulus, 0.1, HINT, "equal", tuple(place), quaternion(rotation))
        for shape, size, modulus, place, (rotation, _) in zip(
            (shape_a, shape_b), sizes, moduli, (origin, place_b), bodies
        )
    )


def random_size(shape, random):
    count = {"sphere": 1, "box": 3, "cylinder": 2, "capsule": 2, "ellipsoid": 3, "halfspace": 0}[shape]
    return tuple(random.uniform(0.04, 0.1, count))


def feature(shape, size, random):
    """(outward direction, a point of the surface there) in the body's frame; faces as often as edges and corners."""
    n = unit(random)
    if shape == "halfspace":
        return np.array([0, 0, 1.0]), np.zeros(3)
    if shape == "sphere":
        return n, size[0] * n
    if shape == "ellipsoid":
        r = np.array(size)
        return n, r * r * n / np.linalg.norm(r * n)
    if shape == "box":
        h = np.array(size)
        if random.random() < 0.5:
            n = np.eye(3)[random.integers(3)] * random.choice([-1, 1])
            return n, h * n
        return n, h * np.sign(n)
    radius, half = size
    if shape == "capsule":
        return n, radius * n + np.array([0, 0, half * np.sign(n[2])])
    place = random.integers(3)  # an end, the side, the rim
    if place == 0:
        return np.array([0, 0, np.sign(n[2])]), np.array([0, 0, half * np.sign(n[2])])
    side = np.array([n[0], n[1], 0]) / math.hypot(n[0], n[1])
    if place == 1:
        return side, radius * side
    return n, radius * side + np.array([0, 0, half * np.sign(n[2])])


def unit(random):
    v = random.normal(size=3)
    return v / np.linalg.norm(v)


def turn(start, end, random):
    """A rotation that takes one unit vector to another, with a random turn about it."""

    def basis(z):
        x = np.cross(z, [0.6, -0.48, 0.64])
        x /= np.linalg.norm(x)
        return np.column_stack([x, np.cross(z, x), z])

    angle = random.uniform(0, 2 * math.pi)
    c, s = math.cos(angle), math.sin(angle)
    return basis(end) @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ basis(start).T


def quaternion(rotation):
    return tuple(RotationMatrix(rotation).ToQuaternion().wxyz())


def in_drake(a, b):
    """(area, force on b, centroid, polygons), or None without contact."""
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, 0.0)
    plant.set_contact_model(ContactModel.kHydroelastic)
    plant.set_contact_surface_representation(dg.HydroelasticContactRepresentation.kPolygon)
    ids = []
    for name, body in (("a", a), ("b", b)):
        properties = dg.ProximityProperties()
        dg.AddContactMaterial(friction=CoulombFriction(0, 0), dissipation=0.0, properties=properties)
        if math.isinf(body.modulus):
            dg.AddRigidHydroelasticProperties(body.hint, properties)
        elif body.shape == "halfspace":
            dg.AddCompliantHydroelasticPropertiesForHalfSpace(body.thickness, body.modulus, properties)
        else:
            dg.AddCompliantHydroelasticProperties(body.hint, body.modulus, properties)
        link = plant.AddRigidBody(name, SpatialInertia.SolidSphereWithMass(1.0, 0.1))
        ids.append(plant.RegisterCollisionGeometry(link, RigidTransform(), drake_shape(body), name, properties))
    plant.Finalize()
    diagram = builder.Build()
    root = diagram.CreateDefaultContext()
    context = plant.GetMyMutableContextFromRoot(root)
    for name, body in (("a", a), ("b", b)):
        rotation = RotationMatrix(Quaternion(np.array(body.quaternion) / np.linalg.norm(body.quaternion)))
        plant.SetFreeBodyPose(context, plant.GetBodyByName(name), RigidTransform(rotation, body.position))
    results = plant.get_contact_results_output_port().Eval(context)
    if results.num_hydroelastic_contacts() == 0:
        return None
    info = results.hydroelastic_contact_info(0)
    surface = info.contact_surface()
    on_m = info.F_Ac_W().translational()
    force = on_m if surface.id_M() == ids[1] else -on_m
    return surface.total_area(), force, surface.centroid(), surface.num_faces()


def drake_shape(body):
    s = body.size
    return {
        "sphere": lambda: dg.Sphere(s[0]),
        "box": lambda: dg.Box(2 * s[0], 2 * s[1], 2 * s[2]),
        "cylinder": lambda: dg.Cylinder(s[0], 2 * s[1]),
        "capsule": lambda: dg.Capsule(s[0], 2 * s[1]),
        "ellipsoid": lambda: dg.Ellipsoid(*s),
        "halfspace": dg.HalfSpace,
    }[body.shape]()


def compare(pairs):
    """One row a pair."""
    ours = patches([pair for _, pair in pairs], faces="drake")
    complete = patches([pair for _, pair in pairs])
    # With vertices on the true surface, as Drake's: shows how much of a difference is the fit's.
    inscribed = patches([tuple(Body(**{**vars(b), "fit": "inscribed"}) for b in pair) for _, pair in pairs], faces="drake")
    rows = []
    for (kind, pair), mine, whole, fitted in zip(pairs, ours, complete, inscribed):
        theirs = in_drake(*pair)
        row = {"kind": kind, "shapes": f"{pair[0].shape}, {pair[1].shape}", "flat": flat(pair), "polygons": mine.faces}
        row |= {"one empty": (theirs is None) != (mine.area == 0), "peak extent": mine.peak_extent}
        if theirs is None or mine.area == 0:
            row |= {name: math.nan for name in ("area", "force", "angle", "centroid", "drake polygons")}
            row |= {"inscribed area": math.nan, "inscribed force": math.nan, "all faces force": math.nan}
        else:
            area, force, centroid, count = theirs
            size = np.linalg.norm(force)
            row |= {
                "drake polygons": count,
                "area m2": mine.area,
                "force N": np.linalg.norm(mine.force),
                "area": abs(mine.area / area - 1),
                "force": np.linalg.norm(mine.force - force) / size,
                "angle": angle(mine.force, force),
                "centroid": np.linalg.norm(mine.centroid - centroid) / math.sqrt(area),
                "vectors": (mine.force, force),
                "all faces force": np.linalg.norm(whole.force - force) / size,
                "inscribed area": abs(fitted.area / area - 1),
                "inscribed force": np.linalg.norm(fitted.force - force) / size,
            }
        rows.append(row)
    return rows


def angle(u, v):
    return math.atan2(np.linalg.norm(np.cross(u, v)), u @ v)


def quantiles(rows, name):
    values = [row[name] for row in rows if not math.isnan(row[name])]
    return [f"{q:.1e}" for q in np.quantile(values, [0.5, 0.9, 1.0])] if values else ["", "", ""]


def write(rows, refined):
    header = ["", "pairs", "polygons here / Drake", "area: median", "90 %", "largest", "force: median", "90 %", "largest"]
    header += ["centroid: median", "force, inscribed meshes here: median", "force, all faces: largest"]
    groups = []
    for kind in KINDS:
        mine = [row for row in rows if row["kind"] == kind]
        groups.append((f"{kind}, flat shapes only", [row for row in mine if row["flat"]]))
        for shape in ("sphere", "cylinder", "capsule", "ellipsoid"):
            groups.append((f"{kind}, with a {shape}", [row for row in mine if shape in row["shapes"]]))
    lines = [line(name, group) for name, group in groups if group]
    steps = [line(f"hint {1e3 * hint:g} mm", rows) for hint, rows in refined.items()]
    page = [
        "# Contact patches of random pairs, next to Drake",
        f"Written by `cargo xtask peers` with Drake {version('drake')}. {len(rows)} random pairs of sphere, box, cylinder, "
        "capsule, ellipsoid and half-space at random poses and depths (3 to 40 % of the smaller half width), moduli 1e5 to "
        f"1e7 Pa, resolution hint {1e3 * HINT:g} mm in both; all pairs are in `patches_static.csv`. A compliant half-space on a compliant "
        "body is left out: Drake has none. The numbers are relative differences; the centroid's is over the root of the "
        "area.",
        table([header, *lines]),
        "Without curved shapes meshes and fields are the same, and so are the patches. Curved shapes are meshed "
        "differently: ours have the volume of the true shape, so that facets cut its surface, Drake's have their vertices "
        "on it and lie inside, which makes contacts shallower by a part of the facet's sagitta (hint² / 8 radius). With "
        "shallow contact this is a good part of the depth. The last column has our meshes inscribed, too; what remains "
        "then is that facets lie elsewhere and have other sizes. Drake leaves "
        "out faces whose normal is more than 112.5 degrees from a gradient, and so does the comparison; steps here count "
        "them (the wrench is continuous then), which the last column shows: it matters for small contacts at edges.",
        f"## The same {len(refined[REFINED[0]])} curved pairs, refined",
        table([header, *steps]),
        f"Error of the force against ours at {1e3 * REFINED[-1]:g} mm, medians:",
        table(errors(refined)),
    ]
    (ROOT / "docs" / "patches_static.md").write_text("\n\n".join(page) + "\n")
    names = list(dict.fromkeys(name for row in rows for name in row if name != "vectors"))
    with open(ROOT / "docs" / "patches_static.csv", "w", newline="") as file:
        out = csv.DictWriter(file, names, extrasaction="ignore", lineterminator="\n")
        out.writeheader()
        out.writerows([{k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows])
    print(table([header, *lines, *steps]))


def errors(refined):
    """How far each program's forces are from the finest ones here."""
    finest = [row["vectors"][0] for row in refined[REFINED[-1]]]
    lines = [["", "here", "Drake"]]
    for hint in REFINED[:-1]:
        off = [
            [np.linalg.norm(force - best) / np.linalg.norm(best) for force in row["vectors"]]
            for row, best in zip(refined[hint], finest)
            if "vectors" in row
        ]
        lines.append([f"hint {1e3 * hint:g} mm", *(f"{value:.1e}" for value in np.median(off, axis=0))])
    return lines


def line(name, rows):
    counts = [sum(row[key] for row in rows if not math.isnan(row[key])) for key in ("polygons", "drake polygons")]
    cells = [name, len(rows), f"{counts[0]:.0f} / {counts[1]:.0f}", *quantiles(rows, "area"), *quantiles(rows, "force")]
    return [*cells, quantiles(rows, "centroid")[0], quantiles(rows, "inscribed force")[0], quantiles(rows, "all faces force")[2]]


def table(lines):
    head, *rest = lines
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(str(cell) for cell in cells) + " |" for cells in (head, rule, *rest))


if __name__ == "__main__":
    main()
