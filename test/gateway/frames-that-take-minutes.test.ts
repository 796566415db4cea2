import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

let running: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  running = await startGateway({});
});
afterAll(() => running.close());

async function openStream(options: object): Promise<string> {
  const response = await post(`${running.url}/v1/streams`, { window: 4_096, ...options });
  const { id } = (await response.json()) as { id: string };
  return `${running.url}/v1/streams/${id}`;
}

it.each([1e9, Number.MAX_SAFE_INTEGER, 10_001])(
  "%d frames at once are refused, with the fix",
  async (count) => {
    const response = await post(`${await openStream({})}/frames`, { count });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining("send frames as they come") as string },
    });
  },
);

it("as many as may come at once let others have their turn", async () => {
  const stream = await openStream({ tokensPerFrame: 196 });
  let longest = 0;
  let isDone = false;
  const others = (async () => {
    while (!isDone) {
      const from = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      longest = Math.max(longest, performance.now() - from);
    }
  })();
  const started = performance.now();
  const response = await post(`${stream}/frames`, { count: 10_000 });
  const took = performance.now() - started;
  isDone = true;
  await others;
  const { managed } = (await response.json()) as { managed: unknown[] };
  expect(managed.length).toBeGreaterThan(100);
  // Without pauses it is nearly all of the time.
  expect(longest / took).toBeLessThan(0.5);
});
