"""Bodies, joints, geoms, actuators, sites, cameras, equalities and keyframes by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np

from ._describe import describe

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from . import Batch, Simulation


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
    damping: float
    friction_loss: float
    armature: float


describe(
    JointInfo,
    id="Its index in Model.joint_names.",
    name="Its name.",
    type='"hinge", "slide", "screw", "cylindrical", "universal", "planar", "ball" or "free".',
    body="Id of the body it moves.",
    qpos="Slice of its positions in q.",
    qvel="Slice of its velocities in v.",
    range="Smallest and largest position, m or rad; None without limits or for several coordinates.",
    damping="Viscous damping of its first coordinate, N s/m or N m s/rad.",
    friction_loss="Dry friction of its first coordinate, N or N m.",
    armature="Inertia that its first coordinate adds to the mass matrix, kg or kg m².",
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
    collides: bool
    restitution: float


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
    collides="Whether it has contacts.",
    restitution="Restitution of impacts at its contact points, 0 to 1; 0 without one.",
)


class ActuatorInfo(NamedTuple):
    """Properties of an actuator in a model."""

    id: int
    name: str
    type: Literal["motor", "position", "velocity", "other"]
    joint: str | None
    ctrl_range: tuple[float, float] | None
    force_range: tuple[float, float] | None
    kp: float | None
    kv: float | None


describe(
    ActuatorInfo,
    id="Its index in Model.actuator_names and in the controls.",
    name="Its name.",
    type='"motor" (the control is the force), "position" or "velocity" (the control is the target) or "other".',
    joint="Name of the joint it drives, if that has one coordinate.",
    ctrl_range="Smallest and largest control; None without limits.",
    force_range="Smallest and largest force, N or N m; None without limits.",
    kp="Gain of a position servo, N/m or N m/rad; None for others.",
    kv="Gain of a velocity servo, or damping of a position servo, N s/m or N m s/rad; None for others.",
)


class SiteInfo(NamedTuple):
    """Properties of a site in a model."""

    id: int
    name: str
    body: int
    position: list[float]
    quaternion: list[float]


describe(
    SiteInfo,
    id="Its index in Model.site_names.",
    name="Its name.",
    body="Id of the body that carries it.",
    position="Of its frame in the body's, m.",
    quaternion="Of its frame in the body's, w first.",
)


class CameraInfo(NamedTuple):
    """Properties of a camera in a model. It looks along −z of its frame, y up."""

    id: int
    name: str
    body: int
    position: list[float]
    quaternion: list[float]
    field_of_view: float
    resolution: tuple[int, int]


describe(
    CameraInfo,
    id="Its index in Model.camera_names.",
    name="Its name.",
    body="Id of the body that carries it.",
    position="Of its frame in the body's, m.",
    quaternion="Of its frame in the body's, w first.",
    field_of_view="Vertical field of view, rad.",
    resolution="Width and height of its picture, pixels.",
)


class EqualityInfo(NamedTuple):
    """Properties of an equality in a model."""

    id: int
    name: str
    type: Literal["connect", "weld", "distance", "joint", "tendon"]
    bodies: tuple[int, int] | None
    active: bool


describe(
    EqualityInfo,
    id="Its index in Model.equality_names.",
    name='Its name, or "#id" without one.',
    type='"connect", "weld", "distance", "joint" or "tendon".',
    bodies="Ids of the bodies that it holds together; None if it couples joints or tendons.",
    active="Whether it acts.",
)


class Keyframe(NamedTuple):
    """A named state of a model. The arrays are read-only; what the file leaves out has its default."""

    id: int
    name: str
    time: float
    qpos: np.ndarray
    qvel: np.ndarray
    act: np.ndarray
    ctrl: np.ndarray
    mocap_position: np.ndarray
    mocap_quaternion: np.ndarray


describe(
    Keyframe,
    id="Its index in Model.keyframe_names.",
    name="Its name.",
    time="Time, s.",
    qpos="Positions, m or rad and quaternions with w first; shape (nq,).",
    qvel="Velocities, m/s or rad/s; shape (nv,).",
    act="Activations; shape (na,).",
    ctrl="Controls; shape (nu,).",
    mocap_position="Positions of the mocap bodies, in the order of Model.mocap_names, m; shape (mocap bodies, 3).",
    mocap_quaternion="Their orientations, w first; shape (mocap bodies, 4).",
)


class _Named:
    """A named part of a simulation, or of all worlds of a batch; arrays then have one row per world."""

    __slots__ = ("_sim", "info")

    #: Its properties in the model.
    info: Any

    def __init__(self, sim: Simulation | Batch, info: Any) -> None:
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

    def _property(self, what: str, quantity: str) -> Any:
        """A property that vary can change: of the present model, or of each world."""
        if not hasattr(type(self._sim), "parameters"):
            return getattr(getattr(self._sim.model, what)(self.id), quantity)
        batch = cast("Batch", self._sim)
        varied = batch.parameters.get(quantity, {})
        if self.name in varied:
            return varied[self.name]
        value = getattr(self.info, quantity)
        if value is None:
            return None
        row = np.full(batch.n, value)
        row.flags.writeable = False
        return row

    def _vary(self, quantity: str, value: Any) -> None:
        changes: dict[str, Any] = {quantity: {self.id: value}}
        self._sim.vary(**changes)


def _quantity(what: str, name: str, text: str) -> property:
    def get(self: _Named) -> Any:
        return self._property(what, name)

    def put(self: _Named, value: Any) -> None:
        self._vary(name, value)

    return property(get, put, doc=text + "; may be set.")


class Body(_Named):
    """A body of a simulation, from Simulation.body, or of a batch, from Batch.body."""

    __slots__ = ()
    info: BodyInfo

    @property
    def position(self) -> np.ndarray:
        """Position of its origin in the world, m; shape (3,), or (n, 3) in a batch."""
        return self._sim.body_pose(self.id).position

    @property
    def quaternion(self) -> np.ndarray:
        """Orientation in the world, a unit quaternion with w first; shape (4,), or (n, 4) in a batch."""
        return self._sim.body_pose(self.id).quaternion

    @property
    def jacobian(self) -> np.ndarray:
        """Jacobian of its origin: jacobian @ qvel is its velocity, rad/s and m/s; shape (6, nv), or (n, 6, nv) in a batch."""
        return self._sim.jacobian(self.id)

    @property
    def velocity(self) -> np.ndarray:
        """Velocity of its origin in world axes, [angular rad/s; linear m/s]; shape (6,), or (n, 6) in a batch. Zero for a mocap body."""
        return _velocity(self._sim, self.jacobian)

    mass = _quantity("body", "mass", "Mass, kg; setting it scales the rotational inertia too")

    def contact_force(self, other: str | int | None = None) -> Any:
        """Contact force on it in the last step: see Simulation.contact_force.

        Parameters
        ----------
        other : str or int, optional
            Body that exerts it, name or id; None for all.

        Returns
        -------
        object
            A stiction.ContactForce.
        """
        return self._sim.contact_force(self.id, other)

    def apply_force(
        self,
        force: ArrayLike | None = None,
        point: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        frame: Literal["world", "body"] = "world",
    ) -> None:
        """Adds a force and a torque to Simulation.applied: see Simulation.apply_force.

        Parameters
        ----------
        force, torque : array_like, optional
            N and N m, shape (3,).
        point : array_like, optional
            Point of application, m, shape (3,); the body's origin by default.
        frame : {"world", "body"}, optional
            "world" or "body", of all three.
        """
        self._sim.apply_force(self.id, force, point, torque, frame)


def _velocity(sim: Simulation | Batch, jacobian: np.ndarray) -> np.ndarray:
    return (jacobian @ sim.qvel[..., None])[..., 0]


class Site(_Named):
    """A site of a simulation, from Simulation.site, or of a batch, from Batch.site."""

    __slots__ = ()
    info: SiteInfo

    @property
    def position(self) -> np.ndarray:
        """Position in the world, m; shape (3,), or (n, 3) in a batch."""
        return self._sim.site_pose(self.id).position

    @property
    def quaternion(self) -> np.ndarray:
        """Orientation in the world, a unit quaternion with w first; shape (4,), or (n, 4) in a batch."""
        return self._sim.site_pose(self.id).quaternion

    @property
    def jacobian(self) -> np.ndarray:
        """Jacobian of its motion: jacobian @ qvel is its velocity, rad/s and m/s; shape (6, nv), or (n, 6, nv) in a batch."""
        return self._sim.site_jacobian(self.id)

    @property
    def velocity(self) -> np.ndarray:
        """Velocity in world axes, [angular rad/s; linear m/s]; shape (6,), or (n, 6) in a batch. Zero on a mocap body."""
        return _velocity(self._sim, self.jacobian)


class Camera(_Named):
    """A camera of a simulation, from Simulation.camera, or of a batch. It looks along −z of its frame, y up."""

    __slots__ = ()
    info: CameraInfo

    @property
    def position(self) -> np.ndarray:
        """Position in the world, m; shape (3,), or (n, 3) in a batch."""
        return self._sim.camera_pose(self.id).position

    @property
    def quaternion(self) -> np.ndarray:
        """Orientation in the world, a unit quaternion with w first; shape (4,), or (n, 4) in a batch."""
        return self._sim.camera_pose(self.id).quaternion


class Equality(_Named):
    """An equality of a simulation, from Simulation.equality, or of a batch, from Batch.equality."""

    __slots__ = ()
    info: EqualityInfo

    active = _quantity("equality", "active", "Whether it acts, from the next step on; in a batch, an array with one value per world")


class Joint(_Named):
    """A joint of a simulation, from Simulation.joint, or of a batch, from Batch.joint."""

    __slots__ = ()
    info: JointInfo

    @property
    def qpos(self) -> np.ndarray:
        """Its positions, m or rad; a writable view of Simulation.qpos, with one row per world in a batch."""
        return self._sim.qpos[..., self.info.qpos]

    @qpos.setter
    def qpos(self, values: ArrayLike) -> None:
        self._sim.qpos[..., self.info.qpos] = values

    @property
    def qvel(self) -> np.ndarray:
        """Its velocities, m/s or rad/s; a writable view of Simulation.qvel, with one row per world in a batch."""
        return self._sim.qvel[..., self.info.qvel]

    @qvel.setter
    def qvel(self, values: ArrayLike) -> None:
        self._sim.qvel[..., self.info.qvel] = values

    @property
    def qacc(self) -> np.ndarray:
        """Its accelerations, m/s² or rad/s², read-only: see Simulation.qacc."""
        return self._sim.qacc[..., self.info.qvel]

    @property
    def applied(self) -> np.ndarray:
        """External forces on it, N or N m; a writable view of Simulation.applied, with one row per world in a batch."""
        return self._sim.applied[..., self.info.qvel]

    @applied.setter
    def applied(self, values: ArrayLike) -> None:
        self._sim.applied[..., self.info.qvel] = values

    damping = _quantity("joint", "damping", "Viscous damping, N s/m or N m s/rad")
    friction_loss = _quantity("joint", "friction_loss", "Dry friction, N or N m")
    armature = _quantity("joint", "armature", "Inertia that it adds to the mass matrix, kg or kg m²")


class Actuator(_Named):
    """An actuator of a simulation, from Simulation.actuator, or of a batch, from Batch.actuator."""

    __slots__ = ()
    info: ActuatorInfo

    @property
    def ctrl(self) -> Any:
        """Its control; may be set. A force for motors, N or N m; a target for servos, m or rad, or m/s or rad/s. In a batch, a
        writable view of shape (n,)."""
        ctrl = self._sim.ctrl[..., self.id]
        return ctrl if ctrl.ndim else float(ctrl)

    @ctrl.setter
    def ctrl(self, value: ArrayLike) -> None:
        self._sim.ctrl[..., self.id] = value

    kp = _quantity("actuator", "kp", "Gain of a position servo, N/m or N m/rad; None for others")
    kv = _quantity("actuator", "kv", "Gain of a velocity servo, or damping of a position servo, N s/m or N m s/rad; None for others")


class Geom(_Named):
    """A geom of a simulation, from Simulation.geom, or of a batch. Setting a property is Simulation.vary."""

    __slots__ = ()
    info: GeomInfo

    @property
    def position(self) -> np.ndarray:
        """Position of its frame in the world, m; shape (3,), or (n, 3) in a batch."""
        return self._sim.geom_pose(self.id).position

    @property
    def quaternion(self) -> np.ndarray:
        """Orientation of its frame in the world, a unit quaternion with w first; shape (4,), or (n, 4) in a batch."""
        return self._sim.geom_pose(self.id).quaternion

    friction = _quantity("geom", "friction", "Coefficient of dynamic friction; setting it sets the static one too")
    static_friction = _quantity("geom", "static_friction", "Coefficient of static friction")
    stiffness = _quantity("geom", "stiffness", "Stiffness of point contact, N/m")
    dissipation = _quantity("geom", "dissipation", "Hunt & Crossley dissipation, s/m")
    relaxation_time = _quantity("geom", "relaxation_time", 'Relaxation time of linear dissipation (contact="sap"), s')
    modulus = _quantity("geom", "modulus", "Modulus of the pressure field of a compliant geom, Pa; None without one")
    restitution = _quantity("geom", "restitution", "Restitution of impacts at its contact points, 0 to 1; 0 without one")
    collides = _quantity(
        "geom", "collides", "Whether it has contacts, from the next step on; in a batch, an array with one value per world"
    )
