import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { timeOrderedId } from "../../shared/time-ordered-id.ts";

/** How the names of journals end. */
export const JOURNAL = ".journal";
/**
 * A file that wasn't written for this long isn't written any more: the next write begins a new one. Others remove a file
 * only after three times as long, so nobody removes one that is still written.
 */
const WRITTEN_FOR_MS = 60_000;
export const ABANDONED_AFTER_MS = 3 * WRITTEN_FOR_MS;
/**
 * Names of journals begin with a number, because they are taken over in the order of their names and a clock may be set
 * back. The letter makes them come after those of earlier versions, whose names began with the time.
 */
const NUMBERED = /^n(\d{12})-/;
/** Only the user who runs precis may read it. */
export const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** The file to which this process writes its appends, one after the other. */
export interface JournalFile {
  readonly size: number;
  /** Undefined as long as there is no file. */
  readonly name: string | undefined;
  /** All of it or nothing. */
  write(bytes: Buffer): void;
  /** Removes the file, or leaves it to others with `keep`; the next write begins a new one. */
  end(of?: "keep"): void;
}

/** A number above that of every journal that is still there. */
function nextNumber(folder: string): string {
  const numbers = readdirSync(folder).map((name) => Number(NUMBERED.exec(name)?.[1] ?? 0));
  return `n${String(Math.max(0, ...numbers) + 1).padStart(12, "0")}`;
}

export function createJournalFile(folder: string): JournalFile {
  let open: { readonly name: string; readonly descriptor: number } | undefined;
  let size = 0;
  let writtenAt = 0;

  const begin = () => {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    const name = `${nextNumber(folder)}-${timeOrderedId()}${JOURNAL}`;
    return { name, descriptor: openSync(join(folder, name), "ax", PRIVATE) };
  };
  const end = (of?: "keep"): void => {
    if (!open) return;
    const { name, descriptor } = open;
    open = undefined;
    size = 0;
    closeSync(descriptor);
    if (of !== "keep") rmSync(join(folder, name), { force: true });
  };

  return {
    get size() {
      return size;
    },
    get name() {
      return open?.name;
    },
    write(bytes) {
      // By the clock on the wall, as others judge it; a machine that slept is noticed, a clock that was set too.
      if (Math.abs(Date.now() - writtenAt) > WRITTEN_FOR_MS) end("keep");
      open ??= begin();
      writtenAt = Date.now();
      try {
        for (let done = 0; done < bytes.length; ) done += writeSync(open.descriptor, bytes, done);
      } catch (error) {
        // Half a record in the middle would hide those behind it.
        end("keep");
        throw error;
      }
      size += bytes.length;
    },
    end,
  };
}
