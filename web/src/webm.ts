// A WebM file of one video track: header with its duration, then clusters of frames (RFC 9559, Matroska; the WebM subset).

type Part = Uint8Array<ArrayBuffer>;

/** One element: id, size, content. */
function element(id: number, ...content: Part[]): Part {
  const size = content.reduce((n, part) => n + part.length, 0), head = [...bytesOf(id), ...sizeBytes(size)];
  const out = new Uint8Array(head.length + size);
  out.set(head);
  let at = head.length;
  for (const part of content) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** An unsigned number in as few bytes as it needs. */
function bytesOf(value: number): number[] {
  const list = [value % 256];
  for (let rest = Math.floor(value / 256); rest > 0; rest = Math.floor(rest / 256)) list.unshift(rest % 256);
  return list;
}

/** Sizes are eight bytes: 1 in the first, then 56 bits. */
const sizeBytes = (size: number): number[] => [1, ...[6, 5, 4, 3, 2, 1, 0].map((k) => Math.floor(size / 256 ** k) % 256)];

const uint = (id: number, value: number): Part => element(id, new Uint8Array(bytesOf(value)));
const text = (id: number, value: string): Part => element(id, new TextEncoder().encode(value) as Part);
function float(id: number, value: number): Part {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return element(id, bytes);
}

export interface VideoFrameData { /** ms */ time: number; key: boolean; data: Part }

/** The file. Times of frames count from zero; `duration` is in ms. */
export function webm(codec: "V_VP8" | "V_VP9", width: number, height: number, duration: number, frames: VideoFrameData[]): Blob {
  const header = element(0x1a45dfa3, uint(0x4286, 1), uint(0x42f7, 1), uint(0x42f2, 4), uint(0x42f3, 8), text(0x4282, "webm"), uint(0x4287, 4), uint(0x4285, 2));
  // Times are in milliseconds (1e6 ns).
  const info = element(0x1549a966, uint(0x2ad7b1, 1_000_000), float(0x4489, duration), text(0x4d80, "Stiction"), text(0x5741, "Stiction"));
  const track = element(0x1654ae6b, element(0xae, uint(0xd7, 1), uint(0x73c5, 1), uint(0x83, 1), text(0x86, codec),
    element(0xe0, uint(0xb0, width), uint(0xba, height))));
  // A cluster begins at every key frame: a block's time is 16 bits from its cluster's. Cues say where they are.
  const clusters: Part[] = [], cues: Part[] = [];
  const cueSize = (count: number): number => 12 + 60 * count;
  let group: VideoFrameData[] = [], place = info.length + track.length + cueSize(frames.filter((frame) => frame.key).length);
  const close = (): void => {
    if (group.length === 0) return;
    const start = Math.round(group[0].time);
    const blocks = group.map(({ time, key, data }) => {
      const offset = Math.round(time) - start, block = new Uint8Array(4 + data.length);
      block.set([0x81, (offset >> 8) & 255, offset & 255, key ? 0x80 : 0]);
      block.set(data, 4);
      return element(0xa3, block);
    });
    const cluster = element(0x1f43b675, uint(0xe7, start), ...blocks);
    cues.push(element(0xbb, uint(0xb3, start), element(0xb7, uint(0xf7, 1), uint(0xf1, place))));
    clusters.push(cluster);
    place += cluster.length;
    group = [];
  };
  for (const frame of frames) {
    if (frame.key) close();
    group.push(frame);
  }
  close();
  const index = element(0x1c53bb6b, ...cues), room = cueSize(cues.length) - index.length;
  // What the index leaves of its room is an empty element.
  const gap = element(0xec, new Uint8Array(room - 9));
  const segment = element(0x18538067, info, track, index, gap, ...clusters);
  return new Blob([header, segment], { type: "video/webm" });
}
