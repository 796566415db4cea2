/** A host that didn't get an answer sends the same request again. What was quoted for it must not make its view another one. */
import { describe, expect, it } from "vitest";
import type { Message, Tuning } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";
import { toWire } from "../../src/testing/arbitraries/index.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";

const BUDGET = 6_000;

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const assistant = (text: string): Message => ({ role: "assistant", parts: [{ type: "text", text }] });

/** Words that come nowhere else, so that each turn is about something of its own. */
function report(at: number): string {
  const words = Array.from({ length: 90 }, (_, place) => `w${at}x${(place * 7 + at) % 50}`);
  return `Report ${at} about shelf ${at}. ${words.join(" ")}.`;
}

const FACT = "The turnstile at the harbour gate opens with the phrase copper lantern, said twice.";
/** Somebody says the fact early on, in an answer that a summary has no room for. */
const PAST = Array.from({ length: 60 }, (_, at) => [
  user(`Please write report ${at}.`),
  assistant(at === 3 ? `${report(at)} ${FACT} ${report(at + 1_000)}` : report(at)),
]).flat();
const ASKED = [...PAST, user("Which phrase opens the turnstile at the harbour gate?")];

describe.each(DIALECT_IDS)("%s", (id) => {
  const open = (tuning: Tuning) =>
    createCompactor<object>({
      dialect: dialectOf(id),
      budget: BUDGET,
      profile: profiles.agent,
      ...tuning,
    });
  const { messages: past } = toWire(id, PAST);
  const { messages: asked } = toWire(id, ASKED);

  /** The state of a compaction, and the pressure of the question's view without its quotation and with it. */
  async function compacted() {
    const compactor = open({ startAt: 0.99, landAt: 0.3 });
    const { state } = await compactor.compact(past, { now: 1 });
    const { report } = await compactor.fit(asked, { state, now: 2 });
    expect(report.recalled.length).toBeGreaterThan(0);
    return { state, pressure: report.pressure };
  }

  it("a quotation that lifts its own view above the start doesn't have the same request compacted", async () => {
    const { state, pressure } = await compacted();
    const startAt = (pressure.before + pressure.after) / 2;
    const compactor = open({ startAt });
    const first = await compactor.fit(asked, { state, now: 3 });
    expect(first.report.pressure.after).toBeGreaterThan(startAt);
    // By the process that served it, and by another one.
    for (const one of [compactor, open({ startAt })]) {
      const again = await one.fit(asked, { state: first.state, now: 4 });
      expect(again.report.outcome).toBe("view");
      expect(again.messages).toEqual(first.messages);
      expect(again.report.prefixChanged).toBe(false);
      expect((await one.plan(asked, { state: again.state, now: 5 })).due).toBeUndefined();
    }
    // What comes after it is judged by all that is shown.
    const { messages: answered } = toWire(id, [...ASKED, assistant("Copper lantern."), user("Thanks.")]);
    const next = await compactor.fit(answered, { state: first.state, now: 6 });
    expect(next.report.reason).toBe("pressure");
  });

  it("the same request after a pause isn't compacted because of its quotation", async () => {
    const { state, pressure } = await compacted();
    // A pause makes a compaction due from half of the budget on.
    const budget = Math.round((BUDGET * (pressure.before + pressure.after)) / 2 / 0.5);
    const compactor = open({ startAt: 0.99, budget });
    const first = await compactor.fit(asked, { state, now: 3, lastRequestAt: 2 });
    expect(first.report.pressure.after).toBeGreaterThan(0.5);
    const again = await compactor.fit(asked, { state: first.state, now: 90_000, lastRequestAt: 3 });
    expect(again.report.outcome).toBe("view");
    expect(again.messages).toEqual(first.messages);
  });
});
