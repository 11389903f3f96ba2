// Keys, and the page of help that lists them.

import { h, iconButton } from "./dom.ts";

/** An entry of the help, with the keys for it and what each does. */
export interface Shortcut { group: string; label: string; words: string; acts: [string[], () => void][] }

export class Shortcuts {
  readonly help: HTMLDialogElement;
  private readonly byKey = new Map<string, () => void>();

  constructor(list: Shortcut[], live: boolean) {
    for (const { acts } of list) for (const [keys, act] of acts) for (const key of keys) this.byKey.set(key, act);
    const groups = [...new Set(list.map((shortcut) => shortcut.group))];
    this.help = h("dialog", { class: "help", "aria-label": "Help" },
      h("header", {}, h("h2", {}, "How to look around"), iconButton("close", "Close", () => this.help.close())),
      h("div", { class: "gestures" },
        h("p", {}, h("b", {}, "Drag"), " turns the view, ", h("b", {}, "right drag"), " or two fingers move it, ", h("b", {}, "scroll or pinch"), " zooms."),
        h("p", {}, h("b", {}, "Click"), " a body or a contact patch for its numbers (again for what lies behind), ", h("b", {}, "double click"), " to look at that place."),
        ...(live ? [h("p", {}, h("b", {}, "Ctrl or shift drag"), " pulls a body; on a touch screen turn on the hand first.")] : []),
        h("p", {}, h("b", {}, "Drag in a plot"), " moves the timeline; click a name under it to show or hide a curve.")),
      h("div", { class: "keys" }, ...groups.map((group) => h("section", {}, h("h3", {}, group),
        ...list.filter((shortcut) => shortcut.group === group).map(({ label, words }) => h("p", {}, h("kbd", {}, label), words))))));
    this.help.addEventListener("click", (event) => event.target === this.help && this.help.close());
    addEventListener("keydown", (event) => this.press(event));
    // After a choice from a list the keys are the page's again.
    addEventListener("change", (event) => event.target instanceof HTMLSelectElement && event.target.blur());
  }

  toggleHelp(): void {
    if (this.help.open) this.help.close();
    else this.help.showModal();
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (target.matches("input[type=number], input[type=text], select, textarea")) return;
    // Arrows move the slider that has the focus; on the timeline that is time.
    if (target.matches("input[type=range]") && !target.closest(".scrub") && /^(Arrow|Home|End)/.test(event.key)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (this.help.open && key !== "?") return;
    const act = this.byKey.get(key);
    if (!act) return;
    event.preventDefault();
    if (target instanceof HTMLButtonElement) target.blur(); // space must not press it as well
    act();
  }
}
