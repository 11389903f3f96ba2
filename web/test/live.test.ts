// The page against a real server: `stiction view`.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launch, project, ready, tab } from "./browser.ts";
import { program, view } from "./server.ts";

let browser: Browser;
before(async () => { browser = await launch(); });
after(async () => {
  await browser.close();
});

const skip = program ? false : "STICTION_PROGRAM names no program";

test("a live page shows the simulation, pauses it, steps it and starts it anew", { skip }, async () => {
  const { address, stop } = await view("gripper_soft", "--keyframe", "lift");
  const { page, complaints } = await tab(browser);
  await page.goto(address);
  await ready(page);
  const time = (): Promise<number> => page.evaluate(() => window.stiction!.viewer.player.now);
  await page.waitForFunction(() => window.stiction!.viewer.player.now > 0.3);
  assert.match((await page.locator(".badge").textContent())!, /live/);
  assert.ok(await page.evaluate(() => window.stiction!.viewer.recording.hasPatches), "the pads make patches");
  await page.keyboard.press(" ");
  await page.waitForFunction(() => document.querySelector(".badge")!.textContent === "live, paused");
  await page.waitForTimeout(400);
  const held = await time();
  await page.waitForTimeout(400);
  assert.equal(await time(), held, "time stands still");
  await page.keyboard.press(".");
  await page.waitForFunction((t) => window.stiction!.viewer.player.now > t, held);
  assert.ok((await time()) - held < 0.02, "one step is one step");
  await page.keyboard.press("r");
  await page.waitForFunction((t) => window.stiction!.viewer.player.now < t / 2, held);
  await page.keyboard.press(" ");
  await page.waitForFunction(() => /^live at/.test(document.querySelector(".badge")!.textContent!));
  assert.deepEqual(complaints, []);
  await page.context().close();
  stop();
});

test("a slider drives its actuator, and the hand pulls a body", { skip }, async () => {
  const { address, stop } = await view("gripper_soft", "--keyframe", "open");
  const { page, complaints } = await tab(browser);
  await page.goto(address);
  await ready(page);
  const height = (): Promise<number> => page.evaluate(() => {
    const { viewer } = window.stiction!, b = viewer.recording.scene!.bodies.findIndex((body) => body.name === "hand");
    return viewer.recording.frame(viewer.recording.frames.length - 1).poses[7 * b + 2];
  });
  const slider = page.locator('.panel input[aria-label="height"]');
  const before = await height();
  await slider.fill("0.2");
  await page.waitForFunction((z) => {
    const { viewer } = window.stiction!, b = viewer.recording.scene!.bodies.findIndex((body) => body.name === "hand");
    return viewer.recording.frame(viewer.recording.frames.length - 1).poses[7 * b + 2] > z + 0.1;
  }, before);
  const block = (): Promise<[number, number, number]> => page.evaluate(() => {
    const { viewer } = window.stiction!, b = viewer.recording.scene!.bodies.findIndex((body) => body.name === "block");
    const p = viewer.recording.frame(viewer.recording.frames.length - 1).poses;
    return [p[7 * b], p[7 * b + 1], p[7 * b + 2]];
  });
  const at = await block(), [x, y] = await project(page, at);
  await page.keyboard.down("Control");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y - 200, { steps: 6 });
  await page.waitForFunction((z) => {
    const { viewer } = window.stiction!, b = viewer.recording.scene!.bodies.findIndex((body) => body.name === "block");
    return viewer.recording.frame(viewer.recording.frames.length - 1).poses[7 * b + 2] > z + 0.01;
  }, at[2]);
  await page.mouse.up();
  await page.keyboard.up("Control");
  await page.waitForFunction(() => window.stiction!.viewer.picking.push === null);
  assert.deepEqual(complaints, []);
  await page.context().close();
  stop();
});

test("a page that loses its server says so, and comes back when one is there again", { skip }, async () => {
  const { address, stop } = await view("rolling_ball");
  const { page } = await tab(browser);
  await page.goto(address);
  await ready(page);
  stop();
  await page.waitForFunction(() => /connection lost/.test(document.querySelector(".badge")!.textContent!));
  const shown = await page.evaluate(() => window.stiction!.viewer.recording.frames.length);
  assert.ok(shown > 0, "what came before is kept");
  const again = await view("rolling_ball", "--port", new URL(address).port);
  await page.waitForFunction(() => /^live/.test(document.querySelector(".badge")!.textContent!));
  await page.context().close();
  again.stop();
});

test("sliders and buttons of the program are on the panel, follow its status and send what the hand does", { skip }, async () => {
  const { address, stop } = await view("gripper_soft", "--keyframe", "open");
  const { page, complaints } = await tab(browser);
  await page.goto(address);
  await ready(page);
  await page.evaluate(() => {
    const { viewer } = window.stiction!, link = (viewer as unknown as { link: import("../src/live.ts").LiveLink }).link;
    const widgets = [{ kind: "slider" as const, name: "reward", low: 0, high: 10, value: 4, unit: "m" }, { kind: "button" as const, name: "kick", presses: 0 }];
    // The program has none: its statuses are held back from here on, also one that comes before the next picture.
    link.onState = () => undefined;
    const status = { ...link.status!, widgets };
    Object.defineProperty(link, "status", { get: () => status, set: () => undefined });
    (window as unknown as { sent: unknown[] }).sent = [];
    link.send = (message) => { (window as unknown as { sent: unknown[] }).sent.push(message); };
    viewer.linkChanged();
  });
  const slider = page.locator('.panel .widgets input[aria-label="reward"]');
  assert.equal(await slider.inputValue(), "4");
  // The number beside the slider is written with the next picture.
  await page.waitForFunction(() => /reward\s*4 m/.test(document.querySelector(".panel .widgets .slide")!.textContent!));
  await slider.fill("7");
  await page.locator(".panel .widgets button", { hasText: "kick" }).click();
  assert.deepEqual(await page.evaluate(() => (window as unknown as { sent: unknown[] }).sent),
    [{ type: "widget", index: 0, value: 7 }, { type: "widget", index: 1, value: 1 }]);
  await page.waitForTimeout(700);
  await page.evaluate(() => {
    const { viewer } = window.stiction!, link = (viewer as unknown as { link: import("../src/live.ts").LiveLink }).link;
    link.status!.widgets = [{ kind: "slider", name: "reward", low: 0, high: 10, value: 2, unit: "m" }, { kind: "button", name: "kick", presses: 1 }];
    viewer.linkChanged();
  });
  assert.equal(await slider.inputValue(), "2");
  assert.deepEqual(complaints, []);
  await page.context().close();
  stop();
});
