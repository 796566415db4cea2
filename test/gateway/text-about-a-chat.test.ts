/** Texts about a conversation change nothing about it, and a client's goal is checked. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeEach(async () => {
  provider = await startFakeProvider({});
  gateway = await startGateway({ ...upstreamAt(provider.url), window: 8_000 });
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

async function call(path: string, method = "GET", body?: object) {
  const response = await fetch(`${gateway.url}/api${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as never as Record<string, never> };
}

it("a summary and a hand-over are written without a model and leave the chat as it was", async () => {
  const messages = [
    { role: "user", content: "Please plan the garden: never use peat." },
    {
      role: "assistant",
      content: "I chose rye for bed 3 because the frost ends it before the potatoes come.",
    },
  ];
  const made = await call("/import", "POST", { name: "g.json", text: JSON.stringify(messages) });
  const { id } = (made.body["conversations"] as never as { id: string }[])[0]!;
  const before = (await call(`/conversations/${id}`)).body;
  const summary = await call(`/conversations/${id}/text`, "POST", {});
  expect(summary).toMatchObject({
    status: 200,
    body: { text: expect.stringContaining("I chose rye for bed 3 because") },
  });
  const start = await call(`/conversations/${id}/text`, "POST", { goal: "plant the potatoes" });
  expect(start.body["text"]).toMatch(/\*\*Goal:\*\* plant the potatoes[\s\S]*never use peat/);
  expect(provider.requests).toHaveLength(0);
  expect((await call(`/conversations/${id}`)).body).toEqual(before);
});

it("a goal that is none and a chat that isn't there are refused", async () => {
  expect((await call("/conversations/none/text", "POST", {})).status).toBe(404);
  const made = await call("/import", "POST", {
    name: "g.json",
    text: '[{"role":"user","content":"Hello there"}]',
  });
  const { id } = (made.body["conversations"] as never as { id: string }[])[0]!;
  expect((await call(`/conversations/${id}/text`, "POST", { goal: "" })).status).toBe(400);
  expect((await call(`/conversations/${id}/text`, "POST", { goal: "x".repeat(3_000) })).status).toBe(400);
});

it("a chat in which nobody has said anything has nothing to hand over", async () => {
  const { id } = (await call("/conversations", "POST", {})).body as never as { id: string };
  const start = await call(`/conversations/${id}/text`, "POST", { goal: "plant the potatoes" });
  expect(start).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining("nothing to hand over") } },
  });
});
