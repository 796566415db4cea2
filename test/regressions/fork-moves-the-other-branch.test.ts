import { expect, it } from "vitest";
import { chat } from "../../src/testing/index.ts";
import { createHost, talk } from "../support/host.ts";

const BUDGET = 2_000;
const whole = [...talk(60), chat.user("And now?")];
const fork = [...talk(30), chat.user("Let us do something else.")];
const more = [chat.assistant("This."), chat.user("Go on.")];

it.each(["its own state", "the fork's state", "a store alone"])(
  "a branch keeps its view although a fork of it was compacted later (with %s)",
  async (kept) => {
    const host = createHost({ budget: BUDGET }, whole);
    const before = await host.fit();
    expect(before.report.outcome).toBe("compacted");
    const own = host.state;

    host.transcript.splice(0, host.transcript.length, ...fork);
    const aside = await host.fit();
    expect(aside.report.outcome).toBe("compacted");
    const ofFork = host.state;

    host.transcript.splice(0, host.transcript.length, ...whole, ...more);
    host.state = kept === "its own state" ? own : kept === "the fork's state" ? ofFork : undefined;
    const after = await host.fit();
    expect(after.report.outcome).toBe("view");
    expect(after.report.checkpoint).toBe(before.report.checkpoint);
    expect(after.messages).toEqual([...before.messages, ...more]);
    if (kept === "its own state") expect(after.report.prefixChanged).toBe(false);

    host.transcript.splice(0, host.transcript.length, ...fork);
    host.state = undefined;
    const again = await host.fit();
    expect(again.messages).toEqual(aside.messages);
  },
);

it("a fork that was compacted with a longer tail doesn't move a view that had got further", async () => {
  const host = createHost({ budget: BUDGET, tail: { messages: 24 }, startAt: 0.9 }, whole.slice(0, 49));
  const before = await host.fit();
  expect(before.report.outcome).toBe("compacted");
  for (let at = 49; at < 57; at += 2) {
    host.transcript.push(...whole.slice(at, at + 2));
    expect((await host.fit()).report.outcome).toBe("view");
  }
  const own = { state: host.state, transcript: [...host.transcript] };
  // The fork has more messages than the first compaction spans, and fewer than the last view showed.
  host.transcript.splice(46, host.transcript.length, ...more.slice(1));
  host.state = undefined;
  await host.compact();
  host.transcript.splice(0, host.transcript.length, ...own.transcript);
  host.state = own.state;
  const after = await host.fit();
  expect(after.report.checkpoint).toBe(before.report.checkpoint);
  expect(after.report.prefixChanged).toBe(false);
});
