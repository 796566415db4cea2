import { expect, test } from "vitest";
import { readLog } from "./create-log-reader.ts";

const record = (type: string, payload: unknown) =>
  JSON.stringify({ timestamp: "2026-04-02T08:00:00.000Z", type, payload });

test("response items pass as they are; instructions, model and compactions are read", () => {
  const call = { type: "function_call", name: "shell", arguments: '{"cmd":"ls"}', call_id: "c1" };
  const output = { type: "function_call_output", call_id: "c1", output: "a.txt" };
  const words = { type: "message", role: "user", content: [{ type: "input_text", text: "List the files" }] };
  const log = readLog(
    [
      record("session_meta", { id: "s-7", base_instructions: { text: "Be brief." } }),
      record("turn_context", { model: "gpt-x" }),
      record("response_item", words),
      record("event_msg", { type: "user_message", message: "List the files" }),
      record("response_item", call),
      record("response_item", output),
      record("compacted", { message: "", replacement_history: [] }),
      record("response_item", { type: "ghost_snapshot" }),
      record("response_item", { type: "reasoning", summary: [] }),
    ].join("\n"),
  );
  expect(log).toMatchObject({
    source: "codex",
    dialect: "openai-responses",
    system: "Be brief.",
    model: "gpt-x",
    id: "s-7",
    compactions: [3],
    warnings: ["left out 1 item of type ghost_snapshot"],
  });
  expect(log.messages).toEqual([words, call, output, { type: "reasoning", summary: [] }]);
});
