// Makes the pictures of the viewer and of the demonstrations in docs/figures: runs the scenes and reproductions, opens the
// recordings, takes the pictures.
// Needs STICTION_PROGRAM and STICTION_CHROMIUM: `cargo xtask web screenshots` sets them.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const figures = join(dirname(fileURLToPath(import.meta.url)), "../../docs/figures");
const folder = mkdtempSync(join(tmpdir(), "stiction-shots-"));

/** scene and how it is run; the page's address; what is done on it; the picture's name and size. */
const SHOTS = [
  { name: "viewer", run: ["soft_pile", "--time", "2"], address: "t=1.5&opacity=0.65", size: [1440, 900],
    act: "v.stage.controls.target.set(0.03, -0.02, 0.035); v.stage.camera.position.set(0.27, -0.6, 0.4); v.choose({ kind: 'patch', geomA: 0, geomB: 6 })" },
  { name: "viewer-gripper", run: ["gripper_soft", "--time", "2", "--keyframe", "lift"], address: "t=1.2&theme=dark&opacity=0.5&panel=0&plots=0", size: [1000, 640],
    act: "v.stage.controls.target.set(0.005, 0, 0.14); v.stage.camera.position.set(0.13, -0.3, 0.25); v.choose({ kind: 'patch', ...(({ geomA, geomB }) => ({ geomA, geomB }))(v.recording.frame(v.player.index).patches[0]) })" },
  { name: "viewer-clutter", run: ["clutter", "--time", "2"], address: "t=0.9&panel=0&plots=0", size: [1000, 640], act: "" },
  { name: "viewer-tetrahedra", run: ["soft_pile", "--time", "2"], address: "t=0.32&panel=0&plots=0&tets=1&opacity=0.3&forces=0", size: [1000, 640], act: "" },
  { name: "viewer-phone", run: ["humanoid", "--time", "2"], address: "t=0.6&theme=dark", size: [390, 720], act: "" },
];

/** Demonstrations: the reproduction, its recording and times in it, and where the camera looks from. */
const BARE = "panel=0&plots=0&theme=light";
const DEMONSTRATIONS = [
  { run: "pencil-grip", times: [0.5, 0.8, 2.4], from: [0.17, -0.27, 0.24], at: [0, 0, 0.19] },
  { run: "cam-cleat", times: [0.1, 0.5, 1.05], from: [0.1, -0.1, 0.13], at: [0.0, 0, 0] },
  { run: "sorting", times: [1.2, 5.3, 18], from: [0.5, -0.42, 0.62], at: [-0.02, 0, 0.2], more: "&forces=0" },
  { run: "bolt", times: [1.1, 1.2, 3.3], from: [0.06, -0.125, 0.085], at: [0, 0, 0.031] },
  { run: "spatula-slip", recording: "spatula-slip", times: [4, 11.5], from: [0.3, -0.5, 0.44], at: [0.03, 0, 0.33], more: "&forces=0" },
  { run: "spatula-slip", recording: "spatula-slip", first: 3, times: [4.4], from: [0.04, -0.14, 0.36], at: [0, 0, 0.32], more: "&forces=0&opacity=0.25" },
  { run: "pancake-flip", recording: "pancake-flip", times: [2.6, 6.95, 8.2, 10.1, 10.45, 11.8], from: [1.42, -0.85, 0.66], at: [0.47, 0.02, 0.2], more: "&forces=0" },
];
for (const { run, recording = `${run}-discrete`, times, first = 1, from, at, more = "" } of DEMONSTRATIONS) {
  times.forEach((time, k) => SHOTS.push({
    name: `${run}-${k + first}`, reproduce: run, recording, address: `t=${time}&${BARE}${more}`, size: [640, 480],
    act: `v.stage.controls.target.set(${at}); v.stage.camera.position.set(${from})`,
  }));
}

const browser = await chromium.launch({
  executablePath: process.env.STICTION_CHROMIUM,
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb"],
});
const wanted = process.argv.slice(2);
const ran = new Set();
for (const { name, run, reproduce, recording = run?.[0], address, size, act } of SHOTS) {
  if (wanted.length > 0 && !wanted.includes(name) && !wanted.includes(reproduce)) continue;
  const task = reproduce ? ["reproduce", reproduce] : ["run", ...run, "--skip", "mcap,csv"];
  if (!ran.has(task.join(" "))) {
    execFileSync(process.env.STICTION_PROGRAM, [...task, "--out", folder], { stdio: ["ignore", "ignore", "inherit"] });
    ran.add(task.join(" "));
  }
  const page = await browser.newPage({ viewport: { width: size[0], height: size[1] }, colorScheme: "light" });
  await page.goto(`${pathToFileURL(join(folder, `${recording}.html`)).href}#${address}&quality=full`);
  await page.waitForFunction(() => window.stiction?.ready);
  if (act) await page.evaluate(`(() => { const v = window.stiction.viewer; ${act}; })()`);
  await page.waitForTimeout(300);
  await page.waitForFunction(() => window.stiction.viewer.numbers.resting, null, { timeout: 120_000 });
  await page.screenshot({ path: join(figures, `${name}.png`) });
  console.log(`docs/figures/${name}.png`);
  await page.close();
}
await browser.close();
rmSync(folder, { recursive: true });
