// The page in a real browser, opened from files with known contents.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { colorOf } from "../src/colormap.ts";
import { colorAt, Folder, launch, page as built, picture, project, ready, tab } from "./browser.ts";
import { block, chunk, crowd, html, pressedBlock, rollingBall, sceneChunk } from "./make.ts";

let browser: Browser;
const folder = new Folder();
before(async () => { browser = await launch(); });
after(async () => {
  await browser.close();
  folder.remove();
});

const blocksOf = (chunks: Uint8Array[]): string[] => [block(...chunks.slice(0, 3)), block(...chunks.slice(3))];
const ballFile = (): string => folder.write("ball.html", html(built(), blocksOf(rollingBall().chunks)));
const blockFile = (): string => folder.write("block.html", html(built(), blocksOf(pressedBlock().chunks)));

async function opened(address: string): Promise<{ page: Page; complaints: string[] }> {
  const made = await tab(browser);
  await made.page.goto(address);
  await ready(made.page);
  return made;
}

const red = ([r, g, b]: number[]): boolean => r > 1.6 * g && r > 1.6 * b;
const blue = ([r, g, b]: number[]): boolean => b > 1.4 * r && b > 1.3 * g;
const green = ([r, g, b]: number[]): boolean => g > 1.4 * r && g > 1.3 * b;
const grey = ([r, g, b]: number[]): boolean => Math.max(r, g, b) - Math.min(r, g, b) < 20;

test("a recording opens from a file: each body has its colour at its place, and time moves it", async () => {
  const { page, complaints } = await opened(`${ballFile()}#t=0.5&forces=0&points=0`);
  const early = await picture(page);
  assert.ok(red(await colorAt(page, early, [-0.5, -0.1, 0.3])), "the ball is red where it is");
  assert.ok(grey(await colorAt(page, early, [0.5, -0.1, 0.3])), "nothing is where it will be");
  assert.ok(blue(await colorAt(page, early, [0, 0.75, 0.15])), "the brick is blue");
  assert.ok(grey(await colorAt(page, early, [0.3, -0.9, 0])), "the floor is grey");
  await page.locator(".scrub input").fill("90");
  const late = await picture(page);
  assert.ok(red(await colorAt(page, late, [0.5, -0.1, 0.3])), "the ball has come");
  assert.ok(grey(await colorAt(page, late, [-0.5, -0.1, 0.3])), "the ball has gone");
  assert.equal(await page.locator(".clock").textContent(), "1.500 s");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("shadows fall on the floor, and go when turned off", async () => {
  const { page, complaints } = await opened(`${ballFile()}#t=1&forces=0&points=0&grid=0`);
  // The sun stands at (−0.55, −0.35, 1.25) from the scene: the ball's middle throws its shadow here.
  const place: [number, number, number] = [0.2 * (0.55 / 1.25) + 0.12, 0.2 * (0.35 / 1.25) + 0.1, 0];
  const lit = await colorAt(page, await picture(page), [0.6, -0.6, 0]);
  const shaded = await colorAt(page, await picture(page), place);
  assert.ok(shaded[1] < 0.85 * lit[1], `${shaded} against ${lit}`);
  await page.locator('[data-setting="shadows"]').uncheck();
  const without = await colorAt(page, await picture(page), place);
  assert.ok(Math.abs(without[1] - lit[1]) < 6, `${without} against ${lit}`);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("visual and collision shapes are chosen by key and by panel", async () => {
  const { page, complaints } = await opened(`${ballFile()}#t=0.5`);
  const brick: [number, number, number] = [0, 0.75, 0.15];
  assert.ok(blue(await colorAt(page, await picture(page), brick)));
  await page.keyboard.press("v");
  assert.ok(green(await colorAt(page, await picture(page), brick)));
  await page.locator('[data-setting="shapes"]').selectOption("visual");
  assert.ok(blue(await colorAt(page, await picture(page), brick)));
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("arrows of force, frames and names show and hide", async () => {
  const { page, complaints } = await opened(`${ballFile()}#t=1&forces=0&points=0`);
  const count = async (): Promise<number> => {
    const shot = await picture(page), [x0, y0] = await project(page, [-0.3, 0, 1]), [x1, y1] = await project(page, [0.3, 0, 0]);
    let sum = 0;
    for (let y = Math.min(y0, y1); y < Math.max(y0, y1); y++) for (let x = Math.min(x0, x1); x < Math.max(x0, x1); x++) sum += shot.at(x, y).reduce((a, b) => a + b);
    return sum;
  };
  const plain = await count();
  for (const key of ["c", "f", "n"]) {
    await page.keyboard.press(key);
    const shown = await count();
    assert.notEqual(shown, plain, `${key} shows something`);
    await page.keyboard.press(key);
    assert.equal(await count(), plain, `${key} again hides it`);
  }
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("tetrahedra, faces of patches, traction and slip show and hide", async () => {
  const { page, complaints } = await opened(`${blockFile()}#t=0.5&forces=0&bodies=0`);
  const sum = async (): Promise<number> => {
    const shot = await picture(page);
    let total = 0;
    for (let y = 60; y < 480; y += 1) for (let x = 10; x < 700; x += 1) total += shot.at(x, y)[0] + shot.at(x, y)[1] + shot.at(x, y)[2];
    return total;
  };
  const plain = await sum();
  for (const key of ["t", "m", "q", "s"]) {
    await page.keyboard.press(key);
    assert.notEqual(await sum(), plain, `${key} shows something`);
    await page.keyboard.press(key);
    assert.equal(await sum(), plain, `${key} again hides it`);
  }
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("the camera follows a body: it stays where it was on the page", async () => {
  const { page, complaints } = await opened(`${ballFile()}#t=0.5`);
  await picture(page);
  await page.locator('[data-setting="follow"]').selectOption("1");
  await picture(page);
  const before = await project(page, [-0.5, 0, 0.2]);
  await page.locator(".scrub input").fill("105");
  await picture(page);
  const after_ = await project(page, [0.75, 0, 0.2]);
  assert.ok(Math.hypot(before[0] - after_[0], before[1] - after_[1]) < 2, `${before} and ${after_}`);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("the page by itself takes a recording", async () => {
  const { page, complaints } = await tab(browser);
  await page.goto(folder.write("alone.html", built()));
  ballFile();
  await page.locator("input[type=file]").setInputFiles(join(folder.path, "ball.html"));
  await ready(page);
  assert.equal(await page.title(), "rolling-ball – Stiction");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a click on a body lists its numbers, on nothing closes the list", async () => {
  const { page, complaints } = await opened(`${ballFile()}#t=1`);
  await picture(page);
  await page.mouse.click(...(await project(page, [0, -0.15, 0.25])));
  const card = page.locator(".card");
  await card.waitFor();
  await page.waitForFunction(() => /ball/.test(document.querySelector(".card h2")!.textContent!));
  const text = (await card.innerText()).replace(/\s+/g, " ");
  assert.match(text, /mass 2\.5 kg/);
  assert.match(text, /position 0(\.0+)? 0(\.0+)? 0\.200? m/);
  assert.match(text, /velocity 1\.00 0\.00 0\.00 m\/s/);
  assert.match(text, /turning 0\.00 5\.00 0\.00 rad\/s/);
  assert.match(text, /net contact force 0\.0 0\.0 24\.5 N/);
  assert.match(text, /contact with floor: 24\.5 N/);
  await page.keyboard.press("Escape");
  assert.equal(await card.isVisible(), false);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("patches have the colour of their pressure, on a linear and on a logarithmic scale", async () => {
  const { page, complaints } = await opened(`${blockFile()}#t=0.5&forces=0&bodies=0`);
  const check = async (scale: { min: number; max: number; log: boolean }, exact: number): Promise<void> => {
    const shot = await picture(page);
    for (const x of [-0.2, -0.1, 0, 0.1, 0.2, 0.28]) {
      const seen = await colorAt(page, shot, [x, -0.05, 0], 0), wanted = colorOf((1e5 * (x + 0.3)) / 0.6, scale);
      seen.forEach((c, i) => assert.ok(Math.abs(c - wanted[i]) <= exact, `at x = ${x}: ${seen.map(Math.round)} for ${wanted}`));
    }
  };
  await check({ min: 0, max: 1e5, log: false }, 4);
  assert.match((await page.locator(".legend").innerText()).replace(/\s+/g, " "), /Contact pressure 0 Pa 50 kPa 100 kPa/);
  await page.keyboard.press("k");
  await check({ min: 1000, max: 1e5, log: true }, 4);
  await page.keyboard.press("k");
  await page.locator('[data-setting="pressureMax"]').fill("200");
  await page.locator('[data-setting="pressureMax"]').press("Enter");
  await page.locator("canvas.stage").focus();
  await check({ min: 0, max: 2e5, log: false }, 4);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a patch shows through the body over it, and its numbers are listed when clicked", async () => {
  const { page, complaints } = await opened(`${blockFile()}#t=0.5&forces=0`);
  const covered: [number, number, number] = [0.2, -0.05, 0];
  const through = await colorAt(page, await picture(page), covered);
  await page.keyboard.press("p");
  const without = await colorAt(page, await picture(page), covered);
  assert.ok(blue(without) && !blue(through), `${through} and ${without}`);
  await page.keyboard.press("p");
  await picture(page);
  await page.mouse.click(...(await project(page, covered)));
  await page.waitForFunction(() => /patch/.test(document.querySelector(".card .kind")!.textContent!));
  const text = (await page.locator(".card").innerText()).replace(/\s+/g, " ");
  assert.match(text, /floor – block/);
  assert.match(text, /area 0\.36 m²/);
  assert.match(text, /force on block 0 0 18000 N/);
  assert.match(text, /largest pressure 100 kPa/);
  assert.match(text, /mean pressure 50 kPa/);
  assert.match(text, /slip, mean and largest 20 mm\/s, 20 mm\/s/);
  await page.mouse.click(...(await project(page, covered)));
  await page.waitForFunction(() => /Body/.test(document.querySelector(".card .kind")!.textContent!));
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a pressed solid is cut at its patch", async () => {
  const { page, complaints } = await opened(`${blockFile()}#t=0.5&forces=0&patches=0`);
  const lowest = (): Promise<number> => page.evaluate(() => {
    let low = Infinity;
    window.stiction!.viewer.stage.scene.traverse((object) => {
      const mesh = object as unknown as { isMesh?: boolean; userData: { geoms?: number[] }; geometry: { getAttribute(n: string): { array: Float32Array } }; matrixWorld: { elements: number[] } };
      if (!mesh.isMesh || !mesh.userData.geoms) return;
      const p = mesh.geometry.getAttribute("position").array, e = mesh.matrixWorld.elements;
      for (let i = 0; i < p.length; i += 3) low = Math.min(low, e[2] * p[i] + e[6] * p[i + 1] + e[10] * p[i + 2] + e[14]);
    });
    return low;
  });
  await picture(page);
  assert.ok(Math.abs(await lowest()) < 1e-6, `lowest point ${await lowest()}`);
  await page.keyboard.press("b");
  await picture(page);
  assert.ok(Math.abs((await lowest()) + 0.06) < 1e-6, `lowest point ${await lowest()}`);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("it plays, loops, steps and goes faster and slower by key; plots move the timeline", async () => {
  const { page, complaints } = await opened(`${ballFile()}#t=0`);
  const now = (): Promise<number> => page.evaluate(() => window.stiction!.viewer.player.now);
  await page.keyboard.press(".");
  await page.keyboard.press(".");
  await page.keyboard.press(",");
  assert.ok(Math.abs((await now()) - 1 / 60) < 1e-9);
  await page.keyboard.press("<");
  assert.equal(await page.evaluate(() => window.stiction!.viewer.player.speed), 0.5);
  await page.keyboard.press(">");
  await page.keyboard.press("End");
  assert.equal(await now(), 2);
  await page.keyboard.press(" ");
  await page.waitForFunction(() => window.stiction!.viewer.player.now > 0.2 && window.stiction!.viewer.player.now < 1.9);
  await page.keyboard.press(" ");
  const box = (await page.locator(".plot .area").first().boundingBox())!;
  await page.mouse.click(box.x + 44 + 0.75 * (box.width - 54), box.y + 40);
  assert.ok(Math.abs((await now()) - 1.5) < 0.03, String(await now()));
  assert.equal(await page.locator(".plot").count(), 6);
  await page.locator(".plot .key").first().click();
  await page.waitForFunction(() => !/kinetic\s+\d/.test(document.querySelector<HTMLElement>(".plot")!.innerText));
  assert.match((await page.locator(".plot").first().innerText()).replace(/\s+/g, " "), /potential 4\.9 J/);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("help lists the keys, the theme changes, a picture is saved", async () => {
  const { page, complaints } = await opened(`${ballFile()}#t=1`);
  const light = (await picture(page)).at(20, 120);
  await page.keyboard.press("?");
  assert.match(await page.locator("dialog.help").innerText(), /logarithmic scale of pressure/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("d");
  const dark = (await picture(page)).at(20, 120);
  assert.ok(light[0] > 180 && dark[0] < 60, `${light} and ${dark}`);
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("i")]);
  assert.equal(download.suggestedFilename(), "rolling-ball-1.000s.png");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("the page fits a phone: no part sticks out, and the panel opens over the scene", async () => {
  const made = await tab(browser, 390, 780);
  await made.page.goto(`${blockFile()}#t=0.5`);
  await ready(made.page);
  await picture(made.page);
  const wide = await made.page.evaluate(() => [...document.querySelectorAll(".page *")].filter((e) => !e.closest(".plots, dialog") && e.getBoundingClientRect().width > 0 && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.className));
  assert.deepEqual(wide, []);
  await made.page.locator('[aria-label^="What is shown"]').first().click();
  assert.ok(await made.page.locator(".panel").isVisible());
  assert.deepEqual(made.complaints, []);
  await made.page.context().close();
});

test("what is cut off, damaged or too new is said in words, never a blank page", async () => {
  const { chunks, scene } = rollingBall(), page1 = built();
  const whole = html(page1, blocksOf(chunks));
  const cases: [string, string, RegExp][] = [
    ["cut", whole.slice(0, -4000), /The file ends early: shown up to [\d.]+ s/],
    ["newer", html(page1, [block(sceneChunk({ ...scene, version: 9 }))]), /format version 9; this page reads version 1/],
    ["garbage", html(page1, ['<script type="application/x-stiction">!!!!</script>']), /cut off or damaged/],
    ["noise", html(page1, [`<script type="application/x-stiction">${Buffer.alloc(3000, 7).toString("base64")}</script>`]), /cut off or damaged/],
    ["empty", html(page1, []), /ends before the first frame/],
    ["no-frames", html(page1, [block(chunks[0])]), /no frame/],
    ["bad-frame", html(page1, [block(chunks[0], chunks[1], chunk(3, new Uint8Array(30)))]), /number of bodies is another.*Shown up to 0\.000 s/s],
    ["alone", page1, /Drop a recording here/],
  ];
  for (const [name, text, words] of cases) {
    const { page, complaints } = await tab(browser);
    await page.goto(folder.write(`${name}.html`, text));
    await page.waitForFunction((source) => new RegExp(source, "s").test(document.body.innerText), words.source, { timeout: 20_000 }).catch(async () => {
      assert.match(await page.locator("body").innerText(), words, name);
    });
    assert.deepEqual(complaints, [], name);
    await page.context().close();
  }
});

test("200 bodies play at 30 pictures a second without a graphics card, or the page says what it leaves out", async () => {
  const { page, complaints } = await opened(folder.write("crowd.html", html(built(), blocksOf(crowd(200, 240).chunks))));
  const measure = (): Promise<{ rate: number; level: number; words: string }> => page.evaluate(async () => {
    const { viewer } = window.stiction!, start = performance.now(), from = viewer.numbers.drawn;
    await new Promise((done) => setTimeout(done, 3000));
    return { rate: ((viewer.numbers.drawn - from) * 1000) / (performance.now() - start), level: viewer.numbers.level, words: document.querySelector(".care")!.textContent! };
  });
  await page.waitForTimeout(2000);
  const { rate, level, words } = await measure();
  console.log(`200 bodies: ${rate.toFixed(1)} pictures a second in software at level ${level} (${words || "all care"})`);
  if (rate < 30) assert.ok(level > 0 && words !== "", "a slow page says what it leaves out");
  assert.deepEqual(complaints, []);
  await page.context().close();
});
