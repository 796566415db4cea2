import { loadTitles, SECTIONS } from "../../../src/gateway/api.ts";

type SectionName = keyof typeof SECTIONS;

/** One thing that a summary message says, as a person reads it. */
interface ReadEntry {
  /** `#12` or `#12–18`: the messages that it is from. */
  readonly pointer: string | undefined;
  /** The tool, file or role whose words they are, if it isn't plain from the section. */
  readonly speaker: string | undefined;
  readonly text: string;
}

export interface ReadSection {
  readonly name: SectionName;
  readonly entries: readonly ReadEntry[];
}

const NAMES = new Map(
  Object.entries(SECTIONS).map(([name, title]) => [title as string, name as SectionName]),
);
/** Titles of other languages come once a summary has none of the English ones. */
export async function knowOtherTitles(): Promise<void> {
  for (const [title, name] of await loadTitles()) NAMES.set(title, name);
}

/** How an entry begins: its messages, and in some sections who said it. */
const HEAD = /^(#\d+(?:–\d+)?):? (?:([^\n»]{1,80})» |(user|system): )?/;
const SOURCE = /^\[\^?\d+\] /;
/** Sections of which each line is an entry. */
const BY_LINE: ReadonlySet<SectionName> = new Set(["sources", "files", "states", "state"]);

/** The parts of a summary message, without what frames them for the model. Empty for a text of another form. */
export function readSummary(text: string): readonly ReadSection[] {
  const sections: { readonly name: SectionName; readonly entries: ReadEntry[] }[] = [];
  for (const line of text.split("\n")) {
    const name = NAMES.get(line);
    const section = sections.at(-1);
    if (name !== undefined) sections.push({ name, entries: [] });
    else if (section === undefined || /^<\/?[\w-]+>$/.test(line)) continue;
    else if (HEAD.test(line) || SOURCE.test(line) || BY_LINE.has(section.name))
      section.entries.push(entryOf(line));
    else goOn(section.entries, line);
  }
  return sections.filter(({ entries }) => entries.length > 0);
}

function entryOf(line: string): ReadEntry {
  const head = HEAD.exec(line);
  return {
    pointer: head?.[1],
    speaker: head?.[2]?.trim() ?? head?.[3],
    text: unescaped(head === null ? line : line.slice(head[0].length)),
  };
}

/** A further line of the entry before it. */
function goOn(entries: ReadEntry[], line: string): void {
  const last = entries.pop();
  entries.push(last === undefined ? entryOf(line) : { ...last, text: `${last.text}\n${unescaped(line)}` });
}

/** A backslash keeps quoted words from looking like structure; a person needn't see it. */
const unescaped = (line: string) => line.replace(/^(\s*)\\(?=[#<[\w(])/, "$1");
