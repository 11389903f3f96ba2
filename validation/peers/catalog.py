"""Which model files there are: the project's scenes and those in packages, or those in given folders."""

import hashlib
import importlib.util
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCENES = ROOT / "scenes"
MODELS = ROOT / "validation" / "peers" / "models"  # one for each group of features
PACKAGES = ROOT / ".cache" / "peers-models"
DRAKE = Path(importlib.util.find_spec("pydrake").origin).parent / "share" / "drake"  # what Drake itself ships

SUFFIXES = (".xml", ".urdf", ".sdf", ".world", ".dmd.yaml")

# pybullet carries a thousand variations of one random object: a few stand for all.
AT_MOST = {"random_urdfs": 5}


@dataclass(frozen=True)
class ModelFile:
    path: Path
    label: str  # how the tables call it: package and path inside it
    format: str  # "mjcf", "urdf", "sdf" or "dmd"

    @property
    def package(self):
        return self.label.split("/")[0]


def find(folders):
    """All distinct model files of `folders` (of the scenes and the packages if none), in a fixed order."""
    roots = [(Path(f).resolve(), Path(f).resolve().name) for f in folders] or [
        (SCENES, "scenes"),
        (MODELS, "models"),
        (PACKAGES, ""),
        (DRAKE, "drake"),
    ]
    seen, taken, found = set(), {}, []
    for root, prefix in roots:
        for path in sorted(p for p in root.rglob("*") if p.name.endswith(SUFFIXES)):
            kind = format_of(path)
            content = hashlib.sha256(path.read_bytes()).digest()
            if kind is None or (content, path.name) in seen:
                continue
            seen.add((content, path.name))
            limited = next((part for part in path.parts if part in AT_MOST), None)
            taken[limited] = taken.get(limited, 0) + 1
            if limited and taken[limited] > AT_MOST[limited]:
                continue
            found.append(ModelFile(path, label(path, root, prefix), kind))
    return found


def format_of(path):
    """"mjcf", "urdf", "sdf" or None, by the root element, or "dmd"; files that are no XML at all are left out."""
    if path.suffix == ".yaml":
        return "dmd"
    try:
        # Only the first start tag matters.
        _, element = next(ElementTree.iterparse(path, events=("start",)))
    except (ElementTree.ParseError, UnicodeDecodeError, StopIteration):
        return None
    return {"mujoco": "mjcf", "robot": "urdf", "sdf": "sdf"}.get(element.tag)


def label(path, root, prefix):
    inside = path.relative_to(root).as_posix().removeprefix("cmeel.prefix/share/")
    return f"{prefix}/{inside}" if prefix else inside


def package_paths(path):
    """Folders in which `package://` addresses of a URDF may be found: all above it, nearest first."""
    stop = {ROOT, PACKAGES, Path("/")}
    paths = []
    for folder in path.parents:
        paths.append(folder)
        if folder in stop:
            break
    return paths
