// Half-spaces, and the grid that shows how large things are. Scenes without a floor get the grid alone, under
// their lowest body, so that shadows have somewhere to fall.

import {
  Color, DoubleSide, Group, Matrix4, Mesh, PlaneGeometry, Quaternion, ShaderMaterial, UniformsLib, UniformsUtils, Vector2, Vector3,
} from "three";
import { shown } from "./bodies.ts";
import type { SceneInfo } from "./format.ts";
import { theme } from "./look.ts";
import { settings } from "./settings.ts";

// A plane is lit evenly, so its colour is given as it shall look; only shadows are computed.
const VERTEX = `
  #include <common>
  #include <shadowmap_pars_vertex>
  varying vec2 vGrid; varying vec3 vPlace;
  void main() {
    #include <beginnormal_vertex>
    #include <defaultnormal_vertex>
    #include <begin_vertex>
    #include <project_vertex>
    #include <worldpos_vertex>
    #include <shadowmap_vertex>
    vPlace = (modelMatrix * vec4(position, 1.0)).xyz;
    // Metres along the plane's own axes, from the world's origin.
    vGrid = vec2(dot(vPlace, normalize(modelMatrix[0].xyz)), dot(vPlace, normalize(modelMatrix[1].xyz)));
  }`;
const FRAGMENT = `
  #include <common>
  #include <packing>
  #include <lights_pars_begin>
  #include <shadowmap_pars_fragment>
  #include <shadowmask_pars_fragment>
  varying vec2 vGrid; varying vec3 vPlace;
  uniform vec3 ground; uniform float shade; uniform float cell; uniform vec3 line; uniform float lineAlpha; uniform vec2 fade; uniform vec3 center;
  float lines(vec2 at, float width) {
    vec2 w = max(fwidth(at), 1e-6);
    vec2 d = abs(fract(at - 0.5) - 0.5);
    vec2 a = (1.0 - smoothstep(vec2(0.0), w * width, d)) * (1.0 - smoothstep(0.25, 0.6, w));
    return max(a.x, a.y);
  }
  void main() {
    float on = max(0.5 * lines(vGrid / cell, 1.1), lines(vGrid / (5.0 * cell), 1.4));
    vec3 color = mix(ground, line, on * lineAlpha) * mix(shade, 1.0, getShadowMask());
    float alpha = 1.0;
    #ifndef BOUNDED
      alpha = 1.0 - smoothstep(fade.x, fade.y, distance(vPlace, center));
    #endif
    gl_FragColor = vec4(color, alpha);
    #include <colorspace_fragment>
  }`;

interface Plane { mesh: Mesh; geom: number; local: Matrix4; bounded: boolean }

export class Ground {
  readonly group = new Group();
  /** Side of a square of the grid, m. */
  cell = 0.1;
  private readonly planes: Plane[] = [];
  private readonly reference: Mesh;
  private readonly uniforms = {
    ground: { value: new Color() }, shade: { value: 0.6 }, cell: { value: 0.1 }, line: { value: new Color() }, lineAlpha: { value: 0.3 },
    fade: { value: new Vector2(1, 2) }, center: { value: new Vector3() },
  };

  constructor(private readonly scene: SceneInfo) {
    scene.geoms.forEach((geom, i) => {
      if (geom.shape.type !== "half-space") return;
      const [sx, sy] = geom.shape.size, bounded = sx > 0 && sy > 0;
      const mesh = this.plane(bounded);
      mesh.userData.geom = i;
      const local = new Matrix4().compose(
        new Vector3(...geom.pos), new Quaternion(geom.quat[1], geom.quat[2], geom.quat[3], geom.quat[0]),
        new Vector3(bounded ? 2 * sx : 1, bounded ? 2 * sy : 1, 1));
      this.planes.push({ mesh, geom: i, local, bounded });
      this.group.add(mesh);
    });
    this.reference = this.plane(false);
    this.reference.matrixAutoUpdate = false;
    if (this.planes.length === 0) this.group.add(this.reference);
    this.paint();
  }

  /** What a click on a plane means. */
  get pickable(): Mesh[] { return this.planes.map((plane) => plane.mesh); }

  paint(): void {
    const colors = theme();
    this.uniforms.ground.value.set(colors.ground);
    this.uniforms.shade.value = colors.shade;
    this.uniforms.line.value.set(colors.line);
    this.uniforms.lineAlpha.value = settings.grid ? colors.lineAlpha : 0;
    this.reference.visible = settings.grid;
  }

  /** Fits grid and fading to a scene of this place, size and floor height. */
  fit(center: Vector3, radius: number, lowest: number): void {
    const wanted = radius / 4, decade = 10 ** Math.floor(Math.log10(wanted));
    this.cell = decade * (wanted / decade >= 5 ? 5 : wanted / decade >= 2 ? 2 : 1);
    this.uniforms.cell.value = this.cell;
    this.uniforms.fade.value.set(radius * 3, radius * 11);
    this.uniforms.center.value.copy(center);
    const size = radius * 26;
    this.reference.matrix.makeScale(size, size, 1).setPosition(center.x, center.y, lowest);
    for (const plane of this.planes) {
      if (plane.bounded) continue;
      const geom = this.scene.geoms[plane.geom];
      plane.local.compose(new Vector3(...geom.pos), new Quaternion(geom.quat[1], geom.quat[2], geom.quat[3], geom.quat[0]), new Vector3(1, 1, 1));
      const near = center.clone().applyMatrix4(plane.local.clone().invert());
      plane.local.multiply(new Matrix4().makeTranslation(near.x, near.y, 0)).multiply(new Matrix4().makeScale(size, size, 1));
    }
  }

  /** Puts the planes where their bodies are. */
  update(bodyMatrix: (body: number) => Matrix4): void {
    for (const plane of this.planes) {
      const geom = this.scene.geoms[plane.geom];
      plane.mesh.matrix.multiplyMatrices(bodyMatrix(geom.body), plane.local);
      plane.mesh.visible = shown(geom);
    }
  }

  private plane(bounded: boolean): Mesh {
    const material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, lights: true, transparent: true, side: DoubleSide, depthWrite: false,
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, defines: bounded ? { BOUNDED: 1 } : {},
    });
    material.uniforms = { ...UniformsUtils.clone(UniformsLib.lights), ...this.uniforms };
    const mesh = new Mesh(new PlaneGeometry(1, 1), material);
    mesh.matrixAutoUpdate = false;
    mesh.receiveShadow = true;
    mesh.renderOrder = -1;
    mesh.frustumCulled = false;
    return mesh;
  }
}
