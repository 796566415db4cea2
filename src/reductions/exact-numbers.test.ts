import { expect, test } from "vitest";
import { keepAll } from "../core/draft.ts";
import { structureOf } from "../core/rounds.ts";
import type { Measure, Message } from "../core/types.ts";
import { sourcesOf } from "./old-retrieval.ts";
import type { ReductionInput } from "./reduction.ts";
import { supersededResults } from "./superseded-results.ts";

const measure = { text: (text: string) => Math.ceil(text.length / 4) } as Measure;

function superseded(...args: string[]): number {
  const messages = args.flatMap((one, n): Message[] => [
    { role: "assistant", parts: [{ type: "tool-call", id: `c${n}`, name: "order", args: one }] },
    { role: "tool", parts: [{ type: "tool-result", id: `c${n}`, text: `Order ${n}. `.repeat(100) }] },
  ]);
  const input = { messages, structure: structureOf(messages), reducible: () => true, measure };
  const { fates } = supersededResults.apply(keepAll(messages.length), input as unknown as ReductionInput);
  return fates.filter(({ type }) => type === "edit").length;
}

test("calls with other ids are other calls, also where a double can't tell them apart", () => {
  expect(superseded('{"id":1234567890123456789}', '{"id":1234567890123456788}')).toBe(0);
  expect(
    superseded('{"id":1234567890123456789,"all":true}', '{"all": true, "id": 1234567890123456789}'),
  ).toBe(1);
});

test("sources of old passages keep the numbers that name them", () => {
  const text = "words of a passage ".repeat(20);
  expect(sourcesOf(`{"found":[{"id":1234567890123456789,"rank":2,"text":"${text}"}]}`)).toContain(
    '"sources":[{"id":1234567890123456789,"rank":2}]',
  );
});
