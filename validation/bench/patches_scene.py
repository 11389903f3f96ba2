"""Scenes with contact patches as MJCF: clutter of compliant objects, stacks of boxes, one fine pair.

The objects, the container and the columns of the clutter are those of clutter_scene.py.
"""

import dataclasses
import math
import tomllib

import clutter_scene
from clutter_scene import HERE, container, number, row

PARAMETERS = tomllib.loads((HERE / "patches.toml").read_text())
CONTACT = PARAMETERS["contact"]
RIGID = "<drake:proximity_properties><drake:rigid_hydroelastic/></drake:proximity_properties>"
DENSITY = 1000.0  # kg/m3


def compliant(hint, modulus=CONTACT["modulus"]):
    """The tags of a compliant geom."""
    return (
        "<drake:proximity_properties><drake:compliant_hydroelastic/>"
        f'<drake:hydroelastic_modulus value="{number(modulus)}"/>'
        f'<drake:hunt_crossley_dissipation value="{number(CONTACT["dissipation"])}"/>'
        f'<drake:mesh_resolution_hint value="{number(hint)}"/></drake:proximity_properties>'
    )


def world(geoms_and_bodies):
    friction = number(CONTACT["friction"])
    return f"""<mujoco model="patches">
  <default><geom condim="3" friction="{friction} 0.005 0.0001" density="{number(DENSITY)}"/></default>
  <worldbody>
    {geoms_and_bodies}
  </worldbody>
</mujoco>"""


def objects(columns=None, pile=0):
    """The objects of the clutter; another number gives another pile, by up to 2 mm at the start."""
    things = clutter_scene.objects(columns)
    if pile == 0:
        return things
    moved = []
    for k, thing in enumerate(things):
        x, y, z = thing.position
        turn = 2.399963 * k + pile  # the golden angle: all directions alike
        place = (round(x + 0.002 * math.cos(turn), 6), round(y + 0.002 * math.sin(turn), 6), z)
        moved.append(dataclasses.replace(thing, position=place))
    return moved


def clutter(columns=None, pile=0, hint=PARAMETERS["resolution"]["stiction"]):
    """Compliant spheres and boxes above a rigid container."""
    lines = [
        f'<geom type="box" pos="{row(centre)}" size="{row(half)}">{RIGID}</geom>' for _, centre, half in container(columns)
    ]
    for thing in objects(columns, pile):
        size = number(thing.half) if thing.shape == "sphere" else row([thing.half] * 3)
        geom = f'<geom type="{thing.shape}" size="{size}">{compliant(hint)}</geom>'
        lines.append(f'<body name="{thing.name}" pos="{row(thing.position)}"><freejoint/>{geom}</body>')
    return world("\n    ".join(lines))


def stack_positions():
    """Centres of the boxes of all stacks, from the bottom up, about as much overlapped as at rest."""
    p = PARAMETERS["stacks"]
    nx, ny = p["rows"]
    return [
        (
            (i - (nx - 1) / 2) * p["spacing"],
            (j - (ny - 1) / 2) * p["spacing"],
            p["size"] / 2 + level * (p["size"] - p["overlap"]) - p["overlap"] / 2,
        )
        for i in range(nx)
        for j in range(ny)
        for level in range(p["per_stack"])
    ]


def stacks():
    """Stacks of compliant boxes on a rigid half-space."""
    half = PARAMETERS["stacks"]["size"] / 2
    lines = [f'<geom type="plane" size="0 0 1">{RIGID}</geom>']
    for position in stack_positions():
        geom = f'<geom type="box" size="{row([half] * 3)}">{compliant(half)}</geom>'
        lines.append(f'<body pos="{row(position)}"><freejoint/>{geom}</body>')
    return world("\n    ".join(lines))


def pair():
    """Two ellipsoids with fine meshes: the lower one fixed, the upper one sinks into it and turns on it."""
    p = PARAMETERS["pair"]
    geom = f'<geom type="ellipsoid" size="{row(p["radii"])}" mass="{number(p["mass"])}">{compliant(p["hint"], p["modulus"])}</geom>'
    joints = '<joint type="slide" axis="0 0 1"/><joint type="hinge" axis="0 0 1"/>'
    # Off the axis and tilted, so that no mesh vertex meets its twin.
    place = f'pos="0.013 0.007 {number(2 * p["radii"][2])}" euler="3 5 20"'
    return world(f"{geom}\n    <body {place}>{joints}{geom}</body>")
