// Writes the static site: `node tools/site.mjs MODULE FOLDER`. `run.html` is the viewer's page with the simulator in it,
// `index.html` the gallery of the built-in scenes, each of which opens there. With STICTION_CHROMIUM a picture of each scene
// is taken from the running page; without it those that are there are kept.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");
const [modulePath, folder] = process.argv.slice(2);
/** Most bytes of the module as the page carries it, before base64. */
const MOST = 4e6;
/** Where a scene begins if its own start shows little. */
const BEGIN = {
  arm: "ready", assistive_arm: "ready", four_bar: "turning", gripper: "lift", gripper_banana: "lift", gripper_soft: "lift", landing: "drift",
  pancake: "start", pencil_grip: "tight", rolling_ball: "launch", spatula: "tight", spinning_top: "spin",
};
/** What comes first. */
const FIRST = ["clutter", "soft_pile", "gripper_banana", "gripper_soft", "humanoid", "conveyor", "cam_cleat", "pick_and_place", "sorting"];

const simulator = await build({ absWorkingDir: web, entryPoints: ["src/module.ts"], bundle: true, write: false, format: "esm", target: "node18" });
const { Simulator } = await import(`data:text/javascript;base64,${Buffer.from(simulator.outputFiles[0].text).toString("base64")}`);

const module = readFileSync(modulePath), packed = deflateRawSync(module, { level: 9 });
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
// Brotli takes longer than all else here: for those who write the site, not for its tests.
const brotli = process.env.STICTION_CHROMIUM ? `, brotli ${megabytes(brotliCompressSync(module).length)}` : "";
console.log(`module: ${megabytes(module.length)}, deflate ${megabytes(packed.length)}${brotli}`);
if (packed.length > MOST) throw new Error(`the compressed module has ${packed.length} bytes; at most ${MOST} are allowed`);

const page = readFileSync(join(web, "../crates/viewer/page/index.html"), "utf8");
const run = page.replace("</body>", () => `<script type="application/x-stiction-module">${packed.toString("base64")}</script>\n</body>`);
if (run === page) throw new Error("the page has no end of its body");
mkdirSync(join(folder, "pictures"), { recursive: true });
writeFileSync(join(folder, "run.html"), run);
console.log(`run.html: ${megabytes(run.length)}, gzip ${megabytes(gzipSync(run, { level: 9 }).length)}`);

// The crates of the module are among those of the Python package; what the page has of others is said at its end.
copyFileSync(join(web, "../crates/python/THIRD_PARTY"), join(folder, "THIRD_PARTY.txt"));
copyFileSync(join(web, "../NOTICE"), join(folder, "NOTICE.txt"));

const scenes = new Simulator(new WebAssembly.Module(module)).scenes();
const place = ({ name }) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
scenes.sort((a, b) => place(a) - place(b) || (a.name < b.name ? -1 : 1));
for (const name of [...FIRST, ...Object.keys(BEGIN)]) if (!scenes.some((scene) => scene.name === name)) throw new Error(`there is no scene ${name}`);
const address = ({ name }, keyframe = BEGIN[name]) => `run.html#scene=${name}${keyframe ? `&keyframe=${encodeURIComponent(keyframe)}` : ""}`;
const pictures = process.env.STICTION_CHROMIUM ? await takePictures() : new Set(scenes.map(({ name }) => name).filter((name) => existsSync(join(folder, "pictures", `${name}.jpg`))));
const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
const card = (scene) => `<li><a href="${escaped(address(scene))}">
${pictures.has(scene.name) ? `<img src="pictures/${scene.name}.jpg" width="480" height="320" loading="lazy" alt="">` : `<span class="blank"></span>`}
<b>${scene.name.replace(/_/g, " ")}</b></a><p>${escaped(scene.summary)}</p>${scene.keyframes.length > 1
  ? `<small>begin at ${scene.keyframes.map((k) => `<a href="${escaped(address(scene, k))}">${escaped(k)}</a>`).join(" · ")}</small>` : ""}</li>`;
const html = readFileSync(join(web, "src/gallery.html"), "utf8").replace("<!-- scenes -->", () => scenes.map(card).join("\n"));
writeFileSync(join(folder, "index.html"), html);
console.log(`index.html: ${scenes.length} scenes, ${pictures.size} pictures`);

/** A moment of each scene, simulated by the page. */
async function takePictures() {
  const taken = new Set();
  const browser = await chromium.launch({
    executablePath: process.env.STICTION_CHROMIUM,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb"],
  });
  for (const scene of scenes) {
    const tab = await browser.newPage({ viewport: { width: 480, height: 412 }, colorScheme: "light" });
    const [file, words] = address(scene).split("#");
    await tab.goto(`${pathToFileURL(join(folder, file)).href}#${words}&panel=0&plots=0&theme=light`);
    await tab.waitForFunction(() => window.stiction?.ready, null, { timeout: 120_000 });
    // A moment in which something happens, and the view is fitted to the way there.
    await tab.waitForFunction(() => window.stiction.viewer.player.now > 0.8, null, { timeout: 180_000 });
    await tab.keyboard.press(" ");
    await tab.keyboard.press("0");
    await tab.addStyleTag({ content: ".page { display: block !important; height: 400px !important } .view { height: 320px } .bar, .timeline, .corner, .notice, .card { display: none !important }" });
    await tab.waitForTimeout(400);
    await tab.waitForFunction(() => window.stiction.viewer.numbers.resting, null, { timeout: 120_000 });
    await tab.screenshot({ path: join(folder, "pictures", `${scene.name}.jpg`), type: "jpeg", quality: 82, clip: { x: 0, y: 0, width: 480, height: 320 } });
    taken.add(scene.name);
    await tab.close();
  }
  await browser.close();
  return taken;
}
