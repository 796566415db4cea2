/**
 * Whether rules that a user gave survive compaction word for word: nine languages, six ways of giving a rule, three kinds of noise, three
 * sizes, 1, 10 and 50 compactions in a row; without a model, and with one over HTTP whose records lose much. No clock: the same on
 * every machine. `node bench/rules.ts`
 */
import { ARMS } from "../src/eval/judged/arms.ts";
import { RULES_DEFAULTS, rulesConversations } from "../src/eval/rules/conversation.ts";
import { LANGUAGE_CODES } from "../src/eval/rules/phrases.ts";
import { rulesResult } from "../src/eval/rules/result.ts";
import { runRules } from "../src/eval/rules/run-rules.ts";
import { openaiCompatible } from "../src/models/index.ts";
import { startFakeProvider } from "../src/testing/index.ts";
import { exactCounter } from "../src/tokens/index.ts";
import { lossySummaries } from "../test/support/lossy-summaries.ts";
import { writeResult } from "./support/write-result.ts";

const counter = await exactCounter("o200k_base");
const conversations = rulesConversations({ languages: LANGUAGE_CODES, seeds: 1 });
const provider = await startFakeProvider({ reply: lossySummaries(conversations) });
try {
  const fates = await runRules({
    conversations,
    arms: ARMS.filter(({ id }) => ["newest", "precis", "precis+model"].includes(id)),
    sizes: RULES_DEFAULTS.sizes.map((tokens) => ({ type: "tokens", tokens })),
    compactions: RULES_DEFAULTS.compactions,
    counter,
    summarizer: openaiCompatible({ baseURL: `${provider.url}/v1`, model: "lossy", window: 200_000 }),
    onProgress: (done, total) => {
      if (done % 20 === 0) process.stderr.write(`${done} of ${total} views\n`);
    },
  });
  const about = {
    counter: counter.id,
    conversations: conversations.length,
    summarizer: "a model that loses much",
  };
  writeResult({ ...rulesResult(fates, about) });
} finally {
  await provider.close();
}
