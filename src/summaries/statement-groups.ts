import type { Statement } from "./statements.ts";

/** A point that is nothing but a link. */
const LINK = /^(?:[-*•]|\d+[.)])?\s*(?:\[[^\]]*\]\([^()\s]*\)|<?https?:\/\/\S+)$/;
/** A phrase: longer texts say more than their figures (characters). */
const SHORT_PHRASE = 40;

/**
 * What is shown together, in the order in which a reader needs it: from the beginning (the answer) and from the end (what it
 * comes to) towards the middle, a list with the heads of all its points; then what is said under the points; then code.
 */
export function groupsOf(statements: readonly Statement[]): Statement[][] {
  const said: Statement[][] = [];
  const blocks = new Map<number, Statement[]>();
  for (const one of statements) {
    const { kind, block } = one.place ?? { kind: "sentence", block: -1 };
    if (kind === "sentence") said.push([one]);
    else if (kind === "point") {
      const same = blocks.get(block);
      if (same) same.push(one);
      else {
        const points = [one];
        blocks.set(block, points);
        said.push(points);
      }
    }
  }
  const ofKind = (wanted: string): Statement[][] =>
    withTables(statements.filter(({ place }) => place?.kind === wanted));
  const isLinks = (group: readonly Statement[]): boolean => group.every(({ text }) => LINK.test(text));
  const links = said.filter(isLinks);
  const told = said.filter((group) => !isLinks(group));
  return [...fromBothEnds(told), ...ofKind("detail"), ...ofKind("code"), ...links];
}

/** Each statement by itself, but the rows of a table together. */
function withTables(statements: readonly Statement[]): Statement[][] {
  const groups: Statement[][] = [];
  for (const one of statements) {
    const before = groups.at(-1)?.at(-1);
    const isRow = one.text.startsWith("|") && before?.text.startsWith("|");
    if (isRow && before!.order + 1 === one.order) groups.at(-1)!.push(one);
    else groups.push([one]);
  }
  return groups;
}

/** The first, the last, and towards the middle from the side that has less so far. */
function fromBothEnds(groups: readonly Statement[][]): Statement[][] {
  const ordered: Statement[][] = [];
  let head = 0;
  let tail = groups.length - 1;
  let more = 0;
  while (head <= tail) {
    const fromEnd = more > 0;
    const group = groups[fromEnd ? tail-- : head++]!;
    const length = group.reduce((sum, { text }) => sum + text.length, 0);
    more += fromEnd ? -length : length;
    ordered.push(group);
  }
  return ordered;
}

/**
 * What was said again later, short phrases but for their figures ("Step 3 is done."), counts where it was said last; a list
 * only if all of its points were said again.
 */
export function lastSaid(statements: readonly Statement[]): Statement[] {
  const last = new Map(statements.map((one) => [sameAs(one.text), one.message]));
  const isLast = (one: Statement): boolean => last.get(sameAs(one.text)) === one.message;
  const blockOf = ({ message, place }: Statement): string => `${message}/${place?.block}`;
  const lists = new Set(
    statements.flatMap((one) => (one.place?.kind === "point" && isLast(one) ? [blockOf(one)] : [])),
  );
  return statements.filter((one) => ((one.place?.block ?? -1) < 0 ? isLast(one) : lists.has(blockOf(one))));
}

function sameAs(text: string): string {
  return text.length > SHORT_PHRASE ? text : text.replace(/\d+/g, "0");
}
