"""The table of a sweep: columns of numpy arrays, and what else reads them."""

import csv
import os

import numpy as np

from .values import decode


class SweepTable:
    """The rows of a sweep in the order of its parameters: parameters first, then results, then "error".

    ``table["name"]`` is a column as a numpy array; arrays of one shape are stacked to (n, …). A column with missing values (results
    of failed runs) is a masked array. ``table.columns`` is a dict of all of them, ``len(table)`` the number of rows,
    ``table.errors`` a dict from row to message of the runs that failed.
    """

    def __init__(self, rows, outcomes):
        names = list(dict.fromkeys(name for outcome in outcomes for name in outcome.results or ()))
        #: Columns by name.
        self.columns = {name: _column([row[name] for row in rows]) for name in rows[0]}
        for name in names:
            values = [decode(outcome.results[name]) if name in (outcome.results or ()) else None for outcome in outcomes]
            self.columns[name] = _column(values)
        self.columns["error"] = np.array([outcome.error for outcome in outcomes], dtype=object)

    @property
    def errors(self):
        """The messages of the runs that failed, by row."""
        return {row: message for row, message in enumerate(self.columns["error"]) if message is not None}

    def __len__(self):
        return len(self.columns["error"])

    def __getitem__(self, name):
        try:
            return self.columns[name]
        except KeyError:
            raise KeyError(f"no column {name!r}: there are {', '.join(self.columns)}") from None

    def __iter__(self):
        """The names of the columns, as a dict has it."""
        return iter(self.columns)

    def keys(self):
        """The names of the columns; with ``[]`` it makes ``dict(table)`` work."""
        return self.columns.keys()

    def __repr__(self):
        failed = f", {len(self.errors)} failed" if self.errors else ""
        return f"<SweepTable of {len(self)} rows{failed}: {', '.join(self.columns)}>"

    def to_arrow(self):
        """A pyarrow.Table; arrays become fixed-size lists. Needs ``pip install pyarrow``."""
        try:
            import pyarrow
        except ImportError:
            raise ImportError("a table for Arrow or Parquet needs pyarrow: pip install pyarrow") from None
        return pyarrow.table({name: _arrow(pyarrow, column) for name, column in self.columns.items()})

    def save(self, path):
        """Writes a file.

        Parameters
        ----------
        path : str or path-like
            Its extension determines the format: .parquet, .arrow (both need pyarrow) or .csv.

        Notes
        -----
        In CSV an array takes a column for each of its numbers, ``name[0]``, ``name[0,1]``…; missing is empty.
        """
        path = os.fspath(path)
        kind = os.path.splitext(path)[1].lower()
        if kind == ".csv":
            self._save_csv(path)
        elif kind == ".parquet":
            table = self.to_arrow()
            from pyarrow import parquet

            parquet.write_table(table, path)
        elif kind in (".arrow", ".feather"):
            table = self.to_arrow()
            from pyarrow import feather

            feather.write_feather(table, path)
        else:
            raise ValueError(f"{path}: the name must end in .parquet, .arrow, .feather or .csv")

    def _save_csv(self, path):
        names, flat = [], []
        for name, column in self.columns.items():
            if column.ndim == 1:
                names.append(name)
                flat.append(column)
            else:
                for place in np.ndindex(column.shape[1:]):
                    names.append(f"{name}[{','.join(map(str, place))}]")
                    flat.append(column[(slice(None), *place)])
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            # repr of a float gives back the same float
            writer.writerows([_cell(column, row) for column in flat] for row in range(len(self)))


def _column(values):
    """A column of values, None where there is none: of one type, or of objects."""
    present = [value for value in values if value is not None]
    kinds = {_kind(value) for value in present}
    if kinds == {int, float}:
        kinds = {float}
    if len(kinds) != 1 or (isinstance(next(iter(kinds)), tuple) and None in kinds):
        return _objects(values)
    (kind,) = kinds
    if isinstance(kind, tuple):
        dtype, shape = kind
        fill = np.zeros(shape, dtype=dtype)
    else:
        dtype, fill = (object, "") if kind is str else (kind, kind())
    if len(present) == len(values):
        return np.array(values, dtype=dtype)
    missing = np.array([value is None for value in values])
    data = np.array([fill if value is None else value for value in values], dtype=dtype)
    return np.ma.array(data, mask=np.broadcast_to(missing.reshape(-1, *[1] * (data.ndim - 1)), data.shape))


def _kind(value):
    if isinstance(value, (np.ndarray, list, tuple)):
        array = np.asarray(value)
        return (array.dtype if array.dtype.kind != "U" else np.dtype(object), array.shape)
    if isinstance(value, (bool, np.bool_)):
        return bool
    if isinstance(value, (int, np.integer)):
        return int
    return float if isinstance(value, (float, np.floating)) else str


def _objects(values):
    column = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        column[place] = value
    return column


def _arrow(pyarrow, column):
    missing = np.ma.getmaskarray(column) if isinstance(column, np.ma.MaskedArray) else None
    data = np.ma.getdata(column)
    if data.ndim == 1:
        if data.dtype == object:
            values = [v.tolist() if isinstance(v, np.ndarray) else v for v in data]
            if missing is not None:
                values = [None if gone else v for v, gone in zip(values, missing)]
            text = all(v is None or isinstance(v, str) for v in values)
            return pyarrow.array(values, type=pyarrow.string() if text else None)
        return pyarrow.array(data, mask=missing)
    values = data.reshape(len(data), -1)
    gone = missing.reshape(len(data), -1).any(axis=1) if missing is not None else None
    flat = pyarrow.array(values.ravel())
    mask = pyarrow.array(gone) if gone is not None else None
    return pyarrow.FixedSizeListArray.from_arrays(flat, values.shape[1], mask=mask)


def _cell(column, row):
    value = column[row]
    if value is None or value is np.ma.masked:
        return ""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return repr(value) if isinstance(value, float) else value
