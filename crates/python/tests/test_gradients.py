"""Derivatives of steps, and the examples that use them."""

import importlib.util
import pickle
from pathlib import Path

import numpy as np
import pytest
import stiction as st

EXAMPLES = Path(__file__).parents[3] / "examples" / "python"

BALL = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" friction="0.4 0 0"/>
    <body pos="0 0 0.099"><freejoint/>
      <geom name="ball" type="sphere" size="0.1" mass="1" friction="{friction} 0 0">
        <drake:proximity_properties><drake:point_contact_stiffness value="2e4"/></drake:proximity_properties>
      </geom></body>
  </worldbody>
</mujoco>
"""


def sliding_ball(friction=0.7, friction_passes=0):
    model = st.Model.from_string(BALL.format(friction=friction), format="mjcf")
    # The step that is differentiated has no springs and no repeated solves.
    sim = st.Simulation(model, step=1e-3, relative_tolerance=1e-12, friction_passes=friction_passes, tangential_springs=False)
    sim.qvel[:] = 0.5, -0.2, -0.1, 1.0, 2.0, 0.3
    return sim


def velocities_after(change):
    sim = sliding_ball()
    change(sim)
    sim.step()
    return sim.qvel.copy()


def test_derivatives_are_those_of_differences_of_steps():
    sim = sliding_ball()
    d = sim.step_derivatives([("ball", "friction"), (0, "dissipation")])
    assert d.state.shape == (12, 12) and d.ctrl.shape == (12, 0) and d.parameters.shape == (12, 2)
    assert d.doubtful == []
    assert sliding_ball(friction_passes=2).step_derivatives().doubtful == [(0, 1)]
    h = 1e-6
    for j in range(6):

        def faster(sim, by):
            sim.qvel[j] += by

        slope = (velocities_after(lambda s: faster(s, h)) - velocities_after(lambda s: faster(s, -h))) / (2 * h)
        np.testing.assert_allclose(d.state[6:, 6 + j], slope, atol=1e-6)

    def higher(sim, by):
        sim.qpos[2] += by

    slope = (velocities_after(lambda s: higher(s, h)) - velocities_after(lambda s: higher(s, -h))) / (2 * h)
    np.testing.assert_allclose(d.state[6:, 2], slope, rtol=1e-5, atol=1e-5)
    rough, smooth = sliding_ball(0.7 + h), sliding_ball(0.7 - h)
    rough.step()
    smooth.step()
    np.testing.assert_allclose(d.parameters[6:, 0], (rough.qvel - smooth.qvel) / (2 * h), atol=1e-6)


def test_differentiating_changes_nothing_and_tells_what_the_step_will_do():
    sim, other = sliding_ball(), sliding_ball()
    sim.step()
    other.step()
    before = sim.contacts.copy()
    d = sim.step_derivatives()
    assert np.array_equal(sim.contacts, before)
    assert pickle.loads(pickle.dumps(d)).state.shape == d.state.shape
    sim.step()
    other.step()
    assert np.array_equal(sim.qvel, other.qvel) and np.array_equal(sim.qpos, other.qpos)
    np.testing.assert_allclose(d.qvel, sim.qvel, atol=1e-9)


def test_what_is_wrong_is_said_with_a_remedy():
    sim = sliding_ball()
    with pytest.raises(ValueError, match="ball"):
        sim.step_derivatives([("bal", "friction")])
    with pytest.raises(ValueError, match="stiffness"):
        sim.step_derivatives([("ball", "stifness")])
    with pytest.raises(TypeError, match="pair of a geom"):
        sim.step_derivatives(["friction"])
    with pytest.raises(ValueError, match="give a step instead of an accuracy"):
        st.Simulation(sim.model, accuracy=1e-3).step_derivatives()
    with pytest.raises(ValueError, match="since the length of such steps jumps with the state"):
        st.Simulation(sim.model, accuracy=1e-3).step_derivatives()


def test_tangential_springs_carry_friction_in_the_derivatives_too():
    def after(by):
        sim = st.Simulation(sliding_ball().model, step=1e-3, relative_tolerance=1e-12, tangential_springs=True)
        sim.qvel[:] = 1e-3, -5e-4, -0.01, 0.0, 0.0, 0.0
        sim.step(3)  # the spring is stretched, and sticks
        sim.qvel[0] += by
        d = sim.step_derivatives()
        sim.step()
        return d.state[6:, 6], sim.qvel.copy()

    exact, _ = after(0.0)
    (_, plus), (_, minus) = after(1e-7), after(-1e-7)
    np.testing.assert_allclose(exact, (plus - minus) / 2e-7, rtol=1e-5, atol=1e-6)
    assert exact[0] < 0.999, "the spring pulls back"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the tests run without the repository around them")
def test_friction_and_stiffness_are_found_from_a_trajectory():
    module = example("identify_contact")
    found, deviation, history = module.main([])
    assert np.all(np.abs(found - module.TRUTH) < 4 * deviation)
    assert np.all(deviation < 0.01 * module.TRUTH)
    assert history[0][1] > 100 * history[-1][1]


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the tests run without the repository around them")
def test_a_throw_is_improved_until_the_ball_bounces_into_the_bin():
    module = example("bounce_into_bin")
    throw, history = module.main([])
    model = st.Model.from_string(module.SCENE, format="mjcf")
    path = module.fly(model, throw)
    assert path[:, 2].min() < 0.041, "it bounces"
    assert not module.lands_in_bin(model, module.START)[0]
    assert module.lands_in_bin(model, throw)[0]
    assert np.all(np.diff([value for _, value in history]) < 0)
