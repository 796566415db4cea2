/**
 * Whether rules that a user gave survive compaction word for word: nine languages, six ways of giving a rule, three kinds of noise, three
 * sizes, 1 and 10 compactions in a row, and 50 in a third of the conversations; without a model, and with one over HTTP whose records lose much. No clock: the same on
 * every machine. `node bench/rules.ts`
 */
import { ARMS } from "../src/eval/judged/arms.ts";
import {
  NOISES,
  RULES_DEFAULTS,
  rulesConversation,
  rulesConversations,
} from "../src/eval/rules/conversation.ts";
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
  const common = {
    arms: ARMS.filter(({ id }) => ["newest", "precis", "precis+model"].includes(id)),
    counter,
    summarizer: openaiCompatible({ baseURL: `${provider.url}/v1`, model: "lossy", window: 200_000 }),
    onProgress: (done: number, total: number) => {
      if (done % 20 === 0) process.stderr.write(`${done} of ${total} views\n`);
    },
  };
  const [small, middle, large] = RULES_DEFAULTS.sizes.map((tokens) => ({ type: "tokens" as const, tokens }));
  const fates = await runRules({
    ...common,
    conversations,
    sizes: [small!, middle!, large!],
    compactions: [1, 10],
  });
  // Fifty in a row take long: one conversation of each language, the kinds of noise in turn.
  const some = LANGUAGE_CODES.map((language, index) =>
    rulesConversation(language, NOISES[index % NOISES.length]!, 1),
  );
  fates.push(
    ...(await runRules({ ...common, conversations: some, sizes: [middle!], compactions: [50] })).filter(
      ({ compactions }) => compactions === 50,
    ),
  );
  const about = {
    counter: counter.id,
    conversations: conversations.length,
    summarizer: "a model that loses much",
  };
  const { missing, ...result } = rulesResult(fates, about);
  writeResult({ ...result, missing: missing.length });
} finally {
  await provider.close();
}
