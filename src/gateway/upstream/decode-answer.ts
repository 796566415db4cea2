import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { areUnpackable, codingsIn, isCoding, unpack } from "../http/codings.ts";

/** Can the bytes of an answer be read as they are? */
export function isPlain({ headers }: { readonly headers: IncomingHttpHeaders }): boolean {
  return codingsIn(headers["content-encoding"]).length === 0;
}

/** The text of an answer's bytes, for reading on the side; empty if it can't be read, or unpacks to more than `most` bytes. */
export async function answerText(
  { headers }: { readonly headers: IncomingHttpHeaders },
  bytes: Buffer,
  most: number,
): Promise<string> {
  try {
    let decoded = bytes;
    const names = codingsIn(headers["content-encoding"]);
    if (!areUnpackable(names)) return "";
    for (const coding of names) decoded = await unpack(decoded, coding, { most, isLenient: true });
    return decoded.toString("utf8");
  } catch {
    return "";
  }
}

/** Asks for answers that can be read on the side. A stream comes without compression, so that its events can be told apart. */
export function askReadable(headers: OutgoingHttpHeaders, streamed: boolean): void {
  const { "accept-encoding": asked } = headers;
  if (typeof asked !== "string") return;
  const known = asked.split(",").filter((one) => isCoding(one.trim().split(";")[0]!.toLowerCase()));
  headers["accept-encoding"] = streamed || known.length === 0 ? "identity" : known.join(",").trim();
}
