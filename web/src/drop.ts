// Models that are dropped on the page: single files, folders, zips; and which of the files is the model.

type Files = [string, Uint8Array][];

/** Files that were chosen, zips unpacked. */
export async function chosenFiles(files: File[]): Promise<Files> {
  const found: Files = [];
  for (const file of files) await add(found, file.webkitRelativePath || file.name, file);
  return found;
}

/** Files that were dropped, with what is in folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<Files> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (entries.some((entry) => entry === null)) return chosenFiles([...transfer.files]);
  const found: Files = [];
  for (const entry of entries) await walk(found, entry!);
  return found;
}

async function walk(found: Files, entry: FileSystemEntry): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return add(found, entry.fullPath.replace(/^\//, ""), file);
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) { // a folder is read in parts
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return;
    for (const inner of part) await walk(found, inner);
  }
}

async function add(found: Files, path: string, file: File): Promise<void> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (/\.zip$/i.test(path)) found.push(...(await unzip(bytes)));
  else found.push([path, bytes]);
}

/** The model among files: the one nearest to the top whose root element is that of a format; `scene.xml` before others. */
export function modelAmong(files: Files): string | null {
  const models = files.filter(([path, bytes]) => /\.(xml|mjcf|urdf|sdf)$/i.test(path) && isModel(bytes)).map(([path]) => path);
  const rank = (path: string): [number, number, string] => [path.split("/").length, /(^|\/)scene\.xml$/i.test(path) ? 0 : 1, path];
  const before = (a: [number, number, string], b: [number, number, string]): number => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1);
  return models.sort((a, b) => before(rank(a), rank(b)))[0] ?? null;
}

function isModel(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes).replace(/<[!]--[^]*?-->|<\?[^]*?\?>|<!DOCTYPE[^>]*>/g, "");
  return /^\s*\uFEFF?\s*<(mujoco|robot|sdf)\b/.test(text);
}

/** Most bytes that a zip may unpack to: a small one can hold enormous files. */
const MOST = 1 << 30;

/** The files of a zip, stored or deflated (PKWARE's APPNOTE 6.3, sections 4.3.12 and 4.3.16). */
export async function unzip(bytes: Uint8Array): Promise<Files> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw new Error("This zip is damaged: it has no table of its files.");
  const count = view.getUint16(end + 10, true), found: Files = [];
  let at = view.getUint32(end + 16, true), total = 0;
  if (at === 0xffffffff) throw new Error("This zip is larger than 4 GB: drop its folder instead.");
  try {
    for (let i = 0; i < count; i++) {
      if (view.getUint32(at, true) !== 0x02014b50) throw new RangeError("no entry");
      const method = view.getUint16(at + 10, true), packed = view.getUint32(at + 20, true), size = view.getUint32(at + 24, true);
      const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
      const path = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + name)), local = view.getUint32(at + 42, true);
      at += 46 + name + extra + comment;
      if (path.endsWith("/")) continue;
      if ((total += size) > MOST) throw new Error("This zip unpacks to more than 1 GiB.");
      const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      const content = bytes.slice(from, from + packed);
      if (method === 0) found.push([path, content]);
      else if (method === 8) found.push([path, await inflate(content, size)]);
      else throw new Error(`${path} is packed in a way that this page does not know: drop the folder instead of the zip.`);
    }
  } catch (error) {
    throw error instanceof RangeError || error instanceof TypeError ? new Error("This zip is damaged.") : error;
  }
  return found;
}

async function inflate(packed: Uint8Array<ArrayBuffer>, size: number): Promise<Uint8Array> {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const bytes = new Uint8Array(size);
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > size) throw new RangeError("longer than it says");
    bytes.set(value, at);
    at += value.length;
  }
  if (at !== size) throw new RangeError("shorter than it says");
  return bytes;
}
