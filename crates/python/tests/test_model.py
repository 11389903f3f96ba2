"""Models: what is read, dynamics against closed forms and identities, errors."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import models
import numpy as np
import pytest
import stiction as st
from models import GRAVITY, L1, L2, M1, M2


def test_sizes_and_names_are_those_of_the_file():
    model = models.tree()
    assert (model.nq, model.nv, model.nu) == (7 + 2 + 4 + 1, 6 + 2 + 3 + 1, 0)
    assert model.body_names == ["world", "base", "arm", "hand", "mast"]
    assert model.joint_names == ["root", "yaw", "pitch", "wrist", "lift"]
    assert model.name == "tree"
    assert model.default_qpos.shape == (model.nq,)
    assert np.array_equal(model.default_qpos[:7], [0, 0, 1, 1, 0, 0, 0])
    assert np.array_equal(model.gravity, [0, 0, -9.81])
    assert model.body_masses.sum() == pytest.approx(model.total_mass, rel=1e-12)
    assert model.body_masses[1] == pytest.approx(0.4 * 0.2 * 0.1 * 500, rel=1e-12)
    assert model.qpos_slice("wrist") == slice(9, 13, 1)
    assert model.qvel_slice("lift") == slice(11, 12, 1)
    assert models.ball().geom_names == ["ground", "sphere"] and len(model.geom_names) == 4
    assert "tree" in repr(model) and "nq 14" in repr(model)
    pendulum = models.pendulum()
    assert pendulum.actuator_names == ["drive"] and pendulum.keyframe_names == ["side"]


def test_pendulum_accelerates_by_g_over_l_times_the_sine():
    model = models.pendulum()
    for angle in np.linspace(-3, 3, 25):
        acceleration = model.forward_dynamics([angle], [0.7], [0.0])
        assert acceleration.shape == (1,)
        # About +y, a mass below the pivot falls back: θ̈ = −(g/l) sin θ. The bob's own inertia is 1e-9.
        assert acceleration[0] == pytest.approx(-GRAVITY / 0.7 * np.sin(angle), rel=1e-8, abs=1e-9)


def test_double_pendulum_has_the_textbook_mass_matrix_bias_and_energy():
    model, random = models.double_pendulum(), np.random.default_rng(0)
    for _ in range(50):
        (q1, q2), (v1, v2) = random.normal(size=(2, 2))
        c, s = np.cos(q2), np.sin(q2)
        coupling = M2 * L2**2 + M2 * L1 * L2 * c
        mass = np.array([[M1 * L1**2 + M2 * (L1**2 + L2**2 + 2 * L1 * L2 * c), coupling], [coupling, M2 * L2**2]])
        gravity = GRAVITY * np.array([(M1 + M2) * L1 * np.sin(q1) + M2 * L2 * np.sin(q1 + q2), M2 * L2 * np.sin(q1 + q2)])
        coriolis = M2 * L1 * L2 * s * np.array([-(2 * v1 * v2 + v2**2), v1**2])
        assert np.allclose(model.mass_matrix([q1, q2]), mass, rtol=0, atol=1e-8)
        assert np.allclose(model.bias([q1, q2], [v1, v2]), gravity + coriolis, rtol=0, atol=1e-8)
        energy = model.energy([q1, q2], [v1, v2])
        height1 = -L1 * np.cos(q1)
        height2 = height1 - L2 * np.cos(q1 + q2)
        assert energy.potential == pytest.approx(GRAVITY * (M1 * height1 + M2 * height2), abs=1e-9)
        assert energy.kinetic == pytest.approx(0.5 * np.array([v1, v2]) @ mass @ [v1, v2], abs=1e-7)
        assert energy.total == energy.kinetic + energy.potential


def test_forward_dynamics_inverts_inverse_dynamics_and_both_agree_with_the_mass_matrix():
    model, random = models.tree(), np.random.default_rng(1)
    for _ in range(30):
        q, v = models.random_state(model, random)
        a = random.normal(size=model.nv)
        tau = model.inverse_dynamics(q, v, a)
        mass = model.mass_matrix(q)
        assert mass.shape == (model.nv, model.nv) and np.array_equal(mass, mass.T)
        assert np.linalg.eigvalsh(mass).min() > 0
        scale = np.abs(tau).max()
        assert np.allclose(mass @ a + model.bias(q, v), tau, rtol=0, atol=1e-11 * scale)
        assert np.allclose(model.forward_dynamics(q, v, tau), a, rtol=0, atol=1e-8)
        assert model.energy(q, v).kinetic == pytest.approx(0.5 * v @ mass @ v, rel=1e-11)


def test_jacobian_gives_the_velocity_of_the_body():
    model, random, h = models.tree(), np.random.default_rng(2), 1e-6
    hinge = model.qvel_slice("pitch").start
    place = model.qpos_slice("pitch").start
    for _ in range(10):
        q, _ = models.random_state(model, random)
        ahead, behind = q.copy(), q.copy()
        ahead[place] += h
        behind[place] -= h
        jacobian = model.jacobian("hand", q)
        assert jacobian.shape == (6, model.nv)
        difference = (model.body_pose("hand", ahead).position - model.body_pose("hand", behind).position) / (2 * h)
        assert np.allclose(jacobian[3:, hinge], difference, atol=1e-8)
        # A point at an offset r moves by ω × r more.
        origin, offset = model.body_pose("hand", q).position, random.normal(size=3)
        moved = model.jacobian("hand", q, point=origin + offset)
        assert np.array_equal(moved[:3], jacobian[:3])
        expected = jacobian[3:] + np.cross(jacobian[:3].T, offset).T
        assert np.allclose(moved[3:], expected, atol=1e-12)


def test_poses_and_centre_of_mass_are_where_geometry_puts_them():
    model = models.double_pendulum()
    position, quaternion = model.body_pose("lower", [np.pi / 2, 0.0])
    # Turned by +90° about y, what hung down points to −x.
    assert np.allclose(position, [-L1, 0, 0], atol=1e-15)
    assert np.allclose(quaternion, [np.sqrt(0.5), 0, np.sqrt(0.5), 0], atol=1e-15)
    assert np.array_equal(model.body_pose(2, [np.pi / 2, 0.0]).position, position)
    com = (M1 * -L1 + M2 * -(L1 + L2)) / (M1 + M2)
    assert np.allclose(model.com([0.0, 0.0]), [0, 0, com], atol=1e-12)


def test_any_array_like_is_taken_and_the_answer_is_the_same():
    model = models.double_pendulum()
    q, v = np.array([0.3, -0.4]), np.array([1.0, 2.0])
    expected = model.bias(q, v)
    strided = np.array([[0.3, 9.0], [-0.4, 9.0]])[:, 0]
    assert np.array_equal(model.bias(strided, v), expected)
    assert np.array_equal(model.bias((0.3, -0.4), [1, 2]), expected)
    assert np.array_equal(model.bias(q, v.astype(int)), expected)
    assert np.array_equal(model.bias(q.astype(">f8"), v), expected)


def test_arguments_may_use_the_model_while_they_are_read():
    model = models.double_pendulum()

    class Position:
        def __array__(self, dtype=None, copy=None):
            return model.mass_matrix([0.1, 0.2])[0]

    assert np.array_equal(model.com(Position()), model.com(model.mass_matrix([0.1, 0.2])[0]))


def test_threads_may_share_a_model():
    model, random = models.tree(), np.random.default_rng(4)
    states = [models.random_state(model, random) for _ in range(200)]
    expected = [model.bias(q, v) for q, v in states]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda state: model.bias(*state), states))
    assert all(np.array_equal(a, b) for a, b in zip(expected, found, strict=True))


def test_a_model_pickles_with_everything():
    for model in [models.tree(), models.pendulum(), st.Model.from_scene("clutter")]:
        twin = pickle.loads(pickle.dumps(model))
        assert twin is not model
        assert twin.body_names == model.body_names and twin.warnings == model.warnings
        q, v = models.random_state(model, np.random.default_rng(3))
        assert np.array_equal(twin.bias(q, v), model.bias(q, v))
        # States are tied to models: a copy's are the model's own.
        st.Simulation(twin).load_state(st.Simulation(model).save_state())
    assert copy.copy(model) is model and copy.deepcopy(model) is model


def test_damaged_bytes_are_refused_with_the_reason():
    restore, (blob,) = models.pendulum().__reduce__()
    with pytest.raises(st.ModelError, match="cut off"):
        restore(b"abc")
    with pytest.raises(st.ModelError, match="another kind"):
        restore(b"x" * len(blob))
    with pytest.raises(st.ModelError, match="version"):
        restore(blob[:8] + b"\xff" + blob[9:])
    with pytest.raises(st.ModelError, match="damaged"):
        restore(blob[: len(blob) // 2])


def test_files_scenes_and_text_load_alike(tmp_path):
    path = tmp_path / "ball.xml"
    path.write_text(models.BALL)
    for model in [st.Model.from_file(path), st.Model.from_file(str(path))]:
        assert model.body_names == models.ball().body_names
    assert "clutter" in st.scenes()
    by_name, by_scene = st.Model.from_file("clutter"), st.Model.from_scene("clutter")
    assert np.array_equal(by_name.default_qpos, by_scene.default_qpos) and by_name.nv == 240


def test_wrong_models_are_model_errors_that_name_the_place(tmp_path):
    assert issubclass(st.ModelError, ValueError)
    with pytest.raises(st.ModelError, match="missing.xml"):
        st.Model.from_file(tmp_path / "missing.xml")
    with pytest.raises(st.ModelError, match="clutter"):  # the names there are
        st.Model.from_file("no_such_scene")
    with pytest.raises(st.ModelError, match="clutter"):
        st.Model.from_scene("no_such_scene")
    broken = tmp_path / "broken.xml"
    broken.write_text("<mujoco>\n<worldbody>\n</mujoco>")
    with pytest.raises(st.ModelError, match=r"broken\.xml:3"):
        st.Model.from_file(broken)
    with pytest.raises(st.ModelError, match="robot"):
        st.Model.from_string("<robot name='a'/>", format="mjcf")
    with pytest.raises(st.ModelError, match="bob"):
        st.Model.from_string(models.PENDULUM.replace('mass="2"', 'mass="-2"'))
    with pytest.raises(ValueError, match="mjcf, urdf or sdf"):
        st.Model.from_string("<mujoco/>", format="yaml")


def test_what_is_not_honoured_warns_and_is_an_error_when_strict():
    text = models.BALL.replace("<worldbody>", '<option cone="elliptic"/><nonsense/><worldbody>')
    model = st.Model.from_string(text)
    warning = next(w for w in model.warnings if "nonsense" in w.element + w.message)
    file, element, line, message = warning
    assert (warning.file, warning.element, warning.line, warning.message) == (file, element, line, message)
    assert line == 3 and message in str(warning)
    with pytest.raises(st.ModelError, match="strict"):
        st.Model.from_string(text, strict=True)
    assert st.Model.from_string(models.BALL, strict=True).nv == 6


def test_wrong_vectors_are_value_errors_that_say_what_is_needed():
    model = models.double_pendulum()
    with pytest.raises(ValueError, match="q has 3 numbers, this model needs 2"):
        model.mass_matrix([0, 0, 0])
    with pytest.raises(ValueError, match=r"q has shape \(2, 1\)"):
        model.mass_matrix(np.zeros((2, 1)))
    with pytest.raises(ValueError, match="v has 1 numbers, this model needs 2"):
        model.bias([0, 0], [0])
    with pytest.raises(ValueError, match=r"a\[1\] is NaN"):
        model.inverse_dynamics([0, 0], [0, 0], [0, np.nan])
    with pytest.raises(ValueError, match=r"tau\[0\] is inf"):
        model.forward_dynamics([0, 0], [0, 0], [np.inf, 0])
    with pytest.raises(ValueError):
        model.bias("up", [0, 0])


def test_wrong_names_list_the_names_there_are():
    model = models.double_pendulum()
    with pytest.raises(ValueError, match="world, upper, lower"):
        model.body_pose("middle", [0, 0])
    with pytest.raises(ValueError, match="shoulder, elbow"):
        model.qpos_slice("hip")
    with pytest.raises(IndexError, match="to 2"):
        model.body_pose(3, [0, 0])
    with pytest.raises(IndexError):
        model.body_pose(-1, [0, 0])
