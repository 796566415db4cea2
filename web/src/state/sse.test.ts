import { expect, it } from "vitest";
import { readEvents } from "./sse.ts";

function bodyOf(pieces: readonly string[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
}

async function read(pieces: readonly string[]) {
  const events = [];
  for await (const event of readEvents(bodyOf(pieces))) events.push(event);
  return events;
}

it("reads the same events however the bytes are cut", async () => {
  const text = 'id: 7\ndata: {"a":1}\n\n: still here\n\ndata: one\ndata: two\n\n';
  const whole = await read([text]);
  expect(whole).toEqual([
    { id: "7", data: '{"a":1}' },
    { id: "7", data: "one\ntwo" },
  ]);
  expect(await read([...text])).toEqual(whole);
});

it("leaves out an event that was cut off", async () => {
  expect(await read(["data: whole\n\ndata: cut"])).toEqual([{ id: undefined, data: "whole" }]);
});
