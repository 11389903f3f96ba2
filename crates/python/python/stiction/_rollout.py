"""Rollouts on the executors of sweeps."""

import functools

import numpy as np


def rollout_on(model, states, controls=None, executor="processes", *, chunk=64, workers=None, retries=3, progress=None, **options):
    """Simulates many initial states as ``rollout`` does, on processes or on a Ray cluster.

    Parameters
    ----------
    model, states, controls : Model or array_like
        As for ``rollout``; options are those of ``rollout`` too (``steps=``, ``step=``, …).
    executor : {"threads", "processes", "ray"}, optional
        "threads", "processes" or "ray", as for ``sweep``.
    chunk : int, optional
        Rows given out at a time; each is one ``rollout`` on one thread.
    workers, retries, progress : int or bool or callable, optional
        As for ``sweep``.

    Returns
    -------
    numpy.ndarray
        The states after each step, shape (n, T, nq + nv): the same as ``rollout`` gives, bit for bit.

    Raises
    ------
    SimulationError
        If a row could not be simulated.
    """
    from . import SimulationError
    from ._sweeps import sweep

    if chunk < 1:
        raise ValueError(f"chunk={chunk}: give at least 1")
    states = np.asarray(states, dtype=float)
    if states.ndim != 2 or len(states) == 0 or states.shape[1] != model.nq + model.nv:
        raise ValueError(f"states has shape {states.shape}: give (n, {model.nq + model.nv}), which is (n, nq + nv), n at least 1")
    if controls is not None:
        controls = np.asarray(controls, dtype=float)
        if controls.ndim != 3 or len(controls) != len(states):
            raise ValueError(f"controls has shape {controls.shape}: give ({len(states)}, T, {model.nu}), which is (n, T, nu)")
    rows = []
    for first in range(0, len(states), chunk):
        part = slice(first, first + chunk)
        rows.append({"states": states[part]} | ({} if controls is None else {"controls": controls[part]}))
    table = sweep(functools.partial(_part, model, options), rows, executor, workers=workers, retries=retries, progress=progress)
    for number, message in table.errors.items():
        raise SimulationError(f"rows {number * chunk} to {min((number + 1) * chunk, len(states)) - 1}: {message}")
    return np.concatenate(list(table["trajectories"]))


def _part(model, options, states, controls=None):
    from . import rollout

    return {"trajectories": rollout(model, states, controls, threads=1, **options)}
