"""Batches: the same numbers as simulations one by one, on any number of threads."""

import copy
import os
import pickle
import signal
import threading
import time

import models
import numpy as np
import pytest
import stiction as st


def shaken(model, n, seed=1):
    """Velocities of n worlds."""
    return 0.3 * np.random.default_rng(seed).normal(size=(n, model.nv))


def one_by_one(model, qvel, steps, **options):
    sims = []
    for v in qvel:
        sim = st.Simulation(model, **options)
        sim.qvel = v
        sim.step(steps)
        sims.append(sim)
    return sims


def test_worlds_are_simulations_bit_for_bit_on_any_number_of_threads():
    model = st.Model.from_scene("clutter")
    options = {"step": 2e-3, "tangential_springs": True}
    qvel = shaken(model, 5)
    sims = one_by_one(model, qvel, 100, **options)
    for threads in [1, 2, 3]:
        batch = st.Batch(model, 5, threads=threads, **options)
        batch.qvel = qvel
        for _ in range(10):
            batch.step(10)
        for i, sim in enumerate(sims):
            assert np.array_equal(batch.qpos[i], sim.qpos) and np.array_equal(batch.qvel[i], sim.qvel)
            assert batch.time[i] == sim.time
            assert np.array_equal(batch.contacts[i], sim.contacts)
            assert batch.simulation(i).save_state() == sim.save_state()


def test_arrays_are_live_writable_and_keep_their_place():
    model = models.pendulum()
    batch = st.Batch(model, 4, 2)
    q, v, u, t = batch.qpos, batch.qvel, batch.ctrl, batch.time
    assert [a.shape for a in (q, v, u, t)] == [(4, 1), (4, 1), (4, 1), (4,)]
    q[:, 0] = [0.0, 0.1, 0.2, 0.3]
    u[3] = 1.5
    batch.step(50)
    assert np.allclose(t, 0.05) and q is not batch.qpos and np.shares_memory(q, batch.qpos)
    for i, start in enumerate([0.0, 0.1, 0.2, 0.3]):
        sim = st.Simulation(model)
        sim.qpos, sim.ctrl = [start], [1.5 if i == 3 else 0.0]
        sim.step(50)
        assert np.array_equal(q[i], sim.qpos) and np.array_equal(v[i], sim.qvel)
    t[1] = 7.0
    batch.step()
    assert np.allclose(batch.time, [0.051, 7.001, 0.051, 0.051])
    batch.qpos = [0.5]  # one row for all worlds
    assert np.array_equal(batch.qpos, np.full((4, 1), 0.5))


def test_reset_takes_numbers_masks_states_and_keyframes():
    model = models.pendulum()
    batch = st.Batch(model, 4, 2)
    batch.ctrl[:] = 1.0
    batch.step(10)
    after = batch.qpos.copy()
    batch.reset([1])
    assert batch.qpos[1] == 0.0 and batch.ctrl[1] == 0.0 and batch.time[1] == 0.0
    assert np.array_equal(batch.qpos[[0, 2, 3]], after[[0, 2, 3]])
    batch.reset(np.array([True, False, False, True]), qpos=[[0.3], [0.4]], qvel=[-1.0])
    assert np.array_equal(batch.qpos.ravel(), [0.3, 0.0, after[2, 0], 0.4])
    assert batch.qvel[0] == batch.qvel[3] == -1.0 and batch.qvel[1] == 0.0
    batch.reset(2, keyframe="side")
    assert (batch.qpos[2], batch.qvel[2], batch.ctrl[2], batch.time[2]) == (1.5, -0.25, 3.0, 0.5)
    batch.reset()
    assert not batch.qpos.any() and not batch.time.any()
    batch.reset([], qpos=[9.0])
    assert not batch.qpos.any()


def test_sensors_energy_and_poses_have_one_row_a_world():
    text = models.PENDULUM.replace("</mujoco>", '<sensor><jointpos name="angle" joint="pivot"/></sensor></mujoco>')
    model = st.Model.from_string(text)
    batch = st.Batch(model, 3)
    batch.qpos[:, 0] = [0.0, 0.5, 1.0]
    batch.qvel[:, 0] = [0.0, 1.0, 2.0]
    assert np.array_equal(batch.sensors["angle"], batch.qpos)
    assert np.allclose(batch.energy.kinetic, 0.5 * 2 * (0.7 * batch.qvel[:, 0]) ** 2, rtol=1e-8)
    assert batch.energy.total.shape == (3,)
    pose = batch.body_pose("bob")
    for i in range(3):
        alone = model.body_pose("bob", batch.qpos[i])
        assert np.array_equal(pose.position[i], alone.position)
        assert np.array_equal(pose.quaternion[i], alone.quaternion)
    batch.step(5)
    assert batch.stats["steps"].sum() == 15 and batch.stats["steps"][1] == 5
    assert batch.patches[0] == [] and not batch.failed.any()


def test_saved_copied_and_pickled_batches_continue_bit_for_bit():
    model = st.Model.from_scene("clutter")
    batch = st.Batch(model, 3, 2, step=2e-3, tangential_springs=True)
    batch.qvel = shaken(model, 3)
    batch.step(50)
    saved, others = batch.save_state(), [pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)]
    batch.step(20)
    for other in others:
        assert (other.n, other.threads, other.options) == (3, 2, batch.options)
        other.step(20)
        assert np.array_equal(other.qpos, batch.qpos) and np.array_equal(other.qvel, batch.qvel)
    end = batch.qpos.copy()
    batch.load_state(saved)
    batch.step(20)
    assert np.array_equal(batch.qpos, end)
    with pytest.raises(ValueError, match="holds 3 worlds, this batch has 2"):
        st.Batch(model, 2).load_state(saved)
    with pytest.raises(ValueError, match="from another model"):
        st.Batch(models.pendulum(), 3).load_state(saved)


def test_wrong_input_says_what_to_do():
    model = models.pendulum()
    batch = st.Batch(model, 3)
    for text, wrong in {
        r"qpos has shape \(2, 1\): give \(1,\) for all worlds or \(3, 1\), one row a world": lambda: setattr(batch, "qpos", [[0.0], [0.0]]),
        r"ctrl\[1, 0\] is NaN: give finite numbers": lambda: setattr(batch, "ctrl", [[0.0], [np.nan], [0.0]]),
        r"qpos has shape \(3,\): give \(1,\) for all worlds or \(2, 1\)": lambda: batch.reset([0, 1], qpos=[0.0, 1.0, 2.0]),
        "indices has 2 booleans: give one for each of the 3 worlds": lambda: batch.reset([True, False]),
        "n = -1: give zero or more steps": lambda: batch.step(-1),
        "threads = 0": lambda: st.Batch(model, 3, threads=0),
        'no keyframe called "sid" \\(did you mean "side"\\?\\)': lambda: batch.reset(keyframe="sid"),
    }.items():
        with pytest.raises(ValueError, match=text):
            wrong()
    with pytest.raises(IndexError, match="no world 3: they go from 0 to 2"):
        batch.contacts[3]
    with pytest.raises(TypeError, match=r"no option \"accurcy\" \(did you mean accuracy\?\)"):
        st.Batch(model, 3, accurcy=1e-3)
    with pytest.raises(TypeError, match="margin = much: give a number"):
        st.Simulation(model, margin="much")
    batch.qvel[1] = np.inf
    with pytest.raises(ValueError, match=r"world 1: qvel\[0\] is inf"):
        batch.step()
    assert not batch.time.any()


def test_a_world_that_fails_is_named_and_the_others_go_on():
    model = models.ball()
    batch = st.Batch(model, 4, 2)
    batch.qvel[2, 0] = batch.applied[2, 0] = np.finfo(float).max
    with pytest.raises(st.SimulationError, match="world 2: the state stopped being finite"):
        batch.step(10)
    assert list(batch.failed) == [False, False, True, False]
    assert np.allclose(batch.time, [0.01, 0.01, 0.0, 0.01])
    batch.reset(batch.failed)
    batch.step(10)
    assert not batch.failed.any()


def test_error_control_ends_every_world_at_the_time_asked_for():
    batch = st.Batch(models.double_pendulum(), 3, accuracy=1e-4)
    batch.qpos[:, 0] = [0.1, 1.0, 2.0]
    batch.run_until(0.3)
    assert np.allclose(batch.time, 0.3, rtol=0, atol=1e-9)


def test_ctrl_c_ends_a_long_call_and_the_batch_goes_on(interruptible):
    batch = st.Batch(models.pendulum(), 8, 2)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        batch.step(10**12)
    assert time.monotonic() - begin < 5.0
    batch.reset()
    batch.step(10)
    assert np.allclose(batch.time, 0.01)


def test_other_threads_run_while_a_batch_steps():
    batch = st.Batch(st.Model.from_scene("clutter"), 4, 2, step=2e-3)
    most = 0
    for _ in range(20):  # a busy machine may not give this thread its turn in one call
        worker = threading.Thread(target=batch.step, args=(150,))
        worker.start()
        counted = 0
        while worker.is_alive():
            counted += 1
            time.sleep(0.001)
        worker.join()
        most = max(most, counted)
        if most > 10:
            break
    assert most > 10


def swings(t, q, v):
    return -2.0 * q - 0.3 * v + np.sin(20 * t)


def remembers(t, q, v, measured):
    measured.memory = [*measured.memory, *q]
    return [0.1 * len(measured.memory)]


@pytest.mark.parametrize("threads", [1, 3])
def test_controllers_of_a_batch_do_what_they_do_in_simulations(threads):
    model = models.pendulum()
    path = st.JointPath([0, 0.1], [[0.2], [0.6]])
    track = st.JointTracking(["pivot"], path, law="pd", period=0.004)
    start = np.linspace(0, 1, 5)[:, None]
    for added in [[(swings, 0.002, False)], [(track, 0.0, False)], [(swings, 0.0, False), (remembers, 0.003, True)]]:
        batch = st.Batch(model, 5, threads)
        batch.qpos = start
        for controller, period, sensing in added:
            batch.add_controller(controller, period, sensing)
        batch.step(25)
        copies = [pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)]
        alone = batch.simulation(3)
        for other in [batch, *copies]:
            assert other.controllers == batch.controllers or controller is track
            other.step(25)
        alone.step(25)
        assert np.array_equal(alone.qpos, batch.qpos[3])
        for i in range(5):
            sim = st.Simulation(model)
            sim.qpos = start[i]
            for controller, period, sensing in added:
                sim.add_controller(controller, period, sensing)
            sim.step(50)
            for other in [batch, *copies]:
                assert np.array_equal(other.qpos[i], sim.qpos) and np.array_equal(other.ctrl[i], sim.ctrl)
            assert batch.simulation(i).save_state() == sim.save_state()


def test_each_world_may_have_a_controller_of_its_own_that_writes_to_its_row():
    batch = st.Batch(models.pendulum(), 3, 2)

    def push(world):
        def controller(t, q, v):
            batch.ctrl[world] = world + 1.0

        return controller

    handle = batch.add_controller([push(world) for world in range(3)])
    assert handle == 0
    batch.step(3)
    assert batch.ctrl.ravel().tolist() == [1.0, 2.0, 3.0]
    batch.remove_controller(handle)
    batch.ctrl[:] = 0.0
    batch.step()
    assert not batch.ctrl.any() and batch.controllers == []
    with pytest.raises(ValueError, match="2 controllers for 3 worlds: give one for all, or a list"):
        batch.set_controller([swings, swings])
    with pytest.raises(ValueError, match="there is no controller 0"):
        batch.remove_controller(0)


def test_a_controller_that_fails_in_a_batch_is_named_with_its_world_and_the_others_go_on():
    batch = st.Batch(models.pendulum(), 4, 2)
    batch.qpos[2] = 1.0

    def fails(t, q, v):
        if q[0] > 0.9:
            raise KeyError("lost")
        return [0.0]

    batch.set_controller(fails)
    with pytest.raises(st.SimulationError, match=r"world 2: controller 0 \(fails\) failed at t = 0 s") as caught:
        batch.step(5)
    assert isinstance(caught.value.__cause__, KeyError)
    assert batch.failed.tolist() == [False, False, True, False]
    assert np.allclose(batch.time, [0.005, 0.005, 0.0, 0.005])


MOVED = """<mujoco><worldbody>
<body name="tray" mocap="true"><geom name="tray" type="box" size=".2 .2 .02"/></body>
<body name="cube" pos="0 0 .0395"><freejoint/><geom type="box" size=".02 .02 .02" mass=".1"/></body>
</worldbody></mujoco>"""


def test_mocap_bodies_move_in_each_world_as_in_a_simulation():
    model = st.Model.from_string(MOVED)
    batch = st.Batch(model, 3, 2)
    turn = np.array([[1, 0, 0, 0], [1, 0, 0, 0], [np.cos(0.1), 0, 0, np.sin(0.1)]])
    speed = np.array([[0, 0, 0], [0.3, 0, 0], [0, -0.2, 0]])
    for k in range(50):
        batch.set_mocap("tray", 1e-3 * k * speed, turn, linear_velocity=speed)
        batch.step()
    for i in range(3):
        sim = st.Simulation(model)
        for k in range(50):
            sim.set_mocap("tray", 1e-3 * k * speed[i], turn[i], linear_velocity=speed[i])
            sim.step()
        assert np.array_equal(batch.qpos[i], sim.qpos)
    assert batch.qpos[1, 0] > 0.005, "it is carried along"
    batch.set_mocap("tray", [0, 0, 1.0], indices=[1])
    assert batch.body_pose("tray").position[:, 2].tolist() == [0.0, 1.0, 0.0]
    for wrong, message in [
        (lambda: batch.set_mocap("tray", [[0, 0, 0]] * 2), r"position has shape \(2, 3\): give \(3,\) for all worlds or \(3, 3\)"),
        (lambda: batch.set_mocap("tray", [0, 0, np.nan]), r"position\[2\] is NaN"),
        (lambda: batch.set_mocap("tray", [0, 0, 0], [0, 0, 0, 0]), "no length"),
        (lambda: batch.set_mocap("cube", [0, 0, 0]), 'no mocap body called "cube"'),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()


def test_forces_and_torques_act_in_each_world_as_in_a_simulation():
    model = models.ball()
    batch, random = st.Batch(model, 3), np.random.default_rng(5)
    batch.qpos[:, 3:] = random.normal(size=(3, 4))
    batch.qpos[:, 3:] /= np.linalg.norm(batch.qpos[:, 3:], axis=1, keepdims=True)
    force, torque = random.normal(size=(3, 3)), random.normal(size=3)
    batch.apply_force("ball", force, [0.1, 0, 0], torque, "body", [0, 1, 2])
    batch.apply_force("ball", [1, 0, 0], indices=1)
    for i in range(3):
        sim = st.Simulation(model)
        sim.qpos = batch.qpos[i]
        sim.apply_force("ball", force[i], [0.1, 0, 0], torque, "body")
        if i == 1:
            sim.apply_force("ball", [1, 0, 0])
        assert np.array_equal(batch.applied[i], sim.applied)
