"""Processes copied by fork: nothing hangs, recordings stay with the first process, batches step on."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

#: Seconds after which a child hangs.
LIMIT = 60.0

BEGIN = """
import os, sys, warnings
import numpy as np
import stiction as st

def child(work):
    pid = os.fork()
    if pid == 0:
        try:
            code = work()
        except BaseException as error:
            print("child:", type(error).__name__, error, file=sys.stderr)
            code = 99
        sys.stderr.flush()
        os._exit(code or 0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""


def run(text, tmp_path):
    """Runs a program in a group of its own, which is ended if it hangs."""
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN + text], cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    begin = time.monotonic()
    try:
        _, errors = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        pytest.fail(f"hung for {time.monotonic() - begin:.0f} s")
    assert process.returncode == 0, errors


def test_a_simulation_that_is_recorded_steps_on_in_a_copy_and_its_file_stays_whole(tmp_path):
    run(
        """
sim = st.Simulation(st.Model.from_scene("clutter"))
recording = sim.record("f.html")
sim.step(20)

def step():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim.step(50)
    assert ["the recording" in str(w.message) for w in caught] == [True], caught
    sim.step(1)
    try:
        recording.stop()
    except st.BusyError as error:
        assert "forked" in str(error)
        return 0
    return 1

assert child(step) == 0
sim.step(30)
assert len(sim.stop_recording()) == 1
""",
        tmp_path,
    )
    alone = "sim = st.Simulation(st.Model.from_scene('clutter')); sim.record('f.html'); sim.step(50); sim.stop_recording()"
    whole = (tmp_path / "f.html").read_bytes()
    run(alone, tmp_path)
    assert len(whole) == (tmp_path / "f.html").stat().st_size, "as long as without the fork"


def test_a_batch_steps_in_a_copy_and_ends_there(tmp_path):
    run(
        """
batch = st.Batch(st.Model.from_scene("arm"), 6, threads=3)
twin = st.Batch(batch.model, 6, threads=3)
batch.step(10)
twin.step(30)

def step():
    global batch
    batch.step(20)
    same = np.array_equal(batch.qpos, twin.qpos) and batch.threads == 3
    del batch
    return 0 if same else 1

def drop():
    global batch
    del batch

assert child(step) == 0
assert child(drop) == 0
batch.step(20)
assert np.array_equal(batch.qpos, twin.qpos)
""",
        tmp_path,
    )


def test_a_page_stays_with_the_first_process(tmp_path):
    run(
        """
sim = st.Simulation(st.Model.from_scene("arm"))
view = st.view(sim, open=False)

def step():
    warnings.simplefilter("ignore")
    try:
        sim.step(20)
    except st.BusyError:
        return 0  # its thread had the simulation at that moment
    try:
        view.close()
    except st.BusyError:
        return 0
    return 1

for _ in range(5):
    assert child(step) == 0
view.close()
""",
        tmp_path,
    )


def test_pictures_are_drawn_in_a_copy_too(tmp_path):
    run(
        """
sim = st.Simulation(st.Model.from_scene("clutter"))
renderer = st.Renderer(sim.model, 64, 48)
before = renderer.render(sim)

def draw():
    assert np.array_equal(renderer.render(sim), before)

assert child(draw) == 0
""",
        tmp_path,
    )
