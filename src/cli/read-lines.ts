import { constants as bufferConstants } from "node:buffer";
import { createReadStream } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { addAbortSignal, pipeline, Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { createGunzip } from "node:zlib";
import type { Io } from "./io.ts";

/** A file, or a line of stdin, that nothing can be done with: a message for people, exit code 1. */
export class FileError extends Error {
  override readonly name = "FileError";
}

/** A longer line can't be one text (characters). A small file may hold any amount when it is packed. */
const LONGEST_LINE = bufferConstants.MAX_STRING_LENGTH;
const GZIP_MAGIC = [0x1f, 0x8b] as const;

/**
 * The lines of a file or of stdin (`-`), unpacked when it is gzip (told by its first bytes, not by its name).
 * A text of one huge line is one line; only one line is in memory at a time. The mark of an encoding isn't part of the text.
 */
export async function* readLines(
  file: string,
  io: Io,
  onBytes: (done: number, total: number) => void,
  longestLine = LONGEST_LINE,
): AsyncGenerator<string> {
  const { stream, total } = await open(file, io);
  let decoder: ReturnType<typeof decoderOf> | undefined;
  let isStart = true;
  const rest: string[] = [];
  let chars = 0;
  const add = (piece: string): void => {
    chars += piece.length;
    if (chars > longestLine)
      throw new FileError(
        `${file} has a line of more than ${longestLine} characters, which can't be read. Split it, or leave it out.`,
      );
    rest.push(piece);
  };
  try {
    for await (const bytes of unpack(counted(stream, (done) => onBytes(done, total)))) {
      io.signal.throwIfAborted();
      decoder ??= decoderOf(bytes);
      const decoded = decoder.write(bytes);
      const text = isStart ? decoded.replace(BYTE_ORDER_MARK, "") : decoded;
      isStart &&= decoded === "";
      let start = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
        add(text.slice(start, end));
        yield rest.join("");
        rest.length = 0;
        chars = 0;
        start = end + 1;
      }
      if (start < text.length) add(text.slice(start));
    }
  } catch (error) {
    throw readable(error, file);
  }
  rest.push(decoder?.end() ?? "");
  const last = rest.join("");
  if (last !== "") yield last;
}

/** The marks at the beginning of a file in UTF-16: as PowerShell's `>` writes it on Windows, and with its bytes in the other order. */
const UTF16_MARK = [0xff, 0xfe] as const;
const UTF16_BIG_ENDIAN_MARK = [0xfe, 0xff] as const;

const BYTE_ORDER_MARK = /^\ufeff/;

/** A text is UTF-8 unless its mark says otherwise. */
function decoderOf(start: Buffer): Pick<StringDecoder, "write" | "end"> {
  const begins = (mark: readonly number[]): boolean => mark.every((byte, index) => start[index] === byte);
  if (!begins(UTF16_BIG_ENDIAN_MARK)) return new StringDecoder(begins(UTF16_MARK) ? "utf16le" : "utf8");
  const decoder = new TextDecoder("utf-16be");
  return { write: (bytes) => decoder.decode(bytes as Buffer, { stream: true }), end: () => decoder.decode() };
}

/** Says in words why a file can't be read, before anything is begun that needs it. */
export async function checkReadable(file: string): Promise<void> {
  if (file === "-") return;
  try {
    await access(file, constants.R_OK);
    if ((await stat(file)).isDirectory()) throw new FileError(`${file} is a folder. Give a file.`);
  } catch (error) {
    throw readable(error, file);
  }
}

async function open(file: string, io: Io): Promise<{ stream: Readable; total: number }> {
  if (file === "-") return { stream: addAbortSignal(io.signal, io.stdin), total: 0 };
  try {
    const info = await stat(file);
    if (info.isDirectory()) throw new FileError(`${file} is a folder. Give a file.`);
    return { stream: createReadStream(file, { signal: io.signal }), total: info.size };
  } catch (error) {
    throw readable(error, file);
  }
}

async function* counted(source: Readable, onBytes: (done: number) => void): AsyncGenerator<Buffer> {
  let done = 0;
  for await (const bytes of source as AsyncIterable<Buffer>) {
    done += bytes.length;
    onBytes(done);
    yield bytes;
  }
}

/** The bytes of a source, through gunzip when they start as gzip does. */
async function* unpack(bytes: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let first = Buffer.alloc(0);
  for (let next = await bytes.next(); !next.done; next = await bytes.next()) {
    first = Buffer.concat([first, next.value]);
    if (first.length >= GZIP_MAGIC.length) break;
  }
  async function* whole(): AsyncGenerator<Buffer> {
    yield first;
    for (let next = await bytes.next(); !next.done; next = await bytes.next()) yield next.value;
  }
  if (!GZIP_MAGIC.every((byte, index) => first[index] === byte)) {
    yield* whole();
    return;
  }
  // `pipeline` hands an error of the source on to gunzip, where the loop below throws it.
  const gunzip = createGunzip();
  pipeline(Readable.from(whole()), gunzip, () => {});
  yield* gunzip as AsyncIterable<Buffer>;
}

function readable(error: unknown, file: string): unknown {
  const code = (error as { code?: unknown })?.code;
  const messages: Readonly<Record<string, string>> = {
    ENOENT: `there is no file ${file}.`,
    EACCES: `${file} can't be read (no permission).`,
    EISDIR: `${file} is a folder. Give a file.`,
    ELOOP: `${file} is a link that leads to itself. Give the actual file.`,
    ENOTDIR: `there is no file ${file}: a part of its path is a file.`,
    Z_DATA_ERROR: `${file} is a damaged gzip file.`,
    Z_BUF_ERROR: `${file} is a gzip file that is cut off.`,
  };
  if (typeof code !== "string") return error;
  const message = messages[code] ?? (isOfSystem(error) ? `${file} can't be read (${code}).` : undefined);
  return message === undefined ? error : new FileError(message, { cause: error });
}

/** Does the operating system say so? Then a person can mend it, and its code says what to look for. */
export function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return (
    error instanceof Error && "syscall" in error && typeof (error as NodeJS.ErrnoException).code === "string"
  );
}
