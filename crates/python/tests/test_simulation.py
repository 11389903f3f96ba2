"""Simulations: views, stepping, contacts, statistics, saving, errors."""

import copy
import gc
import os
import pickle
import signal
import threading
import time

import models
import numpy as np
import pytest
import stiction as st
from models import GRAVITY


def test_views_alias_the_simulation_in_both_directions():
    sim = st.Simulation(models.pendulum())
    q, v = sim.qpos, sim.qvel
    q[0] = 0.5
    assert sim.qpos[0] == 0.5
    sim.step()
    assert q[0] == sim.qpos[0] and q[0] != 0.5
    assert v[0] == sim.qvel[0] and v[0] == pytest.approx(-1e-3 * GRAVITY / 0.7 * np.sin(0.5), rel=1e-3)
    sim.qpos = [1.25]
    assert q[0] == 1.25
    sim.qpos[:] = 1.5
    assert q[0] == 1.5
    sim.qpos += 0.25  # assigns a view of the array to itself
    assert q[0] == 1.75
    for array, size in [(sim.qpos, 1), (sim.qvel, 1), (sim.ctrl, 1), (sim.applied, 1)]:
        assert array.shape == (size,) and array.dtype == np.float64 and array.flags.writeable


def test_views_outlive_the_simulation_and_what_is_done_to_them_stays_theirs():
    sim = st.Simulation(models.ball())
    view = sim.qpos
    view.shape = (7, 1)
    view.flags.writeable = False
    sim.step(3)  # the simulation's own array has kept its shape and flags
    assert sim.qpos.shape == (7,)
    before = view.copy()
    del sim
    gc.collect()
    assert np.array_equal(view, before)


def test_free_fall_follows_the_discrete_parabola():
    sim = st.Simulation(models.ball(), step=1e-2)
    sim.qpos[2] = 100.0
    sim.qvel[0] = 2.0
    sim.step(50)
    # v_n = −g n h, z_n = z_0 − g h² n (n + 1) / 2 for the semi-implicit step.
    assert sim.time == pytest.approx(0.5, abs=1e-12)
    assert sim.qvel[2] == pytest.approx(-GRAVITY * 0.5, rel=1e-12)
    assert sim.qpos[2] == pytest.approx(100 - GRAVITY * 1e-4 * 50 * 51 / 2, rel=1e-12)
    assert sim.qpos[0] == pytest.approx(0.1 + 2.0 * 0.5, rel=1e-12)
    assert sim.body_pose("ball").position == pytest.approx(sim.qpos[:3], abs=0)


def test_controls_and_applied_forces_drive_and_are_held():
    inertia = 2 * 0.7**2
    for name in ["ctrl", "applied"]:
        sim = st.Simulation(models.pendulum())
        getattr(sim, name)[:] = 3.0
        sim.step(2)
        assert sim.qvel[0] == pytest.approx(2e-3 * 3.0 / inertia, rel=1e-4)
        assert getattr(sim, name)[0] == 3.0


def test_the_force_on_a_resting_sphere_is_its_weight():
    # The balance of forces is solved to the relative tolerance.
    sim = st.Simulation(models.ball(), relative_tolerance=1e-10)
    assert len(sim.contacts) == 0 and sim.contacts.dtype == st.contact_dtype
    sim.step(2000)
    contacts = sim.contacts
    assert contacts.dtype.names == (
        *("geom_a", "geom_b", "body_a", "body_b", "position", "normal", "force"),
        *("penetration", "slip", "sticking"),
    )
    assert len(contacts) == 1
    row = contacts[0]
    names = [sim.model.geom_names[row["geom_a"]], sim.model.geom_names[row["geom_b"]]]
    bodies = [sim.model.body_names[row["body_a"]], sim.model.body_names[row["body_b"]]]
    assert names == ["ground", "sphere"] and bodies == ["world", "ball"]
    assert np.allclose(contacts["force"].sum(axis=0), [0, 0, 3 * GRAVITY], rtol=0, atol=1e-7)
    assert np.allclose(row["normal"], [0, 0, 1], atol=1e-12)
    assert np.allclose(row["position"][:2], sim.qpos[:2], atol=1e-9)
    assert row["penetration"] == pytest.approx(0.1 - sim.qpos[2], abs=1e-9) and row["penetration"] > 0
    assert np.linalg.norm(row["slip"]) < 1e-6 and row["sticking"]
    assert sim.patches == []
    with pytest.raises(ValueError, match="read-only"):
        sim.contacts["force"][:] = 0  # a copy: it would have no effect
    assert sim.contacts["force"][0, 2] > 1


def test_a_sliding_sphere_has_friction_against_its_slip():
    sim = st.Simulation(models.ball())
    sim.step(500)
    sim.qvel[0] = 1.0
    sim.step()
    row = sim.contacts[0]
    assert row["slip"][0] > 0.9 and row["force"][0] < 0 and not row["sticking"]


def test_statistics_count_what_was_done():
    sim = st.Simulation(models.ball())
    assert sim.stats["steps"] == 0 and sim.stats["iterations"] == 0
    sim.step(200)
    stats = sim.stats
    for key in ["steps", "iterations", "unconverged", "points", "patches", "faces", "max_iterations"]:
        assert isinstance(stats[key], int)
    assert stats["steps"] == 200 and stats["unconverged"] == 0
    assert stats["points"] >= 150 and stats["last_points"] == len(sim.contacts) == 1
    assert stats["iterations"] >= stats["max_iterations"] >= 1
    assert stats["max_penetration"] > 0
    assert set(stats) == set(st.Stats.__annotations__)
    assert set(stats["seconds"]) == {"kinematics", "proximity", "assemble", "solve", "advance"}
    assert 0 < sum(stats["seconds"].values()) < 10


def test_energy_of_a_swinging_pendulum_is_kept():
    sim = st.Simulation(models.pendulum(), step=1e-4)
    sim.qpos[0] = 1.0
    start = sim.energy
    assert start.kinetic == 0
    assert start.potential == pytest.approx(2 * GRAVITY * (1 - 0.7 * np.cos(1.0)), rel=1e-9)
    sim.step(5000)
    assert sim.energy.kinetic > 0.5 and sim.energy.total == pytest.approx(start.total, abs=5e-3)


def clutter(steps=200, **options):
    sim = st.Simulation(st.Model.from_scene("clutter"), step=2e-3, **options)
    sim.step(steps)
    return sim


def same(a, b):
    return a.time == b.time and np.array_equal(a.qpos, b.qpos) and np.array_equal(a.qvel, b.qvel)


@pytest.mark.parametrize("options", [{}, {"tangential_springs": True}, {"contact": "sap"}])
def test_saved_pickled_and_copied_simulations_continue_bit_for_bit(options):
    sim = clutter(steps=400, **options)
    assert len(sim.contacts) > 10
    saved, pickled, deep = sim.save_state(), pickle.dumps(sim), copy.deepcopy(sim)
    sim.step(100)
    assert not same(sim, deep)
    loaded = st.Simulation(sim.model, **sim.options)
    loaded.load_state(saved)
    for other in [loaded, pickle.loads(pickled), deep]:
        assert other.options == sim.options and other.stats["steps"] == 0
        other.step(100)
        assert same(sim, other)
        assert np.array_equal(sim.contacts, other.contacts)


def test_a_copy_goes_its_own_way():
    sim = st.Simulation(models.pendulum())
    other = copy.copy(sim)
    other.qpos[0] = 1.0
    assert sim.qpos[0] == 0.0 and other.model is sim.model


def test_states_that_do_not_fit_are_refused():
    sim = st.Simulation(models.ball())
    saved = sim.save_state()
    with pytest.raises(ValueError, match="another model"):
        st.Simulation(models.pendulum()).load_state(saved)
    with pytest.raises(ValueError, match="cut off"):
        sim.load_state(saved[:10])
    with pytest.raises(ValueError, match="another kind"):
        sim.load_state(bytes(100))


def test_loading_and_resetting_move_existing_views():
    sim = st.Simulation(models.ball())
    view, saved = sim.qpos, sim.save_state()
    sim.step(50)
    sim.load_state(saved)
    assert np.array_equal(view, sim.model.default_qpos) and sim.time == 0 and len(sim.contacts) == 0
    sim.qvel[0] = 3.0
    sim.step(50)
    sim.reset()
    assert np.array_equal(view, sim.model.default_qpos) and sim.time == 0 and not sim.qvel.any()


def test_keyframes_set_the_whole_state():
    sim = st.Simulation(models.pendulum())
    for key in ["side", "0", 0]:
        sim.reset()
        assert sim.qpos[0] == 0
        sim.reset(key)
        assert (sim.time, sim.qpos[0], sim.qvel[0], sim.ctrl[0]) == (0.5, 1.5, -0.25, 3.0)
    with pytest.raises(ValueError, match="side"):
        sim.reset(keyframe="top")


def test_wrong_states_are_value_errors_and_can_be_mended():
    sim = st.Simulation(models.ball())
    with pytest.raises(ValueError, match="qpos has 3 numbers, this model needs 7"):
        sim.qpos = [0, 0, 0]
    with pytest.raises(ValueError, match=r"qvel\[2\] is NaN"):
        sim.qvel = [0, 0, np.nan, 0, 0, 0]
    sim.qvel[1] = np.nan
    for use in [sim.step, sim.save_state, lambda: sim.energy, lambda: pickle.dumps(sim)]:
        with pytest.raises(ValueError, match=r"qvel\[1\] is NaN: give finite numbers"):
            use()
    sim.qvel[1] = 0.0
    sim.step()
    with pytest.raises(ValueError, match="zero or more"):
        sim.step(-1)
    with pytest.raises(ValueError, match="finite"):
        sim.time = np.inf
    with pytest.raises(AttributeError):
        sim.contacts = None


def test_a_step_that_cannot_be_completed_keeps_the_last_good_state():
    sim = st.Simulation(models.pendulum())
    sim.applied[0] = 1e308
    assert issubclass(st.SimulationError, RuntimeError)
    with pytest.raises(st.SimulationError, match="finite"):
        sim.step(10_000_000)
    assert np.isfinite(sim.qpos).all() and np.isfinite(sim.qvel).all()


@pytest.mark.parametrize(
    "options, word",
    [
        ({"step": 0.0}, "step"),
        ({"step": -1e-3}, "step"),
        ({"step": float("nan")}, "step"),
        ({"contact": "magic"}, "lagged, similar or sap"),
        ({"stiction_tolerance": 0.0}, "stiction_tolerance"),
        ({"regularization": -1.0}, "regularization"),
        ({"relative_tolerance": 1.0}, "relative_tolerance"),
        ({"margin": -0.1}, "margin"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"accuracy": 0.0}, "accuracy"),
        ({"tangential_springs": {"stiffness": 1.0}}, "stiffness_ratio"),
        ({"tangential_springs": {"stiffness_ratio": -1.0}}, "stiffness ratio"),
        ({"tangential_springs": 3}, "dict"),
        ({"tangential_springs": True, "contact": "sap"}, "lagged"),
    ],
)
def test_wrong_options_are_value_errors_that_name_them(options, word):
    with pytest.raises(ValueError, match=word):
        st.Simulation(models.ball(), **options)


def test_steps_under_error_control_choose_their_length():
    sim = st.Simulation(models.ball(), accuracy=1e-3)
    sim.qpos[2] = 0.5
    sim.run_until(1.0)
    assert sim.time == pytest.approx(1.0, abs=1e-12)
    assert 0 < sim.stats["min_step"] < sim.stats["max_step"] <= 0.1 and sim.stats["unconverged"] == 0
    twin = pickle.loads(pickle.dumps(sim))
    sim.step(3), twin.step(3)
    assert np.array_equal(sim.qpos, twin.qpos) and sim.time == twin.time
    with pytest.raises(ValueError, match="fixed length"):
        st.rollout(models.ball(), np.zeros((1, 13)), steps=1, accuracy=1e-3)


def test_fixed_steps_run_until_the_nearest_one():
    sim = st.Simulation(models.ball(), step=3e-3)
    sim.run_until(0.1)
    assert sim.stats["steps"] == 33 and sim.time == pytest.approx(0.099)
    with pytest.raises(ValueError, match="finite"):
        sim.run_until(float("inf"))


def test_options_come_back_as_given():
    options = {
        "step": 2e-3,
        "contact": "lagged",
        "contact_from": "stiction",
        "stiction_tolerance": 2e-4,
        "regularization": 0.0,
        "relative_tolerance": 1e-6,
        "margin": 1e-3,
        "normal_law": "linear",
        "speculative": False,
        "tangential_springs": {"stiffness_ratio": 0.5, "relaxation_time": 0.01},
        "max_iterations": 50,
        "friction_passes": 2,
        "tessellation": "fans",
        "accuracy": None,
        "max_step": 0.1,
        "method": "convex",
        "integrator": "radau",
        "adhesion": 0.0,
    }
    assert st.Simulation(models.ball(), **options).options == options
    options["tangential_springs"] |= {"stretch": 2e-4, "patch_relaxation_time": 0.02}
    assert st.Simulation(models.ball(), **options).options == options
    for law in ["hertz", "clamped-barrier:100,0.0005", [(0.0, 0.0), (0.001, 5.0)]]:
        again = st.Simulation(models.ball(), margin=1e-3, normal_law=law).options
        assert again["normal_law"] == law
        assert st.Simulation(models.ball(), **again).options == again
    for wrong in ["hertzian", [(0.0, 1.0), (1.0, 2.0)], [1.0, 2.0], 3]:
        with pytest.raises(ValueError, match="normal.law"):
            st.Simulation(models.ball(), normal_law=wrong)
    default = st.Simulation(models.ball()).options
    assert default["step"] == 1e-3 and default["tangential_springs"] == "auto"


def is_stepping(sim):
    """Whether another thread is in the middle of a step."""
    try:
        assert sim.time >= 0
    except RuntimeError as error:
        assert "middle of a step" in str(error)
        return True
    return False


def test_ctrl_c_ends_a_long_step_and_the_simulation_goes_on(interruptible):
    sim = clutter(steps=1)

    def interrupt():
        while not is_stepping(sim):
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        sim.step(100_000_000)  # days of work
    steps = sim.stats["steps"]
    assert steps > 1 and sim.time == pytest.approx(2e-3 * steps, rel=1e-9)
    sim.step()
    assert sim.stats["steps"] == steps + 1


def test_other_threads_run_while_a_step_does_and_are_told_to_wait():
    sim = clutter(steps=1)
    refused = 0
    for _ in range(20):  # a busy machine may not give this thread its turn in one call
        thread = threading.Thread(target=sim.step, args=(1500,))
        thread.start()
        while thread.is_alive():
            refused += is_stepping(sim)
            time.sleep(0.001)
        thread.join()
        if refused > 5:
            break
    assert refused > 5


def test_mocap_bodies_go_where_they_are_put():
    text = models.BALL.replace("<worldbody>", '<worldbody><body name="hand" mocap="true" pos="0 0 2"><geom size="0.05"/></body>')
    model = st.Model.from_string(text)
    assert model.mocap_names == ["hand"]
    sim = st.Simulation(model)
    sim.set_mocap("hand", [0.5, 0, 3], quaternion=[0, 0, 2, 0], linear_velocity=[0, 0, 1])
    for check in [sim, pickle.loads(pickle.dumps(sim))]:
        position, quaternion = check.body_pose("hand")
        assert np.array_equal(position, [0.5, 0, 3]) and np.array_equal(quaternion, [0, 0, 1, 0])
    with pytest.raises(ValueError, match="hand"):
        sim.set_mocap("ball", [0, 0, 0])
    with pytest.raises(ValueError, match="quaternion"):
        sim.set_mocap("hand", [0, 0, 0], quaternion=[0, 0, 0, 0])


def test_help_and_signatures_say_what_there_is():
    import inspect

    parameters = inspect.signature(st.Simulation).parameters
    assert list(parameters)[:5] == ["model", "step", "contact", "contact_from", "stiction_tolerance"]
    assert parameters["step"].default is None and parameters["contact"].default == "lagged"
    for thing in [st.Model, st.Simulation, st.rollout, st.scenes]:
        assert thing.__doc__
    for owner in [st.Model, st.Simulation]:
        for name in [n for n in vars(owner) if not n.startswith("_")]:
            assert getattr(owner, name).__doc__, f"{owner.__name__}.{name} has no docstring"


def test_forces_and_torques_are_taken_in_the_frame_they_are_said_to_be_in():
    sim = st.Simulation(models.ball())
    random = np.random.default_rng(3)
    q = random.normal(size=4)
    sim.qpos[3:] = q / np.linalg.norm(q)
    w, x, y, z = sim.qpos[3:]
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    force, torque, arm = random.normal(size=3), random.normal(size=3), random.normal(size=3)
    # A free body: a force in the world, a torque about its origin in its own axes.
    sim.apply_force("ball", force, sim.qpos[:3] + arm, torque)
    assert np.allclose(sim.applied, [*force, *(turn.T @ (torque + np.cross(arm, force)))])
    sim.applied = np.zeros(6)
    sim.body("ball").apply_force(force, arm, torque, frame="body")
    assert np.allclose(sim.applied, [*(turn @ force), *(torque + np.cross(arm, force))])
    sim.applied = np.zeros(6)
    sim.apply_force("ball", torque=torque)
    assert np.allclose(sim.applied, [0, 0, 0, *(turn.T @ torque)])
    for wrong, message in [
        (lambda: sim.apply_force("ball"), "give a force .N., a torque"),
        (lambda: sim.apply_force("ball", force, frame="tool"), 'frame = "tool": choose world or body'),
        (lambda: sim.apply_force("ball", torque=[0, np.nan, 0]), r"torque\[1\] is NaN"),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()


def test_options_are_changed_one_by_one():
    sim = st.Simulation(models.ball(), step=1e-3, margin=1e-3, tangential_springs={"stiffness_ratio": 0.5})
    before = sim.options
    sim.set_options(step=5e-4, contact="lagged", max_iterations=50)
    assert sim.options == {**before, "step": 5e-4, "max_iterations": 50}
    sim.step(2)
    assert sim.time == pytest.approx(1e-3)
    sim.set_options(accuracy=1e-4, max_step=2e-3, step=1e-4, tangential_springs=False)
    sim.run_until(0.05)
    assert 0 < sim.stats["max_step"] <= 2e-3
    sim.set_options(contact="sap")
    sim.set_options(contact="lagged")
    kept = sim.options
    for wrong, kind, message in [
        ({"step": -1.0}, ValueError, "step = -1"),
        ({"step": "long"}, TypeError, "step = long: give a number"),
        ({"stepp": 1.0}, TypeError, "did you mean step"),
        ({"contact": "sap", "tangential_springs": True}, ValueError, "choose contact = lagged"),
    ]:
        with pytest.raises(kind, match=message):
            sim.set_options(**wrong)
    assert sim.options == kept


def test_a_model_is_written_for_others_and_loads_back(tmp_path):
    model = models.tree()
    q, v = models.random_state(model, np.random.default_rng(0))
    assert model.save(tmp_path / "tree.xml") == []
    again = st.Model.from_file(tmp_path / "tree.xml")
    assert np.allclose(again.mass_matrix(q), model.mass_matrix(q), rtol=1e-9, atol=1e-12)
    lost = model.save(tmp_path / "tree.urdf")
    assert any("armature" in loss for loss in lost)
    assert st.Model.from_file(tmp_path / "tree.urdf").total_mass == pytest.approx(model.total_mass)
    with pytest.raises(ValueError, match="ends in .xml"):
        model.save(tmp_path / "tree.stl")
    with pytest.raises(OSError, match="nowhere"):
        model.save(tmp_path / "nowhere" / "tree.xml")
