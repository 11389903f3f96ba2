"""The exceptions of the package: one family, with Error at its head."""


class Error(Exception):
    """Base class of all exceptions of this package.

    Two kinds of exception do not belong to it: a call with arguments that do not fit its signature raises TypeError, as
    everywhere in Python, and too little memory raises MemoryError.
    """


class InputError(Error, ValueError):
    """An argument, an option, an array or a file that cannot be used; the message says what to give instead."""


class InputTypeError(InputError, TypeError):
    """An argument of the wrong type."""


class InputIndexError(InputError, IndexError):
    """An id or the number of a world, outside of its range."""


class ModelError(InputError):
    """A model that cannot be loaded or compiled; the message names the file, the element and the remedy."""


class SimulationError(Error, RuntimeError):
    """A step that could not be completed. The simulation keeps the last good state."""


class BusyError(Error, RuntimeError):
    """A call that is not possible now, such as a second recording, or any call in the middle of a step."""


class FileError(Error, OSError):
    """A file that cannot be read or written, or an address that is not available."""


class InternalError(Error, RuntimeError):
    """A fault of this package. Please report it. Objects that took part in the call are not usable any more."""


for _class in [Error, *Error.__subclasses__(), *InputError.__subclasses__()]:
    _class.__module__ = "stiction"
