"""Stiction simulates robots that touch things.

    import stiction as st

    model = st.Model.from_file("clutter")       # a file, or a built-in scene: st.scenes()
    sim = st.Simulation(model, step=2e-3)
    sim.step(500)
    print(sim.time, sim.qpos[:7], len(sim.contacts))

Units are SI, angles in radians, z up. Positions and velocities are laid out as MuJoCo lays out qpos
and qvel: a free joint is [x y z, qw qx qy qz] and [linear velocity in the world, angular velocity in
the body]. Spatial vectors are ordered [angular; linear]. Start with ``help(stiction.Model)`` and
``help(stiction.Simulation)``.
"""

from . import _processor  # first: the others import what is compiled
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
from ._stiction import (
    Batch,
    GpuBatch,
    GripForce,
    InverseKinematics,
    JointPath,
    JointTracking,
    LearnedContact,
    Measured,
    Model,
    PosePath,
    PoseTracking,
    Recording,
    Renderer,
    Simulation,
    Solid,
    TactileGrid,
    Viewer,
    World,
    __version__,
    _restore_batch,
    _restore_model,
    _restore_simulation,
    futures,
    impact_outcomes,
    rollout,
    routh,
    scenes,
    view,
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


#: Where what is loaded when it is first used comes from, to keep the import quick.
_LATER = {"SweepTable": "_sweeps", "rollout_on": "_rollout", "sweep": "_sweeps"}


def __getattr__(name):
    if name in _LATER:
        from importlib import import_module

        globals()[name] = getattr(import_module(f".{_LATER[name]}", __name__), name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_LATER})
