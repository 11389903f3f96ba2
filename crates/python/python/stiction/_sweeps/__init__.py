"""Sweeps: one function, or one scene, at many parameters, on threads, processes or a Ray cluster.

    rows      the parameters as a list of rows, and the numbers that identify them   (rows.py)
    task      what is run for a row: a function, or a scene for a while               (task.py)
    executor  hands rows out and brings outcomes back, in any order                   (executors.py)
    journal   an outcome is written down before it is counted                         (journal.py)
    table     all outcomes in the order of the rows                                   (table.py)

Data goes forward only. Whoever runs a row gets nothing but the task, the row and its seed, so the numbers do
not depend on the executor. Open ``sweep`` below first: it is these five lines as code. Values on their way
between processes and into the journal are text that keeps every bit (values.py).
"""

import os

from .executors import EXECUTORS
from .journal import Journal
from .progress import Progress
from .rows import rows_of
from .table import SweepTable
from .task import task_of

__all__ = ["SweepTable", "sweep"]


def sweep(
    fn_or_scene,
    parameters,
    executor="processes",
    *,
    workers=None,
    journal=None,
    resume="same",
    retry_errors=False,
    retries=3,
    seed=0,
    progress=None,
):
    """Runs a function or a scene at many parameters and returns a table, one row a run.

    Parameters
    ----------
    fn_or_scene : callable or Model or str or path-like
        A function of keyword arguments that returns a dict of numbers, strings or arrays (or one such value, which becomes the
        column "value"); or a scene: a stiction.Model, a model file, or the name of a built-in scene. A function with an argument
        ``rng`` gets a numpy Generator of its own for each row.
    parameters : dict or list of dict
        A dict from name to values: all combinations, the last name varying fastest (a value that is no list, tuple, range or array
        is the same for all); or a list of dicts, one a run. For a scene the names are the options of Simulation, ``time`` (s, 1 if
        not given), ``qpos``, ``qvel`` and ``ctrl`` (held).
    executor : {"threads", "processes", "ray"}, optional
        "threads" (for functions that spend their time in steps, which release the GIL), "processes", or "ray" (needs ``pip install
        ray``; uses the cluster that ray.init() chose, or starts a local one).
    workers : int, optional
        How many runs at once; None for all cores (of the cluster).
    journal : str or path-like, optional
        A file to which every outcome is appended as soon as it is there. A sweep with the same function, parameters and seed
        continues from it: no row is lost, and none is run or counted twice.
    resume : {"same", "anyway"}, optional
        "same" refuses a journal of another function, seed or version of Stiction; "anyway" keeps its rows. A journal of other
        parameters is always refused.
    retry_errors : bool, optional
        Run rows again whose outcome in the journal is an error.
    retries : int, optional
        How often a row is started again when the process or the node that ran it died.
    seed : int, optional
        Of the rows' random generators: row i draws from numpy's SeedSequence(seed, spawn_key=(i,)).
    progress : bool or callable, optional
        True prints progress, False does not, None does on a terminal; or a function of (done, total, errors).

    Returns
    -------
    SweepTable
        A stiction.SweepTable.

    Raises
    ------
    ValueError
        For parameters or a journal that do not fit.

    Notes
    -----
    A run that raises does not stop the sweep: its row holds the message in the column "error", and results missing there. The
    numbers are the same whatever the executor and the number of workers, bit for bit on the same kind of machine; so are the files
    written by ``save``.

        table = st.sweep(slide, {"friction": [0.2, 0.4], "speed": np.linspace(1, 3, 9)}, executor="ray")
        table["distance"], table.errors
        table.save("slide.parquet")      # or .csv, .arrow
    """
    if executor not in EXECUTORS:
        raise ValueError(f'executor={executor!r}: give "threads", "processes" or "ray"')
    if resume not in ("same", "anyway"):
        raise ValueError(f'resume={resume!r}: give "same" or "anyway"')
    if workers is not None and workers < 1:
        raise ValueError(f"workers={workers}: give at least 1, or None for all cores")
    if retries < 0:
        raise ValueError(f"retries={retries}: give 0 or more")
    rows = rows_of(parameters)
    task = task_of(fn_or_scene, rows, seed)

    outcomes = {}
    log = Journal(os.fspath(journal), task, rows, resume) if journal is not None else None
    try:
        if log:
            outcomes = {row: o for row, o in log.read().items() if not (retry_errors and o.failed)}
        todo = [row for row in range(len(rows)) if row not in outcomes]
        errors = sum(outcome.failed for outcome in outcomes.values())
        with Progress(progress, len(rows), len(outcomes), errors) as show:
            for row, outcome in EXECUTORS[executor](task, rows, todo, workers, retries):
                if row in outcomes:  # an executor may deliver a row again after a failure; the first one counts
                    continue
                if log:
                    log.append(row, outcome)
                outcomes[row] = outcome
                show.add(outcome)
    finally:
        if log:
            log.close()
    return SweepTable(rows, [outcomes[row] for row in range(len(rows))])
