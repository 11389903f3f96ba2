"""Sweeps on threads and processes, and their journal. Ray, Arrow and Parquet: tests_full/."""

import functools
import itertools
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import stiction as st
import sweep_tasks as tasks

GRID = {"friction": [0.3, 0.5], "speed": np.linspace(0.5, 1.5, 3)}


def test_rows_come_in_the_order_of_the_parameters_with_results_beside_them():
    table = st.sweep(tasks.slide, GRID, executor="threads", workers=2)
    assert list(table) == ["friction", "speed", "distance", "pose", "points", "rests", "error"]
    assert len(table) == 6 and not table.errors
    assert list(zip(table["friction"], table["speed"])) == list(itertools.product(GRID["friction"], GRID["speed"]))
    assert table["pose"].shape == (6, 7) and table["points"].dtype == int and table["rests"].all()
    closed_form = table["speed"] ** 2 / (2 * table["friction"] * 9.81)
    assert np.all(np.abs(table["distance"] - closed_form) < table["speed"] * 2e-3)  # of first order in the step
    assert dict(table)["distance"] is table["distance"]
    with pytest.raises(KeyError, match="distance, pose"):
        table["nothing"]


def test_threads_and_processes_give_the_same_numbers_at_any_count(tmp_path):
    tables = [
        st.sweep(tasks.slide, GRID, executor=executor, workers=workers)
        for executor, workers in [("threads", 1), ("threads", 3), ("processes", 1), ("processes", 2)]
    ]
    for number, table in enumerate(tables):
        tasks.same_tables(tables[0], table)
        table.save(tmp_path / f"{number}.csv")
    assert len({(tmp_path / f"{number}.csv").read_bytes() for number in range(len(tables))}) == 1


def test_random_rows_draw_from_their_own_stream():
    rows = [{"scale": 1.0}] * 4
    drawn = st.sweep(tasks.noisy, rows, executor="threads", seed=7)["drawn"]
    assert np.array_equal(drawn, st.sweep(tasks.noisy, rows, executor="processes", seed=7)["drawn"])
    assert len(np.unique(drawn)) == 12
    assert not np.array_equal(drawn, st.sweep(tasks.noisy, rows, executor="threads", seed=8)["drawn"])
    expected = np.random.default_rng(np.random.SeedSequence(7, spawn_key=(2,))).normal(size=3)
    assert np.array_equal(drawn[2], expected)


def test_a_run_that_raises_is_a_row_with_its_message(tmp_path):
    table = st.sweep(tasks.odd_fails, {"number": range(4)}, executor="threads")
    assert table.errors == {1: "ValueError: 1 is odd", 3: "ValueError: 3 is odd"}
    assert table["value"].mask.tolist() == [False, True, False, True] and table["value"].compressed().tolist() == [0, 2]
    table.save(tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text().splitlines() == [
        "number,value,error",
        "0,0,",
        "1,,ValueError: 1 is odd",
        "2,2,",
        "3,,ValueError: 3 is odd",
    ]


def test_a_scene_is_swept_over_options_and_states():
    table = st.sweep("rolling_ball", {"step": [1e-3, 2e-3], "contact": ["lagged", "sap"], "time": 0.2}, executor="threads")
    assert np.allclose(table["end"], 0.2) and table["steps"].tolist() == [200, 200, 100, 100]
    sim = st.Simulation(st.Model.from_file("rolling_ball"), step=2e-3, contact="sap")
    sim.run_until(0.2)
    assert np.array_equal(table["end_qpos"][3], sim.qpos) and table["kinetic_energy"][3] == sim.energy.kinetic
    model = st.Model.from_file("double_pendulum")
    states = np.random.default_rng(0).normal(size=(3, model.nq))
    table = st.sweep(model, {"qpos": states, "time": 0.05}, executor="processes", workers=2)
    assert np.array_equal(table["qpos"], states) and not np.array_equal(table["end_qpos"], states)
    with pytest.raises(ValueError, match="no parameter 'stp'.*step"):
        st.sweep(model, {"stp": [1e-3]})


def test_a_journal_is_continued_where_it_ended(tmp_path):
    journal = tmp_path / "sweep.journal"
    task = functools.partial(tasks.record_and_square, folder=str(tmp_path / "runs"))
    (tmp_path / "runs").mkdir()

    def stop_at_four(done, total, errors):
        assert total == 10 and errors == 0
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        st.sweep(task, {"number": range(10)}, executor="processes", workers=1, journal=journal, progress=stop_at_four)
    seen = []
    table = st.sweep(task, {"number": range(10)}, executor="threads", journal=journal, progress=lambda *state: seen.append(state))
    assert seen[0] == (4, 10, 0) and seen[-1] == (10, 10, 0) and len(seen) == 7
    assert table["square"].tolist() == [n**2 for n in range(10)] and table["third"].tolist() == [n / 3 for n in range(10)]
    before = journal.read_bytes()
    again = st.sweep(task, {"number": range(10)}, journal=journal)
    tasks.same_tables(table, again)
    assert journal.read_bytes() == before


def test_a_killed_sweep_loses_no_written_row_and_repeats_none(tmp_path):
    """The whole program is killed in the middle, which also tears the last line; nothing is lost, nothing twice."""
    (tmp_path / "runs").mkdir()
    program = f"""
import functools, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import stiction as st, sweep_tasks
task = functools.partial(sweep_tasks.record_and_square, folder={str(tmp_path / "runs")!r}, pause=0.02)
st.sweep(task, {{"number": range(40)}}, executor="threads", workers=2, journal={str(tmp_path / "journal")!r})
"""
    victim = subprocess.Popen([sys.executable, "-c", program])
    while victim.poll() is None and len(list((tmp_path / "runs").iterdir())) < 10:
        time.sleep(0.005)
    victim.send_signal(signal.SIGKILL)
    assert victim.wait() == -signal.SIGKILL
    lines = (tmp_path / "journal").read_bytes().splitlines(keepends=True)
    assert 1 < len(lines) < 40
    with open(tmp_path / "journal", "r+b") as file:  # as if the last write had been cut off
        file.truncate(os.path.getsize(tmp_path / "journal") - 7)
    complete = len(lines) - 2
    task = functools.partial(tasks.record_and_square, folder=str(tmp_path / "runs"), pause=0.02)
    states = []
    table = st.sweep(
        task,
        {"number": range(40)},
        executor="processes",
        workers=2,
        journal=tmp_path / "journal",
        progress=lambda *state: states.append(state[0]),
    )
    assert states[0] == complete and states[-1] == 40
    assert table["square"].tolist() == [n**2 for n in range(40)]
    # Rows in the journal were not run again; at most those in flight or torn at the kill ran a second time.
    runs = [int(path.name.split("-")[0]) for path in (tmp_path / "runs").iterdir()]
    assert set(runs) == set(range(40)) and len(runs) - 40 <= 5


def test_errors_in_a_journal_stay_until_they_are_tried_again(tmp_path):
    journal = tmp_path / "journal"
    table = st.sweep(tasks.odd_fails, {"number": range(4)}, executor="threads", journal=journal)
    assert len(table.errors) == 2
    calls = []
    st.sweep(tasks.odd_fails, {"number": range(4)}, executor="threads", journal=journal, progress=lambda *s: calls.append(s))
    assert calls == [(4, 4, 2)]
    calls.clear()
    st.sweep(
        tasks.odd_fails, {"number": range(4)}, executor="threads", journal=journal, retry_errors=True, progress=lambda *s: calls.append(s)
    )
    assert calls[0] == (2, 4, 0) and calls[-1] == (4, 4, 2)


def test_a_journal_of_another_sweep_is_refused(tmp_path):
    journal = tmp_path / "journal"
    st.sweep(tasks.odd_fails, {"number": [0, 2]}, executor="threads", journal=journal)
    with pytest.raises(ValueError, match="other parameters"):
        st.sweep(tasks.odd_fails, {"number": [0, 4]}, executor="threads", journal=journal)
    with pytest.raises(ValueError, match="another seed.*anyway"):
        st.sweep(tasks.odd_fails, {"number": [0, 2]}, executor="threads", journal=journal, seed=1)

    def other(number):
        return -number

    with pytest.raises(ValueError, match="another function"):
        st.sweep(other, {"number": [0, 2]}, executor="threads", journal=journal)
    kept = st.sweep(other, {"number": [0, 2]}, executor="threads", journal=journal, resume="anyway")
    assert kept["value"].tolist() == [0, 2]
    content = bytearray(journal.read_bytes())
    content[len(content) // 2] ^= 1
    journal.write_bytes(content)
    with pytest.raises(ValueError, match="damaged|not a sweep journal"):
        st.sweep(tasks.odd_fails, {"number": [0, 2]}, executor="threads", journal=journal)
    (tmp_path / "notes.txt").write_text("my notes\n")
    with pytest.raises(ValueError, match="not a sweep journal"):
        st.sweep(tasks.odd_fails, {"number": [0, 2]}, executor="threads", journal=tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "my notes\n"


@pytest.mark.skipif(sys.platform == "win32", reason="journals are not locked there")
def test_two_sweeps_do_not_write_one_journal(tmp_path):
    def nested(number):
        with pytest.raises(ValueError, match="another sweep is writing"):
            st.sweep(tasks.odd_fails, {"number": [0]}, executor="threads", journal=tmp_path / "journal")
        return number

    assert not st.sweep(nested, {"number": [0]}, executor="threads", journal=tmp_path / "journal").errors


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_a_row_whose_process_dies_is_run_by_another_and_gives_up_in_the_end(tmp_path):
    task = functools.partial(tasks.dies_once, folder=str(tmp_path))
    table = st.sweep(task, {"number": range(8)}, executor="processes", workers=2, retries=1)
    assert list(table.errors) == [5] and "WorkerDied" in table.errors[5] and "SIGKILL" in table.errors[5]
    assert table["value"].compressed().tolist() == [0, 1, 2, 3, 4, 6, 7]


def test_what_cannot_be_swept_says_why():
    for parameters, message in [
        ({}, None),
        ([], "at least one"),
        ({"number": []}, "empty"),
        ([{"number": 1}, {"numbr": 1}], "differ"),
        ([1], "a dict"),
        ("number", "a dict"),
        ({"error": [1]}, "another name"),
        ({"nubmer": [1]}, "does not take"),
    ]:
        with pytest.raises(ValueError, match=message):
            st.sweep(tasks.odd_fails, parameters, executor="threads")
    with pytest.raises(ValueError, match="threads.*processes.*ray"):
        st.sweep(tasks.odd_fails, {"number": [0]}, executor="cluster")
    with pytest.raises(ValueError, match="workers"):
        st.sweep(tasks.odd_fails, {"number": [0]}, workers=0)
    with pytest.raises(ValueError, match="seed"):
        st.sweep(tasks.odd_fails, {"number": [0]}, seed=-1)
    with pytest.raises(st.ModelError, match="no_such_scene"):
        st.sweep("no_such_scene", {"time": [0.1]})
    table = st.sweep(lambda number: {"number": 1}, {"number": [0]}, executor="threads")
    assert "rename the result" in table.errors[0]
    table = st.sweep(lambda number: {"thing": object()}, {"number": [0]}, executor="threads")
    assert "'thing' is of type object" in table.errors[0]
    with pytest.raises(ValueError, match=r"\.parquet.*\.csv"):
        table.save("table.txt")


def test_values_keep_every_bit_and_type(tmp_path):
    special = [0.1 + 0.2, -0.0, np.inf, np.nan, 5e-324, 1.7976931348623157e308]
    results = {
        "float": None,
        "int": 2**62,
        "text": 'ü\n"',
        "flag": True,
        "none": None,
        "ints": np.array([[1, -2], [3, 4]], dtype=np.int32),
        "half": np.float32(0.1),
        "words": ["a", "bcd"],
    }
    seen = []
    for _ in range(2):
        table = st.sweep(lambda x: {**results, "float": x}, [{"x": x} for x in special], executor="threads", journal=tmp_path / "j")
        seen.append(table)
    for table in seen:
        assert not table.errors
        assert table["float"].tobytes() == np.array(special).tobytes()
        assert table["int"].dtype == np.int64 and table["int"][0] == 2**62 and table["flag"].dtype == bool
        assert table["text"][0] == 'ü\n"' and table["none"][0] is None
        assert table["ints"].shape == (6, 2, 2) and table["half"][0] == np.float32(0.1)
        assert table["words"][3].tolist() == ["a", "bcd"]
    assert pickle.loads(pickle.dumps(seen[0])).errors == {}


def test_rollouts_on_processes_are_those_of_threads():
    model = st.Model.from_file("double_pendulum")
    random = np.random.default_rng(0)
    states = random.normal(size=(7, model.nq + model.nv))
    expected = st.rollout(model, states, steps=20, step=2e-3)
    for executor in ("threads", "processes"):
        assert np.array_equal(expected, st.rollout_on(model, states, executor=executor, steps=20, step=2e-3, chunk=3, workers=2))
    with pytest.raises(ValueError, match="nq"):
        st.rollout_on(model, states[:, 1:])
    with pytest.raises(ValueError, match="n, T, nu"):
        st.rollout_on(model, states, np.zeros((6, 3, model.nu)))
    with pytest.raises(st.SimulationError, match="rows 3 to 5.*finite"):
        states[4, 0] = np.nan
        st.rollout_on(model, states, executor="threads", steps=2, chunk=3)
