/**
 * What a `fit` costs once a conversation has been seen, in units of counting the whole conversation anew.
 * Ratios, because milliseconds differ from machine to machine: `node bench/fit.ts`.
 */
import { clearMergeCache, countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { type ChatMessage, openaiChat } from "../src/apis/index.ts";
import { createCompactor } from "../src/engine/create-compactor.ts";
import { chat } from "../src/testing/index.ts";
import { makeTranscript, roundsFor, textsOf } from "./support/make-transcript.ts";
import { median, round, time } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

const TOKENS = 200_000;
const REPEATS = 200;
/** Processor time is told in ticks that may be longer than one `fit`: so many of them are timed together. */
const BATCH = 20;
/** A warm `fit` may take this share of a cold count at most. */
const ALLOWED_RATIO = 1 / 50;

const transcript = makeTranscript(roundsFor(TOKENS));
const count = (messages: readonly ChatMessage[]) =>
  messages.reduce(
    (sum, message) =>
      sum +
      textsOf(message).reduce((all, text) => all + countTokens(text, { disallowedSpecial: new Set() }), 0),
    0,
  );

/** Counting everything with the plain tokenizer and an empty merge cache, as a host does that remembers nothing. */
async function coldCount(): Promise<number> {
  const runs: number[] = [];
  for (let run = 0; run < 5; run++) {
    clearMergeCache();
    runs.push(await time(() => count(transcript)));
  }
  return median(runs);
}

/** What one run takes, by the median of batches. */
function typical(runs: readonly number[]): number {
  const batches = Array.from({ length: runs.length / BATCH }, (_, at) =>
    runs.slice(at * BATCH, (at + 1) * BATCH),
  );
  return median(batches.map((batch) => batch.reduce((sum, ms) => sum + ms, 0) / BATCH));
}

const parsed = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/**
 * `fit` of a transcript that was seen before, plus one new message each time. `forks`: with another last message each time, as hosts have
 * it that try several ways at once.
 */
async function warmFit({
  budget,
  parse,
  forks,
}: {
  budget: number;
  parse: boolean;
  forks: boolean;
}): Promise<{ ms: number; outcome: string }> {
  const compactor = createCompactor({ dialect: openaiChat, budget });
  let messages: ChatMessage[] = [...transcript];
  let { state } = await compactor.fit(messages);
  const runs: number[] = [];
  let outcome = "";
  for (let run = 0; run < REPEATS; run++) {
    if (forks) messages = [...transcript, chat.user(`Try it in way ${run}.`)];
    else
      messages.push(
        run % 2 === 0 ? chat.assistant(`Done with part ${run}.`) : chat.user(`Now part ${run}, please.`),
      );
    if (parse) messages = parsed(messages);
    if (parse && !forks) state = parsed(state);
    runs.push(
      await time(async () => {
        const result = await compactor.fit(messages, { state });
        if (!forks) ({ state } = result);
        outcome = result.report.outcome;
      }),
    );
  }
  await compactor.close();
  return { ms: typical(runs), outcome };
}

/** How the cost of one turn grows with the number of turns before it. */
async function costPerTurn(): Promise<{ turns: number; tokens: number; ms: number }[]> {
  const points = [100, 200, 400, 800, 1_600];
  const messages: ChatMessage[] = [];
  const compactor = createCompactor({ dialect: openaiChat, window: 128_000 });
  let state: unknown;
  let recent: number[] = [];
  const table: { turns: number; tokens: number; ms: number }[] = [];
  for (const [turn, message] of makeTranscript(points.at(-1)!).entries()) {
    messages.push(message);
    let tokens = 0;
    const ms = await time(async () => {
      const result = await compactor.fit(messages, { state });
      state = result.state;
      tokens = result.report.tokens.transcript;
    });
    recent = [...recent.slice(-49), ms];
    if (points.includes(turn + 1)) table.push({ turns: turn + 1, tokens, ms: round(median(recent)) });
  }
  await compactor.close();
  return table;
}

const cold = await coldCount();
const cases: Record<string, { ms: number; outcome: string; ratio: number; holds: boolean }> = {};
for (const [name, budget] of [
  ["nothing due", TOKENS * 2],
  ["on a checkpoint", TOKENS / 2],
] as const)
  for (const parse of [false, true])
    for (const forks of [false, true]) {
      const { ms, outcome } = await warmFit({ budget, parse, forks });
      const ratio = ms / cold;
      cases[`${name}, ${forks ? "forks, " : ""}${parse ? "freshly parsed" : "same objects"}`] = {
        ms: round(ms),
        outcome,
        ratio: round(ratio, 5),
        holds: ratio <= ALLOWED_RATIO,
      };
    }
writeResult({
  tokens: count(transcript),
  messages: transcript.length,
  coldCountMs: round(cold),
  allowedRatio: ALLOWED_RATIO,
  cases,
  costPerTurn: await costPerTurn(),
});
