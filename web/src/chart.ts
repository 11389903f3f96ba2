// The drawing of one plot: axes with round numbers, and curves with at most a few points a pixel.

import { plain, prefixed, ticks } from "./units.ts";

export const LEFT = 46, RIGHT = 10, TOP = 6, BOTTOM = 16;

export interface Curve { values: ArrayLike<number>; color: string }
export interface Axes { low: number; high: number; unit: string; factor: number; span: number }

/** The range of the curves in a window of time, with some room, and the prefix their numbers need. */
export function axesOf(curves: Curve[], times: number[], from: number, to: number, unit: string): Axes {
  let low = Infinity, high = -Infinity;
  for (const { values } of curves) {
    for (let i = 0; i < times.length; i++) {
      if (times[i] < from || times[i] > to) continue;
      if (values[i] < low) low = values[i];
      if (values[i] > high) high = values[i];
    }
  }
  if (!(high >= low) || (high === 0 && low === 0)) [low, high] = [0, 1];
  if (high - low < 1e-9 * Math.max(1, Math.abs(high))) [low, high] = [low - 0.5 * (Math.abs(low) || 1), high + 0.5 * (Math.abs(high) || 1)];
  const span = Math.max(Math.abs(low), Math.abs(high)), prefix = prefixed(span, unit), margin = 0.06 * (high - low);
  [low, high] = [low >= 0 && low < 0.3 * high ? 0 : low - margin, high + margin];
  return { low, high, span, ...prefix };
}

export interface Style { ink: string; rule: string; back: string }

/** Draws curves over the times from `from` to `to` into a space of this size. */
export function drawChart(ctx: CanvasRenderingContext2D, width: number, height: number, curves: Curve[], times: number[], from: number, to: number, axes: Axes, { ink, rule }: Style): void {
  const { low, high, factor } = axes, span = to - from || 1;
  const X = (t: number): number => LEFT + ((t - from) / span) * (width - LEFT - RIGHT);
  const Y = (y: number): number => height - BOTTOM - ((y - low) / (high - low)) * (height - TOP - BOTTOM);
  ctx.font = "10px system-ui, sans-serif";
  ctx.fillStyle = ink;
  ctx.strokeStyle = rule;
  ctx.lineWidth = 1;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (const y of ticks(low, high, Math.max(4, height / 60))) {
    line(ctx, LEFT, Y(y), width - RIGHT, Y(y));
    ctx.fillText(plain(y / factor), LEFT - 5, Y(y), LEFT - 6);
  }
  ctx.textBaseline = "alphabetic";
  ctx.textAlign = "center";
  const marks = ticks(from, to, Math.max(3, width / 52)).filter((t) => X(t) > LEFT - 4 && X(t) < width - 12);
  // As many digits as tell neighbours apart.
  const step = marks.length > 1 ? marks[1] - marks[0] : span, digits = Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)));
  marks.forEach((t, i) => ctx.fillText(`${t.toFixed(digits).replace("-", "−")}${i === marks.length - 1 ? " s" : ""}`, X(t), height - 3));
  ctx.save();
  ctx.beginPath();
  ctx.rect(LEFT, 0, width - LEFT - RIGHT, height);
  ctx.clip();
  ctx.lineWidth = 1.5;
  ctx.lineJoin = "round";
  // The frames in the window, and one more on either side.
  let first = times.findIndex((t) => t >= from), last = times.length;
  first = Math.max(0, (first < 0 ? times.length : first) - 1);
  while (last > first + 1 && times[last - 2] > to) last--;
  for (const { values, color } of curves) {
    ctx.strokeStyle = color;
    ctx.beginPath();
    curve(ctx, times, values, first, last, X, Y, Math.max(1, (last - first) / (width * 1.5)));
    ctx.stroke();
  }
  ctx.restore();
}

/** A curve with at most about three points a pixel: of each bunch its first, least, largest and last value. */
function curve(ctx: CanvasRenderingContext2D, times: number[], values: ArrayLike<number>, first: number, last: number, X: (t: number) => number, Y: (y: number) => number, bunch: number): void {
  let pen = false;
  for (let from = first; from < last; from += bunch) {
    const a = Math.floor(from), b = Math.max(a + 1, Math.min(last, Math.floor(from + bunch)));
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
