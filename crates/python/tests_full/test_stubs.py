"""The type stubs are those of the package that is installed."""

import subprocess
import sys

import pytest


def test_stubs_have_the_names_and_arguments_of_the_package(tmp_path):
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\nignore_missing_imports = True\n")  # the extras have no types
    command = [sys.executable, "-m", "mypy.stubtest", "stiction", "--ignore-missing-stub", "--concise"]
    run = subprocess.run([*command, "--mypy-config-file", str(settings)], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize(
    "line, error",
    [
        ("sim.step(3)", None),
        ("sim.qpos[0] = 1.0", None),
        ("sim.step('three')", "incompatible type"),
        ("st.Simulation(model, contact='sticky')", "incompatible type"),
        ("st.Batch(model, 3, stepp=1e-3)", "Unexpected keyword argument"),
        ("sim.geom('ball').frictoin", "has no attribute"),
        ("x: float = sim.energy.total", None),
        ("x: str = sim.body('ball').info.mass", "Incompatible types"),
    ],
)
def test_a_type_checker_finds_what_is_wrong_and_only_that(tmp_path, line, error):
    program = tmp_path / "program.py"
    program.write_text(f"import stiction as st\nmodel = st.Model.from_scene('clutter')\nsim = st.Simulation(model)\n{line}\n")
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir", str(tmp_path.parent / "mypy"), str(program)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert (error in run.stdout and "program.py:4" in run.stdout) if error else run.returncode == 0, run.stdout
