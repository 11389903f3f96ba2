"""Simple rules that do the tasks, with the help of what the learner is not told."""

import numpy as np


def block(env, qpos, memory):
    """Goes behind the block, as seen from the goal, round it if need be, and pushes."""
    finger, body, goal = qpos[:2], qpos[2:4], memory[2:4]
    forward = (goal - body) / np.linalg.norm(goal - body)
    offset = finger - body
    along, aside = offset @ forward, offset @ np.array([-forward[1], forward[0]])
    if along > -0.04 or abs(aside) > 0.02:  # not behind it: circle round
        behind = -0.105 * forward
        angle = np.arctan2(offset[0] * behind[1] - offset[1] * behind[0], offset @ behind)
        turn = np.clip(angle, -0.25, 0.25)
        c, s = np.cos(turn), np.sin(turn)
        out = np.array([c * offset[0] - s * offset[1], s * offset[0] + c * offset[1]])
        wanted = body + 0.105 * out / np.linalg.norm(out)
    else:
        speed = min(1.0, np.linalg.norm(goal - body) / 0.05)
        sideways = np.array([-forward[1], forward[0]])
        return np.clip(0.6 * speed * forward - 30 * aside * sideways, -1, 1)
    return np.clip((wanted - memory[:2]) / 0.01, -1, 1)


def peg(env, qpos, memory):
    """Goes over the hole, straightens, and then in."""
    tip = np.array([part[0] for part in env.task._tip(qpos[None])])
    aligned = np.hypot(*tip[:2]) < 4e-4 and abs(qpos[3]) < 0.02
    lower = -0.4 if aligned or tip[2] < -1e-3 else 0.5 * (tip[2] < 2e-3)
    return np.clip([-tip[0] / 4e-3, -tip[1] / 4e-3, lower, -qpos[3] / 0.1], -1, 1)


def pencil(env, qpos, memory):
    """Rubs the fingers against each other, and both towards the middle."""
    cosine, sine = (part[0] for part in env.task._left(qpos[None], memory[None]))
    left = np.arctan2(sine, cosine)
    rub, centre = np.clip(1.5 * left, -0.6, 0.6), -20 * qpos[6]
    return np.clip([0, rub + centre, 0, -rub + centre], -1, 1)


POLICIES = {"BlockPushing": block, "PegInsertion": peg, "PencilTurning": pencil}


def episode(env, policy, seed):
    """Plays an episode: its return, length, and whether it succeeded."""
    env.reset(seed=seed)
    total, steps, inner = 0.0, 0, env.unwrapped
    while True:
        action = policy(inner, inner.sim.qpos, inner._memory[0])
        _, reward, terminated, truncated, info = env.step(action)
        total, steps = total + reward, steps + 1
        if terminated or truncated:
            return total, steps, info["success"], terminated
