// Robots as their makers drew them, and the camera: shapes, materials, faces in one place, framing, the model's cameras,
// and that every gesture and choice redraws while nothing plays.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { surface } from "../src/shapes.ts";
import { colorAt, Folder, launch, page as built, picture, project, ready, tab } from "./browser.ts";
import { block, html, rollingBall, stand } from "./make.ts";

let browser: Browser;
const folder = new Folder();
before(async () => { browser = await launch(); });
after(async () => {
  await browser.close();
  folder.remove();
});

async function opened(address: string, chunks = stand().chunks): Promise<{ page: Page; complaints: string[] }> {
  const made = await tab(browser);
  await made.page.goto(`${folder.write("made.html", html(built(), [block(...chunks)]))}#${address}`);
  await ready(made.page);
  return made;
}

type Point = [number, number, number];
const RED: Point = [0, -0.1, 0.2], BLUE: Point = [0.25, -0.1, 0.2], LAMP: Point = [0, 0.4, 0.2];
const most = (c: number[]): string => ["r", "g", "b"][c.indexOf(Math.max(...c))];

test("visual shapes are drawn, collision and hidden ones only when asked for, and all together as glass", async () => {
  const { page, complaints } = await opened("t=0&panel=0&plots=0");
  const seen = async (point: Point): Promise<number[]> => colorAt(page, await picture(page), point);
  const sky = await seen(BLUE);
  assert.equal(most(await seen(RED)), "r");
  await page.keyboard.press("v");
  assert.equal(most(await seen(RED)), "g");
  await page.evaluate(() => window.stiction!.set("shapes", "all"));
  const both = await seen(RED), blue = await seen(BLUE);
  assert.ok(both[0] > 60 && both[1] > 30, `both show: ${both}`);
  assert.ok(blue[2] - blue[0] > sky[2] - sky[0] + 15, `${blue} over ${sky}`);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("of faces in the same place one is seen throughout, and a lamp gives off light", async () => {
  const { page, complaints } = await opened("t=0&panel=0&plots=0&shadows=0");
  const shot = await picture(page), kinds = new Set<string>();
  const corners = [await project(page, [0.43, -0.1, 0.13]), await project(page, [0.57, -0.1, 0.27])];
  for (let y = Math.min(corners[0][1], corners[1][1]); y < Math.max(corners[0][1], corners[1][1]); y++) {
    for (let x = Math.min(corners[0][0], corners[1][0]); x < Math.max(corners[0][0], corners[1][0]); x++) {
      const [r, g, b] = shot.at(x, y);
      kinds.add(r > 90 && g > 2 * b ? "yellow" : r > 90 && b > 2 * g ? "magenta" : "mixed");
    }
  }
  assert.deepEqual([...kinds].length, 1, `seen: ${[...kinds]}`);
  const lamp = await colorAt(page, shot, LAMP);
  assert.ok(lamp[2] > 200, `the lamp is as bright as its colour: ${lamp}`);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a robot on a floor of 100 m fills the picture, and is seen from where its author looks", async () => {
  const { page, complaints } = await opened("t=0&panel=0&plots=0");
  await picture(page);
  const corners: [number, number][] = [];
  for (const x of [-0.1, 0.6]) for (const y of [-0.1, 0.6]) for (const z of [0.1, 0.3]) corners.push(await project(page, [x, y, z]));
  const wide = Math.max(...corners.map((c) => c[0])) - Math.min(...corners.map((c) => c[0]));
  assert.ok(wide > 400 && wide < 1000, `${wide} pixels wide`);
  // Azimuth 2 rad, elevation −0.4 rad: the camera looks along (cos e cos a, cos e sin a, sin e).
  const way = await page.evaluate(() => {
    const { camera, controls } = window.stiction!.viewer.stage;
    return controls.target.clone().sub(camera.position).normalize().toArray();
  });
  const wanted = [Math.cos(0.4) * Math.cos(2), Math.cos(0.4) * Math.sin(2), -Math.sin(0.4)];
  wanted.forEach((x, i) => assert.ok(Math.abs(x - way[i]) < 0.01, `${way} for ${wanted}`));
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("wheel and pinch zoom, and every choice in the panel is drawn at once, while nothing plays", async () => {
  const { page, complaints } = await opened("t=1&plots=0", rollingBall().chunks);
  await picture(page);
  const size = async (): Promise<number> => {
    const [a, b] = [await project(page, [0, 0, 0]), await project(page, [0, 0, 0.4])];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  };
  const changed = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    const before_ = await picture(page);
    await act();
    await page.waitForTimeout(60);
    const after_ = await picture(page);
    let different = 0;
    for (let y = 60; y < 640; y += 4) for (let x = 10; x < 740; x += 4) if (after_.at(x, y).some((c, i) => Math.abs(c - before_.at(x, y)[i]) > 8)) different++;
    assert.ok(different > 40, `${what}: ${different} pixels changed`);
  };
  const small = await size();
  await page.mouse.move(370, 350);
  await changed("wheel", () => page.mouse.wheel(0, -500));
  const larger = await size();
  assert.ok(larger > 1.15 * small, `${larger} after ${small}`);
  const client = await page.context().newCDPSession(page);
  const touch = (type: string, gap: number): Promise<unknown> => client.send("Input.dispatchTouchEvent", { type: type as "touchMove", touchPoints: type === "touchEnd" ? [] : [{ x: 370 - gap, y: 350, id: 1 }, { x: 370 + gap, y: 350, id: 2 }] });
  await changed("pinch", async () => {
    await touch("touchStart", 120);
    for (const gap of [100, 80, 60]) await touch("touchMove", gap);
    await touch("touchEnd", 0);
  });
  assert.ok((await size()) < 0.8 * larger, `${await size()} after ${larger}`);
  for (const control of await page.locator(".panel [data-setting]").all()) {
    const name = await control.getAttribute("data-setting"), drawn = await page.evaluate(() => window.stiction!.viewer.numbers.drawn);
    await control.evaluate((element) => {
      for (let at = element.closest("details"); at; at = at.parentElement!.closest("details")) at.open = true;
      const input = element as HTMLInputElement;
      if (element instanceof HTMLSelectElement) element.selectedIndex = element.options.length - 1;
      else if (input.type === "checkbox") input.checked = !input.checked;
      else input.value = String((Number(input.min) + Number(input.max)) / 2.5);
      for (const kind of ["input", "change"]) element.dispatchEvent(new Event(kind, { bubbles: true }));
    });
    await page.waitForFunction((n) => window.stiction!.viewer.numbers.drawn > n, drawn, { timeout: 5000 }).catch(() => assert.fail(`${name} is not drawn`));
  }
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("the model's cameras are chosen by name, and a drag takes the view from there", async () => {
  const { page, complaints } = await opened("t=0&plots=0");
  await page.locator('[data-setting="camera"]').selectOption("front");
  await picture(page);
  const box = (await page.locator("canvas.stage").boundingBox())!, middle = [box.x + box.width / 2, box.y + box.height / 2];
  const [x, y] = await project(page, [0, 0, 0.2]);
  assert.ok(Math.hypot(x - middle[0], y - middle[1]) < 2, `the box is in the middle: ${x} ${y}`);
  // From 2 m, half a field of 0.6 rad is 2 tan 0.3 m: a quarter of it up is that much of half the picture.
  const [, up] = await project(page, [0, 0, 0.2 + 0.25 * 2 * Math.tan(0.3)]);
  assert.ok(Math.abs(middle[1] - up - 0.125 * box.height) < 2, `${up}`);
  await page.keyboard.press("y");
  await picture(page);
  const [lx, ly] = await project(page, [0, 0.5, 0.2]);
  assert.ok(Math.hypot(lx - middle[0], ly - middle[1]) < 2, `the lamp's camera looks at the lamp: ${lx} ${ly}`);
  await page.mouse.move(middle[0], middle[1]);
  await page.mouse.down();
  await page.mouse.move(middle[0] + 60, middle[1] + 10, { steps: 4 });
  await page.mouse.up();
  assert.equal(await page.evaluate(() => window.stiction!.settings.camera), null);
  assert.match(await page.locator(".about").innerText(), /mesh "arm" is drawn with 100000 of its 250000 triangles/);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a double click goes to the body that it hits", async () => {
  const { page, complaints } = await opened("t=0&panel=0&plots=0");
  await picture(page);
  await page.mouse.dblclick(...(await project(page, RED)));
  await page.waitForTimeout(600);
  await picture(page);
  const box = (await page.locator("canvas.stage").boundingBox())!, [x, y] = await project(page, [0, 0, 0.2]);
  assert.ok(Math.hypot(x - box.x - box.width / 2, y - box.y - box.height / 2) < 0.12 * box.height, `${x} ${y}`);
  const [a, b] = [await project(page, [0, 0, 0.1]), await project(page, [0, 0, 0.3])];
  assert.ok(Math.hypot(a[0] - b[0], a[1] - b[1]) > 0.2 * box.height, "it is near");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("the plain look and the full one have the same shapes; the full one mirrors its surroundings", async () => {
  const { page, complaints } = await opened("t=0&panel=0&plots=0&quality=full&shadows=0");
  const full = await colorAt(page, await picture(page), RED);
  await page.keyboard.press("e");
  const plain = await colorAt(page, await picture(page), RED);
  assert.equal(most(full) + most(plain), "rr");
  assert.ok(full.some((c, i) => Math.abs(c - plain[i]) > 3), `${full} and ${plain}`);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a surface is smooth over gentle edges and sharp over creases, whether or not its triangles share vertices", () => {
  // A ball of loose triangles: normals point away from its middle, and corners in one place become one vertex.
  const n = 24, points: number[] = [];
  const at = (i: number, j: number): number[] => {
    const lat = Math.PI * (i / n - 0.5), lon = (2 * Math.PI * (j % (2 * n))) / (2 * n);
    return i === 0 || i === n ? [0, 0, Math.sign(lat)] : [Math.cos(lat) * Math.cos(lon), Math.cos(lat) * Math.sin(lon), Math.sin(lat)];
  };
  for (let i = 0; i < n; i++) for (let j = 0; j < 2 * n; j++) points.push(...at(i, j), ...at(i, j + 1), ...at(i + 1, j + 1), ...at(i, j), ...at(i + 1, j + 1), ...at(i + 1, j));
  const ball = surface(new Float32Array(points), Array.from({ length: points.length / 3 }, (_, i) => i), true);
  const p = ball.getAttribute("position").array, m = ball.getAttribute("normal").array;
  assert.equal(p.length / 3, (n - 1) * 2 * n + 2);
  for (let i = 0; i < p.length; i += 3) assert.ok(p[i] * m[i] + p[i + 1] * m[i + 1] + p[i + 2] * m[i + 2] > 0.995);
  // A cube of eight vertices has three normals at each.
  const cube = surface(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1]),
    [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5], true);
  assert.equal(cube.getAttribute("position").count, 24);
});

// The same robot in three formats: a red box to see, a larger green one to collide, on an arm that turns.
const BOX = (size: number): string => `<geometry><box${size < 0 ? `><size>${-size} ${-size} ${-size}</size></box>` : ` size="${size} ${size} ${size}"/>`}</geometry>`;
const ROBOTS: Record<string, string> = {
  "robot.xml": `<mujoco><default><default class="visual"><geom contype="0" conaffinity="0" group="2" rgba="0.9 0.1 0.1 1"/></default>
    <default class="collision"><geom group="3" rgba="0.1 0.8 0.2 1"/></default></default>
    <worldbody><body name="arm" pos="0 0 0.5"><joint axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <geom class="visual" type="box" size=".1 .1 .1"/><geom class="collision" type="box" size=".12 .12 .12"/></body></worldbody></mujoco>`,
  "robot.urdf": `<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual>${BOX(0.2)}<material name="red"><color rgba="0.9 0.1 0.1 1"/></material></visual><collision>${BOX(0.24)}</collision></link>
    <joint name="j" type="continuous"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.5"/><axis xyz="0 0 1"/></joint></robot>`,
  "robot.sdf": `<sdf version="1.9"><model name="r"><link name="base"><pose>0 0 0 0 0 0</pose></link><link name="arm"><pose>0 0 0.5 0 0 0</pose>
    <inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
    <visual name="v">${BOX(-0.2)}<material><diffuse>0.9 0.1 0.1 1</diffuse></material></visual><collision name="c">${BOX(-0.24)}</collision></link>
    <joint name="j" type="revolute"><parent>base</parent><child>arm</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>`,
};
const program = process.env.STICTION_PROGRAM;
for (const [name, text] of Object.entries(ROBOTS)) {
  test(`of ${name} the visual shape is drawn, and the collision shape on demand`, { skip: program ? false : "STICTION_PROGRAM names no program" }, async () => {
    writeFileSync(join(folder.path, name), text);
    execFileSync(program!, ["run", join(folder.path, name), "--time", "0.002", "--skip", "mcap,csv", "--out", folder.path, ...(name.endsWith("xml") ? [] : ["--fixed-base"])], { stdio: "pipe" });
    const { page, complaints } = await tab(browser, 500, 400);
    await page.goto(`${pathToFileURL(join(folder.path, "robot.html")).href}#t=0&panel=0&plots=0&forces=0&points=0`);
    await ready(page);
    const roles = await page.evaluate(() => window.stiction!.viewer.recording.scene!.geoms.map((geom) => geom.role));
    assert.deepEqual(roles.sort(), ["collision", "visual"]);
    const place: Point = [0, -0.1, 0.5];
    assert.equal(most(await colorAt(page, await picture(page), place)), "r", "red is seen, not the larger box around it");
    await page.keyboard.press("v");
    const [r, g, b] = await colorAt(page, await picture(page), place);
    assert.ok(!(r > 1.6 * g && r > 1.6 * b), `another box is seen: ${[r, g, b]}`);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
}
