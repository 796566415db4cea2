/** A reader of the newest messages got 4,001 tokens where all others had 4,000: names of speakers took more than was counted for them. */
import { expect, it } from "vitest";
import { measure, plainTokens } from "../../../test/support/count.ts";
import { ARMS } from "./arms.ts";
import { type Exam, readerText } from "./exam.ts";

it("the newest messages are within their size as a reader sees them, and use it", async () => {
  const messages = Array.from({ length: 900 }, (_, at) => [
    { role: "assistant" as const, content: `Look at part ${at}` },
    { role: "tool" as const, tool_call_id: `c${at}`, content: `part ${at} holds` },
  ]).flat();
  const newest = ARMS.find(({ id }) => id === "newest")!;
  for (const size of [400, 1_001, 4_000]) {
    const contextFor = await newest.make({
      exam: { id: "one", messages, items: [] } as unknown as Exam,
      size,
      counter: { count: measure.text } as never,
      summarizer: undefined as never,
    });
    const tokens = plainTokens(readerText(await contextFor("")));
    expect(tokens).toBeLessThanOrEqual(size);
    expect(tokens).toBeGreaterThan(size * 0.9);
  }
});
