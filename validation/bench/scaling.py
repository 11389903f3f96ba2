"""How a step's cost grows with the number of objects, with contact points and with patches.

    python validation/bench/scaling.py [--repeats N]

Writes docs/benchmarks/scaling.md and scaling.csv.
"""

import argparse
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import clutter_scene
import patches_scene
import stiction as st
import tables

POINTS = [(1, 1), (2, 1), (2, 2), (5, 2), (5, 4), (8, 5), (10, 10)]  # columns of ten objects
PATCHES = [(1, 1), (2, 1), (2, 2), (4, 2), (4, 4)]
STAGES = ["kinematics", "proximity", "assemble", "solve", "advance"]
BODIES_FROM = 40  # the exponents are fitted from here on: smaller piles are not piles yet


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--repeats", type=int, default=3)
    options = arguments.parse_args()
    kinds = {
        "points": (POINTS, clutter_scene.mjcf, clutter_scene.PARAMETERS),
        "patches": (PATCHES, patches_scene.clutter, patches_scene.PARAMETERS),
    }
    rows = {kind: measure(kind, *given, options.repeats) for kind, given in kinds.items()}
    header = ["contact", "objects", "us_per_step", *(f"{stage}_us" for stage in STAGES)]
    header += ["iterations_per_step", "most_iterations", "line_search_per_step", "contacts_per_step"]
    header += ["unconverged_steps", "mean_height_m"]
    tables.write_csv("scaling", header, [row for kind in rows.values() for row in kind])
    parts = [
        "# Cost against size",
        "Written by `cargo xtask bench scaling`. Columns of ten spheres and boxes fall into an open box that is as much "
        f"wider as there are more columns, for 3 s; the fastest of {options.repeats} runs, Lagged, processor time of one "
        "thread. The numbers are means over all steps, free fall included. Exponents are those of the number of objects, fitted from "
        f"{BODIES_FROM} objects on.",
        f"Machine: {tables.machine()}",
        "## Contact points",
        f"The [clutter](clutter.md) scene at steps of {1e3 * clutter_scene.PARAMETERS['solver']['step']:g} ms.",
        *pages(rows["points"], "points"),
        "## Contact patches",
        "The compliant objects of the [patches](patches.md) benchmark at steps of "
        f"{1e3 * patches_scene.PARAMETERS['solver']['step']:g} ms.",
        *pages(rows["patches"], "polygons"),
    ]
    tables.write_page("scaling", parts)


def measure(kind, sizes, mjcf, parameters, repeats):
    """One row a size; of several runs, the one that took least."""
    contact, solver = parameters["contact"], parameters["solver"]
    best = {}
    for _ in range(repeats):
        for columns in sizes:
            sim = st.Simulation(
                st.Model.from_string(mjcf(columns), format="mjcf"),
                step=solver["step"],
                contact="lagged",
                stiction_tolerance=contact["stiction_tolerance"],
                regularization=contact["regularization"],
                relative_tolerance=solver["relative_tolerance"],
            )
            start = time.process_time()
            sim.step(round(solver["duration"] / solver["step"]))
            total = time.process_time() - start
            stats, count = sim.stats, sim.model.nq // 7
            if count not in best or total < best[count][0]:
                best[count] = (total, stats, sim.qpos.reshape(-1, 7)[:, 2].mean())
            print(f"{kind}, {count} objects: {1e6 * total / stats['steps']:.0f} µs a step", flush=True)
    rows = []
    for count, (total, stats, height) in best.items():
        steps, watched = stats["steps"], sum(stats["seconds"].values())
        # The stages' clocks show their shares; processor time says how long all of them took.
        stages = [total * stats["seconds"][stage] / watched for stage in STAGES]
        micros = [1e6 * seconds / steps for seconds in (total, *stages)]
        per_step = [stats[name] / steps for name in ("iterations", "line_search_evaluations")]
        contacts = stats["faces" if kind == "patches" else "points"] / steps
        row = [kind, count, *micros, per_step[0], stats["max_iterations"], per_step[1], contacts]
        rows.append([*row, stats["unconverged"], height])
    return rows


def pages(rows, contacts):
    """Two tables: microseconds by stage with exponents, and the solver's work."""
    fitted = [row for row in rows if row[1] >= BODIES_FROM]
    exponents = [tables.exponent([r[1] for r in fitted], [r[k] for r in fitted]) for k in range(2, 8)]
    times = [[row[1], *(f"{value:.0f}" for value in row[2:8]), f"{row[2] / row[1]:.1f}"] for row in rows]
    times.append(["exponent", *(f"{value:.2f}" for value in exponents), f"{exponents[0] - 1:.2f}"])
    shares = [
        [row[1], *(f"{100 * value / row[2]:.0f} %" for value in row[3:8]), f"{row[8]:.1f}", row[9], f"{row[10]:.1f}"]
        + [f"{row[11]:.0f}", row[12], f"{row[13]:.3f}"]
        for row in rows
    ]
    counts = [f"{contacts} a step", "unconverged steps", "mean height, m"]
    return [
        "Microseconds a step, by stage:",
        tables.markdown(["objects", "all", *STAGES, "all, per object"], times),
        "Where the time goes, and the solver's work:",
        tables.markdown(
            ["objects", *STAGES, "iterations a step", "most iterations", "line search evaluations a step", *counts],
            shares,
        ),
    ]


if __name__ == "__main__":
    main()
