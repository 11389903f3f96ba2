"""A task as a vector environment on a Batch."""

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

import stiction as st

from .single import resolve, task_spaces


class TaskVectorEnv(gymnasium.vector.VectorEnv):
    """Many worlds, stepped together; each does what a TaskEnv with its seed would do, bit for bit.

    task: a name in stiction.envs.TASKS, or a Task.
    num_envs: number of worlds.
    threads: threads that step them; None for all cores. The numbers do not depend on it.
    max_episode_steps: actions after which an episode is cut off (truncated); None for the task's own.
    autoreset_mode: AutoresetMode.NEXT_STEP (a world that has ended begins anew with the next action, which it
        ignores), SAME_STEP (it begins anew at once; what it last showed is in info["final_obs"]), or DISABLED.
    options: options of the simulation, over those of the task.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, task, num_envs=1, threads=None, max_episode_steps=None, autoreset_mode=AutoresetMode.NEXT_STEP, **options):
        self.task = resolve(task, options)
        self.num_envs = num_envs
        self.max_episode_steps = max_episode_steps or self.task.episode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode, "render_fps": round(1 / self.task.period)}
        self.single_observation_space, self.single_action_space = task_spaces(self.task)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        #: The worlds.
        self.batch = st.Batch(self.task.model, num_envs, threads, **self.task.options)
        self._memory = np.zeros((num_envs, self.task.memories))
        self._age = np.zeros(num_envs, dtype=int)
        self._ended = np.zeros(num_envs, dtype=bool)
        self._randoms = [None] * num_envs

    def reset(self, *, seed=None, options=None):
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed or [None] * self.num_envs
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed has {len(seeds)} entries: give one number, or one for each of {self.num_envs} worlds")
        for i, one in enumerate(seeds):
            if one is not None or self._randoms[i] is None:
                self._randoms[i], _ = seeding.np_random(one)
        chosen = np.ones(self.num_envs, dtype=bool)
        if options and "reset_mask" in options:
            chosen = np.asarray(options["reset_mask"], dtype=bool)
        self._begin(chosen)
        return self._observations(), {"success": np.zeros(self.num_envs, dtype=bool), "_success": chosen.copy()}

    def step(self, actions):
        if not all(self._randoms):
            raise gymnasium.error.ResetNeeded("call reset before step")
        action = np.clip(np.asarray(actions, dtype=float), -1, 1)
        batch, task = self.batch, self.task
        stale = self._ended if self.autoreset_mode is AutoresetMode.NEXT_STEP else np.zeros(self.num_envs, dtype=bool)
        if stale.any():
            # They begin anew below; until then they must be able to step.
            self._begin(stale, draw=False)
        before = batch.qpos.copy()
        batch.ctrl[:] = task.control(action, before, self._memory)
        batch.step(task.substeps)
        reward, terminated, success = task.judge(before, batch.qpos, batch.qvel, action, self._memory)
        self._age += 1
        truncated = (self._age >= self.max_episode_steps) & ~stale
        reward, terminated, success = (np.where(stale, 0, part).astype(part.dtype) for part in (reward, terminated, success))
        if stale.any():
            self._begin(stale)
        self._ended = terminated | truncated
        observations = self._observations()
        info = {"success": success, "_success": np.ones(self.num_envs, dtype=bool)}
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._ended.any():
            ended = self._ended.copy()
            final = np.full(self.num_envs, None, dtype=object)
            for i in np.flatnonzero(ended):
                final[i] = observations[i]
            info |= {"final_obs": final, "_final_obs": ended, "final_info": {"success": success, "_success": ended}, "_final_info": ended}
            self._begin(ended)
            observations = np.where(ended[:, None], self._observations(), observations)
            self._ended = np.zeros(self.num_envs, dtype=bool)
        return observations, reward, terminated, truncated, info

    def _begin(self, chosen, draw=True):
        """Begins an episode in the chosen worlds; without drawing, only puts them where they can step."""
        if not draw:
            self.batch.reset(chosen)
            return
        places = np.flatnonzero(chosen)
        starts = [self.task.begin(self._randoms[i]) for i in places]
        qpos, qvel, ctrl, memory = (np.array(part) for part in zip(*starts))
        self.batch.reset(places, qpos, qvel)
        self.batch.ctrl[places], self._memory[places] = ctrl, memory
        self._age[places], self._ended[places] = 0, False

    def _observations(self):
        return self.task.observe(self.batch.qpos, self.batch.qvel, self._memory)
