"""Stiction simulates robots that touch things."""

from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypedDict, Union, Unpack, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._named import Actuator, ActuatorInfo, Body, BodyInfo, Geom, GeomInfo, Joint, JointInfo
from ._results import (
    BodyPose,
    ContactPatch,
    Energy,
    FutureBranch,
    Futures,
    ImpactOutcomes,
    LearnedReport,
    ModelWarning,
    OutsideTraining,
    RouthPath,
    StageSeconds,
    Stats,
    StepDerivatives,
    TangentialSprings,
    Touch,
    contact_dtype,
)

__all__ = [
    "Actuator",
    "ActuatorInfo",
    "Batch",
    "Body",
    "BodyInfo",
    "BodyPose",
    "ContactPatch",
    "Energy",
    "Geom",
    "GeomInfo",
    "GripForce",
    "FutureBranch",
    "Futures",
    "ImpactOutcomes",
    "InverseKinematics",
    "Joint",
    "JointInfo",
    "JointPath",
    "JointTracking",
    "LearnedContact",
    "LearnedReport",
    "Measured",
    "Model",
    "ModelError",
    "ModelWarning",
    "OutsideTraining",
    "PosePath",
    "PoseTracking",
    "Recording",
    "RouthPath",
    "Simulation",
    "SimulationError",
    "Solid",
    "StageSeconds",
    "Stats",
    "StepDerivatives",
    "SweepTable",
    "TactileGrid",
    "TangentialSprings",
    "Touch",
    "Viewer",
    "__version__",
    "contact_dtype",
    "futures",
    "impact_outcomes",
    "rollout",
    "rollout_on",
    "routh",
    "scenes",
    "sweep",
    "view",
]

__version__: str

_Floats = NDArray[np.float64]
_ContactModel = Literal["lagged", "similar", "sap"]
_Tessellation = Literal["polygons", "fans", "refined"]
_Method = Literal["convex", "continuous"]
_Integrator = Literal["radau", "dormand-prince", "bogacki-shampine"]
_PathKind = Literal["minimum-jerk", "cubic"]
_JointControlLaw = Literal["servo", "servo-feed-forward", "pd", "pd-gravity", "inverse-dynamics"]
_ContactProperty = Literal["friction", "static_friction", "dynamic_friction", "stiffness", "dissipation", "relaxation_time", "modulus"]
_Frame = Literal["world", "body"]
_Executor = Literal["threads", "processes", "ray"]
_Controller = Callable[[float, _Floats, _Floats], ArrayLike | None]
_SensingController = Callable[[float, _Floats, _Floats, "Measured"], ArrayLike | None]
_AnyController = Union[_Controller, _SensingController, "JointTracking", "PoseTracking", "GripForce"]

class ModelError(ValueError):
    """A model that cannot be loaded or compiled; the message names the file, the element and the remedy."""

class SimulationError(RuntimeError):
    """A step that could not be completed. The simulation keeps the last good state."""

class _StepOptions(TypedDict, total=False):
    contact: _ContactModel | LearnedContact
    stiction_tolerance: float
    regularization: float
    relative_tolerance: float
    margin: float
    normal_law: str | Sequence[Sequence[float]]
    speculative: bool
    tangential_springs: bool | TangentialSprings
    max_iterations: int
    friction_passes: int
    tessellation: _Tessellation

class _Options(_StepOptions, total=False):
    accuracy: float | None
    max_step: float
    method: _Method
    integrator: _Integrator
    adhesion: float

class _AllOptions(_Options, total=False):
    step: float

_Name = str | int

class _Changes(TypedDict, total=False):
    gravity: ArrayLike | None
    mass: Mapping[_Name, ArrayLike] | None
    friction: Mapping[_Name, ArrayLike] | None
    static_friction: Mapping[_Name, ArrayLike] | None
    stiffness: Mapping[_Name, ArrayLike] | None
    dissipation: Mapping[_Name, ArrayLike] | None
    relaxation_time: Mapping[_Name, ArrayLike] | None
    modulus: Mapping[_Name, ArrayLike] | None
    size: Mapping[_Name, ArrayLike] | None

_Ranges = Mapping[_Name, tuple[float, float] | tuple[float, float, Literal["uniform", "log"]]]

@final
class Model:
    """A compiled model: bodies, joints, shapes and actuators, ready to compute with.

    Made by Model.from_file, Model.from_string or Model.from_scene. It never changes, so simulations and
    threads can share it. It pickles, meshes included.

    q has nq numbers and v has nv, laid out as MuJoCo's qpos and qvel. Units are SI, angles in radians.
    Bodies, joints, geoms and actuators have ids: their indices in body_names (0 is the world),
    joint_names, geom_names and actuator_names.
    """

    @staticmethod
    def from_file(
        path: str | PathLike[str],
        fixed_base: bool = False,
        strict: bool = False,
        package_paths: Sequence[str | PathLike[str]] = [],
    ) -> Model:
        """Reads a model file: MJCF (.xml), URDF (.urdf), SDFormat (.sdf) or model directives (.dmd.yaml).

        path: the file, or the name of a built-in scene (see stiction.scenes()) if no such file exists.
        fixed_base: fix the roots of a URDF or SDFormat model to the world; by default they are free.
        strict: raise an error for the first unsupported element instead of listing it in warnings.
        package_paths: folders of ROS packages, or folders that contain them, for package:// addresses.

        Returns the model. Raises ModelError, which names the file, the element and the remedy.
        """

    @staticmethod
    def from_string(
        text: str,
        format: Literal["mjcf", "urdf", "sdf", "dmd"] = "mjcf",
        fixed_base: bool = False,
        strict: bool = False,
        package_paths: Sequence[str | PathLike[str]] = [],
    ) -> Model:
        """Reads a model from text.

        text: the content of a model file.
        format: "mjcf", "urdf", "sdf" or "dmd" (model directives).
        fixed_base, strict, package_paths: as for from_file. Mesh files are looked up from the current folder.

        Returns the model. Raises ModelError, which names the element and the remedy, and ValueError for an unknown format.
        """

    @staticmethod
    def from_scene(name: str) -> Model:
        """Loads a built-in scene.

        name: one of stiction.scenes().

        Returns the model. Raises ModelError for an unknown name.
        """

    @property
    def name(self) -> str:
        """Name of the model."""
    @property
    def nq(self) -> int:
        """Number of position coordinates."""
    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
    @property
    def nu(self) -> int:
        """Number of controls."""
    @property
    def total_mass(self) -> float:
        """Mass of all bodies, kg."""
    @property
    def gravity(self) -> _Floats:
        """Acceleration of gravity in the world, m/s², shape (3,)."""
    @property
    def step(self) -> float | None:
        """Length of a step in the file, s; None if the file has none."""
    @property
    def body_names(self) -> list[str]:
        """Names of the bodies by id; 0 is the world."""
    @property
    def body_masses(self) -> _Floats:
        """Masses of the bodies by id, kg, shape (number of bodies,)."""
    @property
    def joint_names(self) -> list[str]:
        """Names of the joints, in the order of their coordinates."""
    @property
    def geom_names(self) -> list[str]:
        """Names of the geoms by id. A geom without a name is called "#id"."""
    @property
    def actuator_names(self) -> list[str]:
        """Names of the actuators, in the order of the controls."""
    @property
    def na(self) -> int:
        """Number of activations: one for each actuator with internal dynamics."""
    @property
    def tendon_names(self) -> list[str]:
        """Names of the tendons."""
    @property
    def sensor_names(self) -> list[str]:
        """Names of the sensors, in the order of Simulation.sensors."""
    @property
    def keyframe_names(self) -> list[str]:
        """Names of the keyframes, for Simulation.reset."""
    @property
    def mocap_names(self) -> list[str]:
        """Names of the mocap bodies, which Simulation.set_mocap moves."""
    @property
    def default_qpos(self) -> _Floats:
        """Positions of the model as described in its file, shape (nq,), m or rad and quaternions with w first."""
    @property
    def warnings(self) -> list[ModelWarning]:
        """Unsupported parts of the file and their effect: a list of stiction.ModelWarning (file, element, line, message)."""
    def qpos_slice(self, joint: str) -> slice:
        """Slice of a joint's positions in q: q[model.qpos_slice("elbow")].

        joint: name of the joint. Raises ValueError for an unknown name.
        """
    def qvel_slice(self, joint: str) -> slice:
        """Slice of a joint's velocities in v: v[model.qvel_slice("elbow")].

        joint: name of the joint. Raises ValueError for an unknown name.
        """
    def tendon_lengths(self, q: ArrayLike) -> _Floats:
        """Lengths of all tendons.

        q: positions, shape (nq,).

        Returns shape (ntendon,), m; for a fixed tendon, the weighted sum of its joint positions. Raises ValueError if q does not
        fit the model.
        """
    def tendon_moments(self, q: ArrayLike) -> _Floats:
        """Moment arms of all tendons: the gradients of their lengths.

        q: positions, shape (nq,).

        Returns shape (ntendon, nv), m per m or rad. Raises ValueError if q does not fit the model.
        """
    def actuator_lengths(self, q: ArrayLike) -> _Floats:
        """Lengths of the transmissions of all actuators.

        q: positions, shape (nq,).

        Returns shape (nu,), m or rad. Raises ValueError if q does not fit the model.
        """
    def actuator_moments(self, q: ArrayLike) -> _Floats:
        """Moment arms of all actuators: generalised force per unit of actuator force.

        q: positions, shape (nq,).

        Returns shape (nu, nv), 1 or m. Raises ValueError if q does not fit the model.
        """
    def actuator_forces(self, q: ArrayLike, v: ArrayLike, ctrl: ArrayLike, act: ArrayLike | None = None) -> _Floats:
        """Forces of all actuators along their transmissions.

        q, v: positions, shape (nq,), and velocities, shape (nv,).
        ctrl: controls, shape (nu,). act: activations, shape (na,); zeros by default.

        Returns shape (nu,), N or N m. Raises ValueError for arrays that do not fit the model.
        """
    def passive_forces(self, q: ArrayLike, v: ArrayLike) -> _Floats:
        """Generalised forces of joint and tendon springs and dampers and of gravity compensation.

        q, v: positions, shape (nq,), and velocities, shape (nv,).

        Returns shape (nv,), N or N m. Raises ValueError for arrays that do not fit the model.
        """
    def sensors(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike | None = None,
        ctrl: ArrayLike | None = None,
        act: ArrayLike | None = None,
    ) -> dict[str, _Floats]:
        """Readings of all sensors at a state, without contacts. Simulation.sensors reads a running simulation.

        q, v: positions, shape (nq,), and velocities, shape (nv,).
        a, ctrl, act: accelerations, shape (nv,), controls, shape (nu,), and activations, shape (na,); zeros by default.

        Returns a dict from name to array, SI units. Raises ValueError for arrays that do not fit the model.
        """
    def body(self, body: str | int) -> BodyInfo:
        """Properties of a body in the model.

        body: name or id. Returns a stiction.BodyInfo with id, parent, mass, com, inertia. Raises ValueError for an unknown name.
        """
    def joint(self, joint: str | int) -> JointInfo:
        """Properties of a joint in the model.

        joint: name or id. Returns a stiction.JointInfo with id, type, body, range, and its slices of q and v. Raises ValueError
        for an unknown name.
        """
    def geom(self, geom: str | int) -> GeomInfo:
        """Properties of a geom in the model.

        geom: name or id. Returns a stiction.GeomInfo with id, body, shape and contact properties. Raises ValueError for an
        unknown name.
        """
    def actuator(self, actuator: str | int) -> ActuatorInfo:
        """Properties of an actuator in the model.

        actuator: name or id. Returns a stiction.ActuatorInfo with id, type, joint and ranges. Raises ValueError for an unknown
        name.
        """
    def varied(self, **changes: Unpack[_Changes]) -> Model:
        """A variant of this model: the same bodies, joints and geoms with other properties. This model does not change; states
        of one are states of the other.

        gravity: acceleration of gravity in the world, m/s², shape (3,).
        mass: dict from bodies (names or ids, "*" for all) to masses, kg; rotational inertia follows in proportion.
        friction: dict from geoms (names or ids, "*" for all) to coefficients of friction, static and dynamic.
        static_friction: the same for static friction alone.
        stiffness: the same for stiffness of point contact, N/m.
        dissipation: the same for Hunt & Crossley dissipation, s/m.
        relaxation_time: the same for that of linear dissipation (contact="sap"), s.
        modulus: the same for the modulus of compliant geoms, Pa.
        size: the same for factors on the size of primitive geoms, about their own frames. Masses do not change. The rotational
            inertia of a body is scaled if this is its only geom and lies at its centre of mass; otherwise it does not change,
            which is a warning in warnings.

            moon = model.varied(gravity=[0, 0, -1.62], friction={"floor": 0.3})

        Returns the variant. Raises ModelError for a change that is not possible, ValueError for a wrong name or number.
        """
    def mass_matrix(self, q: ArrayLike) -> _Floats:
        """Mass matrix, with armature and rotor inertia.

        q: positions, shape (nq,).

        Returns shape (nv, nv); kg, kg m or kg m². Raises ValueError if q does not fit the model.
        """
    def bias(self, q: ArrayLike, v: ArrayLike) -> _Floats:
        """Coriolis, centrifugal and gravity forces, without springs, damping and actuation.

        q, v: positions, shape (nq,), and velocities, shape (nv,).

        Returns shape (nv,), N or N m. Raises ValueError for arrays that do not fit the model.
        """
    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> _Floats:
        """Generalised forces for given accelerations: mass_matrix(q) a + bias(q, v).

        q, v, a: positions, shape (nq,), velocities and accelerations, shape (nv,).

        Returns shape (nv,), N or N m. Raises ValueError for arrays that do not fit the model.
        """
    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> _Floats:
        """Accelerations under generalised forces: mass_matrix(q)⁻¹ (tau − bias(q, v)).

        q, v: positions, shape (nq,), and velocities, shape (nv,).
        tau: generalised forces, shape (nv,), N or N m.

        Returns shape (nv,), m/s² or rad/s². Raises ValueError for arrays that do not fit the model.
        """
    def energy(self, q: ArrayLike, v: ArrayLike) -> Energy:
        """Kinetic and potential energy at a state.

        q, v: positions, shape (nq,), and velocities, shape (nv,).

        Returns a stiction.Energy (kinetic, potential), J, with .total. Raises ValueError for arrays that do not fit the model.
        """
    def body_pose(self, body: str | int, q: ArrayLike) -> BodyPose:
        """Pose of a body in the world. Mocap bodies are at their poses in the file.

        body: name or id. q: positions, shape (nq,).

        Returns a stiction.BodyPose (position in m, quaternion with w first). Raises ValueError for an unknown name or if q does
        not fit the model.
        """
    def com(self, q: ArrayLike) -> _Floats:
        """Centre of mass of all moving bodies, in the world.

        q: positions, shape (nq,).

        Returns shape (3,), m. Raises ValueError if q does not fit the model.
        """
    def jacobian(self, body: str | int, q: ArrayLike, point: ArrayLike | None = None) -> _Floats:
        """Jacobian of a body's motion: jacobian @ v is [angular; linear] velocity in world axes, rad/s and m/s.

        body: name or id.
        q: positions, shape (nq,).
        point: point of the body whose velocity is meant, in the world, m, shape (3,); the body's origin by default.

        Returns shape (6, nv). Raises ValueError for an unknown name or arrays that do not fit the model.
        """
    def save(self, path: str | PathLike[str]) -> list[str]:
        """Writes the model as one flat file for other programs. It loads back to the same masses, poses and dynamics.

        path: a file .xml (MJCF) or .urdf (URDF); the meshes of a URDF are written beside it.

        Returns what the format cannot express and the effect of that, a list of sentences. Raises ModelError for a model that
        the format cannot express at all, OSError if the file cannot be written.
        """
    def __copy__(self) -> Model: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> Model: ...

@final
class LearnedContact:
    """A contact learned from data, for `Simulation(model, contact=…)`. There are two kinds:

    "calibrated": a friction calibration and a material fitted to recordings (`stiction learn calibrate`, a .json file). Its
    material replaces the combined material of every geom pair.

    "dac": a data-augmented law (`stiction learn train`, a .safetensors file of weights) for one body on stationary surfaces:
    friction is learned, the other constraints are solved. sim.learned reports what it did and whether it was outside its
    training range.

    Equal contacts compare equal; they pickle and copy.
    """

    @staticmethod
    def load(name: str | PathLike[str]) -> LearnedContact:
        """Loads a learned contact.

        name: a file (.json or .safetensors), or a contact of the package: "cube" (calibrated), "box", "prism", "box-2d",
            "anisotropic", "link" (dac).

        Returns the contact. Raises ValueError for an unknown name or a file that holds no contact, OSError for a file that cannot
        be read.
        """
    @staticmethod
    def names() -> list[str]:
        """Names of the contacts of the package, for load."""
    @staticmethod
    def from_json(text: str) -> LearnedContact:
        """Reads a contact from the text of a .json file.

        text: JSON. Raises ValueError for text that holds no contact.
        """
    @staticmethod
    def from_bytes(data: bytes) -> LearnedContact:
        """Reads a contact from the bytes of a file of either kind.

        data: JSON or safetensors. Raises ValueError for bytes that hold no contact.
        """
    def to_json(self) -> str:
        """The contact as the text of a .json file. Raises ValueError for kind "dac", which has no text form: use to_bytes."""
    def to_bytes(self) -> bytes:
        """The contact as the bytes of its file: JSON, or safetensors for kind "dac"."""
    def save(self, path: str | PathLike[str]) -> None:
        """Writes the contact to a file: JSON, or safetensors for kind "dac".

        path: the file. Raises OSError if it cannot be written.
        """
    @property
    def name(self) -> str:
        """Its name; that of a data-augmented law is the case it was trained for."""
    @property
    def kind(self) -> Literal["calibrated", "dac"]:
        """Its kind: "calibrated" or "dac"."""
    @property
    def provenance(self) -> dict[str, Any]:
        """Origin and accuracy of the contact as its file states them: a dict."""
    def __eq__(self, other: object, /) -> bool: ...

@final
class Simulation:
    """A model being simulated, from its default state at time 0.

    model: a stiction.Model.
    step: length of a step, s; with accuracy, of the first one tried.
    contact: contact model, "lagged", "similar" or "sap", or a LearnedContact. A model whose file has its own friction
        calibration (such as the scene cube_toss) keeps it under "lagged". With a data-augmented law (LearnedContact of kind
        "dac") the options below have no effect (accuracy, continuous time and springs raise an error), and sim.learned reports
        what it did.
    stiction_tolerance: slip speed below which a contact sticks, m/s.
    regularization: impact regularisation σ, without unit; 0 turns it off.
    relative_tolerance: relative tolerance of each step's solve.
    margin: distance within which contacts are found before they touch, m.
    normal_law: force of a contact point against depth (contact="lagged" or "similar"): "linear"; "hertz", where the stiffness
        of geoms is in N/m^1.5; "log-barrier:KAPPA" (J) or "clamped-barrier:KAPPA,RANGE" (N/m, m), which act before bodies
        touch and need a margin; or rows of depth (m) and force (N), the first force 0 and none falling.
    speculative: whether the motion of each step is examined for bodies that would pass through each other; they get a contact
        where they meet, or are held back (method="convex").
    tangential_springs: True for springs that carry friction while a contact sticks, so that it does not
        creep (contact="lagged" only); or a dict with stiffness_ratio (tangential over normal stiffness,
        default 0.8) and relaxation_time (damping over stiffness, s, default 0), and for contact patches stretch
        (normal force over tangential stiffness, m, default 1e-4) and patch_relaxation_time (s, default 6e-3).
    max_iterations: maximum number of Newton iterations in a step.
    friction_passes: solves that a step may repeat where the normal force of a contact comes or goes within it, so that
        friction does not lag (contact="lagged" only); 0 lets it lag by a step.
    tessellation: faces of contact patches: "polygons"; "fans" of triangles, which are more and
        make the force a continuous function of the poses; or "refined", polygons with the quadrature of continuous time.
    accuracy: error allowed in each step's positions, m and rad (1e-3 is usual); error control then chooses the
        length of each step. None for steps of fixed length.
    max_step: longest step with an accuracy, s.
    method: "convex", or "continuous" for continuous time with an accuracy (1e-4 if none is given): compliant geoms
        only; tangential_springs may then be a dict with stretch (m, default 1e-4) and relaxation_time (s, default 6e-3).
    integrator: of continuous time, "radau", "dormand-prince" or "bogacki-shampine".
    adhesion: of continuous time, the largest suction at surfaces pulled apart, Pa.

    qpos, qvel, ctrl and applied are writable arrays that follow the simulation:

        sim.qpos[2] += 0.1           # before a step, changes the state
        q = sim.qpos                 # keeps showing the present state
        past = sim.qpos.copy()       # a state to keep

    Raises ValueError for an option outside its range. Simulations pickle and copy; the copy continues
    bit for bit, with statistics from zero.
    """

    def __new__(
        cls,
        model: Model,
        step: float = 1e-3,
        **options: Unpack[_Options],
    ) -> Simulation: ...
    @property
    def model(self) -> Model:
        """The model; after a change by gravity or vary, a variant of the one given at construction."""
    @property
    def options(self) -> dict[str, Any]:
        """The options as a dict: Simulation(model, **sim.options) makes a simulation like this one."""
    def set_options(self, **options: Unpack[_AllOptions]) -> None:
        """Changes options from the next step on; the others stay as they are. The arguments are those of Simulation. Raises
        ValueError for an option outside its range, and then nothing changes.

            sim.set_options(step=5e-4, margin=1e-3)         # steps of half a millisecond, contacts kept from 1 mm on
        """
    @property
    def gravity(self) -> _Floats:
        """Acceleration of gravity in the world, m/s², shape (3,); may be set. To change one number, set all three."""
    @gravity.setter
    def gravity(self, values: ArrayLike) -> None: ...
    def vary(self, **changes: Unpack[_Changes]) -> None:
        """Changes gravity, masses, contact properties or sizes from the next step on. The arguments and their units are those of
        Model.varied; earlier changes stay in effect. This allocates memory: do not call it in every step.

            sim.vary(friction={"floor": 0.3}, mass={"cube": 0.5})

        Raises ModelError for a change that is not possible, ValueError for a wrong name or number; then nothing changes.
        """
    def body(self, body: str | int) -> Body:
        """A body of this simulation.

        body: name or id. Returns a stiction.Body with position, quaternion, velocity, mass, apply_force. Raises ValueError for
        an unknown name.
        """
    def joint(self, joint: str | int) -> Joint:
        """A joint of this simulation.

        joint: name or id. Returns a stiction.Joint with qpos, qvel and applied as writable views (m or rad, m/s or rad/s, N or
        N m). Raises ValueError for an unknown name.
        """
    def geom(self, geom: str | int) -> Geom:
        """A geom of this simulation.

        geom: name or id. Returns a stiction.Geom with contact properties that may be set. Raises ValueError for an unknown name.
        """
    def actuator(self, actuator: str | int) -> Actuator:
        """An actuator of this simulation.

        actuator: name or id. Returns a stiction.Actuator with its control. Raises ValueError for an unknown name.
        """
    def set_target(self, name: str, position: float | None = None, velocity: float | None = None) -> None:
        """Sets the target of a servo, by the name of the actuator or of the joint it drives.

        name: of the actuator or the joint.
        position: target of a position servo, m or rad.
        velocity: target of a velocity servo, m/s or rad/s.

            sim.set_target("elbow", 0.5)

        It writes sim.ctrl, in the servo's own units. Raises ValueError if no such servo drives the joint.
        """
    @property
    def qpos(self) -> _Floats:
        """Positions, shape (nq,), m or rad and quaternions with w first; writable, follows the simulation."""
    @qpos.setter
    def qpos(self, values: ArrayLike) -> None: ...
    @property
    def qvel(self) -> _Floats:
        """Velocities, shape (nv,), m/s or rad/s; writable, follows the simulation."""
    @qvel.setter
    def qvel(self, values: ArrayLike) -> None: ...
    @property
    def ctrl(self) -> _Floats:
        """Controls, shape (nu,), in each actuator's own unit (N or N m for motors, m or rad for position servos), held until they are
        changed; writable, follows the simulation.
        """
    @ctrl.setter
    def ctrl(self, values: ArrayLike) -> None: ...
    @property
    def act(self) -> _Floats:
        """Activations of the actuators that have one, shape (na,)."""
    @act.setter
    def act(self, values: ArrayLike) -> None: ...
    @property
    def sensors(self) -> dict[str, _Floats]:
        """Readings of all sensors, a dict from name to array: positions and velocities of the present state,
        accelerations and forces of the last step (zero before the first); m, rad, m/s, rad/s, m/s², N and N m.
        """
    @property
    def applied(self) -> _Floats:
        """Generalised forces applied from outside, shape (nv,), N or N m, held until they are changed;
        writable, follows the simulation.
        """
    @applied.setter
    def applied(self, values: ArrayLike) -> None: ...
    @property
    def time(self) -> float:
        """Time, s. May be set."""
    @time.setter
    def time(self, time: float) -> None: ...
    def step(self, n: int = 1) -> None:
        """Takes steps, without holding the interpreter. Ctrl-C ends it after the current step.

        n: number of steps.

        Raises ValueError for a state that is not finite, SimulationError for a step that cannot be
        completed, and any exception of a controller; the state is then the last good one.
        """
    def run_until(self, time: float) -> None:
        """Steps until a time, as step does.

        time: end, s. Steps of fixed length end at the one nearest to it; under error control the last step ends there exactly.

        Raises what step raises, and ValueError for a time that is not finite.
        """
    @property
    def contacts(self) -> NDArray[np.void]:
        """Contact points of the last step, one row each, as a structured array ordered by geom pair:
        geom_a, geom_b, body_a, body_b (ids), position (m, in the world, at the beginning of the step),
        normal (from a into b), force (N, in world axes, on body b), penetration (m, negative while
        apart), slip (m/s, in world axes, b relative to a), sticking.
        A copy; empty before the first step and after reset or load_state.
        """
    @property
    def patches(self) -> list[ContactPatch]:
        """Contact patches of the last step, a list of stiction.ContactPatch, one for each geom pair with a
        compliant geom: polygons, pressure, forces, tractions and slip. See help(stiction.ContactPatch).
        A copy; empty before the first step and after reset or load_state.
        """
    @property
    def warnings(self) -> list[ModelWarning]:
        """Reasons since construction why contact patches are unreliable, once for each geom pair, as a
        list of stiction.ModelWarning: the core of a pressure field was reached (a thin or soft body
        under too much load), or a body lies completely inside another. Also one for each equality between bodies that misses
        its target in the last step, with its error.
        """
    @property
    def learned(self) -> LearnedReport | None:
        """Report of a data-augmented law for the last step, a stiction.LearnedReport: action ("static", "dynamic", "detach",
        or None without contact), outside (None, or the first quantity outside its training range), converged,
        outside_steps (since construction). None without such a law.
        """
    @property
    def stats(self) -> Stats:
        """Counts and times since construction, as a dict: steps, rejected (steps that error control
        rejected), iterations (Newton, all steps together),
        max_iterations (in one step), unconverged (steps that did not reach their tolerance),
        line_search_evaluations, friction_passes, points, patches and faces (summed over steps), doubtful_patches (see
        warnings), speculative (contacts of bodies that would have passed through each other), held_back (bodies or trees that
        moved less far than their velocities say, for the same reason), passed (pairs that nothing could hold),
        missed_equalities (summed over steps, see warnings), max_gap (m) and max_angle (rad) of equalities, last_iterations,
        last_points, last_patches, last_faces, max_penetration (m), friction_loss and
        normal_loss (J), dissipated (by contact) and other_work (of all but contact, gravity and joint springs; both J and in
        continuous time only), min_step and max_step (s), and seconds, a dict by stage of the step:
        kinematics, proximity, assemble, solve, advance.
        """
    @property
    def energy(self) -> Energy:
        """Kinetic and potential energy of the present state, J: a stiction.Energy (kinetic, potential) with .total."""
    def body_pose(self, body: str | int) -> BodyPose:
        """Pose of a body in the world at the present state.

        body: name or id. Returns a stiction.BodyPose (position in m, quaternion with w first). Raises ValueError for an unknown
        name.
        """
    def set_mocap(
        self,
        body: str | int,
        position: ArrayLike,
        quaternion: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        linear_velocity: ArrayLike | None = None,
    ) -> None:
        """Moves a mocap body.

        body: name or id.
        position, quaternion: pose in the world, m, shape (3,), and w first, shape (4,); no rotation by default.
        angular_velocity, linear_velocity: velocity of its surface for contacts, rad/s and m/s in world axes, shape (3,); zero by
            default. They do not move the body.

        Raises ValueError if the body is no mocap body.
        """
    def apply_force(
        self,
        body: str | int,
        force: ArrayLike | None = None,
        point: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        frame: _Frame = "world",
    ) -> None:
        """Adds a force and a torque on a body to sim.applied, evaluated at the present positions. As generalised forces they are
        then held; for a force that follows the body, reset applied and call this before each step.

        body: name or id.
        force, torque: N and N m, shape (3,); zero by default.
        point: point of application, m, shape (3,); the body's origin by default.
        frame: "world" if force, torque and point are in the world's frame, "body" if all are in the body's.

        Raises ValueError for an unknown body or frame, or if neither force nor torque is given.
        """
    def settle(self, speed: float = 1e-4, time: float = 10.0) -> bool:
        """Steps until everything is at rest, then sets the velocities to zero. In continuous time with tangential springs this
        finds static states; otherwise sticking contacts creep at up to the stiction tolerance.

        speed: largest speed that counts as rest, m/s and rad/s; in continuous time, accelerations must also be below speed/0.1 s.
        time: most simulated time to wait, s.

        Returns True at rest, False if something still moves after that time. Raises what step raises.
        """
    def interpolate(self, time: float) -> tuple[_Floats, _Floats]:
        """Positions and velocities within the last step of continuous time.

        time: s, within the last step.

        Returns positions, shape (nq,), m or rad, and velocities, shape (nv,), m/s or rad/s. Raises ValueError for a time outside
        of the last step, or under another method.
        """
    @property
    def accelerations(self) -> _Floats:
        """Accelerations at the present state in continuous time, m/s² or rad/s², shape (nv,). Raises ValueError under another
        method, where velocities jump from step to step.
        """
    @property
    def contact_energy(self) -> float:
        """Energy stored by contact in continuous time, J: in pressure fields and tangential springs. It visits every pair of
        elements: use it for energy balances, not in every step.
        """
    def step_derivatives(self, parameters: Iterable[tuple[str | int, _ContactProperty]] | None = None) -> StepDerivatives:
        """Derivatives of the step from the present state. The step is not taken; the simulation does not change.

        parameters: contact parameters to differentiate by, pairs of a geom (name or id) and a property: "friction"
            (static and dynamic together), "static_friction", "dynamic_friction", "stiffness" (N/m), "dissipation" (s/m),
            "relaxation_time" (s) or "modulus" (Pa).

        A state has n = 2 nv + na numbers, [δq, δv, δact]: positions along the tangent, nv numbers as velocities have
        (rotations of ball and free joints about body axes), as MuJoCo's mjd_transitionFD has them.

            d = sim.step_derivatives([("ball", "friction")])
            d.state             # ∂state⁺/∂state, (n, n)
            d.ctrl              # ∂state⁺/∂ctrl, (n, nu)
            d.parameters        # ∂state⁺/∂parameter, (n, number of parameters)
            d.qpos, d.qvel      # after the step

        The derivative of the discrete step is exact where it exists; at a kink (a contact about to touch or to leave) it is
        one-sided. Applied forces, mocap bodies and the stretches of tangential springs are held fixed.

        Returns a stiction.StepDerivatives. Raises ValueError for steps whose derivative is not supported: with accuracy, in
        continuous time, with adhesion actuators.
        """
    def record(
        self,
        path: str | PathLike[str] | Sequence[str | PathLike[str]],
        rate: float = 60.0,
        joints: Sequence[str] | None = None,
    ) -> Recording:
        """Records the simulation to files from now on. Existing files are replaced.

        path: a file, or a list of files: .html opens in a browser, .mcap in robotics log tools.
        rate: frames per simulated second. Recording never changes the simulation: a frame is taken at the end of the
            first step at or after its time.
        joints: names of joints to plot; all by default, unless there are too many.

        Returns a stiction.Recording. The files are complete after stop_recording(), after a with block around the
        recording, and when the simulation is deleted; before, they can be opened up to about the last second.

            with sim.record("out.html"):
                sim.step(1000)

        Raises OSError if a file cannot be written (so may a step, if the disk is full; the state is then valid, and the
        recording has ended and is readable), ValueError for another file extension, RuntimeError if the simulation is being
        recorded already.
        """
    def stop_recording(self) -> list[Path]:
        """Completes the files of record, with a last frame of the present state.

        Returns their paths; an empty list if nothing is being recorded. Raises OSError if they could not be completed; the
        frames written before stay readable.
        """
    def save_state(self) -> bytes:
        """The state as bytes, from which load_state continues bit for bit."""
    def load_state(self, state: bytes) -> None:
        """Restores a state that save_state returned.

        state: bytes from a simulation of the same model.

        Raises ValueError if it does not fit this model.
        """
    def reset(self, keyframe: str | int | None = None) -> None:
        """Returns to the default state at time 0, or to a keyframe. Controls and applied forces are set to zero or to the
        keyframe's values; controllers, options and statistics stay.

        keyframe: name or number; None for the default state.

        Raises ValueError for an unknown keyframe.
        """
    def add_controller(
        self,
        controller: _AnyController,
        period: float = 0.0,
        sensing: bool = False,
        *,
        wrenches: Sequence[str | int] | None = None,
        skins: Sequence[TactileGrid] | None = None,
    ) -> int:
        """Adds a controller, which sets the controls from now on. It runs after the controllers added before.

        controller: a function controller(time, qpos, qvel) that gets copies of the state and returns the controls, shape (nu,),
            which are held until they are set again. If it returns None, the values that it wrote to sim.ctrl count. Or a
            stiction.JointTracking, PoseTracking or GripForce, which has its own period.
        period: time between samples, s; 0 for every step. A sample is at the beginning of the first step at or after each
            multiple of the period.
        sensing: True calls controller(time, qpos, qvel, measured) with a stiction.Measured: sensors at that instant, contact
            forces and joint torques of the previous step, and the controller's memory.
        wrenches: bodies (names or ids) at whose mounts the wrench is measured, for Measured.wrench; implies sensing.
        skins: a list of stiction.TactileGrid, for Measured.skin; implies sensing.

        Returns its number. Exceptions of the controller propagate from sim.step, with a note that names the controller and the
        time; a result of another shape or one that is not finite raises ValueError there. The state is then that before the step.
        """
    def remove_controller(self, number: int) -> None:
        """Removes a controller; the controls keep their values. The numbers of those added after it decrease by one.

        number: as returned by add_controller. Raises ValueError for an unknown number.
        """
    @property
    def controllers(self) -> list[Any]:
        """The controllers, in order."""
    def set_controller(
        self,
        controller: _AnyController | None,
        period: float = 0.0,
        sensing: bool = False,
        *,
        wrenches: Sequence[str | int] | None = None,
        skins: Sequence[TactileGrid] | None = None,
    ) -> None:
        """Replaces all controllers by one. The arguments are those of add_controller; None removes all controllers and keeps the
        controls.
        """

@final
class JointPath:
    """A trajectory of joints through keyframes. Before the first and after the last keyframe, its position is constant.

    times: times of the keyframes, s, increasing, shape (n,).
    points: positions at the keyframes, rad or m, shape (n, joints).
    kind: "minimum-jerk" stops at every keyframe; "cubic" passes through them without stopping, with continuous acceleration,
        and is at rest at both ends.

    Raises ValueError for shapes that do not fit, times that do not increase, or an unknown kind.
    """

    def __new__(cls, times: ArrayLike, points: ArrayLike, kind: _PathKind = "minimum-jerk") -> JointPath: ...
    @property
    def end(self) -> float:
        """Time of the last keyframe, s."""
    def at(self, time: float) -> tuple[_Floats, _Floats, _Floats]:
        """The trajectory at a time.

        time: s.

        Returns positions (rad or m), velocities (rad/s or m/s) and accelerations (rad/s² or m/s²), each of shape (joints,).
        """

@final
class PosePath:
    """A trajectory of poses through keyframes. Before the first and after the last keyframe, its pose is constant.

    times: times of the keyframes, s, increasing, shape (n,).
    positions: in the world, m, shape (n, 3).
    quaternions: orientations, w first, shape (n, 4).
    kind: "minimum-jerk" moves on straight lines and rotates about one axis between keyframes, and stops at each; "cubic" passes
        through them without stopping and is at rest at both ends.

    Raises ValueError for shapes that do not fit, times that do not increase, or an unknown kind.
    """

    def __new__(cls, times: ArrayLike, positions: ArrayLike, quaternions: ArrayLike, kind: _PathKind = "minimum-jerk") -> PosePath: ...
    @staticmethod
    def at_speed(start: float, positions: ArrayLike, quaternions: ArrayLike, linear_speed: float, angular_speed: float) -> PosePath:
        """A minimum-jerk path through poses whose times follow from peak speeds.

        start: time of the first keyframe, s.
        positions, quaternions: as for PosePath.
        linear_speed, angular_speed: peak speeds, m/s and rad/s.

        Returns a stiction.PosePath. Raises ValueError for shapes that do not fit or speeds that are not positive.
        """
    @property
    def times(self) -> _Floats:
        """Times of the keyframes, s, shape (n,)."""
    @property
    def end(self) -> float:
        """Time of the last keyframe, s."""
    def at(self, time: float) -> tuple[_Floats, _Floats, _Floats]:
        """The trajectory at a time.

        time: s.

        Returns position (3,), m, quaternion (4,), w first, and twist (6,), [angular; linear], rad/s and m/s in world axes.
        """

@final
class InverseKinematics:
    """Differential inverse kinematics: joint velocities that move a site, within the joints' position and speed limits.

    model: a stiction.Model.
    joints: names of hinges and slides.
    site: name of the site that moves.
    speed_limits: largest speed of each joint, rad/s or m/s; those of the model if None (MJCF has none).
    gain: rate at which a pose error decays, 1/s.
    damping: cost of joint speed at singular positions, m/s of error per rad/s.
    length: length that weighs an orientation error of one radian, m.
    regular: smallest singular value for which a position is not damped, m/rad.
    weights: of errors along the axes of the target frame, [angular; linear], shape (6,); 0 leaves one free.
    linear_speed, angular_speed: largest target speeds of the site, m/s and rad/s.
    posture: preferred positions of the joints in the directions that the site leaves free, shape (joints,), m or rad;
        approached at posture_rate, 1/s.

    Raises ValueError for unknown names and numbers outside their range. It pickles.
    """

    def __new__(
        cls,
        model: Model,
        joints: Sequence[str],
        site: str,
        speed_limits: Sequence[float] | None = None,
        gain: float = 10.0,
        damping: float = 0.02,
        length: float = 0.1,
        *,
        regular: float = 0.03,
        weights: ArrayLike | None = None,
        linear_speed: float = 1.0,
        angular_speed: float = 3.0,
        posture: ArrayLike | None = None,
        posture_rate: float = 1.0,
    ) -> InverseKinematics: ...
    def pose(self, qpos: ArrayLike) -> tuple[_Floats, _Floats]:
        """Pose of the site in the world.

        qpos: positions, shape (nq,).

        Returns position (3,), m, and quaternion (4,), w first. Raises ValueError if qpos does not fit the model.
        """
    def solve(
        self,
        qpos: ArrayLike,
        position: ArrayLike,
        quaternion: ArrayLike,
        twist: ArrayLike | None = None,
        period: float = 0.0,
    ) -> _Floats:
        """Joint velocities that move the site towards a pose.

        qpos: positions, shape (nq,).
        position, quaternion: target pose in the world, m, shape (3,), and w first, shape (4,).
        twist: velocity of the target, [angular; linear], rad/s and m/s in world axes, shape (6,); zero by default.
        period: time for which the velocities are held, s; joint limits are kept over it.

        Returns shape (joints,), m/s or rad/s. Raises ValueError for arrays that do not fit.
        """
    def reach(self, qpos: ArrayLike, position: ArrayLike, quaternion: ArrayLike) -> _Floats | None:
        """Joint positions that put the site at a pose, searched from given positions within the joint limits.

        qpos: positions to start from, shape (nq,).
        position, quaternion: target pose in the world, m, shape (3,), and w first, shape (4,).

        Returns shape (joints,), m or rad; None if the search does not reach the pose. Raises ValueError for arrays that do not fit.
        """

@final
class JointTracking:
    """A controller for Simulation.add_controller: joints follow a stiction.JointPath. It runs without the interpreter.

    joints: names of hinges and slides, in the order of the path's columns.
    path: the stiction.JointPath.
    law: joint control law. "servo" sends positions to the model's position servos; "servo-feed-forward" adds the feed-forward
        torques of the motion; "pd" and "pd-gravity" are motor torques with gains stiffness (N m/rad) and damping (N m s/rad),
        without and with gravity compensation; "inverse-dynamics" are computed torques with gains in 1/s² and 1/s.
    stiffness, damping: gains, in the units of the law.
    period: time between samples, s; 0 for every step.

    Raises ValueError for an unknown law. It pickles.
    """

    def __new__(
        cls,
        joints: Sequence[str],
        path: JointPath,
        law: _JointControlLaw = "servo-feed-forward",
        stiffness: float = 100.0,
        damping: float = 20.0,
        period: float = 0.0,
    ) -> JointTracking: ...

@final
class PoseTracking:
    """A controller for Simulation.add_controller: a site follows a stiction.PosePath by differential inverse kinematics. It runs
    without the interpreter.

    joints: names of the hinges and slides that move the site.
    site: name of the site. path: the stiction.PosePath.
    law, stiffness, damping: joint control law and its gains, as for stiction.JointTracking.
    period: time between samples, s.
    speed_limits: largest speed of each joint, rad/s or m/s; those of the model if None.

    Raises ValueError for an unknown law. It pickles.
    """

    def __new__(
        cls,
        joints: Sequence[str],
        site: str,
        path: PosePath,
        law: _JointControlLaw = "servo-feed-forward",
        stiffness: float = 100.0,
        damping: float = 20.0,
        period: float = 2e-3,
        speed_limits: Sequence[float] | None = None,
    ) -> PoseTracking: ...

@final
class GripForce:
    """A controller for Simulation.add_controller: a gripper closes to a force, measured at its pads. It runs without
    the interpreter.

    joint: name of the slide that a motor drives.
    pads: names of the bodies or geoms whose contact counts: the fingers of one gripper.
    force: force on each pad, N, zero or more; or a stiction.JointPath with one number per keyframe, for a force over time.
    closing: 1 if the joint's position increases as the gripper closes, -1 if it decreases.
    integral: integral gain of the force error, 1/s.
    damping: of the finger, N s/m.
    speed: of closing before contact, m/s.
    period: time between samples, s.

    Its memory is the integral and the sum of the forces on the pads, N. It pickles.
    """

    def __new__(
        cls,
        joint: str,
        pads: Sequence[str],
        force: float | JointPath,
        closing: float = 1.0,
        integral: float = 10.0,
        damping: float = 20.0,
        speed: float = 0.1,
        period: float = 2e-3,
    ) -> GripForce: ...

@final
class Measured:
    """Measurements for a controller: sensors at its sample, and contact forces (N) and torques (N m) of the previous step,
    averages over that step. Zero before the first step.
    """

    @property
    def sensors(self) -> _Floats:
        """Readings of all sensors in the model's order, shape (nsensordata,), SI units."""
    def sensor(self, name: str) -> _Floats:
        """Reading of one sensor.

        name: name of the sensor. Returns an array, SI units. Raises ValueError for an unknown name.
        """
    @property
    def joint_torques(self) -> _Floats:
        """Actuator forces along each velocity coordinate, shape (nv,), N or N m."""
    def force(self, part: str, other: str | None = None) -> _Floats:
        """Contact force on a body or geom.

        part: name of a body or geom; a body has precedence.
        other: name of the body or geom that exerts the force; None for all.

        Returns shape (3,), N in world axes. Raises ValueError for an unknown name.
        """
    def normal_force(self, part: str, other: str | None = None) -> float:
        """Sum of the normal contact forces on a body or geom.

        part, other: as for force.

        Returns N. Raises ValueError for an unknown name.
        """
    def area(self, part: str, other: str | None = None) -> float:
        """Contact area between two parts; contact points have none.

        part, other: as for force.

        Returns m². Raises ValueError for an unknown name.
        """
    def wrench(self, body: str | int) -> _Floats:
        """Moment and force that the parent of a body exerted on it: a force-torque sensor at its mount.

        body: name or id, one of the wrenches given to add_controller.

        Returns [moment; force] about the body's origin in the body's axes, shape (6,), N m and N. Raises ValueError for a body
        that was not given to add_controller.
        """
    def skin(self, k: int) -> tuple[_Floats, _Floats]:
        """Reading of a tactile grid, as of TactileGrid.sample.

        k: number of the grid among the skins given to add_controller.

        Returns pressure (rows, columns) and shear (rows, columns, 2), Pa. Raises IndexError for an unknown number.
        """
    @property
    def memory(self) -> _Floats:
        """The controller's memory from sample to sample: an array of any length, empty at first. Assign an array to change it. It
        is part of the state: a saved simulation continues with it.
        """
    @memory.setter
    def memory(self, values: ArrayLike) -> None: ...
    def memory_of(self, number: int) -> _Floats:
        """Memory of another controller.

        number: as returned by add_controller. Returns an array. Raises ValueError for an unknown number.
        """
    @property
    def touches(self) -> list[Touch]:
        """Contacts of the previous step: one stiction.Touch for each pair of geoms with a contact force."""

@final
class Batch:
    """Many worlds of one model, stepped together on several threads.

    model: a stiction.Model, shared by all worlds.
    n: number of worlds. They begin at the model's default state at time 0.
    threads: number of threads; by default all processors. The result is the same, bit for bit, for any number, and
        equal to that of n simulations stepped one by one.
    step, contact, …: the options of Simulation, the same for all worlds.

    qpos, qvel, ctrl, applied, act and time are writable arrays with one row per world that follow the worlds:

        batch = st.Batch(model, 1000)
        batch.qpos[:, 2] += random.uniform(0, 0.1, 1000)
        for _ in range(100):
            batch.ctrl[:] = policy(batch.qpos, batch.qvel)
            batch.step(10)

    Raises ValueError for an option outside its range. Batches pickle and copy; the copy continues bit for bit, with
    statistics from zero.
    """

    def __new__(
        cls,
        model: Model,
        n: int,
        threads: int | None = None,
        *,
        step: float = 1e-3,
        **options: Unpack[_Options],
    ) -> Batch: ...
    @property
    def model(self) -> Model:
        """The model given at construction; vary and randomize make variants of it."""
    @property
    def n(self) -> int:
        """Number of worlds."""
    @property
    def threads(self) -> int:
        """Number of threads that step."""
    @property
    def options(self) -> dict[str, Any]:
        """The options as a dict: Simulation(batch.model, **batch.options) steps like one of the worlds."""
    @property
    def qpos(self) -> _Floats:
        """Positions, shape (n, nq), m or rad and quaternions with w first; writable, follows the worlds."""
    @qpos.setter
    def qpos(self, values: ArrayLike) -> None: ...
    @property
    def qvel(self) -> _Floats:
        """Velocities, shape (n, nv), m/s or rad/s; writable, follows the worlds."""
    @qvel.setter
    def qvel(self, values: ArrayLike) -> None: ...
    @property
    def ctrl(self) -> _Floats:
        """Controls, shape (n, nu), in each actuator's own unit (N or N m for motors, m or rad for position servos), held until they are
        changed; writable, follows the worlds.
        """
    @ctrl.setter
    def ctrl(self, values: ArrayLike) -> None: ...
    @property
    def applied(self) -> _Floats:
        """Generalised forces applied from outside, shape (n, nv), N or N m, held until they are changed; writable, follows
        the worlds.
        """
    @applied.setter
    def applied(self, values: ArrayLike) -> None: ...
    @property
    def act(self) -> _Floats:
        """Activations of the actuators that have one, shape (n, na); writable, follows the worlds."""
    @act.setter
    def act(self, values: ArrayLike) -> None: ...
    @property
    def time(self) -> _Floats:
        """Times, shape (n,), s; writable, follows the worlds."""
    @time.setter
    def time(self, values: ArrayLike) -> None: ...
    def step(self, k: int = 1) -> None:
        """Takes steps in every world, without holding the interpreter. Ctrl-C ends it after the current steps; the worlds may
        then be at different times.

        k: number of steps.

        Raises ValueError for a state that is not finite, before any world steps; SimulationError if worlds could not
        complete their steps: these keep their last good states, failed tells which they are, and all others took
        all their steps.
        """
    def run_until(self, time: float) -> None:
        """Steps every world until a time, as step does.

        time: end, s. Steps of fixed length end at the one nearest to it; under error control the last step of each world ends
            there exactly.

        Raises what step raises, and ValueError for a time that is not finite.
        """
    def reset(
        self,
        indices: int | ArrayLike | None = None,
        qpos: ArrayLike | None = None,
        qvel: ArrayLike | None = None,
        keyframe: str | int | None = None,
    ) -> None:
        """Returns worlds to the default state at time 0, or to a keyframe. Controls, applied forces and activations are set to zero
        or to the keyframe's values; statistics stay.

        indices: which worlds, as numbers or as an array of n booleans; all by default.
        qpos, qvel: initial positions, m or rad, and velocities, m/s or rad/s, in place of the default: shape (nq,) and (nv,) for
            all worlds, or one row per world.
        keyframe: name or number of a keyframe of the model.

        Raises ValueError for an unknown keyframe or a shape that does not fit, IndexError for an unknown world.
        """
    def vary(self, indices: int | ArrayLike | None = None, **changes: Unpack[_Changes]) -> None:
        """Changes worlds from the next step on: gravity, masses, contact properties, sizes.

        indices: which worlds, as numbers or as an array of n booleans; all by default.
        gravity, mass, friction, …: as for Model.varied; in place of a number there may be an array with one number per chosen
            world (gravity: one row). Earlier changes stay in effect.

            batch.vary(friction={"floor": np.linspace(0.2, 1.0, batch.n)})

        Worlds that differ share only the equal parts of their models: meshes, solids, and trees of bodies with the same masses
        and gravity.

        Raises ModelError for a change that is not possible, ValueError for a wrong name or number; then nothing changes.
        """
    def randomize(
        self,
        seed: int,
        indices: int | ArrayLike | None = None,
        *,
        mass: _Ranges | None = None,
        friction: _Ranges | None = None,
        stiffness: _Ranges | None = None,
        dissipation: _Ranges | None = None,
        size: _Ranges | None = None,
    ) -> None:
        """Draws masses, friction, stiffness, dissipation and sizes for each world at random: domain randomisation.

        seed: an integer. The value for a body or geom of a world depends only on the seed, the world's number and that
            quantity, not on the number of worlds or on other quantities.
        indices: which worlds, as numbers or as an array of n booleans; all by default.
        mass: dict from bodies (names or ids, "*" for each of them) to a range of factors on the model's value: (low, high),
            uniform, or (low, high, "log"), log-uniform. Rotational inertia is scaled too.
        friction, stiffness, dissipation, size: the same for geoms. Static and dynamic friction have the same factor;
            stiffness is that of point contact and of the pressure field; size is of primitive shapes (see Model.varied).

            batch.randomize(seed=7, mass={"cube": (0.8, 1.2)}, friction={"*": (0.5, 2.0, "log")})
            batch.parameters["mass"]["cube"]        # the values drawn, kg, shape (n,)

        Raises ModelError for a change that is not possible, ValueError for a wrong name or range; then nothing changes.
        """
    @property
    def parameters(self) -> dict[str, Any]:
        """Properties that vary and randomize changed: a dict from quantity to a dict from the name of a body or geom
        to an array of shape (n,), in the units of Model.varied (mass in kg, stiffness in N/m, size as a factor…); gravity, if
        it was changed, is an array of shape (n, 3).
        """
    @property
    def warnings(self) -> list[ModelWarning]:
        """Changes that vary and randomize could not make completely, and reasons why contact patches are unreliable, in any of the
        worlds, each once: a list of stiction.ModelWarning.
        """
    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which worlds could not complete the last call of step or run_until, shape (n,), booleans."""
    def contacts(self, world: int) -> NDArray[np.void]:
        """Contact points of a world's last step.

        world: number of the world. Returns a structured array: see Simulation.contacts. Raises IndexError for an unknown world.
        """
    def patches(self, world: int) -> list[ContactPatch]:
        """Contact patches of a world's last step.

        world: number of the world. Returns a list: see Simulation.patches. Raises IndexError for an unknown world.
        """
    def stats(self, world: int | None = None) -> Stats:
        """Counts and times since construction, of one world or of all together.

        world: number of the world; None for all.

        Returns a dict: see Simulation.stats. For all worlds, counts, energies and seconds are summed, also over threads that run
        at the same time; minima and maxima are over the worlds. Raises IndexError for an unknown world.
        """
    @property
    def sensors(self) -> dict[str, _Floats]:
        """Readings of all sensors, a dict from name to array of shape (n, numbers of the sensor), SI: see Simulation.sensors."""
    @property
    def energy(self) -> Energy:
        """Kinetic and potential energy of all worlds, J: a stiction.Energy of arrays of shape (n,)."""
    def body_pose(self, body: str | int) -> BodyPose:
        """Poses of a body in all worlds.

        body: name or id. Returns a stiction.BodyPose of positions in the world, shape (n, 3), m, and quaternions with w first,
        shape (n, 4). Raises ValueError for an unknown name.
        """
    def simulation(self, world: int) -> Simulation:
        """A separate simulation that continues from a world's present state bit for bit, to inspect, record or view it.

        world: number of the world. Returns a stiction.Simulation. Raises IndexError for an unknown world.
        """
    def set_mocap(
        self,
        body: str | int,
        position: ArrayLike,
        quaternion: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        linear_velocity: ArrayLike | None = None,
        indices: int | ArrayLike | None = None,
    ) -> None:
        """Moves a mocap body, as Simulation.set_mocap does. Each argument is one row for all worlds or one row per world.

        body: name or id.
        position: in the world, m, shape (3,) or (worlds, 3). quaternion: w first, (4,) or (worlds, 4).
        angular_velocity, linear_velocity: velocity of its surface for contacts, rad/s and m/s in world axes; they do not move
            the body.
        indices: which worlds, as numbers or as an array of n booleans; all by default.

        Raises ValueError if the body is no mocap body or a shape does not fit.
        """
    def apply_force(
        self,
        body: str | int,
        force: ArrayLike | None = None,
        point: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        frame: _Frame = "world",
        indices: int | ArrayLike | None = None,
    ) -> None:
        """Adds forces and torques on a body to batch.applied, as Simulation.apply_force does. Each array has shape (3,) for all
        worlds or (worlds, 3).

        body: name or id.
        force, torque: N and N m; zero by default.
        point: point of application, m; the body's origin by default.
        frame: "world" if force, torque and point are in the world's frame, "body" if all are in the body's.
        indices: which worlds, as numbers or as an array of n booleans; all by default.

        Raises ValueError for an unknown body or frame, a shape that does not fit, or if neither force nor torque is given.
        """
    def add_controller(
        self,
        controller: _AnyController | Sequence[_AnyController],
        period: float = 0.0,
        sensing: bool = False,
        *,
        wrenches: Sequence[str | int] | None = None,
        skins: Sequence[TactileGrid] | None = None,
    ) -> int:
        """Adds a controller to every world. It runs after the controllers added before.

        controller: a function or ready controller as in Simulation.add_controller, or a list with one for each world. Ready
            controllers run without the interpreter. A function is called for each world from the thread that steps it, one call
            at a time; results do not depend on the number of threads if the function depends on its arguments only. If it
            returns None, the world's row of batch.ctrl counts.
        period, sensing, wrenches, skins: as in Simulation.add_controller.

        Returns its number. An exception of the controller is the cause of the SimulationError that step raises; the affected
        worlds are then at their states before the failed step.
        """
    def remove_controller(self, number: int) -> None:
        """Removes a controller from all worlds; the controls keep their values. The numbers of those added after it decrease by
        one.

        number: as returned by add_controller. Raises ValueError for an unknown number.
        """
    @property
    def controllers(self) -> list[Any]:
        """The controllers, in order: each as it was given, one for all worlds or a list."""
    def set_controller(
        self,
        controller: _AnyController | Sequence[_AnyController] | None,
        period: float = 0.0,
        sensing: bool = False,
        *,
        wrenches: Sequence[str | int] | None = None,
        skins: Sequence[TactileGrid] | None = None,
    ) -> None:
        """Replaces all controllers by one. The arguments are those of add_controller; None removes all controllers and keeps the
        controls.
        """
    def save_state(self) -> bytes:
        """The states and variations of all worlds as bytes, from which load_state continues bit for bit."""
    def load_state(self, state: bytes) -> None:
        """Restores the states that save_state returned.

        state: bytes from a batch of as many worlds of the same model.

        Raises ValueError if they do not fit.
        """
    def __len__(self) -> int: ...

@final
class Solid:
    """Tetrahedra with a pressure field, made from a closed surface by Solid.from_mesh.

    The pressure at a vertex is modulus times its extent: 0 on the surface, up to 1 at the core. save() writes a .vtk file
    that a model file can use as the mesh of a compliant geom.
    """

    @staticmethod
    def from_mesh(
        mesh: str | PathLike[str] | tuple[ArrayLike, ArrayLike],
        modulus: float = 1e7,
        *,
        scale: float = 1.0,
        resolution: float | None = None,
        interior: float | None = None,
        field: Literal["distance", "laplace", "poisson"] = "distance",
        core: float | str | PathLike[str] | tuple[ArrayLike, ArrayLike] | None = None,
        normalize: Literal["local", "global"] = "local",
        rigid: Sequence[str] = (),
        insulated: Sequence[str] = (),
        stiffening: float = 0.0,
    ) -> Solid:
        """Fills a closed surface with tetrahedra and a field.

        mesh: a file (.stl, .obj, .msh), or a tuple of vertices (n, 3) and triangles (m, 3).
        modulus: hydroelastic modulus, Pa.
        scale: coordinates are multiplied by it; 0.001 for millimetres.
        resolution: edge length at the surface, m; found automatically if None. Thin walls are resolved finer.
        interior: largest edge length inside, m.
        field: "distance" (depth divided by the half thickness), "laplace" (needs a core or a rigid part), "poisson".
        core: the rigid core: a depth in m, or a surface (a file or a tuple).
        normalize: "local" divides a field without a core by the local half thickness, "global" by the largest one.
        rigid, insulated: parts of the surface attached to something rigid, or without flux: "+x", "-x", … for faces whose
            normal is within 45 degrees of that direction, "sides", or a box "x0,y0,z0,x1,y1,z1".
        stiffening: k of M(e) = modulus / (1 - k e), from 0 to below 1.

        Returns the solid. Raises ModelError with the reason if the surface cannot be filled with the required quality.
        """
    @property
    def vertices(self) -> _Floats:
        """Vertices, m, shape (n, 3)."""
    @property
    def tetrahedra(self) -> NDArray[np.uint32]:
        """Corners of the tetrahedra, shape (m, 4)."""
    @property
    def surface(self) -> NDArray[np.uint32]:
        """Outer triangles, counter-clockwise seen from outside, shape (k, 3)."""
    @property
    def extents(self) -> _Floats:
        """Pressure over the largest pressure at the vertices, shape (n,)."""
    @property
    def modulus(self) -> float:
        """Pressure where the extent is 1, Pa."""
    @property
    def volume(self) -> float:
        """Volume, m³."""
    @property
    def report(self) -> dict[str, Any]:
        """Numbers about the mesh: resolution, dihedral angles (degrees), volume_error, deviation, characteristic_length…"""
    @property
    def notes(self) -> list[str]:
        """Defects that were found in the surface and repaired, a list of sentences."""
    def save(self, path: str | PathLike[str]) -> None:
        """Writes a legacy VTK file: coordinates in m, pressure at the vertices in Pa.

        path: a .vtk file. Raises OSError if it cannot be written.
        """

@final
class TactileGrid:
    """A grid of sensing cells fixed to a body, in the x-y plane of its own frame and centred at its origin; z
    points out of the skin.

    body: name or id of the body.
    size: width along x and height along y, m.
    rows, columns: cells along y and along x.
    position, quaternion: the grid's frame in the body's frame, m, shape (3,), and w first, shape (4,).
    """

    def __new__(
        cls,
        body: str | int,
        size: ArrayLike,
        rows: int,
        columns: int,
        position: ArrayLike | None = None,
        quaternion: ArrayLike | None = None,
    ) -> TactileGrid: ...
    @property
    def cell_area(self) -> float:
        """Area of a cell, m²."""
    def sample(self, sim: Simulation) -> tuple[_Floats, _Floats]:
        """Reading of the grid in the last step of a simulation.

        sim: a stiction.Simulation of a model with the grid's body.

        Returns pressure (rows, columns), Pa, into the skin, and shear (rows, columns, 2), Pa, along its x and y. The sum of each,
        times cell_area, is the force of the patches above the grid, at any resolution. Raises ValueError for an unknown body.
        """

@final
class Recording:
    """A recording in progress, from Simulation.record: a context manager that completes the files at its end."""

    @property
    def paths(self) -> list[Path]:
        """The files, a list of pathlib.Path."""
    def stop(self) -> None:
        """Completes the files, as Simulation.stop_recording does. Raises OSError if they could not be completed."""
    def __enter__(self) -> Recording: ...
    def __exit__(self, *exception: object) -> None: ...

@final
class Viewer:
    """A live page of a simulation, from stiction.view. It is served until close() or the end of the program; as a
    context manager, until the end of the block.
    """

    @property
    def url(self) -> str:
        """Address of the page, for a browser."""
    @property
    def clients(self) -> int:
        """Number of pages that are connected."""
    @property
    def running(self) -> bool:
        """Whether the page is served."""
    def wait(self) -> None:
        """Waits until the viewer is closed by another thread, or Ctrl-C closes it."""
    def close(self) -> None:
        """Stops serving the page. The simulation does not change."""
    def __enter__(self) -> Viewer: ...
    def __exit__(self, *exception: object) -> None: ...

def view(
    sim: Simulation,
    port: int = 0,
    address: str = "127.0.0.1",
    open: bool = True,
    block: bool = False,
    paused: bool = True,
    name: str | None = None,
    joints: Sequence[str] | None = None,
) -> Viewer:
    """Serves a live page of a simulation and opens it in the browser.

    sim: a stiction.Simulation. The page shows its state and its steps, and has controls to run, pause, step and reset it
        (to its present state), to change its speed and its controls, and to apply forces.
    port: port to listen on; 0 takes a free one.
    address: address to listen on. Anyone who can reach it can watch and control the simulation; any address but the local
        one is a warning.
    open: whether to open the browser.
    block: True waits until Ctrl-C; False returns at once, and the page is served until close() or the end of the
        program.
    paused: False lets the simulation run in real time from the beginning.
    name: title of the page; the model's name by default.
    joints: names of joints to plot; all by default, unless there are too many.

    Returns a stiction.Viewer. Raises OSError if the address is not available, RuntimeError if the simulation has
    a page already.
    """

def impact_outcomes(
    model: Model | None = None,
    qpos: ArrayLike | None = None,
    qvel: ArrayLike | None = None,
    samples: int = 4096,
    cap: float | None = None,
    seed: int = 0,
    touch: float = 1e-6,
    *,
    mass: ArrayLike | None = None,
    normals: ArrayLike | None = None,
    tangents: ArrayLike | None = None,
    friction: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    tolerance: float = 1e-6,
    outer: bool = True,
    pieces: int = 8,
    paths: Sequence[int] | None = None,
    restitution: ArrayLike | None = None,
) -> ImpactOutcomes:
    """All the ways an impact can go: the set of velocities after it, whether it is one, and bounds from outside.

    Give either a model with its state at the impact, or the matrices of a mechanism:

    model: a stiction.Model.
    qpos, qvel: the state at the impact.
    mass: mass matrix; shape (nv, nv).
    normals: rows that give the normal velocity of each contact, positive apart; shape (c, nv).
    tangents: rows that give the two tangential velocities of each contact; shape (c, 2, nv), or (c, nv) for planar contacts, which have one.
    friction: coefficient of each contact; shape (c,), or a number for all.
    velocity: velocity before; shape (nv,).

    samples: sampled solutions, beside every sequence of single impacts and the simultaneous one.
    tolerance: error allowed along a sampled solution, relative to the largest contact speed.
    cap: largest normal impulse of a contact in a step of the resolution, N s; None for no limit.
    seed: another seed, other samples.
    touch: distance within which bodies touch, m (models only).
    outer: whether to compute bounds from outside. Without them outcomes that agree give the verdict "unknown".
    pieces: convex sets that a cell of the outer bound may hold; more are tighter and slower.
    paths: numbers of outcomes whose contact velocities along the way are wanted.
    restitution: Poisson's coefficient of every contact, or one for each; None for no restitution. Verdict and bounds are those of the compression.

    Returns an ImpactOutcomes; it is empty (n = 0) if no contact approaches.

    Raises ValueError for a state or matrices that do not fit, a singular mass matrix, or a feature that rigid contact does not support.
    """

def futures(
    model: Model,
    qpos: ArrayLike,
    qvel: ArrayLike,
    horizon: float = 1.0,
    *,
    ctrl: ArrayLike | None = None,
    outcomes: int = 3,
    budget: int = 64,
    samples: int = 64,
    step: float = 1e-3,
    touch: float = 1e-5,
    speed: float = 0.02,
    merge: float = 1e-6,
    frame: float = 0.01,
    seed: int = 0,
) -> Futures:
    """Follows the futures of a state: a tree that forks at every impact with several outcomes.

    Between impacts a branch is moved by the convex simulation, with the controls given here. At an impact it forks over a few outcomes that lie far
    apart. Weights are the shares of sampled outcomes nearest to each: a sampling measure, not probabilities.

    model: a stiction.Model.
    qpos, qvel: the state to start from.
    horizon: how far to look ahead, s.
    ctrl: control of each actuator, held; None for zeros.
    outcomes: outcomes that a fork follows at most.
    budget: branches at most; beyond, an impact goes on with all of its contacts at once.
    samples: sampled solutions at each impact.
    step: step of the simulation, s.
    touch: distance within which bodies touch, m.
    speed: approach speed from which on an arriving contact is an impact, m/s.
    merge: largest difference of states at which branches count as one.
    frame: time between recorded frames, s.
    seed: another seed, other samples.

    Returns a Futures. Raises ValueError for a state that does not fit or a number out of its range, RuntimeError if a step fails.
    """

def routh(
    delassus: ArrayLike,
    velocity: ArrayLike,
    friction: float,
    restitution: float = 0.0,
    law: Literal["poisson", "newton", "stronge"] = "poisson",
    pressed: bool = False,
    tolerance: float = 1e-12,
) -> RouthPath:
    """Follows a single impact by Routh's method.

    delassus: the contact's 3 × 3 block J M⁻¹ Jᵀ, 1/kg, rows and columns [t1, t2, n].
    velocity: contact velocity [t1, t2, n], m/s; n < 0 approaches.
    friction: coefficient.
    restitution: coefficient of restitution, from 0 to 1.
    law: law of restitution: "poisson", "newton" or "stronge".
    pressed: whether a force presses a contact that does not approach (Painlevé's case).
    tolerance: relative tolerance of the integration while the direction of slip changes.

    Returns a RouthPath. Raises ValueError for friction below zero or a restitution outside 0 to 1.
    """

def rollout(
    model: Model,
    states: ArrayLike,
    controls: ArrayLike | None = None,
    threads: int = 2,
    *,
    steps: int | None = None,
    step: float = 1e-3,
    **options: Unpack[_StepOptions],
) -> _Floats:
    """Simulates many initial states of one model on several threads.

    model: a stiction.Model.
    states: initial positions and velocities, shape (n, nq + nv).
    controls: controls of each step, shape (n, T, nu); or None to leave them at zero and give steps=T.
    threads: number of threads; the result is the same, bit for bit, for any number.
    steps: number of steps T if controls is None.
    step, contact, …: the options of Simulation.

    Returns the states after each step, shape (n, T, nq + nv): out[i, t] is the state of a simulation that
    started at states[i], after step t with controls[i, t].

    Raises ValueError for shapes that do not fit and numbers that are not finite, SimulationError (of
    the first affected row) for a step that cannot be completed.
    """

def scenes() -> list[str]:
    """Names of the built-in scenes, for Model.from_scene."""

class SweepTable:
    """The rows of a sweep in the order of its parameters: parameters first, then results, then "error".

    ``table["name"]`` is a column as a numpy array; arrays of one shape are stacked to (n, …). A column with missing
    values (results of failed runs) is a masked array. ``table.columns`` is a dict of all of them, ``len(table)`` the
    number of rows, ``table.errors`` a dict from row to message of the runs that failed.
    """

    columns: dict[str, np.ndarray]
    def __init__(self, rows: Any, outcomes: Any) -> None: ...
    @property
    def errors(self) -> dict[int, str]:
        """The messages of the runs that failed, by row."""
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> np.ndarray: ...
    def __iter__(self) -> Iterator[str]: ...
    def keys(self) -> KeysView[str]:
        """The names of the columns; with ``[]`` it makes ``dict(table)`` work."""
    def to_arrow(self) -> Any:
        """A pyarrow.Table; arrays become fixed-size lists. Needs ``pip install pyarrow``."""
    def save(self, path: str | PathLike[str]) -> None:
        """Writes a file.

        path: its extension determines the format: .parquet, .arrow (both need pyarrow) or .csv.

        In CSV an array takes a column for each of its numbers, ``name[0]``, ``name[0,1]``…; missing is empty.
        """

def sweep(
    fn_or_scene: Callable[..., Any] | Model | str | PathLike[str],
    parameters: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    executor: _Executor = "processes",
    *,
    workers: int | None = None,
    journal: str | PathLike[str] | None = None,
    resume: Literal["same", "anyway"] = "same",
    retry_errors: bool = False,
    retries: int = 3,
    seed: int = 0,
    progress: bool | Callable[[int, int, int], object] | None = None,
) -> SweepTable:
    """Runs a function or a scene at many parameters and returns a table, one row a run.

    fn_or_scene: a function of keyword arguments that returns a dict of numbers, strings or arrays (or one such
        value, which becomes the column "value"); or a scene: a stiction.Model, a model file, or the name of a
        built-in scene. A function with an argument ``rng`` gets a numpy Generator of its own for each row.
    parameters: a dict from name to values: all combinations, the last name varying fastest (a value that is no
        list, tuple, range or array is the same for all); or a list of dicts, one a run. For a scene the names
        are the options of Simulation, ``time`` (s, 1 if not given), ``qpos``, ``qvel`` and ``ctrl`` (held).
    executor: "threads" (for functions that spend their time in steps, which release the GIL), "processes", or
        "ray" (needs ``pip install ray``; uses the cluster that ray.init() chose, or starts a local one).
    workers: how many runs at once; None for all cores (of the cluster).
    journal: a file to which every outcome is appended as soon as it is there. A sweep with the same function,
        parameters and seed continues from it: no row is lost, and none is run or counted twice.
    resume: "same" refuses a journal of another function, seed or version of Stiction; "anyway" keeps its rows.
        A journal of other parameters is always refused.
    retry_errors: run rows again whose outcome in the journal is an error.
    retries: how often a row is started again when the process or the node that ran it died.
    seed: of the rows' random generators: row i draws from numpy's SeedSequence(seed, spawn_key=(i,)).
    progress: True prints progress, False does not, None does on a terminal; or a function of (done, total,
        errors).

    A run that raises does not stop the sweep: its row holds the message in the column "error", and results
    missing there. The numbers are the same whatever the executor and the number of workers, bit for bit on
    the same kind of machine; so are the files written by ``save``.

    Returns a stiction.SweepTable. Raises ValueError for parameters or a journal that do not fit.

        table = st.sweep(slide, {"friction": [0.2, 0.4], "speed": np.linspace(1, 3, 9)}, executor="ray")
        table["distance"], table.errors
        table.save("slide.parquet")      # or .csv, .arrow
    """

def rollout_on(
    model: Model,
    states: ArrayLike,
    controls: ArrayLike | None = None,
    executor: _Executor = "processes",
    *,
    chunk: int = 64,
    workers: int | None = None,
    retries: int = 3,
    progress: bool | Callable[[int, int, int], object] | None = None,
    **options: Any,
) -> _Floats:
    """Simulates many initial states as ``rollout`` does, on processes or on a Ray cluster.

    model, states, controls: as for ``rollout``; options are those of ``rollout`` too (``steps=``, ``step=``, …).
    executor: "threads", "processes" or "ray", as for ``sweep``.
    chunk: rows given out at a time; each is one ``rollout`` on one thread.
    workers, retries, progress: as for ``sweep``.

    Returns the states after each step, shape (n, T, nq + nv): the same as ``rollout`` gives, bit for bit. Raises
    SimulationError if a row could not be simulated.
    """
