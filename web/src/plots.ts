// Plots of the channels against time, one for each group and unit, with the timeline's cursor. A click or a drag
// in a plot moves the timeline.

import { h } from "./dom.ts";
import type { Recording } from "./recording.ts";
import { settings } from "./settings.ts";
import { plain, prefixed, quantity, ticks } from "./units.ts";

/** Okabe and Ito's colours, which differ for any colour vision; darker and lighter for the two themes. */
const COLORS = {
  light: ["#0072b2", "#d55e00", "#009e73", "#b0558b", "#b8860b", "#3f8fc4", "#555c66"],
  dark: ["#56b4e9", "#f08a3c", "#3fd0a4", "#e08bc0", "#f0d44a", "#8ec9f0", "#b8c0ca"],
};

const TITLES: Record<string, string> = {
  "contact|N": "Contact force", "contact|m": "Penetration", "contact|": "Contacts", "slip|": "Sticking",
  energy: "Energy", contact: "Contact", slip: "Slip", joints: "Joints", solver: "Solver", step: "Step size", sensors: "Sensors",
};
const ORDER = ["energy", "contact", "slip", "joints", "solver", "step", "sensors"];

const LEFT = 44, RIGHT = 10, TOP = 6, BOTTOM = 16;

interface Plot {
  unit: string;
  channels: number[];
  chosen: Set<number>;
  canvas: HTMLCanvasElement;
  cursor: HTMLElement;
  /** Where the unit is written, with the prefix the numbers need. */
  unitMark: HTMLElement;
  span: number;
  width: number;
  keys: { element: HTMLElement; value: HTMLElement; channel: number }[];
}

export class Plots {
  readonly element = h("div", { class: "plots" });
  private plots: Plot[] = [];
  private stale = true;
  private lastCount = 0;
  private lastNumbers = 0;
  private lastPaint = 0;
  private readonly resize = new ResizeObserver(() => this.repaint());

  constructor(private readonly seek: (time: number) => void, private readonly redraw: () => void) {}

  /** Lays out the plots of a scene's channels. */
  build(recording: Recording): void {
    const groups = new Map<string, number[]>();
    recording.scene!.channels.forEach((channel, i) => {
      const key = `${channel.group}|${channel.unit}`;
      groups.set(key, [...(groups.get(key) ?? []), i]);
    });
    // First the first unit of each group, then what else the groups have.
    const seen = new Map<string, number>();
    const rank = new Map([...groups.keys()].map((key) => {
      const [group] = key.split("|"), place = ORDER.indexOf(group), nth = seen.get(group) ?? 0;
      seen.set(group, nth + 1);
      return [key, (place < 0 ? ORDER.length : place) + 100 * Math.min(nth, group === "joints" ? 0 : 1)];
    }));
    this.resize.disconnect();
    this.plots = [...groups.entries()].sort(([a], [b]) => rank.get(a)! - rank.get(b)!).map(([key, channels]) => this.makePlot(recording, key, channels));
    this.element.replaceChildren(...this.plots.map((plot) => plot.canvas.closest<HTMLElement>(".plot")!));
    this.element.classList.toggle("none", this.plots.length === 0);
    this.stale = true;
  }

  get empty(): boolean { return this.plots.length === 0; }

  private makePlot(recording: Recording, key: string, channels: number[]): Plot {
    const [group, unit] = key.split("|");
    const list = recording.scene!.channels;
    const chosen = new Set(channels.slice(0, group === "energy" ? 5 : 4));
    const canvas = h("canvas"), cursor = h("div", { class: "cursor" });
    const keys = channels.map((channel) => {
      const value = h("b");
      const element = h("button", { type: "button", class: "key", title: `Show or hide ${list[channel].name}`, onclick: () => {
        if (chosen.has(channel)) chosen.delete(channel);
        else chosen.add(channel);
        this.repaint();
      } }, h("i"), h("span", {}, list[channel].name), value);
      return { element, value, channel };
    });
    const unitMark = h("small");
    const area = h("div", { class: "area" }, canvas, cursor);
    const seek = (event: PointerEvent): void => {
      const box = canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
      this.seek(recording.start + Math.min(1, Math.max(0, share)) * (recording.end - recording.start));
    };
    area.addEventListener("pointerdown", (event) => {
      area.setPointerCapture(event.pointerId);
      seek(event);
    });
    area.addEventListener("pointermove", (event) => event.buttons & 1 && seek(event));
    const more = h("button", { type: "button", class: "more", title: "Choose what is plotted", onclick: () => {
      more.textContent = section.classList.toggle("all") ? "done" : "choose";
    } }, "choose");
    const section = h("section", { class: "plot" },
      h("h3", {}, TITLES[key] ?? TITLES[group] ?? group, unitMark, ...(channels.length > 2 ? [more] : [])), area,
      h("div", { class: channels.length > 2 ? "keys many" : "keys" }, ...keys.map((k) => k.element)));
    this.resize.observe(area);
    return { unit, channels, chosen, canvas, cursor, unitMark, span: 1, width: 0, keys };
  }

  /** Moves the cursor; draws the curves anew if they changed. */
  update(recording: Recording, index: number, still: boolean): void {
    if (!settings.plots || this.plots.length === 0) return;
    const now = performance.now();
    // Curves that grow are drawn anew five times a second.
    if (recording.frames.length !== this.lastCount && now - this.lastPaint > 200) this.stale = true;
    const colors = COLORS[settings.theme];
    if (this.stale) {
      this.lastPaint = now;
      for (const plot of this.plots) this.paint(plot, recording, colors);
      this.stale = false;
      this.lastCount = recording.frames.length;
    }
    const share = (recording.times[index] - recording.start) / (recording.end - recording.start || 1);
    for (const plot of this.plots) plot.cursor.style.transform = `translateX(${LEFT + share * (plot.width - LEFT - RIGHT)}px)`;
    // Numbers that change faster than ten times a second cannot be read.
    if (!still && now - this.lastNumbers < 100) return;
    this.lastNumbers = now;
    for (const plot of this.plots) {
      for (const { value, channel } of plot.keys) {
        const here = recording.columns[channel][index] ?? NaN;
        const text = plot.chosen.has(channel) ? ` ${quantity(Math.abs(here) < 1e-6 * plot.span ? 0 : here, plot.unit)}` : "";
        if (value.textContent !== text) value.textContent = text;
      }
    }
  }

  /** The curves are to be drawn anew. */
  repaint(): void {
    this.stale = true;
    this.redraw();
  }

  private paint(plot: Plot, recording: Recording, colors: string[]): void {
    const width = plot.canvas.clientWidth, height = plot.canvas.clientHeight, ratio = Math.min(2, devicePixelRatio);
    if (width === 0 || height === 0) return;
    plot.width = width;
    plot.canvas.width = width * ratio;
    plot.canvas.height = height * ratio;
    const ctx = plot.canvas.getContext("2d")!;
    ctx.scale(ratio, ratio);
    const style = getComputedStyle(plot.canvas);
    const ink = style.getPropertyValue("--muted"), rule = style.getPropertyValue("--rule");
    plot.keys.forEach(({ element, channel }) => {
      const on = plot.chosen.has(channel);
      element.classList.toggle("off", !on);
      element.style.setProperty("--key", colors[plot.channels.indexOf(channel) % colors.length]);
    });
    const { start, end, times } = recording, span = end - start || 1;
    let low = Infinity, high = -Infinity;
    for (const channel of plot.chosen) {
      for (const y of recording.columns[channel]) {
        if (y < low) low = y;
        if (y > high) high = y;
      }
    }
    if (!(high >= low) || (high === 0 && low === 0)) [low, high] = [0, 1];
    if (high - low < 1e-9 * Math.max(1, Math.abs(high))) [low, high] = [low - 0.5 * (Math.abs(low) || 1), high + 0.5 * (Math.abs(high) || 1)];
    plot.span = Math.max(Math.abs(low), Math.abs(high));
    const { factor, unit } = prefixed(plot.span, plot.unit);
    plot.unitMark.textContent = unit ? ` ${unit}` : "";
    const margin = 0.06 * (high - low);
    [low, high] = [low >= 0 && low < 0.3 * high ? 0 : low - margin, high + margin];
    const X = (t: number): number => LEFT + ((t - start) / span) * (width - LEFT - RIGHT);
    const Y = (y: number): number => height - BOTTOM - ((y - low) / (high - low)) * (height - TOP - BOTTOM);
    ctx.font = "10px system-ui, sans-serif";
    ctx.fillStyle = ink;
    ctx.strokeStyle = rule;
    ctx.lineWidth = 1;
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    for (const y of ticks(low, high, 4)) {
      line(ctx, LEFT, Y(y), width - RIGHT, Y(y));
      ctx.fillText(plain(y / factor), LEFT - 5, Y(y));
    }
    ctx.textBaseline = "alphabetic";
    ctx.textAlign = "center";
    for (const t of ticks(start, end, Math.max(2, width / 90))) {
      if (X(t) < width - 16) ctx.fillText(`${plain(t)}${t === 0 ? " s" : ""}`, X(t), height - 3);
    }
    ctx.save();
    ctx.beginPath();
    ctx.rect(LEFT, 0, width - LEFT - RIGHT, height);
    ctx.clip();
    ctx.lineWidth = 1.5;
    ctx.lineJoin = "round";
    for (const channel of plot.chosen) {
      ctx.strokeStyle = colors[plot.channels.indexOf(channel) % colors.length];
      ctx.beginPath();
      curve(ctx, times, recording.columns[channel], X, Y, Math.max(1, times.length / (width * 1.5)));
      ctx.stroke();
    }
    ctx.restore();
  }
}

/** A curve with at most about three points a pixel: of each bunch its first, least, largest and last value. */
function curve(ctx: CanvasRenderingContext2D, times: number[], values: number[], X: (t: number) => number, Y: (y: number) => number, bunch: number): void {
  let pen = false;
  for (let from = 0; from < times.length; from += bunch) {
    const a = Math.floor(from), b = Math.max(a + 1, Math.min(times.length, Math.floor(from + bunch)));
    let low = Infinity, high = -Infinity;
    for (let i = a; i < b; i++) {
      if (values[i] < low) low = values[i];
      if (values[i] > high) high = values[i];
    }
    if (!(high >= low)) {
      pen = false; // a gap: no number there
      continue;
    }
    const x = X(times[a]);
    for (const y of b - a > 1 ? [values[a], low, high, values[b - 1]] : [low]) {
      if (!Number.isFinite(y)) continue;
      if (pen) ctx.lineTo(x, Y(y));
      else ctx.moveTo(x, Y(y));
      pen = true;
    }
  }
}

function line(ctx: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  ctx.beginPath();
  ctx.moveTo(x0, Math.round(y0) + 0.5);
  ctx.lineTo(x1, Math.round(y1) + 0.5);
  ctx.stroke();
}
