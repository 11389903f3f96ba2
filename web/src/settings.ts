// Everything the person at the page can choose, in one place; whoever draws listens.

export interface Settings {
  shapes: "visual" | "collision" | "all";
  bodies: boolean;
  opacity: number;
  cutaway: boolean; // fixed things in front of what moves fade
  deform: boolean;
  tets: boolean;
  patches: boolean;
  patchMesh: boolean;
  through: boolean; // patches and arrows show faintly through bodies
  points: boolean;
  forces: boolean;
  traction: boolean;
  slip: boolean;
  arrows: "compressed" | "linear";
  forceScale: number;
  tractionScale: number;
  slipScale: number;
  threshold: number; // arrows shorter than this share of the longest are left out
  pressureMin: number | null; // Pa; null: by the recording
  pressureMax: number | null;
  pressureLog: boolean | null;
  pressureFrame: boolean; // the scale is that of the frame shown
  frames: boolean;
  names: boolean;
  grid: boolean;
  shadows: boolean;
  follow: number | null; // a body
  camera: number | null; // one of the model's; null: free
  look: "full" | "plain"; // plain: no environment light, no highlights
  plots: boolean;
  panel: boolean;
  theme: "light" | "dark";
  quality: "auto" | "full";
}

export const settings: Settings = {
  shapes: "visual", bodies: true, opacity: 1, cutaway: true, deform: true, tets: false,
  patches: true, patchMesh: false, through: true,
  points: true, forces: true, traction: false, slip: false,
  arrows: "compressed", forceScale: 1, tractionScale: 1, slipScale: 1, threshold: 0.02,
  pressureMin: null, pressureMax: null, pressureLog: null, pressureFrame: false,
  frames: false, names: false, grid: true, shadows: true, follow: null, camera: null, look: "full",
  plots: true, panel: true, theme: "light", quality: "auto",
};

type Listener = (changed: keyof Settings) => void;
const listeners: Listener[] = [];

export function onSetting(listener: Listener): void { listeners.push(listener); }

export function set<K extends keyof Settings>(key: K, value: Settings[K]): void {
  if (settings[key] === value) return;
  settings[key] = value;
  for (const listener of listeners) listener(key);
}

type Toggles = { [K in keyof Settings]: Settings[K] extends boolean ? K : never }[keyof Settings];

export function toggle(key: Toggles): void { set(key, !settings[key]); }

/** Takes settings from the address: `#theme=dark&plots=0&opacity=0.3`. Unknown keys are left to others. */
export function settingsFromAddress(hash: string): Map<string, string> {
  const rest = new Map<string, string>();
  for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (!(key in settings)) {
      rest.set(key, value);
      continue;
    }
    const name = key as keyof Settings, kind = typeof settings[name];
    if (kind === "boolean" || name === "pressureLog") set(name, (value !== "0" && value !== "false") as never);
    else if (kind === "number" || name === "pressureMin" || name === "pressureMax" || name === "follow" || name === "camera") {
      if (Number.isFinite(Number(value))) set(name, Number(value) as never);
    } else set(name, value as never);
  }
  return rest;
}
