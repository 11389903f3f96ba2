"""Objects held in hands of MuJoCo Menagerie: pinched and lifted, or in a fist that gravity pulls out of the palm.

The scenes are MJCF text read in the folder of the hand, which is not written to.
"""

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
import stiction as st

from report import table_row

SETTLE, WATCH = 2.0, 10.0  # s after the motion; s in which the slip is measured
SLIP = 50e-9  # m/s
TIPS = 10.0  # degrees between the closed hand and the end
CHUNK = 0.02  # s between two controls

EXPLANATION = (
    "An object is grasped, lifted (or the palm turned over), left for 2 s and watched for 10 s. **Slip** is the change of the object's place in "
    "the hand over those 10 s, per second. **Turn** is its rotation in the hand from the closed grip to the end. A grasp fails if the object is "
    "dropped, slips at 50 nm/s or more, or (unless it is a sphere) turns by more than 10°. Everything has default options; **soft** is "
    "with `contact_from=\"mujoco\"`, and MuJoCo has the settings of the hand's file."
)


@dataclass(frozen=True)
class Grasp:
    folder: Path
    hand: str
    object: str
    mass: float
    label: str


OBJECTS = {
    "panda": [("cube", 0.05), ("cylinder", 0.05), ("sphere", 0.05)],
    "2f85": [("cube", 0.1), ("cube", 0.5), ("cylinder", 0.1)],
    "shadow": [("cylinder", 0.1), ("box", 0.1), ("sphere", 0.1)],
}
FOLDERS = {"panda": "franka_emika_panda", "2f85": "robotiq_2f85", "shadow": "shadow_hand"}


def find(folder):
    """The grasps for which a folder, such as a checkout of MuJoCo Menagerie, has hands."""
    for hand, name in FOLDERS.items():
        if (Path(folder) / name).is_dir():
            for thing, mass in OBJECTS[hand]:
                yield Grasp((Path(folder) / name).resolve(), hand, thing, mass, f"{name}: {thing} of {1e3 * mass:.0f} g")


def grasp(job):
    row = {"file": job.label, "kind": "grasp"}
    os.chdir(job.folder)
    try:
        scene = {"panda": Panda, "2f85": Robotiq, "shadow": Shadow}[job.hand](job)
        sides = {"ours": Ours(scene), "soft": Ours(scene, contact_from="mujoco"), "mujoco": MuJoCo(scene)}
        return row | {"verdict": "grasped"} | {side: watch(scene, simulator) for side, simulator in sides.items()}
    except Exception as error:
        return row | {"verdict": "no answer", "reason": f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]}


def watch(scene, simulator):
    """Slip rate, turn and time per step of one simulator."""
    count = round(CHUNK / scene.model.opt.timestep)
    times, at = [], 0
    looks = {round(when / CHUNK): name for name, when in (("closed", scene.closed), ("settled", scene.end + SETTLE))}
    end, seen = round((scene.end + SETTLE + WATCH) / CHUNK), {}
    while at < end:
        if at in looks:
            seen[looks[at]] = simulator.relative()
        begin = time.thread_time()
        simulator.advance(*scene.controls(at * CHUNK), count)
        times.append((time.thread_time() - begin) / count)
        at += 1
    place, attitude = simulator.relative()
    held = bool(np.all(np.isfinite(place)) and np.linalg.norm(place - seen["closed"][0]) < scene.lost)
    return {
        "held": held,
        "slip": float(np.linalg.norm(place - seen["settled"][0]) / WATCH) if held else None,
        "turn": angle(attitude, seen["closed"][1]),
        "microseconds": 1e6 * float(np.median(times)),
    }


def angle(a, b):
    """Between two attitudes, degrees: from the vector part, which keeps small angles exact."""
    difference, inverse = np.zeros(4), np.zeros(4)
    mujoco.mju_negQuat(inverse, a)
    mujoco.mju_mulQuat(difference, inverse, b)
    return float(np.degrees(2 * np.arctan2(np.linalg.norm(difference[1:]), abs(difference[0]))))


def smooth(x):
    x = min(1.0, max(0.0, x))
    return x * x * (3 - 2 * x)


def relative(hand, hand_quat, thing, thing_quat):
    """Place and attitude of the object in the hand's frame."""
    turn, inverse, attitude = np.zeros(9), np.zeros(4), np.zeros(4)
    mujoco.mju_quat2Mat(turn, np.array(hand_quat))
    mujoco.mju_negQuat(inverse, np.array(hand_quat))
    mujoco.mju_mulQuat(attitude, inverse, np.array(thing_quat))
    return turn.reshape(3, 3).T @ (np.array(thing) - np.array(hand)), attitude


class Ours:
    def __init__(self, scene, **options):
        self.scene = scene
        self.sim = st.Simulation(st.Model.from_string(scene.text), step=scene.model.opt.timestep, **options)
        self.sim.qpos = scene.start

    def advance(self, controls, gravity, count):
        self.sim.ctrl = controls
        if gravity is not None:
            self.sim.gravity = gravity
        self.sim.step(count)

    def relative(self):
        hand, thing = self.sim.body_pose(self.scene.hand), self.sim.body_pose("object")
        return relative(hand.position, hand.quaternion, thing.position, thing.quaternion)


class MuJoCo:
    def __init__(self, scene):
        self.scene, self.model = scene, scene.model
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:] = scene.start

    def advance(self, controls, gravity, count):
        self.data.ctrl[:] = controls
        if gravity is not None:
            self.model.opt.gravity[:] = gravity
        mujoco.mj_step(self.model, self.data, nstep=count)

    def relative(self):
        hand, thing = self.data.body(self.scene.hand), self.data.body("object")
        return relative(hand.xpos, hand.xquat, thing.xpos, thing.xquat)


def solid(kind, mass, round_size, box_size, turned=""):
    size = {"cube": f"{box_size} {box_size} {box_size}", "cylinder": f"{round_size} 0.03", "sphere": round_size}[kind]
    shape = "box" if kind == "cube" else kind
    return f'<freejoint name="object"/><geom name="object" type="{shape}" size="{size}" mass="{mass}" {turned}/>'


class Panda:
    """Panda's arm picks the object from a table, lifts it and moves it aside."""

    hand, lost = "hand", 0.05
    closed, end = 2.8, 6.0

    def __init__(self, job):
        height = 0.03 if job.object == "cylinder" else 0.02
        top = 0.2 + height
        arm = re.sub(r"<keyframe>.*?</keyframe>", "", Path("panda.xml").read_text(), flags=re.DOTALL)
        self.text = arm.replace(
            "</worldbody>",
            '<geom name="floor" size="0 0 .05" type="plane"/><body name="table" pos="0.55 0 0.1"><geom name="table" type="box" size=".2 .3 .1"/></body>'
            f'<body name="object" pos="0.55 0 {top}">{solid(job.object, job.mass, 0.02, 0.02)}</body></worldbody>',
        )
        self.model = mujoco.MjModel.from_xml_string(self.text)
        above = self.reach([0.55, 0, top + 0.12], np.array([0, 0, 0, -1.57079, 0, 1.57079, -0.7853]))
        low = self.reach([0.55, 0, top], above)
        high = self.reach([0.55, 0, top + 0.2], low)
        aside = self.reach([0.50, 0.15, top + 0.2], high)
        stops = [(0, above, 255), (0.5, above, 255), (1.5, low, 255), (1.8, low, 255), (2.3, low, 0), (2.8, low, 0), (4.3, high, 0), (5.3, aside, 0), (6.0, aside, 0)]
        self.times = [stop[0] for stop in stops]
        self.values = [np.append(joints, fingers) for _, joints, fingers in stops]
        self.start = self.model.qpos0.copy()
        self.start[:7], self.start[7:9] = above, 0.04

    def reach(self, point, joints):
        """Joint positions at which the fingers are at a point, the hand downwards."""
        data, model = mujoco.MjData(self.model), self.model
        data.qpos[:7] = joints
        hand, down = model.body("hand").id, np.diag([1.0, -1.0, -1.0])
        for _ in range(500):
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            turn = data.xmat[hand].reshape(3, 3)
            fingers = data.xpos[hand] + 0.1034 * turn[:, 2]
            jacobian = np.zeros((6, model.nv))
            mujoco.mj_jac(model, data, jacobian[:3], jacobian[3:], fingers, hand)
            wrong = down @ turn.T
            error = np.append(point - fingers, 0.5 * np.array([wrong[2, 1] - wrong[1, 2], wrong[0, 2] - wrong[2, 0], wrong[1, 0] - wrong[0, 1]]))
            if np.linalg.norm(error) < 1e-9:
                return data.qpos[:7].copy()
            jacobian = jacobian[:, :7]
            data.qpos[:7] += jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-6 * np.eye(6), error)
        raise ValueError(f"the arm does not reach {point}")

    def controls(self, now):
        k = min(np.searchsorted(self.times, now, side="right"), len(self.times) - 1)
        part = smooth((now - self.times[k - 1]) / (self.times[k] - self.times[k - 1]))
        return self.values[k - 1] * (1 - part) + self.values[k] * part, None


class Robotiq:
    """The gripper hangs on a slide, closes around the object and lifts it."""

    hand, lost = "base", 0.05
    closed, end = 2.2, 3.7

    def __init__(self, job):
        gripper = Path("2f85.xml").read_text()
        inside = re.search(r"<worldbody>(.*)</worldbody>", gripper, re.DOTALL).group(1)
        height = 0.03 if job.object == "cylinder" else 0.02
        pinch = 0.1 + height + 0.145 + 0.0108
        carriage = (
            f'<body name="carriage" pos="0 0 {pinch}" euler="{np.pi} 0 0"><inertial pos="0 0 0" mass="2" diaginertia=".01 .01 .01"/>'
            f'<joint name="lift" type="slide" axis="0 0 -1" range="-0.1 0.5" armature="1" damping="100"/>{inside}</body>'
        )
        world = (
            '<worldbody><geom name="floor" type="plane" size="0 0 .05"/><geom name="table" type="box" size=".2 .2 .05" pos="0 0 .05"/>'
            f'{carriage}<body name="object" pos="0 0 {0.1 + height}">{solid(job.object, job.mass, 0.02, 0.02)}</body></worldbody>'
        )
        before, after = gripper.split("<worldbody>")[0], gripper.split("</worldbody>")[1]
        self.text = (before + world + after).replace("</actuator>", '<position name="lift" joint="lift" kp="20000" kv="2000"/></actuator>')
        self.model = mujoco.MjModel.from_xml_string(self.text)
        self.start = self.model.qpos0.copy()
        self.start[self.model.joint("lift").qposadr[0]] = 0.1

    def controls(self, now):
        lift = 0.1 * (1 - smooth(now)) + 0.2 * smooth((now - 2.2) / 1.5)
        return np.array([255 * smooth((now - 1.2) / 0.7), lift]), None


class Shadow:
    """A fist closes around an object on the palm; then gravity is turned over."""

    hand, lost = "rh_palm", 0.1
    closed, end = 2.4, 4.0

    def __init__(self, job):
        thing = {
            "cylinder": '<geom type="cylinder" size=".02 .05" mass="{}" euler="1.5708 0 0"/>',
            "sphere": '<geom type="sphere" size=".025" mass="{}"/>',
            "box": '<geom type="box" size=".018 .05 .018" mass="{}"/>',
        }[job.object].format(job.mass)
        self.text = (
            '<mujoco><include file="right_hand.xml"/><worldbody><geom name="floor" type="plane" size="1 1 .1" pos="0 0 -.5"/>'
            f'<body name="object" pos="0.352 -0.005 0.043"><freejoint name="object"/>{thing}</body></worldbody></mujoco>'
        )
        self.model = mujoco.MjModel.from_xml_string(self.text)
        self.start = self.model.qpos0.copy()
        thumb = {"rh_A_THJ4": 1.2, "rh_A_THJ5": 0.5, "rh_A_THJ2": 0.5, "rh_A_THJ1": 1.0}
        names = [self.model.actuator(k).name for k in range(self.model.nu)]
        self.fist = np.array([thumb.get(n, 2.6 if n.endswith("J0") else 1.4 if n.endswith("J3") and "TH" not in n else 0.0) for n in names])

    def controls(self, now):
        up = min(1.0, max(0.0, now - 2.5))
        return self.fist * min(1.0, max(0.0, (now - 0.1) / 1.2)), np.array([0.0, 0.0, 9.81 * up])


def failures(row):
    result, found = row["ours"], []
    if not result["held"]:
        return ["dropped"]
    if result["slip"] >= SLIP:
        found.append(f"slips at {1e9 * result['slip']:.0f} nm/s")
    if result["turn"] > TIPS and "sphere" not in row["file"]:
        found.append(f"turns by {result['turn']:.0f}°")
    return found


def table(rows, failed):
    heads = ["grasp", "slip, nm/s", "soft", "MuJoCo", "turn, °", "soft", "MuJoCo", "µs a step", "soft", "MuJoCo", ""]
    lines = [table_row(heads), table_row(["---"] + ["---:"] * (len(heads) - 2) + ["---"])]
    for row in rows:
        if row["verdict"] != "grasped":
            lines.append(table_row([row["file"]] + [""] * (len(heads) - 2) + [row["reason"]]))
            continue
        sides = [row["ours"], row["soft"], row["mujoco"]]
        slips = [f"{1e9 * side['slip']:.3g}" if side["held"] else "dropped" for side in sides]
        turns, times = [f"{side['turn']:.2f}" for side in sides], [f"{side['microseconds']:.0f}" for side in sides]
        lines.append(table_row([row["file"], *slips, *turns, *times, "; ".join(failed(row))]))
    return "\n".join(lines)
