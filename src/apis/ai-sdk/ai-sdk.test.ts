import { describe, expect, it } from "vitest";
import { aiSdk } from "./index.ts";

const { read, edit, write } = aiSdk;

const call = {
  role: "assistant",
  content: [
    { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "sig" } } },
    { type: "text", text: "let me look" },
    { type: "tool-call", toolCallId: "a", toolName: "read", input: { path: "x" } },
    { type: "tool-call", toolCallId: "s", toolName: "search", input: {}, providerExecuted: true },
    { type: "tool-result", toolCallId: "s", toolName: "search", output: { type: "json", value: [1] } },
  ],
};

const outputs = [
  { type: "text", value: "plain" },
  { type: "json", value: { a: 1 } },
  { type: "error-text", value: "failed" },
  { type: "error-json", value: { code: 1 } },
  { type: "execution-denied", reason: "not now" },
  {
    type: "content",
    value: [
      { type: "text", text: "see" },
      { type: "image-data", data: "AAAA", mediaType: "image/png" },
      { type: "file-url", url: "https://e.x/a.pdf" },
    ],
  },
];

const results = {
  role: "tool",
  content: outputs.map((output, i) => ({ type: "tool-result", toolCallId: `${i}`, toolName: "t", output })),
};

describe("ai-sdk read", () => {
  it("reads reasoning, calls, and what the provider ran", () => {
    expect(read(call)).toEqual({
      role: "assistant",
      parts: [
        { type: "reasoning", text: "hm", signed: true },
        { type: "text", text: "let me look" },
        { type: "tool-call", id: "a", name: "read", args: '{"path":"x"}' },
        { type: "tool-call", id: "s", name: "search", args: "{}", locked: true },
        { type: "tool-result", id: "s", name: "search", text: "[1]", locked: true },
      ],
    });
  });

  it("reads every type of output", () => {
    expect(read(results).parts).toEqual([
      { type: "tool-result", id: "0", name: "t", text: "plain" },
      { type: "tool-result", id: "1", name: "t", text: '{"a":1}' },
      { type: "tool-result", id: "2", name: "t", text: "failed", error: true },
      { type: "tool-result", id: "3", name: "t", text: '{"code":1}', error: true },
      { type: "tool-result", id: "4", name: "t", text: "not now", error: true },
      {
        type: "tool-result",
        id: "5",
        name: "t",
        text: "see",
        media: [
          { type: "image", source: "AAAA" },
          { type: "file", source: "https://e.x/a.pdf" },
        ],
      },
    ]);
  });

  it("reads pictures and files from bytes, base64, URLs and references", () => {
    const { parts } = read({
      role: "user",
      content: [
        { type: "image", image: new Uint8Array([1, 2, 3]) },
        { type: "image", image: new URL("https://e.x/a.png") },
        { type: "file", data: "AAAA", mediaType: "image/png" },
        { type: "file", data: { type: "text", text: "body" }, mediaType: "text/plain", filename: "a.txt" },
        {
          type: "file",
          data: { type: "data", data: new Uint8Array([0, 0, 0]) },
          mediaType: "application/pdf",
        },
        {
          type: "file",
          data: { type: "reference", reference: { openai: "file-1" } },
          mediaType: "application/pdf",
        },
      ],
    });
    expect(parts).toEqual([
      { type: "image", source: "AQID" },
      { type: "image", source: "https://e.x/a.png" },
      { type: "image", source: "AAAA" },
      { type: "file", source: "body", text: "body", mediaType: "text/plain", name: "a.txt" },
      { type: "file", source: "AAAA", mediaType: "application/pdf", bytes: 3 },
      { type: "file", source: '{"openai":"file-1"}', mediaType: "application/pdf" },
    ]);
  });

  it("lets approvals and custom parts through, and counts reasoning files as reasoning", () => {
    const { parts } = read({
      role: "assistant",
      content: [
        { type: "tool-approval-request", approvalId: "p", toolCallId: "a" },
        { type: "custom", kind: "x.y" },
        { type: "reasoning-file", data: "AAAA", mediaType: "image/png" },
      ],
    });
    expect(parts.map((part) => part.type)).toEqual(["other", "other", "reasoning"]);
  });

  it("finds the marker in the message and in its provider options", () => {
    expect(read({ role: "user", content: "x", providerOptions: { precis: { pin: true } } }).pinned).toBe(
      true,
    );
    expect(read({ role: "user", content: "x", precis: { knowledge: true } }).knowledge).toBe(true);
  });

  it("reads a system prompt kept apart: a string, a system message or several", () => {
    const message = { role: "system", content: "be brief" };
    expect(read(message).parts).toEqual([{ type: "text", text: "be brief" }]);
    expect(read({ role: "system", content: message }).parts).toEqual([{ type: "text", text: "be brief" }]);
    expect(read({ role: "system", content: [message, message] }).parts).toHaveLength(2);
  });

  it("says what it expected and what it found", () => {
    expect(() => read({ role: "tool", content: "x" })).toThrow(/an array of parts, found a string/);
    expect(() => read({ role: "data", content: "x" })).toThrow(
      /one of system, user, assistant, tool, found "data"/,
    );
    expect(() => read({ role: "assistant", content: [{ type: "tool-call" }] })).toThrow(/toolCallId/);
  });
});

describe("ai-sdk edit", () => {
  it("counts parts without reasoning and keeps the rest as the same objects", () => {
    const before = structuredClone(call);
    const next = edit(call, [
      { type: "replace", part: 1, text: "{", why: "hard-cut" },
      { type: "strip-reasoning", why: "signed-reasoning" },
    ]);
    expect(call).toEqual(before);
    const content = next.content as unknown[];
    expect(content).toHaveLength(4);
    expect(content[0]).toBe(call.content[1]);
    expect(content[1]).toMatchObject({ toolCallId: "a", input: { text: "{" } });
    expect(content[3]).toBe(call.content[4]);
  });

  it("keeps errors errors and refusals refusals", () => {
    const edits = outputs.map(
      (_, part) => ({ type: "replace", part, text: "cut", why: "large-result" }) as const,
    );
    const next = edit(results, edits);
    expect((next.content as { output: unknown }[]).map((part) => part.output)).toEqual([
      { type: "text", value: "cut" },
      { type: "text", value: "cut" },
      { type: "error-text", value: "cut" },
      { type: "error-text", value: "cut" },
      { type: "execution-denied", reason: "cut" },
      { type: "text", value: "cut" },
    ]);
  });

  it("refuses what the provider ran", () => {
    for (const part of [2, 3]) {
      expect(() => edit(call, [{ type: "replace", part, text: "x", why: "hard-cut" }])).toThrow(
        /can't be edited/,
      );
    }
  });

  it("never leaves a message empty", () => {
    const only = { role: "assistant", content: [{ type: "reasoning", text: "hm" }] };
    expect(edit(only, [{ type: "strip-reasoning", why: "old-reasoning" }]).content).toEqual([
      { type: "text", text: "(empty)" },
    ]);
  });

  it("appends in the shape that was there", () => {
    const add = [{ type: "append", text: "summary", why: "summary" }] as const;
    const message = { role: "system", content: "be brief" };
    expect(edit(message, add).content).toBe("be brief\n\nsummary");
    expect(edit({ role: "system", content: message }, add).content).toEqual([
      message,
      { role: "system", content: "summary" },
    ]);
    const last = (edit(results, add).content as { output: unknown }[]).at(-1);
    expect(last?.output).toEqual({
      type: "content",
      value: [...((outputs[5]?.value ?? []) as unknown[]), { type: "text", text: "summary" }],
    });
  });

  it("writes what each role may hold", () => {
    expect(write({ role: "system", text: "s" })).toEqual({ role: "system", content: "s" });
    expect(write({ role: "user", text: "u" }).content).toEqual([{ type: "text", text: "u" }]);
  });
});
