"""The step of a file is the default; an argument comes before it, and a file without one has a millisecond."""

import numpy as np
import pytest
import stiction as st

BALL = "<worldbody><body><freejoint/><geom size='.1'/></body></worldbody>"


def model(timestep):
    return st.Model.from_string(f"<mujoco><option timestep='{timestep}'/>{BALL}</mujoco>")


def test_the_step_of_the_file_is_used():
    slow = model(0.005)
    assert slow.step == 0.005
    sim, batch = st.Simulation(slow), st.Batch(slow, 2)
    sim.step(100)
    batch.step(100)
    assert sim.options["step"] == batch.options["step"] == 0.005
    assert sim.time == pytest.approx(0.5) and batch.time == pytest.approx(0.5)
    state = np.r_[slow.default_qpos, np.zeros(6)][None]
    assert np.array_equal(st.rollout(slow, state, steps=100)[0, -1], np.r_[sim.qpos, sim.qvel])
    assert "0.005 s (the model's)" in repr(sim)


def test_an_argument_comes_before_the_file():
    sim = st.Simulation(model(0.005), step=0.002)
    assert sim.options["step"] == 0.002 and "the model's" not in repr(sim)
    assert st.Simulation(model(0.005), 0.004).options["step"] == 0.004


def test_a_file_of_a_format_without_a_step_has_a_millisecond():
    urdf = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>"
    bare = st.Model.from_string(urdf, "urdf")
    assert bare.step is None and st.Simulation(bare).options["step"] == 1e-3
