import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import { ClosedError, type CompactorOptions, createCompactor } from "../../src/index.ts";
import { talk } from "../support/host.ts";

const transcript = talk(20);
const goal = "Release version 2";

function modelThatCounts() {
  let asked = 0;
  const summarizer: CompactorOptions<ChatMessage>["summarizer"] = {
    id: "model",
    window: 128_000,
    complete: async () => {
      asked++;
      const text = "The modules were explained one by one; each of them exports a value.";
      return { text, stop: "end", usage: { input: 100, output: 12 } };
    },
  };
  return { summarizer, asked: () => asked };
}

it.each(["fit", "compact", "plan", "pressure", "prepare", "summarize", "undo", "rebuild"] as const)(
  "%s after close() says that the compactor is closed, and what to do",
  async (call) => {
    const { summarizer, asked } = modelThatCounts();
    const compactor = createCompactor({ dialect: openaiChat, budget: 3_000, summarizer });
    await compactor.close();
    const refused = await compactor[call](transcript).then(undefined, (error: unknown) => error);
    expect(refused).toBeInstanceOf(ClosedError);
    expect(refused).toMatchObject({
      code: "closed",
      message: expect.stringMatching(
        new RegExp(`\`${call}\` was called after \`close\\(\\)\`.*createCompactor`),
      ),
    });
    expect(asked()).toBe(0);
  },
);

it("handover after close() is refused as well, and a wrong input doesn't hide why", async () => {
  const compactor = createCompactor({ dialect: openaiChat, budget: 3_000 });
  await compactor.close();
  await expect(compactor.handover(transcript, { goal })).rejects.toThrow(/`handover` was called after/);
  await expect(compactor.handover(transcript, { goal: "" })).rejects.toThrow(ClosedError);
});

it("a call that was under way ends with its view, and an answer that comes late is taken", async () => {
  const compactor = createCompactor({ dialect: openaiChat, budget: 3_000 });
  const under = compactor.fit(transcript);
  await compactor.close();
  await compactor.close();
  const { report } = await under;
  expect(report.outcome).toBe("compacted");
  await expect(compactor.observe({ usage: { input: 10, output: 1 }, report })).resolves.toBeUndefined();
  await expect(compactor.settled()).resolves.toBeUndefined();
});
