// The link to a running simulation, and the one to a program: a WebSocket that comes back by itself.

import { eachChunk } from "./decode.ts";
import { FormatError, type Status } from "./format.ts";
import type { Recording } from "./recording.ts";

export type Message =
  | { type: "play" | "pause" | "reset" | "release" }
  | { type: "step"; steps: number }
  | { type: "speed"; value: number }
  | { type: "ctrl"; actuator: number; value: number }
  | { type: "widget"; index: number; value: number }
  | { type: "push"; body: number; point: number[]; target: number[] };

export type LinkState = "connecting" | "open" | "lost";

/** A simulation that runs somewhere: what it sends goes into the recording, what the person does goes to it. */
export abstract class Link {
  state: LinkState = "connecting";
  status: Status | null = null;
  onScene: () => void = () => undefined;
  onFrame: () => void = () => undefined;
  onState: () => void = () => undefined;
  onError: (message: string) => void = () => undefined;
  private scene = false;

  protected constructor(private readonly recording: Recording) {}

  abstract send(message: Message): void;

  /** About the link, in a few words. */
  abstract get description(): string;

  protected take(bytes: Uint8Array): void {
    try {
      eachChunk(bytes, (kind, payload) => {
        const what = this.recording.add(kind, payload);
        if (what === "scene") this.scene = true;
        else if (what === "frame") {
          // Buffers follow the scene; with the first frame all is there.
          if (this.scene) this.onScene();
          this.scene = false;
          this.onFrame();
        } else if (what !== null && typeof what === "object") {
          this.status = what;
          this.onState();
        }
      });
    } catch (error) {
      this.onError(error instanceof FormatError ? error.message : String(error));
    }
  }

  protected change(state: LinkState): void {
    this.state = state;
    this.onState();
  }
}

export class LiveLink extends Link {
  private socket: WebSocket | null = null;
  private wait = 500;

  constructor(recording: Recording, private readonly address: string) { super(recording); }

  connect(): void {
    this.change(this.state === "lost" ? "lost" : "connecting");
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.wait = 500;
      this.change("open");
    };
    socket.onmessage = (event) => {
      if (event.data instanceof ArrayBuffer) this.take(new Uint8Array(event.data));
    };
    socket.onclose = () => {
      this.change("lost");
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(5000, this.wait * 1.6);
    };
  }

  send(message: Message): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  get description(): string {
    const status = this.status;
    return status ? `${status.clients} page${status.clients === 1 ? "" : "s"} watching, ${status.dropped} frames dropped for this one` : "";
  }
}
