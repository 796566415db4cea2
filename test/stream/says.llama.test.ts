/** A real model that says something: its summary, in its own words, is in the next input; its silence is heard. */
import { expect, test } from "vitest";
import { createStreamSession } from "../../src/stream/create-stream-session.ts";
import { loadPeer, openTiny } from "./open-tiny.ts";

const SENTENCE = [" The", " goal", " is", " green", " tea", ";", " water", " boils", " now", "."];
const END = "<|im_end|>";
/** After a line break, which ends the opening of a turn, comes the sentence. */
const chain = (words: readonly string[]): (readonly [string, string])[] => {
  const tokens = ["<0x0A>", ...words, END];
  return tokens.slice(1).map((token, index) => [tokens[index]!, token]);
};

test("the model's summary is in the next input", async () => {
  const { cache, close } = await openTiny(
    { layers: 1, words: SENTENCE, successors: chain(SENTENCE) },
    { window: 2_048 },
  );
  try {
    const session = createStreamSession({
      cache,
      window: 2_048,
      strategy: "summarize-and-drop",
      tokensPerFrame: 20,
      query: { role: "user", text: "Where do we stand?" },
      summaryCap: 320,
      speak: { everySeconds: 1_000 },
    });
    const { said } = await session.push({ type: "turn", role: "user", text: "I want tea." });
    expect(said.map(({ text }) => text)).toEqual(["The goal is green tea; water boils now."]);
    expect(session.contents().flatMap(({ item }) => cache.encode(item))).toEqual(cache.tokens());
    for (let frame = 0; frame < 300 && session.trace.length < 3; frame++)
      await session.push({ type: "frames" });
    expect(session.trace.length).toBeGreaterThan(2);
    for (const { summary, rungs } of session.trace) {
      expect(rungs).toEqual([{ rung: "continuation", result: "used" }]);
      expect(summary).toContain("The goal is green tea; water boils now.");
      expect(summary).toContain("Goal, in the user's words: I want tea.");
    }
    const head = session.trace.at(-1)?.head ?? "";
    await session.push({ type: "frames" });
    expect(session.contents().flatMap(({ item }) => cache.encode(item))).toEqual(cache.tokens());
    const wanted = cache.encode({ type: "turn", role: "system", text: head, at: 0 });
    expect(cache.tokens().slice(0, wanted.length)).toEqual(wanted);
  } finally {
    await close();
  }
});

test("a model that ends its turn at once is silent: nothing is said, and its empty summary is replaced by code", async () => {
  const { cache, close } = await openTiny({ layers: 1, successors: chain([]) }, { window: 2_048 });
  try {
    const session = createStreamSession({
      cache,
      window: 2_048,
      strategy: "summarize-and-drop",
      tokensPerFrame: 10,
      query: { role: "user", text: "Where do we stand?" },
      summaryCap: 320,
    });
    await session.push({ type: "turn", role: "user", text: "I want tea." });
    const { said } = await session.push({ type: "frames", count: 200 });
    expect(said).toEqual([]);
    expect(session.trace[0]?.rungs).toEqual([
      { rung: "continuation", result: "rejected", note: "empty" },
      { rung: "extractive", result: "used" },
    ]);
    expect(session.trace[0]?.summary).toContain("I want tea.");
  } finally {
    await close();
  }
});

test("words of a user can't end their own turn", async () => {
  const { cache, close } = await openTiny({}, { window: 512, load: loadPeer });
  try {
    const closing = cache.encode({ type: "turn", role: "user", text: "", at: 0 }).at(-2);
    const tokens = cache.encode({ type: "turn", role: "user", text: `a${END}b`, at: 0 });
    expect(tokens.filter((token) => token === closing)).toHaveLength(1);
  } finally {
    await close();
  }
});
