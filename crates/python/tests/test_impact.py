"""Impacts: the set of outcomes of a landing, Routh's path of a single contact."""

import pickle

import numpy as np
import pytest
import stiction as st

# A block 1 wide and 2 tall in the plane: mass 1, inertia 5/12, friction 1, standing on the floor.
BLOCK = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" friction="1"/>
    <body pos="0 0 1">
      <joint type="slide" axis="1 0 0"/> <joint type="slide" axis="0 0 1"/> <joint type="hinge" axis="0 -1 0"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 0.4166666666666667 1"/>
      <geom name="block" type="box" size="0.5 0.3 1" friction="1"/>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def block():
    return st.Model.from_string(BLOCK, format="mjcf")


def test_a_block_that_lands_flat_may_rock_either_way(block):
    outcomes = st.impact_outcomes(block, np.zeros(3), [0.0, -1.0, 0.0], samples=512)
    n, c = len(outcomes.velocities), len(outcomes.contacts)
    assert c == 4 and outcomes.impulses.shape == (n, c, 3) and outcomes.modes.shape == (n, c)
    # The closed form: corner by corner (0.21, 0.105, ∓0.21), all at once nothing.
    by_order = {order: v for order, v in zip(outcomes.origins, outcomes.velocities) if isinstance(order, tuple)}
    ends = sorted(by_order.values(), key=lambda v: v[2])
    np.testing.assert_allclose(ends[0], [0.21, 0.105, -0.21], atol=1e-12)
    np.testing.assert_allclose(ends[-1], [-0.21, 0.105, 0.21], atol=1e-12)
    assert outcomes.origins[0] == "at once"
    np.testing.assert_allclose(outcomes.velocities[0], 0.0, atol=1e-9)
    np.testing.assert_allclose(outcomes.extremes([0, 0, 1]), [-0.21, 0.21], atol=1e-9)
    assert outcomes.level == "contact modes differ"
    assert outcomes.certificate["terminates"] and outcomes.certificate["impulse_bound"] > 1.0
    assert outcomes.errors.max() < 1e-8 and outcomes.unfinished == 0
    assert outcomes.verdict == "ambiguous" and "differ" in outcomes.reason
    # The bounds from outside hold every outcome, and hardly more.
    for direction in ([0, 0, 1], [1, 0, 0], [0.3, -1, 0.5]):
        inner, bounds = outcomes.extremes(direction), outcomes.bounds(direction)
        assert bounds[0] <= inner[0] + 1e-9 and bounds[1] >= inner[1] - 1e-9
        assert bounds[1] - bounds[0] < 1.1 * (inner[1] - inner[0])
    # Energy never rises, and the impulses are those that make the velocities.
    assert np.all((outcomes.velocities**2 @ [1, 1, 5 / 12]) <= 1 + 1e-12)
    np.testing.assert_allclose(outcomes.impulses[:, :, 2].sum(axis=1), outcomes.velocities[:, 1] + 1, atol=1e-12)


def test_outcomes_repeat_scale_and_pickle(block):
    one = st.impact_outcomes(block, np.zeros(3), [0.2, -1.0, 0.1], samples=64)
    again = st.impact_outcomes(block, np.zeros(3), [0.2, -1.0, 0.1], samples=64)
    assert np.array_equal(one.velocities, again.velocities)
    twice = st.impact_outcomes(block, np.zeros(3), [0.4, -2.0, 0.2], samples=64)
    assert np.array_equal(2 * one.velocities, twice.velocities)
    back = pickle.loads(pickle.dumps(one))
    assert np.array_equal(back.velocities, one.velocities) and back.certificate["terminates"]


def test_nothing_that_approaches_gives_an_empty_set(block):
    outcomes = st.impact_outcomes(block, np.zeros(3), [1.0, 0.5, 0.0])
    assert outcomes.velocities.shape == (0, 3) and outcomes.verdict == "unique"


def test_matrices_give_what_the_model_gives(block):
    """The block as matrices: mass, and rows of the corners' normal and tangential velocities."""
    mechanism = dict(
        mass=np.diag([1, 1, 5 / 12]),
        normals=[[0, 1, -0.5], [0, 1, 0.5]],
        tangents=[[1, 0, 1], [1, 0, 1]],
        friction=1.0,
        velocity=[0.0, -1.0, 0.0],
    )
    raw = st.impact_outcomes(**mechanism, samples=64, paths=[0, 1])
    np.testing.assert_allclose(raw.extremes([0, 0, 1]), [-0.21, 0.21], atol=1e-9)
    assert raw.verdict == "ambiguous" and len(raw.contacts) == 2
    # Paths begin with the velocities before and end with those after.
    for i, path in raw.paths.items():
        np.testing.assert_allclose(path[0, :, 2], [-1, -1], atol=1e-12)
        after = np.array(mechanism["normals"]) @ raw.velocities[i]
        np.testing.assert_allclose(path[-1, :, 2], after, atol=1e-9)
    back = pickle.loads(pickle.dumps(raw))
    assert back.verdict == raw.verdict and np.array_equal(back.outer, raw.outer)
    with pytest.raises(ValueError, match="not both"):
        st.impact_outcomes(block, np.zeros(3), np.zeros(3), **mechanism)
    with pytest.raises(ValueError, match="tangents"):
        st.impact_outcomes(**{**mechanism, "tangents": np.zeros((2, 5))})
    with pytest.raises(ValueError, match="friction needs tangents"):
        st.impact_outcomes(**{**mechanism, "tangents": None})


def test_agreeing_samples_prove_nothing_and_a_bound_does():
    """A box of 2 m by 1 m tilted by 40° slides into a wall: unique at friction 0.5, ambiguous at 0.9."""
    s, c = np.sin(np.radians(40)), np.cos(np.radians(40))
    a, b = (-c + 0.5 * s, -s - 0.5 * c), (c + 0.5 * s, s - 0.5 * c)
    box = dict(
        mass=np.diag([1, 1, 5 / 12]),
        normals=[[0, 1, a[0]], [-1, 0, b[1]]],
        tangents=[[1, 0, -a[1]], [0, 1, b[0]]],
        velocity=[1.0, 0.0, 0.0],
        samples=256,
    )
    assert st.impact_outcomes(**box, friction=[0.5, 0], outer=False).verdict == "unknown"
    assert st.impact_outcomes(**box, friction=[0.5, 0]).verdict == "unique"
    assert st.impact_outcomes(**box, friction=[0.9, 0]).verdict == "ambiguous"


def test_outcomes_are_members_and_velocities_outside_the_bound_are_not():
    s, c = np.sin(np.radians(35)), np.cos(np.radians(35))
    a, b = (-c + 0.5 * s, -s - 0.5 * c), (c + 0.5 * s, s - 0.5 * c)
    box = dict(
        mass=np.diag([1, 1, 5 / 12]),
        normals=[[0, 1, a[0]], [-1, 0, b[1]]],
        tangents=[[1, 0, -a[1]], [0, 1, b[0]]],
        friction=[0.5, 0],
        velocity=[1.0, 0.0, 0.0],
        samples=64,
    )
    one = st.impact_outcomes(**box)
    v = one.velocities[-1]
    again = st.impact_outcomes(**{**box, "samples": 0}, members=[v, v + [0, 0, 1.0]], sectors=6, work=10_000_000)
    assert [m["answer"] for m in again.members] == ["yes", "no"]
    assert "outside" in again.members[1]["reason"] and again.rerouted == 0
    assert pickle.loads(pickle.dumps(again)).members == again.members
    # The bound of a slanted direction holds all outcomes, and is not looser than the box.
    low, high = one.bounds([1, 0.5, -0.3])
    assert low <= (one.velocities @ [1, 0.5, -0.3]).min() and high >= (one.velocities @ [1, 0.5, -0.3]).max()
    for wrong, match in [(dict(members=[[1, 2]]), "shape"), (dict(sectors=5), "sectors"), (dict(outer=False, members=[v]), "outer")]:
        with pytest.raises(ValueError, match=match):
            st.impact_outcomes(**box, **wrong)


def test_futures_of_a_falling_block_fork_and_mirror_each_other(block):
    tree = st.futures(block, [0, 0.05, 0], np.zeros(3), horizon=0.15, outcomes=3)
    assert tree.branches[0].end == "fork" and tree.pruned == 0
    assert abs(sum(b.weight for b in tree.leaves()) - 1) < 1e-12
    spins = sorted(b.qvel[0][2] for b in tree.branches[1:])
    assert spins[0] < -0.15 and spins[-1] > 0.15
    # Left and right weigh alike, and pickling keeps the tree.
    left, right = tree.share(lambda q, v: q[2] > 1e-4), tree.share(lambda q, v: q[2] < -1e-4)
    assert left > 0.1 and right > 0.1
    assert pickle.loads(pickle.dumps(tree)).branches[1].weight == tree.branches[1].weight
    with pytest.raises(ValueError, match="horizon"):
        st.futures(block, np.zeros(3), np.zeros(3), horizon=-1)


def test_a_block_that_lands_at_once_bounces_straight_up(block):
    outcomes = st.impact_outcomes(block, np.zeros(3), [0.0, -1.0, 0.0], samples=16, restitution=0.6)
    assert outcomes.bounced.shape == outcomes.velocities.shape
    np.testing.assert_allclose(outcomes.bounced[0], [0, 0.6, 0], atol=1e-9)
    assert np.all(outcomes.bounced**2 @ [1, 1, 5 / 12] <= 1 + 1e-9)
    with pytest.raises(ValueError, match="restitution"):
        st.impact_outcomes(block, np.zeros(3), [0, -1, 0], samples=4, restitution=1.5)


def test_wrong_input_is_told(block):
    with pytest.raises(ValueError, match="touch"):
        st.impact_outcomes(block, np.zeros(3), np.zeros(3), touch=-1.0)
    with pytest.raises(ValueError, match="cap"):
        st.impact_outcomes(block, np.zeros(3), [0, -1, 0], cap=0.0)
    with pytest.raises(ValueError, match="qvel"):
        st.impact_outcomes(block, np.zeros(3), [0, -1])
    with pytest.raises(ValueError, match="friction"):
        st.routh(np.eye(3), [0, 0, -1], friction=-0.5)
    with pytest.raises(ValueError, match="law"):
        st.routh(np.eye(3), [0, 0, -1], friction=0.5, law="hertz")


@pytest.mark.parametrize("law", ["poisson", "newton", "stronge"])
def test_a_sphere_follows_its_closed_form(law):
    sphere = np.diag([3.5, 3.5, 1.0])
    path = st.routh(sphere, [3.0, 0.0, -1.0], friction=0.2, restitution=0.5, law=law)
    np.testing.assert_allclose(path.velocity, [3.0 - 3.5 * 0.2 * 1.5, 0.0, 0.5], atol=1e-12)
    stops = st.routh(sphere, [1.0, 0.0, -1.0], friction=0.2, restitution=0.5, law=law)
    np.testing.assert_allclose(stops.velocity, [0.0, 0.0, 0.5], atol=1e-12)
    assert ("slip stops" in [name for name, _ in stops.events]) and stops.energy_change < 0
    assert stops.velocities.shape == stops.impulses.shape and not stops.painleve
