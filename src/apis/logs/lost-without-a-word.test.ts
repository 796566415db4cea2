/** What can't be read of a log is named with its place, and the rest is read. */
import { expect, it } from "vitest";
import { readMessages } from "../../core/message-text.ts";
import { dialectById } from "../dialect-by-id.ts";
import { readyLog } from "../ready-log.ts";
import { readLogs } from "./index.ts";

const lines = (...values: readonly unknown[]): string => values.map((one) => JSON.stringify(one)).join("\n");
const item = (payload: unknown) => ({ type: "response_item", payload });
const asked = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const pi = (message: unknown) => ({ type: "message", message });
const event = (content: unknown) => ({ source: "user", action: "message", args: { content } });
const entry = (...parts: readonly unknown[]) => ({ info: { role: "user" }, parts });
const words = (text: unknown) => ({ type: "text", text });
const ui = (...parts: readonly unknown[]) => ({ role: "user", parts });

const ONE_LINE = "left out what can't be read of the message on line";
const ONE_MESSAGE = "left out what can't be read of message";

it.each<[name: string, text: string, warnings: readonly string[]]>([
  [
    "Codex: an item without a type",
    lines(item(asked("One.")), item(null), item({}), item(asked("Two."))),
    ["left out what can't be read of the messages on lines 2, 3"],
  ],
  [
    "Codex: a message whose content is none",
    lines(item(asked("One.")), item({ ...asked(""), content: 5 }), item(asked("Two."))),
    [`${ONE_LINE} 2`],
  ],
  [
    "Codex: one part that is none",
    lines(item(asked("One.")), item({ ...asked(""), content: [null, { type: "input_text", text: "Two." }] })),
    [`${ONE_LINE} 2`],
  ],
  [
    "Codex: a call without an id",
    lines(item(asked("One.")), item({ type: "function_call", name: "x" }), item(asked("Two."))),
    [`${ONE_LINE} 2`],
  ],
  [
    "a line that is no record",
    lines(item(asked("One.")), null, 5, item(asked("Two."))),
    ["left out lines 2, 3: no record stands there"],
  ],
  [
    "pi: a message without a role, and one without content",
    lines(
      pi({ role: "user", content: "One." }),
      pi({ content: "lost" }),
      pi({ role: "user", content: 5 }),
      pi({ role: "user", content: "Two." }),
    ),
    ["left out what can't be read of the messages on lines 2, 3"],
  ],
  [
    "pi: one part of an answer",
    lines(pi({ role: "user", content: "One." }), pi({ role: "assistant", content: [null, words("Two.")] })),
    [`${ONE_LINE} 2`],
  ],
  [
    "OpenHands: a line that isn't a valid event, and words that are none",
    lines(event("One."), { id: 7 }, event({ deep: 1 }), event("Two.")),
    ["left out what can't be read of the messages on lines 2, 3"],
  ],
  [
    "OpenHands: an event of a result file",
    JSON.stringify({ history: [event("One."), { id: 7 }, event("Two.")] }),
    [`${ONE_MESSAGE} 2`],
  ],
  [
    "opencode: a message and a part",
    JSON.stringify({
      info: { id: "s" },
      messages: [entry(words("One.")), null, entry(null, words("Two.")), entry(words("Three."))],
    }),
    ["left out what can't be read of messages 2, 3"],
  ],
  [
    "ShareGPT: a turn without words",
    JSON.stringify({
      conversations: [
        { from: "human", value: "One." },
        { from: "gpt", value: null },
        { from: "human", value: "Two." },
      ],
    }),
    [`${ONE_MESSAGE} 2`],
  ],
  [
    "SWE-agent: a message with content of another kind",
    JSON.stringify({
      trajectory: [],
      history: [
        { role: "user", content: "One." },
        { role: "user", content: 5 },
        { role: "user", content: "Two." },
      ],
    }),
    [`${ONE_MESSAGE} 2`],
  ],
  [
    "an interface of the AI SDK: a message, a part, and a call that was being written",
    JSON.stringify({
      messages: [
        ui(words("One.")),
        null,
        ui(null, words("Two.")),
        { role: "assistant", parts: [{ type: "tool-read", toolCallId: "c", state: "input-streaming" }] },
        ui(words("Three.")),
      ],
    }),
    ["left out 1 call that was still being written", "left out what can't be read of messages 2, 3"],
  ],
  [
    "ChatGPT: an image",
    JSON.stringify({
      current_node: "b",
      mapping: {
        a: { message: { author: { role: "user" }, content: { parts: ["One.", { asset_pointer: "f" }] } } },
        b: { parent: "a", message: { author: { role: "assistant" }, content: { parts: ["Two."] } } },
      },
    }),
    ["left out 1 part without a text, such as an image"],
  ],
])("%s", (_, text, warnings) => {
  const [log] = readLogs(text, {});
  const ready = readyLog(log!);
  expect(ready.warnings).toEqual(warnings);
  const said = JSON.stringify(readMessages(dialectById(ready.dialect), ready.messages));
  expect(said).toContain("One.");
  expect(said).toContain("Two.");
});
