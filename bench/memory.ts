/** Memory that a conversation of a million tokens takes, measured in a process of its own: `node bench/memory.ts`. */

import { openaiChat } from "../src/apis/index.ts";
import { createCompactor } from "../src/engine/create-compactor.ts";
import { makeTranscript, roundsFor } from "./support/make-transcript.ts";
import { round, time } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

const TOKENS = 1_000_000;
const ALLOWED_MB = 1_024;
const MB = 1_024 * 1_024;

const transcript = makeTranscript(roundsFor(TOKENS));
const before = process.memoryUsage().rss;
const compactor = createCompactor({ dialect: openaiChat, window: 200_000 });
let tokens = 0;
const first = await time(async () => {
  tokens = (await compactor.fit(transcript)).report.tokens.transcript;
});
const second = await time(() => compactor.fit(transcript));
await compactor.close();
// `maxRSS` is in kilobytes and covers the whole life of the process, the transcript included.
const peak = (process.resourceUsage().maxRSS * 1_024) / MB;
writeResult({
  tokens,
  messages: transcript.length,
  transcriptMb: round(before / MB, 0),
  peakMb: round(peak, 0),
  allowedMb: ALLOWED_MB,
  holds: peak < ALLOWED_MB,
  firstFitMs: round(first, 0),
  secondFitMs: round(second, 0),
});
