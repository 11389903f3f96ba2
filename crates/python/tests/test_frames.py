"""Sites, geoms and cameras by name: poses, velocities and Jacobians against differences and compositions of poses."""

import models
import numpy as np
import pytest
import stiction as st

ARM = """<mujoco><option timestep="0.001"/><worldbody>
<body name="tray" mocap="true" pos="1 0 0"><site name="rim" pos=".1 0 0" euler="0 0 90"/></body>
<body name="base" pos="0 0 1"><freejoint name="root"/><geom name="block" type="box" size=".1 .2 .3" pos=".05 0 0"/>
  <body name="arm" pos=".2 0 0"><joint name="elbow" axis="0 1 0"/><joint name="turn" axis="1 0 0"/>
    <geom name="rod" type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
    <site name="tip" pos=".3 .01 .02" euler="10 20 30"/><camera name="eye" pos=".1 0 .1" euler="0 40 0" fovy="50"/>
  </body></body></worldbody></mujoco>"""
KINDS = ["body", "site", "geom", "camera"]


def turned(quaternion, vector):
    w, xyz, vector = quaternion[0], quaternion[1:], np.asarray(vector)
    return vector + 2 * np.cross(xyz, np.cross(xyz, vector) + w * vector)


def product(a, b):
    w = a[0] * b[0] - a[1:] @ b[1:]
    return np.array([w, *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


@pytest.fixture
def moved():
    model = st.Model.from_string(ARM)
    sim, batch = st.Simulation(model), st.Batch(model, 3)
    random = np.random.default_rng(3)
    for row in range(3):
        batch.qpos[row], batch.qvel[row] = models.random_state(model, random)
    sim.qpos, sim.qvel = batch.qpos[1], batch.qvel[1]
    for where in (sim, batch):
        where.set_mocap("tray", [1.0, 2.0, 3.0], [0.6, 0.8, 0.0, 0.0])
    return model, sim, batch


def test_a_frame_stands_where_its_body_and_its_place_in_it_put_it(moved):
    model, sim, _ = moved
    for name, kind in [("tip", "site"), ("rim", "site"), ("block", "geom"), ("rod", "geom"), ("eye", "camera")]:
        info = getattr(model, kind)(name)
        body, frame = sim.body_pose(info.body), getattr(sim, f"{kind}_pose")(name)
        np.testing.assert_allclose(frame.position, body.position + turned(body.quaternion, info.position), atol=1e-14)
        expected = product(body.quaternion, np.array(info.quaternion))
        assert abs(expected @ frame.quaternion) == pytest.approx(1.0, abs=1e-14)
        handle = getattr(sim, kind)(name)
        assert np.array_equal(handle.position, frame.position) and np.array_equal(handle.quaternion, frame.quaternion)
    np.testing.assert_allclose(sim.site("rim").position, [1.1, 2.0, 3.0], atol=1e-15)
    assert model.camera("eye").field_of_view == pytest.approx(np.radians(50)) and model.camera_names == ["eye"]
    assert model.site_names == ["rim", "tip"]


def test_all_frames_at_once_are_those_of_each_and_those_of_the_worlds_of_a_batch(moved):
    model, sim, batch = moved
    for kind in KINDS:
        names = getattr(model, f"{kind}_names")
        together, worlds = getattr(sim, f"{kind}_poses"), getattr(batch, f"{kind}_poses")
        assert worlds.position.shape == (3, len(names), 3) and worlds.quaternion.shape == (3, len(names), 4)
        for id, name in enumerate(names):
            one, rows = getattr(sim, f"{kind}_pose")(name), getattr(batch, f"{kind}_pose")(id)
            assert np.array_equal(one.position, together.position[id]) and np.array_equal(one.quaternion, together.quaternion[id])
            assert np.array_equal(one.position, rows.position[1]) and np.array_equal(rows.position, worlds.position[:, id])
            assert np.array_equal(getattr(batch, kind)(name).quaternion, worlds.quaternion[:, id])
            alone = getattr(model, f"{kind}_pose")(name, sim.qpos)
            if name not in ("rim", "tray"):  # the model has mocap bodies where the file puts them
                assert np.array_equal(alone.position, one.position)


def test_the_jacobian_of_a_site_gives_its_velocity(moved):
    model, sim, batch = moved
    tip, h = sim.site("tip"), 1e-6
    before = model.site_pose("tip", sim.qpos)
    velocity = tip.velocity
    assert np.array_equal(sim.site_jacobian("tip"), model.site_jacobian("tip", sim.qpos))
    np.testing.assert_allclose(batch.site("tip").velocity[1], velocity, rtol=1e-12)
    np.testing.assert_allclose(batch.site_jacobian("tip")[1] @ batch.qvel[1], velocity, rtol=1e-12)
    assert np.array_equal(batch.jacobian("arm")[1], sim.body("arm").jacobian)
    np.testing.assert_allclose(sim.jacobian("arm", tip.position), tip.jacobian, atol=1e-14)
    # The tip after h at these velocities: positions along the velocities, rotations by the exponential map.
    q, v = sim.qpos.copy(), sim.qvel
    q[:3] += h * v[:3]
    angle = h * np.linalg.norm(v[3:6])
    q[3:7] = product(q[3:7], np.array([np.cos(angle / 2), *(np.sin(angle / 2) * v[3:6] / np.linalg.norm(v[3:6]))]))
    q[7:] += h * v[6:]
    after = model.site_pose("tip", q)
    np.testing.assert_allclose((after.position - before.position) / h, velocity[3:], atol=1e-4)
    turn = product(after.quaternion, before.quaternion * [1, -1, -1, -1])
    np.testing.assert_allclose(2 * turn[1:] * np.sign(turn[0]) / h, velocity[:3], atol=1e-4)


def test_accelerations_are_means_over_the_last_step(moved):
    _, sim, batch = moved
    assert not sim.qacc.any() and not batch.qacc.any()
    before = sim.qvel.copy()
    sim.step()
    batch.step()
    np.testing.assert_allclose(sim.qacc, (sim.qvel - before) / 1e-3, atol=1e-9)
    assert np.array_equal(batch.qacc[1], sim.qacc) and np.array_equal(sim.joint("turn").qacc, sim.qacc[-1:])
    with pytest.raises(ValueError, match="read-only"):
        sim.qacc[0] = 1.0


def test_falling_freely_is_an_acceleration_of_gravity():
    sim = st.Simulation(models.ball())
    sim.qpos[2] = 5.0
    sim.step(3)
    np.testing.assert_allclose(sim.qacc, [0, 0, -9.81, 0, 0, 0], atol=1e-9)


def test_keyframes_are_arrays():
    key = models.pendulum().keyframe("side")
    assert (key.name, key.time, key.id) == ("side", 0.5, 0)
    assert key.qpos.tolist() == [1.5] and key.qvel.tolist() == [-0.25] and key.ctrl.tolist() == [3.0] and key.act.shape == (0,)
    with pytest.raises(ValueError, match='did you mean "side"'):
        models.pendulum().keyframe("sid")
    tray = st.Model.from_string(ARM.replace("</mujoco>", '<keyframe><key name="k" mpos="1 2 3" mquat="0 1 0 0"/></keyframe></mujoco>'))
    assert tray.keyframe(0).mocap_position.tolist() == [[1.0, 2.0, 3.0]] and tray.keyframe("k").mocap_quaternion.tolist() == [[0, 1, 0, 0]]
    assert np.array_equal(tray.keyframe("k").qpos, tray.default_qpos)


def test_contact_forces_by_body_pair_carry_the_weight():
    model = st.Model.from_string("""<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="0 0 1"/>
      <body name="lower" pos="0 0 .1"><freejoint/><geom type="box" size=".2 .2 .1" mass="3"/></body>
      <body name="upper" pos=".05 0 .25"><freejoint/><geom type="box" size=".1 .1 .05" mass="2"/></body></worldbody></mujoco>""")
    sim = st.Simulation(model)
    assert len(sim.body_contacts) == 0 and not sim.contact_force("upper").force.any()
    sim.step(1000)
    ground, pair = sim.body_contacts
    assert (ground["body_a"], ground["body_b"], pair["body_a"], pair["body_b"]) == (0, 1, 1, 2)
    np.testing.assert_allclose(pair["force"], [0, 0, 2 * 9.81], atol=1e-3)
    np.testing.assert_allclose(ground["force"], [0, 0, 5 * 9.81], atol=1e-3)
    # The upper box stands 5 cm off the middle of the lower one and is in balance.
    np.testing.assert_allclose(pair["torque"], 0, atol=1e-3)
    on_lower = sim.contact_force("lower", "upper")
    np.testing.assert_allclose(on_lower.force, [0, 0, -2 * 9.81], atol=1e-3)
    np.testing.assert_allclose(on_lower.torque, [0, 0.05 * 2 * 9.81, 0], atol=1e-3)
    np.testing.assert_allclose(sim.body("lower").contact_force().force, [0, 0, 3 * 9.81], atol=1e-3)
    assert pair["normal_force"] == pytest.approx(2 * 9.81, abs=1e-3) and pair["points"] == 4 and pair["patches"] == 0
    batch = st.Batch(model, 2)
    batch.step(1000)
    assert np.array_equal(batch.contact_force("lower", "upper").torque[1], on_lower.torque)
    assert np.array_equal(batch.body_contacts[1], sim.body_contacts)
    with pytest.raises(ValueError, match="read-only"):
        sim.contacts["force"][:] = 0.0
