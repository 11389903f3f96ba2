"""Values as text that keeps every bit: numbers, strings and arrays to JSON and back."""

import base64
import json

import numpy as np

#: Kinds of numpy arrays that have a text: booleans, integers, floats and strings.
_ARRAYS = "biufU"


def encode(value, what):
    """A value as something that JSON holds; ``what`` names it in the error if it cannot be one."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, np.integer)):
        value = int(value)
        if not -(2**63) <= value < 2**63:
            raise ValueError(f"{what} is {value}, which has more than 64 bits: return it as text or as a float")
        return value
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, (list, tuple, np.ndarray)):
        try:
            array = np.asarray(value)
        except ValueError as error:
            raise ValueError(f"{what} is a list of unequal parts: pad it or return one number each ({error})") from None
        if array.dtype.kind in _ARRAYS:
            # Little-endian and contiguous; half and extended floats become doubles, small integers 64 bits.
            kind = {"b": "|b1", "i": "<i8", "u": "<u8", "f": "<f8"}.get(array.dtype.kind)
            array = np.ascontiguousarray(array.astype(kind or array.dtype.newbyteorder("<")))
            data = base64.b64encode(array.tobytes()).decode()
            return {"dtype": array.dtype.str, "shape": list(array.shape), "data": data}
    raise ValueError(f"{what} is of type {type(value).__name__}: it must be a number, a string, None or an array of these")


def decode(value):
    """What ``encode`` was given."""
    if isinstance(value, dict):
        flat = np.frombuffer(base64.b64decode(value["data"]), dtype=value["dtype"])
        return flat.reshape(value["shape"]).copy()
    return value


def text(value):
    """JSON of an encoded value; names keep their order."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
