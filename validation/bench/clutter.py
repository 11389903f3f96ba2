"""Times the clutter scene (clutter.toml) here, in Drake, MuJoCo and Rapier, interleaved in one run.

    python validation/bench/clutter.py [--repeats N] [--no-growth]

Writes docs/benchmarks/clutter.md, clutter.csv and clutter_growth.csv.
"""

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import clutter_scene as scene
import tables
from clutter_engines import SOLVER, Drake, MuJoCo, Rapier, Stiction

MODELS = ["lagged", "similar", "SAP"]
ENGINES = [lambda m=m: Stiction(m) for m in MODELS] + [MuJoCo, Rapier] + [lambda m=m: Drake(m) for m in MODELS]
PATIENCE = 30.0  # seconds of one run, after which MuJoCo is not asked for a larger pile
GROWTH = [(1, 1), (2, 2), (5, 2), (5, 5), (10, 5), (10, 10)]  # columns of ten


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--repeats", type=int, default=5)
    arguments.add_argument("--no-growth", action="store_true")
    options = arguments.parse_args()
    if scene.SCENE.read_text() != scene.mjcf():
        raise SystemExit("scenes/clutter.xml is not what clutter.toml says; run validation/bench/clutter_scene.py")

    runs = race(options.repeats)
    parts = [
        "# Clutter",
        "Written by `cargo xtask bench clutter`. Forty stiff spheres and boxes fall into an open box for "
        f"{SOLVER['duration']:g} s at steps of {1e3 * SOLVER['step']:g} ms (ICF section X A; the parameters are in "
        "`validation/bench/clutter.toml`). All simulators take turns in one process; the table shows the median of "
        f"{options.repeats} runs. MuJoCo's contact has no stiffness in N/m: it runs at the smallest time constant that "
        "its step allows. Rapier does a fixed number of iterations in single precision and does not converge. Drake "
        "solves to its own tolerance (1e-6), which cannot be set.",
        f"Machine: {tables.machine()}",
        race_table(runs),
    ]
    if not options.no_growth:
        parts += ["## From ten to a thousand objects", *growth_tables()]
    tables.write_page("clutter", parts)


def race(repeats):
    """(engine, seconds, mean height at the end, unconverged steps or None) for every run."""
    runs = []
    for repeat in range(repeats):
        for build in ENGINES:
            engine = build()
            seconds = engine.run(SOLVER["duration"])
            stats = engine.sim.stats if isinstance(engine, Stiction) else {}
            run = (engine.name, seconds, engine.heights().mean(), stats.get("unconverged"), stats.get("iterations"))
            print(f"[{repeat + 1}/{repeats}] {run[0]}: {SOLVER['duration'] / seconds:.2f} x real time", flush=True)
            runs.append(run)
    header = ["engine", "seconds", "mean_height_m", "unconverged_steps", "iterations"]
    tables.write_csv("clutter", header, runs)
    return runs


def race_table(runs):
    ours = tables.median([run[1] for run in runs if run[0] == runs[0][0]])
    rows = []
    for name in dict.fromkeys(run[0] for run in runs):
        mine = [run for run in runs if run[0] == name]
        seconds = tables.median([run[1] for run in mine])
        steps = SOLVER["duration"] / SOLVER["step"]
        iterations = "" if mine[0][4] is None else f"{mine[0][4] / steps:.1f}"
        unconverged = "" if mine[0][3] is None else max(run[3] for run in mine)
        rows.append(
            [name, f"{SOLVER['duration'] / seconds:.2f}", f"{seconds / ours:.2f}", f"{1e3 * seconds / steps:.3f}"]
            + [iterations, unconverged, f"{mine[0][2]:.3f}"]
        )
    header = ["", "times real time", "time over ours", "ms a step", "iterations a step", "unconverged steps"]
    return tables.markdown([*header, "mean height, m"], rows)


def growth_tables():
    """One run per size, here and in MuJoCo, and where our time goes."""
    rows, stages = [], []
    for columns in GROWTH:
        ours, peer = Stiction("lagged", columns), MuJoCo(columns)
        count = len(scene.objects(columns))
        seconds = ours.run(SOLVER["duration"])
        # The next size takes MuJoCo several times as long: not all evening.
        patient = not rows or (rows[-1][2] or PATIENCE) < PATIENCE
        theirs = peer.run(SOLVER["duration"]) if patient else None
        stats = ours.sim.stats
        rows.append([count, seconds, theirs, stats["unconverged"]])
        stages.append([count, *stats["seconds"].values()])
        print(f"{count} objects: {seconds:.2f} s here, {theirs and round(theirs, 2)} s in MuJoCo", flush=True)
    names = list(stats["seconds"])
    tables.write_csv(
        "clutter_growth",
        ["objects", "stiction_lagged_s", "mujoco_s", "unconverged_steps", *(f"{name}_s" for name in names)],
        [row + stage[1:] for row, stage in zip(rows, stages)],
    )
    per = SOLVER["duration"]
    first = tables.markdown(
        ["objects", "ours, times real time", "µs per object and step", "MuJoCo, times real time", "unconverged steps"],
        [
            [n, f"{per / s:.2f}", f"{1e6 * s * SOLVER['step'] / per / n:.1f}", f"{per / t:.2f}" if t else "", u]
            for n, s, t, u in rows
        ],
    )
    shares = [[n, *(f"{100 * s / max(sum(times), 1e-300):.0f} %" for s in times)] for n, *times in stages]
    return [first, "Where our time goes:", tables.markdown(["objects", *names], shares)]


if __name__ == "__main__":
    main()
