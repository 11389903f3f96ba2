"""Solids from surfaces."""

import pickle

import numpy as np
import pytest
import stiction as st


def ball(radius=0.05, rings=24):
    """A sphere of latitudes and longitudes."""
    vertices, faces = [[0, 0, -radius]], []
    for i in range(1, rings):
        a = np.pi * i / rings
        for k in range(2 * rings):
            b = np.pi * k / rings
            vertices.append([radius * np.sin(a) * np.cos(b), radius * np.sin(a) * np.sin(b), -radius * np.cos(a)])
    vertices.append([0, 0, radius])
    n = 2 * rings

    def at(i, k):
        return 1 + (i - 1) * n + k % n

    for k in range(n):
        faces.append([0, at(1, k + 1), at(1, k)])
        faces.append([len(vertices) - 1, at(rings - 1, k), at(rings - 1, k + 1)])
        for i in range(1, rings - 1):
            faces += [[at(i, k), at(i, k + 1), at(i + 1, k + 1)], [at(i, k), at(i + 1, k + 1), at(i + 1, k)]]
    return np.array(vertices), np.array(faces)


def test_a_ball_is_filled_with_positive_tetrahedra_and_a_field_that_rises_inwards():
    solid = st.Solid.from_mesh(ball(), 1e5, resolution=0.01)
    v, t, e = solid.vertices, solid.tetrahedra, solid.extents
    a, b, c, d = (v[t[:, k]] for k in range(4))
    volumes = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) / 6
    assert volumes.min() > 0 and volumes.sum() == pytest.approx(solid.volume)
    assert solid.volume == pytest.approx(4 / 3 * np.pi * 0.05**3, rel=0.04)
    assert e.min() == 0 and e.max() <= 1 and np.all(e[np.unique(solid.surface)] == 0)
    assert np.abs(e - (1 - np.linalg.norm(v, axis=1) / 0.05)).max() < 0.1
    assert solid.modulus == 1e5 and solid.notes == [] and solid.report["components"] == 1
    again = pickle.loads(pickle.dumps(solid))
    assert np.array_equal(again.vertices, v) and again.report == solid.report


def test_a_saved_solid_is_what_a_model_simulates(tmp_path):
    solid = st.Solid.from_mesh(ball(), 2e5, resolution=0.012, field="laplace", core=0.01, stiffening=0.5)
    assert solid.modulus == pytest.approx(4e5) and solid.report["core_vertices"] > 0 and solid.report["layers"] > 1
    solid.save(tmp_path / "ball.vtk")
    (tmp_path / "scene.xml").write_text(
        """<mujoco><asset><mesh name="ball" file="ball.vtk"/></asset><worldbody>
        <geom type="plane" size="1 1 1"/><body pos="0 0 0.049"><freejoint/><geom type="mesh" mesh="ball" mass="0.3">
        <drake:proximity_properties><drake:compliant_hydroelastic/></drake:proximity_properties></geom></body>
        </worldbody></mujoco>"""
    )
    model = st.Model.from_file(tmp_path / "scene.xml")
    assert not model.warnings
    sim = st.Simulation(model)
    sim.step(500)
    (patch,) = sim.patches
    assert patch.force[2] == pytest.approx(0.3 * 9.81, rel=0.02)
    assert patch.pressure.max() > 0 and patch.area > 0


def test_what_cannot_be_filled_says_why():
    vertices, faces = ball(rings=12)
    with pytest.raises(st.ModelError, match="open"):
        st.Solid.from_mesh((vertices, faces[len(faces) // 2 :]))
    with pytest.raises(st.ModelError, match="core"):
        st.Solid.from_mesh((vertices, faces), field="laplace")
    with pytest.raises(ValueError, match="region"):
        st.Solid.from_mesh((vertices, faces), rigid=["up"])
    with pytest.raises(ValueError, match="distance, laplace or poisson"):
        st.Solid.from_mesh((vertices, faces), field="magic")
    with pytest.raises(ValueError, match="n, 3"):
        st.Solid.from_mesh((vertices[:, :2], faces))
    holed = st.Solid.from_mesh((vertices, faces[1:]))
    assert any("hole" in note for note in holed.notes)
