import { cutToFit } from "../cut-to-fit.ts";
import { saidAlready } from "../said-already.ts";
import type { Digest, DigestLine } from "./digest.ts";

export interface WriteDigestInput {
  readonly digest: Digest;
  /** Ceiling of the text, in tokens by `count`. Never exceeded. */
  readonly cap: number;
  readonly count: (text: string) => number;
  /** What stands above the text: requests that it says aren't said again. */
  readonly above?: string;
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
/** A sentence of the user's that is repeated is known by its words, however few (characters). */
const LEAST_REPEATED = 8;
/** Files that were only looked at are named up to this number. */
const MOST_READ = 12;

/** A digest as Markdown within the cap: titles, and list items that can be read alone. Sections without lines are left out. */
export function writeDigest(input: WriteDigestInput): string {
  const { digest, cap, count, more, goalTitle = "Goal" } = input;
  const sections: Section[] = [
    { title: goalTitle, lines: unlessAbove(digest.goal, input.above), share: SHARES.goal },
    { title: "Rules", lines: digest.rules, share: SHARES.rules },
    { title: "State", lines: digest.state, share: SHARES.state },
    { title: "Decisions and findings", lines: digest.decisions, share: SHARES.decisions },
    ...(more === undefined ? [] : [{ ...more, share: SHARES.more }]),
    { title: "Files changed", lines: changedLines(input), share: SHARES.files },
    { title: "Files read", lines: readLines(input), share: SHARES.read },
    { title: "Open points", lines: digest.open, share: SHARES.open },
  ];
  const chosen = choose(sections, { cap, count, above: input.above ?? "" });
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

/** Requests without those that stand above already. */
function unlessAbove(lines: readonly DigestLine[], above = ""): readonly DigestLine[] {
  const isSaid = saidAlready([above], LEAST_REPEATED);
  return lines.filter(({ text }) => !isSaid(text));
}

/** The lines that are shown, each with its words. */
type Chosen = Map<DigestLine, string>;

function choose(
  sections: readonly Section[],
  { cap, count, above }: Pick<WriteDigestInput, "cap" | "count"> & { readonly above: string },
): Chosen {
  const chosen: Chosen = new Map();
  const titled = new Set<string>();
  let left = cap;
  function take({ title, lines }: Section, most: number): void {
    let own = Math.min(most, left);
    const isSaid = saidAlready([above, ...chosen.values()], LEAST_REPEATED);
    for (const line of lines.toSorted((a, b) => b.worth - a.worth)) {
      // No line is without a cost.
      if (own < 1) return;
      if (chosen.has(line)) continue;
      const isRepeated = line.repeats !== undefined && isSaid(line.repeats);
      const text = isRepeated ? line.otherwise : line.text;
      if (text === undefined) continue;
      const cost = count(`- ${text}\n`) + (titled.has(title) ? 0 : count(`## ${title}\n\n`));
      if (cost > own) continue;
      titled.add(title);
      own -= cost;
      left -= cost;
      chosen.set(line, text);
    }
  }
  for (const section of sections) take(section, section.share * cap);
  for (const section of sections) take(section, left);
  return chosen;
}

/** False: there was nothing left to drop. */
function dropLeast(sections: readonly Section[], chosen: Chosen): boolean {
  const largest = sections
    .map(({ lines }) => lines.filter((line) => chosen.has(line)))
    .toSorted((a, b) => b.length - a.length)[0];
  const least = largest?.toSorted((a, b) => a.worth - b.worth)[0];
  return least !== undefined && chosen.delete(least);
}

function render(sections: readonly Section[], chosen: ReadonlyMap<DigestLine, string>): string {
  return sections
    .flatMap(({ title, lines }) => {
      const shown = lines.flatMap((line) => chosen.get(line) ?? []);
      return shown.length === 0 ? [] : [`## ${title}\n${shown.map((text) => `- ${text}`).join("\n")}`];
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
