import { describe, expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import type { Model } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";

const transcript = [...talk(40), chat.user("now?")];
const answering = (text: string): Model => ({
  id: "answering",
  window: 100_000,
  complete: async () => ({ text, stop: "end", usage: { input: Number.NaN, output: -1 } }),
});
const GOOD = answering("- The user went through the modules one by one, and each of them exports one value.");
const EMPTY = answering("");
/** Never answers, and says when it is asked. */
const hangs = (asked: () => void): Model => ({
  id: "hangs",
  complete() {
    setImmediate(asked);
    return new Promise(() => {});
  },
});

function listened(summarizer: Model) {
  const events: string[] = [];
  const compactor = createCompactor({ dialect: openaiChat, window: 32_000, summarizer });
  for (const name of ["started", "completed", "failed", "cancelled"] as const)
    compactor.on(name, () => events.push(name));
  return { compactor, events };
}

describe.each(["summarize", "handover"] as const)("%s", (method) => {
  const input = method === "handover" ? { goal: "Go on." } : {};

  it.each([
    ["answers", GOOD, "completed"],
    ["fails", EMPTY, "failed"],
  ])("a model that %s: what is started has one end", async (_, model, end) => {
    const { compactor, events } = listened(model);
    const { report } = await compactor[method](transcript, input as never);
    expect(events).toEqual(["started", end]);
    for (const { usage } of report.modelCalls) expect(usage).toBeUndefined();
  });

  it("a model that is cancelled: what is started has one end", async () => {
    const reason = new Error("enough");
    const controller = new AbortController();
    const { compactor, events } = listened(hangs(() => controller.abort(reason)));
    const call = compactor[method](transcript, { ...input, signal: controller.signal } as never);
    await expect(call).rejects.toBe(reason);
    expect(events).toEqual(["started", "cancelled"]);
  });
});

it("an asynchronous listener that fails disturbs nobody", async () => {
  const unhandled: unknown[] = [];
  const hear = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", hear);
  try {
    const compactor = createCompactor({ dialect: openaiChat, budget: 1_000 });
    compactor.on("completed", async () => {
      throw new Error("the database of the host is gone");
    });
    const { report } = await compactor.fit(transcript);
    expect(report.outcome).toBe("compacted");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", hear);
  }
});
