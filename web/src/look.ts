// Colours and materials: the two themes, and muted colours for bodies that came without one.

import { Color, FrontSide, MeshLambertMaterial, MeshStandardMaterial } from "three";
import type { Geom, Material, SceneInfo } from "./format.ts";
import { settings } from "./settings.ts";

export interface Theme {
  sky: number; ground: number; shade: number; line: number; lineAlpha: number;
  skyLight: number; groundLight: number; ambient: number; sun: number; fill: number; studio: number; exposure: number;
  force: number; traction: number; slip: number; point: number; tets: number; select: string;
}

const LIGHT: Theme = {
  sky: 0xdfe5ec, ground: 0xdde3ea, shade: 0.5, line: 0x6b7786, lineAlpha: 0.34,
  skyLight: 0xffffff, groundLight: 0xcfc8be, ambient: 1.55, sun: 2.1, fill: 0.35, studio: 0.62, exposure: 1.35,
  force: 0x0f7a5c, traction: 0x1d5fb0, slip: 0xa3248c, point: 0x0b5a44, tets: 0x22384f, select: "#0b7fab",
};

const DARK: Theme = {
  sky: 0x1a1f26, ground: 0x22282f, shade: 0.35, line: 0x8fa0b5, lineAlpha: 0.2,
  skyLight: 0xdfe9ff, groundLight: 0x4a4a52, ambient: 1.35, sun: 2.1, fill: 0.3, studio: 0.6, exposure: 1.25,
  force: 0x43d6a8, traction: 0x6cb2ff, slip: 0xf08bdc, point: 0x8af0cf, tets: 0xb9cbe0, select: "#4cc9f0",
};

export const theme = (): Theme => (settings.theme === "dark" ? DARK : LIGHT);

/** Muted, of like lightness, apart in hue. */
const PALETTE = [0x6c98c2, 0xd18f62, 0x79ad86, 0xb58ab4, 0xcbb163, 0x66aeb0, 0xc67c80, 0x9892c8, 0x9ca566, 0xb08d74].map((c) => new Color(c));
const STONE = new Color(0xb9bcc0);

/** Whether a geom's file gave it a colour. */
const painted = ({ color: [r, g, b], material }: Geom): boolean =>
  material !== null || Math.max(Math.abs(r - 0.5), Math.abs(g - 0.5), Math.abs(b - 0.5)) >= 0.01;

/**
 * The colours of the geoms: their own, or where the file left the default grey one from the palette. Parts of a model that
 * is painted elsewhere or made of several meshes stay grey, as its maker left them.
 */
export function colorsOf(scene: SceneInfo): Color[] {
  const tree: number[] = [];
  scene.bodies.forEach((body, b) => tree.push(body.parent === null || body.parent === 0 ? b : tree[body.parent]));
  const paintedTrees = new Set<number>(), meshes = new Map<number, number>();
  for (const geom of scene.geoms) {
    if (geom.role === "collision" || geom.role === "hidden") continue;
    if (painted(geom)) paintedTrees.add(tree[geom.body]);
    if (geom.shape.type === "mesh") meshes.set(tree[geom.body], (meshes.get(tree[geom.body]) ?? 0) + 1);
  }
  return scene.geoms.map((geom) => {
    if (painted(geom)) return new Color().setRGB(geom.color[0], geom.color[1], geom.color[2], "srgb");
    const robot = paintedTrees.has(tree[geom.body]) || (meshes.get(tree[geom.body]) ?? 0) > 1;
    return geom.body === 0 || (robot && geom.role !== "collision") ? STONE : PALETTE[(geom.body - 1) % PALETTE.length];
  });
}

export type BodyMaterial = MeshLambertMaterial | MeshStandardMaterial;

/** Whether bodies get the finer material, with highlights and environment light. Set before anything is made. */
export const finish = { fine: true };

/** How many faces in the same place can be told apart. */
export const LAYERS = 8;

/** What is said of surfaces without a material. */
const MATTE: Material = { specular: 0.35, shininess: 0.3, reflectance: 0, emission: 0, metallic: null, roughness: null };

/** The roughness with Phong's highlight: of exponent n = 128 shininess it is as wide as that of roughness⁴ = 2 / (n + 2). Weak ones are wide. */
function highlight(specular: number, shininess: number, reflectance: number): number {
  const width = (2 / (128 * shininess + 2)) ** 0.25;
  return Math.max(0.15, Math.min(1, width + (1 - width) * (1 - Math.min(1, 2 * specular)) - 0.2 * reflectance));
}

export function bodyMaterial(geom: Geom, scene: SceneInfo, color: Color, layer: number, own: boolean): BodyMaterial {
  const { specular, shininess, reflectance, emission, metallic, roughness } = geom.material === null ? MATTE : scene.materials[geom.material];
  const material = finish.fine
    ? new MeshStandardMaterial({
        roughness: roughness ?? highlight(specular, shininess, reflectance), metalness: metallic ?? 0,
      })
    : new MeshLambertMaterial();
  if (emission > 0) material.emissive.copy(color).multiplyScalar(emission);
  // Front faces throw shadows, so that these reach the very contact; the bias keeps faces from shading themselves.
  material.shadowSide = FrontSide;
  // Of faces in the same place, always the same one is seen.
  material.polygonOffset = true;
  material.polygonOffsetUnits = -4 * layer;
  if (own) material.color.copy(color);
  material.userData.alpha = geom.color[3];
  material.userData.fixed = geom.body === 0;
  material.userData.collision = geom.role === "collision" || geom.role === "hidden";
  applyOpacity(material);
  return material;
}

/** Bodies as glass when the person asks for it (the fixed world stays), besides their own transparency. */
export function applyOpacity(material: BodyMaterial): void {
  const opacity = (material.userData.alpha as number) * (material.userData.fixed ? 1 : settings.opacity) * ((material.userData.faded as number | undefined) ?? 1)
    * (settings.shapes === "all" && material.userData.collision ? 0.35 : 1);
  material.opacity = opacity;
  const transparent = opacity < 0.999;
  if (material.transparent !== transparent) {
    material.transparent = transparent;
    material.depthWrite = !transparent;
    material.needsUpdate = true;
  }
}
