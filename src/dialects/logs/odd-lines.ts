import type { MessageList } from "./message-list.ts";

/** Lines of a log that is damaged, or that has more in it than one conversation. */
interface OddLines {
  /** Lines that have the id of an earlier line and say something else. */
  readonly twins?: number;
  /** Lines whose parent is missing or comes later. */
  readonly broken?: number;
  /** Messages of branches that the person left. */
  readonly otherBranches?: number;
  /** Lines of which a message or a part of it can't be read. */
  readonly unreadable?: readonly number[];
}

const FILE_ORDER = "the file's order decided";

/** Says what was odd about the lines of a log. */
export function warnOfOddLines(
  list: Pick<MessageList, "warn">,
  { twins = 0, broken = 0, otherBranches = 0, unreadable = [] }: OddLines,
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
  if (unreadable.length > 0) list.warn(`left out what can't be read of ${linesAt(unreadable)}`);
}

/** Lines that one warning names. */
const NAMED = 10;

function linesAt(lines: readonly number[]): string {
  const more = lines.length > NAMED ? ` and ${lines.length - NAMED} more` : "";
  return `the message${lines.length === 1 ? " on line" : "s on lines"} ${lines.slice(0, NAMED).join(", ")}${more}`;
}

/** How many of something, in words. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** How many messages, in words. */
export const messages = (count: number): string => counted(count, "message");
