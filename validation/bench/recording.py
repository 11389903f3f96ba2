"""Measures what recording costs the clutter scene.

    python validation/bench/recording.py          (with STICTION set to the program)

Writes docs/benchmarks/recording.md and recording.csv, and the figure; fails if the HTML recording costs 5 % or more: of
the run, and of the processor time of its thread. On a busy machine only the latter counts.
"""

import json
import os
import subprocess
import sys

import tables

REPEAT = 41
LIMIT = 0.05


def main():
    command = [os.environ["STICTION"], "bench", "record", "--repeat", str(REPEAT), "--json"]
    command += ["--out", str(tables.FOLDER)]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    busy = tables.LOAD > 1.0 and report["rows"][0]["thread_seconds"] is not None
    header = ["recorded", "run, ms", "cost", "simulation's thread, ms", "cost of it"]
    rows, plain = [], []
    for row in report["rows"]:
        own, own_cost = row["thread_seconds"], row["thread_cost"]
        rows.append(
            [
                row["recorded"],
                "busy" if busy else f"{1e3 * row['seconds']:.1f}",
                "busy" if busy else f"{100 * row['cost']:.1f} %",
                "" if own is None else f"{1e3 * own:.1f}",
                "" if own is None else f"{100 * own_cost:.1f} %",
            ]
        )
        plain.append([row["recorded"], row["seconds"], row["cost"], own, own_cost])
    tables.write_csv("recording", ["recorded", "seconds", "cost", "thread_seconds", "thread_cost"], plain)
    sizes = ", ".join(f"{name} {size / 1e6:.2f} MB" for name, size in report["bytes"].items())
    text = (
        f"Written by `cargo xtask bench recording`. The scene `{report['scene']}`, {report['simulated']:g} s, with 60 "
        "frames per simulated second (and 100 rows of CSV), written to a temporary folder: from creating the files to "
        f"their completion; medians of {REPEAT} rounds in which all take turns, and of the ratios within a round. "
        "Compressing and writing happen on a second thread, so on a machine with a free core a run is longer by what copying frames takes, and by what is left to "
        "write at the end; the two columns to the right are processor time of the simulation's own thread, which "
        "others on the machine disturb less; if it was busy (a load above 1) only these are told. Without a recording "
        "nothing is called at all."
    )
    parts = ["# Recording", text, f"Machine: {tables.machine()}", tables.markdown(header, rows), f"Sizes: {sizes}."]
    if not busy:
        parts.append("![Times of runs with and without recording](bench_record.svg)")
    tables.write_page("recording", parts)
    print(tables.markdown(header, rows))
    html = next(row for row in report["rows"] if row["recorded"] == "html")
    cost = html["thread_cost"] if busy else max(html["cost"], html["thread_cost"] or 0.0)
    if cost >= LIMIT:
        sys.exit(f"recording costs {100 * cost:.1f} %, more than {100 * LIMIT:.0f} %")


if __name__ == "__main__":
    main()
