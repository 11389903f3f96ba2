"""Docstrings are in the form of numpydoc: sections with their names underlined, every argument described once."""

import inspect
import re

import pytest
import stiction as st

SECTIONS = ["Parameters", "Returns", "Raises", "Notes", "Examples"]
HEAD = re.compile(r"^(\w+)\n(-+)$", re.MULTILINE)


def documented():
    for name in sorted(st.__all__):
        item = getattr(st, name)
        if inspect.isclass(item):
            if not issubclass(item, (tuple, dict, BaseException)):
                yield name, item
            for inner, member in inspect.getmembers(item):
                own = item.__module__.startswith("stiction") and not inner.startswith("_") and callable(member)
                if own and inner in vars(item) and not inspect.isclass(member):
                    yield f"{name}.{inner}", member
        elif callable(item):
            yield name, item


def parameters(doc):
    """Names described in the section of parameters."""
    found = re.search(r"^Parameters\n-+\n(.*?)(?=^\w+\n-+$|\Z)", doc, re.MULTILINE | re.DOTALL)
    entries = re.findall(r"^(\S[^\n]*?) : \S", found[1], re.MULTILINE) if found else []
    return [name.strip() for entry in entries for name in entry.split(",")]


@pytest.mark.parametrize("name, item", list(documented()))
def test_every_argument_is_described_in_its_section(name, item):
    doc = inspect.getdoc(item) or ""
    heads = [head for head, _ in HEAD.findall(doc)]
    assert all(len(head) == len(line) for head, line in HEAD.findall(doc)), "underlined in its length"
    assert heads == [section for section in SECTIONS if section in heads], "in the usual order"
    first = doc.split("\n\n")[0]
    assert first and first[0].isupper() and first.rstrip().endswith((".", ":")), "a sentence first"
    try:
        signature = inspect.signature(item)
    except ValueError:
        return
    given = [p.name for p in signature.parameters.values() if p.name not in ("self", "args", "kwargs") and p.kind not in (2, 4)]
    # Made by methods, never by users.
    if inspect.isclass(item) and item.__module__ in (
        "stiction._named",
        "stiction._controllers",
        "stiction._batch",
        "stiction._sweeps.table",
        "stiction._view",
    ):
        return
    described = parameters(doc)
    assert len(described) == len(set(described)), "each once"
    if "…" not in described:
        missing = [argument for argument in given if argument not in described]
        assert not missing or (not described and re.search(r"arguments (?:and their units )?are those of", doc)), missing
    assert not re.search(r"^(?:Returns|Raises) \S", doc, re.MULTILINE) or "Returns" in first, "in a section"
