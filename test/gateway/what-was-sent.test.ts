/** What the page tells of an earlier request is what went out then: a person's words in summaries and quotations included. */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterEach, expect, it } from "vitest";
import { type Past, type Progress, routes } from "../../src/gateway/api.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { apiOf } from "./api-support.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

let gateway: Awaited<ReturnType<typeof startGateway>>;
let provider: FakeProvider;
const { call, events } = apiOf(() => gateway.url);

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const IS_SUMMARY = /summar/i;

/** A chat of the page that was compacted, with a fact in its first message that its view hides. */
async function compactedChat(): Promise<string> {
  provider = await startFakeProvider({
    reply: ({ lastUser }) =>
      IS_SUMMARY.test(lastUser)
        ? "## Summary\nThe user speaks of pumps and wants to hear more about each. Nothing is open. ".repeat(
            3,
          )
        : "Understood.",
  });
  gateway = await startGateway({
    ...upstreamAt(provider.url),
    window: 5_000,
    profile: "agent",
  });
  const { id } = await call(routes.createConversation, { body: { model: "gpt-4o" } });
  await say(id, "We begin with the pumps of the north hall, one by one.");
  await say(
    id,
    `${"The hall has a long history. ".repeat(40)}By the way, the zephyr compressor hums at 417 hertz when idle. ${"Many people worked there. ".repeat(40)}`,
  );
  for (let turn = 0; turn < 16; turn++)
    await say(id, `Turn ${turn}: pump P-${turn}00 leaks. ${"please say more about it. ".repeat(50)}`);
  return id;
}

async function say(id: string, text: string): Promise<void> {
  const told = await events(routes.chat, { params: { id }, body: { text } });
  expect(told.filter(({ type }) => type === "failed")).toEqual([]);
  await gateway.gateway.compactors.settled();
}

/** The newest request: as it was sent, as the page shows it, and its size on the timeline. */
async function lastRequest(id: string) {
  const { messages } = await call(routes.messages, { params: { id } });
  const length = messages.length - 1;
  const view = await call(routes.view, { params: { id }, query: { length } });
  const past = (await events<Progress<Past>>(routes.past, { params: { id } })).at(-1)!;
  if (past.type !== "done") throw new Error(`it ended with ${past.type}`);
  return {
    // Behind it, the next summary may be asked for already.
    sent: JSON.stringify(provider.requests.findLast(({ lastUser }) => !IS_SUMMARY.test(lastUser))!.messages),
    view,
    inserts: view.entries.flatMap((entry) => (entry.type === "insert" ? [entry.text] : [])),
    onTimeline: past.answer.points.find((point) => point.messages === length)?.view,
    events: past.answer.events,
    length,
  };
}

it("a request after a person edited the summary shows the edited words", async () => {
  const id = await compactedChat();
  const before = await lastRequest(id);
  const { summaries } = await call(routes.summaries, { params: { id } });
  const words = "The person wrote that only the amber pump matters.";
  await call(routes.editSummary, { params: { id, key: summaries.at(-1)!.key }, body: { text: words } });
  await say(id, "Which pump was first?");
  const after = await lastRequest(id);
  expect(after.sent).toContain(words);
  expect(after.inserts.join("\n")).toContain(words);
  expect(after.onTimeline).toBe(after.view.tokens.after);
  // Nothing is said to come from another conversation, and what was sent before it stays as it was.
  expect(after.events.filter((event) => event.type === "compacted" && event.isFound)).toEqual([]);
  const length = before.view.entries.reduce(
    (most, entry) => (entry.type === "insert" ? most : Math.max(most, entry.index + 1)),
    0,
  );
  const then = await call(routes.view, { params: { id }, query: { length } });
  expect(JSON.stringify(then.entries)).not.toContain(words);
});

it("a quotation that left a view isn't shown as sent any more, in its rows or on the timeline", async () => {
  let step = 0;
  provider = await startFakeProvider({
    // Counted as we count, so that nothing has to be learned.
    count: (text) => countTokens(text),
    reply: () => `Step ${step++}. ${"I go on with it. ".repeat(8)}`,
  });
  gateway = await startGateway({
    ...upstreamAt(provider.url),
    // Little can be gained from a talk without tools, so that quotations have to leave.
    strategy: "tool-summaries",
    budget: 4_000,
    recall: { auto: true },
  });
  const said = (user: string, assistant: string) => [
    { role: "user", content: user },
    { role: "assistant", content: assistant },
  ];
  const messages = [
    ...Array.from({ length: 12 }, (_, shelf) =>
      said(
        `Where is shelf${shelf}?`,
        `Answer ${shelf}: shelf${shelf} holds box${shelf} in hall${shelf}. ${"That is how it is stored. ".repeat(30)}`,
      ),
    ).flat(),
    ...said("Show the long list.", `The long list: ${"item and item and more ".repeat(420)}`),
    ...said("Thanks 0.", "You are welcome."),
    ...said("Thanks 1.", "You are welcome."),
  ];
  const { conversations } = await call(routes.importFile, {
    body: { name: "shelves.json", text: JSON.stringify({ model: "gpt-4o", messages }) },
  });
  const { id } = conversations[0]!;
  await say(id, "What does shelf3 hold, and which hall3 is it, with box3 and box4 in hall4?");
  const told: { sent: boolean; shown: boolean; compactions: number; length: number; until?: number }[] = [];
  for (let turn = 0; turn < 4; turn++) {
    const { sent, view, inserts, onTimeline, events: happened, length } = await lastRequest(id);
    const isQuoting = (text: string) => text.includes("Quotations from earlier messages");
    const compactions = happened.filter(({ type }) => type === "compacted").length;
    const recalled = happened.find(({ type }) => type === "recalled");
    told.push({
      sent: isQuoting(sent),
      shown: inserts.some(isQuoting),
      compactions,
      length,
      ...(recalled?.until !== undefined && { until: recalled.until }),
    });
    expect(onTimeline).toBe(view.tokens.after);
    await say(id, "ok");
  }
  for (const { sent, shown } of told) expect(shown).toBe(sent);
  expect(told[0]).toMatchObject({ sent: true, compactions: 1 });
  expect(told.some(({ sent, compactions }) => !sent && compactions === 1)).toBe(true);
  // The timeline says when it left: with the first request that went out without it.
  const left = told.find(({ sent }) => !sent)!.length;
  for (const { sent, until } of told) expect(until).toBe(sent ? undefined : left);
});

it("a request that quotes hidden messages shows the quotations, in its rows and its size", async () => {
  const id = await compactedChat();
  await say(id, "At how many hertz does the zephyr compressor hum?");
  const { sent, view, inserts, onTimeline, events: happened, length } = await lastRequest(id);
  expect(sent.includes("Quotations from earlier messages")).toBe(true);
  expect(inserts.filter((text) => text.includes("Quotations from earlier messages"))).toHaveLength(1);
  expect(inserts.join("\n")).toContain("417 hertz");
  expect(onTimeline).toBe(view.tokens.after);
  const [recalled] = happened.filter((event) => event.type === "recalled");
  expect(recalled?.before).toBeLessThan(length);
  expect(recalled?.until).toBeUndefined();
  const { requests } = await call(routes.requests, { query: { from: "page" } });
  expect(Math.abs(view.tokens.after - requests[0]!.tokens!.after)).toBeLessThan(view.tokens.after * 0.05);
  await call(routes.compact, { params: { id }, body: {} });
  await say(id, "Thanks, go on.");
  const after = await lastRequest(id);
  expect(after.sent).not.toContain("Quotations from earlier messages");
  const { until } = after.events.find(({ id }) => id === recalled?.id)!;
  expect(until).toBeGreaterThan(length);
  expect(until).toBeLessThanOrEqual(after.length);
});

it("a compaction has one size on its divider and on the timeline, whatever is quoted behind it", async () => {
  provider = await startFakeProvider({ reply: "Understood." });
  gateway = await startGateway({
    ...upstreamAt(provider.url),
    strategy: "truncate-oldest",
    budget: 4_000,
    recall: { auto: true },
  });
  const messages = Array.from({ length: 24 }, (_, shelf) => [
    { role: "user", content: `Where is shelf${shelf}?` },
    {
      role: "assistant",
      content: `Shelf${shelf} holds box${shelf} in hall${shelf}. ${"That is how it is stored. ".repeat(30)}`,
    },
  ]).flat();
  const { conversations } = await call(routes.importFile, {
    body: { name: "shelves.json", text: JSON.stringify({ model: "gpt-4o", messages }) },
  });
  const { id } = conversations[0]!;
  await say(id, "What does shelf3 hold, box3 of hall3?");
  const params = { id };
  const { dividers } = await call(routes.messages, { params });
  const { events: happened } = await call(routes.timeline, { params });
  expect(happened.map(({ type }) => type)).toEqual(expect.arrayContaining(["compacted", "recalled"]));
  const [made] = happened.filter((event) => event.type === "compacted");
  expect(made?.tokens.after).toBe(dividers.at(-1)!.tokens.after);
});

it("meter and inspector are one while a question that will be quoted something waits for its view", async () => {
  provider = await startFakeProvider({ reply: "Understood." });
  gateway = await startGateway({
    ...upstreamAt(provider.url),
    strategy: "truncate-oldest",
    budget: 4_000,
    recall: { auto: true },
  });
  const messages = Array.from({ length: 24 }, (_, shelf) => [
    { role: "user", content: `Where is shelf${shelf}?` },
    {
      role: "assistant",
      content: `Shelf${shelf} holds box${shelf} in hall${shelf}. ${"That is how it is stored. ".repeat(30)}`,
    },
  ]).flat();
  const { conversations } = await call(routes.importFile, {
    body: { name: "shelves.json", text: JSON.stringify({ model: "gpt-4o", messages }) },
  });
  const { id } = conversations[0]!;
  await say(id, "Thanks, go on.");
  const before = await call(routes.pressure, { params: { id } });
  await call(routes.appendMessage, {
    params: { id },
    body: { role: "user", text: "What does shelf3 hold, box3 of hall3?" },
  });
  const view = await call(routes.view, { params: { id } });
  expect(JSON.stringify(view.entries)).toContain("Quotations from earlier messages");
  const meter = await call(routes.pressure, { params: { id } });
  expect({ tokens: meter.tokens, pressure: meter.pressure }).toEqual({
    tokens: view.tokens.after,
    pressure: view.pressure.after,
  });
  expect(Object.values(meter.fill).reduce((sum, tokens) => sum + tokens, 0)).toBe(meter.tokens);
  expect(meter.fill.summary).toBeGreaterThan(before.fill.summary);
});
