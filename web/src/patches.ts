// Contact patches, all in one mesh, coloured by pressure on the legend's scale. Where a patch reaches beyond the
// contact (pressure below zero) it is cut at zero.

import {
  BufferAttribute, BufferGeometry, ClampToEdgeWrapping, DataTexture, DoubleSide, DynamicDrawUsage, LinearFilter,
  LineSegments, Mesh, RGBAFormat, ShaderMaterial, UnsignedByteType,
} from "three";
import { COLORMAP, type Scale, STEPS } from "./colormap.ts";
import type { Frame, Patch } from "./decode.ts";
import { settings } from "./settings.ts";

const VERTEX = `
  attribute float pressure; varying float vPressure;
  void main() {
    vPressure = pressure;
    gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
  }`;

// The table holds colours as the screen takes them, so nothing is lit or converted here.
const FRAGMENT = `
  varying float vPressure;
  uniform sampler2D table; uniform float low; uniform float high; uniform bool logarithmic; uniform float alpha;
  void main() {
    float t = logarithmic ? log(max(vPressure, 1e-30) / low) / log(high / low) : (vPressure - low) / (high - low);
    float steps = ${STEPS}.0;
    gl_FragColor = vec4(texture2D(table, vec2((clamp(t, 0.0, 1.0) * (steps - 1.0) + 0.5) / steps, 0.5)).rgb, alpha);
  }`;

/** Lines a hair nearer than the patch they lie on. */
function lineMaterial(alpha: number): ShaderMaterial {
  return new ShaderMaterial({
    transparent: alpha < 1,
    uniforms: { alpha: { value: alpha } },
    vertexShader: `void main() {
      gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
      gl_Position.z -= 4e-4 * gl_Position.w;
    }`,
    fragmentShader: "uniform float alpha; void main() { gl_FragColor = vec4(1.0, 1.0, 1.0, alpha); }",
  });
}

export class Patches {
  readonly mesh: Mesh;
  readonly ghost: Mesh; // the same, drawn over the bodies
  readonly edges: LineSegments;
  readonly ghostEdges: LineSegments;
  /** The outlines of the patches, in the scene and over it. */
  readonly rim: LineSegments;
  readonly ghostRim: LineSegments;
  private readonly geometry = new BufferGeometry();
  private readonly edgeGeometry = new BufferGeometry();
  private readonly rimGeometry = new BufferGeometry();
  private rimPoints = new Float32Array(0);
  private readonly uniforms;
  private position = new Float32Array(0);
  private pressure = new Float32Array(0);
  private edge = new Float32Array(0);
  /** Index of the patch of each triangle drawn. */
  private owner = new Uint16Array(0);

  constructor() {
    const table = new DataTexture(COLORMAP, STEPS, 1, RGBAFormat, UnsignedByteType);
    table.minFilter = table.magFilter = LinearFilter;
    table.wrapS = table.wrapT = ClampToEdgeWrapping;
    table.needsUpdate = true;
    this.uniforms = { table: { value: table }, low: { value: 0 }, high: { value: 1 }, logarithmic: { value: false } };
    const material = (alpha: number): ShaderMaterial => new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, side: DoubleSide, transparent: alpha < 1,
      uniforms: { ...this.uniforms, alpha: { value: alpha } },
      polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2,
    });
    this.mesh = new Mesh(this.geometry, material(1));
    this.ghost = new Mesh(this.geometry, material(0.62));
    this.edges = new LineSegments(this.edgeGeometry, lineMaterial(0.5));
    this.ghostEdges = new LineSegments(this.edgeGeometry, lineMaterial(0.35));
    this.rim = new LineSegments(this.rimGeometry, lineMaterial(1));
    this.ghostRim = new LineSegments(this.rimGeometry, lineMaterial(0.7));
    for (const object of [this.mesh, this.ghost, this.edges, this.ghostEdges, this.rim, this.ghostRim]) object.frustumCulled = false;
    this.mesh.renderOrder = 1;
    for (const lines of [this.edges, this.ghostEdges, this.rim, this.ghostRim]) lines.renderOrder = 2;
  }

  scale({ min, max, log }: Scale): void {
    this.uniforms.low.value = min;
    this.uniforms.high.value = Math.max(max, min + 1e-30);
    this.uniforms.logarithmic.value = log;
  }

  update(frame: Frame): void {
    this.mesh.visible = this.ghost.visible = this.rim.visible = this.ghostRim.visible = settings.patches && frame.patches.length > 0;
    this.edges.visible = this.ghostEdges.visible = this.mesh.visible && settings.patchMesh;
    if (!this.mesh.visible) return;
    // A cut can add one corner to a face.
    let triangles = 0, corners = 0;
    for (const patch of frame.patches) {
      triangles += patch.indices.length;
      corners += patch.indices.length + patch.starts.length;
    }
    this.reserve(triangles, corners);
    let t = 0, e = 0;
    frame.patches.forEach((patch, which) => {
      for (let f = 0; f + 1 < patch.starts.length; f++) {
        const n = cutFace(patch, f, this.cut);
        const c = this.cut;
        for (let i = 1; i + 1 < n; i++) {
          for (const k of [0, i, i + 1]) {
            const at = 3 * t + (k === 0 ? 0 : k === i ? 1 : 2);
            this.position.set(c.subarray(4 * k, 4 * k + 3), 3 * at);
            this.pressure[at] = c[4 * k + 3];
          }
          this.owner[t++] = which;
        }
        if (settings.patchMesh) {
          for (let i = 0; i < n; i++) {
            const j = (i + 1) % n;
            this.edge.set(c.subarray(4 * i, 4 * i + 3), 6 * e);
            this.edge.set(c.subarray(4 * j, 4 * j + 3), 6 * e++ + 3);
          }
        }
      }
    });
    this.geometry.setDrawRange(0, 3 * t);
    this.geometry.getAttribute("position").needsUpdate = true;
    this.geometry.getAttribute("pressure").needsUpdate = true;
    this.edgeGeometry.setDrawRange(0, 2 * e);
    this.edgeGeometry.getAttribute("position").needsUpdate = true;
    this.geometry.boundingSphere = null;
    let r = 0;
    for (const patch of frame.patches) r = this.addRim(patch, r);
    this.rimGeometry.setDrawRange(0, 2 * r);
    this.rimGeometry.getAttribute("position").needsUpdate = true;
  }

  private readonly loose = new Map<number, number>();
  private readonly places = new Map<number, number>();

  /** For each vertex the first one at the same place: faces need not share vertices. */
  private weld(patch: Patch): Uint32Array {
    const { places } = this, nv = patch.pressure.length, id = new Uint32Array(nv), v = patch.vertices, c = patch.centroid;
    places.clear();
    let reach = 1e-12;
    for (let i = 0; i < v.length; i++) reach = Math.max(reach, Math.abs(v[i] - c[i % 3]));
    const grain = 30000 / reach;
    for (let i = 0; i < nv; i++) {
      let key = 0;
      for (let k = 0; k < 3; k++) key = key * 65536 + Math.round((v[3 * i + k] - c[k]) * grain + 0.2718) + 32000;
      const first = places.get(key);
      id[i] = first ?? i;
      if (first === undefined) places.set(key, i);
    }
    return id;
  }

  /** Adds the edges of a patch that belong to one face only, or where pressure ends; returns how many there are now. */
  private addRim(patch: Patch, count: number): number {
    const { loose } = this, nv = patch.pressure.length, id = this.weld(patch);
    loose.clear();
    for (let f = 0; f + 1 < patch.starts.length; f++) {
      const from = patch.starts[f], n = patch.starts[f + 1] - from;
      for (let i = 0; i < n; i++) {
        const a = patch.indices[from + i], b = patch.indices[from + ((i + 1) % n)];
        if (patch.pressure[a] < 0 || patch.pressure[b] < 0) continue;
        const twin = id[b] * nv + id[a];
        if (loose.has(twin)) loose.delete(twin);
        else if (id[a] !== id[b]) loose.set(id[a] * nv + id[b], a * nv + b);
      }
    }
    for (const edge of loose.values()) {
      const a = Math.floor(edge / nv), b = edge % nv;
      this.rimPoints.set(patch.vertices.subarray(3 * a, 3 * a + 3), 6 * count);
      this.rimPoints.set(patch.vertices.subarray(3 * b, 3 * b + 3), 6 * count++ + 3);
    }
    return count;
  }

  private cut = new Float32Array(4 * 64);

  /** Which patch a hit triangle belongs to. */
  patchOf(triangle: number): number { return this.owner[triangle]; }

  private reserve(triangles: number, corners: number): void {
    if (this.owner.length < triangles) {
      const n = Math.ceil(triangles * 1.5);
      this.position = new Float32Array(9 * n);
      this.pressure = new Float32Array(3 * n);
      this.owner = new Uint16Array(n);
      this.geometry.dispose();
      this.geometry.setAttribute("position", dynamic(this.position, 3));
      this.geometry.setAttribute("pressure", dynamic(this.pressure, 1));
    }
    if (this.rimPoints.length < 6 * corners) {
      this.rimPoints = new Float32Array(Math.ceil(9 * corners));
      this.rimGeometry.dispose();
      this.rimGeometry.setAttribute("position", dynamic(this.rimPoints, 3));
    }
    if (this.edge.length < 6 * corners) {
      this.edge = new Float32Array(Math.ceil(9 * corners));
      this.edgeGeometry.dispose();
      this.edgeGeometry.setAttribute("position", dynamic(this.edge, 3));
    }
  }
}

/** Writes the part of a face under pressure as x y z p a corner; returns how many corners. */
export function cutFace(patch: Patch, face: number, out: Float32Array): number {
  const from = patch.starts[face], count = Math.min(patch.starts[face + 1] - from, 62);
  let n = 0;
  for (let i = 0; i < count; i++) {
    const a = patch.indices[from + i], b = patch.indices[from + ((i + 1) % count)];
    const pa = patch.pressure[a], pb = patch.pressure[b];
    if (pa >= 0) {
      for (let c = 0; c < 3; c++) out[4 * n + c] = patch.vertices[3 * a + c];
      out[4 * n++ + 3] = pa;
    }
    if (pa < 0 !== pb < 0 && pa !== 0 && pb !== 0) {
      const s = pa / (pa - pb);
      for (let c = 0; c < 3; c++) out[4 * n + c] = patch.vertices[3 * a + c] * (1 - s) + patch.vertices[3 * b + c] * s;
      out[4 * n++ + 3] = 0;
    }
  }
  return n;
}

export function dynamic(array: Float32Array, size: number): BufferAttribute {
  const attribute = new BufferAttribute(array, size);
  attribute.setUsage(DynamicDrawUsage);
  return attribute;
}
