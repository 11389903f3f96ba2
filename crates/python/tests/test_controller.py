"""Python functions as controllers."""

import copy
import gc
import pickle
import weakref

import models
import numpy as np
import pytest
import stiction as st


def test_a_controller_is_called_at_its_own_rate():
    for period, expected in [(0.0, 0.001 * np.arange(20)), (0.005, [0, 0.005, 0.01, 0.015])]:
        sim, times = st.Simulation(models.pendulum()), []
        sim.set_controller(lambda t, q, v: times.append(t) or [0.0], period=period)
        sim.step(20)
        assert times == pytest.approx(list(expected), abs=1e-12)


def test_it_reads_the_state_and_its_answer_is_held():
    sim, seen = st.Simulation(models.pendulum()), []

    def controller(t, q, v):
        assert np.array_equal(q, sim.qpos) and np.array_equal(v, sim.qvel)
        seen.append(q)
        return np.array([10.0 * (len(seen) % 2)])

    sim.set_controller(controller, period=0.01)
    sim.step(10)
    assert sim.ctrl[0] == 10.0 and len(seen) == 1
    speed = sim.qvel[0]
    sim.step(10)
    assert sim.ctrl[0] == 0.0 and len(seen) == 2
    assert speed == pytest.approx(0.01 * 10.0 / (2 * 0.7**2), rel=1e-2)
    # What it was given are copies: kept, they show the past.
    assert seen[0][0] == 0.0 and seen[1][0] > 0.0
    sim.set_controller(None)
    sim.ctrl[0] = 5.0
    sim.step(20)
    assert sim.ctrl[0] == 5.0 and len(seen) == 2


def test_it_may_write_to_ctrl_and_return_nothing_or_ctrl_itself():
    for answer in [lambda sim: None, lambda sim: sim.ctrl]:
        sim = st.Simulation(models.pendulum())

        def controller(t, q, v):
            sim.ctrl[:] = 4.0
            return answer(sim)

        sim.set_controller(controller)
        sim.step()
        assert sim.ctrl[0] == 4.0 and sim.qvel[0] == pytest.approx(4e-3 / (2 * 0.7**2), rel=1e-4)


def test_a_pd_controller_brings_the_pendulum_to_its_target():
    sim = st.Simulation(models.pendulum())
    gravity = 2 * models.GRAVITY * 0.7
    sim.set_controller(lambda t, q, v: 50 * (1.0 - q) - 10 * v + gravity * np.sin(q))
    sim.step(3000)
    assert sim.qpos[0] == pytest.approx(1.0, abs=1e-4)


def test_what_it_raises_leaves_step_as_it_was():
    sim = st.Simulation(models.pendulum())

    class Tired(Exception):
        pass

    tired = Tired("of swinging")

    def controller(t, q, v):
        if t > 0.0095:
            raise tired
        return [0.0]

    sim.set_controller(controller)
    with pytest.raises(Tired) as caught:
        sim.step(100)
    assert caught.value is tired and caught.traceback[-1].name == "controller"
    assert sim.time == pytest.approx(0.01) and sim.stats["steps"] == 10
    sim.set_controller(None)
    sim.step()


def test_wrong_answers_are_value_errors():
    sim = st.Simulation(models.pendulum())
    for answer, message in [([1.0, 2.0], "2 numbers, this model needs 1"), ([np.nan], "NaN")]:
        sim.set_controller(lambda t, q, v: answer)
        with pytest.raises(ValueError, match=message):
            sim.step()
    with pytest.raises(TypeError, match="function"):
        sim.set_controller(3.0)
    with pytest.raises(ValueError, match="period"):
        sim.set_controller(lambda t, q, v: [0.0], period=-1.0)


def test_the_simulation_says_that_it_is_busy_while_it_calls():
    sim, messages = st.Simulation(models.pendulum()), []

    def controller(t, q, v):
        with pytest.raises(RuntimeError) as caught:
            sim.step()
        messages.append(str(caught.value))
        return [0.0]

    sim.set_controller(controller)
    sim.step()
    assert "in the middle of a step" in messages[0]


def damped(t, q, v):
    return -3.0 * v


def test_a_controlled_simulation_pickles_between_two_samples():
    sim = st.Simulation(models.pendulum())
    sim.qpos[0] = 1.0
    sim.set_controller(damped, period=0.007)
    sim.step(10)
    for other in [pickle.loads(pickle.dumps(sim)), copy.deepcopy(sim)]:
        original = copy.copy(sim)
        original.step(100)
        other.step(100)
        assert np.array_equal(original.qpos, other.qpos) and np.array_equal(original.ctrl, other.ctrl)


def test_going_back_in_time_samples_again():
    sim, times = st.Simulation(models.pendulum()), []
    sim.set_controller(lambda t, q, v: times.append(t) or [0.0], period=0.01)
    sim.step(30)
    sim.time = 0.0
    sim.step(11)
    assert times == pytest.approx([0, 0.01, 0.02, 0, 0.01], abs=1e-9)
    sim.reset()
    sim.step(1)
    assert len(times) == 6


def test_a_controller_that_knows_its_simulation_is_collected_with_it():
    class Controller:
        def __init__(self, sim):
            self.sim = sim

        def __call__(self, t, q, v):
            return [0.0]

    controller = Controller(st.Simulation(models.pendulum()))
    controller.sim.set_controller(controller)
    controller.sim.step()
    gone = weakref.ref(controller)
    del controller
    gc.collect()
    assert gone() is None
