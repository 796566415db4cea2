import { expect, test } from "vitest";
import { cpuOf } from "../../test/support/growth.ts";
import type { Message, Part } from "../core/types.ts";
import { charsCounter } from "./chars-counter.ts";
import { createMeasure, MESSAGE_TOKENS } from "./create-measure.ts";
import { exactCounter } from "./exact-counter.ts";

const counter = await exactCounter("o200k_base");
const measure = createMeasure({ counter });
const EMPTY = measure.message({ role: "user", parts: [] });
const cost = (part: Part, m = measure): number => m.message({ role: "user", parts: [part] }) - EMPTY;
/** Megabytes of base64: if its length counted, the cost would show it. */
const BASE64 = "iVBORw0KGgo".repeat(100_000);

test("a message costs its overhead, its role and its text", () => {
  expect(EMPTY).toBe(MESSAGE_TOKENS + 1);
  expect(measure.message({ role: "user", parts: [{ type: "text", text: "Hello, world!" }] })).toBe(8);
});

test("a tool call counts its name, its arguments and what surrounds them", () => {
  const args = '{"path":"src/index.ts"}';
  const call = cost({ type: "tool-call", id: "call_1", name: "read_file", args });
  expect(call).toBeGreaterThan(counter.count("read_file") + counter.count(args));
  expect(call).toBeLessThan(counter.count("read_file") + counter.count(args) + 15);
});

test("a tool result counts its text and the pictures in it", () => {
  const bare = cost({ type: "tool-result", id: "c", text: "ok" });
  expect(bare).toBeGreaterThan(1);
  const image = { type: "image", width: 512, height: 512, source: BASE64 } as const;
  expect(cost({ type: "tool-result", id: "c", text: "ok", media: [image] })).toBe(bare + cost(image));
});

test("reasoning and unknown parts count by their text", () => {
  expect(cost({ type: "reasoning", text: "Let me see.", signed: true })).toBe(counter.count("Let me see."));
  expect(cost({ type: "other", kind: "x", json: '{"a":1}' })).toBe(counter.count('{"a":1}'));
});

test("pictures, files and frames never cost by the length of their base64", () => {
  expect(cost({ type: "image", source: BASE64 })).toBeLessThan(3_000);
  expect(cost({ type: "file", source: BASE64 })).toBeLessThan(3_000);
  expect(cost({ type: "frame", count: 1, source: BASE64 })).toBeLessThan(1_000);
});

test("a file with text counts by its text, one without by its size", () => {
  expect(cost({ type: "file", text: "Hello, world!", bytes: 1e9, source: "f" })).toBe(4);
  const pdf = (bytes: number): number =>
    cost({ type: "file", mediaType: "application/pdf", bytes, source: "f" });
  expect(pdf(1_000_000)).toBe(10 * pdf(100_000));
});

test("frames cost by number, with separators between them", () => {
  const frames = createMeasure({ counter, frames: { tokensPerFrame: 10, separator: 1 } });
  expect(cost({ type: "frame", count: 5, source: "v" }, frames)).toBe(5 * 10 + 4);
  expect(cost({ type: "frame", count: 0, source: "v" }, frames)).toBe(0);
});

test("the factor scales text per message and leaves formulas alone", () => {
  const scaled = createMeasure({ counter, factor: 1.3 });
  const text: Message = { role: "user", parts: [{ type: "text", text: "one two three four five six" }] };
  expect(scaled.message(text)).toBe(Math.ceil(measure.message(text) * 1.3));
  const image: Part = { type: "image", width: 512, height: 512, source: "i" };
  const withImage: Message = { role: "user", parts: [...text.parts, image] };
  expect(scaled.message(withImage) - scaled.message(text)).toBe(cost(image));
  expect(scaled.text("Hello, world!")).toBe(Math.ceil(4 * 1.3));
});

test("a factor that can't be right is refused with the fix", () => {
  for (const factor of [0, -1, Number.NaN, 100])
    expect(() => createMeasure({ counter, factor })).toThrow(/factor.*Use the provider's tokens/);
});

test("tools count by their JSON; none cost nothing", () => {
  expect(measure.tools(undefined)).toBe(0);
  expect(measure.tools(null)).toBe(0);
  expect(measure.tools([])).toBe(0);
  expect(measure.tools({})).toBe(0);
  const tools = [{ type: "function", function: { name: "ls", parameters: { type: "object" } } }];
  expect(measure.tools(tools)).toBe(counter.count(JSON.stringify(tools)));
});

test("tools that a host changes in place are counted anew", () => {
  const tools = [{ name: "ls" }];
  const before = measure.tools(tools);
  tools.push({ name: "cat" });
  expect(measure.tools(tools)).toBeGreaterThan(before);
});

test("tools that refer to themselves don't throw", () => {
  const schema: Record<string, unknown> = { type: "object" };
  schema.self = schema;
  expect(measure.tools({ ls: { schema, execute: () => 1, limit: 1n } })).toBeGreaterThan(5);
});

test("a transcript that was seen before is counted without encoding it again", () => {
  const transcript: Message[] = Array.from({ length: 400 }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    parts: [{ type: "text", text: `message ${i}: ${"lorem ipsum dolor sit amet ".repeat(90)}` }],
  }));
  const sum = (): number => transcript.reduce((total, message) => total + measure.message(message), 0);
  const encoding = cpuOf(sum);
  expect(Math.min(cpuOf(sum), cpuOf(sum), cpuOf(sum))).toBeLessThan(encoding / 4);
});

test("works with a counter that knows no tokens", () => {
  const rough = createMeasure({ counter: charsCounter() });
  expect(rough.text("12345678")).toBe(2);
  expect(rough.counter.id).toBe("chars/4");
});
