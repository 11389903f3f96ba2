// The viewer: one recording on the stage, and the page around it. Everything else is a part with one job; this is
// where they meet.

import { Vector3 } from "three";
import { ArrowLegend } from "./arrow_scale.ts";
import { Bodies } from "./bodies.ts";
import { canFilm, film, type Layers, LiveFilm, screenshot } from "./capture.ts";
import { download, h, iconButton } from "./dom.ts";
import { Forces } from "./forces.ts";
import { Eye } from "./eye.ts";
import { framing, type Framing, lookAt, viewpoint } from "./framing.ts";
import { Ground } from "./ground.ts";
import { type Choice, Inspector } from "./inspector.ts";
import { Legend, scaleOf } from "./legend.ts";
import type { Link } from "./live.ts";
import { Axes, Names, Outline } from "./marks.ts";
import { Panel } from "./panel.ts";
import { Patches } from "./patches.ts";
import { Picking } from "./picking.ts";
import { Player } from "./player.ts";
import { Plots } from "./plots.ts";
import type { Recording } from "./recording.ts";
import { onSetting, set, settings, toggle } from "./settings.ts";
import { fineness } from "./shapes.ts";
import { type Shortcut, Shortcuts } from "./shortcuts.ts";
import { Stage } from "./stage.ts";
import { Timeline } from "./timeline.ts";
import { plain, quantity } from "./units.ts";

interface Parts { bodies: Bodies; ground: Ground; axes: Axes; names: Names }

export class Viewer {
  readonly element: HTMLElement;
  readonly stage: Stage;
  readonly player: Player;
  readonly picking: Picking;
  private readonly canvas = h("canvas", { class: "stage", tabindex: 0, "aria-label": "The scene" });
  private readonly over = h("canvas", { class: "over" });
  private readonly patches = new Patches();
  private readonly forces = new Forces();
  private readonly outline = new Outline();
  private readonly legend = new Legend(() => this.openScale());
  private readonly arrowLegend = new ArrowLegend();
  private readonly inspector = new Inspector(() => this.choose(null));
  readonly plots = new Plots((time) => {
    this.player.playing = false;
    this.player.goTime(time);
  }, () => this.redraw());
  private readonly panel: Panel;
  private readonly timeline: Timeline;
  private readonly shortcuts: Shortcuts;
  private readonly title = h("h1", {}, "Stiction");
  private readonly badge = h("span", { class: "badge", hidden: true });
  private readonly care = h("span", { class: "care" });
  private readonly notice = h("div", { class: "notice", role: "status", hidden: true });
  private readonly scaleNote = h("span", { class: "scale" });
  private parts: Parts | null = null;
  private frameOf: Framing | null = null;
  private dirty = true;
  private resting = false;
  private lastTick = 0;
  private lastMove = 0;
  private shown = -1;
  private shownEpoch = -1;
  private film: LiveFilm | null = null;
  /** A film of the recording is being made; false asks it to end. */
  private filming = false;
  private readonly eye: Eye;
  private fitted = 0;
  /** When the server last said something to the person, ms. */
  private told = 0;
  private lastStatus = "";
  /** Where names stand in the last picture. */
  labels: { x: number; y: number; w: number; h: number }[] = [];
  /** The person has turned the view: it is theirs from then on. */
  private touched = false;

  constructor(readonly recording: Recording, private readonly link: Link | null) {
    this.stage = new Stage(this.canvas);
    this.eye = new Eye(this.stage);
    this.player = new Player(recording);
    this.player.onChange = () => this.redraw();
    this.panel = new Panel(link);
    this.timeline = new Timeline(this.player, link);
    this.picking = new Picking(this.stage, () => this.world(), link, (click) => this.clicked(click), (body, point) => this.focus(body, point), () => this.redraw());
    this.shortcuts = new Shortcuts(this.keys(), link !== null);
    const hand = iconButton("hand", "Drag to push bodies", () => {
      this.picking.pushMode = !this.picking.pushMode;
      hand.classList.toggle("on", this.picking.pushMode);
    });
    const bar = h("header", { class: "bar" },
      h("span", { class: "logo", "aria-hidden": "true" }), this.title, this.badge, this.care, h("span", { class: "space" }),
      ...(link ? [hand] : []),
      iconButton("fit", "Fit the view (0)", () => this.refit()),
      iconButton("camera", "Picture, PNG (I)", () => void this.picture()),
      ...((link ? LiveFilm.possible : canFilm()) ? [iconButton("film", "Film, WebM (W)", () => this.toggleFilm())] : []),
      iconButton("sun", "Dark or light (D)", () => this.toggleTheme()),
      iconButton("plot", "Plots (H)", () => toggle("plots")),
      iconButton("sliders", "What is shown (O)", () => toggle("panel")),
      iconButton("help", "Help (?)", () => this.shortcuts.toggleHelp()));
    const view = h("main", { class: "view" }, this.canvas, this.over, this.inspector.element, h("div", { class: "corner" }, h("div", {}, this.arrowLegend.element, this.legend.element), this.scaleNote), this.notice);
    this.element = h("div", { class: "page" }, bar, view, this.panel.element, this.plots.element, this.timeline.element, this.shortcuts.help);
    this.stage.scene.add(this.patches.mesh, this.patches.edges, this.patches.rim, this.forces.group, this.outline.group);
    this.stage.front.add(this.patches.ghost, this.patches.ghostEdges, this.patches.ghostRim, this.forces.ghost);
    this.stage.controls.addEventListener("start", () => {
      this.touched = true;
      this.eye.free();
    });
    // The wheel moves the camera between two pictures.
    this.stage.controls.addEventListener("change", () => this.redraw());
    new ResizeObserver(() => this.resize(view)).observe(view);
    this.canvas.addEventListener("webglcontextlost", () => this.say("The graphics card was taken away; waiting for it. If nothing comes back, load the page again.", "error"));
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.say("");
      this.redraw();
    });
    onSetting((key) => this.changed(key));
    this.changed("theme");
    requestAnimationFrame((now) => this.tick(now));
  }

  /** The scene is known: builds what is to be drawn. */
  open(): void {
    const scene = this.recording.scene!;
    // Without a graphics card triangles cost: the more round things, the plainer each.
    if (this.stage.software && settings.quality === "auto") fineness.around = scene.geoms.length > 150 ? 12 : scene.geoms.length > 80 ? 16 : scene.geoms.length > 30 ? 24 : 40;
    this.makeParts();
    this.title.textContent = scene.name;
    document.title = `${scene.name} – Stiction`;
    this.panel.build(this.recording);
    this.plots.build(this.recording);
    this.element.classList.toggle("no-plots", !settings.plots || this.plots.empty);
    this.shown = -1;
    this.redraw();
  }

  /** What is drawn of the scene, with the materials of the present look. */
  private makeParts(): void {
    const scene = this.recording.scene!;
    if (this.parts) {
      this.stage.scene.remove(this.parts.bodies.group, this.parts.ground.group, this.parts.axes.group);
      this.parts.bodies.dispose();
    }
    const bodies = new Bodies(this.recording);
    this.parts = { bodies, ground: new Ground(scene), axes: new Axes(scene), names: new Names(scene, bodies) };
    this.stage.scene.add(bodies.group, this.parts.ground.group, this.parts.axes.group);
    if (this.frameOf) this.place(this.frameOf);
    this.shown = -1;
  }

  /** Sizes of what is drawn, for a scene of this place and size. */
  private place(where: Framing): void {
    this.forces.size = where.size;
    this.parts!.axes.size = where.radius * 0.18;
    this.parts!.ground.fit(where.center, where.radius, where.lowest);
    this.stage.light(where.center, where.radius);
  }

  /** More frames are there. */
  grown(): void {
    if (this.link && this.player.atHead) this.player.head();
    if (this.player.index >= this.recording.frames.length) this.player.go(this.recording.frames.length - 1);
    this.panel.refresh();
    this.redraw();
  }

  redraw(): void { this.dirty = true; }

  say(text: string, kind: "error" | "note" = "note"): void {
    this.notice.hidden = text === "";
    this.notice.textContent = text;
    this.notice.dataset.kind = kind;
  }

  linkChanged(): void {
    const link = this.link!, status = link.status;
    this.badge.hidden = false;
    this.badge.dataset.state = link.state === "open" ? (status?.paused ? "paused" : "open") : "lost";
    this.badge.textContent = link.state === "connecting" ? "connecting…" : link.state === "lost" ? "connection lost, trying again…"
      : status?.paused ? "live, paused" : `live${status ? ` at ${plain(status.rate, 2)}×` : ""}`;
    this.badge.title = link.description;
    if (status?.message) {
      this.say(status.message);
      this.told = performance.now();
    } else if (this.told > 0 && performance.now() - this.told > 6000) {
      this.say("");
      this.told = 0;
    }
    this.panel.updateActuators();
    this.panel.updateWidgets();
    // A status comes four times a second; a paused page has nothing new to draw.
    const shown = JSON.stringify([link.state, status?.paused, status?.speed, status?.time]);
    if (shown !== this.lastStatus) this.redraw();
    this.lastStatus = shown;
  }

  /** Fits the camera to what happens. */
  fit(): void {
    if (!this.parts || this.recording.frames.length === 0) return;
    const where = framing(this.recording, this.parts.bodies), { camera, controls } = this.stage;
    this.frameOf = where;
    this.fitted = this.recording.frames.length;
    this.place(where);
    controls.target.copy(lookAt(camera, where.box, viewpoint(this.recording.scene!)));
    controls.minDistance = where.radius * 0.02;
    controls.maxDistance = where.radius * 40;
    controls.update();
    this.scaleNote.textContent = `grid ${quantity(this.parts.ground.cell, "m")}`;
    this.redraw();
  }

  private refit(): void {
    this.touched = false;
    this.eye.free();
    this.fit();
  }

  /** Where a point of the world is on the page, CSS pixels; for scripts. */
  project(point: [number, number, number]): [number, number] {
    const box = this.canvas.getBoundingClientRect(), at = new Vector3(...point).project(this.stage.camera);
    return [box.left + ((at.x + 1) / 2) * box.width, box.top + ((1 - at.y) / 2) * box.height];
  }

  get chosen(): Choice | null { return this.inspector.chosen; }

  choose(choice: Choice | null): void {
    this.inspector.show(choice);
    this.shown = -1;
    this.redraw();
  }

  /** Turns to a body, as near as it fills the picture; or to a point of the ground from where the camera is. */
  focus(body: number, point: Vector3): void {
    const box = this.parts?.bodies.boxOfBody(body, this.recording.frame(this.player.index));
    this.touched = true;
    this.eye.free();
    this.eye.goTo(body !== 0 && box ? box : point);
    this.redraw();
  }

  private clicked({ patch, body }: { patch: Choice | null; body: Choice | null }): void {
    const now = this.inspector.chosen;
    const same = patch && now?.kind === "patch" && patch.kind === "patch" && now.geomA === patch.geomA && now.geomB === patch.geomB;
    this.choose(patch && !same ? patch : body);
  }

  private world(): ReturnType<Picking["world"]> {
    if (!this.parts || this.recording.frames.length === 0) return null;
    return { recording: this.recording, ...this.parts, patches: this.patches, frame: this.recording.frame(this.player.index) };
  }

  private changed(key: string): void {
    if (key === "theme") {
      document.documentElement.dataset.theme = settings.theme;
      this.stage.paint();
      this.forces.paint();
      this.plots.repaint();
    }
    if (key === "plots" || key === "panel") this.plots.repaint();
    this.element.classList.toggle("no-plots", !settings.plots || this.plots.empty);
    this.element.classList.toggle("no-panel", !settings.panel);
    this.parts?.ground.paint();
    this.parts?.bodies.applySettings();
    if (key === "follow" && this.parts) this.eye.follow(this.parts.bodies.poses);
    if (key === "look" || key === "quality") {
      this.stage.paint();
      if (this.parts) this.makeParts();
    }
    this.shown = -1;
    this.redraw();
  }

  private toggleTheme(): void {
    set("theme", settings.theme === "dark" ? "light" : "dark");
    try {
      localStorage.setItem("stiction-theme", settings.theme);
    } catch { /* a browser that keeps nothing for files */ }
  }

  private openScale(): void {
    set("panel", true);
    const section = this.panel.element.querySelector<HTMLDetailsElement>("[data-section='pressure scale']");
    if (section) section.open = true;
    section?.querySelector("input")?.focus();
  }

  private resize(view: HTMLElement): void {
    this.stage.resize(view.clientWidth, view.clientHeight);
    if (this.fitted > 0 && !this.touched) this.fit();
    this.shown = -1;
    this.redraw();
  }

  private tick(now: number): void {
    requestAnimationFrame((later) => this.tick(later));
    const dt = Math.min(now - this.lastTick, 2000);
    this.lastTick = now;
    if (this.filming) return; // the film draws for itself
    // A page that was held up goes on where it was; a film leaves nothing out.
    if (this.player.advance(Math.min(dt, this.film ? 40 : 250) / 1000)) this.dirty = true;
    const turned = this.eye.advance(now);
    const live = this.link !== null && this.link.status?.paused === false;
    if (this.dirty || turned) this.lastMove = now;
    const moving = this.player.playing || turned || live || this.picking.push !== null;
    if (this.dirty || turned || (moving && this.film)) {
      this.dirty = false;
      this.resting = false;
      this.draw(moving, dt);
    } else if (!this.resting && !moving && now - this.lastMove > 250) {
      this.resting = true; // at rest: once more, with all care
      this.draw(false, dt);
    }
  }

  private draw(moving: boolean, dt: number): void {
    if (!this.parts || this.recording.frames.length === 0) return;
    // The first frames of a live run or of a loading file say little about where things go.
    if (this.fitted === 0) this.fit();
    const { bodies, ground, axes } = this.parts, index = this.player.index, frame = this.recording.frame(index);
    const height = this.stage.heightSeen;
    if (this.forces.seen(height)) this.shown = -1;
    if (this.shown !== index || this.shownEpoch !== this.recording.epoch || this.link) {
      this.shown = index;
      this.shownEpoch = this.recording.epoch;
      bodies.update(frame);
      ground.update((body) => bodies.poses[body]);
      this.patches.update(frame);
      this.forces.update(frame, this.recording);
      axes.update(bodies.poses);
      this.eye.carry(bodies.poses);
      const choice = this.inspector.chosen;
      this.outline.show(bodies, choice?.kind === "body" ? choice.body : null, this.canvas.clientWidth, this.canvas.clientHeight);
    }
    this.patches.scale(scaleOf(this.recording));
    this.legend.update(this.recording);
    this.arrowLegend.update(this.recording, this.canvas.clientHeight * this.forces.shrink(height));
    this.plots.update(this.recording, index, !moving);
    this.timeline.update(this.recording);
    this.inspector.update(this.recording, index);
    this.eye.look(this.recording.scene!.cameras, bodies.poses);
    bodies.cutAway(this.stage.camera);
    this.stage.draw(moving, dt);
    this.drawOver();
    const words = moving ? this.stage.words : "";
    if (this.care.textContent !== words) this.care.textContent = words;
    if (this.film) this.film.add(this.layers());
  }

  private drawOver(): void {
    // An empty layer over the scene would cost the browser as much as the scene.
    const needed = settings.names || this.picking.push !== null;
    this.over.hidden = !needed;
    if (!needed) return;
    const ratio = Math.min(2, devicePixelRatio), width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    const w = Math.round(width * ratio), hgt = Math.round(height * ratio);
    if (this.over.width !== w || this.over.height !== hgt) {
      this.over.width = w;
      this.over.height = hgt;
    }
    const ctx = this.over.getContext("2d")!;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    this.paintOver(ctx, width, height);
  }

  private paintOver(ctx: CanvasRenderingContext2D, width: number, height: number): void {
    const choice = this.inspector.chosen;
    this.labels = this.parts?.names.draw(ctx, this.stage.camera, width, height, choice?.kind === "body" ? choice.body : null) ?? [];
    const push = this.picking.push;
    if (push && this.parts) {
      const from = push.point.clone().applyMatrix4(this.parts.bodies.poses[push.body]).project(this.stage.camera), to = push.target.clone().project(this.stage.camera);
      const place = (v: Vector3): [number, number] => [((v.x + 1) / 2) * width, ((1 - v.y) / 2) * height];
      ctx.strokeStyle = ctx.fillStyle = "#e8590c";
      ctx.lineWidth = 2;
      ctx.beginPath();
      ctx.moveTo(...place(from));
      ctx.lineTo(...place(to));
      ctx.stroke();
      ctx.beginPath();
      ctx.arc(...place(to), 5, 0, 7);
      ctx.fill();
    }
  }

  private layers(): Layers {
    return {
      picture: this.canvas, width: this.canvas.clientWidth, height: this.canvas.clientHeight,
      paint: (ctx, width, height) => {
        this.paintOver(ctx, width, height);
        this.legend.paint(ctx, this.recording, 16, height - 16);
        this.arrowLegend.paint(ctx, this.recording, height * this.forces.shrink(this.stage.heightSeen), 16, height - (this.legend.element.hidden ? 16 : 82));
        ctx.fillStyle = settings.theme === "dark" ? "#b8c2cd" : "#48535f";
        ctx.font = "12px system-ui, sans-serif";
        ctx.textAlign = "right";
        ctx.fillText(`${this.recording.scene!.name}   ${this.player.now.toFixed(3)} s`, width - 16, height - 18);
      },
    };
  }

  async picture(): Promise<Blob | null> {
    if (!this.parts) return null;
    this.draw(false, 16);
    return screenshot(this.layers(), `${this.recording.scene!.name}-${this.player.now.toFixed(3)}s.png`);
  }

  private toggleFilm(): void {
    if (!this.parts) return;
    if (this.link) this.toggleLiveFilm();
    else if (this.filming) this.filming = false;
    else if (canFilm()) void this.makeFilm();
    else this.say("This browser cannot make films here: it needs WebCodecs, which pages from files, from this computer and over https have.", "error");
  }

  /** From the first frame to the last at the chosen speed, 60 pictures a second. */
  private async makeFilm(): Promise<void> {
    const { player, recording } = this, { index, speed, playing } = player, { start, end } = recording, rate = 60;
    player.playing = false;
    this.filming = this.stage.filming = true;
    try {
      const blob = await film(() => this.layers(), (end - start) / speed, rate, async (time) => {
        player.goTime(start + time * speed + 0.5e-6);
        this.draw(false, 16);
        // The page stays alive between pictures.
        await new Promise((done) => setTimeout(done, 0));
      }, () => this.filming, (share) => this.say(`Filming, ${Math.round(100 * share)} %. Press W, or the button again, to end here.`));
      download(blob, `${recording.scene!.name}.webm`);
      this.say("");
    } catch (error) {
      this.say(`The film could not be made: ${String(error)}`, "error");
    }
    this.filming = this.stage.filming = false;
    player.go(index);
    player.play(playing);
  }

  private toggleLiveFilm(): void {
    if (this.film) return this.film.stop();
    this.film = new LiveFilm(this.layers());
    this.say("Filming. Press W, or the button again, to end.");
    const name = `${this.recording.scene!.name}.webm`;
    void this.film.done.then((blob) => {
      this.film = null;
      this.say("");
      download(blob, name);
    });
  }

  private keys(): Shortcut[] {
    const { player, timeline } = this;
    const key = (group: string, label: string, words: string, act: () => void, ...keys: string[]): Shortcut =>
      ({ group, label, words, acts: [[keys.length > 0 ? keys : [label.toLowerCase()], act]] });
    const pair = (label: string, words: string, back: string[], goBack: () => void, on: string[], goOn: () => void): Shortcut =>
      ({ group: "Time", label, words, acts: [[back, goBack], [on, goOn]] });
    const part = (): number => Math.max(1, Math.round(this.recording.frames.length / 20));
    return [
      key("Time", "space", "play or pause", () => timeline.togglePlay(), " "),
      pair(", .", "one frame back, on", [","], () => timeline.step(-1), ["."], () => timeline.step(1)),
      pair("← →", "a twentieth back, on", ["ArrowLeft"], () => player.step(-part()), ["ArrowRight"], () => player.step(part())),
      pair("Home End", "to the start, to the end", ["Home"], () => player.go(0), ["End"], () => player.head()),
      pair("< >", "slower, faster", ["<", "-"], () => timeline.changeSpeed(-1), [">", "+", "="], () => timeline.changeSpeed(1)),
      this.link ? key("Time", "R", "back to the start", () => this.link!.send({ type: "reset" })) : key("Time", "L", "loop", () => timeline.toggleLoop()),
      key("Show", "V", "visual or collision shapes", () => set("shapes", settings.shapes === "visual" ? "collision" : "visual")),
      key("Show", "E", "full or plain look", () => set("look", settings.look === "full" ? "plain" : "full")),
      key("Show", "X", "see through bodies", () => set("opacity", settings.opacity < 1 ? 1 : 0.3)),
      key("Show", "B", "bend solids where pressed", () => toggle("deform")),
      key("Show", "T", "tetrahedra", () => toggle("tets")),
      key("Show", "F", "frames", () => toggle("frames")),
      key("Show", "N", "names", () => toggle("names")),
      key("Show", "G", "ground grid", () => toggle("grid")),
      key("Contact", "P", "patches", () => toggle("patches")),
      key("Contact", "M", "faces of patches", () => toggle("patchMesh")),
      key("Contact", "C", "forces", () => toggle("forces")),
      key("Contact", "Q", "traction", () => toggle("traction")),
      key("Contact", "S", "slip", () => toggle("slip")),
      key("Contact", "K", "logarithmic scale of pressure", () => set("pressureLog", !scaleOf(this.recording).log)),
      key("Page", "0", "fit the view", () => this.refit()),
      key("Page", "Z", "follow what is chosen", () => {
        const choice = this.inspector.chosen;
        set("follow", settings.follow === null && choice?.kind === "body" ? choice.body : null);
      }),
      key("Page", "Y", "next camera of the model", () => {
        const next = (settings.camera ?? -1) + 1;
        set("camera", next < this.recording.scene!.cameras.length ? next : null);
      }),
      key("Page", "H", "plots", () => toggle("plots")),
      key("Page", "O", "choices", () => toggle("panel")),
      key("Page", "D", "dark or light", () => this.toggleTheme()),
      key("Page", "I", "picture (PNG)", () => void this.picture()),
      key("Page", "W", "film (WebM)", () => this.toggleFilm()),
      key("Page", "Esc", "choose nothing", () => this.choose(null), "Escape"),
      key("Page", "?", "this help", () => this.shortcuts.toggleHelp()),
    ];
  }

  /** Numbers for scripts and tests. */
  get numbers(): { drawn: number; interval: number; level: number; software: boolean; frames: number; radius: number; resting: boolean } {
    return { resting: this.resting && !this.dirty, drawn: this.stage.drawn, interval: this.stage.interval, level: this.stage.level, software: this.stage.software, frames: this.recording.frames.length, radius: this.frameOf?.radius ?? 0 };
  }
}
