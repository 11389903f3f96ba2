// How a compliant solid is drawn where something presses on it: its surface is cut at the contact surface.
//
// A patch is nearly a height field over the plane across its mean normal. A vertex of the solid's surface that
// lies over the patch's outline and beyond the patch (on the far side, inside the other body) moves back along
// the mean normal onto it. Both solids of a pair stop at the same patch, each from its own side.

import type { Patch } from "./decode.ts";

/** A patch seen along its mean normal: heights over a plane, found by cell. */
export class HeightMap {
  private readonly axes = new Float64Array(9); // rows: u, v, n
  private readonly origin = new Float64Array(3);
  private readonly points: Float64Array; // u, v, height of each vertex
  private readonly triangles: number[] = [];
  private readonly cells: number[][] = [];
  private side = 1;
  private low = [Infinity, Infinity];
  private high = [-Infinity, -Infinity];
  /** No vertex moves farther than the patch is wide: what lies deeper belongs to something else. */
  private reach = 0;

  constructor(patch: Patch) {
    const n = meanNormal(patch);
    const pick = Math.abs(n[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0];
    const u = unit(cross(pick, n)), v = cross(n, u);
    this.axes.set([...u, ...v, ...n]);
    this.origin.set(patch.centroid);
    const count = patch.pressure.length;
    this.points = new Float64Array(3 * count);
    for (let i = 0; i < count; i++) {
      this.toPlane(patch.vertices[3 * i], patch.vertices[3 * i + 1], patch.vertices[3 * i + 2], this.points, 3 * i);
      for (let c = 0; c < 2; c++) {
        this.low[c] = Math.min(this.low[c], this.points[3 * i + c]);
        this.high[c] = Math.max(this.high[c], this.points[3 * i + c]);
      }
    }
    this.reach = Math.hypot(this.high[0] - this.low[0], this.high[1] - this.low[1]) / 2;
    for (let f = 0; f + 1 < patch.starts.length; f++) {
      for (let i = patch.starts[f] + 1; i + 1 < patch.starts[f + 1]; i++) {
        this.triangles.push(patch.indices[patch.starts[f]], patch.indices[i], patch.indices[i + 1]);
      }
    }
    this.side = Math.max(1, Math.min(48, Math.ceil(Math.sqrt(this.triangles.length / 3))));
    for (let t = 0; t < this.triangles.length; t += 3) this.file(t);
  }

  /** The mean normal, from a into b. */
  get normal(): Float64Array { return this.axes.subarray(6, 9); }

  private toPlane(x: number, y: number, z: number, out: Float64Array, at: number): void {
    const dx = x - this.origin[0], dy = y - this.origin[1], dz = z - this.origin[2], m = this.axes;
    for (let r = 0; r < 3; r++) out[at + r] = m[3 * r] * dx + m[3 * r + 1] * dy + m[3 * r + 2] * dz;
  }

  private cell(value: number, c: number): number {
    const span = this.high[c] - this.low[c] || 1;
    return Math.min(this.side - 1, Math.max(0, Math.floor(((value - this.low[c]) / span) * this.side)));
  }

  private file(t: number): void {
    const p = this.points, corners = [0, 1, 2].map((k) => 3 * this.triangles[t + k]);
    const range = (c: number): [number, number] => {
      const values = corners.map((k) => p[k + c]);
      return [this.cell(Math.min(...values), c), this.cell(Math.max(...values), c)];
    };
    const [u0, u1] = range(0), [v0, v1] = range(1);
    for (let v = v0; v <= v1; v++) for (let u = u0; u <= u1; u++) (this.cells[v * this.side + u] ??= []).push(t);
  }

  private readonly q = new Float64Array(3);

  /**
   * How far a point of the surface must go along the mean normal (signed) to lie on the patch; 0 if it stays.
   * `toward` is +1 for geom a, whose far side is along the normal, and −1 for geom b.
   */
  shift(x: number, y: number, z: number, toward: 1 | -1): number {
    const q = this.q;
    this.toPlane(x, y, z, q, 0);
    if (q[0] < this.low[0] || q[0] > this.high[0] || q[1] < this.low[1] || q[1] > this.high[1]) return 0;
    const list = this.cells[this.cell(q[1], 1) * this.side + this.cell(q[0], 0)];
    if (!list) return 0;
    let best = 0;
    for (const t of list) {
      const height = this.heightIn(t, q[0], q[1]);
      if (height === null) continue;
      const move = height - q[2];
      if (toward * move < 0 && Math.abs(move) <= this.reach && Math.abs(move) > Math.abs(best)) best = move;
    }
    return best;
  }

  private heightIn(t: number, u: number, v: number): number | null {
    const p = this.points, a = 3 * this.triangles[t], b = 3 * this.triangles[t + 1], c = 3 * this.triangles[t + 2];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], vx = p[c] - p[a], vy = p[c + 1] - p[a + 1];
    const det = ux * vy - uy * vx;
    if (det === 0) return null;
    const s = ((u - p[a]) * vy - (v - p[a + 1]) * vx) / det, r = (ux * (v - p[a + 1]) - uy * (u - p[a])) / det;
    const slack = -1e-4;
    if (s < slack || r < slack || s + r > 1 - slack) return null;
    return p[a + 2] + s * (p[b + 2] - p[a + 2]) + r * (p[c + 2] - p[a + 2]);
  }
}

/** Area-weighted mean of the faces' normals, which point from a into b. */
export function meanNormal(patch: Patch): [number, number, number] {
  const v = patch.vertices, sum = [0, 0, 0];
  for (let f = 0; f + 1 < patch.starts.length; f++) {
    const o = 3 * patch.indices[patch.starts[f]];
    for (let i = patch.starts[f] + 1; i + 1 < patch.starts[f + 1]; i++) {
      const a = 3 * patch.indices[i], b = 3 * patch.indices[i + 1];
      const area = cross([v[a] - v[o], v[a + 1] - v[o + 1], v[a + 2] - v[o + 2]], [v[b] - v[o], v[b + 1] - v[o + 1], v[b + 2] - v[o + 2]]);
      for (let c = 0; c < 3; c++) sum[c] += area[c];
    }
  }
  return unit(sum);
}

function cross(a: ArrayLike<number>, b: ArrayLike<number>): [number, number, number] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unit(a: ArrayLike<number>): [number, number, number] {
  const length = Math.hypot(a[0], a[1], a[2]);
  return length > 0 ? [a[0] / length, a[1] / length, a[2] / length] : [0, 0, 1];
}
