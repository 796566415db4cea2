import { expect, it } from "vitest";
import type { Message } from "../../core/types.ts";
import { abridged } from "./abridge.ts";

const MEGABYTE = 1_000_000;
const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const call = (args: string): Message => ({
  role: "assistant",
  parts: [{ type: "tool-call", id: "c", name: "write", args }],
});
const textOf = ({ parts }: Message) => {
  const [part] = parts;
  return part?.type === "tool-call" ? part.args : part?.type === "text" ? part.text : "";
};

it("leaves a list without very long texts as it is", () => {
  const messages = [user("a".repeat(100_000)), call("{}")];
  expect(abridged(messages)).toBe(messages);
});

it("keeps beginning and end of a very long text, in whole lines, and the other messages as they are", () => {
  const lines = Array.from({ length: 200_000 }, (_, n) => `line ${n} of it`);
  const messages = [user(lines.join("\n")), user("And?")];
  const [long, short] = abridged(messages);
  const text = textOf(long!);
  expect(text.length).toBeLessThan(MEGABYTE / 2);
  const known = new Set(lines);
  expect(text.split("\n").filter((line) => line !== "" && !known.has(line))).toEqual([]);
  expect(text.startsWith("line 0 of it\n")).toBe(true);
  expect(text.endsWith("\nline 199999 of it")).toBe(true);
  expect(short).toBe(messages[1]);
  // Several readers of one list share what was found out about it.
  expect(abridged(messages)).toBe(abridged(messages));
});

it("very long arguments stay JSON with the same fields", () => {
  const [one] = abridged([call(JSON.stringify({ path: "a.txt", text: "😀".repeat(MEGABYTE) }))]);
  const args = JSON.parse(textOf(one!)) as { readonly path: string; readonly text: string };
  expect(args.path).toBe("a.txt");
  expect(args.text.length).toBeLessThan(MEGABYTE / 2);
  expect(args.text.isWellFormed()).toBe(true);
  expect(textOf(abridged([call("x".repeat(MEGABYTE))])[0]!).length).toBeLessThan(MEGABYTE / 2);
});

it("where all texts together are too much, the longest are abridged and the short ones stay", () => {
  const messages = [
    ...Array.from({ length: 100 }, (_, n) => user(`${n} ${"some words ".repeat(25_000)}`)),
    user("And?"),
  ];
  const list = abridged(messages);
  const chars = list.reduce((sum, message) => sum + textOf(message).length, 0);
  expect(chars).toBeGreaterThan(5 * MEGABYTE);
  expect(chars).toBeLessThanOrEqual(16 * MEGABYTE);
  expect(textOf(list[42]!).startsWith("42 some words")).toBe(true);
  expect(list.at(-1)).toBe(messages.at(-1));
});

it("millions of short lines are too much, however few characters they have", () => {
  const messages = Array.from({ length: 2_000 }, () => user("ab\n".repeat(1_000)));
  const lines = abridged(messages).reduce((sum, message) => sum + textOf(message).split("\n").length, 0);
  expect(lines).toBeLessThan(MEGABYTE);
  const few = messages.slice(0, 200);
  expect(abridged(few)).toBe(few);
});
