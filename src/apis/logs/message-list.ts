import { defined } from "../../core/collections.ts";
import { sameValue } from "../../core/same-message.ts";
import { type Fields, textOf } from "./fields.ts";
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

/** What a log says beside its messages; what isn't there stays out. */
type LogFacts = {
  readonly [K in "system" | "tools" | "model" | "title" | "id"]?: TranscriptLog[K] | undefined;
};

/** The values of a list that are what a format has there, each with its place, from 1. The others can't be read. */
export function* readableOnes<T>(
  list: MessageList,
  values: readonly unknown[],
  isOne: (value: unknown) => value is T,
): Generator<readonly [place: number, value: T]> {
  for (const [at, value] of values.entries()) {
    if (isOne(value)) yield [at + 1, value];
    else list.unreadable(at + 1);
  }
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
      const optional = defined({
        ...rest,
        times: times.some((time) => time !== undefined) ? times : undefined,
        compactions: compactions.size > 0 ? [...compactions] : undefined,
        summaries: summaries.length > 0 ? summaries : undefined,
        places: placeOf.some((place) => place !== undefined) ? { of: places, at: placeOf } : undefined,
      });
      return { source, messages, ...optional, warnings } as TranscriptLog;
    },
  };
}

/** Lines of a log that is damaged, or that has more in it than one conversation. */
interface OddLines {
  /** Lines that have the id of an earlier line and say something else. */
  readonly twins?: number;
  /** Lines whose parent is missing or comes later. */
  readonly broken?: number;
  /** Messages of branches that the person left. */
  readonly otherBranches?: number;
}

const FILE_ORDER = "the file's order decided";

/** Says what was odd about the lines of a log. */
export function warnOfOddLines(
  list: Pick<MessageList, "warn">,
  { twins = 0, broken = 0, otherBranches = 0 }: OddLines,
): void {
  if (twins > 0)
    list.warn(
      `${twins === 1 ? "1 line has" : `${twins} lines have`} the id of an earlier line that says something else; ${FILE_ORDER}`,
    );
  if (broken > 0)
    list.warn(
      `${broken === 1 ? "1 line follows" : `${broken} lines follow`} a line that is missing or comes later; ${FILE_ORDER}`,
    );
  if (otherBranches > 0) list.warn(`left out ${messages(otherBranches)} of other branches`);
}

/** Finds records that come again, and others that only have their id. */
export interface TwinFinder {
  /** False for a record that says what an earlier one with its id said. */
  isNew(id: unknown, record: Fields, isSame?: (one: Fields, other: Fields) => boolean): boolean;
  /** How many have the id of an earlier one and say something else. */
  twins(): number;
}

export function createTwinFinder(): TwinFinder {
  const byId = new Map<string, Fields>();
  let twins = 0;
  return {
    isNew(given, record, isSame = sameValue) {
      const id = textOf(given);
      const earlier = id === undefined ? undefined : byId.get(id);
      if (earlier !== undefined && isSame(earlier, record)) return false;
      if (earlier !== undefined) twins += 1;
      if (id !== undefined) byId.set(id, record);
      return true;
    },
    twins: () => twins,
  };
}

/** Places that one warning names. */
const NAMED = 10;

/** `line 3`, or `lines 3, 5 and 8 more`. */
export function placesAt(what: "line" | "message", places: readonly number[]): string {
  const more = places.length > NAMED ? ` and ${places.length - NAMED} more` : "";
  return `${what}${places.length === 1 ? "" : "s"} ${places.slice(0, NAMED).join(", ")}${more}`;
}

/** What is said of messages that can't be read, or only in part. */
export function unreadableAt(what: "line" | "message", places: readonly number[]): string {
  const sorted = placesAt(
    what,
    places.toSorted((a, b) => a - b),
  );
  const which = what === "line" ? `the ${places.length === 1 ? "message" : "messages"} on ${sorted}` : sorted;
  return `left out what can't be read of ${which}`;
}

/** How many of something, in words. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** How many messages, in words. */
export const messages = (count: number): string => counted(count, "message");

/** A line of a log whose lines name the line that they follow. */
interface TreeLine {
  /** A line without an id follows the line before it in the file. */
  readonly id: string | undefined;
  /** The id of the line that this one follows; null for the first line of a branch. */
  readonly parent: string | null | undefined;
}

interface Branch {
  /** Places of the branch's lines in the file, in the order in which they were said. */
  readonly places: readonly number[];
  /** How many lines have no parent that could stand before them. They follow the line before them in the file. */
  readonly broken: number;
}

/**
 * The branch of a tree that ends in the line at `last`. A damaged log has ids that come twice, and parents that are missing
 * or lead in a circle: there the order of the file decides, so that no message is lost.
 */
export function branchTo(last: number, lines: readonly TreeLine[]): Branch {
  const parents = parentPlaces(lines);
  const taken = new Set<number>();
  let broken = 0;
  // Only ever falls, so that a file made of circles is walked through once.
  let below = lines.length;
  let at = last;
  while (at >= 0) {
    taken.add(at);
    const parent = parents[at];
    if (parent === undefined && lines[at]!.parent === null) break;
    if (parent !== undefined && !taken.has(parent)) {
      at = parent;
      continue;
    }
    broken += 1;
    below = Math.min(below, at);
    do below -= 1;
    while (taken.has(below));
    at = below;
  }
  return { places: withLinesBetween([...taken].reverse(), taken, lines), broken };
}

/**
 * The place of each line's parent: the nearest one before it, otherwise the first one with that id. A line that has the id
 * of an earlier one comes after that one, or the two would be branches that nobody made.
 */
function parentPlaces(lines: readonly TreeLine[]): readonly (number | undefined)[] {
  const first = new Map<string, number>();
  const nearest = new Map<string, number>();
  const before = lines.map(({ id, parent }, at) => {
    const named = typeof parent === "string" ? nearest.get(parent) : undefined;
    if (id === undefined) return named;
    const twin = nearest.get(id);
    nearest.set(id, at);
    if (twin === undefined) first.set(id, at);
    return twin === undefined || (named !== undefined && named > twin) ? named : twin;
  });
  return before.map((place, at) => {
    const { parent } = lines[at]!;
    return place ?? (typeof parent === "string" ? first.get(parent) : undefined);
  });
}

/** The branch with the lines that have no id, each behind the line that it follows. */
function withLinesBetween(
  path: readonly number[],
  taken: ReadonlySet<number>,
  lines: readonly TreeLine[],
): number[] {
  const places: number[] = [];
  const takeAlong = (from: number): void => {
    for (let at = from; at < lines.length && lines[at]!.id === undefined && !taken.has(at); at++)
      places.push(at);
  };
  takeAlong(0);
  for (const at of path) {
    places.push(at);
    takeAlong(at + 1);
  }
  return places;
}
