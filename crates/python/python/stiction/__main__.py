"""``python -m stiction``: what is installed, how large it is, and how long importing it takes."""

import subprocess
import sys
from pathlib import Path

import stiction

#: Fresh interpreters that import the package; the quickest counts, since nothing makes a program quicker than it is.
RUNS = 9


def seconds(module):
    """Seconds that importing a module takes in a fresh interpreter."""
    code = f"import time; begin = time.perf_counter(); import {module}; print(time.perf_counter() - begin)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(RUNS)]
    return min(float(run.stdout) for run in runs)


def main():
    folder = Path(stiction.__file__).parent
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    whole, numpy = seconds("stiction"), seconds("numpy")
    print(f"stiction {stiction.__version__} in {folder}")
    print(f"installed  {size / 1e6:.1f} MB")
    print(f"import     {whole * 1000:.0f} ms, of which numpy takes {numpy * 1000:.0f} ms")


if __name__ == "__main__":
    main()
