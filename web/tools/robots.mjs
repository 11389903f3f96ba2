// Takes pictures of recordings for tools/robots.py: `node tools/robots.mjs LIST`, LIST a JSON file of recordings and pictures.
// Prints where each camera stands and what it looks at, one line of JSON a picture.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const browser = await chromium.launch({
  executablePath: process.env.STICTION_CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb"],
});
for (const { file, picture, width, height } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const page = await browser.newPage({ viewport: { width, height: height + 160 }, colorScheme: "light" });
  await page.goto(`${pathToFileURL(file).href}#t=0&panel=0&plots=0&forces=0&points=0&theme=light&quality=full`);
  await page.waitForFunction(() => window.stiction?.ready, null, { timeout: 120_000 });
  // As large as asked for, whatever stands around it.
  await page.addStyleTag({ content: `.page { display: block !important; height: ${height}px !important } .view { height: ${height}px } .bar, .timeline, .corner { display: none !important }` });
  await page.waitForTimeout(500);
  await page.waitForFunction(() => window.stiction.viewer.numbers.resting, null, { timeout: 120_000 });
  await page.screenshot({ path: picture, clip: { x: 0, y: 0, width, height } });
  console.log(JSON.stringify(await page.evaluate(() => {
    const { camera, controls } = window.stiction.viewer.stage;
    return { camera: camera.position.toArray(), target: controls.target.toArray(), fov: camera.fov };
  })));
  await page.close();
}
await browser.close();
