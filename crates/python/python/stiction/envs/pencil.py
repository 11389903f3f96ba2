"""A pencil to be rolled between two soft fingertips."""

import functools
import math

import numpy as np

import stiction as st

from .task import Task, columns, squares

#: Radius and length of the pencil, half the thickness of a fingertip, m.
RADIUS, LENGTH, PAD = 0.004, 0.16, 0.008
#: How far the servos' targets move with one action, m, and where they may be: pressing and rubbing, for each finger.
STRIDE = np.array([0.5e-3, 1e-3, 0.5e-3, 1e-3])
LOW = np.array([-1e-3, -0.016, -1e-3, -0.016])
HIGH = np.array([4e-3, 0.016, 4e-3, 0.016])
#: Targets that hold the pencil: 1.5 mm, which press with some 2 N.
HOLD = np.array([1.5e-3, 0, 1.5e-3, 0])


def _finger(name, side):
    """A fingertip on one side (±1) of the pencil: it presses towards it and rubs along z. Its pad is rubber."""
    return f"""<body name="{name}" pos="{side * (RADIUS + PAD)} 0 0">
      <joint name="{name}_press" type="slide" axis="{-side} 0 0" damping="1"/>
      <joint name="{name}_rub" type="slide" axis="0 0 1" damping="1"/>
      <geom name="{name}_pad" type="box" size="{PAD} 0.01 0.024" mass="0.03">
        <drake:proximity_properties>
          <drake:compliant_hydroelastic/><drake:hydroelastic_modulus value="3e5"/>
          <drake:hunt_crossley_dissipation value="10"/>
        </drake:proximity_properties>
      </geom>
    </body>"""


class PencilTurning(Task):
    """A pencil of 7 g between two fingertips of rubber (3e5 Pa, friction 0.9), which touch it in patches: turn it about its
    axis to the wanted angle, up to 2.2 rad away, by rubbing, and neither drop nor tip it.

    Action: where the targets of pressing and rubbing go next, for each finger. Observation (27): finger positions and
    velocities (4 + 4), how far the targets are ahead, which is the force (4), the pencil's place (3), tip (2) and velocity
    (3 + 3), its angle and the turn that is left, as cosine and sine (2 + 2). Reward: what was gained in the cosine of the
    turn that is left, less 0.002 for each mm from the middle and a little for effort; 5 after ten actions in a row within
    0.1 rad, which ends it; −2 for a dropped pencil, which ends it too.
    """

    scene = f"""<mujoco model="pencil_turning">
      <option timestep="0.005"/>
      <default>
        <geom friction="0.9" rgba="0.85 0.65 0.55 1"/>
        <position kp="1200" kv="12" forcerange="-8 8"/>
      </default>
      <worldbody>
        {_finger("thumb", -1)}
        {_finger("index", 1)}
        <body name="pencil">
          <freejoint name="pencil"/>
          <geom name="pencil" type="cylinder" fromto="0 -{LENGTH / 2} 0 0 {LENGTH / 2} 0" size="{RADIUS}" mass="0.007" rgba="0.95 0.75 0.15 1">
            <drake:proximity_properties>
              <drake:rigid_hydroelastic/><drake:mesh_resolution_hint value="0.002"/>
            </drake:proximity_properties>
          </geom>
        </body>
      </worldbody>
      <contact><exclude body1="thumb" body2="index"/></contact>
      <actuator>
        <position name="thumb_press" joint="thumb_press"/>
        <position name="thumb_rub" joint="thumb_rub"/>
        <position name="index_press" joint="index_press"/>
        <position name="index_rub" joint="index_rub"/>
      </actuator>
    </mujoco>"""
    options = {"step": 5e-3, "contact": "lagged"}
    substeps = 4
    episode = 150
    actions, observations = 4, 27
    #: Targets of the servos, cosine and sine of the wanted angle, actions spent there in a row.
    memories = 7

    @functools.cached_property
    def held(self):
        """A state in which the fingers hold the pencil."""
        sim = st.Simulation(self.model, **self.options)
        sim.ctrl[:] = HOLD
        sim.step(100)
        return sim.qpos.copy()

    def begin(self, random):
        goal = random.uniform(0.6, 2.2) * (1 if random.random() < 0.5 else -1)
        shift = random.uniform(-5e-3, 5e-3)  # of fingers and pencil together
        qpos, target = self.held.copy(), HOLD.copy()
        qpos[[1, 3, 6]] += shift
        target[[1, 3]] += shift
        return qpos, np.zeros(10), target, [*target, math.cos(goal), math.sin(goal), 0]

    def control(self, action, qpos, memory):
        memory[:, :4] = np.clip(memory[:, :4] + STRIDE * action, LOW, HIGH)
        return memory[:, :4]

    def observe(self, qpos, qvel, memory):
        left_cosine, left_sine = self._left(qpos, memory)
        cosine, sine = _turn(qpos[:, 7:11])
        return columns(
            qpos[:, :4] / 0.01,
            qvel[:, :4] / 0.1,
            (memory[:, :4] - qpos[:, :4]) / 0.002,
            qpos[:, 4:7] / 0.01,
            *_tipped(qpos[:, 7:11]),
            qvel[:, 4:7] / 0.1,
            qvel[:, 7:10] / 10,
            cosine,
            sine,
            left_cosine,
            left_sine,
        )

    def judge(self, before, qpos, qvel, action, memory):
        cosine, _ = self._left(qpos, memory)
        gained = cosine - self._left(before, memory)[0]
        there = cosine > 0.995  # cos 0.1
        memory[:, 6] = np.where(there, memory[:, 6] + 1, 0)
        done = memory[:, 6] >= 10
        along, tip = _tipped(qpos[:, 7:11])
        dropped = (np.abs(qpos[:, 6]) > 0.02) | (np.abs(qpos[:, 4]) > 0.01) | (squares(along, tip) > 0.25)
        middle = np.abs(qpos[:, 6]) / 1e-3
        reward = gained - 0.002 * middle - 2e-3 * squares(*action.T) + 5.0 * done - 2.0 * dropped
        return reward, done | dropped, done & ~dropped

    def describe(self, qpos, memory):
        cosine, sine = self._left(qpos[None], memory[None])
        left = math.degrees(math.atan2(sine[0], cosine[0]))
        return f"{left:+.0f}° left to turn, pencil {1000 * qpos[6]:+.1f} mm from the middle"

    @staticmethod
    def _left(qpos, memory):
        """Cosine and sine of the turn that is left."""
        cosine, sine = _turn(qpos[:, 7:11])
        goal_cosine, goal_sine = memory[:, 4], memory[:, 5]
        return goal_cosine * cosine + goal_sine * sine, goal_sine * cosine - goal_cosine * sine


def _turn(quaternion):
    """Cosine and sine of the turn about the pencil's axis, y: the twist of the rotation."""
    w, _, y, _ = quaternion.T
    scale = 1 / np.maximum(w * w + y * y, 1e-9)
    return (w * w - y * y) * scale, 2 * w * y * scale


def _tipped(quaternion):
    """How far the pencil's axis points along x and up: components of its direction."""
    w, x, y, z = quaternion.T
    return 2 * (x * y - w * z), 2 * (y * z + w * x)
