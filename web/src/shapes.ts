// Surfaces to draw: of the shapes, of meshes from buffers, and the edges of tetrahedra. All along z, in the
// frame of their geom.

import { BufferAttribute, BufferGeometry } from "three";
import type { MeshBuffer, Shape } from "./format.ts";

/** How fine round things are: segments around them. Set once, before anything is made. */
export const fineness = { around: 40, bendable: 72 };

/** What is to be drawn of a shape: geoms with the same key share a surface, each with its own scale. */
export interface Drawable { key: string; scale: [number, number, number]; make: () => BufferGeometry }

export function drawable(shape: Shape, buffers: Map<number, MeshBuffer>): Drawable | null {
  switch (shape.type) {
    case "sphere": return { key: "sphere", scale: [shape.radius, shape.radius, shape.radius], make: () => sphere(1, 1, 1, fineness.around) };
    case "ellipsoid": return { key: "sphere", scale: shape.radii, make: () => sphere(1, 1, 1, fineness.around) };
    case "box": return { key: "box", scale: shape.half_extents, make: () => box(1, 1, 1, 1) };
    case "cylinder": return { key: "cylinder", scale: [shape.radius, shape.radius, shape.half_length], make: () => cylinder(1, 1, fineness.around, 1, 1) };
    case "capsule": {
      const ratio = shape.half_length / shape.radius;
      return { key: `capsule ${ratio.toPrecision(6)}`, scale: [shape.radius, shape.radius, shape.radius], make: () => capsule(1, ratio, fineness.around, 1) };
    }
    case "mesh":
    case "height-field": {
      const buffer = buffers.get(shape.buffer);
      if (!buffer) return null;
      return { key: `buffer ${shape.buffer}`, scale: [1, 1, 1], make: () => surface(buffer.vertices, buffer.triangles, true) };
    }
    case "half-space": return null; // the ground draws it
  }
}

/** A surface with enough vertices to bend where something presses on it; true sizes, no scale. */
export function bendable(shape: Shape, buffers: Map<number, MeshBuffer>): BufferGeometry | null {
  switch (shape.type) {
    case "sphere": return sphere(shape.radius, shape.radius, shape.radius, fineness.bendable);
    case "ellipsoid": return sphere(...shape.radii, fineness.bendable);
    case "box": return box(...shape.half_extents, 28);
    case "cylinder": return cylinder(shape.radius, shape.half_length, fineness.bendable, 28, 14);
    case "capsule": return capsule(shape.radius, shape.half_length, fineness.bendable, 28);
    case "mesh":
    case "height-field": {
      const buffer = buffers.get(shape.buffer);
      return buffer ? surface(...refined(buffer.vertices, buffer.triangles), true) : null;
    }
    case "half-space": return null;
  }
}

/** The edges of a solid's tetrahedra, each once, as pairs of points. */
export function tetEdges(solid: MeshBuffer): Float32Array {
  const seen = new Set<number>();
  const nv = solid.vertices.length / 3;
  for (let t = 0; t < solid.tets.length; t += 4) {
    for (let i = 0; i < 4; i++) {
      for (let j = i + 1; j < 4; j++) {
        const a = solid.tets[t + i], b = solid.tets[t + j];
        seen.add(Math.min(a, b) * nv + Math.max(a, b));
      }
    }
  }
  const points = new Float32Array(6 * seen.size);
  let at = 0;
  for (const edge of seen) {
    for (const v of [Math.floor(edge / nv), edge % nv]) {
      points.set(solid.vertices.subarray(3 * v, 3 * v + 3), at);
      at += 3;
    }
  }
  return points;
}

/** A grid of nu by nv cells, bent by `place`, which gives point and normal. */
function grid(parts: Parts, nu: number, nv: number, place: (u: number, v: number) => [number[], number[]]): void {
  const first = parts.positions.length / 3;
  for (let j = 0; j <= nv; j++) {
    for (let i = 0; i <= nu; i++) {
      const [point, normal] = place(i / nu, j / nv);
      parts.positions.push(...point);
      parts.normals.push(...normal);
    }
  }
  for (let j = 0; j < nv; j++) {
    for (let i = 0; i < nu; i++) {
      const a = first + j * (nu + 1) + i, b = a + 1, c = a + nu + 1, d = c + 1;
      parts.index.push(a, b, d, a, d, c);
    }
  }
}

interface Parts { positions: number[]; normals: number[]; index: number[] }

function finish(parts: Parts): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(parts.positions), 3));
  geometry.setAttribute("normal", new BufferAttribute(new Float32Array(parts.normals), 3));
  geometry.setIndex(parts.index);
  return geometry;
}

const empty = (): Parts => ({ positions: [], normals: [], index: [] });

/** Around z from the south pole to the north; `profile` gives radius and height and their normal. */
function turned(parts: Parts, around: number, along: number, profile: (v: number) => { r: number; z: number; nr: number; nz: number }): void {
  grid(parts, around, along, (u, v) => {
    const { r, z, nr, nz } = profile(v);
    const c = Math.cos(2 * Math.PI * u), s = Math.sin(2 * Math.PI * u);
    return [[r * c, r * s, z], [nr * c, nr * s, nz]];
  });
}

export function sphere(rx: number, ry: number, rz: number, around: number): BufferGeometry {
  const parts = empty();
  grid(parts, around, Math.ceil(around / 2), (u, v) => {
    const lat = Math.PI * (v - 0.5), c = Math.cos(2 * Math.PI * u) * Math.cos(lat), s = Math.sin(2 * Math.PI * u) * Math.cos(lat), h = Math.sin(lat);
    const normal = [c / rx, s / ry, h / rz], length = Math.hypot(...normal);
    return [[rx * c, ry * s, rz * h], normal.map((x) => x / length)];
  });
  return finish(parts);
}

export function box(hx: number, hy: number, hz: number, cells: number): BufferGeometry {
  const parts = empty(), half = [hx, hy, hz];
  // Cells are about as long as wide: the longest side gets `cells` of them.
  const count = half.map((h) => Math.max(1, Math.round((cells * h) / Math.max(hx, hy, hz))));
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const u = (axis + 1) % 3, v = (axis + 2) % 3;
      grid(parts, count[u], count[v], (s, t) => {
        const point = [0, 0, 0], normal = [0, 0, 0];
        point[axis] = side * half[axis];
        point[u] = side * half[u] * (2 * s - 1);
        point[v] = half[v] * (2 * t - 1);
        normal[axis] = side;
        return [point, normal];
      });
    }
  }
  return finish(parts);
}

export function cylinder(radius: number, half: number, around: number, along: number, rings: number): BufferGeometry {
  const parts = empty();
  turned(parts, around, along, (v) => ({ r: radius, z: half * (2 * v - 1), nr: 1, nz: 0 }));
  turned(parts, around, rings, (v) => ({ r: radius * v, z: -half, nr: 0, nz: -1 }));
  turned(parts, around, rings, (v) => ({ r: radius * (1 - v), z: half, nr: 0, nz: 1 }));
  return finish(parts);
}

export function capsule(radius: number, half: number, around: number, along: number): BufferGeometry {
  const parts = empty(), cap = Math.ceil(around / 4), rows = 2 * cap + along;
  turned(parts, around, rows, (v) => {
    const row = Math.round(v * rows);
    const lat = row <= cap ? (Math.PI / 2) * (row / cap - 1) : row >= cap + along ? (Math.PI / 2) * ((row - cap - along) / cap) : 0;
    const z = row <= cap ? -half : row >= cap + along ? half : half * ((2 * (row - cap)) / along - 1);
    return { r: radius * Math.cos(lat), z: z + radius * Math.sin(lat), nr: Math.cos(lat), nz: Math.sin(lat) };
  });
  return finish(parts);
}

/** The edge between two faces is sharp beyond this angle. */
const CREASE = Math.cos((35 * Math.PI) / 180);

/** Triangles with normals that are smooth over gentle edges and sharp over creases. Vertices in one place count as one. */
export function surface(vertices: Float32Array, triangles: ArrayLike<number>, creased: boolean): BufferGeometry {
  const n = triangles.length, place = weld(vertices), count = vertices.length / 3;
  // Unit normals of faces, and the angles of their corners, by which a face counts at a vertex.
  const face = new Float32Array(n), angle = new Float32Array(n), starts = new Uint32Array(count + 1);
  const side = (a: number, b: number): [number, number, number] =>
    [vertices[3 * b] - vertices[3 * a], vertices[3 * b + 1] - vertices[3 * a + 1], vertices[3 * b + 2] - vertices[3 * a + 2]];
  for (let t = 0; t < n; t += 3) {
    const [u, v] = [side(triangles[t], triangles[t + 1]), side(triangles[t], triangles[t + 2])];
    const x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0], area = Math.hypot(x, y, z);
    for (let k = 0; k < 3; k++) {
      face[t + k] = area > 0 ? [x, y, z][k] / area : 0;
      const p = side(triangles[t + k], triangles[t + ((k + 1) % 3)]), q = side(triangles[t + k], triangles[t + ((k + 2) % 3)]);
      angle[t + k] = area > 0 ? Math.atan2(area, p[0] * q[0] + p[1] * q[1] + p[2] * q[2]) : 0;
      starts[place[triangles[t + k]] + 1]++;
    }
  }
  for (let v = 0; v < count; v++) starts[v + 1] += starts[v];
  const fill = starts.slice(), corners = new Uint32Array(n);
  for (let t = 0; t < n; t++) corners[fill[place[triangles[t]]]++] = t;
  const positions: number[] = [], normals: number[] = [], index = new Uint32Array(n);
  for (let v = 0; v < count; v++) {
    const first = normals.length;
    for (let i = starts[v]; i < starts[v + 1]; i++) {
      const t = corners[i], own = t - (t % 3);
      if (angle[t] === 0) continue; // a triangle without area
      let x = 0, y = 0, z = 0;
      for (let j = starts[v]; j < starts[v + 1]; j++) {
        const c = corners[j], f = c - (c % 3);
        if (creased && face[own] * face[f] + face[own + 1] * face[f + 1] + face[own + 2] * face[f + 2] < CREASE) continue;
        x += angle[c] * face[f];
        y += angle[c] * face[f + 1];
        z += angle[c] * face[f + 2];
      }
      const length = Math.hypot(x, y, z) || 1;
      [x, y, z] = [x / length, y / length, z / length];
      // Corners with the same normal share a vertex.
      let at = first;
      while (at < normals.length && Math.abs(normals[at] - x) + Math.abs(normals[at + 1] - y) + Math.abs(normals[at + 2] - z) > 1e-3) at += 3;
      if (at === normals.length) {
        normals.push(x, y, z);
        positions.push(vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]);
      }
      index[t] = at / 3;
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute("normal", new BufferAttribute(new Float32Array(normals), 3));
  geometry.setIndex(new BufferAttribute(index.filter((_, t) => angle[t - (t % 3)] > 0), 1));
  return geometry;
}

/** For each vertex the first one in the same place. */
function weld(vertices: Float32Array): Uint32Array {
  const count = vertices.length / 3, first = new Uint32Array(count), bits = new Uint32Array(new Float32Array(vertices).map((x) => x + 0).buffer);
  const slots = 2 ** Math.ceil(Math.log2(2 * count + 1)), table = new Int32Array(slots).fill(-1);
  for (let v = 0; v < count; v++) {
    let slot = (Math.imul(bits[3 * v], 73856093) ^ Math.imul(bits[3 * v + 1], 19349663) ^ Math.imul(bits[3 * v + 2], 83492791)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & (slots - 1);
    for (;;) {
      const other = table[slot];
      if (other < 0) {
        table[slot] = first[v] = v;
        break;
      }
      if (bits[3 * other] === bits[3 * v] && bits[3 * other + 1] === bits[3 * v + 1] && bits[3 * other + 2] === bits[3 * v + 2]) {
        first[v] = other;
        break;
      }
      slot = (slot + 1) & (slots - 1);
    }
  }
  return first;
}

/** Splits every triangle in four until edges are short or there are many. */
function refined(vertices: Float32Array, triangles: Uint32Array): [Float32Array, Uint32Array] {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < vertices.length; i++) {
    low[i % 3] = Math.min(low[i % 3], vertices[i]);
    high[i % 3] = Math.max(high[i % 3], vertices[i]);
  }
  const wanted = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) / 24;
  let points = Array.from(vertices), faces = Array.from(triangles);
  for (;;) {
    let longest = 0;
    for (let t = 0; t < faces.length; t += 3) {
      for (let e = 0; e < 3; e++) {
        const a = 3 * faces[t + e], b = 3 * faces[t + ((e + 1) % 3)];
        longest = Math.max(longest, Math.hypot(points[a] - points[b], points[a + 1] - points[b + 1], points[a + 2] - points[b + 2]));
      }
    }
    if (longest <= wanted || 4 * faces.length > 3 * 12000) return [new Float32Array(points), new Uint32Array(faces)];
    const middle = new Map<number, number>(), next: number[] = [], count = points.length / 3;
    const half = (a: number, b: number): number => {
      const key = Math.min(a, b) * count + Math.max(a, b);
      let made = middle.get(key);
      if (made === undefined) {
        made = points.length / 3;
        for (let c = 0; c < 3; c++) points.push((points[3 * a + c] + points[3 * b + c]) / 2);
        middle.set(key, made);
      }
      return made;
    };
    for (let t = 0; t < faces.length; t += 3) {
      const [a, b, c] = [faces[t], faces[t + 1], faces[t + 2]];
      const [ab, bc, ca] = [half(a, b), half(b, c), half(c, a)];
      next.push(a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca);
    }
    faces = next;
  }
}
