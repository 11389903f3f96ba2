"""The clutter scene in each simulator. An engine is built once per run and then only stepped.

Each has `run(duration)`, which returns the seconds it took, and `heights()`, the objects' heights.
"""

import os
import subprocess
import time
import tomllib
from importlib.metadata import version

import mujoco
import numpy as np
from pydrake.geometry import Box, ProximityProperties, AddContactMaterial, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    CoulombFriction,
    DiscreteContactApproximation,
)
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

import clutter_scene as scene

mujoco.set_mju_user_warning(lambda message: None)  # it would write a file into the current folder
CONTACT, SOLVER = scene.PARAMETERS["contact"], scene.PARAMETERS["solver"]


class Drake:
    """Drake's discrete plant with point contact."""

    def __init__(self, model, columns=None):
        self.name = f"Drake {version('drake')} {model}"
        builder = DiagramBuilder()
        plant, scene_graph = AddMultibodyPlantSceneGraph(builder, SOLVER["step"])
        approximation = {
            "lagged": DiscreteContactApproximation.kLagged,
            "similar": DiscreteContactApproximation.kSimilar,
            "SAP": DiscreteContactApproximation.kSap,
        }[model]
        plant.set_discrete_contact_approximation(approximation)
        plant.set_stiction_tolerance(CONTACT["stiction_tolerance"])
        material = ProximityProperties()
        mu = CONTACT["friction"]
        AddContactMaterial(
            dissipation=CONTACT["dissipation"],
            point_stiffness=2 * CONTACT["pair_stiffness"],
            friction=CoulombFriction(mu, mu),
            properties=material,
        )
        material.AddProperty("material", "relaxation_time", CONTACT["relaxation_time"] / 2)
        for name, centre, half in scene.container(columns):
            shape = Box(*(2 * h for h in half))
            plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(centre), shape, name, material)
        things = scene.objects(columns)
        for thing in things:
            if thing.shape == "box":
                shape = Box(*[2 * thing.half] * 3)
                inertia = SpatialInertia.SolidBoxWithMass(scene.mass(thing), *[2 * thing.half] * 3)
            else:
                shape = Sphere(thing.half)
                inertia = SpatialInertia.SolidSphereWithMass(scene.mass(thing), thing.half)
            body = plant.AddRigidBody(thing.name, inertia)
            plant.RegisterCollisionGeometry(body, RigidTransform(), shape, thing.name, material)
        plant.Finalize()
        self.plant, diagram = plant, builder.Build()
        self.simulator = Simulator(diagram)
        self.context = plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.bodies = [plant.GetBodyByName(thing.name) for thing in things]
        for body, thing in zip(self.bodies, things):
            plant.SetFreeBodyPose(self.context, body, RigidTransform(thing.position))
        self.simulator.Initialize()

    def run(self, duration):
        start = time.perf_counter()
        self.simulator.AdvanceTo(duration)
        return time.perf_counter() - start

    def heights(self):
        poses = (self.plant.EvalBodyPoseInWorld(self.context, body) for body in self.bodies)
        return np.array([pose.translation()[2] for pose in poses])


class MuJoCo:
    """MuJoCo with Newton's method and elliptic cones; its contacts are as stiff as its step allows."""

    name = f"MuJoCo {mujoco.__version__} Newton, elliptic"

    def __init__(self, columns=None):
        self.model = mujoco.MjModel.from_xml_string(scene.mjcf(columns, for_mujoco=True))
        assert self.model.opt.solver == mujoco.mjtSolver.mjSOL_NEWTON
        self.model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        self.data = mujoco.MjData(self.model)

    def run(self, duration):
        steps = round(duration / SOLVER["step"])
        start = time.perf_counter()
        mujoco.mj_step(self.model, self.data, steps)
        return time.perf_counter() - start

    def heights(self):
        return self.data.xpos[1:, 2].copy()


class Stiction:
    """Ours."""

    def __init__(self, model, columns=None):
        import stiction as st

        self.name = f"Stiction {st.__version__} {model}"
        self.sim = st.Simulation(
            st.Model.from_string(scene.mjcf(columns), format="mjcf"),
            step=SOLVER["step"],
            contact=model.lower(),
            stiction_tolerance=CONTACT["stiction_tolerance"],
            regularization=CONTACT["regularization"],
            relative_tolerance=SOLVER["relative_tolerance"],
        )

    def run(self, duration):
        steps = round(duration / SOLVER["step"])
        start = time.perf_counter()
        self.sim.step(steps)
        return time.perf_counter() - start

    def heights(self):
        return np.array(self.sim.qpos).reshape(-1, 7)[:, 2]


class Rapier:
    """Rapier (f32), a game engine's solver with a fixed number of iterations: it does not converge."""

    # Built by `cargo xtask bench`, which says where.
    program = os.environ.get("STICTION_RAPIER", scene.HERE.parents[1] / ".cache/rapier/release/clutter-in-rapier")

    def __init__(self, columns=None):
        lock = tomllib.loads((scene.HERE.parent / "rapier" / "Cargo.lock").read_text())
        rapier = next(package["version"] for package in lock["package"] if package["name"] == "rapier3d")
        self.name = f"Rapier {rapier} f32"
        lines = [f"fixed {scene.row(centre)} {scene.row(half)}" for _, centre, half in scene.container(columns)]
        lines += [f"{o.shape} {scene.row(o.position)} {scene.number(o.half)}" for o in scene.objects(columns)]
        self.lines = lines

    def run(self, duration):
        steps = round(duration / SOLVER["step"])
        density = scene.PARAMETERS["objects"]["density"]
        header = f"{SOLVER['step']} {steps} {CONTACT['friction']} {density}"
        text = "\n".join([header, *self.lines])
        result = subprocess.run([self.program], input=text, capture_output=True, text=True, check=True)
        seconds, self.height = map(float, result.stdout.split())
        return seconds

    def heights(self):
        return np.array([self.height])
