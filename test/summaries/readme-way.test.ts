/** Used as the README says, with `fit` alone, the model's summary wasn't in the request after the one that code had to shorten. */
import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/index.ts";
import { chat } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";
import { gatedModel } from "./gated-model.ts";

const WRITTEN = "explained each of them in turn";

/** A host that does what the README's lines do: `fit`, send, keep the state. The model answers while the host sends. */
function readmeHost(model = gatedModel()) {
  const compactor = createCompactor<ChatMessage>({ dialect: openaiChat, window: 32_000, summarizer: model });
  const messages: ChatMessage[] = [chat.system("You are a careful engineer.")];
  let state: unknown;
  return {
    messages,
    compactor,
    async ask(question: string) {
      messages.push(chat.user(question));
      const fitted = await compactor.fit(messages, { state });
      messages.push(chat.assistant(`Answer to: ${question.slice(0, 40)}`));
      state = JSON.parse(JSON.stringify(fitted.state));
      await compactor.settled();
      return { ...fitted, written: JSON.stringify(fitted.messages).includes(WRITTEN) };
    },
  };
}

it("a chat that grows slowly shows the model's summary in its first compaction", async () => {
  const host = readmeHost();
  for (let turn = 0; turn < 200; turn++) {
    const { report, written } = await host.ask(
      `Question ${turn}: ${`what does module-${turn}.ts do? `.repeat(50)}`,
    );
    if (report.outcome !== "compacted") continue;
    expect(written).toBe(true);
    return;
  }
  expect.fail("nothing was compacted");
});

it("a chat that jumps past its budget shows code's lines at once and the model's summary at the next user turn, once", async () => {
  const host = readmeHost();
  host.messages.push(...talk(250));
  const first = await host.ask("What was that?");
  expect(first.report).toMatchObject({ outcome: "compacted", reason: "budget" });
  expect(first.written).toBe(false);
  const second = await host.ask("And now?");
  expect(second.written).toBe(true);
  expect(second.report).toMatchObject({ outcome: "compacted", prefixReason: "compaction" });
  expect(second.report.tokens.after).toBeLessThanOrEqual(second.report.budget.budget);
  for (const question of ["And then?", "And in the end?"]) {
    const { report, written } = await host.ask(question);
    expect(report.outcome).toBe("view");
    expect(report.prefixReason).toBeUndefined();
    expect(written).toBe(true);
  }
});
