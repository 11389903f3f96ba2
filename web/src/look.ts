// Colours and materials: the two themes, and muted colours for bodies that came without one.

import { Color, FrontSide, MeshLambertMaterial, MeshStandardMaterial } from "three";
import type { Geom } from "./format.ts";
import { settings } from "./settings.ts";

export interface Theme {
  sky: number; ground: number; shade: number; line: number; lineAlpha: number;
  skyLight: number; groundLight: number; ambient: number; sun: number; fill: number;
  force: number; traction: number; slip: number; point: number; tets: number; select: string;
}

const LIGHT: Theme = {
  sky: 0xe9edf2, ground: 0xeef1f5, shade: 0.52, line: 0x6b7786, lineAlpha: 0.34,
  skyLight: 0xffffff, groundLight: 0xcfc8be, ambient: 1.55, sun: 2.1, fill: 0.35,
  force: 0x0f7a5c, traction: 0x1d5fb0, slip: 0xa3248c, point: 0x0b5a44, tets: 0x22384f, select: "#0b7fab",
};

const DARK: Theme = {
  sky: 0x1a1f26, ground: 0x22282f, shade: 0.35, line: 0x8fa0b5, lineAlpha: 0.2,
  skyLight: 0xdfe9ff, groundLight: 0x4a4a52, ambient: 1.35, sun: 2.1, fill: 0.3,
  force: 0x43d6a8, traction: 0x6cb2ff, slip: 0xf08bdc, point: 0x8af0cf, tets: 0xb9cbe0, select: "#4cc9f0",
};

export const theme = (): Theme => (settings.theme === "dark" ? DARK : LIGHT);

/** Muted, of like lightness, apart in hue. */
const PALETTE = [0x6c98c2, 0xd18f62, 0x79ad86, 0xb58ab4, 0xcbb163, 0x66aeb0, 0xc67c80, 0x9892c8, 0x9ca566, 0xb08d74].map((c) => new Color(c));
const STONE = new Color(0xb9bcc0);

/** The colour of a geom: its own, or one from the palette where the file left the default grey. */
export function colorOfGeom(geom: Geom): Color {
  const [r, g, b] = geom.color;
  const plain = Math.abs(r - 0.5) < 0.01 && Math.abs(g - 0.5) < 0.01 && Math.abs(b - 0.5) < 0.01;
  if (plain) return geom.body === 0 ? STONE : PALETTE[(geom.body - 1) % PALETTE.length];
  return new Color().setRGB(r, g, b, "srgb");
}

export type BodyMaterial = MeshLambertMaterial | MeshStandardMaterial;

/** Whether bodies get the finer material, with highlights. Set once, before anything is made. */
export const finish = { fine: true };

export function bodyMaterial(alpha: number, fixed: boolean, color?: Color): BodyMaterial {
  const material = finish.fine ? new MeshStandardMaterial({ roughness: 0.62, metalness: 0 }) : new MeshLambertMaterial();
  // Front faces throw shadows, so that these reach the very contact; the bias keeps faces from shading themselves.
  material.shadowSide = FrontSide;
  if (color) material.color.copy(color);
  material.userData.alpha = alpha;
  material.userData.fixed = fixed;
  applyOpacity(material);
  return material;
}

/** Bodies as glass when the person asks for it (the fixed world stays), besides their own transparency. */
export function applyOpacity(material: BodyMaterial): void {
  const opacity = (material.userData.alpha as number) * (material.userData.fixed ? 1 : settings.opacity) * ((material.userData.faded as number | undefined) ?? 1);
  material.opacity = opacity;
  const transparent = opacity < 0.999;
  if (material.transparent !== transparent) {
    material.transparent = transparent;
    material.depthWrite = !transparent;
    material.needsUpdate = true;
  }
}
