import { once } from "node:events";
import { Agent, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { byProof } from "../support/proof.ts";
import { post } from "./own-upstream.ts";
import { type ServeProcess, startServe } from "./serve-process.ts";

/** Longer than any test may take: a test that waits for its end fails. */
const LONG_GRACE = "1h";

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

async function endOf({ child }: ServeProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

type Manner = readonly [name: string, flags: readonly string[]];
const ONE: Manner = ["one process", []];
const SEVERAL: Manner = ["workers", ["--workers", "2"]];

describe.each([ONE, SEVERAL])("the end of %s", (_, flags) => {
  it("is seen by balancers before anything is refused, and Ctrl-C cuts it short", async () => {
    // Nothing is kept, so workers have nothing that they would have to share: a store in memory isn't refused.
    const told = ["--upstream", provider.url, "--grace", LONG_GRACE, "--no-store", ...flags];
    const serve = await startServe(told, { db: "memory" });
    const agent = new Agent({ keepAlive: true });
    expect(await readyOn(agent, serve.url)).toBe(200);
    serve.child.kill("SIGTERM");
    await expect.poll(() => ready(serve.url)).toBe(503);
    expect(await readyOn(agent, serve.url)).toBe(503);
    for (let n = 0; n < 4; n++) expect(await chat(serve.url)).toBe(200);
    serve.child.kill("SIGINT");
    await endOf(serve);
    expect(serve.child.exitCode).toBe(0);
    await expect(ready(serve.url)).rejects.toThrow("fetch failed");
    agent.destroy();
    await serve.stop();
  });
});

describe.each(byProof({ sample: [ONE], more: [ONE, SEVERAL], all: [ONE, SEVERAL] }))(
  "the end of %s",
  (_, flags) => {
    it("comes by itself when the grace is over", async () => {
      const serve = await startServe(["--upstream", provider.url, "--grace", "300ms", ...flags]);
      serve.child.kill("SIGTERM");
      await endOf(serve);
      expect(serve.child.exitCode).toBe(0);
      await serve.stop();
    });

    it("comes at once with Ctrl-C", async () => {
      const env = { PRECIS_GRACE: LONG_GRACE };
      const serve = await startServe(["--upstream", provider.url, ...flags], { env });
      serve.child.kill("SIGINT");
      await endOf(serve);
      expect(serve.child.exitCode).toBe(0);
      await serve.stop();
    });
  },
);
