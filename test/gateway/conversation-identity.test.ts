import { afterEach, beforeEach, expect, it } from "vitest";
import type { ApiMessages } from "../../src/gateway/api.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeEach(async () => {
  provider = await startFakeProvider({ reply: "Understood." });
  gateway = await startGateway({ ...upstreamAt(provider.url), summarizer: "extractive" });
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

interface Said {
  readonly role: string;
  readonly content: string;
}

async function ask(path: string, messages: readonly Said[], headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", ...headers },
    body: JSON.stringify({
      model: path === CHAT ? "gpt-4o" : "claude-opus-5",
      ...(path === MESSAGES && { max_tokens: 100 }),
      messages,
    }),
  });
  expect(response.status).toBe(200);
  await response.text();
  return response;
}

const CHAT = "/v1/chat/completions";
const MESSAGES = "/v1/messages";
const turns = (count: number): Said[] =>
  Array.from({ length: count }, (_, n) => ({
    role: n % 2 === 0 ? "user" : "assistant",
    content:
      n === 0 ? "The code word is xylophone." : `Turn ${n}: ${"and so it goes on and on. ".repeat(12)}`,
  }));
const list = async () => (await gateway.gateway.store.conversations.list("default")).conversations;

it("the same words in another wire format are another conversation, also under the same name", async () => {
  for (const headers of [{}, { "x-precis-session": "both" }]) {
    const before = (await list()).length;
    await ask(CHAT, turns(5), headers);
    await ask(MESSAGES, turns(5), headers);
    await ask(
      MESSAGES,
      [...turns(5), { role: "assistant", content: "Understood." }, { role: "user", content: "More" }],
      headers,
    );
    const all = await list();
    const made = all.slice(0, all.length - before);
    expect(made.map(({ dialect, length }) => `${dialect} ${length}`).sort()).toEqual([
      "anthropic-messages 8",
      "openai-chat 6",
    ]);
  }
});

it("a pin stays with its message: not with what is said in its place, and again with it in its own branch", async () => {
  const edited = turns(7).map((one, n) => (n === 2 ? { ...one, content: "Said otherwise." } : one));
  await ask(CHAT, turns(7));
  const [conversation] = await list();
  const id = conversation!.id;
  const shown = async () => {
    const response = await fetch(`${gateway.url}/api/conversations/${id}/messages`);
    const { messages } = (await response.json()) as ApiMessages;
    return messages.map(({ hash, pinned }) => ({ hash, pinned }));
  };
  const before = await shown();
  const { hash } = before[5]!;
  const patched = await fetch(`${gateway.url}/api/conversations/${id}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ pins: [hash] }),
  });
  expect(patched.status).toBe(200);
  const pinned = async () => (await shown()).flatMap((one) => (one.pinned ? one.hash : []));
  expect(await pinned()).toEqual([hash]);
  await ask(CHAT, edited);
  expect((await list()).length).toBe(1);
  expect((await shown()).map((one) => one.hash)).not.toContain(hash);
  expect(await pinned()).toEqual([]);
  await ask(CHAT, [
    ...turns(7),
    { role: "assistant", content: "Understood." },
    { role: "user", content: "And?" },
  ]);
  expect(await pinned()).toEqual([hash]);
});

it("what was set for a chat and what was pinned in it holds for its next requests", async () => {
  const first = await ask(CHAT, turns(1));
  const [conversation] = await list();
  const [{ hash } = { hash: "" }] = await gateway.gateway.store.conversations.read(
    "default",
    conversation!.id,
  );
  await gateway.gateway.store.conversations.update("default", conversation!.id, {
    meta: { settings: { budget: 900, strategy: "truncate-oldest" }, pins: [hash] },
  });
  const answer = { role: "assistant", content: "Understood." };
  const response = await ask(CHAT, [
    ...turns(1),
    answer,
    ...turns(32).slice(2),
    { role: "user", content: "And now?" },
  ]);
  expect(response.headers.get("x-precis-session")).toBe(first.headers.get("x-precis-session"));
  expect(response.headers.get("x-precis-action")).toBe("compacted");
  expect(Number(response.headers.get("x-precis-tokens-after"))).toBeLessThanOrEqual(900);
  const sent = provider.requests.at(-1)!.raw;
  expect(sent).toContain("xylophone");
  expect(sent).not.toContain("Turn 5:");
  // A header of the request still decides.
  const other = await ask(
    CHAT,
    [...turns(1), answer, ...turns(32).slice(2), { role: "user", content: "And then?" }],
    {
      "x-precis-budget": "50000",
    },
  );
  expect(other.headers.get("x-precis-action")).toBe("pass");
});

/** The session that a request was given to. */
const session = async (messages: readonly Said[], headers: Record<string, string>) =>
  (await ask(CHAT, messages, headers)).headers.get("x-precis-session");
const asked = { "x-precis-session": "other" };
const understood = { role: "assistant", content: "Understood." };
const longer = () => [...turns(5), understood, { role: "user", content: "More" }];
const longest = () => [...longer(), understood, { role: "user", content: "Still more" }];

it.each([{}, { "x-session-id": "of-the-client" }])(
  "a conversation that was asked for by name takes no requests of others (%j)",
  async (headers) => {
    const own = await session(turns(5), headers);
    expect(own).not.toBe("other");
    expect(await session(turns(5), asked)).toBe("other");
    expect(await session(turns(5), headers)).toBe(own);
    // Also where the named one has gone on further with the very same words.
    expect(await session(longer(), asked)).toBe("other");
    expect(await session(longer(), headers)).toBe(own);
    expect(await session(longest(), headers)).toBe(own);
    expect(await session(longest(), asked)).toBe("other");
    expect((await list()).map(({ session: name, length }) => `${name} ${length}`).sort()).toEqual(
      [`${own} 10`, "other 10"].sort(),
    );
  },
);

it("a named conversation is gone on with without its name where it is the only one", async () => {
  await ask(CHAT, turns(5), { "x-precis-session": "mine" });
  const next = await ask(CHAT, [
    ...turns(5),
    { role: "assistant", content: "Understood." },
    { role: "user", content: "More" },
  ]);
  expect(next.headers.get("x-precis-session")).toBe("mine");
});

/** The same store without what the process remembers: a restart, or another node. */
async function restart(): Promise<void> {
  const lines: string[] = [];
  for await (const line of gateway.gateway.store.upkeep.exportAll()) lines.push(line);
  await gateway.close();
  gateway = await startGateway({ ...upstreamAt(provider.url), summarizer: "extractive" });
  await gateway.gateway.store.upkeep.importAll(lines);
}

it.each([{}, { "x-session-id": "of-the-client" }])(
  "a conversation that was asked for by name takes no requests of others after a restart (%j)",
  async (headers) => {
    const own = await session(turns(5), headers);
    expect(await session(turns(5), asked)).toBe("other");
    await restart();
    expect(await session(longer(), headers)).toBe(own);
    await restart();
    expect(await session(longer(), asked)).toBe("other");
    expect(await session(longest(), asked)).toBe("other");
    await restart();
    // The named one has gone on further with the very same words.
    expect(await session(longest(), headers)).toBe(own);
    expect((await list()).map(({ session: name, length }) => `${name} ${length}`).sort()).toEqual(
      [`${own} 10`, "other 10"].sort(),
    );
  },
);

it("after a restart a named conversation is gone on with by its name in the branch that it is", async () => {
  const answer = { role: "assistant", content: "Understood." };
  const asked = { "x-precis-session": "mine" };
  const goOn = (...words: string[]) => [
    ...turns(5),
    ...words.flatMap((content) => [answer, { role: "user", content }]),
  ];
  await ask(CHAT, turns(5));
  await ask(CHAT, goOn("This way"), asked);
  await ask(CHAT, goOn("That way"), asked);
  await ask(CHAT, goOn("This way"));
  await restart();
  await ask(CHAT, goOn("This way", "More"), asked);
  const own = (await list()).filter(({ session }) => session === "mine");
  expect(own.map(({ length, branched }) => ({ length, branched }))).toEqual([{ length: 10, branched: true }]);
});

it("the same question with another answer is another conversation, and has a title", async () => {
  const [question, , next] = turns(3) as [Said, Said, Said];
  await ask(CHAT, [question]);
  await ask(CHAT, [question, { role: "assistant", content: "It was said otherwise." }, next]);
  expect((await list()).map(({ title, length }) => `${title} ${length}`).sort()).toEqual([
    `${question.content} 2`,
    `${question.content} 4`,
  ]);
});
