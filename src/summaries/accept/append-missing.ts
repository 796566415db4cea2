import { lastTrue } from "../../core/last-true.ts";
import type { MustKeep } from "../must-keep.ts";
import { withoutPointers } from "../record-pointers.ts";

/** Stands before the items that a model left out even when asked again. */
const LEAD = "Also: ";
const SEPARATOR = " · ";
const RULES_HEADING = /^##\s+Rules\b.*$/m;

/**
 * The summary with what it lacks: restrictions first, each a line of its own, where rules stand; then one line of items, as
 * many as fit its ceiling, first ones first. The text itself is left as it is. A restriction may exceed the ceiling.
 */
export function appendMissing(
  text: string,
  missing: readonly Pick<MustKeep, "kind" | "text" | "message">[],
  cap: number,
  count: (text: string) => number,
): string {
  const withRules = withRestrictions(
    text,
    missing.filter(({ kind }) => kind === "restriction"),
  );
  const items = missing
    .filter(({ kind }) => kind !== "restriction")
    .map((item) => oneLine(item.text))
    .filter((item) => item !== "");
  const withFirst = (number: number): string =>
    `${withRules}\n${LEAD}${items.slice(0, number).join(SEPARATOR)}`;
  const fits = (number: number): boolean => count(withoutPointers(withFirst(number))) <= cap;
  const most = lastTrue(1, items.length, fits);
  return most === 0 ? withRules : withFirst(most);
}

function withRestrictions(text: string, restrictions: readonly Pick<MustKeep, "text" | "message">[]): string {
  if (restrictions.length === 0) return text;
  const lines = restrictions.map((item) => `- The user said: “${oneLine(item.text)}” #${item.message + 1}`);
  const heading = RULES_HEADING.exec(text);
  if (heading === null) return `## Rules\n${lines.join("\n")}\n${text}`;
  const end = heading.index + heading[0].length;
  return `${text.slice(0, end)}\n${lines.join("\n")}${text.slice(end)}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
