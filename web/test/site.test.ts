// The page that simulates (`cargo xtask web site`): the same trajectories as the program, and the site in a browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { unzip } from "../src/drop.ts";
import { Refused, type SimulationSettings, Simulator } from "../src/module.ts";
import { requestFromAddress, type SimulatedLink } from "../src/simulated.ts";
import { Folder, launch, picture, ready, tab } from "./browser.ts";

const site = process.env.STICTION_SITE, program = process.env.STICTION_PROGRAM;
const skip = site && program ? false : "there is no site or no program";
const folder = new Folder();
let browser: Browser, module: WebAssembly.Module;
before(async () => {
  browser = await launch();
  if (site) module = new WebAssembly.Module(readFileSync(process.env.STICTION_MODULE!));
});
after(async () => {
  await browser.close();
  folder.remove();
});

const usual: SimulationSettings = { friction: 1, stiffness: 1, gravity: 1, step: null, contact: "lagged" };
const difference = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  assert.equal(a.length, b.length);
  return Math.max(...Array.from(a, (x, i) => Math.abs(x - b[i])));
};

/** Positions and velocities after so many seconds, in the module. */
function simulated(scene: string, keyframe: string, time: number, settings: Partial<SimulationSettings> = {}): Float64Array {
  const simulator = new Simulator(module);
  const { step } = simulator.load({ scene, ...(keyframe ? { keyframe } : {}), settings: { ...usual, ...settings } });
  simulator.step(Math.round(time / step));
  assert.ok(Math.abs(simulator.time - time) < 1e-9);
  return simulator.state();
}

/** The same from the program: the last row of its table. */
function native(scene: string, keyframe: string, time: number, count: number): number[] {
  const begin = keyframe ? ["--keyframe", keyframe] : [];
  execFileSync(program!, ["run", scene, ...begin, "--time", String(time), "--rate", "10000", "--skip", "html,mcap", "--out", folder.path], { stdio: "pipe" });
  const row = readFileSync(join(folder.path, `${scene}.csv`), "utf8").trim().split("\n").at(-1)!.split(",").map(Number);
  assert.ok(Math.abs(row[0] - time) < 1e-9);
  return row.slice(1, 1 + count);
}

// The program fuses multiplications with additions and takes sines from the system's library; the module does neither. Both
// are rounding, so they may move a scene no further than an error of 1e-12 in gravity does, and 1e-13 (m, rad, per s).
for (const [scene, keyframe, time] of [
  ["double_pendulum", "", 1], ["rolling_ball", "launch", 0.5], ["stack", "", 0.5], ["clutter", "", 0.3], ["humanoid", "", 0.3], ["gripper_soft", "lift", 0.2],
] as const) {
  test(`${scene} goes the same way in the module and in the program`, { skip }, () => {
    const here = simulated(scene, keyframe, time), there = native(scene, keyframe, time, here.length);
    const rounding = difference(here, simulated(scene, keyframe, time, { gravity: 1 + 1e-12 })) + 1e-13;
    assert.ok(rounding < 1e-4, `${scene} is too sensitive to say anything: ${rounding}`);
    const apart = difference(here, there);
    console.log(`    ${scene}: ${apart.toExponential(1)} apart after ${time} s; gravity off by 1e-12 makes ${rounding.toExponential(1)}`);
    assert.ok(apart <= rounding, `${apart} against ${rounding}`);
    const wrong = difference(simulated(scene, keyframe, time, { gravity: 1 + 1e-6 }), there);
    assert.ok(wrong > rounding, `gravity off by 1e-6 is not noticed: ${wrong}`);
  });
}

test("the module needs nothing from the page, does the same thing twice, and says what is wrong", { skip }, () => {
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  assert.deepEqual(simulated("clutter", "", 0.1), simulated("clutter", "", 0.1));
  const simulator = new Simulator(module);
  const refuses = (words: RegExp, act: () => unknown): void => assert.throws(act, (error) => error instanceof Refused && words.test(error.message));
  refuses(/nothing is loaded/, () => simulator.step());
  refuses(/clutter/, () => simulator.load({ scene: "cluter", settings: usual }));
  refuses(/robot\.urdf/, () => simulator.load({ file: "robot.urdf", settings: usual }));
  simulator.load({ scene: "stack", settings: usual });
  refuses(/contact/i, () => simulator.set({ ...usual, contact: "sticky" }));
  refuses(/step/, () => simulator.set({ ...usual, step: -1 }));
  refuses(/actuator 7/, () => simulator.obey({ type: "ctrl", actuator: 7, value: 0 }));
  refuses(/no body 99/, () => simulator.obey({ type: "push", body: 99, point: [0, 0, 0], target: [0, 0, 1] }));
  simulator.step(10);
  assert.ok(simulator.time > 0, "it goes on after all that");
});

test("settings change what is simulated: no gravity, no friction, another step; a push lifts; a reset goes back", { skip }, () => {
  const simulator = new Simulator(module);
  const { step } = simulator.load({ scene: "clutter", settings: { ...usual, gravity: 0 } });
  const begin = simulator.state();
  simulator.step(20);
  assert.ok(difference(simulator.state(), begin) < 1e-12, "without gravity nothing falls before anything touches");
  simulator.set({ ...usual, step: step / 2 });
  const before = simulator.time;
  simulator.step(1);
  assert.ok(Math.abs(simulator.time - before - step / 2) < 1e-12);
  assert.ok(difference(simulator.state(), begin) > 1e-3, "gravity is back");
  simulator.obey({ type: "reset" });
  assert.deepEqual([simulator.time, simulator.state()], [0, begin]);
  // A ball launched along the floor slides on without friction and begins to turn with it.
  const turn = (friction: number): number => Math.abs(simulated("rolling_ball", "launch", 0.3, { friction })[7 + 4]);
  assert.ok(turn(0) < 1e-9 && turn(1) > 1, `${turn(0)} ${turn(1)}`);
  simulator.load({ scene: "rolling_ball", settings: usual });
  simulator.step(100);
  const height = simulator.state()[2];
  simulator.obey({ type: "push", body: 1, point: [0, 0, 0], target: [0, 0, height + 0.5] });
  simulator.step(300);
  assert.ok(simulator.state()[2] > height + 0.2, "pulled up");
  simulator.obey({ type: "release" });
});

const now = (page: Page): Promise<number> => page.evaluate(() => window.stiction!.viewer.player.now);
const status = (page: Page): Promise<NonNullable<SimulatedLink["status"]>> =>
  page.evaluate(() => (window.stiction!.viewer as unknown as { link: SimulatedLink }).link.status!);

test("the gallery shows every scene, and clutter opens from it and runs: the picture changes", { skip }, async () => {
  const { page, complaints } = await tab(browser);
  await page.goto(pathToFileURL(join(site!, "index.html")).href);
  const names = new Simulator(module).scenes().map(({ name }) => name);
  assert.ok(names.length >= 20 && names.includes("clutter"));
  for (const name of names) assert.ok(await page.locator(`li > a[href*="scene=${name}"]`).count() > 0, name);
  for (const link of await page.locator('a[href*="scene="]').all()) {
    const { scene, keyframe } = requestFromAddress(new Map(new URLSearchParams((await link.getAttribute("href"))!.split("#")[1])));
    new Simulator(module).load({ scene: scene!, ...(keyframe === undefined ? {} : { keyframe }), settings: usual });
  }
  await page.locator('li > a[href*="scene=clutter"]').click();
  await ready(page);
  assert.match((await page.locator("h1").textContent())!, /clutter/);
  await page.waitForFunction(() => window.stiction!.viewer.player.now > 0.1);
  await page.keyboard.press(" ");
  await page.waitForFunction(() => /paused/.test(document.querySelector(".badge")!.textContent!));
  await page.keyboard.press("r");
  await page.waitForFunction(() => window.stiction!.viewer.player.now === 0);
  const early = await picture(page), held = await now(page);
  await page.waitForTimeout(300);
  assert.equal(await now(page), held, "time stands still");
  await page.keyboard.press(".");
  await page.waitForFunction((t) => window.stiction!.viewer.player.now > t, held);
  assert.ok((await now(page)) - held < 0.0021, "one step is one step");
  await page.keyboard.press(" ");
  await page.waitForFunction((t) => window.stiction!.viewer.player.now > t + 0.7, held);
  await page.keyboard.press(" ");
  const late = await picture(page);
  let changed = 0;
  for (let y = 60; y < 500; y += 5) for (let x = 10; x < 740; x += 5) if (late.at(x, y).some((c, i) => Math.abs(c - early.at(x, y)[i]) > 30)) changed++;
  assert.ok(changed > 100, `${changed} of 12800 places changed`);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("an address gives the sliders, sliders give the address, and what is refused is said", { skip }, async () => {
  const { page, complaints } = await tab(browser);
  await page.goto(`${pathToFileURL(join(site!, "run.html")).href}#scene=stack&friction=0.5&contact=sap&plots=0`);
  await ready(page);
  const friction = page.locator('.panel .widgets input[aria-label="Friction"]'), contact = page.locator('.panel .widgets select[aria-label="Contact model"]');
  // The sliders are there before the settings of the address reach them.
  await page.waitForFunction(() => document.querySelector<HTMLSelectElement>('.panel .widgets select[aria-label="Contact model"]')?.value === "2");
  assert.ok(Math.abs(Number(await friction.inputValue()) - 0.5) < 0.0021, "a slider has 500 places");
  await contact.selectOption("similar");
  await page.locator('.panel .widgets input[aria-label="Gravity"]').fill("0.5");
  await page.waitForFunction(() => /gravity=0.5/.test(location.hash) && /contact=similar/.test(location.hash));
  assert.match(await page.evaluate(() => location.hash), /scene=stack.*plots=0/);
  await page.locator('.panel .widgets input[aria-label="Gravity"]').fill("1");
  await page.waitForFunction(() => !/gravity/.test(location.hash));
  // What is refused is said, and the sliders go back to what holds.
  await page.evaluate(() => {
    const { link } = window.stiction!.viewer as unknown as { link: { settings: SimulationSettings; sendSettings(): void } };
    link.settings.contact = "sticky";
    link.sendSettings();
  });
  await page.waitForFunction(() => /sticky/.test(document.querySelector(".notice")!.textContent!));
  assert.equal(await page.evaluate(() => (window.stiction!.viewer as unknown as { link: { settings: SimulationSettings } }).link.settings.contact), "similar");
  await page.goto("about:blank");
  await page.goto(`${pathToFileURL(join(site!, "run.html")).href}#scene=nosuch`);
  await page.waitForFunction(() => /nosuch.*clutter/.test(document.querySelector(".message p")?.textContent ?? ""));
  assert.deepEqual(complaints, []);
  await page.context().close();
});

/** A zip with deflated files, after PKWARE's description. */
function zip(files: Record<string, string>): Uint8Array {
  const parts: Buffer[] = [], table: Buffer[] = [];
  let at = 0;
  for (const [path, text] of Object.entries(files)) {
    const name = Buffer.from(path), content = deflateRawSync(text), head = Buffer.alloc(30), entry = Buffer.alloc(46);
    head.writeUInt32LE(0x04034b50, 0);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(content.length, 20);
    entry.writeUInt32LE(text.length, 24);
    entry.writeUInt32LE(at, 42);
    head.writeUInt16LE(8, 8);
    for (const [buffer, offset] of [[head, 26], [entry, 28]] as const) buffer.writeUInt16LE(name.length, offset);
    parts.push(head, name, content);
    table.push(entry, name);
    at += 30 + name.length + content.length;
  }
  const rows = Buffer.concat(table), end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  for (const offset of [8, 10]) end.writeUInt16LE(Object.keys(files).length, offset);
  end.writeUInt32LE(rows.length, 12);
  end.writeUInt32LE(at, 16);
  return new Uint8Array(Buffer.concat([...parts, rows, end]));
}

const MESH = "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
const URDF = `<robot name="wedge"><link name="wedge">
  <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><mesh filename="package://wedge/meshes/wedge.obj"/></geometry></collision>
  <visual><geometry><mesh filename="package://wedge/meshes/wedge.obj"/></geometry></visual></link></robot>`;

test("a zip with a URDF and its mesh is simulated when it is opened; a wrong file is refused and the scene goes on", { skip }, async () => {
  const packed = zip({ "wedge/urdf/wedge.urdf": URDF, "wedge/meshes/wedge.obj": MESH });
  assert.equal(new TextDecoder().decode((await unzip(packed))[0][1]), URDF);
  for (let cut = 1; cut < packed.length; cut += 7) await assert.rejects(unzip(packed.slice(0, -cut)), /damaged/);
  const { page, complaints } = await tab(browser);
  await page.goto(`${pathToFileURL(join(site!, "run.html")).href}#scene=stack&plots=0`);
  await ready(page);
  const input = page.locator("body > input[type=file]");
  const give = (name: string, text: string | Uint8Array): Promise<void> => input.setInputFiles({ name, mimeType: "", buffer: Buffer.from(text) });
  await give("notes.xml", "<notes/>");
  await page.waitForFunction(() => /no model among these files/.test(document.querySelector(".notice")!.textContent!));
  await give("broken.xml", "<mujoco><worldbody><geom type='sphere' size='-1'/></worldbody></mujoco>");
  await page.waitForFunction(() => /broken\.xml/.test(document.querySelector(".notice")!.textContent!));
  assert.equal(await page.evaluate(() => window.stiction!.viewer.recording.scene!.name), "stack");
  const { time } = await status(page);
  await page.waitForFunction((t) => window.stiction!.viewer.player.now > t, time);
  await give("wedge.zip", packed);
  await page.waitForFunction(() => window.stiction!.viewer.recording.scene!.name === "wedge");
  assert.ok(await page.evaluate(() => window.stiction!.viewer.recording.scene!.geoms.some((geom) => geom.shape.type === "mesh")));
  await page.waitForFunction(() => window.stiction!.viewer.player.now > 0.1);
  assert.deepEqual(complaints, []);
  await page.context().close();
});
