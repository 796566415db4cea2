import { present } from "./fields.ts";
import { unreadableAt } from "./odd-lines.ts";
import type { LogSource, TranscriptLog } from "./types.ts";

/** Collects messages with their times; the part that all readers share. */
export interface MessageList {
  readonly messages: unknown[];
  /**
   * Adds a message and returns its index. Its place in the file names it, where its dialect can't read it.
   */
  add(message: unknown, time: number | undefined, place?: number): number;
  /** Replaces a message, keeping its time. */
  replace(index: number, message: unknown): void;
  /** The client compacted here, before the next message. */
  compacted(): void;
  /** The message at `index` is the client's own summary. */
  summary(index: number): void;
  /** A message at this place of the file can't be read, or only in part. */
  unreadable(place: number): void;
  warn(text: string): void;
  log(rest: Pick<TranscriptLog, "dialect"> & LogFacts): TranscriptLog;
}

interface LogFacts {
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly model?: string | undefined;
  readonly title?: string | undefined;
  readonly id?: string | undefined;
}

export function createMessageList(
  source: LogSource,
  /** What places of the file are: lines, or messages of a list. */
  places: "line" | "message" = "line",
): MessageList {
  const messages: unknown[] = [];
  const placeOf: (number | undefined)[] = [];
  const unreadable = new Set<number>();
  const times: (number | undefined)[] = [];
  const compactions = new Set<number>();
  const summaries: number[] = [];
  const warnings: string[] = [];
  return {
    messages,
    add(message, time, place) {
      messages.push(message);
      times.push(time);
      placeOf.push(place);
      return messages.length - 1;
    },
    replace(index, message) {
      messages[index] = message;
    },
    compacted() {
      compactions.add(messages.length);
    },
    summary(index) {
      summaries.push(index);
    },
    unreadable(place) {
      unreadable.add(place);
    },
    warn(text) {
      warnings.push(text);
    },
    log(rest) {
      if (unreadable.size > 0) warnings.push(unreadableAt(places, [...unreadable]));
      const optional = present({
        system: rest.system,
        tools: rest.tools,
        model: rest.model,
        title: rest.title,
        id: rest.id,
        times: times.some((time) => time !== undefined) ? times : undefined,
        compactions: compactions.size > 0 ? [...compactions] : undefined,
        summaries: summaries.length > 0 ? summaries : undefined,
        places: placeOf.some((place) => place !== undefined) ? { of: places, at: placeOf } : undefined,
      });
      return { source, dialect: rest.dialect, messages, ...optional, warnings } as TranscriptLog;
    },
  };
}
