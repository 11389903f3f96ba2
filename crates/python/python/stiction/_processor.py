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


# Loading runs nothing of it yet.
check(ctypes.CDLL(importlib.util.find_spec("stiction._stiction").origin))
