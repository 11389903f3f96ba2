"""A sphere that falls, slides and rolls on a half-space, step by step next to Drake.

    python validation/peers/drake_steps.py

The same discrete problem is solved here and there, so the whole trajectories agree: positions to
1e-7 m after every step, for each contact model. Writes docs/drake_steps.md.
"""

import sys
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction, DiscreteContactApproximation
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.framework import DiagramBuilder

from catalog import ROOT

TOLERANCE = 1e-7  # metres
RADIUS, MASS = 0.05, 0.5
MODELS = {
    "lagged": DiscreteContactApproximation.kLagged,
    "similar": DiscreteContactApproximation.kSimilar,
    "sap": DiscreteContactApproximation.kSap,
}


@dataclass(frozen=True)
class Surface:
    stiffness: float  # N/m
    dissipation: float  # Hunt & Crossley, s/m
    relaxation_time: float  # SAP, s


@dataclass(frozen=True)
class Case:
    name: str
    friction: float
    ground: Surface
    sphere: Surface
    velocity: tuple = (1.0, 0.2, 0.0)  # of the centre, world frame, m/s
    spin: tuple = (0.0, 0.0, 0.0)  # body frame (aligned with the world at the start), rad/s
    gap: float = 0.01  # below the sphere at the start, m
    step: float = 1e-3
    steps: int = 1000
    stiction_tolerance: float = 1e-4


STEEL = Surface(2e5, 10.0, 5e-3)
CASES = [
    Case("falls, slides, ends rolling", 0.3, STEEL, STEEL),
    Case("slides to the end", 0.02, STEEL, STEEL),
    Case("sticks at once, backspin", 1.0, STEEL, STEEL, spin=(3.0, -40.0, 20.0)),
    Case("bounces without dissipation", 0.5, Surface(2e4, 0.0, 0.0), Surface(2e4, 0.0, 0.0), gap=0.1),
    Case("soft on stiff", 0.4, Surface(1e6, 5.0, 1e-3), Surface(1e4, 40.0, 2e-2)),
    Case("stiff, large step", 0.7, Surface(2e7, 10.0, 5e-5), Surface(2e7, 10.0, 5e-5), step=1e-2, steps=100),
]


def in_drake(case, model):
    """Positions and velocities of the centre after every step."""
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, case.step)
    plant.set_discrete_contact_approximation(MODELS[model])
    plant.set_stiction_tolerance(case.stiction_tolerance)
    plant.SetUseSampledOutputPorts(False)  # then a step is a plain discrete update

    def material(surface):
        properties = ProximityProperties()
        AddContactMaterial(
            dissipation=surface.dissipation,
            point_stiffness=surface.stiffness,
            friction=CoulombFriction(case.friction, case.friction),
            properties=properties,
        )
        properties.AddProperty("material", "relaxation_time", surface.relaxation_time)
        return properties

    identity = RigidTransform()
    plant.RegisterCollisionGeometry(plant.world_body(), identity, HalfSpace(), "ground", material(case.ground))
    body = plant.AddRigidBody("ball", SpatialInertia.SolidSphereWithMass(MASS, RADIUS))
    plant.RegisterCollisionGeometry(body, identity, Sphere(RADIUS), "ball", material(case.sphere))
    plant.Finalize()
    diagram = builder.Build()
    root = diagram.CreateDefaultContext()
    context = plant.GetMyMutableContextFromRoot(root)
    plant.SetFreeBodyPose(context, body, RigidTransform([0, 0, RADIUS + case.gap]))
    plant.SetFreeBodySpatialVelocity(context, body, SpatialVelocity(w=case.spin, v=case.velocity))
    positions, velocities = [], []
    for _ in range(case.steps):
        root.SetDiscreteState(diagram.EvalUniquePeriodicDiscreteUpdate(root))
        positions.append(plant.EvalBodyPoseInWorld(context, body).translation())
        velocities.append(plant.EvalBodySpatialVelocityInWorld(context, body).translational())
    return np.array(positions), np.array(velocities)


def here(case, model):
    import stiction as st

    def geom(attributes, surface):
        return f"""<geom {attributes} friction="{case.friction}">
          <drake:proximity_properties>
            <drake:point_contact_stiffness value="{surface.stiffness}"/>
            <drake:hunt_crossley_dissipation value="{surface.dissipation}"/>
            <drake:relaxation_time value="{surface.relaxation_time}"/>
          </drake:proximity_properties>
        </geom>"""

    inertia = 0.4 * MASS * RADIUS**2
    text = f"""<mujoco>
      <option timestep="{case.step}"/>
      <worldbody>
        {geom('name="ground" type="plane" size="0 0 1"', case.ground)}
        <body name="ball" pos="0 0 {RADIUS + case.gap}">
          <freejoint/>
          <inertial pos="0 0 0" mass="{MASS}" diaginertia="{inertia} {inertia} {inertia}"/>
          {geom(f'name="ball" type="sphere" size="{RADIUS}"', case.sphere)}
        </body>
      </worldbody>
    </mujoco>"""
    sim = st.Simulation(
        st.Model.from_string(text, format="mjcf"),
        step=case.step,
        contact=model,
        stiction_tolerance=case.stiction_tolerance,
        regularization=1e-3,  # Drake's
        relative_tolerance=1e-10,
        margin=0.0,
    )
    sim.qvel[:] = [*case.velocity, *case.spin]
    positions, velocities = [], []
    for _ in range(case.steps):
        sim.step(1)
        positions.append(np.array(sim.qpos[:3]))
        velocities.append(np.array(sim.qvel[:3]))
    return np.array(positions), np.array(velocities)


def main():
    rows, worst = [], 0.0
    for case in CASES:
        for model in MODELS:
            p_drake, v_drake = in_drake(case, model)
            p_here, v_here = here(case, model)
            apart, faster = np.abs(p_here - p_drake).max(), np.abs(v_here - v_drake).max()
            worst = max(worst, apart)
            end = p_drake[-1]
            rows.append(
                f"| {case.name} | {model} | {case.steps} x {1e3 * case.step:g} ms | {end[0]:.4f}, {end[1]:.4f}, "
                f"{end[2]:.6f} | {apart:.1e} | {faster:.1e} |"
            )
            print(rows[-1], flush=True)
    page = [
        "# A sphere, step by step, next to Drake",
        f"Written by `cargo xtask peers` with Drake {version('drake')}. A sphere (radius {RADIUS} m, {MASS} kg) falls on "
        "a half-space with the same parameters here and in Drake; the cases are in `validation/peers/drake_steps.py`. "
        f"The differences are the largest over all steps; they must stay below {TOLERANCE:g} m.",
        "\n".join(
            [
                "| case | contact model | steps | ends at, m | largest difference, m | of the velocity, m/s |",
                "| --- | --- | --- | --- | ---: | ---: |",
                *rows,
            ]
        ),
    ]
    (ROOT / "docs" / "drake_steps.md").write_text("\n\n".join(page) + "\n")
    if not worst <= TOLERANCE:
        sys.exit(f"the trajectories differ by up to {worst:.1e} m")


if __name__ == "__main__":
    main()
