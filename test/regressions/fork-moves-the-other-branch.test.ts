import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { memoryStore } from "../../src/stores/memory.ts";
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
  const host = createHost(
    { budget: BUDGET, tail: { messages: 24, share: 0.4 }, startAt: 0.9 },
    whole.slice(0, 49),
  );
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

const ROOMY = 20_000;
/** Goes on from message 46 of the chat, further than the chat itself has come. */
const longerFork = [...whole.slice(0, 46), ...talk(20, 200), chat.user("And there?")];
/** Hides only what both have in common. */
const upTo = 40;

it.each(["its own state", "one state of all branches", "one state, as JSON and signed"])(
  "a fork that grew longer than a branch doesn't move the branch's view (with %s)",
  async (kept) => {
    const signed = kept.endsWith("signed");
    const host = createHost(
      { budget: ROOMY, ...(signed && { stateKey: "k".repeat(32) }) },
      whole.slice(0, 49),
    );
    const before = await host.compact({ upTo: 20 });
    expect(before.report.outcome).toBe("compacted");
    host.transcript.push(...whole.slice(49, 55));
    const view = await host.fit();
    expect(view.report.outcome).toBe("view");
    const own = host.state;

    host.transcript.splice(0, host.transcript.length, ...longerFork);
    const aside = await host.compact({ upTo });
    expect(aside.report.outcome).toBe("compacted");
    if (kept === "its own state") host.state = own;
    else if (signed) host.state = JSON.parse(JSON.stringify(host.state));

    host.transcript.splice(0, host.transcript.length, ...whole.slice(0, 57));
    const after = await host.fit();
    expect(after.report.checkpoint).toBe(before.report.checkpoint);
    expect(after.messages).toEqual([...view.messages, ...whole.slice(55, 57)]);
    if (kept === "its own state") expect(after.report.prefixChanged).toBe(false);

    host.transcript.splice(0, host.transcript.length, ...longerFork);
    const again = await host.fit();
    expect(again.messages).toEqual(aside.messages);
  },
);

it("a branch that was shown whole stays whole although a fork of it was compacted", async () => {
  const host = createHost({ budget: ROOMY }, whole.slice(0, 55));
  expect((await host.fit()).report.checkpoint).toBeUndefined();
  host.transcript.splice(0, host.transcript.length, ...longerFork);
  expect((await host.compact({ upTo })).report.outcome).toBe("compacted");
  host.transcript.splice(0, host.transcript.length, ...whole.slice(0, 57));
  const after = await host.fit();
  expect(after.report.checkpoint).toBeUndefined();
  expect(after.messages).toEqual(host.transcript);
});

it("undoing a branch's compaction doesn't put that of a fork in its place", async () => {
  const compactor = createCompactor({ dialect: openaiChat, budget: ROOMY, store: memoryStore() });
  const branch = whole.slice(0, 55);
  const first = await compactor.compact(branch, { now: 1, upTo: 20 });
  expect(first.report.outcome).toBe("compacted");
  const aside = await compactor.compact(longerFork, { now: 2, upTo });
  expect(aside.report.outcome).toBe("compacted");
  const state = await compactor.undo(branch, { now: 3, state: first.state });
  const after = await compactor.fit(branch, { now: 4, state });
  expect(after.report.checkpoint).toBeUndefined();
  expect(after.messages).toEqual(branch);
});

it("of many branches that share one state, those that were shown last keep their views", async () => {
  const host = createHost({ budget: ROOMY }, whole.slice(0, 55));
  const branches = Array.from({ length: 4 }, (_, at) => [
    ...whole.slice(0, 46),
    ...talk(at + 2, 100 * (at + 2)),
    chat.user("And there?"),
  ]);
  const views: unknown[] = [];
  for (const [at, branch] of branches.entries()) {
    host.transcript.splice(0, host.transcript.length, ...branch);
    views.push((await host.compact({ upTo: 20 + 4 * at })).messages);
  }
  for (let round = 0; round < 2; round++) {
    for (const [at, branch] of branches.entries()) {
      host.transcript.splice(0, host.transcript.length, ...branch);
      expect((await host.fit()).messages).toEqual(views[at]);
    }
  }
});

it("an edited last message goes on from the compaction that it caused", async () => {
  const host = createHost({ budget: BUDGET }, whole);
  const before = await host.fit();
  host.transcript.splice(-1, 1, chat.user("And then?"));
  const after = await host.fit();
  expect(after.report.checkpoint).toBe(before.report.checkpoint);
  expect(after.messages.slice(0, -1)).toEqual(before.messages.slice(0, -1));
});
