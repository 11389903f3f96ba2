// Frames of bodies and sites (x red, y green, z blue), names, and the outline of what is chosen.

import {
  BackSide, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, type PerspectiveCamera, Quaternion,
  ShaderMaterial, Vector2, Vector3,
} from "three";
import type { Bodies } from "./bodies.ts";
import type { SceneInfo } from "./format.ts";
import { theme } from "./look.ts";
import { dynamic } from "./patches.ts";
import { settings } from "./settings.ts";

export class Axes {
  readonly lines: LineSegments;
  private readonly position: Float32Array;
  private readonly sites: Matrix4[];
  size = 0.1;

  constructor(private readonly scene: SceneInfo) {
    this.sites = scene.sites.map((site) => new Matrix4().compose(
      new Vector3(...site.pos), new Quaternion(site.quat[1], site.quat[2], site.quat[3], site.quat[0]), new Vector3(1, 1, 1)));
    const count = scene.bodies.length + scene.sites.length;
    this.position = new Float32Array(18 * count);
    const color = new Float32Array(18 * count);
    const rgb = [0xd6453d, 0x3f9b4f, 0x3a6fd8].map((c) => new Color(c));
    for (let i = 0; i < count; i++) for (let a = 0; a < 3; a++) for (let end = 0; end < 2; end++) rgb[a].toArray(color, 18 * i + 6 * a + 3 * end);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", dynamic(this.position, 3));
    geometry.setAttribute("color", dynamic(color, 3));
    this.lines = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true }));
    this.lines.frustumCulled = false;
  }

  update(poses: Matrix4[]): void {
    this.lines.visible = settings.frames;
    if (!settings.frames) return;
    const m = new Matrix4();
    poses.forEach((pose, i) => this.put(i, pose, this.size));
    this.scene.sites.forEach((site, i) => this.put(poses.length + i, m.multiplyMatrices(poses[site.body], this.sites[i]), this.size * 0.6));
    this.lines.geometry.getAttribute("position").needsUpdate = true;
  }

  private put(i: number, pose: Matrix4, size: number): void {
    const e = pose.elements, p = this.position;
    for (let a = 0; a < 3; a++) {
      for (let c = 0; c < 3; c++) {
        p[18 * i + 6 * a + c] = e[12 + c];
        p[18 * i + 6 * a + 3 + c] = e[12 + c] + size * e[4 * a + c];
      }
    }
  }
}

/** Names on a plain canvas over the picture. */
export class Names {
  private readonly place = new Vector3();

  constructor(private readonly scene: SceneInfo, private readonly bodies: Bodies) {}

  draw(ctx: CanvasRenderingContext2D, camera: PerspectiveCamera, width: number, height: number): void {
    if (!settings.names) return;
    ctx.font = "12px system-ui, sans-serif";
    ctx.textAlign = "center";
    ctx.lineJoin = "round";
    ctx.lineWidth = 3;
    const dark = settings.theme === "dark";
    ctx.strokeStyle = dark ? "rgba(15,18,22,.85)" : "rgba(255,255,255,.85)";
    ctx.fillStyle = dark ? "#e8edf3" : "#1d2630";
    for (let b = 1; b < this.scene.bodies.length; b++) {
      this.place.setFromMatrixPosition(this.bodies.poses[b]).project(camera);
      if (this.place.z > 1 || this.place.z < -1) continue;
      const x = ((this.place.x + 1) / 2) * width, y = ((1 - this.place.y) / 2) * height;
      const name = this.scene.bodies[b].name || `body ${b}`;
      ctx.strokeText(name, x, y - 4);
      ctx.fillText(name, x, y - 4);
    }
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
