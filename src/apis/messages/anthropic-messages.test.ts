import { describe, expect, it } from "vitest";
import { anthropicMessages } from "./index.ts";

const { read, edit, write } = anthropicMessages;

const round = {
  role: "assistant",
  content: [
    { type: "thinking", thinking: "hm", signature: "sig" },
    { type: "redacted_thinking", data: "AAAABBBB" },
    { type: "text", text: "let me look" },
    { type: "tool_use", id: "a", name: "read", input: { path: "x" }, cache_control: { type: "ephemeral" } },
    { type: "server_tool_use", id: "s", name: "web_search", input: { query: "q" } },
    { type: "web_search_tool_result", tool_use_id: "s", content: [{ type: "web_search_result", url: "u" }] },
  ],
};

const results = {
  role: "user",
  content: [
    {
      type: "tool_result",
      tool_use_id: "a",
      is_error: true,
      cache_control: { type: "ephemeral" },
      content: [
        { type: "text", text: "line" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      ],
    },
    { type: "tool_result", tool_use_id: "b", content: "plain" },
  ],
};

describe("anthropic-messages read", () => {
  it("reads thinking, calls and what the provider ran", () => {
    expect(read(round)).toEqual({
      role: "assistant",
      parts: [
        { type: "reasoning", text: "hm", signed: true },
        { type: "reasoning", text: "AA", signed: true },
        { type: "text", text: "let me look" },
        { type: "tool-call", id: "a", name: "read", args: '{"path":"x"}' },
        { type: "tool-call", id: "s", name: "web_search", args: '{"query":"q"}', locked: true },
        {
          type: "tool-result",
          id: "s",
          text: '[{"type":"web_search_result","url":"u"}]',
          locked: true,
        },
      ],
    });
  });

  it("gives a user message with only results the role tool, and one with text the role user", () => {
    const message = read(results);
    expect(message.role).toBe("tool");
    expect(message.parts).toEqual([
      { type: "tool-result", id: "a", text: "line", error: true, media: [{ type: "image", source: "AAAA" }] },
      { type: "tool-result", id: "b", text: "plain" },
    ]);
    const mixed = { role: "user", content: [...results.content, { type: "text", text: "go on" }] };
    expect(read(mixed).role).toBe("user");
  });

  it("reads documents and search results as files with text", () => {
    const { parts } = read({
      role: "user",
      content: [
        { type: "document", title: "T", source: { type: "text", media_type: "text/plain", data: "body" } },
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: "AAAA" },
        },
        {
          type: "search_result",
          title: "S",
          source: "https://e.x",
          content: [{ type: "text", text: "found" }],
        },
        { type: "compaction", content: "summary" },
      ],
    });
    expect(parts).toEqual([
      { type: "file", name: "T", mediaType: "text/plain", text: "body", source: "body" },
      { type: "file", mediaType: "application/pdf", bytes: 3, source: "AAAA" },
      { type: "file", name: "S", text: "S\nhttps://e.x\nfound", source: "https://e.x" },
      { type: "other", kind: "compaction", json: '{"type":"compaction","content":"summary"}', unknown: true },
    ]);
  });

  it("doesn't count the base64 of a fetched PDF as text", () => {
    const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAA" } };
    const part = read({
      role: "assistant",
      content: [
        {
          type: "web_fetch_tool_result",
          tool_use_id: "s",
          content: { type: "web_fetch_result", url: "https://e.x/a.pdf", content: pdf },
        },
      ],
    }).parts[0];
    expect(part).toMatchObject({ type: "tool-result", text: "https://e.x/a.pdf", locked: true });
    expect(part?.type === "tool-result" && part.media?.[0]?.type).toBe("file");
  });

  it("reads the system prompt kept apart, as a string and as parts", () => {
    expect(read({ role: "system", content: "be brief" }).parts).toEqual([{ type: "text", text: "be brief" }]);
    expect(read({ role: "system", content: [{ type: "text", text: "be brief" }] }).role).toBe("system");
  });

  it("says what it expected and what it found", () => {
    expect(() => read({ role: "tool", content: "x" })).toThrow(
      /one of user, assistant, system, found "tool"/,
    );
    expect(() => read({ role: "user" } as never)).toThrow(/`content`.*found undefined/);
    expect(() => read({ role: "user", content: [{ type: "tool_result" }] })).toThrow(/tool_use_id/);
  });
});

describe("anthropic-messages edit", () => {
  it("counts parts without reasoning and keeps the rest as the same objects", () => {
    const before = structuredClone(round);
    const next = edit(round, [
      { type: "replace", part: 1, text: '{"path":"…"}', why: "large-result" },
      { type: "strip-reasoning", why: "signed-reasoning" },
    ]);
    expect(round).toEqual(before);
    expect(next.content).toHaveLength(4);
    expect(next.content?.[0]).toBe(round.content[2]);
    expect(next.content?.[1]).toEqual({
      type: "tool_use",
      id: "a",
      name: "read",
      input: { path: "…" },
      cache_control: { type: "ephemeral" },
    });
    expect(next.content?.[3]).toBe(round.content[5]);
  });

  it("wraps arguments that aren't JSON", () => {
    const next = edit(round, [{ type: "replace", part: 1, text: '{"path', why: "hard-cut" }]);
    expect(next.content?.[3]).toMatchObject({ input: { text: '{"path' } });
  });

  it("keeps a result's id, error flag and cache breakpoint", () => {
    const next = edit(results, [{ type: "replace", part: 0, text: "cut", why: "large-result" }]);
    expect(next.content?.[0]).toEqual({
      type: "tool_result",
      tool_use_id: "a",
      is_error: true,
      cache_control: { type: "ephemeral" },
      content: [{ type: "text", text: "cut" }],
    });
    expect(next.content?.[1]).toBe(results.content[1]);
  });

  it("refuses what the provider ran", () => {
    expect(() => edit(round, [{ type: "replace", part: 2, text: "x", why: "hard-cut" }])).toThrow(
      /server_tool_use/,
    );
    expect(() => edit(round, [{ type: "replace", part: 3, text: "x", why: "hard-cut" }])).toThrow(
      /can't be edited/,
    );
  });

  it("never leaves a message or a text empty", () => {
    const only = { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "s" }] };
    const stripped = edit(only, [{ type: "strip-reasoning", why: "signed-reasoning" }]);
    expect(stripped.content).toEqual([{ type: "text", text: "(empty)" }]);
    expect(
      edit({ role: "user", content: "x" }, [{ type: "replace", part: 0, text: " \n", why: "hard-cut" }])
        .content,
    ).toBe("(empty)");
  });

  it("appends a part of its own, so that the system prompt stays byte for byte before it", () => {
    const add = [{ type: "append", text: "summary", why: "summary" }] as const;
    expect(edit({ role: "system", content: "be brief" }, add).content).toEqual([
      { type: "text", text: "be brief" },
      { type: "text", text: "summary" },
    ]);
    const block = { type: "text", text: "be brief", cache_control: { type: "ephemeral" } };
    expect(edit({ role: "system", content: [block] }, add).content?.[0]).toBe(block);
  });

  it("writes text parts", () => {
    expect(write({ role: "user", text: "hi" })).toEqual({
      role: "user",
      content: [{ type: "text", text: "hi" }],
    });
  });
});
