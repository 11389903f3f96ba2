"""What a learning task consists of."""

import functools

import numpy as np

import stiction as st


class Task:
    """A scene, how it begins, what an action does, what is seen and what is rewarded.

    All arrays have a row a world: n rows for n worlds, one for a single environment. ``memory`` is what a task keeps of
    an episode beside the state of the simulation (goals, targets of servos); the functions may change it in place.
    """

    #: The scene, as MJCF.
    scene: str
    #: Options of the simulation.
    options: dict
    #: Steps of the simulation for each action.
    substeps: int
    #: Actions after which an episode is cut off.
    episode: int
    #: Numbers in an action (each from −1 to 1), in an observation, and in memory.
    actions: int
    observations: int
    memories: int

    @functools.cached_property
    def model(self):
        """The scene, compiled; strictly, so that nothing in it is left out."""
        return st.Model.from_string(self.scene, strict=True)

    @property
    def period(self):
        """Seconds from one action to the next."""
        return self.substeps * self.options["step"]

    def begin(self, random):
        """The start of an episode of one world: qpos, qvel, ctrl and memory, each of one row, drawn from a Generator."""
        raise NotImplementedError

    def control(self, action, qpos, memory):
        """The controls (n, nu) for actions (n, actions)."""
        raise NotImplementedError

    def observe(self, qpos, qvel, memory):
        """Observations, shape (n, observations)."""
        raise NotImplementedError

    def judge(self, before, qpos, qvel, action, memory):
        """Rewards (n,), whether the episode has ended (n,), and whether with success (n,); ``before`` is qpos before the action."""
        raise NotImplementedError

    def describe(self, qpos, memory):
        """The state of one world in a line of text (one row each)."""
        raise NotImplementedError


def columns(*parts):
    """Observations from their columns, each of shape (n,) or (n, k)."""
    return np.column_stack(parts)


def squares(*parts):
    """The sum of squares, added in the order given."""
    total = parts[0] * parts[0]
    for part in parts[1:]:
        total = total + part * part
    return total


def length(*parts):
    """The length of vectors given by their components."""
    return np.sqrt(squares(*parts))


def heading(quaternion):
    """Cosine and sine of the angle about z of rotations that are all about z, or nearly so; from (n, 4), w first."""
    w, x, y, z = quaternion.T
    cosine, sine = w * w + x * x - y * y - z * z, 2 * (w * z + x * y)
    scale = 1 / np.maximum(length(cosine, sine), 1e-9)
    return cosine * scale, sine * scale
