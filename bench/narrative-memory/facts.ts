import type { ChatMessage } from "../../src/apis/index.ts";
import { chat } from "../../src/testing/index.ts";

/** How much a fact matters; 1 is given up last. */
export type Rank = 1 | 2 | 3 | 4;

/** `F12r3: something.`: fact 12, of rank 3. A spoiled one has another id. */
export const FACT = /F(\d+\??)r([1-4]): ([^.\n]+)\./g;

/** A section of each rank, as the prompt of work has them. */
export const SECTIONS_BY_RANK: Readonly<Record<Rank, string>> = {
  1: "Goal",
  2: "Decisions",
  3: "Changes",
  4: "Findings",
};

/** Of ten facts one is of rank 1, two of rank 2, three of rank 3, four of rank 4. */
const RANKS: readonly Rank[] = [4, 3, 2, 4, 3, 1, 4, 2, 3, 4];
const SUBJECTS = [
  "the parser",
  "the cache",
  "the gateway",
  "the index",
  "the queue",
  "the schema",
  "the page",
];
const DEEDS = [
  "was moved behind a port",
  "got a second key",
  "was found to be slow",
  "lost its lock",
  "was read anew",
];

export const rankOfFact = (number: number): Rank => RANKS[number % RANKS.length]!;

/** One round of work that states one fact, and says much else. */
export function factRound(number: number): ChatMessage[] {
  const subject = SUBJECTS[number % SUBJECTS.length];
  const deed = DEEDS[number % DEEDS.length];
  const rank = rankOfFact(number);
  const noise = `row ${number * 31} of table ${number * 7} holds ${number * 13} items; `.repeat(14);
  return [
    ...chat.round("read", { path: `src/part-${number}.ts` }, noise, `call_${number}`),
    chat.assistant(
      `F${number}r${rank}: ${subject} ${deed} in step ${number} because of ticket ${number * 17}.`,
    ),
  ];
}
