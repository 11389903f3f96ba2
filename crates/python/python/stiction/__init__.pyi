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
    tangential_springs: bool | TangentialSprings
    max_iterations: int
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
    def save(self, path: str | PathLike[str]) -> list[str]: ...
    def __copy__(self) -> Model: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> Model: ...

@final
class LearnedContact:
    """A contact learned from data, calibrated or data-augmented, for ``Simulation(model, contact=…)``."""

    @staticmethod
    def load(name: str | PathLike[str]) -> LearnedContact: ...
    @staticmethod
    def names() -> list[str]: ...
    @staticmethod
    def from_json(text: str) -> LearnedContact: ...
    @staticmethod
    def from_bytes(data: bytes) -> LearnedContact: ...
    def to_json(self) -> str: ...
    def to_bytes(self) -> bytes: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> Literal["calibrated", "dac"]: ...
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
    def set_options(self, **options: Unpack[_AllOptions]) -> None: ...
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
    def learned(self) -> LearnedReport | None: ...
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
    def apply_force(
        self,
        body: str | int,
        force: ArrayLike | None = None,
        point: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        frame: Literal["world", "body"] = "world",
    ) -> None: ...
    def settle(self, speed: float = 1e-4, time: float = 10.0) -> bool: ...
    def interpolate(self, time: float) -> tuple[_Floats, _Floats]: ...
    @property
    def accelerations(self) -> _Floats: ...
    @property
    def contact_energy(self) -> float: ...
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
    def add_controller(
        self,
        controller: _AnyController,
        period: float = 0.0,
        sensing: bool = False,
        *,
        wrenches: Sequence[str | int] | None = None,
        skins: Sequence[TactileGrid] | None = None,
    ) -> int: ...
    def remove_controller(self, number: int) -> None: ...
    @property
    def controllers(self) -> list[Any]: ...
    def set_controller(
        self,
        controller: _AnyController | None,
        period: float = 0.0,
        sensing: bool = False,
        *,
        wrenches: Sequence[str | int] | None = None,
        skins: Sequence[TactileGrid] | None = None,
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
    @staticmethod
    def at_speed(
        start: float, positions: ArrayLike, quaternions: ArrayLike, linear_speed: float, angular_speed: float
    ) -> PosePath: ...
    @property
    def times(self) -> _Floats: ...
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
        *,
        regular: float = 0.03,
        weights: ArrayLike | None = None,
        linear_speed: float = 1.0,
        angular_speed: float = 3.0,
        posture: ArrayLike | None = None,
        posture_rate: float = 1.0,
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
class GripForce:
    """A controller: fingers close to a force."""

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
    """What a controller may read besides the state."""

    @property
    def sensors(self) -> _Floats: ...
    def sensor(self, name: str) -> _Floats: ...
    @property
    def joint_torques(self) -> _Floats: ...
    def force(self, part: str, other: str | None = None) -> _Floats: ...
    def normal_force(self, part: str, other: str | None = None) -> float: ...
    def area(self, part: str, other: str | None = None) -> float: ...
    def wrench(self, body: str | int) -> _Floats: ...
    def skin(self, k: int) -> tuple[_Floats, _Floats]: ...
    @property
    def memory(self) -> _Floats: ...
    @memory.setter
    def memory(self, values: ArrayLike) -> None: ...
    def memory_of(self, number: int) -> _Floats: ...
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
    def set_mocap(
        self,
        body: str | int,
        position: ArrayLike,
        quaternion: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        linear_velocity: ArrayLike | None = None,
        indices: int | ArrayLike | None = None,
    ) -> None: ...
    def apply_force(
        self,
        body: str | int,
        force: ArrayLike | None = None,
        point: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        frame: Literal["world", "body"] = "world",
        indices: int | ArrayLike | None = None,
    ) -> None: ...
    def add_controller(
        self,
        controller: _AnyController | Sequence[_AnyController],
        period: float = 0.0,
        sensing: bool = False,
        *,
        wrenches: Sequence[str | int] | None = None,
        skins: Sequence[TactileGrid] | None = None,
    ) -> int: ...
    def remove_controller(self, number: int) -> None: ...
    @property
    def controllers(self) -> list[Any]: ...
    def set_controller(
        self,
        controller: _AnyController | Sequence[_AnyController] | None,
        period: float = 0.0,
        sensing: bool = False,
        *,
        wrenches: Sequence[str | int] | None = None,
        skins: Sequence[TactileGrid] | None = None,
    ) -> None: ...
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

@final
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
    paths: Sequence[int] = (),
) -> ImpactOutcomes:
    """All the ways an impact can go: the set of velocities after it, whether it is one, and bounds from outside."""

def futures(
    model: Model,
    qpos: ArrayLike,
    qvel: ArrayLike,
    horizon: float = 1.0,
    *,
    ctrl: ArrayLike | None = None,
    outcomes: int = 3,
    budget: int = 64,
    samples: int = 256,
    step: float = 1e-3,
    touch: float = 1e-5,
    speed: float = 0.02,
    merge: float = 1e-6,
    frame: float = 0.01,
    seed: int = 0,
) -> Futures:
    """Follows the futures of a state: a tree that forks at every impact with several outcomes."""

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
    **options: Unpack[_StepOptions],
) -> _Floats:
    """Simulates many initial states of one model on several threads."""

def scenes() -> list[str]:
    """Names of the built-in scenes."""

class SweepTable:
    """The rows of a sweep in the order of its parameters: parameters first, then results, then "error"."""

    columns: dict[str, np.ndarray]
    def __init__(self, rows: Any, outcomes: Any) -> None: ...
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
