// What a recording holds (docs/recording.md): the scene, its buffers, its frames. Types only, and the checks
// that turn the scene's JSON into one we can rely on.

export const VERSION = 1;

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number]; // w first

export type Shape =
  | { type: "sphere"; radius: number }
  | { type: "box"; half_extents: Vec3 }
  | { type: "capsule"; radius: number; half_length: number }
  | { type: "cylinder"; radius: number; half_length: number }
  | { type: "ellipsoid"; radii: Vec3 }
  | { type: "half-space"; size: [number, number] }
  | { type: "mesh"; buffer: number; convex?: boolean }
  | { type: "height-field"; buffer: number };

export interface Body { name: string; parent: number | null; mass?: number }
export interface Geom {
  name: string; body: number; pos: Vec3; quat: Quat; role: "both" | "collision" | "visual" | "hidden";
  color: [number, number, number, number]; material: number | null; compliant: boolean; shape: Shape; solid: number | null;
}
/** How a surface looks, besides its colour; all from 0 to 1. */
export interface Material { specular: number; shininess: number; reflectance: number; emission: number; metallic: number | null; roughness: number | null }
/** Looks along −z of its frame, y up; `fov` is vertical, rad. */
export interface ModelCamera { name: string; body: number; pos: Vec3; quat: Quat; fov: number }
export interface Joint { name: string; type: string; body: number }
export interface Site { name: string; body: number; pos: Vec3; quat: Quat }
export interface Actuator { name: string; range: [number, number] | null; unit: string }
export interface Channel { name: string; unit: string; group: string }

export interface SceneInfo {
  version: number; name: string; generator: string;
  step: number | null; accuracy: number | null; contact: string; gravity: Vec3;
  bodies: Body[]; geoms: Geom[]; joints: Joint[]; sites: Site[]; actuators: Actuator[]; channels: Channel[];
  materials: Material[]; cameras: ModelCamera[];
  /** Where the model's author looks from: angle about z and above the horizon (negative looks down), rad. */
  azimuth: number | null; elevation: number | null;
  /** What the page shows otherwise than the model has it. */
  notes: string[];
}

/** A surface or a solid: `tets` is empty for surfaces. */
export interface MeshBuffer { id: number; vertices: Float32Array; triangles: Uint32Array; tets: Uint32Array }

export interface Status {
  paused: boolean; speed: number; time: number; rate: number; ctrl: number[];
  widgets?: Widget[]; clients: number; dropped: number; message: string | null;
}

/** A slider or a button of the program that steps; a choice, and sliders by ratio, of the page that simulates itself. */
export type Widget =
  | { kind: "slider"; name: string; low: number; high: number; value: number; unit: string; log?: boolean }
  | { kind: "choice"; name: string; options: string[]; value: number }
  | { kind: "button"; name: string; presses: number };

/** What is wrong with a recording, in words for the person at the page. */
export class FormatError extends Error {}

/** Checks the scene's JSON; throws a FormatError that names the entry. */
export function checkScene(raw: unknown): SceneInfo {
  const scene = object(raw, "the scene");
  if (scene.format !== "stiction") throw new FormatError("This is not a Stiction recording: its header has another name.");
  if (scene.version !== VERSION) {
    const newer = Number(scene.version) > VERSION;
    throw new FormatError(
      `This recording has format version ${String(scene.version)}; this page reads version ${VERSION}. ` +
        (newer ? "Open it with a newer Stiction." : "Record it again with this Stiction."));
  }
  const bodies = list(scene.bodies, "bodies").map((entry, i) => {
    const body = object(entry, `body ${i}`);
    const made: Body = { name: text(body.name), parent: body.parent == null ? null : index(body.parent, i, `body ${i}: parent`) };
    if (typeof body.mass === "number") made.mass = body.mass;
    return made;
  });
  const nb = bodies.length;
  const materials = list(scene.materials ?? [], "materials").map((entry, i) => {
    const material = object(entry, `material ${i}`), share = (key: string, other: number): number => clamp(optional(material[key]) ?? other);
    const maybe = (key: string): number | null => (optional(material[key]) === null ? null : share(key, 0));
    return { specular: share("specular", 0.5), shininess: share("shininess", 0.5), reflectance: share("reflectance", 0), emission: share("emission", 0),
      metallic: maybe("metallic"), roughness: maybe("roughness") };
  });
  const view = scene.view === undefined ? {} : object(scene.view, "the view");
  return {
    materials, azimuth: optional(view.azimuth), elevation: optional(view.elevation),
    notes: list(scene.notes ?? [], "notes").map(text),
    cameras: list(scene.cameras ?? [], "cameras").map((entry, i) => {
      const camera = object(entry, `camera ${i}`);
      return { name: text(camera.name), body: index(camera.body, nb, `camera ${i}: body`), pos: vector(camera.pos, 3, `camera ${i}: pos`) as Vec3,
        quat: vector(camera.quat, 4, `camera ${i}: quat`) as Quat, fov: optional(camera.fov) ?? 0.8 };
    }),
    version: VERSION, name: text(scene.name) || "untitled", generator: text(scene.generator),
    step: optional(scene.step), accuracy: optional(scene.accuracy), contact: text(scene.contact),
    gravity: scene.gravity === undefined ? [0, 0, -9.81] : vector(scene.gravity, 3, "gravity") as Vec3,
    bodies,
    geoms: list(scene.geoms, "geoms").map((entry, i) => checkGeom(object(entry, `geom ${i}`), nb, materials.length, `geom ${i}`)),
    joints: list(scene.joints ?? [], "joints").map((entry, i) => {
      const joint = object(entry, `joint ${i}`);
      return { name: text(joint.name), type: text(joint.type), body: index(joint.body, nb, `joint ${i}: body`) };
    }),
    sites: list(scene.sites ?? [], "sites").map((entry, i) => {
      const site = object(entry, `site ${i}`);
      return { name: text(site.name), body: index(site.body, nb, `site ${i}: body`),
        pos: vector(site.pos, 3, `site ${i}: pos`) as Vec3, quat: vector(site.quat, 4, `site ${i}: quat`) as Quat };
    }),
    actuators: list(scene.actuators ?? [], "actuators").map((entry, i) => {
      const actuator = object(entry, `actuator ${i}`);
      return { name: text(actuator.name), unit: text(actuator.unit),
        range: actuator.range == null ? null : vector(actuator.range, 2, `actuator ${i}: range`) as [number, number] };
    }),
    channels: list(scene.channels ?? [], "channels").map((entry, i) => {
      const channel = object(entry, `channel ${i}`);
      return { name: text(channel.name), unit: text(channel.unit), group: text(channel.group) };
    }),
  };
}

function checkGeom(geom: Record<string, unknown>, nb: number, nm: number, place: string): Geom {
  const raw = object(geom.shape, `${place}: shape`);
  const number = (key: string): number => {
    const value = raw[key];
    if (typeof value !== "number" || !Number.isFinite(value)) throw new FormatError(`The recording's ${place} has no number ${key}.`);
    return value;
  };
  let shape: Shape;
  switch (raw.type) {
    case "sphere": shape = { type: "sphere", radius: number("radius") }; break;
    case "box": shape = { type: "box", half_extents: vector(raw.half_extents, 3, `${place}: half_extents`) as Vec3 }; break;
    case "capsule":
    case "cylinder": shape = { type: raw.type, radius: number("radius"), half_length: number("half_length") }; break;
    case "ellipsoid": shape = { type: "ellipsoid", radii: vector(raw.radii, 3, `${place}: radii`) as Vec3 }; break;
    case "half-space": shape = { type: "half-space", size: vector(raw.size ?? [0, 0], 2, `${place}: size`) as [number, number] }; break;
    case "mesh":
    case "height-field": shape = { type: raw.type, buffer: number("buffer") }; break;
    default: throw new FormatError(`The recording's ${place} has a shape this page does not know: ${String(raw.type)}.`);
  }
  const role = geom.role === "visual" || geom.role === "collision" || geom.role === "hidden" ? geom.role : "both";
  return {
    name: text(geom.name), body: index(geom.body, nb, `${place}: body`), role, shape,
    pos: vector(geom.pos, 3, `${place}: pos`) as Vec3, quat: vector(geom.quat, 4, `${place}: quat`) as Quat,
    color: geom.color === undefined ? [0.5, 0.5, 0.5, 1] : vector(geom.color, 4, `${place}: color`) as Geom["color"],
    material: geom.material == null ? null : index(geom.material, nm, `${place}: material`),
    compliant: geom.compliant === true, solid: optional(geom.solid),
  };
}

function object(value: unknown, place: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new FormatError(`The recording is damaged: ${place} is missing.`);
  return value as Record<string, unknown>;
}

function list(value: unknown, place: string): unknown[] {
  if (!Array.isArray(value)) throw new FormatError(`The recording is damaged: its list of ${place} is missing.`);
  return value;
}

function vector(value: unknown, n: number, place: string): number[] {
  if (!Array.isArray(value) || value.length !== n || !value.every((x) => typeof x === "number" && Number.isFinite(x))) {
    throw new FormatError(`The recording is damaged: ${place} is not ${n} numbers.`);
  }
  return value as number[];
}

function index(value: unknown, count: number, place: string): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value >= count) {
    throw new FormatError(`The recording is damaged: ${place} points nowhere.`);
  }
  return value;
}

const clamp = (x: number): number => Math.min(1, Math.max(0, x));
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const optional = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);
