// Where to look from: the camera is fitted to what moves, not to floors without end nor to a ball that rolls away.

import { Box3, type PerspectiveCamera, Vector3 } from "three";
import type { Bodies } from "./bodies.ts";
import type { Recording } from "./recording.ts";

export interface Framing { box: Box3; center: Vector3; radius: number; lowest: number; size: number }

const SAMPLES = 24;

/** Place and size of what happens, over the whole recording (or so far). */
export function framing(recording: Recording, bodies: Bodies): Framing {
  const scene = recording.scene!, geomBox = new Box3();
  const low: number[][] = [[], [], []], high: number[][] = [[], [], []];
  const still = anchored(recording);
  const count = Math.min(SAMPLES, recording.frames.length);
  let largest = 0;
  for (let s = 0; s < count; s++) {
    const frame = recording.frame(Math.round((s * (recording.frames.length - 1)) / Math.max(1, count - 1)));
    scene.geoms.forEach((geom, i) => {
      if (still[geom.body] || !bodies.boxOf(i, frame, geomBox)) return;
      largest = Math.max(largest, geomBox.min.distanceTo(geomBox.max));
      for (let axis = 0; axis < 3; axis++) {
        low[axis].push(geomBox.min.getComponent(axis));
        high[axis].push(geomBox.max.getComponent(axis));
      }
    });
  }
  const box = new Box3(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 0.5));
  if (low[0].length > 0) {
    for (let axis = 0; axis < 3; axis++) {
      low[axis].sort((a, b) => a - b);
      high[axis].sort((a, b) => a - b);
      box.min.setComponent(axis, low[axis][Math.floor(0.02 * low[axis].length)]);
      box.max.setComponent(axis, high[axis][Math.ceil(0.98 * high[axis].length) - 1]);
    }
  }
  // Fixed things take part if they are not much larger: a tray does, a hall does not.
  const span = box.min.distanceTo(box.max), middle = box.getCenter(new Vector3());
  const floors = scene.geoms.filter((geom) => geom.shape.type === "half-space" && geom.body === 0).map((geom) => geom.pos[2]);
  let lowest = floors.length > 0 ? Math.min(...floors) : box.min.z;
  if (recording.frames.length > 0) {
    const first = recording.frame(0);
    scene.geoms.forEach((geom, i) => {
      if (!still[geom.body] || !bodies.boxOf(i, first, geomBox)) return;
      if (geomBox.distanceToPoint(middle) < span) lowest = Math.min(lowest, geomBox.min.z);
      const reach = Math.max(geomBox.min.distanceTo(middle), geomBox.max.distanceTo(middle));
      if (reach < 1.1 * span) box.union(geomBox);
    });
  }
  const center = box.getCenter(new Vector3()), radius = Math.max(box.min.distanceTo(box.max) / 2, 1e-3);
  return { box, center, radius, lowest, size: Math.max(largest, 0.9 * radius, 1e-3) };
}

/** Bodies that never move. */
function anchored(recording: Recording): boolean[] {
  const last = recording.frames.length - 1;
  return recording.scene!.bodies.map((_, b) => {
    if (b === 0) return true;
    if (last < 1) return false;
    const start = recording.frame(0).poses.slice(7 * b, 7 * b + 7);
    const probes = [last >> 2, last >> 1, (3 * last) >> 2, last];
    return probes.every((i) => recording.frame(i).poses.subarray(7 * b, 7 * b + 7).every((x, k) => Math.abs(x - start[k]) < 1e-7));
  });
}

/** Puts the camera so that a box, seen along this direction, fills the picture; returns where it looks. */
export function lookAt(camera: PerspectiveCamera, box: Box3, direction: Vector3): Vector3 {
  const target = box.getCenter(new Vector3()), corner = new Vector3();
  const forward = direction.clone().negate(), right = new Vector3().crossVectors(forward, camera.up).normalize(), up = new Vector3().crossVectors(right, forward);
  const tanY = Math.tan((camera.fov * Math.PI) / 360), tanX = tanY * camera.aspect;
  let distance = 1;
  for (let round = 0; round < 4; round++) {
    // As near as all corners allow, then shifted so that the margins left and right, above and below are equal.
    distance = 0;
    const each = (visit: (x: number, y: number, depth: number) => void): void => {
      for (let k = 0; k < 8; k++) {
        corner.set(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(target);
        visit(corner.dot(right), corner.dot(up), corner.dot(forward));
      }
    };
    each((x, y, depth) => (distance = Math.max(distance, Math.abs(x) / (0.84 * tanX) - depth, Math.abs(y) / (0.8 * tanY) - depth)));
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    each((x, y, depth) => {
      const z = distance + depth;
      x0 = Math.min(x0, x / z);
      x1 = Math.max(x1, x / z);
      y0 = Math.min(y0, y / z);
      y1 = Math.max(y1, y / z);
    });
    target.addScaledVector(right, ((x0 + x1) / 2) * distance).addScaledVector(up, ((y0 + y1) / 2) * distance);
  }
  camera.position.copy(target).addScaledVector(direction, distance);
  return target;
}
