/** ShareGPT, ChatGPT, SWE-agent, AI SDK chats and sessions with flat calls. */
import { expect, test } from "vitest";
import { readLog } from "./create-log-reader.ts";

const read = (value: unknown) => readLog(JSON.stringify(value));

test("ShareGPT: speakers, calls and their results", () => {
  const log = read({
    id: "g1",
    conversations: [
      { from: "system", value: "Be kind." },
      { from: "human", value: "Weather?" },
      { from: "function_call", value: '{"name":"weather","arguments":{"city":"Bonn"}}' },
      { from: "observation", value: "rain" },
      { from: "gpt", value: "It rains." },
      { from: "narrator", value: "Time passes." },
    ],
  });
  expect(log.source).toBe("sharegpt");
  expect(log.messages).toEqual([
    { role: "system", content: "Be kind." },
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Bonn"}' } },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: "rain" },
    { role: "assistant", content: "It rains." },
    { role: "user", content: "Time passes." },
  ]);
  expect(log.warnings).toEqual(['unknown speaker "narrator" is read as the user']);
});

test("ChatGPT export: the branch that the person ended on", () => {
  const node = (parent: string | null, role: string, text: string) => ({
    parent,
    message: { author: { role }, content: { parts: [text] }, create_time: 1_700_000_000 },
  });
  const log = read({
    title: "Soup",
    current_node: "c",
    mapping: {
      a: node(null, "user", "A soup?"),
      b: node("a", "assistant", "Tomato."),
      c: node("a", "assistant", "Leek."),
    },
  });
  expect(log).toMatchObject({ source: "chatgpt", title: "Soup" });
  expect(log.messages).toEqual([
    { role: "user", content: "A soup?" },
    { role: "assistant", content: "Leek." },
  ]);
  expect(log.times?.[0]).toBe(1_700_000_000_000);
});

test("SWE-agent: extras go, call ids come back", () => {
  const calls = [{ id: "c1", type: "function", function: { name: "bash", arguments: "{}" } }];
  const log = read({
    environment: "env",
    trajectory: [],
    history: [
      { role: "system", content: "S", agent: "main" },
      { role: "user", content: "Do", agent: "main", message_type: "observation" },
      { role: "assistant", content: "T", thought: "T", action: "ls", tool_calls: calls },
      { role: "tool", content: "out", tool_call_ids: ["c1"] },
    ],
  });
  expect(log.source).toBe("swe-agent");
  expect(log.messages).toEqual([
    { role: "system", content: "S" },
    { role: "user", content: "Do" },
    { role: "assistant", content: "T", tool_calls: calls },
    { role: "tool", tool_call_id: "c1", content: "out" },
  ]);
});

test("AI SDK chat: steps become an assistant and a tool message each", () => {
  const log = read([
    {
      id: "1",
      role: "user",
      parts: [
        { type: "text", text: "Sum?" },
        { type: "data-note", data: 1 },
      ],
    },
    {
      id: "2",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "reasoning", text: "add" },
        {
          type: "tool-add",
          toolCallId: "c1",
          state: "output-available",
          input: { a: 1, b: 2 },
          output: { sum: 3 },
        },
        {
          type: "dynamic-tool",
          toolName: "log",
          toolCallId: "c2",
          state: "output-error",
          errorText: "disk full",
        },
        { type: "step-start" },
        { type: "text", text: "3" },
      ],
    },
  ]);
  expect(log).toMatchObject({ source: "ai-sdk-ui", dialect: "ai-sdk" });
  expect(log.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "Sum?" }] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "add" },
        { type: "tool-call", toolCallId: "c1", toolName: "add", input: { a: 1, b: 2 } },
        { type: "tool-call", toolCallId: "c2", toolName: "log", input: {} },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "add",
          output: { type: "json", value: { sum: 3 } },
        },
        {
          type: "tool-result",
          toolCallId: "c2",
          toolName: "log",
          output: { type: "error-text", value: "disk full" },
        },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "3" }] },
  ]);
});

test("session: flat calls are wrapped, times and summaries kept", () => {
  const log = read({
    id: "s1",
    compactions: [{ at: 2 }],
    messages: [
      {
        role: "assistant",
        content: "",
        reasoning: "hm",
        ts: "2026-01-01T00:00:00Z",
        tool_calls: [{ id: "c", name: "f", arguments: "{}" }],
      },
      { role: "tool", tool_call_id: "c", content: "r", ts: "2026-01-01T00:00:01Z", is_error: true },
      { role: "user", content: "sum", flags: { compactSummary: true } },
    ],
  });
  expect(log).toMatchObject({ source: "session", compactions: [2], summaries: [2], id: "s1" });
  expect(log.messages[0]).toEqual({
    role: "assistant",
    content: "",
    reasoning_content: "hm",
    tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
  });
  expect(log.times).toEqual([
    Date.parse("2026-01-01T00:00:00Z"),
    Date.parse("2026-01-01T00:00:01Z"),
    undefined,
  ]);
});

test("a single message is a conversation that has just begun, on one line or on several", () => {
  const one = { role: "user", content: "Hello" };
  for (const text of [JSON.stringify(one), `${JSON.stringify(one)}\n`, JSON.stringify(one, undefined, 2)])
    expect(readLog(text).messages).toEqual([one]);
  expect(() => read({ name: "precis", version: "1" })).toThrow("fields `name`, `version`");
});
