"""Bodies, joints, geoms and actuators by name, and targets of servos."""

import pickle

import models
import numpy as np
import pytest
import stiction as st

ARM = """<mujoco model="arm">
  <worldbody>
    <body name="upper">
      <joint name="shoulder" type="hinge" axis="0 1 0" range="-90 90" damping="0.1"/>
      <geom name="bone" type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3" mass="1"/>
      <body name="lower" pos="0 0 -0.3">
        <joint name="elbow" type="hinge" axis="0 1 0" damping="0.1"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3" mass="0.5"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="hold" joint="shoulder" kp="200" kv="20" gear="2"/>
    <velocity name="spin" joint="elbow" kv="5" ctrlrange="-3 3"/>
    <motor name="push" joint="elbow"/>
  </actuator>
</mujoco>"""


def arm():
    return st.Model.from_string(ARM)


def test_the_model_says_what_it_knows_by_name():
    model = arm()
    body, joint, geom = model.body("lower"), model.joint("shoulder"), model.geom("bone")
    assert (body.id, body.parent, body.mass, body.mocap) == (2, 1, 0.5, False)
    assert np.allclose(body.com, [0, 0, -0.15]) and body.inertia.shape == (3, 3)
    assert (joint.type, joint.body, joint.qpos, joint.qvel) == ("hinge", 1, slice(0, 1, 1), slice(0, 1, 1))
    assert np.allclose(joint.range, [-np.pi / 2, np.pi / 2]) and model.joint("elbow").range is None
    assert (geom.id, geom.shape, geom.body, geom.compliant, geom.modulus) == (0, "capsule", 1, False, None)
    assert model.geom("#1") == model.geom(1) == model.geom(model.geom_names[1])
    assert [model.actuator(i).type for i in range(3)] == ["position", "velocity", "motor"]
    assert (model.actuator("spin").joint, model.actuator("spin").ctrl_range) == ("elbow", (-3.0, 3.0))
    for info in (body, joint, geom, model.actuator("hold")):
        assert repr(pickle.loads(pickle.dumps(info))) == repr(info)


def test_handles_are_live():
    sim = st.Simulation(arm())
    elbow, lower, push = sim.joint("elbow"), sim.body("lower"), sim.actuator("push")
    elbow.qpos = 0.5
    elbow.qvel[:] = 2.0
    assert sim.qpos[1] == 0.5 and sim.qvel[1] == 2.0 and np.shares_memory(elbow.qpos, sim.qpos)
    assert np.allclose(lower.velocity, [0, 2, 0, 0, 0, 0]) and np.allclose(lower.position, [0, 0, -0.3])
    assert np.allclose(lower.quaternion, [np.cos(0.25), 0, np.sin(0.25), 0])
    push.ctrl = 3.0
    assert list(sim.ctrl) == [0, 0, 3] and push.ctrl == 3.0
    lower.apply_force([1.0, 0, 0])
    assert np.allclose(sim.applied, [-0.3, 0.0])  # 1 N at a distance of 0.3 m below the shoulder
    lower.mass = 2.0
    assert lower.mass == 2.0 and sim.model.total_mass == 3.0 and sim.qpos[1] == 0.5
    assert sim.body("upper").name == "upper" and "upper" in repr(sim.body("upper"))
    for handle in (elbow, lower, push, sim.geom("bone")):
        twin = pickle.loads(pickle.dumps(handle))
        assert (twin.name, twin.id) == (handle.name, handle.id)


def test_targets_are_reached_in_the_joints_own_units():
    sim = st.Simulation(arm(), step=1e-3)
    sim.gravity = [0, 0, 0]
    sim.set_target("shoulder", 0.4)
    sim.set_target("elbow", velocity=1.5)
    assert np.allclose(sim.ctrl, [0.8, 1.5, 0])  # the servo's length is its gear times the angle
    sim.step(3000)
    assert abs(sim.qpos[0] - 0.4) < 0.02 and abs(sim.qvel[1] - 1.5) < 0.1
    sim.set_target("hold", -0.4)
    assert sim.ctrl[0] == -0.8
    for text, wrong in {
        "give a position": lambda: sim.set_target("elbow"),
        'no position servo drives the joint "elbow"': lambda: sim.set_target("elbow", 1.0),
        'the actuator "push" is no position servo': lambda: sim.set_target("push", 1.0),
        r'no joint or actuator called "sholder" \(did you mean "shoulder"\?\)': lambda: sim.set_target("sholder", 1.0),
        "the target is NaN": lambda: sim.set_target("shoulder", np.nan),
    }.items():
        with pytest.raises(ValueError, match=text):
            wrong()


def test_wrong_names_ask_what_was_meant():
    model, sim = arm(), st.Simulation(arm())
    for owner in (model, sim):
        with pytest.raises(ValueError, match=r'no body called "uper" \(did you mean "upper"\?\)'):
            owner.body("uper")
        with pytest.raises(ValueError, match=r'no joint called "elbo" \(did you mean "elbow"\?\)'):
            owner.joint("elbo")
        with pytest.raises(ValueError, match='no actuator called "thumb"; it has: hold, spin, push'):
            owner.actuator("thumb")
        with pytest.raises(IndexError, match="no joint 7: ids go from 0 to 1"):
            owner.joint(7)
    assert models.tree().joint("root").type == "free"
