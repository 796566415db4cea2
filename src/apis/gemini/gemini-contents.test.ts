import { describe, expect, it } from "vitest";
import { structureOf } from "../../core/rounds.ts";
import { encode } from "../transcode.ts";
import { geminiContents } from "./index.ts";

const { read, edit, write } = geminiContents;

const call = (path: string, more: object = {}) => ({
  functionCall: { name: "read", args: { path }, ...more },
});
const answer = (output: string, more: object = {}) => ({
  functionResponse: { name: "read", response: { output }, ...more },
});

describe("gemini-contents read", () => {
  it("reads thoughts, signatures and calls, with ids or without", () => {
    const message = {
      role: "model",
      parts: [
        { text: "Let me look.", thought: true },
        { ...call("a"), thoughtSignature: "AAAABBBB" },
        call("b", { id: "b1" }),
        { text: "", thoughtSignature: "AAAA" },
      ],
    };
    expect(read(message)).toEqual({
      role: "assistant",
      parts: [
        { type: "reasoning", text: "Let me look.", signed: false },
        { type: "reasoning", text: "AA", signed: true },
        { type: "tool-call", id: "function:read", name: "read", args: '{"path":"a"}' },
        { type: "tool-call", id: "b1", name: "read", args: '{"path":"b"}' },
        { type: "reasoning", text: "A", signed: true },
      ],
    });
  });

  it("reads the text of a response as text, an object as JSON, an error as one", () => {
    const text = (response: object) =>
      read({ parts: [{ functionResponse: { name: "f", response } }] }).parts[0];
    expect(text({ output: "42" })).toMatchObject({ text: "42" });
    expect(text({ rows: [1] })).toMatchObject({ text: '{"rows":[1]}' });
    expect(text({ error: "gone" })).toMatchObject({ text: "gone", error: true });
  });

  it("reads both spellings alike: the API takes snake case, too", () => {
    const camel = { inlineData: { mimeType: "audio/wav", data: "AAAA" } };
    const snake = { inline_data: { mime_type: "audio/wav", data: "AAAA" } };
    expect(read({ parts: [snake] })).toEqual(read({ parts: [camel] }));
    expect(read({ parts: [camel] }).parts).toEqual([
      { type: "file", mediaType: "audio/wav", bytes: 3, source: "AAAA" },
    ]);
  });

  it("reads a system instruction in each of its shapes", () => {
    const parts = [{ type: "text", text: "be brief" }];
    for (const content of [
      "be brief",
      { parts: [{ text: "be brief" }] },
      [{ text: "be brief" }],
      { text: "be brief" },
    ])
      expect(read({ role: "system", content })).toEqual({ role: "system", parts });
  });

  it("names the dialect of messages that are of another", () => {
    expect(() => read({ role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] })).toThrow(
      "anthropicMessages",
    );
    expect(() => read({ role: "user", parts: [{ type: "text", text: "hi" }] } as never)).toThrow(
      "convertToModelMessages",
    );
  });
});

describe("gemini-contents pairing", () => {
  const pairsOf = (...messages: object[]) =>
    structureOf(messages.map((message) => read(message))).pairs.map(
      ({ call: { part: from }, result: { part: to } }) => [from, to],
    );

  it("ties parallel results without ids to their calls in order", () => {
    const calls = { role: "model", parts: [call("a"), call("b")] };
    expect(pairsOf(calls, { role: "user", parts: [answer("A"), answer("B")] })).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  it("ties by name what ids don't tie: the model names its calls, and a client answers without", () => {
    const calls = { role: "model", parts: [call("a", { id: "x1" }), call("b", { id: "x2" })] };
    expect(pairsOf(calls, { role: "user", parts: [answer("A"), answer("B")] })).toEqual([
      [0, 0],
      [1, 1],
    ]);
    const unnamed = { role: "model", parts: [call("a")] };
    expect(pairsOf(unnamed, { role: "user", parts: [answer("A", { id: "made-up-1" })] })).toEqual([[0, 0]]);
  });

  it("a result that came twice doesn't take the call of one that comes later", () => {
    const asked = [
      { role: "model", parts: [call("a", { id: "x1" })] },
      { role: "model", parts: [call("b", { id: "x2" })] },
    ];
    const answers = [
      { role: "user", parts: [answer("B", { id: "x2" }), answer("B", { id: "x2" })] },
      { role: "user", parts: [answer("A", { id: "x1" })] },
    ];
    const { pairs, faults, units } = structureOf([...asked, ...answers].map(read));
    expect(pairs.map(({ call: { index }, result }) => [index, result.index])).toEqual([
      [1, 2],
      [1, 2],
      [0, 3],
    ]);
    expect(faults).toEqual([]);
    expect(units).toMatchObject([{ from: 0, to: 4 }]);
  });

  it("a message that was handed in twice answers two calls of its name", () => {
    const both = { role: "user", parts: [answer("A", { id: "x1" })] };
    const calls = { role: "model", parts: [call("a", { id: "x1" }), call("b", { id: "x2" })] };
    const seen = read(both);
    const { pairs, faults } = structureOf([read(calls), seen, seen]);
    expect(pairs.map(({ call: { part }, result }) => [part, result.index])).toEqual([
      [0, 1],
      [1, 2],
    ]);
    expect(faults).toEqual([]);
  });

  it("a response that nobody asked for is an orphan", () => {
    const alone = structureOf([read({ role: "user", parts: [answer("A")] })]);
    expect(alone.faults).toEqual([{ index: 0, kind: "orphan-result" }]);
  });

  it("gives results of other formats the ids of their calls", () => {
    const messages = [
      { role: "user", parts: [{ text: "Read both." }] },
      { role: "model", parts: [call("a"), call("b", { id: "x2" })] },
      { role: "user", parts: [answer("A"), answer("B")] },
    ];
    expect(encode("openai-chat", messages.map(read)).messages.slice(1)).toMatchObject([
      { tool_calls: [{ id: "function:read" }, { id: "x2" }] },
      { role: "tool", tool_call_id: "function:read", content: "A" },
      { role: "tool", tool_call_id: "x2", content: "B" },
    ]);
  });
});

describe("gemini-contents edit", () => {
  it("takes the signatures away with the reasoning, and keeps everything else", () => {
    const message = {
      role: "model",
      parts: [{ text: "hm", thought: true }, { ...call("a"), thoughtSignature: "AAAA" }, { text: "so" }],
    };
    const stripped = edit(message, [{ type: "strip-reasoning", why: "old-reasoning" }]);
    expect(stripped).toEqual({ role: "model", parts: [call("a"), { text: "so" }] });
    expect(stripped.parts?.[1]).toBe(message.parts[2]);
  });

  it("shortens a response under the name that it had", () => {
    const parts = [answer("long"), { functionResponse: { name: "f", response: { rows: [1] }, parts: [] } }];
    const cut = (part: number) => ({ type: "replace", part, text: "…", why: "hard-cut" }) as const;
    expect(edit({ role: "user", parts }, [cut(0), cut(1)]).parts).toEqual([
      answer("…"),
      { functionResponse: { name: "f", response: { output: "…" } } },
    ]);
  });

  it("keeps the shape of the system instruction", () => {
    const append = [{ type: "append", text: "more", why: "summary" }] as const;
    const system = (content: unknown) => edit({ role: "system", content }, append).content;
    expect(system("be brief")).toBe("be brief\n\nmore");
    expect(system({ role: "system", parts: [{ text: "be brief" }] })).toEqual({
      role: "system",
      parts: [{ text: "be brief" }, { text: "more" }],
    });
  });

  it("writes the assistant as the model", () => {
    expect(write({ role: "assistant", text: "hi" })).toEqual({ role: "model", parts: [{ text: "hi" }] });
  });
});

it("calls of another provider are signed as such: Gemini 3 refuses calls without", () => {
  const { messages } = encode("gemini-contents", [
    { role: "user", parts: [{ type: "text", text: "Read." }] },
    { role: "assistant", parts: [{ type: "tool-call", id: "a", name: "read", args: "{}" }] },
    { role: "tool", parts: [{ type: "tool-result", id: "a", text: "A" }] },
  ]);
  expect(messages[1]).toEqual({
    role: "model",
    parts: [
      {
        functionCall: { id: "a", name: "read", args: {} },
        thoughtSignature: "skip_thought_signature_validator",
      },
    ],
  });
});
