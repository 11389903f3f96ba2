// Makes the pictures of the viewer in docs/figures: runs the scenes, opens the recordings, takes the pictures.
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

const browser = await chromium.launch({
  executablePath: process.env.STICTION_CHROMIUM,
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb"],
});
const wanted = process.argv.slice(2);
for (const { name, run, address, size, act } of SHOTS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  execFileSync(process.env.STICTION_PROGRAM, ["run", ...run, "--skip", "mcap,csv", "--out", folder], { stdio: ["ignore", "ignore", "inherit"] });
  const page = await browser.newPage({ viewport: { width: size[0], height: size[1] }, colorScheme: "light" });
  await page.goto(`${pathToFileURL(join(folder, `${run[0]}.html`)).href}#${address}&quality=full`);
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
