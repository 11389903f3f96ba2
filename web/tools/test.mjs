// Runs the tests: `node tools/test.mjs [NAME…]`, NAME one of decode, look, page, live (default: all).
// STICTION_TEST="words" runs only the tests with these words in their names.
// They are TypeScript; esbuild turns each into a file that node's own test runner takes.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");
const wanted = process.argv.slice(2);
const names = readdirSync(join(web, "test")).filter((file) => file.endsWith(".test.ts")).map((file) => file.replace(".test.ts", ""));
for (const name of wanted) if (!names.includes(name)) throw new Error(`there are no tests ${name}; there are: ${names.join(", ")}`);
const chosen = wanted.length > 0 ? wanted : names;
const out = join(web, "node_modules/.tests");
mkdirSync(out, { recursive: true });
await build({
  absWorkingDir: web, entryPoints: chosen.map((name) => `test/${name}.test.ts`), outdir: out, outExtension: { ".js": ".mjs" },
  bundle: true, platform: "node", format: "esm", external: ["playwright-core"], logLevel: "warning", sourcemap: "inline",
});
const files = chosen.map((name) => join(out, `${name}.test.mjs`));
const pattern = process.env.STICTION_TEST ? [`--test-name-pattern=${process.env.STICTION_TEST}`] : [];
const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", "--test-concurrency=1", "--test-reporter=spec", ...pattern, ...files], { stdio: "inherit", env: { ...process.env, STICTION_WEB: web } });
process.exit(status ?? 1);
