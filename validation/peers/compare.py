"""Compares dynamics on every scene and on the models inside packages, or on given folders.

    python validation/peers/compare.py [--only TEXT] [--formats urdf,sdf] [--again] [FOLDER...]

Writes peers.md and peers.json into docs/ (for given folders into out/); fails if a difference is
not explained. `--only TEXT` takes the files whose name contains TEXT and writes nothing.
"""

import argparse
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")

import catalog
import one_file
import report


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folders", nargs="*")
    arguments.add_argument("--only", default="")
    arguments.add_argument("--formats", default="mjcf,urdf,sdf,dmd", help="rows of others stay as they are in docs/")
    arguments.add_argument("--again", action="store_true", help="files that are new or did not agree last time; other rows stay")
    arguments.add_argument("--workers", type=int, default=os.cpu_count())
    options = arguments.parse_args()

    formats = options.formats.split(",")
    everything = catalog.find(options.folders)
    files = [file for file in everything if options.only in file.label and file.format in formats]
    settled = set()
    if options.again:
        last = report.last()
        settled = {row["file"] for row in last} - {row["file"] for row in last if row["verdict"] not in report.SETTLED}
        files = [file for file in files if file.label not in settled]
    total = sum(len(one_file.peers(file)) for file in files)
    rows = []
    for row in map(report.explained, one_file.in_own_process(files, options.workers)):
        rows.append(row)
        if options.only or row["verdict"] in ("differs", "no answer", "not loaded here"):
            print(f"[{len(rows)}/{total}] {report.line(row)}", flush=True)
    if not options.folders and not options.only:
        rows += [row for row in report.last() if row["format"] not in formats or row["file"] in settled]
    order = {file.label: index for index, file in enumerate(everything)}
    rows = [row for row in rows if row["file"] in order]
    rows.sort(key=lambda row: (order[row["file"]], row["peer"]))
    print(report.summary(rows))
    if not options.only:
        report.write(rows, catalog.ROOT / ("out" if options.folders else "docs"))
    if any(row["verdict"] in ("differs", "no answer") for row in rows):
        sys.exit("some differences are not explained (validation/peers/explained.toml takes reasons)")


if __name__ == "__main__":
    main()
