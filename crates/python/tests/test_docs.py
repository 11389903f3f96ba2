"""The snippets of the documentation run, in order, as one program a page."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"


def python_blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(not DOCS.exists(), reason="the tests run without the repository around them")
def test_the_snippets_of_the_python_page_run(tmp_path, monkeypatch):
    page = DOCS / "python.md"
    blocks = python_blocks(page)
    assert len(blocks) >= 6
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"{page.name}, snippet {number}", "exec"), names)
