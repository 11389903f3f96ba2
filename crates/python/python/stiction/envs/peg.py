"""A peg to be put into a hole that is not quite where it is believed to be."""

import math

import numpy as np

from .task import Task, columns, length, squares

#: Half the side of peg and hole, length of the peg, depth of the hole, m.
PEG, HOLE, LENGTH, DEPTH = 0.01, 0.0105, 0.08, 0.04
#: How far the servos' targets move with one action (x, y, z in m, yaw in rad), and how far they may be ahead.
STRIDE = np.array([1.5e-3, 1.5e-3, 2e-3, 0.03])
LEASH = np.array([6e-3, 6e-3, 6e-3, 0.1])
#: Stiffness of the servos along x, y, z, N/m; of the wrist, N m/rad; mass that hangs on z, kg.
STIFFNESS, WRIST, HANGING = 2500.0, 6.0, 0.45
#: Standard deviation of the error in the hole's believed position, m.
DOUBT = 1e-3


def _block(name, x, y, half_x, half_y):
    return f'<geom name="{name}" type="box" pos="{x} {y} -{DEPTH / 2}" size="{half_x} {half_y} {DEPTH / 2}"/>'


_WALL = 0.03  # half the width of the blocks around the hole


class PegInsertion(Task):
    """A square peg of 20 mm, a square hole of 21 mm and a compliant wrist; where the hole is, is known to about 1 mm.

    The peg hangs on a gantry with servos in x, y, z and yaw; the wrist yields in tilt by springs. It starts some 15 mm
    above the hole, up to 8 mm beside it and turned by up to 0.15 rad. Contact is between boxes: edges catch, corners jam.

    Action: where the four targets go next; they may be 6 mm and 0.1 rad ahead, so the servos press with at most 15 N.
    Observation (17): the peg's tip from the believed hole (3, in cm), yaw and tilts (3), how far the targets are ahead,
    which is the force (4), velocities (6), and how deep the tip is in the hole. Reward: gains in depth and in nearness,
    a hundred for each metre, less a little for effort; 5 when the tip is 30 mm deep, which ends it.
    """

    scene = f"""<mujoco model="peg_insertion">
      <option timestep="0.004"/>
      <default>
        <geom friction="0.3" rgba="0.6 0.62 0.66 1"/>
        <joint damping="2"/>
      </default>
      <worldbody>
        <geom name="base" type="box" pos="0 0 -{DEPTH + 0.01}" size="{HOLE + 2 * _WALL} {HOLE + 2 * _WALL} 0.01"/>
        {_block("east", HOLE + _WALL, 0, _WALL, HOLE + 2 * _WALL)}
        {_block("west", -HOLE - _WALL, 0, _WALL, HOLE + 2 * _WALL)}
        {_block("north", 0, HOLE + _WALL, HOLE, _WALL)}
        {_block("south", 0, -HOLE - _WALL, HOLE, _WALL)}
        <body name="stage" pos="0 0 {LENGTH}">
          <joint name="x" type="slide" axis="1 0 0"/>
          <joint name="y" type="slide" axis="0 1 0"/>
          <joint name="z" type="slide" axis="0 0 1"/>
          <joint name="yaw" type="hinge" axis="0 0 1" damping="0.02"/>
          <geom name="stage" type="cylinder" pos="0 0 0.03" size="0.02 0.02" mass="0.35" contype="0" conaffinity="0"/>
          <body name="peg">
            <joint name="tilt_x" type="hinge" axis="1 0 0" stiffness="{WRIST}" damping="0.05" range="-10 10"/>
            <joint name="tilt_y" type="hinge" axis="0 1 0" stiffness="{WRIST}" damping="0.05" range="-10 10"/>
            <geom name="peg" type="box" pos="0 0 -{LENGTH / 2}" size="{PEG} {PEG} {LENGTH / 2}" mass="0.1" rgba="0.86 0.37 0.23 1"/>
          </body>
        </body>
      </worldbody>
      <actuator>
        <position name="x" joint="x" kp="{STIFFNESS}" kv="60"/>
        <position name="y" joint="y" kp="{STIFFNESS}" kv="60"/>
        <position name="z" joint="z" kp="{STIFFNESS}" kv="60"/>
        <position name="yaw" joint="yaw" kp="8" kv="0.2"/>
      </actuator>
    </mujoco>"""
    options = {"step": 4e-3, "contact": "lagged"}
    substeps = 5
    episode = 200
    actions, observations = 4, 17
    #: Targets of the servos, error in the believed position of the hole.
    memories = 6

    def begin(self, random):
        start = np.array([*random.uniform(-8e-3, 8e-3, 2), random.uniform(0.012, 0.018), random.uniform(-0.15, 0.15)])
        doubt = np.clip(random.normal(0, DOUBT, 2), -2.5 * DOUBT, 2.5 * DOUBT)
        return [*start, 0, 0], np.zeros(6), self._lifted(start), [*start, *doubt]

    def control(self, action, qpos, memory):
        stage = qpos[:, :4]
        memory[:, :4] = np.clip(memory[:, :4] + STRIDE * action, stage - LEASH, stage + LEASH)
        return self._lifted(memory[:, :4])

    def observe(self, qpos, qvel, memory):
        x, y, z = self._tip(qpos)
        return columns(
            (x - memory[:, 4]) / 0.01,
            (y - memory[:, 5]) / 0.01,
            z / 0.01,
            qpos[:, 3:] / 0.1,
            (memory[:, :4] - qpos[:, :4]) / LEASH,
            qvel[:, :3] / 0.1,
            qvel[:, 3:],
            np.maximum(-z, 0) / DEPTH,
        )

    def judge(self, before, qpos, qvel, action, memory):
        done = self._tip(qpos)[2] < -0.03
        reward = 100 * (self._progress(qpos) - self._progress(before)) + 5.0 * done - 2e-3 * squares(*action.T)
        return reward, done, done

    def describe(self, qpos, memory):
        x, y, z = self._tip(qpos[None])
        return f"tip {1000 * x[0]:+.1f}, {1000 * y[0]:+.1f}, {1000 * z[0]:+.1f} mm from the hole, yaw {math.degrees(qpos[3]):+.1f}°"

    def _lifted(self, targets):
        """Targets with the height that carries the hanging mass."""
        lifted = np.array(targets)
        lifted[..., 2] += HANGING * 9.81 / STIFFNESS
        return lifted

    @staticmethod
    def _tip(qpos):
        """The tip's place, m; tilts are small, and enter to first order."""
        x, y, z, _, tilt_x, tilt_y = qpos.T
        return x - LENGTH * tilt_y, y + LENGTH * tilt_x, z

    def _progress(self, qpos):
        """How far the peg has come, m: depth counts where the peg is over the hole, nearness elsewhere too."""
        x, y, z = self._tip(qpos)
        aside = length(x, y)
        turned = 0.02 * np.abs(qpos[:, 3])
        depth = np.maximum(-z, 0)
        return 2 * depth - np.maximum(z, 0) - 2 * aside - turned
