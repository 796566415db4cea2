import { fromBothEnds, SPECIFIC } from "../material/read-passage.ts";
import type { Statement } from "../material/statements.ts";
import { newTitles } from "../write/render-message.ts";
import { NEVER, recency, select } from "./select.ts";

/** Statements of the oldest messages get this share of the room that new ones get. */
const OLDEST = 0.75;
/** What turns came to is told for every turn before any message is told at length, within this share of the room. */
const TURNS_SHARE = 0.6;
/** … and so many tokens each; so many of its sentences and lists are tried. */
const TURN_ROOM = 90;
const TURN_TRIES = 4;
/** Beside what is said, code has to be so many times shorter. */
const CODE_PRICE = 2;

export interface ChooseStatementsInput {
  readonly statements: readonly Statement[];
  /** Estimated tokens for all of them. */
  readonly budget: number;
  readonly cost: (text: string) => number;
  /** Characters of transcript behind a message. */
  readonly age: (message: number) => number;
}

/** Statements of one message that are shown together or not at all. */
interface Group {
  readonly statements: readonly Statement[];
  readonly price: number;
  /** How far its message has been told with it, beside the room that the message deserves: the smaller, the sooner. */
  readonly reach: number;
}

/** The groups of one message, in the order in which a reader needs them. */
interface Speech {
  readonly groups: readonly Group[];
  /** How much room it deserves beside others. */
  readonly weight: number;
  readonly endsTurn: boolean;
}

/**
 * Statements within the budget, in the order of their rank. First what each turn came to, in one sentence or in the points of
 * one list. Then messages grow side by side, newer ones and those that end a turn somewhat faster, so that one long report
 * doesn't take the place of all others.
 */
export function chooseStatements(input: ChooseStatementsInput): Statement[] {
  const speeches = [...Map.groupBy(lastSaid(input.statements), ({ message }) => message).values()].map(
    (said) => speechOf(said, input),
  );
  const chosen = new Set<Group>();
  let left = input.budget;
  const take = (group: Group, room: number): boolean => {
    if (chosen.has(group) || group.price > room) return false;
    chosen.add(group);
    left -= group.price;
    return true;
  };
  const least = input.budget * (1 - TURNS_SHARE);
  // Of those that deserve the same, the newest first.
  const ends = speeches.filter(({ endsTurn }) => endsTurn).reverse();
  for (const { groups } of ends.sort((a, b) => b.weight - a.weight)) {
    const before = left;
    for (const group of groups.slice(0, TURN_TRIES)) {
      const isTaken = take(group, Math.min(left - least, TURN_ROOM - (before - left)));
      // "Now I understand it." says too little for a turn.
      if (isTaken && group.statements.some(({ text }) => SPECIFIC.test(text))) break;
    }
  }
  const blocks = new Map(speeches.flatMap(({ groups }) => groups.flatMap((one) => pointsIn(one))));
  select(
    speeches.flatMap(({ groups }) => groups),
    {
      worth: ({ reach }) => 1 / reach,
      price: ({ price }) => price,
      budget: left,
      isWanted(group) {
        // Under points that aren't shown nothing more is said.
        const points = blocks.get(blockOf(group) ?? "");
        return !chosen.has(group) && (points === undefined || points === group || chosen.has(points));
      },
      onTake: (group) => chosen.add(group),
    },
  );
  return [...chosen].flatMap(({ statements }) => statements);
}

function speechOf(said: readonly Statement[], { cost, age }: ChooseStatementsInput): Speech {
  const [first] = said;
  const old = Math.min(1, recency(age(first!.message)) / NEVER);
  const best = said.reduce((most, { factor }) => Math.max(most, factor), 0);
  const weight = best * (1 - (1 - OLDEST) * old);
  let spent = 0;
  let lead = "";
  const groups = groupsOf(said).map((statements): Group => {
    const price = Math.max(1, cost(`${spent === 0 ? "#1234 " : ""}${textWithLead(statements, lead)}\n`));
    lead = statements.at(-1)!.lead;
    const isCode = statements[0]!.place?.kind === "code";
    const reach = (spent + price * (isCode ? CODE_PRICE : 1)) / weight;
    spent += price;
    return { statements, price, reach };
  });
  return { groups, weight, endsTurn: first!.endsTurn === true };
}

/** A list by its name. */
function pointsIn(group: Group): [string, Group][] {
  const block = blockOf(group);
  return block !== undefined && group.statements[0]!.place!.kind === "point" ? [[block, group]] : [];
}

/** The list that a group is of or belongs to. */
function blockOf({ statements: [first] }: Group): string | undefined {
  const block = first!.place?.block ?? -1;
  return block < 0 ? undefined : `${first!.message}/${block}`;
}

/** The texts of statements, with those titles above them that weren't shown already. */
function textWithLead(group: readonly Statement[], shown: string): string {
  let lead = shown;
  return group
    .map((one) => {
      const text = `${newTitles(one.lead, lead)}${one.text}`;
      lead = one.lead;
      return text;
    })
    .join("\n");
}

/** A point that is nothing but a link. */
const LINK = /^(?:[-*•]|\d+[.)])?\s*(?:\[[^\]]*\]\([^()\s]*\)|<?https?:\/\/\S+)$/;
/** A phrase: longer texts say more than their figures (characters). */
const SHORT_PHRASE = 40;

/**
 * What is shown together, in the order in which a reader needs it: from the beginning (the answer) and from the end (what it
 * comes to) towards the middle, a list with the heads of all its points; then what is said under the points; then code.
 */
function groupsOf(statements: readonly Statement[]): Statement[][] {
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
  const prose = said.filter((group) => !isLinks(group));
  const lengthOf = (group: readonly Statement[]) => group.reduce((sum, { text }) => sum + text.length, 0);
  return [...fromBothEnds(prose, lengthOf), ...ofKind("detail"), ...ofKind("code"), ...links];
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

/**
 * What was said again later, short phrases but for their figures ("Step 3 is done."), counts where it was said last; a list
 * only if all of its points were said again.
 */
function lastSaid(statements: readonly Statement[]): Statement[] {
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
