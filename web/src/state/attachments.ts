import type { Attachment } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";

/** Larger files aren't read (bytes). */
const MOST_BYTES = 10_000_000;
/** A longer paste is attached: a box with hundreds of pages in it can't be typed in (characters). */
export const LONG_PASTE = 8_000;

const PDF = "%PDF-";

/** A file as text: what is written in a PDF, or all of any other. Throws what a person should know. */
export async function readAttachment(file: File): Promise<Attachment> {
  const { name } = file;
  const words = strings.composer;
  if (file.size > MOST_BYTES) throw new Error(words.tooLarge(name));
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (new TextDecoder("latin1").decode(bytes.subarray(0, PDF.length)) === PDF) {
    const { readPdf } = await import("./read-pdf.ts");
    const text = await readPdf(bytes).catch(() => {
      throw new Error(words.brokenPdf(name));
    });
    if (text === "") throw new Error(words.emptyPdf(name));
    return { name, text };
  }
  if (bytes.includes(0)) throw new Error(words.notText(name));
  return { name, text: decode(bytes).replace(/\r\n?/g, "\n") };
}

/** Files of older programs aren't in UTF-8. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

const TOO_LONG = { chars: 2_500, lines: 40 };
const SHOWN = { chars: 1_200, lines: 20 };

/** The beginning of a long text; undefined of one that can be shown whole. */
export function beginningOf(text: string): string | undefined {
  if (text.length <= TOO_LONG.chars && text.split("\n", TOO_LONG.lines + 1).length <= TOO_LONG.lines)
    return undefined;
  return text.slice(0, SHOWN.chars).split("\n").slice(0, SHOWN.lines).join("\n").trimEnd();
}
