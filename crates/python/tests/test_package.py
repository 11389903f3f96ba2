"""The package as it is installed: typed, light, quick to import."""

import ast
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import stiction as st

FOLDER = Path(st.__file__).parent


def test_the_version_is_that_of_the_distribution():
    assert st.__version__ == version("stiction")


def test_stubs_ship_and_name_everything_public():
    assert (FOLDER / "py.typed").exists()
    stub = ast.parse((FOLDER / "__init__.pyi").read_text(encoding="utf-8"))
    described = {
        **{node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))},
        **{node.target.id: node for node in stub.body if isinstance(node, ast.AnnAssign)},
    }
    assert set(st.__all__) <= set(described)
    for owner in [st.Model, st.Simulation, st.Batch, st.Solid, st.TactileGrid, st.Recording, st.Viewer]:
        methods = {node.name for node in described[owner.__name__].body if isinstance(node, ast.FunctionDef)}
        public = {name for name in vars(owner) if not name.startswith("_")}
        assert public == {name for name in methods if not name.startswith("_")}


def test_the_package_is_small():
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 15e6


def test_importing_costs_little_beyond_numpy():
    code = (
        "import numpy, typing, time; begin = time.perf_counter(); import stiction; "
        "print(time.perf_counter() - begin)"
    )
    runs = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout) for _ in range(3)]
    assert min(runs) < 0.2


def test_the_package_tells_its_size_and_import_time():
    run = subprocess.run([sys.executable, "-m", "stiction"], capture_output=True, text=True, check=True)
    assert re.search(r"installed +\d+\.\d MB\nimport +\d+ ms, of which numpy takes \d+ ms", run.stdout)
