"""A sphere that falls, slides and rolls on a half-space, step by step next to Drake.

    python validation/peers/drake_steps.py

The same discrete problem is solved here and there, for each contact model:

- One step from Drake's state gives Drake's next velocity, to the tolerance at which Drake stops its
  solver: 1e-6 of the momentum (it cannot be set). We solve to 1e-12.
- Whole trajectories agree to 1e-7 m after every step. Where nothing makes the sphere forget what
  Drake's solver leaves (it never sticks, or bounces without dissipation), the tolerance is what
  1e-6 of the speed adds up to.

Writes docs/drake_steps.md.
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

import stiction as st
from catalog import ROOT

TOLERANCE = 1e-7  # metres, whole trajectories
DRAKE_SOLVER_TOLERANCE = 1e-6  # relative, of its Newton solver
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
    forgets: bool = True  # dissipation or sticking damps what Drake's solver leaves

    def tolerance(self, speed):
        """Allowed difference of positions over the whole trajectory, m."""
        drift = DRAKE_SOLVER_TOLERANCE * speed * self.step * self.steps
        return TOLERANCE if self.forgets else max(TOLERANCE, drift)


STEEL = Surface(2e5, 10.0, 5e-3)
BOUNCY = Surface(2e4, 0.0, 0.0)
CASES = [
    Case("falls, slides, ends rolling", 0.3, STEEL, STEEL),
    Case("slides to the end", 0.02, STEEL, STEEL, forgets=False),
    Case("sticks at once, backspin", 1.0, STEEL, STEEL, spin=(3.0, -40.0, 20.0)),
    Case("bounces without dissipation", 0.5, BOUNCY, BOUNCY, gap=0.1, forgets=False),
    Case("soft on stiff", 0.4, Surface(1e6, 5.0, 1e-3), Surface(1e4, 40.0, 2e-2)),
    Case("stiff, large step", 0.7, Surface(2e7, 10.0, 5e-5), Surface(2e7, 10.0, 5e-5), step=1e-2, steps=100),
]


def in_drake(case, model):
    """q and v (laid out as ours) at the start and after every step."""
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

    def state():
        pose = plant.EvalBodyPoseInWorld(context, body)
        velocity = plant.EvalBodySpatialVelocityInWorld(context, body)
        spin = pose.rotation().matrix().T @ velocity.rotational()
        return [*pose.translation(), *pose.rotation().ToQuaternion().wxyz()], [*velocity.translational(), *spin]

    states = [state()]
    for _ in range(case.steps):
        root.SetDiscreteState(diagram.EvalUniquePeriodicDiscreteUpdate(root))
        states.append(state())
    return np.array([q for q, _ in states]), np.array([v for _, v in states])


def simulation(case, model):
    """The same case here."""

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
    return st.Simulation(
        st.Model.from_string(text, format="mjcf"),
        step=case.step,
        contact=model,
        stiction_tolerance=case.stiction_tolerance,
        regularization=1e-3,  # Drake's
        relative_tolerance=1e-12,
        margin=0.0,
    )


def whole(sim, q, v):
    """Largest difference of the centre's position over the trajectory from Drake's first state, m."""
    sim.qpos[:], sim.qvel[:] = q[0], v[0]
    apart = 0.0
    for expected in q[1:]:
        sim.step(1)
        apart = max(apart, np.abs(sim.qpos[:3] - expected[:3]).max())
    return apart


def single(sim, q, v):
    """Largest difference of the centre's velocity after one step from each of Drake's states, m/s."""
    apart = 0.0
    for k in range(len(q) - 1):
        sim.qpos[:], sim.qvel[:] = q[k], v[k]
        sim.step(1)
        apart = max(apart, np.abs(sim.qvel[:3] - v[k + 1][:3]).max())
    return apart


def main():
    rows, failed = [], []
    for case in CASES:
        for model in MODELS:
            q, v = in_drake(case, model)
            speed = np.linalg.norm(v[:, :3], axis=1).max()
            apart, faster = whole(simulation(case, model), q, v), single(simulation(case, model), q, v)
            if not (apart <= case.tolerance(speed) and faster <= DRAKE_SOLVER_TOLERANCE * speed):
                failed.append(f"{case.name}, {model}")
            end = ", ".join(f"{c:.4f}" for c in q[-1][:3])
            cells = [case.name, model, f"{case.steps} x {1e3 * case.step:g} ms", end, f"{apart:.1e}", f"{faster:.1e}"]
            rows.append("| " + " | ".join(cells) + " |")
            print(rows[-1], flush=True)
    page = [
        "# A sphere, step by step, next to Drake",
        f"Written by `cargo xtask peers` with Drake {version('drake')}. A sphere (radius {RADIUS} m, {MASS} kg) falls on "
        "a half-space with the same parameters here and in Drake; the cases are in `validation/peers/drake_steps.py`.",
        "*Whole trajectory* is the largest difference of positions over all steps; it must stay below 1e-7 m. *Single "
        "step* is the largest difference of velocities after one step from any of Drake's states; it must stay below "
        "1e-6 of the speed, the tolerance at which Drake's solver stops. A sphere that slides to the end, or bounces "
        "without dissipation, never forgets what that tolerance leaves: there the trajectories may differ by 1e-6 of "
        "the path.",
        "\n".join(
            [
                "| case | contact model | steps | ends at, m | whole trajectory, m | single step, m/s |",
                "| --- | --- | --- | --- | ---: | ---: |",
                *rows,
            ]
        ),
    ]
    (ROOT / "docs" / "drake_steps.md").write_text("\n\n".join(page) + "\n")
    if failed:
        sys.exit("more apart than allowed: " + "; ".join(failed))


if __name__ == "__main__":
    main()
