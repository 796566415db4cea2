import { afterEach, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

type Gateway = Awaited<ReturnType<typeof startGateway>>;
let provider: FakeProvider;
let gateway: Gateway;

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const turn = (n: number) => `Turn ${n}: ${`we should look at file src/part-${n}.ts once more. `.repeat(20)}`;

function conversation(turns: number): object[] {
  return [
    { role: "system", content: "You are helpful." },
    ...Array.from({ length: turns }, (_, n) => [
      { role: "user", content: turn(n) },
      { role: "assistant", content: `Done with ${n}.` },
    ]).flat(),
    { role: "user", content: "And now the last question." },
  ];
}

function ask(messages: object[], headers: Record<string, string> = {}, more: object = {}): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "gpt-4o", messages, ...more }),
  });
}

describe("a transcript that doesn't fit", () => {
  it("is sent as a view, and the headers say what was done", async () => {
    provider = await startFakeProvider({ window: 6_000 });
    gateway = await startGateway({ ...upstreamAt(provider.url), window: 6_000, summarizer: "extractive" });
    const response = await ask(conversation(60));
    expect(response.status).toBe(200);
    expect(response.headers.get("x-precis-action")).toBe("compacted");
    expect(Number(response.headers.get("x-precis-tokens-before"))).toBeGreaterThan(6_000);
    expect(Number(response.headers.get("x-precis-tokens-after"))).toBeLessThan(6_000);
    const { usage } = (await response.json()) as { usage: { prompt_tokens: number } };
    expect(usage.prompt_tokens).toBe(provider.requests[0]!.tokens.input);
    expect(JSON.stringify(usage)).not.toContain("precis");
    expect(provider.requests[0]!.lastUser).toContain("And now the last question.");
    const again = await ask([
      ...conversation(60),
      { role: "assistant", content: "Yes." },
      { role: "user", content: "more" },
    ]);
    expect(again.headers.get("x-precis-action")).toBe("view");
  });

  it("is compacted harder when the upstream says that it is too long, and the window is learned", async () => {
    provider = await startFakeProvider({ window: 5_000 });
    gateway = await startGateway({ ...upstreamAt(provider.url), summarizer: "extractive" });
    const response = await ask(conversation(60));
    expect(response.status).toBe(200);
    expect(provider.requests.map(({ status }) => status)).toEqual([400, 200]);
    await ask([
      ...conversation(60),
      { role: "assistant", content: "Yes." },
      { role: "user", content: "more" },
    ]);
    expect(provider.requests.map(({ status }) => status)).toEqual([400, 200, 200]);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toMatch(/precis_rejected_total\{result="fitted"\} 1/);
  });

  it("stays as it is with x-precis-off and with observe", async () => {
    provider = await startFakeProvider({ window: 6_000 });
    gateway = await startGateway({ ...upstreamAt(provider.url), window: 6_000, summarizer: "extractive" });
    const off = await ask(conversation(60), { "x-precis-off": "1" });
    expect(off.status).toBe(400);
    expect(off.headers.get("x-precis-action")).toBe("off");
    await gateway.close();
    gateway = await startGateway({ ...upstreamAt(provider.url), window: 6_000, observe: true });
    const observed = await ask(conversation(60));
    expect(observed.headers.get("x-precis-action")).toBe("observed");
    expect(Number(observed.headers.get("x-precis-tokens-after"))).toBeLessThan(6_000);
    expect(observed.status).toBe(400);
    expect(provider.requests.every(({ messages }) => messages.length === 122)).toBe(true);
  });

  it("obeys the budget and strategy of the request's headers", async () => {
    provider = await startFakeProvider();
    gateway = await startGateway({ ...upstreamAt(provider.url), summarizer: "extractive" });
    const response = await ask(conversation(60), {
      "x-precis-budget": "2k",
      "x-precis-strategy": "truncate-oldest",
    });
    expect(response.headers.get("x-precis-action")).toBe("compacted");
    expect(provider.requests[0]!.tokens.input).toBeLessThan(2_000);
    expect(provider.requests[0]!.messages.some(({ text }) => text.includes("conversation-summary"))).toBe(
      false,
    );
  });

  it("whose tools alone exceed the window gets one clear error", async () => {
    provider = await startFakeProvider({ window: 6_000 });
    gateway = await startGateway({ ...upstreamAt(provider.url), window: 6_000 });
    const tools = Array.from({ length: 60 }, (_, n) => ({
      type: "function",
      function: {
        name: `tool_${n}`,
        description: "does a thing that needs many words to explain. ".repeat(20),
      },
    }));
    const response = await ask(conversation(1), {}, { tools });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string; code: string } };
    expect(error.code).toBe("context_length_exceeded");
    expect(error.message).toMatch(/6000 .*\(tools\)/);
    expect(error.message).toContain("fewer or smaller tools");
    expect(provider.requests).toEqual([]);
  });
});

describe("conversations", () => {
  it("are told apart from side calls that share their first words", async () => {
    provider = await startFakeProvider();
    gateway = await startGateway(upstreamAt(provider.url));
    const headers = { "x-session-id": "s1" };
    const tools = [{ type: "function", function: { name: "ls", parameters: { type: "object" } } }];
    const first = { role: "user", content: "Fix the bug" };
    const main = await ask([{ role: "system", content: "You are an agent" }, first], headers, { tools });
    const title = await ask([{ role: "system", content: "Write a title" }, first], headers);
    const { choices } = (await main.json()) as { choices: { message: object }[] };
    await title.text();
    expect(title.headers.get("x-precis-session")).not.toBe(main.headers.get("x-precis-session"));
    const next = await ask(
      [
        { role: "system", content: "You are an agent" },
        first,
        choices[0]!.message,
        { role: "user", content: "go on" },
      ],
      headers,
      { tools },
    );
    await next.text();
    expect(next.headers.get("x-precis-session")).toBe("s1");
    const { conversations } = await gateway.gateway.store.conversations.list("default");
    expect(conversations.map(({ length }) => length).sort()).toEqual([2, 4]);
  });

  it("of several keys never meet", async () => {
    provider = await startFakeProvider();
    gateway = await startGateway({
      ...upstreamAt(provider.url),
      auth: {
        mode: "keys",
        keys: [
          { name: "a", key: "key-of-tenant-a-0001", tenant: "a" },
          { name: "b", key: "key-of-tenant-b-0001", tenant: "b", limits: { requestsPerMinute: 3 } },
        ],
      },
    });
    const messages = [{ role: "user", content: "a secret of tenant a" }];
    expect((await ask(messages)).status).toBe(401);
    expect((await ask(messages, { authorization: "Bearer wrong" })).status).toBe(401);
    const a = { authorization: "Bearer key-of-tenant-a-0001" };
    const b = { "x-api-key": "key-of-tenant-b-0001" };
    expect((await ask(messages, a)).status).toBe(200);
    expect(provider.requests[0]!.headers["authorization"]).toBeUndefined();
    const list = async (headers: Record<string, string>) =>
      (await (await fetch(`${gateway.url}/api/conversations`, { headers })).json()) as {
        conversations: { id: string }[];
      };
    const [mine] = (await list(a)).conversations;
    expect((await list(b)).conversations).toEqual([]);
    expect(
      (await fetch(`${gateway.url}/api/conversations/${mine!.id}/messages`, { headers: b })).status,
    ).toBe(404);
    expect((await fetch(`${gateway.url}/api/conversations`)).status).toBe(401);
    expect((await ask(messages, b)).status).toBe(200);
    expect((await ask(messages, b)).status).toBe(429);
  });

  it("keep no secrets where the config says so", async () => {
    provider = await startFakeProvider();
    gateway = await startGateway({ ...upstreamAt(provider.url), redact: true });
    await (await ask([{ role: "user", content: "my key is sk-proj-abcdefghijklmnop1234567890" }])).text();
    expect(provider.requests[0]!.lastUser).toContain("sk-proj-abcdefghijklmnop1234567890");
    const { conversations } = gateway.gateway.store;
    const [one] = (await conversations.list("default")).conversations;
    const stored = await conversations.read("default", one!.id);
    expect(JSON.stringify(stored)).not.toContain("sk-proj-abc");
  });

  it("aren't kept with store: false", async () => {
    provider = await startFakeProvider();
    gateway = await startGateway({ ...upstreamAt(provider.url), store: false });
    await (await ask([{ role: "user", content: "hello" }])).text();
    expect((await gateway.gateway.store.conversations.list("default")).conversations).toEqual([]);
  });
});

describe("counting", () => {
  it("is answered by precis where the upstream has no route for it", async () => {
    provider = await startFakeProvider();
    gateway = await startGateway(upstreamAt(provider.url));
    const count = async (path: string, body: object) =>
      (await (
        await fetch(gateway.url + path, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        })
      ).json()) as { input_tokens: number };
    const messages = [{ role: "user", content: "one two three four" }];
    expect(
      (await count("/v1/messages/count_tokens", { model: "claude-opus-5", messages })).input_tokens,
    ).toBeGreaterThan(4);
    expect(
      (await count("/v1/responses/input_tokens", { model: "gpt-5", input: "one two three" })).input_tokens,
    ).toBeGreaterThan(3);
  });
});
