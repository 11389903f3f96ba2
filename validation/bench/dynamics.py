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
    header = ["scene", "velocities", "algorithm", "stiction_us", "pinocchio_us", "stiction_fastest_us"]
    tables.write_csv("dynamics", [*header, "pinocchio_fastest_us"], [r[:3] + [f"{t:.3f}" for t in r[3:]] for r in rows])
    table = tables.markdown(
        ["scene", "velocities", "algorithm", "Stiction, µs", "Pinocchio, µs", "ratio", "ratio of the fastest"],
        [[*r[:3], f"{r[3]:.2f}", f"{r[4]:.2f}", f"{r[3] / r[4]:.2f}", f"{r[5] / r[6]:.2f}"] for r in rows],
    )
    text = (
        f"Written by `cargo xtask bench dynamics`. Medians of {ROUNDS} rounds in which the two take turns, {CALLS} calls "
        f"a round over {STATES} random states, both called from Python (Stiction {st.__version__}, Pinocchio "
        f"{pin.__version__}) on the same scene; the last column compares the fastest rounds. Pinocchio gets stacked "
        "joints as sequences of simple ones, which it is faster on."
    )
    tables.write_page("dynamics", ["# Dynamics", text, f"Machine: {tables.machine()}", table])
    print(table)


def scene(name):
    path = str(SCENES / f"{name}.xml")
    ours, theirs = st.Model.from_file(path), without_composites(pin.buildModelFromMJCF(path))
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
        mine_us, peer_us = map(tables.median, times)
        rows.append([name, ours.nv, algorithm, mine_us, peer_us, *map(min, times)])
        print(f"{name}, {algorithm}: {mine_us:.2f} µs here, {peer_us:.2f} µs in Pinocchio", flush=True)
    return rows


def without_composites(model):
    """The same model with stacked joints as sequences of simple ones: Pinocchio is faster on those."""
    plain, at = pin.Model(), {0: 0}
    plain.gravity = model.gravity
    for index in range(1, model.njoints):
        joint, name, placement = model.joints[index], model.names[index], model.jointPlacements[index]
        last = at[model.parents[index]]
        if joint.shortname() == "JointModelComposite":
            parts = joint.extract()
            for k in range(parts.njoints):
                # The first part's placement follows the body's; the others follow the part before.
                offset = placement * parts.jointPlacements[k] if k == 0 else parts.jointPlacements[k]
                last = plain.addJoint(last, parts.joints[k], offset, f"{name}_{k}")
        else:
            last = plain.addJoint(last, joint, placement, name)
        plain.appendBodyToJoint(last, model.inertias[index], pin.SE3.Identity())
        plain.armature = np.concatenate([plain.armature[: plain.nv - joint.nv], armature(model, joint)])
        at[index] = last
    q = pin.integrate(model, pin.neutral(model), np.linspace(-1, 1, model.nv))
    expected, found = pin.crba(model, model.createData(), q), pin.crba(plain, plain.createData(), q)
    if not np.allclose(np.triu(expected), np.triu(found), rtol=0, atol=1e-9 * np.abs(expected).max()):
        raise SystemExit("the model without composite joints is not the same one")
    return plain


def armature(model, joint):
    return model.armature[joint.idx_v : joint.idx_v + joint.nv]


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
