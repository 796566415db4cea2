/** What the page leans on beside plain answers: work that outlives its page, and being told about every end of it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ApiConversation,
  type ChatEvent,
  type Past,
  type Progress,
  routes,
} from "../../src/gateway/api.ts";
import {
  type FakeProvider,
  type FakeRequest,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import { startTrickleProvider } from "../support/trickle-provider.ts";
import { apiOf } from "./api-support.ts";
import { type ServeHere, serveHere } from "./serve-here.ts";

const WINDOW = 4_000;
const SLOW_MS = 600;
let provider: FakeProvider;
let serve: ServeHere;
let summaries: "good" | "failing" = "good";
const { call, events, raw, listen } = apiOf(() => serve.url);

const isSummary = ({ messages, lastUser }: FakeRequest) =>
  /summar|condense/i.test(lastUser) ||
  messages.some(({ role, text }) => role === "system" && /summar/i.test(text));

beforeAll(async () => {
  const summary = summarizingReply({ when: () => true });
  provider = await startFakeProvider({
    window: WINDOW,
    models: ["gpt-4o", "gpt-4o-mini"],
    async reply(request) {
      if (isSummary(request)) return { text: String(await summary(request)) };
      if (/slowly/.test(request.lastUser)) return { text: "Slow but here.", delayMs: SLOW_MS };
      return "The answer is 42.";
    },
    faults: (request) =>
      (summaries === "failing" && isSummary(request)) || /break/.test(request.lastUser)
        ? "unauthorized"
        : undefined,
  });
  serve = await serveHere(["--upstream", provider.url, "--window", String(WINDOW)]);
});
afterAll(async () => {
  await serve.stop();
  await provider.close();
});

let made = 0;
async function imported(turns: number, system?: string): Promise<ApiConversation> {
  made += 1;
  const messages = [
    ...(system === undefined ? [] : [{ role: "system", content: system }]),
    ...Array.from({ length: turns }, (_, turn) => [
      { role: "user", content: `Chat ${made}, question ${turn}: ${`item ${turn} of the list? `.repeat(40)}` },
      { role: "assistant", content: `Answer ${turn}. ${"It is noted. ".repeat(12)}` },
    ]).flat(),
  ];
  const { conversations } = await call(routes.importFile, {
    body: { name: "list.json", text: JSON.stringify({ model: "gpt-4o", messages }) },
  });
  return conversations[0]!;
}

const eventually = <T>(read: () => T) => expect.poll(read);
const newChat = () => call(routes.createConversation, { body: { model: "gpt-4o" } });

describe("an answer", () => {
  it("is written to its end when its page has gone away, and other pages see it grow", async () => {
    const words = Array.from({ length: 12 }, (_, n) => `word${n}`);
    const model = await startTrickleProvider({ words });
    const other = await serveHere(["--upstream", model.url, "--window", String(WINDOW)]);
    const api = apiOf(() => other.url);
    try {
      const { id } = await api.call(routes.createConversation, { body: { model: "gpt-4o" } });
      const page = new AbortController();
      model.hold();
      const asked = await api.raw(routes.chat, {
        params: { id },
        body: { text: "Go on." },
        signal: page.signal,
      });
      await asked.body?.getReader().read();
      page.abort();
      // A page that comes in the middle is told what is there already, and what comes.
      const late = await api.listen();
      const grown = () => late.seen.flatMap((event) => (event.type === "answer" ? [event.text] : []));
      await eventually(() => grown().at(-1)).toBe("word0 word1 word2 word3 word4 word5");
      model.hold(8);
      await eventually(() => grown().at(-1)).toBe("word0 word1 word2 word3 word4 word5 word6 word7");
      model.goOn();
      const last = () =>
        late.seen.findLast((event) => event.type === "conversation" && event.conversation.id === id);
      await eventually(() => {
        const event = last();
        return event?.type === "conversation" && [event.conversation.busy, event.conversation.messages];
      }).toEqual([undefined, 2]);
      const { messages } = await api.call(routes.messages, { params: { id } });
      expect(messages.at(-1)?.parts).toEqual([{ type: "text", text: words.join(" ") }]);
      late.stop();
    } finally {
      await other.stop();
      await model.close();
    }
  });

  it("that failed leaves nobody thinking that it is still being written", async () => {
    const { id } = await newChat();
    const live = await listen();
    const told = await events<ChatEvent>(routes.chat, { params: { id }, body: { text: "break, please" } });
    expect(told.at(-1)?.type).toBe("failed");
    const busy = () =>
      live.seen.flatMap((event) =>
        event.type === "conversation" && event.conversation.id === id ? [event.conversation.busy] : [],
      );
    await eventually(() => busy().at(-1)).toBeUndefined();
    expect(busy()).toContain("answering");
    live.stop();
  });

  it("to an edited question can be stopped", async () => {
    const { id } = await newChat();
    await events(routes.chat, { params: { id }, body: { text: "first" } });
    const live = await listen();
    const edited = events<ChatEvent>(routes.editMessage, {
      params: { id, index: 0 },
      body: { text: "answer slowly" },
    });
    const answering = () =>
      live.seen.findLast(
        (event) =>
          event.type === "conversation" &&
          event.conversation.id === id &&
          event.conversation.busy === "answering",
      );
    await eventually(answering).toBeDefined();
    await call(routes.stop, { params: { id } });
    expect((await edited).at(-1)?.type).toBe("stopped");
    live.stop();
  });
});

describe("a compaction", () => {
  it("by hand is announced when it begins and when it has ended", async () => {
    const { id } = await imported(10);
    const live = await listen();
    const { outcome } = await call(routes.compact, { params: { id }, body: {} });
    expect(outcome).toBe("compacted");
    const busy = () =>
      live.seen.flatMap((event) =>
        event.type === "conversation" && event.conversation.id === id ? [event.conversation.busy] : [],
      );
    await eventually(() => busy().at(-1)).toBeUndefined();
    expect(busy()).toContain("compacting");
    live.stop();
  });

  it("whose summary fails says so, in its answer and on the timeline, with what was done instead", async () => {
    const { id } = await imported(10);
    summaries = "failing";
    try {
      for (const answer of [
        await call(routes.compact, { params: { id }, body: {} }),
        await call(routes.rebuild, { params: { id } }),
      ]) {
        expect(answer).toMatchObject({ outcome: "compacted", failed: { fallback: "extractive" } });
        expect(answer.failed?.message).toMatch(/^precis: model gpt-4o: .* 401.* Check the API key/);
      }
    } finally {
      summaries = "good";
    }
    const { events: told } = await call(routes.timeline, { params: { id } });
    const compacted = told.filter((event) => event.type === "compacted");
    expect(compacted.map(({ failed }) => failed)).toEqual([
      expect.stringContaining("401"),
      expect.stringContaining("401"),
    ]);
    const failed = async () =>
      (await call(routes.timeline, { params: { id } })).events.find(({ type }) => type === "failed");
    await eventually(failed).toMatchObject({ type: "failed", fallback: "extractive" });
    const good = await call(routes.rebuild, { params: { id } });
    expect(good.outcome).toBe("compacted");
    expect(good).not.toHaveProperty("failed");
  });

  it("of a few words is not made: there is nothing to gain, and nothing is forgotten", async () => {
    const { id } = await newChat();
    for (const text of ["Hello.", "How are you?", "Fine."])
      await events(routes.chat, { params: { id }, body: { text } });
    for (const answer of [
      await call(routes.compact, { params: { id }, body: {} }),
      await call(routes.rebuild, { params: { id } }),
    ]) {
      expect(answer).toMatchObject({ outcome: "nothing-to-gain", view: { outcome: "pass" } });
      expect(answer.view.entries.map(({ type }) => type)).toEqual(Array(6).fill("keep"));
    }
    const { events: told } = await call(routes.timeline, { params: { id } });
    expect(told.filter(({ type }) => type === "compacted")).toEqual([]);
  });

  it("is not seen in views of the time before it", async () => {
    const { id, messages } = await imported(12, "Be brief.");
    await call(routes.compact, { params: { id }, body: {} });
    const now = await call(routes.view, { params: { id } });
    expect(now.entries.some(({ type }) => type === "insert")).toBe(true);
    const early = await call(routes.view, { params: { id }, query: { length: 3 } });
    expect(early.entries.map((entry) => (entry.type === "keep" ? entry.index : -1))).toEqual([-1, 0, 1, 2]);
    // The checkpoint stands on messages that were all there shortly before it was made, too.
    const justBefore = await call(routes.view, { params: { id }, query: { length: messages - 1 } });
    expect(justBefore.outcome).not.toBe("view");
    const whatIf = await call(routes.whatIf, { params: { id }, body: { length: 4, window: 100_000 } });
    expect(whatIf.entries).toHaveLength(5);
  });
});

describe("messages", () => {
  it("tell how many leading system messages summaries count, and page from the end", async () => {
    const { id, messages } = await imported(5, "Be brief.");
    const page = await call(routes.messages, { params: { id }, query: { last: 3 } });
    expect(page).toMatchObject({ lead: 1, total: messages, from: messages - 3 });
    expect(page.messages.map(({ index }) => index)).toEqual([messages - 3, messages - 2, messages - 1]);
  });

  it("of a file that names no model are shown, measured and compacted although there is an upstream", async () => {
    const text = JSON.stringify(
      Array.from({ length: 30 }, (_, n) => ({
        role: n % 2 === 0 ? "user" : "assistant",
        content: `Nameless message ${n}: ${"and so on, and so forth. ".repeat(20)}`,
      })),
    );
    const { conversations } = await call(routes.importFile, { body: { name: "plain.json", text } });
    const params = { id: conversations[0]!.id };
    expect((await call(routes.messages, { params })).total).toBe(30);
    expect((await call(routes.pressure, { params })).tokens).toBeGreaterThan(0);
    expect((await call(routes.compact, { params, body: {} })).outcome).toBe("compacted");
  });

  it("show what became of them after each change: compacted, pinned, undone", async () => {
    const { id } = await imported(12);
    const fates = async () =>
      (await call(routes.messages, { params: { id } })).messages.map(({ fate }) => fate.type);
    expect(new Set(await fates())).toEqual(new Set(["kept"]));
    await call(routes.compact, { params: { id }, body: {} });
    const hidden = (await fates()).indexOf("covered");
    expect(hidden).toBeGreaterThanOrEqual(0);
    await call(routes.undoCompaction, { params: { id } });
    expect(new Set(await fates())).toEqual(new Set(["kept"]));
    await call(routes.compact, { params: { id }, body: { focus: "the list" } });
    const { hash } = (await call(routes.messages, { params: { id } })).messages[hidden]!;
    await call(routes.changeConversation, { params: { id }, body: { pins: [hash] } });
    expect((await fates())[hidden]).toBe("kept");
  });
});

describe("replay", () => {
  it("tells what the prompt cache holds and what each request costs, in the conversation's own window", async () => {
    const { id, messages } = await imported(12, "Be brief.");
    const { runs } = await call(routes.replay, {
      body: { conversation: id, policies: [{ name: "now" }], prices: "gpt-4o" },
    });
    const { points, cost } = runs[0]!;
    const pressure = await call(routes.pressure, { params: { id } });
    expect(points.at(-1)?.budget).toBe(pressure.budget.budget);
    // Leading system messages aren't counted: the last request was before the last answer.
    expect(points.at(-1)?.messages).toBe(messages - 1);
    expect(points[0]?.cached).toBe(0);
    expect(points[1]!.cached!).toBeGreaterThan(0);
    const after = points.findIndex(({ compacted }) => compacted);
    expect(points[after]!.cached!).toBeLessThan(points[after]!.view / 2);
    expect(cost?.view).toBeCloseTo(
      points.reduce((sum, point) => sum + point.cost!, 0),
      10,
    );
  });
});

describe("settings", () => {
  it("take tail, summariser and its cap, and refuse what can't be", async () => {
    const { id } = await imported(12);
    const params = { id };
    await call(routes.changeConversation, {
      params,
      body: { settings: { tail: 0.2, summarizer: "extractive", summaryCap: 300 } },
    });
    const before = provider.requests.length;
    const { report } = await call(routes.compact, { params, body: {} });
    expect(report?.outcome).toBe("compacted");
    expect(provider.requests).toHaveLength(before);
    await call(routes.changeConversation, { params, body: { settings: { summarizer: "gpt-4o-mini" } } });
    await call(routes.rebuild, { params });
    expect(provider.requests.slice(before).map(({ model }) => model)).toContain("gpt-4o-mini");
    const bad = await raw(routes.changeConversation, { params, body: { settings: { tail: 3 } } });
    expect(bad.status).toBe(400);
    // As short as the library takes it.
    await call(routes.changeConversation, { params, body: { settings: { summaryCap: 50 } } });
    const tooShort = await raw(routes.changeConversation, { params, body: { settings: { summaryCap: 49 } } });
    expect(tooShort.status).toBe(400);
    expect((await call(routes.settings)).given).toMatchObject({
      builtIn: { tail: 0.4, summarizer: "same", summaryCap: 6_000 },
      config: { window: WINDOW },
      profiles: { agent: { summaryTemperature: 0 }, rag: { summaryCap: 800, triggerMessages: 11 } },
    });
  });
});

describe("the past", () => {
  it("is replayed apart from what happened, and single views of the replay are the same", async () => {
    const { id } = await imported(14, "Be brief.");
    const { runs } = await call(routes.replay, {
      body: { conversation: id, policies: [{ name: "as set" }], asSet: true },
    });
    const { points, compactions } = runs[0]!;
    expect(compactions).toBeGreaterThan(0);
    for (const { messages, view, budget } of points) {
      expect(view).toBeLessThanOrEqual(budget);
      const then = await call(routes.view, { params: { id }, query: { length: messages, replayed: true } });
      expect({ messages, tokens: then.tokens.after }).toEqual({ messages, tokens: view });
    }
  });

  it("tells what was recorded and nothing else: compactions where they were, undone ones no longer standing", async () => {
    const { id } = await imported(14, "Be brief.");
    const params = { id };
    const recorded = async () => {
      const all = await events<Progress<Past>>(routes.past, { params });
      const last = all.at(-1)!;
      if (last.type !== "done") throw new Error(`it ended with ${last.type}`);
      return last.answer;
    };
    const untouched = await recorded();
    expect(untouched.events).toEqual([]);
    // It outgrew its window long ago, but nobody has sent anything: no compaction is made up.
    expect(untouched.points.every(({ view, transcript }) => view === transcript)).toBe(true);
    await call(routes.compact, { params, body: {} });
    const { report } = await call(routes.compact, { params, body: {} });
    expect(report).toBeDefined();
    const compacted = await recorded();
    expect(compacted.events.find(({ type }) => type === "compacted")?.messages).toBe(28);
    const now = compacted.points.at(-1)!;
    expect(now).toMatchObject({ messages: 28 });
    expect(now.view).toBeLessThan(now.transcript);
    const sent = await call(routes.view, { params, query: { length: 28 } });
    expect(sent.entries.some(({ type }) => type === "insert")).toBe(true);
    // What was sent before it is what it was.
    const before = await call(routes.view, { params, query: { length: 27 } });
    expect(before.entries.every(({ type }) => type === "keep")).toBe(true);
    const compactions = compacted.events.filter(({ type }) => type === "compacted").length;
    for (let n = 0; n < compactions; n++) await call(routes.undoCompaction, { params });
    const undone = await recorded();
    expect(undone.events.map(({ type }) => type)).toContain("undone");
    expect(undone.points.at(-1)).toMatchObject({ messages: 28, view: now.transcript });
  });

  it("of a fork begins with what happened before the fork", async () => {
    const { id } = await imported(14);
    await call(routes.compact, { params: { id }, body: {} });
    const fork = await call(routes.fork, { params: { id }, body: { length: 28 } });
    const all = await events<Progress<Past>>(routes.past, { params: { id: fork.id } });
    const last = all.at(-1)!;
    if (last.type !== "done") throw new Error(`it ended with ${last.type}`);
    expect(last.answer.events.map(({ type }) => type)).toContain("compacted");
    const now = last.answer.points.at(-1)!;
    expect(now.view).toBeLessThan(now.transcript);
  });
});
