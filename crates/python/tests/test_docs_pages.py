"""README, the first pages and the model files shown in the book; and that no page's snippets are left out."""

import inspect
import re
from pathlib import Path

import pytest
import stiction as st
import test_docs
from test_docs import DOCS, python_blocks

ROOT = DOCS.parent
HERE = {
    "README.md": 1,
    "crates/python/README.md": 1,
    "docs/accuracy.md": 1,
    "docs/contact.md": 2,
    "docs/getting-started.md": 1,
    "docs/gpu.md": 1,
    "docs/pictures.md": 1,
}
# Run with the environments they need (tests_full), or line by line (coming_from.py).
ELSEWHERE = {"docs/learning.md", "docs/coming_from.md"}

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the tests run without the repository around them")


@pytest.mark.parametrize("name", HERE)
def test_the_snippets_of_a_first_page_run_at_the_root(name, tmp_path, monkeypatch):
    blocks = python_blocks(ROOT / name)
    assert len(blocks) >= HERE[name]
    (tmp_path / "scenes").symlink_to(ROOT / "scenes", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"{name}, snippet {number}", "exec"), names)


def test_no_page_with_python_is_left_out():
    listed = set(re.findall(r'"([a-z_-]+\.md)"', inspect.getsource(test_docs)))
    for page in [ROOT / "README.md", *DOCS.glob("*.md")]:
        name = str(page.relative_to(ROOT)).replace("\\", "/")
        if python_blocks(page):
            assert name in HERE or name in ELSEWHERE or page.name in listed, f"{name} has snippets that no test runs"


def test_the_models_shown_are_read_without_a_warning(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # What the solids page has meshed before: a tetrahedron will do.
    (tmp_path / "banana.vtk").write_text(
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
        "0 0 0  0.1 0 0  0 0.1 0  0 0 0.1  0.02 0.02 0.02\nCELLS 4 20\n"
        "4 0 1 2 4\n4 0 3 1 4\n4 0 2 3 4\n4 1 3 2 4\nCELL_TYPES 4\n10\n10\n10\n10\n"
        "POINT_DATA 5\nSCALARS pressure double 1\nLOOKUP_TABLE default\n0 0 0 0 1e5\n"
    )
    read = 0
    for page in DOCS.glob("*.md"):
        for block in re.findall(r"^```xml\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            text = block if "<mujoco" in block else f"<mujoco>{block}</mujoco>"
            Path("model.xml").write_text(text, encoding="utf-8")
            model = st.Model.from_file("model.xml")
            assert not model.warnings, f"{page.name}: {model.warnings}"
            read += 1
    assert read >= 3
