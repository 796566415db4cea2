import { expect, it } from "vitest";
import { parseConfig } from "../../config/parse-config.ts";
import { profiles } from "../../profiles/index.ts";
import { memoryStore } from "../../stores/memory.ts";
import { createUpstream } from "../upstream/upstream.ts";
import { wires } from "../wires/index.ts";
import { type CompactorChoice, createCompactors } from "./compactors.ts";
import { createWindows } from "./windows.ts";

it("what surely fits is that of the request, whoever asked for the same model before it", () => {
  const upstreams = [
    { name: "large", baseURL: "http://127.0.0.1:1", windows: { m: 100_000 } },
    { name: "small", baseURL: "http://127.0.0.1:2", windows: { m: 10_000 } },
  ];
  const config = parseConfig({ upstreams });
  const [large, small] = config.upstreams.map(createUpstream);
  const windows = createWindows({});
  const store = memoryStore();
  const compactors = createCompactors({
    config,
    windows,
    records: () => store,
    summarizer: () => undefined,
    listen() {},
    warnGuess() {},
  });
  const usual: CompactorChoice = {
    tenant: "a",
    wire: wires.get("/v1/chat/completions")!,
    upstream: large,
    model: "m",
  };
  const most = compactors.surelyFits(usual);
  expect(most).toBeGreaterThan(20_000);
  const smaller: Partial<CompactorChoice>[] = [
    { upstream: small },
    { budget: 5_000 },
    { cap: 99_000 },
    { profile: profiles.rag },
    { tuning: { startAt: 0.1 } },
    { tuning: { safety: 0.6 } },
  ];
  for (const wish of smaller) {
    expect(compactors.surelyFits({ ...usual, ...wish }), JSON.stringify(Object.keys(wish))).toBeLessThan(
      most / 2,
    );
    expect(compactors.surelyFits(usual)).toBe(most);
  }
  windows.learn(large!, "m", "b", { limit: 8_000 });
  expect(compactors.surelyFits({ ...usual, tenant: "b" })).toBeLessThan(most / 2);
  expect(compactors.surelyFits(usual)).toBe(most);
  windows.learn(large!, "m", "a", { limit: 8_000 });
  expect(compactors.surelyFits(usual)).toBeLessThan(most / 2);
});
