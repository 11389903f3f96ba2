// The link to a running simulation: a WebSocket that comes back by itself.

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

export class LiveLink {
  state: LinkState = "connecting";
  status: Status | null = null;
  onScene: () => void = () => undefined;
  onFrame: () => void = () => undefined;
  onState: () => void = () => undefined;
  onError: (message: string) => void = () => undefined;
  private socket: WebSocket | null = null;
  private wait = 500;
  private scene = false;

  constructor(private readonly recording: Recording, private readonly address: string) {}

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

  private take(bytes: Uint8Array): void {
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

  send(message: Message): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private change(state: LinkState): void {
    this.state = state;
    this.onState();
  }
}
