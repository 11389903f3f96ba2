"""Batches of the GPU on its host build: the numbers of simulations, copies in and out, and what is refused."""

import numpy as np
import pytest
import stiction as st


def test_worlds_on_the_host_build_step_like_simulations():
    model = st.Model.from_scene("gripper")
    options = {"speculative": False, "relative_tolerance": 1e-12}
    batch = st.GpuBatch(model, 3, device="host", **options)
    batch.reset(keyframe="lift")
    qvel = 0.1 * np.random.default_rng(2).normal(size=(3, model.nv))
    batch.qvel = qvel
    report = batch.step(5)
    assert report["unconverged"] == report["not_finite"] == 0 and report["contacts"] == batch.contact_counts.sum()
    assert batch.time == pytest.approx(5e-3) and len(batch) == batch.n == 3
    for i in range(3):
        sim = st.Simulation(model, **options)
        sim.reset(keyframe="lift")
        sim.qvel = qvel[i]
        sim.step(5)
        # Five steps, each to 1e-9.
        assert np.allclose(batch.qpos[i], sim.qpos, rtol=0, atol=5e-9)
        assert np.allclose(batch.qvel[i], sim.qvel, rtol=0, atol=5e-9)


def test_arrays_take_one_row_for_all_and_refuse_others():
    model = st.Model.from_scene("gripper")
    batch = st.GpuBatch(model, 2, device="host", speculative=False)
    batch.ctrl = [0.0, 0.0, 0.1]
    assert np.array_equal(batch.ctrl, [[0.0, 0.0, 0.1]] * 2)
    batch.applied = np.ones((2, model.nv))
    assert np.array_equal(batch.applied, np.ones((2, model.nv)))
    with pytest.raises(st.InputError, match=r"qpos has shape \(3,\): give \(2, 10\)"):
        batch.qpos = [1.0, 2.0, 3.0]
    with pytest.raises(st.InputError, match="give finite numbers"):
        batch.qvel = np.full((2, model.nv), np.nan)
    before = batch.qpos
    batch.step(3)
    batch.reset([1])
    assert np.array_equal(batch.qpos[1], before[1]) and not np.array_equal(batch.qpos[0], before[0])


def test_what_the_gpu_lacks_is_refused_with_the_whole_list():
    humanoid = st.Model.from_scene("humanoid")
    with pytest.raises(st.InputError) as refused:
        st.GpuBatch(humanoid, 2, device="host")
    assert "speculative = true" in str(refused.value) and "another shape" in str(refused.value)


def test_worlds_on_the_host_have_no_address():
    batch = st.GpuBatch(st.Model.from_scene("gripper"), 1, device="host", speculative=False)
    with pytest.raises(st.InputError, match="on the host"):
        batch.on_device("qpos")
    with pytest.raises(st.InputError, match="choose qpos, qvel or ctrl"):
        batch.on_device("mass")


def test_without_a_gpu_the_error_says_what_to_install():
    model = st.Model.from_scene("gripper")
    try:
        batch = st.GpuBatch(model, 2, speculative=False)
    except st.SimulationError as error:
        assert "NVRTC" in str(error) or "GPU" in str(error)
        return
    assert batch.step(1)["unconverged"] == 0
    assert batch.on_device("qpos").__cuda_array_interface__["shape"] == (2, model.nq)
