import { readFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { readRecordings } from "../src/stream/recording.ts";

const here = import.meta.dirname;
const file = (name: string) => readFileSync(join(here, name), "utf8");

interface ChatMessage {
  readonly role: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}

interface RetrievalMessage {
  readonly content:
    | string
    | readonly (
        | { readonly type: "text"; readonly text: string }
        | { readonly type: "tool_result"; readonly content: string }
        | { readonly type: "tool_use" }
      )[];
}

test("every call of the coding session is answered, in order, right after it", () => {
  const session: ChatMessage[] = file("coding-session.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const [i, message] of session.entries()) {
    if (message.role !== "assistant" || !message.tool_calls) continue;
    const results = session.slice(i + 1, i + 1 + message.tool_calls.length);
    expect(results.map((result) => result.role === "tool" && result.tool_call_id)).toEqual(
      message.tool_calls.map((call) => call.id),
    );
  }
  const results = session.filter((message) => message.role === "tool");
  const calls = session.flatMap((message) => (message.role === "assistant" && message.tool_calls) || []);
  expect(results.length).toBe(calls.length);
  expect(new Set(calls.map((call) => call.id)).size).toBe(calls.length);
});

test("every citation of the retrieval chat was found before", () => {
  const found = new Set<number>();
  let cited = 0;
  const { messages }: { messages: RetrievalMessage[] } = JSON.parse(file("retrieval-chat.json"));
  for (const { content } of messages) {
    for (const part of typeof content === "string" ? [{ type: "text" as const, text: content }] : content) {
      if (part.type === "tool_result") {
        const { results = [] } = JSON.parse(part.content) as { results?: { n: number }[] };
        for (const { n } of results) found.add(n);
      } else if (part.type === "text") {
        for (const [, numbers = ""] of part.text.matchAll(/\[(\d+(?:, \d+)*)\]/g)) {
          for (const n of numbers.split(", ").map(Number)) {
            expect(found).toContain(n);
            cited += 1;
          }
        }
      }
    }
  }
  expect(cited).toBeGreaterThan(100);
});

test("both are long enough to need compacting in a small window", () => {
  expect(countTokens(file("coding-session.jsonl"))).toBeGreaterThan(60_000);
  expect(countTokens(file("retrieval-chat.json"))).toBeGreaterThan(30_000);
});

test("the recorded stream has every frame once, in order, and time goes on", () => {
  const [recording] = readRecordings(file("bicycle-repair.jsonl").split("\n"));
  const frames = recording!.events.reduce(
    (sum, event) => sum + (event.type === "frames" ? event.count! : 0),
    0,
  );
  expect(frames).toBe(4_500);
  const times = recording!.events.map((event) => event.time ?? 0);
  expect(times).toEqual([...times].sort((a, b) => a - b));
});
