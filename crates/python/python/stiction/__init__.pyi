"""Stiction simulates robots that touch things."""

from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict, Unpack, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "JointInfo",
    "Joint",
    "GeomInfo",
    "Geom",
    "BodyInfo",
    "Body",
    "ActuatorInfo",
    "Actuator",
    "Batch",
    "BodyPose",
    "ContactPatch",
    "Energy",
    "ImpactOutcomes",
    "InverseKinematics",
    "JointPath",
    "JointTracking",
    "LearnedContact",
    "Measured",
    "Model",
    "ModelError",
    "ModelWarning",
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
_Tessellation = Literal["polygons", "fans"]
_Method = Literal["convex", "continuous"]
_Integrator = Literal["radau", "dormand-prince", "bogacki-shampine"]
_Controller = Callable[[float, _Floats, _Floats], ArrayLike | None]
_SensingController = Callable[[float, _Floats, _Floats, "Measured"], ArrayLike | None]

#: A row of Simulation.contacts.
contact_dtype: np.dtype[np.void]

class ModelError(ValueError):
    """A model that cannot be loaded or compiled; the message names the file, the element and the remedy."""

class SimulationError(RuntimeError):
    """A step that could not be completed. The simulation keeps the last good state."""

class Energy(NamedTuple):
    """Energy of a state, J."""

    kinetic: float
    potential: float
    @property
    def total(self) -> float: ...

class BodyPose(NamedTuple):
    """Pose of a body in the world: position in m, unit quaternion with w first."""

    position: _Floats
    quaternion: _Floats

class Touch(NamedTuple):
    """What two geoms did to each other during a step."""

    geom_a: int
    geom_b: int
    body_a: int
    body_b: int
    force: _Floats
    moment: _Floats
    point: _Floats
    normal: _Floats
    normal_force: float
    area: float

class ModelWarning(NamedTuple):
    """Something in a model that could not be honoured, and what that changes."""

    file: str
    element: str
    line: int
    message: str

class ContactPatch(NamedTuple):
    """A patch between two geoms, of which one or both are compliant. Vectors are in world axes."""

    geom_a: int
    geom_b: int
    body_a: int
    body_b: int
    vertices: _Floats
    polygons: list[NDArray[np.int64]]
    pressure: _Floats
    area: float
    centroid: _Floats
    center_of_pressure: _Floats
    force: _Floats
    moment: _Floats
    traction: _Floats
    slip: _Floats
    areas: _Floats
    normals: _Floats
    centroids: _Floats
    peak_extent: float

class TangentialSprings(TypedDict, total=False):
    """Parameters of tangential springs."""

    stiffness_ratio: float
    relaxation_time: float
    stretch: float

class _Options(TypedDict, total=False):
    contact: _ContactModel | LearnedContact
    stiction_tolerance: float
    regularization: float
    relative_tolerance: float
    margin: float
    tangential_springs: bool | TangentialSprings
    max_iterations: int
    tessellation: _Tessellation
    accuracy: float | None
    method: _Method
    integrator: _Integrator
    adhesion: float

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

class BodyInfo(NamedTuple):
    """What a model says of a body; mass in kg, com in m, inertia in kg m²."""

    id: int
    name: str
    parent: int | None
    mass: float
    com: _Floats
    inertia: _Floats
    mocap: bool

class JointInfo(NamedTuple):
    """What a model says of a joint; range in m or rad."""

    id: int
    name: str
    type: Literal["hinge", "slide", "screw", "cylindrical", "universal", "planar", "ball", "free"]
    body: int
    qpos: slice
    qvel: slice
    range: tuple[float, float] | None

class GeomInfo(NamedTuple):
    """What a model says of a geom; stiffness in N/m, dissipation in s/m, relaxation time in s, modulus in Pa."""

    id: int
    name: str
    body: int
    shape: str
    friction: float
    static_friction: float
    stiffness: float
    dissipation: float
    relaxation_time: float
    compliant: bool
    modulus: float | None

class ActuatorInfo(NamedTuple):
    """What a model says of an actuator."""

    id: int
    name: str
    type: Literal["motor", "position", "velocity", "other"]
    joint: str | None
    ctrl_range: tuple[float, float] | None
    force_range: tuple[float, float] | None

class Body:
    """A body of a simulation."""

    info: BodyInfo
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def position(self) -> _Floats: ...
    @property
    def quaternion(self) -> _Floats: ...
    @property
    def velocity(self) -> _Floats: ...
    @property
    def mass(self) -> float: ...
    @mass.setter
    def mass(self, value: float) -> None: ...
    def apply_force(self, force: ArrayLike, point: ArrayLike | None = None) -> None: ...

class Joint:
    """A joint of a simulation."""

    info: JointInfo
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def qpos(self) -> _Floats: ...
    @qpos.setter
    def qpos(self, values: ArrayLike) -> None: ...
    @property
    def qvel(self) -> _Floats: ...
    @qvel.setter
    def qvel(self, values: ArrayLike) -> None: ...
    @property
    def applied(self) -> _Floats: ...
    @applied.setter
    def applied(self, values: ArrayLike) -> None: ...

class Geom:
    """A geom of a simulation."""

    info: GeomInfo
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def friction(self) -> float: ...
    @friction.setter
    def friction(self, value: float) -> None: ...
    @property
    def static_friction(self) -> float: ...
    @static_friction.setter
    def static_friction(self, value: float) -> None: ...
    @property
    def stiffness(self) -> float: ...
    @stiffness.setter
    def stiffness(self, value: float) -> None: ...
    @property
    def dissipation(self) -> float: ...
    @dissipation.setter
    def dissipation(self, value: float) -> None: ...
    @property
    def relaxation_time(self) -> float: ...
    @relaxation_time.setter
    def relaxation_time(self, value: float) -> None: ...
    @property
    def modulus(self) -> float | None: ...
    @modulus.setter
    def modulus(self, value: float) -> None: ...

class Actuator:
    """An actuator of a simulation."""

    info: ActuatorInfo
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def ctrl(self) -> float: ...
    @ctrl.setter
    def ctrl(self, value: float) -> None: ...

class StageSeconds(TypedDict):
    """Seconds by stage of the step."""

    kinematics: float
    proximity: float
    assemble: float
    solve: float
    advance: float

class Stats(TypedDict):
    """Counts and times since construction."""

    steps: int
    rejected: int
    iterations: int
    max_iterations: int
    unconverged: int
    line_search_evaluations: int
    points: int
    patches: int
    faces: int
    doubtful_patches: int
    last_iterations: int
    last_points: int
    last_patches: int
    last_faces: int
    max_penetration: float
    friction_loss: float
    normal_loss: float
    dissipated: float
    other_work: float
    min_step: float
    max_step: float
    seconds: StageSeconds

@final
class Model:
    """A compiled model: bodies, joints, shapes and actuators, ready to compute with."""

    @staticmethod
    def from_file(
        path: str | PathLike[str],
        fixed_base: bool = False,
        strict: bool = False,
        package_paths: Sequence[str | PathLike[str]] = [],
    ) -> Model:
        """Reads a model file, or a built-in scene by name if no such file exists."""

    @staticmethod
    def from_string(
        text: str,
        format: Literal["mjcf", "urdf", "sdf", "dmd"] = "mjcf",
        fixed_base: bool = False,
        strict: bool = False,
        package_paths: Sequence[str | PathLike[str]] = [],
    ) -> Model:
        """Reads a model from text."""

    @staticmethod
    def from_scene(name: str) -> Model:
        """Loads a built-in scene by name."""

    @property
    def name(self) -> str: ...
    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...
    @property
    def nu(self) -> int: ...
    @property
    def total_mass(self) -> float: ...
    @property
    def gravity(self) -> _Floats: ...
    @property
    def step(self) -> float | None: ...
    @property
    def body_names(self) -> list[str]: ...
    @property
    def body_masses(self) -> _Floats: ...
    @property
    def joint_names(self) -> list[str]: ...
    @property
    def geom_names(self) -> list[str]: ...
    @property
    def actuator_names(self) -> list[str]: ...
    @property
    def na(self) -> int: ...
    @property
    def tendon_names(self) -> list[str]: ...
    @property
    def sensor_names(self) -> list[str]: ...
    @property
    def keyframe_names(self) -> list[str]: ...
    @property
    def mocap_names(self) -> list[str]: ...
    @property
    def default_qpos(self) -> _Floats: ...
    @property
    def warnings(self) -> list[ModelWarning]: ...
    def qpos_slice(self, joint: str) -> slice: ...
    def qvel_slice(self, joint: str) -> slice: ...
    def tendon_lengths(self, q: ArrayLike) -> _Floats: ...
    def tendon_moments(self, q: ArrayLike) -> _Floats: ...
    def actuator_lengths(self, q: ArrayLike) -> _Floats: ...
    def actuator_moments(self, q: ArrayLike) -> _Floats: ...
    def actuator_forces(
        self, q: ArrayLike, v: ArrayLike, ctrl: ArrayLike, act: ArrayLike | None = None
    ) -> _Floats: ...
    def passive_forces(self, q: ArrayLike, v: ArrayLike) -> _Floats: ...
    def sensors(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike | None = None,
        ctrl: ArrayLike | None = None,
        act: ArrayLike | None = None,
    ) -> dict[str, _Floats]: ...
    def body(self, body: str | int) -> BodyInfo: ...
    def joint(self, joint: str | int) -> JointInfo: ...
    def geom(self, geom: str | int) -> GeomInfo: ...
    def actuator(self, actuator: str | int) -> ActuatorInfo: ...
    def varied(self, **changes: Unpack[_Changes]) -> Model: ...
    def mass_matrix(self, q: ArrayLike) -> _Floats: ...
    def bias(self, q: ArrayLike, v: ArrayLike) -> _Floats: ...
    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> _Floats: ...
    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> _Floats: ...
    def energy(self, q: ArrayLike, v: ArrayLike) -> Energy: ...
    def body_pose(self, body: str | int, q: ArrayLike) -> BodyPose: ...
    def com(self, q: ArrayLike) -> _Floats: ...
    def jacobian(self, body: str | int, q: ArrayLike, point: ArrayLike | None = None) -> _Floats: ...
    def __copy__(self) -> Model: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> Model: ...

@final
class LearnedContact:
    """A contact fitted to recordings: a law and a material, for ``Simulation(model, contact=…)``."""

    @staticmethod
    def load(name: str | PathLike[str]) -> LearnedContact: ...
    @staticmethod
    def from_json(text: str) -> LearnedContact: ...
    def to_json(self) -> str: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def provenance(self) -> dict[str, Any]: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Simulation:
    """A model being simulated, from its default state at time 0."""

    def __new__(
        cls,
        model: Model,
        step: float = 1e-3,
        **options: Unpack[_Options],
    ) -> Simulation: ...
    @property
    def model(self) -> Model: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def gravity(self) -> _Floats: ...
    @gravity.setter
    def gravity(self, values: ArrayLike) -> None: ...
    def vary(self, **changes: Unpack[_Changes]) -> None: ...
    def body(self, body: str | int) -> Body: ...
    def joint(self, joint: str | int) -> Joint: ...
    def geom(self, geom: str | int) -> Geom: ...
    def actuator(self, actuator: str | int) -> Actuator: ...
    def set_target(self, name: str, position: float | None = None, velocity: float | None = None) -> None: ...
    @property
    def qpos(self) -> _Floats: ...
    @qpos.setter
    def qpos(self, values: ArrayLike) -> None: ...
    @property
    def qvel(self) -> _Floats: ...
    @qvel.setter
    def qvel(self, values: ArrayLike) -> None: ...
    @property
    def ctrl(self) -> _Floats: ...
    @ctrl.setter
    def ctrl(self, values: ArrayLike) -> None: ...
    @property
    def act(self) -> _Floats: ...
    @act.setter
    def act(self, values: ArrayLike) -> None: ...
    @property
    def sensors(self) -> dict[str, _Floats]: ...
    @property
    def applied(self) -> _Floats: ...
    @applied.setter
    def applied(self, values: ArrayLike) -> None: ...
    @property
    def time(self) -> float: ...
    @time.setter
    def time(self, time: float) -> None: ...
    def step(self, n: int = 1) -> None: ...
    def run_until(self, time: float) -> None: ...
    @property
    def contacts(self) -> NDArray[np.void]: ...
    @property
    def patches(self) -> list[ContactPatch]: ...
    @property
    def warnings(self) -> list[ModelWarning]: ...
    @property
    def stats(self) -> Stats: ...
    @property
    def energy(self) -> Energy: ...
    def body_pose(self, body: str | int) -> BodyPose: ...
    def set_mocap(
        self,
        body: str | int,
        position: ArrayLike,
        quaternion: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        linear_velocity: ArrayLike | None = None,
    ) -> None: ...
    def apply_force(self, body: str | int, force: ArrayLike, point: ArrayLike | None = None) -> None: ...
    def step_derivatives(
        self, parameters: Iterable[tuple[str | int, str]] | None = None
    ) -> StepDerivatives: ...
    def record(
        self,
        path: str | PathLike[str] | Sequence[str | PathLike[str]],
        rate: float = 60.0,
        joints: Sequence[str] | None = None,
    ) -> Recording: ...
    def stop_recording(self) -> list[Path]: ...
    def save_state(self) -> bytes: ...
    def load_state(self, state: bytes) -> None: ...
    def reset(self, keyframe: str | int | None = None) -> None: ...
    def set_controller(
        self,
        controller: _Controller | _SensingController | JointTracking | PoseTracking | None,
        period: float = 0.0,
        sensing: bool = False,
    ) -> None: ...

@final
class JointPath:
    """A trajectory of joints through keyframes."""

    def __new__(cls, times: ArrayLike, points: ArrayLike, kind: str = "minimum-jerk") -> JointPath: ...
    @property
    def end(self) -> float: ...
    def at(self, time: float) -> tuple[_Floats, _Floats, _Floats]: ...

@final
class PosePath:
    """A trajectory of poses through keyframes."""

    def __new__(
        cls, times: ArrayLike, positions: ArrayLike, quaternions: ArrayLike, kind: str = "minimum-jerk"
    ) -> PosePath: ...
    @property
    def end(self) -> float: ...
    def at(self, time: float) -> tuple[_Floats, _Floats, _Floats]: ...

@final
class InverseKinematics:
    """Joint velocities that move a site as wanted, within the joints' limits."""

    def __new__(
        cls,
        model: Model,
        joints: Sequence[str],
        site: str,
        speed_limits: Sequence[float] | None = None,
        gain: float = 10.0,
        damping: float = 0.02,
        length: float = 0.1,
    ) -> InverseKinematics: ...
    def pose(self, qpos: ArrayLike) -> tuple[_Floats, _Floats]: ...
    def solve(
        self,
        qpos: ArrayLike,
        position: ArrayLike,
        quaternion: ArrayLike,
        twist: ArrayLike | None = None,
        period: float = 0.0,
    ) -> _Floats: ...
    def reach(self, qpos: ArrayLike, position: ArrayLike, quaternion: ArrayLike) -> _Floats | None: ...

@final
class JointTracking:
    """A controller: joints follow a JointPath."""

    def __new__(
        cls,
        joints: Sequence[str],
        path: JointPath,
        law: str = "servo-feed-forward",
        stiffness: float = 100.0,
        damping: float = 20.0,
        period: float = 0.0,
    ) -> JointTracking: ...

@final
class PoseTracking:
    """A controller: a site follows a PosePath."""

    def __new__(
        cls,
        joints: Sequence[str],
        site: str,
        path: PosePath,
        law: str = "servo-feed-forward",
        stiffness: float = 100.0,
        damping: float = 20.0,
        period: float = 2e-3,
        speed_limits: Sequence[float] | None = None,
    ) -> PoseTracking: ...

@final
class Measured:
    """What a controller may read besides the state."""

    @property
    def sensors(self) -> _Floats: ...
    def sensor(self, name: str) -> _Floats: ...
    @property
    def joint_torques(self) -> _Floats: ...
    def force(self, part: str, other: str | None = None) -> _Floats: ...
    def normal_force(self, part: str, other: str | None = None) -> float: ...
    def area(self, part: str, other: str | None = None) -> float: ...
    @property
    def touches(self) -> list[Touch]: ...

@final
class Batch:
    """Many worlds of one model, stepped together on several threads; arrays have one row a world."""

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
    def model(self) -> Model: ...
    @property
    def n(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def qpos(self) -> _Floats: ...
    @qpos.setter
    def qpos(self, values: ArrayLike) -> None: ...
    @property
    def qvel(self) -> _Floats: ...
    @qvel.setter
    def qvel(self, values: ArrayLike) -> None: ...
    @property
    def ctrl(self) -> _Floats: ...
    @ctrl.setter
    def ctrl(self, values: ArrayLike) -> None: ...
    @property
    def applied(self) -> _Floats: ...
    @applied.setter
    def applied(self, values: ArrayLike) -> None: ...
    @property
    def act(self) -> _Floats: ...
    @act.setter
    def act(self, values: ArrayLike) -> None: ...
    @property
    def time(self) -> _Floats: ...
    @time.setter
    def time(self, values: ArrayLike) -> None: ...
    def step(self, k: int = 1) -> None: ...
    def run_until(self, time: float) -> None: ...
    def reset(
        self,
        indices: int | ArrayLike | None = None,
        qpos: ArrayLike | None = None,
        qvel: ArrayLike | None = None,
        keyframe: str | int | None = None,
    ) -> None: ...
    def vary(self, indices: int | ArrayLike | None = None, **changes: Unpack[_Changes]) -> None: ...
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
    ) -> None: ...
    @property
    def parameters(self) -> dict[str, Any]: ...
    @property
    def warnings(self) -> list[ModelWarning]: ...
    @property
    def failed(self) -> NDArray[np.bool_]: ...
    def contacts(self, world: int) -> NDArray[np.void]: ...
    def patches(self, world: int) -> list[ContactPatch]: ...
    def stats(self, world: int | None = None) -> Stats: ...
    @property
    def sensors(self) -> dict[str, _Floats]: ...
    @property
    def energy(self) -> Energy: ...
    def body_pose(self, body: str | int) -> BodyPose: ...
    def simulation(self, world: int) -> Simulation: ...
    def save_state(self) -> bytes: ...
    def load_state(self, state: bytes) -> None: ...
    def __len__(self) -> int: ...

@final
class Solid:
    """Tetrahedra with a pressure field, made from a closed surface."""

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
    ) -> Solid: ...
    @property
    def vertices(self) -> _Floats: ...
    @property
    def tetrahedra(self) -> NDArray[np.uint32]: ...
    @property
    def surface(self) -> NDArray[np.uint32]: ...
    @property
    def extents(self) -> _Floats: ...
    @property
    def modulus(self) -> float: ...
    @property
    def volume(self) -> float: ...
    @property
    def report(self) -> dict[str, Any]: ...
    @property
    def notes(self) -> list[str]: ...
    def save(self, path: str | PathLike[str]) -> None: ...

class TactileGrid:
    """A grid of sensing cells fixed to a body; z of its frame points out of the skin."""

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
    def cell_area(self) -> float: ...
    def sample(self, sim: Simulation) -> tuple[_Floats, _Floats]: ...

@final
class Recording:
    """A recording under way: a context manager that completes the files at its end."""

    @property
    def paths(self) -> list[Path]: ...
    def stop(self) -> None: ...
    def __enter__(self) -> Recording: ...
    def __exit__(self, *exception: object) -> None: ...

@final
class Viewer:
    """A live page of a simulation, served until close() or the end of the program."""

    @property
    def url(self) -> str: ...
    @property
    def clients(self) -> int: ...
    @property
    def running(self) -> bool: ...
    def wait(self) -> None: ...
    def close(self) -> None: ...
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
    """Serves a live page of a simulation and opens it in the browser."""
class ImpactOutcomes(NamedTuple):
    """The set of velocities after an impact: n outcomes of c contacts."""

    velocities: _Floats
    impulses: _Floats
    modes: np.ndarray
    certificate: dict[str, Any]
    level: str
    spread: float
    contacts: list[dict[str, Any]]
    origins: list[str | tuple[int, ...]]
    residuals: _Floats
    unfinished: int
    unsolved: int
    cut_sequences: int

    def extremes(self, direction: ArrayLike) -> tuple[float, float]: ...

class StepDerivatives(NamedTuple):
    """Derivatives of one step. A state is [δq, δv, δact], n = 2 nv + na numbers."""

    state: _Floats
    ctrl: _Floats
    parameters: _Floats
    qpos: _Floats
    qvel: _Floats
    doubtful: list[tuple[int, int]]

class RouthPath(NamedTuple):
    """The course of a single impact. Contact vectors are [t1, t2, n]."""

    velocity: _Floats
    impulse: _Floats
    velocities: _Floats
    impulses: _Floats
    sticking: np.ndarray
    events: list[tuple[str, int]]
    energy_change: float
    compression_work: float
    restitution_work: float
    friction_work: float
    painleve: bool

def impact_outcomes(
    model: Model,
    qpos: ArrayLike,
    qvel: ArrayLike,
    samples: int = 4096,
    cap: float | None = None,
    seed: int = 0,
    touch: float = 1e-6,
) -> ImpactOutcomes:
    """All the ways an impact can go: the set of velocities after it."""

def routh(
    delassus: ArrayLike,
    velocity: ArrayLike,
    friction: float,
    restitution: float = 0.0,
    law: Literal["poisson", "newton", "stronge"] = "poisson",
    pressed: bool = False,
    tolerance: float = 1e-12,
) -> RouthPath:
    """Follows a single impact by Routh's method."""

def rollout(
    model: Model,
    states: ArrayLike,
    controls: ArrayLike | None = None,
    threads: int = 2,
    *,
    steps: int | None = None,
    step: float = 1e-3,
    **options: Unpack[_Options],
) -> _Floats:
    """Simulates many initial states of one model on several threads."""

def scenes() -> list[str]:
    """Names of the built-in scenes."""

class SweepTable:
    """The rows of a sweep in the order of its parameters: parameters first, then results, then "error"."""

    columns: dict[str, np.ndarray]
    @property
    def errors(self) -> dict[int, str]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> np.ndarray: ...
    def __iter__(self) -> Iterator[str]: ...
    def keys(self) -> KeysView[str]: ...
    def to_arrow(self) -> Any: ...
    def save(self, path: str | PathLike[str]) -> None: ...

def sweep(
    fn_or_scene: Callable[..., Any] | Model | str | PathLike[str],
    parameters: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    executor: Literal["threads", "processes", "ray"] = "processes",
    *,
    workers: int | None = None,
    journal: str | PathLike[str] | None = None,
    resume: Literal["same", "anyway"] = "same",
    retry_errors: bool = False,
    retries: int = 3,
    seed: int = 0,
    progress: bool | Callable[[int, int, int], object] | None = None,
) -> SweepTable:
    """Runs a function or a scene at many parameters and returns a table, one row a run."""

def rollout_on(
    model: Model,
    states: ArrayLike,
    controls: ArrayLike | None = None,
    executor: Literal["threads", "processes", "ray"] = "processes",
    *,
    chunk: int = 64,
    workers: int | None = None,
    retries: int = 3,
    progress: bool | Callable[[int, int, int], object] | None = None,
    **options: Any,
) -> _Floats:
    """Simulates many initial states as rollout does, on processes or on a Ray cluster."""
