import { cutToFit } from "../cut-to-fit.ts";
import type { Digest, DigestLine } from "./digest.ts";

/** What `writeDigest` takes. */
export interface WriteDigestInput {
  readonly digest: Digest;
  /** Ceiling of the text, in tokens by `count`. Never exceeded. */
  readonly cap: number;
  readonly count: (text: string) => number;
  /** Lines that are chosen for a purpose, in a section of their own. */
  readonly more?: { readonly title: string; readonly lines: readonly DigestLine[] };
  /** Title of what the user asked for. Default `Goal`. */
  readonly goalTitle?: string;
  /** Shows paths with their folder. Default false: they are read beside the code. */
  readonly fullPaths?: boolean;
}

interface Section {
  readonly title: string;
  readonly lines: readonly DigestLine[];
  /** Share of the cap that it has to itself; what others leave may be used beyond it. */
  readonly share: number;
}

const SHARES = {
  goal: 0.2,
  rules: 0.1,
  state: 0.25,
  decisions: 0.25,
  more: 0.25,
  files: 0.1,
  read: 0.03,
  open: 0.1,
};
/** Files that were only looked at are named up to this number. */
const MOST_READ = 12;

/** A digest as Markdown within the cap: titles, and list items that can be read alone. Sections without lines are left out. */
export function writeDigest(input: WriteDigestInput): string {
  const { digest, cap, count, more, goalTitle = "Goal" } = input;
  const sections: Section[] = [
    { title: goalTitle, lines: digest.goal, share: SHARES.goal },
    { title: "Rules", lines: digest.rules, share: SHARES.rules },
    { title: "State", lines: digest.state, share: SHARES.state },
    { title: "Decisions and findings", lines: digest.decisions, share: SHARES.decisions },
    ...(more === undefined ? [] : [{ ...more, share: SHARES.more }]),
    { title: "Files changed", lines: changedLines(input), share: SHARES.files },
    { title: "Files read", lines: readLines(input), share: SHARES.read },
    { title: "Open points", lines: digest.open, share: SHARES.open },
  ];
  const chosen = choose(sections, cap, count);
  for (;;) {
    const text = render(sections, chosen);
    // Lines are counted one by one, the whole text may have a few tokens more.
    if (text !== "" && count(text) <= cap) return text;
    if (!dropLeast(sections, chosen)) return beginningOf(sections, cap, count);
  }
}

/** Where not one line fits: the beginning of the first one. */
function beginningOf(sections: readonly Section[], cap: number, count: (text: string) => number): string {
  const section = sections.find(({ lines }) => lines.length > 0);
  if (section === undefined) return "";
  const best = section.lines.reduce((a, b) => (b.worth > a.worth ? b : a));
  const shown = (text: string): string => `## ${section.title}\n- ${text}`;
  const text = cutToFit(best.text, (part) => count(shown(part)), cap);
  return text === "" ? "" : shown(text);
}

function choose(sections: readonly Section[], cap: number, count: (text: string) => number): Set<DigestLine> {
  const chosen = new Set<DigestLine>();
  const titles = sections.reduce(
    (sum, { title, lines }) => sum + (lines.length > 0 ? count(`## ${title}\n\n`) : 0),
    0,
  );
  let left = cap - titles;
  const take = (lines: readonly DigestLine[], most: number): void => {
    let own = Math.min(most, left);
    for (const line of lines.toSorted((a, b) => b.worth - a.worth)) {
      if (chosen.has(line)) continue;
      const cost = count(`- ${line.text}\n`);
      if (cost > own) continue;
      own -= cost;
      left -= cost;
      chosen.add(line);
    }
  };
  for (const { lines, share } of sections) take(lines, share * cap);
  for (const { lines } of sections) take(lines, left);
  return chosen;
}

/** False: there was nothing left to drop. */
function dropLeast(sections: readonly Section[], chosen: Set<DigestLine>): boolean {
  const largest = sections
    .map(({ lines }) => lines.filter((line) => chosen.has(line)))
    .toSorted((a, b) => b.length - a.length)[0];
  const least = largest?.toSorted((a, b) => a.worth - b.worth)[0];
  return least !== undefined && chosen.delete(least);
}

function render(sections: readonly Section[], chosen: ReadonlySet<DigestLine>): string {
  return sections
    .flatMap(({ title, lines }) => {
      const shown = lines.filter((line) => chosen.has(line));
      return shown.length === 0 ? [] : [`## ${title}\n${shown.map(({ text }) => `- ${text}`).join("\n")}`];
    })
    .join("\n\n");
}

function changedLines(input: WriteDigestInput): DigestLine[] {
  return input.digest.files.changed.map((path, index) => ({
    message: 0,
    text: shownPath(input, path),
    worth: -index,
  }));
}

/** All in one line: they matter less, and there may be many. */
function readLines(input: WriteDigestInput): DigestLine[] {
  const { read } = input.digest.files;
  if (read.length === 0) return [];
  const more = read.length > MOST_READ ? ` and ${read.length - MOST_READ} more` : "";
  const named = read.slice(0, MOST_READ).map((path) => shownPath(input, path));
  return [{ message: 0, text: `${named.join(", ")}${more}`, worth: 0 }];
}

function shownPath({ digest, fullPaths = false }: WriteDigestInput, path: string): string {
  return `\`${fullPaths && !path.startsWith("/") ? digest.files.root : ""}${path}\``;
}
