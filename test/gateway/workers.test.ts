import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import { type ConversationPage, type Route, routes, urlOf } from "../../src/gateway/api.ts";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { runCli, runCliProcess, scratchFolder } from "../cli/run-cli.ts";
import { byProof } from "../support/proof.ts";
import { startTrickleProvider } from "../support/trickle-provider.ts";
import { post } from "./own-upstream.ts";
import { serveHere } from "./serve-here.ts";
import { type ServeProcess, startServe } from "./serve-process.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Resolves when all of them take requests. Each numbers its events under a name of its own. */
async function allWorkers(url: string, count: number): Promise<void> {
  const names = new Set<string | undefined>();
  const look = async () => {
    // One connection each time, because the workers take turns: `fetch` makes two when a stream is broken off, and of two
    // workers always the same one would answer.
    const request = get(`${url}/api/events`, { agent: false });
    const [events] = (await once(request, "response")) as [IncomingMessage];
    const [piece] = (await once(events, "data")) as [Buffer];
    request.destroy();
    names.add(/^id: (.*)-/.exec(piece.toString())?.[1]);
    return names.size;
  };
  await expect.poll(look).toBe(count);
}

it("ends and says once why, if its workers can't be started", async () => {
  const folder = scratchFolder();
  closing.push(folder.remove);
  const taken = createServer().listen(0, "127.0.0.1");
  closing.push(() => taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const flags = ["serve", "--workers", "2", "--db", folder.path("w.db")];
  const inUse = await runCliProcess([...flags, "--port", String(port)]);
  expect(inUse.code).toBe(1);
  expect(inUse.stderr.match(/is in use/g)).toHaveLength(1);
  const noDatabase = await runCliProcess([
    "serve",
    "--workers",
    "2",
    "--port",
    "0",
    "--db",
    folder.path("no/w.db"),
  ]);
  expect(noDatabase.code).toBe(1);
  expect(noDatabase.stderr.match(/can't be opened/g)).toHaveLength(1);
});

it("refuses workers that would each have a memory of their own", async () => {
  const flags = ["serve", "--port", "0", "--workers", "2"];
  for (const db of ["memory", "memory:", ":memory:", "memory://"]) {
    const refused = await runCli([...flags, "--db", db]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/--db .*memory of its own.* Give --db a file or postgres:\/\//);
  }
});

/** Names of variables that mean nothing. */
const MISTYPED = { PRECIS_PROT: "9000", PRECIS_FUZZ: "1" };

/** However many workers read them. */
function expectOneWarning(serve: Pick<ServeProcess, "log">): void {
  expect(serve.log().match(/PRECIS_PROT isn.t a known variable .* Did you mean PRECIS_PORT\?/g)).toHaveLength(
    1,
  );
  expect(serve.log().match(/PRECIS_FUZZ/g)).toHaveLength(1);
}

it("serves and counts what all workers did, whichever is asked; warns once of variables with mistyped names", async () => {
  const provider = await startFakeProvider();
  closing.push(() => provider.close());
  const serve = await startServe(["--upstream", provider.url, "--workers", "2"], { env: MISTYPED });
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
  const listed = (await (await fetch(`${serve.url}/api/conversations`)).json()) as ConversationPage;
  expect(listed.conversations).toHaveLength(requests);
  expectOneWarning(serve);
});

/** Each takes as long to start as a server of its own. */
const WORKERS = byProof({ sample: 2, more: 3, all: 3 });

it("knows in every worker what one of them has under way, and stops it from any", async () => {
  const words = Array.from({ length: 10 }, (_, n) => `word${n}`);
  const model = await startTrickleProvider({ words });
  closing.push(() => model.close());
  const serve = await startServe(["--upstream", model.url, "--workers", String(WORKERS)]);
  closing.push(() => serve.stop());
  await allWorkers(serve.url, WORKERS);
  const ask = (route: Route, id?: string, body?: object) =>
    fetch(serve.url + urlOf(route, { id }), {
      method: route.method,
      // A new connection each time: the workers take turns.
      headers: { connection: "close", "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  const { id } = (await (await ask(routes.createConversation, undefined, { model: "gpt-4o" })).json()) as {
    id: string;
  };
  const everywhere = async () => {
    const asked = Array.from({ length: 6 }, () => ask(routes.conversation, id));
    const told = (await Promise.all((await Promise.all(asked)).map((one) => one.json()))) as {
      busy?: string;
    }[];
    return [...new Set(told.map(({ busy }) => busy))];
  };
  for (let n = 0; n < WORKERS; n++) {
    model.hold();
    const answer = await ask(routes.chat, id, { text: `Go on with ${n}.` });
    await expect.poll(everywhere).toEqual(["answering"]);
    for (let m = 0; m < 3; m++) expect((await ask(routes.compact, id, {})).status).toBe(409);
    expect((await ask(routes.stop, id)).status).toBe(200);
    expect(await answer.text()).toContain('"stopped"');
    await expect.poll(everywhere).toEqual([undefined]);
  }
});

it("warns once of variables with mistyped names, and starts all the same", async () => {
  const serve = await serveHere([], { env: MISTYPED });
  closing.push(() => serve.stop());
  expect((await fetch(`${serve.url}/healthz`)).status).toBe(200);
  expectOneWarning(serve);
});
