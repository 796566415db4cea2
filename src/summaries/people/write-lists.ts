import { saidAlready } from "../select/select.ts";
import { cutToFit } from "../text/sentences.ts";

export interface ListLine {
  readonly text: string;
  /** The larger, the sooner it is taken. */
  readonly worth: number;
  /** What it repeats of the user's words: where those stand above, it isn't shown … */
  readonly repeats?: string;
  /** … or only with these words. */
  readonly otherwise?: string;
}

export interface ListSection {
  readonly title: string;
  /** In the order in which they are shown. */
  readonly lines: readonly ListLine[];
  /** Share of the cap that it has to itself; what others leave may be used beyond it. */
  readonly share: number;
}

/** A sentence of the user's that is repeated is known by its words, however few (characters). */
const LEAST_REPEATED = 8;

/** Titles, and list items that can be read alone, as Markdown within the cap. Sections without lines are left out. */
export function writeLists(input: {
  readonly sections: readonly ListSection[];
  readonly cap: number;
  readonly count: (text: string) => number;
  /** What stands above the text: what it says isn't said again. */
  readonly above?: string;
}): string {
  const { cap, count, above = "" } = input;
  const isAbove = saidAlready([above], LEAST_REPEATED);
  const sections = input.sections.map((section) => ({
    ...section,
    lines: eachOnce(section.lines.filter(({ text }) => !isAbove(text))),
  }));
  const shown = new Map<ListLine, string>();
  let left = cap;
  const take = (section: ListSection, most: number): void => {
    let own = Math.min(most, left);
    const isSaid = saidAlready([above, ...shown.values()], LEAST_REPEATED);
    for (const line of section.lines.toSorted((a, b) => b.worth - a.worth)) {
      if (own < 1) return;
      const text = line.repeats !== undefined && isSaid(line.repeats) ? line.otherwise : line.text;
      if (shown.has(line) || text === undefined) continue;
      const title = section.lines.some((other) => shown.has(other)) ? 0 : count(`## ${section.title}\n\n`);
      const cost = count(`- ${text}\n`) + title;
      if (cost > own) continue;
      own -= cost;
      left -= cost;
      shown.set(line, text);
    }
  };
  for (const section of sections) take(section, section.share * cap);
  for (const section of sections) take(section, left);
  for (;;) {
    const text = render(sections, shown);
    // Lines are counted one by one, the whole text may have a few tokens more.
    if (text !== "" && count(text) <= cap) return text;
    const last = [...shown.keys()].at(-1);
    if (last === undefined) return beginningOf(sections, cap, count);
    shown.delete(last);
  }
}

/** The first of lines that say the same. */
function eachOnce(lines: readonly ListLine[]): ListLine[] {
  return [...new Map(lines.toReversed().map((line) => [line.text, line])).values()].reverse();
}

function render(sections: readonly ListSection[], shown: ReadonlyMap<ListLine, string>): string {
  return sections
    .flatMap(({ title, lines }) => {
      const items = lines.flatMap((line) => shown.get(line) ?? []).map((text) => `- ${text}`);
      return items.length === 0 ? [] : [`## ${title}\n${items.join("\n")}`];
    })
    .join("\n\n");
}

/** Where not one line fits: the beginning of the first one. */
function beginningOf(sections: readonly ListSection[], cap: number, count: (text: string) => number): string {
  const section = sections.find(({ lines }) => lines.length > 0);
  if (section === undefined) return "";
  const best = section.lines.reduce((a, b) => (b.worth > a.worth ? b : a));
  const shown = (text: string): string => `## ${section.title}\n- ${text}`;
  const text = cutToFit(best.text, (part) => count(shown(part)), cap);
  return text === "" ? "" : shown(text);
}
