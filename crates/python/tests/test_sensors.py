"""Tendons, activations and sensors from Python."""

import numpy as np
import pytest
import stiction as st

MODEL = """
<mujoco><option timestep="0.001"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <site name="top" pos="0 0 2"/>
    <body name="weight" pos="0 0 1">
      <joint name="x" type="slide" axis="0 0 1" range="-0.5 0.5"/>
      <geom type="sphere" size="0.1" mass="2"/>
      <site name="s" euler="90 0 0"/>
    </body>
    <body name="box" pos="1 0 0.1">
      <freejoint/>
      <geom type="box" size="0.1 0.1 0.1" mass="1"/>
      <site name="pad" type="box" size="0.2 0.2 0.2"/>
    </body>
  </worldbody>
  <tendon><spatial name="t" stiffness="50" springlength="0.8"><site site="top"/><site site="s"/></spatial></tendon>
  <actuator><cylinder name="piston" tendon="t" timeconst="0.1" area="3"/></actuator>
  <sensor>
    <accelerometer name="acc" site="pad"/><touch name="touch" site="pad"/>
    <tendonpos name="length" tendon="t"/><actuatorfrc name="force" actuator="piston"/><clock name="clock"/>
  </sensor>
</mujoco>
"""


@pytest.fixture
def model():
    return st.Model.from_string(MODEL)


def test_sensors_are_arrays_by_name(model):
    sim = st.Simulation(model)
    sim.step(1000)
    assert list(sim.sensors) == model.sensor_names == ["acc", "touch", "length", "force", "clock"]
    assert sim.sensors["acc"] == pytest.approx([0, 0, 9.81], abs=1e-4)
    assert sim.sensors["touch"] == pytest.approx([9.81], abs=1e-2)
    assert sim.sensors["clock"] == pytest.approx([1.0])


def test_activations_are_shared_with_the_simulation_and_saved(model):
    sim = st.Simulation(model)
    assert (model.na, sim.act.shape) == (1, (1,))
    sim.ctrl[0] = 1.0
    sim.step(100)
    # One Euler step after the other of a filter: 1 − (1 − δt/τ)^n.
    assert sim.act == pytest.approx([1 - (1 - 1e-3 / 0.1) ** 100])
    assert sim.sensors["force"] == pytest.approx([3 * (1 - (1 - 1e-3 / 0.1) ** 99)])
    saved = sim.save_state()
    sim.act[0] = 0.0
    sim.load_state(saved)
    assert sim.act[0] > 0.5


def test_lengths_moments_and_forces_of_single_states(model):
    q, v = model.default_qpos.copy(), np.zeros(model.nv)
    assert model.tendon_names == ["t"]
    assert model.tendon_lengths(q) == pytest.approx([1.0])
    assert model.tendon_moments(q)[0, 0] == pytest.approx(-1.0)
    assert model.actuator_lengths(q) == pytest.approx([1.0])
    assert model.actuator_moments(q).shape == (1, model.nv)
    assert model.actuator_forces(q, v, [0.0], [0.5]) == pytest.approx([1.5])
    assert model.passive_forces(q, v)[0] == pytest.approx(50 * 0.2)
    readings = model.sensors(q, v, ctrl=[0.0], act=[0.5])
    assert readings["force"] == pytest.approx([1.5]) and readings["length"] == pytest.approx([1.0])
