"""Ctrl-C ends long calls soon, and what it ends is as it was or in a state that can go on."""

import os
import signal
import threading
import time

import models
import numpy as np
import pytest
import stiction as st

pytestmark = pytest.mark.usefixtures("interruptible")


def interrupted(call, after=0.3):
    """Seconds from Ctrl-C to its exception."""
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    timer.start()
    try:
        call()
        timer.cancel()
        pytest.fail("it ended before Ctrl-C")
    except KeyboardInterrupt:
        return time.monotonic() - sent[0]


def sphere(n):
    """A sphere of about 2 n² triangles."""
    polar, around = np.linspace(0, np.pi, n + 1)[1:-1], np.arange(2 * n) * np.pi / n
    rings = [[np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)] for p in polar for a in around]
    points = np.array([[0, 0, 1.0], *rings, [0, 0, -1.0]])
    last, faces, m = len(points) - 1, [], 2 * n
    for k in range(m):
        nxt = (k + 1) % m
        faces += [[0, 1 + k, 1 + nxt], [last, last - m + nxt, last - m + k]]
        for r in range(n - 2):
            a, b = 1 + r * m, 1 + (r + 1) * m
            faces += [[a + k, b + k, b + nxt], [a + k, b + nxt, a + nxt]]
    return points, np.array(faces)


def test_meshing_is_interrupted():
    points, faces = sphere(40)
    assert interrupted(lambda: st.Solid.from_mesh((points, faces), resolution=0.04)) < 2.0
    assert st.Solid.from_mesh((points, faces), resolution=0.3).volume == pytest.approx(4 / 3 * np.pi, rel=0.1), "works afterwards"


def test_loading_is_interrupted():
    row = "<replicate count='40' offset='.2 0 0'><replicate count='40' offset='0 .2 0'><replicate count='20' offset='0 0 .2'>"
    text = f"<mujoco><worldbody>{row}<body><freejoint/><geom size='.05'/></body></replicate></replicate></replicate></worldbody></mujoco>"
    assert interrupted(lambda: st.Model.from_string(text), after=0.1) < 2.0


def test_making_and_varying_many_worlds_is_interrupted_and_changes_nothing():
    model = st.Model.from_scene("humanoid")
    assert interrupted(lambda: st.Batch(model, 200_000)) < 2.0
    batch = st.Batch(model, 2000)
    before = batch.save_state()

    assert interrupted(lambda: batch.vary(damping={"*": np.linspace(1, 2, batch.n)}), after=0.1) < 2.0
    assert batch.save_state() == before and not batch.parameters
    batch.step()


def test_stepping_is_interrupted_and_goes_on_from_where_it_is():
    for make in (lambda: st.Simulation(models.ball(), step=1e-3), lambda: st.Batch(models.ball(), 4, 2, step=1e-3)):
        sim = make()
        assert interrupted(lambda sim=sim: sim.step(10**9)) < 2.0
        times = np.atleast_1d(sim.time).copy()
        assert times[0] > 0 and np.isfinite(sim.qpos).all()
        assert np.array_equal(times, np.full(times.shape, times[0])), "all worlds at the same time"
        sim.step(3)
        np.testing.assert_allclose(np.atleast_1d(sim.time), times + 3e-3, atol=1e-9)


def test_impacts_are_interrupted():
    normals = np.random.default_rng(0).normal(size=(5, 6))
    assert interrupted(lambda: st.impact_outcomes(mass=np.eye(6), normals=normals, velocity=-np.ones(6), samples=400_000)) < 2.0
