// The colours of pressure: lightness rises in equal steps from a dark violet through red and orange to a pale
// yellow. The curve is drawn in OKLab (Ottosson 2020), where distance is how different colours look, and then
// walked at constant speed, so equal differences of pressure look equally different. Lightness alone tells the
// order, hence it reads in grey and with any colour vision.

export const STEPS = 256;

type Rgb = [number, number, number];

/** OKLab to linear sRGB. */
function linearFromOklab(L: number, a: number, b: number): Rgb {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

const encode = (x: number): number => (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);
const inside = (rgb: Rgb): boolean => rgb.every((x) => x >= 0 && x <= 1);

/** The curve: lightness and hue are straight in u, chroma as large as the screen allows up to a soft bound. */
function curve(u: number): { lab: Rgb; rgb: Rgb } {
  const L = 0.24 + 0.72 * u;
  const hue = ((-68 + 172 * u ** 0.9) * Math.PI) / 180; // violet, red, orange, yellow
  let chroma = 0.205 - 0.075 * Math.abs(2 * u - 0.95) ** 2;
  while (!inside(linearFromOklab(L, chroma * Math.cos(hue), chroma * Math.sin(hue))) && chroma > 0) chroma -= 5e-4;
  const a = chroma * Math.cos(hue), b = chroma * Math.sin(hue);
  return { lab: [L, a, b], rgb: linearFromOklab(L, a, b).map((x) => encode(Math.min(1, Math.max(0, x)))) as Rgb };
}

function build(): Uint8Array {
  const fine = 2000;
  const points = Array.from({ length: fine + 1 }, (_, i) => curve(i / fine));
  const length = [0];
  for (let i = 1; i <= fine; i++) {
    const [p, q] = [points[i - 1].lab, points[i].lab];
    length.push(length[i - 1] + Math.hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]));
  }
  const table = new Uint8Array(4 * STEPS);
  let at = 0;
  for (let i = 0; i < STEPS; i++) {
    const wanted = (length[fine] * i) / (STEPS - 1);
    while (at < fine && length[at] < wanted) at++;
    points[at].rgb.forEach((x, c) => (table[4 * i + c] = Math.round(255 * x)));
    table[4 * i + 3] = 255;
  }
  return table;
}

/** RGBA, 256 steps, as the screen takes them (sRGB). */
export const COLORMAP = build();

/** The scale of pressure: what the legend shows and the patches are coloured by. */
export interface Scale { min: number; max: number; log: boolean }

/** Where a pressure lies on the scale, 0 to 1. */
export function position(pressure: number, { min, max, log }: Scale): number {
  if (!(max > min)) return pressure >= max ? 1 : 0;
  const t = log ? Math.log(Math.max(pressure, 1e-30) / min) / Math.log(max / min) : (pressure - min) / (max - min);
  return Math.min(1, Math.max(0, t));
}

/** The colour of a pressure, bytes of red, green and blue. */
export function colorOf(pressure: number, scale: Scale): Rgb {
  const i = 4 * Math.round(position(pressure, scale) * (STEPS - 1));
  return [COLORMAP[i], COLORMAP[i + 1], COLORMAP[i + 2]];
}
