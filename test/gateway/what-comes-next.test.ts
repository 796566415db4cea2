/** What the page is told comes true: a compaction that starts, one that gains nothing, settings that work. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routes } from "../../src/gateway/api.ts";
import {
  type FakeProvider,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import { apiOf } from "./api-support.ts";
import { type ServeHere, serveHere } from "./serve-here.ts";

let provider: FakeProvider;
let serve: ServeHere;
const { call, raw, events } = apiOf(() => serve.url);

beforeAll(async () => {
  provider = await startFakeProvider({
    window: 64_000,
    models: ["gpt-4o"],
    reply: summarizingReply({ otherwise: "The answer is 42." }),
  });
  serve = await serveHere(["--upstream", provider.url, "--window", "32000"]);
});
afterAll(async () => {
  await serve?.stop();
  await provider?.close();
});

let made = 0;
/** Turns of about 420 tokens. */
async function chatOf(turns: number, settings: object = {}): Promise<string> {
  made += 1;
  const messages = Array.from({ length: turns }, (_, turn) => [
    {
      role: "user",
      content: `Chat ${made}, turn ${turn}: ${"the shed key hangs behind the blue door. ".repeat(35)}`,
    },
    { role: "assistant", content: `Noted ${turn}. ${"It is noted. ".repeat(12)}` },
  ]).flat();
  const { conversations } = await call(routes.importFile, {
    body: { name: "shed.json", text: JSON.stringify(messages) },
  });
  const { id } = conversations[0]!;
  await call(routes.changeConversation, { params: { id }, body: { model: "gpt-4o", settings } });
  return id;
}
const pressure = (id: string) => call(routes.pressure, { params: { id } });

it("a file that was just opened is compacted without a model: nobody has said anything yet", async () => {
  const id = await chatOf(80);
  const before = provider.requests.length;
  const { report } = await call(routes.compact, { params: { id }, body: { whenDue: true } });
  expect(report).toMatchObject({ outcome: "compacted", modelCalls: [] });
  await call(routes.conversations, {});
  expect(provider.requests.slice(before).filter(({ path }) => /completions/.test(path))).toEqual([]);
});

it("an answer says which model wrote it, when and for how much, in whichever piece of the transcript it is read", async () => {
  const id = await chatOf(2);
  await events(routes.chat, { params: { id }, body: { text: "And now?" } });
  for (const query of [{ last: 200 }, { from: 0, to: 100 }]) {
    const { messages } = await call(routes.messages, { params: { id }, query });
    expect(messages.map(({ request }) => request?.model)).toEqual([...Array(5).fill(undefined), "gpt-4o"]);
    const { request } = messages.at(-1)!;
    expect(request!.usage!.output).toBeGreaterThan(0);
    expect(request!.spend).toBeGreaterThan(0);
    expect((await call(routes.requestRecord, { params: { id: request!.id } })).conversation).toBe(id);
  }
});

it("a compaction by hand takes no more of the model than was said before, and its row knows what it cost", async () => {
  const id = await chatOf(80, { window: 40_000 });
  await call(routes.compact, { params: { id }, body: { whenDue: true } });
  const { summary } = await pressure(id);
  await call(routes.compact, { params: { id }, body: {} });
  const of = async (from: "summary" | "compaction") =>
    (await call(routes.requests, { query: { conversation: id, from } })).requests;
  const read = (await of("summary")).reduce((sum, { usage }) => sum + (usage?.input ?? 0), 0);
  // What code had written a summary of is read by the model from the originals.
  expect(read).toBeGreaterThan(20_000);
  expect(read).toBeLessThanOrEqual(summary!.input);
  const paid = (await of("summary")).reduce((sum, { spend = 0 }) => sum + spend, 0);
  const byHand = (await of("compaction")).find(({ path }) => path === "compaction");
  expect(paid).toBeGreaterThan(0);
  expect(byHand?.spend).toBeCloseTo(paid, 6);
});

describe("the meter", () => {
  it("says that there is nothing to gain where compaction starts and never brings anything", async () => {
    const turns = 80;
    const id = await chatOf(turns, { window: 40_000 });
    const { messages } = await call(routes.messages, { params: { id } });
    const pins = messages.map(({ hash }) => hash);
    await call(routes.changeConversation, { params: { id }, body: { pins } });
    const { pressure: full, startsAt, next } = await pressure(id);
    expect(full).toBeGreaterThan(startsAt);
    expect(next).toBe("nothing-to-gain");
    expect((await pressure(id)).isAllPinned).toBe(true);
    const said = await events(routes.chat, { params: { id }, body: { text: "And now?" } });
    expect(said.find(({ type }) => type === "view")).toMatchObject({ outcome: "nothing-to-gain" });
    const tried = await call(routes.whatIf, { params: { id }, body: { window: 41_000 } });
    expect(tried.outcome).toBe("pass");
  });

  it("says that everything is pinned where a small window with a model waits for that", async () => {
    const turns = 56;
    const id = await chatOf(turns);
    const { messages } = await call(routes.messages, { params: { id } });
    const pins = messages.map(({ hash }) => hash);
    await call(routes.changeConversation, { params: { id }, body: { pins } });
    const told = await pressure(id);
    expect(told.pressure).toBeGreaterThan(told.startsAt);
    expect(told).toMatchObject({ next: "held", isAllPinned: true });
    const { warnings } = await call(routes.view, { params: { id } });
    expect(warnings).toMatchObject([
      {
        code: "all-pinned",
        message: expect.stringMatching(/every message before the newest turn is pinned.*Unpin/),
      },
    ]);
  });

  it("says nothing of the next answer while compaction is far", async () => {
    expect((await pressure(await chatOf(2))).next).toBeUndefined();
  });

  it("foretells a compaction, and that one that was undone waits", async () => {
    const id = await chatOf(40, { startAt: 0.5, summarizer: "extractive" });
    expect((await pressure(id)).next).toBe("compaction");
    await call(routes.compact, { params: { id }, body: { whenDue: true } });
    expect((await pressure(id)).next).toBeUndefined();
    await call(routes.undoCompaction, { params: { id } });
    expect((await pressure(id)).next).toBe("held");
  });

  it("says that a last message which doesn't fit can't be sent, instead of foretelling a summary", async () => {
    const id = await chatOf(2, { window: 1_000, reserve: 100 });
    await events(routes.chat, { params: { id }, body: { text: "a long word ".repeat(1_000) } });
    expect((await pressure(id)).next).toBe("impossible");
  });
});

it("a compaction by hand that is asked for again, with nothing said since, leaves the view as it is", async () => {
  const id = await chatOf(8);
  const first = await call(routes.compact, { params: { id }, body: {} });
  expect(first.outcome).toBe("compacted");
  for (let time = 0; time < 3; time++) {
    const again = await call(routes.compact, { params: { id }, body: {} });
    expect(again).toMatchObject({
      outcome: "nothing-to-gain",
      isJustCompacted: true,
      view: { tokens: { after: first.view.tokens.after } },
    });
  }
  // What if says the same; another strategy is another question.
  const tried = await call(routes.whatIf, { params: { id }, body: { force: true } });
  expect(tried).toMatchObject({ isJustCompacted: true, tokens: { after: first.view.tokens.after } });
  const otherwise = await call(routes.whatIf, {
    params: { id },
    body: { force: true, strategy: "truncate-oldest" },
  });
  expect(otherwise.isJustCompacted).toBeUndefined();
  const focused = await call(routes.compact, { params: { id }, body: { focus: "the blue door" } });
  expect(focused.outcome).toBe("compacted");
  const other = await chatOf(8);
  await call(routes.compact, { params: { id: other }, body: {} });
  await events(routes.chat, {
    params: { id: other },
    body: { text: `And this? ${"More of it. ".repeat(200)}` },
  });
  expect((await call(routes.compact, { params: { id: other }, body: {} })).outcome).toBe("compacted");
});

describe("settings that can't work are refused with the fix, and what was set stays", () => {
  const refused = [
    ["a window that the reserve takes whole", { window: 1_000, reserve: 2_000 }],
    ["a reserve of all of the window", { reserve: 1 }],
    ["a window of nothing", { window: 0 }],
    ["a negative cap", { budget: -5 }],
  ] as const;

  it.each(refused)("of one chat: %s", async (_, settings) => {
    const id = await chatOf(1, { tail: 0.3 });
    const answer = await raw(routes.changeConversation, { params: { id }, body: { settings } });
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { error: { fix: string } }).error.fix).toMatch(/\w/);
    expect((await call(routes.conversation, { params: { id } })).settings).toEqual({ tail: 0.3 });
  });

  it.each(refused)("of all chats: %s", async (_, body) => {
    const answer = await raw(routes.changeSettings, { body });
    expect(answer.status).toBe(400);
    expect((await call(routes.settings)).settings).toEqual({});
  });
});
