"""Handles on controllers of simulations and batches."""

from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING, Any

from ._errors import InputError, InputTypeError

if TYPE_CHECKING:
    from . import Batch, Simulation


class ControllerHandle:
    """A controller of a simulation or a batch, from add_controller. It stays valid when other controllers are removed.

    handle.number is its present place among the controllers; where a number was expected, the handle stands for it.
    """

    __slots__ = ("_key", "_owner")

    def __init__(self, owner: Simulation | Batch, key: int) -> None:
        self._owner = owner
        self._key = key

    @property
    def attached(self) -> bool:
        """Whether the controller is still there."""
        return self._key in _keys(self._owner)

    @property
    def number(self) -> int:
        """Its place among the controllers, which falls when an earlier one is removed. Raises ValueError if it was removed."""
        keys = _keys(self._owner)
        if self._key not in keys:
            raise InputError("this controller was removed: give the handle of one that is there")
        return keys.index(self._key)

    @property
    def controller(self) -> Any:
        """The function or ready controller; in a batch, the list of them if one was given for each world."""
        return self._owner.controllers[self.number]

    def remove(self) -> None:
        """Removes the controller; the controls keep their values.

        Raises
        ------
        ValueError
            If that was done already.
        """
        self._owner.remove_controller(self)

    def __index__(self) -> int:
        return self.number

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ControllerHandle):
            return self._owner is other._owner and self._key == other._key
        if isinstance(other, int):
            return self.attached and self.number == other
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        place = f"controller {self.number}" if self.attached else "a removed controller"
        return f"<stiction.ControllerHandle: {place} of {self._owner!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _handle, (self._owner, self.number)


def _keys(owner: Any) -> list[int]:
    return owner._controller_keys


def _handle(owner: Any, number: int) -> ControllerHandle:
    return ControllerHandle(owner, _keys(owner)[number])


def number_of(owner: Any, given: Any) -> int:
    """The place of a controller from its handle, or (deprecated) from its place."""
    if isinstance(given, ControllerHandle):
        if given._owner is not owner:
            raise InputError(f"{given!r} belongs to another object: give a handle from its own add_controller")
        return given.number
    try:
        number = operator.index(given)
    except TypeError:
        raise InputTypeError(f"{given!r}: give the handle that add_controller returned") from None
    count = len(_keys(owner))
    if not 0 <= number < count:
        known = f"they go from 0 to {count - 1}" if count else "there are none"
        raise InputError(f"there is no controller {number}: {known}")
    text = "remove_controller takes the handle that add_controller returns; numbers change when another controller is removed"
    warnings.warn(text, DeprecationWarning, stacklevel=2)
    return number
