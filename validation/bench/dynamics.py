"""Times inverse dynamics, mass matrix and forward dynamics here and in Pinocchio, interleaved.

    python validation/bench/dynamics.py

Both are called from Python on the same MJCF scenes, with the same states; both calls therefore
include the price of a Python call. Writes docs/benchmarks/dynamics.md and dynamics.csv.
"""

import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pinocchio as pin
import stiction as st

import tables

SCENES = tables.FOLDER.parents[1] / "scenes"
ROUNDS = 60
CALLS = 1000  # in one timing; the states cycle
STATES = 50


def main():
    rows = []
    for name in ("arm", "humanoid"):
        rows += scene(name)
    header = ["scene", "velocities", "algorithm", "stiction_us", "pinocchio_us"]
    tables.write_csv("dynamics", header, [[n, nv, a, f"{s:.3f}", f"{p:.3f}"] for n, nv, a, s, p in rows])
    table = tables.markdown(
        ["scene", "velocities", "algorithm", "Stiction, µs", "Pinocchio, µs", "ratio"],
        [[n, nv, a, f"{s:.2f}", f"{p:.2f}", f"{s / p:.2f}"] for n, nv, a, s, p in rows],
    )
    text = (
        "Written by `cargo xtask bench dynamics`. Medians of "
        f"{ROUNDS} rounds in which the two take turns, {CALLS} calls a round over {STATES} random states, both called "
        f"from Python (Stiction {st.__version__}, Pinocchio {pin.__version__}) on the same scene."
    )
    tables.write_page("dynamics", ["# Dynamics", text, f"Machine: {tables.machine()}", table])
    print(table)


def scene(name):
    path = str(SCENES / f"{name}.xml")
    ours, theirs = st.Model.from_file(path), pin.buildModelFromMJCF(path)
    data = theirs.createData()
    if ours.nv != theirs.nv:
        raise SystemExit(f"{name}: {ours.nv} velocities here, {theirs.nv} in Pinocchio")
    random = np.random.default_rng(1)
    our_states = [[random_q(ours, random), *random.normal(size=(2, ours.nv))] for _ in range(STATES)]
    pin_states = [
        [pin.integrate(theirs, pin.neutral(theirs), random.normal(size=theirs.nv)), *random.normal(size=(2, theirs.nv))]
        for _ in range(STATES)
    ]
    pairs = {
        "inverse dynamics (RNEA)": (
            lambda q, v, a: ours.inverse_dynamics(q, v, a),
            lambda q, v, a: pin.rnea(theirs, data, q, v, a),
        ),
        "mass matrix (CRBA)": (lambda q, v, a: ours.mass_matrix(q), lambda q, v, a: pin.crba(theirs, data, q)),
        "forward dynamics (ABA)": (
            lambda q, v, a: ours.forward_dynamics(q, v, a),
            lambda q, v, a: pin.aba(theirs, data, q, v, a),
        ),
    }
    rows = []
    for algorithm, (mine, peer) in pairs.items():
        times = [[], []]
        for _ in range(ROUNDS):
            times[0].append(timed(mine, our_states))
            times[1].append(timed(peer, pin_states))
        rows.append([name, ours.nv, algorithm, tables.median(times[0]), tables.median(times[1])])
        print(f"{name}, {algorithm}: {rows[-1][3]:.2f} µs here, {rows[-1][4]:.2f} µs in Pinocchio", flush=True)
    return rows


def random_q(model, random):
    """The default position, every number shifted; quaternions are normalised by the library."""
    return np.array(model.default_qpos) + 0.3 * random.normal(size=model.nq)


def timed(function, states):
    """Microseconds a call."""
    start = time.perf_counter()
    for call in range(CALLS):
        function(*states[call % STATES])
    return 1e6 * (time.perf_counter() - start) / CALLS


if __name__ == "__main__":
    main()
