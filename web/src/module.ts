// The simulator as a WebAssembly module (crates/browser): its functions with the types they have here. For the worker
// of the page, and for tests in Node.

/** What the sliders change; factors are of what the model says. */
export interface SimulationSettings { friction: number; stiffness: number; gravity: number; step: number | null; contact: string }

/** A built-in scene or one of the files, where it begins, and with which settings. */
export interface Request { scene?: string; file?: string; keyframe?: string; settings: SimulationSettings }

/** What was loaded, and the memory it takes, bytes. */
export interface About { name: string; step: number; keyframes: string[]; warnings: string[]; memory: number }

interface Exports {
  memory: WebAssembly.Memory;
  stiction_input(length: number): number;
  stiction_output(): number;
  stiction_output_length(): number;
  stiction_last_words(): number;
  stiction_last_words_length(): number;
  stiction_file(pathLength: number): number;
  stiction_forget(): void;
  stiction_load(): number;
  stiction_set(): number;
  stiction_obey(): number;
  stiction_step(steps: number): number;
  stiction_time(): number;
  stiction_scene(): number;
  stiction_frame(): number;
  stiction_controls(): number;
  stiction_state(): number;
  stiction_scenes(): number;
}

/** What the simulator refused, in its words for the person at the page. */
export class Refused extends Error {}
/** It stopped by an error of its own and must be made anew. */
export class Stopped extends Error {}

export class Simulator {
  private readonly exports: Exports;

  constructor(module: WebAssembly.Module) {
    this.exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
  }

  /** Memory in use, bytes. */
  get memory(): number { return this.exports.memory.buffer.byteLength; }

  /** Keeps a file for models to be loaded. */
  file(path: string, content: Uint8Array): void {
    const name = new TextEncoder().encode(path), bytes = new Uint8Array(name.length + content.length);
    bytes.set(name);
    bytes.set(content, name.length);
    this.write(bytes);
    this.run((e) => e.stiction_file(name.length));
  }

  forget(): void { this.exports.stiction_forget(); }

  load(request: Request): About { return this.about(this.text((e) => e.stiction_load(), request)); }

  set(settings: SimulationSettings): About { return this.about(this.text((e) => e.stiction_set(), settings)); }

  /** A message of the live page: a control, a push, its end, a reset. */
  obey(message: object): void { this.text((e) => e.stiction_obey(), message); }

  step(steps = 1): void { this.run((e) => e.stiction_step(steps)); }

  get time(): number { return this.exports.stiction_time(); }

  /** The scene and its buffers, as chunks. */
  scene(): Uint8Array<ArrayBuffer> { return this.run((e) => e.stiction_scene()); }

  /** The present frame, as a chunk. */
  frame(): Uint8Array<ArrayBuffer> { return this.run((e) => e.stiction_frame()); }

  controls(): number[] { return [...new Float64Array(this.run((e) => e.stiction_controls()).buffer)]; }

  /** Positions, then velocities. */
  state(): Float64Array { return new Float64Array(this.run((e) => e.stiction_state()).buffer); }

  scenes(): { name: string; summary: string; keyframes: string[] }[] {
    return JSON.parse(decode(this.run((e) => e.stiction_scenes()))) as { name: string; summary: string; keyframes: string[] }[];
  }

  private about(text: string): About { return { ...(JSON.parse(text) as Omit<About, "memory">), memory: this.memory }; }

  private write(bytes: Uint8Array): void {
    const at = this.exports.stiction_input(bytes.length);
    new Uint8Array(this.exports.memory.buffer).set(bytes, at);
  }

  private text(call: (exports: Exports) => number, input: object): string {
    this.write(new TextEncoder().encode(JSON.stringify(input)));
    return decode(this.run(call));
  }

  /** Calls, and takes a copy of what is said. */
  private run(call: (exports: Exports) => number): Uint8Array<ArrayBuffer> {
    const e = this.exports;
    let fine: number;
    try {
      fine = call(e);
    } catch (error) {
      const at = e.stiction_last_words();
      const words = decode(new Uint8Array(e.memory.buffer).slice(at, at + e.stiction_last_words_length()));
      throw new Stopped(`The simulator stopped by an error of its own (${words || String(error)}).`);
    }
    const at = e.stiction_output(), said = new Uint8Array(e.memory.buffer).slice(at, at + e.stiction_output_length());
    if (fine !== 1) throw new Refused(decode(said));
    return said;
  }
}

function decode(bytes: Uint8Array): string { return new TextDecoder().decode(bytes); }
