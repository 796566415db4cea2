/**
 * How often a summariser is asked while an agent works for 200 tool rounds, by the size of the window, and what that
 * costs. Counts, not milliseconds: the same on every machine. `node bench/summary-calls.ts`
 */
import { workSize } from "./summary-calls/long-work.ts";
import { runWork, type WorkRun } from "./summary-calls/run-work.ts";
import { round } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

const ROUNDS = 200;
/** System prompt and tools of a small client (tokens). */
const HEAD = 1_830;
const WINDOWS = {
  "3 × head": 3 * HEAD,
  "4 × head": 4 * HEAD,
  "8 × head": 8 * HEAD,
  "32k": 32_000,
  "128k": 128_000,
};
/** What the gateway keeps free for a client that asks for answers as long as the window. */
const LONG_ANSWERS = 0.4;

const runs: Readonly<Record<string, Partial<WorkRun>>> = {
  "does as it is told": { habit: "heedful" },
  "is ready after three rounds": { habit: "heedful", delay: 3 },
  "may continue the last request": { habit: "heedful", continues: true },
  "leaves half of the names out": { habit: "forgetful" },
  "leaves half of the names out; the client wants long answers": {
    habit: "forgetful",
    reserve: LONG_ANSWERS,
  },
  "writes half as much again as it may": { habit: "wordy" },
  "no model": {},
};

const summarizer: Record<string, Record<string, unknown>> = {};
for (const [name, run] of Object.entries(runs)) {
  const windows: Record<string, unknown> = {};
  for (const [label, window] of Object.entries(WINDOWS)) {
    const { callsPerRound, told, pressure, ...counts } = await runWork({
      size: workSize(HEAD, window),
      window,
      rounds: ROUNDS,
      ...run,
    });
    windows[label] = {
      window,
      callsPerRound: round(callsPerRound),
      told: round(told),
      pressure: { mean: round(pressure.mean), most: round(pressure.most), landed: round(pressure.landed) },
      ...counts,
    };
  }
  summarizer[name] = windows;
}
writeResult({ rounds: ROUNDS, head: HEAD, summarizer });
