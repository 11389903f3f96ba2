"""The learning environments."""

import re
import warnings

import gymnasium
import numpy as np
import pytest
import scripted
import stiction as st
import stiction.envs
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

NAMES = list(stiction.envs.TASKS)


def make(name, **options):
    return gymnasium.make(f"Stiction/{name}-v0", **options)


def play(env, seed, steps):
    """Observations, rewards and ends under random actions that end and begin episodes."""
    random = np.random.default_rng(seed)
    trace = [env.reset(seed=seed)[0]]
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = env.step(random.uniform(-1, 1, env.action_space.shape))
        trace += [observation, [reward, terminated, truncated]]
        if terminated or truncated:
            trace.append(env.reset()[0])
    return np.concatenate([np.asarray(part, dtype=float) for part in trace])


@pytest.mark.parametrize("name", NAMES)
def test_gymnasium_finds_nothing_wrong(name):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        check_env(make(name, render_mode="ansi").unwrapped)
        check_env(make(name, render_mode="rgb_array").unwrapped)
        check_env(make(name).unwrapped)
    unbounded = "A Box observation space (minimum|maximum) value is -?infinity"  # as those of other simulators are
    assert [str(warning.message) for warning in found if not re.search(unbounded, str(warning.message))] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_episodes(name):
    first = play(make(name), 3, 60)
    assert np.array_equal(first, play(make(name), 3, 60))
    env = make(name)
    play(env, 5, 20)
    assert np.array_equal(first, play(env, 3, 60)), "what came before leaves no trace"
    assert not np.array_equal(first[:10], play(make(name), 4, 1)[:10])
    assert np.isfinite(first).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_scene_is_read_without_warnings_and_every_step_converges(name):
    env = make(name)
    play(env, 0, 150)
    for _ in range(40):  # the peg onto the block, the finger aside, the hopper into a crouch
        env.step(-np.ones(env.action_space.shape))
    sim = env.unwrapped.sim
    assert sim.model.warnings == [] and sim.warnings == [] and sim.stats["unconverged"] == 0
    assert sim.stats["points"] + sim.stats["patches"] > 0


@pytest.mark.parametrize("name, longest", [("BlockPushing", 160), ("PegInsertion", 120), ("PencilTurning", 80)])
def test_the_task_can_be_done_and_pays(name, longest):
    env = make(name)
    for seed in range(10):
        reward, steps, success, terminated = scripted.episode(env, scripted.POLICIES[name], seed)
        assert success and terminated and steps < longest and reward > 4


def test_the_hopper_stands_at_rest_falls_under_noise_and_is_paid_for_going_forward():
    env = make("Hopper")
    env.reset(seed=0)
    ends = [env.step(np.zeros(3))[2] for _ in range(500)]
    assert not any(ends)
    env.reset(seed=0)
    random = np.random.default_rng(0)
    assert any(env.step(random.uniform(-1, 1, 3))[2] for _ in range(200))
    task = env.unwrapped.task
    still, moved = np.array([[0.0, 0.8, 0, 0, 0, 0]]), np.array([[0.02, 0.8, 0, 0, 0, 0]])
    none = np.zeros((1, 3))
    assert task.judge(still, moved, np.zeros((1, 6)), none, None)[0] == pytest.approx(task.period * (1 + 1))  # 1 m/s and alive


def test_the_pencil_is_held_by_friction_on_two_patches():
    env = make("PencilTurning")
    env.reset(seed=0)
    sim = env.unwrapped.sim
    for _ in range(30):
        env.step(np.zeros(4))
    pencil = sim.model.body_names.index("pencil")
    patches = [patch for patch in sim.patches if pencil in (patch.body_a, patch.body_b)]
    assert len(patches) == 2 and all(patch.area > 1e-6 for patch in patches)
    forces = np.array([patch.force if patch.body_b == pencil else -patch.force for patch in patches])
    assert forces.sum(axis=0) == pytest.approx([0, 0, 0.007 * 9.81], abs=2e-3)
    assert np.abs(forces[:, 0]).min() > 1


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("name", NAMES)
def test_worlds_of_a_batch_do_what_single_environments_do_bit_for_bit(name, mode):
    count, limit = 5, 40
    single = SyncVectorEnv([lambda: make(name, max_episode_steps=limit)] * count, autoreset_mode=mode)
    vectors = [
        gymnasium.make_vec(f"Stiction/{name}-v0", num_envs=count, threads=threads, max_episode_steps=limit, autoreset_mode=mode)
        for threads in (1, 2)
    ]
    assert all(isinstance(vector, stiction.envs.TaskVectorEnv) for vector in vectors)
    everyone = [single, *vectors]
    starts = [env.reset(seed=11)[0] for env in everyone]
    assert np.array_equal(starts[0], starts[1]) and np.array_equal(starts[0], starts[2])
    random, ends = np.random.default_rng(0), 0
    for _ in range(100):
        action = random.uniform(-1, 1, (count, *single.single_action_space.shape)).astype(np.float32)
        expected, *others = [env.step(action) for env in everyone]
        ends += expected[2].sum() + expected[3].sum()
        for found in others:
            for part in range(4):
                assert np.array_equal(expected[part], found[part]), ("observation", "reward", "terminated", "truncated")[part]
            assert np.array_equal(expected[4]["success"], found[4]["success"])
            assert ("final_obs" in expected[4]) == ("final_obs" in found[4])
            for i in np.flatnonzero(expected[4].get("_final_obs", [])):
                assert np.array_equal(expected[4]["final_obs"][i], found[4]["final_obs"][i])
    assert ends >= 2 * count, "episodes ended and began on the way"


def test_worlds_of_a_large_batch_do_what_they_do_in_a_small_one():
    """Kernels that take several numbers at once must not change the last bit."""
    for name in NAMES:
        traces = []
        for count in (1, 3, 17):
            vector = gymnasium.make_vec(f"Stiction/{name}-v0", num_envs=count)
            trace = [vector.reset(seed=2)[0][0]]
            random = np.random.default_rng(1)
            for _ in range(25):
                observation, reward, *_ = vector.step(np.tile(random.uniform(-1, 1, vector.single_action_space.shape), (count, 1)))
                trace += [observation[0], reward[:1]]
            traces.append(np.concatenate(trace))
        assert np.array_equal(traces[0], traces[1]) and np.array_equal(traces[0], traces[2])


def test_text_and_simulation_show_the_state(tmp_path):
    for name in NAMES:
        env = make(name, render_mode="ansi")
        env.reset(seed=0)
        with env.unwrapped.sim.record(tmp_path / f"{name}.html"):
            env.step(env.action_space.sample())
        assert env.render().strip().startswith("0.02 s") and (tmp_path / f"{name}.html").stat().st_size > 1000


def test_what_is_wrong_says_so():
    with pytest.raises(ValueError, match="Hopper"):
        stiction.envs.TaskEnv("Hoper")
    with pytest.raises(ValueError, match="recorded"):
        stiction.envs.TaskEnv("Hopper", render_mode="human")
    with pytest.raises(ValueError, match="5 worlds"):
        gymnasium.make_vec("Stiction/Hopper-v0", num_envs=5).reset(seed=[1, 2])
    with pytest.raises(gymnasium.error.ResetNeeded):
        gymnasium.make_vec("Stiction/Hopper-v0", num_envs=2).step(np.zeros((2, 3)))
    assert make("Hopper", contact="sap").unwrapped.sim.options["contact"] == "sap"
    assert stiction.envs.Hopper.options["contact"] == "lagged"
    assert isinstance(make("Hopper").unwrapped.sim, st.Simulation)


@pytest.mark.parametrize("name", NAMES)
def test_pictures_show_what_moves_and_only_that(name):
    env = make(name, render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    assert first.shape == (240, 320, 3) and first.dtype == np.uint8
    assert np.array_equal(first, env.render()), "the same state is the same picture"
    for _ in range(10):
        env.step(np.full(env.action_space.shape, 0.7))
    moved = (env.render() != first).any(axis=2)
    assert 50 < moved.sum() < moved.size


def test_a_ball_is_drawn_as_large_as_it_is_seen():
    from stiction.envs.picture import VIEW, Camera

    model = st.Model.from_string(
        '<mujoco><worldbody><body pos="1 2 3"><freejoint/><geom type="sphere" size="0.2" mass="1" rgba="1 0 0 1"/></body></worldbody></mujoco>'
    )
    camera = Camera(model, 200, 100)
    picture = camera.draw(st.Simulation(model)).astype(int)
    red = (picture[..., 0] > 60) & (picture[..., 1] < 30)
    # Seen from a distance of 1.25 r/VIEW · |(0.5, −0.8, 0.4)|, the ball's rim is at the angle asin(r/distance).
    distance = 1.25 / VIEW * np.linalg.norm([0.5, -0.8, 0.4])
    radius = np.tan(np.arcsin(1 / distance)) * 50 / VIEW
    assert red.sum() == pytest.approx(np.pi * radius**2, rel=0.02)
    rows, columns = np.nonzero(red)
    assert rows.mean() == pytest.approx(49.5, abs=0.3) and columns.mean() == pytest.approx(99.5, abs=0.3)
