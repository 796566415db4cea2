import { expect, test } from "vitest";
import { readLog } from "./create-log-reader.ts";

const info = (role: string, more: object = {}) => ({
  id: `msg_${role}`,
  role,
  time: { created: 1_000 },
  ...more,
});
const tool = (callID: string, state: object) => ({ type: "tool", callID, tool: "bash", state });

test("an export of opencode: calls and results as two messages, in the order in which the model saw them", () => {
  const log = readLog(
    JSON.stringify({
      info: { id: "ses_1", title: "Fix the build" },
      messages: [
        {
          info: info("user"),
          parts: [
            { type: "text", text: "Fix the build." },
            { type: "text", text: "shown only", ignored: true },
            { type: "file", mime: "image/png", url: "data:image/png;base64,AA==" },
          ],
        },
        {
          info: info("assistant", { modelID: "big-model" }),
          parts: [
            { type: "step-start" },
            { type: "reasoning", text: "hm" },
            { type: "text", text: "I look." },
            tool("c1", { status: "completed", input: { command: "make" }, output: "error: zephyr" }),
            tool("c2", { status: "error", input: { command: "ls" }, error: "no such folder" }),
            tool("c3", { status: "running", input: {} }),
            { type: "text", text: "It is zephyr." },
            { type: "step-finish" },
          ],
        },
        { info: info("assistant", { summary: true }), parts: [{ type: "text", text: "So far: …" }] },
      ],
    }),
  );
  const call = (id: string, command: string) => ({
    id,
    type: "function",
    function: { name: "bash", arguments: JSON.stringify({ command }) },
  });
  expect(log).toMatchObject({
    source: "opencode",
    dialect: "openai-chat",
    title: "Fix the build",
    model: "big-model",
  });
  expect(log.messages).toEqual([
    { role: "user", content: "Fix the build." },
    { role: "assistant", content: "I look.", tool_calls: [call("c1", "make"), call("c2", "ls")] },
    { role: "tool", tool_call_id: "c1", content: "error: zephyr" },
    { role: "tool", tool_call_id: "c2", content: "no such folder" },
    { role: "assistant", content: "It is zephyr." },
    { role: "assistant", content: "So far: …" },
  ]);
  expect(log.summaries).toEqual([5]);
  expect(log.warnings).toEqual(["left out 1 call without a result", "left out 1 attached file"]);
});
