"""Throughput of many worlds: Batch and rollout next to mujoco.rollout, for a humanoid and a gripper.

    python validation/bench/batch.py [--worlds N] [--steps T] [--repeats R]

All take turns in one run. Writes docs/benchmarks/batch.md and batch.csv.
"""

import argparse
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import mujoco
import numpy as np
import stiction as st
import tables
from mujoco import rollout as mujoco_rollout

SCENES = Path(__file__).resolve().parents[2] / "scenes"
#: Scene, keyframe to begin from, and how far the velocities of the worlds are spread (m/s, rad/s).
CASES = {"humanoid": ("stand", 0.3), "gripper": ("lift", 0.01)}
THREADS = [1, 2]
#: Said where others wanted the processor too.
BUSY = (
    "**The machine was busy, and the threads of this run shared it with others: these numbers compare nothing. Run the "
    "command again on an idle machine.**"
)
ENGINES = ["Batch, a step a call", "rollout", "mujoco.rollout"]


class Case:
    """One scene with the same beginnings and controls for all engines."""

    def __init__(self, name, worlds, steps):
        keyframe, spread = CASES[name]
        path = str(SCENES / f"{name}.xml")
        self.ours, self.theirs = st.Model.from_file(path), mujoco.MjModel.from_xml_path(path)
        self.step = self.theirs.opt.timestep
        random = np.random.default_rng(0)
        start = st.Simulation(self.ours, step=self.step)
        start.reset(keyframe)
        qvel = spread * random.normal(size=(worlds, self.ours.nv))
        self.states = np.hstack([np.tile(start.qpos, (worlds, 1)), qvel])
        # Held for 20 steps, as a policy would.
        held = random.uniform(-0.2, 0.2, size=(worlds, -(-steps // 20), self.ours.nu))
        span = np.ptp(self.theirs.actuator_ctrlrange, axis=1)
        self.controls = start.ctrl + span * np.repeat(held, 20, axis=1)[:, :steps]
        low, high = self.theirs.actuator_ctrlrange.T
        self.controls = np.ascontiguousarray(np.clip(self.controls, low, high))
        self.batches = {n: st.Batch(self.ours, worlds, n, step=self.step) for n in THREADS}
        self.datas = {n: [mujoco.MjData(self.theirs) for _ in range(n)] for n in THREADS}
        # Its threads, like ours, are there before the clock starts; without any, the caller does the work.
        self.pools = {n: mujoco_rollout.Rollout(nthread=n if n > 1 else 0) for n in THREADS}
        full = np.zeros((worlds, mujoco.mj_stateSize(self.theirs, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
        full[:, 1 : 1 + self.states.shape[1]] = self.states  # time first
        self.full = full

    def run(self, engine, threads):
        """Seconds for all steps of all worlds."""
        nq = self.ours.nq
        if engine == "mujoco.rollout":
            begin = time.perf_counter()
            self.pools[threads].rollout(self.theirs, self.datas[threads], self.full, self.controls)
        elif engine == "rollout":
            begin = time.perf_counter()
            st.rollout(self.ours, self.states, self.controls, threads=threads, step=self.step)
        else:
            batch = self.batches[threads]
            batch.reset(qpos=self.states[:, :nq], qvel=self.states[:, nq:])
            begin = time.perf_counter()
            for t in range(self.controls.shape[1]):
                batch.ctrl[:] = self.controls[:, t]
                batch.step()
        return time.perf_counter() - begin


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--worlds", type=int, default=64)
    arguments.add_argument("--steps", type=int, default=200)
    arguments.add_argument("--repeats", type=int, default=9)
    options = arguments.parse_args()
    rows, counts = [], {}
    for name in CASES:
        case = Case(name, options.worlds, options.steps)
        work = options.worlds * options.steps
        seconds = {(engine, threads): [] for engine in ENGINES for threads in THREADS}
        for _ in range(options.repeats):
            for key, taken in seconds.items():
                taken.append(case.run(*key))
        stats = {name: column.sum() for name, column in case.batches[1].stats.items() if name != "seconds"}
        counts[name] = (stats["points"] / stats["steps"], stats["iterations"] / stats["steps"], stats["unconverged"])
        for engine in ENGINES:
            best = [work / min(seconds[engine, threads]) for threads in THREADS]
            middle = [work / tables.median(seconds[engine, threads]) for threads in THREADS]
            # How much faster two threads are than one, of runs that followed each other.
            pairs = zip(seconds[engine, 1], seconds[engine, 2], strict=True)
            speedup = tables.median([one / two for one, two in pairs])
            rows.append([name, engine, *best, *middle, speedup])
            print(f"{name}, {engine}: {best[0]:.0f} and {best[1]:.0f} steps/s, ×{speedup:.2f} on two threads", flush=True)
    header = ["scene", "engine", *(f"best_steps_per_s_{n}" for n in THREADS)]
    header += [*(f"median_steps_per_s_{n}" for n in THREADS), "speedup_of_two_threads"]
    tables.write_csv("batch", header, rows)
    shown = [[f"{r[0]}, {r[1]}", *(f"{value / 1e3:.1f}" for value in r[2:6]), f"{r[6]:.2f}"] for r in rows]
    words = [
        f"{name}: {points:.1f} contact points and {iterations:.1f} Newton iterations a step, {unconverged} of all steps short "
        "of their tolerance"
        for name, (points, iterations, unconverged) in counts.items()
    ]
    parts = [
        "# Many worlds at once",
        f"Written by `cargo xtask bench batch`. {options.worlds} worlds of a built-in scene, {options.steps} steps of the length "
        "that the file asks for, velocities spread at random, random controls held for 20 steps; "
        f"{options.repeats} runs in which the engines take turns. `Batch` gets its controls before every step, from Python; "
        "`rollout` and `mujoco.rollout` get them all at once and give back all states. Every engine has its defaults: ours "
        "solves the convex problem of Lagged to a relative tolerance of 1e-5, MuJoCo its own to 1e-8 or 100 "
        "iterations, with elliptic or pyramidal cones as the file says.",
        f"Machine: {tables.machine()}",
        *([BUSY] if tables.LOAD > 0.5 else []),
        "Thousands of steps a second, all worlds together; the speed-up is the median over runs of one and two threads next "
        "to each other:",
        tables.markdown(
            ["scene, engine", "1 thread, best", "2 threads, best", "1 thread, median", "2 threads, median", "speed-up"], shown
        ),
        "Ours in these runs. " + "; ".join(words) + ".",
    ]
    tables.write_page("batch", parts)


if __name__ == "__main__":
    main()
