"""Holds every robot at its home pose next to MuJoCo, and grasps objects: `cargo xtask peers --behave [FOLDER...]`.

    python validation/peers/behave.py [--only TEXT] [--again] [--workers N] [FOLDER...]

Every MJCF file of the model packages (or of the folders) that MuJoCo loads, that can move and that is the whole of a scene
is held for 3 s: both simulators begin in the first keyframe, or in the default pose without one, with its controls (position servos
without a keyframe hold the pose), and step with the file's timestep. Folders with the hands of MuJoCo Menagerie are
also asked to grasp (`grasps.py`). Writes behave.md and behave.json into docs/, for given folders behave-NAME.*.
`--only TEXT` takes the files whose name contains TEXT and writes nothing; `--again` takes those that failed last time.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
import xml.etree.ElementTree as ElementTree

os.environ.setdefault("OMP_NUM_THREADS", "1")

import catalog
import grasps
import hold
from report import table_row

TIME_LIMIT = 300.0  # seconds for one file


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folders", nargs="*")
    arguments.add_argument("--only", default="")
    arguments.add_argument("--again", action="store_true", help="files that failed last time; other rows stay")
    arguments.add_argument("--workers", type=int, default=os.cpu_count())
    options = arguments.parse_args()

    files = [file for file in catalog.find(options.folders) if file.format == "mjcf" and not file.label.startswith(("scenes/", "models/"))]
    inside = set().union(*map(parts, files))
    files = [file for file in files if file.path.resolve() not in inside]
    table = page_path(options.folders)
    before = json.loads(table.with_suffix(".json").read_text()) if options.again and table.with_suffix(".json").exists() else []
    settled = {row["file"] for row in before if not failures(row)}
    jobs = [(hold.hold, file, file.label) for file in files if file.label not in settled]
    jobs += [(grasps.grasp, job, job.label) for folder in options.folders for job in grasps.find(folder) if job.label not in settled]
    jobs = [job for job in jobs if options.only in job[2]]
    rows = []
    for row in in_own_process(jobs, options.workers):
        rows.append(row)
        if row["verdict"] not in ("not compared", "part"):
            print(f"[{len(rows)}/{len(jobs)}] {line(row)}", flush=True)
    rows += [row for row in before if row["file"] in settled]
    rows.sort(key=lambda row: (row["kind"], row["file"]))
    print(summary(rows))
    if not options.only:
        table.with_suffix(".json").write_text(json.dumps(rows, indent=1) + "\n")
        table.write_text(page(rows))
        print(f"wrote docs/{table.name}")
    bad = [row for row in rows if failures(row)]
    if bad:
        sys.exit(f"{len(bad)} of {len(rows)} rows fail")


def parts(file):
    """The files of which a file makes a scene."""
    try:
        root = ElementTree.parse(file.path).getroot()
    except (ElementTree.ParseError, UnicodeDecodeError):
        return set()
    names = {e.get("file") for e in root.iter("include")} | {e.get("file") for e in root.iter("model")}
    return {(file.path.parent / name).resolve() for name in names if name}


def page_path(folders):
    name = "behave" + "".join(f"-{os.path.basename(os.path.abspath(folder))}" for folder in folders)
    return catalog.ROOT / "docs" / f"{name}.md"


def in_own_process(jobs, workers):
    """Runs each job in a fork of its own, since a simulator may crash or hang; yields rows as they end."""
    context = multiprocessing.get_context("fork")
    waiting, running = jobs[::-1], []
    while waiting or running:
        while waiting and len(running) < workers:
            work, argument, label = waiting.pop()
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=lambda: sender.send(quietly(work, argument)), daemon=True)
            process.start()
            sender.close()
            running.append((label, process, receiver, time.monotonic(), work is grasps.grasp))
        for entry in list(running):
            label, process, receiver, start, grasps_it = entry
            row = {"file": label, "kind": "grasp" if grasps_it else "hold", "verdict": "no answer"}
            if receiver.poll(0.02):
                running.remove(entry)
                try:
                    yield receiver.recv()
                except EOFError:
                    process.join()
                    yield row | {"reason": f"the process ended with code {process.exitcode}"}
                process.join()
            elif time.monotonic() - start > TIME_LIMIT:
                process.kill()
                running.remove(entry)
                yield row | {"reason": f"nothing within {TIME_LIMIT:.0f} s"}


def quietly(work, argument):
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    return work(argument)


def failures(row):
    """What a row does not fulfil, in words."""
    if row["verdict"] in ("part", "not compared"):
        return []
    if row["verdict"] == "no answer":
        return [row["reason"]]
    return grasps.failures(row) if row["kind"] == "grasp" else hold.failures(row)


def line(row):
    words = hold.line(row) if row["kind"] == "hold" and row["verdict"] == "held" else {k: v for k, v in row.items() if k not in ("file", "kind")}
    return f"{row['file']}: {words} {'; '.join(failures(row))}"


def summary(rows):
    held = [row for row in rows if row["verdict"] == "held"]
    grasped = [row for row in rows if row["verdict"] == "grasped"]
    resting = [row for row in held if hold.rests(row)]
    ratios = sorted(row["microseconds"][0] / row["microseconds"][1] for row in held if not row.get("exploded"))
    quick = sum(ratio <= 1.0 for ratio in ratios)
    lines = [
        f"{len(held)} robots were held for {hold.TIME:.0f} s.",
        f"{sum(bool(row.get('exploded')) for row in held)} exploded.",
        f"{len(resting)} with floating parts were at rest in the last second; the mean contact force was within 0.1 % of the weight in "
        f"{sum(abs(row['force'] / row['weight'] - 1) <= hold.FORCE for row in resting)}.",
    ]
    if ratios:
        lines.append(
            f"The time per step was at most MuJoCo's in {quick} of {len(ratios)} ({quick / len(ratios):.0%}); "
            f"the median ratio is {ratios[len(ratios) // 2]:.2f}."
        )
    if grasped:
        lines.append(f"{sum(not failures(row) for row in grasped)} of {len(grasped)} grasps hold without slip.")
    if others := [row for row in rows if row["verdict"] == "no answer"]:
        lines.append(f"{len(others)} gave no answer.")
    return " ".join(lines)


def page(rows):
    held = [row for row in rows if row["kind"] == "hold" and row["verdict"] in ("held", "no answer")]
    grasped = [row for row in rows if row["kind"] == "grasp"]
    parts = [
        "# Robots held at home next to MuJoCo",
        f"Written by `cargo xtask peers --behave`{' with folders' if grasped else ''}. {hold.EXPLANATION}",
        f"Machine: {machine()}.",
        "## Summary",
        summary(rows),
        "## Held",
        hold.table(held, failures),
    ]
    if grasped:
        parts += ["## Grasps", grasps.EXPLANATION, grasps.table(grasped, failures)]
    if left := [row for row in rows if row["verdict"] == "not compared"]:
        lines = [table_row(["file", "reason"]), table_row(["---", "---"])]
        parts += ["## Not compared", "\n".join(lines + [table_row([f"`{row['file']}`", row["reason"]]) for row in left])]
    return "\n\n".join(parts) + "\n"


def machine():
    try:
        with open("/proc/cpuinfo") as info:
            name = next(line.split(":")[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        name = "unknown processor"
    return f"{os.cpu_count()} cores, {name}"


if __name__ == "__main__":
    main()
