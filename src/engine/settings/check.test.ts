import { describe, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../apis/index.ts";
import { ConfigError } from "../../core/errors.ts";
import type { CompactorOptions, Sized } from "../../core/types.ts";
import { profiles } from "../../profiles/index.ts";
import { createCompactor } from "../create-compactor.ts";

const transcript: ChatMessage[] = Array.from({ length: 40 }, (_, index) => ({
  role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
  content: `Message ${index}: the harbour crane at berth ${index} lifts ${index * 3} tonnes at most.`,
}));
transcript.push({ role: "user", content: "And now?" });

/** A compactor with an option that the types would refuse. */
const withOption = (option: object) =>
  createCompactor({ dialect: openaiChat, budget: 400, ...option } as CompactorOptions<ChatMessage> & Sized);

describe("options without types", () => {
  it.each([
    ["dialect", { dialect: undefined }],
    ["dialect", { dialect: "openai-chat" }],
    ["dialect", { dialect: {} }],
    ["profile", { profile: "agent" }],
    ["counter", { counter: {} }],
    ["counter", { counter: 5 }],
    ["summarizer", { summarizer: "gpt-4o" }],
    ["summarizer", { summarizer: {} }],
    ["summarizer", { summarizer: { complete: async () => ({ text: "" }) } }],
    ["window", { window: {} }],
    ["window", { window: [] }],
    ["window", { window: { model: 5 } }],
    ["window", { window: { model: "" } }],
    ["window", { window: "8000" }],
    ["models", { models: 5 }],
    ["models", { models: [] }],
    ["models.mine", { models: { mine: 5 } }],
    ["models.mine.window", { models: { mine: { window: "64k" } } }],
    ["models.mine.wndow", { models: { mine: { wndow: 5 } } }],
    ["models.mine.price", { models: { mine: { price: {} } } }],
    ["models.mine.output", { models: { mine: { output: "4k" } } }],
    ["models.mine.factor", { models: { mine: { factor: "1" } } }],
    ["models.mine.encoding", { models: { mine: { encoding: "p50k_base" } } }],
    ["models.mine.images", { models: { mine: { images: true } } }],
    ["models.mine.prices", { models: { mine: { prices: 1 } } }],
    ["models.mine.prices.cached", { models: { mine: { prices: { cached: 1 } } } }],
    ["models.mine.prices.cacheRead", { models: { mine: { prices: { input: 1, output: 4 } } } }],
    ["startAt", { startAt: "0.8" }],
    ["startAt", { startAt: "6000" }],
    ["landAt", { landAt: "0.4" }],
    ["reserve", { reserve: "0.1" }],
    ["safety", { window: 8_000, safety: 1 }],
    ["safety", { window: 8_000, safety: 0.6, reserve: 0.4 }],
    ["reserve", { window: 8_000, reserve: 1 }],
    ["store", { store: {} }],
    ["placement", { placement: "top" }],
    ["auto", { auto: "yes" }],
    ["waitMs", { waitMs: -1 }],
    ["waitMs", { waitMs: Number.NaN }],
    ["triggers.messages", { triggers: { messages: 0 } }],
    ["cache.ttlMs", { cache: { ttlMs: "long" } }],
    ["summary.mode", { summary: { mode: "short" } }],
    ["summary.cap", { summary: { cap: -1 } }],
    ["summary.temperature", { summary: { temperature: 9 } }],
    ["summary.merge", { summary: { merge: "anew" } }],
    ["summary.prompt", { summary: { prompt: "minutes" } }],
    ["summary.prompt", { summary: { prompt: { text: "List items." } } }],
    ["summary.prompt", { summary: { prompt: { id: "a@b", version: 1, text: "List items." } } }],
    ["images.keep", { images: { keep: "all" } }],
    ["images.keep", { images: { keep: -1 } }],
    ["frames.tokensPerFrame", { frames: {} }],
    ["profile.placement", { profile: { name: "mine", placement: "top" } }],
    ["recall", { recall: true }],
    ["tail", { tail: 5 }],
    ["summary", { summary: ["full"] }],
    ["profile.recall", { profile: { name: "mine", recall: true } }],
    ["widnow", { widnow: 8_000 }],
    ["tail.minMesages", { tail: { minMesages: 2 } }],
    ["profile.landat", { profile: { name: "mine", landat: 0.3 } }],
    ["profile.summary.tokens", { profile: { name: "mine", summary: { tokens: 100 } } }],
  ])("refuses a bad `%s` by name: %j", (option, options) => {
    expect(() => withOption(options)).toThrow(ConfigError);
    expect(() => withOption(options)).toThrow(`option \`${option}\``);
  });

  it("says how recall is switched on", () => {
    expect(() => withOption({ recall: true })).toThrow("`recall: { auto: true }`");
  });

  it("refuses no options at all", () => {
    expect(() => createCompactor(undefined as never)).toThrow(ConfigError);
    expect(() => createCompactor(null as never)).toThrow(ConfigError);
  });

  it("shows a text as a text, where the number in it would do", () => {
    expect(() => withOption({ startAt: "6000" })).toThrow('"6000" is neither');
  });

  it("names the safety that leaves nothing of the window", async () => {
    const compactor = withOption({ budget: undefined, window: 8_000, safety: 0.95 });
    await expect(compactor.fit(transcript)).rejects.toThrow("Lower `safety`");
  });

  it("takes null and undefined for what is left out of a group", async () => {
    const usual = await withOption({}).fit(transcript);
    for (const none of [null, undefined]) {
      const compactor = withOption({
        window: none,
        startAt: none,
        tail: { share: none },
        summary: { cap: none },
        profile: { name: "mine", tail: { minMessages: none }, cache: none },
      });
      expect((await compactor.fit(transcript)).messages).toEqual(usual.messages);
    }
  });

  it("takes no summarizer, given as null, for none", async () => {
    const { report } = await withOption({ window: 8_000, summarizer: null }).fit(transcript);
    expect(report.warnings).toEqual([]);
  });

  it("takes null for what is left out", async () => {
    const compactor = withOption({ profile: null, store: null, tail: null, placement: null });
    expect((await compactor.fit(transcript)).report.outcome).toBe("compacted");
  });

  it.each(Object.values(profiles))("takes the profile $name", (profile) => {
    expect(() => withOption({ profile })).not.toThrow();
  });
});

describe("input without types", () => {
  it.each([
    ["pins", { pins: "3" }],
    ["pins", { pins: ["a"] }],
    ["pins", { pins: [0, 1.5] }],
    ["knowledge", { knowledge: [null] }],
    ["knowledge", { knowledge: 5 }],
    ["extras", { extras: "note" }],
    ["hostState", { hostState: 5 }],
    ["hostState", { hostState: { title: "Plan" } }],
    [
      "hostState.steps[1].status",
      {
        hostState: {
          steps: [
            { text: "Cut", status: "done" },
            { text: "Glue", status: "zzz" },
          ],
        },
      },
    ],
    ["hostState.steps[0].text", { hostState: { steps: [{ status: "done" }] } }],
    ["hostState.title", { hostState: { title: 5, steps: [] } }],
    ["now", { now: "x" }],
    ["lastRequestAt", { lastRequestAt: "x" }],
    ["lastRequestAt", { lastRequestAt: new Date() }],
    ["thinking", { thinking: "no" }],
    ["rejected", { rejected: "yes" }],
    ["signal", { signal: new AbortController() }],
    ["state", { state: '{"version":1}' }],
    ["tools", { tools: "x" }],
  ])("refuses a bad `%s` by name: %j", async (option, input) => {
    const fitted = withOption({}).fit(transcript, input as never);
    await expect(fitted).rejects.toThrow(ConfigError);
    await expect(fitted).rejects.toThrow(`option \`${option}\``);
  });

  it("two options that exclude each other are both named", async () => {
    const both = withOption({}).compact(transcript, { upTo: 1, budget: 0.5 });
    await expect(both).rejects.toThrow("option `upTo`: it can't be used together with `budget`.");
    const ranges = withOption({}).compact(transcript, { upTo: 1, range: { from: 0, to: 1 } });
    await expect(ranges).rejects.toThrow("option `range`: it can't be used together with `upTo`.");
  });

  it("a state that wasn't parsed is refused with the fix, not ignored", async () => {
    const { state } = await withOption({}).fit(transcript);
    const fitted = withOption({}).fit(transcript, { state: JSON.stringify(state) });
    await expect(fitted).rejects.toThrow("`state: JSON.parse(text)`");
  });

  it("an event that doesn't exist is refused with those that do", () => {
    const { on } = withOption({});
    expect(() => on("compacted" as never, () => undefined)).toThrow(/option `on`.*started.*completed/s);
    expect(() => on("completed", undefined as never)).toThrow(ConfigError);
  });

  it.each([
    ["inputTokens", { inputTokens: 5 }],
    ["usage", { usage: { prompt_tokens: 5 } }],
    ["usage", { usage: 5 }],
    ["usage.input", { usage: { input: "5" } }],
    ["tokens", { tokens: "5" }],
    ["transcript", { transcript: "x" }],
    ["observe", undefined],
  ])("refuses to observe a bad `%s`: %j", async (option, observation) => {
    const observed = withOption({}).observe(observation as never);
    await expect(observed).rejects.toThrow(ConfigError);
    await expect(observed).rejects.toThrow(`option \`${option}\``);
  });

  it.each([
    ["focus", { focus: 5 }],
    ["waitMs", { waitMs: -1 }],
    ["waitMs", { waitMs: "5s" }],
    ["adopt", { adopt: "yes" }],
    ["now", { now: "x" }],
  ])("refuses to compact with a bad `%s`: %j", async (option, input) => {
    const compacted = withOption({}).compact(transcript, input as never);
    await expect(compacted).rejects.toThrow(ConfigError);
    await expect(compacted).rejects.toThrow(`option \`${option}\``);
  });

  it.each(["text", "record"] as const)("takes the form %s", async (form) => {
    expect((await withOption({}).summarize(transcript, { form })).text).not.toBe("");
  });

  it("ignores pins that the transcript doesn't have", async () => {
    const { report } = await withOption({}).fit(transcript, { pins: [0, 4_000, -1] });
    expect(report.outcome).toBe("compacted");
  });

  it.each([
    ["cap", { cap: 0 }],
    ["cap", { cap: -1 }],
    ["cap", { cap: Number.NaN }],
    ["cap", { cap: "5" }],
    ["form", { form: "recrod" }],
    ["focus", { focus: 5 }],
  ])("refuses to summarise with a bad `%s`: %j", async (option, input) => {
    const summarized = withOption({}).summarize(transcript, input as never);
    await expect(summarized).rejects.toThrow(ConfigError);
    await expect(summarized).rejects.toThrow(`option \`${option}\``);
    const handed = withOption({}).handover(transcript, { goal: "Go on", ...input } as never);
    await expect(handed).rejects.toThrow(`option \`${option}\``);
  });

  it.each([Number.NaN, -5, 0, "8k"])("refuses to compact to the budget %s", async (budget) => {
    const compacted = withOption({}).compact(transcript, { budget } as never);
    await expect(compacted).rejects.toThrow("option `budget`");
  });

  it("takes null for no input", async () => {
    for (const call of [
      "fit",
      "compact",
      "plan",
      "pressure",
      "prepare",
      "undo",
      "rebuild",
      "summarize",
    ] as const)
      await expect(withOption({})[call](transcript, null as never)).resolves.toBeDefined();
  });

  it("names the hole of a list with holes", async () => {
    const holed = [...transcript];
    delete holed[5];
    await expect(withOption({}).fit(holed)).rejects.toThrow(
      "message 6: openai-chat: expected a message object",
    );
  });

  it.each([Number.NaN, -1, "3"])(
    "refuses counts of %j, instead of letting everything through",
    async (tokens) => {
      const compactor = withOption({ counter: { id: "broken", count: () => tokens } });
      await expect(compactor.fit(transcript)).rejects.toThrow("option `counter`");
    },
  );
});

describe("options that don't exist", () => {
  it("names the one that was meant", () => {
    expect(() => withOption({ strategi: "truncate" })).toThrow(/`strategy`/);
    expect(() => withOption({ summary: { caps: 500 } })).toThrow(/`summary\.cap`/);
  });

  it("lists what there is, where none is near", () => {
    expect(() => withOption({ triggers: { everyHour: 1 } })).toThrow(/messages, turns/);
  });

  it("takes undefined for left out", () => {
    expect(() => withOption({ somethingElse: undefined })).not.toThrow();
  });
});

describe("what one call takes", () => {
  it.each([
    [/option `sate`.*`state`/, { sate: {} }],
    [/option `input`/, "x"],
  ])("a name or a value that can't be meant is refused: %s", async (message, input) => {
    const compactor = withOption({});
    await expect(compactor.fit(transcript, input as object)).rejects.toThrow(message);
  });

  it("lists only what the call itself takes", async () => {
    const compacted = withOption({}).compact(transcript, { zzzzzzzz: 1 } as never);
    await expect(compacted).rejects.toThrow(/Known here: .*waitMs/);
    await expect(compacted).rejects.not.toThrow(/\b(cap|form|goal)\b/);
  });

  it.each([
    ["fit", "focus"],
    ["compact", "cap"],
    ["summarize", "waitMs"],
    ["handover", "focus"],
    ["handover", "form"],
    ["rebuild", "upTo"],
  ] as const)("%s refuses `%s`, which is of another call", async (call, option) => {
    const values = { focus: "cranes", cap: 500, waitMs: 0, form: "text", upTo: 4 };
    const input = { [option]: values[option], ...(call === "handover" && { goal: "Go on" }) };
    await expect(withOption({})[call](transcript, input as never)).rejects.toThrow(`option \`${option}\``);
  });

  it("takes null for left out", async () => {
    const nothing = { focus: null, cap: null, form: null, now: null, pins: null, hostState: null };
    const { text } = await withOption({}).summarize(transcript, nothing as never);
    expect(text).toBe((await withOption({}).summarize(transcript)).text);
  });
});
