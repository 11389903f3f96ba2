"""Sweeps on a real Ray cluster of two nodes on this machine; tables as Arrow and Parquet."""

import functools

import numpy as np
import pyarrow.feather
import pyarrow.parquet
import pytest
import stiction as st
import sweep_tasks as tasks
from ray_nodes import two_nodes

GRID = {"friction": [0.3, 0.5], "speed": np.linspace(0.5, 1.5, 4)}


@pytest.fixture(scope="module")
def cluster():
    with two_nodes() as both:
        yield both


def test_a_cluster_gives_the_numbers_of_threads_and_processes(cluster, tmp_path):
    names = ["threads", "processes", "ray"]
    tables = {name: st.sweep(tasks.slide, GRID, executor=name) for name in names}
    for name, table in tables.items():
        assert not table.errors
        tasks.same_tables(tables["threads"], table)
        table.save(tmp_path / f"{name}.parquet")
        table.save(tmp_path / f"{name}.csv")
    for kind in ("parquet", "csv"):
        assert len({(tmp_path / f"{name}.{kind}").read_bytes() for name in names}) == 1
    noisy = [st.sweep(tasks.noisy, {"scale": [1.0, 2.0, 3.0]}, executor=name, seed=5)["drawn"] for name in names]
    assert np.array_equal(noisy[0], noisy[1]) and np.array_equal(noisy[0], noisy[2])


def test_a_sweep_begun_on_processes_goes_on_the_cluster(cluster, tmp_path):
    def stop(done, total, errors):
        if done == 3:
            raise KeyboardInterrupt

    arguments = (tasks.slide, GRID)
    with pytest.raises(KeyboardInterrupt):
        st.sweep(*arguments, executor="processes", journal=tmp_path / "journal", progress=stop)
    states = []
    mixed = st.sweep(*arguments, executor="ray", journal=tmp_path / "journal", progress=lambda *s: states.append(s[0]))
    assert states[0] == 3
    tasks.same_tables(mixed, st.sweep(*arguments, executor="threads"))


def test_errors_and_dead_workers_are_rows_on_a_cluster_too(cluster, tmp_path):
    table = st.sweep(tasks.odd_fails, {"number": range(4)}, executor="ray")
    assert table.errors == {1: "ValueError: 1 is odd", 3: "ValueError: 3 is odd"}
    task = functools.partial(tasks.dies_once, folder=str(tmp_path))
    table = st.sweep(task, {"number": range(7)}, executor="ray", retries=1)
    assert list(table.errors) == [5] and "WorkerDied" in table.errors[5]
    assert table["value"].compressed().tolist() == [0, 1, 2, 3, 4, 6]


def test_rollouts_on_a_cluster_are_those_of_threads(cluster):
    model = st.Model.from_file("gripper")
    states = np.tile(np.concatenate([model.default_qpos, np.zeros(model.nv)]), (5, 1))
    controls = np.random.default_rng(0).uniform(0, 0.02, size=(5, 20, model.nu))
    expected = st.rollout(model, states, controls, step=2e-3)
    assert np.array_equal(expected, st.rollout_on(model, states, controls, "ray", step=2e-3, chunk=2))


def test_functions_of_a_script_travel_by_value(cluster):
    offset = 3
    table = st.sweep(lambda number: number + offset, {"number": range(4)}, executor="ray", workers=2)
    assert table["value"].tolist() == [3, 4, 5, 6]
    table = st.sweep(lambda number: number + offset, {"number": range(4)}, executor="processes", workers=2)
    assert table["value"].tolist() == [3, 4, 5, 6]


def test_a_table_reads_back_from_parquet_and_arrow(tmp_path):
    table = st.sweep(tasks.odd_fails, {"number": range(4)}, executor="threads")
    table.save(tmp_path / "rows.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "rows.parquet").to_pydict() == {
        "number": [0, 1, 2, 3],
        "value": [0, None, 2, None],
        "error": [None, "ValueError: 1 is odd", None, "ValueError: 3 is odd"],
    }
    table = st.sweep(tasks.slide, GRID, executor="threads")
    table.save(tmp_path / "rows.arrow")
    back = pyarrow.feather.read_table(tmp_path / "rows.arrow")
    assert back.equals(table.to_arrow())
    assert np.array_equal(np.array(back["pose"].to_pylist()), table["pose"])
