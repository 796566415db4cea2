import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { post } from "./own-upstream.ts";
import { type ServeProcess, startServe } from "./serve-process.ts";

const GRACE_MS = 2_000;

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(() => provider.close());

const ready = async (url: string): Promise<number> =>
  (await fetch(`${url}/readyz`, { headers: { connection: "close" } })).status;

/** As a balancer asks: on a connection that it keeps. */
function readyOn(agent: Agent, url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/readyz`, { agent }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    asked.on("error", reject);
    asked.end();
  });
}

const chat = async (url: string): Promise<number> => {
  const body = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }] };
  const response = await post(`${url}/v1/chat/completions`, body, { connection: "close" });
  await response.text();
  return response.status;
};

/** Milliseconds until it has ended. */
async function endOf(serve: ServeProcess): Promise<number> {
  const began = performance.now();
  if (serve.child.exitCode === null && serve.child.signalCode === null) await once(serve.child, "exit");
  return performance.now() - began;
}

describe.each([
  ["one process", []],
  ["workers", ["--workers", "2"]],
])("the end of %s", (_, flags) => {
  it("is seen by balancers before anything is refused", async () => {
    const serve = await startServe(["--upstream", provider.url, "--grace", `${GRACE_MS}ms`, ...flags]);
    const agent = new Agent({ keepAlive: true });
    expect(await readyOn(agent, serve.url)).toBe(200);
    serve.child.kill("SIGTERM");
    await expect.poll(() => ready(serve.url), { timeout: 1_000 }).toBe(503);
    expect(await readyOn(agent, serve.url)).toBe(503);
    for (let n = 0; n < 4; n++) expect(await chat(serve.url)).toBe(200);
    await endOf(serve);
    expect(serve.child.exitCode).toBe(0);
    await expect(ready(serve.url)).rejects.toThrow("fetch failed");
    agent.destroy();
    await serve.stop();
  });

  it("comes at once with Ctrl-C, also while it waits", async () => {
    for (const first of ["SIGINT", "SIGTERM"] as const) {
      const serve = await startServe(["--upstream", provider.url, ...flags], { env: { PRECIS_GRACE: "1m" } });
      serve.child.kill(first);
      await sleep(300);
      if (first === "SIGTERM") {
        expect(await ready(serve.url)).toBe(503);
        serve.child.kill("SIGINT");
      }
      expect(await endOf(serve)).toBeLessThan(10_000);
      expect(serve.child.exitCode).toBe(0);
      await serve.stop();
    }
  });
});
