// The bar at the bottom: play, step, scrub, speed; live also reset and back to the newest frame.

import { h, iconButton, setIcon } from "./dom.ts";
import type { Link } from "./live.ts";
import { type Player, SPEEDS } from "./player.ts";
import type { Recording } from "./recording.ts";
import { plain } from "./units.ts";

export class Timeline {
  readonly element = h("nav", { class: "timeline", "aria-label": "Timeline" });
  private readonly playButton = iconButton("play", "Play (space)", () => this.togglePlay());
  private readonly loopButton = iconButton("loop", "Loop (L)", () => this.toggleLoop());
  private readonly slider = h("input", { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": "Time" });
  private readonly spark = h("canvas", { class: "spark" });
  private readonly clock = h("output", { class: "clock" });
  private readonly speed = h("select", { title: "Speed (< and >)", "aria-label": "Speed" });
  private readonly headButton = h("button", { type: "button", class: "head", title: "Show the newest frame", onclick: () => this.player.head() }, "Live");
  private painted = "";

  constructor(private readonly player: Player, private readonly link: Link | null) {
    for (const speed of SPEEDS) this.speed.append(h("option", { value: speed }, `${plain(speed)}×`));
    if (link) this.speed.append(h("option", { value: 0 }, "max"));
    this.speed.value = "1";
    this.speed.addEventListener("change", () => this.setSpeed(Number(this.speed.value)));
    this.slider.addEventListener("input", () => {
      this.player.playing = false;
      this.player.go(Number(this.slider.value));
    });
    const buttons = link
      ? [iconButton("reset", "Back to the start (R)", () => link.send({ type: "reset" })), this.playButton, iconButton("next", "One step (.)", () => this.step(1))]
      : [iconButton("first", "To the start (Home)", () => player.go(0)), iconButton("back", "One frame back (,)", () => this.step(-1)),
        this.playButton, iconButton("next", "One frame on (.)", () => this.step(1))];
    this.playButton.classList.add("play");
    this.element.append(
      h("div", { class: "buttons" }, ...buttons),
      h("div", { class: "scrub" }, this.spark, this.slider),
      this.clock, this.speed, link ? this.headButton : this.loopButton);
    this.loopButton.classList.toggle("on", player.loop);
  }

  togglePlay(): void {
    if (this.link) {
      this.link.send({ type: this.link.status?.paused ? "play" : "pause" });
      this.player.head();
    } else this.player.play(!this.player.playing);
  }

  toggleLoop(): void {
    this.player.loop = !this.player.loop;
    this.loopButton.classList.toggle("on", this.player.loop);
  }

  step(by: number): void {
    if (!this.link) this.player.step(by);
    else if (by > 0 && this.player.atHead) this.link.send({ type: "step", steps: by });
    else this.player.go(this.player.index + by);
  }

  /** To the next slower or faster speed. */
  changeSpeed(by: number): void {
    const at = SPEEDS.indexOf(this.currentSpeed);
    this.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, (at < 0 ? SPEEDS.indexOf(1) : at) + by))]);
  }

  private get currentSpeed(): number { return this.link ? this.link.status?.speed ?? 1 : this.player.speed; }

  setSpeed(speed: number): void {
    if (this.link) this.link.send({ type: "speed", value: speed });
    else this.player.speed = speed;
    this.speed.value = String(speed);
  }

  update(recording: Recording): void {
    const playing = this.link ? this.link.status?.paused === false : this.player.playing;
    setIcon(this.playButton, playing ? "pause" : "play", playing ? "Pause (space)" : "Play (space)");
    const last = Math.max(0, recording.frames.length - 1);
    if (this.slider.max !== String(last)) this.slider.max = String(last);
    if (this.slider.value !== String(this.player.index)) this.slider.value = String(this.player.index);
    const digits = recording.end - recording.start < 1 ? 4 : 3;
    const text = `${this.player.now.toFixed(digits)} s`;
    if (this.clock.textContent !== text) {
      this.clock.textContent = text;
      this.slider.setAttribute("aria-valuetext", text);
      this.clock.title = `of ${recording.end.toFixed(digits)} s, frame ${this.player.index + 1} of ${last + 1}`;
    }
    this.headButton.classList.toggle("on", this.player.atHead);
    if (this.link?.status && document.activeElement !== this.speed && [...this.speed.options].some((o) => Number(o.value) === this.link!.status!.speed)) {
      this.speed.value = String(this.link.status.speed);
    }
    this.paintSpark(recording);
  }

  /** The largest contact force over time, small under the slider: where things happen. */
  private paintSpark(recording: Recording): void {
    const width = this.spark.clientWidth, height = this.spark.clientHeight;
    const grain = this.link ? Math.floor(recording.frames.length / 30) : recording.frames.length;
    const key = `${width} ${grain} ${recording.epoch} ${document.documentElement.dataset.theme}`;
    if (key === this.painted || width === 0 || recording.frames.length < 2) return;
    this.painted = key;
    this.spark.width = width;
    this.spark.height = height;
    const ctx = this.spark.getContext("2d")!, n = recording.frames.length;
    ctx.fillStyle = getComputedStyle(this.spark).color;
    const top = 1.3 * recording.forceScale || 1;
    for (let x = 0; x < width; x++) {
      let most = 0;
      const from = Math.floor((x * (n - 1)) / width), to = Math.min(n - 1, Math.ceil(((x + 1) * (n - 1)) / width));
      for (let i = from; i <= to; i++) most = Math.max(most, recording.frames[i].maxForce);
      const y = Math.min(1, most / top) * height;
      ctx.fillRect(x, height - y, 1, y);
    }
  }
}
