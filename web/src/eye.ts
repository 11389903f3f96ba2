// The eye: the camera as the hand turns it, carried along with a body, flown to another place, or one of the model's own.

import { Box3, type Matrix4, Quaternion, Vector3 } from "three";
import type { ModelCamera } from "./format.ts";
import { lookAt } from "./framing.ts";
import { set, settings } from "./settings.ts";
import type { Stage } from "./stage.ts";

/** Milliseconds that a flight takes. */
const FLIGHT = 350;
const FIELD = 38;

interface Flight { start: number; from: Vector3; to: Vector3; fromTarget: Vector3; toTarget: Vector3 }

export class Eye {
  private readonly followed = new Vector3();
  private flight: Flight | null = null;
  /** The model's camera in use. */
  private shown: number | null = null;

  constructor(private readonly stage: Stage) {}

  /** Goes on with turning and flying; true if the picture changes. */
  advance(now: number): boolean {
    if (this.shown !== null) return false;
    const { camera, controls } = this.stage, flight = this.flight;
    if (!flight) return controls.update();
    const t = Math.min(1, (now - flight.start) / FLIGHT), eased = t * t * (3 - 2 * t);
    camera.position.lerpVectors(flight.from, flight.to, eased);
    controls.target.lerpVectors(flight.fromTarget, flight.toTarget, eased);
    if (t === 1) this.flight = null;
    controls.update();
    return true;
  }

  /** Flies to where a box fills the picture, seen from the same side; or turns to a point. */
  goTo(place: Box3 | Vector3): void {
    const { camera, controls } = this.stage, from = camera.position.clone(), fromTarget = controls.target.clone();
    let to: Vector3, toTarget: Vector3;
    if (place instanceof Box3) {
      toTarget = lookAt(camera, place.clone().expandByVector(place.getSize(new Vector3()).multiplyScalar(0.35)), from.clone().sub(fromTarget).normalize());
      to = camera.position.clone();
      camera.position.copy(from);
      controls.minDistance = Math.min(controls.minDistance, 0.1 * to.distanceTo(toTarget));
    } else {
      toTarget = place.clone();
      to = from;
    }
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.flight = { start: performance.now() - (still ? FLIGHT : 0), from, to, fromTarget, toTarget };
  }

  /** A hand took the view, or it is fitted anew: what flew or looked through the model's camera ends where it is. */
  free(): void {
    this.flight = null;
    if (settings.camera !== null) set("camera", null);
  }

  /** The body to follow was chosen. */
  follow(poses: Matrix4[]): void {
    if (settings.follow !== null && poses[settings.follow]) this.followed.setFromMatrixPosition(poses[settings.follow]);
  }

  /** Carries the camera along with the body it follows. */
  carry(poses: Matrix4[]): void {
    if (settings.follow === null || !poses[settings.follow]) return;
    const now = new Vector3().setFromMatrixPosition(poses[settings.follow]), by = now.clone().sub(this.followed);
    this.stage.camera.position.add(by);
    this.stage.controls.target.add(by);
    this.followed.copy(now);
  }

  /** Looks through the model's camera, if one is chosen. */
  look(cameras: ModelCamera[], poses: Matrix4[]): void {
    const { camera, controls } = this.stage, chosen = settings.camera === null ? undefined : cameras[settings.camera];
    if (!chosen) {
      if (this.shown === null) return;
      // Free again: from the same place, towards what was looked at, upright.
      controls.target.copy(camera.position).addScaledVector(camera.getWorldDirection(new Vector3()), controls.getDistance() || 1);
      camera.fov = FIELD;
      camera.updateProjectionMatrix();
      this.shown = null;
      controls.update();
      return;
    }
    this.shown = settings.camera;
    const [w, x, y, z] = chosen.quat, turn = new Quaternion();
    poses[chosen.body].decompose(camera.position, turn, new Vector3());
    camera.position.add(new Vector3(...chosen.pos).applyQuaternion(turn));
    camera.quaternion.copy(turn).multiply(new Quaternion(x, y, z, w));
    camera.fov = (chosen.fov * 180) / Math.PI;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }
}
