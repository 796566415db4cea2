/**
 * What the `fit` takes that compacts, in processor time, and how large the state is that it returns: `node bench/compaction.ts`.
 * Everything before was counted in earlier calls, as in a program that runs; no model is asked.
 */
import { type ChatMessage, openaiChat } from "../src/apis/index.ts";
import { createCompactor } from "../src/engine/create-compactor.ts";
import { chat } from "../src/testing/index.ts";
import { makeTranscript, roundsFor } from "./support/make-transcript.ts";
import { median, round, time } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

const BUDGETS = [32_000, 64_000, 128_000, 200_000];
const RUNS = 5;
const LONG = 1_000_000;

/** A transcript that grows until it is compacted: the time of that call alone. */
async function compaction(budget: number) {
  const whole = makeTranscript(roundsFor(budget * 1.3));
  const runs: number[] = [];
  let bytes = 0;
  let before = 0;
  for (let run = 0; run < RUNS; run++) {
    const compactor = createCompactor({ dialect: openaiChat, budget });
    const transcript: ChatMessage[] = [];
    for (const message of whole) {
      transcript.push(message);
      if (message.role === "assistant") continue;
      const ms = await time(async () => {
        const { report, state } = await compactor.fit(transcript);
        if (report.outcome !== "compacted") return;
        before = report.tokens.before;
        bytes = JSON.stringify(state).length;
      });
      if (before === 0) continue;
      runs.push(ms);
      break;
    }
    await compactor.close();
    if (run < RUNS - 1) before = 0;
  }
  return {
    budget,
    tokens: before,
    ms: round(median(runs)),
    low: round(Math.min(...runs)),
    high: round(Math.max(...runs)),
    stateBytes: bytes,
  };
}

/** The state of a conversation of a million tokens, in a window of 128,000. */
async function longState() {
  const compactor = createCompactor({ dialect: openaiChat, window: 128_000 });
  const transcript: ChatMessage[] = [];
  let state: unknown;
  let compactions = 0;
  let tokens = 0;
  for (const message of [...makeTranscript(roundsFor(LONG)), chat.user("What is left to do?")]) {
    transcript.push(message);
    if (message.role === "assistant") continue;
    const result = await compactor.fit(transcript, { state });
    if (result.report.outcome === "compacted") compactions++;
    tokens = result.report.tokens.transcript;
    ({ state } = result);
  }
  await compactor.close();
  return { tokens, compactions, stateBytes: JSON.stringify(state).length };
}

const compactions = [];
for (const budget of BUDGETS) compactions.push(await compaction(budget));
writeResult({ compactions, long: await longState() });
