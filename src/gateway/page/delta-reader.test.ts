import { expect, test } from "vitest";
import type { ChatEvent } from "../api.ts";
import { wireOfDialect } from "../wires/index.ts";
import { createDeltaReader } from "./answer-chat.ts";

/** What the page is told of a stream that comes in these pieces. */
function toldOf(pieces: readonly string[]): ChatEvent[] {
  const told: ChatEvent[] = [];
  const reader = createDeltaReader(wireOfDialect(undefined), (event) => told.push(event), 1_000_000);
  for (const piece of pieces) reader.push(Buffer.from(piece));
  expect(reader.read().text).toBe(pieces.join(""));
  return told;
}

const delta = (content: string) => JSON.stringify({ choices: [{ index: 0, delta: { content } }] });

test("words are shown however the stream is cut and whichever line ends it has", () => {
  const stream = `data: ${delta("Good ")}\r\n\r\n: ping\r\n\r\ndata:${delta("day")}\n\ndata: [DONE]\n\n`;
  const told = [
    { type: "text", text: "Good " },
    { type: "text", text: "day" },
  ];
  expect(toldOf([stream])).toEqual(told);
  expect(toldOf([...stream])).toEqual(told);
});

test("an event whose JSON is written on several lines is one event", () => {
  const lines = delta("Hello").replace('"delta"', '\n"delta"').split("\n");
  expect(toldOf([`${lines.map((line) => `data: ${line}`).join("\n")}\n\n`])).toEqual([
    { type: "text", text: "Hello" },
  ]);
});
