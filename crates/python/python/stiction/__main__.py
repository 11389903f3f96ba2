"""``python -m stiction``: what is installed, how large it is, and how long importing it takes."""

import argparse
import subprocess
import sys
from pathlib import Path

import stiction

#: Fresh interpreters that import the package; the quickest counts, since nothing makes a program quicker than it is.
RUNS = 9


def milliseconds(module):
    """Milliseconds that importing a module takes in a fresh interpreter: on the clock, and of the processor."""
    code = (
        "from time import perf_counter, process_time; clock, busy = perf_counter(), process_time(); "
        f"import {module}; print(perf_counter() - clock, process_time() - busy)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(RUNS)]
    return [round(1000 * min(times)) for times in zip(*(map(float, run.stdout.split()) for run in runs))]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m stiction", description=__doc__)
    parser.add_argument("--slowest", type=float, metavar="MS", help="fail if importing takes more processor time than this, ms")
    limit = parser.parse_args(arguments).slowest
    folder = Path(stiction.__file__).parent
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    (whole, busy), (numpy, numpy_busy) = milliseconds("stiction"), milliseconds("numpy")
    print(f"stiction {stiction.__version__} in {folder}")
    print(f"installed  {size / 1e6:.1f} MB")
    print(f"import     {whole} ms, of which numpy takes {numpy} ms; processor time {busy} ms, of which numpy {numpy_busy} ms")
    if limit is not None and busy > limit:
        raise SystemExit(f"importing took {busy} ms of processor time, and {limit:g} ms are allowed")


if __name__ == "__main__":
    main()
