"""Contacts learned from data: files, names, what they do in a simulation, and what they refuse."""

import copy
import pickle

import numpy as np
import pytest
import stiction as st

FLOOR = '<geom name="floor" type="plane" size="5 5 1"/>'
BOX = """<body name="box" pos="0 0 0.06"><freejoint/><geom type="box" size="0.1 0.08 0.06" mass="1"/></body>"""


def model(bodies=BOX, rest=""):
    text = f"<mujoco><worldbody>{FLOOR}{bodies}</worldbody>{rest}</mujoco>"
    return st.Model.from_string(text, format="mjcf")


def tossed(contact):
    sim = st.Simulation(model(), step=2e-3, contact=contact)
    sim.qpos[2] = 0.4
    sim.qpos[3:7] = [0.8, 0.36, 0.48, 0.0]
    sim.qvel[:] = [1.2, -0.4, 0.0, 3.0, 1.0, -2.0]
    return sim


def test_every_contact_that_ships_loads_and_comes_back_equal(tmp_path):
    assert {"cube", "box", "prism", "box-2d", "anisotropic", "link"} == set(st.LearnedContact.names())
    for name in st.LearnedContact.names():
        contact = st.LearnedContact.load(name)
        assert contact.name == name and contact.kind == ("calibrated" if name == "cube" else "dac")
        file = tmp_path / ("contact.json" if contact.kind == "calibrated" else "contact.safetensors")
        contact.save(file)
        for other in (
            st.LearnedContact.load(file),
            st.LearnedContact.from_bytes(contact.to_bytes()),
            pickle.loads(pickle.dumps(contact)),
            copy.copy(contact),
            copy.deepcopy(contact),
        ):
            assert other == contact and other.kind == contact.kind and other.name == name
            assert other.provenance == contact.provenance
        assert name in repr(contact) and contact.kind in repr(contact)
    assert "learn train box" in st.LearnedContact.load("box").provenance["command"]
    assert st.LearnedContact.load("box") != st.LearnedContact.load("prism")


def test_a_box_slides_as_far_as_the_law_it_was_trained_on_says():
    # Ground truth of the case "box" is a friction pyramid with coefficient 0.4: along x that is Coulomb's law.
    sim = st.Simulation(model(), step=2e-3, contact=st.LearnedContact.load("box"))
    assert sim.learned.action is None and sim.learned.outside_steps == 0
    sim.qvel[0] = 1.5
    sim.step(50)
    assert sim.learned.action == "dynamic" and sim.learned.outside is None
    force = sim.contacts["force"].sum(axis=0)
    assert abs(abs(force[2]) - 9.81) < 1e-6
    sim.step(350)
    assert abs(sim.qpos[0] - 1.5**2 / (2 * 0.4 * 9.81)) < 0.01
    assert sim.learned.action == "static"
    rests = sim.qpos.copy()
    sim.step(100)
    np.testing.assert_allclose(sim.qpos, rests, atol=1e-9)
    sim.reset()
    assert sim.learned.action is None


def test_a_tossed_box_comes_to_rest_on_the_floor():
    sim = tossed(st.LearnedContact.load("box"))
    sim.step(800)
    assert np.abs(sim.qvel).max() < 1e-6
    assert min(abs(sim.qpos[2] - half) for half in (0.06, 0.08, 0.1)) < 2e-4  # a vertex that near touches


def test_a_simulation_with_a_law_pickles_copies_and_goes_on_bit_for_bit():
    sim = tossed(st.LearnedContact.load("box"))
    sim.step(200)
    others = [pickle.loads(pickle.dumps(sim)), copy.deepcopy(sim), st.Simulation(sim.model, **sim.options)]
    others[-1].load_state(sim.save_state())
    sim.step(200)
    for other in others:
        assert other.options["contact"] == st.LearnedContact.load("box")
        other.step(200)
        assert np.array_equal(other.qpos, sim.qpos) and np.array_equal(other.qvel, sim.qvel)


def test_a_varied_model_keeps_its_law():
    sim = tossed(st.LearnedContact.load("box"))
    sim.vary(gravity=[0, 0, -3.7])
    sim.step(100)
    assert sim.learned is not None and sim.options["contact"].kind == "dac"


def test_a_state_outside_the_training_range_is_flagged():
    sim = st.Simulation(model(), step=2e-3, contact=st.LearnedContact.load("box"))
    sim.qvel[0] = 60.0  # trained up to some m/s
    sim.step(1)
    outside = sim.learned.outside
    assert outside.what == "speed, m/s" and outside.value > outside.high > outside.low
    assert "speed" in str(outside) and sim.learned.outside_steps == 1
    assert sim.contacts["penetration"].max() < 1e-6  # physics holds there too
    sim.step(3)
    assert sim.learned.outside_steps == 4
    # Trained on a body in the plane, the law has never seen a face.
    flat = st.Simulation(model(), step=2e-3, contact=st.LearnedContact.load("box-2d"))
    flat.step(1)
    assert "surface" in flat.learned.outside.what


def test_without_such_a_law_there_is_no_report():
    assert st.Simulation(model()).learned is None
    assert st.Simulation(model(), contact=st.LearnedContact.load("cube")).learned is None


def test_wrong_and_damaged_files_say_what_is_wrong(tmp_path):
    good = st.LearnedContact.load("box").to_bytes()

    def refused(data, *says, name="weights.safetensors"):
        file = tmp_path / name
        file.write_bytes(data)
        with pytest.raises(ValueError) as error:
            st.LearnedContact.load(file)
        assert name in str(error.value)
        for text in says:
            assert text in str(error.value)

    refused(good[:-9], "safetensors")
    refused(good[:50], "safetensors")
    refused(b"", "safetensors")
    refused(b"", name="contact.json")
    refused(b"\xff\xfe\xfd", "neither", name="contact.bin")
    refused(b"{}", "contact file", name="contact.json")
    refused(good.replace(b"stiction-contact", b"stiction-cOntact"), "learn train")
    assert b'\\"version\\":2' in good
    refused(good.replace(b'\\"version\\":2', b'\\"version\\":7'), "version 7")
    refused(good[:-4] + bytes([good[-4] ^ 1]) + good[-3:], "checksum")
    refused(good.replace(b"point.speeds", b"point.speedy"), "point.speeds")
    nan = bytearray(good)
    nan[-4:] = b"\xff\xff\xff\xff"
    refused(bytes(nan), "finite")
    with pytest.raises(OSError, match=str(tmp_path)):
        st.LearnedContact.load(tmp_path)
    with pytest.raises(ValueError, match="sphere.*cube.*box"):
        st.LearnedContact.load("sphere")
    with pytest.raises(ValueError, match="to_bytes"):
        st.LearnedContact.load("box").to_json()


def test_models_and_options_that_do_not_fit_are_refused():
    law = st.LearnedContact.load("box")
    hinge = '<body pos="0 0 1"><joint type="hinge" name="h" {}/><geom size="0.1" mass="1"/></body>'
    for bodies, rest, says in [
        (hinge.format('range="-1 1" limited="true"'), "", 'joint "h" has limits.*remove the limits'),
        (hinge.format(""), '<actuator><motor joint="h"/></actuator>', "drives a joint.*remove it"),
        (hinge.format('frictionloss="1"'), "", "dry friction.*set its friction to zero"),
        (hinge.format(""), '<sensor><jointactuatorfrc joint="h"/></sensor>', "reads accelerations or forces.*remove the sensor"),
    ]:
        with pytest.raises(ValueError, match=f"{says}.*or choose another contact"):
            st.Simulation(model(bodies, rest), contact=law)
    for options, says in [
        ({"accuracy": 1e-3}, "accuracy = 0.001.*give a step"),
        ({"method": "continuous"}, "choose method = convex"),
        ({"tangential_springs": True}, "springs"),
        ({"margin": 1e-3}, "margin = 0.001.*leave it out"),
    ]:
        with pytest.raises(ValueError, match=says):
            st.Simulation(model(), contact=law, **options)
    with pytest.raises(ValueError, match="Simulation only"):
        st.Batch(model(), 2, contact=law)
    with pytest.raises(ValueError, match="Simulation only"):
        st.rollout(model(), np.zeros((1, 13)), steps=1, contact=law)
    # Two bodies that touch are found in the step; the state stays.
    sim = st.Simulation(model(BOX + BOX.replace("0 0 0.06", "0 0 0.1799").replace('"box"', '"top"', 1)), contact=law)
    before = sim.qpos.copy()
    with pytest.raises(st.SimulationError, match="box.*top"):
        sim.step()
    assert np.array_equal(sim.qpos, before)
