// Reads the pictures the browser takes: 8-bit RGB or RGBA, not interlaced.

import { inflateSync } from "node:zlib";

export interface Picture { width: number; height: number; at: (x: number, y: number) => [number, number, number] }

export function decodePng(file: Buffer): Picture {
  const width = file.readUInt32BE(16), height = file.readUInt32BE(20), channels = file[25] === 6 ? 4 : 3;
  if (file[24] !== 8 || (file[25] !== 2 && file[25] !== 6) || file[28] !== 0) throw new Error("a kind of PNG this does not read");
  const parts: Buffer[] = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(file.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(parts)), stride = width * channels, out = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)], line = y * stride;
    for (let i = 0; i < stride; i++) {
      const left = i >= channels ? out[line + i - channels] : 0, up = y > 0 ? out[line + i - stride] : 0;
      const corner = i >= channels && y > 0 ? out[line + i - stride - channels] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      out[line + i] = raw[y * (stride + 1) + 1 + i] + guess;
    }
  }
  return {
    width, height,
    at: (x, y) => {
      const i = (Math.floor(y) * width + Math.floor(x)) * channels;
      return [out[i], out[i + 1], out[i + 2]];
    },
  };
}

function paeth(a: number, b: number, c: number): number {
  const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}
