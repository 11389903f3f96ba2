"""The small tuples and tables in which results come."""

from typing import NamedTuple

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
