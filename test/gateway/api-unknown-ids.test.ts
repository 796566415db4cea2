import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiConversation, type Route, routes, urlOf } from "../../src/gateway/api.ts";
import { startTrickleProvider } from "../support/trickle-provider.ts";
import { startGateway } from "./gateway-process.ts";

const KEYS = { a: "key-of-tenant-a-0001", b: "key-of-tenant-b-0001" };
type Tenant = keyof typeof KEYS;

let provider: Awaited<ReturnType<typeof startTrickleProvider>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let ofA: ApiConversation;

function ask(tenant: Tenant, route: Route, params: object = {}, body?: object): Promise<Response> {
  return fetch(gateway.url + urlOf(route, params, route === routes.recall ? { q: "x" } : {}), {
    method: route.method,
    headers: { "x-precis-key": KEYS[tenant], ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

beforeAll(async () => {
  const words = Array.from({ length: 15 }, (_, n) => `word${n}`);
  provider = await startTrickleProvider({ words });
  gateway = await startGateway({
    upstreams: [{ name: "shared", baseURL: provider.url, apiKey: "server-key" }],
    window: 8_000,
    summarizer: "extractive",
    auth: {
      mode: "keys",
      keys: (["a", "b"] as const).map((tenant) => ({ name: tenant, tenant, key: KEYS[tenant] })),
    },
  });
  await ask("a", routes.changeSettings, {}, { auto: true });
  const made = await ask("a", routes.createConversation, {}, { model: "gpt-4o" });
  ofA = (await made.json()) as ApiConversation;
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

/** A body that each route takes. */
const BODIES: Readonly<Record<string, object>> = {
  changeConversation: { title: "x" },
  fork: { length: 0 },
  showBranch: { message: "none" },
  appendMessage: { role: "user", text: "x" },
  chat: { text: "x" },
  editMessage: { text: "x" },
  regenerate: {},
  whatIf: {},
  compact: {},
  editSummary: { text: "x" },
  writeText: {},
};
const ofOne = Object.entries(routes as Readonly<Record<string, Route>>).filter(([, { path }]) =>
  path.includes(":id"),
);

describe("a conversation that isn't there, or is another's, is answered with 404", () => {
  it.each(ofOne)("%s", async (name, route) => {
    for (const id of ["nope", ofA.id]) {
      const answer = await ask("b", route, { id, index: 0, key: "k" }, BODIES[name]);
      expect([id, answer.status]).toEqual([id, 404]);
      expect(await answer.json()).toMatchObject({ error: { code: "not-found" } });
    }
  });

  it("replay", async () => {
    for (const conversation of ["nope", ofA.id]) {
      const body = { conversation, policies: [{ name: "p" }] };
      expect((await ask("b", routes.replay, {}, body)).status).toBe(404);
    }
  });
});

it("an answer can't be stopped by another tenant, nor seen to be under way", async () => {
  provider.hold();
  const answer = await ask("a", routes.chat, { id: ofA.id }, { text: "Go on." });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  while (!seen.includes("word1")) seen += (await reader.read()).value ?? "";
  expect((await ask("b", routes.stop, { id: ofA.id })).status).toBe(404);
  expect((await ask("b", routes.compact, { id: ofA.id }, {})).status).toBe(404);
  provider.goOn();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) seen += piece.value;
  expect(seen).toContain('"done"');
  expect(seen).not.toContain('"stopped"');
});
