import { evenShare } from "../core/even-share.ts";
import { firstCharacters } from "../core/first-characters.ts";
import { Heap } from "./heap.ts";
import { SPECIFIC } from "./read-passage.ts";
import { NEVER, recency } from "./recency.ts";
import { newTitles } from "./statement-entries.ts";
import { groupsOf, lastSaid } from "./statement-groups.ts";
import type { Statement } from "./statements.ts";

/** Statements of the oldest messages get this share of the room that new ones get. */
const OLDEST = 0.75;
/** With less room for a message (tokens), messages between calls are left out instead of shortening all of them. */
const LEAST_ROOM = 90;
/** What turns came to is told for every turn before any message is told at length, within this share of the room. */
const TURNS_SHARE = 0.6;
/** To tell what a turn came to, so many of its sentences and lists are tried. */
const COVER_TRIES = 4;
/** Beside what is said, code has to be so many times shorter. */
const CODE_PRICE = 2;
/** Points of a list that don't fit as they are get so many characters each. */
const SHORT_POINT = 64;
/** And cells of a wide table at least so many. */
const LEAST_CELL = 8;

export interface ChooseStatementsInput {
  readonly statements: readonly Statement[];
  /** Estimated tokens for all of them. */
  readonly budget: number;
  readonly cost: (text: string) => number;
  /** Characters of transcript behind a message. */
  readonly age: (message: number) => number;
}

/** The statements of one message. */
interface Speech {
  /** What is shown together or not at all, in the order in which a reader needs it. */
  readonly groups: readonly (readonly Statement[])[];
  readonly tokens: number;
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
  const speeches = speechesOf(input);
  const kept = new Set(fewEnough(speeches, input.budget));
  const shelf = createShelf(
    speeches.filter((speech) => speech.endsTurn || kept.has(speech)),
    input,
  );
  shelf.coverTurns();
  shelf.grow();
  return [...shelf.chosen.values()];
}

/** How far a message has been told. */
interface Telling extends Pick<Speech, "weight" | "endsTurn"> {
  /** Groups that aren't told yet, the next one last. */
  readonly queue: (readonly Statement[])[];
  /** Tokens that were spent on it, and of these on a short form of the next group. */
  used: number;
  paid: number;
  /** The titles that stand above what was told last. */
  lead: string;
  /** Lists that were passed over. */
  readonly passed: Set<number>;
}

/** Takes statements of messages as long as there is room. */
function createShelf(speeches: readonly Speech[], { budget, cost }: ChooseStatementsInput) {
  /** By ordinal, in the order of rank. A list that was cut short may be replaced by the whole one. */
  const chosen = new Map<number, Statement>();
  const tellings = speeches.map(({ groups, weight, endsTurn }): Telling => {
    const queue = [...groups].reverse();
    return { weight, endsTurn, queue, used: 0, paid: 0, lead: "", passed: new Set() };
  });
  let left = budget;
  const priceOf = (one: Telling, group: readonly Statement[]): number =>
    cost(`${one.used === 0 ? "#1234 " : ""}${textWithLead(group, one.lead)}\n`);
  const put = (one: Telling, group: readonly Statement[], price: number): void => {
    for (const statement of group) chosen.set(statement.order, statement);
    left -= price;
    one.used += price;
    one.lead = group.at(-1)!.lead;
  };
  /** Takes a group whole, then it leaves the queue; or in a short form, then it stays. Says whether it did. */
  const take = (one: Telling, group: readonly Statement[], room: number): boolean => {
    const price = Math.max(1, priceOf(one, group) - one.paid);
    const { queue } = one;
    if (price <= room) {
      put(one, group, price);
      one.paid = 0;
      queue.splice(queue.lastIndexOf(group), 1);
      return true;
    }
    if (one.paid > 0) return false;
    const form = shortForms(group).find((short) => priceOf(one, short) <= room);
    if (form === undefined) return false;
    const shortPrice = priceOf(one, form);
    put(one, form, shortPrice);
    one.paid = shortPrice;
    // The whole one is the next that this message may add.
    queue.push(...queue.splice(queue.lastIndexOf(group), 1));
    return true;
  };
  /** Leaves a group out; under points that are cut short nothing more is said. */
  const pass = (one: Telling, group: readonly Statement[]): void => {
    const { queue, passed } = one;
    one.paid = 0;
    queue.pop();
    if (group[0]!.place?.kind === "point") passed.add(group[0]!.place.block);
    while (queue.length > 0 && passed.has(queue.at(-1)![0]!.place?.block ?? -1)) queue.pop();
  };
  return {
    chosen,
    coverTurns(): void {
      // Of those that deserve the same, the newest first.
      const ends = tellings.filter(({ endsTurn }) => endsTurn).reverse();
      let room = left * TURNS_SHARE;
      for (const one of ends.sort((a, b) => b.weight - a.weight)) {
        const before = left;
        for (const group of one.queue.slice(-COVER_TRIES).reverse()) {
          const spent = before - left;
          if (!take(one, group, Math.min(room, LEAST_ROOM) - spent)) continue;
          // "Now I understand it." says too little for a turn.
          if (group.some(({ text }) => SPECIFIC.test(text))) break;
        }
        room -= before - left;
      }
    },
    grow(): void {
      const priority = new Float64Array(tellings.length);
      const heap = new Heap(priority);
      const push = (at: number): void => {
        const one = tellings[at]!;
        const group = one.queue.at(-1);
        if (group === undefined) return;
        const price = priceOf(one, group) * (group[0]!.place?.kind === "code" ? CODE_PRICE : 1);
        priority[at] = -(one.used - one.paid + price) / one.weight;
        heap.push(at);
      };
      for (let at = 0; at < tellings.length; at++) {
        push(at);
      }
      for (let at = heap.pop(); at !== undefined && left > 0; at = heap.pop()) {
        const one = tellings[at]!;
        const group = one.queue.at(-1)!;
        if (!take(one, group, left)) pass(one, group);
        push(at);
      }
    },
  };
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

/** A list with its points cut to a few words each, or only what leads into it, if that names something. */
function shortForms(group: readonly Statement[]): (readonly Statement[])[] {
  const [first] = group;
  if (first?.place?.kind !== "point" && group.length === 1) return [];
  const titles = first!.lead.split("\n");
  const announcement = titles.pop()!;
  const cut = group.map((one) =>
    one.text.length <= SHORT_POINT ? one : { ...one, text: shortened(one.text) },
  );
  const isNamed = first!.place?.kind === "point" && SPECIFIC.test(announcement);
  return [cut, ...(isNamed ? [[{ ...first!, text: `${announcement} …`, lead: titles.join("\n") }]] : [])];
}

/** A point cut to a few words. A row of a table keeps all of its columns: its longest cells are cut. */
function shortened(text: string): string {
  if (!text.startsWith("|")) return cutAt(text, SHORT_POINT);
  const cells = text.split("|").map((cell) => cell.trim());
  const share = evenShare(
    cells.map(({ length }) => length),
    SHORT_POINT,
  );
  const limit = Math.max(Math.floor(Math.min(share, SHORT_POINT)), LEAST_CELL);
  return cells
    .map((cell) => (cell.length <= limit ? cell : cutAt(cell, limit)))
    .join(" | ")
    .trim();
}

function cutAt(text: string, limit: number): string {
  const space = text.lastIndexOf(" ", limit);
  return `${firstCharacters(text, space > limit / 2 ? space : limit).trimEnd()} …`;
}

function speechesOf({ statements, cost, age }: ChooseStatementsInput): Speech[] {
  const byMessage = Map.groupBy(lastSaid(statements), ({ message }) => message);
  return [...byMessage].map(([message, list]) => {
    const old = Math.min(1, recency(age(message)) / NEVER);
    const best = list.reduce((most, { factor }) => Math.max(most, factor), 0);
    return {
      groups: groupsOf(list),
      tokens: tokensOf(list, cost),
      weight: best * (1 - (1 - OLDEST) * old),
      endsTurn: list[0]!.endsTurn === true,
    };
  });
}

/** All messages, or those that deserve most room if all together would leave too little for each. */
function fewEnough(speeches: readonly Speech[], budget: number): readonly Speech[] {
  const ranked = speeches.toSorted((a, b) => b.weight - a.weight);
  const isEnough = (count: number): boolean => roomFor(ranked.slice(0, count), budget) >= LEAST_ROOM;
  let low = 0;
  let high = ranked.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isEnough(middle)) low = middle;
    else high = middle - 1;
  }
  const kept = new Set(ranked.slice(0, Math.max(1, low)));
  return speeches.filter((speech) => kept.has(speech));
}

/** The room of a message of weight 1 at which all fit: short ones leave theirs to the others. */
function roomFor(speeches: readonly Speech[], budget: number): number {
  const total = speeches.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total <= budget) return Number.POSITIVE_INFINITY;
  const byNeed = speeches.toSorted((a, b) => a.tokens / a.weight - b.tokens / b.weight);
  let left = budget;
  let weight = byNeed.reduce((sum, one) => sum + one.weight, 0);
  for (const one of byNeed) {
    if (one.tokens > (left / weight) * one.weight) break;
    left -= one.tokens;
    weight -= one.weight;
  }
  return left / weight;
}

/** Of the statements of one message, with its pointer and the titles above them. */
function tokensOf(statements: readonly Statement[], cost: (text: string) => number): number {
  const leads = new Set(statements.map(({ lead }) => lead));
  return cost(`#1234 ${[...leads, ...statements.map(({ text }) => text)].join("\n")}`);
}
