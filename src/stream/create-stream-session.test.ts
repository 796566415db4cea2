import { describe, expect, it } from "vitest";
import { ConfigError } from "../core/errors.ts";
import type { TokenCounter } from "../core/types.ts";
import { countingCache } from "./caches/counting-cache.ts";
import { createStreamSession } from "./create-stream-session.ts";
import type { StreamOptions } from "./settings.ts";
import { streamStrategies } from "./settings.ts";
import type { CacheEntry, GenerateRequest, StreamStrategyName } from "./types.ts";

/** One token per word: counts can be checked by reading. */
const words: TokenCounter = { id: "words", count: (text) => text.split(/\s+/).filter(Boolean).length };

type Answer = (contents: readonly CacheEntry[], request: GenerateRequest) => string | undefined;
const SUMMARY =
  "The goal is a new bike chain. The old chain is off and the cassette is clean. Nothing else was asked. The new chain is being cut to length.";
const asSummarizer: Answer = (_, request) => (request.name === "stream-summary" ? SUMMARY : undefined);

const WINDOW = 4_096;

function session(options: Partial<StreamOptions> = {}, answer: Answer = asSummarizer) {
  const cache = countingCache({ counter: words, answer });
  return { cache, session: createStreamSession({ cache, window: WINDOW, now: () => 0, ...options }) };
}

describe("when the cache is managed", () => {
  it("a dropping strategy fires at 3,968 of 4,096, not at 3,967", async () => {
    const { session: stream } = session({ strategy: "drop-all", speak: false });
    await stream.push({ type: "frames", count: 3_967 });
    expect(stream.trace).toEqual([]);
    expect(stream.status()).toMatchObject({ tokens: 3_967, limit: 3_968, reserve: 128 });
    await stream.push({ type: "frames" });
    expect(stream.trace).toMatchObject([
      { reason: "full", action: "restart", tokens: { before: 3_968, after: 0 } },
    ]);
    expect(stream.status().tokens).toBe(0);
  });

  it("frames of ten tokens fire at the first one that reaches the limit, however many come at once", async () => {
    for (const atOnce of [1, 7, 1_000]) {
      const { session: stream } = session({ strategy: "drop-all", speak: false, tokensPerFrame: 10 });
      for (let done = 0; done < 1_000; done += atOnce)
        await stream.push({ type: "frames", count: Math.min(atOnce, 1_000 - done) });
      expect(stream.trace.map((entry) => entry.tokens.before)).toEqual([3_970, 3_970]);
    }
  });

  it("a summarising one fires early enough that question, frame and summary still fit", async () => {
    const { session: stream, cache } = session({ strategy: "summarize-and-drop", tokensPerFrame: 10 });
    const { generate } = cache;
    let asked = 0;
    cache.generate = (request) => {
      if (request.name === "stream-summary") {
        asked++;
        expect(request.cap).toBe(512);
        expect(cache.length + request.cap).toBeLessThanOrEqual(WINDOW);
      }
      return generate(request);
    };
    await stream.push({ type: "turn", role: "user", text: "I want to change my bike's chain." });
    for (let frame = 0; frame < 800; frame++) await stream.push({ type: "frames" });
    expect(asked).toBeGreaterThan(1);
    expect(stream.trace).toHaveLength(asked);
  });

  it("counts separators between frames, across pushes too, but not after a turn", async () => {
    const { session: stream } = session({
      strategy: "drop-all",
      speak: false,
      tokensPerFrame: 10,
      separator: 1,
    });
    await stream.push({ type: "frames", count: 3 });
    expect(stream.status().tokens).toBe(32);
    await stream.push({ type: "frames", count: 2 });
    expect(stream.status().tokens).toBe(54);
    await stream.push({ type: "turn", role: "user", text: "hello there" });
    await stream.push({ type: "frames" });
    expect(stream.status().tokens).toBe(54 + 7 + 10);
  });
});

describe("options that can't work", () => {
  it("an unknown strategy", () => {
    expect(() => session({ strategy: "forget" as StreamStrategyName })).toThrow(ConfigError);
  });

  it("a reserve that the host set smaller than question, frame and summary; left out, it is raised", () => {
    expect(() => session({ strategy: "summarize-and-drop", reserve: 128 })).toThrow(/reserve.*at least/);
    const { reserve } = session({ strategy: "summarize-and-drop", tokensPerFrame: 10 }).session.status();
    const least = reserve;
    expect(least).toBeGreaterThan(512 + 10);
    expect(() =>
      session({ strategy: "summarize-and-keep", tokensPerFrame: 10, reserve: least }),
    ).not.toThrow();
    expect(() =>
      session({ strategy: "summarize-and-keep", tokensPerFrame: 10, reserve: least - 1 }),
    ).toThrow();
    expect(session({ strategy: "drop-all" }).session.status().reserve).toBe(128);
  });

  it("a head that leaves no room for the stream", () => {
    expect(() => session({ strategy: "drop-all", knowledge: "step ".repeat(3_900) })).toThrow(/window/);
  });
});

describe("drop-middle", () => {
  it("keeps an anchor of 500 and the last 100 of 2,000: 600", async () => {
    const { session: stream } = session({ strategy: "drop-middle", speak: false, tail: 100 });
    await stream.push({ type: "frames", count: 490 });
    await stream.push({ type: "turn", role: "user", text: "one two three four five" });
    expect(stream.status().tokens).toBe(500);
    await stream.push({ type: "frames", count: 1_500 });
    const trace = await stream.compact();
    expect(trace).toMatchObject({ action: "keep", tokens: { before: 2_000, after: 600 } });
    expect(trace.kept).toEqual([
      { from: 0, to: 500 },
      { from: 1_900, to: 2_000 },
    ]);
    expect(stream.status().tokens).toBe(600);
  });

  it("without an anchor does what drop-all does", async () => {
    const run = async (strategy: StreamStrategyName) => {
      const { session: stream } = session({ strategy, speak: false, systemPrompt: "Be kind." });
      await stream.push({ type: "frames", count: 3_990 });
      return { trace: stream.trace.map(({ strategy: _, ...rest }) => rest), pending: stream.pending() };
    };
    expect(await run("drop-middle")).toEqual(await run("drop-all"));
  });

  it("does nothing while the cache is shorter than the tail, and never lets anchor and tail overlap", async () => {
    const { session: stream } = session({ strategy: "drop-middle", speak: false });
    await stream.push({ type: "turn", role: "user", text: "start" });
    await stream.push({ type: "frames", count: 400 });
    expect(await stream.compact()).toMatchObject({ action: "nothing", tokens: { before: 406, after: 406 } });
    await stream.push({ type: "frames", count: 110 });
    const { kept } = await stream.compact();
    expect(kept ?? []).toEqual([]);
  });
});

describe("summaries", () => {
  it("system prompt, summary and knowledge become one system message, once each, however often", async () => {
    const { session: stream } = session({
      strategy: "summarize-and-drop",
      systemPrompt: "You help with repairs.",
      knowledge: "Task knowledge: remove the wheel first.",
      tokensPerFrame: 10,
      speak: false,
    });
    await stream.push({ type: "turn", role: "user", text: "I want to change my bike's chain." });
    for (let frame = 0; frame < 12 * 350; frame += 10) await stream.push({ type: "frames", count: 10 });
    expect(stream.trace.length).toBeGreaterThanOrEqual(10);
    for (const { head = "", summary = "", rungs } of stream.trace) {
      expect(head).toBe(`You help with repairs. ${summary} Task knowledge: remove the wheel first.`);
      expect(head.split("You help with repairs.")).toHaveLength(2);
      expect(head.split("Task knowledge:")).toHaveLength(2);
      expect(summary).toContain("I want to change my bike's chain.");
      expect(summary).toContain(SUMMARY);
      expect(rungs).toEqual([{ rung: "continuation", result: "used" }]);
    }
    expect(stream.trace[9]?.summary).toMatch(/The time elapsed since the start of the task is \d+ minutes/);
  });

  it("the summary is the next input", async () => {
    const { session: stream } = session({ strategy: "summarize-and-drop", tokensPerFrame: 10, speak: false });
    await stream.push({ type: "turn", role: "user", text: "I want to change my bike's chain." });
    await stream.push({ type: "frames", count: 360 });
    const { head } = stream.trace[0]!;
    await stream.push({ type: "frames" });
    expect(stream.contents()[0]?.item).toMatchObject({ type: "turn", role: "system", text: head });
  });

  it.each([
    ["silent", undefined],
    ["empty", ""],
    ["one word over and over", "wheel ".repeat(60)],
    ["a refusal", "I'm sorry, but I can't help with that."],
    ["an error text", '{"error": {"message": "overloaded"}}'],
    ["cut off", "the chain ".concat("and another thing ".repeat(600))],
  ])("%s: the session's own turns take its place", async (_, text) => {
    const { session: stream } = session(
      { strategy: "summarize-and-drop", tokensPerFrame: 10, speak: false },
      () => text,
    );
    await stream.push({ type: "turn", role: "user", text: "I want to change my bike's chain." });
    await stream.push({ type: "turn", role: "assistant", text: "First take off the rear wheel." });
    await stream.push({ type: "turn", role: "user", text: "Do I need the 15 mm key?" });
    await stream.push({ type: "turn", role: "assistant", text: "Yes. Now open the quick link." });
    await stream.push({ type: "frames", count: 400 });
    const { summary, rungs } = stream.trace[0]!;
    expect(rungs?.map(({ rung, result }) => `${rung} ${result}`)).toEqual([
      "continuation rejected",
      "extractive used",
    ]);
    for (const fact of [
      "change my bike's chain",
      "rear wheel",
      "15 mm key",
      "Current step: Yes. Now open the quick link.",
    ])
      expect(summary).toContain(fact);
    expect(stream.status().tokens).toBeGreaterThan(0);
  });

  it("a cache that throws is no end of the stream", async () => {
    const { session: stream, cache } = session({
      strategy: "summarize-and-drop",
      tokensPerFrame: 10,
      speak: false,
    });
    cache.generate = async () => {
      throw new Error("out of memory");
    };
    await stream.push({ type: "turn", role: "user", text: "Help me." });
    await stream.push({ type: "frames", count: 400 });
    expect(stream.trace[0]?.rungs?.[0]).toEqual({
      rung: "continuation",
      result: "failed",
      note: "out of memory",
    });
    expect(stream.trace[0]?.summary).toContain("Help me.");
  });

  it("summarize() leaves the cache as it is", async () => {
    const { session: stream } = session({ strategy: "summarize-and-drop", speak: false });
    await stream.push({ type: "turn", role: "user", text: "Help me." });
    await stream.push({ type: "frames", count: 500 });
    const before = stream.contents();
    expect((await stream.summarize()).text).toContain(SUMMARY);
    expect(stream.contents()).toEqual(before);
    await stream.push({ type: "frames" });
    expect(stream.status().tokens).toBe(7 + 500 + 1);
  });

  it("summarize-and-keep feeds the last seconds again", async () => {
    const { session: stream } = session({ strategy: "summarize-and-keep", tokensPerFrame: 10, speak: false });
    await stream.push({ type: "turn", role: "user", text: "Help me." });
    await stream.push({ type: "frames", count: 300 });
    await stream.push({ type: "turn", role: "assistant", text: "Nearly there." });
    await stream.push({ type: "frames", count: 6 });
    await stream.compact();
    const [head, ...rest] = stream.pending();
    expect(head).toMatchObject({ type: "turn", role: "system" });
    expect(rest.map((item) => (item.type === "frames" ? item.count : item.text))).toEqual([
      15,
      "Nearly there.",
      6,
    ]);
  });

  it("state shows the host's steps, and the session's turns where there are none", async () => {
    const steps = {
      title: "Chain",
      steps: [
        { text: "take the wheel off", status: "done" as const },
        { text: "fit the chain", status: "active" as const },
      ],
    };
    const { session: stream } = session({ strategy: "state", speak: false, steps });
    await stream.push({ type: "turn", role: "user", text: "Help me with the chain." });
    expect((await stream.compact()).summary).toContain(
      "1. [done] take the wheel off\n2. [active] fit the chain",
    );
    stream.setSteps(undefined);
    await stream.push({ type: "turn", role: "assistant", text: "Open the quick link." });
    expect((await stream.compact()).summary).toContain("Current step: Open the quick link.");
  });
});

describe("head from the first turns", () => {
  it("first system turn and knowledge marker, once, also when both are in one", async () => {
    for (const turns of [
      ["You help.", "Task knowledge: A then B."],
      ["You help. Task knowledge: A then B."],
    ]) {
      const { session: stream } = session({ strategy: "drop-all", speak: false });
      for (const text of turns) await stream.push({ type: "turn", role: "system", text });
      await stream.push({ type: "turn", role: "system", text: "A later note. Task knowledge: other." });
      expect((await stream.compact()).head).toBe("You help. Task knowledge: A then B.");
    }
  });
});

describe("a cache that fails", () => {
  it("the same input is fed once more with the next push, and nothing twice", async () => {
    const { session: stream, cache } = session({
      strategy: "drop-all",
      speak: false,
      systemPrompt: "Be kind.",
    });
    const { feed } = cache;
    let broken = true;
    cache.feed = async (items) => {
      if (broken && items.some((item) => item.type === "turn" && item.role === "user")) {
        await feed(items);
        throw new Error("lost the device");
      }
      await feed(items);
    };
    await expect(stream.push({ type: "turn", role: "user", text: "Hello?" })).rejects.toThrow(
      "lost the device",
    );
    expect(cache.length).toBe(stream.status().tokens);
    broken = false;
    await stream.push({ type: "frames", count: 2 });
    expect(stream.contents().map(({ item }) => (item.type === "turn" ? item.text : item.count))).toEqual([
      "Be kind.",
      "Hello?",
      2,
    ]);
  });
});

describe("speaking", () => {
  it("answers the user, speaks at a frame only when there is something to say, and remembers what it said", async () => {
    const answer: Answer = (contents, request) => {
      if (request.name === "stream-summary") return SUMMARY;
      if (request.silence === undefined) return "Take the wheel off first.";
      return contents.length === 5 ? "Careful with the spring!" : undefined;
    };
    const { session: stream } = session({ strategy: "summarize-and-drop" }, answer);
    const { said } = await stream.push({ type: "turn", role: "user", text: "How do I begin?" });
    expect(said.map(({ text }) => text)).toEqual(["Take the wheel off first."]);
    const later = await stream.push({ type: "frames", count: 6 });
    expect(later.said).toEqual([{ text: "Careful with the spring!", time: 1.5 }]);
    expect(stream.contents().map(({ item }) => (item.type === "turn" ? item.role : item.type))).toEqual([
      "user",
      "assistant",
      "frames",
      "frames",
      "frames",
      "assistant",
      "frames",
      "frames",
      "frames",
    ]);
  });

  it("asks only every few seconds when told so", async () => {
    let asked = 0;
    const { session: stream } = session({ strategy: "drop-all", speak: { everySeconds: 5 } }, () => {
      asked++;
      return undefined;
    });
    await stream.push({ type: "frames", count: 40 });
    expect(asked).toBe(4);
  });
});

describe.each(streamStrategies)("an hour under %s", (strategy) => {
  it("never leaves the cache above window − reserve, and never above the window in between", async () => {
    const { session: stream, cache } = session(
      { strategy, tokensPerFrame: 10, systemPrompt: "You help." },
      (contents, request) =>
        request.name === "stream-summary"
          ? SUMMARY
          : contents.length % 40 === 0
            ? "Good, go on with the next link."
            : undefined,
    );
    let highest = 0;
    let fed = 0;
    const feed = cache.feed;
    cache.feed = async (items, signal) => {
      const before = cache.length;
      await feed(items, signal);
      fed += cache.length - before;
      highest = Math.max(highest, cache.length);
    };
    /** Frames and tokens fed when the cache was managed. */
    const managed: { frame: number; fed: number }[] = [];
    await stream.push({ type: "turn", role: "user", text: "I want to change my bike's chain." });
    for (let frame = 1; frame <= 7_200; frame++) {
      const step = await stream.push({ type: "frames" });
      if (step.managed.length > 0) managed.push({ frame, fed });
      if (frame % 500 === 0)
        await stream.push({ type: "turn", role: "user", text: `Question ${frame}: what is next?` });
      const { tokens, limit } = stream.status();
      expect(tokens).toBeLessThanOrEqual(limit);
    }
    expect(highest).toBeLessThanOrEqual(WINDOW);
    expect(stream.trace.length).toBeGreaterThanOrEqual(10);
    expect(stream.status()).toMatchObject({ time: 3_600, frames: 7_200 });
    // From the time that a summary has all of its size, a frame costs the same to the end.
    const perFrame = managed.slice(1).map(({ frame, fed: total }, index) => {
      const before = managed[index]!;
      return (total - before.fed) / (frame - before.frame);
    });
    const full = perFrame.slice(4);
    expect(Math.max(...full) / Math.min(...full)).toBeLessThan(1.05);
  });

  it("a turn larger than the window is shortened, not refused", async () => {
    const { session: stream } = session({ strategy, speak: false });
    await stream.push({ type: "frames", count: 2_000 });
    await stream.push({ type: "turn", role: "user", text: `${"word ".repeat(9_000)}end` });
    await stream.push({ type: "frames", count: 10 });
    const { tokens, limit } = stream.status();
    expect(tokens).toBeLessThanOrEqual(limit);
  });
});

describe("what isn't an event", () => {
  it.each([
    [null, "event"],
    [undefined, "event"],
    [{}, "event"],
    [{ type: "turn" }, "role"],
    [{ type: "turn", role: "bot", text: "Hello." }, "role"],
    [{ type: "turn", role: "user", text: 5 }, "text"],
    [{ type: "turn", role: "user", text: "Hello.", time: Number.NaN }, "time"],
  ])("%j is refused, and the stream goes on", async (event, option) => {
    const { session: stream } = session({ strategy: "drop-all", speak: false });
    await expect(stream.push(event as never)).rejects.toMatchObject({ code: "config", option });
    await stream.push({ type: "turn", role: "user", text: "Go on." });
    expect(stream.status()).toMatchObject({ steps: 1, pending: 0 });
  });
});

it("a stream that is managed for weeks remembers its newest managements alone", async () => {
  const { session: stream } = session({ strategy: "drop-all", speak: false, systemPrompt: "You watch." });
  for (let count = 0; count < 1_100; count++) await stream.compact();
  expect(stream.trace).toHaveLength(1_000);
  const { session: long } = session({
    strategy: "drop-all",
    speak: false,
    window: 8_000_000,
    systemPrompt: "word ".repeat(200_000),
  });
  for (let count = 0; count < 20; count++) await long.compact();
  const chars = long.trace.reduce((sum, { head = "" }) => sum + head.length, 0);
  expect(long.trace.length).toBeGreaterThan(2);
  expect(chars).toBeLessThanOrEqual(4_000_000);
});
