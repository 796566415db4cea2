import type { SectionName } from "../write/section-titles.ts";

/** The titles of sections in all languages but English, for whoever shows summary messages to people. */
export async function loadTitles(): Promise<ReadonlyMap<string, SectionName>> {
  const { OTHER_FRAMES } = await import("./other-frames.ts");
  const entries = [...OTHER_FRAMES.values()].flatMap(({ titles }) => Object.entries(titles));
  return new Map(entries.map(([name, title]) => [title, name as SectionName]));
}
