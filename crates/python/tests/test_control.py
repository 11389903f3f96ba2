"""Trajectories, inverse kinematics, ready controllers, and what a controller reads."""

import pickle

import numpy as np
import pytest
import stiction as st

ARM = """<mujoco><worldbody>
<body pos="0 0 1"><joint name="a" axis="0 0 1" range="-170 170"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass="1"/>
<body pos=".3 0 0"><joint name="b" axis="0 1 0" range="-170 170"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass=".5"/>
<body pos=".3 0 0"><joint name="c" axis="0 1 0" range="-170 170"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" mass=".3"/>
<site name="tip" pos=".2 0 0"/></body></body></body></worldbody>
<actuator>{}</actuator></mujoco>"""
MOTORS = '<motor joint="a"/><motor joint="b"/><motor joint="c"/>'
SERVOS = "".join(f'<position joint="{j}" kp="500" kv="40"/>' for j in "abc")
PRESS = """<mujoco><worldbody><geom name="table" type="box" pos="0 0 -.1" size="1 1 .1"/>
<body name="block" pos="0 0 .05"><freejoint/><geom name="block" type="box" size=".05 .05 .05" mass="2"/></body>
<body name="hand" pos="0 0 .15"><joint name="lift" type="slide" axis="0 0 1" damping="20"/>
<geom name="pad" type="box" size=".03 .03 .05" mass=".5"/><site name="grip"/></body></worldbody>
<actuator><motor joint="lift" gear="-1"/></actuator><sensor><force name="ft" site="grip"/></sensor></mujoco>"""


def arm(actuators):
    return st.Model.from_string(ARM.format(actuators), "mjcf")


def test_paths_pass_their_keyframes_and_pickle():
    for kind in ["minimum-jerk", "cubic"]:
        path = st.JointPath([0, 1, 3], [[0, 1], [2, -1], [1, 0]], kind)
        assert path.end == 3.0
        q, v, a = path.at(1.0)
        assert np.allclose(q, [2, -1]) and v.shape == a.shape == (2,)
        again = pickle.loads(pickle.dumps(path))
        assert all(np.array_equal(x, y) for x, y in zip(path.at(0.7), again.at(0.7)))
    turn = [np.cos(0.5), 0, 0, np.sin(0.5)]
    path = st.PosePath([0, 2], [[0, 0, 0], [1, 0, 0]], [[1, 0, 0, 0], turn])
    position, quaternion, twist = path.at(1.0)
    assert np.allclose(position, [0.5, 0, 0]) and np.allclose(quaternion, [np.cos(0.25), 0, 0, np.sin(0.25)])
    assert np.allclose(twist, 1.875 / 2 * np.array([0, 0, 1, 1, 0, 0]))
    for bad in [lambda: st.JointPath([0, 0], [[0], [1]]), lambda: st.JointPath([0], [[0]], "linear")]:
        with pytest.raises(ValueError):
            bad()


@pytest.mark.parametrize("actuators, law", [(MOTORS, "inverse-dynamics"), (MOTORS, "pd-gravity"), (SERVOS, "servo-feed-forward")])
def test_joints_follow_a_path_under_every_law(actuators, law):
    sim = st.Simulation(arm(actuators), step=1e-3)
    path = st.JointPath([0, 1], [[0, 0, 0], [0.5, -0.4, 0.6]])
    gains = {"stiffness": 60.0, "damping": 2.0} if law == "pd-gravity" else {"stiffness": 400.0, "damping": 40.0}
    sim.set_controller(st.JointTracking(["a", "b", "c"], path, law=law, **gains))
    sim.run_until(1.0)
    copy = pickle.loads(pickle.dumps(sim))
    for one in (sim, copy):
        one.run_until(4.0)
        assert np.abs(one.qpos - [0.5, -0.4, 0.6]).max() < 1e-3
    assert np.array_equal(sim.qpos, copy.qpos)


def test_a_site_follows_a_path_of_poses_and_reach_finds_it():
    model = arm(SERVOS)
    sim = st.Simulation(model, step=1e-3)
    sim.qpos = [0.1, -0.5, 0.9]
    ik = st.InverseKinematics(model, ["a", "b", "c"], "tip", length=1e-6, speed_limits=[2.0] * 3)
    position, quaternion = ik.pose(sim.qpos)
    goal = ik.pose([0.3, -0.6, 1.0])[0]
    found = ik.reach(sim.qpos, goal, ik.pose([0.3, -0.6, 1.0])[1])
    assert np.allclose(found, [0.3, -0.6, 1.0], atol=1e-4)
    speeds = ik.solve(sim.qpos, position + [5.0, 5.0, 5.0], quaternion, period=0.01)
    assert np.abs(speeds).max() <= 2.0
    way = st.PosePath([0, 1], [position, ik.pose([0.3, -0.6, 1.0])[0]], [quaternion, ik.pose([0.3, -0.6, 1.0])[1]])
    sim.set_controller(st.PoseTracking(["a", "b", "c"], "tip", way))
    sim.run_until(3.0)
    assert np.abs(ik.pose(sim.qpos)[0] - goal).max() < 1e-3


def test_a_function_reads_contacts_sensors_and_torques():
    sim, seen = st.Simulation(st.Model.from_string(PRESS, "mjcf"), step=1e-3), []

    def press(time, q, v, measured):
        seen.append(measured)
        return [25.0]

    sim.set_controller(press, period=0.01, sensing=True)
    sim.run_until(2.0)
    last, pressed = seen[-1], 25.0 + 0.5 * 9.81
    assert seen[0].touches == [] and not seen[0].sensors.any()
    assert last.force("block", "table") == pytest.approx([0, 0, pressed + 2 * 9.81], abs=1e-2)
    assert last.force("block", "pad") == pytest.approx([0, 0, -pressed], abs=1e-2)
    assert last.normal_force("pad") == pytest.approx(pressed, abs=1e-2)
    assert last.area("pad") == 0.0
    assert last.joint_torques[6] == pytest.approx(-25.0)
    assert last.sensor("ft")[2] == pytest.approx(0.5 * 9.81 - pressed, abs=1e-2)
    assert {type(t) for t in last.touches} == {st.Touch} and len(last.touches) == 2
    with pytest.raises(ValueError, match="no sensor called"):
        last.sensor("nose")
    with pytest.raises(ValueError, match="no body called"):
        last.force("nose")


def test_wrong_controllers_say_what_to_do():
    sim = st.Simulation(arm(SERVOS))
    path = st.JointPath([0], [[0, 0, 0]])
    with pytest.raises(ValueError, match="has no motor"):
        sim.set_controller(st.JointTracking(["a", "b", "c"], path, law="pd"))
    with pytest.raises(ValueError, match="choose servo"):
        st.JointTracking(["a"], path, law="magic")
    with pytest.raises(ValueError, match="period of its own"):
        sim.set_controller(st.JointTracking(["a", "b", "c"], path), period=0.1)
    with pytest.raises(ValueError, match="needs 1"):
        sim.set_controller(st.JointTracking(["a"], path))


FINGERS = """<mujoco><worldbody>
<body pos="-.06 0 0"><joint name="left" type="slide" axis="1 0 0" range="0 .05"/><geom name="left" type="box" size=".01 .02 .02" mass=".1"/></body>
<body pos=".06 0 0"><joint name="right" type="slide" axis="-1 0 0" range="0 .05"/><geom name="right" type="box" size=".01 .02 .02" mass=".1"/></body>
<body name="ball"><freejoint/><geom type="sphere" size=".03" mass=".05"/></body></worldbody>
<option gravity="0 0 0"/><equality><joint joint1="right" joint2="left"/></equality><actuator><motor joint="left"/></actuator></mujoco>"""


def test_fingers_close_to_a_force_and_follow_it():
    model = st.Model.from_string(FINGERS)
    path = st.JointPath([3.0, 3.5], [[4.0], [10.0]])
    felt = []
    for grip in [st.GripForce("left", ["left", "right"], 4.0), st.GripForce("left", ["left", "right"], path)]:
        sim = st.Simulation(pickle.loads(pickle.dumps(model)))
        sim.set_controller(pickle.loads(pickle.dumps(grip)))
        for until in (3.0, 7.0):
            sim.run_until(until)
            contacts = sim.contacts
            felt.append(np.abs(contacts["force"][:, 0]).sum() / 2)
    assert np.allclose(felt, [4.0, 4.0, 4.0, 10.0], rtol=2e-3)
    for wrong, message in [
        (lambda: st.GripForce("left", ["left"], -1.0), "zero or more"),
        (lambda: st.GripForce("left", ["left"], 1.0, period=np.inf), "period = inf"),
        (lambda: sim.add_controller(st.GripForce("right", ["left"], 1.0)), '"right" has no motor'),
        (lambda: sim.add_controller(st.GripForce("left", ["thumb"], 1.0)), 'no body called "thumb"'),
        (lambda: sim.add_controller(st.GripForce("left", [], 1.0)), "needs pads"),
        (lambda: sim.add_controller(st.GripForce("left", ["left"], 1.0, period=0.0)), "needs a positive one"),
        (lambda: sim.add_controller(st.GripForce("left", ["left"], st.JointPath([0], [[1, 2]]))), "2 numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()


def test_a_path_at_speed_finds_its_own_times():
    positions, still = [[0, 0, 0], [0.3, 0, 0], [0.3, 0.1, 0]], [[1, 0, 0, 0]] * 3
    path = st.PosePath.at_speed(1.0, positions, still, 0.5, 2.0)
    assert np.allclose(path.times, [1.0, 1.0 + 1.875 * 0.6, 1.0 + 1.875 * 0.8]) and path.end == path.times[-1]
    fastest = max(np.linalg.norm(path.at(t)[2][3:]) for t in np.linspace(1, path.end, 2001))
    assert fastest == pytest.approx(0.5, rel=1e-4)
    twin = pickle.loads(pickle.dumps(path))
    assert all(np.array_equal(a, b) for a, b in zip(path.at(1.7), twin.at(1.7), strict=True))
    with pytest.raises(ValueError, match="needs positive speeds"):
        st.PosePath.at_speed(0.0, positions, still, 0.0, 1.0)


def test_inverse_kinematics_pickles_with_all_its_settings():
    model = arm(SERVOS)
    ik = st.InverseKinematics(
        model,
        ["a", "b", "c"],
        "tip",
        [1.0, 2.0, 3.0],
        5.0,
        0.05,
        0.2,
        regular=0.01,
        weights=[0, 0, 0, 1, 1, 1],
        linear_speed=0.3,
        angular_speed=0.7,
        posture=[0.1, 0.2, 0.3],
        posture_rate=2.0,
    )
    plain = st.InverseKinematics(model, ["a", "b", "c"], "tip")
    q = np.array([0.3, -0.5, 0.8])
    position, quaternion = ik.pose(q)
    wanted = position + [0.05, -0.1, 0.1]
    twin = pickle.loads(pickle.dumps(ik))
    found = ik.solve(q, wanted, quaternion, period=0.01)
    assert np.array_equal(found, twin.solve(q, wanted, quaternion, period=0.01))
    assert not np.allclose(found, plain.solve(q, wanted, quaternion, period=0.01))
    for wrong, message in [
        (lambda: st.InverseKinematics(model, ["a"], "tip", weights=[1, 2]), "weights has 2 numbers"),
        (lambda: st.InverseKinematics(model, ["a", "b"], "tip", posture=[0.0]), "posture has 1 numbers"),
        (lambda: st.InverseKinematics(model, ["a"], "tip", damping=0.0), "must be positive"),
        (lambda: ik.solve(q, wanted, [0, 0, 0, 0]), "no length"),
        (lambda: ik.solve(q, wanted, quaternion, period=-1.0), "period = -1"),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()


SKIN = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="hand" pos="0 0 .06"><joint name="lift" type="slide" axis="0 0 1"/><geom type="box" size=".03 .03 .02" mass=".5" contype="0" conaffinity="0"/>
<body name="pad" pos="0 0 -.03"><geom name="pad" type="box" size=".02 .03 .01" mass=".1" friction="0.5 0 0">
<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value="1e6"/><drake:hunt_crossley_dissipation value="20"/></drake:proximity_properties>
</geom></body></body></worldbody>
<actuator><motor joint="lift" gear="-1"/></actuator></mujoco>"""


def test_wrenches_and_skins_are_measured_for_controllers():
    model = st.Model.from_string(SKIN)
    sim, seen = st.Simulation(model), []
    # Under the pad, z of the grid out of the skin: down.
    grid = st.TactileGrid("pad", [0.04, 0.06], 3, 2, [0, 0, -0.01], [0, 1, 0, 0])

    def feels(t, q, v, measured):
        pressure, shear = measured.skin(0)
        assert pressure.shape == (3, 2) and shear.shape == (3, 2, 2)
        seen.append((measured.wrench("pad"), pressure.sum() * grid.cell_area, measured.normal_force("pad")))
        with pytest.raises(ValueError, match='wrench at "hand" is not measured: name it in wrenches'):
            measured.wrench("hand")
        with pytest.raises(IndexError, match="no skin 1, there are 1"):
            measured.skin(1)
        return [4.0]

    sim.add_controller(feels, wrenches=["pad"], skins=[grid])
    twin = pickle.loads(pickle.dumps(st.Simulation(model)))
    assert twin.controllers == []
    sim.run_until(1.0)
    wrench, skin, normal = seen[-1]
    weight = 0.6 * 9.81 + 4.0
    assert normal == pytest.approx(weight, rel=1e-3) and skin == pytest.approx(normal, rel=1e-9)
    # The hand presses the pad down with all but the pad's own weight.
    assert wrench[5] == pytest.approx(-(weight - 0.1 * 9.81), rel=1e-3)
