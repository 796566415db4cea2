import { CLOSING, escapeMarkers, OPENING } from "./markers.ts";

/** The parts of a summary message, in the order in which they stand: what changes least first. */
export const SECTIONS = {
  narrative: "Summary:",
  words: "The user's words:",
  answers: "How answers began:",
  lines: "Lines from messages:",
  sources: "Sources:",
  files: "Files:",
  state: "State:",
} as const;

export type SectionName = keyof typeof SECTIONS;

const NAMES = Object.keys(SECTIONS) as SectionName[];
const BY_TITLE = new Map(NAMES.map((name) => [SECTIONS[name] as string, name]));

/** The whole text: what it is, then every section that has content, inside the marker. */
export function writeSections(introduction: string, content: Partial<Record<SectionName, string>>): string {
  const parts = NAMES.flatMap((name) => {
    const text = content[name] ?? "";
    return text === "" ? [] : [`${SECTIONS[name]}\n${escapeMarkers(text)}`];
  });
  return [OPENING, introduction, ...parts, CLOSING].join("\n");
}

/**
 * The sections of a summary message that a host fed back as part of its transcript. A line of content that reads like a
 * title only moves what follows it to another section; nothing is lost.
 */
export function readSections(text: string): Partial<Record<SectionName, string>> {
  const sections: Partial<Record<SectionName, string>> = {};
  let name: SectionName | undefined;
  for (const line of text.trim().split("\n")) {
    const title = BY_TITLE.get(line);
    if (title !== undefined) name = title;
    else if (name !== undefined && line !== CLOSING)
      sections[name] = sections[name] === undefined ? line : `${sections[name]}\n${line}`;
  }
  return sections;
}

const POINTED = /^#\d+(?:–\d+)? /;

/** The entries of a section: each begins with a pointer and may go on over several lines. */
export function entriesOf(section: string | undefined): string[] {
  const entries: string[] = [];
  for (const line of (section ?? "").split("\n")) {
    if (POINTED.test(line) || entries.length === 0) entries.push(line.replace(POINTED, ""));
    else entries[entries.length - 1] += `\n${line}`;
  }
  return entries.filter((entry) => entry.trim() !== "");
}
