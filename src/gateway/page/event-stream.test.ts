import { expect, test } from "vitest";
import { eventStream } from "./event-stream.ts";

const EVENT = "x".repeat(1024 * 1024);
const forGood = new AbortController().signal;

test("a client that opens a stream and never reads it is cut off instead of filling the memory with events", async () => {
  const { body } = eventStream<string>(forGood, async (send) => {
    for (let n = 0; n < 40; n++) send(EVENT);
  });
  // What waited for it is let go of.
  await expect(body!.getReader().read()).rejects.toThrow("precis: a client that reads no events was cut off");
});

test("one that reads gets everything, however much there is", async () => {
  let sendOne: (event: string) => void = () => {};
  let end: () => void = () => {};
  const { body } = eventStream<string>(forGood, (send) => {
    sendOne = send;
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  const reader = body!.getReader();
  for (let n = 1; n <= 40; n++) {
    sendOne(EVENT);
    const { value } = await reader.read();
    expect(value).toHaveLength(`id: ${n}\ndata: "${EVENT}"\n\n`.length);
  }
  end();
  expect((await reader.read()).done).toBe(true);
});
