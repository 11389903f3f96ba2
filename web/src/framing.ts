// Where to look from: the camera is fitted to what moves, not to floors without end nor to a ball that rolls away.

import { Box3, type PerspectiveCamera, Vector3 } from "three";
import { type Bodies, shown } from "./bodies.ts";
import type { Frame } from "./decode.ts";
import type { Recording } from "./recording.ts";

export interface Framing { box: Box3; center: Vector3; radius: number; lowest: number; size: number }

const SAMPLES = 24;

/** Place and size of what happens, over the whole recording (or so far). */
export function framing(recording: Recording, bodies: Bodies): Framing {
  const scene = recording.scene!, part = new Box3(), moves = movable(recording), tree = trees(recording);
  let largest = 0;
  /** Box around what of each object moves, at a frame. */
  const boxes = (frame: Frame): Map<number, Box3> => {
    const found = new Map<number, Box3>();
    scene.geoms.forEach((geom, i) => {
      if (!moves[geom.body] || !shown(geom) || !bodies.boxOf(i, frame, part)) return;
      largest = Math.max(largest, part.min.distanceTo(part.max));
      found.set(tree[geom.body], (found.get(tree[geom.body]) ?? new Box3()).union(part));
    });
    return found;
  };
  const box = new Box3(), count = Math.min(SAMPLES, recording.frames.length);
  if (count > 0) {
    const first = [...boxes(recording.frame(0)).values()];
    for (const own of withoutStrays(first)) box.union(own);
    // Objects count as they move, until they leave the neighbourhood: of few the whole way is wanted, of many the crowd.
    const near = box.clone().expandByScalar((first.length < 4 ? 5 : 0.75) * box.min.distanceTo(box.max)), middle = new Vector3();
    for (let s = 1; s < count; s++) {
      const frame = recording.frame(Math.round((s * (recording.frames.length - 1)) / (count - 1)));
      for (const own of boxes(frame).values()) if (near.containsPoint(own.getCenter(middle))) box.union(own);
    }
  }
  const floors = scene.geoms.filter((geom) => geom.shape.type === "half-space" && geom.body === 0).map((geom) => geom.pos[2]);
  let lowest = floors.length > 0 ? Math.min(...floors) : box.isEmpty() ? 0 : box.min.z;
  if (count > 0) addFixed(recording, bodies, moves, tree, box, (z) => (lowest = Math.min(lowest, z)));
  if (box.isEmpty()) box.set(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 0.5));
  const center = box.getCenter(new Vector3()), radius = Math.max(box.min.distanceTo(box.max) / 2, 1e-3);
  return { box, center, radius, lowest, size: Math.max(largest, 0.9 * radius, 1e-3) };
}

/** Fixed things take part if they are not much larger than what moves: a tray and a robot's base do, a hall does not. */
function addFixed(recording: Recording, bodies: Bodies, moves: boolean[], tree: number[], box: Box3, lower: (z: number) => void): void {
  const { geoms } = recording.scene!, frame = recording.frame(0), part = new Box3(), middle = new Vector3();
  const alone = box.isEmpty(), active = new Set(moves.flatMap((yes, b) => (yes ? [tree[b]] : [])));
  const span = alone ? Infinity : box.min.distanceTo(box.max);
  if (!alone) box.getCenter(middle);
  geoms.forEach((geom, i) => {
    if (moves[geom.body] || !shown(geom) || !bodies.boxOf(i, frame, part)) return;
    if (alone || part.distanceToPoint(middle) < span) lower(part.min.z);
    const reach = Math.max(part.min.distanceTo(middle), part.max.distanceTo(middle));
    if (alone || reach < (geom.body !== 0 && active.has(tree[geom.body]) ? 2.5 : 1.1) * span) box.union(part);
  });
}

/** Boxes without those that lie far from all others. */
function withoutStrays(boxes: Box3[]): Box3[] {
  if (boxes.length < 4) return boxes;
  const centers = boxes.map((box) => box.getCenter(new Vector3()));
  const middle = new Vector3(...([0, 1, 2].map((axis) => median(centers.map((c) => c.getComponent(axis)))) as [number, number, number]));
  const typical = Math.max(median(centers.map((c) => c.distanceTo(middle))), median(boxes.map((box) => box.min.distanceTo(box.max))));
  return boxes.filter((box) => box.distanceToPoint(middle) < 6 * typical);
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1];
}

/** For each body the first body of its kinematic tree below the world. */
function trees(recording: Recording): number[] {
  const tree: number[] = [];
  recording.scene!.bodies.forEach((body, b) => tree.push(!body.parent ? b : tree[body.parent]));
  return tree;
}

/** Bodies with a joint between them and the world, and those that are moved from outside. */
function movable(recording: Recording): boolean[] {
  const { bodies, joints } = recording.scene!, jointed = new Set(joints.map((joint) => joint.body)), last = recording.frames.length - 1;
  const moves: boolean[] = [];
  bodies.forEach((body, b) => {
    let yes = b > 0 && (jointed.has(b) || (body.parent !== null && moves[body.parent]));
    if (!yes && b > 0 && last > 0) {
      const start = recording.frame(0).poses.slice(7 * b, 7 * b + 7), probes = [last >> 2, last >> 1, (3 * last) >> 2, last];
      yes = probes.some((i) => recording.frame(i).poses.subarray(7 * b, 7 * b + 7).some((x, k) => Math.abs(x - start[k]) > 1e-7));
    }
    moves.push(yes);
  });
  return moves;
}

/** The direction from which the model's author looks, or from the front left and a little above. */
export function viewpoint({ azimuth, elevation }: { azimuth: number | null; elevation: number | null }): Vector3 {
  if (azimuth === null && elevation === null) return new Vector3(0.5, -1, 0.52).normalize();
  const a = azimuth ?? Math.PI / 2, e = elevation ?? -Math.PI / 8;
  return new Vector3(-Math.cos(e) * Math.cos(a), -Math.cos(e) * Math.sin(a), -Math.sin(e));
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
