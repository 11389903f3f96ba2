// A real browser for the tests: Chromium without a screen, drawing WebGL in software.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import type { Viewer } from "../src/viewer.ts";
import type { set, settings } from "../src/settings.ts";
import { decodePng, type Picture } from "./png.ts";

declare global {
  interface Window { stiction?: { viewer: Viewer; settings: typeof settings; set: typeof set; ready: boolean } }
}

export const page = (): string => readFileSync(join(process.env.STICTION_WEB!, "../crates/viewer/page/index.html"), "utf8");

export async function launch(): Promise<Browser> {
  const executablePath = process.env.STICTION_CHROMIUM || "/usr/bin/chromium";
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb"],
  });
}

/** A folder for recordings, removed by `remove`. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), "stiction-web-"));
  write(name: string, text: string): string {
    writeFileSync(join(this.path, name), text);
    return pathToFileURL(join(this.path, name)).href;
  }
  remove(): void { rmSync(this.path, { recursive: true }); }
}

/** A page that notes everything the browser complains about. */
export async function tab(browser: Browser, width = 1000, height = 700): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: "light", acceptDownloads: true });
  const opened = await context.newPage();
  opened.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  opened.on("console", (message) => ["error", "warning"].includes(message.type()) && !/GPU stall due to ReadPixels/.test(message.text()) && complaints.push(message.text()));
  opened.on("pageerror", (error) => complaints.push(error.message));
  opened.on("request", (request) => /^(https?|wss?):\/\/(?!127\.0\.0\.1)/.test(request.url()) && complaints.push(`a request to ${request.url()}`));
  return { page: opened, complaints };
}

export const ready = (opened: Page): Promise<unknown> => opened.waitForFunction(() => window.stiction?.ready);

/** Waits until the picture is at rest, and takes it. */
export async function picture(opened: Page): Promise<Picture> {
  await opened.waitForFunction(() => window.stiction!.viewer.numbers.resting);
  return decodePng(await opened.screenshot());
}

/** Where a point of the world is in the picture. */
export const project = (opened: Page, point: [number, number, number]): Promise<[number, number]> =>
  opened.evaluate((p) => window.stiction!.viewer.project(p), point);

/** The mean colour of a square of pixels (5 × 5, or 1 × 1 for reach 0) about a point of the world. */
export async function colorAt(opened: Page, shot: Picture, point: [number, number, number], reach = 2): Promise<[number, number, number]> {
  const [x, y] = await project(opened, point), sum: [number, number, number] = [0, 0, 0];
  const count = (2 * reach + 1) ** 2;
  for (let dy = -reach; dy <= reach; dy++) for (let dx = -reach; dx <= reach; dx++) shot.at(x + dx, y + dy).forEach((c, i) => (sum[i] += c / count));
  return sum;
}
