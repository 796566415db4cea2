import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import type { ModelRequest } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";

const transcript = [...talk(60), chat.user("And now?")];

/** A model that remembers what it was asked and writes a record of it. */
function scribe() {
  const asked: ModelRequest[] = [];
  return {
    asked,
    model: {
      id: "scribe",
      window: 100_000,
      async complete(request: ModelRequest) {
        asked.push(request);
        const kept = [...new Set(JSON.stringify(request.messages).match(/module-\d+\.ts/g) ?? [])].slice(
          0,
          40,
        );
        return {
          text: `The user went through the modules one by one and the assistant explained each: ${kept.join(", ")}.`,
          stop: "end" as const,
          usage: { input: 1_000, output: 100 },
        };
      },
    },
  };
}

it("a prompt that is written as a text is what the model is asked", async () => {
  const { asked, model } = scribe();
  const prompt = "Write the minutes in five bullet points.";
  const compactor = createCompactor({
    dialect: openaiChat,
    window: 24_000,
    summary: { prompt },
    summarizer: model,
  });
  const { state, report } = await compactor.compact(transcript);
  expect(asked.length).toBeGreaterThan(0);
  expect(JSON.stringify(asked)).toContain(prompt);
  expect(report.modelCalls.some(({ result }) => result === "accepted")).toBe(true);
  expect(state.summaries[0]?.prompt).toMatch(/^custom@1-/);
});

it("a prompt's id and version name the records, so that a new version is asked anew", async () => {
  const { asked, model } = scribe();
  const of = (version: number) =>
    createCompactor({
      dialect: openaiChat,
      window: 24_000,
      summary: { prompt: { id: "minutes", version, text: "List what was explained." } },
      summarizer: model,
    });
  const first = await of(1).compact(transcript);
  expect(first.state.summaries[0]?.prompt).toMatch(/^minutes@1-/);
  const before = asked.length;
  const second = await of(2).rebuild(transcript, { state: first.state });
  expect(asked.length).toBeGreaterThan(before);
  expect(second.state.summaries.at(-1)?.prompt).toMatch(/^minutes@2-/);
});

it("a default reserve below the summary's cap lowers the cap, and says so where the host set it", async () => {
  const { model } = scribe();
  const summary = { cap: 6_000 };
  const small = createCompactor({ dialect: openaiChat, window: 8_192, summarizer: model, summary });
  const codes = async (compactor: typeof small) =>
    (await compactor.fit([chat.user("hi")])).report.warnings.map(({ code }) => code);
  expect(await codes(small)).toContain("summary-cap-lowered");
  const large = createCompactor({ dialect: openaiChat, window: 128_000, summarizer: model });
  expect(await codes(large)).not.toContain("summary-cap-lowered");
  const unset = createCompactor({ dialect: openaiChat, window: 8_192, summarizer: model });
  expect(await codes(unset)).not.toContain("summary-cap-lowered");
  const alone = createCompactor({ dialect: openaiChat, window: 8_192 });
  expect(await codes(alone)).not.toContain("summary-cap-lowered");
});
