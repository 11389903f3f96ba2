"""Worlds composed in Python."""

import pytest
import stiction as st

URDF = """<robot name="arm"><link name="base"/><link name="upper"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0"
iyz="0"/></inertial></link><joint name="elbow" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/><limit lower="-1"
upper="1" effort="9" velocity="9"/></joint></robot>"""
#: A cube with edges of 2 in units of the file.
CUBE = "".join(f"v {x} {y} {z}\n" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)) + "".join(
    f"f {a} {b} {c}\n"
    for a, b, c in [
        (1, 2, 4),
        (1, 4, 3),
        (5, 7, 8),
        (5, 8, 6),
        (1, 5, 6),
        (1, 6, 2),
        (3, 4, 8),
        (3, 8, 7),
        (1, 3, 7),
        (1, 7, 5),
        (2, 6, 8),
        (2, 8, 4),
    ]
)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "cube.obj").write_text(CUBE)
    return tmp_path


def test_robots_and_objects_of_several_formats_make_one_model(files):
    world = st.World("bench").ground(friction=0.7)
    world.add(files / "arm.urdf", name="left", base="fixed").add(files / "arm.urdf", "right", [1, 0, 0], base="fixed")
    world.add(files / "cube.obj", position=[0, 0, 0.5], scale=0.1, mass=2.0, friction=0.4)
    model = world.build()
    assert model.joint_names[:2] == ["left/elbow", "right/elbow"] and "cube" in model.body_names
    assert model.body("cube").mass == pytest.approx(2.0) and model.body("cube").com == pytest.approx([0, 0, 0], abs=1e-9)
    assert model.geom("cube").friction == 0.4 and model.geom("ground").friction == 0.7
    sim = st.Simulation(model, step=1e-3)
    assert sim.body("right/base").position[0] == 1.0 or sim.body("right/upper").position[0] == 1.0
    sim.step(1500)
    assert sim.body("cube").position[2] == pytest.approx(0.1, abs=1e-3), "it lies on the ground"
    assert "arm.urdf" in repr(world) and "ground" in repr(world)


def test_a_mesh_with_a_modulus_is_soft(files):
    model = st.World().ground().add(files / "cube.obj", position=[0, 0, 0.12], modulus=1e5).build()
    sim = st.Simulation(model, step=1e-3)
    sim.step(1000)
    assert len(sim.patches) == 1 and len(sim.contacts) == 0
    with pytest.raises(st.ModelError, match="hull"):
        st.World().add(files / "cube.obj", modulus=1e5, hull=True)


def test_what_cannot_be_added_changes_nothing(files):
    world = st.World().add(files / "arm.urdf", base="fixed")
    for wrong in [
        lambda: world.add(files / "arm.urdf", base="fixed"),  # the same names
        lambda: world.add(files / "cube.obj", to="nowhere"),
        lambda: world.add(files / "no.urdf"),
    ]:
        with pytest.raises(st.ModelError):
            wrong()
    assert world.build().joint_names == ["elbow"]


def test_models_and_scenes_are_added_and_a_hand_is_mounted_on_a_site(files):
    robot = st.Model.from_string(
        "<mujoco><option timestep='0.004'/><worldbody><body name='link'><joint name='j'/><geom size='.1'/><site name='flange' pos='0 0 .5'/></body></worldbody></mujoco>"
    )
    tool = st.Model.from_string("<mujoco><worldbody><body name='tool'><freejoint/><geom size='.05'/></body></worldbody></mujoco>")
    model = st.World().add(robot).add(tool, "hand", [0, 0, 0.1], to="flange").build()
    assert model.nv == 1, "the tool is fixed to the flange"
    sim = st.Simulation(model)
    assert sim.body("hand/tool").position == pytest.approx([0, 0, 0.6]) and sim.options["step"] <= 0.004
    assert st.World().add("stack").build().nv == st.Model.from_scene("stack").nv


def test_the_wrong_argument_for_a_source_says_so(files):
    with pytest.raises(st.InputError, match="for mesh files"):
        st.World().add(files / "arm.urdf", friction=0.5)
    with pytest.raises(st.InputError, match="for model files"):
        st.World().add(files / "cube.obj", strict=True)
    with pytest.raises(st.InputError, match="choose as given, fixed or free"):
        st.World().add(files / "arm.urdf", base="loose")
