"""The order of a URDF's joints in q and v here: depth first, children in the order of the file."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

SIZES = {"free": (7, 6), "revolute": (1, 1), "continuous": (1, 1), "prismatic": (1, 1)}


@dataclass(frozen=True)
class Joint:
    name: str  # None for the joint that frees the root
    kind: str
    q: int  # first index in q
    v: int  # first index in v


class Unsupported(Exception):
    """The comparison does not cover this file; the message says why."""


def joints(path, fixed_base):
    """The moving joints of a URDF file, with their places in q and v."""
    robot = ElementTree.parse(path).getroot()
    links = [link.get("name") for link in robot.findall("link")]
    children, parents = {}, {}
    for joint in robot.findall("joint"):
        if joint.find("parent") is None or joint.find("child") is None:
            continue  # a `joint` inside another vocabulary
        children.setdefault(joint.find("parent").get("link"), []).append(joint)
        parents[joint.find("child").get("link")] = joint
    roots = [link for link in links if link not in parents]
    if len(roots) != 1:
        raise Unsupported(f"the file has {len(roots)} root links")
    placed, q, v = [], 0, 0

    def place(name, kind):
        nonlocal q, v
        if kind not in SIZES:
            raise Unsupported(f"joint `{name}` is of type {kind}")
        placed.append(Joint(name, kind, q, v))
        q, v = q + SIZES[kind][0], v + SIZES[kind][1]

    if not fixed_base and roots[0] != "world":
        place(None, "free")
    stack = list(reversed(children.get(roots[0], [])))
    while stack:
        joint = stack.pop()
        if joint.get("type") != "fixed":
            place(joint.get("name"), joint.get("type"))
        stack.extend(reversed(children.get(joint.find("child").get("link"), [])))
    return placed, roots[0]


def reordered(joints, names):
    """The same joints in the order of `names` (those unnamed first)."""
    by_name = {joint.name: joint for joint in joints if joint.name}
    order = [joint for joint in joints if joint.name is None]
    order += [by_name[name] for name in names if name in by_name]
    if len(order) != len(joints):
        missing = set(by_name) - set(names)
        raise Unsupported(f"joints {sorted(missing)} are missing in the other reader's list")
    placed, q, v = [], 0, 0
    for joint in order:
        placed.append(Joint(joint.name, joint.kind, q, v))
        q, v = q + SIZES[joint.kind][0], v + SIZES[joint.kind][1]
    return placed


def random_state(joints, random):
    """Random q, v, a in this layout."""
    nq = sum(SIZES[j.kind][0] for j in joints)
    nv = sum(SIZES[j.kind][1] for j in joints)
    q = random.normal(size=nq)
    for joint in joints:
        if joint.kind == "free":
            quaternion = random.normal(size=4)
            q[joint.q + 3 : joint.q + 7] = quaternion / (quaternion @ quaternion) ** 0.5
    return q, random.normal(size=nv), random.normal(size=nv)


def massless_inertias(path):
    """How many links have rotational inertia but no mass."""
    count = 0
    try:
        robot = ElementTree.parse(path).getroot()
    except ElementTree.ParseError:
        return 0  # the peer will say
    for inertial in robot.iterfind("link/inertial"):
        mass, inertia = inertial.find("mass"), inertial.find("inertia")
        if mass is not None and inertia is not None and float(mass.get("value", 1)) == 0:
            count += any(float(inertia.get(name, 0)) for name in ("ixx", "iyy", "izz"))
    return count
