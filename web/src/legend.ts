// The legend of pressure: a colour bar with round numbers, as elements on the page and as paint for pictures.

import { COLORMAP, position, type Scale, STEPS } from "./colormap.ts";
import { h } from "./dom.ts";
import type { Recording } from "./recording.ts";
import { settings } from "./settings.ts";
import { quantity, ticks } from "./units.ts";

/**
 * The scale in force, the same for all frames unless that of the frame is asked for. What was not set comes from the recording: the top is a pressure that
 * nearly all vertices stay below (the legend names the largest of all), and the scale is logarithmic where pressures
 * are of very different size.
 */
export function scaleOf(recording: Recording): Scale {
  const { low, middle, high } = settings.pressureFrame ? recording.framePressures : recording.pressureScale;
  const max = settings.pressureMax ?? roundUp(high || 1);
  const log = settings.pressureLog ?? high > 20 * middle;
  let min = settings.pressureMin ?? (log ? decadeBelow(Math.min(Math.max(low, max / 1e3), max / 30)) : 0);
  if (log && !(min > 0)) min = max / 1000;
  if (min >= max) min = log ? max / 10 : 0;
  return { min, max, log };
}

const decadeBelow = (value: number): number => 10 ** Math.floor(Math.log10(value));

/** To two digits, upwards. */
function roundUp(value: number): number {
  const decade = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Math.ceil(value / decade - 1e-6) * decade;
}

export function scaleTicks({ min, max, log }: Scale): number[] {
  if (!log) return ticks(min, max, 4);
  const list: number[] = [];
  for (let k = Math.ceil(Math.log10(min) - 1e-9); 10 ** k <= max * (1 + 1e-9); k++) list.push(10 ** k);
  return list.length >= 2 ? list : [min, max];
}

export class Legend {
  readonly element: HTMLElement;
  private readonly bar = h("canvas", { width: STEPS, height: 1 });
  private readonly marks = h("div", { class: "marks" });
  private readonly more = h("span", { class: "more" });
  private shown = "";

  constructor(edit: () => void) {
    const ctx = this.bar.getContext("2d")!;
    ctx.putImageData(new ImageData(new Uint8ClampedArray(COLORMAP), STEPS, 1), 0, 0);
    this.element = h("button", { class: "legend", type: "button", title: "Change the scale", onclick: edit },
      h("span", { class: "title" }, "Contact pressure"), this.more, this.bar, this.marks);
  }

  update(recording: Recording): void {
    this.element.hidden = !(recording.hasPatches && settings.patches);
    const scale = scaleOf(recording), key = JSON.stringify([scale, recording.maxPressure]);
    if (key === this.shown) return;
    this.shown = key;
    this.more.textContent = recording.maxPressure > 1.02 * scale.max ? `peak ${quantity(recording.maxPressure, "Pa")}` : "";
    this.marks.replaceChildren(...scaleTicks(scale).map((value) =>
      h("span", { style: `left:${100 * position(value, scale)}%` }, quantity(value, "Pa"))));
  }

  /** Paints the legend into a picture at its lower left. */
  paint(ctx: CanvasRenderingContext2D, recording: Recording, x: number, y: number): void {
    if (this.element.hidden) return;
    const scale = scaleOf(recording), width = 230, dark = settings.theme === "dark";
    ctx.fillStyle = dark ? "rgba(24,29,36,.8)" : "rgba(255,255,255,.8)";
    ctx.beginPath();
    ctx.roundRect(x, y - 58, width + 44, 58, 10);
    ctx.fill();
    ctx.drawImage(this.bar, x + 22, y - 34, width, 10);
    ctx.fillStyle = dark ? "#e8edf3" : "#1d2630";
    ctx.textAlign = "left";
    ctx.font = "600 12px system-ui, sans-serif";
    ctx.fillText("Contact pressure", x + 22, y - 41);
    ctx.font = "11px system-ui, sans-serif";
    ctx.textAlign = "center";
    for (const value of scaleTicks(scale)) ctx.fillText(quantity(value, "Pa"), x + 22 + width * position(value, scale), y - 10);
  }
}
