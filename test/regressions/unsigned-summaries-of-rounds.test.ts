import { describe, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { Model } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { byProof } from "../support/proof.ts";

const START = 1_700_000_000_000;
const TURNS = byProof({ sample: 30, more: 60, all: 60 });
const ROUNDS = "Summary of previous tool interaction (";
const KEY = "a secret of this server only";

/** A host whose process ends after each request, and which keeps the state with a key or without one. */
async function session(alternation: "strict" | "loose", stateKey?: string, summarizer?: Model) {
  const strict = { ...openaiChat, rules: { ...openaiChat.rules, alternation: "strict" as const } };
  const transcript: ChatMessage[] = [chat.system("You help.")];
  const views: { readonly outcome: string; readonly messages: readonly ChatMessage[] }[] = [];
  let state: unknown;
  for (let turn = 0; turn < TURNS; turn++) {
    const found = `bolt ${turn} holds plate ${turn + 1}, `.repeat(150);
    transcript.push(chat.user(`Check part ${turn}.`));
    transcript.push(...chat.round("read_file", { path: `src/part-${turn}.ts` }, found, `call_${turn}`));
    const compactor = createCompactor({
      dialect: alternation === "strict" ? strict : openaiChat,
      budget: 20_000,
      strategy: "tool-summaries",
      ...(stateKey !== undefined && { stateKey }),
      ...(summarizer && { summarizer }),
    });
    const { messages, report, ...made } = await compactor.fit(transcript, { state, now: START + turn });
    state = JSON.parse(JSON.stringify((await made.background) ?? made.state));
    await compactor.close();
    views.push({ outcome: report.outcome, messages });
    transcript.push(chat.assistant(`Part ${turn} is sound.`));
  }
  return views;
}

type Views = Awaited<ReturnType<typeof session>>;
const compactions = (views: Views) => views.filter(({ outcome }) => outcome === "compacted").length;
const roundsIn = (views: Views) =>
  views
    .filter(({ outcome }) => outcome === "view")
    .flatMap(({ messages }) => messages.map(({ content }) => String(content)))
    .filter((text) => text.includes(ROUNDS));

describe.each(["loose", "strict"] as const)("summaries of rounds, alternation %s", (alternation) => {
  it("that code wrote stay as they are where nobody signed them: it would write the same again", async () => {
    const [unsigned, signed] = [await session(alternation), await session(alternation, KEY)];
    expect(roundsIn(unsigned).length).toBeGreaterThan(0);
    for (const text of roundsIn(unsigned)) expect(text.startsWith(ROUNDS)).toBe(true);
    expect(unsigned.map(({ messages }) => messages)).toEqual(signed.map(({ messages }) => messages));
    expect(compactions(signed)).toBeLessThan(8);
    expect(compactions(unsigned)).toBe(compactions(signed));
  });

  it("that a model wrote and nobody signed are framed in the next compaction, too", async () => {
    const written = "read_file was called for parts of the pump; each bolt holds its plate.";
    const model: Model = {
      id: "test-model",
      window: 100_000,
      complete: async () => ({ text: written, stop: "end", usage: { input: 100, output: 20 } }),
    };
    const wordsIn = (views: Views) =>
      views
        .filter(({ outcome }) => outcome === "compacted")
        .flatMap(({ messages }) => messages.map(({ content }) => String(content)))
        .filter((text) => text.includes(written));
    const unsigned = wordsIn(await session(alternation, undefined, model));
    expect(unsigned.length).toBeGreaterThan(0);
    for (const text of unsigned)
      expect(text).toMatch(/^<conversation-summary>\nA record of earlier messages/);
    const signed = wordsIn(await session(alternation, KEY, model));
    expect(signed.length).toBeGreaterThan(0);
    for (const text of signed) expect(text.startsWith(ROUNDS)).toBe(true);
  });
});
