"""Contact patches, tactile grids and their warnings, from Python."""

import pickle

import numpy as np
import pytest
import stiction as st

SOFT = (
    "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value='1e6'/>"
    "<drake:mesh_resolution_hint value='0.02'/></drake:proximity_properties>"
)
BOX = f"""<mujoco><worldbody>
  <geom name="floor" type="plane" size="1 1 1" friction="0.5"/>
  <body name="box" pos="0 0 0.05"><freejoint/>
    <geom name="box" type="box" size="0.1 0.08 0.05" mass="2" friction="0.5">{SOFT}</geom></body>
</worldbody></mujoco>"""


def resting(**options):
    sim = st.Simulation(st.Model.from_string(BOX), **{"margin": 1e-4, "relative_tolerance": 1e-10, **options})
    sim.step(500)
    return sim


def test_there_is_no_patch_before_the_first_step():
    assert st.Simulation(st.Model.from_string(BOX)).patches == []


@pytest.mark.parametrize("tessellation", ["polygons", "fans", "refined"])
def test_a_patch_carries_the_weight_and_adds_up(tessellation):
    sim = resting(tessellation=tessellation)
    (patch,) = sim.patches
    assert isinstance(patch, st.ContactPatch)
    assert (patch.geom_a, patch.geom_b, patch.body_a, patch.body_b) == (0, 1, 0, 1)
    n, m = len(patch.vertices), len(patch.polygons)
    assert patch.vertices.shape == (n, 3) and patch.pressure.shape == (n,)
    assert patch.traction.shape == patch.slip.shape == patch.normals.shape == patch.centroids.shape == (m, 3)
    assert sorted(np.concatenate(patch.polygons)) == list(range(n))
    assert np.allclose(patch.force, [0, 0, 2 * 9.81], atol=1e-4) and np.linalg.norm(patch.moment) < 1e-4
    assert np.allclose(patch.areas @ patch.traction, patch.force)
    pressed = patch.pressure.min() >= 0
    assert pressed and patch.areas.sum() == pytest.approx(patch.area) == pytest.approx(0.2 * 0.16, rel=1e-6)
    assert np.allclose(patch.centroid[:2], 0, atol=1e-4) and np.allclose(patch.center_of_pressure[:2], 0, atol=1e-4)
    assert np.allclose(patch.normals, [0, 0, 1]) and 0 < patch.peak_extent < 0.01
    assert all(np.linalg.norm(patch.slip, axis=1) < 1e-6)
    assert sim.stats["last_patches"] == 1 and sim.stats["last_faces"] == m
    assert sim.stats["patches"] > 400 and sim.stats["doubtful_patches"] == 0 and sim.warnings == []


def test_a_sliding_box_has_traction_against_its_slip():
    sim = resting(friction_passes=0)
    sim.qvel[0] = 1.0
    sim.step()
    (patch,) = sim.patches
    assert (patch.slip[:, 0] > 0.9).all() and (patch.traction[:, 0] < 0).all()
    # The lagged model: friction is μ times the normal force before the step, which was the weight.
    assert patch.force[0] == pytest.approx(-0.5 * 2 * 9.81, rel=1e-4)


def test_patches_are_copies_that_pickle_and_go_with_a_reset():
    sim = resting()
    (patch,) = sim.patches
    twin = pickle.loads(pickle.dumps(patch))
    assert np.array_equal(twin.vertices, patch.vertices) and twin.area == patch.area
    patch.force[:] = 0
    assert sim.patches[0].force[2] > 1
    sim.reset()
    assert sim.patches == []


def test_a_tactile_grid_adds_up_to_the_force():
    sim = resting()
    sim.qvel[0] = 1.0
    sim.step()
    (patch,) = sim.patches
    # Below the box: z down, x along the box's −x.
    grid = st.TactileGrid("box", size=[0.3, 0.2], rows=9, columns=14, position=[0, 0, -0.05], quaternion=[0, 0, 1, 0])
    for each in [grid, pickle.loads(pickle.dumps(grid))]:
        pressure, shear = each.sample(sim)
        assert pressure.shape == (9, 14) and shear.shape == (9, 14, 2)
        assert pressure.sum() * each.cell_area == pytest.approx(patch.force[2])
        assert shear[..., 0].sum() * each.cell_area == pytest.approx(-patch.force[0])
    with pytest.raises(ValueError, match="rows"):
        st.TactileGrid("box", size=[1, 1], rows=0, columns=1)
    with pytest.raises(ValueError, match="size"):
        st.TactileGrid("box", size=[1, -1], rows=1, columns=1)
    with pytest.raises(ValueError, match="nobody"):
        st.TactileGrid("nobody", size=[1, 1], rows=1, columns=1).sample(sim)


def test_solids_come_from_files(tmp_path):
    corners = [(x, y, z) for z in (-0.1, 0.1) for y in (-0.1, 0.1) for x in (-0.1, 0.1)] + [(0, 0, 0)]
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    tets = [t for a, b, c, d in sides for t in [(a, b, c, 8), (a, c, d, 8)]]
    lines = ["# vtk DataFile Version 3.0", "cube", "ASCII", "DATASET UNSTRUCTURED_GRID", "POINTS 9 double"]
    lines += [" ".join(map(str, p)) for p in corners]
    lines += ["CELLS 12 60"] + ["4 " + " ".join(map(str, t)) for t in tets] + ["CELL_TYPES 12"] + ["10"] * 12
    lines += ["POINT_DATA 9", "SCALARS pressure double", "LOOKUP_TABLE default"] + ["0"] * 8 + ["1e6"]
    (tmp_path / "cube.vtk").write_text("\n".join(lines))
    (tmp_path / "cube.xml").write_text(
        "<mujoco><asset><mesh file='cube.vtk'/></asset><worldbody><geom type='plane' size='1 1 1'/>"
        "<body pos='0 0 0.1'><freejoint/><geom type='mesh' mesh='cube' density='100'>"
        "<drake:proximity_properties><drake:compliant_hydroelastic/></drake:proximity_properties></geom></body>"
        "</worldbody></mujoco>"
    )
    model = st.Model.from_file(tmp_path / "cube.xml", strict=True)
    assert model.total_mass == pytest.approx(0.8)
    sim = st.Simulation(model, margin=1e-4)
    sim.step(500)
    assert sim.patches[0].force[2] == pytest.approx(0.8 * 9.81, rel=1e-3)
    twin = pickle.loads(pickle.dumps(sim))
    sim.step(5), twin.step(5)
    assert np.array_equal(sim.qpos, twin.qpos)


def test_an_unknown_tessellation_is_refused():
    with pytest.raises(ValueError, match="polygons, fans or refined"):
        st.Simulation(st.Model.from_string(BOX), tessellation="cubes")
    sim = st.Simulation(st.Model.from_string(BOX), tessellation="fans")
    assert sim.options["tessellation"] == "fans"
