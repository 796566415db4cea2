/** One record per request: what failed says why, what was paid beside requests has its own, and nothing is lost by a restart. */
import { afterEach, expect, it } from "vitest";
import { type RequestFact, type RequestQuery, routes, urlOf } from "../../src/gateway/api.ts";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { scratchFolder } from "../cli/run-cli.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";
import { serveHere } from "./serve-here.ts";
import { totalsOf } from "./totals-of.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function requests(url: string, query: RequestQuery = {}): Promise<readonly RequestFact[]> {
  const response = await fetch(url + urlOf(routes.requests, {}, query));
  return ((await response.json()) as { requests: RequestFact[] }).requests;
}

const chat = (model: string, ...texts: readonly string[]) => ({
  model,
  messages: texts.map((content, n) => ({ role: n % 2 === 0 ? "user" : "assistant", content })),
});

it("a request that failed says why, whoever refused it", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o"] });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url]);
  closing.push(() => serve.stop());
  const url = `${serve.url}/v1/chat/completions`;
  await (await post(url, chat("gpt-4o", "a", "b"))).text();
  const wrong = { model: "gpt-4o", messages: [{ role: "nobody", content: "hi" }] };
  const refused = await post(url, wrong);
  expect(refused.status).toBe(400);
  await (
    await post(url, chat("gpt-4o", "Every word counts. ".repeat(300)), { "x-precis-budget": "200" })
  ).text();
  await (
    await fetch(url, { method: "POST", body: "{no json", headers: { "content-type": "application/json" } })
  ).text();
  const failed = await requests(serve.url, { outcome: "failed" });
  expect(failed.map(({ status }) => status)).toEqual([400, 400, 400]);
  for (const { error } of failed) expect(error).toMatch(/\w+ \w+/);
  // What the provider said, in its words.
  expect(failed[2]?.error).toContain("nobody");
  expect(failed[0]?.error).toMatch(/JSON/);
  expect(await totalsOf(serve.url)).toMatchObject({ requests: 4, errors: 3, models: ["gpt-4o"] });
});

it("totals, by model and by time, are the same after a restart", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o", "gpt-4o-mini"] });
  closing.push(() => provider.close());
  const folder = scratchFolder();
  closing.push(folder.remove);
  const options = { db: folder.path("records.db") };
  const flags = ["--upstream", provider.url];
  const first = await serveHere(flags, options);
  for (const model of ["gpt-4o", "gpt-4o-mini", "gpt-4o"])
    await (await post(`${first.url}/v1/chat/completions`, chat(model, `to ${model}`))).text();
  const before = await totalsOf(first.url);
  expect(before).toMatchObject({ requests: 3, models: ["gpt-4o", "gpt-4o-mini"] });
  expect(before.input).toBeGreaterThan(0);
  expect(before.spend).toBeGreaterThan(0);
  await first.stop();
  const second = await serveHere(flags, options);
  closing.push(() => second.stop());
  const { storeBytes: _, ...rest } = before;
  expect(await totalsOf(second.url)).toMatchObject(rest);
  expect(await totalsOf(second.url, { model: "gpt-4o" })).toMatchObject({ requests: 2 });
  const [newest, middle] = await requests(second.url);
  expect(await totalsOf(second.url, { since: newest!.at })).toMatchObject({ requests: 1 });
  expect(await requests(second.url, { until: newest!.at })).toHaveLength(2);
  expect(await requests(second.url, { before: middle!.id })).toHaveLength(1);
});

it("whom nobody knows, and floods, are counted by reason, without a row each; nobody sees what others asked", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o"] });
  closing.push(() => provider.close());
  const limits = { requestsPerMinute: 3 };
  const named = ["a", "b"].map((name) => ({ name, key: `key-of-tenant-${name}-0001`, tenant: name, limits }));
  // Who looks at it has a key of its own, without a limit.
  const looking = named.map(({ tenant }) => ({ name: "look", key: `looking-at-${tenant}-0001`, tenant }));
  const keys = [...named, ...looking];
  const gateway = await startGateway({ ...upstreamAt(provider.url), auth: { mode: "keys", keys } });
  closing.push(() => gateway.close());
  const url = `${gateway.url}/v1/chat/completions`;
  const [a, , seesA, seesB] = keys.map(({ key }) => ({ authorization: `Bearer ${key}` }));
  const nobody = await post(url, chat("gpt-4o", "hi"), { authorization: "Bearer of-nobody" });
  expect(nobody.status).toBe(401);
  for (let n = 0; n < 5; n++) await (await post(url, chat("gpt-4o", `hi ${n}`), a)).text();
  expect(await totalsOf(gateway.url, {}, seesA)).toMatchObject({
    requests: 3,
    errors: 0,
    refused: { "rate-limited": 2 },
    clients: ["a"],
  });
  expect(await totalsOf(gateway.url, {}, seesB)).toMatchObject({ requests: 0, refused: {}, clients: [] });
  const list = async (headers: object) =>
    (
      (await (await fetch(`${gateway.url}/api/requests`, { headers: { ...headers } })).json()) as {
        requests: RequestFact[];
      }
    ).requests;
  expect(await list(seesA!)).toHaveLength(3);
  expect(await list(seesB!)).toEqual([]);
});
