import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { runCli, scratchFolder } from "../cli/run-cli.ts";
import { post } from "./own-upstream.ts";
import { startServe } from "./serve-process.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

it("ends and says once why, if its workers can't be started", async () => {
  const folder = scratchFolder();
  closing.push(folder.remove);
  const taken = createServer().listen(0, "127.0.0.1");
  closing.push(() => taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const flags = ["serve", "--workers", "2", "--db", folder.path("w.db")];
  const inUse = await runCli([...flags, "--port", String(port)]);
  expect(inUse.code).toBe(1);
  expect(inUse.stderr.match(/is in use/g)).toHaveLength(1);
  const noDatabase = await runCli(["serve", "--workers", "2", "--port", "0", "--db", folder.path("no/w.db")]);
  expect(noDatabase.code).toBe(1);
  expect(noDatabase.stderr.match(/can't be opened/g)).toHaveLength(1);
});

it("counts what all workers did, whichever is asked", async () => {
  const provider = await startFakeProvider();
  closing.push(() => provider.close());
  const serve = await startServe(["--upstream", provider.url, "--workers", "2"]);
  closing.push(() => serve.stop());
  const requests = 12;
  for (let n = 0; n < requests; n++) {
    // A new connection each time: the workers take turns.
    const response = await post(
      `${serve.url}/v1/chat/completions`,
      { model: "gpt-4o", messages: [{ role: "user", content: `hi ${n}` }] },
      { connection: "close" },
    );
    expect(response.status).toBe(200);
    await response.text();
  }
  for (let n = 0; n < 4; n++) {
    const metrics = await (await fetch(`${serve.url}/metrics`, { headers: { connection: "close" } })).text();
    expect(metrics).toContain(`precis_requests_total{api="chat",status="2xx",action="pass"} ${requests}\n`);
    expect(metrics).toContain(`precis_request_seconds_count ${requests}\n`);
    const totals = await fetch(`${serve.url}/api/totals`, { headers: { connection: "close" } });
    expect(await totals.json()).toMatchObject({ requests, errors: 0, since: expect.any(Number) });
  }
});

it("warns once of a variable with a mistyped name, and starts all the same", async () => {
  const env = { PRECIS_PROT: "9000", PRECIS_FUZZ: "1" };
  for (const flags of [[], ["--workers", "2"]]) {
    const serve = await startServe(flags, { env });
    closing.push(() => serve.stop());
    for (let n = 0; n < 4; n++)
      expect((await fetch(`${serve.url}/healthz`, { headers: { connection: "close" } })).status).toBe(200);
    expect(serve.log().match(/PRECIS_PROT is no variable .* Did you mean PRECIS_PORT\?/g)).toHaveLength(1);
    expect(serve.log().match(/PRECIS_FUZZ/g)).toHaveLength(1);
  }
});
