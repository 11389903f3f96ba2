"""Whether the processor has the instructions that the compiled part was made for.

Imported before it: without them the interpreter would end by a signal that says nothing.
"""

import ctypes
import importlib.util


def check(library):
    """Raises ImportError with what lacks and what to do. library: the compiled part, as ctypes loads it."""
    lacking = library.stiction_processor_lacks
    lacking.restype = ctypes.c_char_p
    message = lacking()
    if message is not None:
        raise ImportError(message.decode())


found = importlib.util.find_spec("stiction._stiction")
if found is None or found.origin is None:
    raise ImportError("the compiled part of stiction is not here: install the package (pip install ./crates/python)")
# Loading runs nothing of it yet.
check(ctypes.CDLL(found.origin))
