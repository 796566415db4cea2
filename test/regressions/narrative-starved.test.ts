/** A model that was asked about 100,000 tokens got 200 tokens for eight sections. */
import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import type { ModelRequest } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";
import { talk } from "../support/host.ts";

/** How many words the request allows the record to have, and how many a line of it takes, its pointer not counted. */
const targetOf = ({ messages }: ModelRequest): number =>
  Number(/Length: at most (\d+) words/.exec(messages[0]!.text)?.[1]);
const LINE_WORDS = 9;

/** Answers with a record of many lines, a part longer than it may be. */
function scribe(over = 1) {
  const requests: ModelRequest[] = [];
  return {
    requests,
    model: {
      id: "scribe",
      window: 400_000,
      async complete(request: ModelRequest) {
        requests.push(request);
        const shorter = request.name.endsWith("-shorten") ? 1 : over;
        const lines = Array.from(
          { length: Math.floor((targetOf(request) / LINE_WORDS) * shorter) },
          (_, at) => `- Question ${at} about module-${at}.ts was answered with value${at}. #${at + 1}`,
        );
        const half = Math.floor(lines.length / 2);
        const items = /<must-keep>([\s\S]*?)<\/must-keep>/.exec(request.messages[0]!.text)?.[1]?.trim();
        lines.push(`- Also ${items?.replaceAll("\n", ", ")}. #800`);
        const text = `## Goal\n- The user wanted to know modules. #1\n## Findings\n${lines.slice(0, half).join("\n")}\n## Open\n${lines.slice(half).join("\n")}\n- The last topic was module-399.ts. #800`;
        return { text, stop: "end" as const, usage: { input: 1, output: 1 } };
      },
    },
  };
}

it("the first record of a landing of 10,000 tokens may have 2,000 and more, and stands in the view", async () => {
  const { model, requests } = scribe();
  const compactor = createCompactor({
    dialect: openaiChat,
    window: 128_000,
    profile: profiles.agent,
    summarizer: model,
  });
  const { messages, report } = await compactor.compact(talk(400), { budget: 10_000, now: 1 });
  await compactor.close();
  // 2,000 tokens of plain prose.
  expect(targetOf(requests[0]!)).toBeGreaterThanOrEqual(1_500);
  expect(report.tokens.after).toBeLessThanOrEqual(10_000);
  expect(JSON.stringify(messages)).toContain("The last topic was module-399.ts.");
});

it("a record that is a fifth too long loses lines that matter least, never its end, and isn't asked for again", async () => {
  const { model, requests } = scribe(1.3);
  const compactor = createCompactor({
    dialect: openaiChat,
    window: 128_000,
    profile: profiles.agent,
    summarizer: model,
  });
  const { messages } = await compactor.compact(talk(400), { budget: 10_000, now: 1 });
  await compactor.close();
  expect(requests).toHaveLength(1);
  expect(JSON.stringify(messages)).toContain("The last topic was module-399.ts.");
  expect(JSON.stringify(messages)).toContain("The user wanted to know modules.");
});

it("one that is far too long is sent back alone, with how long it was", async () => {
  const { model, requests } = scribe(2);
  const compactor = createCompactor({
    dialect: openaiChat,
    window: 128_000,
    profile: profiles.agent,
    summarizer: model,
  });
  const { report } = await compactor.compact(talk(400), { budget: 10_000, now: 1 });
  await compactor.close();
  expect(report.modelCalls.map(({ name, result }) => `${name} ${result}`)).toEqual([
    "summarize-full rejected",
    "summarize-full-shorten accepted",
  ]);
  const [first, second] = requests.map(({ messages }) => messages[0]!.text);
  expect(second).toMatch(/It was \d+ words long/);
  expect(second!.length).toBeLessThan(first!.length / 4);
});
