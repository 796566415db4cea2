import { isJson, numberOf, parseJson } from "../wires/json.ts";
import type { Json, Wire } from "../wires/wire.ts";

/** What is told about a request whose transcript was larger than what was sent. */
export interface UsageNote {
  /** Tokens of the transcript that were not sent. */
  readonly saved: number;
  /** Report usage as if the whole transcript had been sent. */
  readonly asTranscript: boolean;
}

/** Adds what was saved to a usage object, in a field of our own. */
export function noteUsage(wire: Wire, note: UsageNote): (usage: Json) => Json {
  return (usage) => {
    const input = numberOf(usage[wire.inputField]);
    if (input === undefined) return usage;
    const changed: Record<string, unknown> = { ...usage, precis_saved_tokens: note.saved };
    if (!note.asTranscript) return changed;
    changed[wire.inputField] = input + note.saved;
    const total = numberOf(usage["total_tokens"]);
    if (total !== undefined) changed["total_tokens"] = total + note.saved;
    return changed;
  };
}

/** Rewrites the usage in the events of a stream; all other bytes pass as they are. */
export function usageRewriter(wire: Wire, note: UsageNote): (piece: Buffer, isLast: boolean) => Buffer {
  const change = noteUsage(wire, note);
  let rest: Buffer = Buffer.alloc(0);
  return (piece, isLast) => {
    const all = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    // Only whole events are looked at; they end with an empty line.
    const end = isLast ? all.length : lastEvent(all);
    rest = all.subarray(end);
    const ready = all.subarray(0, end);
    if (!ready.includes('"usage"')) return ready;
    const lines = ready
      .toString("utf8")
      .split("\n")
      .map((line) => rewrite(line, wire, change));
    return Buffer.from(lines.join("\n"));
  };
}

function lastEvent(bytes: Buffer): number {
  const plain = bytes.lastIndexOf("\n\n");
  const windows = bytes.lastIndexOf("\r\n\r\n");
  return Math.max(plain < 0 ? 0 : plain + 2, windows < 0 ? 0 : windows + 4);
}

function rewrite(line: string, wire: Wire, change: (usage: Json) => Json): string {
  if (!line.startsWith("data:") || !line.includes('"usage"')) return line;
  const data = parseJson(line.slice("data:".length));
  const changed = isJson(data) ? wire.withUsage(data, change) : undefined;
  return changed ? `data: ${JSON.stringify(changed)}` : line;
}
