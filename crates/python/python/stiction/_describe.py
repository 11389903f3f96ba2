"""Docstrings for the fields of named tuples."""

from typing import Any


def describe(owner: Any, **fields: str) -> None:
    """Sets what help() says of each field; every field needs a text."""
    missing = set(owner._fields) ^ set(fields)
    if missing:
        raise TypeError(f"{owner.__name__}: {sorted(missing)} lack a text or are no fields")
    for name, text in fields.items():
        getattr(owner, name).__doc__ = text
