"""Pictures as arrays, and films."""

import pickle

import numpy as np
import pytest
import stiction as st

#: A red ball of radius 0.1 m around the origin, 1 m before a white wall; a camera 0.5 m before its centre looks along −x.
SCENE = """
<mujoco><option gravity="0 0 0"/><worldbody>
  <camera name="front" pos="0.5 0 0" xyaxes="0 1 0 0 0 1" fovy="60"/>
  <geom name="wall" type="box" size="0.05 3 3" pos="-1.05 0 0" rgba="1 1 1 1"/>
  <body name="ball"><freejoint/><geom name="ball" type="sphere" size="0.1" rgba="1 0 0 1"/></body>
</worldbody></mujoco>
"""


@pytest.fixture
def sim():
    return st.Simulation(st.Model.from_string(SCENE))


def test_depth_is_that_of_the_closed_form(sim):
    width, height = 80, 60
    renderer = st.Renderer(sim.model, width, height, ground=False)
    depth = renderer.depth(sim, camera="front")
    assert depth.shape == (height, width) and depth.dtype == np.float32
    focal = 0.5 * height / np.tan(np.radians(30.0))
    x, y = np.meshgrid((np.arange(width) + 0.5 - width / 2) / focal, (np.arange(height) + 0.5 - height / 2) / focal)
    # |t (1, x, y) − (0.5, 0, 0)| = 0.1, the nearer root; the wall's face is at 1.5 m.
    a, b, c = 1 + x**2 + y**2, -1.0, 0.25 - 0.01
    discriminant = b * b - 4 * a * c
    ball = (-b - np.sqrt(np.maximum(discriminant, 0.0))) / (2 * a)
    wanted = np.where(discriminant > 0, ball, 1.5)
    seen = renderer.segmentation(sim, camera="front")
    assert seen.dtype == np.int32
    names = np.array(sim.model.geom_names)[seen]
    inner = discriminant > 0.02  # away from the outline, where facets and the sphere differ
    assert (names[inner] == "ball").all() and (names[discriminant < -0.02] == "wall").all()
    assert np.abs(depth - wanted)[inner].max() < 1e-3
    assert np.abs(depth - wanted)[discriminant < -0.02].max() < 1e-5


def test_colours_are_the_scenes_and_follow_the_state(sim):
    renderer = st.Renderer(sim.model, 64, 48)
    before = renderer.render(sim, camera=0)
    assert before.shape == (48, 64, 3) and before.dtype == np.uint8
    red, green, _ = before[24, 32].astype(int)
    assert red > 2 * green
    sim.qpos[1] = 10.0  # out of sight, written to the array alone
    after = renderer.render(sim, camera="front")
    assert after[24, 32].min() > 100 and not np.array_equal(before, after)
    assert np.array_equal(after, renderer.render(sim, camera="front"))
    copy = pickle.loads(pickle.dumps(renderer))
    renderer.refit()  # the copy frames what it sees first
    assert (copy.width, copy.height) == (64, 48)
    assert np.array_equal(copy.render(sim, camera="front"), renderer.render(sim, camera="front"))


def test_a_free_camera_stands_where_its_numbers_say(sim):
    renderer = st.Renderer(sim.model, 41, 31, ground=False)
    front = st.FreeCamera(distance=0.5, azimuth=np.pi, elevation=0.0)
    assert renderer.depth(sim, front)[15, 20] == pytest.approx(0.4, abs=1e-3)
    assert renderer.depth(sim, front._replace(distance=0.8))[15, 20] == pytest.approx(0.7, abs=1e-3)
    above = st.FreeCamera(target=(0, 0, 0), distance=2.0, azimuth=0.0, elevation=-np.pi / 2)
    assert renderer.depth(sim, above)[15, 20] == pytest.approx(1.9, abs=1e-3)
    fitted = renderer.fitted(sim)
    assert isinstance(fitted, st.FreeCamera) and fitted.distance > 0.1
    assert "ball" in np.array(sim.model.geom_names)[np.unique(renderer.segmentation(sim)[renderer.segmentation(sim) >= 0])]


def test_wrong_pictures_are_refused(sim):
    with pytest.raises(ValueError, match="0 × 480"):
        st.Renderer(sim.model, 0, 480)
    with pytest.raises(ValueError, match="collision"):
        st.Renderer(sim.model, shapes="colision")
    renderer = st.Renderer(sim.model, 8, 8)
    with pytest.raises(ValueError, match='"front"'):
        renderer.render(sim, camera="back")
    with pytest.raises(TypeError, match="FreeCamera"):
        renderer.render(sim, camera=1.5)
    with pytest.raises(ValueError, match="positive"):
        renderer.render(sim, camera=st.FreeCamera(distance=0.0))
    with pytest.raises(ValueError, match="another model"):
        renderer.render(st.Simulation(st.Model.from_scene("arm")))


def test_films_are_written_beside_recordings(tmp_path, sim):
    files = [tmp_path / "a.mp4", tmp_path / "a.html", tmp_path / "a.gif"]
    alone = st.Simulation(sim.model)
    with sim.record(files, size=(64, 48), camera="front") as recording:
        sim.run_until(0.2)
    alone.run_until(0.2)
    assert recording.paths == files and sim.save_state() == alone.save_state()
    assert files[0].read_bytes()[4:8] == b"ftyp"
    assert files[2].read_bytes()[:6] == b"GIF89a"
    assert int.from_bytes(files[2].read_bytes()[6:8], "little") == 64
    assert files[1].stat().st_size > 1000
    assert not list(tmp_path.glob("*.part"))


def test_options_that_would_do_nothing_are_refused(tmp_path, sim):
    with pytest.raises(ValueError, match="for films"):
        sim.record(tmp_path / "a.html", size=(64, 48))
    with pytest.raises(ValueError, match="for films"):
        sim.record(tmp_path / "a.html", camera="front")
    with pytest.raises(ValueError, match=".html"):
        sim.record(tmp_path / "a.mp4", channels=["error"])
    with pytest.raises(ValueError, match="even"):
        sim.record(tmp_path / "a.mp4", size=(63, 48))
    with sim.record(tmp_path / "a.gif", size=(32, 32)) as recording:
        with pytest.raises(ValueError, match="no channels"):
            recording.log("error", 1.0)
