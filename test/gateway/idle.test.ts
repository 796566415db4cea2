import { expect, it } from "vitest";
import { startPreparing } from "../../src/gateway/ops/upkeep.ts";
import { startFakeProvider, summarizingReply } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

it.each([
  ["default", {}],
  ["a team", { auth: { mode: "keys", keys: [{ name: "another", key: "a-key-of-someone-else" }] } }],
])("idle chats of %s are summarised ahead of time", async (tenant, auth) => {
  const provider = await startFakeProvider({ reply: summarizingReply({ otherwise: "OK." }), window: 8_000 });
  let now = Date.now();
  const running = await startGateway(
    { ...upstreamAt(provider.url, { apiKey: "server-key" }), window: 8_000, ...auth },
    { now: () => now },
  );
  const preparing = startPreparing(running.gateway);
  // Made with `--new-key --tenant`, so no config knows of it.
  const { key } = await running.gateway.store.clientKeys.create(tenant, { name: "laptop" });
  try {
    const messages = Array.from({ length: 41 }, (_, n) => ({
      role: n % 2 === 0 ? "user" : "assistant",
      content: `Message ${n} about part P-${n}00: ${"it was looked at and found to be in order. ".repeat(10)}`,
    }));
    const response = await fetch(`${running.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "gpt-4o", messages }),
    });
    await response.text();
    await running.gateway.compactors.settled();
    const before = provider.requests.length;
    expect(await preparing.look()).toBe(0);
    now += 4 * 60_000;
    expect(await preparing.look()).toBe(1);
    expect(provider.requests.length).toBeGreaterThan(before);
    now += 60_000;
    expect(await preparing.look()).toBe(0);
  } finally {
    preparing.stop();
    await running.close();
    await provider.close();
  }
});
