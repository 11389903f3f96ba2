// What bodies do to each other, as arrows: forces at contact points and of patches, traction and slip over patches.

import { Group } from "three";
import { type ArrowScale, arrowScale, type Kind, lengthOf } from "./arrow_scale.ts";
import { Arrows, Dots } from "./arrows.ts";
import { CONTACT_WORDS, type Frame } from "./decode.ts";
import { theme } from "./look.ts";
import type { Recording } from "./recording.ts";
import { settings } from "./settings.ts";

/** Radius of a force's shaft, as a share of the picture's height. */
const THICK = 0.0028;

export class Forces {
  readonly group = new Group();
  readonly ghost = new Group();
  private readonly arrows: Record<Kind, Arrows> = { force: new Arrows(theme().force), traction: new Arrows(theme().traction), slip: new Arrows(theme().slip) };
  private readonly dots = new Dots(theme().point);
  /** Size of the scene, m: seen from far away, arrows are no longer than half of it. */
  size = 1;
  /** Height of the picture at what the camera turns about, m; arrows are as long on the page at any distance. */
  private height = 1;
  private scales!: Record<Kind, ArrowScale>;

  constructor() {
    for (const part of Object.values(this.arrows)) {
      this.group.add(part.group);
      this.ghost.add(part.ghost);
    }
    this.group.add(this.dots.group); // through bodies they would only be specks
  }

  paint(): void {
    for (const kind of ["force", "traction", "slip"] as Kind[]) this.arrows[kind].color = theme()[kind];
    this.dots.color = theme().point;
  }

  /** Takes the height of the picture, m; true if arrows must be made anew for it. */
  seen(height: number): boolean {
    const wanted = Math.min(height, 2.5 * this.size);
    if (Math.abs(wanted / this.height - 1) < 0.03) return false;
    this.height = wanted;
    return true;
  }

  /** Lengths on the page against those at this distance: 1 unless the scene is seen from far away. */
  shrink(height: number): number { return this.height / height; }

  update(frame: Frame, recording: Recording): void {
    const parts = [...Object.values(this.arrows), this.dots];
    for (const part of parts) part.begin();
    this.scales = { force: arrowScale("force", recording), traction: arrowScale("traction", recording), slip: arrowScale("slip", recording) };
    const f = frame.contactFloats;
    for (let at = 0; at < f.length; at += CONTACT_WORDS) {
      const x = f[at + 2], y = f[at + 3], z = f[at + 4];
      const force = Math.hypot(f[at + 8], f[at + 9], f[at + 10]);
      if (settings.points && force > 0) this.dots.add(x, y, z, 1.4 * THICK * this.height);
      if (settings.forces) this.add("force", x, y, z, f[at + 8], f[at + 9], f[at + 10], 1);
      if (settings.slip) this.add("slip", x, y, z, f[at + 11], f[at + 12], f[at + 13], 0.7);
    }
    for (const patch of frame.patches) {
      const { centroid: c, force } = patch;
      if (settings.forces) this.add("force", c[0], c[1], c[2], force[0], force[1], force[2], 1);
      if (settings.traction || settings.slip) this.overFaces(patch);
    }
    for (const part of parts) part.end();
  }

  /** Traction and slip at the faces of a patch, but no closer than they can be told apart on the page. */
  private overFaces(patch: Frame["patches"][number]): void {
    const taken = new Set<string>(), cell = 0.022 * this.height;
    for (let face = 0; face + 1 < patch.starts.length; face++) {
      let x = 0, y = 0, z = 0;
      const from = patch.starts[face], to = patch.starts[face + 1], n = to - from || 1;
      for (let i = from; i < to; i++) {
        const v = 3 * patch.indices[i];
        x += patch.vertices[v] / n;
        y += patch.vertices[v + 1] / n;
        z += patch.vertices[v + 2] / n;
      }
      const place = `${Math.floor(x / cell)} ${Math.floor(y / cell)} ${Math.floor(z / cell)}`;
      if (taken.has(place)) continue;
      taken.add(place);
      const t = patch.traction, s = patch.slip, i = 3 * face;
      if (settings.traction) this.add("traction", x, y, z, t[i], t[i + 1], t[i + 2], 0.5);
      if (settings.slip) this.add("slip", x, y, z, s[i], s[i + 1], s[i + 2], 0.5);
    }
  }

  private add(kind: Kind, x: number, y: number, z: number, dx: number, dy: number, dz: number, thick: number): void {
    const value = Math.hypot(dx, dy, dz), scale = this.scales[kind];
    if (!(value > scale.low)) return;
    const stretch = (lengthOf(kind, scale, value) * this.height) / value;
    this.arrows[kind].add(x, y, z, dx * stretch, dy * stretch, dz * stretch, thick * THICK * this.height);
  }
}
