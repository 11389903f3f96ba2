// The start: where the data comes from (the file itself, a running simulation, or a file dropped here), and what
// is said when there is none.

import { blocksOfPage, blocksOfText, moduleOfPage, unpack } from "./blocks.ts";
import { eachChunk } from "./decode.ts";
import { h } from "./dom.ts";
import { chosenFiles, droppedFiles, modelAmong } from "./drop.ts";
import { FormatError } from "./format.ts";
import { LiveLink } from "./live.ts";
import { Recording } from "./recording.ts";
import { set, settings, settingsFromAddress } from "./settings.ts";
import { addressOf, requestFromAddress, SimulatedLink, usual } from "./simulated.ts";
import { Viewer } from "./viewer.ts";

declare global {
  interface Window { stiction?: { viewer: Viewer; settings: typeof settings; set: typeof set; ready: boolean } }
}

function start(): void {
  chooseTheme();
  if (innerWidth < 760) {
    set("panel", false);
    set("plots", false);
  }
  const address = settingsFromAddress(location.hash);
  if (!webgl()) {
    return message("No 3-D graphics", "This page needs WebGL 2, which this browser does not offer or has turned off. Any current browser does; look for “hardware acceleration” in its settings.");
  }
  const live = document.querySelector('meta[name="stiction-live"]') !== null;
  if (live) return openLive();
  const module = moduleOfPage();
  if (module !== null) return void openSimulated(module, address);
  const blocks = blocksOfPage();
  if (blocks.length > 0) void openBlocks(blocks, address);
  else if (document.querySelector('meta[name="stiction-recording"]')) {
    message("An empty recording", "This file ends before the first frame: the run was stopped at once, or the file was cut off. Record it again.");
  } else welcome();
}

async function openBlocks(blocks: string[], address = new Map<string, string>()): Promise<void> {
  const recording = new Recording();
  let viewer: Viewer | null = null, cut = false;
  try {
    for (const [i, text] of blocks.entries()) {
      const { bytes, whole } = await unpack(text);
      const read = eachChunk(bytes, (kind, payload) => recording.add(kind, payload));
      if (!whole || read < bytes.length) {
        cut = true;
        if (i + 1 < blocks.length && recording.scene) throw new FormatError("A part in the middle of this file is damaged.");
        break;
      }
      if (recording.scene && !viewer && recording.frames.length > 0) {
        viewer = show(new Viewer(recording, null));
        viewer.open();
      } else viewer?.grown();
      if (blocks.length > 20) viewer?.say(i + 1 < blocks.length ? `Loading, ${Math.round((100 * (i + 1)) / blocks.length)} %` : "");
    }
  } catch (error) {
    const text = error instanceof FormatError ? error.message : `The recording is damaged (${String(error)}).`;
    if (recording.frames.length === 0) return message("This recording cannot be shown", text);
    viewer ??= openViewer(recording);
    viewer.say(`${text} Shown up to ${recording.end.toFixed(3)} s.`, "error");
    return finish(viewer, address);
  }
  if (!recording.scene) return message("This recording cannot be shown", "The file is cut off or damaged before its scene. Record it again.");
  if (recording.frames.length === 0) return message("An empty recording", "The scene is there, but no frame: the run was stopped at once, or the file was cut off.");
  viewer ??= openViewer(recording);
  if (cut) viewer.say(`The file ends early: shown up to ${recording.end.toFixed(3)} s.`);
  finish(viewer, address);
}

function openViewer(recording: Recording): Viewer {
  const viewer = show(new Viewer(recording, null));
  viewer.open();
  return viewer;
}

/** All is loaded: fits the view to the whole and goes to the time in the address, or plays. */
function finish(viewer: Viewer, address: Map<string, string>): void {
  viewer.grown();
  viewer.plots.loaded();
  viewer.fit();
  const time = address.get("t");
  if (time !== undefined) viewer.player.goTime(Number(time));
  else if (!matchMedia("(prefers-reduced-motion: reduce)").matches) viewer.player.play(true);
  window.stiction!.ready = true;
}

function openLive(): void {
  const recording = new Recording(true);
  const link = new LiveLink(recording, `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/stream`);
  const viewer = show(new Viewer(recording, link));
  link.onScene = () => {
    viewer.open();
    viewer.fit();
    window.stiction!.ready = true;
  };
  link.onFrame = () => viewer.grown();
  link.onState = () => viewer.linkChanged();
  link.onError = (text) => viewer.say(text, "error");
  link.connect();
}

/** Simulates here: the scene of the address, and what is dropped on the page. */
async function openSimulated(module: string, address: Map<string, string>): Promise<void> {
  const request = requestFromAddress(address);
  message(request.scene!, "The simulator is being started.");
  const { bytes, whole } = await unpack(module);
  if (!whole) return message("The simulator is damaged", "This page ends early: load it again.");
  const recording = new Recording(true), link = new SimulatedLink(recording, bytes, request);
  let viewer: Viewer | null = null;
  link.onScene = () => {
    if (!viewer) {
      viewer = show(new Viewer(recording, link));
      const logo = viewer.element.querySelector(".logo")!;
      logo.replaceWith(h("a", { class: "logo", href: "index.html", title: "All scenes", "aria-label": "All scenes" }));
    }
    viewer.open();
    viewer.fit();
    window.stiction!.ready = true;
    // It begins when the person sees it.
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!still) requestAnimationFrame(() => requestAnimationFrame(() => link.send({ type: "play" })));
  };
  link.onFrame = () => viewer?.grown();
  link.onState = () => viewer?.linkChanged();
  link.onError = (text) => viewer?.say(text, "error");
  link.onFailure = (text) => message("This cannot be simulated", text);
  link.onLoaded = ({ warnings }) => {
    const more = warnings.length - 3;
    viewer?.say(warnings.slice(0, 3).join("\n") + (more > 0 ? `\nand ${more} more` : ""));
  };
  const take = async (given: Promise<[string, Uint8Array][]>): Promise<void> => {
    try {
      const files = await given, file = modelAmong(files);
      if (file === null) return viewer?.say("There is no model among these files: drop an MJCF (.xml), URDF or SDFormat file, with its meshes or as a zip.", "error");
      link.load({ file, settings: { ...usual } }, files);
    } catch (error) {
      viewer?.say(String(error instanceof Error ? error.message : error), "error");
    }
  };
  const input = h("input", { type: "file", multiple: true, hidden: true, "aria-label": "A model", onchange: () => void take(chosenFiles([...input.files!])) });
  document.body.append(input);
  link.onOpen = () => input.click();
  link.onShare = () => {
    if (link.request.scene === undefined) return viewer?.say("A model from this computer is not in a link: only built-in scenes can be shared.");
    const text = new URL(addressOf(link.request, location.hash), location.href).href;
    navigator.clipboard?.writeText(text).then(() => viewer?.say("The link is copied: scene and sliders."), () => viewer?.say(text));
  };
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer) void take(droppedFiles(event.dataTransfer));
  });
  // Another scene in the address, as by going back.
  addEventListener("hashchange", () => {
    if (requestFromAddress(settingsFromAddress(location.hash)).scene !== link.request.scene) location.reload();
  });
}

function show(viewer: Viewer): Viewer {
  document.querySelector("#app")!.replaceChildren(viewer.element);
  window.stiction = { viewer, settings, set, ready: false };
  return viewer;
}

function message(title: string, text: string, ...more: HTMLElement[]): void {
  document.documentElement.dataset.theme = settings.theme;
  document.querySelector("#app")!.replaceChildren(h("div", { class: "message", role: "alert" }, h("span", { class: "logo" }), h("h1", {}, title), h("p", {}, text), ...more));
}

/** The page by itself: takes a recording by drop or choice. */
function welcome(): void {
  const input = h("input", { type: "file", accept: ".html", onchange: () => input.files?.[0] && void take(input.files[0]) });
  message("Stiction", "Drop a recording here, or choose one: the .html file that a run wrote.", input);
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) void take(file);
  });
}

async function take(file: File): Promise<void> {
  const blocks = blocksOfText(await file.text());
  if (blocks.length === 0) return message("This is not a recording", `${file.name} has no frames of Stiction in it.`);
  await openBlocks(blocks);
}

function chooseTheme(): void {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem("stiction-theme");
  } catch { /* a browser that keeps nothing for files */ }
  set("theme", kept === "dark" || kept === "light" ? kept : matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function webgl(): boolean {
  return document.createElement("canvas").getContext("webgl2") !== null;
}

if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
else start();
