import { type Logger, pino } from "pino";
import { TranscriptError } from "../../core/errors.ts";
import { RequestFault } from "../wires/request-fault.ts";

export type Log = Logger;

/** Structured logs on stderr. Headers and bodies are never logged, so that no key and no text can be in them. */
export function createLog(level: string): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}

/**
 * An error as it may be logged. What is wrong with a client's request is told to the client with words of it; the log
 * gets the kind of the fault and its place.
 */
export function loggable(error: unknown): object {
  if (error instanceof TranscriptError) return { fault: error.code, index: error.index };
  if (error instanceof RequestFault) return { fault: error.code };
  return { err: error };
}
