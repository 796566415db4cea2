import { describe, expect, it } from "vitest";
import { anthropicMessages, openaiChat } from "../apis/index.ts";
import type { State } from "../core/types.ts";
import { createCompactor } from "../engine/create-compactor.ts";
import { compactTool } from "./compact-tool.ts";

const talk = Array.from({ length: 60 }, (_, n) => ({
  role: n % 2 === 0 ? "user" : "assistant",
  content: `Part ${n}: the shelf ${n * 3} holds box ${n * 5}, and we looked at it once more than we had to.`,
}));
const transcript = [...talk, { role: "user", content: "And now?" }];

describe("a model asks for a compaction", () => {
  const compactor = createCompactor({ dialect: openaiChat, window: 128_000 });
  const tool = compactTool(compactor);

  it("is carried out, and the next fit stands on it", async () => {
    let state: State | undefined;
    const text = await tool.execute('{"upTo":"#40","focus":"boxes"}', {
      transcript,
      onState: (next) => {
        state = next;
      },
    });
    expect(text).toMatch(/^Done: /);
    expect(text).toContain("Still here word for word: #41–61.");
    const { messages, report } = await compactor.fit(transcript, { state });
    expect(report.outcome).toBe("view");
    expect(messages.at(-1)).toBe(transcript.at(-1));
    expect(messages.slice(-21)).toEqual(transcript.slice(-21));
    expect(messages.length).toBeLessThan(transcript.length - 30);
  });

  it.each([
    ["not JSON", "{"],
    ["a number that is no message", { upTo: "#0" }],
    ["one that isn't there yet", { upTo: "#900" }],
    ["no number at all", { upTo: "yesterday" }],
    ["a focus that is no text", { focus: 7 }],
  ])("a call with %s is told what to give", async (_, input) => {
    const text = await tool.execute(input, { transcript });
    expect(text).toMatch(/^(?:Give `focus`|There is no message)/);
  });

  it("a model that asks again and again isn't left with next to nothing", async () => {
    const asked = compactTool(createCompactor({ dialect: openaiChat, window: 128_000 }));
    expect(await asked.execute({}, { transcript })).toMatch(/^Done: /);
    for (let again = 0; again < 3; again++)
      expect(await asked.execute({ focus: "boxes" }, { transcript })).toMatch(
        /^Nothing was compacted: hardly/,
      );
    expect(await asked.execute({}, { transcript: [...transcript, ...talk, ...talk] })).toMatch(/^Done: /);
  });

  it("what must stay is refused with the reason", async () => {
    const text = await tool.execute({ upTo: "#1" }, { transcript: transcript.slice(-1) });
    expect(text).toMatch(/^Nothing was compacted\. .+/);
  });
});

it("within a turn whose reasoning is signed nothing is compacted", async () => {
  const tool = compactTool(createCompactor({ dialect: anthropicMessages, window: 128_000 }));
  const open = [
    ...transcript,
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "s" },
        { type: "tool_use", id: "t1", name: "look", input: {} },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "Grey." }] },
  ];
  expect(await tool.execute({}, { transcript: open as never })).toMatch(/^Not now/);
});
