"""What a newcomer gets wrong: every method and setter answers with an exception that says what to do, and changes nothing."""

import inspect
import pickle
import re

import models
import numpy as np
import pytest
import stiction as st

ARM = """<mujoco><worldbody>
<body name="tray" mocap="true"><geom name="tray" type="box" size=".1 .1 .01"/></body>
<body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0" range="-90 90"/><geom name="rod" type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass="1"/>
<site name="tip" pos=".3 0 0"/></body></worldbody>
<tendon><fixed name="cord"><joint joint="elbow" coef="1"/></fixed></tendon>
<actuator><position name="servo" joint="elbow" kp="50"/><general name="lagging" joint="elbow" dyntype="filter" dynprm="0.1"/></actuator>
<sensor><jointpos name="angle" joint="elbow"/></sensor>
<keyframe><key name="up" qpos="1"/></keyframe></mujoco>"""

#: A message helps if it says one of these.
REMEDY = re.compile(
    r"give|choose|did you mean|this model needs|it has:|ids go from|they go from|there are none|must be|missing|argument|"
    r"cannot be interpreted|cannot be converted|expected|name it|built-in scenes|file|ends in|needs|is not an instance of|"
    r"correct the|end its name|the options are|load it with"
)

NAMES = ["elbo", "", 99, -1, 1.5, None, object()]
JOINTS = ["elbo", "", None, 3.5, object()]


def vectors(n):
    """What is no vector of n finite numbers."""
    wrong = np.zeros(n)
    if n:
        yield np.full(n, np.nan)
        wrong[-1] = np.inf
        yield wrong
    yield from ([0.0] * (n + 1), [[[0.0]]], "fast", [None], object(), {"a": 1})


def numbers(*bad):
    yield from (np.nan, np.inf, "fast", None, [1.0, 2.0], object(), *bad)


def make():
    model = st.Model.from_string(ARM)
    return model, st.Simulation(model), st.Batch(model, 3)


def cases(model, sim, batch):
    q, v = np.zeros(1), np.zeros(1)
    renderer = st.Renderer(model, 8, 8)
    for x in vectors(1):
        for name in ["tendon_lengths", "tendon_moments", "actuator_lengths", "actuator_moments", "mass_matrix", "com"]:
            yield f"Model.{name}", lambda name=name, x=x: getattr(model, name)(x)
        for name in ["passive_forces", "bias", "energy", "sensors"]:
            yield f"Model.{name}", lambda name=name, x=x: getattr(model, name)(x, v)
            yield f"Model.{name}", lambda name=name, x=x: getattr(model, name)(q, x)
        for name in ["inverse_dynamics", "forward_dynamics"]:
            for at in range(3):
                yield f"Model.{name}", lambda name=name, x=x, at=at: getattr(model, name)(*[x if k == at else q for k in range(3)])
        yield "Model.body_pose", lambda x=x: model.body_pose("arm", x)
        yield "Model.jacobian", lambda x=x: model.jacobian("arm", x)
        for name in ["qpos", "qvel", "applied", "act"]:
            yield f"Simulation.{name}", lambda name=name, x=x: setattr(sim, name, x)
        yield "InverseKinematics.pose", lambda x=x: st.InverseKinematics(model, ["elbow"], "tip").pose(x)
        yield "JointPath", lambda x=x: st.JointPath([0], x)
    for x in vectors(2):
        yield "Simulation.ctrl", lambda x=x: setattr(sim, "ctrl", x)
        yield "Model.actuator_forces", lambda x=x: model.actuator_forces(q, v, x)
        yield "TactileGrid", lambda x=x: st.TactileGrid("arm", x, 2, 2)
    for x in vectors(3):
        yield "Simulation.gravity", lambda x=x: setattr(sim, "gravity", x)
        yield "Batch.gravity", lambda x=x: setattr(batch, "gravity", x)
        yield "Simulation.jacobian", lambda x=x: sim.jacobian("arm", x)
        yield "Batch.jacobian", lambda x=x: batch.jacobian("arm", x)
        yield "World.add", lambda x=x: st.World().add(model, position=x)
        yield "Simulation.vary", lambda x=x: sim.vary(gravity=x)
        yield "Batch.vary", lambda x=x: batch.vary(gravity=x)
        yield "Model.varied", lambda x=x: model.varied(gravity=x)
        yield "Model.jacobian", lambda x=x: model.jacobian("arm", q, x)
        yield "Simulation.set_mocap", lambda x=x: sim.set_mocap("tray", x)
        yield "Simulation.set_mocap", lambda x=x: sim.set_mocap("tray", [0, 0, 0], linear_velocity=x)
        yield "Batch.set_mocap", lambda x=x: batch.set_mocap("tray", x)
        yield "Batch.set_mocap", lambda x=x: batch.set_mocap("tray", [0, 0, 0], angular_velocity=x)
        for thing, where in [("Simulation", sim), ("Batch", batch)]:
            yield f"{thing}.apply_force", lambda where=where, x=x: where.apply_force("arm", x)
            yield f"{thing}.apply_force", lambda where=where, x=x: where.apply_force("arm", torque=x)
            yield f"{thing}.apply_force", lambda where=where, x=x: where.apply_force("arm", [1, 0, 0], x)
        ik = st.InverseKinematics(model, ["elbow"], "tip")
        yield "InverseKinematics.solve", lambda x=x: ik.solve(q, x, [1, 0, 0, 0])
        yield "InverseKinematics.reach", lambda x=x: ik.reach(q, x, [1, 0, 0, 0])
        yield "TactileGrid", lambda x=x: st.TactileGrid("arm", [1, 1], 2, 2, x)
    for x in vectors(4):
        yield "World.add", lambda x=x: st.World().add(model, quaternion=x)
        yield "Simulation.set_mocap", lambda x=x: sim.set_mocap("tray", [0, 0, 0], x)
        yield "Batch.set_mocap", lambda x=x: batch.set_mocap("tray", [0, 0, 0], x)
        yield "InverseKinematics.solve", lambda x=x: ik.solve(q, [0, 0, 0], x)
    for x in ([[0.0]] * 2, [[0.0]] * 4, [0.0, 0.0], [[np.nan]] * 3, "fast", [[[0.0]]], object()):
        for name in ["qpos", "qvel", "applied", "act"]:
            yield f"Batch.{name}", lambda name=name, x=x: setattr(batch, name, x)
        yield "Batch.reset", lambda x=x: batch.reset(qpos=x)
        yield "Batch.reset", lambda x=x: batch.reset(qvel=x)
    for x in ([[0.0]] * 3, [0.0], [[np.inf, 0]] * 3, "fast"):
        yield "Batch.ctrl", lambda x=x: setattr(batch, "ctrl", x)
    for x in ([0.0, 0.0], [np.nan] * 3, "noon", 1.0):
        yield "Batch.time", lambda x=x: setattr(batch, "time", x)
    for x in (3, -1, [0, 7], [True, False], [0.5], "all", object()):
        yield "Batch.reset", lambda x=x: batch.reset(x)
        yield "Batch.vary", lambda x=x: batch.vary(x, gravity=[0, 0, 0])
        yield "Batch.randomize", lambda x=x: batch.randomize(1, x, mass={"arm": (0.5, 1)})
        yield "Batch.apply_force", lambda x=x: batch.apply_force("arm", [1, 0, 0], indices=x)
        yield "Batch.set_mocap", lambda x=x: batch.set_mocap("tray", [0, 0, 0], indices=x)
    for x in (3, -1, "first", None, 0.5):
        yield "Batch.simulation", lambda x=x: batch.simulation(x)
        for name in ["contacts", "patches", "body_contacts"]:
            yield f"Batch.{name}", lambda name=name, x=x: getattr(batch, name)[x]
    for x in NAMES:
        for name in ["body", "joint", "geom", "actuator", "site", "camera", "equality"]:
            for thing, where in [("Model", model), ("Simulation", sim), ("Batch", batch)]:
                yield f"{thing}.{name}", lambda where=where, name=name, x=x: getattr(where, name)(x)
        for name in ["site_pose", "geom_pose", "camera_pose", "site_jacobian", "jacobian"]:
            yield f"Model.{name}", lambda name=name, x=x: getattr(model, name)(x, q)
            for thing, where in [("Simulation", sim), ("Batch", batch)]:
                yield f"{thing}.{name}", lambda where=where, name=name, x=x: getattr(where, name)(x)
        yield "Model.keyframe", lambda x=x: model.keyframe(x)
        for thing, where in [("Simulation", sim), ("Batch", batch)]:
            yield f"{thing}.contact_force", lambda where=where, x=x: where.contact_force(x)
            if x is not None:
                yield f"{thing}.contact_force", lambda where=where, x=x: where.contact_force("arm", x)
            for kind in ["damping", "friction_loss", "armature", "kp", "kv", "strength", "active", "collides"]:
                yield f"{thing}.vary", lambda where=where, kind=kind, x=x: where.vary(**{kind: {x: 1.0}})
        yield "Model.body_pose", lambda x=x: model.body_pose(x, q)
        yield "Model.jacobian", lambda x=x: model.jacobian(x, q)
        for thing, where in [("Simulation", sim), ("Batch", batch)]:
            yield f"{thing}.body_pose", lambda where=where, x=x: where.body_pose(x)
            yield f"{thing}.apply_force", lambda where=where, x=x: where.apply_force(x, [1, 0, 0])
            yield f"{thing}.set_mocap", lambda where=where, x=x: where.set_mocap(x, [0, 0, 0])
            yield f"{thing}.vary", lambda where=where, x=x: where.vary(mass={x: 1.0})
            yield f"{thing}.vary", lambda where=where, x=x: where.vary(friction={x: 1.0})
            yield f"{thing}.add_controller", lambda where=where, x=x: where.add_controller(print, wrenches=[x])
            if x is not None:
                yield f"{thing}.reset", lambda where=where, x=x: where.reset(keyframe=x)
        yield "Simulation.step_derivatives", lambda x=x: sim.step_derivatives([(x, "friction")])
        yield "Simulation.step_derivatives", lambda x=x: sim.step_derivatives([("rod", x)])
        yield "Batch.randomize", lambda x=x: batch.randomize(1, mass={x: (0.5, 1)})
    for x in JOINTS:
        yield "Model.qpos_slice", lambda x=x: model.qpos_slice(x)
        yield "Model.qvel_slice", lambda x=x: model.qvel_slice(x)
        yield "Simulation.set_target", lambda x=x: sim.set_target(x, 1.0)
        yield "Batch.set_target", lambda x=x: batch.set_target(x, 1.0)
        yield "JointTracking", lambda x=x: sim.set_controller(st.JointTracking([x], st.JointPath([0], [[0]]), law="servo"))
        yield "PoseTracking", lambda x=x: sim.set_controller(st.PoseTracking(["elbow"], x, st.PosePath([0], [[0, 0, 0]], [[1, 0, 0, 0]])))
        yield "InverseKinematics", lambda x=x: st.InverseKinematics(model, ["elbow"], x)
        yield "InverseKinematics", lambda x=x: st.InverseKinematics(model, [x], "tip")
        yield "GripForce", lambda x=x: sim.set_controller(st.GripForce(x, ["rod"], 1.0))
        yield "Model.from_scene", lambda x=x: st.Model.from_scene(x)
        yield "Model.from_file", lambda x=x: st.Model.from_file(x)
        yield "Model.from_string", lambda x=x: st.Model.from_string(x)
        yield "Model.from_string", lambda x=x: st.Model.from_string(ARM, x)
        yield "Simulation.record", lambda x=x: sim.record(x)
        yield "Model.save", lambda x=x: model.save(x)
    for x in numbers():
        yield "Simulation.time", lambda x=x: setattr(sim, "time", x)
        yield "Simulation.run_until", lambda x=x: sim.run_until(x)
        yield "Batch.run_until", lambda x=x: batch.run_until(x)
        yield "Simulation.interpolate", lambda x=x: sim.interpolate(x)
        yield "Simulation.settle", lambda x=x: sim.settle(time=x)
        if x is not None:
            yield "Simulation.set_target", lambda x=x: sim.set_target("elbow", x)
            yield "Simulation.set_target", lambda x=x: sim.set_target("elbow", velocity=x)
        yield "GripForce", lambda x=x: st.GripForce("elbow", ["rod"], x)
    for x in numbers(-1.0):
        yield "Simulation.add_controller", lambda x=x: sim.add_controller(print, x)
        yield "Simulation.set_controller", lambda x=x: sim.set_controller(print, x)
        yield "Batch.add_controller", lambda x=x: batch.add_controller(print, x)
        yield "Batch.set_controller", lambda x=x: batch.set_controller(print, x)
        yield "JointTracking", lambda x=x: st.JointTracking(["elbow"], st.JointPath([0], [[0]]), period=x)
    for x in numbers(-1.0, 0.0):
        if x is not None:
            yield "Simulation", lambda x=x: st.Simulation(model, step=x)
            yield "Batch", lambda x=x: st.Batch(model, 2, step=x)
            yield "rollout", lambda x=x: st.rollout(model, [[0.0, 0.0]], steps=1, step=x)
        if x is not None:
            yield "Simulation.record", lambda x=x: sim.record("never.html", rate=x)
            yield "Simulation.record", lambda x=x: sim.record("never.mp4", rate=x)
            yield "Renderer.render", lambda x=x: renderer.render(sim, st.FreeCamera(distance=x))
            yield "Renderer.render", lambda x=x: renderer.render(sim, st.FreeCamera(field_of_view=x))
            yield "Simulation", lambda x=x: st.Simulation(model, accuracy=x)
        for option in ["stiction_tolerance", "relative_tolerance"]:
            yield "Simulation", lambda option=option, x=x: st.Simulation(model, **{option: x})
    for x in numbers(-1.0):
        for option in ["regularization", "margin"]:
            yield "Simulation", lambda option=option, x=x: st.Simulation(model, **{option: x})
        for kind in ["friction", "stiffness", "dissipation", "relaxation_time", "size"]:
            yield "Model.varied", lambda kind=kind, x=x: model.varied(**{kind: {"rod": x}})
        for kind in ["damping", "friction_loss", "armature"]:
            yield "Model.varied", lambda kind=kind, x=x: model.varied(**{kind: {"elbow": x}})
        for kind in ["kp", "kv", "strength"]:
            yield "Model.varied", lambda kind=kind, x=x: model.varied(**{kind: {"servo": x}})
        yield "World.ground", lambda x=x: st.World().ground(friction=x if x is not None else -1.0)
        yield "Model.varied", lambda x=x: model.varied(mass={"arm": x})
    for option, values in {
        "contact": ["sticky", 3, None],
        "tessellation": ["squares", 3],
        "method": ["euler", 3],
        "integrator": [3],
        "max_iterations": [0, -1, 1.5, "many"],
        "tangential_springs": ["yes", 3, {"stifness": 1}, {"stiffness_ratio": "much"}, {"stiffness_ratio": -1.0}],
        "stepp": [1e-3],
        "thread": [1],
    }.items():
        for x in values:
            yield "Simulation", lambda option=option, x=x: st.Simulation(model, **{option: x})
            yield "Batch", lambda option=option, x=x: st.Batch(model, 2, **{option: x})
            yield "rollout", lambda option=option, x=x: st.rollout(model, [[0.0, 0.0]], steps=1, **{option: x})
    other = st.Simulation(model).add_controller(print)
    yield "Simulation.remove_controller", lambda: sim.remove_controller(other)
    yield "Batch.remove_controller", lambda: batch.remove_controller(other)
    for x in (-1, 1.5, "ten", None, [1]):
        yield "Simulation.step", lambda x=x: sim.step(x)
        yield "Batch.step", lambda x=x: batch.step(x)
        yield "Batch", lambda x=x: st.Batch(model, x)
        yield "Simulation.remove_controller", lambda x=x: sim.remove_controller(x)
        yield "Batch.remove_controller", lambda x=x: batch.remove_controller(x)
        yield "TactileGrid", lambda x=x: st.TactileGrid("arm", [1, 1], x, 2)
        yield "Batch.randomize", lambda x=x: batch.randomize(x, mass={"arm": (0.5, 1)})
    for x in (0, 7):
        yield "Simulation.remove_controller", lambda x=x: sim.remove_controller(x)
        yield "Batch.remove_controller", lambda x=x: batch.remove_controller(x)
    for x in (0, -1, 1.5, "wide", None, 10**6):
        yield "Renderer", lambda x=x: st.Renderer(model, x, 8)
        yield "Renderer", lambda x=x: st.Renderer(model, 8, x)
    for x in ("front", 3, -1, 1.5, [1.0], (0, 0), ((0, 0, np.nan), 1, 0, 0, 0.6), object()):
        yield "Renderer.render", lambda x=x: renderer.render(sim, x)
        yield "Renderer.depth", lambda x=x: renderer.depth(sim, x)
        yield "Renderer.segmentation", lambda x=x: renderer.segmentation(sim, x)
        yield "Simulation.record", lambda x=x: sim.record("never.mp4", camera=x)
    for x in ((0, 8), (8,), "big", (7, 8), (-2, 8), (1.5, 8)):
        yield "Simulation.record", lambda x=x: sim.record("never.mp4", size=x)
    for x in (None, 3, batch, model):
        yield "Renderer.render", lambda x=x: renderer.render(x)
    for x in (0, -1, "two"):
        yield "Batch", lambda x=x: st.Batch(model, 2, threads=x)
        yield "rollout", lambda x=x: st.rollout(model, [[0.0, 0.0]], steps=1, threads=x)
    for x in ((1, 0.5), (0.0, 1.0), (1.0,), (1, 2, "linear"), 3, "much", (np.nan, 1)):
        yield "Batch.randomize", lambda x=x: batch.randomize(1, friction={"rod": x})
    for x in ("bob", 3, ["arm"], {"rod": object()}):
        yield "Simulation.vary", lambda x=x: sim.vary(friction=x)
        yield "Batch.vary", lambda x=x: batch.vary(friction=x)
        yield "Batch.randomize", lambda x=x: batch.randomize(1, friction=x)
    for x in (b"", b"nonsense of some length", "text", None, sim.save_state()[:-3], st.Simulation(models.ball()).save_state()):
        yield "Simulation.load_state", lambda x=x: sim.load_state(x)
        yield "Batch.load_state", lambda x=x: batch.load_state(x)
    for x in ([[0.0]], [0.0, 0.0], [[0.0, np.nan]], "fast"):
        yield "rollout", lambda x=x: st.rollout(model, x, steps=2)
    for x in ([[[0.0]]], [[0.0, 0.0]], [[[np.nan, 0.0]]]):
        yield "rollout", lambda x=x: st.rollout(model, [[0.0, 0.0]], x)
    yield "rollout", lambda: st.rollout(model, [[0.0, 0.0]])
    for x in ([3.0], "friction", [("rod",)], 3):
        yield "Simulation.step_derivatives", lambda x=x: sim.step_derivatives(x)
    for law in ("magic", 3):
        yield "JointTracking", lambda law=law: st.JointTracking(["elbow"], st.JointPath([0], [[0]]), law=law)
    for times, points in [([0, 0], [[0], [1]]), ([0, 1], [[0]]), ([], []), ([np.nan], [[0]]), ("now", [[0]]), ([0], 3.0)]:
        yield "JointPath", lambda times=times, points=points: st.JointPath(times, points)
        yield "PosePath", lambda times=times, points=points: st.PosePath(times, [[0, 0, 0]] * len(times), [[1, 0, 0, 0]] * (len(times) + 1))
    yield "PosePath", lambda: st.PosePath([0], [[0, 0]], [[1, 0, 0, 0]])
    yield "PosePath", lambda: st.PosePath([0], [[0, 0, 0]], [[0, 0, 0, 0]])
    yield "PosePath", lambda: st.PosePath([0], [[0, 0, np.nan]], [[1, 0, 0, 0]])
    for x in numbers():
        yield "PosePath.at_speed", lambda x=x: st.PosePath.at_speed(0.0, [[0, 0, 0]], [[1, 0, 0, 0]], x, 1.0)
        yield "PosePath.at_speed", lambda x=x: st.PosePath.at_speed(x, [[0, 0, 0]], [[1, 0, 0, 0]], 1.0, 1.0)
        yield "Simulation.set_options", lambda x=x: sim.set_options(step=x)
    yield "JointPath.at", lambda: st.JointPath([0], [[0]]).at("noon")
    yield "PosePath.at", lambda: st.PosePath([0], [[0, 0, 0]], [[1, 0, 0, 0]]).at(None)
    yield "TactileGrid.sample", lambda: st.TactileGrid("nobody", [1, 1], 2, 2).sample(sim)
    yield "TactileGrid.sample", lambda: st.TactileGrid("arm", [1, 1], 2, 2).sample(model)
    yield "Simulation.set_target", lambda: sim.set_target("elbow")
    for kind in ["kp", "kv"]:
        yield "Model.varied", lambda kind=kind: model.varied(**{kind: {"lagging": 1.0}})
    for x in (0.5, "off", None, [1, 0]):
        yield "Model.varied", lambda x=x: model.varied(collides={"rod": x})
    for x in ("elbo.xml", "", None, 3, "missing.urdf", "missing.obj", object()):
        yield "World.add", lambda x=x: st.World().add(x)
    for options in ({"base": "loose"}, {"to": "nowhere"}, {"frame": "nothing"}, {"friction": 1.0}, {"scale": 0.0}, {"mass": -1.0}):
        yield "World.add", lambda options=options: st.World().add(model, **options)
    for thing in (None, 3, "model", sim):
        yield "Simulation", lambda thing=thing: st.Simulation(thing)
        yield "Batch", lambda thing=thing: st.Batch(thing, 2)
        yield "rollout", lambda thing=thing: st.rollout(thing, [[0.0]], steps=1)
        yield "InverseKinematics", lambda thing=thing: st.InverseKinematics(thing, ["elbow"], "tip")


MODEL, SIM, BATCH = make()
CASES = list(cases(MODEL, SIM, BATCH))


def test_every_wrong_call_says_what_to_do_and_changes_nothing():
    failures = []
    before = SIM.save_state(), BATCH.save_state(), SIM.options, SIM.controllers, BATCH.controllers
    for k, (name, call) in enumerate(CASES):
        try:
            call()
        except (ValueError, TypeError, IndexError, OSError) as error:
            if not REMEDY.search(str(error)):
                failures.append(f"{name} (case {k}): {type(error).__name__}: {error}")
        except BaseException as error:  # noqa: BLE001 - also what a panic becomes
            failures.append(f"{name} (case {k}): {type(error).__name__}: {error}")
        else:
            failures.append(f"{name} (case {k}): nothing was raised ({inspect.getclosurevars(call).nonlocals} {call.__defaults__})")
    assert not failures, "\n".join(failures)
    assert before == (SIM.save_state(), BATCH.save_state(), SIM.options, SIM.controllers, BATCH.controllers)
    SIM.step(20)
    BATCH.step(20)
    fresh = st.Simulation(st.Model.from_string(ARM))
    fresh.step(20)
    assert np.array_equal(fresh.qpos, SIM.qpos) and np.array_equal(fresh.qpos, BATCH.qpos[1])


def test_no_method_that_takes_something_is_left_out():
    tried = {name for name, _ in CASES}
    #: Those that take no numbers and names of a model, or are tried on their own.
    elsewhere = {"Simulation.stop_recording", "Measured", "Recording", "Viewer", "LearnedContact", "Solid", "SweepTable"}
    missing = []
    for owner in [st.Model, st.Simulation, st.Batch, st.World, st.JointPath, st.PosePath, st.InverseKinematics, st.TactileGrid]:
        for name, member in inspect.getmembers(owner):
            if name.startswith("_") or not callable(member):
                continue
            takes = [p for p in inspect.signature(member).parameters if p != "self"]
            if takes and f"{owner.__name__}.{name}" not in tried | elsewhere:
                missing.append(f"{owner.__name__}.{name}")
    assert not missing


def test_ten_thousand_free_bodies_do_not_take_the_memory_of_a_full_mass_matrix():
    row = "<replicate count='100' offset='.2 0 0'><replicate count='100' offset='0 .2 0'>"
    body = "<body><freejoint/><geom size='.05'/></body>"
    model = st.Model.from_string(f"<mujoco><worldbody>{row}{body}</replicate></replicate></worldbody></mujoco>")
    assert model.nv == 60_000  # 28.8 GB as a full matrix
    st.Simulation(model).step()


def test_more_worlds_than_memory_holds_raise_memory_error():
    for n in (2**45, 2**62):
        with pytest.raises(MemoryError, match="fewer worlds"):
            st.Batch(MODEL, n)


def test_a_time_that_steps_do_not_change_is_refused():
    sim = st.Simulation(MODEL)
    sim.time = 1e16
    with pytest.raises(ValueError, match="smaller time"):
        sim.run_until(1e16 + 10)


def test_arrays_that_are_not_aligned_are_read():
    raw = np.zeros(8 * MODEL.nq + 1, np.uint8)[1:].view(float)
    raw[:] = MODEL.default_qpos
    assert not raw.flags.aligned
    assert np.array_equal(MODEL.com(raw), MODEL.com(MODEL.default_qpos))


def test_damaged_states_are_refused():
    saved = SIM.save_state()
    random = np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(saved)
        damaged[random.integers(len(saved))] ^= 1 << random.integers(8)
        with pytest.raises(ValueError):
            SIM.load_state(bytes(damaged))
    with pytest.raises(ValueError, match="checksum"):
        SIM.load_state(saved + b"junk")


def test_pickles_with_damage_or_of_other_things_raise_ordinary_exceptions():
    sim, batch = st.Simulation(models.pendulum()), st.Batch(models.pendulum(), 2)
    _, (model, options, state, _) = sim.__reduce__()
    _, (_, _, _, of_worlds, states, _) = batch.__reduce__()
    points, cells = (
        np.vstack([np.zeros(3), np.eye(3), np.full(3, 0.2)]),
        np.array([[0, 1, 2, 4], [0, 3, 1, 4], [0, 2, 3, 4], [1, 3, 2, 4]], np.uint32),
    )
    field = np.array([0, 0, 0, 0, 1.0])
    assert st.Solid._restore(points, cells, field, 1e5, {}).volume == pytest.approx(1 / 6)
    wrong = [
        lambda: st._restore_simulation(model, {}, b"", []),
        lambda: st._restore_simulation(model, {"stp": 1}, state, []),
        lambda: st._restore_simulation(3, {}, state, []),
        lambda: st._restore_simulation(model, options, state, [3]),
        lambda: st._restore_simulation(model, options, state, [(None, (0.0, False, [], []))]),
        lambda: st._restore_batch(model, -1, 1, of_worlds, states, []),
        lambda: st._restore_batch(model, 2**40, 1, of_worlds, states, []),
        lambda: st._restore_batch(model, 2, 1, of_worlds, states[:-4], []),
        lambda: st._restore_batch(model, 3, 1, of_worlds, states, []),
        lambda: st.Solid._restore(points[:, :2].copy(), cells, field, 1e5, {}),
        lambda: st.Solid._restore(points, cells[:, :3].copy(), field, 1e5, {}),
        lambda: st.Solid._restore(points, cells + 50, field, 1e5, {}),
        lambda: st.Solid._restore(points, cells, field[:2], 1e5, {}),
        lambda: st.Solid._restore(points * np.nan, cells, field, 1e5, {}),
        lambda: st.Solid._restore(points, cells, field, -1.0, {}),
    ]
    for k, call in enumerate(wrong):
        with pytest.raises(Exception) as caught:  # noqa: B017 - what a panic becomes is none
            call()
        assert isinstance(caught.value, (ValueError, TypeError, OverflowError, MemoryError)), k
    random = np.random.default_rng(0)
    archive, whole = model.__reduce__()[1][0], pickle.dumps(st.Simulation(model))
    for _ in range(200):
        damaged = bytearray(archive)
        damaged[random.integers(len(archive))] ^= 1 << random.integers(8)
        with pytest.raises(st.ModelError):
            st._restore_model(bytes(damaged))
        damaged = bytearray(whole)
        damaged[random.integers(len(whole))] ^= 1 << random.integers(8)
        try:
            pickle.loads(bytes(damaged))
        except Exception:  # any, or none where only a number is another one; a panic is no Exception
            pass
