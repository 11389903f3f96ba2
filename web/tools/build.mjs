// Builds the page: one HTML file with style and script inside, into crates/viewer/page/index.html.
// `--check` compares instead of writing: the committed page must be this one, byte for byte.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");
const target = join(web, "../crates/viewer/page/index.html");

export async function page() {
  const scriptOf = (file, define = {}) => build({
    absWorkingDir: web, entryPoints: [file], bundle: true, minify: true, write: false, format: "iife", define,
    target: ["chrome110", "firefox113", "safari16.4"], legalComments: "eof", charset: "utf8", logLevel: "warning",
  });
  // The worker is started from a text in the page, so that the page stays one file.
  const worker = await scriptOf("src/worker.ts");
  const bundled = await scriptOf("src/main.ts", { WORKER: JSON.stringify(worker.outputFiles[0].text.trim()) });
  const style = await build({ absWorkingDir: web, entryPoints: ["src/style.css"], minify: true, write: false, charset: "utf8", logLevel: "warning" });
  const script = bundled.outputFiles[0].text.trim();
  if (/<\/script|<!--/i.test(script)) throw new Error("the script contains text that would end it early");
  return readFileSync(join(web, "src/page.html"), "utf8")
    .replace("/* style */", () => style.outputFiles[0].text.trim())
    .replace("/* script */", () => script);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const html = await page();
  const size = `${(html.length / 1024).toFixed(0)} KiB`;
  if (process.argv.includes("--check")) {
    let committed = "";
    try {
      committed = readFileSync(target, "utf8");
    } catch { /* told below */ }
    if (committed !== html) {
      console.error("crates/viewer/page/index.html is not what web/ builds: run `npm run build` in web/ and commit it.");
      process.exit(1);
    }
    console.log(`crates/viewer/page/index.html is what web/ builds (${size})`);
  } else {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, html);
    console.log(`crates/viewer/page/index.html: ${size}`);
  }
}
