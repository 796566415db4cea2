import { describe, expect, it } from "vitest";
import { openaiChat } from "./index.ts";

const calls = {
  role: "assistant",
  content: null,
  reasoning_content: "think",
  tool_calls: [
    { id: "a", type: "function", function: { name: "read", arguments: '{"path":"x"}' } },
    { id: "b", type: "custom", custom: { name: "patch", input: "free text" } },
  ],
};

describe("openai-chat read", () => {
  it("reads parallel calls, custom tools and reasoning", () => {
    expect(openaiChat.read(calls)).toEqual({
      role: "assistant",
      parts: [
        { type: "reasoning", text: "think", signed: false },
        { type: "tool-call", id: "a", name: "read", args: '{"path":"x"}' },
        { type: "tool-call", id: "b", name: "patch", args: "free text" },
      ],
    });
  });

  it("pairs a legacy function call with its result by name", () => {
    const call = openaiChat.read({ role: "assistant", function_call: { name: "f", arguments: "{}" } })
      .parts[0];
    const result = openaiChat.read({ role: "function", name: "f", content: "ok" }).parts[0];
    expect(call?.type === "tool-call" && result?.type === "tool-result" && call.id === result.id).toBe(true);
  });

  it("counts reasoning once when a server repeats it in several fields", () => {
    const parts = openaiChat.read({
      role: "assistant",
      content: "x",
      reasoning: "same",
      reasoning_details: [{ type: "reasoning.text", text: "same", signature: "s" }],
    }).parts;
    expect(parts).toEqual([
      { type: "reasoning", text: "same", signed: true },
      { type: "text", text: "x" },
    ]);
  });

  it("reads names that are objects which can't be text", () => {
    const name = JSON.parse('{"toString":""}') as never;
    const call = { role: "assistant", function_call: { name, arguments: "{}" } } as const;
    expect(openaiChat.read(call).parts).toMatchObject([{ type: "tool-call", name: '{"toString":""}' }]);
    const content = [{ type: name }, { type: "input_audio", input_audio: { data: "AAAA", format: name } }];
    expect(openaiChat.read({ role: "user", content } as never).parts).toMatchObject([
      { type: "other", kind: '{"toString":""}' },
      { type: "file", mediaType: 'audio/{"toString":""}' },
    ]);
  });

  it("reads pictures, sounds, files and refusals", () => {
    const { parts } = openaiChat.read({
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image_url", image_url: { url: "https://e.x/a.png", detail: "low" } },
        { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAAAA==" } },
        { type: "refusal", refusal: "no" },
        { type: "hologram", text: 3 } as never,
      ],
    });
    expect(parts).toEqual([
      { type: "text", text: "look" },
      { type: "image", source: "https://e.x/a.png", detail: "low" },
      { type: "file", source: "AAAA", mediaType: "audio/wav", bytes: 3 },
      {
        type: "file",
        name: "a.pdf",
        source: "data:application/pdf;base64,AAAAAA==",
        mediaType: "application/pdf",
        bytes: 4,
      },
      { type: "text", text: "no" },
      { type: "other", kind: "hologram", json: '{"type":"hologram","text":3}', unknown: true },
    ]);
  });

  it("calls the developer role system, and sees the markers", () => {
    const message = { role: "developer", content: "be brief", precis: { pin: true, knowledge: true } };
    expect(openaiChat.read(message)).toEqual({
      role: "system",
      parts: [{ type: "text", text: "be brief" }],
      pinned: true,
      knowledge: true,
    });
  });

  it("says what it expected and what it found", () => {
    expect(() => openaiChat.read({ role: "toolResult", content: "x" })).toThrow(
      /one of system, .*"toolResult"/,
    );
    expect(() => openaiChat.read({ role: "tool", content: "x" })).toThrow(/tool_call_id/);
    expect(() => openaiChat.read({ role: "user", content: 3 } as never)).toThrow(/`content`.*found a number/);
  });
});

describe("openai-chat edit", () => {
  it("counts parts without reasoning, keeps the neighbours and leaves the original alone", () => {
    const before = structuredClone(calls);
    const next = openaiChat.edit(calls, [
      { type: "replace", part: 0, text: '{"path":"…"}', why: "large-result" },
      { type: "strip-reasoning", why: "old-reasoning" },
    ]);
    expect(calls).toEqual(before);
    expect(next).not.toHaveProperty("reasoning_content");
    expect(next.tool_calls?.[0]?.function).toEqual({ name: "read", arguments: '{"path":"…"}' });
    expect(next.tool_calls?.[1]).toBe(calls.tool_calls[1]);
    expect(next.content).toBeNull();
  });

  it("wraps clipped arguments, so that servers that parse them don't fail", () => {
    const next = openaiChat.edit(calls, [{ type: "replace", part: 0, text: '{"path":', why: "hard-cut" }]);
    expect(next.tool_calls?.[0]?.function?.arguments).toBe('{"text":"{\\"path\\":"}');
    const free = openaiChat.edit(calls, [{ type: "replace", part: 1, text: "cut …", why: "hard-cut" }]);
    expect(free.tool_calls?.[1]?.custom?.input).toBe("cut …");
  });

  it("keeps a result's id and cache marker", () => {
    const result = {
      role: "tool",
      tool_call_id: "a",
      content: [
        { type: "text", text: "1" },
        { type: "text", text: "2", cache_control: { type: "ephemeral" } },
      ],
    };
    expect(openaiChat.edit(result, [{ type: "replace", part: 0, text: "cut", why: "large-result" }])).toEqual(
      {
        role: "tool",
        tool_call_id: "a",
        content: [{ type: "text", text: "cut", cache_control: { type: "ephemeral" } }],
      },
    );
  });

  it("turns a picture into text where it stood", () => {
    const message = {
      role: "user",
      content: [
        { type: "image_url", image_url: { url: "u" }, prompt_cache_breakpoint: { mode: "explicit" } },
        { type: "text", text: "what is it?" },
      ],
    };
    const next = openaiChat.edit(message, [{ type: "replace", part: 0, text: "[image]", why: "old-image" }]);
    expect(next.content?.[0]).toEqual({
      type: "text",
      text: "[image]",
      prompt_cache_breakpoint: { mode: "explicit" },
    });
    expect(next.content?.[1]).toBe(message.content[1]);
  });

  it("never leaves a message empty", () => {
    const only = { role: "assistant", content: null, reasoning_content: "think" };
    expect(openaiChat.edit(only, [{ type: "strip-reasoning", why: "old-reasoning" }])).toEqual({
      role: "assistant",
      content: "(empty)",
    });
    const parts = { role: "assistant", content: [{ type: "thinking", thinking: "x" }] };
    expect(openaiChat.edit(parts, [{ type: "strip-reasoning", why: "old-reasoning" }]).content).toBe(
      "(empty)",
    );
  });

  it("appends to a string as a string and to parts as a part", () => {
    const add = [{ type: "append", text: "more", why: "summary" }] as const;
    expect(openaiChat.edit({ role: "system", content: "be brief" }, add).content).toBe("be brief\n\nmore");
    expect(
      openaiChat.edit({ role: "system", content: [{ type: "text", text: "be brief" }] }, add).content,
    ).toEqual([
      { type: "text", text: "be brief" },
      { type: "text", text: "more" },
    ]);
  });

  it("returns the same object when nothing changes, and refuses a part that isn't there", () => {
    const message = { role: "user", content: "x" };
    expect(openaiChat.edit(message, [{ type: "strip-reasoning", why: "old-reasoning" }])).toBe(message);
    expect(() =>
      openaiChat.edit(message, [{ type: "replace", part: 1, text: "y", why: "hard-cut" }]),
    ).toThrow(/names part 1.*has 1 part/);
  });
});
