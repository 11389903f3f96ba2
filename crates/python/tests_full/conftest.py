"""Tests of what needs the optional extras; ``cargo xtask test --full`` runs them.

The helpers of the other tests can be imported, also by other processes and nodes.
"""

import os
import sys
from pathlib import Path

HELPERS = str(Path(__file__).parents[1] / "tests")
sys.path.insert(0, HELPERS)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [HELPERS, os.environ.get("PYTHONPATH")]))
