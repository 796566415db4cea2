import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { createHost, sent, talk } from "../support/host.ts";

const turn = (n: number) => [
  chat.assistant(`ok ${n} ${"text ".repeat(60)}`),
  chat.user(`go on ${n} ${"more ".repeat(40)}`),
];

it("a compaction that a larger budget left isn't taken up again while nothing is due", async () => {
  const small = createHost({ budget: 1_000 }, [...talk(8), chat.user("now?")]);
  expect((await small.fit()).report.outcome).toBe("compacted");
  const large = createHost({ budget: 3_000 }, small.transcript);
  large.state = small.state;
  const whole = await large.fit();
  expect(whole.report.prefixReason).toBe("larger-budget");
  expect(whole.messages).toEqual(large.transcript);
  let before = whole;
  for (let n = 0; n < 8; n++) {
    large.transcript.push(...turn(n));
    large.state = JSON.parse(JSON.stringify(large.state));
    const view = await large.fit();
    if (view.report.outcome === "compacted") return;
    expect(view.report.prefixChanged, `turn ${n}`).toBe(false);
    expect(view.messages.slice(0, before.messages.length), `turn ${n}`).toEqual(before.messages);
    before = view;
  }
});

it("a budget that moves a little leaves no compaction that a person asked for", async () => {
  const transcript = [...talk(30), chat.user("now?")];
  const compactor = createCompactor({ dialect: openaiChat, budget: 20_000 });
  const { state, report } = await compactor.compact(transcript);
  expect(report.outcome).toBe("compacted");
  const moved = createCompactor({ dialect: openaiChat, budget: 20_400 });
  const view = await moved.fit(transcript, { state });
  expect(view.report.outcome).toBe("view");
  expect(view.report.prefixChanged).toBe(false);
});

it("a compaction that was adopted stands at once, and until the next one", async () => {
  const transcript = [...talk(30), chat.user("now?")];
  const compactor = createCompactor({ dialect: openaiChat, budget: 20_000 });
  const adopted = await compactor.compact(transcript, { budget: 1_000, adopt: true });
  expect(adopted.report.outcome).toBe("compacted");
  let { state } = adopted;
  let before: object[] = adopted.messages;
  for (let n = 0; n < 6; n++) {
    transcript.push(...turn(n));
    const view = await compactor.fit(transcript, { state });
    expect(view.report.outcome).toBe("view");
    expect(view.report.prefixChanged, `turn ${n}`).toBe(false);
    expect(view.messages.slice(0, before.length), `turn ${n}`).toEqual(before);
    ({ state } = view);
    before = view.messages;
  }
});

it("a view that isn't adopted doesn't touch the conversation's own", async () => {
  const host = createHost({ budget: 3_000 }, [...talk(30), chat.user("now?")]);
  const own = await host.fit();
  const compactor = createCompactor({ dialect: openaiChat, budget: 3_000 });
  const beside = await compactor.compact(host.transcript as never[], { budget: 800, state: own.state });
  host.state = beside.state;
  const next = await host.fit();
  expect(next.report.prefixChanged).toBe(false);
  expect(sent(next)).toBe(sent(own));
});

it("an undo stays undone as the conversation grows", async () => {
  const host = createHost({ budget: 3_000 }, [...talk(30), chat.user("now?")]);
  const compactor = createCompactor<object>({ dialect: openaiChat as never, budget: 6_000 });
  const first = await compactor.compact(host.transcript, {});
  let state = await compactor.undo(host.transcript, { state: first.state });
  const undone = await compactor.fit(host.transcript, { state });
  expect(undone.messages).toEqual(host.transcript);
  let before = undone;
  ({ state } = undone);
  for (let n = 0; n < 8; n++) {
    host.transcript.push(...turn(n));
    const view = await compactor.fit(host.transcript, { state });
    if (view.report.outcome === "compacted") return;
    expect(view.report.prefixChanged, `turn ${n}`).toBe(false);
    expect(view.messages.slice(0, before.messages.length), `turn ${n}`).toEqual(before.messages);
    ({ state } = view);
    before = view;
  }
});

it("a clock that was set back doesn't bring an older compaction back", async () => {
  const host = createHost({ budget: 2_000 }, [...talk(30), chat.user("now?")]);
  const noon = 1_700_000_000_000;
  const first = await host.fit({ now: noon, lastRequestAt: noon });
  expect(first.report.outcome).toBe("compacted");
  let second = first;
  for (let n = 0; n < 40 && second.report.checkpoint === first.report.checkpoint; n++) {
    host.transcript.push(...turn(n));
    second = await host.fit({ now: noon - 3_600_000, lastRequestAt: noon - 3_600_000 });
  }
  expect(second.report.outcome).toBe("compacted");
  const next = await host.fit({ now: noon - 3_500_000, lastRequestAt: noon - 3_500_000 });
  expect(next.report.checkpoint).toBe(second.report.checkpoint);
  expect(next.report.prefixChanged).toBe(false);
});
