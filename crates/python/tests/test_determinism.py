"""The program and the package take the same way, bit for bit."""

import json
import os
import struct
import subprocess
from pathlib import Path

import pytest
import stiction as st

PROGRAM = os.environ.get("STICTION_PROGRAM")


def fnv(hash, numbers):
    """FNV-1a over the bytes of doubles, as `TrajectoryHash` of the Rust library."""
    for byte in struct.pack(f"<{len(numbers)}d", *numbers):
        hash = ((hash ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return hash


@pytest.mark.skipif(PROGRAM is None or not Path(PROGRAM).exists(), reason="STICTION_PROGRAM names no program to compare with")
@pytest.mark.parametrize(
    "scene, arguments, options, steps",
    [
        ("clutter", [], {}, 100),
        ("clutter", ["--contact", "similar", "--margin", "1e-3"], {"contact": "similar", "margin": 1e-3}, 50),
        ("soft_pile", [], {}, 8),
        ("humanoid", ["--contact", "sap"], {"contact": "sap"}, 100),
        ("assistive_arm", ["--tangential-springs"], {"tangential_springs": True}, 50),
    ],
)
def test_the_program_and_the_package_take_the_same_way(scene, arguments, options, steps):
    step = 2e-3
    command = [PROGRAM, "run", scene, "--step", str(step), "--time", str(steps * step), "--json", *arguments]
    report = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    sim = st.Simulation(st.Model.from_scene(scene), step=step, **options)
    hash = 0xCBF29CE484222325
    for _ in range(steps):
        sim.step()
        for numbers in ([sim.time], sim.qpos, sim.qvel):
            hash = fnv(hash, numbers)
    assert report["qpos"] == list(sim.qpos) and report["qvel"] == list(sim.qvel)
    assert report["trajectory_hash"] == f"{hash:016x}"


@pytest.mark.parametrize("contact", ["lagged", st.LearnedContact.load("cube")], ids=["lagged", "learned"])
def test_saving_and_loading_in_the_middle_changes_nothing(contact):
    model = st.Model.from_scene("cube_toss")
    ways = []
    for stops in ((), (7, 100, 101, 233)):
        sim = st.Simulation(model, step=1 / 1480, contact=contact)
        hash = 0xCBF29CE484222325
        for k in range(300):
            if k in stops:
                saved = sim.save_state()
                sim = st.Simulation(model, step=1 / 1480, contact=contact)
                sim.load_state(saved)
            sim.step()
            hash = fnv(fnv(hash, sim.qpos), sim.qvel)
        ways.append(hash)
    assert ways[0] == ways[1]
