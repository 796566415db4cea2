import { TranscriptError } from "../core/errors.ts";
import { readMessages } from "../core/message-text.ts";
import type { Dialect } from "../core/types.ts";
import { dialectById } from "./dialect-by-id.ts";
import type { TranscriptLog } from "./logs/index.ts";
import { unreadableAt } from "./logs/message-list.ts";
import { encode } from "./transcode.ts";

/**
 * A log as a transcript: what was said and nothing else, in the wire format that is asked for, with the system prompt where
 * that format has it.
 */
export function readyLog(log: TranscriptLog, wanted: string = log.dialect): TranscriptLog {
  const said = inDialect(withoutSummaries(withoutUnreadable(log)), wanted);
  return withSystemInPlace(said, dialectById(said.dialect));
}

/** Messages that their dialect can't read leave, and are named by their places. One without a place is refused as it is read. */
function withoutUnreadable({ places, ...log }: TranscriptLog): TranscriptLog {
  if (places === undefined) return log;
  const dialect = dialectById(log.dialect);
  const bad = new Map(
    places.at.flatMap((place, index) =>
      place === undefined || canRead(dialect, log.messages[index]) ? [] : [[index, place] as const],
    ),
  );
  return bad.size === 0 ? log : without(log, bad, unreadableAt(places.of, [...bad.values()]));
}

/** The log without the messages of these indexes, and a warning that says so. */
function without(log: TranscriptLog, left: { has(index: number): boolean }, warning: string): TranscriptLog {
  const keep = (_: unknown, index: number): boolean => !left.has(index);
  const kept = [...log.messages.keys()].filter((index) => !left.has(index));
  const moved = (index: number): number => kept.filter((one) => one < index).length;
  return {
    ...log,
    messages: log.messages.filter(keep),
    ...(log.times && { times: log.times.filter(keep) }),
    ...(log.compactions && { compactions: log.compactions.map(moved) }),
    ...(log.summaries && { summaries: log.summaries.filter((index) => !left.has(index)).map(moved) }),
    warnings: [...log.warnings, warning],
  };
}

function canRead(dialect: Dialect<unknown>, message: unknown): boolean {
  try {
    dialect.read(message);
    return true;
  } catch (error) {
    if (error instanceof TranscriptError) return false;
    throw error;
  }
}

/** The client's own summaries leave: a transcript is what was said, and the messages they speak for are all in it. */
function withoutSummaries(log: TranscriptLog): TranscriptLog {
  const { summaries, ...rest } = log;
  if (summaries === undefined) return log;
  const words = summaries.length === 1 ? "one summary" : `${summaries.length} summaries`;
  return without(rest, new Set(summaries), `left out ${words} that the client wrote itself`);
}

function inDialect(log: TranscriptLog, wanted: string): TranscriptLog {
  if (log.dialect === wanted) return log;
  const own = dialectById(log.dialect);
  const system = log.system === undefined ? [] : [own.read({ role: "system", content: log.system })];
  const encoded = encode(wanted, [...system, ...readMessages(own, log.messages)]);
  const { system: _, times, ...rest } = log;
  return {
    ...rest,
    dialect: wanted,
    messages: encoded.messages,
    ...(encoded.system === undefined ? {} : { system: encoded.system }),
    // Formats cut an answer into messages differently; times that no longer belong to a message are worse than none.
    ...(times !== undefined && encoded.messages.length === log.messages.length ? { times } : {}),
    warnings: [...log.warnings, ...encoded.warnings],
  };
}

/** A system prompt that stands apart in the file becomes a message where the dialect has it among the messages. */
function withSystemInPlace(log: TranscriptLog, { rules }: Dialect<unknown>): TranscriptLog {
  const { system, ...rest } = log;
  if (system === undefined || rules.system === "apart") return log;
  return {
    ...rest,
    messages: [{ role: "system", content: system }, ...log.messages],
    ...(log.times === undefined ? {} : { times: [undefined, ...log.times] }),
  };
}
