import { type Logger, pino } from "pino";
import { TranscriptError } from "../../core/errors.ts";
import { RequestFault } from "../http/request-fault.ts";

export type Log = Logger;

/** Logs that wait for a disk or a pipe take at most this much memory; newer ones are dropped (bytes). */
const MAX_WAITING = 1024 * 1024;

/** Whether logs reach their place. */
export interface LogHealth {
  /** Why the last line couldn't be written; undefined while all is well. */
  fault(): string | undefined;
  /** Lines that were dropped for good. */
  dropped(): number;
}

/**
 * Structured logs on stderr. Headers and bodies are never logged, so that no key and no text can be in them. A log that
 * can't be written (a full disk, a pipe whose reader is gone) ends nothing and holds nobody up: the server goes on
 * without it, tries again with every line, and says so in `/readyz`.
 */
export function createLog(level: string, descriptor = 2): { readonly log: Log; readonly health: LogHealth } {
  const destination = pino.destination({ dest: descriptor, sync: false, maxLength: MAX_WAITING });
  let fault: string | undefined;
  let dropped = 0;
  destination.on("error", (error: NodeJS.ErrnoException) => {
    fault = error.code ?? error.message;
  });
  destination.on("drop", () => {
    dropped++;
  });
  destination.on("write", () => {
    fault = undefined;
  });
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return { log, health: { fault: () => fault, dropped: () => dropped } };
}

/** An error as it may be logged: its kind and place. Words of a client's request are for the client alone. */
export function loggable(error: unknown): object {
  if (error instanceof TranscriptError) return { fault: error.code, index: error.index };
  if (error instanceof RequestFault) return { fault: error.code };
  return { err: error };
}
