/** The retrieval chat as an Anthropic Messages request, in a budget of 12k tokens. Run: node examples/02-anthropic.ts */

import { readFileSync } from "node:fs";
import { createCompactor, profiles } from "precis";
import { type AnthropicMessage, anthropicMessages } from "precis/dialects";

const file = new URL("retrieval-chat.json", import.meta.url);
const request: { model: string; system: string; tools: unknown[]; messages: AnthropicMessage[] } = JSON.parse(
  readFileSync(file, "utf8"),
);

const compactor = createCompactor({
  dialect: anthropicMessages,
  window: { model: request.model }, // Looked up in the registry.
  budget: 12_000, // What the view may use, although the window is much larger.
  profile: profiles.rag,
});

// The system prompt stands apart in this format: it goes in and comes out beside the messages.
const { messages, system, report } = await compactor.fit(request.messages, {
  system: request.system,
  tools: request.tools,
});

// This is what you would hand to `client.messages.create` of the Anthropic SDK.
const smaller = { ...request, system, messages };

console.log(`before: ${request.messages.length} messages, ${report.tokens.transcript} tokens`);
console.log(`after:  ${smaller.messages.length} messages, ${report.tokens.after} tokens`);
const { kept, edited, covered, dropped } = report.counts;
console.log(`${kept} kept word for word, ${edited} shortened, ${covered} summarised, ${dropped} dropped`);

const text = JSON.stringify([smaller.system, smaller.messages]);
console.log(
  `Petra's wish from the first turn is ${text.includes("never MWh") ? "still" : "no longer"} in the view`,
);
