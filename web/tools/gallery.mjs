// Takes the pictures of the gallery: `node tools/gallery.mjs SHOTS`, SHOTS a JSON file of recordings, addresses and cameras.
// `cargo xtask web gallery` writes it and sets STICTION_CHROMIUM.

import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const pictures = join(dirname(fileURLToPath(import.meta.url)), "../../docs/figures/gallery");
mkdirSync(pictures, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.STICTION_CHROMIUM,
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb"],
});
for (const { name, file, address, camera } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const page = await browser.newPage({ viewport: { width: 640, height: 440 }, colorScheme: "light" });
  await page.goto(`${pathToFileURL(file).href}#${address}&panel=0&plots=0&theme=light&quality=full`);
  await page.waitForFunction(() => window.stiction?.ready, null, { timeout: 120_000 });
  if (camera) await page.evaluate(([from, at]) => {
    const { stage } = window.stiction.viewer;
    stage.controls.target.set(...at);
    stage.camera.position.set(...from);
  }, camera);
  await page.waitForTimeout(300);
  await page.waitForFunction(() => window.stiction.viewer.numbers.resting, null, { timeout: 120_000 });
  await page.screenshot({ path: join(pictures, `${name}.jpg`), type: "jpeg", quality: 82 });
  console.log(`docs/figures/gallery/${name}.jpg`);
  await page.close();
}
await browser.close();
