"""The page for those who come from MuJoCo, with MuJoCo."""

import copy

import coming_from
import mujoco
import mujoco.rollout
import numpy as np
import pytest


def full_mass_matrix(m, d):
    dense = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, dense)
    return dense


def body_jacobian(m, d, name):
    linear, angular = np.zeros((3, m.nv)), np.zeros((3, m.nv))
    mujoco.mj_jacBody(m, d, linear, angular, m.body(name).id)
    return np.vstack([angular, linear])


@pytest.fixture
def names(tmp_path, monkeypatch):
    """Both models at the keyframe."""
    monkeypatch.chdir(tmp_path)
    names = {"mujoco": mujoco, "full_mass_matrix": full_mass_matrix, "body_jacobian": body_jacobian}
    exec(coming_from.prelude(), names)
    exec("model = st.Model.from_file('scene.xml')", names)
    coming_from.raised(names)
    m = mujoco.MjModel.from_xml_path("scene.xml")
    m.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, 0)
    mujoco.mj_forward(m, d)
    return names | {"m": m, "d": d, "copy": copy}


def test_both_sides_of_the_table_of_numbers_agree(names):
    rows = coming_from.sections()["MuJoCo: numbers by name"]
    for theirs, ours in rows:
        expected, found = np.asarray(eval(theirs, names), float), np.asarray(eval(ours, names), float)
        assert expected.shape == found.shape and np.allclose(expected, found, rtol=1e-9, atol=1e-9), f"{theirs} and {ours}"


def test_the_calls_of_the_other_tables_exist_there(names):
    names |= {"state": np.zeros(mujoco.mj_stateSize(names["m"], mujoco.mjtState.mjSTATE_INTEGRATION)), "i": 0, "wrench": np.zeros(6)}
    size = mujoco.mj_stateSize(names["m"], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    initial = np.zeros((4, size))
    mujoco.mj_getState(names["m"], names["d"], initial[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    initial[:] = initial[0]
    names |= {"initial": initial, "controls": np.zeros((4, 5, 2))}
    for title in ("MuJoCo: make, step, reset", "MuJoCo: contact"):
        for theirs, _ in coming_from.sections()[title]:
            if "viewer" not in theirs:  # needs a screen
                exec(theirs, names)
