/** Retention, another tab or another node may remove a conversation between the look at it and the change. */
import { afterAll, afterEach, expect, it } from "vitest";
import { openStore } from "../../src/stores/open-store.ts";
import { scratchFolder } from "../cli/run-cli.ts";
import { startGateway } from "./gateway-process.ts";

const folder = scratchFolder();
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
afterAll(folder.remove);

const CHANGES: readonly (readonly [method: string, path: string, body?: object])[] = [
  ["DELETE", ""],
  ["POST", "/undelete", {}],
  ["PATCH", "", { title: "Other" }],
];

it.each(["memory", "sqlite"])("a conversation that is removed meanwhile isn't found: %s", async (kind) => {
  const db = kind === "memory" ? "memory" : folder.path("x.db");
  const store = openStore(db);
  await store.ready();
  const update = store.conversations.update.bind(store.conversations);
  let isRemoved = false;
  const conversations = new Proxy(store.conversations, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== "update") return typeof value === "function" ? value.bind(target) : value;
      return async (...args: Parameters<typeof update>) => {
        isRemoved = await target.delete(args[0], args[1]).then(() => true);
        return update(...args);
      };
    },
  });
  const gateway = await startGateway({}, { store: { ...store, conversations } });
  ends.push(gateway.close);
  for (const [method, path, body] of CHANGES) {
    const made = await store.conversations.append("default", {
      session: crypto.randomUUID(),
      dialect: "openai-chat",
      messages: [],
      at: 1,
    } as never);
    isRemoved = false;
    const response = await fetch(`${gateway.url}/api/conversations/${made.conversation}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    expect(isRemoved).toBe(true);
    expect([method, response.status, await response.json()]).toMatchObject([
      method,
      404,
      { error: { code: "not-found" } },
    ]);
  }
});

/** Two changes of the same thing at once, again and again. */
const ROUNDS = 30;

it.each(["memory", "sqlite"])("of two changes at once none is lost: %s", async (kind) => {
  const gateway = await startGateway({ db: kind === "memory" ? "memory" : folder.path("changes.db") });
  ends.push(gateway.close);
  const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${gateway.url}/api${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = await call("POST", "/conversations", { title: `${round}` });
    const other = `/conversations/${(await call("POST", "/conversations", {}))["id"]}`;
    const [budget, tail] = [5_000 + round, (round + 1) / 100];
    await Promise.all([
      call("PATCH", `/conversations/${id}`, { title: "Other" }),
      call("DELETE", `/conversations/${id}`),
      call("PATCH", other, { settings: { budget } }),
      call("PATCH", other, { settings: { tail } }),
      call("PATCH", "/settings", { budget }),
      call("PATCH", "/settings", { tail }),
    ]);
    expect(await call("GET", other)).toMatchObject({ settings: { budget, tail } });
    expect(await call("GET", "/settings")).toMatchObject({ settings: { budget, tail } });
    await call("DELETE", other);
  }
  expect(await call("GET", "/conversations?limit=100")).toMatchObject({ conversations: [] });
});
