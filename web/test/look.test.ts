// Colours, numbers, shapes and the cut of solids: what can be checked without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Box3, Matrix4, PerspectiveCamera, Vector3 } from "three";
import { colorOf, COLORMAP, position, STEPS } from "../src/colormap.ts";
import { findHiding, type Wall } from "../src/cutaway.ts";
import { HeightMap, meanNormal } from "../src/deform.ts";
import { cutFace } from "../src/patches.ts";
import { Recording } from "../src/recording.ts";
import { eachChunk } from "../src/decode.ts";
import { box, capsule, cylinder, sphere, surface, tetEdges } from "../src/shapes.ts";
import { area, quantity, ticks } from "../src/units.ts";
import { concat, pressedBlock } from "./make.ts";

const linear = (c: number): number => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);

/** CIE L*a*b* of a screen colour, another measure than the one the map is built with. */
function lab([r, g, b]: number[]): number[] {
  const [x, y, z] = [0.4124 * r + 0.3576 * g + 0.1805 * b, 0.2126 * r + 0.7152 * g + 0.0722 * b, 0.0193 * r + 0.1192 * g + 0.9505 * b];
  const f = (t: number): number => (t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116);
  return [116 * f(y) - 16, 500 * (f(x / 0.95047) - f(y)), 200 * (f(y) - f(z / 1.08883))];
}

const entry = (i: number): number[] => [0, 1, 2].map((c) => linear(COLORMAP[4 * i + c]));

test("the colour map grows lighter at every step, also for people without red or green cones", () => {
  // Viénot, Brettel and Mollon 1999: protanopia and deuteranopia in linear RGB.
  const see = [(c: number[]) => c, ([r, g, b]: number[]) => [0.11238 * r + 0.88762 * g, 0.11238 * r + 0.88762 * g, 0.00401 * r - 0.00401 * g + b],
    ([r, g, b]: number[]) => [0.29275 * r + 0.70725 * g, 0.29275 * r + 0.70725 * g, -0.02234 * r + 0.02234 * g + b]];
  for (const eye of see) {
    let last = -1;
    for (let i = 0; i < STEPS; i += 5) {
      const [L] = lab(eye(entry(i)));
      assert.ok(L > last, `entry ${i}: ${L} after ${last}`);
      last = L;
    }
    assert.ok(last > 90);
  }
});

test("equal steps of the colour map look about equally large", () => {
  const steps: number[] = [];
  for (let i = 0; i + 15 < STEPS; i += 15) {
    const [p, q] = [lab(entry(i)), lab(entry(i + 15))];
    steps.push(Math.hypot(...p.map((x, c) => x - q[c])));
  }
  const mean = steps.reduce((a, b) => a + b) / steps.length;
  for (const step of steps) assert.ok(step > 0.45 * mean && step < 1.8 * mean, steps.map((s) => s.toFixed(1)).join(" "));
});

test("a pressure has the colour of its place on the scale", () => {
  const scale = { min: 0, max: 100, log: false }, log = { min: 1, max: 1e4, log: true };
  assert.equal(position(25, scale), 0.25);
  assert.equal(position(-5, scale), 0);
  assert.equal(position(500, scale), 1);
  assert.ok(Math.abs(position(100, log) - 0.5) < 1e-12);
  assert.deepEqual(colorOf(100, scale), [...COLORMAP.slice(4 * 255, 4 * 255 + 3)]);
});

test("numbers are written with three digits and a prefix", () => {
  assert.equal(quantity(12345, "Pa"), "12.3 kPa");
  assert.equal(quantity(-0.00204, "m/s"), "−2.04 mm/s");
  assert.equal(quantity(0, "N"), "0 N");
  assert.equal(quantity(999.96, "Pa"), "1 kPa");
  assert.equal(quantity(2.5, "kg"), "2.5 kg");
  assert.equal(area(0.00123), "12.3 cm²");
  assert.deepEqual(ticks(0, 100, 4), [0, 50, 100]);
  assert.deepEqual(ticks(-3, 97, 5), [0, 20, 40, 60, 80]);
});

test("every surface is closed and faces outward: its volume is that of the shape", () => {
  const volume = (geometry: ReturnType<typeof sphere>): number => {
    const p = geometry.getAttribute("position").array, index = geometry.getIndex()?.array ?? Uint32Array.from({ length: p.length / 3 }, (_, i) => i);
    let sum = 0;
    for (let t = 0; t < index.length; t += 3) {
      const [a, b, c] = [3 * index[t], 3 * index[t + 1], 3 * index[t + 2]];
      sum += p[a] * (p[b + 1] * p[c + 2] - p[b + 2] * p[c + 1]) + p[a + 1] * (p[b + 2] * p[c] - p[b] * p[c + 2]) + p[a + 2] * (p[b] * p[c + 1] - p[b + 1] * p[c]);
    }
    return sum / 6;
  };
  const near = (value: number, wanted: number, share: number): void => assert.ok(Math.abs(value / wanted - 1) < share, `${value} for ${wanted}`);
  near(volume(box(1, 2, 3, 7)), 48, 1e-6);
  near(volume(sphere(1, 2, 0.5, 160)), (4 / 3) * Math.PI, 2e-3);
  near(volume(cylinder(0.5, 2, 160, 3, 2)), Math.PI, 1e-3);
  near(volume(capsule(1, 2, 160, 4)), (4 / 3) * Math.PI + 4 * Math.PI, 2e-3);
  const tetra = surface(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]), [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], true);
  near(volume(tetra), 1 / 6, 1e-6);
});

test("a tetrahedron has six edges, two that share a face nine", () => {
  const vertices = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1]);
  const solid = (tets: number[]) => ({ id: 1, vertices, triangles: new Uint32Array(0), tets: new Uint32Array(tets) });
  assert.equal(tetEdges(solid([0, 1, 2, 3])).length / 6, 6);
  assert.equal(tetEdges(solid([0, 1, 2, 3, 4, 1, 2, 3])).length / 6, 9);
});

function pressedPatch() {
  const recording = new Recording();
  eachChunk(concat(pressedBlock().chunks), (kind, payload) => recording.add(kind, payload));
  return recording.frame(5).patches[0];
}

test("a vertex beyond the patch moves onto it, one before it or beside it stays", () => {
  const patch = pressedPatch(), map = new HeightMap(patch);
  assert.ok(Math.abs(meanNormal(patch)[2] - 1) < 1e-9);
  // The block is geom b: its far side is below, against the normal.
  assert.ok(Math.abs(map.shift(0.11, -0.2, -0.06, -1) - 0.06) < 1e-9);
  assert.equal(map.shift(0.11, -0.2, 0.54, -1), 0);
  assert.equal(map.shift(0.31, 0, -0.06, -1), 0);
  // Of geom a what lies above moves down.
  assert.ok(Math.abs(map.shift(0.11, -0.2, 0.05, 1) + 0.05) < 1e-9);
  // The corner is on the rim.
  assert.ok(Math.abs(map.shift(-0.3, 0.3, -0.06, -1) - 0.06) < 1e-6);
});

test("what of a face has no pressure is cut off along the line where it vanishes", () => {
  const patch = { ...pressedPatch(), vertices: new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]), pressure: new Float32Array([-1, 3, 3, -1]), starts: new Uint32Array([0, 4]), indices: new Uint32Array([0, 1, 2, 3]) };
  const out = new Float32Array(64), n = cutFace(patch, 0, out);
  assert.equal(n, 4);
  const corners = Array.from({ length: n }, (_, i) => [...out.subarray(4 * i, 4 * i + 4)]);
  assert.deepEqual(corners, [[0.25, 0, 0, 0], [1, 0, 0, 3], [1, 1, 0, 3], [0.25, 1, 0, 0]]);
});

test("a wall before what happens fades, a terrain that reaches around it does not", () => {
  const camera = new PerspectiveCamera();
  camera.position.set(0, -5, 0.2);
  const wall = (low: [number, number, number], high: [number, number, number]): Wall => ({ box: new Box3(new Vector3(...low), new Vector3(...high)), inverse: new Matrix4(), hides: false });
  const points = [new Vector3(0, 0, 0.2), new Vector3(0.1, 0.1, 0.3)], before = wall([-1, -1.1, 0], [1, -1, 1]), terrain = wall([-2, -2, 0], [2, 2, 0.6]);
  assert.ok(findHiding([before, terrain], points, camera));
  assert.deepEqual([before.hides, terrain.hides], [true, false]);
});
