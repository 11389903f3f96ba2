// Plots against time, one for each group and unit, with the timeline's cursor and the values under the pointer. All show
// the same part of the time. Any series of the recording can be added by its name.

import { axesOf, BOTTOM, type Curve, drawChart, LEFT, RIGHT, type Style } from "./chart.ts";
import { download, h, iconButton } from "./dom.ts";
import type { Recording } from "./recording.ts";
import { type Series, SeriesList } from "./series.ts";
import { settings } from "./settings.ts";
import { TimeWindow } from "./time_window.ts";
import { quantity } from "./units.ts";

/** Okabe and Ito's colours, which differ for any colour vision; darker and lighter for the two themes. */
const COLORS = {
  light: ["#0072b2", "#d55e00", "#009e73", "#b0558b", "#b8860b", "#3f8fc4", "#555c66"],
  dark: ["#56b4e9", "#f08a3c", "#3fd0a4", "#e08bc0", "#f0d44a", "#8ec9f0", "#b8c0ca"],
};

const TITLES: Record<string, string> = {
  "contact|N": "Contact force", "contact|m": "Penetration", "contact|": "Contacts", "slip|": "Sticking",
  energy: "Energy", contact: "Contact", slip: "Slip", joints: "Joints", solver: "Solver", step: "Step size", sensors: "Sensors",
  velocities: "Joint velocities", controls: "Controls",
};
const ORDER = ["energy", "contact", "slip", "joints", "solver", "step", "sensors"];

const keyOf = ({ group, name }: Series): string => `${group}|${name}`;

interface Key { element: HTMLElement; value: HTMLElement; series: Series }

interface Plot {
  title: string;
  unit: string;
  list: Series[];
  hidden: Set<Series>;
  section: HTMLElement;
  canvas: HTMLCanvasElement;
  cursor: HTMLElement;
  /** Where the unit is written, with the prefix the numbers need. */
  unitMark: HTMLElement;
  keyBox: HTMLElement;
  keys: Key[];
  span: number;
  width: number;
}

export class Plots {
  readonly element = h("div", { class: "plots" });
  readonly window: TimeWindow;
  private plots: Plot[] = [];
  private recording: Recording | null = null;
  private series: SeriesList | null = null;
  private readonly tip = h("div", { class: "tip", hidden: true });
  private readonly strip = h("div", { class: "strip" });
  private readonly search = h("input", { type: "search", placeholder: "Search channels", "aria-label": "Search channels", oninput: () => this.listSeries() });
  private readonly choices = h("div", { class: "choices" });
  private readonly chooser = h("dialog", { class: "chooser" });
  private chooserFor: Plot | null = null;
  private stale = true;
  private lastCount = 0;
  private lastNumbers = 0;
  private lastPaint = 0;
  private readonly resize = new ResizeObserver(() => this.repaint());

  constructor(private readonly seek: (time: number) => void, private readonly redraw: () => void) {
    this.window = new TimeWindow(() => [this.recording?.start ?? 0, this.recording?.end ?? 1]);
    this.window.onChange = () => this.repaint();
    this.chooser.append(
      h("header", {}, h("h2", {}, "Channels"), iconButton("close", "Close", () => this.chooser.close())),
      this.search, this.choices,
      h("button", { type: "button", class: "small", onclick: () => this.saveCsv(this.series!.all(), "channels") }, "All channels as CSV"));
    this.element.append(this.strip, h("div", { class: "plot-tools" },
      iconButton("plus", "Add channels", () => this.choose(null)),
      iconButton("reset", "The usual plots", () => this.usual()),
      iconButton("save", "What is plotted, as CSV", () => this.saveCsv(this.plots.flatMap((plot) => plot.list.filter((s) => !plot.hidden.has(s))), "plots"))),
      this.tip, this.chooser);
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") for (const plot of this.plots) this.enlarge(plot, false);
    });
  }

  /** Lays out the plots of a scene's channels. */
  build(recording: Recording): void {
    this.recording = recording;
    this.series = new SeriesList(recording);
    const groups = new Map<string, Series[]>();
    for (const series of this.series.channels) {
      const key = `${series.group}|${series.unit}`;
      groups.set(key, [...(groups.get(key) ?? []), series]);
    }
    // First the first unit of each group, then what else the groups have.
    const seen = new Map<string, number>();
    const rank = new Map([...groups.keys()].map((key) => {
      const [group] = key.split("|"), place = ORDER.indexOf(group), nth = seen.get(group) ?? 0;
      seen.set(group, nth + 1);
      return [key, (place < 0 ? ORDER.length : place) + 100 * Math.min(nth, group === "joints" ? 0 : 1)];
    }));
    this.resize.disconnect();
    this.plots = [];
    this.strip.replaceChildren();
    if (this.restore()) return;
    for (const [key, list] of [...groups.entries()].sort(([a], [b]) => rank.get(a)! - rank.get(b)!)) {
      const [group, unit] = key.split("|");
      // Velocities and controls can be chosen; at first there is no room for them.
      if (group === "velocities" || group === "controls") continue;
      this.makePlot(TITLES[key] ?? TITLES[group] ?? group, unit, list.slice(0, group === "energy" ? 5 : 4));
    }
    this.stale = true;
  }

  get empty(): boolean { return this.plots.length === 0; }

  /** All frames are there: pairs that touch later may be among what was kept. */
  loaded(): void {
    try {
      if (localStorage.getItem(`stiction-plots ${this.recording!.scene!.name}`) !== null) this.build(this.recording!);
    } catch { /* a browser that keeps nothing for files */ }
  }

  /** Notes what is plotted, for the next time that a recording of this name is opened. */
  private keep(): void {
    const plots = this.plots.map(({ title, unit, list, hidden }) => ({ title, unit, list: list.map(keyOf), hidden: [...hidden].map(keyOf) }));
    try {
      localStorage.setItem(`stiction-plots ${this.recording!.scene!.name}`, JSON.stringify(plots));
    } catch { /* a browser that keeps nothing for files */ }
  }

  /** Lays out what was kept; false if nothing was, or nothing of it is in this recording. */
  private restore(): boolean {
    let kept: { title: string; unit: string; list: string[]; hidden: string[] }[] = [];
    try {
      kept = JSON.parse(localStorage.getItem(`stiction-plots ${this.recording!.scene!.name}`) ?? "[]") as typeof kept;
      const known = new Map(this.series!.all().map((series) => [keyOf(series), series]));
      for (const { title, unit, list, hidden } of kept) {
        const found = list.flatMap((key) => known.get(key) ?? []);
        if (found.length === 0) continue;
        const plot = this.makePlot(title, unit, found);
        for (const key of hidden) if (known.has(key)) plot.hidden.add(known.get(key)!);
      }
    } catch { /* nothing was kept, or by another version */ }
    this.stale = true;
    return this.plots.length > 0;
  }

  private makePlot(title: string, unit: string, list: Series[]): Plot {
    const canvas = h("canvas"), cursor = h("div", { class: "cursor" }), unitMark = h("small"), keyBox = h("div", { class: "keys" });
    const area = h("div", { class: "area" }, canvas, cursor);
    const plot: Plot = { title, unit, list, hidden: new Set(), section: h("section", { class: "plot" }), canvas, cursor, unitMark, keyBox, keys: [], span: 1, width: 0 };
    const timeAt = (x: number): number => {
      const box = canvas.getBoundingClientRect();
      return this.window.from + ((x - box.left - LEFT) / (box.width - LEFT - RIGHT)) * (this.window.to - this.window.from);
    };
    const inside = (time: number): number => Math.min(this.window.to, Math.max(this.window.from, time));
    this.window.listen(area, timeAt, (time) => this.seek(inside(time)));
    area.addEventListener("pointermove", (event) => this.showTip(plot, inside(timeAt(event.clientX)), event));
    area.addEventListener("pointerleave", () => (this.tip.hidden = true));
    plot.section.append(
      h("h3", {}, title, unitMark, h("span", { class: "tools" },
        iconButton("plus", "Choose what is plotted here", () => this.choose(plot)),
        iconButton("save", "This plot as CSV", () => this.saveCsv(plot.list.filter((s) => !plot.hidden.has(s)), title)),
        iconButton("camera", "This plot as PNG", () => void this.savePng(plot)),
        iconButton("fit", "Enlarge, or back (Esc)", () => this.enlarge(plot, !plot.section.classList.contains("large"))),
        iconButton("close", "Close this plot", () => this.remove(plot)))),
      area, keyBox);
    this.resize.observe(area);
    this.plots.push(plot);
    this.strip.append(plot.section);
    this.makeKeys(plot);
    return plot;
  }

  private makeKeys(plot: Plot): void {
    plot.keys = plot.list.map((series) => {
      const value = h("b");
      const element = h("button", { type: "button", class: "key", title: `Show or hide ${series.name}`, onclick: () => {
        if (plot.hidden.has(series)) plot.hidden.delete(series);
        else plot.hidden.add(series);
        this.keep();
        this.repaint();
      } }, h("i"), h("span", {}, series.name), value);
      return { element, value, series };
    });
    plot.keyBox.replaceChildren(...plot.keys.map((key) => key.element));
    this.repaint();
  }

  private remove(plot: Plot): void {
    plot.section.remove();
    this.plots = this.plots.filter((other) => other !== plot);
    this.keep();
  }

  enlarge(plot: Plot, on: boolean): void {
    if (plot.section.classList.contains("large") === on) return;
    for (const other of this.plots) other.section.classList.toggle("large", on && other === plot);
    this.repaint();
  }

  /** Forgets what was kept, and lays out anew. */
  private usual(): void {
    try {
      localStorage.removeItem(`stiction-plots ${this.recording!.scene!.name}`);
    } catch { /* nothing was kept */ }
    this.build(this.recording!);
    this.repaint();
  }

  /** Opens the list of all series, for a plot or for new ones. */
  private choose(plot: Plot | null): void {
    this.chooserFor = plot;
    this.search.value = "";
    this.listSeries();
    this.chooser.showModal();
    this.search.focus();
  }

  private listSeries(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean), groups = new Map<string, HTMLElement[]>();
    let count = 0;
    for (const series of this.series!.all()) {
      const text = `${series.group} ${series.name} ${series.unit}`.toLowerCase();
      if (!words.every((word) => text.includes(word)) || ++count > 300) continue;
      const input = h("input", { type: "checkbox", onchange: () => this.toggleSeries(series, input.checked) });
      input.checked = this.holder(series) !== undefined;
      const row = h("label", { class: "row" }, input, h("span", {}, series.name), h("small", {}, series.unit));
      groups.set(series.group, [...(groups.get(series.group) ?? []), row]);
    }
    this.choices.replaceChildren(
      ...[...groups].map(([group, rows]) => h("section", {}, h("h3", {}, TITLES[group] ?? group), ...rows)),
      ...(count === 0 ? [h("p", {}, "No channel has these words in its name.")] : count > 300 ? [h("p", {}, `${count - 300} more: search for their names.`)] : []));
  }

  private holder(series: Series): Plot | undefined {
    return this.plots.find((plot) => plot.list.some((s) => s.name === series.name && s.group === series.group));
  }

  /** Adds a series to the plot it was chosen for, to another with its unit and group, or to a new one; or takes it away. */
  toggleSeries(series: Series, on: boolean): void {
    const holder = this.holder(series);
    if (!on && holder) {
      holder.list = holder.list.filter((s) => s.name !== series.name || s.group !== series.group);
      this.makeKeys(holder);
      if (holder.list.length === 0) this.remove(holder);
    } else if (on && !holder) {
      const title = TITLES[`${series.group}|${series.unit}`] ?? TITLES[series.group] ?? series.group;
      const fits = (plot: Plot | null): plot is Plot => plot !== null && this.plots.includes(plot) && plot.unit === series.unit;
      const plot = fits(this.chooserFor) ? this.chooserFor : this.plots.find((p) => fits(p) && p.title === title);
      if (plot) {
        plot.list.push(series);
        this.makeKeys(plot);
      } else this.makePlot(title, series.unit, [series]).section.scrollIntoView({ inline: "nearest" });
    }
    this.keep();
    this.repaint();
  }

  private showTip(plot: Plot, time: number, event: PointerEvent): void {
    const recording = this.recording!, index = recording.indexAt(time), colors = COLORS[settings.theme];
    this.tip.replaceChildren(h("b", {}, `${recording.times[index]?.toPrecision(6).replace(/\.?0+$/, "") ?? "–"} s`), ...plot.list.flatMap((series, k) => {
      if (plot.hidden.has(series)) return [];
      return [h("div", { style: `--key:${colors[k % colors.length]}` }, h("i"), h("span", {}, series.name), h("b", {}, quantity(series.values()[index] ?? NaN, series.unit)))];
    }));
    this.tip.hidden = false;
    const box = this.tip.getBoundingClientRect();
    this.tip.style.left = `${Math.max(4, Math.min(innerWidth - box.width - 4, event.clientX + 14))}px`;
    this.tip.style.top = `${Math.max(4, event.clientY - box.height - 10)}px`;
  }

  private saveCsv(list: Series[], name: string): void {
    const { times, scene } = this.recording!, columns = list.map((series) => series.values());
    const { from, to } = this.window, quote = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const lines = [["time (s)", ...list.map((s) => quote(`${s.name}${s.unit ? ` (${s.unit})` : ""}`))].join(",")];
    times.forEach((t, i) => {
      if (t >= from && t <= to) lines.push([t, ...columns.map((c) => (Number.isFinite(c[i]) ? c[i] : ""))].join(","));
    });
    download(new Blob([lines.join("\n"), "\n"], { type: "text/csv" }), `${scene!.name}-${name.toLowerCase().replaceAll(" ", "-")}.csv`);
  }

  /** The plot with its title and names, twice as large as on the page. */
  private async savePng(plot: Plot): Promise<void> {
    const canvas = document.createElement("canvas"), width = Math.max(480, plot.width), height = Math.round(0.5 * width), ctx = canvas.getContext("2d")!;
    canvas.width = 2 * width;
    canvas.height = 2 * height;
    ctx.scale(2, 2);
    const style = this.style(), { curves, axes } = this.curvesOf(plot);
    ctx.fillStyle = style.back;
    ctx.fillRect(0, 0, width, height);
    ctx.translate(0, 40);
    drawChart(ctx, width, height - 46, curves, this.recording!.times, this.window.from, this.window.to, axes, style);
    ctx.translate(0, -40);
    ctx.textAlign = "left";
    ctx.font = "600 13px system-ui, sans-serif";
    ctx.fillStyle = style.ink;
    ctx.fillText(`${plot.title} ${axes.unit}`, 10, 18);
    ctx.font = "11px system-ui, sans-serif";
    let x = 10;
    plot.list.forEach((series, k) => {
      if (plot.hidden.has(series)) return;
      ctx.fillStyle = COLORS[settings.theme][k % 7];
      ctx.fillRect(x, 29, 12, 3);
      ctx.fillStyle = style.ink;
      ctx.fillText(series.name, x + 16, 34);
      x += 30 + ctx.measureText(series.name).width;
    });
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (blob) download(blob, `${this.recording!.scene!.name}-${plot.title.toLowerCase().replaceAll(" ", "-")}.png`);
  }

  private style(): Style {
    const style = getComputedStyle(this.element);
    return { ink: style.getPropertyValue("--muted"), rule: style.getPropertyValue("--rule"), back: style.getPropertyValue("--solid") };
  }

  private curvesOf(plot: Plot): { curves: Curve[]; axes: ReturnType<typeof axesOf> } {
    const colors = COLORS[settings.theme];
    const curves = plot.list.flatMap((series, k) => (plot.hidden.has(series) ? [] : [{ values: series.values(), color: colors[k % colors.length] }]));
    return { curves, axes: axesOf(curves, this.recording!.times, this.window.from, this.window.to, plot.unit) };
  }

  /** Moves the cursor; draws the curves anew if they changed. */
  update(recording: Recording, index: number, still: boolean): void {
    if (!settings.plots || this.plots.length === 0) return;
    const now = performance.now();
    // Curves that grow are drawn anew five times a second.
    if (recording.frames.length !== this.lastCount && now - this.lastPaint > 200) this.stale = true;
    if (this.stale) {
      this.lastPaint = now;
      const style = this.style();
      for (const plot of this.plots) this.paint(plot, recording, style);
      this.stale = false;
      this.lastCount = recording.frames.length;
    }
    const { from, to } = this.window, share = (recording.times[index] - from) / (to - from || 1);
    for (const plot of this.plots) {
      plot.cursor.hidden = share < 0 || share > 1;
      plot.cursor.style.transform = `translateX(${LEFT + share * (plot.width - LEFT - RIGHT)}px)`;
    }
    // Numbers that change faster than ten times a second cannot be read.
    if (!still && now - this.lastNumbers < 100) return;
    this.lastNumbers = now;
    for (const plot of this.plots) {
      for (const { value, series } of plot.keys) {
        const here = plot.hidden.has(series) ? NaN : series.values()[index] ?? NaN;
        const text = plot.hidden.has(series) ? "" : ` ${quantity(Math.abs(here) < 1e-6 * plot.span ? 0 : here, plot.unit)}`;
        if (value.textContent !== text) value.textContent = text;
      }
    }
  }

  /** The curves are to be drawn anew. */
  repaint(): void {
    this.stale = true;
    this.redraw();
  }

  private paint(plot: Plot, recording: Recording, style: Style): void {
    const width = plot.canvas.clientWidth, height = plot.canvas.clientHeight, ratio = Math.min(2, devicePixelRatio);
    if (width === 0 || height === 0) return;
    plot.width = width;
    plot.canvas.width = width * ratio;
    plot.canvas.height = height * ratio;
    plot.cursor.style.bottom = `${BOTTOM - 1}px`;
    const ctx = plot.canvas.getContext("2d")!, colors = COLORS[settings.theme];
    ctx.scale(ratio, ratio);
    plot.keys.forEach(({ element, series }, k) => {
      element.classList.toggle("off", plot.hidden.has(series));
      element.style.setProperty("--key", colors[k % colors.length]);
    });
    const { curves, axes } = this.curvesOf(plot);
    plot.span = axes.span;
    plot.unitMark.textContent = axes.unit ? ` ${axes.unit}` : "";
    drawChart(ctx, width, height, curves, recording.times, this.window.from, this.window.to, axes, style);
  }
}
