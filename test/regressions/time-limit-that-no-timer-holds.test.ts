import { describe, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { CompactorOptions, Model, Report } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";

const transcript = [...talk(80), chat.user("now?")];
const SUMMARY =
  "- #1 The user went through the modules one by one and asked what each of them does.\n" +
  "- #2 Each module exports one value, and the assistant called all of them simple.";

/** A model that answers after a while. */
const slow: Model = {
  id: "slow",
  window: 100_000,
  async complete() {
    await new Promise((resolve) => setTimeout(resolve, 30));
    return { text: SUMMARY, stop: "end", usage: { input: 10, output: 10 } };
  },
};

const make = (more: Partial<CompactorOptions<ChatMessage>>) =>
  createCompactor({ dialect: openaiChat, window: 12_000, summarizer: slow, ...more });

const resultsOf = ({ modelCalls }: Report) => [...new Set(modelCalls.map(({ result }) => result))];

describe.each([Number.POSITIVE_INFINITY, 30 * 24 * 3_600_000, 100_000 / 3])("%s milliseconds", (ms) => {
  it("are a deadline for summaries", async () => {
    const { report } = await make({ summary: { deadlineMs: ms } }).compact(transcript);
    expect(resultsOf(report)).toEqual(["accepted"]);
  });

  it("are a wait for a summary", async () => {
    const { report } = await make({ waitMs: ms }).fit(transcript);
    expect(resultsOf(report)).toEqual(["accepted"]);
    const byHand = await make({}).compact(transcript, { waitMs: ms });
    expect(resultsOf(byHand.report)).toEqual(["accepted"]);
  });
});

describe("a model whose `findWindow`", () => {
  it.each<[string, () => Promise<number>]>([
    ["never answers", () => new Promise<number>(() => {})],
    [
      "throws",
      () => {
        throw new Error("no such route");
      },
    ],
    ["gives no promise", () => 50_000 as unknown as Promise<number>],
  ])("%s is asked for summaries all the same", async (_, findWindow) => {
    const { window: _window, ...rest } = slow;
    const compactor = make({ summarizer: { ...rest, findWindow } });
    const { report } = await compactor.compact(transcript);
    expect(resultsOf(report)).toContain("accepted");
  });
});

it("who gives up waiting for `prepare` is let go at once, and nothing goes on for nobody", async () => {
  const events: string[] = [];
  const controller = new AbortController();
  const reason = new Error("the user is back");
  const complete = () => {
    setImmediate(() => controller.abort(reason));
    return new Promise<never>(() => {});
  };
  const compactor = make({ summarizer: { id: "hangs", complete } });
  compactor.on("started", () => events.push("started"));
  compactor.on("cancelled", () => events.push("cancelled"));
  await expect(compactor.prepare(transcript, { signal: controller.signal })).rejects.toBe(reason);
  await compactor.settled();
  expect(events).toEqual(["started", "cancelled"]);
});
