// Bytes into scene, buffers and frames. Frames stay in the bytes they came in: a `FrameRef` says where one
// lies, and `openFrame` gives typed views of it, so a long recording costs its own size and no more.

import { checkScene, FormatError, type MeshBuffer, type SceneInfo } from "./format.ts";

export const SCENE = 1, BUFFER = 2, FRAME = 3, STATUS = 4;

/** Calls `visit` for each whole chunk; returns how many bytes were whole chunks. `bytes` must start 8-aligned. */
export function eachChunk(bytes: Uint8Array, visit: (kind: number, payload: Uint8Array) => void): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at + 8 <= bytes.length) {
    const length = view.getUint32(at, true);
    if (at + 8 + length > bytes.length) break;
    visit(bytes[at + 4], bytes.subarray(at + 8, at + 8 + length));
    at += 8 + Math.ceil(length / 8) * 8;
  }
  return Math.min(at, bytes.length);
}

export function decodeJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(payload)) as unknown;
  } catch {
    throw new FormatError("The recording is damaged: its header cannot be read.");
  }
}

export const decodeScene = (payload: Uint8Array): SceneInfo => checkScene(decodeJson(payload));

/** Reads numbers off a payload, one array after another. */
class Reader {
  private at: number;
  private readonly end: number;
  constructor(private readonly bytes: ArrayBufferLike, offset: number, length: number, private readonly what: string) {
    this.at = offset;
    this.end = offset + length;
  }
  f64(): number {
    const at = this.take(8);
    return new DataView(this.bytes, at, 8).getFloat64(0, true);
  }
  floats(n: number): Float32Array { return new Float32Array(this.bytes, this.take(4 * n), n); }
  ints(n: number): Uint32Array { return new Uint32Array(this.bytes, this.take(4 * n), n); }
  private take(n: number): number {
    const at = this.at;
    if (!(n >= 0) || at + n > this.end) throw new FormatError(`The recording is damaged: ${this.what} is shorter than it says.`);
    this.at = at + n;
    return at;
  }
}

export function decodeBuffer(payload: Uint8Array): MeshBuffer {
  const reader = new Reader(payload.buffer, payload.byteOffset, payload.byteLength, "a mesh");
  const [id, nv, nt, ne] = reader.ints(4);
  const mesh = { id, vertices: reader.floats(3 * nv), triangles: reader.ints(3 * nt), tets: reader.ints(4 * ne) };
  for (const list of [mesh.triangles, mesh.tets]) {
    if (list.some((v) => v >= nv)) throw new FormatError(`The recording is damaged: mesh ${id} names a vertex it has not.`);
  }
  return mesh;
}

/** Where a frame lies, and what the timeline must know of it without opening it. */
export interface FrameRef {
  time: number;
  bytes: ArrayBufferLike;
  offset: number;
  length: number;
  maxPressure: number; // Pa
  maxForce: number; // N, the largest of its contacts and patches
  maxTraction: number; // Pa
  maxSlip: number; // m/s
}

export interface Patch {
  geomA: number; geomB: number; area: number;
  centroid: Float32Array; force: Float32Array; moment: Float32Array;
  vertices: Float32Array; pressure: Float32Array; starts: Uint32Array; indices: Uint32Array;
  traction: Float32Array; slip: Float32Array;
}

/** A contact is 16 words: geoms 0 1, position 2, normal 5, force 8, slip 11, penetration 14, flags 15. */
export const CONTACT_WORDS = 16;

export interface Frame {
  time: number;
  poses: Float32Array; // 7 a body: x y z, qw qx qy qz
  channels: Float32Array;
  contacts: number;
  contactFloats: Float32Array;
  contactInts: Uint32Array;
  patches: Patch[];
}

export function openFrame(ref: FrameRef): Frame {
  const reader = new Reader(ref.bytes, ref.offset, ref.length, "a frame");
  const time = reader.f64();
  const [nb, nc, np, na] = reader.ints(4);
  const poses = reader.floats(7 * nb), channels = reader.floats(nc);
  const contactInts = reader.ints(CONTACT_WORDS * np);
  const contactFloats = new Float32Array(contactInts.buffer, contactInts.byteOffset, contactInts.length);
  const patches: Patch[] = [];
  for (let i = 0; i < na; i++) {
    const [geomA, geomB, nv, nf, ni] = reader.ints(5);
    patches.push({
      geomA, geomB, area: reader.floats(1)[0],
      centroid: reader.floats(3), force: reader.floats(3), moment: reader.floats(3),
      vertices: reader.floats(3 * nv), pressure: reader.floats(nv),
      starts: reader.ints(nf + 1), indices: reader.ints(ni), traction: reader.floats(3 * nf), slip: reader.floats(3 * nf),
    });
  }
  return { time, poses, channels, contacts: np, contactFloats, contactInts, patches };
}

/** Checks a frame against its scene and notes its largest numbers. */
export function indexFrame(payload: Uint8Array, scene: SceneInfo): { ref: FrameRef; frame: Frame } {
  const ref: FrameRef = {
    time: 0, bytes: payload.buffer, offset: payload.byteOffset, length: payload.byteLength,
    maxPressure: 0, maxForce: 0, maxTraction: 0, maxSlip: 0,
  };
  const frame = openFrame(ref);
  const damaged = (what: string): FormatError => new FormatError(`The recording is damaged: at ${frame.time} s ${what}.`);
  if (!Number.isFinite(frame.time)) throw new FormatError("The recording is damaged: a frame has no time.");
  if (frame.poses.length !== 7 * scene.bodies.length) throw damaged("the number of bodies is another");
  if (frame.channels.length !== scene.channels.length) throw damaged("the number of channels is another");
  if (!frame.poses.every(Number.isFinite)) throw damaged("a pose is not a number");
  ref.time = frame.time;
  const f = frame.contactFloats, u = frame.contactInts;
  for (let at = 0; at < f.length; at += CONTACT_WORDS) {
    if (u[at] >= scene.geoms.length || u[at + 1] >= scene.geoms.length) throw damaged("a contact names a geom that is not there");
    ref.maxForce = larger(ref.maxForce, Math.hypot(f[at + 8], f[at + 9], f[at + 10]));
    ref.maxSlip = larger(ref.maxSlip, Math.hypot(f[at + 11], f[at + 12], f[at + 13]));
  }
  for (const patch of frame.patches) {
    const nv = patch.pressure.length, nf = patch.starts.length - 1;
    if (patch.geomA >= scene.geoms.length || patch.geomB >= scene.geoms.length) throw damaged("a patch names a geom that is not there");
    for (let i = 0; i < nf; i++) if (patch.starts[i] > patch.starts[i + 1]) throw damaged("a patch has faces out of order");
    if (patch.starts[nf] !== patch.indices.length) throw damaged("a patch has faces out of order");
    for (const v of patch.indices) if (v >= nv) throw damaged("a patch names a vertex it has not");
    for (const p of patch.pressure) ref.maxPressure = larger(ref.maxPressure, p);
    ref.maxForce = larger(ref.maxForce, Math.hypot(patch.force[0], patch.force[1], patch.force[2]));
    ref.maxTraction = larger(ref.maxTraction, longest(patch.traction));
    ref.maxSlip = larger(ref.maxSlip, longest(patch.slip));
  }
  return { ref, frame };
}

/** The larger of two, where what is not a finite number does not count. */
const larger = (most: number, next: number): number => (next > most && next < Infinity ? next : most);

function longest(vectors: Float32Array): number {
  let most = 0;
  for (let i = 0; i < vectors.length; i += 3) {
    const square = vectors[i] ** 2 + vectors[i + 1] ** 2 + vectors[i + 2] ** 2;
    if (square > most) most = square;
  }
  return Math.sqrt(most);
}
