import { type Logger, pino } from "pino";

export type Log = Logger;

/** Structured logs on stderr. Headers and bodies are never logged, so that no key and no text can be in them. */
export function createLog(level: string): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}
