import { Writable } from "node:stream";
import { pino } from "pino";
import { afterEach, expect, it } from "vitest";
import { memoryServerStore } from "../../src/stores/sqlite.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

const WINDOW = 8_000;
const TURNS = 36;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Run {
  readonly counts: readonly string[];
  /** Saved and sent. */
  readonly tokens: readonly number[];
  readonly lines: readonly { msg: string; rung?: string; before?: number; after?: number }[];
  readonly provider: FakeProvider;
  readonly records: number;
}

/** The same chat of one client: each turn adds some 700 tokens. */
async function run(config: object): Promise<Run> {
  const provider = await startFakeProvider({ window: 1_000_000, reply: "Understood." });
  closing.push(() => provider.close());
  const lines: Run["lines"][number][] = [];
  const sink = new Writable({
    write(line: Buffer, _, done) {
      lines.push(JSON.parse(line.toString()) as Run["lines"][number]);
      done();
    },
  });
  const store = memoryServerStore();
  const gateway = await startGateway(
    { ...upstreamAt(provider.url), window: WINDOW, ...config },
    { store, log: pino({ level: "info" }, sink) },
  );
  closing.push(() => gateway.close());
  const messages: { role: string; content: string }[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const words = Array.from({ length: 300 }, (_, n) => `w${(n * 7919 + turn * 104_729) % 9_973}`).join(" ");
    messages.push({ role: "user", content: `Question ${turn}: ${words}` });
    const response = await post(`${gateway.url}/v1/chat/completions`, { model: "gpt-4o", messages });
    expect(response.status).toBe(200);
    const { choices } = (await response.json()) as { choices: { message: (typeof messages)[0] }[] };
    messages.push(choices[0]!.message);
  }
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  const counts = metrics
    .split("\n")
    .filter((line) => /^precis_(?:compactions|rungs|checkpoint_hits)_/.test(line));
  const tokens = ["saved", "sent"].map((name) =>
    Number(new RegExp(`^precis_tokens_${name}_total (\\d+)$`, "m").exec(metrics)?.[1]),
  );
  const { counts: stored } = await store.upkeep.stats();
  return { counts, tokens, lines, provider, records: stored.checkpoints + stored.summaries };
}

it("counts what a run that changes things would have done, and asks and keeps nothing", async () => {
  const real = await run({ summarizer: "extractive" });
  const seen = await run({ summarizer: "same", observe: true });
  expect(real.counts.join("\n")).toMatch(/precis_compactions_total\{.*\} [1-9]/);
  expect(seen.counts).toEqual(real.counts);
  // What a provider counts differs a little with what it is sent, and precis learns from that.
  for (const [index, tokens] of real.tokens.entries())
    expect(Math.abs(seen.tokens[index]! / tokens - 1)).toBeLessThan(0.02);

  const told = seen.lines.filter(({ msg }) => msg === "would have compacted");
  expect(told).toHaveLength(real.lines.filter(({ msg }) => msg === "compacted").length);
  for (const { rung, before, after } of told) {
    expect(rung).not.toBe("nothing-due");
    expect(after).toBeLessThan(before!);
  }

  expect(real.records).toBeGreaterThan(0);
  expect(seen.records).toBe(0);
  // The turns themselves and nothing else, each as the client sent it.
  expect(seen.provider.requests.map(({ body }) => (body["messages"] as unknown[]).length)).toEqual(
    Array.from({ length: TURNS }, (_, turn) => 2 * turn + 1),
  );
});
