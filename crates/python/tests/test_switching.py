"""Equalities, contacts, damping, gains and strengths that are changed while a simulation runs, and in some worlds only."""

import pickle

import models
import numpy as np
import pytest
import stiction as st

SCENE = """<mujoco><option timestep="0.001"/><worldbody><geom name="floor" type="plane" size="0 0 1"/>
<body name="held" pos="0 0 1"><freejoint/><geom name="ball" size=".1" mass="1"/></body>
<body name="arm" pos="3 0 1"><joint name="hinge" axis="0 1 0" damping=".1"/><geom size=".05" pos="0 0 -.5" mass="1" contype="0" conaffinity="0"/></body>
</worldbody>
<equality><weld name="grip" body1="held"/></equality>
<actuator><position name="servo" joint="hinge" kp="20" kv="3"/><motor name="motor" joint="hinge" ctrlrange="-9 9" forcerange="-2 2"/></actuator>
</mujoco>"""


def model():
    return st.Model.from_string(SCENE)


def test_a_weld_that_is_switched_off_lets_go_and_holds_again():
    sim = st.Simulation(model())
    grip = sim.equality("grip")
    assert grip.active and grip.info.type == "weld" and sim.model.equality_names == ["grip"]
    sim.step(200)
    assert sim.qpos[2] == pytest.approx(1.0, abs=1e-4)
    grip.active = False
    assert not sim.equality("grip").active and not sim.model.equality("grip").active
    sim.step(200)
    assert sim.qpos[2] == pytest.approx(1 - 0.5 * 9.81 * 0.2**2, abs=2e-3), "it falls"
    grip.active = True
    sim.step(2000)
    assert sim.qpos[2] == pytest.approx(1.0, abs=1e-3)


def test_a_geom_without_contacts_falls_through_the_floor_and_with_them_lies_on_it():
    sim = st.Simulation(model())
    sim.vary(active={"grip": False}, collides={"ball": False})
    assert not sim.geom("ball").collides
    sim.qpos[2] = 0.1
    sim.step(100)
    assert sim.qpos[2] < 0.07 and len(sim.contacts) == 0
    sim.qpos[2], sim.qvel[:6] = 0.1, 0
    sim.geom("ball").collides = True
    sim.step(500)
    assert sim.qpos[2] == pytest.approx(0.1, abs=1e-3) and len(sim.contacts) == 1


def test_explicit_pairs_are_switched_with_their_geoms():
    text = models.BALL.replace('<geom name="sphere"', '<geom name="sphere" contype="0" conaffinity="0"')
    text = text.replace("</mujoco>", '<contact><pair geom1="ground" geom2="sphere"/></contact></mujoco>')
    sim = st.Simulation(st.Model.from_string(text), step=1e-3)
    sim.step(100)
    assert len(sim.contacts) == 1
    sim.geom("ground").collides = False
    sim.step(100)
    assert len(sim.contacts) == 0 and sim.qpos[2] < 0.09
    sim.geom("ground").collides = True
    sim.qpos[2] = 0.1
    sim.step()
    assert len(sim.contacts) == 1


def test_contacts_of_the_whole_model_are_switched_at_once():
    sim = st.Simulation(st.Model.from_scene("stack"))
    sim.step(50)
    assert len(sim.contacts) > 0
    sim.vary(collides={"*": False})
    sim.step()
    assert len(sim.contacts) == 0
    sim.vary(collides={"*": True})
    sim.step()
    assert len(sim.contacts) > 0


def test_damping_per_world_slows_each_as_it_should():
    # Without gravity, I ω' = −d ω: after t, ω = exp(−d t/I), I = 0.25 kg m² and the sphere's own inertia.
    m = model().varied(gravity=[0, 0, 0], kp={"servo": 0.0}, kv={"servo": 0.0})
    batch, damping = st.Batch(m, 3, step=1e-4), np.array([0.0, 0.1, 0.5])
    batch.joint("hinge").damping = damping
    assert np.array_equal(batch.joint("hinge").damping, damping) and np.array_equal(batch.parameters["damping"]["hinge"], damping)
    batch.joint("hinge").qvel = 1.0
    batch.step(5000)
    inertia = m.mass_matrix(m.default_qpos)[6, 6]
    # Implicit Euler steps: the relative error of the rate d/I is d δt/(2 I).
    np.testing.assert_allclose(batch.joint("hinge").qvel[:, 0], np.exp(-damping * 0.5 / inertia), rtol=1e-3)


def test_friction_loss_holds_up_to_its_own_value():
    batch = st.Batch(model().varied(gravity=[0, 0, 0], kp={"*": 0.0}, kv={"*": 0.0}), 2)
    batch.vary(friction_loss={"hinge": [0.5, 1.5]})
    batch.actuator("motor").ctrl = 1.0
    batch.step(100)
    speeds = batch.joint("hinge").qvel[:, 0]
    inertia = batch.model.mass_matrix(batch.model.default_qpos)[6, 6]
    damped = 0.5 / inertia * 0.1
    assert abs(speeds[1]) < 1e-3 and speeds[0] == pytest.approx(damped, rel=0.05)


def test_gains_and_strength_change_the_forces_of_actuators():
    m = model()
    q, v = m.default_qpos.copy(), np.zeros(m.nv)
    q[7], v[6] = 0.1, 0.2
    assert m.actuator_forces(q, v, [0.3, 1.0]) == pytest.approx([20 * 0.2 - 3 * 0.2, 1.0])
    changed = m.varied(kp={"servo": 50.0}, kv={"servo": 5.0}, strength={"motor": 0.5})
    assert changed.actuator_forces(q, v, [0.3, 1.0]) == pytest.approx([50 * 0.2 - 5 * 0.2, 0.5])
    assert changed.actuator_forces(q, v, [0.3, 8.0])[1] == pytest.approx(1.0), "its limit of 2 N m is halved too"
    assert m.varied(strength={"servo": 2.0}).actuator_forces(q, v, [0.3, 1.0])[0] == pytest.approx(2 * (20 * 0.2 - 3 * 0.2))
    assert (changed.actuator("servo").kp, changed.actuator("servo").kv, changed.actuator("motor").kp) == (50.0, 5.0, None)
    with pytest.raises(st.ModelError, match="no position servo"):
        m.varied(kp={"motor": 1.0})
    armature = m.varied(armature={"hinge": 2.0})
    assert armature.mass_matrix(q)[6, 6] == pytest.approx(m.mass_matrix(q)[6, 6] + 2.0) and armature.joint("hinge").armature == 2.0


def test_randomised_damping_gains_and_strengths_are_drawn_in_their_ranges_and_saved():
    batch = st.Batch(model(), 50, threads=2)
    ranges = {"damping": {"hinge": (0.5, 2.0)}, "kp": {"*": (0.8, 1.2)}, "kv": {"servo": (0.9, 1.1)}, "strength": {"motor": (0.5, 1.0)}}
    batch.randomize(seed=3, **ranges)
    drawn = batch.parameters
    for kind, name, low, high in [
        ("damping", "hinge", 0.05, 0.2),
        ("kp", "servo", 16, 24),
        ("kv", "servo", 2.7, 3.3),
        ("strength", "motor", 0.5, 1.0),
    ]:
        values = drawn[kind][name]
        assert low <= values.min() < values.max() <= high and len(set(values)) == 50
    draws = [drawn["damping"]["hinge"] / 0.1, drawn["kp"]["servo"] / 20, drawn["strength"]["motor"]]
    assert np.abs(np.corrcoef(draws) - np.eye(3)).max() < 0.5, "drawn apart: 3.5 standard deviations of 1/√50"
    batch.ctrl[:] = 0.3
    batch.step(20)
    twin = pickle.loads(pickle.dumps(batch))
    for each in (batch, twin):
        each.step(20)
    assert np.array_equal(batch.qpos, twin.qpos) and np.array_equal(twin.parameters["kp"]["servo"], drawn["kp"]["servo"])
    alone = batch.simulation(7)
    assert alone.model.joint("hinge").damping == drawn["damping"]["hinge"][7]


def test_gravity_of_worlds_is_shown_and_set():
    batch = st.Batch(models.ball(), 2)
    batch.gravity = [[0, 0, -1.0], [0, 0, 0]]
    assert batch.gravity.tolist() == [[0, 0, -1.0], [0, 0, 0]]
    with pytest.raises(ValueError, match="read-only"):
        batch.gravity[0] = 0


def test_targets_are_set_in_some_worlds():
    batch = st.Batch(model(), 3)
    batch.set_target("hinge", [0.1, 0.2], indices=[0, 2])
    assert batch.ctrl[:, 0].tolist() == [0.1, 0.0, 0.2] and not batch.ctrl[:, 1].any()
