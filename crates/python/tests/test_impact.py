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
    assert outcomes.residuals.max() < 1e-8 and outcomes.unfinished == 0
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
    assert outcomes.velocities.shape == (0, 3) and outcomes.level == "unique"


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
