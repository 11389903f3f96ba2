"""The clutter scene as a list of objects, and as the MJCF file scenes/clutter.xml.

    python validation/bench/clutter_scene.py     # writes scenes/clutter.xml
"""

import math
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCENE = HERE.parents[1] / "scenes" / "clutter.xml"
PARAMETERS = tomllib.loads((HERE / "clutter.toml").read_text())


@dataclass(frozen=True)
class Object:
    name: str
    shape: str  # "sphere" or "box"
    half: float  # radius, or half the side, metres
    position: tuple  # of its centre at the start, world frame, metres


def objects(columns=None):
    """The falling objects, column by column, from the bottom up."""
    p = PARAMETERS["objects"]
    nx, ny = columns or p["columns"]
    found = []
    for column in range(nx * ny):
        x0 = (column % nx - (nx - 1) / 2) * p["column_spacing"]
        y0 = (column // nx - (ny - 1) / 2) * p["column_spacing"]
        for level in range(p["per_column"]):
            index = len(found)
            shape = ("sphere", "box")[(column + level) % 2]
            # Offsets from a low-discrepancy sequence: no two alike, the same on every machine.
            dx = p["jitter"] * (2 * ((index + 1) * 0.7548776662466927 % 1) - 1)
            dy = p["jitter"] * (2 * ((index + 1) * 0.5698402909980532 % 1) - 1)
            z = p["size"] / 2 + 0.02 + level * p["vertical_spacing"]
            position = tuple(round(c, 6) for c in (x0 + dx, y0 + dy, z))
            found.append(Object(f"{shape}_{index:02}", shape, p["size"] / 2, position))
    return found


def container(columns=None):
    """Floor and four walls as (name, centre, half sizes); wider for more columns."""
    p = PARAMETERS["container"]
    nx, ny = columns or PARAMETERS["objects"]["columns"]
    spacing = PARAMETERS["objects"]["column_spacing"]
    base_x, base_y = PARAMETERS["objects"]["columns"]
    a = (p["width"] + (nx - base_x) * spacing) / 2
    b = (p["width"] + (ny - base_y) * spacing) / 2
    t, h = p["wall"] / 2, p["height"] / 2
    return [
        ("floor", (0, 0, -t), (a + 2 * t, b + 2 * t, t)),
        ("wall_east", (a + t, 0, h), (t, b + 2 * t, h)),
        ("wall_west", (-a - t, 0, h), (t, b + 2 * t, h)),
        ("wall_north", (0, b + t, h), (a, t, h)),
        ("wall_south", (0, -b - t, h), (a, t, h)),
    ]


def mass(thing):
    side = 2 * thing.half
    volume = side**3 if thing.shape == "box" else math.pi * side**3 / 6
    return volume * PARAMETERS["objects"]["density"]


def mjcf(columns=None, for_mujoco=False):
    """The scene as MJCF; for MuJoCo without the tags that it does not know, and as stiff as it goes."""
    contact, solver = PARAMETERS["contact"], PARAMETERS["solver"]
    # Two geoms in series make the pair's stiffness; relaxation times add.
    tags = f"""
      <drake:proximity_properties>
        <drake:point_contact_stiffness value="{number(2 * contact['pair_stiffness'])}"/>
        <drake:hunt_crossley_dissipation value="{number(contact['dissipation'])}"/>
        <drake:relaxation_time value="{number(contact['relaxation_time'] / 2)}"/>
      </drake:proximity_properties>
    """
    extra = f' solref="{number(2 * solver["step"])} 1"' if for_mujoco else ""

    def geom(indent, attributes):
        if for_mujoco:
            return f"{indent}<geom {attributes}/>\n"
        inner = "\n".join(indent + line[4:] for line in tags.splitlines()[1:-1])
        return f"{indent}<geom {attributes}>\n{inner}\n{indent}</geom>\n"

    things, walls = objects(columns), container(columns)
    text = f"""<mujoco model="clutter">
  <!-- {len(things)} spheres and boxes fall into an open box: ICF, section X A.
       Written by validation/bench/clutter_scene.py from clutter.toml. -->
  <option timestep="{number(solver['step'])}"/>
  <default>
    <geom condim="3" friction="{number(contact['friction'])} 0.005 0.0001" density="{number(PARAMETERS['objects']['density'])}"{extra}/>
  </default>
  <worldbody>
"""
    for name, centre, half in walls:
        colour = "0.6 0.6 0.6 1" if name == "floor" else "0.6 0.6 0.6 0.2"
        text += geom("    ", f'name="{name}" type="box" pos="{row(centre)}" size="{row(half)}" rgba="{colour}"')
    for thing in things:
        size = number(thing.half) if thing.shape == "sphere" else row([thing.half] * 3)
        colour = "0.9 0.5 0.2 1" if thing.shape == "sphere" else "0.2 0.5 0.8 1"
        text += f'    <body name="{thing.name}" pos="{row(thing.position)}">\n      <freejoint/>\n'
        text += geom("      ", f'name="{thing.name}" type="{thing.shape}" size="{size}" rgba="{colour}"')
        text += "    </body>\n"
    return text + "  </worldbody>\n</mujoco>\n"


def number(value):
    return f"{value:.12g}"


def row(values):
    return " ".join(number(value) for value in values)


if __name__ == "__main__":
    SCENE.parent.mkdir(exist_ok=True)
    SCENE.write_text(mjcf())
    print(f"wrote {SCENE.relative_to(HERE.parents[1])}")
