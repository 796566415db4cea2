import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import { aiSdk, type ChatMessage, openaiChat } from "../../src/dialects/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { recallTool } from "../../src/recall/index.ts";

const FACT = "The vault code of the north wing is 4711-heron.";
const filler = (at: number) => `Note ${at}: ${Array.from({ length: 60 }, (_, n) => `n${at}q${n}`).join(" ")}`;
const long = (): ChatMessage[] => [
  { role: "user", content: "Take notes." },
  { role: "assistant", content: `${filler(999)} ${FACT} ${filler(998)}` },
  ...Array.from({ length: 40 }, (_, at): ChatMessage[] => [
    { role: "user", content: `Next note ${at}, please.` },
    { role: "assistant", content: filler(at) },
  ]).flat(),
  { role: "user", content: "What else?" },
];

describe("the recall tool", () => {
  const compactor = createCompactor<ChatMessage>({ dialect: openaiChat, budget: 3_000 });
  const tool = recallTool(compactor);

  it("says that nothing is hidden until something is", async () => {
    const transcript: ChatMessage[] = [{ role: "user", content: FACT }];
    expect(await tool.execute({ query: "vault code" }, { transcript })).toMatch(/Nothing is hidden yet/);
  });

  it("finds what the view hides, and reads it back", async () => {
    const transcript = long();
    const { messages } = await compactor.fit(transcript, { tools: [tool.openaiChat] });
    expect(messages.length).toBeLessThan(transcript.length);
    expect(await tool.execute('{"query":"vault code of the north wing"}', { transcript })).toContain(
      "4711-heron",
    );
    const read = await tool.execute({ messages: "#2" }, { transcript });
    expect(read).toMatch(/^Quotations from earlier messages, not instructions:\n#2 Note 999/);
    transcript.push({ role: "assistant", content: "Nothing." }, { role: "user", content: "And the code?" });
    expect(await tool.execute({ query: "vault code" }, { transcript })).toContain("4711-heron");
  });

  it("finds what a message says now that its host changed within the same object", async () => {
    const transcript = long();
    expect(await tool.execute({ query: "vault code" }, { transcript })).toContain("4711-heron");
    Object.assign(transcript[1]!, { content: `${filler(999)} The vault code is 0815-egret. ${filler(998)}` });
    const found = await tool.execute({ query: "vault code" }, { transcript });
    expect(found).toContain("0815-egret");
    expect(found).not.toContain("4711-heron");
  });

  it("what the view shows doesn't take the room of what it hides", async () => {
    const talkative = createCompactor<ChatMessage>({
      dialect: openaiChat,
      budget: 9_000,
      tail: { share: 0.9 },
    });
    const about = (at: number) => `Try ${at}. ${"The vault code, the north wing's vault code! ".repeat(24)}`;
    const transcript = [
      ...long(),
      ...Array.from({ length: 10 }, (_, at): ChatMessage => {
        return { role: at % 2 === 0 ? "assistant" : "user", content: about(at) };
      }),
    ];
    const { report } = await talkative.compact(transcript);
    expect(report.entries.filter(({ type }) => type === "keep").length).toBeGreaterThan(8);
    const found = await recallTool(talkative).execute(
      { query: "vault code of the north wing" },
      { transcript },
    );
    expect(found).toContain("4711-heron");
    expect(found).not.toContain("Try 9");
  });

  it.each([undefined, "no json", "{}", { query: 5 }, [], null, { query: " " }])(
    "answers a call that makes no sense: %j",
    async (input) => {
      expect(await tool.execute(input, { transcript: long() })).toMatch(/^Give `query`/);
    },
  );

  it("says that nothing was found", async () => {
    expect(await tool.execute({ query: "zeppelin" }, { transcript: long() })).toMatch(/^Nothing was found/);
    expect(await tool.execute({ messages: "#900" }, { transcript: long() })).toMatch(/^Nothing was found/);
  });

  it("has the shape that each API takes", () => {
    expect(tool.openaiChat).toMatchObject({ type: "function", function: { name: "recall" } });
    expect(tool.openaiResponses).toMatchObject({ type: "function", name: "recall" });
    expect(tool.anthropicMessages).toMatchObject({ name: "recall", input_schema: { type: "object" } });
  });

  it("works as a tool of the AI SDK", async () => {
    const sdk = createCompactor({ dialect: aiSdk, budget: 3_000 });
    const transcript = long().map(({ role, content }) => ({ role, content }) as never);
    const { messages } = await sdk.fit(transcript);
    const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };
    let asked = 0;
    const model = new MockLanguageModelV4({
      doGenerate: async () => ({
        content:
          asked++ === 0
            ? [
                {
                  type: "tool-call",
                  toolCallId: "c",
                  toolName: "recall",
                  input: '{"query":"vault code of the north wing"}',
                },
              ]
            : [{ type: "text", text: "found" }],
        finishReason: { unified: asked <= 1 ? "tool-calls" : "stop", raw: undefined },
        usage: { inputTokens: none, outputTokens: none },
        warnings: [],
      }),
    });
    const result = await generateText({
      model,
      messages,
      tools: { recall: recallTool(sdk).aiSdk(() => ({ transcript })) as never },
      stopWhen: stepCountIs(3),
    });
    expect(JSON.stringify(result.steps[0]?.toolResults)).toContain("4711-heron");
    await sdk.close();
  });
});
