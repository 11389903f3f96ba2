"""One robot held at its home pose, here and in MuJoCo."""

import time

import mujoco
import numpy as np
import stiction as st

import mujoco_peer
from report import table_row

TIME = 3.0  # s
CHUNK = 0.04  # s of simulation between two looks at the clock
FORCE = 1e-3  # of the weight
REST = 0.01  # m/s, rad/s: at this speed momentum explains at most 0.1 % of the mean force of a second
EXPLODED = 10.0  # times MuJoCo's largest speed (and at least 10 m/s or rad/s)

EXPLANATION = (
    "Each model is held for 3 s here and in MuJoCo, in the first keyframe (or the default pose), with its "
    "controls and the file's timestep. Position servos of a model without a keyframe hold the pose; other actuators get zero. "
    "**Speed** is the largest generalised speed of the whole run. A run explodes if a step fails, or if that speed is above "
    "10 times MuJoCo's (and 10 m/s or rad/s). **Height** is that of the first floating base at the end; **soft** is the same with `contact_from=\"mujoco\"`. **Force** is the mean of the contact "
    "force on floating parts over the last second, over their weight, if no speed exceeds 0.01 m/s or rad/s in that second and no equality, "
    "tendon or compensation carries them. **Penetration** is the largest of the last second. **Time** is "
    "the median time of a step in chunks of 0.04 s, the two simulators interleaved, in processor time of one thread; "
    "the other cores of the machine may be busy, so ratios say more than times. "
    "MuJoCo's column is its file's own settings. Fragments that scenes include and files that MuJoCo does not load are left out."
)


def new_row(file):
    return {"file": file.label, "kind": "hold"}


def hold(file):
    """The row of one file."""
    row = new_row(file)
    try:
        theirs = mujoco_peer.load(file.path)
    except ValueError:
        return row | {"verdict": "part", "reason": "MuJoCo does not load it"}
    if theirs.nv == 0:
        return row | {"verdict": "part", "reason": "nothing moves"}
    if theirs.nflex or theirs.nplugin:
        return row | {"verdict": "not compared", "reason": "flexible bodies" if theirs.nflex else "plugins"}
    try:
        ours = st.Model.from_file(str(file.path))
    except st.ModelError as error:
        return row | {"verdict": "no answer", "reason": " ".join(str(error).split())[:300]}
    data = mujoco.MjData(theirs)
    start(theirs, data)
    if not np.all(np.isfinite(data.qpos)):
        return row | {"verdict": "not compared", "reason": "no finite home pose"}
    step = theirs.opt.timestep
    try:
        sim = st.Simulation(ours, step=step)
        sim.qpos, sim.qvel = data.qpos, data.qvel
        if theirs.nu:
            sim.ctrl = data.ctrl
        if theirs.na:
            sim.act = data.act
        place_mocap(theirs, data, sim)
        floating = Floating(theirs, data, ours)
        soft = st.Simulation(ours, step=step, contact_from="mujoco") if floating.base is not None else None
        if soft is not None:
            soft.load_state(sim.save_state())
        return row | {"verdict": "held", "step": step, "nv": int(theirs.nv)} | run(theirs, data, sim, soft, step, floating)
    except Exception as error:
        return row | {"verdict": "no answer", "reason": f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]}


def start(model, data):
    """The home pose and its controls."""
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    else:
        mujoco.mj_resetData(model, data)
        mujoco.mj_forward(model, data)
        for k in range(model.nu):
            servo = model.actuator_biastype[k] == mujoco.mjtBias.mjBIAS_AFFINE and model.actuator_biasprm[k, 1] != 0
            if servo and model.actuator_dyntype[k] == mujoco.mjtDyn.mjDYN_NONE and model.actuator_gainprm[k, 0] != 0:
                data.ctrl[k] = -model.actuator_biasprm[k, 1] / model.actuator_gainprm[k, 0] * data.actuator_length[k]
    limited = model.actuator_ctrllimited.astype(bool)
    data.ctrl[limited] = np.clip(data.ctrl[limited], *model.actuator_ctrlrange[limited].T)


def place_mocap(model, data, sim):
    for body in range(model.nbody):
        k = model.body_mocapid[body]
        if k >= 0 and model.body(body).name:
            sim.set_mocap(model.body(body).name, data.mocap_pos[k].tolist(), data.mocap_quat[k].tolist())


class Floating:
    """The bodies of trees with a free joint at the root, their weight, and whether contacts alone can carry them."""

    def __init__(self, model, data, ours):
        root = model.body_rootid
        free = np.zeros(model.nbody, bool)
        for joint in range(model.njnt):
            body = model.jnt_bodyid[joint]
            if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE and root[body] == body:
                free[root == body] = True
        gravity = float(np.linalg.norm(model.opt.gravity))
        disabled = model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
        self.up = -model.opt.gravity / gravity if gravity and not disabled else None
        self.weight = float(model.body_mass[free].sum()) * gravity
        names = {name: index for index, name in enumerate(ours.body_names)}
        # Bodies without a name are numbered alike in both programs unless ours joins some: then none is told apart.
        same = len(ours.body_names) == model.nbody
        self.bodies = np.array(
            [free[k] for k in range(model.nbody)] if same else [free[model.body(n).id] if n and mujoco.mj_name2id(model, 1, n) >= 0 else False for n in names],
            bool,
        )
        self.base = next(
            (int(model.jnt_qposadr[j]) for j in range(model.njnt) if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE), None
        )
        medium = model.opt.density or model.opt.viscosity
        alone = not (model.neq and data.eq_active.any()) and not model.ntendon and not np.any(model.body_gravcomp[free])
        alone = alone and not model.nplugin and not medium and not np.any(np.isin(model.actuator_trntype, [4, 5, 6]))
        self.by_contacts = bool(free.any() and alone and self.up is not None and self.weight > 0)

    def force(self, contacts):
        """Sum of the contact forces of other bodies on floating ones, along up, N."""
        if not len(contacts):
            return 0.0
        a, b = self.bodies[contacts["body_a"]], self.bodies[contacts["body_b"]]
        force = contacts["force"] @ self.up
        return float(force[b & ~a].sum() - force[a & ~b].sum())


def run(model, data, sim, soft, step, floating):
    count, chunk = round(TIME / step), max(1, round(CHUNK / step))
    last = count - round(1.0 / step)
    fastest = np.abs(sim.qvel).max(initial=0.0) if model.nv else 0.0
    theirs_fastest, times, done, error = fastest, [], 0, None
    while done < last and error is None:
        chunk = min(chunk, last - done)
        begin = time.thread_time()
        mujoco.mj_step(model, data, nstep=chunk)
        middle = time.thread_time()
        try:
            sim.step(chunk)
        except st.StictionError if hasattr(st, "StictionError") else Exception as problem:
            error = " ".join(str(problem).split())[:200]
        end = time.thread_time()
        times.append(((end - middle) / chunk, (middle - begin) / chunk))
        done += chunk
        fastest = max(fastest, np.abs(sim.qvel).max(initial=0.0))
        theirs_fastest = max(theirs_fastest, np.abs(data.qvel).max(initial=0.0))
    forces, final_speed, depth, theirs_depth, theirs_final = [], 0.0, 0.0, 0.0, 0.0
    while done < count and error is None:
        mujoco.mj_step(model, data)
        try:
            sim.step()
        except Exception as problem:
            error = " ".join(str(problem).split())[:200]
            break
        done += 1
        contacts = sim.contacts
        final_speed = max(final_speed, np.abs(sim.qvel).max(initial=0.0))
        theirs_final = max(theirs_final, np.abs(data.qvel).max(initial=0.0))
        depth = max(depth, contacts["penetration"].max(initial=0.0))
        theirs_depth = max(theirs_depth, -data.contact.dist.min(initial=0.0))
        if floating.by_contacts:
            forces.append(floating.force(contacts))
    fastest, theirs_fastest = max(fastest, final_speed), max(theirs_fastest, theirs_final)
    exploded = error or bool(fastest > max(EXPLODED, EXPLODED * theirs_fastest))
    stats = sim.stats
    row = {
        "exploded": exploded,
        "speed": [float(fastest), float(theirs_fastest)],
        "final_speed": [float(final_speed), float(theirs_final)],
        "penetration": [float(depth), float(theirs_depth)],
        "microseconds": [1e6 * float(x) for x in np.median(times, axis=0)] if times else [0.0, 0.0],
        "unconverged": int(stats["unconverged"]),
        "iterations": stats["iterations"] / max(1, stats["steps"]),
        "warnings": [str(w)[:160] for w in sim.warnings],
    }
    if floating.base is not None:
        row["height"] = [float(sim.qpos[floating.base + 2]), float(data.qpos[floating.base + 2])]
        try:
            soft.step(count)
            row["soft_height"] = float(soft.qpos[floating.base + 2])
        except Exception as problem:
            row["soft_height"] = " ".join(str(problem).split())[:200]
    if forces:
        row |= {"force": float(np.mean(forces)), "weight": floating.weight}
    return row


def rests(row):
    return "force" in row and not row["exploded"] and row["final_speed"][0] <= REST


def failures(row):
    found = []
    if row["exploded"]:
        found.append("explodes" + (f": {row['exploded']}" if isinstance(row["exploded"], str) else ""))
    if rests(row) and not abs(row["force"] / row["weight"] - 1) <= FORCE:
        found.append("contact force is not the weight")
    if not row["exploded"] and row["unconverged"]:
        found.append(f"{row['unconverged']} steps did not converge")
    return found


def line(row):
    ours, theirs = row["microseconds"]
    words = f"{ours:.1f}/{theirs:.1f} µs, speed {row['speed'][0]:.3g}/{row['speed'][1]:.3g}, at the end {row['final_speed'][0]:.2g}/{row['final_speed'][1]:.2g}"
    if "height" in row:
        words += ", height {:.4f}/{:.4f}, soft {}".format(*row["height"], row["soft_height"])
    if "force" in row:
        words += f", force {row['force'] / row['weight']:.5f}{'' if rests(row) else ' (moves)'}"
    return words + f", depth {1e3 * row['penetration'][0]:.2f}/{1e3 * row['penetration'][1]:.2f} mm"


def table(rows, failed):
    heads = ["file", "nv", "speed", "MuJoCo", "at the end", "MuJoCo", "height, m", "soft", "MuJoCo", "force / weight", "penetration, mm", "MuJoCo", "µs a step", "MuJoCo", "ratio", ""]
    lines = [table_row(heads), table_row(["---"] + ["---:"] * (len(heads) - 2) + ["---"])]
    for row in rows:
        if row["verdict"] != "held":
            lines.append(table_row([f"`{row['file']}`"] + [""] * (len(heads) - 2) + [row["reason"]]))
            continue
        pair = lambda values, form: [form.format(x) for x in values]
        ours, theirs = row["microseconds"]
        height = ["", "", ""]
        if "height" in row:
            mine, theirs_height = pair(row["height"], "{:.4f}")
            soft = row["soft_height"]
            height = [mine, soft if isinstance(soft, str) else f"{soft:.4f}", theirs_height]
        force = f"{row['force'] / row['weight']:.5f}" if rests(row) else "moves" if "force" in row else ""
        lines.append(
            table_row(
                [f"`{row['file']}`", row["nv"], *pair(row["speed"], "{:.2g}"), *pair(row["final_speed"], "{:.1g}"), *height, force]
                + pair([1e3 * x for x in row["penetration"]], "{:.3f}")
                + [f"{ours:.1f}", f"{theirs:.1f}", f"{ours / max(theirs, 1e-9):.2f}", "; ".join(failed(row))]
            )
        )
    return "\n".join(lines)
