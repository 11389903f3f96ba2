"""Finds friction and stiffness of a ball from how it bounced.

A ball is thrown flat over a soft floor and its centre is measured every step, to a tenth of a millimetre. The same
throw is simulated with a guess of the friction coefficient and of the contact stiffness, and the guess is improved by
Gauss and Newton's method: how each position changes with the two numbers follows from the derivatives of the steps,

    S⁺ = (∂state⁺/∂state) S + ∂state⁺/∂parameter.

    python identify_contact.py [--figure identify_contact.png]      # the figure needs matplotlib
"""

import argparse

import numpy as np
import stiction as st

STEP, STEPS = 5e-4, 1000
TRUTH = np.array([0.2, 2e3])  # friction, stiffness (N/m)
GUESS = np.array([0.4, 5e3])
NOISE = 1e-4  # m

SCENE = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" friction="0 0 0">
      <drake:proximity_properties><drake:point_contact_stiffness value="1e9"/></drake:proximity_properties>
    </geom>
    <body name="ball" pos="0 0 0.15"><freejoint/>
      <geom name="ball" type="sphere" size="0.05" mass="0.2" friction="{friction} 0 0">
        <drake:proximity_properties>
          <drake:point_contact_stiffness value="{stiffness}"/><drake:hunt_crossley_dissipation value="0.1"/>
        </drake:proximity_properties>
      </geom>
    </body>
  </worldbody>
</mujoco>
"""


def simulation(parameters):
    friction, stiffness = parameters
    model = st.Model.from_string(SCENE.format(friction=friction, stiffness=stiffness), format="mjcf")
    sim = st.Simulation(model, step=STEP, tangential_springs=False)  # the step that is differentiated
    sim.qvel[:3] = 5.0, 0.5, 0.0
    return sim


def throw(parameters):
    """Positions of the ball after each step, (STEPS, 3)."""
    sim = simulation(parameters)
    path = np.empty((STEPS, 3))
    for k in range(STEPS):
        sim.step()
        path[k] = sim.qpos[:3]
    return path


def throw_with_sensitivity(parameters):
    """Positions, and their derivatives by friction and by the logarithm of the stiffness, (STEPS, 3, 2)."""
    sim = simulation(parameters)
    wanted = [("ball", "friction"), ("ball", "stiffness")]
    scale = np.array([1.0, parameters[1]])
    path, slopes = np.empty((STEPS, 3)), np.empty((STEPS, 3, 2))
    s = np.zeros((2 * sim.model.nv, 2))
    for k in range(STEPS):
        d = sim.step_derivatives(wanted)
        s = d.state @ s + d.parameters * scale
        sim.step()
        path[k], slopes[k] = sim.qpos[:3], s[:3]
    return path, slopes


def identify(measured, guess, iterations=12):
    """The parameters, their standard deviations, and the parameters of every iteration with their misfits (m, rms)."""
    parameters, history = np.array(guess, dtype=float), []
    path, slopes = throw_with_sensitivity(parameters)
    for _ in range(iterations):
        residual = (measured - path).ravel()
        history.append((parameters.copy(), np.sqrt(np.mean(residual**2))))
        jacobian = slopes.reshape(-1, 2)
        step = np.linalg.lstsq(jacobian, residual, rcond=None)[0]
        step *= min(1.0, 0.5 / np.abs(step).max())  # far from the truth bounces come at other times: go slowly
        # Halve until it helps: a bounce that comes too late makes the model of the misfit good for small steps only.
        for _ in range(8):
            trial = np.array([max(parameters[0] + step[0], 0.01), parameters[1] * np.exp(step[1])])
            misfit = np.sqrt(np.mean((measured - throw(trial)) ** 2))
            if misfit < history[-1][1]:
                break
            step *= 0.5
        else:
            break
        parameters = trial
        path, slopes = throw_with_sensitivity(parameters)
        if np.abs(step).max() < 1e-7:
            break
    covariance = history[-1][1] ** 2 * np.linalg.inv(slopes.reshape(-1, 2).T @ slopes.reshape(-1, 2))
    deviation = np.sqrt(np.diag(covariance)) * [1.0, parameters[1]]
    return parameters, deviation, history


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figure", help="write a figure here")
    figure = parser.parse_args(arguments).figure
    measured = throw(TRUTH) + NOISE * np.random.default_rng(1).normal(size=(STEPS, 3))
    found, deviation, history = identify(measured, GUESS)
    for k, (parameters, misfit) in enumerate(history):
        print(f"{k:2d}  friction {parameters[0]:.5f}  stiffness {parameters[1]:9.2f} N/m  misfit {misfit * 1e3:8.4f} mm")
    print(f"friction  {found[0]:.5f} ± {deviation[0]:.5f}    truth {TRUTH[0]}")
    print(f"stiffness {found[1]:.1f} ± {deviation[1]:.1f} N/m    truth {TRUTH[1]:.0f}")
    if figure:
        draw(figure, measured, history)
    return found, deviation, history


def draw(path, measured, history):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    time = STEP * np.arange(1, STEPS + 1)
    fig, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    left.plot(measured[::8, 0], measured[::8, 2], ".", ms=3, color="0.6", label="measured")
    for k in (0, min(2, len(history) - 1), len(history) - 1):
        trial = throw(history[k][0])
        left.plot(trial[:, 0], trial[:, 2], lw=1.2, label=f"iteration {k}")
    left.set(xlabel="x, m", ylabel="height of the centre, m", title=f"{time[-1]:.1f} s of bouncing")
    left.legend(fontsize=8)
    errors = np.array([np.abs(p - TRUTH) / TRUTH for p, _ in history])
    right.semilogy(errors[:, 0], "o-", label="friction, relative error")
    right.semilogy(errors[:, 1], "s-", label="stiffness, relative error")
    right.semilogy([m * 1e3 for _, m in history], "k--", label="misfit, mm")
    right.set(xlabel="iteration", title="Gauss–Newton")
    right.legend(fontsize=8)
    fig.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
