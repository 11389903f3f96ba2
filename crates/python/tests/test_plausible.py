"""Runs that make no sense are reported, and those that do are not."""

import models
import numpy as np
import pytest
import stiction as st


def messages(sim):
    return [warning.message for warning in sim.warnings]


def free(extra=""):
    return st.Model.from_string(f"<mujoco>{extra}<worldbody><body name='stone'><freejoint/><geom size='.1'/></body></worldbody></mujoco>")


def test_a_body_without_a_ground_falls_out_of_the_model():
    sim = st.Simulation(free(), step=1e-3)
    sim.run_until(1.4)  # 9.6 m
    assert messages(sim) == []
    sim.run_until(1.5)  # 11.0 m
    [text] = messages(sim)
    assert '"stone": it fell below everything in the model by 10.000 m' in text and "give the model a ground" in text
    sim.reset()
    assert len(messages(sim)) == 1, "it is reported once"
    batch = st.Batch(free(), 2, step=1e-3)
    batch.run_until(1.6)
    assert [w.message for w in batch.warnings if "fell below" in w.message]


def test_a_body_that_lies_or_slides_or_floats_is_no_matter():
    lying = st.Simulation(models.ball(), step=1e-3)
    lying.qvel[0] = 5.0
    lying.run_until(3.0)
    assert messages(lying) == []
    floating = st.Simulation(free("<option gravity='0 0 0'/>"), step=1e-2)
    floating.qvel[2] = -5.0
    floating.run_until(10.0)
    assert messages(floating) == []


def test_a_body_that_is_gone_is_reported_without_gravity_too():
    sim = st.Simulation(free("<option gravity='0 0 0'/>"), step=1e-1)
    sim.qvel[0] = 900.0
    sim.run_until(10.0)
    assert messages(sim) == []
    sim.run_until(12.0)
    [text] = messages(sim)
    assert '"stone": it was 1.000e4 m away' in text


def test_absurd_velocities_are_reported():
    sim = st.Simulation(free("<option gravity='0 0 0'/>"), step=1e-3)
    sim.qvel[:] = [0, 999.0, 0, 1500.0, 0, 0]  # a quarter of a turn in a step is 1571 rad/s
    sim.step()
    assert messages(sim) == []
    sim.qvel[:] = [0, 1001.0, 0, 1600.0, 0, 0]
    sim.step()
    moved, turned = messages(sim)
    assert "moved at 1.0010e3 m/s" in moved and "turned at 1.6000e3 rad/s" in turned and "quarter of a turn in a step" in turned


def test_a_step_longer_than_what_falls_through_is_reported_with_one_that_is_not():
    # A ball of 0.1 m falls by its radius in a step of √(0.1/9.81) s = 0.101 s.
    assert messages(st.Simulation(models.ball(), step=0.1)) == []
    sim = st.Simulation(models.ball(), step=0.102)
    [text] = messages(sim)
    assert '"sphere"' in text and "falls by 1.021e-1 m" in text and "take steps of 3e-2 s or shorter" in text
    assert messages(st.Simulation(models.ball(), step=3e-2)) == [], "the remedy is one"
    assert messages(st.Simulation(models.ball(), step=1.0, accuracy=1e-3)) == [], "error control chooses its own"


@pytest.mark.parametrize("name", st.scenes())
def test_the_scenes_are_plausible(name):
    sim = st.Simulation(st.Model.from_scene(name))
    sim.run_until(0.1)
    nonsense = [text for text in messages(sim) if "fell" in text or "away from the model" in text or "in a step" in text]
    assert not nonsense and np.isfinite(sim.qpos).all()
