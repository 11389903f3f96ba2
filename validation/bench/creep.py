"""Measures how fast things creep that should stand still, here and in others.

    python validation/bench/creep.py

Writes docs/benchmarks/creep.md and creep.csv; fails if ours is not what theory says.
"""

import math
import sys

import creep_scene as scene
import tables
from creep_scene import DRAKE_MODELS, FRICTION, LOAD, VERSIONS, Drake, MuJoCo, Stiction

STEPS = (1e-3, 1e-2)
TIMES = {"slope": (3.0, 1.0), "pinch": (1.0, 0.5)}  # s to settle and to measure; MuJoCo drops the block after 1.7 s
TOLERANCE = 1e-4  # m/s
TITLES = {"slope": "Box on a slope", "pinch": "Block between two fingertips"}
TIGHT = {"stiction_tolerance": TOLERANCE, "relative_tolerance": 1e-10}


def engines(name, step):
    """(engine, setting, simulation) of all; ours first."""
    for contact in ("lagged", "similar", "sap"):
        yield "Stiction", contact, lambda c=contact: Stiction(name, step, contact=c, **TIGHT)
    for contact in ("lagged", "similar"):
        label = f"{contact}, regularization 0"
        yield "Stiction", label, lambda c=contact: Stiction(name, step, contact=c, regularization=0.0, **TIGHT)
    yield (
        "Stiction",
        "lagged, tangential springs",
        lambda: Stiction(name, step, tangential_springs=True, **TIGHT),
    )
    yield (
        "Stiction",
        "lagged, tangential springs, default solve tolerance 1e-5",
        lambda: Stiction(name, step, stiction_tolerance=TOLERANCE, tangential_springs=True),
    )
    yield "MuJoCo", "default", lambda: MuJoCo(name, step, False)
    yield "MuJoCo", "elliptic cone, impratio 10", lambda: MuJoCo(name, step, True)
    for model, approximation in DRAKE_MODELS.items():
        yield "Drake", model, lambda a=approximation: Drake(name, step, a)


def expected(name):
    """Creep of regularised friction with v_s alone, m/s: theory section on the incline."""
    return TOLERANCE * LOAD[name] / math.sqrt(FRICTION**2 - LOAD[name] ** 2)


def creep(name, build):
    """Mean speed along the pull of gravity after settling, m/s."""
    settle, measure = TIMES[name]
    engine = build()
    engine.run(settle)
    before = engine.place()
    engine.run(measure)
    return (engine.place() - before) / measure


def microns(speed):
    micro = 1e6 * speed
    return f"{micro:.1f}" if abs(micro) >= 0.1 else f"{micro:.0e}"


def main():
    rows, wrong = [], []
    for name in TITLES:
        for step in STEPS:
            for engine, setting, build in engines(name, step):
                speed = creep(name, build)
                rows.append([name, engine, setting, step, 1e6 * speed])
                print(f"{name}, {engine} {setting}, {1e3 * step:g} ms: {microns(speed)} µm/s", flush=True)
                where = f"{name}, {engine} {setting}, {1e3 * step:g} ms: {1e6 * speed:.3e} µm/s"
                if "regularization 0" in setting and abs(speed / expected(name) - 1) > 1e-3:
                    wrong.append(f"{where} instead of {1e6 * expected(name):.3f}")
                if setting.endswith("springs") and abs(speed) > 1e-12:
                    wrong.append(f"{where} instead of none")
    tables.write_csv("creep", ["scene", "engine", "setting", "step_s", "creep_um_per_s"], rows)
    tables.write_page("creep", page(rows))
    if wrong:
        sys.exit("not as theory says:\n" + "\n".join(wrong))


def page(rows):
    versions = ", ".join(f"{name} {number}" for name, number in VERSIONS.items())
    parts = [
        "# Creep",
        "Written by `cargo xtask bench creep`. How fast things creep that friction should hold, in µm/s, after "
        f"settling for a second or more. {versions}; all with μ = {FRICTION} and, where there is one, a "
        "stiction tolerance v_s of 1e-4 m/s. Ours are solved to a relative tolerance of 1e-10 where the table does not say "
        "otherwise.",
        f"Regularised friction has to creep a little to hold: at v_s r/√(μ² − r²), r being the ratio of what friction "
        "carries to what presses (`regularization` 0; with it the speed is that of the larger of v_s and σwμn, see "
        "[Contact](../contact.md#sticking)). The command checks ours against this formula within 0.1 %, and that with "
        "tangential springs nothing is left but rounding (1e-6 µm/s).",
    ]
    say = {
        "slope": f"A box of {scene.MASS:.3g} kg on a slope of 20°: r = tan 20° = {LOAD['slope']:.3f}, so v_s alone gives "
        f"**{1e6 * expected('slope'):.1f} µm/s**. In Drake, which finds one point a pair, the box stands on four small spheres.",
        "pinch": f"A block of {1e3 * scene.BLOCK_MASS:g} g between two round fingertips that press with {scene.PINCH:g} N "
        f"each: r = {LOAD['pinch']:.3f}, so v_s alone gives **{1e6 * expected('pinch'):.1f} µm/s**. At 10 ms the regularisation "
        "of impacts (σ = 1e-3) exceeds v_s and decides, here as in Drake. MuJoCo's default drops the block after 1.7 s.",
    }
    for name, title in TITLES.items():
        found = {}
        for _, engine, setting, step, speed in (r for r in rows if r[0] == name):
            found.setdefault((engine, setting), {})[step] = speed
        body = [[f"{e} {s}", *(microns(1e-6 * speeds[step]) for step in STEPS)] for (e, s), speeds in found.items()]
        header = ["µm/s", *(f"{1e3 * step:g} ms" for step in STEPS)]
        parts += [f"## {title}", say[name], tables.markdown(header, body)]
    return parts


if __name__ == "__main__":
    main()
