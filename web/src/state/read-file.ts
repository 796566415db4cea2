import { strings } from "../strings.ts";

const GZIP_MAGIC = [0x1f, 0x8b] as const;

/** The text of a file, unpacked when it is gzip: told by its first bytes, not by its name. */
export async function readFile(file: Blob & { readonly name: string }, mostBytes: number): Promise<string> {
  const start = new Uint8Array(await file.slice(0, GZIP_MAGIC.length).arrayBuffer());
  if (!GZIP_MAGIC.every((byte, at) => start[at] === byte)) return file.text();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  // A small file may hold any amount when it is packed, so it is measured while it is unpacked.
  for await (const piece of piecesOf(file.stream().pipeThrough(new DecompressionStream("gzip")))) {
    size += piece.length;
    if (size > mostBytes) throw new Error(strings.home.tooLarge(file.name));
    pieces.push(piece);
  }
  return new Blob(pieces).text();
}

/** Not every browser lets a stream be read by a loop. */
async function* piecesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = stream.getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
}
