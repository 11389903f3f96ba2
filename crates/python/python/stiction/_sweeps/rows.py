"""Parameters as a list of rows, each a dict from name to value."""

import itertools
from collections.abc import Iterable, Mapping

import numpy as np

from .values import encode

#: Columns that the table adds.
RESERVED = ("error",)


def rows_of(parameters):
    """The rows of a sweep: all combinations of a dict, or the dicts of a list as they are."""
    if isinstance(parameters, Mapping):
        names = list(parameters)
        values = [_values(parameters[name]) for name in names]
        for name, choices in zip(names, values):
            if len(choices) == 0:
                raise ValueError(f"parameters[{name!r}] is empty: give at least one value")
        rows = [dict(zip(names, combination)) for combination in itertools.product(*values)]
    elif isinstance(parameters, Iterable) and not isinstance(parameters, (str, bytes)):
        rows = list(parameters)
        for number, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise ValueError(f"parameters[{number}] is a {type(row).__name__}: give a dict from name to value")
            if set(row) != set(rows[0]):
                other = sorted(set(row) ^ set(rows[0]))
                raise ValueError(f"parameters[{number}] and parameters[0] differ in {other}: give all rows the same names")
        rows = [dict(row) for row in rows]
    else:
        raise ValueError("parameters: give a dict from name to values, or a list of dicts")
    if not rows:
        raise ValueError("parameters has no rows: give at least one")
    for name in rows[0]:
        if not (isinstance(name, str) and name.isidentifier()):
            raise ValueError(f"parameters: {name!r} is not a name of a keyword argument")
        if name in RESERVED:
            raise ValueError(f"parameters: the column {name!r} is made by the sweep: give the parameter another name")
    return rows


def encoded_rows(rows):
    """The rows as JSON holds them, checked."""
    return [
        {name: encode(value, f"parameters: {name!r} of row {number}") for name, value in row.items()} for number, row in enumerate(rows)
    ]


def _values(choices):
    """The values of one parameter: the items of a list, or the one value given."""
    if isinstance(choices, np.ndarray):
        return [choices.item()] if choices.ndim == 0 else [v.item() if v.ndim == 0 else v for v in map(np.asarray, choices)]
    if isinstance(choices, (list, tuple, range)):
        return list(choices)
    return [choices]
