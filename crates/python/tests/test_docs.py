"""The snippets of the documentation run, in order, as one program a page."""

import re
from pathlib import Path

import coming_from
import pytest

DOCS = Path(__file__).parents[3] / "docs"


def python_blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(not DOCS.exists(), reason="the tests run without the repository around them")
@pytest.mark.parametrize(
    "name, least",
    [
        ("python.md", 6),
        ("patches.md", 5),
        ("solids.md", 1),
        ("viewer.md", 3),
        ("impacts.md", 2),
        ("sweeps.md", 4),
        ("gradients.md", 2),
        ("control.md", 5),
        ("learned.md", 2),
    ],
)
def test_the_snippets_of_a_page_run(name, least, tmp_path, monkeypatch):
    page = DOCS / name
    blocks = python_blocks(page)
    assert len(blocks) >= least
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"{page.name}, snippet {number}", "exec"), names)


@pytest.mark.skipif(not DOCS.exists(), reason="the tests run without the repository around them")
def test_every_call_in_the_page_for_those_who_come_from_elsewhere_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(coming_from.prelude(), names)
    tables = coming_from.sections()
    assert list(tables) == ["MuJoCo: make, step, reset", "MuJoCo: numbers by name", "MuJoCo: contact", "Drake"]
    assert [len(rows) for rows in tables.values()] >= [15, 25, 5, 25]
    exec("model = st.Model.from_file('scene.xml')", names)
    for title, rows in tables.items():
        coming_from.raised(names)
        for _, ours in rows:
            exec(compile(ours, f"{title}: {ours}", "exec"), names)
    exec("sim.step(20); assert len(sim.contacts) == 1", names)
