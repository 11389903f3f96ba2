// Walls in front of what happens fade, so that the inside of a box can be seen from anywhere.

import { type Box3, type Camera, type Matrix4, Ray, Vector3 } from "three";

/** A fixed thing that may stand in the way: its box in its own frame, and its frame in the world. */
export interface Wall { box: Box3; inverse: Matrix4; hides: boolean }

/** Notes which walls hide many of these points from the camera; true if that changed. */
export function findHiding(walls: Wall[], points: Vector3[], camera: Camera): boolean {
  let changed = false;
  const ray = new Ray(), from = new Vector3(), to = new Vector3(), hit = new Vector3();
  for (const wall of walls) {
    from.copy(camera.position).applyMatrix4(wall.inverse);
    let hidden = 0;
    for (const point of points) {
      to.copy(point).applyMatrix4(wall.inverse);
      if (wall.box.containsPoint(to)) continue; // a terrain or a bowl: what lies in its box is not behind it
      const distance = from.distanceTo(to);
      ray.set(from, to.sub(from).divideScalar(distance || 1));
      if (ray.intersectBox(wall.box, hit) && hit.distanceTo(from) < distance) hidden++;
    }
    // Fading begins at 15 in a hundred and ends at 10, so that a wall at the limit does not flicker.
    const hides = points.length > 0 && hidden > (wall.hides ? 0.1 : 0.15) * points.length;
    if (hides !== wall.hides) changed = true;
    wall.hides = hides;
  }
  return changed;
}
