import { sameValue } from "../../core/same-message.ts";
import { type Fields, textOf } from "./fields.ts";
import type { MessageList } from "./message-list.ts";

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
