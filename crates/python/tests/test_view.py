"""Sliders, buttons and channels of a program's own on its live page; recordings and pages inline in notebooks."""

import html
import json
import re
import threading
import urllib.request

import models
import pytest
import stiction as st
from recordings import Page, read_html


def paused(sim):
    return st.view(sim, open=False)


def test_a_slider_moves_what_python_reads_and_calls_back_between_steps():
    sim, moved = st.Simulation(models.ball()), threading.Event()
    seen = []

    def on_change(value):
        seen.append((value, threading.current_thread() is threading.main_thread()))
        sim.gravity = [0, 0, -value]  # the simulation may be used
        moved.set()

    with paused(sim) as view:
        slider = view.add_slider("gravity", 0.0, 20.0, 9.81, unit="m/s²", on_change=on_change)
        assert slider.value == 9.81 and slider.name == "gravity"
        page = Page(view.url)
        widget = {"kind": "slider", "name": "gravity", "low": 0.0, "high": 20.0, "value": 9.81, "unit": "m/s²"}
        assert page.wait(4, lambda s: s["widgets"])["widgets"] == [widget]
        page.say(type="widget", index=0, value=3.5)
        assert moved.wait(60)
        assert slider.value == 3.5 and seen == [(3.5, False)] and sim.gravity.tolist() == [0, 0, -3.5]
        page.wait(4, lambda s: s["widgets"][0]["value"] == 3.5)
        slider.value = 25.0
        assert slider.value == 20.0, "the nearer end"
        page.wait(4, lambda s: s["widgets"][0]["value"] == 20.0)
        page.say(type="widget", index=7, value=1.0)
        page.wait(4, lambda s: "no widget 7" in (s["message"] or ""))
        page.close()
    assert len(seen) == 1, "setting it here does not call back"


def test_a_button_counts_and_what_its_function_raises_does_not_end_the_page(monkeypatch):
    sim, raised = st.Simulation(models.pendulum()), threading.Event()
    monkeypatch.setattr("sys.unraisablehook", lambda found: raised.set() if "on purpose" in str(found.exc_value) else None)

    def on_press():
        raise RuntimeError("on purpose")

    with paused(sim) as view:
        button = view.add_button("kick", on_press=on_press)
        view.add_button("silent")
        page = Page(view.url)
        for _ in range(3):
            page.say(type="widget", index=0, value=1)
        page.wait(4, lambda s: s["widgets"] and s["widgets"][0]["presses"] == 3)
        assert raised.wait(60) and button.presses == 3
        page.say(type="widget", index=1, value=1)
        page.wait(4, lambda s: s["widgets"][1]["presses"] == 1)
        page.say(type="step", steps=5)
        page.wait(3, lambda f: f["time"] > 0)
        page.close()


def test_wrong_sliders_are_refused():
    with paused(st.Simulation(models.pendulum())) as view:
        view.add_slider("x", 0, 1)
        for wrong in [
            lambda: view.add_slider("x", 0, 1),
            lambda: view.add_button("x"),
            lambda: view.add_slider("y", 1, 0),
            lambda: view.add_slider("y", 0, 1, 2),
            lambda: view.add_slider("", 0, 1),
            lambda: view.add_slider("y", 0, float("inf")),
            lambda: view.add_button("y", on_press=3),
            lambda: view.log("z", float("nan")),
        ]:
            with pytest.raises(st.InputError):
                wrong()


def test_logged_numbers_are_channels_of_the_page():
    sim = st.Simulation(models.pendulum())
    with paused(sim) as view:
        page = Page(view.url)
        count = len(page.wait(1)["channels"])
        view.log("reward", 1.5, unit="1")
        scene = page.wait(1, lambda s: len(s["channels"]) == count + 1)
        assert scene["channels"][-1] == {"name": "reward", "unit": "1", "group": "user"}
        sim.step()
        page.wait(3, lambda f: f["channels"][-1] == 1.5)
        view.log("cost", -2.0)
        page.wait(1, lambda s: len(s["channels"]) == count + 2)
        view.log("reward", 2.5)
        page.wait(3, lambda f: f["channels"][-2:] == (2.5, -2.0))
        page.close()


def test_logged_numbers_are_channels_of_a_recording_from_controllers_too(tmp_path):
    sim = st.Simulation(models.pendulum(), step=1e-3)
    recording = sim.record(tmp_path / "out.html", rate=1000, channels={"reward": "1", "cost": ""})
    sim.set_controller(lambda t, q, v: recording.log("reward", t))
    sim.step(5)
    assert recording.running
    recording.log("cost", 7.0)
    sim.step()
    with pytest.raises(st.InputError, match='no channel "rewrd"'):
        recording.log("rewrd", 1.0)
    recording.stop()
    assert not recording.running
    scene, frames = read_html(tmp_path / "out.html")
    assert [(c["name"], c["unit"], c["group"]) for c in scene["channels"][-2:]] == [("reward", "1", "user"), ("cost", "", "user")]
    assert [frame["channels"][-2] for frame in frames] == pytest.approx([0.0, *(k * 1e-3 for k in range(6))], abs=1e-7)
    assert [frame["channels"][-1] for frame in frames] == [0.0] * 6 + [7.0]
    for wrong, kind in [("reward", st.InputTypeError), (["a", "a"], st.InputError), ([""], st.InputError), (3, st.InputTypeError)]:
        with pytest.raises(kind):
            sim.record(tmp_path / "no.html", channels=wrong)


def test_a_complete_recording_shows_itself_in_a_notebook(tmp_path):
    sim = st.Simulation(models.pendulum())
    with sim.record(tmp_path / "out.html") as recording:
        sim.step(20)
        assert "under way" in recording._repr_html_() and "iframe" not in recording._repr_html_()
    shown = recording._repr_html_()
    page = html.unescape(re.fullmatch(r'<iframe srcdoc="([^"]*)" [^<>]*></iframe>', shown)[1])
    assert page == (tmp_path / "out.html").read_text(encoding="utf-8"), "the file itself, within a page"
    with sim.record(tmp_path / "out.mcap") as other:
        sim.step()
    assert "iframe" not in other._repr_html_() and "out.mcap" in other._repr_html_()


def test_a_live_page_shows_itself_in_a_notebook_on_this_machine_only():
    with paused(st.Simulation(models.pendulum())) as view:
        assert f'<iframe src="{view.url}"' in view._repr_html_()
        headers = urllib.request.urlopen(view.url, timeout=300).headers
        [ancestors] = re.findall(r"frame-ancestors ([^;]*)", headers["Content-Security-Policy"])
        assert "http://localhost:*" in ancestors.split() and "*" not in ancestors.split() and "X-Frame-Options" not in headers
    assert "iframe" not in view._repr_html_() and json.dumps(view._repr_html_())
