/** Pages are told when a summary of a client's conversation begins and ends, and can stop it. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { routes } from "../../src/gateway/api.ts";
import {
  type FakeProvider,
  type FakeRequest,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";
import { apiOf } from "./api-support.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

const WINDOW = 20_000;
const SUMMARY_MS = 400;
const DRAIN_MS = 2 * HANGS_AFTER_MS;
const ANSWER = "The answer is 42.";
let provider: FakeProvider;
let running: Awaited<ReturnType<typeof startGateway>>;
let summaryMs = SUMMARY_MS;
const { call, listen } = apiOf(() => running.url);

const isSummary = ({ messages, lastUser }: FakeRequest) =>
  /summar|condense/i.test(lastUser) ||
  messages.some(({ role, text }) => role === "system" && /summar/i.test(text));

beforeEach(async () => {
  summaryMs = SUMMARY_MS;
  const summary = summarizingReply({ when: () => true });
  provider = await startFakeProvider({
    window: WINDOW,
    async reply(request) {
      if (isSummary(request)) return { text: String(await summary(request)), delayMs: summaryMs };
      return ANSWER;
    },
  });
  running = await start();
});
const start = () =>
  startGateway({
    ...upstreamAt(provider.url),
    window: WINDOW,
    startAt: 0.7,
    limits: { drainMs: DRAIN_MS },
  });
afterEach(async () => {
  await running.close();
  await provider.close();
});

const eventually = <T>(read: () => T) => expect.poll(read);
const turns = (count: number, words: string) =>
  Array.from({ length: count }, (_, n) => ({
    role: n % 2 === 0 ? "user" : "assistant",
    content: `${words}, part ${n}: ${`item ${n} of the list is noted and kept. `.repeat(29)}`,
  }));

async function ask(messages: readonly object[], headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "gpt-4o", messages }),
  });
  expect(response.status).toBe(200);
  await response.text();
}

/** Enough for a summary to be begun, and not so much that a view is needed at once. */
const LONG = 47;

it.each([
  ["that is stored already", 33],
  ["that begins with this request", 0],
])("a conversation %s", async (_, before) => {
  const said = turns(LONG, "First words");
  const all = before > 0 ? said.with(before, { role: "assistant", content: ANSWER }) : said;
  if (before > 0) await ask(all.slice(0, before));
  const live = await listen();
  await ask(all);
  const compacting = () => live.seen.findIndex(({ type }) => type === "compacting");
  await eventually(compacting).toBeGreaterThanOrEqual(0);
  const [found] = (await call(routes.conversations)).conversations;
  const id = found!.id;
  expect(found).toMatchObject({ busy: "compacting" });
  expect(live.seen[compacting()]).toEqual({ type: "compacting", conversation: id, reason: "pressure" });
  const busy = () =>
    live.seen.flatMap((event) =>
      event.type === "conversation" && event.conversation.id === id ? [event.conversation.busy] : [],
    );
  await eventually(() => busy().includes("compacting")).toBe(true);
  await eventually(() => busy().at(-1)).toBeUndefined();
  // Not told to be over while it was not: neither by the answer nor by the messages that were stored meanwhile.
  const written = live.seen.findIndex(({ type }) => type === "timeline");
  const tooEarly = live.seen
    .slice(compacting(), written)
    .flatMap((event) => (event.type === "conversation" ? [event.conversation.busy] : []));
  expect(written).toBeGreaterThan(compacting());
  expect(tooEarly.every((one) => one === "compacting")).toBe(true);
  const { events } = await call(routes.timeline, { params: { id } });
  expect(events.map(({ type }) => type)).toContain("summary");
  expect((await call(routes.conversation, { params: { id } })).busy).toBeUndefined();
  live.stop();
});

it("a summary of a client's conversation can be stopped from the page", async () => {
  summaryMs = 60_000;
  await ask(turns(LONG, "Stop me"));
  const list = async () => (await call(routes.conversations)).conversations[0]!;
  await eventually(async () => (await list()).busy).toBe("compacting");
  const { id } = await list();
  await call(routes.stop, { params: { id } });
  await eventually(async () => (await list()).busy).toBeUndefined();
  const { events } = await call(routes.timeline, { params: { id } });
  expect(events.map(({ type }) => type)).not.toContain("failed");
});

it("a server that ends doesn't wait for the summary of a client's conversation", async () => {
  // Whoever waited for it, or for the end of the server's patience, would hang.
  summaryMs = DRAIN_MS;
  await ask(turns(LONG, "Let me go"));
  await eventually(async () => (await call(routes.conversations)).conversations[0]?.busy).toBe("compacting");
  await running.close();
  running = await start();
});

it("the timeline says what a compaction did otherwise than the settings say, and whose key pays for summaries", async () => {
  const options = JSON.stringify({ tail: { messages: 60 } });
  const said = turns(81, "Long words").with(33, { role: "assistant", content: ANSWER });
  await ask(said.slice(0, 33));
  await ask(said, { "x-precis-options": options });
  const { conversations } = await call(routes.conversations, {});
  const { events } = await call(routes.timeline, { params: { id: conversations[0]!.id } });
  expect(events.find(({ type }) => type === "compacted")).toMatchObject({
    warnings: expect.arrayContaining(["tail-shortened"]) as unknown,
    key: "client",
  });
});
