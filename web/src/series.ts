// Everything that can be plotted: the channels of the recording, and what follows from its frames (places and speeds of
// bodies, forces between pairs of bodies, areas and pressures of their patches).

import { CONTACT_WORDS, openFrame, type Frame } from "./decode.ts";
import { bodyName } from "./inspector.ts";
import type { Recording } from "./recording.ts";

export interface Series { name: string; unit: string; group: string; values: () => ArrayLike<number> }

export class SeriesList {
  /** The channels of the recording, in its order. */
  readonly channels: Series[];
  private readonly bodies: Series[] = [];
  private readonly pairs = new Map<string, Series[]>();
  private scanned = 0;
  private scannedEpoch = -1;

  constructor(private readonly recording: Recording) {
    const scene = recording.scene!;
    this.channels = scene.channels.map(({ name, unit, group }, i) => ({ name, unit, group, values: () => recording.columns[i] }));
    for (let b = 1; b < scene.bodies.length; b++) {
      const name = bodyName(scene, b);
      (["x", "y", "z"] as const).forEach((axis, k) => this.bodies.push(this.derived(`${name} ${axis}`, "m", "places of bodies", (frame) => frame.poses[7 * b + k])));
      this.bodies.push(this.derived(`${name} speed`, "m/s", "speeds of bodies", (frame, before) => {
        if (!before) return NaN;
        const p = frame.poses, q = before.poses, k = 7 * b;
        return Math.hypot(p[k] - q[k], p[k + 1] - q[k + 1], p[k + 2] - q[k + 2]) / (frame.time - before.time);
      }));
    }
  }

  /** All series; looks for pairs of bodies that touch in frames that came since the last call. */
  all(): Series[] {
    const { recording } = this, scene = recording.scene!;
    if (this.scannedEpoch !== recording.epoch) this.scanned = 0;
    this.scannedEpoch = recording.epoch;
    for (; this.scanned < recording.frames.length; this.scanned++) {
      const { contactInts: u, patches } = openFrame(recording.frames[this.scanned]);
      const note = (geomA: number, geomB: number, patch: boolean): void => {
        const [a, b] = [scene.geoms[geomA].body, scene.geoms[geomB].body].sort((x, y) => x - y), key = `${a} ${b} ${patch}`;
        if (!this.pairs.has(key)) this.pairs.set(key, this.pair(a, b, patch));
      };
      for (let at = 0; at < u.length; at += CONTACT_WORDS) note(u[at], u[at + 1], false);
      for (const patch of patches) note(patch.geomA, patch.geomB, true);
    }
    const unique = new Map<string, Series>();
    for (const series of [...this.channels, ...[...this.pairs.values()].flat(), ...this.bodies]) {
      const key = `${series.group}|${series.name}`;
      if (!unique.has(key)) unique.set(key, series);
    }
    return [...unique.values()];
  }

  private pair(a: number, b: number, patch: boolean): Series[] {
    const { geoms } = this.recording.scene!, name = `${bodyName(this.recording.scene!, a)} – ${bodyName(this.recording.scene!, b)}`;
    const between = (geomA: number, geomB: number): number => {
      const [x, y] = [geoms[geomA].body, geoms[geomB].body];
      return x === a && y === b ? 1 : x === b && y === a ? -1 : 0;
    };
    const force = this.derived(`${name} force`, "N", "contact pairs", (frame) => {
      let [x, y, z] = [0, 0, 0];
      const { contactInts: u, contactFloats: f } = frame;
      for (let at = 0; at < u.length; at += CONTACT_WORDS) {
        const sign = between(u[at], u[at + 1]);
        if (sign !== 0) [x, y, z] = [x + sign * f[at + 8], y + sign * f[at + 9], z + sign * f[at + 10]];
      }
      for (const { geomA, geomB, force: p } of frame.patches) {
        const sign = between(geomA, geomB);
        if (sign !== 0) [x, y, z] = [x + sign * p[0], y + sign * p[1], z + sign * p[2]];
      }
      return Math.hypot(x, y, z);
    });
    if (!patch) return [force];
    const own = (frame: Frame): Frame["patches"] => frame.patches.filter(({ geomA, geomB }) => between(geomA, geomB) !== 0);
    return [force,
      this.derived(`${name} area`, "m²", "contact pairs", (frame) => own(frame).reduce((sum, { area }) => sum + area, 0)),
      this.derived(`${name} largest pressure`, "Pa", "contact pairs", (frame) => own(frame).reduce((most, { pressure }) => pressure.reduce((m, p) => Math.max(m, p), most), 0))];
  }

  /** A series that is computed from frames when first asked for, and for frames that come later. */
  private derived(name: string, unit: string, group: string, of: (frame: Frame, before: Frame | null) => number): Series {
    const { recording } = this;
    let values: number[] = [], epoch = -1, before: Frame | null = null;
    return { name, unit, group, values: () => {
      if (epoch !== recording.epoch) [values, epoch, before] = [[], recording.epoch, null];
      while (values.length < recording.frames.length) {
        const frame = openFrame(recording.frames[values.length]);
        values.push(of(frame, before));
        before = frame;
      }
      return values;
    } };
  }
}
