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


def everything(sim):
    """The state, what controllers remember and when they are due included."""
    return sim.save_state(), sim.time, sim.qpos.copy(), sim.qvel.copy(), sim.ctrl.copy()


def same(one, other):
    return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in zip(one, other, strict=True))


def counts(t, q, v, measured):
    measured.memory = [*measured.memory, t]
    return [float(len(measured.memory))]


@pytest.mark.parametrize(
    "answer, kind, message",
    [
        (lambda: 1 / 0, ZeroDivisionError, "division by zero"),
        (lambda: [1.0, 2.0], ValueError, "it returned has 2 numbers, this model needs 1 .return 1 controls, or None"),
        (lambda: [[1.0]], ValueError, r"shape \(1, 1\): give a vector"),
        (lambda: 1.0, ValueError, r"shape \(\): give a vector"),
        (lambda: [np.nan], ValueError, r"it returned\[0\] is NaN: give finite numbers"),
        (lambda: [np.inf], ValueError, r"it returned\[0\] is inf: give finite numbers"),
        (lambda: "fast", ValueError, "cannot be read as numbers"),
        (lambda: [object()], ValueError, "cannot be read as numbers"),
    ],
)
def test_a_controller_that_fails_is_named_and_leaves_the_state_before_the_step(answer, kind, message):
    sim = st.Simulation(models.pendulum())

    def fails(t, q, v):
        return answer() if t > 0.0045 else None

    sim.add_controller(counts, sensing=True)
    failing = sim.add_controller(fails)
    sim.step(5)
    before = everything(sim)
    with pytest.raises(kind, match=message) as caught:
        sim.step(10)
    # Ours say it in their text; what the function raised has a note.
    text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    assert "controller 1 (fails)" in text and "t = 0.005 s" in text and "before th" in text
    assert same(before, everything(sim)), "what the first controller did in that step is undone too"
    sim.remove_controller(failing)
    sim.step(5)
    assert sim.ctrl[0] == 10.0


def test_controls_written_in_place_that_are_not_finite_are_refused_as_well():
    sim = st.Simulation(models.pendulum())

    def writes(t, q, v):
        sim.ctrl[:] = np.nan

    sim.set_controller(writes)
    before = everything(sim)
    with pytest.raises(ValueError, match=r"controller 0 \(writes\) failed at t = 0 s: it set ctrl\[0\] to NaN"):
        sim.step()
    assert same(before, everything(sim))


def test_wrong_controllers_are_refused_and_the_old_one_stays():
    sim = st.Simulation(models.pendulum())
    sim.set_controller(damped)
    skin = st.TactileGrid("nobody", [0.1, 0.1], 2, 2)
    for wrong, kind, message in [
        (lambda: sim.set_controller(3.0), TypeError, "a float: give a function"),
        (lambda: sim.set_controller(damped, period=-1.0), ValueError, "period = -1"),
        (lambda: sim.set_controller(damped, period=np.nan), ValueError, "period = NaN"),
        (lambda: sim.add_controller(damped, wrenches="bob"), TypeError, "wrenches = bob: give a list"),
        (lambda: sim.add_controller(damped, wrenches=["bop"]), ValueError, 'did you mean "bob"'),
        (lambda: sim.add_controller(damped, skins=["bob"]), TypeError, "give a list of these"),
        (lambda: sim.add_controller(damped, skins=[skin]), ValueError, 'no body called "nobody"'),
        (lambda: sim.remove_controller(1), ValueError, "there is no controller 1: they go from 0 to 0"),
    ]:
        with pytest.raises(kind, match=message):
            wrong()
    assert sim.controllers == [damped]


def test_several_controllers_are_called_in_order_each_at_its_own_rate():
    sim, calls = st.Simulation(models.pendulum()), []

    def slow(t, q, v):
        calls.append(("slow", t))
        return [1.0]

    def fast(t, q, v):
        calls.append(("fast", t))
        return sim.ctrl + 0.5

    first, second = sim.add_controller(slow, period=0.004), sim.add_controller(fast, period=0.002)
    assert (first, second) == (0, 1)
    sim.step()
    assert [name for name, _ in calls] == ["slow", "fast"] and sim.ctrl[0] == 1.5
    sim.step(7)
    assert [t for name, t in calls if name == "slow"] == pytest.approx([0, 0.004])
    assert [t for name, t in calls if name == "fast"] == pytest.approx([0, 0.002, 0.004, 0.006])
    assert sim.controllers == [slow, fast]
    sim.remove_controller(first)
    assert sim.controllers == [fast] and second == 0 and second.controller is fast and not first.attached
    calls.clear()
    sim.step(4)
    assert {name for name, _ in calls} == {"fast"}


def follows(t, q, v, measured):
    leader = measured.memory_of(0)
    measured.memory = np.concatenate([measured.memory, leader[-1:]])
    return None


def test_what_controllers_remember_is_saved_and_read_by_others():
    sim = st.Simulation(models.pendulum())
    sim.add_controller(counts, period=0.003, sensing=True)
    sim.add_controller(follows, sensing=True)
    sim.step(10)
    twin = pickle.loads(pickle.dumps(sim))
    assert twin.controllers == [counts, follows]
    for one in (sim, twin):
        one.step(10)
    assert same(everything(sim), everything(twin))
    assert sim.ctrl[0] == 7.0
    sim.set_controller(lambda t, q, v, measured: measured.memory_of(1) and None, sensing=True)
    with pytest.raises(IndexError, match="no controller 1: they go from 0 to 0"):
        sim.step()


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
