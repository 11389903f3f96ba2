// The part of the time that all plots show, and the gestures that change it: wheel and pinch zoom, shift and drag (or a
// sideways wheel) moves, a double click shows all again.

export class TimeWindow {
  private range: [number, number] | null = null;
  onChange: () => void = () => undefined;

  constructor(private readonly whole: () => [number, number]) {}

  get from(): number { return this.range?.[0] ?? this.whole()[0]; }
  get to(): number { return this.range?.[1] ?? this.whole()[1]; }
  get zoomed(): boolean { return this.range !== null; }

  /** Shows a part of the time; more than there is, is cut off. */
  show(from: number, to: number): void {
    const [start, end] = this.whole(), length = Math.max(to - from, 1e-6 * (end - start));
    if (length >= end - start) this.range = null;
    else {
      const low = Math.min(Math.max(from, start), end - length);
      this.range = [low, low + length];
    }
    this.onChange();
  }

  all(): void {
    this.range = null;
    this.onChange();
  }

  zoom(at: number, factor: number): void { this.show(at - (at - this.from) * factor, at + (this.to - at) * factor); }
  move(by: number): void { this.show(this.from + by, this.to + by); }

  /** Listens on a plot; `timeAt` says the time under a place of the page, `seek` takes it to the timeline. */
  listen(area: HTMLElement, timeAt: (x: number) => number, seek: (time: number) => void): void {
    const down = new Map<number, number>();
    area.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) this.move((timeAt(event.deltaX || event.deltaY) - timeAt(0)) * 0.6);
      else this.zoom(timeAt(event.clientX), 1.0016 ** event.deltaY);
    }, { passive: false });
    area.addEventListener("pointerdown", (event) => {
      area.setPointerCapture(event.pointerId);
      down.set(event.pointerId, event.clientX);
      if (event.button === 0 && !event.shiftKey && down.size === 1) seek(timeAt(event.clientX));
    });
    area.addEventListener("pointermove", (event) => {
      const before = down.get(event.pointerId);
      if (before === undefined) return;
      const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
      if (other !== undefined) {
        const was = Math.max(8, Math.abs(before - other)), is = Math.max(8, Math.abs(event.clientX - other));
        this.zoom(timeAt(other), was / is);
      } else if (event.shiftKey || event.buttons & 6) this.move(timeAt(before) - timeAt(event.clientX));
      else if (event.buttons & 1) seek(timeAt(event.clientX));
      down.set(event.pointerId, event.clientX);
    });
    for (const end of ["pointerup", "pointercancel"] as const) area.addEventListener(end, (event) => down.delete(event.pointerId));
    area.addEventListener("dblclick", () => this.all());
    area.addEventListener("contextmenu", (event) => event.preventDefault());
  }
}
