import { expect, test } from "vitest";
import { chatWire } from "../wires/chat/chat-wire.ts";
import { messagesWire } from "../wires/messages/messages-wire.ts";
import { responsesWire } from "../wires/responses/responses-wire.ts";
import { readHead, writeHead } from "./stored-head.ts";

const lead = [{ role: "developer", content: "Speak French." }];
const parts = [{ type: "text", text: "Be kind." }];

test.each([
  [chatWire, { system: undefined, lead }],
  [responsesWire, { system: undefined, lead }],
  [responsesWire, { system: "Be kind.", lead }],
  [responsesWire, { system: "Be kind.", lead: [] }],
  [messagesWire, { system: parts, lead: [] }],
  [messagesWire, { system: "Be kind.", lead: [] }],
])("%#: a head comes back as it was", ({ dialect }, head) => {
  expect(readHead(dialect, writeHead(dialect, head))).toEqual(head);
});

test("none is none", () => {
  for (const { dialect } of [chatWire, responsesWire, messagesWire]) {
    for (const system of [undefined, null, []])
      expect(writeHead(dialect, { system, lead: [] })).toBeUndefined();
    expect(readHead(dialect, undefined)).toEqual({ system: undefined, lead: [] });
  }
});
