"""The notebooks run from top to bottom, and are kept with their outputs."""

import importlib.util
from pathlib import Path

import nbformat
import pytest

FOLDER = Path(__file__).parents[3] / "docs" / "notebooks"
spec = importlib.util.spec_from_file_location("run_notebooks", FOLDER / "run.py")
run = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run)


def pictures(notebook):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not any(output.output_type == "error" for output in outputs)
    return sum("image/png" in output.get("data", {}) for output in outputs), sum(output.output_type == "stream" for output in outputs)


def test_every_notebook_of_the_folder_is_in_the_list():
    assert sorted(run.NOTEBOOKS) == sorted(path.stem for path in FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("name", run.NOTEBOOKS)
def test_a_notebook_runs_and_shows_what_is_kept(name, tmp_path):
    kept = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    ran = run.execute(name, tmp_path)
    assert pictures(kept) == pictures(ran) and min(pictures(ran)) > 0
