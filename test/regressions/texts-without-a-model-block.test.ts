import { describe, expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import type { Message } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { createTranscriptReader } from "../../src/engine/read/transcript-reader.ts";
import { sourcesOf } from "../../src/reductions/old-retrieval.ts";
import { chat } from "../../src/testing/index.ts";
import { patientCounter } from "../../src/tokens/exact-counter.ts";
import { createMeasure } from "../../src/tokens/index.ts";
import { talk } from "../support/host.ts";

const long = [...talk(1_500), chat.user("And now?")];
const compactor = createCompactor<object>({ dialect: openaiChat, window: 128_000 });

const calls = [
  ["summarize", (signal?: AbortSignal) => compactor.summarize(long, { ...(signal && { signal }) })],
  [
    "summarize as a record",
    (signal?: AbortSignal) => compactor.summarize(long, { form: "record", ...(signal && { signal }) }),
  ],
  [
    "handover",
    (signal?: AbortSignal) => compactor.handover(long, { goal: "Go on", ...(signal && { signal }) }),
  ],
] as const;

describe.each(calls)("%s without a model", (_name, call) => {
  it("lets others have their turn while it works", async () => {
    // The transcript is read and counted: what follows is the text alone.
    await compactor.pressure(long);
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await call();
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
  });

  it("hears its signal while it works", async () => {
    await compactor.pressure(long);
    const leaving = new AbortController();
    // Two turns from now: the survey of a transcript that is known takes none.
    setTimeout(() => setTimeout(() => leaving.abort(), 0), 0);
    await expect(call(leaving.signal)).rejects.toThrow("aborted");
  });
});

const said = (role: Message["role"], text: string): Message => ({ role, parts: [{ type: "text", text }] });
const CHARS = 3_000_000;
const line = "We decided to keep the cache because it is fast. ".repeat(CHARS / 50);

describe("a line of 3 MB", () => {
  it("is counted with pauses", async () => {
    const counter = await patientCounter("o200k_base");
    const measure = createMeasure({ counter });
    const pausesIn = async (message: Message, start: number): Promise<number> => {
      let pauses = 0;
      const reader = createTranscriptReader();
      await reader.read([message], start, measure, async () => void pauses++);
      return pauses;
    };
    expect(await pausesIn(said("user", `${line}.`), 0)).toBeGreaterThan(CHARS / 65_536);
    expect(await pausesIn(said("system", `${line}!`), 1)).toBeGreaterThan(CHARS / 65_536);
  });

  it("isn't parsed as a list of passages", () => {
    const passage = { id: 1, text: "word ".repeat(50) };
    expect(sourcesOf(JSON.stringify([passage]))).toBeDefined();
    expect(sourcesOf(JSON.stringify(Array.from({ length: CHARS / 250 }, () => passage)))).toBeUndefined();
  });
});
