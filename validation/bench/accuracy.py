"""Steps by accuracy: what a run errs by, what it costs, and compliant clutter next to Drake's error-controlled integrator.

    python validation/bench/accuracy.py [--repeats N]

Writes docs/benchmarks/accuracy.md, accuracy.csv and accuracy_clutter.csv.
"""

import argparse
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import accuracy_scenes
import clutter_scene
import numpy as np
import patches_engines as engines
import patches_scene
import stiction as st
import tables
from pydrake.systems.analysis import ApplySimulatorConfig, SimulatorConfig

ACCURACIES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
RACE, DURATION = 1e-3, 2.0  # accuracy; s
SHORT, REFERENCE = 0.2, 1e-6  # s within which a pile is no chaos yet; accuracy of what runs are measured against


class Ours:
    """A run of ours under error control."""

    def __init__(self, mjcf, accuracy, **options):
        model = st.Model.from_string(mjcf, format="mjcf")
        self.sim = st.Simulation(model, step=1e-2, accuracy=accuracy, **options)

    def run(self, duration):
        start = time.process_time()
        self.sim.run_until(duration)
        assert self.sim.stats["unconverged"] == 0
        return time.process_time() - start

    def positions(self):
        return np.array(self.sim.qpos).reshape(-1, 7)[:, :3]

    def steps(self):
        stats = self.sim.stats
        return [stats["steps"], stats["rejected"], stats["min_step"], stats["max_step"], stats["iterations"]]


class Drakes(engines.Drake):
    """Drake's CENIC integrator with error control on."""

    def __init__(self, accuracy, pile=0):
        super().__init__(lambda plant: engines.clutter(plant, pile), icf=True)
        config = SimulatorConfig(integration_scheme="cenic", max_step_size=0.1, accuracy=accuracy, use_error_control=True)
        ApplySimulatorConfig(config, self.simulator)
        self.simulator.Initialize()
        self.integrator = self.simulator.get_integrator()
        assert not self.integrator.get_fixed_step_mode()

    def positions(self):
        return self.qpos().reshape(-1, 7)[:, :3]

    def steps(self):
        counts = dict(self.integrator.GetStatisticsSummary())
        return [
            counts["integrator_num_steps_taken"],
            counts["integrator_num_step_shrinkages_from_error_control"],
            counts["integrator_smallest_adapted_step_size_taken"],
            counts["integrator_largest_step_size_taken"],
            counts["cenic_total_solver_iterations"],
        ]


def soft_pile(accuracy, pile=0):
    contact = patches_scene.CONTACT
    options = {key: contact[key] for key in ("stiction_tolerance", "regularization")}
    return Ours(patches_scene.clutter(pile=pile), accuracy, contact="lagged", **options)


def far(a, b):
    """Root mean square and largest distance between the objects of two runs, m."""
    distances = np.linalg.norm(a - b, axis=1)
    return np.sqrt(np.mean(distances**2)), distances.max()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--repeats", type=int, default=3)
    options = arguments.parse_args()
    parts = [
        "# Steps by accuracy",
        "Written by `cargo xtask bench accuracy`. With `--accuracy` (Python `accuracy=`) a step is as long as the error of its "
        "positions, in m and rad, allows; see [Accuracy](../accuracy.md). Times are processor time of one thread.",
        f"Machine: {tables.machine()}",
        *errors(),
        *race(options.repeats),
    ]
    tables.write_page("accuracy", parts)


def errors():
    """Global error against the accuracy asked for."""
    rows, shown = [], []
    reference = Ours(clutter_scene.mjcf(), REFERENCE)
    reference.run(SHORT)
    for accuracy in ACCURACIES:
        belt = Ours(accuracy_scenes.Belt.mjcf(), accuracy)
        belt.run(accuracy_scenes.Belt.duration)
        slip = abs(belt.sim.qpos[0] - accuracy_scenes.Belt.place())
        ball = Ours(accuracy_scenes.Ball.mjcf(), accuracy)
        begin = sum(ball.sim.energy)
        ball.run(accuracy_scenes.Ball.duration)
        drift = sum(ball.sim.energy) - begin
        pile = Ours(clutter_scene.mjcf(), accuracy)
        pile.run(SHORT)
        rms, _ = far(pile.positions(), reference.positions())
        seconds = pile.run(DURATION)
        height, deep = pile.positions()[:, 2].mean(), pile.sim.stats["max_penetration"]
        steps = [e.steps() for e in (belt, ball, pile)]
        rows.append([accuracy, slip, steps[0][0], drift, steps[1][0], rms, height, deep, pile.sim.energy[0], *steps[2], seconds])
        s = steps[2]
        shown.append(
            [f"{accuracy:.0e}", f"{slip:.1e}", steps[0][0], f"{drift:+.1e}", steps[1][0], f"{rms:.1e}", f"{height:.4f}"]
            + [f"{deep:.1e}", f"{s[0]} ({s[1]})", f"{1e3 * s[2]:.2g} … {1e3 * s[3]:.2g}", f"{seconds:.2f}"]
        )
        print(shown[-1], flush=True)
    header = ["accuracy", "belt_error_m", "belt_steps", "ball_energy_drift_J", "ball_steps", "clutter_rms_error_m"]
    header += ["clutter_mean_height_m", "clutter_largest_penetration_m", "clutter_kinetic_energy_J", "clutter_steps"]
    header += ["clutter_rejected", "clutter_shortest_s", "clutter_longest_s", "clutter_iterations", "clutter_seconds"]
    tables.write_csv("accuracy", header, rows)
    titles = ["accuracy asked for", "belt: error, m", "steps", "ball: energy drift, J", "steps"]
    titles += [f"clutter: error at {SHORT:g} s, m", f"mean height at {DURATION:g} s, m", "largest penetration, m"]
    fine = rows[2:]  # coarser ones are no longer in the range where errors follow the step

    def exponent(column):
        return tables.exponent([row[0] for row in fine], [abs(row[column]) for row in fine])

    return [
        "## Error against accuracy",
        "*Belt*: a box laid on a belt of 0.4 m/s slides, then rides; after 1 s its place is known, v t − v²/(2μg). *Ball*: it "
        "bounces twice on a soft ground (10 kN/m) without dissipation; of its 1.96 J over the ground nothing should be lost. *Clutter*: the "
        f"[point-contact pile](clutter.md); root mean square over the objects of the distance at {SHORT:g} s to a run at "
        f"{REFERENCE:.0e}, and what the pile is like at {DURATION:g} s (chaotic: as statistics only). The method is of first "
        "order: steps go with the square root of the accuracy, and so does the error of a run. From 1e-3 on, errors "
        f"go with accuracy to the power {exponent(1):.2f} (belt), {exponent(3):.2f} (ball), {exponent(5):.2f} (clutter).",
        tables.markdown([*titles, "steps (turned down)", "steps, ms", "s"], shown),
    ]


def race(repeats):
    """Compliant clutter in both."""
    ours_reference, drake_reference = soft_pile(REFERENCE), Drakes(REFERENCE)
    ours_reference.run(SHORT)
    drake_reference.run(SHORT)
    runs = []
    for repeat in range(repeats):
        for build, reference in ((soft_pile, ours_reference), (Drakes, drake_reference)):
            engine = build(RACE, repeat)
            rms = float("nan")
            if repeat == 0:  # the references' pile
                short = build(RACE, 0)
                short.run(SHORT)
                rms = far(short.positions(), reference.positions())[0]
            seconds = engine.run(DURATION)
            name = f"Stiction {st.__version__} lagged" if isinstance(engine, Ours) else engine.name.replace("ICF, fixed step (CENIC)", "CENIC")
            runs.append([name, repeat, seconds, *engine.steps(), rms, engine.positions()[:, 2].mean()])
            print(f"race [{repeat + 1}/{repeats}] {name}: {seconds:.2f} s, {runs[-1][3]} steps", flush=True)
    header = ["engine", "pile", "cpu_seconds", "steps", "rejected", "shortest_s", "longest_s", "iterations"]
    tables.write_csv("accuracy_clutter", [*header, "rms_error_m", "mean_height_m"], runs)
    rows, ours = [], tables.median([run[2] for run in runs[::2]])
    for name in dict.fromkeys(run[0] for run in runs):
        mine = [run for run in runs if run[0] == name]
        middle = lambda k: tables.median([run[k] for run in mine])
        rows.append(
            [name, f"{middle(2):.2f}", f"{middle(2) / ours:.1f}", f"{middle(3):.0f}", f"{middle(4):.0f}"]
            + [f"{1e3 * middle(5):.2g} … {1e3 * middle(6):.2g}", f"{middle(7) / middle(3):.1f}", f"{mine[0][8]:.1e}"]
            + [f"{middle(9):.4f}"]
        )
    titles = ["", "s", "time over ours", "steps", "turned down", "steps, ms", "iterations a step", "error, m"]
    return [
        "## Compliant clutter next to Drake",
        f"The compliant pile of the [patches](patches.md) benchmark for {DURATION:g} s at accuracy {RACE:.0e}; medians of "
        f"{repeats} piles, the same in both, in turns. Drake's is its error-controlled convex integrator (`cenic`), with the "
        f"same largest step of 0.1 s. Errors are those at {SHORT:g} s, root mean square over the objects, each "
        f"simulator against itself at {REFERENCE:.0e}.",
        tables.markdown([*titles, f"mean height at {DURATION:g} s, m"], rows),
    ]


if __name__ == "__main__":
    main()
