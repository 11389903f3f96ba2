"""A sweep on a Ray cluster of two nodes, of which one is killed in the middle."""

import functools
import os
import threading
import time

import ray
import stiction as st
import sweep_tasks as tasks
from ray_nodes import two_nodes

#: Longest wait for a node to start or to be missed, s: loaded machines take their time.
PATIENCE = 300


def wait(for_what):
    """Waits until something holds."""
    end = time.monotonic() + PATIENCE
    while not for_what():
        assert time.monotonic() < end, "the cluster does not get there"
        time.sleep(0.05)


def where(number, folder):
    """Squares a number and leaves a file that says which node did it. The first rows wait until both nodes take part, the
    last until one of them is gone, so that it is lost in the middle however slow the machine is."""
    node = ray.get_runtime_context().get_node_id()
    runs, marks = os.path.join(folder, "runs"), os.path.join(folder, "marks")
    with open(os.path.join(marks, node), "w"):
        pass
    wait(lambda: len(os.listdir(marks)) >= 2)
    if number >= 30:
        wait(lambda: "killed" in os.listdir(marks))
    time.sleep(0.05)
    with open(os.path.join(runs, f"{number}-{node}-{time.monotonic_ns()}"), "x"):
        pass
    return {"square": number**2, "third": number / 3}


def test_a_node_killed_in_the_middle_loses_no_row_and_repeats_none(tmp_path):
    runs, marks, journal = tmp_path / "runs", tmp_path / "marks", tmp_path / "journal"
    runs.mkdir()
    marks.mkdir()
    task = functools.partial(where, folder=str(tmp_path))
    seen, killed = [], threading.Event()

    def progress(done, total, errors):
        seen.append(done)
        if done >= 12 and not killed.is_set() and len({path.name.split("-")[1] for path in runs.iterdir()}) == 2:
            nodes.remove_node(second, allow_graceful=False)  # kills its processes
            killed.set()
            (marks / "killed").touch()

    with two_nodes() as (nodes, second):
        table = st.sweep(task, {"number": range(60)}, executor="ray", journal=journal, progress=progress)
        wait(lambda: len([node for node in ray.nodes() if node["Alive"]]) == 1)
    assert killed.is_set() and seen == list(range(61))
    assert not table.errors and table["square"].tolist() == [n**2 for n in range(60)]
    assert table["third"].tolist() == [n / 3 for n in range(60)]

    # Every row is in the journal exactly once, though a row in flight on the lost node may have been started twice.
    rows = [line.split(b'"row":')[1].split(b"}")[0].split(b",")[0] for line in journal.read_bytes().splitlines()[1:]]
    assert sorted(map(int, rows)) == list(range(60))
    started = [path.name.split("-") for path in runs.iterdir()]
    assert {int(number) for number, *_ in started} == set(range(60))
    assert len({node for _, node, _ in started}) == 2, "both nodes took part"
    assert 60 <= len(started) <= 62

    again = st.sweep(task, {"number": range(60)}, executor="threads", journal=journal)
    tasks.same_tables(table, again)
    assert len(list(runs.iterdir())) == len(started)
