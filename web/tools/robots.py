"""Draws docs/figures/robots.jpg: robots in the viewer and in MuJoCo's renderer, from the same place.

    python web/tools/robots.py MENAGERIE URDF_ROBOTS [NAME ...]

MENAGERIE is a copy of github.com/google-deepmind/mujoco_menagerie, URDF_ROBOTS the folder `robots` of the PyPI package
example-robot-data. With names, only these robots are drawn, to robots-some.jpg in the present folder. Needs mujoco and
pillow, Node and Chromium, and the program (STICTION_PROGRAM, default target/release/stiction). Nothing of the robots'
files is kept but the picture.
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("MUJOCO_GL", "egl")
import mujoco  # noqa: E402
import numpy as np  # noqa: E402
from PIL import Image, ImageDraw  # noqa: E402

WEB = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("STICTION_PROGRAM", str(WEB.parent / "target/release/stiction"))
WIDTH, HEIGHT, SHRINK, ROW = 400, 360, 2, 10  # a tile as drawn, how much smaller it is shown, tiles a row
PAIRS = 20  # robots of Menagerie on the sheet: the first of the list whose files are there

MENAGERIE = """agility_cassie anybotics_anymal_c bitcraze_crazyflie_2 booster_t1 flexiv_rizon4 franka_emika_panda franka_fr3
google_barkour_v0 hello_robot_stretch kinova_gen3 kuka_iiwa_14 low_cost_robot_arm pal_talos robotiq_2f85 robotis_op3
shadow_hand stanford_tidybot trossen_vx300s trs_so_arm100 ufactory_lite6 ufactory_xarm7 unitree_a1 unitree_g1 unitree_go1
unitree_h1 unitree_z1 universal_robots_ur10e wonik_allegro""".split()
URDF = """laikago_description/urdf/laikago panda_description/urdf/panda anymal_c_simple_description/urdf/anymal
talos_data/robots/talos_reduced tiago_description/robots/tiago ur_description/urdf/ur5_robot baxter_description/urdf/baxter
hyq_description/robots/hyq_no_sensors so_arm_description/urdf/so101 romeo_description/urdf/romeo""".split()


def record(model, name, folder, *options):
    """Records the first frame of a model; the file, or None with the reason printed."""
    command = [PROGRAM, "run", str(model), "--time", "0.001", "--skip", "mcap,csv", "--out", str(folder / name), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"{name}: {done.stderr.strip().splitlines()[-1]}")
        return None
    return next((folder / name).glob("*.html"))


def peer(model, view):
    """MuJoCo's picture from where the viewer's camera stands."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    target = np.array(view["target"])
    way = target - np.array(view["camera"])
    distance = np.linalg.norm(way)
    way /= distance
    camera = mujoco.MjvCamera()
    camera.lookat[:], camera.distance = target, distance
    camera.azimuth, camera.elevation = math.degrees(math.atan2(way[1], way[0])), math.degrees(math.asin(way[2]))
    model.vis.global_.fovy = view["fov"]
    model.vis.global_.offwidth, model.vis.global_.offheight = WIDTH, HEIGHT
    with mujoco.Renderer(model, HEIGHT, WIDTH) as renderer:
        renderer.update_scene(data, camera)
        return Image.fromarray(renderer.render())


def main():
    menagerie, urdf, wanted = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    with tempfile.TemporaryDirectory() as name:
        folder, shots = pathlib.Path(name), []
        for robot in MENAGERIE:
            scenes = [menagerie / robot / scene for scene in ("scene.xml", "scene_right.xml")]
            scene = next((s for s in scenes if s.exists()), None)
            if scene is None or len(shots) == PAIRS or (wanted and robot not in wanted):
                continue
            try:
                model = mujoco.MjModel.from_xml_path(str(scene))
            except ValueError as error:
                print(f"{robot}: MuJoCo: {error}")
                continue
            file = record(scene, robot, folder, *(["--keyframe", "0"] if model.nkey else []))
            if file:
                shots.append((robot.replace("_", " "), file, model))
        for path in URDF:
            robot = path.split("/")[-1]
            if (urdf / f"{path}.urdf").exists() and (not wanted or robot in wanted):
                file = record(urdf / f"{path}.urdf", robot, folder, "--fixed-base")
                if file:
                    shots.append((robot.replace("_", " ") + " (URDF)", file, None))
        pictures = [{"file": str(f), "picture": str(folder / f"{i}.png"), "width": WIDTH, "height": HEIGHT} for i, (_, f, _) in enumerate(shots)]
        (folder / "list.json").write_text(json.dumps(pictures))
        done = subprocess.run(["node", str(WEB / "tools/robots.mjs"), str(folder / "list.json")], stdout=subprocess.PIPE, text=True, check=True)
        views = [json.loads(line) for line in done.stdout.splitlines()]
        tiles = []
        for (title, file, model), view, picture in zip(shots, views, pictures):
            print(f"{title}: {file.stat().st_size / 1e6:.1f} MB")
            own = Image.open(picture["picture"]).convert("RGB")
            ImageDraw.Draw(own).text((8, 6), title, fill=(40, 50, 60), font_size=22)
            tiles += [own, peer(model, view)] if model else [own]
    rows = math.ceil(len(tiles) / ROW)
    size = WIDTH // SHRINK, HEIGHT // SHRINK
    sheet = Image.new("RGB", (ROW * size[0], rows * size[1]), "white")
    for i, tile in enumerate(tiles):
        sheet.paste(tile.resize(size, Image.LANCZOS), (i % ROW * size[0], i // ROW * size[1]))
    path = pathlib.Path("robots-some.jpg") if wanted else WEB.parent / "docs/figures/robots.jpg"
    sheet.save(path, quality=86)
    print(path, f"{path.stat().st_size / 1e3:.0f} kB")


main()
