"""Times contact patches (patches.toml) here and in Drake, interleaved in one run.

    python validation/bench/patches.py [--repeats N]

Writes docs/benchmarks/patches.md, patches.csv, patches_heights.csv, patches_same_states.csv, patches_geometry.csv.
"""

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import clutter_scene
import patches_engines as engines
import patches_pairs as pairs
import patches_scene as scene
import tables
from patches_engines import Drake, Stiction

SOLVER = scene.PARAMETERS["solver"]
HINTS, PILES = [0.02, 0.01], 16  # resolution hints of the piles whose heights are compared, m, and how many
SAMPLES = 15  # states of a run at which Drake's polygons are counted and its geometry is timed


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--repeats", type=int, default=5)
    options = arguments.parse_args()
    tables.write_page(
        "patches",
        [
            "# Contact patches",
            "Written by `cargo xtask bench patches`; the parameters are in `validation/bench/patches.toml`. Times are "
            "processor time of one thread; simulators take turns in one process.",
            f"Machine: {tables.machine()}",
            *clutter(options.repeats),
            *stacks(options.repeats),
            *fine_pair(options.repeats),
            *geometry(),
        ],
    )


def clutter(repeats):
    builders = [
        lambda pile: Stiction(scene.clutter(pile=pile)),
        lambda pile: Drake(lambda plant: engines.clutter(plant, pile)),
        lambda pile: Drake(lambda plant: engines.clutter(plant, pile), icf=True),
    ]
    runs, shares, _ = race("clutter", builders, SOLVER["duration"], SOLVER["step"], repeats)
    drake, same = sampled_drake()
    ours_ms = 1e3 * shares["proximity"] * tables.median([r[1] for r in runs[::3]]) * SOLVER["step"] / SOLVER["duration"]
    header = ["engine", "cpu_seconds", "mean_height_m", "kinetic_energy_J", "unconverged_steps", "iterations"]
    tables.write_csv("patches", header, runs)
    header = ["time_s", "drake_faces", "stiction_faces", "drake_area_m2", "stiction_area_m2"]
    header += ["stiction_inscribed_faces", "stiction_inscribed_area_m2"]
    tables.write_csv("patches_same_states", header, same)
    same = np.array(same)
    polygons = [f"{shares['faces']:.0f}", *[f"{drake['faces']:.0f}"] * 2]
    geometry = [f"{100 * shares['proximity']:.0f} %"]
    for name in list(dict.fromkeys(run[0] for run in runs))[1:]:
        a_step = tables.median([run[1] for run in runs if run[0] == name]) * SOLVER["step"] / SOLVER["duration"]
        geometry.append(f"{0.1 * drake['query_ms'] / a_step:.0f} %")
    solve = [f"{100 * shares['solve']:.0f} %", "", ""]
    table = race_table(
        runs, SOLVER, {"polygons a step": polygons, "geometry": geometry, "solve": solve}
    )
    faces, area = (same[:, k + 1] / same[:, k] for k in (1, 3))
    return [
        "## Clutter of forty",
        f"Twenty spheres and twenty boxes of the [clutter](clutter.md) scene, compliant (E = "
        f"{scene.CONTACT['modulus']:.0e} Pa) in a rigid container, {SOLVER['duration']:g} s at steps of "
        f"{1e3 * SOLVER['step']:g} ms, Lagged, one face a polygon; median of {repeats} runs, each of another pile (the same "
        "ones in all simulators). Drake's second way is its "
        "CENIC integrator with error control off, which solves the same ICF problem as its discrete plant. Drake's "
        f"polygons are counted and its geometry is timed on states of another run of its discrete plant: {drake['query_ms']:.2f} ms a query; ours takes "
        f"{ours_ms:.2f} ms a step.",
        table,
        f"At {len(same)} states of Drake's run, evaluated in both, the number of our polygons is {np.median(faces):.2f} of "
        f"Drake's and the contact area {np.median(area):.2f} of Drake's (medians; resolution hints "
        f"{scene.PARAMETERS['resolution']['stiction']} m here, {scene.PARAMETERS['resolution']['drake']} m there). With our "
        f"meshes inscribed as Drake's are, it is {np.median(same[:, 5] / same[:, 1]):.2f} and "
        f"{np.median(same[:, 6] / same[:, 3]):.2f}: most of the difference is the fit of the spheres' meshes.",
        f"Piles are chaotic, so only statistics of many can agree. {heights()}",
    ]


def heights():
    """Heights of the same piles, of coarse and of finer meshes, here and in Drake, in words."""
    found, rows = [], []
    for hint in HINTS:
        builders = [
            lambda pile: Stiction(scene.clutter(pile=pile, hint=hint)),
            lambda pile: Drake(lambda plant: engines.clutter(plant, pile, hint), icf=True),
        ]
        runs, _, _ = race(f"clutter, hint {hint:g} m", builders, SOLVER["duration"], SOLVER["step"], PILES)
        rows += [[hint, run[0], run[2]] for run in runs]
        found.append(f"with hints of {hint:g} m in both {apart(runs)}")
    tables.write_csv("patches_heights", ["hint_m", "engine", "mean_height_m"], rows)
    return (
        f"Mean heights of {PILES} piles less ours, with standard errors: {'; '.join(found)}. The spheres of Drake's meshes are "
        "inscribed, and the coarser the smaller."
    )


def apart(runs):
    """How far the peers' mean heights are from ours, with its standard error."""
    names = list(dict.fromkeys(run[0] for run in runs))
    means, errors = [], []
    for name in names:
        heights = [run[2] for run in runs if run[0] == name]
        means.append(np.mean(heights))
        errors.append(np.std(heights, ddof=1) / np.sqrt(len(heights)) if len(heights) > 1 else np.nan)
    return "; ".join(
        f"{name}: {1e3 * (mean - means[0]):.1f} ± {1e3 * np.hypot(error, errors[0]):.1f} mm"
        for name, mean, error in zip(names[1:], means[1:], errors[1:])
    )


def race(title, builders, duration, step, repeats):
    """Runs of all engines in turn; how our time splits and how many faces a step has, over all runs; last heights."""
    runs, ours, heights = [], [], {}
    for repeat in range(repeats):
        for build in builders:
            engine = build(repeat)
            seconds = engine.run(duration)
            heights[engine.name] = engine.heights()
            run = [engine.name, seconds, engine.heights().mean(), engine.kinetic_energy()]
            if isinstance(engine, Stiction):
                stats = engine.sim.stats
                run += [stats["unconverged"], stats["iterations"]]
                ours.append(stats)
            else:
                run += [None, engine.iterations()]
            print(f"{title} [{repeat + 1}/{repeats}] {run[0]}: {duration / seconds:.2f} x real time", flush=True)
            runs.append(run)
    total = sum(sum(stats["seconds"].values()) for stats in ours)
    shares = {stage: sum(stats["seconds"][stage] for stats in ours) / total for stage in ours[0]["seconds"]}
    shares["faces"] = sum(stats["faces"] for stats in ours) / sum(stats["steps"] for stats in ours)
    return runs, shares, heights


def race_table(runs, setting, extra):
    """Markdown: one row an engine; the extra columns have one cell an engine."""
    names = list(dict.fromkeys(run[0] for run in runs))
    steps = setting["duration"] / setting["step"]
    ours = tables.median([run[1] for run in runs if run[0] == names[0]])
    rows = []
    for k, name in enumerate(names):
        mine = [run for run in runs if run[0] == name]
        seconds = tables.median([run[1] for run in mine])
        unconverged = "" if mine[0][4] is None else max(run[4] for run in mine)
        iterations = "" if mine[0][5] is None else f"{np.mean([run[5] for run in mine]) / steps:.1f}"
        heights, energies = ([run[k] for run in mine] for k in (2, 3))
        rows.append(
            [name, f"{setting['duration'] / seconds:.2f}", f"{seconds / ours:.1f}", f"{1e3 * seconds / steps:.2f}"]
            + [cells[k] for cells in extra.values()]
            + [iterations, unconverged, f"{np.mean(heights):.5f} ± {np.std(heights):.5f}", f"{np.median(energies):.1e}"]
        )
    header = ["", "times real time", "time over ours", "ms a step", *extra, "iterations a step", "unconverged steps"]
    return tables.markdown([*header, "mean height at the end, m", "kinetic energy at the end, J"], rows)


def sampled_drake():
    """Polygons and geometry time of Drake's run, and the same states evaluated here."""
    engine = Drake(engines.clutter)
    rows, queries = [], []
    for _ in range(SAMPLES):
        engine.run(SOLVER["duration"] / SAMPLES)
        engine.surfaces()  # warm
        seconds, faces, area, _ = engine.surfaces()
        queries.append(seconds)
        bodies = clutter_pairs(engine.qpos().reshape(-1, 7))
        ours, inscribed = pairs.patches(bodies), pairs.patches([tuple(map(pairs.inscribed, pair)) for pair in bodies])
        row = [engine.time, faces, sum(p.faces for p in ours), area, sum(p.area for p in ours)]
        rows.append([*row, sum(p.faces for p in inscribed), sum(p.area for p in inscribed)])
    means = {"faces": np.mean([row[1] for row in rows]), "query_ms": 1e3 * np.mean(queries)}
    return means, [row for row in rows if row[1] > 0]


def clutter_pairs(q):
    """All pairs of the clutter whose bounding spheres meet, at positions q (one row an object)."""
    hint, modulus = scene.PARAMETERS["resolution"]["stiction"], scene.CONTACT["modulus"]
    fixed, moving = [], []
    for _, centre, half in clutter_scene.container():
        fixed.append(pairs.Body("box", half, position=centre))
    for thing, row in zip(clutter_scene.objects(), q):
        size = (thing.half,) if thing.shape == "sphere" else (thing.half,) * 3
        moving.append(pairs.Body(thing.shape, size, modulus, hint=hint, position=row[:3], quaternion=row[3:]))
    near = [
        (a, b)
        for k, a in enumerate(moving)
        for b in moving[k + 1 :]
        if np.linalg.norm(np.subtract(a.position, b.position)) < a.radius() + b.radius()
    ]
    return near + [(a, b) for a in moving for b in fixed]


def stacks(repeats):
    p = scene.PARAMETERS["stacks"]
    builders = [
        lambda _: Stiction(scene.stacks(), p["step"]),
        lambda _: Drake(engines.stacks, step=p["step"]),
        lambda _: Drake(engines.stacks, icf=True, step=p["step"]),
    ]
    runs, shares, heights = race("stacks", builders, p["duration"], p["step"], min(repeats, 3))
    tables.write_csv(
        "patches_stacks",
        ["engine", "cpu_seconds", "mean_height_m", "kinetic_energy_J", "unconverged_steps", "iterations"],
        runs,
    )
    count = p["rows"][0] * p["rows"][1]
    mine, *theirs = heights.values()
    apart = " and ".join(f"{np.abs(other - mine).max():.0e} m" for other in theirs)
    geometry = [f"{100 * shares['proximity']:.0f} %", "", ""]
    solve = [f"{100 * shares['solve']:.0f} %", "", ""]
    return [
        f"## {count} stacks of {p['per_stack']} boxes",
        f"{count * p['per_stack']} compliant boxes of 1 kg on a rigid half-space, {p['duration']:g} s at steps of "
        f"{1e3 * p['step']:g} ms; the meshes and fields of boxes are the same here and in Drake, and no box comes to "
        f"rest farther from Drake's than {apart} (discrete, ICF). {shares['faces']:.0f} polygons a step here.",
        race_table(runs, p, {"geometry": geometry, "solve": solve}),
    ]


def fine_pair(repeats):
    p = scene.PARAMETERS["pair"]
    times = []
    for _ in range(repeats):
        engine = Stiction(scene.pair(), p["step"])
        engine.sim.qvel[1] = p["spin"]
        times.append(engine.run(p["duration"]))
    stats = engine.sim.stats
    total = sum(stats["seconds"].values())
    tets = pairs.patches([pairs.ellipsoids(p, 0.005)])[0].elements_a
    seconds = tables.median(times)
    print(f"pair: {p['duration'] / seconds:.2f} x real time", flush=True)
    row = [tets, f"{stats['faces'] / stats['steps']:.0f}", f"{p['duration'] / seconds:.2f}"]
    row += [f"{1e3 * seconds * p['step'] / p['duration']:.3f}"]
    row += [f"{100 * stats['seconds'][stage] / total:.0f} %" for stage in ("proximity", "assemble", "solve")]
    row += [f"{stats['iterations'] / stats['steps']:.1f}", stats["unconverged"]]
    header = ["tetrahedra each", "polygons a step", "times real time", "ms a step", "geometry", "assembly", "solve"]
    return [
        "## One pair of fine meshes",
        f"Two compliant ellipsoids (E = {p['modulus']:.0e} Pa), the lower one fixed; the upper one ({p['mass']:g} kg) sinks "
        f"in and turns on it at steps of {1e3 * p['step']:g} ms. Median of {repeats} runs.",
        tables.markdown([*header, "iterations a step", "unconverged steps"], [row]),
    ]


def geometry():
    """Time of one patch against mesh size and against depth."""
    p, fine = scene.PARAMETERS["geometry"], scene.PARAMETERS["pair"]
    depth, hint = p["depth"], p["hint"]
    cases = [("spheres, mesh size", h, depth, pairs.spheres(0.1, h, depth)) for h in p["hints"]]
    cases += [("spheres, depth", hint, d, pairs.spheres(0.1, hint, d)) for d in p["depths"]]
    cases += [("ellipsoids, depth", fine["hint"], d, pairs.ellipsoids(fine, d)) for d in p["depths"]]
    found = pairs.patches([case[3] for case in cases], p["rounds"])
    rows = [
        [what, h, d, f.elements_a, f.tests, f.faces, f.peak_extent, f.microseconds]
        for (what, h, d, _), f in zip(cases, found)
    ]
    header = ["varied", "hint_m", "depth_m", "tetrahedra_each", "element_tests", "polygons", "peak_extent", "microseconds"]
    tables.write_csv("patches_geometry", header, rows)
    shown = [
        [what, f"{1e3 * h:g}", f"{1e3 * d:g}", tets, tests, faces, f"{peak:.2f}", f"{us:.1f}", f"{us / max(faces, 1):.2f}"]
        for what, h, d, tets, tests, faces, peak, us in rows
    ]

    def power(what):
        mine = [row for row in rows if row[0] == what]
        return f"{tables.exponent([row[5] for row in mine], [row[7] for row in mine]):.2f}"

    header = ["varied", "hint, mm", "depth, mm", "tetrahedra each", "pairs of tetrahedra tested", "polygons"]
    return [
        "## Geometry alone",
        f"Two compliant spheres of radius 0.1 m, and the tilted ellipsoids of the fine pair; best of {p['rounds']} queries. Cost "
        f"follows the polygons found: it grows with them by the power {power('spheres, mesh size')} when the meshes are "
        f"refined, and by {power('spheres, depth')} (spheres) and {power('ellipsoids, depth')} (ellipsoids) when the same "
        "meshes are pushed deeper into each other. A polygon costs more in deep overlaps, where more tetrahedra meet that share "
        "no face; the peak extent says how far towards the core (1) the pressure reaches.",
        tables.markdown([*header, "peak extent", "µs", "µs a polygon"], shown),
    ]


if __name__ == "__main__":
    main()
