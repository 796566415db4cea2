import { columnsOf, type Io } from "./io.ts";

/** Reports how far a long step is. */
export interface Progress {
  /** `done` of `total`; a total of 0 is unknown. */
  update(label: string, done: number, total: number): void;
  /** Removes the bar, so that what follows starts on a clean line. */
  clear(): void;
}

/** Redrawing more often than this is wasted. */
const REDRAW_MS = 80;
/** Without a terminal a line is written at most this often, and none for steps that are shorter. */
const PLAIN_MS = 5_000;
const BAR_WIDTH = 24;

/** A bar on a terminal, now and then a plain line elsewhere, nothing at all when the output is for programs. */
export function createProgress(io: Io, options: { json: boolean; now?: () => number }): Progress {
  const now = options.now ?? Date.now;
  const tty = io.stderr.isTTY === true;
  if (options.json && !tty) return { update: () => {}, clear: () => {} };
  let last = now();
  let drawn = false;
  return {
    update(label, done, total) {
      const time = now();
      if (time - last < (tty ? REDRAW_MS : PLAIN_MS)) return;
      last = time;
      const share = total > 0 ? Math.min(1, done / total) : undefined;
      const percent = share === undefined ? "" : ` ${Math.round(share * 100)} %`;
      if (!tty) {
        io.stderr.write(`${label}${percent}\n`);
        return;
      }
      const room = columnsOf(io.stderr, io.env) - label.length - percent.length - 4;
      const width = Math.max(0, Math.min(BAR_WIDTH, room));
      const filled = Math.round((share ?? 0) * width);
      const bar = share === undefined ? "" : ` ${"█".repeat(filled)}${"░".repeat(width - filled)}`;
      io.stderr.write(`\r\u001b[K${label}${bar}${percent}`);
      drawn = true;
    },
    clear() {
      if (drawn) io.stderr.write("\r\u001b[K");
      drawn = false;
    },
  };
}
