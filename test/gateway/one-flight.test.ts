/** Three nodes wrote three summaries of one conversation, because each was a few messages further than the other. */
import { afterEach, expect, it } from "vitest";
import { memoryServerStore } from "../../src/stores/sqlite.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

const WINDOW = 6_000;
const NODES = 3;
let provider: FakeProvider;
let nodes: Awaited<ReturnType<typeof startGateway>>[] = [];
afterEach(async () => {
  for (const node of nodes) await node.close();
  nodes = [];
  await provider.close();
});

it("summaries of one conversation are written by one node at a time", async () => {
  let [open, most, all] = [0, 0, 0];
  let release = () => {};
  const written = new Promise<void>((resolve) => {
    release = resolve;
  });
  provider = await startFakeProvider({
    window: 100_000,
    async reply(request) {
      if (request.messages.at(-1)?.text.startsWith("Turn "))
        return `Answer ${request.number}. ${"So. ".repeat(60)}`;
      most = Math.max(most, ++open);
      all++;
      await written;
      open--;
      const kept = /<must-keep>([\s\S]*?)<\/must-keep>/.exec(request.lastUser)?.[1]?.trim().split("\n") ?? [];
      return `<conversation-summary>In each turn the user said to tell more of it, and the answer was given: ${kept.join(", ")}.</conversation-summary>`;
    },
  });
  const store = memoryServerStore();
  const config = { ...upstreamAt(provider.url), window: WINDOW };
  nodes = await Promise.all(Array.from({ length: NODES }, () => startGateway(config, { store })));
  const messages: { role: string; content: string }[] = [];
  let [turn, sinceAsked] = [0, 0];
  // Some turns more on every node while the summary is under way, all of them below the window.
  while (sinceAsked < 2 * NODES && turn < 60) {
    messages.push({
      role: "user",
      content: `Turn ${turn}: ${"tell me more of it. ".repeat(all > 0 ? 2 : 12)}`,
    });
    const response = await fetch(`${nodes[turn++ % NODES]!.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages }),
    });
    const { choices } = (await response.json()) as { choices: { message: (typeof messages)[0] }[] };
    messages.push(all > 0 ? { role: "assistant", content: "Yes." } : choices[0]!.message);
    if (all > 0) sinceAsked++;
  }
  expect(all).toBe(1);
  release();
  await Promise.all(nodes.map(({ gateway }) => gateway.compactors.settled()));
  // What it still lacks may be asked for once more, by the same node.
  expect(most).toBe(1);
  expect((await store.upkeep.stats()).counts.summaries).toBe(1);
  const failures = await Promise.all(nodes.map(({ gateway }) => gateway.metrics.summaryFailures.get()));
  expect(failures.flatMap(({ values }) => values)).toEqual([]);
});
