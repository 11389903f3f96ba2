"""A task as a Gymnasium environment."""

import gymnasium
import numpy as np
from gymnasium import spaces

import stiction as st

from .picture import Camera


class TaskEnv(gymnasium.Env):
    """One world.

    task: a name in stiction.envs.TASKS, or a Task.
    render_mode: None, "rgb_array" for pictures of 320 × 240 pixels (plain, and slow beside a step: some 50 ms each), or "ansi" for a
        line of text. To look closer record or watch ``env.unwrapped.sim``: ``sim.record("run.html")``, ``stiction.view(sim)``.
    options: options of the simulation, over those of the task.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 50}

    def __init__(self, task, render_mode=None, **options):
        self.task = resolve(task, options)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f'render_mode={render_mode!r}: give None, "rgb_array" or "ansi"; env.unwrapped.sim can be recorded and viewed')
        self.metadata = {**self.metadata, "render_fps": round(1 / self.task.period)}
        self.render_mode = render_mode
        self.observation_space, self.action_space = task_spaces(self.task)
        #: The simulation, to record, to watch or to read.
        self.sim = st.Simulation(self.task.model, **self.task.options)
        self._memory = np.zeros((1, self.task.memories))
        self._camera = Camera(self.task.model) if render_mode == "rgb_array" else None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        qpos, qvel, ctrl, memory = self.task.begin(self.np_random)
        self.sim.reset()
        self.sim.qpos[:], self.sim.qvel[:], self.sim.ctrl[:], self._memory[0] = qpos, qvel, ctrl, memory
        return self._observation(), {"success": False}

    def step(self, action):
        action = np.clip(np.asarray(action, dtype=float).reshape(1, -1), -1, 1)
        before = self.sim.qpos[None].copy()
        self.sim.ctrl[:] = self.task.control(action, before, self._memory)[0]
        self.sim.step(self.task.substeps)
        reward, ended, success = self.task.judge(before, self.sim.qpos[None], self.sim.qvel[None], action, self._memory)
        return self._observation(), float(reward[0]), bool(ended[0]), False, {"success": bool(success[0])}

    def render(self):
        if self.render_mode == "ansi":
            return f"{self.sim.time:6.2f} s  {self.task.describe(self.sim.qpos, self._memory[0])}\n"
        return self._camera.draw(self.sim) if self._camera else None

    def _observation(self):
        return self.task.observe(self.sim.qpos[None], self.sim.qvel[None], self._memory)[0]


def resolve(task, options):
    """The task of a name, with options of its simulation changed."""
    if isinstance(task, str):
        from . import TASKS

        if task not in TASKS:
            raise ValueError(f"task={task!r}: there are {', '.join(TASKS)}")
        task = TASKS[task]()
    if options:
        task.options = {**task.options, **options}
    return task


def task_spaces(task):
    """The spaces of observations and actions of one world."""
    return (
        spaces.Box(-np.inf, np.inf, (task.observations,), dtype=np.float64),
        spaces.Box(-1, 1, (task.actions,), dtype=np.float32),
    )
