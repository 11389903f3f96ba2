// Arrows, many at once: one mesh for shafts and one for heads, each twice (over the bodies faintly).

import {
  BufferGeometry, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedBufferAttribute, InstancedMesh, Matrix4,
  MeshBasicMaterial, MeshLambertMaterial, Quaternion, SphereGeometry, Vector3,
} from "three";

const Z = new Vector3(0, 0, 1);

/** A kind of arrow with its colour; `begin`, `add` for each, `end`. */
export class Arrows {
  readonly group = new Group();
  readonly ghost = new Group();
  private readonly shaft: Instances;
  private readonly head: Instances;
  private readonly matrix = new Matrix4();
  private readonly turn = new Quaternion();
  private readonly direction = new Vector3();
  private readonly size = new Vector3();
  private readonly at = new Vector3();

  constructor(color: number) {
    const shaft = new CylinderGeometry(1, 1, 1, 7, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new ConeGeometry(1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.shaft = new Instances(shaft, color);
    this.head = new Instances(head, color);
    this.group.add(this.shaft.solid, this.head.solid);
    this.ghost.add(this.shaft.faint, this.head.faint);
  }

  set color(color: number) { this.shaft.color = this.head.color = color; }

  begin(): void { this.shaft.count = this.head.count = 0; }

  /** An arrow from a point along a vector of this length, m; `thick` is the radius of its shaft. */
  add(x: number, y: number, z: number, dx: number, dy: number, dz: number, thick: number): void {
    const length = Math.hypot(dx, dy, dz);
    if (!(length > 0)) return;
    this.direction.set(dx / length, dy / length, dz / length);
    this.turn.setFromUnitVectors(Z, this.direction);
    const cone = Math.min(6 * thick, 0.6 * length);
    this.at.set(x, y, z);
    this.shaft.push(this.matrix.compose(this.at, this.turn, this.size.set(thick, thick, length - cone)));
    this.at.addScaledVector(this.direction, length - cone);
    this.head.push(this.matrix.compose(this.at, this.turn, this.size.set(0.42 * cone, 0.42 * cone, cone)));
  }

  end(): void {
    this.shaft.flush();
    this.head.flush();
  }
}

/** Small balls: where bodies touch. */
export class Dots {
  readonly group = new Group();
  private readonly ball: Instances;
  private readonly matrix = new Matrix4();

  constructor(color: number) {
    this.ball = new Instances(new SphereGeometry(1, 8, 6), color);
    this.group.add(this.ball.solid);
  }

  set color(color: number) { this.ball.color = color; }
  begin(): void { this.ball.count = 0; }
  add(x: number, y: number, z: number, radius: number): void {
    this.ball.push(this.matrix.makeScale(radius, radius, radius).setPosition(x, y, z));
  }
  end(): void { this.ball.flush(); }
}

/** Instances that grow; the faint mesh shares their matrices. */
class Instances {
  readonly solid: InstancedMesh;
  readonly faint: InstancedMesh;
  count = 0;
  private capacity = 256;

  constructor(geometry: BufferGeometry, color: number) {
    this.solid = new InstancedMesh(geometry, new MeshLambertMaterial({ color, emissive: color, emissiveIntensity: 0.35, toneMapped: false }), this.capacity);
    this.faint = new InstancedMesh(geometry, new MeshBasicMaterial({ color, transparent: true, opacity: 0.4, toneMapped: false }), this.capacity);
    this.solid.frustumCulled = this.faint.frustumCulled = false;
    this.share();
  }

  set color(color: number) {
    const solid = this.solid.material as MeshLambertMaterial;
    solid.color.set(color);
    solid.emissive.set(color);
    (this.faint.material as MeshBasicMaterial).color.set(color);
  }

  push(matrix: Matrix4): void {
    if (this.count === this.capacity) {
      const old = this.solid.instanceMatrix.array;
      this.capacity *= 2;
      this.solid.dispose(); // frees the old matrices on the card
      this.solid.instanceMatrix = new InstancedBufferAttribute(new Float32Array(16 * this.capacity), 16);
      this.solid.instanceMatrix.array.set(old);
      this.share();
    }
    matrix.toArray(this.solid.instanceMatrix.array, 16 * this.count++);
  }

  private share(): void {
    this.solid.instanceMatrix.setUsage(DynamicDrawUsage);
    this.faint.instanceMatrix = this.solid.instanceMatrix;
  }

  flush(): void {
    this.solid.count = this.faint.count = this.count;
    this.solid.instanceMatrix.needsUpdate = true;
  }
}
