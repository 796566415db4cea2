/** `desktop` showed the model's text a whole compaction late, and `rag` paid for a summary every second turn. */
import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { ModelRequest, Profile, State } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";
import { chat } from "../../src/testing/index.ts";

async function chatFor(
  profile: Profile,
  { turns, window, words }: { turns: number; window: number; words: number },
) {
  const requests: ModelRequest[] = [];
  const compactor = createCompactor<ChatMessage>({
    dialect: openaiChat,
    window,
    profile,
    summarizer: {
      id: "m",
      window: 400_000,
      async complete(request) {
        requests.push(request);
        return {
          text: "## Goals\n- WRITTEN: the user spoke about turns and words of many kinds. #1\n- Later turns repeated that. #2",
          stop: "end",
          usage: { input: 1, output: 1 },
        };
      },
    },
  });
  const transcript: ChatMessage[] = [chat.system("S")];
  let state: State | undefined;
  const compacted: { readonly written: boolean; readonly pressure: number }[] = [];
  for (let turn = 0; turn < turns; turn++) {
    transcript.push(chat.user(`Turn ${turn}: ${"word ".repeat(words / 2)}`));
    const { messages, report, ...result } = await compactor.fit(transcript, {
      ...(state && { state }),
      now: turn,
    });
    if (report.outcome === "compacted")
      compacted.push({
        written: JSON.stringify(messages).includes("WRITTEN"),
        pressure: report.pressure.before,
      });
    state = await result.background;
    transcript.push(chat.assistant(`Reply ${turn}: ${"words ".repeat(words)}`));
  }
  await compactor.close();
  return { compacted, requests };
}

it("desktop: the first compaction over its target already shows what the model wrote", async () => {
  const { compacted } = await chatFor(profiles.desktop, { turns: 110, window: 128_000, words: 700 });
  expect(compacted.length).toBeGreaterThan(1);
  for (const { written, pressure } of compacted) {
    expect(written).toBe(true);
    expect(pressure).toBeGreaterThan(1);
  }
});

it("rag: a count that is exceeded far below the budget compacts when that pays, not every second turn", async () => {
  const { compacted, requests } = await chatFor(profiles.rag, { turns: 200, window: 32_000, words: 250 });
  expect(compacted.length).toBeGreaterThan(5);
  expect(compacted.length).toBeLessThanOrEqual(30);
  expect(requests.length).toBeLessThanOrEqual(30);
});
