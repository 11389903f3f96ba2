"""Bodies, joints, geoms and actuators by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ._describe import describe

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from . import Simulation


class BodyInfo(NamedTuple):
    """Properties of a body in a model."""

    id: int
    name: str
    parent: int | None
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    mocap: bool


describe(
    BodyInfo,
    id="Its index in Model.body_names.",
    name="Its name.",
    parent="Id of its parent; None for the world.",
    mass="Mass, kg.",
    com="Centre of mass in the body frame, m; shape (3,).",
    inertia="Rotational inertia about the centre of mass in body axes, kg m²; shape (3, 3).",
    mocap="Whether Simulation.set_mocap moves it.",
)


class JointInfo(NamedTuple):
    """Properties of a joint in a model."""

    id: int
    name: str
    type: Literal["hinge", "slide", "screw", "cylindrical", "universal", "planar", "ball", "free"]
    body: int
    qpos: slice
    qvel: slice
    range: tuple[float, float] | None


describe(
    JointInfo,
    id="Its index in Model.joint_names.",
    name="Its name.",
    type='"hinge", "slide", "screw", "cylindrical", "universal", "planar", "ball" or "free".',
    body="Id of the body it moves.",
    qpos="Slice of its positions in q.",
    qvel="Slice of its velocities in v.",
    range="Smallest and largest position, m or rad; None without limits or for several coordinates.",
)


class GeomInfo(NamedTuple):
    """Properties of a geom in a model."""

    id: int
    name: str
    body: int
    shape: Literal[
        "sphere",
        "box",
        "capsule",
        "cylinder",
        "ellipsoid",
        "half-space",
        "mesh",
        "convex mesh",
        "height field",
        "tetrahedral mesh",
    ]
    friction: float
    static_friction: float
    stiffness: float
    dissipation: float
    relaxation_time: float
    compliant: bool
    modulus: float | None
    size: list[float]
    position: list[float]
    quaternion: list[float]
    rgba: list[float]


describe(
    GeomInfo,
    id="Its index in Model.geom_names.",
    name='Its name, or "#id" without one.',
    body="Id of the body that carries it.",
    shape='"sphere", "box", "capsule", "cylinder", "ellipsoid", "half-space", "mesh"…',
    friction="Coefficient of dynamic friction.",
    static_friction="Coefficient of static friction.",
    stiffness="Stiffness of point contact, N/m.",
    dissipation="Hunt & Crossley dissipation, s/m.",
    relaxation_time='Relaxation time of linear dissipation (contact="sap"), s.',
    compliant="Whether it has a pressure field and makes patches.",
    modulus="Modulus of the pressure field, Pa; None without one.",
    size="Lengths of a primitive shape, m: the radius of a sphere, half the edges of a box, radius and half the length of a capsule "
    "or cylinder, the radii of an ellipsoid, half the sides of the drawn part of a half-space (0 for all of it); empty for others.",
    position="Of its frame in the body's, m.",
    quaternion="Of its frame in the body's, w first.",
    rgba="Red, green, blue and opacity, 0 to 1.",
)


class ActuatorInfo(NamedTuple):
    """Properties of an actuator in a model."""

    id: int
    name: str
    type: Literal["motor", "position", "velocity", "other"]
    joint: str | None
    ctrl_range: tuple[float, float] | None
    force_range: tuple[float, float] | None


describe(
    ActuatorInfo,
    id="Its index in Model.actuator_names and in the controls.",
    name="Its name.",
    type='"motor" (the control is the force), "position" or "velocity" (the control is the target) or "other".',
    joint="Name of the joint it drives, if that has one coordinate.",
    ctrl_range="Smallest and largest control; None without limits.",
    force_range="Smallest and largest force, N or N m; None without limits.",
)


class _Named:
    """A named part of a simulation."""

    __slots__ = ("_sim", "info")

    #: Its properties in the model.
    info: Any

    def __init__(self, sim: Simulation, info: Any) -> None:
        self._sim = sim
        self.info = info

    @property
    def id(self) -> int:
        """Its id."""
        return self.info.id

    @property
    def name(self) -> str:
        """Its name."""
        return self.info.name

    def __repr__(self) -> str:
        return f'<stiction.{type(self).__name__} "{self.name}" of {self._sim!r}>'

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._sim, self.info)


class Body(_Named):
    """A body of a simulation, from Simulation.body."""

    __slots__ = ()
    info: BodyInfo

    @property
    def position(self) -> np.ndarray:
        """Position of its origin in the world, m; shape (3,)."""
        return self._sim.body_pose(self.id).position

    @property
    def quaternion(self) -> np.ndarray:
        """Orientation in the world, a unit quaternion with w first; shape (4,)."""
        return self._sim.body_pose(self.id).quaternion

    @property
    def velocity(self) -> np.ndarray:
        """Velocity of its origin in world axes, [angular rad/s; linear m/s]; shape (6,). Zero for a mocap body."""
        return self._sim.model.jacobian(self.id, self._sim.qpos) @ self._sim.qvel

    @property
    def mass(self) -> float:
        """Mass, kg; may be set, which scales the rotational inertia too."""
        return self._sim.model.body(self.id).mass

    @mass.setter
    def mass(self, value: float) -> None:
        self._sim.vary(mass={self.id: value})

    def apply_force(
        self,
        force: ArrayLike | None = None,
        point: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        frame: Literal["world", "body"] = "world",
    ) -> None:
        """Adds a force and a torque to Simulation.applied: see Simulation.apply_force.

        force, torque: N and N m, shape (3,). point: point of application, m, shape (3,); the body's origin by default.
        frame: "world" or "body", of all three.
        """
        self._sim.apply_force(self.id, force, point, torque, frame)


class Joint(_Named):
    """A joint of a simulation, from Simulation.joint."""

    __slots__ = ()
    info: JointInfo

    @property
    def qpos(self) -> np.ndarray:
        """Its positions, m or rad; a writable view of Simulation.qpos."""
        return self._sim.qpos[self.info.qpos]

    @qpos.setter
    def qpos(self, values: ArrayLike) -> None:
        self._sim.qpos[self.info.qpos] = values

    @property
    def qvel(self) -> np.ndarray:
        """Its velocities, m/s or rad/s; a writable view of Simulation.qvel."""
        return self._sim.qvel[self.info.qvel]

    @qvel.setter
    def qvel(self, values: ArrayLike) -> None:
        self._sim.qvel[self.info.qvel] = values

    @property
    def applied(self) -> np.ndarray:
        """External forces on it, N or N m; a writable view of Simulation.applied."""
        return self._sim.applied[self.info.qvel]

    @applied.setter
    def applied(self, values: ArrayLike) -> None:
        self._sim.applied[self.info.qvel] = values


class Actuator(_Named):
    """An actuator of a simulation, from Simulation.actuator."""

    __slots__ = ()
    info: ActuatorInfo

    @property
    def ctrl(self) -> float:
        """Its control; may be set. A force for motors, N or N m; a target for servos, m or rad, or m/s or rad/s."""
        return float(self._sim.ctrl[self.id])

    @ctrl.setter
    def ctrl(self, value: float) -> None:
        self._sim.ctrl[self.id] = value


def _contact(name: str, text: str) -> property:
    def get(self: Geom) -> Any:
        return getattr(self._sim.model.geom(self.id), name)

    def put(self: Geom, value: float) -> None:
        changes: dict[str, Any] = {name: {self.id: value}}
        self._sim.vary(**changes)

    return property(get, put, doc=text + "; may be set.")


class Geom(_Named):
    """A geom of a simulation, from Simulation.geom. Setting a property is Simulation.vary."""

    __slots__ = ()
    info: GeomInfo

    friction = _contact("friction", "Coefficient of dynamic friction; setting it sets the static one too")
    static_friction = _contact("static_friction", "Coefficient of static friction")
    stiffness = _contact("stiffness", "Stiffness of point contact, N/m")
    dissipation = _contact("dissipation", "Hunt & Crossley dissipation, s/m")
    relaxation_time = _contact("relaxation_time", 'Relaxation time of linear dissipation (contact="sap"), s')
    modulus = _contact("modulus", "Modulus of the pressure field of a compliant geom, Pa; None without one")
