// How long arrows are: a compressed scale, so that both a resting weight and an impact can be read, and its legend.

import { h } from "./dom.ts";
import { theme } from "./look.ts";
import type { Recording } from "./recording.ts";
import { settings } from "./settings.ts";
import { quantity } from "./units.ts";

export type Kind = "force" | "traction" | "slip";

/** Length of the longest arrow as a share of the picture's height, and the unit of what it stands for. */
const KINDS: Record<Kind, { share: number; unit: string; name: string }> = {
  force: { share: 0.2, unit: "N", name: "Force" }, traction: { share: 0.12, unit: "Pa", name: "Traction" }, slip: { share: 0.12, unit: "m/s", name: "Slip" },
};
/** The shortest arrow that is drawn, as a share of the longest. */
const SHORTEST = 0.12;

/** The scale of one kind of arrow over a whole recording. Values below `low` have no arrow. */
export interface ArrowScale { low: number; high: number; linear: boolean; factor: number }

export function arrowScale(kind: Kind, recording: Recording): ArrowScale {
  const linear = settings.arrows === "linear", factor = settings[`${kind}Scale`];
  const largest = { force: recording.maxForce, traction: recording.maxTraction, slip: recording.maxSlip }[kind] || 1;
  const typical = kind === "force" ? recording.forceScale || largest : largest;
  return { low: settings.threshold * typical, high: linear ? typical : Math.max(largest, 10 * settings.threshold * typical), linear, factor };
}

/** Length of an arrow as a share of the longest (before the person's factor). */
export function share({ low, high, linear }: ArrowScale, value: number): number {
  if (linear) return Math.min(3, value / high);
  const least = Math.max(low, 1e-4 * high);
  return Math.min(1, Math.max(SHORTEST, SHORTEST + ((1 - SHORTEST) * Math.log(value / least)) / Math.log(high / least)));
}

/** Length in the picture of an arrow, as a share of the picture's height. */
export const lengthOf = (kind: Kind, scale: ArrowScale, value: number): number => KINDS[kind].share * scale.factor * share(scale, value);

/** Round values that span a scale: decades, at most three. */
function samples({ low, high, linear }: ArrowScale): number[] {
  const top = 10 ** Math.floor(Math.log10(high) + 1e-9);
  if (linear) return [top];
  const bottom = Math.max(low, 1e-4 * high, top / 1e4), list: number[] = [];
  for (let value = top; value >= bottom && list.length < 5; value /= 10) list.push(value);
  return (list.length > 3 ? [list[0], list[list.length >> 1], list[list.length - 1]] : list).reverse();
}

/** Arrows of round values at their lengths on the page. */
export class ArrowLegend {
  readonly element = h("div", { class: "arrow-legend" });
  private shown = "";

  /** `height` is that of the picture, CSS pixels; the lengths hold at the distance of what the camera turns about. */
  update(recording: Recording, height: number): void {
    const rows = this.rows(recording), key = JSON.stringify([rows, Math.round(height), settings.theme]);
    if (key === this.shown) return;
    this.shown = key;
    this.element.hidden = rows.length === 0;
    this.element.replaceChildren(...rows.map(({ kind, scale }) => h("div", { class: "kind-row", "data-kind": kind },
      h("span", { class: "title" }, KINDS[kind].name),
      ...samples(scale).map((value) => h("span", { class: "sample" }, arrow(lengthOf(kind, scale, value) * height, kind), quantity(value, KINDS[kind].unit))),
      h("small", {}, scale.linear ? "linear" : "compressed"))));
  }

  /** Paints the legend into a picture, its lower left corner here. */
  paint(ctx: CanvasRenderingContext2D, recording: Recording, height: number, left: number, bottom: number): void {
    const rows = this.rows(recording), dark = settings.theme === "dark";
    if (rows.length === 0) return;
    ctx.font = "11px system-ui, sans-serif";
    ctx.textAlign = "left";
    const text = (value: number, kind: Kind): string => quantity(value, KINDS[kind].unit);
    const width = Math.max(...rows.map(({ kind, scale }) => samples(scale).reduce((w, v) => w + lengthOf(kind, scale, v) * height + ctx.measureText(text(v, kind)).width + 20, 70)));
    ctx.fillStyle = dark ? "rgba(24,29,36,.8)" : "rgba(255,255,255,.8)";
    ctx.beginPath();
    ctx.roundRect(left, bottom - 10 - 18 * rows.length, width + 12, 10 + 18 * rows.length, 10);
    ctx.fill();
    rows.forEach(({ kind, scale }, row) => {
      const y = bottom - 14 - 18 * (rows.length - 1 - row), ink = dark ? "#e8edf3" : "#1d2630";
      let x = left + 70;
      ctx.fillStyle = ink;
      ctx.fillText(KINDS[kind].name, left + 12, y + 4);
      for (const value of samples(scale)) {
        const length = Math.max(6, lengthOf(kind, scale, value) * height);
        ctx.fillStyle = colorText(kind);
        ctx.fill(new Path2D(`M${x} ${y - 5}m0 4${outline(length)}`));
        ctx.fillStyle = ink;
        ctx.fillText(text(value, kind), x + length + 5, y + 4);
        x += length + ctx.measureText(text(value, kind)).width + 20;
      }
    });
  }

  private rows(recording: Recording): { kind: Kind; scale: ArrowScale }[] {
    const kinds = (["force", "traction", "slip"] as Kind[]).filter((kind) => settings[kind === "force" ? "forces" : kind] && this.present(kind, recording));
    return kinds.map((kind) => ({ kind, scale: arrowScale(kind, recording) }));
  }

  private present(kind: Kind, recording: Recording): boolean {
    return { force: recording.maxForce, traction: recording.maxTraction, slip: recording.maxSlip }[kind] > 0;
  }
}

const colorText = (kind: Kind): string => `#${theme()[kind].toString(16).padStart(6, "0")}`;

/** An arrow to the right from the upper side of its shaft, 2 pixels thick. */
function outline(length: number): string {
  const head = Math.min(9, 0.6 * length);
  return `h${length - head}v-3l${head} 4l${-head} 4v-3h${head - length}z`;
}

function arrow(length: number, kind: Kind): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), width = Math.max(6, length);
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", "10");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", `M0 4${outline(width)}`);
  path.setAttribute("fill", colorText(kind));
  svg.append(path);
  return svg;
}
