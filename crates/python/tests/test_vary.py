"""Variants: other gravity, masses, contact properties and sizes, of models, simulations and worlds."""

import copy
import pickle

import models
import numpy as np
import pytest
import stiction as st

#: A block on a slope of 20 degrees: it slides with g (sin θ − μ cos θ), or stays if μ > tan θ.
SLOPE = """<mujoco model="slope">
  <option gravity="3.355217606 0 -9.218384644"/>
  <worldbody>
    <geom name="slope" type="plane" size="0 0 1" friction="0.1"/>
    <body name="block" pos="0 0 0.05">
      <freejoint/>
      <geom name="block" type="box" size="0.1 0.1 0.05" mass="2" friction="0.1"/>
    </body>
  </worldbody>
</mujoco>"""


def slope():
    return st.Model.from_string(SLOPE)


def test_gravity_may_be_read_and_set():
    sim = st.Simulation(models.ball(), step=1e-3)
    assert np.array_equal(sim.gravity, [0, 0, -9.81])
    sim.qpos[2] = 5.0
    sim.step(10)
    before = sim.qvel[2]
    sim.gravity = [0.5, 0, 1.0]
    sim.step(100)
    assert np.allclose(sim.qvel[:3], [0.05, 0, before + 0.1], atol=1e-12)
    assert np.array_equal(sim.gravity, [0.5, 0, 1.0]) and np.array_equal(sim.model.gravity, [0.5, 0, 1.0])
    with pytest.raises(ValueError, match="read-only"):
        sim.gravity[2] = 0.0
    with pytest.raises(ValueError, match="gravity has 2 numbers"):
        sim.gravity = [0, 0]


@pytest.mark.parametrize("friction", [0.1, 0.2, 0.3, 0.5])
def test_friction_set_by_name_decides_how_a_block_slides(friction):
    sim = st.Simulation(slope(), step=1e-3)
    sim.geom("block").friction = friction
    sim.geom("slope").friction = friction
    assert sim.model.geom("block").static_friction == friction
    sim.step(500)
    expected = max(0.0, 9.81 * (np.sin(np.radians(20)) - friction * np.cos(np.radians(20)))) * 0.5
    assert abs(sim.qvel[0] - expected) < 0.01 * expected + 2e-3


def test_variants_leave_their_model_alone_and_states_fit_both():
    model = slope()
    heavy = model.varied(mass={"block": 5.0}, stiffness={"*": 2e5}, gravity=[0, 0, -1.0])
    assert (model.total_mass, heavy.total_mass) == (2.0, 5.0)
    assert np.allclose(heavy.body("block").inertia, 2.5 * model.body("block").inertia)
    assert heavy.geom("slope").stiffness == heavy.geom("block").stiffness == 2e5
    sim, other = st.Simulation(model), st.Simulation(heavy)
    sim.step(30)
    other.load_state(sim.save_state())
    assert np.array_equal(sim.qpos, other.qpos)
    sim.vary(mass={"block": 5.0}, gravity=[0, 0, -1.0])
    sim.vary(stiffness={"*": 2e5})
    state = sim.save_state()
    restored = st.Simulation(pickle.loads(pickle.dumps(heavy)))
    others = [other, pickle.loads(pickle.dumps(sim)), copy.deepcopy(sim), restored]
    sim.step(50)
    for each in others:
        each.load_state(state)
        each.step(50)
        assert np.array_equal(each.model.gravity, [0, 0, -1])
        assert np.array_equal(each.qpos, sim.qpos) and np.array_equal(each.qvel, sim.qvel)
    with pytest.raises(ValueError, match="from another model"):
        other.load_state(st.Simulation(models.ball()).save_state())


def test_worlds_may_differ_and_are_the_simulations_of_their_variants():
    model = slope()
    batch = st.Batch(model, 4, 2)
    frictions = np.array([0.0, 0.1, 0.2, 0.5])
    batch.vary(friction={"slope": frictions, "block": frictions}, mass={"block": 1.0})
    batch.vary([1, 3], gravity=[[3, 0, -9], [2, 0, -9]])
    parameters = batch.parameters
    assert np.array_equal(parameters["friction"]["slope"], frictions)
    assert np.array_equal(parameters["mass"]["block"], np.ones(4))
    assert np.array_equal(parameters["gravity"][3], [2, 0, -9]) and np.array_equal(parameters["gravity"][0], model.gravity)
    twin, copied = pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)
    for each in (batch, twin, copied):
        each.step(200)
    assert np.array_equal(batch.qpos, twin.qpos) and np.array_equal(batch.qpos, copied.qpos)
    assert np.array_equal(twin.parameters["friction"]["block"], frictions)
    for i in range(4):
        changes = {"friction": {"slope": frictions[i], "block": frictions[i]}, "mass": {"block": 1.0}}
        sim = st.Simulation(model.varied(gravity=parameters["gravity"][i], **changes))
        sim.step(200)
        assert np.array_equal(batch.qpos[i], sim.qpos)
        follower = batch.simulation(i)
        follower.step(10)
        sim.step(10)
        assert np.array_equal(follower.qpos, sim.qpos)


def test_worlds_drawn_at_random_are_recorded_and_reproducible():
    model = slope()
    batch = st.Batch(model, 200, 2)
    ranges = {
        "mass": {"block": (0.5, 2.0)},
        "friction": {"*": (0.1, 10.0, "log")},
        "stiffness": {"block": (0.9, 1.1)},
        "size": {"block": (0.8, 1.2)},
    }
    batch.randomize(7, **ranges)
    drawn = batch.parameters
    mass, friction = drawn["mass"]["block"], drawn["friction"]["slope"]
    assert mass.shape == (200,) and mass.min() >= 1.0 and mass.max() <= 4.0 and np.ptp(mass) > 2.5
    # Evenly drawn: mean 2.5 with a deviation of 3/√(12·200) = 0.06; its logarithm: mean 0, deviation 4.6/√(12·200).
    assert abs(mass.mean() - 2.5) < 0.25 and abs(np.log(friction / 0.1).mean()) < 0.4
    assert np.array_equal(drawn["static_friction"]["slope"], friction)
    fewer = st.Batch(model, 3, 1)
    fewer.randomize(7, mass=ranges["mass"])
    assert np.array_equal(fewer.parameters["mass"]["block"], mass[:3])
    fewer.randomize(8, [1], mass=ranges["mass"])
    other = fewer.parameters["mass"]["block"]
    assert other[1] != mass[1] and other[0] == mass[0]
    batch.step(5)
    assert batch.warnings == []


def test_a_body_whose_inertia_cannot_follow_its_size_is_warned_of():
    text = SLOPE.replace("</body>", '<geom name="hat" type="sphere" size="0.05" pos="0 0 0.1" mass="0.1"/></body>')
    batch = st.Batch(st.Model.from_string(text), 3)
    batch.randomize(1, size={"hat": (0.5, 1.5)})
    assert len(batch.warnings) == 1 and 'inertia of "block" stays' in batch.warnings[0].message


def test_wrong_changes_say_what_to_do_and_change_nothing():
    model = slope()
    batch = st.Batch(model, 3)
    for error, text, wrong in [
        (ValueError, r'no geom called "blok" \(did you mean "block"\?\)', lambda: model.varied(friction={"blok": 1.0})),
        (ValueError, r'no body called "slope"', lambda: model.varied(mass={"slope": 1.0})),
        (TypeError, r'"frction" cannot be changed \(did you mean friction\?\)', lambda: model.varied(frction={"block": 1.0})),
        (TypeError, "give a dict from the name of a geom", lambda: model.varied(friction=0.5)),
        (ValueError, "friction is NaN", lambda: model.varied(friction={"block": np.nan})),
        (st.ModelError, "zero or a positive number", lambda: model.varied(friction={"block": -1.0})),
        (st.ModelError, "is a half-space, whose size", lambda: model.varied(size={"slope": 2.0})),
        (st.ModelError, "no pressure field", lambda: model.varied(modulus={"block": 1e6})),
        (ValueError, r"mass has shape \(2,\): give a number, or \(3,\), one a world", lambda: batch.vary(mass={"block": [1, 2]})),
        (ValueError, r"give factors \(low, high\)", lambda: batch.randomize(1, mass={"block": (2.0, 1.0)})),
        (ValueError, r"give factors \(low, high\)", lambda: batch.randomize(1, mass={"block": 2.0})),
        (IndexError, "no geom 9", lambda: model.geom(9)),
    ]:
        with pytest.raises(error, match=text):
            wrong()
    assert batch.parameters == {}


def test_recordings_go_on_through_changes_that_cannot_be_seen(tmp_path):
    sim = st.Simulation(slope())
    with sim.record(tmp_path / "slope.html"):
        sim.step(50)
        sim.vary(friction={"*": 0.5}, mass={"block": 1.0})
        sim.gravity = [0, 0, -1]
        sim.step(50)
    assert (tmp_path / "slope.html").stat().st_size > 1000
    sim.record(tmp_path / "grown.html")
    sim.vary(size={"block": 1.1})
    with pytest.raises(RuntimeError, match="another model"):
        sim.step(100)


def test_a_ball_bounces_with_the_restitution_that_it_is_given():
    # It falls by 0.9 m; with e = 1 it is back at its height after twice the time of the fall, within what a late step of impact moves.
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
      <body pos="0 0 1"><freejoint/><geom name="ball" size=".1" mass="1"/></body></worldbody></mujoco>"""
    model = st.Model.from_string(text)
    time = 2 * np.sqrt(1.8 / 9.81)
    sim = st.Simulation(model, step=1e-3)
    assert sim.geom("ball").restitution == 0
    sim.geom("ball").restitution = 1.0
    assert sim.geom("ball").restitution == 1 and model.geom("ball").restitution == 0
    sim.step(round(time / 1e-3))
    assert abs(sim.qpos[2] - 1) < 2 * 9.81 * 1e-3 * time
    batch = st.Batch(model, 2, step=1e-3)
    batch.vary(restitution={"ball": [0.0, 1.0]})
    batch.step(round(time / 1e-3))
    assert batch.qpos[0, 2] < 0.5 < 0.98 < batch.qpos[1, 2]
    with pytest.raises(st.ModelError, match="0 to 1"):
        model.varied(restitution={"ball": 1.1})
