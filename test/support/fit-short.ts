/** Run as a process of its own, which has no tokenizer yet: fits what its argument names, and prints what it was told. */

import { type ChatMessage, openaiChat } from "../../src/apis/chat/index.ts";
import type { CompactorOptions, FitInput, Sized, Usage } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";

const { options, transcript, input, usage } = JSON.parse(process.argv[2] ?? "{}") as {
  options: Omit<CompactorOptions<ChatMessage>, "dialect"> & Sized;
  transcript: ChatMessage[];
  input?: FitInput<ChatMessage>;
  usage?: Usage;
};
const compactor = createCompactor({ dialect: openaiChat, ...options });
const { report } = await compactor.fit(transcript, input);
let tokensLater: number | undefined;
if (usage) {
  await compactor.observe({ usage, tokens: report.tokens.after + report.budget.tools });
  tokensLater = (await compactor.pressure(transcript, input)).tokens;
}
console.log(JSON.stringify({ report, tokensLater }));
