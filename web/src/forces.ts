// What bodies do to each other, as arrows: forces at contact points and of patches, traction and slip over patches.

import { Group } from "three";
import { Arrows, Dots } from "./arrows.ts";
import { CONTACT_WORDS, type Frame } from "./decode.ts";
import { theme } from "./look.ts";
import type { Recording } from "./recording.ts";
import { settings } from "./settings.ts";

export class Forces {
  readonly group = new Group();
  readonly ghost = new Group();
  private readonly force = new Arrows(theme().force);
  private readonly traction = new Arrows(theme().traction);
  private readonly slip = new Arrows(theme().slip);
  private readonly dots = new Dots(theme().point);
  /** Size of the scene, m: the longest arrow is about a third of it. */
  size = 1;

  constructor() {
    for (const part of [this.force, this.traction, this.slip]) {
      this.group.add(part.group);
      this.ghost.add(part.ghost);
    }
    this.group.add(this.dots.group); // through bodies they would only be specks
  }

  paint(): void {
    this.force.color = theme().force;
    this.traction.color = theme().traction;
    this.slip.color = theme().slip;
    this.dots.color = theme().point;
  }

  update(frame: Frame, recording: Recording): void {
    const parts = [this.force, this.traction, this.slip, this.dots];
    for (const part of parts) part.begin();
    const thick = this.size * 0.0045;
    const f = frame.contactFloats;
    const top = recording.forceScale || 1;
    const perNewton = (settings.forceScale * 0.35 * this.size) / top, least = settings.threshold * top;
    for (let at = 0; at < f.length; at += CONTACT_WORDS) {
      const x = f[at + 2], y = f[at + 3], z = f[at + 4];
      const force = Math.hypot(f[at + 8], f[at + 9], f[at + 10]);
      if (settings.points && force > 0) this.dots.add(x, y, z, thick * 1.5);
      if (settings.forces && force > least) this.force.add(x, y, z, f[at + 8] * perNewton, f[at + 9] * perNewton, f[at + 10] * perNewton, thick);
      const slip = Math.hypot(f[at + 11], f[at + 12], f[at + 13]);
      this.addSlip(x, y, z, f[at + 11], f[at + 12], f[at + 13], slip, recording, thick);
    }
    for (const patch of frame.patches) {
      const c = patch.centroid, n = Math.hypot(...patch.force);
      if (settings.forces && n > least) {
        this.force.add(c[0], c[1], c[2], patch.force[0] * perNewton, patch.force[1] * perNewton, patch.force[2] * perNewton, thick);
      }
      if (settings.traction || settings.slip) this.overFaces(patch, recording, thick);
    }
    for (const part of parts) part.end();
  }

  private overFaces(patch: Frame["patches"][number], recording: Recording, thick: number): void {
    const perPascal = (settings.tractionScale * 0.2 * this.size) / (recording.maxTraction || 1);
    const least = settings.threshold * recording.maxTraction;
    for (let face = 0; face + 1 < patch.starts.length; face++) {
      let x = 0, y = 0, z = 0;
      const from = patch.starts[face], to = patch.starts[face + 1];
      for (let i = from; i < to; i++) {
        const v = 3 * patch.indices[i];
        x += patch.vertices[v];
        y += patch.vertices[v + 1];
        z += patch.vertices[v + 2];
      }
      const n = to - from || 1, t = patch.traction, s = patch.slip, i = 3 * face;
      if (settings.traction && Math.hypot(t[i], t[i + 1], t[i + 2]) > least) {
        this.traction.add(x / n, y / n, z / n, t[i] * perPascal, t[i + 1] * perPascal, t[i + 2] * perPascal, thick * 0.4);
      }
      this.addSlip(x / n, y / n, z / n, s[i], s[i + 1], s[i + 2], Math.hypot(s[i], s[i + 1], s[i + 2]), recording, thick * 0.8);
    }
  }

  private addSlip(x: number, y: number, z: number, dx: number, dy: number, dz: number, slip: number, recording: Recording, thick: number): void {
    if (!settings.slip || slip <= settings.threshold * recording.maxSlip) return;
    const scale = (settings.slipScale * 0.2 * this.size) / (recording.maxSlip || 1);
    this.slip.add(x, y, z, dx * scale, dy * scale, dz * scale, thick * 0.5);
  }
}
