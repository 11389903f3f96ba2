// Clicks, and pushes: what lies under the pointer, and pulling it with the mouse.

import { type Intersection, Plane, Raycaster, Vector2, Vector3 } from "three";
import type { Bodies } from "./bodies.ts";
import type { Frame } from "./decode.ts";
import type { Ground } from "./ground.ts";
import type { Choice } from "./inspector.ts";
import type { Link } from "./live.ts";
import type { Patches } from "./patches.ts";
import type { Recording } from "./recording.ts";
import { settings } from "./settings.ts";
import type { Stage } from "./stage.ts";

export interface World { recording: Recording; bodies: Bodies; patches: Patches; ground: Ground; frame: Frame }

export interface Push { body: number; point: Vector3; target: Vector3 }

export class Picking {
  /** With this on, a plain drag on a body pushes it (for touch). */
  pushMode = false;
  push: Push | null = null;
  private readonly ray = new Raycaster();
  private down: { x: number; y: number; time: number; id: number } | null = null;
  private readonly plane = new Plane();
  private lastSent = 0;

  constructor(
    private readonly stage: Stage,
    private readonly world: () => World | null,
    private readonly link: Link | null,
    private readonly choose: (click: { patch: Choice | null; body: Choice | null }) => void,
    private readonly focus: (body: number, point: Vector3) => void,
    private readonly redraw: () => void,
  ) {
    const canvas = stage.renderer.domElement;
    // Before the camera's controls see the press: a push must not turn the view.
    canvas.addEventListener("pointerdown", (event) => this.press(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", () => this.endPush());
    canvas.addEventListener("dblclick", (event) => {
      const hit = this.hitBody(event.clientX, event.clientY), world = this.world();
      if (hit && world) this.focus(this.bodyOf(hit, world), hit.point);
    });
  }

  private aim(x: number, y: number): void {
    const box = this.stage.renderer.domElement.getBoundingClientRect();
    this.ray.setFromCamera(new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2), this.stage.camera);
  }

  private hitBody(x: number, y: number): Intersection | null {
    const world = this.world();
    if (!world) return null;
    this.aim(x, y);
    const meshes = [...world.bodies.pickable, ...world.ground.pickable].filter((mesh) => mesh.visible);
    return this.ray.intersectObjects(meshes, false)[0] ?? null;
  }

  private bodyOf(hit: Intersection, world: World): number {
    const data = hit.object.userData as { geoms?: number[]; geom?: number };
    const geom = data.geoms ? data.geoms[hit.instanceId ?? 0] : data.geom!;
    return world.recording.scene!.geoms[geom].body;
  }

  /** What a click here means; used by clicks and by scripts. */
  at(x: number, y: number): { patch: Choice | null; body: Choice | null } {
    const world = this.world();
    if (!world) return { patch: null, body: null };
    const hit = this.hitBody(x, y);
    let patch: Choice | null = null;
    if (settings.patches && world.patches.mesh.visible) {
      const touched = this.ray.intersectObject(world.patches.mesh, false)[0];
      if (touched && touched.faceIndex != null && (settings.through || !hit || touched.distance <= hit.distance * 1.002)) {
        const { geomA, geomB } = world.frame.patches[world.patches.patchOf(touched.faceIndex)];
        patch = { kind: "patch", geomA, geomB };
      }
    }
    return { patch, body: hit ? { kind: "body", body: this.bodyOf(hit, world) } : null };
  }

  private press(event: PointerEvent): void {
    this.down = event.isPrimary ? { x: event.clientX, y: event.clientY, time: performance.now(), id: event.pointerId } : null;
    const wanted = event.button === 0 && (event.ctrlKey || event.shiftKey || event.metaKey || this.pushMode);
    const world = this.world();
    if (!this.link || !wanted || !world || !event.isPrimary) return;
    const hit = this.hitBody(event.clientX, event.clientY);
    if (!hit) return;
    const body = this.bodyOf(hit, world);
    if (body === 0) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.stage.renderer.domElement.setPointerCapture(event.pointerId);
    const point = hit.point.clone().applyMatrix4(world.bodies.poses[body].clone().invert());
    this.push = { body, point, target: hit.point.clone() };
    this.plane.setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new Vector3()), hit.point);
    this.sendPush(true);
  }

  private move(event: PointerEvent): void {
    if (!this.push) return;
    this.aim(event.clientX, event.clientY);
    this.ray.ray.intersectPlane(this.plane, this.push.target);
    this.sendPush(false);
    this.redraw();
  }

  private sendPush(always: boolean): void {
    const now = performance.now();
    if (!this.push || (!always && now - this.lastSent < 16)) return;
    this.lastSent = now;
    this.link?.send({ type: "push", body: this.push.body, point: this.push.point.toArray(), target: this.push.target.toArray() });
  }

  private endPush(): void {
    if (!this.push) return;
    this.push = null;
    this.link?.send({ type: "release" });
    this.redraw();
  }

  private release(event: PointerEvent): void {
    const down = this.down;
    this.down = null;
    if (this.push) return this.endPush();
    if (!down || down.id !== event.pointerId || event.button !== 0) return;
    if (Math.hypot(event.clientX - down.x, event.clientY - down.y) > 5 || performance.now() - down.time > 600) return;
    this.choose(this.at(event.clientX, event.clientY));
  }
}
