// Pictures and films of what is on the stage, with names, legend and time.

import { download } from "./dom.ts";

export interface Layers {
  picture: HTMLCanvasElement;
  width: number;
  height: number;
  /** Names, legend and time, in units of the page. */
  paint: (ctx: CanvasRenderingContext2D, width: number, height: number) => void;
}

function compose(canvas: HTMLCanvasElement, { picture, width, height, paint }: Layers): void {
  const ratio = picture.width / width;
  const w = picture.width & ~1, hgt = picture.height & ~1; // films want even sides
  if (canvas.width !== w || canvas.height !== hgt) {
    canvas.width = w;
    canvas.height = hgt;
  }
  const ctx = canvas.getContext("2d")!;
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.drawImage(picture, 0, 0);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  paint(ctx, width, height);
}

export async function screenshot(layers: Layers, name: string): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  compose(canvas, layers);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob) download(blob, name);
  return blob;
}

/** A film in the making: `add` after each picture, `stop` at the end. */
export class Film {
  private readonly canvas = document.createElement("canvas");
  private readonly recorder: MediaRecorder;
  private readonly parts: Blob[] = [];
  readonly done: Promise<Blob>;

  constructor(layers: Layers) {
    compose(this.canvas, layers);
    const stream = this.canvas.captureStream(60);
    const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"].find((t) => MediaRecorder.isTypeSupported(t));
    this.recorder = new MediaRecorder(stream, { ...(type ? { mimeType: type } : {}), videoBitsPerSecond: 12e6 });
    this.recorder.ondataavailable = (event) => event.data.size > 0 && this.parts.push(event.data);
    this.done = new Promise((resolve) => (this.recorder.onstop = () => resolve(new Blob(this.parts, { type: "video/webm" }))));
    this.recorder.start(500);
  }

  static get possible(): boolean { return typeof MediaRecorder !== "undefined" && "captureStream" in HTMLCanvasElement.prototype; }

  add(layers: Layers): void { compose(this.canvas, layers); }
  stop(): void { if (this.recorder.state !== "inactive") this.recorder.stop(); }
}
