"""Recordings and the live page, from Python."""

import gc
import subprocess
import sys
import threading
import time
import urllib.request

import models
import numpy as np
import pytest
import stiction as st
from recordings import Page, read_html


def pendulum(**options):
    sim = st.Simulation(models.pendulum(), **options)
    sim.qpos[:] = 0.3
    return sim


def test_a_recording_holds_the_state_at_the_rate_asked_for(tmp_path):
    path = tmp_path / "out.html"
    sim = pendulum()
    with sim.record(path, rate=50) as recording:
        sim.step(100)
    assert recording.paths == [path]
    scene, frames = read_html(path)
    assert scene["format"] == "stiction" and scene["version"] == 1
    assert [body["name"] for body in scene["bodies"]] == sim.model.body_names
    assert np.allclose([f["time"] for f in frames], [0.0, 0.02, 0.04, 0.06, 0.08, 0.1], atol=1e-9)
    position, quaternion = sim.body_pose(1)
    assert np.allclose(frames[-1]["poses"][1], [*position, *quaternion], atol=1e-6)
    energy = scene["channels"].index({"group": "energy", "name": "total", "unit": "J"})
    assert np.isclose(frames[-1]["channels"][energy], sim.energy.total, rtol=1e-5, atol=1e-6)


def test_recording_changes_nothing_and_several_files_may_be_written(tmp_path):
    files = [tmp_path / "a.html", tmp_path / "a.mcap"]
    model = st.Model.from_scene("stack")
    recorded, alone = st.Simulation(model), st.Simulation(model)
    recorded.record(files)
    for sim in (recorded, alone):
        sim.step(300)
    assert recorded.stop_recording() == files
    assert recorded.save_state() == alone.save_state()
    assert files[1].read_bytes()[:8] == b"\x89MCAP0\r\n"
    assert recorded.stop_recording() == []
    _, frames = read_html(files[0])
    assert frames[-1]["contacts"] == len(recorded.contacts) > 0


def test_a_simulation_that_is_dropped_leaves_a_complete_recording(tmp_path):
    sim = pendulum()
    sim.record(str(tmp_path / "out.html"))
    sim.run_until(0.5)
    del sim
    gc.collect()
    _, frames = read_html(tmp_path / "out.html")
    assert len(frames) == 31


def test_jumps_are_recorded(tmp_path):
    sim = pendulum()
    with sim.record(tmp_path / "out.html"):
        sim.step(50)
        sim.reset()
        sim.step(50)
    times = [f["time"] for f in read_html(tmp_path / "out.html")[1]]
    assert sum(b < a for a, b in zip(times, times[1:])) == 1


def test_wrong_recordings_are_refused(tmp_path):
    sim = pendulum()
    with pytest.raises(ValueError, match=".html, .mcap, .mp4 or .gif"):
        sim.record(tmp_path / "out.avi")
    with pytest.raises(ValueError, match="rate"):
        sim.record(tmp_path / "out.html", rate=0)
    with pytest.raises(ValueError, match="knee"):
        sim.record(tmp_path / "out.html", joints=["knee"])
    with pytest.raises(ValueError):
        sim.record([])
    with pytest.raises(OSError, match="no_folder"):
        sim.record(tmp_path / "no_folder" / "out.html")
    with sim.record(tmp_path / "out.html"):
        with pytest.raises(RuntimeError, match="stop_recording"):
            sim.record(tmp_path / "other.html")


def test_a_force_at_a_point_accelerates_a_free_body():
    model = st.Model.from_string(
        '<mujoco><option gravity="0 0 0" timestep="0.001"/><worldbody><body name="ball" pos="1 2 3"><freejoint/>'
        '<geom type="sphere" size="0.1" mass="2"/></body></worldbody></mujoco>'
    )
    sim = st.Simulation(model)
    sim.apply_force("ball", [4.0, 0.0, 0.0])
    assert np.allclose(sim.applied, [4, 0, 0, 0, 0, 0])
    sim.apply_force("ball", [0.0, 1.0, 0.0], point=[1.1, 2.0, 3.0])
    assert np.allclose(sim.applied, [4, 1, 0, 0, 0, 0.1])
    sim.step()
    assert np.isclose(sim.qvel[0], 4.0 / 2.0 * 1e-3)
    with pytest.raises(ValueError):
        sim.apply_force("ball", [np.nan, 0.0, 0.0])
    with pytest.raises(ValueError):
        sim.apply_force("nobody", [0.0, 0.0, 1.0])


def test_a_page_shows_what_python_does_and_runs_the_simulation():
    sim = st.Simulation(st.Model.from_scene("arm"))
    with st.view(sim, open=False) as viewer:
        assert viewer.running and "127.0.0.1" in viewer.url
        text = urllib.request.urlopen(viewer.url, timeout=300).read().decode()
        assert 'name="stiction-live"' in text
        page = Page(viewer.url)
        assert page.wait(1)["name"] == sim.model.name
        assert page.wait(4)["paused"] is True
        assert page.wait(3)["time"] == 0.0
        assert viewer.clients == 1
        # What Python does is shown.
        sim.step(100)
        page.wait(3, lambda f: abs(f["time"] - 0.1) < 1e-9)
        # What the page does is seen here, by views that are kept.
        ctrl = sim.ctrl
        page.say(type="ctrl", actuator=0, value=0.25)
        page.wait(4, lambda s: s["ctrl"][0] == 0.25)
        # The page may know before the arrays do: asking for the time waits until its tick is over.
        assert sim.time >= 0.1 and ctrl[0] == 0.25
        page.say(type="play")
        page.wait(3, lambda f: f["time"] > 0.3)
        # Meanwhile the simulation may be looked at and stepped from here.
        for _ in range(50):
            assert sim.time > 0.1 and len(sim.qpos) == 7
            sim.step()
        page.say(type="pause")
        page.wait(4, lambda s: s["paused"])
        before = sim.time
        time.sleep(0.05)
        assert sim.time == before
        page.say(type="reset")
        page.wait(3, lambda f: f["time"] == 0.0)
        assert sim.time == 0.0
        page.close()
        with pytest.raises(RuntimeError, match="already"):
            st.view(sim, open=False)
    assert not viewer.running
    with st.view(sim, open=False) as again:
        assert again.running


def test_a_controller_runs_on_the_page_and_still_may_not_look_at_its_own_simulation():
    sim = st.Simulation(models.pendulum())
    seen = []

    def controller(time, qpos, qvel):
        try:
            sim.contacts
        except RuntimeError as error:
            seen.append((threading.current_thread(), str(error)))
        return [0.0]

    sim.set_controller(controller, period=0.01)
    with st.view(sim, open=False, paused=False) as viewer:
        page = Page(viewer.url)
        page.wait(3, lambda f: f["time"] > 0.05)
        page.close()
    assert seen and all("middle of a step" in text for _, text in seen)
    assert all(thread is not threading.main_thread() for thread, _ in seen)


def test_what_a_page_does_is_recorded(tmp_path):
    sim = pendulum()
    with sim.record(tmp_path / "out.html"), st.view(sim, open=False, paused=False) as viewer:
        page = Page(viewer.url)
        page.wait(3, lambda f: f["time"] > 0.2)
        page.close()
    _, frames = read_html(tmp_path / "out.html")
    assert frames[-1]["time"] > 0.2 and len(frames) > 8


def test_wrong_addresses_are_refused_and_open_ones_warned_of():
    sim = pendulum()
    with pytest.raises(ValueError, match="IP address"):
        st.view(sim, address="localhost.example", open=False)
    with st.view(sim, open=False) as viewer:
        port = int(viewer.url.rsplit(":", 1)[1].strip("/"))
        with pytest.raises(OSError, match=str(port)):
            st.view(pendulum(), port=port, open=False)
    with pytest.warns(UserWarning, match="watch and control"):
        st.view(sim, address="0.0.0.0", open=False).close()


def test_a_program_with_an_open_page_ends_by_itself():
    code = (
        "import stiction as st; sim = st.Simulation(st.Model.from_scene('stack')); "
        "viewer = st.view(sim, open=False, paused=False); sim.step(20); print(viewer.url)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "http://127.0.0.1" in done.stdout, done.stderr


def test_a_blocking_page_ends_with_ctrl_c(interruptible):
    import _thread

    sim = pendulum()
    threading.Timer(0.5, _thread.interrupt_main).start()
    viewer = st.view(sim, open=False, block=True)
    assert not viewer.running
