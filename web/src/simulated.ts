// The link to a simulation that this page runs itself: a worker with the simulator in it, and the sliders of what it
// simulates. What they say is also in the address, to be shared.

import type { Widget } from "./format.ts";
import { Link, type Message } from "./live.ts";
import type { About, Request, SimulationSettings } from "./module.ts";
import type { Recording } from "./recording.ts";
import type { FromWorker, ToWorker } from "./worker.ts";

/** The worker's script, put here when the page is built. */
declare const WORKER: string;

const CONTACT = ["lagged", "similar", "sap"];
export const usual: SimulationSettings = { friction: 1, stiffness: 1, gravity: 1, step: null, contact: "lagged" };

/** What an address asks for: `scene=clutter&friction=0.3&contact=sap`. */
export function requestFromAddress(address: Map<string, string>): Request {
  const number = (key: string): number | null => {
    const value = Number(address.get(key) ?? NaN);
    return Number.isFinite(value) ? value : null;
  };
  const settings: SimulationSettings = {
    friction: number("friction") ?? 1, stiffness: number("stiffness") ?? 1, gravity: number("gravity") ?? 1,
    step: number("step"), contact: address.get("contact") ?? "lagged",
  };
  const keyframe = address.get("keyframe");
  return { scene: address.get("scene") ?? "clutter", ...(keyframe === undefined ? {} : { keyframe }), settings };
}

/** The fragment that asks for this, with what else the present one says. */
export function addressOf(request: Request, hash: string): string {
  const words = new URLSearchParams(hash.replace(/^#/, "")), { settings } = request;
  const put = (key: string, value: string | number | null | undefined, usually: string | number | null): void => {
    if (value === undefined || value === null || value === usually) words.delete(key);
    else words.set(key, String(value));
  };
  put("scene", request.scene, null);
  put("keyframe", request.keyframe, null);
  for (const key of ["friction", "stiffness", "gravity", "step", "contact"] as const) put(key, settings[key], usual[key]);
  return `#${words.toString()}`;
}

/** As many digits as a link carries, so that it gives the same simulation. */
function round(value: number): number { return Number(value.toPrecision(4)); }

export class SimulatedLink extends Link {
  /** What was loaded, and by which request. */
  about: About | null = null;
  request: Request;
  /** A model was loaded: its name and what it does not simulate. */
  onLoaded: (about: About) => void = () => undefined;
  /** The simulator refused what the page cannot do without. */
  onFailure: (text: string) => void = () => undefined;
  /** The person wants to open a model of their own, or a link to this. */
  onOpen: () => void = () => undefined;
  onShare: () => void = () => undefined;
  private readonly worker: Worker;
  /** The step that the model itself has, s. */
  private step = 1e-3;
  private settings: SimulationSettings;
  /** Settings are sent one at a time: the next when the simulator has taken the last. */
  private setting = false;
  private later = false;

  constructor(recording: Recording, module: Uint8Array, request: Request) {
    super(recording);
    this.request = request;
    this.settings = { ...request.settings };
    const source = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    this.worker = new Worker(source);
    this.worker.onmessage = (event: MessageEvent<FromWorker>) => this.hear(event.data);
    this.worker.onerror = (event) => this.onFailure(`The simulator does not run in this browser (${event.message}).`);
    this.post({ type: "module", bytes: module }, [module.buffer as ArrayBuffer]);
    this.load(request, null);
  }

  /** Loads a built-in scene, or one of the files given. */
  load(request: Request, files: [string, Uint8Array][] | null): void { this.post({ type: "load", request, files }); }

  send(message: Message): void {
    if (message.type === "widget") this.turn(message.index, message.value);
    else this.post(message);
  }

  get description(): string { return "simulated by this page, in your browser"; }

  private post(message: ToWorker, transfer: Transferable[] = []): void { this.worker.postMessage(message, transfer); }

  private hear(message: FromWorker): void {
    switch (message.type) {
      case "chunks":
        return this.take(message.bytes);
      case "status":
        this.status = { ...message.status, widgets: this.widgets() };
        return this.onState();
      case "loaded":
        this.about = message.about;
        this.request = message.request;
        this.settings = { ...message.request.settings };
        if (this.settings.step === null) this.step = message.about.step;
        this.change("open");
        return this.onLoaded(message.about);
      case "set":
        this.answered();
        this.request = { ...this.request, settings: message.settings };
        if (this.request.scene !== undefined) history.replaceState(null, "", addressOf(this.request, location.hash));
        return;
      case "refused":
        if (message.what === "set") {
          this.later = false;
          this.answered();
        }
        this.settings = { ...this.request.settings };
        return this.about ? this.onError(message.text) : this.onFailure(message.text);
    }
  }

  private widgets(): Widget[] {
    const { friction, stiffness, gravity, step, contact } = this.settings;
    const slider = (name: string, low: number, high: number, value: number, unit: string, log = false): Widget => ({ kind: "slider", name, low, high, value, unit, log });
    return [
      slider("Friction", 0, 2, friction, "×"), slider("Stiffness", 0.01, 100, stiffness, "×", true), slider("Gravity", 0, 2, gravity, "×"),
      slider("Step", this.step * 125, this.step * 8000, (step ?? this.step) * 1000, "ms", true),
      { kind: "choice", name: "Contact model", options: CONTACT, value: CONTACT.indexOf(contact) },
      { kind: "button", name: "Open a model…", presses: 0 }, { kind: "button", name: "Copy a link to this", presses: 0 },
    ];
  }

  private turn(index: number, value: number): void {
    const keys = ["friction", "stiffness", "gravity", "step", "contact"] as const, key = keys[index];
    if (key === undefined) return index === keys.length ? this.onOpen() : this.onShare();
    if (key === "contact") this.settings.contact = CONTACT[value];
    else if (key === "step") this.settings.step = Math.abs(value / 1000 / this.step - 1) < 1e-6 ? null : round(value / 1000);
    else this.settings[key] = round(value);
    if (this.setting) this.later = true;
    else this.sendSettings();
  }

  private sendSettings(): void {
    this.setting = true;
    this.post({ type: "set", settings: { ...this.settings } });
  }

  private answered(): void {
    this.setting = false;
    if (this.later) this.sendSettings();
    this.later = false;
  }
}
