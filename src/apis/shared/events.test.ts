import { expect, test, vi } from "vitest";
import { readEvents } from "./events.ts";

test("events are read in order, and what isn't JSON is left out", () => {
  const text = 'event: a\r\ndata: {"n":1}\r\n\r\n: ping\n\ndata:{"n":2}\n\ndata: [DONE]\n\n';
  expect(readEvents(text)).toEqual([{ n: 1 }, { n: 2 }]);
});

test("a broken event costs only itself", () => {
  expect(readEvents('data: {"n":1}\n\ndata: {"n":\n\ndata: {"n":3}\n\n')).toEqual([{ n: 1 }, { n: 3 }]);
  // Two halves that only look whole when they are put together are no event.
  expect(readEvents('data: {"a":1},{"b":2}\n\ndata: {"n":3}\n\n')).toEqual([{ n: 3 }]);
});

test("words that look like events, and an end that is missing, change nothing", () => {
  const plain = [{ n: 1, text: "a\n\ndata: {}" }, { n: 2 }].map(
    (event) => `data: ${JSON.stringify(event)}\n\n`,
  );
  const read = [{ n: 1, text: "a\n\ndata: {}" }, { n: 2 }];
  expect(readEvents(plain.join(""))).toEqual(read);
  expect(readEvents(`${plain.join("")}data: [DONE]\n\n`)).toEqual(read);
  expect(readEvents(`${plain.join("")}data: {"n"`)).toEqual(read);
  expect(readEvents(`${plain[0]}: ping\n\n${plain[1]}`)).toEqual(read);
});

test("an event may stand on several lines, and several events without an empty line between them", () => {
  const pretty = JSON.stringify({ n: 1, list: [{ a: "b" }] }, null, 2).replaceAll(/^/gm, "data: ");
  const read = [{ n: 1, list: [{ a: "b" }] }, { n: 2 }, { n: 3 }];
  const text = `event: x\n${pretty}\n\ndata: {"n":2}\ndata: {"n":3}\n\ndata: [DONE]\n\n`;
  expect(readEvents(text)).toEqual(read);
  expect(readEvents(text.replaceAll("\n", "\r\n"))).toEqual(read);
});

test.each(["data: {\n", "data: {\n\n", "data: \n"])("any number of %j isn't tried one by one", (broken) => {
  const parse = vi.spyOn(JSON, "parse");
  try {
    expect(readEvents(`data: {"n":1}\n\n${broken.repeat(20_000)}`)).toEqual([{ n: 1 }]);
    expect(parse.mock.calls.length).toBeLessThan(2_000);
  } finally {
    parse.mockRestore();
  }
});
