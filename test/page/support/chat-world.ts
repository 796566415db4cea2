import type { Browser } from "playwright-core";
import { routes, urlOf } from "../../../src/gateway/api.ts";
import {
  type FakeProvider,
  type FakeReply,
  type FakeRequest,
  startFakeProvider,
  summarizingReply,
} from "../../../src/testing/fake-provider/index.ts";
import { type ServeHere, serveHere } from "../../gateway/serve-here.ts";
import { compact } from "./actions.ts";
import { connect, type Opened, openPage } from "./browser.ts";

const WINDOW = 4_000;

/** Longer than any test waits (milliseconds). */
const FOREVER_MS = 60_000;

/** A server with a fake model behind it, and a browser. */
export interface ChatWorld {
  readonly provider: FakeProvider;
  readonly serve: ServeHere;
  readonly browser: Browser;
  /** How summaries go at the moment. */
  summaries: "good" | "failing" | "endless";
  /** What the model answers next, once. */
  nextReply: FakeReply | undefined;
  newChat(): Promise<Opened>;
  /** A chat made without the page; `turns` of about 370 tokens each. Eight nearly fill it. */
  fullChat(turns?: number): Promise<Opened>;
  /** A chat that has been compacted, with its divider on screen. */
  compactedChat(): Promise<Opened>;
  /** Says something in a chat without the page, and waits for the end of the answer. */
  sayElsewhere(id: string, text: string): Promise<void>;
  close(): Promise<void>;
}

export async function openChatWorld(): Promise<ChatWorld> {
  const summary = summarizingReply({ when: () => true });
  let made = 0;
  const provider = await startFakeProvider({
    window: WINDOW,
    models: ["gpt-4o", "gpt-4o-mini"],
    async reply(request): Promise<FakeReply> {
      if (isSummary(request)) {
        const text = await summary(request);
        return { text: String(text), ...(world.summaries === "endless" && { delayMs: FOREVER_MS }) };
      }
      const reply = world.nextReply ?? replyTo(request.lastUser);
      world.nextReply = undefined;
      return reply;
    },
    faults: (request) => (world.summaries === "failing" && isSummary(request) ? "unauthorized" : undefined),
  });
  const [serve, browser] = await Promise.all([
    serveHere(["--upstream", provider.url, "--window", String(WINDOW)]),
    connect(),
  ]);
  const post = (path: string, method: string, body: object) =>
    fetch(serve.url + path, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }).then((response) => response.json());
  // Each test says what the model is asked.
  await post(routes.changeSettings.path, "PATCH", { modelTitles: false });
  const world: ChatWorld = {
    provider,
    serve,
    browser,
    summaries: "good",
    nextReply: undefined,
    async newChat() {
      const opened = await openPage(browser, serve.url);
      await opened.tab.getByRole("button", { name: "New chat" }).click();
      await opened.tab.waitForURL(/\/c\//);
      return opened;
    },
    async fullChat(turns = 8) {
      // Records are found by content: the same words would bring an earlier test's compaction along.
      made += 1;
      const messages = Array.from({ length: turns }, (_, turn) => [
        { role: "user", content: `Turn ${turn} of chat ${made}: ${LONG}` },
        { role: "assistant", content: `You said: Turn ${turn}. ${"It is noted. ".repeat(12)}` },
      ]).flat();
      const { conversations } = (await post("/api/import", "POST", {
        name: "garden.json",
        text: JSON.stringify(messages),
      })) as { conversations: { id: string }[] };
      const id = conversations[0]?.id;
      await post(`/api/conversations/${id}`, "PATCH", { model: "gpt-4o" });
      const opened = await openPage(browser, `${serve.url}/c/${id}`);
      await opened.tab.getByText(`You said: Turn ${turns - 1}`).waitFor();
      return opened;
    },
    async compactedChat() {
      const opened = await world.fullChat();
      await compact(opened.tab);
      await opened.tab.getByRole("button", { name: "Show", exact: true }).click();
      await opened.tab.locator(".divider").waitFor();
      return opened;
    },
    async sayElsewhere(id, text) {
      const answer = await fetch(`${serve.url}${urlOf(routes.chat, { id })}`, {
        method: routes.chat.method,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text }),
      });
      await answer.text();
    },
    async close() {
      await serve.stop();
      await provider.close();
    },
  };
  return world;
}

export const LONG = "Please remember that the shed key hangs behind the blue door. ".repeat(25);

const isSummary = ({ messages, lastUser }: FakeRequest) =>
  /summar|condense/i.test(lastUser) ||
  messages.some(({ role, text }) => role === "system" && /summar/i.test(text));

function replyTo(text: string): FakeReply {
  if (/forever/.test(text)) return { text: "Here at last.", delayMs: FOREVER_MS };
  if (/attack/.test(text))
    return 'Look: <img src="https://example.com/x.png" onerror="window.hit=1"> <script>window.hit=2</script> ![pic](https://example.com/y.png) [link](javascript:window.hit=3)';
  if (/table/.test(text))
    return "| Item | Price |\n| --- | ---: |\n| Apple | 3 |\n\n```ts\nconst x: number = 1;\n```";
  return `You said: ${text.slice(0, 40)}. ${"It is noted. ".repeat(12)}`;
}
