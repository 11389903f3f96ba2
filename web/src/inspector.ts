// The numbers of what was clicked: a body, or a patch between two geoms.

import { Quaternion } from "three";
import { CONTACT_WORDS, type Frame, type Patch } from "./decode.ts";
import { meanNormal } from "./deform.ts";
import { h, iconButton } from "./dom.ts";
import type { SceneInfo } from "./format.ts";
import type { Recording } from "./recording.ts";
import { set, settings } from "./settings.ts";
import { area, quantity, vector } from "./units.ts";

export type Choice = { kind: "body"; body: number } | { kind: "patch"; geomA: number; geomB: number };

type Row = [string, string];

export class Inspector {
  readonly element = h("aside", { class: "card", hidden: true, "aria-live": "off" });
  private choice: Choice | null = null;
  private readonly title = h("h2");
  private readonly kind = h("span", { class: "kind" });
  private readonly table = h("dl");
  private readonly touching = h("ul");
  private readonly follow: HTMLButtonElement;

  constructor(close: () => void) {
    this.follow = h("button", { type: "button", class: "small", onclick: () => {
      if (this.choice?.kind === "body") set("follow", settings.follow === this.choice.body ? null : this.choice.body);
    } });
    this.element.append(
      h("header", {}, h("div", {}, this.kind, this.title), iconButton("close", "Close (Esc)", close)), this.table, this.touching, this.follow);
  }

  get chosen(): Choice | null { return this.choice; }

  show(choice: Choice | null): void {
    this.choice = choice;
    this.element.hidden = choice === null;
  }

  update(recording: Recording, index: number): void {
    if (!this.choice || !recording.scene) return;
    const frame = recording.frame(index), scene = recording.scene;
    const { title, kind, rows, list } = this.choice.kind === "body"
      ? bodyNumbers(recording, index, this.choice.body)
      : patchNumbers(scene, frame, this.choice);
    this.title.textContent = title;
    this.kind.textContent = kind;
    this.table.replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
    this.touching.replaceChildren(...list.map((text) => h("li", {}, text)));
    this.follow.hidden = this.choice.kind !== "body" || this.choice.body === 0;
    const following = this.choice.kind === "body" && settings.follow === this.choice.body;
    this.follow.textContent = following ? "Stop following" : "Follow with the camera";
  }
}

interface Numbers { title: string; kind: string; rows: Row[]; list: string[] }

export const bodyName = (scene: SceneInfo, body: number): string => scene.bodies[body]?.name || (body === 0 ? "world" : `body ${body}`);
export const geomName = (scene: SceneInfo, geom: number): string => {
  const { name, body } = scene.geoms[geom];
  return name || bodyName(scene, body);
};

function bodyNumbers(recording: Recording, index: number, body: number): Numbers {
  const scene = recording.scene!, frame = recording.frame(index), p = frame.poses.slice(7 * body, 7 * body + 7);
  const rows: Row[] = [];
  const info = scene.bodies[body];
  if (info.mass !== undefined) rows.push(["mass", quantity(info.mass, "kg")]);
  if (body !== 0) {
    rows.push(["position", vector(p, "m")], ["orientation", `${eulerDegrees(p).map((x) => x.toFixed(1).replace("-", "−")).join("\u00a0\u00a0")}\u00a0°`]);
    const rate = velocity(recording, index, body);
    if (rate) rows.push(["velocity", vector(rate.linear, "m/s")], ["turning", vector(rate.angular, "rad/s")]);
  }
  const { force, parts } = netForce(scene, recording.frame(index), body);
  if (body !== 0) rows.push(["net contact force", vector(force, "N")]);
  const shapes = scene.geoms.filter((geom) => geom.body === body);
  rows.push(["shapes", summary(shapes.map((geom) => (geom.compliant ? "compliant " : "") + geom.shape.type))]);
  const joints = scene.joints.filter((joint) => joint.body === body);
  if (joints.length > 0) rows.push(["joints", joints.map((joint) => `${joint.name || "unnamed"} (${joint.type})`).join(", ")]);
  parts.sort((a, b) => b.size - a.size);
  const list = parts.slice(0, 6).map(({ other, size, patch }) => `${patch ? "patch" : "contact"} with ${other}: ${quantity(size, "N")}`);
  if (parts.length > 6) list.push(`and ${parts.length - 6} more`);
  return { title: bodyName(scene, body), kind: "Body", rows, list };
}

function summary(words: string[]): string {
  const count = new Map<string, number>();
  for (const word of words) count.set(word, (count.get(word) ?? 0) + 1);
  return [...count].map(([word, n]) => (n > 1 ? `${n} × ${word}` : word)).join(", ") || "none";
}

/** The sum of contact forces on a body, N, and its parts by other geom. */
export function netForce(scene: SceneInfo, frame: Frame, body: number): { force: [number, number, number]; parts: { other: string; size: number; patch: boolean }[] } {
  const force: [number, number, number] = [0, 0, 0];
  const byPair = new Map<string, { other: string; sum: number[]; patch: boolean }>();
  const add = (a: number, b: number, f: ArrayLike<number>, at: number, patch: boolean): void => {
    const onB = scene.geoms[b].body === body, onA = scene.geoms[a].body === body;
    if (onA === onB) return;
    const sign = onB ? 1 : -1, other = onB ? a : b, key = `${patch} ${other}`;
    const part = byPair.get(key) ?? { other: geomName(scene, other), sum: [0, 0, 0], patch };
    for (let c = 0; c < 3; c++) {
      force[c] += sign * f[at + c];
      part.sum[c] += f[at + c];
    }
    byPair.set(key, part);
  };
  for (let at = 0; at < frame.contactInts.length; at += CONTACT_WORDS) add(frame.contactInts[at], frame.contactInts[at + 1], frame.contactFloats, at + 8, false);
  for (const patch of frame.patches) add(patch.geomA, patch.geomB, patch.force, 0, true);
  return { force, parts: [...byPair.values()].map(({ other, sum, patch }) => ({ other, patch, size: Math.hypot(...sum) })) };
}

/** Velocity of a body by differences of neighbouring frames, in the world. */
export function velocity(recording: Recording, index: number, body: number): { linear: number[]; angular: number[] } | null {
  const before = Math.max(0, index - 1), after = Math.min(recording.frames.length - 1, index + 1);
  const dt = recording.times[after] - recording.times[before];
  if (!(dt > 0)) return null;
  const p = recording.frame(before).poses.slice(7 * body, 7 * body + 7);
  const q = recording.frame(after).poses.slice(7 * body, 7 * body + 7);
  recording.frame(index); // back in the cache
  const turn = new Quaternion(q[4], q[5], q[6], q[3]).multiply(new Quaternion(p[4], p[5], p[6], p[3]).invert());
  if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
  const sine = Math.hypot(turn.x, turn.y, turn.z), angle = 2 * Math.atan2(sine, turn.w), share = sine > 1e-12 ? angle / sine / dt : 0;
  return { linear: [0, 1, 2].map((c) => (q[c] - p[c]) / dt), angular: [turn.x * share, turn.y * share, turn.z * share] };
}

/** Roll, pitch and yaw. */
function eulerDegrees(p: ArrayLike<number>): number[] {
  const [w, x, y, z] = [p[3], p[4], p[5], p[6]];
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x)))),
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ].map((a) => (a * 180) / Math.PI);
}

function patchNumbers(scene: SceneInfo, frame: Frame, choice: { geomA: number; geomB: number }): Numbers {
  const title = `${geomName(scene, choice.geomA)} – ${geomName(scene, choice.geomB)}`;
  const patch = frame.patches.find((p) => p.geomA === choice.geomA && p.geomB === choice.geomB);
  if (!patch) return { title, kind: "Contact patch", rows: [["now", "apart"]], list: [] };
  const n = meanNormal(patch), along = patch.force[0] * n[0] + patch.force[1] * n[1] + patch.force[2] * n[2];
  const across = Math.hypot(...[0, 1, 2].map((c) => patch.force[c] - along * n[c]));
  const { mean, max } = slipOf(patch);
  return {
    title, kind: "Contact patch", list: [],
    rows: [
      ["area", area(patch.area)],
      ["force on " + geomName(scene, choice.geomB), vector(patch.force, "N")],
      ["normal, tangential", `${quantity(along, "N")}, ${quantity(across, "N")}`],
      ["moment", vector(patch.moment, "N m")],
      ["largest pressure", quantity(patch.pressure.reduce((a, b) => Math.max(a, b), 0), "Pa")],
      ["mean pressure", patch.area > 0 ? quantity(along / patch.area, "Pa") : "–"],
      ["slip, mean and largest", `${quantity(mean, "m/s")}, ${quantity(max, "m/s")}`],
      ["faces", String(patch.starts.length - 1)],
    ],
  };
}

function slipOf(patch: Patch): { mean: number; max: number } {
  let sum = 0, max = 0;
  for (let i = 0; i < patch.slip.length; i += 3) {
    const slip = Math.hypot(patch.slip[i], patch.slip[i + 1], patch.slip[i + 2]);
    sum += slip;
    max = Math.max(max, slip);
  }
  return { mean: sum / (patch.slip.length / 3 || 1), max };
}
