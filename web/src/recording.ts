// A recording as the page holds it: the scene, its buffers, and the frames so far, in order of time.

import { BUFFER, decodeBuffer, decodeJson, decodeScene, FRAME, indexFrame, openFrame, SCENE, STATUS } from "./decode.ts";
import type { Frame, FrameRef } from "./decode.ts";
import { FormatError, type MeshBuffer, type SceneInfo, type Status } from "./format.ts";

/** Live pages keep this much of the past for the timeline. */
const LIVE_FRAMES = 4000, LIVE_BYTES = 256e6;

export interface Spread { low: number; middle: number; high: number }

export class Recording {
  scene: SceneInfo | null = null;
  readonly buffers = new Map<number, MeshBuffer>();
  frames: FrameRef[] = [];
  times: number[] = [];
  /** One column a channel, as long as `frames`. */
  columns: number[][] = [];
  maxPressure = 0;
  maxForce = 0;
  maxTraction = 0;
  maxSlip = 0;
  hasPatches = false;
  hasContacts = false;
  /** Goes up whenever frames are dropped from the front or all are cleared. */
  epoch = 0;
  private bytes = 0;
  private readonly typical = { grain: -1, epoch: -1, force: 0, pressure: { low: 0, middle: 0, high: 0 } };
  private cached: { ref: FrameRef; frame: Frame } | null = null;
  private ofFrame: { ref: FrameRef; spread: Spread } | null = null;

  constructor(private readonly live = false) {}

  /** Takes one chunk; returns what it was. Chunks of kinds to come are skipped. */
  add(kind: number, payload: Uint8Array): "scene" | "buffer" | "frame" | Status | null {
    switch (kind) {
      case SCENE:
        this.clear();
        this.buffers.clear();
        this.scene = decodeScene(payload);
        this.columns = this.scene.channels.map(() => []);
        return "scene";
      case BUFFER: {
        const buffer = decodeBuffer(payload);
        this.buffers.set(buffer.id, buffer);
        return "buffer";
      }
      case FRAME:
        this.addFrame(payload);
        return "frame";
      case STATUS:
        return decodeJson(payload) as Status;
      default:
        return null;
    }
  }

  private addFrame(payload: Uint8Array): void {
    if (!this.scene) throw new FormatError("The recording is damaged: a frame comes before the scene.");
    const { ref, frame } = indexFrame(payload, this.scene);
    const last = this.times[this.times.length - 1];
    if (last !== undefined && ref.time <= last) {
      if (ref.time === last) this.drop(this.frames.length - 1, 1);
      else if (this.live) this.clear(); // the simulation was reset
      else throw new FormatError(`The recording is damaged: time goes back at ${ref.time} s.`);
    }
    this.frames.push(ref);
    this.times.push(ref.time);
    frame.channels.forEach((value, i) => this.columns[i].push(value));
    this.bytes += ref.length;
    this.maxPressure = Math.max(this.maxPressure, ref.maxPressure);
    this.maxForce = Math.max(this.maxForce, ref.maxForce);
    this.maxTraction = Math.max(this.maxTraction, ref.maxTraction);
    this.maxSlip = Math.max(this.maxSlip, ref.maxSlip);
    if (frame.patches.length > 0) this.hasPatches = true;
    if (frame.contacts > 0) this.hasContacts = true;
    if (this.live && (this.frames.length > LIVE_FRAMES || this.bytes > LIVE_BYTES)) this.drop(0, this.frames.length >> 3);
  }

  private drop(from: number, count: number): void {
    for (const ref of this.frames.splice(from, count)) this.bytes -= ref.length;
    this.times.splice(from, count);
    for (const column of this.columns) column.splice(from, count);
    this.epoch++;
  }

  private clear(): void {
    this.drop(0, this.frames.length);
    this.cached = null;
  }

  frame(i: number): Frame {
    const ref = this.frames[i];
    if (this.cached?.ref !== ref) this.cached = { ref, frame: openFrame(ref) };
    return this.cached.frame;
  }

  /** The last frame not after `time`. */
  indexAt(time: number): number {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** A typical large force, N: nine in ten frames with contact stay below it, so that one impact does not make all others invisible. */
  get forceScale(): number { return this.typicals().force; }

  /** Typical pressures, Pa: 5, 50 and 97 in 100 vertices of patches stay below them. */
  get pressureScale(): Spread { return this.typicals().pressure; }

  private typicals(): { force: number; pressure: Spread } {
    const { typical, frames } = this;
    // Live, the scale follows now and then, not with every frame.
    const grain = this.live ? Math.floor(frames.length / 60) : frames.length;
    if (typical.grain !== grain || typical.epoch !== this.epoch || (typical.force === 0 && frames.length > 0 && frames[frames.length - 1].maxForce > 0)) {
      const stride = Math.max(1, frames.length >> 9);
      const high = (value: (ref: FrameRef) => number): number => {
        const sorted: number[] = [];
        for (let i = 0; i < frames.length; i += stride) if (value(frames[i]) > 0) sorted.push(value(frames[i]));
        sorted.sort((a, b) => a - b);
        return sorted[Math.floor(0.9 * sorted.length)] ?? 0;
      };
      typical.force = high((ref) => ref.maxForce);
      typical.pressure = this.pressures();
      typical.grain = grain;
      typical.epoch = this.epoch;
    }
    return typical;
  }

  /** Typical pressures of the frame that was opened last, Pa. */
  get framePressures(): Spread {
    const ref = this.cached?.ref;
    if (ref && ref !== this.ofFrame?.ref) this.ofFrame = { ref, spread: spread([ref]) };
    return this.ofFrame?.spread ?? this.pressureScale;
  }

  private pressures(): Spread {
    const stride = Math.max(1, this.frames.length >> 6);
    return spread(this.frames.filter((_, i) => (this.frames.length - 1 - i) % stride === 0));
  }

  get start(): number { return this.times[0] ?? 0; }
  get end(): number { return this.times[this.times.length - 1] ?? 0; }
}

/** Pressures that 5, 50 and 97 in 100 vertices of the patches in these frames stay below. */
function spread(refs: FrameRef[]): Spread {
  const sample: number[] = [];
  for (const ref of refs) if (ref.maxPressure > 0) for (const patch of openFrame(ref).patches) for (const p of patch.pressure) if (p > 0) sample.push(p);
  sample.sort((a, b) => a - b);
  const at = (share: number): number => sample[Math.floor(share * sample.length)] ?? 0;
  return { low: at(0.05), middle: at(0.5), high: at(0.97) };
}
