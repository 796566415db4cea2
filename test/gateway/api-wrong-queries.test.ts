import { afterAll, beforeAll, expect, it } from "vitest";
import type { ApiConversation, Imported } from "../../src/gateway/api.ts";
import { countTurns } from "../support/count-turns.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { startGateway } from "./gateway-process.ts";

let gateway: Awaited<ReturnType<typeof startGateway>>;
let conversation: ApiConversation;
const send = (path: string, body: object) =>
  fetch(gateway.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

beforeAll(async () => {
  gateway = await startGateway({ upstreams: [{ name: "none", baseURL: "http://127.0.0.1:9/v1" }] });
  conversation = (await (await send("/api/conversations", { title: "One" })).json()) as ApiConversation;
});
afterAll(() => gateway.close());

it.each([
  ["a cursor of no page", () => "/api/conversations?cursor=x", "cursor"],
  ["an empty cursor", () => "/api/conversations?cursor=", "cursor"],
  [
    "a number that nobody can count to",
    () => `/api/conversations/${conversation.id}/timeline?after=99999999999999999999`,
    "after",
  ],
  [
    "a list of whose conversations there are none",
    () => "/api/conversations?of=evil",
    "Give one of person, clients",
  ],
  [
    "a list of what isn't archived that way",
    () => "/api/conversations?archived=yes",
    "Give one of hide, only, all",
  ],
  ["a list that is sorted by what no column has", () => "/api/requests?sort=size", "time, tokens, spend, ms"],
  ["an order that is neither way", () => "/api/requests?sort=ms&order=up", "Give one of desc, asc"],
  ["a time that ends before it begins", () => "/api/requests?since=2000&until=1000", "until"],
  ["sums of a time that ends before it begins", () => "/api/totals?since=2000&until=2000", "until"],
  ["a time that is no number", () => "/api/totals?since=yesterday", "whole number"],
  ["stretches of time without a beginning", () => "/api/totals?every=60000", "Give since"],
])("%s is the client's fault, and is named", async (_name, path, field) => {
  const response = await fetch(gateway.url + path());
  expect(response.status).toBe(400);
  expect(JSON.stringify(await response.json())).toContain(field);
});

it("a file of many conversations leaves others their turns while it is imported", async () => {
  const chats = Array.from({ length: 1_200 }, (_, n) => ({
    title: `Chat ${n}`,
    messages: [{ role: "user", content: `Question ${n}` }],
  }));
  let imported: Imported | undefined;
  const turns = await countTurns(async () => {
    const response = await send("/api/import", { name: "chats.json", text: JSON.stringify(chats) });
    imported = (await response.json()) as Imported;
  });
  expect(imported?.conversations).toHaveLength(1_200);
  expect(turns).toBeGreaterThan(10);
});

it.each(["SQLite", "PostgreSQL"])("%s is never asked for a NUL character", async (kind) => {
  const db = kind === "PostgreSQL" ? { db: await (await sharedPostgres()).database() } : {};
  const asked = await startGateway(db);
  const status = async (path: string) => (await fetch(asked.url + path)).status;
  try {
    for (const path of ["conversations/%00", "requests/%00", "requests/a%00b", "conversations/%00/messages"])
      expect(await status(`/api/${path}`)).toBe(404);
    for (const path of [
      "requests?before=%00",
      "requests?sort=ms&before=%00",
      "requests?model=x%00",
      "search?q=%00",
      "totals?model=%00",
    ])
      expect([200, 400]).toContain(await status(`/api/${path}`));
  } finally {
    await asked.close();
  }
});
