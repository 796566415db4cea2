/** A person says which messages to compact: just those leave the view, whole rounds only, and nothing that must stay. */
import { describe, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { CompactInput, FitResult, Model } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat, checkView } from "../../src/testing/index.ts";
import { counterOf } from "../support/count.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";
import { fakeModel } from "../support/fake-model.ts";
import { sent, session, talk } from "../support/host.ts";

const NOW = 1_700_000_000_000;

/** Messages that a view no longer shows, by index. */
function hiddenIn({ report }: FitResult<object>): number[] {
  const shown = new Set(
    report.entries.flatMap((entry) => ("index" in entry && entry.type !== "drop" ? [entry.index] : [])),
  );
  const { kept, edited, covered, dropped } = report.counts;
  return Array.from({ length: kept + edited + covered + dropped }, (_, index) => index).filter(
    (index) => !shown.has(index),
  );
}

const from = (first: number, end: number) => Array.from({ length: end - first }, (_, at) => first + at);

describe.each(DIALECT_IDS)("%s", (id) => {
  const { messages, system } = session(20, id);
  const dialect = dialectOf(id);
  const base = { now: NOW, ...(system !== undefined && { system }) };
  const compact = async (input: CompactInput<object>, options: { budget?: number } = {}) => {
    const compactor = createCompactor<object>({ dialect, budget: 50_000, ...options });
    const snapshot = JSON.stringify(messages);
    const result = await compactor.compact(messages, { ...base, ...input });
    const breaches = checkView({
      dialect: id,
      transcript: messages,
      snapshot,
      system,
      extras: [],
      result,
      count: counterOf(dialect),
    });
    expect(breaches).toEqual([]);
    const next = await compactor.fit(messages, { ...base, state: result.state });
    expect(sent(next)).toBe(sent(result));
    return result;
  };

  it("every range ends in a valid view that stands, and hides no message far from it", async () => {
    for (const [first, end] of [
      [0, 12],
      [7, 16],
      [messages.length - 9, messages.length],
    ] as const) {
      const result = await compact({ range: { from: first, to: end } });
      expect(result.report.outcome).toBe("compacted");
      const hidden = hiddenIn(result);
      expect(hidden.length).toBeGreaterThan(0);
      // A round more at either end at most.
      expect(hidden[0]!).toBeGreaterThanOrEqual(first - 6);
      expect(hidden.at(-1)!).toBeLessThan(end + 6);
      expect(result.report.prefixReason).toBe("compaction");
    }
  });

  it("a range that ends between a call and its result takes the whole round, and says so", async () => {
    for (let end = 4; end < 14; end++) {
      const { report } = await compact({ upTo: end });
      const last = hiddenIn({ report } as FitResult<object>).at(-1)!;
      if (last >= end) expect(report.warnings.map(({ code }) => code)).toContain("range-widened");
    }
  });
});

describe("in a talk", () => {
  const transcript = [chat.system("Be brief."), ...talk(20), chat.user("And now?")];
  const compactor = () => createCompactor({ dialect: openaiChat, budget: 50_000 });

  it("upTo hides the first messages, and the last user message stays whatever is asked for", async () => {
    const some = await compactor().compact(transcript, { now: NOW, upTo: 9 });
    expect(hiddenIn(some)).toEqual(from(1, 9));
    const all = await compactor().compact(transcript, { now: NOW, upTo: transcript.length });
    expect(hiddenIn(all)).toEqual(from(1, transcript.length - 1));
    expect(all.messages.at(-1)).toBe(transcript.at(-1));
  });

  it("a range stands where its messages stood, between what was before and what came after", async () => {
    const { messages, report } = await compactor().compact(transcript, {
      now: NOW,
      range: { from: 11, to: 21 },
    });
    expect(hiddenIn({ report } as FitResult<object>)).toEqual(from(11, 21));
    expect(messages.slice(0, 11)).toEqual(transcript.slice(0, 11));
    expect(JSON.stringify(messages[11])).toContain("module-5.ts");
    expect(messages.slice(12)).toEqual(transcript.slice(21));
  });

  it("a second range keeps the first; one beside it takes it in", async () => {
    const one = compactor();
    const first = await one.compact(transcript, { now: NOW, range: { from: 5, to: 11 } });
    const apart = await one.compact(transcript, {
      now: NOW,
      state: first.state,
      range: { from: 21, to: 27 },
    });
    expect(hiddenIn(apart)).toEqual([...from(5, 11), ...from(21, 27)]);
    expect(apart.report.counts.inserted).toBe(2);
    const beside = await one.compact(transcript, {
      now: NOW,
      state: apart.state,
      range: { from: 11, to: 15 },
    });
    expect(hiddenIn(beside)).toEqual([...from(5, 15), ...from(21, 27)]);
    expect(beside.report.counts.inserted).toBe(2);
    expect(beside.report.warnings.map(({ code }) => code)).toEqual(["range-widened"]);
    const front = await one.compact(transcript, { now: NOW, state: beside.state, upTo: 5 });
    expect(hiddenIn(front)).toEqual([...from(1, 15), ...from(21, 27)]);
    const all = await one.compact(transcript, { now: NOW, state: front.state, upTo: 30 });
    expect(hiddenIn(all)).toEqual(from(1, 30));
    expect(all.report.counts.inserted).toBe(1);
  });

  it.each(["system", "merged"] as const)(
    "a summary in the place `%s` is replaced, not doubled",
    async (placement) => {
      const one = createCompactor({ dialect: openaiChat, budget: 50_000, placement });
      const first = await one.compact(transcript, { now: NOW, upTo: 11 });
      const inside = await one.compact(transcript, {
        now: NOW,
        state: first.state,
        range: { from: 21, to: 27 },
      });
      expect(hiddenIn(inside)).toEqual([...from(1, 11), ...from(21, 27)]);
      const next = await one.compact(transcript, { now: NOW, state: inside.state, upTo: 15 });
      expect(hiddenIn(next)).toEqual([...from(1, 15), ...from(21, 27)]);
      // Lines of tools may stand in a message of their own beside the record that is in the system's place.
      const records = (view: FitResult<object>) =>
        JSON.stringify(view.messages).match(
          /A record of earlier messages of this conversation \(#\d+–\d+\)/g,
        );
      expect(records(inside)).toHaveLength(2);
      expect(records(next)).toHaveLength(2);
    },
  );

  it("what can't be hidden is refused with the reason, and the view stays", async () => {
    const one = compactor();
    const reason = async (input: CompactInput<ChatMessage>) => {
      const { report, messages } = await one.compact(transcript, { now: NOW, ...input });
      expect(report.outcome).toBe("nothing-to-gain");
      expect(messages).toEqual(transcript);
      return report.warnings.find(({ code }) => code === "range-refused")?.message;
    };
    expect(await reason({ upTo: 1 })).toContain("system prompt");
    expect(await reason({ range: { from: 41, to: 42 } })).toContain("last user message");
    expect(await reason({ range: { from: 1, to: 2 }, pins: [1] })).toContain("always shown");
    const hidden = await one.compact(transcript, { now: NOW, upTo: 11 });
    const again = await one.compact(transcript, { now: NOW, state: hidden.state, range: { from: 3, to: 7 } });
    expect(again.report.warnings[0]?.message).toContain("hidden already");
    expect(sent(again)).toBe(sent(hidden));
  });

  it("a round that the model hasn't answered stays", async () => {
    const open = [...transcript, ...chat.round("read", { path: "a.ts" }, "export {}", "c1")];
    const { report } = await compactor().compact(open, { now: NOW, upTo: open.length });
    expect(hiddenIn({ report } as FitResult<object>)).toEqual(from(1, transcript.length - 1));
    const alone = await compactor().compact(open, { now: NOW, range: { from: 42, to: 44 } });
    expect(alone.report.warnings[0]?.message).toContain("newest round");
  });

  it("nonsense is refused before anything is done", async () => {
    for (const input of [
      { upTo: 0 },
      { upTo: 43 },
      { upTo: 1.5 },
      { range: { from: 5, to: 5 } },
      { range: { from: -1, to: 5 } },
      { upTo: 5, range: { from: 0, to: 5 } },
      { upTo: 5, budget: 100 },
    ])
      await expect(compactor().compact(transcript, input)).rejects.toThrow(/precis/);
  });

  it("a view that needs more than the range to fit its budget is compacted as usual, and says so", async () => {
    const small = createCompactor({ dialect: openaiChat, budget: 2_000 });
    const { report } = await small.compact(transcript, { now: NOW, upTo: 5 });
    expect(report.tokens.after).toBeLessThanOrEqual(2_000);
    expect(report.warnings.map(({ code }) => code)).toContain("range-widened");
  });

  it.each([
    "none",
    "truncate-oldest",
    "drop-middle",
    "drop-all",
    "summarize-and-drop",
    "tool-summaries",
  ] as const)("strategy `%s`: the range leaves, or nothing does", async (strategy) => {
    const one = createCompactor({ dialect: openaiChat, budget: 50_000, strategy });
    const result = await one.compact(transcript, { now: NOW, range: { from: 11, to: 21 } });
    expect(hiddenIn(result)).toEqual(strategy === "none" ? [] : from(11, 21));
    expect(result.report.warnings.map(({ code }) => code)).toEqual(
      strategy === "none" ? ["range-refused"] : [],
    );
  });

  it("where roles must alternate, a range leaves as well, and a note stands beside its summary", async () => {
    const strict = { ...openaiChat, rules: { ...openaiChat.rules, alternation: "strict" as const } };
    const one = createCompactor({ dialect: strict, budget: 50_000 });
    const inside = await one.compact(transcript, { now: NOW, range: { from: 11, to: 21 } });
    expect(hiddenIn(inside)).toEqual(from(11, 21));
    expect(inside.report.warnings).toEqual([]);
    const roles = inside.messages.map(({ role }) => role).filter((role) => role !== "system");
    expect(roles.filter((role, at) => role !== "tool" && role === roles[at - 1])).toEqual([]);
    const front = await one.compact(transcript, { now: NOW, upTo: 21 });
    expect(hiddenIn(front)).toEqual(from(1, 21));
  });

  it("a model's summary speaks for a range, and is written of that range alone", async () => {
    const asked: string[] = [];
    const good = fakeModel("good", 100_000);
    const model: Model = {
      ...good,
      async complete(request) {
        asked.push(request.messages.map(({ text }) => text).join("\n"));
        return good.complete(request);
      },
    };
    const one = createCompactor({ dialect: openaiChat, budget: 50_000, summarizer: model });
    const inside = await one.compact(transcript, { now: NOW, range: { from: 11, to: 31 } });
    expect(sent(inside)).toContain("The user asked for changes in src/core/view.ts");
    expect(asked[0]).toContain("module-7.ts");
    expect(asked[0]).not.toContain("module-2.ts");
    expect(asked[0]).not.toContain("module-17.ts");
    const front = await one.compact(transcript, { now: NOW, state: inside.state, upTo: 7 });
    expect(hiddenIn(front)).toEqual([...from(1, 7), ...from(11, 31)]);
    // What a later compaction hides is read from its beginning on.
    const { report } = await one.compact(transcript, { now: NOW + 1, state: front.state });
    expect(report.outcome).toBe("compacted");
    expect(hiddenIn({ report } as FitResult<object>).slice(0, 30)).toEqual(from(1, 31));
  });
});
