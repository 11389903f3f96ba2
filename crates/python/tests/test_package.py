"""The package as it is installed: typed, documented, light, quick to import; everything pickles."""

import ast
import copy
import inspect
import pickle
import re
import subprocess
import sys
from importlib.metadata import files, metadata, requires, version
from pathlib import Path

import models
import numpy as np
import pytest
import stiction as st
import stub_docstrings

FOLDER = Path(st.__file__).parent
STUB = ast.parse((FOLDER / "__init__.pyi").read_text(encoding="utf-8"))
DESCRIBED = {
    **{node.name: node for node in STUB.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))},
    **{node.target.id: node for node in STUB.body if isinstance(node, ast.AnnAssign)},
}
#: What the stub takes from modules that are Python and annotated where they stand.
IMPORTED = {alias.name for node in STUB.body if isinstance(node, ast.ImportFrom) and node.level for alias in node.names}
CLASSES = [getattr(st, name) for name in st.__all__ if inspect.isclass(getattr(st, name))]
#: Those whose members are their own, not a tuple's or an exception's.
OWN = [c for c in CLASSES if not issubclass(c, (tuple, dict, Exception))]


def test_the_version_is_that_of_the_distribution():
    assert st.__version__ == version("stiction")


def test_numpy_is_all_it_needs():
    needed = [line for line in requires("stiction") or [] if "extra ==" not in line]
    assert len(needed) == 1 and needed[0].startswith("numpy")


def test_licences_and_a_description_ship():
    names = {path.name for path in files("stiction")}
    assert {"LICENSE-MIT", "LICENSE-APACHE", "NOTICE"} <= names
    assert metadata("stiction")["License-Expression"] == "MIT OR Apache-2.0"
    assert "robots that touch things" in metadata("stiction").get_payload()


def test_stubs_ship_and_name_everything_public():
    assert (FOLDER / "py.typed").exists()
    assert set(st.__all__) <= set(DESCRIBED) | IMPORTED
    listed = next(node for node in STUB.body if isinstance(node, ast.Assign))
    assert set(ast.literal_eval(listed.value)) == set(st.__all__)
    for owner in [owner for owner in OWN if owner.__name__ not in IMPORTED]:
        body = DESCRIBED[owner.__name__].body
        members = {node.name for node in body if isinstance(node, ast.FunctionDef)}
        # Attributes that only instances have are annotated.
        attributes = {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
        assert public(owner) - attributes == {name for name in members if not name.startswith("_")}, owner


def public(owner):
    return {name for name, _ in inspect.getmembers(owner) if not name.startswith("_")}


def arguments(node):
    """Names of the arguments of a stub's function, those of Unpack[…] in place of it, and the defaults it writes."""
    given = node.args
    names = [a.arg for a in given.posonlyargs + given.args + given.kwonlyargs]
    plain = given.posonlyargs + given.args
    defaults = dict(zip([a.arg for a in plain][len(plain) - len(given.defaults) :], given.defaults, strict=True))
    defaults.update({a.arg: d for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is not None})
    optional = []
    if given.kwarg and isinstance(given.kwarg.annotation, ast.Subscript):
        tables = [DESCRIBED[given.kwarg.annotation.slice.id]]
        while (base := tables[-1].bases[0].id) in DESCRIBED:
            tables.append(DESCRIBED[base])
        optional = [f.target.id for table in tables for f in table.body if isinstance(f, ast.AnnAssign)]
    return [n for n in names if n not in ("self", "cls")], optional, defaults


@pytest.mark.parametrize("owner", [*[owner for owner in OWN if owner.__name__ not in IMPORTED], None])
def test_stubs_and_runtime_take_the_same_arguments(owner):
    if owner is None:
        pairs = [(getattr(st, n), node) for n, node in DESCRIBED.items() if isinstance(node, ast.FunctionDef)]
    else:
        body = [node for node in DESCRIBED[owner.__name__].body if isinstance(node, ast.FunctionDef)]
        methods = [n for n in body if not n.decorator_list or getattr(n.decorator_list[0], "id", "") == "staticmethod"]
        pairs = [(getattr(owner, n.name), n) for n in methods if not n.name.startswith("_")]
        pairs += [(owner, n) for n in body if n.name == "__new__"]
    assert pairs
    for function, node in pairs:
        names, optional, defaults = arguments(node)
        gathered = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        parameters = inspect.signature(function).parameters.items()
        runtime = {k: p for k, p in parameters if k != "self" and p.kind not in gathered}
        assert set(names) <= set(runtime) <= set(names) | set(optional), node.name
        for name, default in defaults.items():
            written = ast.literal_eval(default)
            found = runtime[name].default
            # An array or a list may be written as a tuple.
            assert found == written or (not written and not found), (node.name, name)


def test_the_stub_has_the_docstrings_of_the_package():
    source = (FOLDER / "__init__.pyi").read_text(encoding="utf-8")
    named = list(stub_docstrings.described(ast.parse(source)))
    assert len(named) > 150
    different = [name for name, node in named if ast.get_docstring(node) != stub_docstrings.runtime(name)]
    remedy = "with the wheel installed, run: python crates/python/tests/stub_docstrings.py --write"
    assert different == [], f"{remedy}; then commit the stub"


def test_every_docstring_of_a_method_names_its_arguments():
    for name, node in stub_docstrings.described(STUB):
        if not isinstance(node, ast.FunctionDef) or any(getattr(d, "id", "") == "property" for d in node.decorator_list):
            continue
        text = stub_docstrings.runtime(name)
        refers = re.search(r"\b(arguments|options)\b.* (those|as) ", text)
        missing = [a for a in arguments(node)[0] if not re.search(rf"\b{a}\b", text)]
        assert not missing or refers, (name, missing)


def test_everything_public_says_what_it_is():
    for name in st.__all__:
        item = getattr(st, name)
        if callable(item):
            assert len(inspect.getdoc(item) or "") > 15, name
    for owner in CLASSES:
        members = owner._fields if hasattr(owner, "_fields") else public(owner) if owner in OWN else []
        for member in members:
            if (owner, member) == (owner, "info"):
                continue  # a slot, which has no text of its own; its class says what it is
            text = inspect.getdoc(getattr(owner, member)) or ""
            assert len(text) > 5 and "Alias for field" not in text, f"{owner.__name__}.{member}"


QUANTITY = re.compile(
    r"\b(forces?|torques?|positions?|velocit\w+|accelerations?|mass|masses|times?|pressure|area|energ\w+|lengths?|stiffness|speeds?|moments?|"
    r"impulses?|inertia|gravity|angles?|modulus|volume|radius|penetration|slip|distance|period)\b",
    re.IGNORECASE,
)
#: A unit, or where to find it.
UNIT = re.compile(
    r"(?<!\w)(m|kg|s|ms|N|J|Pa|rad|degrees|m/s|m/s²|rad/s|N/m|1/s|s/m|m²|m³|N s|MB|SI|without unit|w first|factors?|frames per|"
    r"bit for bit|(Simulation|Model|Batch|TactileGrid)\.\w+)(?!\w)"
)
#: Those that speak of quantities and give none.
WORDS = {
    "ActuatorInfo.type",
    "Batch.body",
    "Batch.camera",
    "Batch.site",
    "EqualityInfo.type",
    "GeomInfo.compliant",
    "ImpactOutcomes",
    "ImpactOutcomes.level",
    "JointInfo.qpos",
    "JointInfo.qvel",
    "Measured.touches",
    "Model.body",
    "Model.camera",
    "Model.keyframe",
    "Model.nq",
    "Model.nv",
    "Model.save",
    "Model.site",
    "Simulation.accelerations",
    "Simulation.body",
    "Simulation.camera",
    "Simulation.model",
    "Simulation.patches",
    "Simulation.site",
    "Simulation.warnings",
    "Solid",
    "Solid.extents",
    "Touch.normal",
    "World",
}


def test_every_text_about_a_quantity_says_its_unit():
    texts = {}
    for name in st.__all__:
        item = getattr(st, name)
        if not callable(item):
            continue
        texts[name] = inspect.getdoc(item) or ""
        if item in CLASSES and not issubclass(item, (Exception, dict)):
            for member in getattr(item, "_fields", None) or public(item):
                texts[f"{name}.{member}"] = inspect.getdoc(getattr(item, member)) or ""
    lacking = {name for name, text in texts.items() if QUANTITY.search(text) and not UNIT.search(text)}
    assert sorted(lacking - WORDS) == []
    assert WORDS <= lacking, "none is excused that need not be"


def test_all_that_step_take_the_same_options_with_the_same_defaults():
    sim = st.Simulation(models.ball())
    takes = {kind: inspect.signature(kind).parameters for kind in (st.Simulation, st.Batch, st.rollout)}
    # The step is the model's.
    for name, value in {**sim.options, "step": None}.items():
        for kind, parameters in takes.items():
            if kind is st.rollout and name in ("accuracy", "max_step", "method", "integrator", "adhesion"):
                continue  # its rows share the times of their steps
            assert parameters[name].default == value, (kind, name)


def test_everything_pickles():
    model = models.ball()
    sim, batch = st.Simulation(model), st.Batch(model, 2)
    sim.step(3)
    batch.step(3)
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    solid = st.Solid.from_mesh((vertices, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]), 1e5, resolution=0.4)
    things = [
        model,
        sim,
        batch,
        solid,
        sim.contacts,
        sim.stats,
        sim.energy,
        sim.body_pose("ball"),
        sim.sensors,
        st.contact_dtype,
        sim.body("ball"),
        sim.joint("free"),
        sim.geom("sphere"),
        model.body("ball"),
        model.geom("sphere"),
        st.TactileGrid("ball", [0.1, 0.1], 2, 3, [0, 0, 0.05]),
        st.ModelError("text"),
        st.SimulationError("text"),
        st.impact_outcomes(model, model.default_qpos, [0, 0, -1, 0, 0, 0], samples=4),
        st.routh(np.eye(3), [0.1, 0, -1], 0.3),
    ]
    for thing in things:
        for twin in (pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing)):
            assert type(twin) is type(thing)
    assert np.array_equal(pickle.loads(pickle.dumps(solid)).tetrahedra, solid.tetrahedra)


def test_what_is_tied_to_this_process_says_that_it_cannot_pickle(tmp_path):
    sim = st.Simulation(models.ball())
    with sim.record(tmp_path / "a.html") as recording, pytest.raises(TypeError, match="[Rr]ecording"):
        pickle.dumps(recording)
    with st.view(sim, open=False) as viewer, pytest.raises(TypeError, match="[Vv]iewer"):
        pickle.dumps(viewer)


def test_the_package_is_small():
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 15e6


def test_importing_costs_little_beyond_numpy():
    # Processor time, not that of the wall: it does not depend on what else the machine does.
    code = "import numpy, typing, time; begin = time.process_time(); import stiction; print(time.process_time() - begin)"
    runs = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout) for _ in range(3)]
    assert min(runs) < 0.2


def test_the_package_tells_its_size_and_import_time():
    run = subprocess.run([sys.executable, "-m", "stiction"], capture_output=True, text=True, check=True)
    assert re.search(r"installed +\d+\.\d MB\nimport +\d+ ms, of which numpy takes \d+ ms", run.stdout)


def test_a_processor_that_is_too_old_is_told_on_import():
    from stiction import _processor

    class Library:
        def __init__(self, message):
            self.stiction_processor_lacks = lambda: message

    for message in (None, b"this processor has no AVX2"):
        library = Library(message)
        if message is None:
            _processor.check(library)
        else:
            with pytest.raises(ImportError, match="no AVX2"):
                _processor.check(library)
