/** The whole idea: a long coding session, sent to a model with a window of 32k tokens. Run: node examples/01-quick-start.ts */

import { readFileSync } from "node:fs";
import { createCompactor, profiles } from "precis";
import { type ChatMessage, openaiChat } from "precis/dialects";

const file = new URL("coding-session.jsonl", import.meta.url);
const session: ChatMessage[] = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const compactor = createCompactor({ dialect: openaiChat, window: 32_000, profile: profiles.agent });

// Before each request, ask for the view of the transcript so far, and send that.
let state: unknown;
const transcript: ChatMessage[] = [];
for (const message of session) {
  if (message.role === "assistant") {
    const view = await compactor.fit(transcript, { state });
    state = view.state; // Plain JSON: store it beside the chat.
    const { outcome, tokens, budget } = view.report;
    if (outcome === "compacted") {
      console.log(
        `request at message ${transcript.length}: transcript ${tokens.transcript} tokens, ` +
          `view ${tokens.before} → ${tokens.after} of ${budget.budget}`,
      );
    }
  }
  transcript.push(message); // The transcript itself is never changed.
}

const { messages, report } = await compactor.fit(transcript, { state });
console.log(`\nat the end: ${transcript.length} messages, ${report.tokens.transcript} tokens`);
console.log(`the model sees: ${messages.length} messages, ${report.tokens.after} tokens`);

// What the user asked for in the first message still holds a hundred requests later.
const shown = JSON.stringify(messages);
for (const fact of ["never touch the generated files", "4180", "WP-2207", "E-SCAN-0412"]) {
  console.log(`${shown.includes(fact) ? "still in the view" : "no longer in view"}: ${fact}`);
}
