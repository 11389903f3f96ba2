// Time: which frame is shown, and how it goes on.

import type { Recording } from "./recording.ts";

export const SPEEDS = [0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  index = 0;
  playing = false;
  speed = 1;
  loop = true;
  /** Live: show the newest frame as it comes. */
  atHead = true;
  onChange: () => void = () => undefined;
  private time = 0;

  constructor(public recording: Recording) {}

  get now(): number { return this.recording.times[this.index] ?? 0; }

  play(on: boolean): void {
    if (this.playing === on) return;
    this.playing = on;
    if (on && this.index >= this.recording.frames.length - 1) this.go(0);
    this.time = this.now;
    this.onChange();
  }

  /** To a frame. */
  go(index: number): void {
    this.index = Math.max(0, Math.min(this.recording.frames.length - 1, index));
    this.time = this.now;
    this.atHead = this.index === this.recording.frames.length - 1;
    this.onChange();
  }

  goTime(time: number): void { this.go(this.recording.indexAt(time)); }

  /** To the newest frame, and stay there as more come. */
  head(): void {
    this.go(this.recording.frames.length - 1);
    this.atHead = true;
  }

  step(by: number): void {
    this.playing = false;
    this.go(this.index + by);
  }

  /** Goes on by `dt` seconds of the wall's clock; true if another frame is shown. */
  advance(dt: number): boolean {
    if (!this.playing) return false;
    const { start, end } = this.recording;
    this.time += dt * this.speed;
    if (this.time >= end) {
      // The last frame is shown before the first comes again.
      if (this.index < this.recording.frames.length - 1) this.time = end;
      else if (this.loop && end > start) this.time = start;
      else {
        this.time = end;
        this.playing = false;
        this.onChange();
      }
    }
    const index = this.recording.indexAt(this.time);
    const changed = index !== this.index;
    this.index = index;
    return changed;
  }
}
