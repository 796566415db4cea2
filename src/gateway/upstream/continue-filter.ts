const CONTINUE = Buffer.from("HTTP/1.1 100 ");
const HEAD_END = "\r\n\r\n";
/** Longest head that may only say "go on" (bytes). */
const MAX_HEAD = 4_096;

/** Takes "100 Continue" out of what an upstream sends: some say it unasked, and undici takes it for a fault. */
export interface ContinueFilter {
  /** The next bytes begin an answer. */
  arm(): void;
  disarm(): void;
  pass(bytes: Buffer | null): Buffer | null;
}

export function createContinueFilter(
  /** The upstream said it, or began to. */
  onSeen: () => void,
): ContinueFilter {
  let isArmed = false;
  let held: Buffer | undefined;

  const strip = (bytes: Buffer): Buffer | null => {
    let rest = held ? Buffer.concat([held, bytes]) : bytes;
    held = undefined;
    while (beginsContinue(rest)) {
      onSeen();
      const end = rest.indexOf(HEAD_END);
      if (end < 0) {
        if (rest.length > MAX_HEAD) return rest;
        held = rest;
        return null;
      }
      rest = rest.subarray(end + HEAD_END.length);
      if (rest.length === 0) return null;
    }
    return rest;
  };

  return {
    arm() {
      isArmed = true;
      held = undefined;
    },
    disarm() {
      isArmed = false;
    },
    pass: (bytes) => (isArmed && bytes !== null ? strip(bytes) : bytes),
  };
}

function beginsContinue(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, CONTINUE.length);
  return length > 0 && bytes.compare(CONTINUE, 0, length, 0, length) === 0;
}
