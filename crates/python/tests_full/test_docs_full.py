"""The snippets of pages that need the extras."""

import pytest
from test_docs import DOCS, python_blocks


@pytest.mark.parametrize("name, least", [("learning.md", 3)])
def test_the_snippets_of_a_page_run(name, least, tmp_path, monkeypatch):
    blocks = python_blocks(DOCS / name)
    assert len(blocks) >= least
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"{name}, snippet {number}", "exec"), names)
