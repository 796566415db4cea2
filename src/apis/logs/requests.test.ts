import { expect, test } from "vitest";
import { readLog, readLogs } from "./create-log-reader.ts";

const read = (value: unknown, options = {}) => readLog(JSON.stringify(value), options);
const hello = { role: "user", content: "Hello" };

test.each([
  ["openai-request", "openai-chat", { model: "gpt-x", messages: [hello] }],
  [
    "openai-request",
    "openai-chat",
    { model: "gpt-x", messages: [{ role: "developer", content: "x" }, hello] },
  ],
  ["anthropic-request", "anthropic-messages", { model: "claude-x", max_tokens: 9, messages: [hello] }],
  ["anthropic-request", "anthropic-messages", { model: "m", system: "S", messages: [hello] }],
  [
    "anthropic-request",
    "anthropic-messages",
    { tools: [{ name: "f", input_schema: {} }], messages: [hello] },
  ],
  [
    "messages",
    "anthropic-messages",
    { messages: [{ role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] }] },
  ],
  ["messages", "openai-chat", { messages: [hello] }],
  ["messages", "openai-chat", [hello, { role: "assistant", content: "Hi" }]],
  ["messages", "ai-sdk", [{ role: "assistant", content: [{ type: "tool-call", toolCallId: "a" }] }]],
  [
    "messages",
    "openai-responses",
    [hello, { type: "function_call", call_id: "c", name: "f", arguments: "{}" }],
  ],
  ["responses-request", "openai-responses", { model: "gpt-x", instructions: "S", input: "Hello" }],
  ["responses-request", "openai-responses", { model: "gpt-x", input: [hello] }],
])("%s is read as %s", (source, dialect, value) => {
  expect(read(value)).toMatchObject({ source, dialect });
});

test("system, tools and model of a request come along; messages are the file's own", () => {
  const tools = [{ name: "f", input_schema: {} }];
  const log = read({ model: "claude-x", system: [{ type: "text", text: "S" }], tools, messages: [hello] });
  expect(log.system).toEqual([{ type: "text", text: "S" }]);
  expect(log.tools).toEqual(tools);
  expect(log.model).toBe("claude-x");
  expect(log.messages).toEqual([hello]);
});

test("`dialect` is stronger than the guess", () => {
  expect(read([hello], { dialect: "anthropic-messages" }).dialect).toBe("anthropic-messages");
});

test("a message per line, with empty lines, a byte order mark and Windows line ends", () => {
  const text = `\ufeff${JSON.stringify(hello)}\r\n\r\n${JSON.stringify({ role: "assistant", content: "Hi" })}\r\n`;
  expect(readLog(text).messages).toHaveLength(2);
});

test("a file with several conversations lists them until one is picked", () => {
  const chats = [
    { id: "tea", messages: [hello] },
    { id: "rice", messages: [hello, hello] },
  ];
  for (const text of [JSON.stringify(chats), chats.map((chat) => JSON.stringify(chat)).join("\n")]) {
    expect(readLogs(text)).toHaveLength(2);
    expect(() => readLog(text)).toThrow(
      /2 conversations \(1: .+ \(tea\), 1 message; 2: .+ \(rice\), 2 messages\).*--pick/,
    );
    expect(readLog(text, { pick: 2 }).id).toBe("rice");
    expect(() => readLog(text, { pick: 3 })).toThrow(/from 1 to 2/);
  }
});

test("a pretty-printed file reads like a dense one", () => {
  expect(readLog(`\ufeff\n${JSON.stringify({ messages: [hello] }, null, 2)}`).messages).toEqual([hello]);
});

test("a request of Gemini's API, and a bare list of its messages", () => {
  const contents = [
    { role: "user", parts: [{ text: "Hello" }] },
    { role: "model", parts: [{ text: "Hi" }] },
  ];
  const systemInstruction = { parts: [{ text: "Be brief." }] };
  expect(readLog(JSON.stringify({ contents, systemInstruction }))).toMatchObject({
    source: "gemini-request",
    dialect: "gemini-contents",
    messages: contents,
    system: systemInstruction,
  });
  expect(readLog(JSON.stringify(contents))).toMatchObject({ dialect: "gemini-contents", messages: contents });
});
