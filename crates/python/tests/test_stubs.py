"""The type stubs agree with the installed package, and a type checker finds mistakes with them."""

import importlib.util
import subprocess
import sys

import pytest


def test_stubs_have_the_names_and_arguments_of_the_package(tmp_path):
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\nignore_missing_imports = True\n")  # the extras have no types
    command = [sys.executable, "-m", "mypy.stubtest", "stiction", "--ignore-missing-stub", "--concise"]
    command += ["--mypy-config-file", str(settings)]
    if importlib.util.find_spec("gymnasium") is None:  # stiction.envs needs it; tests_full has it
        allowed = tmp_path / "allowed"
        allowed.write_text("stiction\\.envs.*\n")
        command += ["--allowlist", str(allowed)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


@pytest.mark.parametrize(
    "line, error",
    [
        ("sim.step(3)", None),
        ("sim.qpos[0] = 1.0", None),
        ("sim.step('three')", "incompatible type"),
        ("st.Simulation(model, contact='sticky')", "incompatible type"),
        ("st.Simulation(model, method='continuos')", "incompatible type"),
        ("st.JointPath([0, 1], [[0.0], [1.0]], kind='cubik')", "incompatible type"),
        ("st.JointTracking(['elbow'], st.JointPath([0, 1], [[0.0], [1.0]]), law='pid')", "incompatible type"),
        ("sim.step_derivatives([('ball', 'frction')])", "has incompatible type"),
        ("st.Batch(model, 3, stepp=1e-3)", "Unexpected keyword argument"),
        ("sim.geom('ball').frictoin", "has no attribute"),
        ("x: float = sim.energy.total", None),
        ("x: str = sim.body('ball').info.mass", "Incompatible types"),
    ],
)
def test_a_type_checker_finds_what_is_wrong_and_only_that(tmp_path, cache, line, error):
    program = tmp_path / "program.py"
    program.write_text(f"import stiction as st\nmodel = st.Model.from_scene('clutter')\nsim = st.Simulation(model)\n{line}\n")
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir", str(cache), str(program)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert (error in run.stdout and "program.py:4" in run.stdout) if error else run.returncode == 0, run.stdout
