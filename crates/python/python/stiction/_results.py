"""Results as named tuples and typed dicts."""

import math
import warnings
from typing import Literal, NamedTuple, TypedDict

import numpy as np

from ._describe import describe


class Energy(NamedTuple):
    """Energy of a state, J."""

    kinetic: float
    potential: float

    @property
    def total(self) -> float:
        """Kinetic and potential energy together, J."""
        return self.kinetic + self.potential


describe(
    Energy,
    kinetic="Of motion, rotors and armature included, J.",
    potential="Of gravity (zero at the world's origin) and joint springs, J.",
)


class BodyPose(NamedTuple):
    """Pose of a body in the world."""

    position: np.ndarray
    quaternion: np.ndarray


describe(
    BodyPose,
    position="Position of the body's origin in the world, m; shape (3,).",
    quaternion="Orientation as a unit quaternion, w first; shape (4,).",
)


class FreeCamera(NamedTuple):
    """A camera that looks at a point, for Renderer and films. It is turned and moved by _replace."""

    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    distance: float = 1.0
    azimuth: float = math.radians(117.0)
    elevation: float = math.radians(-25.0)
    field_of_view: float = 0.66


describe(
    FreeCamera,
    target="The point that it looks at, m.",
    distance="Distance from it, m.",
    azimuth="Angle of the direction of view about z, rad: at 0 it looks along x.",
    elevation="Angle of the direction of view above the horizon, rad; a negative one looks down.",
    field_of_view="Vertical field of view, rad.",
)


class ModelWarning(NamedTuple):
    """An unsupported part of a model, and its effect."""

    file: str
    element: str
    line: int
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file and self.line else ""
        return f"{place}{self.element}: {self.message}"


describe(
    ModelWarning,
    file="File as it was named; empty for text and built-in scenes.",
    element='The element, for instance ``joint "elbow"``.',
    line="Line, counted from 1; 0 if unknown.",
    message="What is not supported, and the effect.",
)


class OutsideTraining(NamedTuple):
    """A quantity outside the training range of a data-augmented law."""

    what: str
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.what}: {self.value:.4g}, trained on {self.low:.4g} to {self.high:.4g}"


describe(
    OutsideTraining,
    what="The quantity.",
    value="Its value, in the unit that what names; most inputs are without unit.",
    low="Smallest value in the training data.",
    high="Largest value in the training data.",
)


class LearnedReport(NamedTuple):
    """Report of a data-augmented law for the last step."""

    action: Literal["static", "dynamic", "detach"] | None
    outside: OutsideTraining | None
    converged: bool
    outside_steps: int


describe(
    LearnedReport,
    action='State of the patch: "static", "dynamic" or "detach"; None without contact.',
    outside="The first quantity outside its training range; None if there is none.",
    converged="Whether the joints of a chain were solved to tolerance; True for a free body.",
    outside_steps="Steps since construction with a quantity outside its training range.",
)


class Touch(NamedTuple):
    """Contact between two geoms during a step. Vectors are in world axes, shape (3,)."""

    geom_a: int
    geom_b: int
    body_a: int
    body_b: int
    force: np.ndarray
    moment: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    normal_force: float
    area: float


describe(
    Touch,
    geom_a="Ids of the two geoms, a before b.",
    geom_b="Ids of the two geoms, a before b.",
    body_a="Ids of the bodies that carry them.",
    body_b="Ids of the bodies that carry them.",
    force="Force on b, N.",
    moment="Moment on b about point, N m.",
    point="Centre of the normal forces, m.",
    normal="Mean direction of the normal forces, from a into b.",
    normal_force="Sum of the normal forces, N.",
    area="Area under pressure, m²; 0 for contact points.",
)


class ContactPatch(NamedTuple):
    """A patch between two geoms, of which one or both are compliant. Vectors are in world axes.

    n vertices and m polygons; polygons are where they were at the beginning of the step.
    """

    geom_a: int
    geom_b: int
    body_a: int
    body_b: int
    vertices: np.ndarray
    polygons: list[np.ndarray]
    pressure: np.ndarray
    area: float
    centroid: np.ndarray
    center_of_pressure: np.ndarray
    force: np.ndarray
    moment: np.ndarray
    traction: np.ndarray
    slip: np.ndarray
    areas: np.ndarray
    normals: np.ndarray
    centroids: np.ndarray
    peak_extent: float


describe(
    ContactPatch,
    geom_a="Ids of the two geoms, a before b.",
    geom_b="Ids of the two geoms, a before b.",
    body_a="Ids of the bodies that carry them.",
    body_b="Ids of the bodies that carry them.",
    vertices="Vertices of the polygons, m; shape (n, 3).",
    polygons="Indices into vertices, one array per polygon, counter-clockwise about its normal.",
    pressure="Pressure at each vertex at the beginning of the step, Pa, negative before touch (margin); shape (n,).",
    area="Area under pressure, m².",
    centroid="Centroid of that area, m; shape (3,).",
    center_of_pressure="Pressure-weighted centre, m; shape (3,).",
    force="Force on body b, N; shape (3,).",
    moment="Moment on body b about the centroid, N m; shape (3,).",
    traction="Force on body b over area of each polygon, Pa; shape (m, 3).",
    slip="Tangential velocity of b relative to a at each polygon, m/s; shape (m, 3).",
    areas="Area of each polygon, m²; shape (m,).",
    normals="Unit normal of each polygon, from a into b; shape (m, 3).",
    centroids="Centroid of each polygon, m; shape (m, 3).",
    peak_extent="Largest pressure over the smaller modulus, without unit; near 1 the core of a field is reached and force no longer grows with depth.",
)


class TangentialSprings(TypedDict, total=False):
    """Springs that carry friction while a contact sticks, as ``Simulation`` takes them."""

    #: Tangential over normal stiffness.
    stiffness_ratio: float
    #: Damping over stiffness, s; critical damping if left out.
    relaxation_time: float
    #: Of contact patches, and of continuous time in place of the ratio: normal force over tangential stiffness, m.
    stretch: float
    #: Of contact patches in convex steps: damping over stiffness, s.
    patch_relaxation_time: float


class StageSeconds(TypedDict):
    """Seconds spent in each stage of the step."""

    kinematics: float
    proximity: float
    assemble: float
    solve: float
    advance: float


class Stats(TypedDict):
    """``Simulation.stats``: counts and times since construction."""

    #: Steps taken.
    steps: int
    #: Steps that error control rejected.
    rejected: int
    #: Newton iterations, all steps together.
    iterations: int
    #: Most iterations in one step.
    max_iterations: int
    #: Steps whose solve did not reach its tolerance.
    unconverged: int
    #: Evaluations of the cost's slope in line searches.
    line_search_evaluations: int
    #: Solves repeated for friction, summed over steps.
    friction_passes: int
    #: Contact points, summed over steps.
    points: int
    #: Contact patches, summed over steps.
    patches: int
    #: Faces of contact patches, summed over steps.
    faces: int
    #: Unreliable patches, summed over steps: see ``Simulation.warnings``.
    doubtful_patches: int
    #: Contacts of bodies that would have passed through each other within a step, summed over steps.
    speculative: int
    #: Bodies or trees that moved less far than their velocities say, summed over steps, for the same reason.
    held_back: int
    #: Pairs that may have passed through each other, because their motion is prescribed, summed over steps.
    passed: int
    #: Contacts that pushed with less than their stiffness, summed over steps: see ``Simulation.warnings``.
    capped: int
    #: Overlaps that were found rather than made, summed over steps.
    found: int
    #: Equalities with errors that their steps cannot have made, summed over steps: see ``Simulation.warnings``.
    missed_equalities: int
    #: Newton iterations of the last step.
    last_iterations: int
    #: Contact points in the last step.
    last_points: int
    #: Contact patches in the last step.
    last_patches: int
    #: Faces of contact patches in the last step.
    last_faces: int
    #: Largest penetration seen, m.
    max_penetration: float
    #: The largest of these overlaps, m.
    max_found: float
    #: Largest error of a connection, weld or distance constraint seen, m.
    max_gap: float
    #: Largest angle between the frames of a weld seen, rad.
    max_angle: float
    #: Energy dissipated by friction, J.
    friction_loss: float
    #: Energy dissipated by normal forces or stored in contact springs, J.
    normal_loss: float
    #: Energy dissipated by contact in continuous time, J.
    dissipated: float
    #: Work of actuators, applied forces, joint damping, limits and prescribed motion in continuous time, J.
    other_work: float
    #: Shortest and longest step taken, s.
    min_step: float
    max_step: float
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


#: A row of ``Simulation.body_contacts``; written by the extension byte for byte.
body_contact_dtype = np.dtype(
    [
        ("body_a", np.int32),
        ("body_b", np.int32),
        ("force", np.float64, (3,)),
        ("torque", np.float64, (3,)),
        ("normal_force", np.float64),
        ("points", np.int32),
        ("patches", np.int32),
    ],
    align=True,
)


class ContactForce(NamedTuple):
    """Contact force (N) and torque (N m) on a body, in world axes."""

    force: np.ndarray
    torque: np.ndarray


describe(
    ContactForce,
    force="Force, N; shape (3,), or (n, 3) in a batch.",
    torque="Torque about the origin of the body, N m; shape (3,), or (n, 3) in a batch.",
)


class ImpactOutcomes(NamedTuple):
    """The set of velocities after an impact: n outcomes of c contacts.

    The first outcome is that of all contacts at once, then come the sequences of single impacts, then samples. A single contact has
    one outcome.
    """

    velocities: np.ndarray
    impulses: np.ndarray
    modes: np.ndarray
    certificate: dict
    level: Literal["unique", "velocities differ", "contact modes differ"]
    spread: float
    contacts: list
    origins: list
    errors: np.ndarray
    unfinished: int
    unsolved: int
    cut_sequences: int
    verdict: str
    reason: str
    outer: np.ndarray | None
    outer_corners: list
    paths: dict
    bounced: np.ndarray | None
    rerouted: int
    members: list

    @property
    def residuals(self) -> np.ndarray:
        """The old name of errors."""
        warnings.warn("residuals is now called errors", DeprecationWarning, stacklevel=2)
        return self.errors

    def extremes(self, direction) -> tuple[float, float]:
        """Least and greatest value of direction · velocity over the outcomes found.

        Parameters
        ----------
        direction : array_like
            Weights of the velocity coordinates, shape (nv,).

        Returns
        -------
        tuple of float
            The least and the greatest value.
        """
        values = self.velocities @ np.asarray(direction, dtype=float)
        return float(values.min()), float(values.max())

    def bounds(self, direction) -> tuple[float, float]:
        """Values of direction · velocity outside of which no outcome can lie.

        Parameters
        ----------
        direction : array_like
            Weights of the velocity coordinates, shape (nv,).

        Returns
        -------
        tuple of float
            The least and the greatest value.

        Raises
        ------
        ValueError
            If outer bounds were not asked for.
        """
        if self.outer is None:
            raise ValueError("there are no outer bounds: call impact_outcomes with outer=True")
        c = np.asarray(direction, dtype=float)
        ends = self.outer * c[:, None]
        low, high = float(ends.min(axis=1).sum()), float(ends.max(axis=1).sum())
        if self.outer_corners:
            # Widened by what rounding may have lost.
            corners = np.concatenate(self.outer_corners)
            values = corners @ c
            slack = 1e-6 * np.abs(corners).max() * np.abs(c).sum()
            low, high = max(low, float(values.min() - slack)), min(high, float(values.max() + slack))
        return low, high


describe(
    ImpactOutcomes,
    velocities="Velocities after, laid out as qvel, m/s or rad/s; shape (n, nv).",
    impulses="Impulses on the second body of each contact along its t1, t2 and normal, N s; shape (n, c, 3).",
    modes="State of each contact after: 0 sticks, 1 slides, 2 separates; shape (n, c).",
    certificate="Whether every resolution ends: terminates (True, False, or None if undecided), epsilon, impulse_bound (N s or None), direction (the velocity that proves it), balanced (contacts that can push against each other).",
    level='How the outcomes found differ: "outcomes agree", "velocities differ" or "contact modes differ". Whether there are others is told by verdict.',
    spread="Largest distance of two outcomes over the part of the velocity that contacts can change, in kinetic norm, without unit.",
    contacts="For each contact: name, friction, velocity before [t1, t2, n] in m/s; of points also geoms, bodies, position (m), frame (rows t1, t2, n in the world).",
    origins='"at once", the order of contacts of a sequence, or "sample".',
    errors="Estimated error of each outcome, relative to the largest contact speed before, without unit; shape (n,).",
    unfinished="Solutions that did not end; they are not in the set.",
    unsolved="1 if all contacts at once has a step that could not be solved; it is then not in the set.",
    cut_sequences="Sequences that were not followed to their end.",
    verdict='"unique" (proved), "ambiguous" (two outcomes differ by more than their errors) or "unknown".',
    reason="Why, in words.",
    outer="Bounds from outside on each velocity coordinate, least and greatest, m/s or rad/s; shape (nv, 2), or None if not asked for.",
    outer_corners="Corners of convex sets whose union holds every outcome, velocities in m/s or rad/s, each of shape (k, nv); empty if the bound is a relaxation.",
    paths="For each outcome asked for: contact velocities [t1, t2, n] along its path, m/s; shape (k, c, 3).",
    rerouted="Samples that went on one contact after another from a step without a solution at their rates; they are in the set.",
    members='For each velocity asked for: answer ("yes", "no" or "unknown"), nearest (the number of the nearest outcome found), distance (to it, without unit: kinetic, over the size of the part of the velocity that contacts can change), reason (why not).',
    bounced="Velocities after with Poisson's restitution, in the order of velocities, m/s or rad/s; shape (n, nv), or None if not asked for. Energy never rises: restitution ends where the energy before is reached.",
)


class FutureBranch(NamedTuple):
    """A motion from one fork to the next."""

    parent: int | None
    weight: float
    time: np.ndarray
    qpos: np.ndarray
    qvel: np.ndarray
    end: str
    merged_into: int | None
    passed: int


describe(
    FutureBranch,
    parent="The branch it comes from; None for the first.",
    weight="Its share of the sampling measure; the weights of all branches that reach the horizon add to one.",
    time="Times of the frames, s; shape (k,).",
    qpos="Positions along it, m or rad and quaternions with w first; shape (k, nq).",
    qvel="Velocities along it, m/s or rad/s; shape (k, nv).",
    end='"horizon", "fork", or "merged" if another branch reached the same state.',
    merged_into="The branch that stands for it from there on, if it was merged.",
    passed="Impacts with a single outcome that it passed.",
)


class Futures(NamedTuple):
    """A tree of futures that forks at impacts with several outcomes."""

    branches: list
    pruned: int

    def leaves(self) -> list:
        """The branches that reach the horizon."""
        return [b for b in self.branches if b.end == "horizon"]

    def share(self, condition) -> float:
        """Weight of the futures whose last frame meets a condition: share(lambda qpos, qvel: qpos[2] < 0.3).

        Parameters
        ----------
        condition : callable
            A function of qpos and qvel that returns True or False.

        Returns
        -------
        float
            From 0 to 1.
        """
        return float(sum(b.weight for b in self.leaves() if condition(b.qpos[-1], b.qvel[-1])))


describe(
    Futures,
    branches="All branches, parents before children.",
    pruned="Impacts that went on with one outcome, all contacts at once, because the budget was spent.",
)


class StepDerivatives(NamedTuple):
    """Derivatives of one step. A state is [δq, δv, δact], n = 2 nv + na numbers (see Simulation.step_derivatives)."""

    state: np.ndarray
    ctrl: np.ndarray
    parameters: np.ndarray
    qpos: np.ndarray
    qvel: np.ndarray
    doubtful: list


describe(
    StepDerivatives,
    state="∂state⁺/∂state; shape (n, n).",
    ctrl="∂state⁺/∂ctrl; shape (n, nu).",
    parameters="∂state⁺/∂parameter, one column for each requested parameter; shape (n, p).",
    qpos="Positions after the step, m or rad and quaternions with w first; shape (nq,).",
    qvel="Velocities after the step, from a tight solve, m/s or rad/s; shape (nv,).",
    doubtful="Pairs of geom ids whose contact points come or go very near to this state: the step has a kink there.",
)


class RouthPath(NamedTuple):
    """The path of a single impact. Contact vectors are [t1, t2, n]."""

    velocity: np.ndarray
    impulse: np.ndarray
    velocities: np.ndarray
    impulses: np.ndarray
    sticking: np.ndarray
    events: list
    energy_change: float
    compression_work: float
    restitution_work: float
    friction_work: float
    painleve: bool


describe(
    RouthPath,
    velocity="Contact velocity after, m/s; shape (3,).",
    impulse="Impulse on the second body, N s; shape (3,).",
    velocities="Contact velocities along the path, m/s; shape (k, 3).",
    impulses="Impulses along the path, N s; shape (k, 3).",
    sticking="Whether the contact stuck before each point; shape (k,).",
    events="Events, each with its index on the path.",
    energy_change="Change of kinetic energy, J: the three works together.",
    compression_work="Work of the normal force until the end of compression, J.",
    restitution_work="Work of the normal force after it, J.",
    friction_work="Work of friction, J.",
    painleve="Whether slip pressed the bodies together (Painlevé's case).",
)
