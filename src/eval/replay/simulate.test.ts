import { expect, test } from "vitest";
import { openaiChat, openaiResponses } from "../../apis/index.ts";
import type { TranscriptLog } from "../../apis/logs/index.ts";
import type { FitInput } from "../../core/types.ts";
import { createCompactor } from "../../engine/create-compactor.ts";
import { charsCounter, createMeasure } from "../../tokens/index.ts";
import { simulate } from "./simulate.ts";

const counter = charsCounter();
const measure = createMeasure({ counter });
const MINUTE = 60_000;

function chat(turns: number): TranscriptLog {
  const messages = Array.from({ length: turns }, (_, turn) => [
    { role: "user", content: `Question ${turn}: ${"what about the cellar door? ".repeat(12)}` },
    { role: "assistant", content: `Answer ${turn}: ${"it opens to the north. ".repeat(12)}` },
  ]).flat();
  return {
    source: "messages",
    dialect: "openai-chat",
    messages,
    times: messages.map((_, index) => index * MINUTE),
    warnings: [],
  };
}

test("one request before every answer; the prefix is unchanged except at a compaction", async () => {
  const log = chat(60);
  const compactor = createCompactor({ dialect: openaiChat, budget: 3_000, counter });
  const seen: (FitInput<unknown> | undefined)[] = [];
  const replay = await simulate({
    messages: log.messages,
    times: log.times!,
    dialect: openaiChat as never,
    measure,
    compactor: {
      fit(transcript, input) {
        seen.push(input as FitInput<unknown> | undefined);
        return compactor.fit(transcript as never[], input as never) as never;
      },
    },
  });
  expect(replay.requests).toHaveLength(60);
  expect(replay.requests.map((request) => request.at)).toEqual(
    Array.from({ length: 60 }, (_, turn) => 2 * turn + 1),
  );
  expect(replay.compactions.length).toBeGreaterThan(1);
  for (const [index, request] of replay.requests.entries()) {
    expect(request.tokens).toBeLessThanOrEqual(3_000);
    if (index === 0) expect(request.unchanged).toBe(0);
    else if (request.compaction !== undefined) expect(request.unchanged).toBeLessThan(request.tokens / 2);
    else expect(request.unchanged / replay.requests[index - 1]!.tokens).toBeCloseTo(1, 1);
  }
  expect(replay.compactions[0]?.written[0]).toContain("<conversation-summary>");
  expect(seen[1]).toMatchObject({ now: 3 * MINUTE, lastRequestAt: MINUTE });
  expect(seen[1]?.state).toBeDefined();
});

test("an answer in the Responses format is several items and one request", async () => {
  const messages = [
    { role: "user", content: "List" },
    { type: "reasoning", id: "r", summary: [] },
    { type: "function_call", call_id: "c", name: "ls", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: "a b" },
    { role: "assistant", content: "Two files." },
  ];
  const compactor = createCompactor<unknown>({ dialect: openaiResponses as never, budget: 3_000, counter });
  const replay = await simulate({ messages, dialect: openaiResponses as never, measure, compactor });
  expect(replay.requests.map((request) => request.at)).toEqual([1, 4]);
  expect(replay.requests[0]?.usage.output).toBeGreaterThan(0);
});

test("an abort stops it", async () => {
  const controller = new AbortController();
  const compactor = createCompactor<unknown>({ dialect: openaiChat as never, budget: 3_000, counter });
  const onProgress = (done: number) => done === 3 && controller.abort(new Error("enough"));
  const run = simulate({
    messages: chat(60).messages,
    dialect: openaiChat as never,
    measure,
    compactor,
    signal: controller.signal,
    onProgress,
  });
  await expect(run).rejects.toThrow("enough");
});
