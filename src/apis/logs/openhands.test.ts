import { expect, test } from "vitest";
import { readLog } from "./create-log-reader.ts";

const answer = (id: string, calls: unknown[]) => ({
  id,
  model: "some-model",
  choices: [{ message: { content: "Looking.", tool_calls: calls } }],
});
const call = (id: string) => ({ id, type: "function", function: { name: "run", arguments: "{}" } });
const response = answer("r1", [call("c1"), call("c2")]);
const events = [
  { id: 0, source: "agent", action: "system", args: { content: "You help.", tools: [{ type: "function" }] } },
  { id: 1, source: "user", action: "message", args: { content: "Fix it" } },
  { id: 2, source: "user", action: "recall", args: {} },
  {
    id: 3,
    source: "agent",
    action: "run",
    tool_call_metadata: { tool_call_id: "c1", model_response: response },
  },
  { id: 4, source: "agent", observation: "run", content: "ok 1", tool_call_metadata: { tool_call_id: "c1" } },
  {
    id: 5,
    source: "agent",
    action: "run",
    tool_call_metadata: { tool_call_id: "c2", model_response: response },
  },
  { id: 6, source: "agent", observation: "run", content: "ok 2", tool_call_metadata: { tool_call_id: "c2" } },
];
const expected = [
  { role: "system", content: "You help." },
  { role: "user", content: "Fix it" },
  { role: "assistant", content: "Looking.", tool_calls: [call("c1"), call("c2")] },
  { role: "tool", tool_call_id: "c1", content: "ok 1" },
  { role: "tool", tool_call_id: "c2", content: "ok 2" },
];

test("an answer with two calls is one message", () => {
  const log = readLog(JSON.stringify({ instance_id: "i-1", history: events }));
  expect(log).toMatchObject({
    source: "openhands",
    dialect: "openai-chat",
    id: "i-1",
    model: "some-model",
  });
  expect(log.messages).toEqual(expected);
  expect(log.warnings).toEqual(["left out 1 event that isn't a message"]);
});

test("one event per line reads the same", () => {
  const log = readLog(events.map((event) => JSON.stringify(event)).join("\n"));
  expect(log.messages).toEqual(expected);
});
