"""Sliders and buttons on a live page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import Viewer


class _Widget:
    __slots__ = ("_index", "_name", "_view")

    def __init__(self, view: Viewer, index: int, name: str) -> None:
        self._view: Any = view
        self._index = index
        self._name = name

    @property
    def name(self) -> str:
        """What the page calls it."""
        return self._name


class Slider(_Widget):
    """A slider on a live page, from Viewer.add_slider."""

    __slots__ = ()

    @property
    def value(self) -> float:
        """Where it stands, in its own unit; may be set, which does not call on_change. A value beyond its ends puts it at the end."""
        return self._view._widget_value(self._index)

    @value.setter
    def value(self, value: float) -> None:
        self._view._set_widget(self._index, value)

    def __repr__(self) -> str:
        return f'<stiction.Slider "{self.name}" at {self.value:g}>'


class Button(_Widget):
    """A button on a live page, from Viewer.add_button."""

    __slots__ = ()

    @property
    def presses(self) -> int:
        """How often it was pressed."""
        return int(self._view._widget_value(self._index))

    def __repr__(self) -> str:
        return f'<stiction.Button "{self.name}", {self.presses} presses>'
