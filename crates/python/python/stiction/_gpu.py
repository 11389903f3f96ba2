"""NVIDIA's runtime compiler from its Python packages, where the system has none."""

import ctypes
import ctypes.util
import importlib.util
from pathlib import Path


def load_compiler() -> None:
    """Loads NVRTC if a package of NVIDIA brings it, so that it is found by its name."""
    if ctypes.util.find_library("nvrtc"):
        return
    spec = importlib.util.find_spec("nvidia")
    for folder in spec.submodule_search_locations or [] if spec else []:
        for library in sorted(Path(folder).glob("cuda_nvrtc/lib/libnvrtc.so.12")):
            ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
            return
