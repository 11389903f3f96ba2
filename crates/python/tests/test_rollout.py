"""Rollouts: the same numbers as stepping by hand, on any number of threads."""

import os
import signal
import threading

import models
import numpy as np
import pytest
import stiction as st


def serial(model, states, controls, steps, **options):
    out = np.empty((len(states), steps, model.nq + model.nv))
    for i, state in enumerate(states):
        sim = st.Simulation(model, **options)
        sim.qpos, sim.qvel = state[: model.nq], state[model.nq :]
        for t in range(steps):
            if controls is not None:
                sim.ctrl = controls[i, t]
            sim.step()
            out[i, t] = np.concatenate([sim.qpos, sim.qvel])
    return out


def test_controlled_rollouts_are_serial_steps_bit_for_bit():
    model, random = models.pendulum(), np.random.default_rng(0)
    states, controls = random.normal(size=(7, 2)), random.normal(size=(7, 30, 1))
    expected = serial(model, states, controls, 30)
    for threads in [1, 2, 5, 20]:
        assert np.array_equal(st.rollout(model, states, controls, threads=threads), expected)


def test_rollouts_with_contact_are_the_same_on_any_number_of_threads():
    model, random = st.Model.from_scene("clutter"), np.random.default_rng(1)
    start = np.concatenate([model.default_qpos, np.zeros(model.nv)])
    states = np.tile(start, (5, 1))
    states[:, model.nq :] += 0.3 * random.normal(size=(5, model.nv))
    options = {"step": 2e-3, "contact": "lagged", "tangential_springs": True}
    expected = serial(model, states, None, 150, **options)
    for threads in [1, 2, 3]:
        out = st.rollout(model, states, None, threads, steps=150, **options)
        assert out.shape == (5, 150, model.nq + model.nv)
        assert np.array_equal(out, expected)


def test_shapes_and_numbers_are_checked():
    model = models.pendulum()
    with pytest.raises(ValueError, match=r"states has shape \(3,\), this model needs \(n, 2\)"):
        st.rollout(model, np.zeros(3), steps=1)
    with pytest.raises(ValueError, match=r"states has shape \(4, 3\), this model needs \(4, 2\)"):
        st.rollout(model, np.zeros((4, 3)), steps=1)
    with pytest.raises(ValueError, match=r"controls has shape \(4, 5\), this model needs \(4, T, 1\)"):
        st.rollout(model, np.zeros((4, 2)), np.zeros((4, 5)))
    with pytest.raises(ValueError, match=r"needs \(4, 6, 1\)"):
        st.rollout(model, np.zeros((4, 2)), np.zeros((4, 5, 1)), steps=6)
    with pytest.raises(ValueError, match="steps=T"):
        st.rollout(model, np.zeros((4, 2)))
    with pytest.raises(ValueError, match="at least 1"):
        st.rollout(model, np.zeros((4, 2)), steps=1, threads=0)
    with pytest.raises(ValueError, match="step"):
        st.rollout(model, np.zeros((4, 2)), steps=1, step=-1.0)
    with pytest.raises(MemoryError, match="fewer rows or steps"):
        st.rollout(model, np.zeros((4, 2)), steps=2**60)
    bad = np.zeros((4, 2))
    bad[2, 1] = bad[3, 0] = np.nan
    with pytest.raises(ValueError, match=r"row 2: qvel\[0\] is NaN"):
        st.rollout(model, bad, steps=1)


def test_nothing_to_do_gives_an_empty_array_of_the_right_shape():
    model = models.pendulum()
    assert st.rollout(model, np.zeros((0, 2)), steps=5).shape == (0, 5, 2)
    assert st.rollout(model, np.zeros((3, 2)), steps=0).shape == (3, 0, 2)


def test_ctrl_c_ends_a_long_rollout(interruptible):
    model = models.pendulum()
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        st.rollout(model, np.zeros((2, 2)), steps=4_000_000)
