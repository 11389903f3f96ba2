"""Continuous time from Python."""

import pickle

import numpy as np
import pytest
import stiction as st

BOX = """<mujoco><worldbody><geom type="plane" size="9 9 1" friction="0.5 0 0"/>
<body pos="0 0 0.0499"><freejoint/><geom type="box" size="0.1 0.08 0.05" mass="1" friction="0.5 0 0">
<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value="1e6"/>
<drake:hunt_crossley_dissipation value="20"/></drake:proximity_properties></geom></body></worldbody></mujoco>"""


@pytest.fixture
def model():
    return st.Model.from_string(BOX, format="mjcf")


def test_a_box_slides_to_rest_and_its_energy_is_accounted_for(model):
    sim = st.Simulation(model, method="continuous", accuracy=1e-7, tangential_springs=True)
    sim.qvel[0] = 1.0
    while sim.time < 0.6:
        sim.step(1)
    assert abs(sim.qpos[0] - 1 / (2 * 0.5 * 9.81)) < 2e-3
    assert np.abs(sim.qvel).max() < 1e-3
    assert abs(sim.stats["dissipated"] - 0.5) < 2e-2
    assert sim.patches[0].force[2] == pytest.approx(9.81, rel=1e-3)


def test_options_travel(model):
    springs = {"stretch": 2e-4, "relaxation_time": 1e-2}
    sim = st.Simulation(model, method="continuous", accuracy=1e-5, tangential_springs=springs, adhesion=10.0)
    sim.qvel[0] = 0.2
    sim.step(20)
    twin = pickle.loads(pickle.dumps(sim))
    assert twin.options == sim.options
    assert twin.options["method"] == "continuous" and twin.options["tangential_springs"] == springs
    sim.step(20)
    twin.step(20)
    np.testing.assert_array_equal(sim.qpos, twin.qpos)


def test_what_it_does_not_do_is_said(model):
    with pytest.raises(ValueError, match="convex or continuous"):
        st.Simulation(model, method="magic")
    with pytest.raises(ValueError, match="radau"):
        st.Simulation(model, method="continuous", integrator="euler")
    with pytest.raises(ValueError, match="adhesion = 10 has no effect on convex steps"):
        st.Simulation(model, adhesion=10.0)
    with pytest.raises(ValueError, match="stretch"):
        st.Simulation(model, method="continuous", tangential_springs={"stiffness_ratio": 1.0})


def test_everything_comes_to_rest_and_the_load_is_carried(model):
    sim = st.Simulation(model, method="continuous", accuracy=1e-6, tangential_springs=True)
    sim.qvel[0] = 0.3
    assert sim.settle(speed=1e-4, time=5.0)
    assert not sim.qvel.any() and np.abs(sim.qacc).max() < 1e-2, "a thousandth of gravity"
    assert sim.contact_energy > 0.0
    assert sim.patches[0].force[2] == pytest.approx(9.81, rel=1e-3)
    sim.qvel[0] = 1.0
    assert not sim.settle(speed=1e-4, time=0.01), "it still slides"
    for wrong in [{"speed": 0.0}, {"time": -1.0}, {"speed": np.nan}]:
        with pytest.raises(ValueError, match="give a positive number"):
            sim.settle(**wrong)


def test_states_within_the_last_step_are_to_be_had(model):
    sim = st.Simulation(model, method="continuous", accuracy=1e-6)
    sim.qvel[0] = 0.5
    sim.step(5)
    begin, q0 = sim.time, sim.qpos.copy()
    sim.step()
    q, v = sim.interpolate(sim.time)
    np.testing.assert_allclose(q, sim.qpos, atol=1e-12)
    np.testing.assert_allclose(v, sim.qvel, atol=1e-9)
    np.testing.assert_allclose(sim.interpolate(begin)[0], q0, atol=1e-12)
    middle, _ = sim.interpolate(0.5 * (begin + sim.time))
    assert q0[0] < middle[0] < sim.qpos[0]
    with pytest.raises(ValueError, match="not within the last step"):
        sim.interpolate(begin - 1.0)
    convex = st.Simulation(model)
    convex.step()
    with pytest.raises(ValueError, match='method="continuous"'):
        convex.interpolate(convex.time)
    with pytest.raises(ValueError, match="or read qacc"), pytest.warns(DeprecationWarning, match="qacc"):
        convex.accelerations
