"""Derivatives of free motion next to those that MuJoCo finds by differences, in the same coordinates."""

import mujoco
import numpy as np
import stiction as st

SCENE = """
<mujoco>
  <option timestep="1e-3"/>
  <worldbody>
    <body pos="0 0 1"><freejoint/>
      <geom type="box" size="0.1 0.05 0.03" mass="1" contype="0" conaffinity="0"/>
      <body pos="0.1 0 0"><joint type="ball"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0.2 0 0.1" mass="0.5" contype="0" conaffinity="0"/>
        <body pos="0.2 0 0.1"><joint name="elbow" type="hinge" axis="0 1 0" armature="0.01"/>
          <geom type="capsule" size="0.02" fromto="0 0 0 0.2 0 0" mass="0.3" contype="0" conaffinity="0"/>
        </body></body></body>
  </worldbody>
  <actuator><motor joint="elbow" gear="3"/></actuator>
</mujoco>
"""


def test_free_motion_has_the_derivatives_of_mujoco():
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    random = np.random.default_rng(3)
    data.qpos[3:7] = random.normal(size=4)
    data.qpos[7:11] = random.normal(size=4)
    data.qpos[11] = 0.4
    mujoco.mj_normalizeQuat(model, data.qpos)
    data.qvel[:] = random.normal(size=model.nv)
    data.ctrl[:] = 0.7
    sim = st.Simulation(st.Model.from_string(SCENE, format="mjcf"), step=1e-3)
    sim.qpos[:], sim.qvel[:], sim.ctrl[:] = data.qpos, data.qvel, data.ctrl
    n = 2 * model.nv
    theirs, controls = np.zeros((n, n)), np.zeros((n, model.nu))
    mujoco.mj_forward(model, data)
    mujoco.mjd_transitionFD(model, data, 1e-6, True, theirs, controls, None, None)
    ours = sim.step_derivatives()
    # Their differences are good for 1e-7 or so, and quaternions turn by 2 atan(ω δt/2) here, by ω δt there.
    np.testing.assert_allclose(ours.state, theirs, atol=2e-6)
    np.testing.assert_allclose(ours.ctrl, controls, atol=2e-6)
