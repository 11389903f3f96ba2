"""Stiction simulates robots that touch things."""

from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypedDict, Union, Unpack, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._batch import BatchStats, PerWorld
from ._controllers import ControllerHandle
from ._errors import BusyError, Error, FileError, InputError, InputIndexError, InputTypeError, InternalError, ModelError, SimulationError
from ._named import (
    Actuator,
    ActuatorInfo,
    Body,
    BodyInfo,
    Camera,
    CameraInfo,
    Equality,
    EqualityInfo,
    Geom,
    GeomInfo,
    Joint,
    JointInfo,
    Keyframe,
    Site,
    SiteInfo,
)
from ._results import (
    BodyPose,
    ContactForce,
    ContactPatch,
    Energy,
    FreeCamera,
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
    body_contact_dtype,
    contact_dtype,
)
from ._view import Button, Slider

__all__ = [
    "Actuator",
    "ActuatorInfo",
    "Batch",
    "BatchStats",
    "Body",
    "BodyInfo",
    "BodyPose",
    "BusyError",
    "Button",
    "Camera",
    "CameraInfo",
    "ContactForce",
    "ContactPatch",
    "ControllerHandle",
    "Energy",
    "Equality",
    "EqualityInfo",
    "Error",
    "FileError",
    "FreeCamera",
    "FutureBranch",
    "Futures",
    "Geom",
    "GeomInfo",
    "GpuBatch",
    "GripForce",
    "ImpactOutcomes",
    "InputError",
    "InputIndexError",
    "InputTypeError",
    "InternalError",
    "InverseKinematics",
    "Joint",
    "JointInfo",
    "JointPath",
    "JointTracking",
    "Keyframe",
    "LearnedContact",
    "LearnedReport",
    "Measured",
    "Model",
    "ModelError",
    "ModelWarning",
    "OutsideTraining",
    "PerWorld",
    "PosePath",
    "PoseTracking",
    "Recording",
    "Renderer",
    "RouthPath",
    "Simulation",
    "SimulationError",
    "Site",
    "SiteInfo",
    "Slider",
    "Solid",
    "StageSeconds",
    "Stats",
    "StepDerivatives",
    "SweepTable",
    "TactileGrid",
    "TangentialSprings",
    "Touch",
    "Viewer",
    "World",
    "__version__",
    "body_contact_dtype",
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

class _StepOptions(TypedDict, total=False):
    contact: _ContactModel | LearnedContact
    contact_from: Literal["stiction", "mujoco"]
    stiction_tolerance: float
    regularization: float
    relative_tolerance: float
    margin: float
    normal_law: str | Sequence[Sequence[float]]
    speculative: bool
    tangential_springs: bool | Literal["auto"] | TangentialSprings
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
    restitution: Mapping[_Name, ArrayLike] | None
    size: Mapping[_Name, ArrayLike] | None
    collides: Mapping[_Name, ArrayLike] | None
    damping: Mapping[_Name, ArrayLike] | None
    friction_loss: Mapping[_Name, ArrayLike] | None
    armature: Mapping[_Name, ArrayLike] | None
    kp: Mapping[_Name, ArrayLike] | None
    kv: Mapping[_Name, ArrayLike] | None
    strength: Mapping[_Name, ArrayLike] | None
    active: Mapping[_Name, ArrayLike] | None

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
        convex_parts: int | None = None,
    ) -> Model:
        """Reads a model file: MJCF (.xml), URDF (.urdf), SDFormat (.sdf) or model directives (.dmd.yaml).

        Parameters
        ----------
        path : str or path-like
            The file, or the name of a built-in scene (see stiction.scenes()) if no such file exists.
        fixed_base : bool, optional
            Fix the roots of a URDF or SDFormat model to the world; by default they are free.
        strict : bool, optional
            Raise an error for the first unsupported element instead of listing it in warnings.
        package_paths : list of str or path-like, optional
            Folders of ROS packages, or folders that contain them, for package:// addresses.
        convex_parts : int, optional
            Cut every collision mesh that is not convex into at most this many convex parts, 1 to 1024. How far they differ from
            the mesh is one of the warnings. By default meshes collide as the file says.

        Returns
        -------
        Model
            The model.

        Raises
        ------
        ModelError
            , which names the file, the element and the remedy.
        ValueError
            For a number of convex parts out of range.
        """

    @staticmethod
    def from_string(
        text: str,
        format: Literal["mjcf", "urdf", "sdf", "dmd"] = "mjcf",
        fixed_base: bool = False,
        strict: bool = False,
        package_paths: Sequence[str | PathLike[str]] = [],
        convex_parts: int | None = None,
    ) -> Model:
        """Reads a model from text.

        Parameters
        ----------
        text : str
            The content of a model file.
        format : {"mjcf", "urdf", "sdf", "dmd"}, optional
            "mjcf", "urdf", "sdf" or "dmd" (model directives).
        fixed_base, strict, package_paths, convex_parts : bool, list of str or path-like, or int, optional
            As for from_file. Mesh files are looked up from the current folder.

        Returns
        -------
        Model
            The model.

        Raises
        ------
        ModelError
            , which names the element and the remedy.
        ValueError
            For an unknown format.
        """

    @staticmethod
    def from_scene(name: str) -> Model:
        """Loads a built-in scene.

        Parameters
        ----------
        name : str
            One of stiction.scenes().

        Returns
        -------
        Model
            The model.

        Raises
        ------
        ModelError
            For an unknown name.
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
    def site_names(self) -> list[str]:
        """Names of the sites by id."""
    @property
    def camera_names(self) -> list[str]:
        """Names of the cameras by id."""
    @property
    def equality_names(self) -> list[str]:
        """Names of the equalities by id; those without a name are called "#id"."""
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
        """Positions of the model as described in its file, shape (nq,), m or rad and quaternions with w first. Read-only: copy()
        gives an array to change.
        """
    @property
    def warnings(self) -> list[ModelWarning]:
        """Unsupported parts of the file and their effect: a list of stiction.ModelWarning (file, element, line, message)."""
    def qpos_slice(self, joint: str) -> slice:
        """Slice of a joint's positions in q: q[model.qpos_slice("elbow")].

        Parameters
        ----------
        joint : str
            Name of the joint.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def qvel_slice(self, joint: str) -> slice:
        """Slice of a joint's velocities in v: v[model.qvel_slice("elbow")].

        Parameters
        ----------
        joint : str
            Name of the joint.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def tendon_lengths(self, q: ArrayLike) -> _Floats:
        """Lengths of all tendons.

        Parameters
        ----------
        q : array_like
            Positions, shape (nq,).

        Returns
        -------
        numpy.ndarray
            Shape (ntendon,), m; for a fixed tendon, the weighted sum of its joint positions.

        Raises
        ------
        ValueError
            If q does not fit the model.
        """
    def tendon_moments(self, q: ArrayLike) -> _Floats:
        """Moment arms of all tendons: the gradients of their lengths.

        Parameters
        ----------
        q : array_like
            Positions, shape (nq,).

        Returns
        -------
        numpy.ndarray
            Shape (ntendon, nv), m per m or rad.

        Raises
        ------
        ValueError
            If q does not fit the model.
        """
    def actuator_lengths(self, q: ArrayLike) -> _Floats:
        """Lengths of the transmissions of all actuators.

        Parameters
        ----------
        q : array_like
            Positions, shape (nq,).

        Returns
        -------
        numpy.ndarray
            Shape (nu,), m or rad.

        Raises
        ------
        ValueError
            If q does not fit the model.
        """
    def actuator_moments(self, q: ArrayLike) -> _Floats:
        """Moment arms of all actuators: generalised force per unit of actuator force.

        Parameters
        ----------
        q : array_like
            Positions, shape (nq,).

        Returns
        -------
        numpy.ndarray
            Shape (nu, nv), 1 or m.

        Raises
        ------
        ValueError
            If q does not fit the model.
        """
    def actuator_forces(self, q: ArrayLike, v: ArrayLike, ctrl: ArrayLike, act: ArrayLike | None = None) -> _Floats:
        """Forces of all actuators along their transmissions.

        Parameters
        ----------
        q, v : array_like
            Positions, shape (nq,), and velocities, shape (nv,).
        ctrl : array_like
            Controls, shape (nu,).
        act : array_like, optional
            Activations, shape (na,); zeros by default.

        Returns
        -------
        numpy.ndarray
            Shape (nu,), N or N m.

        Raises
        ------
        ValueError
            For arrays that do not fit the model.
        """
    def passive_forces(self, q: ArrayLike, v: ArrayLike) -> _Floats:
        """Generalised forces of joint and tendon springs and dampers and of gravity compensation.

        Parameters
        ----------
        q, v : array_like
            Positions, shape (nq,), and velocities, shape (nv,).

        Returns
        -------
        numpy.ndarray
            Shape (nv,), N or N m.

        Raises
        ------
        ValueError
            For arrays that do not fit the model.
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

        Parameters
        ----------
        q, v : array_like
            Positions, shape (nq,), and velocities, shape (nv,).
        a, ctrl, act : array_like, optional
            Accelerations, shape (nv,), controls, shape (nu,), and activations, shape (na,); zeros by default.

        Returns
        -------
        dict
            A dict from name to array, SI units.

        Raises
        ------
        ValueError
            For arrays that do not fit the model.
        """
    def body(self, body: str | int) -> BodyInfo:
        """Properties of a body in the model.

        Parameters
        ----------
        body : str or int
            Name or id.

        Returns
        -------
        BodyInfo
            A stiction.BodyInfo with id, parent, mass, com, inertia.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def joint(self, joint: str | int) -> JointInfo:
        """Properties of a joint in the model.

        Parameters
        ----------
        joint : str or int
            Name or id.

        Returns
        -------
        JointInfo
            A stiction.JointInfo with id, type, body, range, and its slices of q and v.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def geom(self, geom: str | int) -> GeomInfo:
        """Properties of a geom in the model.

        Parameters
        ----------
        geom : str or int
            Name or id.

        Returns
        -------
        GeomInfo
            A stiction.GeomInfo with id, body, shape and contact properties.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def site(self, site: str | int) -> SiteInfo:
        """Properties of a site in the model.

        Parameters
        ----------
        site : str or int
            Name or id.

        Returns
        -------
        SiteInfo
            A stiction.SiteInfo with id, body, position, quaternion.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def camera(self, camera: str | int) -> CameraInfo:
        """Properties of a camera in the model.

        Parameters
        ----------
        camera : str or int
            Name or id.

        Returns
        -------
        CameraInfo
            A stiction.CameraInfo with id, body, position, quaternion, field_of_view, resolution.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def equality(self, equality: str | int) -> EqualityInfo:
        """Properties of an equality in the model.

        Parameters
        ----------
        equality : str or int
            Name or id.

        Returns
        -------
        EqualityInfo
            A stiction.EqualityInfo with id, type and active.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def keyframe(self, keyframe: str | int) -> Keyframe:
        """A keyframe of the model.

        Parameters
        ----------
        keyframe : str or int
            Name or number.

        Returns
        -------
        Keyframe
            A stiction.Keyframe with time, qpos, qvel, act, ctrl, mocap_position and mocap_quaternion; what the file leaves out has its
            default.

        Raises
        ------
        ValueError
            For an unknown keyframe.
        """
    def actuator(self, actuator: str | int) -> ActuatorInfo:
        """Properties of an actuator in the model.

        Parameters
        ----------
        actuator : str or int
            Name or id.

        Returns
        -------
        ActuatorInfo
            A stiction.ActuatorInfo with id, type, joint and ranges.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def varied(self, **changes: Unpack[_Changes]) -> Model:
        """A variant of this model: the same bodies, joints and geoms with other properties. This model does not change; states of one are
        states of the other.

        Parameters
        ----------
        gravity : array_like, optional
            Acceleration of gravity in the world, m/s², shape (3,).
        mass : dict, optional
            Dict from bodies (names or ids, "*" for all) to masses, kg; rotational inertia follows in proportion.
        friction : dict, optional
            Dict from geoms (names or ids, "*" for all) to coefficients of friction, static and dynamic.
        static_friction : dict, optional
            The same for static friction alone.
        stiffness : dict, optional
            The same for stiffness of point contact, N/m.
        dissipation : dict, optional
            The same for Hunt & Crossley dissipation, s/m.
        relaxation_time : dict, optional
            The same for that of linear dissipation (contact="sap"), s.
        modulus : dict, optional
            The same for the modulus of compliant geoms, Pa.
        restitution : dict, optional
            The same for the restitution of impacts at contact points, 0 to 1. Two geoms have the smaller one, or that of the one with any.
        size : dict, optional
            The same for factors on the size of primitive geoms, about their own frames. Masses do not change. The rotational inertia of
            a body is scaled if this is its only geom and lies at its centre of mass; otherwise it does not change, which is a warning
            in warnings.
        collides : dict, optional
            Dict from geoms to whether they have contacts; False switches off those of explicit pairs too.
        damping : dict, optional
            Dict from joints (names or ids, "*" for all) to viscous damping, N s/m or N m s/rad.
        friction_loss : dict, optional
            The same for dry friction, N or N m.
        armature : dict, optional
            The same for inertia added on the diagonal of the mass matrix, kg or kg m².
        kp : dict, optional
            Dict from actuators (names or ids, "*" for all position servos) to the gain of a position servo, N/m or N m/rad.
        kv : dict, optional
            The same for the gain of a velocity servo or the damping of a position servo, N s/m or N m s/rad.
        strength : dict, optional
            Dict from actuators to factors on their force and its limits.
        active : dict, optional
            Dict from equalities (names or ids, "*" for all) to whether they act.

        Returns
        -------
        Model
            The variant.

        Raises
        ------
        ModelError
            For a change that is not possible.
        ValueError
            For a wrong name or number.

        Examples
        --------
            moon = model.varied(gravity=[0, 0, -1.62], friction={"floor": 0.3})
        """
    def mass_matrix(self, q: ArrayLike) -> _Floats:
        """Mass matrix, with armature and rotor inertia.

        Parameters
        ----------
        q : array_like
            Positions, shape (nq,).

        Returns
        -------
        numpy.ndarray
            Shape (nv, nv); kg, kg m or kg m².

        Raises
        ------
        ValueError
            If q does not fit the model.
        """
    def bias(self, q: ArrayLike, v: ArrayLike) -> _Floats:
        """Coriolis, centrifugal and gravity forces, without springs, damping and actuation.

        Parameters
        ----------
        q, v : array_like
            Positions, shape (nq,), and velocities, shape (nv,).

        Returns
        -------
        numpy.ndarray
            Shape (nv,), N or N m.

        Raises
        ------
        ValueError
            For arrays that do not fit the model.
        """
    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> _Floats:
        """Generalised forces for given accelerations: mass_matrix(q) a + bias(q, v).

        Parameters
        ----------
        q, v, a : array_like
            Positions, shape (nq,), velocities and accelerations, shape (nv,).

        Returns
        -------
        numpy.ndarray
            Shape (nv,), N or N m.

        Raises
        ------
        ValueError
            For arrays that do not fit the model.
        """
    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> _Floats:
        """Accelerations under generalised forces: mass_matrix(q)⁻¹ (tau − bias(q, v)).

        Parameters
        ----------
        q, v : array_like
            Positions, shape (nq,), and velocities, shape (nv,).
        tau : array_like
            Generalised forces, shape (nv,), N or N m.

        Returns
        -------
        numpy.ndarray
            Shape (nv,), m/s² or rad/s².

        Raises
        ------
        ValueError
            For arrays that do not fit the model.
        """
    def energy(self, q: ArrayLike, v: ArrayLike) -> Energy:
        """Kinetic and potential energy at a state.

        Parameters
        ----------
        q, v : array_like
            Positions, shape (nq,), and velocities, shape (nv,).

        Returns
        -------
        Energy
            A stiction.Energy (kinetic, potential), J, with .total.

        Raises
        ------
        ValueError
            For arrays that do not fit the model.
        """
    def site_pose(self, site: str | int, q: ArrayLike) -> BodyPose:
        """Pose of a site in the world. Mocap bodies are at their poses in the file.

        Parameters
        ----------
        site : str or int
            Name or id.
        q : array_like
            Positions, shape (nq,).

        Returns
        -------
        BodyPose
            A stiction.BodyPose (position in m, quaternion with w first).

        Raises
        ------
        ValueError
            For an unknown name or if q does not fit the model.
        """
    def geom_pose(self, geom: str | int, q: ArrayLike) -> BodyPose:
        """Pose of a geom in the world. Mocap bodies are at their poses in the file.

        Parameters
        ----------
        geom : str or int
            Name or id.
        q : array_like
            Positions, shape (nq,).

        Returns
        -------
        BodyPose
            A stiction.BodyPose (position in m, quaternion with w first).

        Raises
        ------
        ValueError
            For an unknown name or if q does not fit the model.
        """
    def camera_pose(self, camera: str | int, q: ArrayLike) -> BodyPose:
        """Pose of a camera in the world. It looks along −z of its frame, y up. Mocap bodies are at their poses in the file.

        Parameters
        ----------
        camera : str or int
            Name or id.
        q : array_like
            Positions, shape (nq,).

        Returns
        -------
        BodyPose
            A stiction.BodyPose (position in m, quaternion with w first).

        Raises
        ------
        ValueError
            For an unknown name or if q does not fit the model.
        """
    def site_jacobian(self, site: str | int, q: ArrayLike) -> _Floats:
        """Jacobian of a site's motion: jacobian @ v is [angular; linear] velocity in world axes, rad/s and m/s.

        Parameters
        ----------
        site : str or int
            Name or id.
        q : array_like
            Positions, shape (nq,).

        Returns
        -------
        numpy.ndarray
            Shape (6, nv).

        Raises
        ------
        ValueError
            For an unknown name or if q does not fit the model.
        """
    def body_pose(self, body: str | int, q: ArrayLike) -> BodyPose:
        """Pose of a body in the world. Mocap bodies are at their poses in the file.

        Parameters
        ----------
        body : str or int
            Name or id.
        q : array_like
            Positions, shape (nq,).

        Returns
        -------
        BodyPose
            A stiction.BodyPose (position in m, quaternion with w first).

        Raises
        ------
        ValueError
            For an unknown name or if q does not fit the model.
        """
    def com(self, q: ArrayLike) -> _Floats:
        """Centre of mass of all moving bodies, in the world.

        Parameters
        ----------
        q : array_like
            Positions, shape (nq,).

        Returns
        -------
        numpy.ndarray
            Shape (3,), m.

        Raises
        ------
        ValueError
            If q does not fit the model.
        """
    def jacobian(self, body: str | int, q: ArrayLike, point: ArrayLike | None = None) -> _Floats:
        """Jacobian of a body's motion: jacobian @ v is [angular; linear] velocity in world axes, rad/s and m/s.

        Parameters
        ----------
        body : str or int
            Name or id.
        q : array_like
            Positions, shape (nq,).
        point : array_like, optional
            Point of the body whose velocity is meant, in the world, m, shape (3,); the body's origin by default.

        Returns
        -------
        numpy.ndarray
            Shape (6, nv).

        Raises
        ------
        ValueError
            For an unknown name or arrays that do not fit the model.
        """
    def save(self, path: str | PathLike[str]) -> list[str]:
        """Writes the model as one flat file for other programs. It loads back to the same masses, poses and dynamics.

        Parameters
        ----------
        path : str or path-like
            A file .xml (MJCF) or .urdf (URDF); the meshes of a URDF are written beside it.

        Returns
        -------
        list of str
            What the format cannot express and the effect of that, a list of sentences.

        Raises
        ------
        ModelError
            For a model that the format cannot express at all.
        OSError
            If the file cannot be written.
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

        Parameters
        ----------
        name : str or path-like
            A file (.json or .safetensors), or a contact of the package: "cube" (calibrated), "box", "prism", "box-2d", "anisotropic",
            "link" (dac).

        Returns
        -------
        LearnedContact
            The contact.

        Raises
        ------
        ValueError
            For an unknown name or a file that holds no contact.
        OSError
            For a file that cannot be read.
        """
    @staticmethod
    def names() -> list[str]:
        """Names of the contacts of the package, for load."""
    @staticmethod
    def from_json(text: str) -> LearnedContact:
        """Reads a contact from the text of a .json file.

        Parameters
        ----------
        text : str
            JSON.

        Raises
        ------
        ValueError
            For text that holds no contact.
        """
    @staticmethod
    def from_bytes(data: bytes) -> LearnedContact:
        """Reads a contact from the bytes of a file of either kind.

        Parameters
        ----------
        data : bytes
            JSON or safetensors.

        Raises
        ------
        ValueError
            For bytes that hold no contact.
        """
    def to_json(self) -> str:
        """The contact as the text of a .json file.

        Raises
        ------
        ValueError
            For kind "dac", which has no text form: use to_bytes.
        """
    def to_bytes(self) -> bytes:
        """The contact as the bytes of its file: JSON, or safetensors for kind "dac"."""
    def save(self, path: str | PathLike[str]) -> None:
        """Writes the contact to a file: JSON, or safetensors for kind "dac".

        Parameters
        ----------
        path : str or path-like
            The file.

        Raises
        ------
        OSError
            If it cannot be written.
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

    Parameters
    ----------
    model : Model
        A stiction.Model.
    step : float, optional
        Length of a step, s; with accuracy, of the first one tried. By default it is that of the model (Model.step), or 1e-3 if the
        model has none.
    contact : {"lagged", "similar", "sap"} or LearnedContact, optional
        Contact model, "lagged", "similar" or "sap", or a LearnedContact. A model whose file has its own friction calibration (such
        as the scene cube_toss) keeps it under "lagged". With a data-augmented law (LearnedContact of kind "dac") the options below
        have no effect (accuracy, continuous time and springs raise an error), and sim.learned reports what it did.
    contact_from : {"stiction", "mujoco"}, optional
        Where the stiffness of contact points comes from: "stiction", the geoms in N/m, stiff if they have none; or "mujoco", solref,
        solimp and the masses of the file, as soft as MuJoCo makes contacts (contact="lagged" only).
    stiction_tolerance : float, optional
        Slip speed below which a contact sticks, m/s.
    regularization : float, optional
        Impact regularisation σ, without unit; 0 turns it off.
    relative_tolerance : float, optional
        Relative tolerance of each step's solve.
    margin : float, optional
        Distance within which contacts are found before they touch, m.
    normal_law : str or list of list of float, optional
        Force of a contact point against depth (contact="lagged" or "similar"): "linear"; "hertz", where the stiffness of geoms is
        in N/m^1.5; "log-barrier:KAPPA" (J) or "clamped-barrier:KAPPA,RANGE" (N/m, m), which act before bodies touch and need a
        margin; or rows of depth (m) and force (N), the first force 0 and none falling.
    speculative : bool, optional
        Whether the motion of each step is examined for bodies that would pass through each other; they get a contact where they
        meet, or are held back (method="convex").
    tangential_springs : {"auto"}, bool or TangentialSprings, optional
        Springs that carry friction while a contact sticks, so that it does not creep. "auto" has them with contact="lagged" and
        normal_law="linear" (a LearnedContact has those that it was fitted with), True has them or raises an error, False has none; or
        a dict with stiffness_ratio (tangential over normal stiffness, default 0.8) and relaxation_time (damping over stiffness, s;
        critical damping if left out), and for contact patches stretch (normal force over tangential stiffness, m, default 1e-4) and
        patch_relaxation_time (s, default 6e-3).
    max_iterations : int, optional
        Maximum number of Newton iterations in a step.
    friction_passes : int, optional
        Solves that a step may repeat where the normal force of a contact comes or goes within it, so that friction does not lag
        (contact="lagged" only); 0 lets it lag by a step.
    tessellation : {"polygons", "fans", "refined"}, optional
        Faces of contact patches: "polygons"; "fans" of triangles, which are more and make the force a continuous function of the
        poses; or "refined", polygons with the quadrature of continuous time.
    accuracy : float, optional
        Error allowed in each step's positions, m and rad (1e-3 is usual); error control then chooses the length of each step. None
        for steps of fixed length.
    max_step : float, optional
        Longest step with an accuracy, s.
    method : {"convex", "continuous"}, optional
        "convex", or "continuous" for continuous time with an accuracy (1e-4 if none is given): compliant geoms only;
        tangential_springs may then be a dict with stretch (m, default 1e-4) and relaxation_time (s, default 6e-3).
    integrator : {"radau", "dormand-prince", "bogacki-shampine"}, optional
        Of continuous time, "radau", "dormand-prince" or "bogacki-shampine".
    adhesion : float, optional
        Of continuous time, the largest suction at surfaces pulled apart, Pa.

    Raises
    ------
    ValueError
        For an option outside its range.

    Notes
    -----
    qpos, qvel, ctrl and applied are writable arrays that follow the simulation:

        sim.qpos[2] += 0.1           # before a step, changes the state
        q = sim.qpos                 # keeps showing the present state
        past = sim.qpos.copy()       # a state to keep

    Simulations pickle and copy; the copy continues bit for bit, with statistics from zero.
    """

    def __new__(
        cls,
        model: Model,
        step: float | None = None,
        **options: Unpack[_Options],
    ) -> Simulation: ...
    @property
    def model(self) -> Model:
        """The model; after a change by gravity or vary, a variant of the one given at construction."""
    @property
    def options(self) -> dict[str, Any]:
        """The options as a dict: Simulation(model, **sim.options) makes a simulation like this one."""
    def set_options(self, **options: Unpack[_AllOptions]) -> None:
        """Changes options from the next step on; the others stay as they are. The arguments are those of Simulation.

            sim.set_options(step=5e-4, margin=1e-3)         # steps of half a millisecond, contacts kept from 1 mm on

        Raises
        ------
        ValueError
            For an option outside its range, and then nothing changes.
        """
    @property
    def gravity(self) -> _Floats:
        """Acceleration of gravity in the world, m/s², shape (3,); may be set. To change one number, set all three."""
    @gravity.setter
    def gravity(self, values: ArrayLike) -> None: ...
    def vary(self, **changes: Unpack[_Changes]) -> None:
        """Changes gravity, masses, contact properties, sizes, damping or gains from the next step on, or switches contacts and equalities.
        The arguments and their units are those of Model.varied; earlier changes stay in effect. This allocates memory: do not call it
        in every step.

            sim.vary(friction={"floor": 0.3}, mass={"cube": 0.5})
            sim.vary(active={"grasp": True}, collides={"cube": False})      # switches a weld on and the contacts of a geom off

        Raises
        ------
        ModelError
            For a change that is not possible.
        ValueError
            For a wrong name or number; then nothing changes.
        """
    def body(self, body: str | int) -> Body:
        """A body of this simulation.

        Parameters
        ----------
        body : str or int
            Name or id.

        Returns
        -------
        Body
            A stiction.Body with position, quaternion, velocity, mass, apply_force.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def joint(self, joint: str | int) -> Joint:
        """A joint of this simulation.

        Parameters
        ----------
        joint : str or int
            Name or id.

        Returns
        -------
        Joint
            A stiction.Joint with qpos, qvel and applied as writable views (m or rad, m/s or rad/s, N or N m).

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def geom(self, geom: str | int) -> Geom:
        """A geom of this simulation.

        Parameters
        ----------
        geom : str or int
            Name or id.

        Returns
        -------
        Geom
            A stiction.Geom with contact properties that may be set.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def site(self, site: str | int) -> Site:
        """A site of this simulation.

        Parameters
        ----------
        site : str or int
            Name or id.

        Returns
        -------
        Site
            A stiction.Site with position, quaternion, velocity, jacobian.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def camera(self, camera: str | int) -> Camera:
        """A camera of this simulation.

        Parameters
        ----------
        camera : str or int
            Name or id.

        Returns
        -------
        Camera
            A stiction.Camera with position and quaternion.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def equality(self, equality: str | int) -> Equality:
        """An equality of this simulation.

        Parameters
        ----------
        equality : str or int
            Name or id.

        Returns
        -------
        Equality
            A stiction.Equality, which can be switched on and off.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def actuator(self, actuator: str | int) -> Actuator:
        """An actuator of this simulation.

        Parameters
        ----------
        actuator : str or int
            Name or id.

        Returns
        -------
        Actuator
            A stiction.Actuator with its control.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def set_target(self, name: str, position: float | None = None, velocity: float | None = None) -> None:
        """Sets the target of a servo, by the name of the actuator or of the joint it drives.

        Parameters
        ----------
        name : str
            Of the actuator or the joint.
        position : float, optional
            Target of a position servo, m or rad.
        velocity : float, optional
            Target of a velocity servo, m/s or rad/s.

        Raises
        ------
        ValueError
            If no such servo drives the joint.

        Notes
        -----
            sim.set_target("elbow", 0.5)

        It writes sim.ctrl, in the servo's own units.
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

        Parameters
        ----------
        n : int, optional
            Number of steps.

        Raises
        ------
        ValueError
            For a state that is not finite.
        SimulationError
            For a step that cannot be completed, and any exception of a controller; the state is then the last good one.
        """
    def run_until(self, time: float) -> None:
        """Steps until a time, as step does.

        Parameters
        ----------
        time : float
            End, s. Steps of fixed length end at the one nearest to it; under error control the last step ends there exactly.

        Raises
        ------
        Error
            What step raises.
        ValueError
            For a time that is not finite.
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
        under too much load), or a body lies completely inside another. Also about bodies that passed through each other, and
        about runs that make no sense: a body that fell below everything or left the model far behind, absurd velocities, a step
        longer than what falls through. And one for each equality between bodies that misses its target in the last step, with
        its error.
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
        capped (contacts with less than their stiffness), found (overlaps deeper than forces had pushed them) and max_found (m),
        missed_equalities (summed over steps, see warnings), max_gap (m) and max_angle (rad) of equalities, last_iterations,
        last_points, last_patches, last_faces, max_penetration (m), friction_loss and
        normal_loss (J), dissipated (by contact) and other_work (of all but contact, gravity and joint springs; both J and in
        continuous time only), min_step and max_step (s), and seconds, a dict by stage of the step:
        kinematics, proximity, assemble, solve, advance.
        """
    @property
    def energy(self) -> Energy:
        """Kinetic and potential energy of the present state, J: a stiction.Energy (kinetic, potential) with .total."""
    def site_pose(self, site: str | int) -> BodyPose:
        """Pose of a site in the world at the present state.

        Parameters
        ----------
        site : str or int
            Name or id.

        Returns
        -------
        BodyPose
            A stiction.BodyPose (position in m, quaternion with w first).

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def geom_pose(self, geom: str | int) -> BodyPose:
        """Pose of a geom in the world at the present state.

        Parameters
        ----------
        geom : str or int
            Name or id.

        Returns
        -------
        BodyPose
            A stiction.BodyPose (position in m, quaternion with w first).

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def camera_pose(self, camera: str | int) -> BodyPose:
        """Pose of a camera in the world at the present state. A camera looks along −z of its frame, y up.

        Parameters
        ----------
        camera : str or int
            Name or id.

        Returns
        -------
        BodyPose
            A stiction.BodyPose (position in m, quaternion with w first).

        Raises
        ------
        ValueError
            For an unknown name.
        """
    @property
    def body_poses(self) -> BodyPose:
        """Poses of all bodies in the world at the present state, by id: a stiction.BodyPose of arrays of shape (bodies, 3), m, and
        (bodies, 4), w first.
        """
    @property
    def site_poses(self) -> BodyPose:
        """The same of all sites, in the order of Model.site_names."""
    @property
    def geom_poses(self) -> BodyPose:
        """The same of all geoms, in the order of Model.geom_names."""
    @property
    def camera_poses(self) -> BodyPose:
        """The same of all cameras, in the order of Model.camera_names."""
    def jacobian(self, body: str | int, point: ArrayLike | None = None) -> _Floats:
        """Jacobian of a body's motion at the present state: jacobian @ qvel is [angular; linear] velocity in world axes.

        Parameters
        ----------
        body : str or int
            Name or id.
        point : array_like, optional
            Point of the body whose velocity is meant, in the world, m, shape (3,); the body's origin by default.

        Returns
        -------
        numpy.ndarray
            Shape (6, nv).

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def site_jacobian(self, site: str | int) -> _Floats:
        """Jacobian of a site's motion at the present state: jacobian @ qvel is [angular; linear] velocity in world axes.

        Parameters
        ----------
        site : str or int
            Name or id.

        Returns
        -------
        numpy.ndarray
            Shape (6, nv).

        Raises
        ------
        ValueError
            For an unknown name.
        """
    @property
    def qacc(self) -> _Floats:
        """Accelerations, shape (nv,), m/s² or rad/s², as accelerometers read them: the mean over the last step, (qvel after − qvel
        before)/step, zero before the first one. In continuous time, those of the present state.
        """
    def contact_force(self, body: str | int, other: str | int | None = None) -> ContactForce:
        """Contact force and torque on a body in the last step.

        Parameters
        ----------
        body : str or int
            Name or id.
        other : str or int, optional
            Body that exerts it, name or id; None for all bodies together.

        Returns
        -------
        ContactForce
            A stiction.ContactForce: force (N) and torque (N m, about the body's origin), shape (3,), in world axes.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    @property
    def body_contacts(self) -> NDArray[np.void]:
        """Contact of the last step by pairs of bodies, one row each, as a structured array ordered by pair: body_a, body_b (ids, a
        below b), force (N, on body b in world axes), torque (N m, on b about the origin of its frame at the beginning of the
        step), normal_force (N, the sum of what presses at all points), points and patches (how many). A copy; empty before the
        first step and after reset or load_state.
        """
    def body_pose(self, body: str | int) -> BodyPose:
        """Pose of a body in the world at the present state.

        Parameters
        ----------
        body : str or int
            Name or id.

        Returns
        -------
        BodyPose
            A stiction.BodyPose (position in m, quaternion with w first).

        Raises
        ------
        ValueError
            For an unknown name.
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

        Parameters
        ----------
        body : str or int
            Name or id.
        position, quaternion : array_like
            Pose in the world, m, shape (3,), and w first, shape (4,); no rotation by default.
        angular_velocity, linear_velocity : array_like, optional
            Velocity of its surface for contacts, rad/s and m/s in world axes, shape (3,); zero by default. They do not move the body.

        Raises
        ------
        ValueError
            If the body is no mocap body.
        """
    def apply_force(
        self,
        body: str | int,
        force: ArrayLike | None = None,
        point: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        frame: _Frame = "world",
    ) -> None:
        """Adds a force and a torque on a body to sim.applied, evaluated at the present positions. As generalised forces they are then
        held; for a force that follows the body, reset applied and call this before each step.

        Parameters
        ----------
        body : str or int
            Name or id.
        force, torque : array_like, optional
            N and N m, shape (3,); zero by default.
        point : array_like, optional
            Point of application, m, shape (3,); the body's origin by default.
        frame : {"world", "body"}, optional
            "world" if force, torque and point are in the world's frame, "body" if all are in the body's.

        Raises
        ------
        ValueError
            For an unknown body or frame, or if neither force nor torque is given.
        """
    def settle(self, speed: float = 1e-4, time: float = 10.0) -> bool:
        """Steps until everything is at rest, then sets the velocities to zero. In continuous time with tangential springs this finds
        static states; otherwise sticking contacts creep at up to the stiction tolerance.

        Parameters
        ----------
        speed : float, optional
            Largest speed that counts as rest, m/s and rad/s; in continuous time, accelerations must also be below speed/0.1 s.
        time : float, optional
            Most simulated time to wait, s.

        Returns
        -------
        bool
            True at rest, False if something still moves after that time.

        Raises
        ------
        Error
            What step raises.
        """
    def interpolate(self, time: float) -> tuple[_Floats, _Floats]:
        """Positions and velocities within the last step of continuous time.

        Parameters
        ----------
        time : float
            s, within the last step.

        Returns
        -------
        tuple of numpy.ndarray, numpy.ndarray
            Positions, shape (nq,), m or rad, and velocities, shape (nv,), m/s or rad/s.

        Raises
        ------
        ValueError
            For a time outside of the last step, or under another method.
        """
    @property
    def accelerations(self) -> _Floats:
        """The old name of qacc, of continuous time only: raises ValueError under another method. Deprecated."""
    @property
    def contact_energy(self) -> float:
        """Energy stored by contact in continuous time, J: in pressure fields and tangential springs. It visits every pair of
        elements: use it for energy balances, not in every step.
        """
    def step_derivatives(self, parameters: Iterable[tuple[str | int, _ContactProperty]] | None = None) -> StepDerivatives:
        """Derivatives of the step from the present state. The step is not taken; the simulation does not change.

        Parameters
        ----------
        parameters : list of tuple, optional
            Contact parameters to differentiate by, pairs of a geom (name or id) and a property: "friction" (static and dynamic
            together), "static_friction", "dynamic_friction", "stiffness" (N/m), "dissipation" (s/m), "relaxation_time" (s) or "modulus"
            (Pa).

        Returns
        -------
        StepDerivatives
            A stiction.StepDerivatives.

        Raises
        ------
        ValueError
            For steps whose derivative is not supported: with accuracy, in continuous time, with adhesion actuators.

        Notes
        -----
        A state has n = 2 nv + na numbers, [δq, δv, δact]: positions along the tangent, nv numbers as velocities have (rotations of ball
        and free joints about body axes), as MuJoCo's mjd_transitionFD has them.

            d = sim.step_derivatives([("ball", "friction")])
            d.state             # ∂state⁺/∂state, (n, n)
            d.ctrl              # ∂state⁺/∂ctrl, (n, nu)
            d.parameters        # ∂state⁺/∂parameter, (n, number of parameters)
            d.qpos, d.qvel      # after the step

        The derivative of the discrete step is exact where it exists; at a kink (a contact about to touch or to leave) it is one-sided.
        Applied forces, mocap bodies and the stretches of tangential springs are held fixed. With tangential_springs="auto"
        it is the derivative of the step without springs, so that derivatives of several steps multiply.
        """
    def record(
        self,
        path: str | PathLike[str] | Sequence[str | PathLike[str]],
        rate: float | None = None,
        joints: Sequence[str] | None = None,
        channels: Sequence[str] | Mapping[str, str] | None = None,
        *,
        size: tuple[int, int] | None = None,
        camera: str | int | FreeCamera | None = None,
        forces: bool = False,
    ) -> Recording:
        """Records the simulation to files from now on. Existing files are replaced.

        Parameters
        ----------
        path : str or path-like or list of str or path-like
            A file, or a list of files: .html opens in a browser, .mcap in robotics log tools; .mp4 and .gif are films, drawn without a
            screen.
        rate : float, optional
            How many frames per simulated second, 60 by default, and 30 in films, which play in real time. Recording never changes the
            simulation: a frame is taken at the end of the first step at or after its time.
        joints : list of str, optional
            Names of joints to plot; all by default, unless there are too many.
        channels : list of str or dict, optional
            Channels of your own, which Recording.log sets: names, or a dict from name to unit.
        size : tuple of int, int, optional
            Width and height of films, pixels, (1280, 720) by default.
        camera : str, int or FreeCamera, optional
            Where films look from, as in Renderer.render.
        forces : bool, optional
            Whether films show contact forces as arrows.

        Returns
        -------
        Recording
            A stiction.Recording. The files are complete after stop_recording(), after a with block around the recording, and when the
            simulation is deleted; before, they can be opened up to about the last second.

        Raises
        ------
        OSError
            If a file cannot be written (so may a step, if the disk is full; the state is then valid, and the recording has ended and is
            readable)
        ValueError
            For another file extension.
        RuntimeError
            If the simulation is being recorded already.

        Examples
        --------
            with sim.record(["out.html", "out.mp4"]):
                sim.step(1000)
        """
    def stop_recording(self) -> list[Path]:
        """Completes the files of record, with a last frame of the present state.

        Returns
        -------
        list of pathlib.Path
            Their paths; an empty list if nothing is being recorded.

        Raises
        ------
        OSError
            If they could not be completed; the frames written before stay readable.
        """
    def save_state(self) -> bytes:
        """The state as bytes, from which load_state continues bit for bit."""
    def load_state(self, state: bytes) -> None:
        """Restores a state that save_state returned.

        Parameters
        ----------
        state : bytes
            Bytes from a simulation of the same model.

        Raises
        ------
        ValueError
            If it does not fit this model.
        """
    def reset(self, keyframe: str | int | None = None) -> None:
        """Returns to the default state at time 0, or to a keyframe. Controls and applied forces are set to zero or to the keyframe's
        values; controllers, options and statistics stay.

        Parameters
        ----------
        keyframe : str or int, optional
            Name or number; None for the default state.

        Raises
        ------
        ValueError
            For an unknown keyframe.
        """
    def add_controller(
        self,
        controller: _AnyController,
        period: float = 0.0,
        sensing: bool = False,
        *,
        wrenches: Sequence[str | int] | None = None,
        skins: Sequence[TactileGrid] | None = None,
    ) -> ControllerHandle:
        """Adds a controller, which sets the controls from now on. It runs after the controllers added before.

        Parameters
        ----------
        controller : callable or ready controller
            A function controller(time, qpos, qvel) that gets copies of the state and returns the controls, shape (nu,), which are held
            until they are set again. If it returns None, the values that it wrote to sim.ctrl count. Or a stiction.JointTracking,
            PoseTracking or GripForce, which has its own period.
        period : float, optional
            Time between samples, s; 0 for every step. A sample is at the beginning of the first step at or after each multiple of the
            period.
        sensing : bool, optional
            True calls controller(time, qpos, qvel, measured) with a stiction.Measured: sensors at that instant, contact forces and
            joint torques of the previous step, and the controller's memory.
        wrenches : list of str or int, optional
            Bodies (names or ids) at whose mounts the wrench is measured, for Measured.wrench; implies sensing.
        skins : list of TactileGrid, optional
            A list of stiction.TactileGrid, for Measured.skin; implies sensing.

        Returns
        -------
        ControllerHandle
            A stiction.ControllerHandle, for remove_controller. Exceptions of the controller propagate from sim.step, with a note that
            names the controller and the time; a result of another shape or one that is not finite raises ValueError there. The state is
            then that before the step.
        """
    def remove_controller(self, handle: ControllerHandle | int) -> None:
        """Removes a controller; the controls keep their values. The handles of the others stay valid.

        Parameters
        ----------
        handle : ControllerHandle or int
            As returned by add_controller. (Numbers are deprecated: they change when another one is removed.)

        Raises
        ------
        ValueError
            For a controller that is not of this simulation.
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
        """Replaces all controllers by one. The arguments are those of add_controller; None removes all controllers and keeps the controls."""

@final
class JointPath:
    """A trajectory of joints through keyframes. Before the first and after the last keyframe, its position is constant.

    Parameters
    ----------
    times : array_like
        Times of the keyframes, s, increasing, shape (n,).
    points : array_like
        Positions at the keyframes, rad or m, shape (n, joints).
    kind : str, optional
        "minimum-jerk" stops at every keyframe; "cubic" passes through them without stopping, with continuous acceleration, and is
        at rest at both ends.

    Raises
    ------
    ValueError
        For shapes that do not fit, times that do not increase, or an unknown kind.
    """

    def __new__(cls, times: ArrayLike, points: ArrayLike, kind: _PathKind = "minimum-jerk") -> JointPath: ...
    @property
    def end(self) -> float:
        """Time of the last keyframe, s."""
    def at(self, time: float) -> tuple[_Floats, _Floats, _Floats]:
        """The trajectory at a time.

        Parameters
        ----------
        time : float
            s.

        Returns
        -------
        tuple of numpy.ndarray, numpy.ndarray, numpy.ndarray
            Positions (rad or m), velocities (rad/s or m/s) and accelerations (rad/s² or m/s²), each of shape (joints,).
        """

@final
class PosePath:
    """A trajectory of poses through keyframes. Before the first and after the last keyframe, its pose is constant.

    Parameters
    ----------
    times : array_like
        Times of the keyframes, s, increasing, shape (n,).
    positions : array_like
        In the world, m, shape (n, 3).
    quaternions : array_like
        Orientations, w first, shape (n, 4).
    kind : str, optional
        "minimum-jerk" moves on straight lines and rotates about one axis between keyframes, and stops at each; "cubic" passes
        through them without stopping and is at rest at both ends.

    Raises
    ------
    ValueError
        For shapes that do not fit, times that do not increase, or an unknown kind.
    """

    def __new__(cls, times: ArrayLike, positions: ArrayLike, quaternions: ArrayLike, kind: _PathKind = "minimum-jerk") -> PosePath: ...
    @staticmethod
    def at_speed(start: float, positions: ArrayLike, quaternions: ArrayLike, linear_speed: float, angular_speed: float) -> PosePath:
        """A minimum-jerk path through poses whose times follow from peak speeds.

        Parameters
        ----------
        start : float
            Time of the first keyframe, s.
        positions, quaternions : array_like
            As for PosePath.
        linear_speed, angular_speed : float
            Peak speeds, m/s and rad/s.

        Returns
        -------
        PosePath
            A stiction.PosePath.

        Raises
        ------
        ValueError
            For shapes that do not fit or speeds that are not positive.
        """
    @property
    def times(self) -> _Floats:
        """Times of the keyframes, s, shape (n,)."""
    @property
    def end(self) -> float:
        """Time of the last keyframe, s."""
    def at(self, time: float) -> tuple[_Floats, _Floats, _Floats]:
        """The trajectory at a time.

        Parameters
        ----------
        time : float
            s.

        Returns
        -------
        tuple of numpy.ndarray, numpy.ndarray, numpy.ndarray
            Position (3,), m, quaternion (4,), w first, and twist (6,), [angular; linear], rad/s and m/s in world axes.
        """

@final
class InverseKinematics:
    """Differential inverse kinematics: joint velocities that move a site, within the joints' position and speed limits.

    Parameters
    ----------
    model : Model
        A stiction.Model.
    joints : list of str
        Names of hinges and slides.
    site : str
        Name of the site that moves.
    speed_limits : list of float, optional
        Largest speed of each joint, rad/s or m/s; those of the model if None (MJCF has none).
    gain : float, optional
        Rate at which a pose error decays, 1/s.
    damping : float, optional
        Cost of joint speed at singular positions, m/s of error per rad/s.
    length : float, optional
        Length that weighs an orientation error of one radian, m.
    regular : float, optional
        Smallest singular value for which a position is not damped, m/rad.
    weights : array_like, optional
        Of errors along the axes of the target frame, [angular; linear], shape (6,); 0 leaves one free.
    linear_speed, angular_speed : float, optional
        Largest target speeds of the site, m/s and rad/s.
    posture : array_like, optional
        Preferred positions of the joints in the directions that the site leaves free, shape (joints,), m or rad; approached at
        posture_rate.
    posture_rate : float, optional
        Rate at which the preferred positions are approached, 1/s.

    Raises
    ------
    ValueError
        For unknown names and numbers outside their range.

    Notes
    -----
    It pickles.
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

        Parameters
        ----------
        qpos : array_like
            Positions, shape (nq,).

        Returns
        -------
        tuple of numpy.ndarray, numpy.ndarray
            Position (3,), m, and quaternion (4,), w first.

        Raises
        ------
        ValueError
            If qpos does not fit the model.
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

        Parameters
        ----------
        qpos : array_like
            Positions, shape (nq,).
        position, quaternion : array_like
            Target pose in the world, m, shape (3,), and w first, shape (4,).
        twist : array_like, optional
            Velocity of the target, [angular; linear], rad/s and m/s in world axes, shape (6,); zero by default.
        period : float, optional
            Time for which the velocities are held, s; joint limits are kept over it.

        Returns
        -------
        numpy.ndarray
            Shape (joints,), m/s or rad/s.

        Raises
        ------
        ValueError
            For arrays that do not fit.
        """
    def reach(self, qpos: ArrayLike, position: ArrayLike, quaternion: ArrayLike) -> _Floats | None:
        """Joint positions that put the site at a pose, searched from given positions within the joint limits.

        Parameters
        ----------
        qpos : array_like
            Positions to start from, shape (nq,).
        position, quaternion : array_like
            Target pose in the world, m, shape (3,), and w first, shape (4,).

        Returns
        -------
        numpy.ndarray or None
            Shape (joints,), m or rad; None if the search does not reach the pose.

        Raises
        ------
        ValueError
            For arrays that do not fit.
        """

@final
class JointTracking:
    """A controller for Simulation.add_controller: joints follow a stiction.JointPath. It runs without the interpreter.

    Parameters
    ----------
    joints : list of str
        Names of hinges and slides, in the order of the path's columns.
    path : JointPath
        The stiction.JointPath.
    law : str, optional
        Joint control law. "servo" sends positions to the model's position servos; "servo-feed-forward" adds the feed-forward
        torques of the motion; "pd" and "pd-gravity" are motor torques with gains stiffness (N m/rad) and damping (N m s/rad),
        without and with gravity compensation; "inverse-dynamics" are computed torques with gains in 1/s² and 1/s.
    stiffness, damping : float, optional
        Gains, in the units of the law.
    period : float, optional
        Time between samples, s; 0 for every step.

    Raises
    ------
    ValueError
        For an unknown law.

    Notes
    -----
    It pickles.
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

    Parameters
    ----------
    joints : list of str
        Names of the hinges and slides that move the site.
    site : str
        Name of the site.
    path : PosePath
        The stiction.PosePath.
    law, stiffness, damping : str or float, optional
        Joint control law and its gains, as for stiction.JointTracking.
    period : float, optional
        Time between samples, s.
    speed_limits : list of float, optional
        Largest speed of each joint, rad/s or m/s; those of the model if None.

    Raises
    ------
    ValueError
        For an unknown law.

    Notes
    -----
    It pickles.
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
class GpuBatch:
    """Many worlds of one model, stepped together on an NVIDIA GPU.

    Parameters
    ----------
    model : Model
        A stiction.Model, shared by all worlds.
    n : int
        Number of worlds. They begin at the model's default state at time 0.
    device : int or str, optional
        Number of the GPU; or "host", which steps with the same kernels on the processor, to test and to compare.
    contacts : int, optional
        Most contact points of a world at a time; by default six for each geom and 32.
    step, friction_passes, … : float, optional
        The options of Simulation. speculative=False must be given, since the GPU does not examine the motion between steps.

    Raises
    ------
    ValueError
        For a model or options that the GPU does not support, with the whole list.
    SimulationError
        Without a GPU, its driver or NVRTC.

    Notes
    -----
    One step of a world solves the same problem to the same tolerance as a step of Simulation, in double precision. Reading or
    setting qpos, qvel and ctrl copies; on_device gives the arrays on the GPU to PyTorch, CuPy and JAX without a copy:

        batch = st.GpuBatch(model, 4096, speculative=False)
        qpos = torch.as_tensor(batch.on_device("qpos"), device="cuda")
        for _ in range(100):
            batch.ctrl = policy(batch.qpos, batch.qvel)
            report = batch.step(10)
    """

    def __new__(
        cls,
        model: Model,
        n: int,
        *,
        device: int | Literal["host"] | None = None,
        contacts: int | None = None,
        step: float | None = None,
        **options: Unpack[_Options],
    ) -> GpuBatch: ...
    @property
    def model(self) -> Model:
        """The model given at construction."""
    @property
    def n(self) -> int:
        """Number of worlds."""
    def __len__(self) -> int: ...
    @property
    def options(self) -> dict[str, Any]:
        """The options as a dict: Simulation(batch.model, **batch.options) steps like one of the worlds."""
    @property
    def time(self) -> float:
        """Time of all worlds, s: that of their steps."""
    def step(self, n: int = 1) -> dict[str, int]:
        """Performs n steps in every world and waits for them.

        Parameters
        ----------
        n : int
            Number of steps.

        Returns
        -------
        dict
            unconverged: steps, over all worlds, whose solve did not reach its tolerance or that had no room, 0 if all is well;
            not_finite: worlds that met a number that is not finite and stay in their last good states; no_room: worlds with more
            contacts than they have room for; no_shape: worlds in which boxes apart by less than 10 µm met corner against corner,
            whose points the kernels do not have; iterations and friction_passes, over all worlds and steps; contacts: points in the
            last step, over all worlds.
        """
    @property
    def qpos(self) -> _Floats:
        """Positions of all worlds, shape (n, nq), m or rad and quaternions with w first: a copy. Set it with such an array, or with one row for all worlds."""
    @qpos.setter
    def qpos(self, values: ArrayLike) -> None: ...
    @property
    def qvel(self) -> _Floats:
        """Velocities of all worlds, shape (n, nv), m/s or rad/s: a copy. Set it with such an array, or with one row for all worlds."""
    @qvel.setter
    def qvel(self, values: ArrayLike) -> None: ...
    @property
    def ctrl(self) -> _Floats:
        """Controls of all worlds, shape (n, nu), in the units of the actuators: a copy. Set it with such an array, or with one row for all worlds; they are held."""
    @ctrl.setter
    def ctrl(self, values: ArrayLike) -> None: ...
    @property
    def applied(self) -> _Floats:
        """Generalised forces applied to all worlds, shape (n, nv), N or N m: a copy. Set it with such an array, or with one row for all worlds."""
    @applied.setter
    def applied(self, values: ArrayLike) -> None: ...
    @property
    def contact_counts(self) -> NDArray[np.int32]:
        """Number of contact points of each world in the last step, shape (n,)."""
    def reset(self, worlds: ArrayLike | None = None, *, keyframe: str | None = None) -> None:
        """Puts some worlds, or all, into the model's default state or a keyframe.

        Parameters
        ----------
        worlds : int, array_like, optional
            Numbers of worlds, or an array of booleans; by default all.
        keyframe : str, optional
            Name of a keyframe.
        """
    def on_device(self, name: Literal["qpos", "qvel", "ctrl"]) -> Any:
        """An array of all worlds in the GPU's memory, which torch.as_tensor, cupy.asarray and others share without a copy.

        Steps run on the default stream. What another program writes there must be finished on that stream, too.

        Parameters
        ----------
        name : {"qpos", "qvel", "ctrl"}
            Which.

        Returns
        -------
        object
            With the attribute __cuda_array_interface__: 64-bit floats, one row per world.
        """

@final
class GripForce:
    """A controller for Simulation.add_controller: a gripper closes to a force, measured at its pads. It runs without the interpreter.

    Parameters
    ----------
    joint : str
        Name of the slide that a motor drives.
    pads : list of str
        Names of the bodies or geoms whose contact counts: the fingers of one gripper.
    force : float or JointPath
        Force on each pad, N, zero or more; or a stiction.JointPath with one number per keyframe, for a force over time.
    closing : float, optional
        1 if the joint's position increases as the gripper closes, -1 if it decreases.
    integral : float, optional
        Integral gain of the force error, 1/s.
    damping : float, optional
        Of the finger, N s/m.
    speed : float, optional
        Of closing before contact, m/s.
    period : float, optional
        Time between samples, s.

    Notes
    -----
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

        Parameters
        ----------
        name : str
            Name of the sensor.

        Returns
        -------
        numpy.ndarray
            An array, SI units.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    @property
    def joint_torques(self) -> _Floats:
        """Actuator forces along each velocity coordinate, shape (nv,), N or N m."""
    def force(self, part: str, other: str | None = None) -> _Floats:
        """Contact force on a body or geom.

        Parameters
        ----------
        part : str
            Name of a body or geom; a body has precedence.
        other : str, optional
            Name of the body or geom that exerts the force; None for all.

        Returns
        -------
        numpy.ndarray
            Shape (3,), N in world axes.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def normal_force(self, part: str, other: str | None = None) -> float:
        """Sum of the normal contact forces on a body or geom.

        Parameters
        ----------
        part, other : str
            As for force.

        Returns
        -------
        float
            N.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def area(self, part: str, other: str | None = None) -> float:
        """Contact area between two parts; contact points have none.

        Parameters
        ----------
        part, other : str
            As for force.

        Returns
        -------
        float
            m².

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def wrench(self, body: str | int) -> _Floats:
        """Moment and force that the parent of a body exerted on it: a force-torque sensor at its mount.

        Parameters
        ----------
        body : str or int
            Name or id, one of the wrenches given to add_controller.

        Returns
        -------
        numpy.ndarray
            [moment; force] about the body's origin in the body's axes, shape (6,), N m and N.

        Raises
        ------
        ValueError
            For a body that was not given to add_controller.
        """
    def skin(self, k: int) -> tuple[_Floats, _Floats]:
        """Reading of a tactile grid, as of TactileGrid.sample.

        Parameters
        ----------
        k : int
            Number of the grid among the skins given to add_controller.

        Returns
        -------
        tuple of numpy.ndarray, numpy.ndarray
            Pressure (rows, columns) and shear (rows, columns, 2), Pa.

        Raises
        ------
        IndexError
            For an unknown number.
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

        Parameters
        ----------
        number : int
            As returned by add_controller.

        Returns
        -------
        numpy.ndarray
            An array.

        Raises
        ------
        ValueError
            For an unknown number.
        """
    @property
    def touches(self) -> list[Touch]:
        """Contacts of the previous step: one stiction.Touch for each pair of geoms with a contact force."""

@final
class Batch:
    """Many worlds of one model, stepped together on several threads.

    Parameters
    ----------
    model : Model
        A stiction.Model, shared by all worlds.
    n : int
        Number of worlds. They begin at the model's default state at time 0.
    threads : int, optional
        Number of threads; by default all processors. The result is the same, bit for bit, for any number, and equal to that of n
        simulations stepped one by one.
    step, contact, … : float or {"lagged", "similar", "sap"} or LearnedContact, optional
        The options of Simulation, the same for all worlds.

    Raises
    ------
    ValueError
        For an option outside its range.

    Notes
    -----
    qpos, qvel, ctrl, applied, act and time are writable arrays with one row per world that follow the worlds:

        batch = st.Batch(model, 1000)
        batch.qpos[:, 2] += random.uniform(0, 0.1, 1000)
        for _ in range(100):
            batch.ctrl[:] = policy(batch.qpos, batch.qvel)
            batch.step(10)

    Batches pickle and copy; the copy continues bit for bit, with statistics from zero.
    """

    def __new__(
        cls,
        model: Model,
        n: int,
        threads: int | None = None,
        *,
        step: float | None = None,
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
    def step(self, n: int = 1, *, k: int | None = None) -> None:
        """Takes steps in every world, without holding the interpreter. Ctrl-C ends it when all worlds have taken the same number of steps.

        Parameters
        ----------
        n : int, optional
            Number of steps.
        k : int, optional
            Its old name, deprecated.

        Raises
        ------
        ValueError
            For a state that is not finite, before any world steps.
        SimulationError
            If worlds could not complete their steps: these keep their last good states, failed tells which they are, and all others
            took all their steps.
        """
    def run_until(self, time: float) -> None:
        """Steps every world until a time, as step does. After Ctrl-C the worlds may be at different times.

        Parameters
        ----------
        time : float
            End, s. Steps of fixed length end at the one nearest to it; under error control the last step of each world ends there
            exactly.

        Raises
        ------
        Error
            What step raises.
        ValueError
            For a time that is not finite.
        """
    def reset(
        self,
        indices: int | ArrayLike | None = None,
        qpos: ArrayLike | None = None,
        qvel: ArrayLike | None = None,
        keyframe: str | int | None = None,
    ) -> None:
        """Returns worlds to the default state at time 0, or to a keyframe. Controls, applied forces and activations are set to zero or to
        the keyframe's values; statistics stay.

        Parameters
        ----------
        indices : int or array_like, optional
            Which worlds, as numbers or as an array of n booleans; all by default.
        qpos, qvel : array_like, optional
            Initial positions, m or rad, and velocities, m/s or rad/s, in place of the default: shape (nq,) and (nv,) for all worlds, or
            one row per world.
        keyframe : str or int, optional
            Name or number of a keyframe of the model.

        Raises
        ------
        ValueError
            For an unknown keyframe or a shape that does not fit.
        IndexError
            For an unknown world.
        """
    def vary(self, indices: int | ArrayLike | None = None, **changes: Unpack[_Changes]) -> None:
        """Changes worlds from the next step on: gravity, masses, contact properties, sizes, damping, gains, and which contacts and
        equalities act.

        Parameters
        ----------
        indices : int or array_like, optional
            Which worlds, as numbers or as an array of n booleans; all by default.
        gravity, mass, friction, … : array_like or dict, optional
            As for Model.varied; in place of a number there may be an array with one number per chosen world (gravity: one row). Earlier
            changes stay in effect.

        Raises
        ------
        ModelError
            For a change that is not possible.
        ValueError
            For a wrong name or number; then nothing changes.

        Notes
        -----
            batch.vary(friction={"floor": np.linspace(0.2, 1.0, batch.n)}, damping={"*": 0.1})

        Worlds that differ share only the equal parts of their models: meshes, solids, and trees of bodies with the same masses and
        gravity.
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
        damping: _Ranges | None = None,
        friction_loss: _Ranges | None = None,
        armature: _Ranges | None = None,
        kp: _Ranges | None = None,
        kv: _Ranges | None = None,
        strength: _Ranges | None = None,
    ) -> None:
        """Draws masses, friction, stiffness, sizes, damping, gains and others for each world at random: domain randomisation.

        Parameters
        ----------
        seed : int
            An integer. The value for a body or geom of a world depends only on the seed, the world's number and that quantity, not on
            the number of worlds or on other quantities.
        indices : int or array_like, optional
            Which worlds, as numbers or as an array of n booleans; all by default.
        mass : dict, optional
            Dict from bodies (names or ids, "*" for each of them) to a range of factors on the model's value: (low, high), uniform, or
            (low, high, "log"), log-uniform. Rotational inertia is scaled too.
        friction, stiffness, dissipation, size : dict, optional
            The same for geoms. Static and dynamic friction have the same factor; stiffness is that of point contact and of the pressure
            field; size is of primitive shapes (see Model.varied).
        damping, friction_loss, armature : dict, optional
            The same for joints.
        kp, kv, strength : dict, optional
            The same for actuators.

        Raises
        ------
        ModelError
            For a change that is not possible.
        ValueError
            For a wrong name or range; then nothing changes.

        Examples
        --------
            batch.randomize(seed=7, mass={"cube": (0.8, 1.2)}, friction={"*": (0.5, 2.0, "log")})
            batch.parameters["mass"]["cube"]        # the values drawn, kg, shape (n,)
        """
    @property
    def parameters(self) -> dict[str, Any]:
        """Properties that vary and randomize changed: a dict from quantity to a dict from the name of a body, geom, joint, actuator
        or equality to a read-only array of shape (n,), in the units of Model.varied (mass in kg, stiffness in N/m, size as a
        factor, collides and active as 0 or 1…); gravity, if it was changed, is an array of shape (n, 3).
        """
    @property
    def warnings(self) -> list[ModelWarning]:
        """Changes that vary and randomize could not make completely, and the warnings of Simulation.warnings in any of the worlds, each
        once: a list of stiction.ModelWarning.
        """
    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which worlds could not complete the last call of step or run_until, shape (n,), booleans."""
    @property
    def contacts(self) -> PerWorld:
        """Contact points of the last step, world by world: batch.contacts[world] is a structured array, see Simulation.contacts. An
        unknown world raises IndexError. (batch.contacts(world) is deprecated.)
        """
    @property
    def body_contacts(self) -> PerWorld:
        """Contact of the last step by pairs of bodies, world by world: batch.body_contacts[world] is a structured array, see
        Simulation.body_contacts. An unknown world raises IndexError.
        """
    @property
    def patches(self) -> PerWorld:
        """Contact patches of the last step, world by world: batch.patches[world] is a list, see Simulation.patches. An unknown world
        raises IndexError. (batch.patches(world) is deprecated.)
        """
    @property
    def stats(self) -> BatchStats:
        """Counts and times since construction, a dict like Simulation.stats with arrays of shape (n,) in place of numbers.
        (batch.stats() and batch.stats(world), which give sums over the worlds and one world's, are deprecated.)
        """
    @property
    def sensors(self) -> dict[str, _Floats]:
        """Readings of all sensors, a dict from name to array of shape (n, numbers of the sensor), SI: see Simulation.sensors."""
    @property
    def energy(self) -> Energy:
        """Kinetic and potential energy of all worlds, J: a stiction.Energy of arrays of shape (n,)."""
    def body(self, body: str | int) -> Body:
        """A body of all worlds: arrays have one row per world.

        Parameters
        ----------
        body : str or int
            Name or id.

        Returns
        -------
        Body
            A stiction.Body with position, quaternion, velocity, mass, apply_force.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def joint(self, joint: str | int) -> Joint:
        """A joint of all worlds: arrays have one row per world.

        Parameters
        ----------
        joint : str or int
            Name or id.

        Returns
        -------
        Joint
            A stiction.Joint with qpos, qvel and applied as writable views (m or rad, m/s or rad/s, N or N m).

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def geom(self, geom: str | int) -> Geom:
        """A geom of all worlds: arrays have one row per world.

        Parameters
        ----------
        geom : str or int
            Name or id.

        Returns
        -------
        Geom
            A stiction.Geom with contact properties that may be set.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def actuator(self, actuator: str | int) -> Actuator:
        """An actuator of all worlds: arrays have one row per world.

        Parameters
        ----------
        actuator : str or int
            Name or id.

        Returns
        -------
        Actuator
            A stiction.Actuator with its control.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def site(self, site: str | int) -> Site:
        """A site of all worlds: arrays have one row per world.

        Parameters
        ----------
        site : str or int
            Name or id.

        Returns
        -------
        Site
            A stiction.Site with position, quaternion, velocity, jacobian.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def camera(self, camera: str | int) -> Camera:
        """A camera of all worlds: arrays have one row per world.

        Parameters
        ----------
        camera : str or int
            Name or id.

        Returns
        -------
        Camera
            A stiction.Camera with position and quaternion.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def equality(self, equality: str | int) -> Equality:
        """An equality of all worlds: arrays have one row per world.

        Parameters
        ----------
        equality : str or int
            Name or id.

        Returns
        -------
        Equality
            A stiction.Equality, which can be switched on and off.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def site_pose(self, site: str | int) -> BodyPose:
        """Poses of a site in all worlds.

        Parameters
        ----------
        site : str or int
            Name or id.

        Returns
        -------
        BodyPose
            A stiction.BodyPose of positions in the world, shape (n, 3), m, and quaternions with w first, shape (n, 4).

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def geom_pose(self, geom: str | int) -> BodyPose:
        """Poses of a geom in all worlds.

        Parameters
        ----------
        geom : str or int
            Name or id.

        Returns
        -------
        BodyPose
            A stiction.BodyPose of positions in the world, shape (n, 3), m, and quaternions with w first, shape (n, 4).

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def camera_pose(self, camera: str | int) -> BodyPose:
        """Poses of a camera in all worlds. A camera looks along −z of its frame, y up.

        Parameters
        ----------
        camera : str or int
            Name or id.

        Returns
        -------
        BodyPose
            A stiction.BodyPose of positions in the world, shape (n, 3), m, and quaternions with w first, shape (n, 4).

        Raises
        ------
        ValueError
            For an unknown name.
        """
    @property
    def body_poses(self) -> BodyPose:
        """Poses of all bodies in all worlds, by id: a stiction.BodyPose of arrays of shape (n, bodies, 3), m, and (n, bodies, 4), w
        first.
        """
    @property
    def site_poses(self) -> BodyPose:
        """The same of all sites, in the order of Model.site_names."""
    @property
    def geom_poses(self) -> BodyPose:
        """The same of all geoms, in the order of Model.geom_names."""
    @property
    def camera_poses(self) -> BodyPose:
        """The same of all cameras, in the order of Model.camera_names."""
    def jacobian(self, body: str | int, point: ArrayLike | None = None) -> _Floats:
        """Jacobians of a body's motion in all worlds, as Simulation.jacobian gives them.

        Parameters
        ----------
        body : str or int
            Name or id.
        point : array_like, optional
            Point of the body whose velocity is meant, in the world, m, shape (3,) for all worlds or (n, 3); the body's origin by
            default.

        Returns
        -------
        numpy.ndarray
            Shape (n, 6, nv).

        Raises
        ------
        ValueError
            For an unknown name or a shape that does not fit.
        """
    def site_jacobian(self, site: str | int) -> _Floats:
        """Jacobians of a site's motion in all worlds, as Simulation.site_jacobian gives them.

        Parameters
        ----------
        site : str or int
            Name or id.

        Returns
        -------
        numpy.ndarray
            Shape (n, 6, nv).

        Raises
        ------
        ValueError
            For an unknown name.
        """
    @property
    def qacc(self) -> _Floats:
        """Accelerations, shape (n, nv), m/s² or rad/s²: see Simulation.qacc."""
    def contact_force(self, body: str | int, other: str | int | None = None) -> ContactForce:
        """Contact forces and torques on a body in the last step, in all worlds.

        Parameters
        ----------
        body : str or int
            Name or id.
        other : str or int, optional
            Body that exerts them, name or id; None for all bodies together.

        Returns
        -------
        ContactForce
            A stiction.ContactForce: force (N) and torque (N m, about the body's origin), shape (n, 3), in world axes.

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def body_pose(self, body: str | int) -> BodyPose:
        """Poses of a body in all worlds.

        Parameters
        ----------
        body : str or int
            Name or id.

        Returns
        -------
        BodyPose
            A stiction.BodyPose of positions in the world, shape (n, 3), m, and quaternions with w first, shape (n, 4).

        Raises
        ------
        ValueError
            For an unknown name.
        """
    def simulation(self, world: int) -> Simulation:
        """A separate simulation that continues from a world's present state bit for bit, to inspect, record or view it.

        Parameters
        ----------
        world : int
            Number of the world.

        Returns
        -------
        Simulation
            A stiction.Simulation.

        Raises
        ------
        IndexError
            For an unknown world.
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

        Parameters
        ----------
        body : str or int
            Name or id.
        position : array_like
            In the world, m, shape (3,) or (worlds, 3).
        quaternion : array_like, optional
            w first, (4,) or (worlds, 4).
        angular_velocity, linear_velocity : array_like, optional
            Velocity of its surface for contacts, rad/s and m/s in world axes; they do not move the body.
        indices : int or array_like, optional
            Which worlds, as numbers or as an array of n booleans; all by default.

        Raises
        ------
        ValueError
            If the body is no mocap body or a shape does not fit.
        """
    @property
    def gravity(self) -> _Floats:
        """Acceleration of gravity in the worlds, m/s², shape (n, 3), read-only; may be set, by one row for all worlds or one for each."""
    @gravity.setter
    def gravity(self, values: ArrayLike) -> None: ...
    def set_target(
        self,
        name: str,
        position: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        indices: int | ArrayLike | None = None,
    ) -> None:
        """Sets the target of a servo, as Simulation.set_target does.

        Parameters
        ----------
        name : str
            Of the actuator or the joint.
        position, velocity : array_like, optional
            Target, m or rad, m/s or rad/s: a number for all worlds or one per world, shape (worlds,).
        indices : int or array_like, optional
            Which worlds, as numbers or as an array of n booleans; all by default.

        Raises
        ------
        ValueError
            If no such servo drives the joint.

        Notes
        -----
        It writes batch.ctrl, in the servo's own units.
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
        """Adds forces and torques on a body to batch.applied, as Simulation.apply_force does. Each array has shape (3,) for all worlds or
        (worlds, 3).

        Parameters
        ----------
        body : str or int
            Name or id.
        force, torque : array_like, optional
            N and N m; zero by default.
        point : array_like, optional
            Point of application, m; the body's origin by default.
        frame : {"world", "body"}, optional
            "world" if force, torque and point are in the world's frame, "body" if all are in the body's.
        indices : int or array_like, optional
            Which worlds, as numbers or as an array of n booleans; all by default.

        Raises
        ------
        ValueError
            For an unknown body or frame, a shape that does not fit, or if neither force nor torque is given.
        """
    def add_controller(
        self,
        controller: _AnyController | Sequence[_AnyController],
        period: float = 0.0,
        sensing: bool = False,
        *,
        wrenches: Sequence[str | int] | None = None,
        skins: Sequence[TactileGrid] | None = None,
    ) -> ControllerHandle:
        """Adds a controller to every world. It runs after the controllers added before.

        Parameters
        ----------
        controller : callable or ready controller or list of callable or ready controller
            A function or ready controller as in Simulation.add_controller, or a list with one for each world. Ready controllers run
            without the interpreter. A function is called for each world from the thread that steps it, one call at a time; results do
            not depend on the number of threads if the function depends on its arguments only. If it returns None, the world's row of
            batch.ctrl counts.
        period, sensing, wrenches, skins : float or bool or list of str or int or list of TactileGrid, optional
            As in Simulation.add_controller.

        Returns
        -------
        ControllerHandle
            A stiction.ControllerHandle, for remove_controller. An exception of the controller is the cause of the SimulationError that
            step raises; the affected worlds are then at their states before the failed step.
        """
    def remove_controller(self, handle: ControllerHandle | int) -> None:
        """Removes a controller from all worlds; the controls keep their values. The handles of the others stay valid.

        Parameters
        ----------
        handle : ControllerHandle or int
            As returned by add_controller. (Numbers are deprecated: they change when another one is removed.)

        Raises
        ------
        ValueError
            For a controller that is not of this batch.
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
        """Replaces all controllers by one. The arguments are those of add_controller; None removes all controllers and keeps the controls."""
    def save_state(self) -> bytes:
        """The states and variations of all worlds as bytes, from which load_state continues bit for bit."""
    def load_state(self, state: bytes) -> None:
        """Restores the states that save_state returned.

        Parameters
        ----------
        state : bytes
            Bytes from a batch of as many worlds of the same model.

        Raises
        ------
        ValueError
            If they do not fit.
        """
    def __len__(self) -> int: ...

@final
class World:
    """A world that robots, objects and meshes of any format are added to.

    Parameters
    ----------
    name : str, optional
        Name of the model.

    Notes
    -----
    Each call of add returns the world, so that calls can follow each other:

        world = st.World().ground()
        world.add("robot.urdf", name="arm", base="fixed").add("mug.obj", position=[0.5, 0, 0.2], friction=0.8)
        model = world.build()

    Names of what is added begin with its own name and a slash: "arm/elbow".
    """
    def __new__(cls, name: str = "world") -> World: ...
    def add(
        self,
        source: str | PathLike[str] | Model,
        name: str = "",
        position: ArrayLike | None = None,
        quaternion: ArrayLike | None = None,
        *,
        to: str = "",
        frame: str = "",
        base: Literal["as given", "fixed", "free"] = "as given",
        strict: bool = False,
        package_paths: Sequence[str | PathLike[str]] = [],
        scale: float | None = None,
        mass: float | None = None,
        density: float | None = None,
        hull: bool | None = None,
        friction: float | None = None,
        modulus: float | None = None,
    ) -> World:
        """Adds a model or a mesh.

        Parameters
        ----------
        source : str or path-like or Model
            A model file (.xml, .urdf, .sdf, .dmd.yaml), a mesh file (.stl, .obj, .dae, .gltf, .glb, .msh, .vtk), the name of a built-in
            scene if no such file exists, or a stiction.Model.
        name : str, optional
            Put before every name of a model, with a slash; the name of a mesh's body, by default that of its file.
        position, quaternion : array_like, optional
            Pose of its origin in the frame of to, m, shape (3,), and w first, shape (4,).
        to : str, optional
            Body or site that the pose refers to and that carries the model unless base is "free"; the world by default.
        frame : str, optional
            Body or site of the model that is placed in place of its origin.
        base : {"as given", "fixed", "free"}, optional
            "as given" by the file, "fixed", or "free".
        strict, package_paths : bool or list of str or path-like, optional
            Of a model file, as for Model.from_file.
        scale : float, optional
            Of a mesh file, a factor on its coordinates, such as 0.001 for millimetres.
        mass : float, optional
            Of a mesh file, kg; by default that of its density.
        density : float, optional
            Of a mesh file, kg/m³.
        hull : bool, optional
            Of a mesh file, whether it collides as its convex hull instead of its surface.
        friction : float, optional
            Of a mesh file, coefficient of friction, static and dynamic.
        modulus : float, optional
            Of a mesh file, the modulus of a pressure field, Pa: the mesh is then compliant, filled with tetrahedra if the file has none. A
            .vtk file whose field is a pressure is compliant without it.

        Returns
        -------
        World
            This world.

        Raises
        ------
        ModelError
            If it cannot be added, and then nothing is.
        ValueError
            For a wrong argument.

        Notes
        -----
        Gravity and other options are those of the first model; the step is the shortest that a model asks for.
        """
    def ground(self, height: float = 0.0, friction: float | None = None) -> World:
        """Adds a ground: a half-space, called "ground".

        Parameters
        ----------
        height : float, optional
            m.
        friction : float, optional
            Coefficient of friction, static and dynamic; the default of geoms if None.

        Returns
        -------
        World
            This world.

        Raises
        ------
        ModelError
            If there is a ground already, or for a number that makes no sense.
        """
    def build(self) -> Model:
        """The model of what was added so far. More can be added afterwards, for another model.

        Returns
        -------
        Model
            A stiction.Model.

        Raises
        ------
        ModelError
            If it cannot be compiled.
        """

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

        Parameters
        ----------
        mesh : str or path-like or tuple of array_like, array_like
            A file (.stl, .obj, .msh), or a tuple of vertices (n, 3) and triangles (m, 3).
        modulus : float, optional
            Hydroelastic modulus, Pa.
        scale : float, optional
            Coordinates are multiplied by it; 0.001 for millimetres.
        resolution : float, optional
            Edge length at the surface, m; found automatically if None. Thin walls are resolved finer.
        interior : float, optional
            Largest edge length inside, m.
        field : {"distance", "laplace", "poisson"}, optional
            "distance" (depth divided by the half thickness), "laplace" (needs a core or a rigid part), "poisson".
        core : float or str or path-like or tuple of array_like, array_like, optional
            The rigid core: a depth in m, or a surface (a file or a tuple).
        normalize : {"local", "global"}, optional
            "local" divides a field without a core by the local half thickness, "global" by the largest one.
        rigid, insulated : list of str, optional
            Parts of the surface attached to something rigid, or without flux: "+x", "-x", … for faces whose normal is within 45 degrees
            of that direction, "sides", or a box "x0,y0,z0,x1,y1,z1".
        stiffening : float, optional
            K of M(e) = modulus / (1 - k e), from 0 to below 1.

        Returns
        -------
        Solid
            The solid.

        Raises
        ------
        ModelError
            With the reason if the surface cannot be filled with the required quality.
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

        Parameters
        ----------
        path : str or path-like
            A .vtk file.

        Raises
        ------
        OSError
            If it cannot be written.
        """

@final
class TactileGrid:
    """A grid of sensing cells fixed to a body, in the x-y plane of its own frame and centred at its origin; z points out of the skin.

    Parameters
    ----------
    body : str or int
        Name or id of the body.
    size : array_like
        Width along x and height along y, m.
    rows, columns : int
        Cells along y and along x.
    position, quaternion : array_like, optional
        The grid's frame in the body's frame, m, shape (3,), and w first, shape (4,).
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

        Parameters
        ----------
        sim : Simulation
            A stiction.Simulation of a model with the grid's body.

        Returns
        -------
        tuple of numpy.ndarray, numpy.ndarray
            Pressure (rows, columns), Pa, into the skin, and shear (rows, columns, 2), Pa, along its x and y. The sum of each, times
            cell_area, is the force of the patches above the grid, at any resolution.

        Raises
        ------
        ValueError
            For an unknown body.
        """

@final
class Renderer:
    """Draws pictures, depth (m) and segmentation of simulations of one model, without a screen or a graphics card.

    Parameters
    ----------
    model : Model
        A stiction.Model.
    width, height : int, optional
        Size of the pictures, pixels.
    shapes : {"visual", "collision"}, optional
        Which geoms are drawn.
    patches : bool, optional
        Whether contact patches are drawn, by pressure.
    forces : bool, optional
        Whether contact forces are drawn as arrows.
    ground : bool, optional
        Whether a grid is drawn under a scene that has no ground.

    Raises
    ------
    ValueError
        For a size that cannot be drawn.

    Examples
    --------
        renderer = st.Renderer(model, 640, 480)
        rgb = renderer.render(sim)
        near = renderer.depth(sim, camera="wrist") < 0.3
    """
    def __new__(
        cls,
        model: Model,
        width: int = 640,
        height: int = 480,
        *,
        shapes: Literal["visual", "collision"] = "visual",
        patches: bool = True,
        forces: bool = False,
        ground: bool = True,
    ) -> Renderer: ...
    @property
    def width(self) -> int:
        """Width of the pictures, pixels."""
    @property
    def height(self) -> int:
        """Height of the pictures, pixels."""
    def render(self, sim: Simulation, camera: str | int | FreeCamera | None = None) -> NDArray[np.uint8]:
        """The present state in colour.

        Parameters
        ----------
        sim : Simulation
            A stiction.Simulation of the model, or of a variant of it.
        camera : str, int or FreeCamera, optional
            A camera of the model, or a free one. By default everything that moves fills the picture; this camera stays where it was at
            the first picture, until refit().

        Returns
        -------
        numpy.ndarray
            Red, green and blue, shape (height, width, 3), uint8, from the top.

        Raises
        ------
        ValueError
            For an unknown camera, or a simulation of another model.
        """
    def depth(self, sim: Simulation, camera: str | int | FreeCamera | None = None) -> NDArray[np.float32]:
        """Distances along the camera's axis in the present state, at the middle of each pixel.

        Parameters
        ----------
        sim : Simulation
            A stiction.Simulation of the model, or of a variant of it.
        camera : str, int or FreeCamera, optional
            As in render.

        Returns
        -------
        numpy.ndarray
            Depth, m, shape (height, width), float32; infinite where nothing is seen.
        """
    def segmentation(self, sim: Simulation, camera: str | int | FreeCamera | None = None) -> NDArray[np.int32]:
        """Which geom is seen at the middle of each pixel in the present state.

        Parameters
        ----------
        sim : Simulation
            A stiction.Simulation of the model, or of a variant of it.
        camera : str, int or FreeCamera, optional
            As in render.

        Returns
        -------
        numpy.ndarray
            Ids of geoms, in the order of Model.geom_names, shape (height, width), int32; −1 where nothing is seen.
        """
    def fitted(self, sim: Simulation) -> FreeCamera:
        """The camera from which everything that moves is seen, to be turned or moved.

        Parameters
        ----------
        sim : Simulation
            A stiction.Simulation of the model.

        Returns
        -------
        FreeCamera
            A stiction.FreeCamera; its _replace changes single numbers.
        """
    def refit(self) -> None:
        """Fits the default camera anew at the next picture."""

@final
class Recording:
    """A recording in progress, from Simulation.record: a context manager that completes the files at its end."""

    @property
    def paths(self) -> list[Path]:
        """The files, a list of pathlib.Path."""
    @property
    def running(self) -> bool:
        """Whether the files are being written."""
    def log(self, channel: str, value: float) -> None:
        """Sets the number of a channel that was named when the recording began; the next frames hold it, until it is set again. May be
        called in controllers.

        Parameters
        ----------
        channel : str
            Its name.
        value : float
            In the unit of the channel.

        Raises
        ------
        ValueError
            For an unknown channel, or a value that is not finite.
        """
    def stop(self) -> None:
        """Completes the files, as Simulation.stop_recording does.

        Raises
        ------
        OSError
            If they could not be completed.
        """
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
    def add_slider(
        self,
        name: str,
        low: float,
        high: float,
        value: float | None = None,
        *,
        unit: str = "",
        on_change: Callable[[float], Any] | None = None,
    ) -> Slider:
        """Puts a slider on the page.

        Parameters
        ----------
        name : str
            What the page calls it.
        low, high : float
            Its ends.
        value : float, optional
            Where it stands; in the middle by default.
        unit : str, optional
            Unit that the page shows.
        on_change : callable, optional
            Called with the value when somebody moves it, on the viewer's thread between steps; it may use the simulation.

        Returns
        -------
        Slider
            A stiction.Slider: its value follows the page and may be set.

        Raises
        ------
        ValueError
            For ends that make no sense, or a name that is there already.
        """
    def add_button(self, name: str, *, on_press: Callable[[], Any] | None = None) -> Button:
        """Puts a button on the page.

        Parameters
        ----------
        name : str
            What the page calls it.
        on_press : callable, optional
            Called without arguments when somebody presses it, on the viewer's thread between steps; it may use the simulation.

        Returns
        -------
        Button
            A stiction.Button, which counts its presses.

        Raises
        ------
        ValueError
            For a name that is there already.
        """
    def log(self, channel: str, value: float, *, unit: str = "") -> None:
        """Shows a number among the plots. It is held until it is set again; the first call for a channel starts the plots anew. After
        that it may be called in controllers.

        Parameters
        ----------
        channel : str
            Its name.
        value : float
            In the unit of the channel.
        unit : str, optional
            Unit of a new channel.

        Raises
        ------
        ValueError
            For a value that is not finite.
        """
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

    Parameters
    ----------
    sim : Simulation
        A stiction.Simulation. The page shows its state and its steps, and has controls to run, pause, step and reset it (to its
        present state), to change its speed and its controls, and to apply forces.
    port : int, optional
        Port to listen on; 0 takes a free one.
    address : str, optional
        Address to listen on. Anyone who can reach it can watch and control the simulation; any address but the local one is a
        warning.
    open : bool, optional
        Whether to open the browser.
    block : bool, optional
        True waits until Ctrl-C; False returns at once, and the page is served until close() or the end of the program.
    paused : bool, optional
        False lets the simulation run in real time from the beginning.
    name : str, optional
        Title of the page; the model's name by default.
    joints : list of str, optional
        Names of joints to plot; all by default, unless there are too many.

    Returns
    -------
    Viewer
        A stiction.Viewer.

    Raises
    ------
    OSError
        If the address is not available.
    RuntimeError
        If the simulation has a page already.
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
    sectors: int = 4,
    work: int = 20_000_000,
    members: ArrayLike | None = None,
) -> ImpactOutcomes:
    """All the ways an impact can go: the set of velocities after it, whether it is one, and bounds from outside.

    Give either a model with its state at the impact, or the matrices of a mechanism:

    Parameters
    ----------
    model : Model, optional
        A stiction.Model.
    qpos, qvel : array_like, optional
        The state at the impact.
    mass : array_like, optional
        Mass matrix; shape (nv, nv).
    normals : array_like, optional
        Rows that give the normal velocity of each contact, positive apart; shape (c, nv).
    tangents : array_like, optional
        Rows that give the two tangential velocities of each contact; shape (c, 2, nv), or (c, nv) for planar contacts, which have
        one.
    friction : array_like, optional
        Coefficient of each contact; shape (c,), or a number for all.
    velocity : array_like, optional
        Velocity before; shape (nv,).
    samples : int, optional
        Sampled solutions, beside every sequence of single impacts and the simultaneous one.
    tolerance : float, optional
        Error allowed along a sampled solution, relative to the largest contact speed.
    cap : float, optional
        Largest normal impulse of a contact in a step of the resolution, N s; None for no limit.
    seed : int, optional
        Another seed, other samples.
    touch : float, optional
        Distance within which bodies touch, m (models only).
    outer : bool, optional
        Whether to compute bounds from outside. Without them outcomes that agree give the verdict "unknown".
    pieces : int, optional
        Convex sets that a cell of the outer bound may hold; more are tighter and slower.
    sectors : int, optional
        Parts into which the outer bound divides directions of slip in space, an even number from 4; more are tighter and slower.
    work : int, optional
        Work allowed for the outer bound, in comparisons; ten million are about a second.
    members : array_like, optional
        Velocities of which is asked whether the impact can end with them; shape (k, nv). Needs outer.
    paths : list of int, optional
        Numbers of outcomes whose contact velocities along the way are wanted.
    restitution : array_like, optional
        Poisson's coefficient of every contact, or one for each; None for no restitution. Verdict and bounds are those of the
        compression.

    Returns
    -------
    ImpactOutcomes
        An ImpactOutcomes; it is empty (n = 0) if no contact approaches.

    Raises
    ------
    ValueError
        For a state or matrices that do not fit, a singular mass matrix, or a feature that rigid contact does not support.
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

    Between impacts a branch is moved by the convex simulation, with the controls given here. At an impact it forks over a few
    outcomes that lie far apart. Weights are the shares of sampled outcomes nearest to each: a sampling measure, not probabilities.

    Parameters
    ----------
    model : Model
        A stiction.Model.
    qpos, qvel : array_like
        The state to start from.
    horizon : float, optional
        How far to look ahead, s.
    ctrl : array_like, optional
        Control of each actuator, held; None for zeros.
    outcomes : int, optional
        Outcomes that a fork follows at most.
    budget : int, optional
        Branches at most; beyond, an impact goes on with all of its contacts at once.
    samples : int, optional
        Sampled solutions at each impact.
    step : float, optional
        Step of the simulation, s.
    touch : float, optional
        Distance within which bodies touch, m.
    speed : float, optional
        Approach speed from which on an arriving contact is an impact, m/s.
    merge : float, optional
        Largest difference of states at which branches count as one.
    frame : float, optional
        Time between recorded frames, s.
    seed : int, optional
        Another seed, other samples.

    Returns
    -------
    Futures
        A Futures.

    Raises
    ------
    ValueError
        For a state that does not fit or a number out of its range.
    RuntimeError
        If a step fails.
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

    Parameters
    ----------
    delassus : array_like
        The contact's 3 × 3 block J M⁻¹ Jᵀ, 1/kg, rows and columns [t1, t2, n].
    velocity : array_like
        Contact velocity [t1, t2, n], m/s; n < 0 approaches.
    friction : float
        Coefficient.
    restitution : float, optional
        Coefficient of restitution, from 0 to 1.
    law : {"poisson", "newton", "stronge"}, optional
        Law of restitution: "poisson", "newton" or "stronge".
    pressed : bool, optional
        Whether a force presses a contact that does not approach (Painlevé's case).
    tolerance : float, optional
        Relative tolerance of the integration while the direction of slip changes.

    Returns
    -------
    RouthPath
        A RouthPath.

    Raises
    ------
    ValueError
        For friction below zero or a restitution outside 0 to 1.
    """

def rollout(
    model: Model,
    states: ArrayLike,
    controls: ArrayLike | None = None,
    threads: int | None = None,
    *,
    steps: int | None = None,
    step: float | None = None,
    **options: Unpack[_StepOptions],
) -> _Floats:
    """Simulates many initial states of one model on several threads.

    Parameters
    ----------
    model : Model
        A stiction.Model.
    states : array_like
        Initial positions and velocities, shape (n, nq + nv).
    controls : array_like, optional
        Controls of each step, shape (n, T, nu); or None to leave them at zero and give steps=T.
    threads : int, optional
        Number of threads; by default all processors. The result is the same, bit for bit, for any number.
    steps : int, optional
        Number of steps T if controls is None.
    step, contact, … : float or {"lagged", "similar", "sap"} or LearnedContact, optional
        The options of Simulation.

    Returns
    -------
    numpy.ndarray
        The states after each step, shape (n, T, nq + nv): out[i, t] is the state of a simulation that started at states[i], after
        step t with controls[i, t].

    Raises
    ------
    ValueError
        For shapes that do not fit and numbers that are not finite.
    SimulationError
        Of the first affected row for a step that cannot be completed.
    """

def scenes() -> list[str]:
    """Names of the built-in scenes, for Model.from_scene."""

class SweepTable:
    """The rows of a sweep in the order of its parameters: parameters first, then results, then "error".

    ``table["name"]`` is a column as a numpy array; arrays of one shape are stacked to (n, …). A column with missing values (results
    of failed runs) is a masked array. ``table.columns`` is a dict of all of them, ``len(table)`` the number of rows,
    ``table.errors`` a dict from row to message of the runs that failed.
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

        Parameters
        ----------
        path : str or path-like
            Its extension determines the format: .parquet, .arrow (both need pyarrow) or .csv.

        Notes
        -----
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

    Parameters
    ----------
    fn_or_scene : callable or Model or str or path-like
        A function of keyword arguments that returns a dict of numbers, strings or arrays (or one such value, which becomes the
        column "value"); or a scene: a stiction.Model, a model file, or the name of a built-in scene. A function with an argument
        ``rng`` gets a numpy Generator of its own for each row.
    parameters : dict or list of dict
        A dict from name to values: all combinations, the last name varying fastest (a value that is no list, tuple, range or array
        is the same for all); or a list of dicts, one a run. For a scene the names are the options of Simulation, ``time`` (s, 1 if
        not given), ``qpos``, ``qvel`` and ``ctrl`` (held).
    executor : {"threads", "processes", "ray"}, optional
        "threads" (for functions that spend their time in steps, which release the GIL), "processes", or "ray" (needs ``pip install
        ray``; uses the cluster that ray.init() chose, or starts a local one).
    workers : int, optional
        How many runs at once; None for all cores (of the cluster).
    journal : str or path-like, optional
        A file to which every outcome is appended as soon as it is there. A sweep with the same function, parameters and seed
        continues from it: no row is lost, and none is run or counted twice.
    resume : {"same", "anyway"}, optional
        "same" refuses a journal of another function, seed or version of Stiction; "anyway" keeps its rows. A journal of other
        parameters is always refused.
    retry_errors : bool, optional
        Run rows again whose outcome in the journal is an error.
    retries : int, optional
        How often a row is started again when the process or the node that ran it died.
    seed : int, optional
        Of the rows' random generators: row i draws from numpy's SeedSequence(seed, spawn_key=(i,)).
    progress : bool or callable, optional
        True prints progress, False does not, None does on a terminal; or a function of (done, total, errors).

    Returns
    -------
    SweepTable
        A stiction.SweepTable.

    Raises
    ------
    ValueError
        For parameters or a journal that do not fit.

    Notes
    -----
    A run that raises does not stop the sweep: its row holds the message in the column "error", and results missing there. The
    numbers are the same whatever the executor and the number of workers, bit for bit on the same kind of machine; so are the files
    written by ``save``.

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

    Parameters
    ----------
    model, states, controls : Model or array_like
        As for ``rollout``; options are those of ``rollout`` too (``steps=``, ``step=``, …).
    executor : {"threads", "processes", "ray"}, optional
        "threads", "processes" or "ray", as for ``sweep``.
    chunk : int, optional
        Rows given out at a time; each is one ``rollout`` on one thread.
    workers, retries, progress : int or bool or callable, optional
        As for ``sweep``.

    Returns
    -------
    numpy.ndarray
        The states after each step, shape (n, T, nq + nv): the same as ``rollout`` gives, bit for bit.

    Raises
    ------
    SimulationError
        If a row could not be simulated.
    """
