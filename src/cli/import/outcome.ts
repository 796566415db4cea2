import { EXPECTED } from "../../apis/logs/wrong-file.ts";
import { formatCount } from "../format.ts";
import { FileError } from "../read-lines.ts";

export interface Outcome {
  /** Files that were read, that haven't changed since the last time, and that hold no conversation. */
  read: number;
  unchanged: number;
  readonly passedOver: NotRead[];
  /** Files that hold conversations and can't be read, or can't be opened. */
  readonly unreadable: NotRead[];
  /** What was left out of files that were read, or was odd about them. */
  readonly warnings: FileWarning[];
  conversations: number;
  messages: number;
}

/** A file that nothing was added from. */
interface NotRead {
  readonly file: string;
  readonly reason: string;
}

/** What a reader says about a file. */
interface FileWarning {
  readonly file: string;
  readonly warning: string;
}

/** Files that are named for one reason; `--json` names all. */
const NAMED = 5;

export function outcomeText(
  { read, unchanged, passedOver, unreadable, warnings, conversations, messages }: Outcome,
  database: string,
): string {
  const count = (value: number, one: string, many = `${one}s`) =>
    `${formatCount(value)} ${value === 1 ? one : many}`;
  const lines = [
    messages === 0
      ? `Nothing new for ${database}.`
      : `${count(messages, "new message")} in ${count(conversations, "conversation")} of ${count(read, "file")} added to ${database}.`,
    ...(unchanged > 0 ? [`${count(unchanged, "file")} unchanged since the last import.`] : []),
    ...(passedOver.length > 0
      ? [
          `${count(passedOver.length, "file")} skipped, because no conversation could be read from ${passedOver.length === 1 ? "it" : "them"}:`,
        ]
      : []),
    ...passedOver.slice(0, NAMED).map(lineOf),
    ...(passedOver.length > NAMED ? [`  and ${formatCount(passedOver.length - NAMED)} more`] : []),
    ...warningLines(warnings),
    ...(unreadable.length > 0
      ? [
          `${count(unreadable.length, "file")} not added, because something in ${unreadable.length === 1 ? "it" : "them"} can't be read:`,
        ]
      : []),
    ...unreadable.map(lineOf),
  ];
  return `${lines.join("\n")}\n`;
}

/** What was left out or odd. Warnings of one kind that many files have don't bury one that a single file has. */
function warningLines(warnings: readonly FileWarning[]): string[] {
  const kinds = Map.groupBy(warnings, ({ warning }) => warning.replace(/\d+/g, "N"));
  const lines = [...kinds.values()].flatMap((alike) => [
    ...alike.slice(0, NAMED).map(({ file, warning }) => `  ${file}: ${warning}`),
    ...(alike.length > NAMED ? [`  and ${formatCount(alike.length - NAMED)} more like these`] : []),
  ]);
  return lines.length > 0 ? ["Notes:", ...lines] : [];
}

const lineOf = ({ file, reason }: NotRead): string => `  ${file}: ${reason.replace(` ${EXPECTED}`, "")}`;

/** There may be a conversation in the file, but it can't be had. */
export class UnreadableLog extends FileError {}
