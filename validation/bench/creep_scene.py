"""Two things that should stand still: a box on a slope and a block between two fingertips, in each simulator.

Each engine has `run(duration)` and `place()`, how far along the pull of gravity the object is, m.
"""

import math
from importlib.metadata import version

import mujoco
import numpy as np
import stiction as st
from pydrake.geometry import AddContactMaterial, Box, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction, DiscreteContactApproximation
from pydrake.multibody.tree import PrismaticJoint, SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

mujoco.set_mju_user_warning(lambda message: None)  # it would write a file into the current folder

GRAVITY = 9.81
FRICTION = 0.7
SLOPE = math.radians(20.0)
HALF = (0.08, 0.06, 0.05)  # of the box on the slope, m
MASS = 1000 * 8 * math.prod(HALF) * 0.6  # kg
PINCH = 5.0  # force of a finger, N
BLOCK, BLOCK_MASS = (0.02, 0.02, 0.03), 0.2  # half sizes m, kg
TIP, TIP_MASS = 0.03, 0.05  # radius m, kg: rounder than the block is thick, so that the block does not tip over
STIFFNESS, DISSIPATION, RELAXATION = 1e6, 50.0, 0.1  # of a geom: Stiction's defaults

# What friction has to carry over what presses: the tangent of the slope, half a weight a finger.
LOAD = {"slope": math.tan(SLOPE), "pinch": 0.5 * BLOCK_MASS * GRAVITY / PINCH}
DOWN = {"slope": np.array([math.cos(SLOPE), 0.0, -math.sin(SLOPE)]), "pinch": np.array([0.0, 0.0, -1.0])}
REST = {"slope": HALF[2] * np.array([math.sin(SLOPE), 0.0, math.cos(SLOPE)]), "pinch": np.zeros(3)}


def row(values):
    return " ".join(f"{value:.15g}" for value in values)


def mjcf(scene):
    if scene == "slope":
        inner = f"""
    <geom type="plane" size="1 1 0.1" euler="0 20 0"/>
    <body name="object" pos="{row(REST['slope'])}" euler="0 20 0"><freejoint/>
      <geom type="box" size="{row(HALF)}" mass="{MASS:.12g}"/></body>"""
        extra = ""
    else:
        inner = f'<body name="object"><freejoint/><geom type="box" size="{row(BLOCK)}" mass="{BLOCK_MASS}"/></body>'
        for name, side in (("left", -1), ("right", 1)):
            inner += f"""
    <body name="{name}" pos="{row([side * (BLOCK[0] + TIP), 0, 0])}"><joint name="{name}" type="slide" axis="{-side} 0 0"/>
      <geom type="sphere" size="{TIP}" mass="{TIP_MASS}"/></body>"""
        extra = '<actuator><motor joint="left"/><motor joint="right"/></actuator>'
    return f"""<mujoco model="{scene}">
  <option gravity="0 0 -{GRAVITY}"/>
  <default><geom condim="3" friction="{FRICTION} 0.005 0.0001"/></default>
  <worldbody>{inner}
  </worldbody>{extra}
</mujoco>"""


class Stiction:
    """Ours."""

    def __init__(self, scene, step, **options):
        self.step, self.scene = step, scene
        self.sim = st.Simulation(st.Model.from_string(mjcf(scene), format="mjcf"), step=step, **options)
        if scene == "pinch":
            self.sim.ctrl[:] = PINCH

    def run(self, duration):
        self.sim.step(round(duration / self.step))
        assert self.sim.stats["unconverged"] == 0

    def place(self):
        return DOWN[self.scene] @ np.array(self.sim.qpos[:3])


class MuJoCo:
    """MuJoCo as it comes, or with elliptic cones and friction ten times as stiff as the normal direction."""

    def __init__(self, scene, step, elliptic):
        self.step, self.scene = step, scene
        self.model = mujoco.MjModel.from_xml_string(mjcf(scene))
        self.model.opt.timestep = step
        if elliptic:
            self.model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
            self.model.opt.impratio = 10
        self.data = mujoco.MjData(self.model)
        if scene == "pinch":
            self.data.ctrl[:] = PINCH

    def run(self, duration):
        mujoco.mj_step(self.model, self.data, round(duration / self.step))

    def place(self):
        return DOWN[self.scene] @ self.data.body("object").xpos


class Drake:
    """Drake's discrete plant with point contact; its box has a small sphere at each lower corner, since Drake finds
    one point a pair."""

    FOOT = 1e-3

    def __init__(self, scene, step, approximation):
        self.scene, self.time = scene, 0.0
        builder = DiagramBuilder()
        self.plant, _ = AddMultibodyPlantSceneGraph(builder, step)
        self.plant.set_discrete_contact_approximation(approximation)
        self.plant.set_stiction_tolerance(1e-4)
        self.plant.mutable_gravity_field().set_gravity_vector([0, 0, -GRAVITY])
        self.material = ProximityProperties()
        AddContactMaterial(
            dissipation=DISSIPATION,
            point_stiffness=STIFFNESS,
            friction=CoulombFriction(FRICTION, FRICTION),
            properties=self.material,
        )
        self.material.AddProperty("material", "relaxation_time", RELAXATION)
        force = (self.build_slope if scene == "slope" else self.build_pinch)()
        self.plant.Finalize()
        self.simulator = Simulator(builder.Build())
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.body = self.plant.GetBodyByName("object")
        turn = RotationMatrix.MakeYRotation(SLOPE) if scene == "slope" else RotationMatrix()
        self.plant.SetFreeBodyPose(self.context, self.body, RigidTransform(turn, REST[scene]))
        forces = np.zeros(self.plant.num_velocities())
        for joint in force:
            forces[joint.velocity_start()] = PINCH
        self.plant.get_applied_generalized_force_input_port().FixValue(self.context, forces)
        self.simulator.Initialize()

    def add(self, name, mass, half, shapes):
        body = self.plant.AddRigidBody(name, SpatialInertia.SolidBoxWithMass(mass, *(2 * h for h in half)))
        for k, (place, shape) in enumerate(shapes):
            self.plant.RegisterCollisionGeometry(body, RigidTransform(place), shape, f"{name}_{k}", self.material)
        return body

    def build_slope(self):
        pose = RigidTransform(RotationMatrix.MakeYRotation(SLOPE), np.zeros(3))
        self.plant.RegisterCollisionGeometry(self.plant.world_body(), pose, HalfSpace(), "slope", self.material)
        inset = [h - self.FOOT for h in HALF]
        corners = [np.array([x * inset[0], y * inset[1], -inset[2]]) for x in (-1, 1) for y in (-1, 1)]
        self.add("object", MASS, HALF, [(corner, Sphere(self.FOOT)) for corner in corners])
        return []

    def build_pinch(self):
        self.add("object", BLOCK_MASS, BLOCK, [(np.zeros(3), Box(*(2 * h for h in BLOCK)))])
        joints = []
        for name, side in (("left", -1), ("right", 1)):
            tip = self.add(name, TIP_MASS, [TIP] * 3, [(np.zeros(3), Sphere(TIP))])
            place = RigidTransform([side * (BLOCK[0] + TIP), 0, 0])
            joint = PrismaticJoint(
                name, self.plant.AddFrame(fixed_frame(name, self.plant, place)), tip.body_frame(), [-side, 0, 0]
            )
            joints.append(self.plant.AddJoint(joint))
        return joints

    def run(self, duration):
        self.time += duration
        self.simulator.AdvanceTo(self.time)

    def place(self):
        return DOWN[self.scene] @ self.plant.EvalBodyPoseInWorld(self.context, self.body).translation()


def fixed_frame(name, plant, pose):
    from pydrake.multibody.tree import FixedOffsetFrame

    return FixedOffsetFrame(f"{name}_base", plant.world_frame(), pose)


DRAKE_MODELS = {"Lagged": DiscreteContactApproximation.kLagged, "SAP": DiscreteContactApproximation.kSap}
VERSIONS = {"Stiction": st.__version__, "MuJoCo": mujoco.__version__, "Drake": version("drake")}
