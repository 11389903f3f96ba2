// Pictures and films of what is on the stage, with names, legend and time.

import { download } from "./dom.ts";
import { type VideoFrameData, webm } from "./webm.ts";

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

const CODECS = [["vp09.00.41.08", "V_VP9"], ["vp8", "V_VP8"]] as const;

/**
 * A film of a recording, picture by picture: each is drawn, then encoded, however long that takes, so that the film runs at
 * its rate and ends with the last frame. `draw` draws the picture of a time of the film, s.
 */
export async function film(layers: () => Layers, seconds: number, rate: number, draw: (time: number) => Promise<void>, going: () => boolean, say: (share: number) => void): Promise<Blob> {
  const canvas = document.createElement("canvas"), count = Math.max(1, Math.floor(seconds * rate + 1e-6) + 1), frames: VideoFrameData[] = [];
  await draw(0);
  compose(canvas, layers());
  const { width, height } = canvas;
  let chosen: (typeof CODECS)[number] | undefined, failed: Error | null = null;
  const configuration = (codec: string): VideoEncoderConfig => ({ codec, width, height, bitrate: 12e6, framerate: rate, latencyMode: "realtime" });
  for (const codec of CODECS) if (!chosen && (await VideoEncoder.isConfigSupported(configuration(codec[0]))).supported) chosen = codec;
  if (!chosen) throw new Error("This browser encodes neither VP9 nor VP8.");
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      frames.push({ time: chunk.timestamp / 1000, key: chunk.type === "key", data });
    },
    error: (error) => (failed = error),
  });
  encoder.configure(configuration(chosen[0]));
  let drawn = 0;
  for (; drawn < count && going() && !failed; drawn++) {
    if (drawn > 0) await draw(drawn / rate);
    compose(canvas, layers());
    if (canvas.width !== width || canvas.height !== height) throw new Error("the window changed its size.");
    const frame = new VideoFrame(canvas, { timestamp: Math.round((1e6 * drawn) / rate), duration: Math.round(1e6 / rate) });
    encoder.encode(frame, { keyFrame: drawn % Math.max(1, Math.round(rate)) === 0 });
    frame.close();
    // The encoder works beside the page; it is not given more than it can do.
    while (encoder.encodeQueueSize > 4) await new Promise((done) => setTimeout(done, 5));
    say((drawn + 1) / count);
  }
  await encoder.flush();
  encoder.close();
  if (failed) throw failed;
  return webm(chosen[1], width, height, (1000 * drawn) / rate, frames);
}

/** Whether this browser has what `film` needs: pages from the network need https for it. */
export const canFilm = (): boolean => typeof VideoEncoder !== "undefined" && typeof VideoFrame !== "undefined";

/** What happens now, as it happens: for live pages. `add` after each picture, `stop` at the end. */
export class LiveFilm {
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
