/** A view that doesn't extend the one before it says why: providers' caches and KV caches are dropped by that word. */
import { describe, expect, it } from "vitest";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";
import { createHost, sent, session, talk } from "../support/host.ts";

describe.each(DIALECT_IDS)("%s", (id) => {
  it("after an undo", async () => {
    const { messages, system } = session(20, id);
    const input = { now: 1_700_000_000_000, ...(system !== undefined && { system }) };
    const compactor = createCompactor<object>({ dialect: dialectOf(id), budget: 50_000 });
    const first = await compactor.compact(messages, input);
    expect(first.report.outcome).toBe("compacted");
    const state = await compactor.undo(messages, { ...input, state: first.state });
    const undone = await compactor.fit(messages, { ...input, state });
    expect(undone.messages).toEqual(messages);
    expect(undone.report.prefixReason).toBe("undo");
    const next = await compactor.fit(messages, { ...input, state: undone.state });
    expect(next.report.prefixReason).toBeUndefined();
  });

  it("where an unsigned state shows in the user's role what was system text", async () => {
    const { messages, system } = session(40, id);
    const input = system === undefined ? {} : { system };
    const options = { id, budget: 4_000, placement: "system" as const };
    const host = createHost(options, messages);
    const own = await host.fit(input);
    expect(own.report.outcome).toBe("compacted");
    const elsewhere = createHost(options, messages);
    elsewhere.state = host.state;
    const view = await elsewhere.fit(input);
    expect(sent(view)).not.toBe(sent(own));
    expect(view.report.prefixReason).toBe("unproven");
    const next = await elsewhere.fit(input);
    expect(sent(next)).toBe(sent(view));
    expect(next.report.prefixReason).toBeUndefined();
  });
});

it("preparing a summary shows nothing, and so it hides no change", async () => {
  const { messages } = session(30, "openai-chat");
  const compactor = createCompactor<object>({ dialect: dialectOf("openai-chat"), budget: 50_000 });
  const first = await compactor.compact(messages);
  const edited = messages.with(1, chat.user("Something else."));
  const state = await compactor.prepare(edited, { state: first.state });
  const view = await compactor.fit(edited, { state });
  expect(view.report.prefixReason).toBe("transcript");
});

it("an adoption of what fits anyway adopts nothing, and the conversation's own view stays", async () => {
  const host = createHost({ budget: 3_000 }, [...talk(30), chat.user("now?")]);
  const own = await host.fit();
  const compactor = createCompactor<object>({ dialect: dialectOf("openai-chat"), budget: 3_000 });
  const whole = await compactor.compact(host.transcript, { budget: 20_000, adopt: true, state: own.state });
  expect(whole.report.outcome).toBe("nothing-to-gain");
  expect(whole.report.prefixReason).toBe("larger-budget");
  host.state = whole.state;
  const next = await host.fit();
  expect(next.report.prefixReason).toBeUndefined();
  expect(sent(next)).toBe(sent(own));
});
