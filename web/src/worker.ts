// Beside the page, on a thread of its own: steps the simulator at the pace asked for, obeys the page, and sends
// frames. The clock is here; the module has none.

import type { Message } from "./live.ts";
import { type About, type Request, type SimulationSettings, Simulator, Stopped } from "./module.ts";
import type { Status } from "./format.ts";

export type ToWorker =
  | { type: "module"; bytes: Uint8Array }
  | { type: "load"; request: Request; files: [string, Uint8Array][] | null }
  | { type: "set"; settings: SimulationSettings }
  | Message;
export type FromWorker =
  | { type: "chunks"; bytes: Uint8Array }
  | { type: "status"; status: Status }
  | { type: "loaded"; about: About; request: Request }
  | { type: "set"; settings: SimulationSettings }
  | { type: "refused"; what: string; text: string };

/** Longest work between two looks at what the page says, ms; time between frames and between statuses. */
const SLICE = 12, FRAME = 1000 / 60, STATUS = 250;

const page = self as unknown as { postMessage(message: FromWorker, transfer?: Transferable[]): void; onmessage: (event: MessageEvent<ToWorker>) => void };

let module: WebAssembly.Module | null = null, simulator: Simulator | null = null;
let loaded: { request: Request; files: [string, Uint8Array][] | null } | null = null;
let paused = true, speed = 1, steps = 0, message: string | null = null, changed = false, news = false, running = false;
let anchor = { real: 0, simulated: 0 }, told = { real: 0, simulated: 0, rate: 0 }, shown = 0;

/** A turn of the loop without the wait that timers have. */
const next = new MessageChannel();
next.port1.onmessage = () => tick();

page.onmessage = ({ data }) => {
  const loads = data.type === "load" || data.type === "module" || data.type === "set";
  try {
    message = null;
    news = true;
    take(data);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof Stopped) stopped(text);
    if (loads) page.postMessage({ type: "refused", what: data.type, text });
    else message = text;
  }
  if (!running) {
    running = true;
    next.port2.postMessage(null);
  }
};

function take(data: ToWorker): void {
  switch (data.type) {
    case "module":
      module = new WebAssembly.Module(data.bytes as Uint8Array<ArrayBuffer>);
      return;
    case "load":
      return load(data.request, data.files);
    case "set":
      simulator?.set(data.settings);
      if (loaded) loaded.request.settings = data.settings;
      changed = true;
      page.postMessage({ type: "set", settings: data.settings });
      return;
    case "play":
      paused = simulator === null;
      return begin();
    case "pause":
      [paused, steps] = [true, 0];
      return;
    case "step":
      [paused, steps] = [true, data.steps];
      return;
    case "speed":
      speed = data.value;
      return begin();
    case "reset":
      if (!simulator && loaded) load(loaded.request, loaded.files); // it had stopped
      else simulator?.obey(data);
      changed = true;
      begin();
      told = { real: performance.now(), simulated: anchor.simulated, rate: told.rate };
      return;
    default:
      simulator?.obey(data);
  }
}

function load(request: Request, files: [string, Uint8Array][] | null): void {
  // A new instance for each model: memory that the last one grew to is given back.
  const fresh = new Simulator(module!);
  for (const [path, content] of files ?? []) fresh.file(path, content);
  const about = fresh.load(request);
  fresh.forget();
  const scene = fresh.scene(), frame = fresh.frame(), bytes = new Uint8Array(scene.length + frame.length);
  bytes.set(scene);
  bytes.set(frame, scene.length);
  [simulator, loaded, paused, steps] = [fresh, { request, files }, true, 0]; // the page starts it
  begin();
  told = { real: performance.now(), simulated: anchor.simulated, rate: 0 };
  page.postMessage({ type: "loaded", about, request });
  page.postMessage({ type: "chunks", bytes }, [bytes.buffer]);
}

/** The pace is kept from here on. */
function begin(): void { anchor = { real: performance.now(), simulated: simulator?.time ?? 0 }; }

function stopped(text: string): void {
  [simulator, paused, steps] = [null, true, 0];
  message = `${text} Back to the start (R) begins anew.`;
}

/** Whether a step is due now. */
function due(now: number): boolean {
  if (!simulator) return false;
  if (paused) return steps > 0;
  if (speed === 0) return true;
  const lag = anchor.simulated + (speed * (now - anchor.real)) / 1000 - simulator.time;
  // Who cannot keep up, or jumped, starts anew from here instead of hurrying after.
  if (lag > 0.1 * Math.max(speed, 1) || lag < -0.5) {
    begin();
    return true;
  }
  return lag > 0;
}

function tick(): void {
  const start = performance.now();
  try {
    while (due(performance.now()) && performance.now() - start < SLICE) {
      if (paused) steps -= 1;
      simulator!.step();
      changed = true;
    }
    publish();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof Stopped) stopped(text);
    else [message, paused, steps] = [text, true, 0];
    news = true;
    publish();
  }
  if (paused && steps === 0 && !news && !changed) running = false;
  else if (due(performance.now())) next.port2.postMessage(null);
  else setTimeout(tick, 2);
}

function publish(): void {
  const now = performance.now();
  if (news || now - told.real >= STATUS) {
    const time = simulator?.time ?? told.simulated, passed = (now - told.real) / 1000;
    if (passed > 0.1) told = { real: now, simulated: time, rate: Math.max(0, (time - told.simulated) / passed) };
    news = false;
    page.postMessage({ type: "status", status: { paused, speed, time, rate: told.rate, ctrl: simulator?.controls() ?? [], clients: 1, dropped: 0, message } });
  }
  if (!changed || now - shown < FRAME || !simulator) {
    changed &&= simulator !== null;
    return;
  }
  const bytes = simulator.frame();
  page.postMessage({ type: "chunks", bytes }, [bytes.buffer]);
  [shown, changed] = [now, false];
}
