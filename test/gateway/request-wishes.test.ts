import { describe, expect, it } from "vitest";
import { type FakeProvider, summarizingReply } from "../../src/testing/fake-provider/index.ts";
import { type StartedGateway, startBoth } from "./gateway-process.ts";

let provider: FakeProvider;
let gateway: StartedGateway;

const WINDOW = 8_000;
const WORDS =
  "we should look at this part of the plan once more before the weekend, and then again after it. ";

/** Fits the window, but not a wish for much less. */
const chat = (turns: number) => [
  { role: "system", content: "You are helpful." },
  ...Array.from({ length: turns }, (_, n) => [
    { role: "user", content: `Turn ${n}: ${WORDS.repeat(2)}` },
    { role: "assistant", content: `Done with ${n}: ${WORDS}` },
  ]).flat(),
  { role: "user", content: "And now the last question." },
];

async function start(more: object = {}): Promise<void> {
  ({ provider, gateway } = await startBoth(
    { window: WINDOW, summarizer: "extractive", ...more },
    { window: WINDOW, reply: "Understood." },
  ));
}

async function ask(messages: object[], headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "gpt-4o", messages }),
  });
  expect(response.status).toBe(200);
  await response.text();
  return {
    action: response.headers.get("x-precis-action"),
    session: response.headers.get("x-precis-session"),
    tokens: Number(response.headers.get("x-precis-tokens-after")),
    sent: provider.requests.at(-1)!.raw,
  };
}

describe("what a request asks for by header", () => {
  it.each([
    { "x-precis-budget": "2k", "x-precis-session": "my-name" },
    { "x-precis-budget": "2k" },
    { "x-precis-budget": "2k", "x-precis-strategy": "truncate-oldest" },
  ])("holds for that request alone: %j", async (headers) => {
    await start();
    const messages = chat(60);
    const before = await ask(messages);
    const wished = await ask(messages, headers);
    expect(wished.action).toBe("compacted");
    expect(wished.tokens).toBeLessThan(2_000);
    const after = await ask(messages);
    expect(after.sent).toBe(before.sent);
    expect(after.action).toBe(before.action);
    expect(after.session).toBe(before.session);
  });

  it("may be more options, which hold for that request alone", async () => {
    await start();
    const messages = chat(60);
    const before = await ask(messages);
    const preface = "What came before was left out.";
    const wished = await ask(messages, {
      "x-precis-budget": "2k",
      "x-precis-options": JSON.stringify({ tail: { messages: 2 }, summary: { preface } }),
    });
    expect(wished.action).toBe("compacted");
    expect(wished.sent).toContain(preface);
    const after = await ask(messages);
    expect(after.sent).toBe(before.sent);
    expect(after.sent).not.toContain(preface);
  });

  it.each([
    ["a smaller window", { "x-precis-window": "3k" }, 3_000],
    ["an earlier start", { "x-precis-options": '{"startAt":0.3,"landAt":0.2}' }, 3_000],
    ["room for a long answer", { "x-precis-options": '{"reserve":"5k"}' }, 3_000],
  ])("may be %s, which holds for that request alone", async (_, headers, most) => {
    await start();
    const messages = chat(45);
    const before = await ask(messages);
    expect(before.action).toBe("pass");
    const wished = await ask(messages, headers);
    expect(wished.action).toBe("compacted");
    expect(wished.tokens).toBeLessThan(most);
    expect((await ask(messages, headers)).sent).toBe(wished.sent);
    const after = await ask(messages);
    expect(after.action).toBe("pass");
    expect(after.sent).toBe(before.sent);
  });

  it("is refused with the fix where start and landing can't work together, instead of passing unread", async () => {
    await start({ landAt: 0.4 });
    for (const wish of ['{"startAt":0.3,"landAt":0.3}', '{"landAt":0.7}']) {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-precis-options": wish },
        body: JSON.stringify({ model: "gpt-4o", messages: chat(45) }),
      });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toMatch(/landAt: 0\.[37].*(Raise startAt|Use at most)/);
    }
    // The config's landing gives way to the request's start.
    expect((await ask(chat(45), { "x-precis-options": '{"startAt":0.3}' })).action).toBe("compacted");
  });

  it("may be a larger window than precis knows of", async () => {
    await start({ window: 3_000 });
    const messages = chat(45);
    expect((await ask(messages, { "x-precis-window": "8k" })).action).toBe("pass");
    expect((await ask(messages)).action).toBe("compacted");
    expect((await ask(messages, { "x-precis-window": "8k" })).action).toBe("pass");
  });

  it("may be another writer of summaries, and keeps its records apart", async () => {
    await start({ summarizer: "same", waitMs: 20_000 });
    provider.setReply(summarizingReply({ otherwise: "Understood." }));
    const asked = () => provider.requests.filter(({ body }) => body["model"] === "gpt-4o-mini").length;
    const messages = chat(120);
    await ask(messages, { "x-precis-summarizer": "extractive" });
    expect(provider.requests).toHaveLength(1);
    await ask(messages, { "x-precis-summarizer": "gpt-4o-mini" });
    expect(asked()).toBeGreaterThan(0);
    const written = asked();
    await ask(messages);
    expect(asked()).toBe(written);
  });

  it.each([
    ["window", "much", "x-precis-window", "a whole number of at least 100"],
    ["strategy", "drop-midle", "x-precis-strategy", "Did you mean drop-middle?"],
    ["summarizer", "mailbox:/etc", "x-precis-summarizer", "extractive, same, or the name of a model"],
    ["options", '{"startAt":70}', "startAt", "Did you mean 0.7?"],
    ["options", '{"images":{"keep":"all"}}', "images.keep", "last-user-message"],
    ["options", '{"recal":{"auto":true}}', "recal", "Did you mean recall?"],
  ])("is refused by name if it can't be: %s %s", async (header, value, name, fix) => {
    await start();
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", [`x-precis-${header}`]: value },
      body: JSON.stringify({ model: "gpt-4o", messages: chat(1) }),
    });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toContain(name);
    expect(error.message).toContain(fix);
    expect(provider.requests).toEqual([]);
  });

  it("holds for that request alone where it comes first, and in the named conversation too", async () => {
    await start();
    const messages = chat(60);
    const name = { "x-precis-session": "my-name" };
    const wished = await ask(messages, { ...name, "x-precis-budget": "2k" });
    const next = await ask(messages, name);
    expect(next.tokens).toBeGreaterThan(2 * wished.tokens);
    expect(next.session).toBe("my-name");
  });

  it("gives the same view again for the same wish, and another one for another", async () => {
    await start();
    const messages = chat(60);
    const wish = { "x-precis-budget": "2k" };
    const first = await ask(messages, wish);
    await ask(messages, { "x-precis-budget": "4k" });
    await ask(messages);
    const again = await ask(messages, wish);
    expect(first.action).toBe("compacted");
    expect(again.action).toBe("view");
    expect(again.sent).toBe(first.sent);
    const longer = await ask(
      [...messages, { role: "assistant", content: "Understood." }, { role: "user", content: "More" }],
      wish,
    );
    expect(longer.action).toBe("view");
  });

  it("is nothing special if it is what holds anyway", async () => {
    await start({ budget: 2_000 });
    const messages = chat(60);
    const wished = await ask(messages, { "x-precis-budget": "2k", "x-precis-profile": "agent" });
    const plain = await ask(messages);
    expect(plain.action).toBe("view");
    expect(plain.sent).toBe(wished.sent);
  });

  it("leaves nothing behind on the page, and goes with its conversation", async () => {
    await start();
    await ask(chat(60), { "x-precis-budget": "2k" });
    const { conversations, records } = gateway.gateway.store;
    const [conversation] = (await conversations.list("default")).conversations;
    const hashes = (await conversations.read("default", conversation!.id)).map(({ hash }) => hash);
    expect((await gateway.gateway.records.of("default").find(hashes)).checkpoints).toEqual([]);
    expect((await records("default").find(hashes)).checkpoints).toHaveLength(1);
    await conversations.delete("default", conversation!.id);
    expect((await records("default").find(hashes)).checkpoints).toEqual([]);
  });
});
