// Recordings with known contents, written after docs/recording.md and nothing else: what the tests look at.

import { deflateRawSync } from "node:zlib";

export type Json = Record<string, unknown>;

export function chunk(kind: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(8 + Math.ceil(payload.length / 8) * 8);
  new DataView(bytes.buffer).setUint32(0, payload.length, true);
  bytes[4] = kind;
  bytes.set(payload, 8);
  return bytes;
}

/** Little-endian words, one after another. */
export class Writer {
  private readonly parts: Uint8Array[] = [];
  f64(...x: number[]): this { return this.push(new Uint8Array(new Float64Array(x).buffer)); }
  f32(...x: number[]): this { return this.push(new Uint8Array(new Float32Array(x).buffer)); }
  u32(...x: number[]): this { return this.push(new Uint8Array(new Uint32Array(x).buffer)); }
  private push(bytes: Uint8Array): this {
    this.parts.push(bytes);
    return this;
  }
  get bytes(): Uint8Array { return concat(this.parts); }
}

export function concat(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const sceneChunk = (scene: Json): Uint8Array => chunk(1, new TextEncoder().encode(JSON.stringify(scene)));

export function bufferChunk(id: number, vertices: number[], triangles: number[], tets: number[] = [], pressure: number[] = []): Uint8Array {
  return chunk(2, new Writer().u32(id, vertices.length / 3, triangles.length / 3, tets.length / 4).f32(...vertices).u32(...triangles, ...tets).f32(...pressure).bytes);
}

export interface Contact { a: number; b: number; at: number[]; normal: number[]; force: number[]; slip: number[]; depth: number; sticking: boolean }
export interface PatchOf {
  a: number; b: number; area: number; centroid: number[]; force: number[]; moment: number[];
  vertices: number[]; pressure: number[]; faces: number[][]; traction: number[]; slip: number[];
}

export function frameChunk(time: number, poses: number[], channels: number[], contacts: Contact[] = [], patches: PatchOf[] = []): Uint8Array {
  const w = new Writer().f64(time).u32(poses.length / 7, channels.length, contacts.length, patches.length).f32(...poses, ...channels);
  for (const c of contacts) w.u32(c.a, c.b).f32(...c.at, ...c.normal, ...c.force, ...c.slip, c.depth).u32(c.sticking ? 1 : 0);
  for (const p of patches) {
    const indices = p.faces.flat(), starts = [0];
    for (const face of p.faces) starts.push(starts[starts.length - 1] + face.length);
    w.u32(p.a, p.b, p.pressure.length, p.faces.length, indices.length).f32(p.area, ...p.centroid, ...p.force, ...p.moment, ...p.vertices, ...p.pressure);
    w.u32(...starts, ...indices).f32(...p.traction, ...p.slip);
  }
  return chunk(3, w.bytes);
}

export function block(...chunks: Uint8Array[]): string {
  const packed = deflateRawSync(concat(chunks)).toString("base64");
  return `<script type="application/x-stiction" data-encoding="deflate-raw;base64">${packed}</script>\n`;
}

/** The page with blocks after it, as a run writes it. */
export const html = (page: string, blocks: string[]): string =>
  page.replace("<head>", '<head>\n<meta name="stiction-recording" content="1">') + blocks.join("");

const base = { format: "stiction", version: 1, generator: "test", step: 0.002, accuracy: null, contact: "lagged", gravity: [0, 0, -9.81], joints: [], sites: [], actuators: [] };
const plane = { name: "floor", body: 0, pos: [0, 0, 0], quat: [1, 0, 0, 0], role: "both", color: [0.5, 0.5, 0.5, 1], compliant: false, shape: { type: "half-space", size: [0, 0] }, solid: null };
const IDENTITY = [0, 0, 0, 1, 0, 0, 0];

/** A red ball (radius 0.2) goes along x from −1 to 1 in 2 s past a blue box at rest; a green hull only for collision. */
export function rollingBall(): { chunks: Uint8Array[]; scene: Json } {
  const geom = (name: string, body: number, shape: Json, color: number[], role = "both"): Json =>
    ({ name, body, pos: [0, 0, 0], quat: [1, 0, 0, 0], role, color, compliant: false, shape, solid: null });
  const scene = {
    ...base, name: "rolling-ball",
    bodies: [{ name: "world", parent: null }, { name: "ball", parent: 0, mass: 2.5 }, { name: "brick", parent: 0 }],
    geoms: [plane, geom("ball", 1, { type: "sphere", radius: 0.2 }, [0.9, 0.1, 0.1, 1]), geom("brick", 2, { type: "box", half_extents: [0.15, 0.15, 0.15] }, [0.1, 0.2, 0.9, 1], "visual"),
      geom("hull", 2, { type: "box", half_extents: [0.15, 0.15, 0.15] }, [0.1, 0.8, 0.2, 1], "collision")],
    joints: [{ name: "roll", type: "free", body: 1 }],
    channels: [{ name: "kinetic", unit: "J", group: "energy" }, { name: "potential", unit: "J", group: "energy" }, { name: "normal", unit: "N", group: "contact" },
      { name: "largest", unit: "m/s", group: "slip" }, { name: "roll x", unit: "m", group: "joints" }, { name: "iterations", unit: "", group: "solver" }, { name: "step", unit: "s", group: "step" }],
  };
  const frames: Uint8Array[] = [];
  for (let i = 0; i <= 120; i++) {
    const t = i / 60, x = -1 + t, half = (5 * t) / 2;
    const poses = [...IDENTITY, x, 0, 0.2, Math.cos(half), 0, Math.sin(half), 0, 0, 0.9, 0.15, 1, 0, 0, 0];
    const contact = { a: 0, b: 1, at: [x, 0, 0], normal: [0, 0, 1], force: [0, 0, 24.5], slip: [0.1, 0, 0], depth: 1e-4, sticking: false };
    frames.push(frameChunk(t, poses, [2 + Math.sin(t), 4.9, 24.5, 0.1 * (2 - t), x, 3 + (i % 3), 0.002], i === 0 ? [] : [contact]));
  }
  return { scene, chunks: [sceneChunk(scene), ...frames] };
}

/** A soft block (half extents 0.3) pressed 0.06 into the floor: one flat patch whose pressure goes from 0 at x = −0.3 to 100 kPa at x = 0.3. */
export function pressedBlock(): { chunks: Uint8Array[]; scene: Json } {
  const scene = {
    ...base, name: "pressed-block",
    bodies: [{ name: "world", parent: null }, { name: "block", parent: 0 }],
    geoms: [plane, { ...plane, name: "block", body: 1, color: [0.2, 0.6, 0.9, 1], compliant: true, shape: { type: "box", half_extents: [0.3, 0.3, 0.3] }, solid: 1 }],
    channels: [{ name: "normal", unit: "N", group: "contact" }],
  };
  const s = 0.3, corner = [-1, 1].flatMap((z) => [-1, 1].flatMap((y) => [-1, 1].flatMap((x) => [s * x, s * y, s * z])));
  const solid = bufferChunk(1, [...corner, 0, 0, 0], [], [0, 1, 2, 8, 4, 5, 6, 8], [0, 0, 0, 0, 0, 0, 0, 0, 1e5]);
  const frames: Uint8Array[] = [];
  for (let i = 0; i <= 30; i++) {
    const t = i / 30, depth = 0.06;
    const vertices: number[] = [], pressure: number[] = [], faces: number[][] = [], n = 10;
    for (let v = 0; v <= n; v++) for (let u = 0; u <= n; u++) {
      vertices.push(-0.3 + (0.6 * u) / n, -0.3 + (0.6 * v) / n, 0);
      pressure.push((1e5 * u) / n);
    }
    for (let v = 0; v < n; v++) for (let u = 0; u < n; u++) {
      const a = v * (n + 1) + u;
      faces.push([a, a + 1, a + n + 2, a + n + 1]);
    }
    const each = (x: number, y: number, z: number): number[] => faces.flatMap(() => [x, y, z]);
    const patch = { a: 0, b: 1, area: 0.36, centroid: [0, 0, 0], force: [0, 0, 18000], moment: [0, -1200, 0], vertices, pressure, faces, traction: each(500, 0, 50000), slip: each(0.02, 0, 0) };
    frames.push(frameChunk(t, [...IDENTITY, 0, 0, s - depth, 1, 0, 0, 0], [18000], [], i === 0 ? [] : [patch]));
  }
  return { scene, chunks: [sceneChunk(scene), solid, ...frames] };
}

/** Many balls and boxes that go round in circles: for measuring how fast they are drawn. */
export function crowd(bodies: number, frames: number): { chunks: Uint8Array[]; scene: Json } {
  const scene = {
    ...base, name: `crowd-of-${bodies}`,
    bodies: [{ name: "world", parent: null }, ...Array.from({ length: bodies }, (_, i) => ({ name: `body ${i}`, parent: 0 }))],
    geoms: [plane, ...Array.from({ length: bodies }, (_, i) => ({
      ...plane, name: `geom ${i}`, body: i + 1, shape: i % 2 === 0 ? { type: "sphere", radius: 0.05 } : { type: "box", half_extents: [0.05, 0.04, 0.03] },
    }))],
    channels: [{ name: "kinetic", unit: "J", group: "energy" }],
  };
  const list: Uint8Array[] = [];
  for (let f = 0; f < frames; f++) {
    const poses = [...IDENTITY], contacts: Contact[] = [];
    for (let i = 0; i < bodies; i++) {
      const ring = 0.2 + 0.1 * Math.floor(i / 20), angle = (i % 20) * 0.314 + (f / 60) * (1 + 0.1 * (i % 7)), z = 0.05 + 0.12 * (i % 4);
      const x = ring * Math.cos(angle), y = ring * Math.sin(angle);
      poses.push(x, y, z, Math.cos(angle / 2), 0, 0, Math.sin(angle / 2));
      if (f > 0 && i % 4 === 0) contacts.push({ a: 0, b: i + 1, at: [x, y, 0], normal: [0, 0, 1], force: [0, 0, 5], slip: [0, 0, 0], depth: 1e-5, sticking: true });
    }
    list.push(frameChunk(f / 60, poses, [Math.sin(f / 30)], contacts));
  }
  return { scene, chunks: [sceneChunk(scene), ...list] };
}

/**
 * A small robot that does not move, on a floor slab of 100 m: a red visual box (half extents 0.1) at z = 0.2 with a green
 * collision box in the same place, 0.5 m beside it a yellow box and a magenta
 * one, turned about y, whose faces lie in one plane, a blue box
 * between them that is hidden, and a lamp that gives off light. Two cameras: from +x at the red box, and one fixed to the lamp.
 */
export function stand(): { chunks: Uint8Array[]; scene: Json } {
  const cube = { type: "box", half_extents: [0.1, 0.1, 0.1] };
  const geom = (name: string, body: number, pos: number[], color: number[], role: string, more: Json = {}): Json =>
    ({ name, body, pos, quat: [1, 0, 0, 0], role, color: [...color, 1], compliant: false, shape: cube, solid: null, ...more });
  const scene = {
    ...base, name: "stand",
    bodies: [{ name: "world", parent: null }, { name: "base", parent: 0 }, { name: "link", parent: 1 }, { name: "lamp", parent: 1 }],
    geoms: [
      geom("slab", 0, [0, 0, -0.5], [0.6, 0.6, 0.6], "both", { shape: { type: "box", half_extents: [50, 50, 0.5] } }),
      geom("red", 2, [0, 0, 0], [0.9, 0.1, 0.1], "visual"), geom("green", 2, [0, 0, 0], [0.1, 0.8, 0.2], "collision"),
      geom("yellow", 1, [0.5, 0, 0.2], [0.9, 0.8, 0.1], "visual"), geom("magenta", 1, [0.5, 0, 0.2], [0.8, 0.1, 0.8], "visual", { shape: { type: "box", half_extents: [0.131, 0.1, 0.117] }, quat: [Math.cos(0.35), 0, Math.sin(0.35), 0] }),
      geom("blue", 1, [0.25, 0, 0.2], [0.1, 0.2, 0.9], "hidden"), geom("lamp", 3, [0, 0, 0], [0.1, 0.5, 0.9], "visual", { material: 0 }),
    ],
    joints: [{ name: "turn", type: "hinge", body: 2 }],
    materials: [{ name: "glow", specular: 0.5, shininess: 0.5, reflectance: 0, emission: 1, metallic: null, roughness: null }],
    // Cameras look along −z of their frame: turned about y by +90° (half: √½) they look along −x.
    cameras: [{ name: "front", body: 0, pos: [2, 0, 0.2], quat: [0.5, 0.5, 0.5, 0.5], fov: 0.6 }, { name: "lamp", body: 3, pos: [0, -1, 0], quat: [Math.SQRT1_2, Math.SQRT1_2, 0, 0], fov: 0.6 }],
    view: { center: null, extent: null, azimuth: 2.0, elevation: -0.4 },
    notes: ["mesh \"arm\" is drawn with 100000 of its 250000 triangles"],
    channels: [{ name: "kinetic", unit: "J", group: "energy" }],
  };
  const frames = [0, 1, 2].map((i) => frameChunk(i / 10, [...IDENTITY, ...IDENTITY, 0, 0, 0.2, 1, 0, 0, 0, 0, 0.5, 0.2, 1, 0, 0, 0], [i]));
  return { scene, chunks: [sceneChunk(scene), ...frames] };
}
