// Every scene of the project: recorded by the program and opened, and live.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { Folder, launch, picture, ready, tab } from "./browser.ts";
import { view } from "./server.ts";

const program = process.env.STICTION_PROGRAM;
const stored = join(process.env.STICTION_WEB!, "../scenes");
const scenes = readdirSync(stored).filter((file) => file.endsWith(".xml")).map((file) => file.replace(".xml", ""));
// By their files: a scene with meshes beside it is not built into the program.
const file = (scene: string) => join(stored, `${scene}.xml`);
const folder = new Folder();
let browser: Browser;
before(async () => { browser = await launch(); });
after(async () => {
  await browser.close();
  folder.remove();
});

for (const scene of scenes) {
  test(`${scene} is recorded and shown, and shown live`, { skip: program ? false : "STICTION_PROGRAM names no program" }, async () => {
    execFileSync(program!, ["run", file(scene), "--time", "0.15", "--skip", "mcap,csv", "--out", folder.path], { stdio: "pipe" });
    const { page, complaints } = await tab(browser, 800, 560);
    await page.goto(`${pathToFileURL(join(folder.path, `${scene}.html`)).href}#t=0.1&panel=0&plots=0&forces=0&points=0&patches=0`);
    await ready(page);
    const shot = await picture(page);
    // Some body must be where the recording says: a click there finds it, and the picture has its colour there.
    const places = await page.evaluate(() => {
      const { viewer } = window.stiction!, frame = viewer.recording.frame(viewer.player.index), list: { x: number; y: number }[] = [];
      for (const geom of viewer.recording.scene!.geoms) {
        if (geom.body === 0 || geom.role === "collision") continue;
        // The middle of the geom: its body's place, and its own place turned with the body.
        const p = frame.poses.subarray(7 * geom.body, 7 * geom.body + 7), [w, a, b, c] = p.subarray(3), [u, v, s] = geom.pos;
        const [t0, t1, t2] = [2 * (b * s - c * v), 2 * (c * u - a * s), 2 * (a * v - b * u)];
        const at: [number, number, number] = [p[0] + u + w * t0 + b * t2 - c * t1, p[1] + v + w * t1 + c * t0 - a * t2, p[2] + s + w * t2 + a * t1 - b * t0];
        const [x, y] = viewer.project(at), hit = viewer.picking.at(x, y).body;
        if (hit?.kind === "body" && hit.body === geom.body) list.push({ x, y });
      }
      return list;
    });
    assert.ok(places.length > 0, "no body can be clicked");
    const sky = shot.at(3, 50);
    const seen = places.filter(({ x, y }) => shot.at(x, y).some((c, i) => Math.abs(c - sky[i]) > 25));
    assert.ok(seen.length >= 0.5 * places.length, `${seen.length} of ${places.length} bodies are in the picture`);
    const { address, stop } = await view(file(scene));
    await page.goto(address);
    await page.waitForFunction(() => window.stiction?.ready && window.stiction.viewer.recording.frames.length > 3 && window.stiction.viewer.numbers.drawn > 1);
    stop();
    assert.deepEqual(complaints.filter((text) => !/WebSocket/.test(text)), []);
    await page.context().close();
  });
}
