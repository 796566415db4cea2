import { expect, it } from "vitest";
import { anthropicMessages, type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import { createCompactor, type Dialect } from "../../src/index.ts";
import { chat } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";
import { gatedModel } from "./gated-model.ts";
import { createStage } from "./stage.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Longer than the provider's cache lives. */
const COLD = 6 * MINUTE;

it("below 0.70 nothing happens; from 0.70 to 0.80 still no model is called", async () => {
  const model = gatedModel();
  const stage = createStage({ summarizer: model });
  for (const pressure of [0.3, 0.6, 0.69, 0.72, 0.78]) {
    await stage.fillTo(pressure);
    stage.clock.advance(SECOND);
    expect((await stage.fit()).report.outcome).toBe("pass");
  }
  expect(model.requests).toHaveLength(0);
  expect(stage.events).toEqual([]);
});

it("a cold cache compacts at 0.40 and not below", async () => {
  const stage = createStage({ summarizer: gatedModel() });
  await stage.fillTo(0.36);
  await stage.fit();
  stage.clock.advance(COLD);
  expect((await stage.fit()).report.outcome).toBe("pass");
  await stage.fillTo(0.42);
  stage.clock.advance(SECOND);
  expect((await stage.fit()).report.outcome).toBe("pass");
  stage.clock.advance(COLD);
  expect((await stage.fit()).report).toMatchObject({ outcome: "compacted", reason: "cold-cache" });
});

it("where the provider keeps nothing, no cache can have gone cold: only a pause is a good time", async () => {
  const stage = createStage({ summarizer: gatedModel(), cache: { ttlMs: 0 } });
  await stage.fillTo(0.42);
  await stage.fit();
  stage.clock.advance(COLD);
  expect((await stage.fit()).report.outcome).toBe("pass");
  await stage.fillTo(0.52);
  stage.clock.advance(COLD);
  expect((await stage.fit()).report).toMatchObject({ outcome: "compacted", reason: "pause" });
});

it("a user turn after a pause of a minute compacts at 0.50; a tool result doesn't, and a shorter pause doesn't", async () => {
  const stage = createStage({ summarizer: gatedModel() });
  await stage.fillTo(0.46);
  await stage.fit();
  stage.clock.advance(2 * MINUTE);
  expect((await stage.fit()).report.outcome).toBe("pass");
  await stage.fillTo(0.52);
  stage.clock.advance(50 * SECOND);
  expect((await stage.fit()).report.outcome).toBe("pass");
  const waiting = [...stage.transcript];
  stage.transcript.push(...chat.round("look", { at: "x" }, "found", "call_1"));
  stage.clock.advance(70 * SECOND);
  expect((await stage.fit()).report.outcome).toBe("pass");
  stage.transcript.splice(0, stage.transcript.length, ...waiting);
  stage.clock.advance(70 * SECOND);
  expect((await stage.fit()).report).toMatchObject({ outcome: "compacted", reason: "pause" });
});

it("without the time of the last request no moment is cold", async () => {
  const stage = createStage({ summarizer: gatedModel() });
  await stage.fillTo(0.6);
  stage.clock.advance(COLD);
  expect((await stage.fit({ now: stage.clock.now() })).report.outcome).toBe("pass");
});

it("the break-even has the last word about a cheap moment", async () => {
  // Reading a cached token costs nothing here, and writing one a fortune.
  const cache = { read: 0, write: 1_000 };
  const stage = createStage({ summarizer: gatedModel(), cache, landAt: 0.5 });
  await stage.fillTo(0.55);
  await stage.fit();
  stage.clock.advance(2 * MINUTE);
  expect((await stage.fit()).report.outcome).toBe("pass");
});

it("at startAt one call in the background, applied at the next fit", async () => {
  const model = gatedModel({ state: "held" });
  const stage = createStage({ summarizer: model });
  await stage.fillTo(0.81);
  const first = await stage.fit();
  expect(first.report.outcome).toBe("pass");
  // The conversation goes on while it is written, and nobody asks twice.
  stage.transcript.push(...talk(1, 900).toReversed(), chat.user("And then?"));
  expect((await stage.fit()).report.outcome).toBe("pass");
  expect(model.requests).toHaveLength(1);
  model.release();
  const state = await first.background;
  expect(state.summaries).toHaveLength(1);
  const next = await stage.fit();
  expect(next.report).toMatchObject({ outcome: "compacted", reason: "pressure" });
  expect(next.report.rungs.at(-1)?.rung).toBe("full");
  expect(JSON.stringify(next.messages)).toContain("explained each of them in turn");
});

it("a summary that is ready is kept for later below 0.65, and used when its time comes", async () => {
  const model = gatedModel();
  const stage = createStage({ summarizer: model });
  await stage.fillTo(0.55);
  await stage.compactor.prepare(stage.transcript, { now: stage.clock.now() });
  expect(model.requests).toHaveLength(1);
  expect((await stage.fit()).report.outcome).toBe("pass");
  await stage.fillTo(0.63);
  expect((await stage.fit()).report.outcome).toBe("pass");
  await stage.fillTo(0.66);
  expect((await stage.fit()).report).toMatchObject({ outcome: "compacted" });
  expect(model.requests).toHaveLength(1);
});

it("above 1.0 the ladder goes on without the model, at once; the narrative joins at the next compaction", async () => {
  const model = gatedModel({ state: "held" });
  const stage = createStage({ summarizer: model });
  await stage.fillTo(1.02);
  const now = await stage.fit();
  expect(now.report).toMatchObject({ outcome: "compacted", reason: "budget" });
  expect(now.report.rungs.at(-1)?.rung).toBe("extractive");
  model.release();
  await stage.compactor.settled();
  await stage.fillTo(0.81);
  await stage.fit();
  await stage.compactor.settled();
  const later = await stage.fit();
  expect(later.report.outcome).toBe("compacted");
  expect(JSON.stringify(later.messages)).toContain("explained each of them in turn");
});

it("without a model: at startAt, and at 0.95 for budgets below 32k", async () => {
  const small = createStage({ startAt: undefined as never });
  await small.fillTo(0.93);
  expect((await small.fit()).report.outcome).toBe("pass");
  await small.fillTo(0.955);
  expect((await small.fit()).report).toMatchObject({ outcome: "compacted", reason: "pressure" });
  const large = createStage({ budget: 40_000, startAt: undefined as never });
  await large.fillTo(0.77);
  expect((await large.fit()).report.outcome).toBe("pass");
  await large.fillTo(0.83);
  expect((await large.fit()).report).toMatchObject({ outcome: "compacted", reason: "pressure" });
});

it("after a failure the model isn't asked again before pressure has grown by 0.05; the report says so", async () => {
  const model = gatedModel({ state: "failing" });
  const stage = createStage({ summarizer: model, landAt: 0.5, tail: { share: 0.9 } });
  await stage.fillTo(0.805);
  await stage.fit();
  await stage.compactor.settled();
  const asked = model.requests.length;
  expect(asked).toBe(2);
  expect(stage.events).toEqual(["started pressure", "failed The model is down."]);
  const resting = await stage.fit();
  expect(resting.report.warnings).toContainEqual({
    code: "summarizer-resting",
    message: expect.stringContaining("The summariser failed (The model is down.)"),
  });
  expect(resting.report.modelCalls.map(({ result }) => result)).toEqual(["failed", "failed"]);
  expect(model.requests).toHaveLength(asked);
});

it.each([0, HANGS_AFTER_MS])(
  "a failure is named in the next report with what was done instead, and only there (waitMs %i)",
  async (waitMs) => {
    const summarizer = async (): Promise<string> => {
      throw new Error("401 bad key");
    };
    const compactor = createCompactor({ dialect: openaiChat, window: 16_000, summarizer, waitMs });
    const messages: ChatMessage[] = [chat.user("Hello."), ...talk(120), chat.user("Go on.")];
    const failures: string[][] = [];
    let state: unknown;
    for (let turn = 0; turn < 3; turn++) {
      const fitted = await compactor.fit(messages, { state });
      state = await fitted.background;
      const said = fitted.report.warnings.filter(({ code }) => code.startsWith("summarizer-"));
      failures.push(said.map(({ code, message }) => `${code}: ${message}`));
      messages.push(chat.assistant("Done."), chat.user("And now?"));
    }
    const failed =
      "summarizer-failed: The summariser failed (401 bad key). Lines chosen by code are used instead of its summary.";
    expect(failures).toEqual(waitMs === 0 ? [[], [failed], []] : [[failed], [], []]);
  },
);

it("three failures open the circuit for every conversation; it closes by itself", async () => {
  const model = gatedModel({ state: "failing" });
  const stage = createStage({ summarizer: model });
  const conversations = [0, 1, 2, 3, 4].map((number) => {
    const transcript = [chat.system("You help."), chat.user(`Conversation ${number}`), ...talk(200)];
    while (JSON.stringify(transcript).length > 64_500) transcript.pop();
    return [...transcript, chat.user("Go on.")];
  });
  const ask = async (number: number) => {
    const before = model.requests.length;
    const result = await stage.compactor.fit(conversations[number]!, { now: stage.clock.now() });
    expect(result.report.pressure.before).toBeGreaterThan(0.8);
    expect(result.report.pressure.before).toBeLessThan(1);
    await stage.compactor.settled();
    return model.requests.length - before;
  };
  expect([await ask(0), await ask(1), await ask(2)]).toEqual([2, 2, 2]);
  expect(await ask(3)).toBe(0);
  stage.clock.advance(5 * MINUTE + 1);
  model.release();
  expect(await ask(4)).toBe(1);
});

it("an undo suspends until pressure has grown by 0.1, also where the summary is there; the next compaction ends it", async () => {
  const model = gatedModel();
  const stage = createStage({ summarizer: model });
  await stage.fillTo(0.81);
  await stage.fit();
  await stage.compactor.settled();
  expect((await stage.fit()).report.outcome).toBe("compacted");
  stage.clock.advance(SECOND);
  const state = await stage.compactor.undo(stage.transcript, { now: stage.clock.now(), state: stage.state });
  stage.state = state;
  stage.clock.advance(SECOND);
  expect((await stage.fit()).report.outcome).toBe("pass");
  await stage.fillTo(0.88);
  expect((await stage.fit()).report.outcome).toBe("pass");
  await stage.fillTo(0.93);
  stage.clock.advance(SECOND);
  expect((await stage.fit()).report.outcome).toBe("compacted");
  // From here on the ordinary moments count again.
  await stage.fillTo(0.81);
  await stage.fit();
  await stage.compactor.settled();
  expect((await stage.fit()).report.outcome).toBe("compacted");
});

it("with auto off a ready summary waits, and a full budget still compacts", async () => {
  const stage = createStage({ summarizer: gatedModel(), auto: false });
  await stage.fillTo(0.9);
  await stage.compactor.prepare(stage.transcript, { now: stage.clock.now() });
  expect((await stage.fit()).report.outcome).toBe("pass");
  await stage.fillTo(1.01);
  expect((await stage.fit()).report).toMatchObject({ outcome: "compacted", reason: "budget" });
});

it("count triggers fire again only after one more turn, and when the last compaction has paid for itself", async () => {
  const stage = createStage({ triggers: { messages: 5 }, tail: { messages: 5, share: 1 }, landAt: 0.5 });
  const long = (number: number) => `${number}: ${"The soil in this bed is heavy and wet. ".repeat(30)}`;
  for (let turn = 0; turn < 4; turn++)
    stage.transcript.push(chat.user(`Question ${long(turn)}`), chat.assistant(`Answer ${long(turn)}`));
  stage.transcript.push(chat.user("Five."));
  expect((await stage.fit()).report).toMatchObject({ outcome: "compacted", reason: "messages" });
  // The tail alone is at the limit: the same turn doesn't fire again, whatever it adds.
  stage.transcript.push(...chat.round("look", { at: "x" }, "found", "call_1"));
  expect((await stage.fit()).report.outcome).toBe("view");
  stage.transcript.push(...chat.round("look", { at: "y" }, "found", "call_2"));
  expect((await stage.fit()).report.outcome).toBe("view");
  stage.transcript.push(chat.assistant("There."), chat.user("Six."));
  expect((await stage.fit()).report.outcome).toBe("view");
  const outcomes: string[] = [];
  for (let turn = 7; turn < 17 && outcomes.at(-1) !== "compacted messages"; turn++) {
    stage.transcript.push(chat.assistant(`Answer ${long(turn)}`), chat.user(`Question ${turn}.`));
    const { outcome, reason } = (await stage.fit()).report;
    outcomes.push(`${outcome} ${reason}`);
  }
  expect(outcomes.length).toBeGreaterThan(1);
  expect(outcomes.at(-1)).toBe("compacted messages");
});

it.each([
  ["among the messages", true],
  ["apart", false],
])("a message trigger counts the system prompt, as the host's list does (%s)", async (_, isMessage) => {
  const fitted = async (length: number) => {
    const list = [
      { role: "system", content: "You garden." },
      ...Array.from({ length: length - 1 }, (_, n) => ({
        role: n % 2 === 0 ? "user" : "assistant",
        content: `Message ${n}: ${"The soil in this bed is heavy and wet. ".repeat(10)}`,
      })),
    ];
    const compactor = createCompactor<object>({
      dialect: (isMessage ? openaiChat : anthropicMessages) as unknown as Dialect<object>,
      window: 100_000,
      triggers: { messages: 11 },
      tail: { turns: 2 },
    });
    const { report } = await (isMessage
      ? compactor.fit(list)
      : compactor.fit(list.slice(1), { system: "You garden." }));
    return `${report.outcome} ${report.reason}`;
  };
  expect(await fitted(10)).toBe("pass undefined");
  expect(await fitted(12)).toBe("compacted messages");
});

it.each([[[chat.system("You garden.")]], [[]]])(
  "a turn trigger fires at the turn behind its number, the first time and later, with a system message or without (%j)",
  async (head) => {
    const compactor = createCompactor({
      dialect: openaiChat,
      window: 100_000,
      triggers: { turns: 12 },
      tail: { turns: 3 },
    });
    const messages: ChatMessage[] = [...head];
    const fired: string[] = [];
    let state: unknown;
    for (let turn = 1; turn <= 24; turn++) {
      messages.push(chat.user(`Question ${turn}: ${"The soil in this bed is wet. ".repeat(30)}`));
      const fitted = await compactor.fit(messages, { state });
      state = fitted.state;
      if (fitted.report.outcome === "compacted") fired.push(`${turn} ${fitted.report.reason}`);
      messages.push(chat.assistant(`Answer ${turn}: ${"It will dry. ".repeat(60)}`));
    }
    // Three turns stay, so that ten more make it thirteen again.
    expect(fired).toEqual(["13 turns", "23 turns"]);
  },
);

it("waitMs lets a turn wait for its summary, and no longer than that", async () => {
  const quick = createStage({ summarizer: gatedModel(), waitMs: HANGS_AFTER_MS });
  await quick.fillTo(0.81);
  expect((await quick.fit()).report.rungs.at(-1)?.rung).toBe("full");
  const never = gatedModel({ state: "held" });
  const slow = createStage({ summarizer: never, waitMs: 40 });
  await slow.fillTo(0.81);
  const begun = performance.now();
  expect((await slow.fit()).report.outcome).toBe("pass");
  // That it ends at all shows the rest: the model never answers.
  expect(performance.now() - begun).toBeGreaterThanOrEqual(35);
  await slow.compactor.close();
});
