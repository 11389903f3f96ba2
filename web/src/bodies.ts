// Bodies, drawn as instances: geoms with the same surface are one draw call. Compliant geoms that can bend are
// drawn one by one, cut at their contact patches (deform.ts).

import {
  Box3, BufferAttribute, BufferGeometry, type Camera, type Color, DynamicDrawUsage, Group, InstancedMesh, LineBasicMaterial, LineSegments, Matrix3,
  Matrix4, Mesh, Quaternion, Vector3,
} from "three";
import { findHiding, type Wall } from "./cutaway.ts";
import type { Frame } from "./decode.ts";
import { HeightMap } from "./deform.ts";
import type { Geom } from "./format.ts";
import { applyOpacity, type BodyMaterial, bodyMaterial, colorsOf, LAYERS, theme } from "./look.ts";
import type { Recording } from "./recording.ts";
import { settings } from "./settings.ts";
import { bendable, drawable, tetEdges } from "./shapes.ts";

interface Batch { mesh: InstancedMesh; geoms: number[]; locals: Matrix4[] }

interface Solid {
  geom: number; mesh: Mesh; local: Matrix4;
  rest: Float32Array; restNormals: Float32Array;
  position: BufferAttribute; normal: BufferAttribute; bent: boolean;
}

/** Whether the chosen kind of shapes has this geom. */
export const shown = ({ role }: Geom): boolean =>
  settings.shapes === "all" || role === "both" || role === settings.shapes;

export class Bodies {
  readonly group = new Group();
  /** World pose of each body. */
  readonly poses: Matrix4[];
  /** Box of each geom in its own frame; none for unbounded ones. */
  private readonly boxes: (Box3 | null)[];
  private batches: Batch[] = [];
  private readonly solids: Solid[] = [];
  private readonly wires: { lines: LineSegments; geom: number; local: Matrix4 }[] = [];
  private readonly locals: Matrix4[];
  private readonly colors: Color[];
  private readonly walls: (Wall & { mesh: InstancedMesh })[] = [];
  private readonly scratch = new Matrix4();

  constructor(private readonly recording: Recording) {
    const scene = recording.scene!;
    this.poses = scene.bodies.map(() => new Matrix4());
    this.locals = scene.geoms.map((geom) => new Matrix4().compose(
      new Vector3(...geom.pos), new Quaternion(geom.quat[1], geom.quat[2], geom.quat[3], geom.quat[0]), new Vector3(1, 1, 1)));
    this.boxes = scene.geoms.map(() => null);
    this.colors = colorsOf(scene);
    const byKey = new Map<string, { geoms: number[]; scales: [number, number, number][]; make: () => BufferGeometry; layer: number }>();
    // Geoms of one body may have faces in the same place: each of its geoms has a layer.
    const before = new Map<number, number>();
    scene.geoms.forEach((geom, i) => {
      const look = drawable(geom.shape, recording.buffers);
      if (!look) return;
      const layer = (before.get(geom.body) ?? 0) % LAYERS;
      before.set(geom.body, layer + 1);
      if (geom.compliant) {
        const geometry = bendable(geom.shape, recording.buffers);
        if (geometry) {
          this.addSolid(i, geom, geometry, layer);
          return;
        }
      }
      // Fixed things are drawn one by one: those that hide what happens fade.
      const key = `${look.key}|${geom.color[3]}|${geom.material}|${geom.role}|${layer}|${geom.body === 0 ? i : ""}`;
      const list = byKey.get(key) ?? { geoms: [], scales: [], make: look.make, layer };
      list.geoms.push(i);
      list.scales.push(look.scale);
      byKey.set(key, list);
    });
    const surfaces = new Map<string, BufferGeometry>();
    for (const [key, { geoms, scales, make, layer }] of byKey) {
      const surfaceKey = key.split("|")[0];
      const geometry = surfaces.get(surfaceKey) ?? make();
      surfaces.set(surfaceKey, geometry);
      geometry.computeBoundingBox();
      const mesh = new InstancedMesh(geometry, bodyMaterial(scene.geoms[geoms[0]], scene, this.colors[geoms[0]], layer, false), geoms.length);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.castShadow = scene.geoms[geoms[0]].color[3] > 0.5;
      mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      mesh.userData.geoms = geoms;
      const locals = geoms.map((i, k) => this.locals[i].clone().scale(new Vector3(...scales[k])));
      geoms.forEach((i, k) => {
        mesh.setColorAt(k, this.colors[i]);
        const box = geometry.boundingBox!.clone(), scale = new Vector3(...scales[k]);
        box.min.multiply(scale);
        box.max.multiply(scale);
        this.boxes[i] = box;
        if (scene.geoms[i].body === 0) this.walls.push({ box, inverse: this.locals[i].clone().invert(), hides: false, mesh });
      });
      this.batches.push({ mesh, geoms, locals });
      this.group.add(mesh);
    }
    this.applySettings();
  }

  private addSolid(i: number, geom: Geom, geometry: BufferGeometry, layer: number): void {
    const mesh = new Mesh(geometry, bodyMaterial(geom, this.recording.scene!, this.colors[i], layer, true));
    mesh.matrixAutoUpdate = false;
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    mesh.userData.geoms = [i];
    geometry.computeBoundingBox();
    this.boxes[i] = geometry.boundingBox!.clone();
    const position = geometry.getAttribute("position") as BufferAttribute, normal = geometry.getAttribute("normal") as BufferAttribute;
    position.setUsage(DynamicDrawUsage);
    normal.setUsage(DynamicDrawUsage);
    this.solids.push({
      geom: i, mesh, local: this.locals[i], position, normal, bent: false,
      rest: (position.array as Float32Array).slice(), restNormals: (normal.array as Float32Array).slice(),
    });
    this.group.add(mesh);
  }

  /** Meshes a click can hit; `userData.geoms[instance]` is the geom. */
  get pickable(): Mesh[] { return [...this.batches.map((batch) => batch.mesh), ...this.solids.map((solid) => solid.mesh)]; }

  applySettings(): void {
    const scene = this.recording.scene!;
    for (const { mesh, geoms } of this.batches) {
      mesh.visible = settings.bodies && shown(scene.geoms[geoms[0]]);
      applyOpacity(mesh.material as BodyMaterial);
    }
    for (const { mesh, geom } of this.solids) {
      mesh.visible = settings.bodies && shown(scene.geoms[geom]);
      applyOpacity(mesh.material as BodyMaterial);
    }
    if (settings.tets && this.wires.length === 0) this.makeWires();
    for (const { lines } of this.wires) {
      lines.visible = settings.tets;
      (lines.material as LineBasicMaterial).color.set(theme().tets);
    }
  }

  private makeWires(): void {
    const material = new LineBasicMaterial({ transparent: true, opacity: 0.55, color: theme().tets });
    const made = new Map<number, BufferGeometry>();
    this.recording.scene!.geoms.forEach((geom, i) => {
      const solid = geom.solid === null ? undefined : this.recording.buffers.get(geom.solid);
      if (!solid) return;
      const geometry = made.get(solid.id) ?? new BufferGeometry();
      if (!made.has(solid.id)) geometry.setAttribute("position", new BufferAttribute(tetEdges(solid), 3));
      made.set(solid.id, geometry);
      const lines = new LineSegments(geometry, material);
      lines.matrixAutoUpdate = false;
      lines.frustumCulled = false;
      this.wires.push({ lines, geom: i, local: this.locals[i] });
      this.group.add(lines);
      lines.matrix.multiplyMatrices(this.poses[geom.body], this.locals[i]);
    });
  }

  update(frame: Frame): void {
    const p = frame.poses, at = new Vector3(), turn = new Quaternion(), one = new Vector3(1, 1, 1);
    for (let b = 0; b < this.poses.length; b++) {
      at.set(p[7 * b], p[7 * b + 1], p[7 * b + 2]);
      turn.set(p[7 * b + 4], p[7 * b + 5], p[7 * b + 6], p[7 * b + 3]);
      this.poses[b].compose(at, turn, one);
    }
    const geoms = this.recording.scene!.geoms;
    for (const { mesh, geoms: list, locals } of this.batches) {
      if (!mesh.visible) continue;
      const array = mesh.instanceMatrix.array;
      list.forEach((i, k) => this.scratch.multiplyMatrices(this.poses[geoms[i].body], locals[k]).toArray(array, 16 * k));
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // for picking
    }
    for (const solid of this.solids) solid.mesh.matrix.multiplyMatrices(this.poses[geoms[solid.geom].body], solid.local);
    for (const wire of this.wires) wire.lines.matrix.multiplyMatrices(this.poses[geoms[wire.geom].body], wire.local);
    if (this.solids.length > 0) this.bend(frame);
  }

  private bend(frame: Frame): void {
    const maps = frame.patches.map((patch) => (settings.deform && patch.starts.length > 1 ? new HeightMap(patch) : null));
    const inverse = new Matrix3(), normal = new Vector3(), point = new Vector3();
    for (const solid of this.solids) {
      const touching: { map: HeightMap; toward: 1 | -1 }[] = [];
      frame.patches.forEach((patch, i) => {
        const map = maps[i];
        if (map && patch.geomA === solid.geom) touching.push({ map, toward: 1 });
        else if (map && patch.geomB === solid.geom) touching.push({ map, toward: -1 });
      });
      if (!solid.bent && touching.length === 0) continue;
      const position = solid.position.array as Float32Array, normals = solid.normal.array as Float32Array;
      position.set(solid.rest);
      normals.set(solid.restNormals);
      const world = solid.mesh.matrix;
      inverse.setFromMatrix4(world).transpose(); // a rotation
      for (const { map, toward } of touching) {
        const n = map.normal;
        normal.set(n[0], n[1], n[2]).applyMatrix3(inverse);
        for (let v = 0; v < position.length; v += 3) {
          point.set(position[v], position[v + 1], position[v + 2]).applyMatrix4(world);
          const move = map.shift(point.x, point.y, point.z, toward);
          if (move === 0) continue;
          position[v] += move * normal.x;
          position[v + 1] += move * normal.y;
          position[v + 2] += move * normal.z;
          normals[v] = toward * normal.x;
          normals[v + 1] = toward * normal.y;
          normals[v + 2] = toward * normal.z;
        }
      }
      solid.position.needsUpdate = solid.normal.needsUpdate = true;
      solid.bent = touching.length > 0;
    }
  }

  /** Surfaces of a body with their world matrices, for the outline of what is chosen. */
  surfacesOf(body: number): { geometry: BufferGeometry; matrix: Matrix4 }[] {
    const scene = this.recording.scene!, found: { geometry: BufferGeometry; matrix: Matrix4 }[] = [];
    for (const { mesh, geoms, locals } of this.batches) {
      if (!mesh.visible) continue;
      geoms.forEach((i, k) => {
        if (scene.geoms[i].body === body) found.push({ geometry: mesh.geometry, matrix: this.poses[body].clone().multiply(locals[k]) });
      });
    }
    for (const solid of this.solids) {
      if (solid.mesh.visible && scene.geoms[solid.geom].body === body) found.push({ geometry: solid.mesh.geometry, matrix: solid.mesh.matrix });
    }
    return found;
  }

  /** The box around a geom in the world at a frame; false if it has none. */
  boxOf(geom: number, frame: Frame, out: Box3): boolean {
    const box = this.boxes[geom];
    if (!box) return false;
    const { body } = this.recording.scene!.geoms[geom], p = frame.poses;
    const turn = new Quaternion(p[7 * body + 4], p[7 * body + 5], p[7 * body + 6], p[7 * body + 3]);
    const pose = this.scratch.compose(new Vector3(p[7 * body], p[7 * body + 1], p[7 * body + 2]), turn, new Vector3(1, 1, 1)).multiply(this.locals[geom]);
    out.copy(box).applyMatrix4(pose);
    return true;
  }

  /** The box around what is shown of a body; null if that is nothing. */
  boxOfBody(body: number, frame: Frame): Box3 | null {
    const whole = new Box3(), part = new Box3();
    this.recording.scene!.geoms.forEach((geom, i) => {
      if (geom.body === body && shown(geom) && this.boxOf(i, frame, part)) whole.union(part);
    });
    return whole.isEmpty() ? null : whole;
  }

  /** Fades the fixed things that stand before what moves; true if something changed. */
  cutAway(camera: Camera): boolean {
    const points: Vector3[] = [], stride = Math.max(1, Math.floor(this.poses.length / 40));
    for (let b = 1; b < this.poses.length; b += stride) points.push(new Vector3().setFromMatrixPosition(this.poses[b]));
    if (!findHiding(this.walls, settings.cutaway ? points : [], camera)) return false;
    for (const { mesh, hides } of this.walls) {
      const material = mesh.material as BodyMaterial;
      material.userData.faded = hides ? 0.16 : 1;
      applyOpacity(material);
    }
    return true;
  }

  dispose(): void {
    for (const mesh of this.pickable) {
      mesh.geometry.dispose();
      (mesh.material as BodyMaterial).dispose();
    }
    for (const { lines } of this.wires) lines.geometry.dispose();
  }
}

