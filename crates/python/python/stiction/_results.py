"""The small tuples and tables in which results come."""

from typing import NamedTuple, TypedDict

import numpy as np


class Energy(NamedTuple):
    """Energy of a state, J."""

    #: Of motion, rotors and armature included, J.
    kinetic: float
    #: Of gravity (zero at the world's origin) and joint springs, J.
    potential: float

    @property
    def total(self) -> float:
        """Kinetic and potential energy together, J."""
        return self.kinetic + self.potential


class BodyPose(NamedTuple):
    """Pose of a body in the world."""

    #: Position of the body's origin in the world, m; shape (3,).
    position: np.ndarray
    #: Orientation as a unit quaternion, w first; shape (4,).
    quaternion: np.ndarray


class ModelWarning(NamedTuple):
    """Something in a model that could not be honoured, and what that changes."""

    #: File as it was named; empty for text and built-in scenes.
    file: str
    #: The element, for instance ``joint "elbow"``.
    element: str
    #: Line, counted from 1; 0 if unknown.
    line: int
    #: What is not honoured and what that changes.
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file and self.line else ""
        return f"{place}{self.element}: {self.message}"


class TangentialSprings(TypedDict, total=False):
    """Springs that carry friction while a contact sticks, as ``Simulation`` takes them."""

    #: Tangential over normal stiffness.
    stiffness_ratio: float
    #: Damping over stiffness, s.
    relaxation_time: float


class StageSeconds(TypedDict):
    """Seconds spent in each stage of the step."""

    kinematics: float
    proximity: float
    assemble: float
    solve: float
    advance: float


class Stats(TypedDict):
    """What ``Simulation.stats`` holds: counts and times since construction."""

    #: Steps taken.
    steps: int
    #: Newton iterations, all steps together.
    iterations: int
    #: Most iterations in one step.
    max_iterations: int
    #: Steps whose solve stopped short of its tolerance.
    unconverged: int
    #: Evaluations of the cost's slope in line searches.
    line_search_evaluations: int
    #: Contact points, summed over steps.
    points: int
    #: Contact patches, summed over steps.
    patches: int
    #: Faces of contact patches, summed over steps.
    faces: int
    #: Newton iterations of the last step.
    last_iterations: int
    #: Contact points in the last step.
    last_points: int
    #: Largest penetration seen, m.
    max_penetration: float
    #: Energy dissipated by friction, J.
    friction_loss: float
    #: Seconds by stage.
    seconds: StageSeconds


#: A row of ``Simulation.contacts``; written by the extension byte for byte.
contact_dtype = np.dtype(
    [
        ("geom_a", np.int32),
        ("geom_b", np.int32),
        ("body_a", np.int32),
        ("body_b", np.int32),
        ("position", np.float64, (3,)),
        ("normal", np.float64, (3,)),
        ("force", np.float64, (3,)),
        ("penetration", np.float64),
        ("slip", np.float64, (3,)),
        ("sticking", np.bool_),
    ],
    align=True,
)
