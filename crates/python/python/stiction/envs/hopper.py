"""A hopper: one leg, in a plane, that is to run forward."""

import numpy as np

from .task import Task, columns, squares

#: Lengths of thigh and shin, m.
THIGH, SHIN = 0.4, 0.45
#: Hip, knee and ankle at rest, rad: a slight crouch with the foot flat.
REST = np.array([-0.5, 1.0, -0.5])
#: How far the servos' targets go from there, rad.
REACH = np.array([0.9, 0.9, 0.7])


class Hopper(Task):
    """A one-legged hopper in the vertical plane: torso, thigh, shin and foot, 12 kg, on ground of friction 0.9.

    Action: targets of the servos at hip, knee and ankle, about a crouch. Observation (11): height, pitch, three joint
    angles, and the velocities of all six coordinates, in m, rad, m/s and rad/s. Reward, per second: forward speed up to
    2 m/s, 1 for not having fallen, less 0.1 times the squared action. It ends when the torso is low or tipped over.
    """

    scene = f"""<mujoco model="hopper">
      <option timestep="0.004"/>
      <default>
        <geom friction="0.9" rgba="0.35 0.45 0.6 1"/>
        <joint damping="0.5" armature="0.05"/>
        <position kp="180" kv="6"/>
      </default>
      <worldbody>
        <geom name="ground" type="plane" size="0 0 1" rgba="0.8 0.8 0.8 1"/>
        <body name="torso">
          <joint name="x" type="slide" axis="1 0 0" damping="0" armature="0"/>
          <joint name="z" type="slide" axis="0 0 1" damping="0" armature="0"/>
          <joint name="pitch" type="hinge" axis="0 1 0" damping="0" armature="0"/>
          <geom name="torso" type="capsule" fromto="0 0 0 0 0 0.4" size="0.05"/>
          <body name="thigh">
            <joint name="hip" axis="0 1 0" range="-100 45"/>
            <geom name="thigh" type="capsule" fromto="0 0 0 0 0 -{THIGH}" size="0.045"/>
            <body name="shin" pos="0 0 -{THIGH}">
              <joint name="knee" axis="0 1 0" range="3 140"/>
              <geom name="shin" type="capsule" fromto="0 0 0 0 0 -{SHIN}" size="0.035"/>
              <body name="foot" pos="0 0 -{SHIN}">
                <joint name="ankle" axis="0 1 0" range="-60 50"/>
                <geom name="foot" type="capsule" fromto="-0.08 0 -0.02 0.17 0 -0.02" size="0.04" rgba="0.86 0.37 0.23 1"/>
              </body>
            </body>
          </body>
        </body>
      </worldbody>
      <contact>
        <exclude body1="torso" body2="shin"/><exclude body1="torso" body2="foot"/><exclude body1="thigh" body2="foot"/>
      </contact>
      <actuator>
        <position name="hip" joint="hip" forcerange="-120 120"/>
        <position name="knee" joint="knee" forcerange="-160 160"/>
        <position name="ankle" joint="ankle" forcerange="-80 80"/>
      </actuator>
    </mujoco>"""
    options = {"step": 4e-3, "contact": "lagged"}
    substeps = 5
    episode = 500
    actions, observations, memories = 3, 11, 0

    #: Height of the hip at rest with the foot on the ground, m.
    height = float(THIGH * np.cos(REST[0]) + SHIN * np.cos(REST[0] + REST[1]) + 0.06)

    def begin(self, random):
        qpos = np.array([0.0, self.height + 0.005, 0.0, *REST])
        qpos[2:] += random.uniform(-0.05, 0.05, 4)
        return qpos, random.uniform(-0.05, 0.05, 6), REST, []

    def control(self, action, qpos, memory):
        return REST + REACH * action

    def observe(self, qpos, qvel, memory):
        return columns(qpos[:, 1:], np.clip(qvel, -10, 10))

    def judge(self, before, qpos, qvel, action, memory):
        speed = (qpos[:, 0] - before[:, 0]) / self.period
        effort = squares(*action.T)
        fallen = (qpos[:, 1] < 0.45) | (np.abs(qpos[:, 2]) > 0.7)
        reward = self.period * (np.minimum(speed, 2.0) + ~fallen - 0.1 * effort)
        return reward, fallen, np.zeros_like(fallen)

    def describe(self, qpos, memory):
        return f"x {qpos[0]:6.2f} m, height {qpos[1]:.2f} m, pitch {qpos[2]:+.2f} rad"
