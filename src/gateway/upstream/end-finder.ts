/** What may stand before the marker on its line: it names the event, or it is the event. */
const BEFORE = /^(?:event: ?|data: ?(?:\{ ?"type": ?")?)$/;
/** The longest of these (bytes). */
const MAX_BEFORE = 16;

/** Finds where the last event of a stream begins. In a model's own words, such events stand in the middle of a line. */
export function createEndFinder(markers: readonly string[]): (piece: Buffer) => number | undefined {
  // The line that the last piece ended in the middle of, as far as it can be the beginning of a marker's.
  let line: Buffer = Buffer.alloc(0);
  const longest = MAX_BEFORE + Math.max(0, ...markers.map(({ length }) => length));
  return (piece) => {
    const bytes = line.length === 0 ? piece : Buffer.concat([line, piece]);
    for (const marker of markers) {
      for (let at = bytes.indexOf(marker); at >= 0; at = bytes.indexOf(marker, at + 1)) {
        const start = lineStart(bytes, at);
        if (start !== undefined && BEFORE.test(bytes.toString("latin1", start, at)))
          return Math.max(0, start - line.length);
      }
    }
    const rest = bytes.subarray(lastLineEnd(bytes) + 1);
    // A longer one holds no marker; its end must not be taken for a beginning.
    line = rest.subarray(0, longest);
    return undefined;
  };
}

function lineStart(bytes: Buffer, at: number): number | undefined {
  const from = Math.max(0, at - MAX_BEFORE - 1);
  const end = lastLineEnd(bytes.subarray(from, at));
  if (end >= 0) return from + end + 1;
  return from === 0 ? 0 : undefined;
}

function lastLineEnd(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf("\n"), bytes.lastIndexOf("\r"));
}

/** What may end an event: an empty line, in streams whose lines end with LF, CRLF or CR. */
export const EVENT_ENDS = ["\n\n", "\n\r\n", "\r\r"];

/** The longest beginning of an empty line that may stand at the end of a piece (bytes). */
export const MAX_CUT = 3;

/** Tells whether an event has ended in the pieces so far. Each is looked at once: an event may be tens of megabytes. */
export function createEventEnd(): (piece: Buffer) => boolean {
  let tail: Buffer = Buffer.alloc(0);
  let isFound = false;
  return (piece) => {
    isFound ||= hasEmptyLine(Buffer.concat([tail, piece.subarray(0, MAX_CUT)])) || hasEmptyLine(piece);
    tail = Buffer.concat([tail, piece.subarray(-MAX_CUT)]).subarray(-MAX_CUT);
    return isFound;
  };
}

function hasEmptyLine(bytes: Buffer): boolean {
  return EVENT_ENDS.some((end) => bytes.includes(end));
}
