// The blocks at the end of a recording: base64 text, each a raw-deflate stream of whole chunks.

const BLOCK = /<script type="application\/x-stiction"[^>]*>([^<]*)(<\/script>)?/g;

/** The blocks of the page that is open. */
export function blocksOfPage(): string[] {
  return [...document.querySelectorAll('script[type="application/x-stiction"]')].map((block) => block.textContent ?? "");
}

/** The simulator in the page, packed like a block; null in pages that only show. */
export function moduleOfPage(): string | null {
  return document.querySelector('script[type="application/x-stiction-module"]')?.textContent ?? null;
}

/** The blocks of a recording given as text. */
export function blocksOfText(html: string): string[] {
  return [...html.matchAll(BLOCK)].map((match) => match[1]);
}

export interface Block { bytes: Uint8Array; whole: boolean }

/** Unpacks a block; of one that is cut off or damaged, what can be had before the damage. */
export async function unpack(text: string): Promise<Block> {
  const packed = fromBase64(text);
  const stream = new DecompressionStream("deflate-raw");
  const writer = stream.writable.getWriter();
  const ignored = (): void => undefined; // the reader below meets the same error
  writer.write(packed.bytes).catch(ignored);
  writer.close().catch(ignored);
  const parts: Uint8Array[] = [];
  let size = 0, whole = packed.whole;
  const reader = stream.readable.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value as Uint8Array);
      size += (value as Uint8Array).length;
    }
  } catch {
    whole = false;
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { bytes, whole };
}

function fromBase64(text: string): { bytes: Uint8Array<ArrayBuffer>; whole: boolean } {
  const clean = text.trim();
  const end = clean.search(/[^A-Za-z0-9+/=]/);
  let usable = end < 0 ? clean : clean.slice(0, end);
  const whole = end < 0 && clean.length % 4 === 0 && clean.length > 0;
  usable = usable.slice(0, usable.length - (usable.length % 4));
  let binary = "";
  try {
    binary = atob(usable);
  } catch {
    return { bytes: new Uint8Array(0), whole: false };
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return { bytes, whole };
}
