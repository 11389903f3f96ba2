// The panel of choices: what is shown, the scale of pressure, arrows, camera, and live the actuators.

import { h } from "./dom.ts";
import { bodyName } from "./inspector.ts";
import { scaleOf } from "./legend.ts";
import type { Widget } from "./format.ts";
import type { Link } from "./live.ts";
import type { Recording } from "./recording.ts";
import { onSetting, set, type Settings, settings } from "./settings.ts";
import { plain, quantity } from "./units.ts";

type Refresh = () => void;

export class Panel {
  readonly element = h("aside", { class: "panel", "aria-label": "What is shown" });
  private refreshers: Refresh[] = [];
  private readonly widgets = h("div", { class: "widgets" });
  private widgetNames = "";
  private handles: { input: HTMLInputElement | HTMLSelectElement; value: HTMLElement; busy: number }[] = [];
  private sliders: { input: HTMLInputElement; value: HTMLElement; unit: string; busy: number }[] = [];

  constructor(private readonly link: Link | null) {
    onSetting(() => this.refresh());
  }

  build(recording: Recording): void {
    const scene = recording.scene!;
    this.refreshers = [];
    const roles = new Set(scene.geoms.map((geom) => geom.role));
    const soft = scene.geoms.some((geom) => geom.compliant), solids = scene.geoms.some((geom) => geom.solid !== null);
    const sections: HTMLElement[] = [];
    if (this.link) sections.push(this.widgets);
    if (this.link && scene.actuators.length > 0) sections.push(this.section("Actuators", ...this.actuators(scene)));
    sections.push(this.section("Bodies",
      ...(roles.size > 1 ? [this.choice("shapes", [["visual", "visual"], ["collision", "collision"], ["all", "all"]], "Shapes", "V")] : []),
      this.slider("opacity", "Opacity", 0.1, 1, 0.05, (x) => `${Math.round(100 * x)} %`, "X"),
      ...(soft ? [this.check("deform", "Bend where pressed", "B")] : []),
      ...(solids ? [this.check("tets", "Tetrahedra", "T")] : []),
      this.check("frames", "Frames", "F"), this.check("names", "Names", "N")));
    sections.push(this.section("Contact",
      ...(soft ? [this.check("patches", "Patches by pressure", "P"), this.check("patchMesh", "Faces of patches", "M")] : []),
      this.check("forces", "Force arrows", "C"), this.check("points", "Contact points", ""),
      ...(soft ? [this.check("traction", "Traction arrows", "Q")] : []),
      this.check("slip", "Slip arrows", "S"), this.check("through", "Visible through bodies", "")));
    if (soft) sections.push(this.pressure(recording));
    sections.push(this.section("Arrows", this.choice("arrows", [["compressed", "compressed"], ["linear", "linear"]], "Lengths", ""),
      this.slider("forceScale", "Force", 0.1, 10, 0, (x) => `${plain(x, 2)}×`), ...(soft ? [this.slider("tractionScale", "Traction", 0.1, 10, 0, (x) => `${plain(x, 2)}×`)] : []),
      this.slider("slipScale", "Slip", 0.1, 10, 0, (x) => `${plain(x, 2)}×`),
      this.slider("threshold", "Hide below", 0, 0.5, 0.01, (x) => `${Math.round(100 * x)} %`)));
    sections.push(this.section("View",
      ...(scene.cameras.length > 0 ? [this.oneOf("camera", "Camera", "free", scene.cameras.map((camera, i) => [i, camera.name || `camera ${i}`]))] : []),
      this.oneOf("follow", "Follow", "nothing", scene.bodies.slice(1).map((_, i) => [i + 1, bodyName(scene, i + 1)])),
      this.choice("look", [["full", "full"], ["plain", "plain"]], "Look", "E"),
      this.check("cutaway", "See past walls", ""), this.check("grid", "Ground grid", "G"), this.check("shadows", "Shadows", "")));
    const about = [...scene.notes, scene.step !== null ? `step ${quantity(scene.step, "s")}` : scene.accuracy !== null ? `accuracy ${plain(scene.accuracy)}` : "",
      scene.contact, scene.bodies.length === 2 ? "1 body" : `${scene.bodies.length - 1} bodies`, scene.generator].filter(Boolean).join(" · ");
    this.element.replaceChildren(...sections, h("p", { class: "about" }, about));
    this.refresh();
  }

  refresh(): void { for (const refresh of this.refreshers) refresh(); }

  /** Follows the controls as the simulation has them, but not the one under the hand. */
  updateActuators(): void {
    const ctrl = this.link?.status?.ctrl;
    if (!ctrl) return;
    this.sliders.forEach(({ input, value, unit, busy }, i) => {
      if (ctrl[i] === undefined || performance.now() - busy < 600) return;
      input.value = String(ctrl[i]);
      value.textContent = `${plain(ctrl[i])} ${unit}`;
    });
  }

  /** Sliders and buttons of the program, as the status tells of them; not the one under the hand. */
  updateWidgets(): void {
    const widgets = this.link?.status?.widgets ?? [], names = JSON.stringify(widgets.map((w) => [w.kind, w.name]));
    if (names !== this.widgetNames) {
      this.widgetNames = names;
      this.handles = [];
      this.widgets.replaceChildren(...(widgets.length > 0 ? [this.section("Controls", ...widgets.map((w, i) => this.widget(w, i)))] : []));
    }
    widgets.forEach((widget, i) => {
      const handle = this.handles[i];
      if (widget.kind === "button" || performance.now() - handle.busy < 600) return;
      handle.input.value = String(widget.kind === "slider" && widget.log ? Math.log(widget.value) : widget.value);
      if (widget.kind === "choice") return;
      handle.value.textContent = `${plain(widget.value)} ${widget.unit}`;
    });
  }

  private widget(widget: Widget, index: number): HTMLElement {
    const send = (value: number): void => this.link!.send({ type: "widget", index, value }), value = h("b");
    if (widget.kind === "button") {
      this.handles[index] = { input: h("input", {}), value, busy: 0 };
      return h("button", { type: "button", class: "row", onclick: () => send(1) }, widget.name);
    }
    if (widget.kind === "choice") {
      const select = h("select", { "aria-label": widget.name, onchange: () => send(Number(select.value)) }, ...widget.options.map((words, i) => h("option", { value: i }, words)));
      this.handles[index] = { input: select, value, busy: 0 };
      return h("label", { class: "row" }, h("span", {}, widget.name), select);
    }
    const scale = (x: number): number => (widget.log ? Math.log(x) : x), low = scale(widget.low), high = scale(widget.high);
    const handle = { value, busy: 0, input: h("input", {
      type: "range", min: low, max: high, step: (high - low) / 500, value: scale(widget.value), "aria-label": widget.name,
      oninput: () => {
        const given = Number(handle.input.value), x = widget.log ? Math.exp(given) : given;
        handle.busy = performance.now();
        value.textContent = `${plain(x)} ${widget.unit}`;
        send(x);
      },
    }) };
    this.handles[index] = handle;
    return h("label", { class: "row slide" }, h("span", {}, widget.name), handle.input, value);
  }

  private section(title: string, ...rows: HTMLElement[]): HTMLElement {
    return h("details", { open: title !== "Arrows", class: "section", "data-section": title.toLowerCase() }, h("summary", {}, title), ...rows);
  }

  private check(key: { [K in keyof Settings]: Settings[K] extends boolean ? K : never }[keyof Settings], label: string, shortcut: string): HTMLElement {
    const input = h("input", { type: "checkbox", "data-setting": key, onchange: () => set(key, input.checked) });
    this.refreshers.push(() => (input.checked = settings[key]));
    return h("label", { class: "row" }, input, h("span", {}, label), ...(shortcut ? [h("kbd", {}, shortcut)] : []));
  }

  private slider(key: "opacity" | "forceScale" | "tractionScale" | "slipScale" | "threshold", label: string, low: number, high: number, step: number, words: (x: number) => string, shortcut = ""): HTMLElement {
    const log = step === 0, value = h("b");
    const input = h("input", {
      type: "range", "aria-label": label, "data-setting": key,
      min: log ? Math.log(low) : low, max: log ? Math.log(high) : high, step: log ? 0.01 : step,
      oninput: () => set(key, log ? Math.exp(Number(input.value)) : Number(input.value)),
    });
    this.refreshers.push(() => {
      input.value = String(log ? Math.log(settings[key]) : settings[key]);
      value.textContent = words(settings[key]);
    });
    return h("label", { class: "row slide" }, h("span", {}, label, ...(shortcut ? [" ", h("kbd", {}, shortcut)] : [])), input, value);
  }

  private choice<K extends "shapes" | "look" | "arrows">(key: K, options: [Settings[K], string][], label: string, shortcut: string): HTMLElement {
    const select = h("select", { "data-setting": key, onchange: () => set(key, select.value as Settings[K]) },
      ...options.map(([value, words]) => h("option", { value }, words)));
    this.refreshers.push(() => (select.value = settings[key]));
    return h("label", { class: "row" }, h("span", {}, label, ...(shortcut ? [" ", h("kbd", {}, shortcut)] : [])), select);
  }

  /** A choice of none or one of a list. */
  private oneOf(key: "follow" | "camera", label: string, none: string, options: [number, string][]): HTMLElement {
    const select = h("select", { "data-setting": key, onchange: () => set(key, select.value === "" ? null : Number(select.value)) },
      h("option", { value: "" }, none), ...options.map(([value, words]) => h("option", { value }, words)));
    this.refreshers.push(() => (select.value = settings[key] === null ? "" : String(settings[key])));
    return h("label", { class: "row" }, h("span", {}, label), select);
  }

  private pressure(recording: Recording): HTMLElement {
    const field = (key: "pressureMin" | "pressureMax", label: string): HTMLElement => {
      const input = h("input", { type: "number", step: "any", min: 0, "data-setting": key, onchange: () => set(key, input.value === "" ? null : Number(input.value) * 1e3) });
      this.refreshers.push(() => {
        const scale = scaleOf(recording);
        input.placeholder = plain((key === "pressureMin" ? scale.min : scale.max) / 1e3);
        if (document.activeElement !== input) input.value = settings[key] === null ? "" : String(settings[key] / 1e3);
      });
      return h("label", { class: "row" }, h("span", {}, label), input, h("span", { class: "unit" }, "kPa"));
    };
    const log = h("input", { type: "checkbox", "data-setting": "pressureLog", onchange: () => set("pressureLog", log.checked) });
    this.refreshers.push(() => (log.checked = scaleOf(recording).log));
    return this.section("Pressure scale", field("pressureMax", "Largest"), field("pressureMin", "Smallest"),
      h("label", { class: "row" }, log, h("span", {}, "Logarithmic"), h("kbd", {}, "K")),
      this.check("pressureFrame", "Of this frame alone", ""));
  }

  private actuators(scene: NonNullable<Recording["scene"]>): HTMLElement[] {
    this.sliders = [];
    return scene.actuators.map((actuator, i) => {
      const [low, high] = actuator.range ?? [-1, 1], value = h("b");
      const entry = { value, unit: actuator.unit, busy: 0, input: h("input", {
        type: "range", min: low, max: high, step: (high - low) / 500, value: Math.min(high, Math.max(low, 0)), "aria-label": actuator.name,
        oninput: () => {
          entry.busy = performance.now();
          value.textContent = `${plain(Number(entry.input.value))} ${actuator.unit}`;
          this.link!.send({ type: "ctrl", actuator: i, value: Number(entry.input.value) });
        },
      }) };
      this.sliders.push(entry);
      return h("label", { class: "row slide" }, h("span", {}, actuator.name || `actuator ${i}`), entry.input, value);
    });
  }
}
