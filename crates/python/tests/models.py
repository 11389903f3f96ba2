"""Small models with closed forms."""

import numpy as np
import stiction as st

GRAVITY = 9.81

#: A point mass of 2 kg on a massless rod of 0.7 m, hinged about y, hanging down at q = 0.
PENDULUM = """<mujoco model="pendulum">
  <option timestep="0.001"/>
  <worldbody>
    <body name="bob" pos="0 0 1">
      <joint name="pivot" type="hinge" axis="0 1 0"/>
      <inertial pos="0 0 -0.7" mass="2" diaginertia="1e-9 1e-9 1e-9"/>
    </body>
  </worldbody>
  <actuator><motor name="drive" joint="pivot"/></actuator>
  <keyframe><key name="side" time="0.5" qpos="1.5" qvel="-0.25" ctrl="3"/></keyframe>
</mujoco>"""

#: Two point masses on massless rods, hinged about y: m1, l1 and m2, l2.
M1, L1, M2, L2 = 1.5, 0.6, 0.8, 0.4
DOUBLE_PENDULUM = f"""<mujoco model="double">
  <option timestep="0.001"/>
  <worldbody>
    <body name="upper">
      <joint name="shoulder" type="hinge" axis="0 1 0"/>
      <inertial pos="0 0 -{L1}" mass="{M1}" diaginertia="1e-9 1e-9 1e-9"/>
      <body name="lower" pos="0 0 -{L1}">
        <joint name="elbow" type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 -{L2}" mass="{M2}" diaginertia="1e-9 1e-9 1e-9"/>
      </body>
    </body>
  </worldbody>
</mujoco>"""

#: A ball of 3 kg that starts just in touch with the ground.
BALL = """<mujoco model="ball">
  <option timestep="0.001"/>
  <worldbody>
    <geom name="ground" type="plane" size="0 0 1"/>
    <body name="ball" pos="0.1 -0.2 0.1">
      <freejoint name="free"/>
      <geom name="sphere" type="sphere" size="0.1" mass="3"/>
    </body>
  </worldbody>
</mujoco>"""

#: A tree with a free base, hinges, a slide and a ball joint.
TREE = """<mujoco model="tree">
  <option timestep="0.001"/>
  <worldbody>
    <body name="base" pos="0 0 1">
      <freejoint name="root"/>
      <geom type="box" size="0.2 0.1 0.05" density="500"/>
      <body name="arm" pos="0.2 0 0">
        <joint name="yaw" type="hinge" axis="0 0 1" armature="0.02"/>
        <joint name="pitch" type="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
        <body name="hand" pos="0.3 0 0">
          <joint name="wrist" type="ball"/>
          <geom type="box" size="0.05 0.02 0.03"/>
        </body>
      </body>
      <body name="mast" pos="-0.2 0 0">
        <joint name="lift" type="slide" axis="0 0 1"/>
        <geom type="cylinder" size="0.03 0.2"/>
      </body>
    </body>
  </worldbody>
</mujoco>"""


def pendulum():
    return st.Model.from_string(PENDULUM)


def double_pendulum():
    return st.Model.from_string(DOUBLE_PENDULUM)


def ball():
    return st.Model.from_string(BALL)


def tree():
    return st.Model.from_string(TREE)


def random_state(model, random):
    """Positions with unit quaternions, and velocities."""
    q = model.default_qpos + 0.4 * random.normal(size=model.nq)
    for joint in model.joint_names:
        part = q[model.qpos_slice(joint)]  # a view
        if len(part) in (4, 7):
            part[-4:] /= np.linalg.norm(part[-4:])
    return q, random.normal(size=model.nv)
