"""Scenes with contact patches here and in Drake. An engine is built once per run and then only stepped.

Each has `run(duration)`, which returns the seconds of processor time it took, `heights()`, the objects'
heights, and `kinetic_energy()`. Processor time, because other programs on the machine disturb it less; all
run on one thread.
"""

import time
from importlib.metadata import version

import numpy as np
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    Box,
    HalfSpace,
    HydroelasticContactRepresentation,
    ProximityProperties,
    Sphere,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    ContactModel,
    CoulombFriction,
    DiscreteContactApproximation,
)
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator, SimulatorConfig
from pydrake.systems.framework import DiagramBuilder

import clutter_scene
import patches_scene as scene
import stiction as st

CONTACT, SOLVER = scene.PARAMETERS["contact"], scene.PARAMETERS["solver"]
POLYGONS = HydroelasticContactRepresentation.kPolygon


class Stiction:
    """Ours, Lagged, one entry a polygon."""

    name = f"Stiction {st.__version__} lagged"

    def __init__(self, mjcf, step=SOLVER["step"]):
        self.step = step
        self.sim = st.Simulation(
            st.Model.from_string(mjcf, format="mjcf"),
            step=step,
            contact="lagged",
            stiction_tolerance=CONTACT["stiction_tolerance"],
            regularization=CONTACT["regularization"],
            relative_tolerance=SOLVER["relative_tolerance"],
        )

    def run(self, duration):
        start = time.process_time()
        self.sim.step(round(duration / self.step))
        return time.process_time() - start

    def heights(self):
        return np.array(self.sim.qpos).reshape(-1, 7)[:, 2]

    def kinetic_energy(self):
        return self.sim.energy[0]


class Drake:
    """Drake's plant with hydroelastic contact: discrete Lagged, or CENIC with error control off.

    Drake 1.51 has no other way to a fixed-step ICF: `CenicIntegrator` (integration scheme "cenic" of a
    continuous plant) "recovers the Lagged variant of discrete-time ICF" in fixed-step mode.
    """

    def __init__(self, build, icf=False, step=SOLVER["step"]):
        self.name = f"Drake {version('drake')} " + ("ICF, fixed step (CENIC)" if icf else "discrete lagged")
        self.step, self.icf = step, icf
        builder = DiagramBuilder()
        self.plant, _ = AddMultibodyPlantSceneGraph(builder, 0.0 if icf else step)
        self.plant.set_name("plant")  # CENIC looks for this name
        if not icf:
            self.plant.set_discrete_contact_approximation(DiscreteContactApproximation.kLagged)
        self.plant.set_contact_model(ContactModel.kHydroelasticWithFallback)
        self.plant.set_contact_surface_representation(POLYGONS)
        self.plant.set_stiction_tolerance(CONTACT["stiction_tolerance"])
        places = build(self.plant)
        self.plant.Finalize()
        diagram = builder.Build()
        self.simulator = Simulator(diagram)
        if icf:
            config = SimulatorConfig(integration_scheme="cenic", max_step_size=step, use_error_control=False)
            ApplySimulatorConfig(config, self.simulator)
            assert self.simulator.get_integrator().get_fixed_step_mode()
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.bodies = [body for body, _ in places]
        for body, position in places:
            self.plant.SetFreeBodyPose(self.context, body, RigidTransform(position))
        self.simulator.Initialize()
        self.time = 0.0

    def run(self, duration):
        self.time += duration
        start = time.process_time()
        self.simulator.AdvanceTo(self.time)
        return time.process_time() - start

    def heights(self):
        poses = (self.plant.EvalBodyPoseInWorld(self.context, body) for body in self.bodies)
        return np.array([pose.translation()[2] for pose in poses])

    def kinetic_energy(self):
        return self.plant.EvalKineticEnergy(self.context)

    def iterations(self):
        """Newton iterations so far, where Drake tells."""
        if not self.icf:
            return None
        return dict(self.simulator.get_integrator().GetStatisticsSummary())["cenic_total_solver_iterations"]

    def qpos(self):
        """The state's positions, laid out as ours."""
        rows = []
        for body in self.bodies:
            pose = self.plant.EvalBodyPoseInWorld(self.context, body)
            rows += [*pose.translation(), *pose.rotation().ToQuaternion().wxyz()]
        return np.array(rows)

    def surfaces(self):
        """(seconds of the query, polygons, area in m2, surfaces) of the contact surfaces at the present state."""
        query = self.plant.get_geometry_query_input_port().Eval(self.context)
        start = time.process_time()
        found = query.ComputeContactSurfaces(POLYGONS)
        seconds = time.process_time() - start
        return seconds, sum(s.num_faces() for s in found), sum(s.total_area() for s in found), len(found)


def material(hint=None, modulus=CONTACT["modulus"]):
    """Drake's properties of a compliant geometry, or of a rigid one without a hint."""
    properties = ProximityProperties()
    mu = CONTACT["friction"]
    AddContactMaterial(dissipation=CONTACT["dissipation"], friction=CoulombFriction(mu, mu), properties=properties)
    if hint is None:
        AddRigidHydroelasticProperties(1.0, properties)  # boxes and half-spaces need no resolution
    else:
        AddCompliantHydroelasticProperties(hint, modulus, properties)
    return properties


def clutter(plant, pile=0, hint=scene.PARAMETERS["resolution"]["drake"]):
    """Registers the clutter; returns (body, position) pairs."""
    for name, centre, half in clutter_scene.container():
        shape = Box(*(2 * h for h in half))
        plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(centre), shape, name, material())
    places = []
    for thing in scene.objects(pile=pile):
        mass, side = clutter_scene.mass(thing), 2 * thing.half
        if thing.shape == "box":
            shape, inertia = Box(side, side, side), SpatialInertia.SolidBoxWithMass(mass, side, side, side)
        else:
            shape, inertia = Sphere(thing.half), SpatialInertia.SolidSphereWithMass(mass, thing.half)
        body = plant.AddRigidBody(thing.name, inertia)
        plant.RegisterCollisionGeometry(body, RigidTransform(), shape, thing.name, material(hint))
        places.append((body, thing.position))
    return places


def stacks(plant):
    """Registers the stacks; returns (body, position) pairs."""
    side = scene.PARAMETERS["stacks"]["size"]
    identity = RigidTransform()
    plant.RegisterCollisionGeometry(plant.world_body(), identity, HalfSpace(), "ground", material())
    places = []
    for number, position in enumerate(scene.stack_positions()):
        inertia = SpatialInertia.SolidBoxWithMass(scene.DENSITY * side**3, side, side, side)
        body = plant.AddRigidBody(f"box_{number}", inertia)
        plant.RegisterCollisionGeometry(body, identity, Box(side, side, side), f"box_{number}", material(side / 2))
        places.append((body, position))
    return places
