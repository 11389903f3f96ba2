"""Tables of the comparison: docs/peers.md for people, docs/peers.json for programs."""

import json
import tomllib
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

from quantities import NAMES

EXPLAINED = tomllib.loads((Path(__file__).parent / "explained.toml").read_text())["difference"]
VERDICTS = ["agrees", "explained", "differs", "no answer", "not loaded here", "peer does not load", "out of scope"]
SETTLED = ["agrees", "peer does not load", "out of scope"]


def explained(row):
    """A difference with a known reason becomes "explained"."""
    if row["verdict"] not in ("differs", "no answer"):
        return row
    for entry in EXPLAINED:
        if (
            fnmatch(row["file"], entry.get("file", "*"))
            and row["peer"].startswith(entry.get("peer", ""))
            and ("particular" not in entry or any(fnmatch(p, entry["particular"]) for p in row["particulars"]))
            and max(row["errors"].values(), default=0.0) <= entry.get("at_most", float("inf"))
        ):
            return row | {"verdict": "explained", "reason": entry["reason"], "differs in": row["reason"]}
    return row


def line(row):
    errors = " ".join(f"{name} {row['errors'][name]:.1e}" for name in NAMES if name in row["errors"])
    return f"{row['verdict']}: {row['file']} ({row['peer']}) {row.get('reason', '')} {errors}"


def summary(rows):
    counts = Counter((row["peer"], row["verdict"]) for row in rows)
    peers = sorted({row["peer"] for row in rows})
    lines = [table_row(["", *VERDICTS]), table_row(["---"] + ["---:"] * len(VERDICTS))]
    lines += [table_row([peer, *(counts[peer, verdict] for verdict in VERDICTS)]) for peer in peers]
    return "\n".join(lines)


def share(rows):
    """How many of the files that a peer loads load here and agree with it, to 1e-6 or better."""
    lines = []
    for format, name in (("mjcf", "MJCF"), ("urdf", "URDF"), ("sdf", "SDFormat"), ("dmd", "directives")):
        loaded, good = set(), set()
        for row in rows:
            if row["format"] == format and row["verdict"] not in ("peer does not load", "out of scope"):
                loaded.add(row["file"])
                if row["verdict"] == "agrees" or (row["verdict"] == "explained" and max(row["errors"].values(), default=1.0) <= 1e-6):
                    good.add(row["file"])
        if loaded:
            lines.append(f"{name}: {len(good)} of {len(loaded)} files agree with a peer to 1e-6 ({len(good) / len(loaded):.1%}).")
    return " ".join(lines)


def table_row(cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def write(rows, folder):
    folder.mkdir(exist_ok=True)
    (folder / "peers.json").write_text(json.dumps(rows, indent=1) + "\n")
    (folder / "peers.md").write_text(page(rows))
    print(f"wrote {folder.name}/peers.md and {folder.name}/peers.json")


def last():
    """The rows written last into docs/."""
    path = Path(__file__).resolve().parents[2] / "docs" / "peers.json"
    return json.loads(path.read_text()) if path.exists() else []


def page(rows):
    compared = [row for row in rows if row["verdict"] in ("agrees", "explained", "differs", "no answer")]
    foreign = {row["file"] for row in rows if row["verdict"] == "agrees" and not row["file"].startswith(("scenes/", "models/"))}
    parts = [
        "# The same models in MuJoCo, Pinocchio and Drake",
        "Written by `cargo xtask peers`. Every model is loaded here and in the peers that read its format, and "
        "evaluated at five random states (seeded by the file's name): total mass, poses of all bodies, mass matrix, "
        "bias forces, inverse dynamics, forward dynamics under the peer's inverse dynamics; next to Drake and MuJoCo also "
        "passive forces (springs, dampers, bushings, gravity compensation); of MJCF files also the "
        "numbers of controls and activations, lengths and rates of tendons and actuators, forces of "
        "actuators under random controls and activations, and the readings of all named sensors under MuJoCo's "
        "accelerations without constraints. The numbers are the "
        "largest relative differences; the measure is in `validation/peers/quantities.py`. A row agrees if all are "
        "at most 1e-9 (accelerations: or 100 roundings times the condition number of the mass matrix). URDF files "
        "are compared with a free and with a fixed base, SDFormat files as they are; of those the mass is that of the "
        "links that can move.",
        f"{len(foreign)} files from other projects agree with a peer in everything.",
        "## Summary",
        summary(rows),
        share(rows),
        "`peer does not load` are fragments that other files include, files whose meshes the package leaves out, and "
        "files for other versions of the peer; `out of scope` are files whose layout the comparison cannot map (several "
        "roots, floating joints inside). All reasons are in `peers.json`.",
        "## Compared files",
        files_table(compared),
        "## Loaded by a peer and not here",
        reasons_table([row for row in rows if row["verdict"] == "not loaded here"]),
    ]
    return "\n\n".join(parts) + "\n"


def files_table(rows):
    lines = [table_row(["file", "peer", "nv", *NAMES, ""])]
    lines += [table_row(["---", "---"] + ["---:"] * (len(NAMES) + 1) + ["---"])]
    for row in rows:
        errors = [f"{row['errors'][name]:.0e}" if name in row["errors"] else "" for name in NAMES]
        verdict = "" if row["verdict"] == "agrees" else f"{row['verdict']}: {row.get('reason', '')}"
        lines.append(table_row([f"`{row['file']}`", row["peer"], row.get("nv", ""), *errors, verdict]))
    return "\n".join(lines)


def reasons_table(rows):
    if not rows:
        return "None."
    lines = [table_row(["file", "reason"]), table_row(["---", "---"])]
    seen = {}
    for row in rows:
        seen.setdefault(row["file"], row["reason"])
    return "\n".join(lines + [table_row([f"`{file}`", reason]) for file, reason in seen.items()])
