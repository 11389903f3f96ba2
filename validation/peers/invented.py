"""Compares models that nobody wrote: drawn at random from what the formats can say.

    python validation/peers/invented.py [--count N] [--seed S]

makes N models of each format in out/invented, the same for the same seed, and writes docs/invented.md. What a peer refuses
counts nothing; what it loads must load here and agree.
"""

import argparse
import os
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter

os.environ.setdefault("OMP_NUM_THREADS", "1")

import catalog
import one_file
import report
from invent_dmd import Directives
from invent_mjcf import Mechanism
from invent_sdf import Assembly
from invent_urdf import Robot

FOLDER = catalog.ROOT / "out" / "invented"
FORMATS = {
    "mjcf": (Mechanism, "xml", "MJCF"),
    "urdf": (Robot, "urdf", "URDF"),
    "sdf": (Assembly, "sdf", "SDFormat"),
    "dmd": (Directives, "dmd.yaml", "Drake's directives"),
}
CLOSE = 2e-6  # MuJoCo leaves inertias turned by up to 1.4e-6 rad from their axes


def write(count, seed):
    """The files, `count` of each format."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    (FOLDER / "package.xml").write_text("<package><name>invented</name></package>\n")
    for number in range(seed, seed + count):
        for name, (invention, suffix, _) in FORMATS.items():
            made = invention(number)
            for file, text in {f"{name}-{number}.{suffix}": made.text(), **made.beside()}.items():
                (FOLDER / file).write_text(text)


def outcome(row):
    """Which column of the table a row counts in."""
    if row["verdict"] == "differs" and row["errors"] and max(row["errors"].values()) <= CLOSE:
        return "close"
    return {"agrees": "agrees", "peer does not load": "refused"}.get(row["verdict"], "differs")


def words_used():
    """For each format, how many different elements, and elements with an attribute, the files have."""
    used = {name: set() for name in FORMATS}
    for path in FOLDER.glob("*-*.*"):
        name, number = path.name.split(".")[0].split("-")
        if path.suffix == ".yaml":
            used["dmd"] |= Directives(int(number)).words
            continue
        for element in ElementTree.parse(path).iter():
            used[name] |= {element.tag, *(f"{element.tag}@{key}" for key in element.attrib)}
    return {name: (sum("@" not in word for word in words), sum("@" in word for word in words)) for name, words in used.items()}


def page(rows, count, seed):
    counts = Counter((row["format"], row["peer"], outcome(row)) for row in rows)
    lines = [
        report.table_row(["format", "peer", "elements", "attributes", "models", "refused by the peer", "agree", "agree to 2e-6", "differ"]),
        report.table_row(["---", "---"] + ["---:"] * 7),
    ]
    used = words_used()
    for name, (_, _, title) in FORMATS.items():
        for peer in sorted({row["peer"] for row in rows if row["format"] == name}):
            found = [counts[name, peer, key] for key in ("refused", "agrees", "close", "differs")]
            lines.append(report.table_row([title, peer, *used[name], count, *found]))
    bad = [row for row in rows if outcome(row) == "differs"]
    parts = [
        "# Models that nobody wrote",
        f"Written by `cargo xtask peers --invented {count} --seed {seed}`. Models are drawn at random from what a format can say "
        "(`validation/peers/invent_*.py`): defaults in classes, every way to write an orientation, frames and copies, bodies with any "
        "geoms, meshes and inertias, all joints, tendons that wrap, all transmissions and laws of actuators, sensors in any frame; in "
        "SDFormat poses and axes relative to anything; directives that weld such models together, in any style of YAML. Each is loaded here and in the peers and compared as in [peers.md](peers.md) at "
        "five random states, in all that is said there; directives and SDFormat also where they start, and nothing but that if a free body is placed in another frame than the world's, from which Drake then counts its coordinates. "
        "What remains between 1e-9 and 2e-6 comes from MuJoCo, which stops turning inertias into their axes at 1.4e-6 rad and keeps the vertices "
        "of meshes in single precision. Left out is what is known to differ, mostly with its reason in the scripts: `actearly`, whose force depends on the length of a "
        "step, tendon inertia across branches and shells of ellipsoids, which MuJoCo approximates, copies beside tendons and sensors, of which it "
        "copies more than it is told to, sensors of force between the world and nothing, and what [formats.md](formats.md) says has no effect.",
        "\n".join(lines),
        "## Those that differ",
        "\n".join(f"- {report.line(row)}" for row in bad) if bad else "None.",
    ]
    return "\n\n".join(parts) + "\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--count", type=int, default=1000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--workers", type=int, default=os.cpu_count())
    options = arguments.parse_args()
    if options.count < 1 or options.seed < 0:
        sys.exit("give a count of at least 1 and a seed of at least 0")
    write(options.count, options.seed)
    rows = []
    for row in one_file.in_own_process(catalog.find([FOLDER]), options.workers):
        rows.append(row)
        if outcome(row) == "differs":
            print(report.line(row), flush=True)
    rows.sort(key=lambda row: (row["file"], row["peer"]))
    text = page(rows, options.count, options.seed)
    (catalog.ROOT / "docs" / "invented.md").write_text(text)
    print(text[text.index("| format") : text.index("## Those")] + "wrote docs/invented.md")
    if any(outcome(row) == "differs" for row in rows):
        sys.exit("some models differ: out/invented has them")


if __name__ == "__main__":
    main()
