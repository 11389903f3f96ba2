"""Teaches the hopper to run, with PPO of Stable-Baselines3, and draws the learning curve.

    pip install ./crates/python[gymnasium] stable-baselines3 matplotlib     # the CPU build of PyTorch is enough
    python examples/python/train_hopper.py                                  # a few minutes on two cores
    python examples/python/train_hopper.py --seeds 2 --figure docs/figures/hopper-learning.png

64 hoppers run in one Batch. Besides the curve it leaves hopper.zip and hopper-normalization.pkl, the policy and the scales of what it
sees, and hopper.html, a recording of it.
"""

import argparse
import time

import gymnasium
import numpy as np
import stiction.envs
import torch
from gymnasium.vector import AutoresetMode
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecMonitor, VecNormalize


class BatchVecEnv(VecEnv):
    """A vector environment of Gymnasium as Stable-Baselines3 wants it."""

    def __init__(self, name, count, **options):
        self.env = gymnasium.make_vec(name, num_envs=count, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        self.render_mode = None
        super().__init__(count, self.env.single_observation_space, self.env.single_action_space)
        self._seed_once = None

    def seed(self, seed=None):
        self._seed_once = seed
        return [seed]

    def reset(self):
        observations, _ = self.env.reset(seed=self._seed_once)
        self._seed_once = None
        return observations.astype(np.float32)

    def step_async(self, actions):
        self._actions = actions

    def step_wait(self):
        observations, rewards, terminated, truncated, info = self.env.step(self._actions)
        ended = terminated | truncated
        infos = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(ended):
            infos[i] = {
                "terminal_observation": info["final_obs"][i].astype(np.float32),
                "TimeLimit.truncated": bool(truncated[i] and not terminated[i]),
            }
        return observations.astype(np.float32), rewards.astype(np.float32), ended, infos

    def close(self):
        self.env.close()

    def get_attr(self, name, indices=None):
        return [getattr(self, name, None)] * self.num_envs

    def set_attr(self, name, value, indices=None):
        raise NotImplementedError

    def env_method(self, name, *arguments, indices=None, **keywords):
        raise NotImplementedError

    def env_is_wrapped(self, wrapper, indices=None):
        return [False] * self.num_envs


class Curve(BaseCallback):
    """Mean return and length of the last hundred episodes, after each round of experience."""

    def __init__(self):
        super().__init__()
        self.rows = []

    def _on_step(self):
        return True

    def _on_rollout_end(self):
        episodes = self.model.ep_info_buffer
        if episodes:
            self.rows.append((self.num_timesteps, np.mean([e["r"] for e in episodes]), np.mean([e["l"] for e in episodes])))
            if len(self.rows) % 20 == 0:
                steps, reward, length = self.rows[-1]
                print(f"{steps:9} actions: return {reward:6.2f}, {length:5.0f} actions an episode", flush=True)


def train(seed, steps, count, threads):
    """Trains one policy: the model, its normalised environments and the curve."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # the networks are too small for more
    envs = BatchVecEnv("Stiction/Hopper-v0", count, threads=threads)
    envs.seed(1000 * seed)
    envs = VecNormalize(VecMonitor(envs), gamma=0.99)
    model = PPO(
        "MlpPolicy",
        envs,
        n_steps=128,
        batch_size=1024,
        n_epochs=6,
        learning_rate=lambda left: 5e-4 * left,
        gamma=0.99,
        gae_lambda=0.95,
        ent_coef=0.0,
        policy_kwargs={"log_std_init": -0.7, "net_arch": [64, 64]},
        seed=seed,
        device="cpu",
    )
    curve = Curve()
    model.learn(steps, callback=curve)
    return model, envs, np.array(curve.rows)


def show(model, normalised, path):
    """Plays an episode without chance, records it, and returns how far the hopper got and for how long."""
    env = gymnasium.make("Stiction/Hopper-v0")
    observation, _ = env.reset(seed=0)
    sim = env.unwrapped.sim
    with sim.record(path):
        while True:
            action, _ = model.predict(normalised.normalize_obs(observation.astype(np.float32)), deterministic=True)
            observation, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                return sim.qpos[0], sim.time


def draw(curves, path):
    """The learning curves, one line a seed."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    for seed, rows in curves.items():
        axes[0].plot(rows[:, 0] / 1e6, rows[:, 1], label=f"seed {seed}")
        axes[1].plot(rows[:, 0] / 1e6, rows[:, 2] * stiction.envs.Hopper().period)
    axes[0].set(xlabel="actions, millions", ylabel="return of an episode", ylim=(0, None))
    axes[1].set(xlabel="actions, millions", ylabel="seconds until it falls (at most 10)", ylim=(0, None))
    axes[0].legend()
    fig.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=1_000_000, help="actions, all hoppers together")
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=1, help="how many policies to train, one after another")
    parser.add_argument("--figure", default="hopper-learning.png")
    arguments = parser.parse_args()

    curves = {}
    for seed in range(arguments.seeds):
        begin, busy = time.perf_counter(), time.process_time()
        model, envs, curves[seed] = train(seed, arguments.steps, arguments.envs, arguments.threads)
        seconds, busy = time.perf_counter() - begin, time.process_time() - busy
        distance, lasted = show(model, envs, "hopper.html")
        last = curves[seed][-1]
        print(
            f"seed {seed}: {seconds:.0f} s of training, {busy:.0f} s of processor time; return {curves[seed][0, 1]:.1f} at first, "
            f"{last[1]:.1f} at the end; {distance:.1f} m in {lasted:.1f} s",
            flush=True,
        )
    model.save("hopper.zip")
    envs.save("hopper-normalization.pkl")
    draw(curves, arguments.figure)


if __name__ == "__main__":
    main()
