import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { StoreError } from "../../src/core/errors.ts";
import type { ConversationStore, ServerStore } from "../../src/stores/server-store.ts";
import { memoryServerStore } from "../../src/stores/sqlite.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { startUpstream } from "./own-upstream.ts";

let provider: FakeProvider;
beforeEach(async () => {
  provider = await startFakeProvider({ window: 8_000, reply: ({ number }) => `Answer ${number}.` });
});
afterEach(() => provider.close());

/** A store whose conversations can't be reached while `away`, and that never takes what has the words `refused`. */
function failing(store: ServerStore, refused?: { readonly words: string; readonly error: Error }) {
  const control = { store, away: false };
  const refuse = () => {
    throw new StoreError({ message: "the disk is full.", fix: "Make room.", operation: "append" });
  };
  const conversations = new Proxy(store.conversations, {
    get(of, name: keyof ConversationStore) {
      const method = of[name] as (...args: unknown[]) => unknown;
      return async (...args: unknown[]) => {
        if (control.away) refuse();
        if (refused && name === "append" && JSON.stringify(args).includes(refused.words)) throw refused.error;
        return method.apply(of, args);
      };
    },
  });
  control.store = new Proxy(store, {
    get: (of, name) => (name === "conversations" ? conversations : Reflect.get(of, name)),
  }) as ServerStore;
  return control;
}

interface Turn {
  readonly role: string;
  readonly content: string;
}

async function say(url: string, chat: Turn[], words: string, stream = false): Promise<void> {
  chat.push({ role: "user", content: words });
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", messages: chat, stream }),
  });
  expect(response.status).toBe(200);
  const text = await response.text();
  const content = stream
    ? [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join("")
    : (JSON.parse(text) as { choices: { message: Turn }[] }).choices[0]!.message.content;
  chat.push({ role: "assistant", content });
}

async function storedChats(store: ServerStore): Promise<string[][]> {
  const { conversations } = await store.conversations.list("default");
  const chats = await Promise.all(
    conversations.map(async ({ id }) => {
      const messages = await store.conversations.read("default", id);
      return messages.map(({ wire }) => (JSON.parse(wire) as Turn).content);
    }),
  );
  return chats.sort((a, b) => a[0]!.localeCompare(b[0]!));
}

const storeError = (fields: { cause?: unknown } = {}) =>
  new StoreError({
    message: "the name can't be stored.",
    fix: "Use another.",
    operation: "append",
    ...fields,
  });

it.each([
  ["the store's own rules refuse it", storeError(), 0],
  ["the database can't hold its characters", storeError({ cause: { code: "22021" } }), 0],
  ["an error that nobody foresaw", new TypeError("x is undefined"), 1],
])(
  "an answer that can never be stored keeps no other from being stored: %s",
  async (_, error, waiting) => {
    const memory = memoryServerStore();
    const control = failing(memory, { words: "poison", error });
    const gateway = await startGateway(upstreamAt(provider.url), { store: control.store });
    try {
      await say(gateway.url, [], "poison");
      const [first, second] = [[], []] as Turn[][];
      control.away = true;
      await say(gateway.url, first!, "first: hello");
      await say(gateway.url, second!, "second: hello");
      control.away = false;
      await expect
        .poll(() => metric(gateway.url, "precis_unstored_answers"), { timeout: 30_000 })
        .toBeLessThanOrEqual(waiting);
      await expect.poll(() => storedChats(memory)).toHaveLength(2);
      expect(await storedChats(memory)).toEqual(
        [first!, second!].map((chat) => chat.map(({ content }) => content)),
      );
      expect(await metric(gateway.url, "precis_lost_answers_total")).toBe(1 - waiting);
      await gateway.gateway.spill!.end();
      expect(await metric(gateway.url, "precis_lost_answers_total")).toBe(1);
    } finally {
      await gateway.close();
    }
  },
  60_000,
);

const metric = async (url: string, name: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)`, "m").exec(text)?.[1]);
};

it("an answer that is stored at last, while its client already goes on, is no conversation of its own", async () => {
  const memory = memoryServerStore();
  const control = failing(memory);
  let asked = Promise.withResolvers<void>();
  let answer = Promise.withResolvers<void>();
  answer.resolve();
  const there = await startUpstream(async (_, __, response) => {
    asked.resolve();
    await answer.promise;
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", content: "Yes." } }] }),
    );
  });
  const gateway = await startGateway(upstreamAt(there.url), { store: control.store });
  try {
    const chat: Turn[] = [];
    control.away = true;
    await say(gateway.url, chat, "Are you there?");
    control.away = false;
    asked = Promise.withResolvers();
    answer = Promise.withResolvers();
    const goingOn = say(gateway.url, chat, "And now?");
    await asked.promise;
    await gateway.gateway.spill!.end();
    answer.resolve();
    await goingOn;
    expect(await storedChats(memory)).toEqual([chat.map(({ content }) => content)]);
  } finally {
    await gateway.close();
    await there.close();
  }
});

it("what clients got while the store was away is stored when it is back, once and in order", async () => {
  const memory = memoryServerStore();
  const control = failing(memory);
  const gateway = await startGateway(upstreamAt(provider.url), { store: control.store });
  try {
    const [first, second, third] = [[], [], []] as Turn[][];
    await say(gateway.url, first!, "first: hello");
    control.away = true;
    await say(gateway.url, first!, "first: are you there?");
    await say(gateway.url, second!, "second: hello", true);
    await say(gateway.url, second!, "second: and more");
    await say(gateway.url, third!, "third: only once");
    const ready = (await (await fetch(`${gateway.url}/readyz`)).json()) as { unstoredAnswers?: number };
    // The second chat's later request repeats its first one.
    expect(ready.unstoredAnswers).toBe(3);
    expect(await metric(gateway.url, "precis_unstored_answers")).toBe(3);
    control.away = false;
    await say(gateway.url, third!, "third: once more");
    await gateway.gateway.spill!.end();
    expect(await storedChats(memory)).toEqual(
      [first!, second!, third!].map((chat) => chat.map(({ content }) => content)),
    );
    expect(await metric(gateway.url, "precis_lost_answers_total")).toBe(0);
  } finally {
    await gateway.close();
  }
});

it("the spill empties by itself", async () => {
  const memory = memoryServerStore();
  const control = failing(memory);
  const gateway = await startGateway(upstreamAt(provider.url), { store: control.store });
  try {
    const chat: Turn[] = [];
    control.away = true;
    await say(gateway.url, chat, "hello");
    control.away = false;
    await expect.poll(() => gateway.gateway.spill!.waiting, { timeout: 30_000 }).toBe(0);
    expect(await storedChats(memory)).toEqual([chat.map(({ content }) => content)]);
  } finally {
    await gateway.close();
  }
});

it("what doesn't fit the spill, and what is left at the end, is counted as lost", async () => {
  const memory = memoryServerStore();
  const control = failing(memory);
  const gateway = await startGateway(
    { ...upstreamAt(provider.url) },
    { store: control.store, spillBytes: 4_096 },
  );
  try {
    control.away = true;
    for (let n = 0; n < 6; n++) await say(gateway.url, [], `chat ${n}: ${"word ".repeat(200)}`);
    const waiting = gateway.gateway.spill!.waiting;
    expect(waiting).toBeGreaterThan(0);
    expect(waiting).toBeLessThan(6);
    expect(await metric(gateway.url, "precis_lost_answers_total")).toBe(6 - waiting);
    await gateway.gateway.spill!.end();
    expect(await metric(gateway.url, "precis_lost_answers_total")).toBe(6);
  } finally {
    control.away = false;
    await gateway.close();
  }
});

it("a store that hangs holds no client for long, and gets the answers when it goes on", async () => {
  const memory = memoryServerStore();
  let goOn: (() => void) | undefined;
  let hanging: Promise<void> | undefined;
  const hung = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(of, name: string) {
        const method: unknown = Reflect.get(of, name);
        if (typeof method !== "function") return method;
        return async (...args: unknown[]) => {
          await hanging;
          return method.apply(of, args) as unknown;
        };
      },
    });
  const store: ServerStore = {
    ...memory,
    conversations: hung(memory.conversations),
    records: (tenant) => hung(memory.records(tenant)),
  };
  const gateway = await startGateway(upstreamAt(provider.url), { store });
  try {
    const [first, second] = [[], []] as Turn[][];
    await say(gateway.url, first!, "first: hello");
    hanging = new Promise((resolve) => {
      goOn = resolve;
    });
    // The store hangs until all of these are answered.
    await say(gateway.url, first!, "first: are you there?");
    await say(gateway.url, second!, "second: hello", true);
    await say(gateway.url, first!, "first: and now?");
    expect(await metric(gateway.url, "precis_unstored_answers")).toBe(2);
    goOn?.();
    hanging = undefined;
    await expect.poll(() => metric(gateway.url, "precis_unstored_answers"), { timeout: 30_000 }).toBe(0);
    expect(await storedChats(memory)).toEqual(
      [first!, second!].map((chat) => chat.map(({ content }) => content)),
    );
  } finally {
    goOn?.();
    await gateway.close();
  }
}, 60_000);

it("a database file that is gone is reported, and answers wait until it is back", async () => {
  const folder = mkdtempSync(join(tmpdir(), "precis-gone-"));
  const db = join(folder, "chats.db");
  const gateway = await startGateway({ ...upstreamAt(provider.url), db });
  const ready = async () => (await fetch(`${gateway.url}/readyz`)).status;
  try {
    await say(gateway.url, [], "first: hello");
    expect(await ready()).toBe(200);
    renameSync(db, `${db}.moved`);
    await say(gateway.url, [], "second: hello");
    expect(await ready()).toBe(503);
    expect(await metric(gateway.url, "precis_unstored_answers")).toBe(1);
    renameSync(`${db}.moved`, db);
    await expect.poll(() => metric(gateway.url, "precis_unstored_answers"), { timeout: 30_000 }).toBe(0);
    expect(await ready()).toBe(200);
    expect(await storedChats(gateway.gateway.store)).toHaveLength(2);
  } finally {
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);
