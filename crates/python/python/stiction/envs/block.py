"""A block to be pushed to a place."""

import math

import numpy as np

from .task import Task, columns, heading, length, squares

#: Half the side of the block, the pusher's radius, and half the table's free area, m.
SIDE, TIP, AREA = 0.05, 0.015, 0.35
#: How far the pusher's target moves with one action, m, and how far it may be ahead of the pusher, m.
STRIDE, LEASH = 0.01, 0.03
#: Distance from the goal that counts as there, m.
THERE = 0.015


class BlockPushing(Task):
    """A block of 400 g on a table, friction 0.4, and a round finger that moves in the plane: push the block to the goal.

    Action: where the finger's target goes next, up to 1 cm in x and y; a servo pulls the finger after it with up to 18 N.
    Observation (16): finger position and velocity (2 + 2), how far the target is ahead, which is the force on the finger
    (2), block from finger (2), block's heading as cosine and sine (2), its velocity and turning rate (3), goal from block
    (2) and its distance. Reward: what was gained on the way to the goal, ten for each metre, and a tenth of that for
    coming nearer to the block; 5 for arriving, which ends it; −1 for pushing it off the area, which ends it too.
    """

    scene = f"""<mujoco model="block_pushing">
      <option timestep="0.005"/>
      <worldbody>
        <geom name="table" type="plane" size="0.6 0.6 0.1" friction="0.4" rgba="0.6 0.5 0.4 1"/>
        <body name="finger" pos="0 0 0.03">
          <joint name="x" type="slide" axis="1 0 0"/>
          <joint name="y" type="slide" axis="0 1 0"/>
          <geom name="finger" type="sphere" size="{TIP}" mass="0.3" friction="0.3" rgba="0.25 0.3 0.35 1"/>
        </body>
        <body name="block" pos="0.1 0 0.03">
          <freejoint name="block"/>
          <geom name="block" type="box" size="{SIDE} {SIDE} 0.03" mass="0.4" friction="0.4" rgba="0.86 0.37 0.23 1"/>
        </body>
      </worldbody>
      <actuator>
        <position name="x" joint="x" kp="600" kv="25" forcerange="-18 18"/>
        <position name="y" joint="y" kp="600" kv="25" forcerange="-18 18"/>
      </actuator>
    </mujoco>"""
    options = {"step": 5e-3, "contact": "lagged"}
    substeps = 4
    episode = 250
    actions, observations = 2, 16
    #: Target of the finger, goal.
    memories = 4

    def begin(self, random):
        block, goal = random.uniform(-0.2, 0.2, 2), random.uniform(-0.25, 0.25, 2)
        while math.dist(block, goal) < 0.08:
            goal = random.uniform(-0.25, 0.25, 2)
        finger = random.uniform(-0.3, 0.3, 2)
        while math.dist(block, finger) < 1.5 * SIDE + TIP:
            finger = random.uniform(-0.3, 0.3, 2)
        half = random.uniform(-math.pi, math.pi) / 2
        qpos = [*finger, *block, 0.03, math.cos(half), 0, 0, math.sin(half)]
        return qpos, np.zeros(8), finger, [*finger, *goal]

    def control(self, action, qpos, memory):
        finger = qpos[:, :2]
        target = np.clip(memory[:, :2] + STRIDE * action, -AREA, AREA)
        memory[:, :2] = np.clip(target, finger - LEASH, finger + LEASH)
        return memory[:, :2]

    def observe(self, qpos, qvel, memory):
        finger, block, goal = qpos[:, :2], qpos[:, 2:4], memory[:, 2:]
        to_goal = goal - block
        return columns(
            finger / AREA,
            qvel[:, :2],
            (memory[:, :2] - finger) / LEASH,
            (block - finger) / 0.1,
            *heading(qpos[:, 5:9]),
            qvel[:, 2:4],
            qvel[:, 7] / 5,
            to_goal / 0.1,
            length(*to_goal.T) / 0.1,
        )

    def judge(self, before, qpos, qvel, action, memory):
        goal = memory[:, 2:]
        distance = length(*(goal - qpos[:, 2:4]).T)
        gained = length(*(goal - before[:, 2:4]).T) - distance
        reached = length(*(before[:, 2:4] - before[:, :2]).T) - length(*(qpos[:, 2:4] - qpos[:, :2]).T)
        arrived = distance < THERE
        lost = (np.abs(qpos[:, 2]) > AREA) | (np.abs(qpos[:, 3]) > AREA)
        reward = 10 * gained + reached + 5.0 * arrived - 1.0 * lost - 1e-3 * squares(*action.T)
        return reward, arrived | lost, arrived

    def describe(self, qpos, memory):
        place = ", ".join(f"{value:+.3f}" for value in qpos[2:4])
        return f"block at ({place}) m, {math.dist(qpos[2:4], memory[2:]) * 100:.1f} cm from the goal"
