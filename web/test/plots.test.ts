// Plots, arrows, names and films: what is read off them is what the recording holds.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { lengthOf, share } from "../src/arrow_scale.ts";
import { webm } from "../src/webm.ts";
import { Folder, launch, page as built, picture, project, ready, tab } from "./browser.ts";
import { block, crowd, html, rollingBall } from "./make.ts";

let browser: Browser;
const folder = new Folder();
before(async () => { browser = await launch(); });
after(async () => {
  await browser.close();
  folder.remove();
});

async function opened(address: string, chunks = rollingBall().chunks, width = 1000, height = 700): Promise<{ page: Page; complaints: string[] }> {
  const made = await tab(browser, width, height);
  await made.page.goto(`${folder.write("made.html", html(built(), [block(...chunks)]))}#${address}`);
  await ready(made.page);
  return made;
}

const LEFT = 46, RIGHT = 10;

test("a plot shows the values under the pointer", async () => {
  const { page, complaints } = await opened("t=0");
  const box = (await page.locator(".plot .area").first().boundingBox())!;
  await page.mouse.move(box.x + LEFT + 0.5 * (box.width - LEFT - RIGHT), box.y + 30);
  const text = (await page.locator(".tip").innerText()).replace(/\s+/g, " ");
  // At 1 s: 2 + sin 1 = 2.84 J.
  assert.match(text, /^(0\.9833\d*|1|1\.01667) s kinetic 2\.8[345] J potential 4\.9 J$/);
  await page.mouse.move(10, 200);
  assert.equal(await page.locator(".tip").isVisible(), false);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("the wheel zooms all plots, shift and drag moves them, a double click shows all again, one can be enlarged", async () => {
  const { page, complaints } = await opened("t=0");
  const range = (): Promise<[number, number]> => page.evaluate(() => {
    const { window: w } = window.stiction!.viewer.plots;
    return [w.from, w.to];
  });
  const box = (await page.locator(".plot .area").first().boundingBox())!, x = box.x + LEFT + 0.25 * (box.width - LEFT - RIGHT);
  const other = page.locator(".plot canvas").nth(2), before_ = await other.screenshot();
  await page.mouse.move(x, box.y + 40);
  await page.mouse.wheel(0, -700);
  await page.waitForTimeout(100);
  const [from, to] = await range();
  assert.ok(to - from < 1 && from < 0.5 && to > 0.5, `${from} to ${to}`);
  assert.ok(Math.abs((0.5 - from) / (to - from) - 0.25) < 0.02, "the time under the pointer stays there");
  await picture(page);
  assert.ok(!before_.equals(await other.screenshot()), "another plot zooms too");
  await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.mouse.move(x - 0.25 * (box.width - LEFT - RIGHT), box.y + 40, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  const [moved] = await range();
  assert.ok(Math.abs(moved - from - 0.25 * (to - from)) < 0.02, `${moved} after ${from}`);
  assert.equal(await page.evaluate(() => window.stiction!.viewer.player.index), 0, "moving does not seek");
  await page.mouse.dblclick(x, box.y + 40);
  assert.deepEqual(await range(), [0, 2]);
  const section = page.locator(".plot").first();
  await section.hover();
  await section.locator('[aria-label^="Enlarge"]').click();
  assert.ok((await section.locator("canvas").boundingBox())!.height > 400);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector(".plot canvas")!.clientHeight < 200);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("any series is found by its name and plotted; what is plotted is saved as CSV and PNG", async () => {
  const { page, complaints } = await opened("t=1");
  await page.locator('[aria-label="Add channels"]').click();
  await page.locator(".chooser input[type=search]").fill("world ball force");
  assert.equal(await page.locator(".choices .row").count(), 1);
  await page.locator(".choices input").check();
  await page.locator(".chooser input[type=search]").fill("ball speed");
  await page.locator(".choices input").check();
  await page.locator('.chooser [aria-label="Close"]').click();
  const section = page.locator(".plot").filter({ hasText: "world – ball force" });
  // The contact pushes with 24.5 N; the ball goes 1 m/s.
  await page.waitForFunction(() => /world – ball force 24\.5 N/.test(document.querySelector<HTMLElement>(".plots")!.innerText.replace(/\s+/g, " ")));
  await page.waitForFunction(() => /ball speed 1 m\/s/.test(document.querySelector<HTMLElement>(".plots")!.innerText.replace(/\s+/g, " ")));
  await section.hover();
  const [csv] = await Promise.all([page.waitForEvent("download"), section.locator('[aria-label="This plot as CSV"]').click()]);
  const lines = readFileSync(await csv.path(), "utf8").trim().split("\n");
  assert.equal(lines[0], "time (s),world – ball force (N)");
  assert.equal(lines.length, 122);
  assert.equal(lines[61], "1,24.5");
  const [png] = await Promise.all([page.waitForEvent("download"), section.locator('[aria-label="This plot as PNG"]').click()]);
  assert.equal(png.suggestedFilename(), "rolling-ball-contact-pairs.png");
  assert.equal(readFileSync(await png.path()).readUInt32BE(0), 0x89504e47);
  await page.locator('[aria-label="Add channels"]').click();
  await page.locator(".chooser input[type=search]").fill("world ball force");
  await page.locator(".choices input").uncheck();
  assert.equal(await section.count(), 0);
  // What is plotted is kept for the next time, until the usual plots are asked for.
  await page.reload();
  await ready(page);
  assert.equal(await page.locator(".plot").filter({ hasText: "ball speed" }).count(), 1);
  await page.locator('[aria-label="The usual plots"]').click();
  assert.equal(await page.locator(".plot").filter({ hasText: "ball speed" }).count(), 0);
  assert.equal(await page.locator(".plot").count(), 6);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("arrows grow with the force from an eighth to the whole of their length, on the compressed scale", () => {
  const scale = { low: 0.1, high: 1e4, linear: false, factor: 1 };
  let last = 0;
  for (let f = 0.1; f < 2e4; f *= 1.7) {
    const s = share(scale, f);
    assert.ok(s >= last && s >= 0.12 && s <= 1, `${f} N: ${s}`);
    last = s;
  }
  assert.equal(last, 1);
  assert.ok(Math.abs(lengthOf("force", scale, 1e4) - 0.2) < 1e-12);
  assert.ok(Math.abs(share({ ...scale, linear: true }, 5e3) - 0.5) < 1e-12);
});

test("an arrow is as long on the page as its legend says, near and far", async () => {
  const { page, complaints } = await opened("t=1&panel=0&plots=0&bodies=0&points=0&grid=0&shadows=0&theme=light");
  const measure = async (): Promise<{ arrow: number; legend: number; value: string }> => {
    const shot = await picture(page), [x, y] = (await project(page, [0, 0, 0])).map(Math.round);
    const green = ([r, g, b]: number[]): boolean => g > r + 25 && g > b + 8;
    let top = y;
    for (let v = y; v > 60; v--) for (let u = x - 12; u <= x + 12; u++) if (green(shot.at(u, v))) top = v;
    const legend = await page.evaluate(() => {
      const sample = document.querySelector<HTMLElement>("[data-kind=force] .sample:last-of-type")!;
      return { legend: sample.querySelector("svg")!.getBoundingClientRect().width, value: sample.textContent! };
    });
    return { arrow: y - top, ...legend };
  };
  // One force of 24.5 N throughout: the scale ends there, and the legend has 10 N.
  const far = await measure();
  assert.equal(far.value, "10 N");
  assert.ok(far.arrow > 60 && far.arrow < 170, `${far.arrow} pixels`);
  assert.ok(far.legend > 0.6 * far.arrow && far.legend < 1.3 * far.arrow, `${far.legend} for ${far.arrow}`);
  await page.mouse.move(500, 350);
  await page.mouse.wheel(0, -600);
  await page.waitForTimeout(100);
  const near = await measure();
  assert.ok(Math.abs(near.arrow / far.arrow - 1) < 0.25, `${near.arrow} and ${far.arrow}`);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("names do not overlap, and those that find no place are counted", async () => {
  const { page, complaints } = await opened("t=0.1&panel=0&plots=0&names=1", crowd(120, 10).chunks);
  await picture(page);
  const labels = await page.evaluate(() => window.stiction!.viewer.labels);
  assert.ok(labels.length > 15, `${labels.length} names`);
  for (const [i, a] of labels.entries()) for (const b of labels.slice(0, i)) {
    assert.ok(a.x >= b.x + b.w || b.x >= a.x + a.w || a.y >= b.y + b.h || b.y >= a.y + a.h, JSON.stringify([a, b]));
  }
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("a film has the length of the recording at its speed, and the browser plays it", async () => {
  const { page, complaints } = await opened("t=1&panel=0&plots=0", rollingBall().chunks, 320, 300);
  await page.evaluate(() => (window.stiction!.viewer.player.speed = 4));
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("w")]);
  const film = readFileSync(await download.path());
  // 2 s at four times the speed, 60 a second: 31 pictures, the last shown for a sixtieth too.
  const at = film.indexOf(Buffer.from([0x44, 0x89, 1, 0, 0, 0, 0, 0, 0, 8]));
  assert.ok(at > 0, "a duration is written");
  assert.ok(Math.abs(film.readDoubleBE(at + 10) - (1000 * 31) / 60) < 0.01, `${film.readDoubleBE(at + 10)} ms`);
  const played = await page.evaluate(async (text) => {
    const video = document.createElement("video");
    video.src = `data:video/webm;base64,${text}`;
    await new Promise((done, fail) => {
      video.onloadedmetadata = done;
      video.onerror = () => fail(new Error(video.error?.message));
    });
    video.currentTime = 0.3;
    await new Promise((done) => (video.onseeked = done));
    return { duration: video.duration, width: video.videoWidth, time: video.currentTime };
  }, film.toString("base64"));
  assert.ok(Math.abs(played.duration - 31 / 60) < 0.02, JSON.stringify(played));
  assert.ok(played.width >= 320 && Math.abs(played.time - 0.3) < 0.02, JSON.stringify(played));
  assert.equal(await page.evaluate(() => window.stiction!.viewer.player.now), 1, "and the page is where it was");
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test("the sizes in a WebM file add up: each element ends where the next begins", async () => {
  const data = new Uint8Array(new ArrayBuffer(300)), frames = Array.from({ length: 130 }, (_, i) => ({ time: (i * 1000) / 60, key: i % 60 === 0, data }));
  const file = Buffer.from(await webm("V_VP8", 64, 48, 2000, frames).arrayBuffer());
  const ids: string[] = [], clusters: number[] = [], cues: number[] = [];
  let inside = 0;
  const walk = (from: number, to: number): void => {
    for (let at = from; at < to;) {
      const length = Math.clz32(file[at]) - 23, id = file.subarray(at, at + length).toString("hex"), size = Number(file.readBigUInt64BE(at + length) & 0xffffffffffffffn);
      const body = at + length + 8;
      assert.ok(body + size <= to, `${id} reaches beyond its parent`);
      ids.push(id);
      if (id === "18538067") inside = body;
      if (id === "1f43b675") clusters.push(at - inside);
      if (id === "f1") cues.push(Number(`0x${file.subarray(body, body + size).toString("hex")}`));
      if (["18538067", "1c53bb6b", "bb", "b7", "1f43b675"].includes(id)) walk(body, body + size);
      at = body + size;
    }
  };
  walk(0, file.length);
  assert.equal(ids.filter((id) => id === "a3").length, 130);
  assert.deepEqual(cues, clusters, "the index points at the clusters");
});

test("on a phone the slider is as wide as the screen", async () => {
  const { page, complaints } = await opened("t=1", rollingBall().chunks, 390, 780);
  assert.ok((await page.locator(".scrub input").boundingBox())!.width > 340);
  assert.ok((await page.locator(".play").boundingBox())!.width >= 40, "fingers need room");
  assert.deepEqual(complaints, []);
  await page.context().close();
});
