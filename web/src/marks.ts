// Frames of bodies and sites (x red, y green, z blue), names, and the outline of what is chosen.

import { BackSide, Color, Group, Matrix4, Mesh, type PerspectiveCamera, Quaternion, ShaderMaterial, Vector2, Vector3 } from "three";
import { Arrows } from "./arrows.ts";
import type { Bodies } from "./bodies.ts";
import type { SceneInfo } from "./format.ts";
import { theme } from "./look.ts";
import { settings } from "./settings.ts";

/** The axes of frames, with some thickness. */
export class Axes {
  readonly group = new Group();
  private readonly axes = [0xd6453d, 0x3f9b4f, 0x3a6fd8].map((color) => new Arrows(color));
  private readonly sites: Matrix4[];
  size = 0.1;

  constructor(private readonly scene: SceneInfo) {
    this.sites = scene.sites.map((site) => new Matrix4().compose(
      new Vector3(...site.pos), new Quaternion(site.quat[1], site.quat[2], site.quat[3], site.quat[0]), new Vector3(1, 1, 1)));
    for (const axis of this.axes) this.group.add(axis.group);
  }

  update(poses: Matrix4[]): void {
    this.group.visible = settings.frames;
    if (!settings.frames) return;
    const m = new Matrix4();
    for (const axis of this.axes) axis.begin();
    for (const pose of poses) this.put(pose, this.size);
    this.scene.sites.forEach((site, i) => this.put(m.multiplyMatrices(poses[site.body], this.sites[i]), this.size * 0.6));
    for (const axis of this.axes) axis.end();
  }

  private put(pose: Matrix4, size: number): void {
    const e = pose.elements;
    this.axes.forEach((axis, a) => axis.add(e[12], e[13], e[14], size * e[4 * a], size * e[4 * a + 1], size * e[4 * a + 2], 0.02 * size));
  }
}

interface Label { x: number; y: number; w: number; h: number }

/** Names on a plain canvas over the picture: near bodies first, and none over another. */
export class Names {
  /** How many names found no place in the last picture. */
  left = 0;
  private readonly place = new Vector3();

  constructor(private readonly scene: SceneInfo, private readonly bodies: Bodies) {}

  draw(ctx: CanvasRenderingContext2D, camera: PerspectiveCamera, width: number, height: number, chosen: number | null): Label[] {
    if (!settings.names) return [];
    const dark = settings.theme === "dark", taken: Label[] = [];
    ctx.font = "12px system-ui, sans-serif";
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    const wanted: { text: string; x: number; y: number; depth: number }[] = [];
    for (let b = 1; b < this.scene.bodies.length; b++) {
      this.place.setFromMatrixPosition(this.bodies.poses[b]).project(camera);
      if (this.place.z > 1 || this.place.z < -1 || Math.abs(this.place.x) > 1 || Math.abs(this.place.y) > 1) continue;
      const text = this.scene.bodies[b].name || `body ${b}`;
      wanted.push({ text, x: ((this.place.x + 1) / 2) * width, y: ((1 - this.place.y) / 2) * height, depth: b === chosen ? -2 : this.place.z });
    }
    wanted.sort((a, b) => a.depth - b.depth);
    for (const { text, x, y } of wanted) {
      const w = ctx.measureText(text).width + 8, h = 16;
      const places: Label[] = [[8, -20], [8, 4], [-8 - w, -20], [-8 - w, 4], [-w / 2, -30], [-w / 2, 14]].map(([dx, dy]) => ({ x: x + dx, y: y + dy, w, h }));
      const free = places.find((p) => p.x >= 0 && p.y >= 0 && p.x + w <= width && p.y + h <= height && taken.every((t) => p.x >= t.x + t.w || t.x >= p.x + p.w || p.y >= t.y + t.h || t.y >= p.y + p.h));
      if (!free) continue;
      taken.push(free);
      // A line from the body to its name, and the name on a plate.
      ctx.strokeStyle = ctx.fillStyle = dark ? "#b8c2cd" : "#48535f";
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(x, y);
      ctx.lineTo(Math.max(free.x, Math.min(free.x + w, x)), Math.max(free.y, Math.min(free.y + h, y)));
      ctx.stroke();
      ctx.beginPath();
      ctx.arc(x, y, 2, 0, 7);
      ctx.fill();
      ctx.fillStyle = dark ? "rgba(15,18,22,.82)" : "rgba(255,255,255,.86)";
      ctx.beginPath();
      ctx.roundRect(free.x, free.y, w, h, 4);
      ctx.fill();
      ctx.fillStyle = dark ? "#e8edf3" : "#1d2630";
      ctx.fillText(text, free.x + 4, free.y + h / 2 + 0.5);
    }
    this.left = wanted.length - taken.length;
    if (this.left > 0) {
      ctx.fillStyle = dark ? "#b8c2cd" : "#48535f";
      ctx.textAlign = "right";
      ctx.fillText(`${this.left} more name${this.left === 1 ? "" : "s"}: come nearer`, width - 12, 14);
    }
    ctx.textBaseline = "alphabetic";
    return taken;
  }
}

/** A rim around the chosen body, as wide on screen at any distance. */
export class Outline {
  readonly group = new Group();
  private readonly material = new ShaderMaterial({
    side: BackSide,
    uniforms: { color: { value: new Color() }, pixel: { value: new Vector2() } },
    vertexShader: `uniform vec2 pixel;
      void main() {
        vec4 at = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
        vec4 out4 = projectionMatrix * vec4(normalize(mat3(modelViewMatrix) * normal), 0.0);
        vec2 way = out4.xy;
        float n = length(way);
        if (n > 1e-6) at.xy += way / n * pixel * at.w;
        gl_Position = at;
      }`,
    fragmentShader: "uniform vec3 color; void main() { gl_FragColor = vec4(color, 1.0); }",
  });

  show(bodies: Bodies, body: number | null, width: number, height: number): void {
    this.group.clear();
    if (body === null || body === 0) return;
    const color = theme().select;
    this.material.uniforms.color.value.setStyle(color, "srgb-linear"); // written to the screen as it is
    this.material.uniforms.pixel.value.set(8 / width, 8 / height);
    for (const { geometry, matrix } of bodies.surfacesOf(body)) {
      const mesh = new Mesh(geometry, this.material);
      mesh.matrixAutoUpdate = false;
      mesh.matrix.copy(matrix);
      mesh.frustumCulled = false;
      this.group.add(mesh);
    }
  }
}
