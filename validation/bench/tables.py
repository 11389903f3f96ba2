"""What the benchmarks share: the machine's name, medians, and tables as CSV and Markdown."""

import csv
import datetime
import math
import os
import platform
import statistics
from pathlib import Path

LOAD = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")  # before the benchmark began
FOLDER = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"


def machine():
    """The machine in words: processor, cores, system."""
    processor = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    date = datetime.date.today().isoformat()
    # A load above zero says what else ran: timings of a busy machine are worth only as ratios.
    return f"{processor}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}, {date}, load {LOAD:.1f}"


def median(values):
    return statistics.median(values)


def write_csv(name, header, rows):
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / f"{name}.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def write_page(name, parts):
    (FOLDER / f"{name}.md").write_text("\n\n".join(parts) + "\n")
    print(f"\nwrote docs/benchmarks/{name}.md")


def markdown(header, rows):
    """A table; the first column is text, the others are numbers."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def exponent(sizes, times):
    """The power of size by which times grow: slope of the line through their logarithms."""
    return statistics.linear_regression([math.log(s) for s in sizes], [math.log(t) for t in times]).slope
