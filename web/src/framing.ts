// Where to look from: the camera is fitted to what moves, not to floors without end nor to a ball that rolls away.

import { Vector3 } from "three";
import type { Bodies } from "./bodies.ts";
import type { Recording } from "./recording.ts";

export interface Framing { center: Vector3; radius: number; lowest: number; size: number }

const SAMPLES = 24;

/** Place and size of what happens, over the whole recording (or so far). */
export function framing(recording: Recording, bodies: Bodies): Framing {
  const scene = recording.scene!, place = new Vector3();
  const low: number[][] = [[], [], []], high: number[][] = [[], [], []];
  let lowest = Infinity, largest = 0;
  const still = anchored(scene.bodies.map((body) => body.parent), recording);
  const count = Math.min(SAMPLES, recording.frames.length);
  for (let s = 0; s < count; s++) {
    const frame = recording.frame(Math.round((s * (recording.frames.length - 1)) / Math.max(1, count - 1)));
    scene.geoms.forEach((geom, i) => {
      if (still[geom.body]) return;
      const radius = bodies.placeOf(i, frame, place);
      if (radius === 0) return;
      largest = Math.max(largest, radius);
      place.toArray().forEach((x, axis) => {
        low[axis].push(x - radius);
        high[axis].push(x + radius);
      });
    });
  }
  const min = new Vector3(), max = new Vector3();
  if (low[0].length > 0) {
    for (let axis = 0; axis < 3; axis++) {
      low[axis].sort((a, b) => a - b);
      high[axis].sort((a, b) => a - b);
      min.setComponent(axis, low[axis][Math.floor(0.03 * low[axis].length)]);
      max.setComponent(axis, high[axis][Math.ceil(0.97 * high[axis].length) - 1]);
    }
  } else {
    min.set(-0.5, -0.5, 0);
    max.set(0.5, 0.5, 0.5);
  }
  // Fixed things take part if they are not much larger: a tray does, a hall does not.
  const span = max.distanceTo(min);
  const first = recording.frames.length > 0 ? recording.frame(0) : null;
  scene.geoms.forEach((geom, i) => {
    if (!first || !still[geom.body] || bodies.radii[i] === 0) return;
    const radius = bodies.placeOf(i, first, place);
    if (place.distanceTo(min.clone().add(max).multiplyScalar(0.5)) + radius < 1.6 * span) {
      // Its ball overstates a flat thing; half of it is a fair share.
      min.min(place.clone().subScalar(radius * 0.55));
      max.max(place.clone().addScalar(radius * 0.55));
    }
  });
  const floors = scene.geoms.filter((geom) => geom.shape.type === "half-space" && geom.body === 0).map((geom) => geom.pos[2]);
  lowest = floors.length > 0 ? Math.min(...floors) : min.z;
  if (floors.length > 0) min.z = Math.max(min.z, Math.min(lowest, max.z));
  const center = min.clone().add(max).multiplyScalar(0.5);
  return { center, radius: Math.max(max.distanceTo(min) / 2, 1e-3), lowest, size: Math.max(2.5 * largest, max.distanceTo(min) / 2, 1e-3) };
}

/** Bodies that never move. */
function anchored(parents: (number | null)[], recording: Recording): boolean[] {
  const last = recording.frames.length - 1;
  return parents.map((_, b) => {
    if (b === 0) return true;
    if (last < 1) return false;
    const probes = [0, last >> 2, last >> 1, (3 * last) >> 2, last];
    const start = recording.frame(0).poses.slice(7 * b, 7 * b + 7);
    return probes.every((i) => recording.frame(i).poses.subarray(7 * b, 7 * b + 7).every((x, k) => Math.abs(x - start[k]) < 1e-7));
  });
}

/** How far to stand so that a ball of this radius fills the picture. */
export function distanceFor(radius: number, fov: number, aspect: number): number {
  const vertical = (fov * Math.PI) / 360, horizontal = Math.atan(Math.tan(vertical) * aspect);
  return radius / Math.sin(Math.min(vertical, horizontal));
}
