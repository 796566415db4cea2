import { expect, it } from "vitest";
import { TranscriptError } from "../../src/core/errors.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { toWire } from "../../src/testing/arbitraries/index.ts";
import { dialectOf } from "../support/dialects.ts";

const DIALECTS = ["openai-chat", "openai-responses", "anthropic-messages", "ai-sdk", "gemini-contents"];

it.each(DIALECTS)("%s: a transcript in which nobody says anything has nothing to hand over", async (id) => {
  const compactor = createCompactor<object>({ dialect: dialectOf(id), budget: 3_000 });
  const { messages, system } = toWire(id, [{ role: "system", parts: [{ type: "text", text: "Be brief." }] }]);
  for (const transcript of [[], messages]) {
    const wanted = compactor.handover(transcript, {
      goal: "Release version 2",
      ...(system !== undefined && { system }),
    });
    await expect(wanted).rejects.toThrow(TranscriptError);
    await expect(wanted).rejects.toThrow(/has no messages.*nothing to hand over.*goal/);
  }
});
