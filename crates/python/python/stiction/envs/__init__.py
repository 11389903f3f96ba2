"""Learning environments for Gymnasium: four tasks that live on contact.

    import gymnasium
    import stiction.envs                                     # registers them

    env = gymnasium.make("Stiction/Hopper-v0")               # or PegInsertion, PencilTurning, BlockPushing
    envs = gymnasium.make_vec("Stiction/Hopper-v0", num_envs=64, threads=2)

``make_vec`` steps all worlds together in a ``stiction.Batch``; a world does there exactly, bit for bit, what the single
environment does with the same seed and the same actions (environment i of ``reset(seed=s)`` has the seed s + i).

A task is written once, for arrays with a row a world (``task.py`` says what it consists of; ``hopper.py`` and the others
are the tasks). ``single.py`` and ``vector.py`` make Gymnasium's two kinds of environment of it. Tasks use no functions
whose last bit may depend on how many worlds there are: sums are written out, and angles go as sine and cosine.

``env.unwrapped.sim`` is the ``stiction.Simulation`` of a single environment, to record or to watch. Needs
``pip install gymnasium``.
"""

try:
    import gymnasium
except ImportError:
    raise ImportError("stiction.envs needs Gymnasium: pip install gymnasium") from None

from .block import BlockPushing
from .hopper import Hopper
from .peg import PegInsertion
from .pencil import PencilTurning
from .single import TaskEnv
from .task import Task
from .vector import TaskVectorEnv

__all__ = ["TASKS", "BlockPushing", "Hopper", "PegInsertion", "PencilTurning", "Task", "TaskEnv", "TaskVectorEnv"]

#: The tasks by the name under which they are registered: "Stiction/<name>-v0".
TASKS = {task.__name__: task for task in (BlockPushing, Hopper, PegInsertion, PencilTurning)}

for _name, _task in TASKS.items():
    if f"Stiction/{_name}-v0" not in gymnasium.registry:
        gymnasium.register(
            f"Stiction/{_name}-v0",
            entry_point="stiction.envs:TaskEnv",
            vector_entry_point="stiction.envs:TaskVectorEnv",
            max_episode_steps=_task.episode,
            kwargs={"task": _name},
        )
