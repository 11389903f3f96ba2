"""Functions that the tests of sweeps run, also in other processes."""

import os
import signal
import time

import numpy as np
import stiction as st

BOX = """<mujoco><worldbody>
  <geom type="plane" size="5 5 1" friction="{friction}"/>
  <body pos="0 0 0.05"><freejoint/><geom type="box" size="0.1 0.1 0.05" mass="1" friction="{friction}"/></body>
</worldbody></mujoco>"""


def slide(friction, speed):
    """A box slides to rest: v²/(2 μ g)."""
    sim = st.Simulation(st.Model.from_string(BOX.format(friction=friction)), step=2e-3)
    sim.qvel[0] = speed
    sim.step(300)
    return {"distance": sim.qpos[0], "pose": sim.qpos.copy(), "points": len(sim.contacts), "rests": abs(sim.qvel[0]) < 1e-3}


def noisy(scale, rng):
    return {"drawn": scale * rng.normal(size=3)}


def odd_fails(number):
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number


def record_and_square(number, folder, pause=0.0):
    """Leaves a file for every time it is run."""
    time.sleep(pause)
    with open(os.path.join(folder, f"{number}-{time.monotonic_ns()}"), "x"):
        pass
    return {"square": number**2, "third": number / 3}


def dies_once(number, folder):
    """Kills its process the first time it meets 3; 5 kills it always."""
    mark = os.path.join(folder, "died")
    if number == 5 or (number == 3 and not os.path.exists(mark)):
        with open(mark, "a"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def same_tables(a, b):
    assert list(a) == list(b)
    for name in a:
        x, y = a[name], b[name]
        assert x.dtype == y.dtype and x.shape == y.shape
        assert np.array_equal(np.ma.getmaskarray(x), np.ma.getmaskarray(y))
        assert np.ma.getdata(x).tobytes() == np.ma.getdata(y).tobytes() if x.dtype != object else list(x) == list(y)
