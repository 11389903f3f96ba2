"""What is run for a row: a function of its parameters, or a scene for a while."""

import functools
import hashlib
import inspect
import os
import pickle
import traceback
from dataclasses import dataclass

import numpy as np

from .values import encode


@dataclass(frozen=True)
class Outcome:
    """How a run ended: its results as encoded by ``values``, or an error with its message."""

    #: Encoded results by name; None if the run failed.
    results: dict | None
    #: Type and message of the exception, as Python prints it; None if there was none.
    error: str | None = None
    #: Where it was raised; for the journal, since paths differ between machines.
    traceback: str | None = None

    @property
    def failed(self):
        return self.error is not None


@dataclass(frozen=True)
class Task:
    """A function, whether it wants a generator, and the seed. Everything a worker needs but the row."""

    function: object
    random: bool
    seed: int

    def run(self, number, parameters):
        """Runs one row. What the function raises is an outcome; Ctrl-C and the like leave."""
        try:
            if self.random:
                sequence = np.random.SeedSequence(self.seed, spawn_key=(number,))
                parameters = {**parameters, "rng": np.random.default_rng(sequence)}
            results = self.function(**parameters)
            if not isinstance(results, dict):
                results = {"value": results}
            for name in results:
                if name in parameters or name == "error" or not isinstance(name, str):
                    raise ValueError(f"the function returned {name!r}, which is a parameter or a column of the sweep: rename the result")
            return Outcome({name: encode(value, f"the result {name!r}") for name, value in results.items()})
        except Exception as error:
            message = "".join(traceback.format_exception_only(error)).strip()
            return Outcome(None, message, "".join(traceback.format_exception(error)))

    def pickled(self):
        """The task for another process: functions of a script or a notebook travel by value if that is possible."""
        home = getattr(innermost(self.function), "__module__", None)
        if home != "__main__":
            try:
                return pickle.dumps(self)
            except Exception:
                pass  # a lambda or an inner function
        by_value = _cloudpickle()
        try:
            return by_value.dumps(self) if by_value else pickle.dumps(self)
        except Exception as error:
            remedy = "" if by_value else ", or install cloudpickle"
            raise ValueError(
                f"the function cannot be sent to another process ({error}): define it at the top of a module{remedy}, "
                'or use executor="threads"'
            ) from None

    def name(self):
        """The function's name, for people."""
        function = innermost(self.function)
        return getattr(function, "__qualname__", type(function).__name__)

    def fingerprint(self):
        """A hash that changes when the function does."""
        digest = hashlib.sha256()
        _describe(self.function, digest)
        return digest.hexdigest()


def task_of(fn_or_scene, rows, seed):
    """The task of a sweep, with the rows' names checked against what it takes."""
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ValueError(f"seed={seed!r}: give an integer of 0 or more")
    if not callable(fn_or_scene):
        from .scene import SceneTask

        return Task(SceneTask.of(fn_or_scene, rows), False, int(seed))
    names = rows[0]
    try:
        signature = inspect.signature(fn_or_scene)
    except (TypeError, ValueError):  # some functions written in C tell no signature
        return Task(fn_or_scene, False, int(seed))
    random = "rng" in signature.parameters and "rng" not in names
    try:
        signature.bind(**dict.fromkeys([*names, "rng"] if random else names))
    except TypeError as error:
        raise ValueError(f"the function does not take the parameters {list(names)}: {error}") from None
    return Task(fn_or_scene, random, int(seed))


def innermost(function):
    """The function inside partial applications."""
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _cloudpickle():
    try:
        import cloudpickle

        return cloudpickle
    except ImportError:
        return None


def _describe(value, digest):
    """Feeds what a function is made of: its source, what is bound to it, or its pickle."""
    if isinstance(value, functools.partial):
        for part in (value.func, value.args, sorted(value.keywords.items())):
            _describe(part, digest)
    elif inspect.isfunction(value):
        try:
            digest.update(inspect.getsource(value).encode())
        except (OSError, TypeError):
            digest.update(value.__code__.co_code + repr(value.__code__.co_names).encode())
        _describe(value.__defaults__, digest)
        _describe([cell.cell_contents for cell in value.__closure__ or ()], digest)
    elif isinstance(value, (list, tuple)):
        digest.update(f"{len(value)} parts".encode())
        for part in value:
            _describe(part, digest)
    elif isinstance(value, os.PathLike):
        digest.update(os.fspath(value).encode())
    else:
        try:
            digest.update(pickle.dumps(value))
        except Exception:
            digest.update(getattr(value, "__qualname__", type(value).__qualname__).encode())
