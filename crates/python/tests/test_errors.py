"""One family of exceptions, deprecations that warn, arrays that say when writing would have no effect."""

import pickle
import warnings

import models
import numpy as np
import pytest
import stiction as st


def test_every_exception_is_an_error_of_the_package_and_of_the_builtin_kind_it_was():
    for kind, builtin in [
        (st.InputError, ValueError),
        (st.InputTypeError, TypeError),
        (st.InputIndexError, IndexError),
        (st.ModelError, ValueError),
        (st.SimulationError, RuntimeError),
        (st.BusyError, RuntimeError),
        (st.FileError, OSError),
        (st.InternalError, RuntimeError),
    ]:
        assert issubclass(kind, st.Error) and issubclass(kind, builtin)
        again = pickle.loads(pickle.dumps(kind("what to do")))
        assert type(again) is kind and str(again) == "what to do" and kind.__module__ == "stiction"


def test_wrong_calls_raise_the_kind_that_says_what_is_wrong(tmp_path):
    model = models.pendulum()
    sim, batch = st.Simulation(model), st.Batch(model, 2)
    for kind, call in [
        (st.InputError, lambda: sim.body("bop")),
        (st.InputError, lambda: st.Simulation(model, margin=-1.0)),
        (st.InputTypeError, lambda: st.Simulation(model, margn=1.0)),
        (st.InputIndexError, lambda: sim.body(7)),
        (st.InputIndexError, lambda: batch.contacts[2]),
        (st.ModelError, lambda: st.Model.from_string("<mujoco><worldbody></mujoco>")),
        (st.FileError, lambda: sim.record(tmp_path / "no" / "folder.html")),
    ]:
        with pytest.raises(kind) as caught:
            call()
        assert isinstance(caught.value, st.Error)
    with sim.record(tmp_path / "a.html"), pytest.raises(st.BusyError, match="under way"):
        sim.record(tmp_path / "b.html")
    sim.set_controller(lambda t, q, v: sim.step())
    with pytest.raises(st.BusyError, match="in the middle of a step"):
        sim.step()


def test_a_failed_step_is_a_simulation_error():
    sim = st.Simulation(
        st.Model.from_string(
            "<mujoco><worldbody><body><joint/><inertial mass='1e-300' pos='0 0 0' diaginertia='1e-300 1e-300 1e-300'/></body></worldbody></mujoco>"
        )
    )
    sim.applied[0] = 1e300
    with pytest.raises(st.Error):
        sim.step(10)


def test_a_fault_inside_is_an_ordinary_exception():
    with pytest.raises(st.InternalError, match="internal fault: on purpose; please report it"):
        st._stiction._fault()


def test_old_names_work_and_warn():
    model = models.pendulum()
    sim, batch = st.Simulation(model), st.Batch(model, 2)
    with pytest.warns(DeprecationWarning, match="now called n"):
        batch.step(k=3)
    assert batch.time.tolist() == pytest.approx([0.003] * 2)
    with pytest.warns(DeprecationWarning, match=r"now batch.contacts\[world\]"):
        assert len(batch.contacts(1)) == 0
    with pytest.warns(DeprecationWarning, match="one number per world"):
        assert batch.stats()["steps"] == 6 and batch.stats(0)["steps"] == 3
    number = int(sim.add_controller(lambda t, q, v: None).number)
    with pytest.warns(DeprecationWarning, match="takes the handle"):
        sim.remove_controller(number)
    assert sim.controllers == []
    continuous = st.Simulation(model)
    with pytest.warns(DeprecationWarning, match="qacc"), pytest.raises(ValueError):
        continuous.accelerations  # noqa: B018


def test_new_names_do_not_warn():
    batch = st.Batch(models.pendulum(), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batch.step(3)
        assert [len(rows) for rows in batch.contacts] == [0, 0] and len(batch.patches) == 2 and batch.patches[:] == [[], []]
        assert batch.stats["steps"].tolist() == [3, 3] and batch.stats["seconds"]["solve"].shape == (2,)
        handle = batch.add_controller(lambda t, q, v: None)
        handle.remove()
    assert not handle.attached
    with pytest.raises(ValueError, match="was removed"):
        handle.remove()


def test_handles_follow_their_controllers_and_pickle_with_them():
    sim = st.Simulation(models.pendulum())
    first, second = sim.add_controller(np.zeros_like), sim.add_controller(np.ones_like)
    assert (first, second) == (0, 1) and first != second and hash(first) != hash(second)
    twin = pickle.loads(pickle.dumps(second))
    assert twin.number == 1 and twin.controller is np.ones_like and twin != second
    sim.remove_controller(first)
    assert second == 0 and twin == 1 and sim.controllers == [np.ones_like]


def test_arrays_that_would_be_ignored_when_written_are_read_only():
    model = st.Model.from_scene("arm")
    sim, batch = st.Simulation(model), st.Batch(model, 2)
    sim.step()
    batch.step()
    batch.vary(mass={"*": 1.0})
    arrays = {
        "model.gravity": model.gravity,
        "model.default_qpos": model.default_qpos,
        "model.body_masses": model.body_masses,
        "model.body": model.body(1).com,
        "inertia": model.body(1).inertia,
        "sim.gravity": sim.gravity,
        "sim.contacts": sim.contacts,
        "sim.body_contacts": sim.body_contacts,
        "sim.qacc": sim.qacc,
        "sim.body_pose": sim.body_pose(1).position,
        "sim.body_poses": sim.body_poses.quaternion,
        "batch.gravity": batch.gravity,
        "batch.energy": batch.energy.kinetic,
        "batch.failed": batch.failed,
        "batch.body_pose": batch.body_pose(1).position,
        "batch.contacts": batch.contacts[0],
        "batch.stats": batch.stats["steps"],
        "batch.parameters": next(iter(batch.parameters["mass"].values())),
    }
    arrays |= {f"sim.sensors {name}": reading for name, reading in sim.sensors.items()}
    arrays |= {f"batch.sensors {name}": reading for name, reading in batch.sensors.items()}
    assert {name for name, array in arrays.items() if array.flags.writeable} == set()
    for name in ("qpos", "qvel", "ctrl", "applied", "act"):
        assert getattr(sim, name).flags.writeable and getattr(batch, name).flags.writeable


def test_arrays_that_are_read_only_reversed_or_in_another_order_are_read():
    model = st.Model.from_scene("stack")
    sim, batch = st.Simulation(model), st.Batch(model, 2)
    q = model.default_qpos
    assert not q.flags.writeable
    for given in (q, q[::-1][::-1], q.astype(np.longdouble), np.repeat(q, 2)[::2]):
        sim.qpos = given
        assert np.array_equal(sim.qpos, q) and np.array_equal(model.com(given), model.com(q))
    rows = np.broadcast_to(q, (2, model.nq))
    batch.qpos = np.asfortranarray(rows)
    batch.reset(qpos=rows)
    assert np.array_equal(batch.qpos, rows)
    assert st.rollout(model, np.broadcast_to(np.r_[q, np.zeros(model.nv)], (2, model.nq + model.nv)), steps=2).shape[0] == 2
    # A view that somebody locks is theirs; the simulation's own array stays writable.
    view = sim.qpos
    view.flags.writeable = False
    sim.step()
    assert sim.qpos.flags.writeable and np.array_equal(view, sim.qpos)
