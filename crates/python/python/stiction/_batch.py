"""Results of a batch by world."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from . import Batch


def _deprecated(text: str) -> None:
    warnings.warn(text, DeprecationWarning, stacklevel=3)


class PerWorld(Sequence[Any]):
    """A sequence with one item per world of a batch. Each item is made when it is asked for, and belongs to the last step."""

    __slots__ = ("_batch", "_what")

    def __init__(self, batch: Batch, what: str) -> None:
        self._batch: Any = batch
        self._what = what

    def __len__(self) -> int:
        return self._batch.n

    def __getitem__(self, world: Any) -> Any:
        if isinstance(world, slice):
            return [self._batch._of_world(self._what, i) for i in range(*world.indices(len(self)))]
        return self._batch._of_world(self._what, world)

    def __iter__(self) -> Iterator[Any]:
        return (self._batch._of_world(self._what, i) for i in range(len(self)))

    def __call__(self, world: Any) -> Any:
        """Deprecated: index with the number of the world."""
        _deprecated(f"batch.{self._what}(world) is now batch.{self._what}[world]")
        return self[world]

    def __repr__(self) -> str:
        return f"<{self._what} of {self._batch!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._batch, self._what)


class BatchStats(dict[str, Any]):
    """Counts and times (s) of all worlds: read-only arrays of shape (n,); "seconds" is a dict of such arrays."""

    __slots__ = ("_batch",)

    def __init__(self, batch: Batch, rows: list[dict[str, Any]], names: dict[str, Any]) -> None:
        super().__init__((name, _column([row[name] for row in rows], of)) for name, of in names.items())
        self._batch: Any = batch

    def __call__(self, world: Any = None) -> dict[str, Any]:
        """Deprecated: index with a name, and sum over the worlds."""
        _deprecated('batch.stats() is now batch.stats, with one number per world: batch.stats["steps"].sum()')
        return self._batch._stats(world)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


def _column(values: list[Any], of: Any) -> Any:
    if isinstance(of, dict):
        return {name: _column([value[name] for value in values], kind) for name, kind in of.items()}
    column = np.array(values, dtype=np.int64 if isinstance(of, int) else np.float64)
    column.flags.writeable = False
    return column
