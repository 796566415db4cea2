import type { Statement } from "../material/statements.ts";
import type { SectionEntry } from "../sections.ts";

/** Statements in time order, one entry per message, with the titles under which they stand. */
export function statementEntries(
  statements: readonly Statement[],
  textOf: (statement: Statement) => string,
): SectionEntry[] {
  const entries: { head: string; text: string }[] = [];
  let before: Statement | undefined;
  for (const one of [...statements].sort((a, b) => a.message - b.message || a.order - b.order)) {
    const last = entries.at(-1);
    if (last === undefined || one.message !== before?.message)
      entries.push({ head: `#${one.message + 1}`, text: newTitles(one.lead, "") + textOf(one) });
    else last.text += between(before, one) + newTitles(one.lead, before.lead) + textOf(one);
    before = one;
  }
  return entries;
}

/** What stands between two statements of one message: a reader should see where something was left out. */
function between(before: Statement, after: Statement): string {
  const gap = after.order === before.order + 1 || before.text.endsWith("…") ? "" : " …";
  const isSameLine = after.place !== undefined && after.place.line === before.place?.line;
  return `${gap}${isSameLine && after.place.kind !== "code" ? " " : "\n"}`;
}

/** Of the titles above a statement those that the statement before it didn't have, each with a line break. */
export function newTitles(lead: string, before: string): string {
  if (lead === "" || lead === before) return "";
  const known = before.split("\n");
  const titles = lead.split("\n");
  const fresh = titles.findIndex((title) => !known.includes(title));
  return fresh < 0 ? "" : `${titles.slice(fresh).join("\n")}\n`;
}
