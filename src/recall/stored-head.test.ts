import { expect, test } from "vitest";
import { anthropicMessages, openaiChat, openaiResponses } from "../apis/index.ts";
import { readHead, writeHead } from "./conversation-index.ts";

const lead = [{ role: "developer", content: "Speak French." }];
const parts = [{ type: "text", text: "Be kind." }];

test.each([
  [openaiChat, { system: undefined, lead }],
  [openaiResponses, { system: undefined, lead }],
  [openaiResponses, { system: "Be kind.", lead }],
  [openaiResponses, { system: "Be kind.", lead: [] }],
  [anthropicMessages, { system: parts, lead: [] }],
  [anthropicMessages, { system: "Be kind.", lead: [] }],
])("%#: a head comes back as it was", (dialect, head) => {
  expect(readHead(dialect, writeHead(dialect, head))).toEqual(head);
});

test("none is none", () => {
  for (const dialect of [openaiChat, openaiResponses, anthropicMessages]) {
    for (const system of [undefined, null, []])
      expect(writeHead(dialect, { system, lead: [] })).toBeUndefined();
    expect(readHead(dialect, undefined)).toEqual({ system: undefined, lead: [] });
  }
});
