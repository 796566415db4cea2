/** Fits once in a process of its own: reads `{ id, budget, transcript, state, system }`, prints what would be sent. */
import { readFileSync } from "node:fs";
import type { FitInput } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { dialectOf } from "../support/dialects.ts";

const STDIN = 0;
const { id, budget, transcript, state, system } = JSON.parse(readFileSync(STDIN, "utf8")) as {
  id: string;
  budget: number;
  transcript: object[];
  state: unknown;
  system?: string;
};
const compactor = createCompactor<object>({ dialect: dialectOf(id), budget });
const input: FitInput<object> = { state, now: 1_700_000_000_000, ...(system !== undefined && { system }) };
const { messages, system: prompt, report } = await compactor.fit(transcript, input);
process.stdout.write(
  JSON.stringify({
    outcome: report.outcome,
    checkpoint: report.checkpoint,
    sent: JSON.stringify([prompt ?? null, messages]),
  }),
);
await compactor.close();
