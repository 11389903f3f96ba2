// Numbers as people read them: three digits and a prefix.

const PREFIX: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

const TAKES_PREFIX = /^(Pa|N|J|W|m|s|m\/s|N m|Hz)$/;

/** The prefix that numbers up to this size are best written with. */
export function prefixed(size: number, unit: string): { factor: number; unit: string } {
  if (!TAKES_PREFIX.test(unit) || !(size > 1e-12)) return { factor: 1, unit };
  const [factor, prefix] = PREFIX.find(([f]) => size >= f * 0.9995) ?? PREFIX[PREFIX.length - 1];
  return { factor, unit: prefix + unit };
}

/** 12345 Pa → "12.3 kPa". */
export function quantity(value: number, unit: string): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size < 1e-12) return `0 ${unit}`.trim();
  const { factor, unit: written } = prefixed(size, unit);
  return `${plain(value / factor)} ${written}`.trim();
}

/** Three significant digits without a tail of zeros. */
export function plain(value: number, digits = 3): string {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1).replace("e+", "e").replace("-", "−").replace("e-", "e−");
  return Number(value.toPrecision(digits)).toString().replace("-", "−");
}

/** Square metres, in cm² or mm² when small. */
export function area(value: number): string {
  if (value >= 0.1) return `${plain(value)} m²`;
  return value >= 1e-5 ? `${plain(value * 1e4)} cm²` : `${plain(value * 1e6)} mm²`;
}

export function vector(v: ArrayLike<number>, unit: string): string {
  let largest = Math.max(Math.abs(v[0]), Math.abs(v[1]), Math.abs(v[2]));
  const { factor, unit: written } = largest < 0.05 && largest > 1e-9 ? prefixed(largest, unit) : { factor: 1, unit };
  largest /= factor;
  const digits = largest >= 100 ? 0 : largest >= 10 ? 1 : largest >= 1 ? 2 : 3;
  return `${[v[0], v[1], v[2]].map((x) => (Math.abs(x / factor) < 0.5 * 10 ** -digits ? 0 : x / factor).toFixed(digits).replace("-", "−")).join("\u00a0\u00a0")}\u00a0${written}`;
}

/** Round numbers that divide a range, about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / count, decade = 10 ** Math.floor(Math.log10(rough)), share = rough / decade;
  const step = decade * (share > 5 ? 10 : share > 2 ? 5 : share > 1 ? 2 : 1);
  const list: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) list.push(Math.abs(k * step) < 1e-12 * step ? 0 : k * step);
  return list;
}
