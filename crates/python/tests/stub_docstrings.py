"""Docstrings of the type stub: those of the package, copied so that editors show them.

The text has one source, the doc comments in crates/python/src. `python stub_docstrings.py --write` copies it into the stub
next to it in the sources; a test compares the two.
"""

import ast
import inspect
import sys
from pathlib import Path

import stiction

STUB = Path(__file__).parent.parent / "python" / "stiction" / "__init__.pyi"


def described(tree: ast.Module):
    """Nodes of the stub that need a docstring, with their names: classes, functions, methods and properties."""
    for node in tree.body:
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef)) or node.name.startswith("_"):
            continue
        yield node.name, node
        for member in node.body if isinstance(node, ast.ClassDef) else []:
            setter = isinstance(member, ast.FunctionDef) and any(isinstance(d, ast.Attribute) for d in member.decorator_list)
            if isinstance(member, ast.FunctionDef) and not member.name.startswith("_") and not setter:
                yield f"{node.name}.{member.name}", member


def runtime(name: str) -> str:
    """The docstring of the package."""
    item = stiction
    for part in name.split("."):
        item = getattr(item, part)
    return inspect.getdoc(item) or ""


def literal(text: str, indent: str) -> str:
    """A docstring as it stands in a file."""
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = [(indent + line if line else "") for line in text.splitlines()]
    lines[0] = lines[0].strip()
    end = f"\n{indent}" if len(lines) > 1 or text.endswith('"') else ""
    return '"""' + "\n".join(lines) + end + '"""'


def updated(source: str) -> str:
    """The stub with the package's docstrings."""
    lines = source.splitlines()
    for name, node in sorted(described(ast.parse(source)), key=lambda found: -found[1].lineno):
        text, first = runtime(name), node.body[0]
        if ast.get_docstring(node) == text:
            continue
        indent = " " * (node.col_offset + 4)
        begin, end = (first.lineno - 1, first.col_offset), (first.end_lineno - 1, first.end_col_offset)
        is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        after = lines[end[0]][end[1] :] if is_text else ""
        before = lines[begin[0]][: begin[1]].rstrip()
        kept = [] if is_text else lines[begin[0] : end[0] + 1]
        head = [before] if before else []
        lines[begin[0] : end[0] + 1] = [*head, indent + literal(text, indent) + after, *([] if before else kept)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python stub_docstrings.py --write")
    STUB.write_text(updated(STUB.read_text(encoding="utf-8")), encoding="utf-8")
