import { describe, expect, it } from "vitest";
import { BUILDERS } from "../support/dialects.ts";
import { createHost, sent } from "../support/host.ts";
import { judgeFit } from "../support/judge-fit.ts";
import { STRATEGIES } from "../support/property-suite.ts";

const RULE = "From now on the branch release-7 is off limits, and answers end with the word BANANA.";
const DIALECTS = ["openai-chat", "openai-responses", "ai-sdk"];

const turns = (id: string, count: number, from = 0): object[] =>
  Array.from({ length: count }, (_, at) => [
    BUILDERS[id]!.user(`Question ${from + at}: ${"what does this part of it do? ".repeat(8)}`),
    BUILDERS[id]!.assistant(`Answer ${from + at}: ${"it does what it should do. ".repeat(10)}`),
  ]).flat();
const rounds = (id: string, count: number): object[] =>
  Array.from({ length: count }, (_, at) =>
    BUILDERS[id]!.round("read", { path: `${at}.ts` }, "text ".repeat(80), `c${at}`),
  ).flat();

describe.each(DIALECTS)("%s", (id) => {
  const b = BUILDERS[id]!;

  it.each(STRATEGIES.filter((name) => name !== "none"))(
    "%s: what a later system message says is in every view, word for word",
    async (strategy) => {
      const rule = b.system(RULE);
      const messages = [
        b.system("You are careful."),
        ...turns(id, 6),
        rule,
        ...turns(id, 8),
        b.user("Read them all."),
        ...rounds(id, 30),
      ];
      for (const budget of [1_200, 2_500]) {
        const { breaches, result } = await judgeFit({ dialect: id, messages, budget, strategy });
        expect(breaches, `budget ${budget}`).toEqual([]);
        expect(result?.report.outcome, `budget ${budget}`).toBe("compacted");
        expect(result?.messages, `budget ${budget}`).toContain(rule);
      }
    },
  );

  it("a developer message is one, and outlives many compactions", async () => {
    if (id === "ai-sdk") return;
    const rule = { ...b.system(RULE), role: "developer" };
    const host = createHost({ id, budget: 2_000 }, [...turns(id, 3), rule]);
    let compactions = 0;
    for (let turn = 0; turn < 60; turn++) {
      host.transcript.push(...turns(id, 1, turn), b.user("Go on."));
      const { report, messages } = await host.fit();
      if (report.outcome === "compacted") compactions++;
      expect(messages).toContain(rule);
    }
    expect(compactions).toBeGreaterThan(3);
    await host.close();
  });

  it("notes of the moment don't pile up", async () => {
    const host = createHost({ id, budget: 2_000 }, turns(id, 2));
    for (let turn = 0; turn < 60; turn++) {
      host.transcript.push(
        ...turns(id, 1, turn),
        b.user("Go on."),
        b.system(`${15_000 - turn} tokens left.`),
      );
      const { report, messages } = await host.fit();
      // The tail has those of its turns; beside it stands one at the most.
      if (report.outcome !== "compacted") continue;
      const first = messages.findIndex((message) => JSON.stringify(message).includes("conversation-summary"));
      const before = sent({ messages: messages.slice(0, first), system: undefined });
      expect(before.split("tokens left").length - 1).toBeLessThanOrEqual(1);
    }
    await host.close();
  });

  it("too many of them leave room for the conversation: the first and the newest stay", async () => {
    const texts = Array.from(
      { length: 40 },
      (_, at) => `Rule ${String.fromCharCode(65 + (at % 26)).repeat(3 + at)}: ${"keep to it. ".repeat(10)}`,
    );
    const messages = [
      ...texts.flatMap((text, at) => [...turns(id, 1, at), b.system(text)]),
      ...turns(id, 10),
      b.user("And now?"),
    ];
    const { breaches, result } = await judgeFit({ dialect: id, messages, budget: 3_000 });
    expect(breaches).toEqual([]);
    const held = texts.filter((text) => sent(result!).includes(text));
    expect(held.length).toBeGreaterThan(3);
    expect(held.length).toBeLessThan(15);
    expect(held[0]).toBe(texts[0]);
    expect(held.at(-1)).toBe(texts.at(-1));
  });

  it("they never make a budget impossible", async () => {
    const messages = [
      ...turns(id, 4),
      b.system(RULE.repeat(4)),
      ...turns(id, 4),
      b.user("word ".repeat(360)),
    ];
    const { breaches, result } = await judgeFit({ dialect: id, messages, budget: 450 });
    expect(breaches).toEqual([]);
    expect(result).toBeDefined();
  });
});
