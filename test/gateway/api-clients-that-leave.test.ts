import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Route, routes } from "../../src/gateway/api.ts";
import { apiOf } from "./api-support.ts";
import { type OwnUpstream, startUpstream } from "./own-upstream.ts";
import { type ServeHere, serveHere } from "./serve-here.ts";

const WINDOW = 4_000;
let upstream: OwnUpstream;
let serve: ServeHere;
/** Requests that wait for their summary. */
let waiting: ServerResponse[];
const { call, raw } = apiOf(() => serve.url);
const eventually = <T>(read: () => T) => expect.poll(read);

beforeEach(async () => {
  waiting = [];
  upstream = await startUpstream((_, __, response) => void waiting.push(response));
  serve = await serveHere(["--upstream", upstream.url, "--window", String(WINDOW)]);
});
afterEach(async () => {
  for (const response of waiting) response.destroy();
  await serve.stop();
  await upstream.close();
});

async function longChat(): Promise<string> {
  const messages = Array.from({ length: 10 }, (_, turn) => [
    { role: "user", content: `Question ${turn}: ${`item ${turn} of the list? `.repeat(40)}` },
    { role: "assistant", content: `Answer ${turn}. ${"It is noted. ".repeat(12)}` },
  ]).flat();
  const { conversations } = await call(routes.importFile, {
    body: { name: "list.json", text: JSON.stringify({ model: "gpt-4o", messages }) },
  });
  return conversations[0]!.id;
}

it.each<[string, Route, object | undefined]>([
  ["compact", routes.compact, {}],
  ["rebuild", routes.rebuild, undefined],
])("%s goes on when whoever asked for it has left; stopped, it changes nothing", async (_, route, body) => {
  const id = await longChat();
  const client = new AbortController();
  const asked = raw(route, { params: { id }, ...(body && { body }), signal: client.signal }).catch(() => {});
  await eventually(() => waiting.length).toBe(1);
  const busy = async () => (await call(routes.conversation, { params: { id } })).busy;
  expect(await busy()).toBe("compacting");
  client.abort();
  await asked;
  expect(await busy()).toBe("compacting");
  expect(waiting[0]!.closed).toBe(false);
  await call(routes.stop, { params: { id } });
  await eventually(() => waiting[0]!.closed).toBe(true);
  await eventually(busy).toBeUndefined();
  expect(waiting).toHaveLength(1);
  expect((await call(routes.timeline, { params: { id } })).events).toEqual([]);
  expect((await call(routes.messages, { params: { id } })).dividers).toEqual([]);
});
