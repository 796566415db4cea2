/** A view that was adopted for little room hid the round under way, and went on hiding it where there was room. */
import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { sent, talk } from "../support/host.ts";

const RESULT = `the result that nobody has seen ${"value ".repeat(900)}`;

it.each([
  { room: "much", budget: 20_000, older: 10 },
  { room: "some", budget: 4_000, older: 40 },
])("is shown again where there is $room room, and stays", async ({ budget, older }) => {
  const transcript: object[] = [
    ...talk(older),
    chat.user("read it"),
    ...chat.round("read", { path: "a.txt" }, RESULT),
  ];
  const compactor = createCompactor<object>({ dialect: openaiChat as never, budget });
  const adopted = await compactor.compact(transcript, { budget: 300, adopt: true });
  expect(sent(adopted)).not.toContain(RESULT);

  const view = await compactor.fit(transcript, { state: adopted.state, hostState: "reading a.txt" });
  expect(sent(view)).toContain(RESULT);
  expect(["compaction", "larger-budget"]).toContain(view.report.prefixReason);

  transcript.push(chat.assistant("I have read it."), chat.user("and now?"));
  const next = await compactor.fit(transcript, { state: view.state });
  expect(next.report.prefixChanged).toBe(false);
  expect(sent(next)).toContain(RESULT);
});
