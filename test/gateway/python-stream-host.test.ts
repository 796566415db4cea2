import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

interface Seen {
  readonly most: number;
  readonly managed: number;
  readonly said: readonly string[];
  readonly commands: Readonly<Record<string, number>>;
  readonly fed: readonly string[];
  readonly trace: number;
  readonly length: number;
  readonly status: { readonly tokens: number; readonly frames: number };
}

const WINDOW = 2_048;
const FRAMES = 40 * 60;
const hasPython = spawnSync("python3", ["--version"]).status === 0;
if (!hasPython) console.log("skipped: there is no python3 on this machine, so no Python host can be run");

let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(() => gateway.close());

const run = async (strategy: string, summaries: string): Promise<Seen> => {
  gateway = await startGateway({});
  const { stdout } = await promisify(execFile)("python3", [
    new URL("stream-host.py", import.meta.url).pathname,
    gateway.url,
    strategy,
    String(WINDOW),
    summaries,
  ]);
  return JSON.parse(stdout) as Seen;
};

describe.skipIf(!hasPython)("a Python host with its own cache", () => {
  it.each(["summarize-and-drop", "summarize-and-keep", "drop-middle", "drop-all", "state"])(
    "stays within its window for twenty minutes by %s, though it counts otherwise than precis",
    async (strategy) => {
      const seen = await run(strategy, "code");
      expect(seen.most).toBeLessThanOrEqual(WINDOW);
      expect(seen.managed).toBeGreaterThan(5);
      expect(seen.trace).toBe(seen.managed);
      expect(seen.status.frames).toBe(FRAMES);
      expect(seen.said).toHaveLength(9);
      if (strategy.startsWith("summarize"))
        expect(seen.fed.findLast((text) => text.includes("You watch a repair"))).toContain("17:30");
    },
  );

  it("writes its summaries itself where it wants to: they stand in what is fed next", async () => {
    const seen = await run("summarize-and-drop", "host");
    expect(seen.most).toBeLessThanOrEqual(WINDOW);
    expect(seen.fed.at(-1) ?? "").not.toBe("");
    expect(seen.fed.filter((text) => text.includes("The old chain is off")).length).toBeGreaterThan(3);
  });
});

it("tells whoever watches what was done to the cache, and refuses strangers and nonsense", async () => {
  gateway = await startGateway({});
  const opened = (await (
    await post(`${gateway.url}/v1/streams`, { window: 1_000, tokensPerFrame: 10, summaryCap: 100 })
  ).json()) as { id: string };
  const watching = await fetch(`${gateway.url}/v1/streams/${opened.id}/events`);
  const reader = watching.body!.pipeThrough(new TextDecoderStream()).getReader();
  await post(`${gateway.url}/v1/streams/${opened.id}/frames`, { count: 200 });
  let told = "";
  while (!told.includes("event: managed")) told += (await reader.read()).value ?? "";
  await reader.cancel();
  const refused = async (path: string, body: object) => {
    const response = await post(`${gateway.url}/v1/streams${path}`, body);
    return [
      response.status,
      ((await response.json()) as { error: { message: string } }).error.message,
    ] as const;
  };
  expect(await refused("", {})).toEqual([
    400,
    expect.stringContaining("`window`: it is missing. Give a number"),
  ]);
  expect(await refused("", { window: 1_000, strategy: "magic" })).toEqual([
    400,
    expect.stringContaining("summarize-and-drop"),
  ]);
  expect(await refused("/nobody/frames", {})).toEqual([404, expect.stringContaining("no such stream")]);
  expect(await refused(`/${opened.id}/replies`, { text: "x" })).toEqual([
    409,
    expect.stringContaining("waits for no reply"),
  ]);
  expect(await refused(`/${opened.id}/turns`, { text: "x", role: "wizard" })).toEqual([
    400,
    expect.stringContaining("caption"),
  ]);
});
