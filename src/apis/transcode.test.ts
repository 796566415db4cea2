import { describe, expect, it } from "vitest";
import { ConfigError } from "../core/errors.ts";
import type { Message } from "../core/types.ts";
import { judgeWire } from "../testing/rules/judge-wire.ts";
import { dialects } from "./dialect-by-id.ts";
import { encode } from "./transcode.ts";

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const say = (text: string): Message => ({ role: "assistant", parts: [{ type: "text", text }] });
const call = (...ids: string[]): Message => ({
  role: "assistant",
  parts: ids.map((id) => ({ type: "tool-call", id, name: "read", args: '{"path":"x"}' })),
});
const result = (id: string, text = `result of ${id}`): Message => ({
  role: "tool",
  parts: [{ type: "tool-result", id, text }],
});

const IDS = Object.keys(dialects);

describe("encode", () => {
  it("groups results into the user message after their calls, and merges neighbours", () => {
    const { messages, system, warnings } = encode("anthropic-messages", [
      { role: "system", parts: [{ type: "text", text: "be brief" }] },
      user("go"),
      say("looking"),
      call("a", "b"),
      result("a"),
      result("b"),
      user("also this"),
    ]);
    expect(system).toEqual([{ type: "text", text: "be brief" }]);
    expect(messages).toEqual([
      { role: "user", content: [{ type: "text", text: "go" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "looking" },
          { type: "tool_use", id: "a", name: "read", input: { path: "x" } },
          { type: "tool_use", id: "b", name: "read", input: { path: "x" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "result of a" },
          { type: "tool_result", tool_use_id: "b", content: "result of b" },
          { type: "text", text: "also this" },
        ],
      },
    ]);
    expect(warnings).toEqual([]);
  });

  it("writes one item per call and output", () => {
    const { messages, system } = encode("openai-responses", [
      { role: "system", parts: [{ type: "text", text: "be brief" }] },
      user("go"),
      call("a"),
      result("a"),
    ]);
    expect(system).toBe("be brief");
    expect(messages).toEqual([
      { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
      { type: "function_call", call_id: "a", name: "read", arguments: '{"path":"x"}' },
      { type: "function_call_output", call_id: "a", output: "result of a" },
    ]);
  });

  it.each(IDS)("moves a late result behind its call: %s", (id) => {
    const { messages, warnings } = encode(id, [
      user("go"),
      call("a"),
      user("hurry"),
      result("a"),
      user("well?"),
    ]);
    expect(judgeWire(id, messages).faults).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it.each(IDS)("answers a call that was never answered, and says so: %s", (id) => {
    const { messages, warnings } = encode(id, [user("go"), call("a", "b"), result("b"), user("well?")]);
    expect(judgeWire(id, messages).faults).toEqual([]);
    expect(warnings).toEqual(['a call without a result was given the result "(no result)"']);
  });

  it.each(IDS)("leaves an open last call open: %s", (id) => {
    const { messages, warnings } = encode(id, [user("go"), call("a")]);
    expect(messages).toHaveLength(2);
    expect(warnings).toEqual([]);
  });

  it.each(IDS)("keeps the text of a result without a call, where it stood: %s", (id) => {
    const { messages, warnings } = encode(id, [user("one"), result("ghost"), say("two"), user("three")]);
    expect(judgeWire(id, messages).faults).toEqual([]);
    const json = JSON.stringify(messages);
    const places = ["one", "result of ghost", "two", "three"].map((text) => json.indexOf(text));
    expect(places.every((place, i) => place > (places[i - 1] ?? -1))).toBe(true);
    expect(warnings).toEqual(["a result without a call was written as text of the user"]);
  });

  it.each(IDS)("makes repeated call ids unique, each with its own result: %s", (id) => {
    const transcript = [
      user("go"),
      call("a"),
      result("a", "first"),
      call("a"),
      result("a", "second"),
      user("?"),
    ];
    const { messages, warnings } = encode(id, transcript);
    expect(judgeWire(id, messages).faults).toEqual([]);
    const json = JSON.stringify(messages);
    expect(json.indexOf("first")).toBeLessThan(json.indexOf("a_2"));
    expect(json.indexOf("second")).toBeGreaterThan(json.indexOf("a_2"));
    expect(warnings).toEqual(["a call id that occurs more than once was made unique"]);
  });

  it.each(IDS)("begins with the user where the format demands it: %s", (id) => {
    const { messages } = encode(id, [say("hello"), user("hi")]);
    expect(judgeWire(id, messages).faults).toEqual([]);
  });

  it("reports what it lost, once for each kind", () => {
    const { warnings } = encode("anthropic-messages", [
      user("go"),
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "a", signed: true },
          { type: "reasoning", text: "b", signed: false },
          { type: "other", kind: "hologram", json: "{}" },
          { type: "text", text: "x" },
        ],
      },
    ]);
    expect(warnings).toEqual([
      "a part of type `hologram` was left out: no other format has it",
      "reasoning was left out: the API takes only reasoning that it signed itself (2 times)",
    ]);
  });

  it("makes ids and names legal for Anthropic, calls and results alike", () => {
    const messages: Message[] = [
      user("go"),
      {
        role: "assistant",
        parts: [{ type: "tool-call", id: "call|1:x", name: "fs.read", args: "not json" }],
      },
      result("call|1:x", "ok"),
    ];
    expect(encode("anthropic-messages", messages).messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "call_1_x", name: "fs_read", input: { text: "not json" } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1_x", content: "ok" }] },
    ]);
  });

  it("refuses a dialect that it doesn't know and names those that it does", () => {
    expect(() => encode("gemini", [])).toThrow(ConfigError);
    expect(() => encode("gemini", [])).toThrow(/openai-chat.*openai-responses.*anthropic-messages.*ai-sdk/);
  });
});

describe("what real sessions hold", () => {
  it.each(IDS)("leaves out blank texts and messages of nothing but reasoning: %s", (id) => {
    const { messages, warnings } = encode(id, [
      user("go"),
      { role: "assistant", parts: [{ type: "reasoning", text: "interrupted", signed: false }] },
      user("go on"),
      { role: "assistant", parts: [{ type: "text", text: "\n\n" }] },
      user("well?"),
    ]);
    expect(judgeWire(id, messages).faults).toEqual([]);
    expect(warnings).toEqual(["a message that held nothing but reasoning was left out"]);
  });
});
