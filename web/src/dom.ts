// Small helpers to make elements, and the icons.

type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

/** h("button", {class: "x", onclick: f}, "text", child) */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

const PATHS: Record<string, string> = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z",
  first: "M6 5h2.4v14H6zM19 5v14l-9.5-7z",
  back: "M16 5.5v13L7 12z",
  next: "M8 5.5v13l9-6.5z",
  reset: "M12 5V1.8L7.2 6 12 10.2V7a5.2 5.2 0 1 1-5 6.7l-2 .6A7.2 7.2 0 1 0 12 5z",
  loop: "M7 7h9v3l4.5-4L16 2v3H5v7h2zM17 17H8v-3l-4.5 4L8 22v-3h11v-7h-2z",
  sun: "M12 7.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6zM11 1h2v4h-2zM11 19h2v4h-2zM1 11h4v2H1zM19 11h4v2h-4zM3.5 4.9 4.9 3.5l2.8 2.8-1.4 1.4zM16.3 17.7l1.4-1.4 2.8 2.8-1.4 1.4zM3.5 19.1l2.8-2.8 1.4 1.4-2.8 2.8zM16.3 6.3l2.8-2.8 1.4 1.4-2.8 2.8z",
  camera: "M9 4 7.4 6H4a1.6 1.6 0 0 0-1.6 1.6v10.8A1.6 1.6 0 0 0 4 20h16a1.6 1.6 0 0 0 1.6-1.6V7.6A1.6 1.6 0 0 0 20 6h-3.4L15 4zm3 4.6a4.4 4.4 0 1 1 0 8.8 4.4 4.4 0 0 1 0-8.8zm0 2a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8z",
  film: "M3 6.5A1.5 1.5 0 0 1 4.5 5h10A1.5 1.5 0 0 1 16 6.5v3l5-3v11l-5-3v3a1.5 1.5 0 0 1-1.5 1.5h-10A1.5 1.5 0 0 1 3 17.5z",
  sliders: "M4 6h8.2a2.6 2.6 0 0 1 5 0H20v2h-2.8a2.6 2.6 0 0 1-5 0H4zM4 16h2.8a2.6 2.6 0 0 1 5 0H20v2h-8.2a2.6 2.6 0 0 1-5 0H4z",
  plot: "M4 4h2v14h14v2H4zm4.2 10.6 3.6-4.8 3 2.4 3.8-5.6 1.7 1.1-5 7.4-3.2-2.5-2.3 3.2z",
  fit: "M4 9V4h5v2H6v3zm11-5h5v5h-2V6h-3zM4 15h2v3h3v2H4zm14 0h2v5h-5v-2h3zM12 8.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7z",
  hand: "M11 2.5a1.4 1.4 0 0 1 1.4 1.4V10h.8V5a1.4 1.4 0 0 1 2.8 0v5.8h.8V7.4a1.3 1.3 0 0 1 2.6 0V15a7 7 0 0 1-7 7h-1a6.6 6.6 0 0 1-5.3-2.7L2.4 14a1.5 1.5 0 0 1 2.3-1.9L7 14.4V6a1.3 1.3 0 0 1 2.6 0v4h.8V3.9A1 1 0 0 1 11 2.5z",
  help: "M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19zm-.1 15.9a1.4 1.4 0 1 1 0-2.8 1.4 1.4 0 0 1 0 2.8zm2.7-7.2c-1 .9-1.5 1.2-1.5 2.6h-2.3c0-2.1.7-2.9 1.7-3.8.8-.7 1.2-1 1.2-1.8 0-.9-.7-1.5-1.7-1.5s-1.8.7-1.9 1.8H7.8C7.9 6.200 9.600 4.600 12 4.600c2.400 0 4.100 1.400 4.100 3.500 0 1.500-.7 2.300-1.500 3.100z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  save: "M11 3h2v9l3-3 1.4 1.4L12 15.8l-5.400-5.400L8 9l3 3zM4 18h16v2H4z",
  close: "M6.400 5 12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z",
};

export function icon(name: keyof typeof PATHS & string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name]);
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

/** A button with an icon; `label` is its tooltip and what screen readers say. */
export function iconButton(name: string, label: string, act: () => void): HTMLButtonElement {
  return h("button", { class: "icon", type: "button", title: label, "aria-label": label, onclick: act }, icon(name));
}

export function setIcon(button: HTMLButtonElement, name: string, label: string): void {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  button.replaceChildren(icon(name));
  button.title = label;
  button.setAttribute("aria-label", label);
}

export function download(blob: Blob, name: string): void {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
