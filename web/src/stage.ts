// The stage: renderer, lights, camera, and how much care a picture gets while things move.
//
// Two scenes are drawn one over the other: `scene` with everything, then `front` with the marks (patches, arrows)
// once more, faintly and over all bodies, so that what happens inside a contact can be seen.

import {
  Color, DirectionalLight, HemisphereLight, NeutralToneMapping, NoToneMapping, PCFShadowMap, PerspectiveCamera, Scene, SRGBColorSpace, type Texture, Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { studio } from "./environment.ts";
import { finish, theme } from "./look.ts";
import { settings } from "./settings.ts";

/** From best to fastest; the share is of the screen's own resolution, but at least so many pixels stay. */
const LEVELS = [
  { shadows: true, share: 1, words: "" },
  { shadows: false, share: 1, words: "shadows rest while moving" },
  { shadows: false, share: 0.75, words: "shadows rest, coarser while moving" },
  { shadows: false, share: 0.5, words: "shadows rest, half resolution while moving" },
];

/** Pictures until the running mean has forgotten the level before. */
const SETTLED = 15;

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly front = new Scene();
  readonly camera = new PerspectiveCamera(38, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  /** True where no graphics card draws: pictures are then drawn plain while moving, fine at rest. */
  readonly software: boolean;
  level: number;
  /** Pictures are for a film: one sample a pixel is enough without a graphics card. */
  filming = false;
  drawn = 0;
  /** Milliseconds between pictures while moving, a running mean. */
  interval = 16;
  private readonly hemisphere = new HemisphereLight();
  private readonly sun = new DirectionalLight();
  private readonly fill = new DirectionalLight();
  private studio: Texture | null = null;
  private lastMoving = 0;
  private slow = 0;
  private quick = 0;
  private patience = 90;
  /** Pictures since the level changed, the interval before that, and the level below which nothing is gained. */
  private since = SETTLED;
  private before = Infinity;
  private plainest = LEVELS.length - 1;
  private width = 1;
  private height = 1;

  constructor(canvas: HTMLCanvasElement) {
    this.software = isSoftware();
    // An opaque canvas: the browser need not blend it with the page.
    const context = canvas.getContext("webgl2", { alpha: false, depth: true, stencil: false, antialias: !this.software, powerPreference: "high-performance" });
    this.renderer = new WebGLRenderer({ canvas, ...(context ? { context } : {}) });
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.autoClear = false;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.level = this.software ? 1 : 0;
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.maxPolarAngle = Math.PI * 0.98;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 4;
    this.sun.shadow.bias = -0.0004;
    for (const light of [this.hemisphere, this.sun, this.sun.target, this.fill, this.fill.target]) this.scene.add(light);
    this.paint();
  }

  /** Colours and lights of the theme and the look; bodies made after a change of look have its materials. */
  paint(): void {
    const colors = theme(), { scene, renderer } = this;
    // Without a graphics card the fine look is for pictures alone.
    finish.fine = settings.look === "full" && !(this.software && settings.quality === "auto");
    if (finish.fine) this.studio ??= studio(renderer);
    scene.environment = finish.fine ? this.studio : null;
    scene.environmentIntensity = colors.studio;
    renderer.toneMapping = finish.fine ? NeutralToneMapping : NoToneMapping;
    renderer.toneMappingExposure = colors.exposure;
    this.scene.background = new Color(colors.sky);
    this.hemisphere.color.set(colors.skyLight);
    this.hemisphere.groundColor.set(colors.groundLight);
    this.hemisphere.position.set(0, 0, 1);
    this.hemisphere.intensity = finish.fine ? 0 : colors.ambient;
    this.sun.intensity = colors.sun;
    this.fill.intensity = finish.fine ? 0 : colors.fill;
  }

  /** Lights and clipping planes for a scene of this place and size. */
  light(center: Vector3, radius: number): void {
    const r = Math.max(radius, 1e-3);
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).add(new Vector3(-0.55, -0.35, 1.25).multiplyScalar(4 * r));
    this.fill.target.position.copy(center);
    this.fill.position.copy(center).add(new Vector3(0.9, -0.6, 0.25).multiplyScalar(4 * r));
    const eye = this.sun.shadow.camera;
    eye.left = eye.bottom = -1.7 * r;
    eye.right = eye.top = 1.7 * r;
    eye.near = 0.5 * r;
    eye.far = 12 * r;
    eye.updateProjectionMatrix();
    this.sun.shadow.normalBias = r * 0.0035;
  }

  resize(width: number, height: number): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.camera.aspect = this.width / this.height;
    this.camera.updateProjectionMatrix();
  }

  /** Draws. `moving` says whether another picture follows soon; `dt` is the time since the last, in ms. */
  draw(moving: boolean, dt: number): void {
    if (moving && settings.quality === "auto") this.govern(dt);
    const level = moving && settings.quality === "auto" ? LEVELS[this.level] : LEVELS[0];
    const own = Math.min(window.devicePixelRatio, 2);
    // At rest without a graphics card there is time for four samples a pixel instead.
    const ratio = this.software && !this.filming && (!moving || settings.quality === "full") ? Math.max(2, own) : own * level.share;
    if (this.renderer.getPixelRatio() !== ratio || this.sizeChanged()) {
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(this.width, this.height, false);
    }
    this.sun.castShadow = settings.shadows && level.shadows;
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(distance / 100, 1e-4);
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.renderer.clear();
    this.renderer.render(this.scene, this.camera);
    if (settings.through && this.front.children.some((child) => child.visible)) {
      this.renderer.clearDepth();
      this.renderer.render(this.front, this.camera);
    }
    this.drawn++;
  }

  /** Height of what the picture shows at the point that the camera turns about, m. */
  get heightSeen(): number {
    return 2 * Math.tan((this.camera.fov * Math.PI) / 360) * this.camera.position.distanceTo(this.controls.target);
  }

  private sizeChanged(): boolean {
    const canvas = this.renderer.domElement, ratio = this.renderer.getPixelRatio();
    return canvas.width !== Math.floor(this.width * ratio) || canvas.height !== Math.floor(this.height * ratio);
  }

  /** Goes to a faster level when pictures come too slowly, and carefully back. */
  private govern(dt: number): void {
    const now = performance.now();
    const pause = now - this.lastMoving > 300;
    this.lastMoving = now;
    if (pause || dt > 1000) return; // the first after a rest says nothing
    this.interval += (dt - this.interval) * 0.15;
    this.slow = this.interval > 31 ? this.slow + 1 : 0;
    this.quick = this.interval < 19 ? this.quick + 1 : 0;
    this.since++;
    if (this.since === SETTLED && this.before < 45 && this.interval > 0.93 * this.before && this.level > 0) {
      // Leaving things out did not help: what holds the page up is something else (a screen of 30 Hz, say).
      this.level--;
      this.plainest = this.level;
    } else if (this.slow > 5 && this.since > SETTLED && this.level < this.plainest) {
      this.change(Math.min(this.plainest, this.level + (this.interval > 60 ? 2 : 1)));
      this.patience = Math.min(2000, this.patience * 2);
    } else if (this.quick > this.patience && this.level > 0) {
      this.change(this.level - 1);
      this.before = Infinity;
    }
  }

  private change(level: number): void {
    this.level = level;
    this.before = this.interval;
    this.since = this.slow = this.quick = 0;
  }

  /** What the page says about the care taken, or nothing when all of it is. */
  get words(): string {
    return settings.quality === "auto" ? LEVELS[this.level].words : "";
  }
}

function isSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return false;
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
