"""Improves a throw by gradient descent until the ball bounces into a bin.

The ball hits the floor once on its way. Free to choose are its velocity and its spin at the start; wanted is that after
a given time it is over the middle of the bin, thrown as gently as may be. The gradient comes back through the steps,

    λ = (∂state⁺/∂state)ᵀ λ⁺,

from the loss at the end to the throw at the start, through the bounce and its friction.

    python bounce_into_bin.py [--figure bounce_into_bin.png] [--record bounce.html]      # the figure needs matplotlib
"""

import argparse

import numpy as np
import stiction as st

STEP, STEPS = 5e-4, 1400  # 0.7 s to the mouth of the bin
BIN = np.array([1.6, 0.3])  # its middle
MOUTH = 0.35  # m above the floor, above the walls
START = np.array([1.2, 0.0, 0.0, 0.0, 0.0, 0.0])  # velocity (m/s, world), spin (rad/s, body)
SIZES = np.array([1.0, 1.0, 1.0, 30.0, 30.0, 30.0])  # of the numbers to choose, so that a gradient step treats them alike
GENTLE = 1e-4  # weight of the throw's size against m² of error

SCENE = f"""
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" friction="0.6 0 0">
      <drake:proximity_properties><drake:point_contact_stiffness value="5e3"/>
        <drake:hunt_crossley_dissipation value="0.05"/></drake:proximity_properties>
    </geom>
    <body name="bin" pos="{BIN[0]} {BIN[1]} 0">
      <geom type="box" pos=" 0.16 0 0.1" size="0.01 0.17 0.1"/><geom type="box" pos="-0.16 0 0.1" size="0.01 0.17 0.1"/>
      <geom type="box" pos="0  0.16 0.1" size="0.17 0.01 0.1"/><geom type="box" pos="0 -0.16 0.1" size="0.17 0.01 0.1"/>
    </body>
    <body name="ball" pos="0 0 0.5"><freejoint/>
      <geom name="ball" type="sphere" size="0.04" mass="0.1" friction="0.6 0 0" rgba="0.9 0.4 0.1 1">
        <drake:proximity_properties><drake:point_contact_stiffness value="5e3"/>
          <drake:hunt_crossley_dissipation value="0.05"/></drake:proximity_properties>
      </geom>
    </body>
  </worldbody>
</mujoco>
"""


def launch(model, throw):
    sim = st.Simulation(model, step=STEP, tangential_springs=False)  # the step that is differentiated
    sim.qvel[:] = throw
    return sim


def fly(model, throw):
    """Positions of the ball, (STEPS + 1, 3)."""
    sim = launch(model, throw)
    path = [sim.qpos[:3].copy()]
    for _ in range(STEPS):
        sim.step()
        path.append(sim.qpos[:3].copy())
    return np.array(path)


def loss(throw, end):
    target = np.array([*BIN, MOUTH])
    return np.sum((end - target) ** 2) + GENTLE * np.sum((throw / SIZES) ** 2)


def loss_and_gradient(model, throw):
    sim = launch(model, throw)
    matrices = []
    for _ in range(STEPS):
        matrices.append(sim.step_derivatives().state)
        sim.step()
    end = sim.qpos[:3].copy()
    nv = model.nv
    slope = np.zeros(2 * nv)  # of the loss by the state at the end: [position, rotation; velocities]
    slope[:3] = 2 * (end - [*BIN, MOUTH])
    for matrix in reversed(matrices):
        slope = matrix.T @ slope
    return loss(throw, end), slope[nv:] + 2 * GENTLE * throw / SIZES**2


def improve(model, throw, iterations=25):
    """Gradient descent with steps that must help; the throws and losses of all iterations."""
    throw, rate, history = np.array(throw), 1.0, []
    value, gradient = loss_and_gradient(model, throw)
    for _ in range(iterations):
        history.append((throw.copy(), value))
        downhill = -(SIZES**2) * gradient
        expected = gradient @ downhill
        while True:
            trial = throw + rate * downhill
            if loss(trial, fly(model, trial)[-1]) < value + 1e-4 * rate * expected:
                break
            rate *= 0.5
            if rate < 1e-10:
                return throw, history
        throw, before = trial, value
        rate *= 2.0
        value, gradient = loss_and_gradient(model, throw)
        if before - value < 1e-4 * value:
            break
    history.append((throw.copy(), value))
    return throw, history


def lands_in_bin(model, throw, time=3.0):
    """Whether the ball lies between the walls in the end."""
    sim = launch(model, throw)
    sim.step(round(time / STEP))
    return bool(np.all(np.abs(sim.qpos[:2] - BIN) < 0.15)), sim.qpos[:3].copy()


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figure", help="write a figure here")
    parser.add_argument("--record", help="record the last throw here (.html)")
    options = parser.parse_args(arguments)
    model = st.Model.from_string(SCENE, format="mjcf")
    throw, history = improve(model, START)
    for k in sorted({0, 1, 2, 5, 10, 20, 40, len(history) - 1} & set(range(len(history)))):
        end = fly(model, history[k][0])[-1]
        miss = np.linalg.norm(end - [*BIN, MOUTH])
        print(f"{k:3d}  loss {history[k][1]:.6f}  misses the mouth by {miss:.4f} m  in the bin: {lands_in_bin(model, history[k][0])[0]}")
    print("velocity", np.round(throw[:3], 3), "m/s, spin", np.round(throw[3:], 2), "rad/s")
    if options.record:
        sim = launch(model, throw)
        with sim.record(options.record):
            sim.step(round(2.0 / STEP))
    if options.figure:
        draw(options.figure, model, history)
    return throw, history


def draw(path, model, history):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained", width_ratios=(3, 2))
    last = len(history) - 1
    shown = sorted({0, 1, 3, 8, last} & set(range(last + 1)))
    for k in shown:
        way = fly(model, history[k][0])
        left.plot(way[:, 0], way[:, 2], lw=2.0 if k == last else 1.0, label=f"iteration {k}")
    for x in (-0.16, 0.16):
        left.plot([BIN[0] + x] * 2, [0, 0.2], "k", lw=3)
    left.axhline(0, color="k", lw=1)
    left.plot(BIN[0], MOUTH, "k+", ms=10)
    left.set(xlabel="x, m", ylabel="height, m", title="throws, seen from the side")
    left.set_ylim(-0.03, 0.75)
    left.legend(fontsize=8, loc="upper right")
    right.semilogy([value for _, value in history], ".-")
    right.set(xlabel="iteration", ylabel="loss, m²", title="gradient descent")
    fig.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
