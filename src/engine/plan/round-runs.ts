import type { Unit } from "../../core/rounds.ts";
import type { Run, Summary } from "../../core/types.ts";
import { PROMPTS } from "../../summaries/prompts/index.ts";
import { type Conversation, fixedTokens, mustShow, tokensIn } from "../read/conversation.ts";
import type { Settings } from "../settings/settings.ts";
import { strategies } from "../settings/strategies.ts";
import { chooseTail } from "./tail.ts";

/** What the line about one call keeps of its arguments and of its result (tokens). */
export const ARGS_TOKENS = 40;
export const RESULT_TOKENS = 80;

const ROUNDS_PROMPT = `${PROMPTS["tool-rounds"].id}@`;

/** Does the strategy put summaries in the place of finished rounds, and nothing else? */
export const summarizesRounds = ({ strategy }: Pick<Settings, "strategy">): boolean =>
  strategies[strategy].steps.includes("summarize-rounds");

/** A record about rounds speaks for them alone: it is no part of the story of a whole conversation. */
export const isAboutRounds = ({ prompt }: Pick<Summary, "prompt">): boolean =>
  prompt.startsWith(ROUNDS_PROMPT);

/** First message of the tail that `tool-summaries` leaves alone. */
export function roundsEnd(conversation: Conversation, settings: Settings, goal: number): number {
  return chooseTail(conversation, {
    tail: settings.tail,
    limit: settings.tail.tokens ?? Math.floor((goal - fixedTokens(conversation)) * settings.tail.share),
    soft: false,
  }).from;
}

/** Runs of finished rounds that end at or before a message (absolute index), each as its units, oldest first. */
export function roundRuns(conversation: Conversation, end: number): Unit[][] {
  const { units, start } = conversation.structure;
  const runs: Unit[][] = [];
  let open: Unit[] = [];
  for (const unit of units) {
    const belongs = unit.from >= start && unit.to <= end && isCompleted(conversation, unit);
    if (belongs) open.push(unit);
    if (!belongs || unit === units.at(-1)) {
      if (open.length > 0) runs.push(open);
      open = [];
    }
  }
  return runs;
}

function isCompleted(conversation: Conversation, unit: Unit): boolean {
  if (unit.kind !== "round" || unit.open) return false;
  for (let index = unit.from; index < unit.to; index++) if (mustShow(conversation, index)) return false;
  return true;
}

/** The records about rounds that fit this transcript, by the message (absolute index) that they begin at. */
export function roundRecords(
  summaries: readonly Summary[],
  { chain, structure }: Conversation,
): ReadonlyMap<number, Summary> {
  const records = new Map<number, Summary>();
  for (const one of summaries) {
    if (!isAboutRounds(one) || one.text === "" || chain[one.covers.to] !== one.hash) continue;
    const from = structure.start + one.covers.from;
    const known = records.get(from);
    if (!known || one.covers.to > known.covers.to || (one.covers.to === known.covers.to && one.at > known.at))
      records.set(from, one);
  }
  return records;
}

/** A record that speaks for whole units at the front of these, with what is left of them. */
export function recordFor(
  units: readonly Unit[],
  records: ReadonlyMap<number, Summary>,
  start: number,
): { readonly record: Summary; readonly units: readonly Unit[]; readonly rest: readonly Unit[] } | undefined {
  const record = records.get(units[0]?.from ?? -1);
  const end = record && start + record.covers.to;
  const last = units.findIndex((unit) => unit.to === end);
  if (!record || last < 0) return undefined;
  return { record, units: units.slice(0, last + 1), rest: units.slice(last + 1) };
}

/** Shorter runs aren't worth a request: lines by code are as good (tokens). */
const LEAST_RUN = 400;
/** One compaction asks for so many at most, the longest. */
const MOST_RUNS = 4;

/** The stretches of rounds that no record speaks for yet and a model should be asked about (absolute indexes). */
export function unsealedRounds(
  conversation: Conversation,
  summaries: readonly Summary[],
  bounds: { readonly from?: number; readonly to: number },
): Run[] {
  const { start } = conversation.structure;
  const records = roundRecords(summaries, conversation);
  const found: { readonly run: Run; readonly tokens: number }[] = [];
  for (const run of roundRuns(conversation, bounds.to)) {
    let rest: readonly Unit[] = run;
    for (let sealed = recordFor(rest, records, start); sealed; sealed = recordFor(rest, records, start))
      rest = sealed.rest;
    const [first] = rest;
    if (!first || first.from < (bounds.from ?? 0)) continue;
    const own = { from: first.from, to: rest.at(-1)!.to };
    const tokens = tokensIn(conversation, own);
    if (tokens >= LEAST_RUN) found.push({ run: own, tokens });
  }
  return found
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, MOST_RUNS)
    .map(({ run }) => run)
    .sort((a, b) => a.from - b.from);
}
