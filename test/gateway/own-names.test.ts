/** What is precis's own stays its own: its settings, and the keys of its upstreams. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { routes } from "../../src/gateway/api.ts";
import { apiOf } from "./api-support.ts";
import { startGateway } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

const SECRET = "query-secret-4711";
let upstream: OwnUpstream;
let gateway: Awaited<ReturnType<typeof startGateway>>;
const api = apiOf(() => gateway.url);
beforeEach(async () => {
  upstream = await startUpstream((request, _, response) => {
    if (request.url?.startsWith("/v1/moved")) {
      response.writeHead(302, { location: `/v1/there?key=${SECRET}` });
      response.end();
      return;
    }
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "resp_1",
        object: "response",
        status: "completed",
        conversation: { id: "precis:settings" },
        output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Noted." }] }],
      }),
    );
  });
  gateway = await startGateway({
    upstreams: [{ name: "fake", baseURL: `${upstream.url}/v1?key=${SECRET}` }],
  });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

const HI = [{ role: "user", content: "hi" }];
const settingsConversation = () =>
  gateway.gateway.store.conversations.findSession("default", "precis:settings");

it("a session can't be called like the place of the settings", async () => {
  for (const name of ["precis:settings", "PRECIS:settings", "precis:"]) {
    const response = await post(
      `${gateway.url}/v1/chat/completions`,
      { model: "m", messages: HI },
      { "x-precis-session": name },
    );
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("reserved");
  }
  await post(
    `${gateway.url}/v1/chat/completions`,
    { model: "m", messages: HI },
    { session_id: "precis:settings" },
  );
  expect(await settingsConversation()).toBeUndefined();
});

it("neither a client nor an upstream can name a conversation like that", async () => {
  const asked = { model: "m", input: "hi", conversation: "precis:settings" };
  expect((await post(`${gateway.url}/v1/responses`, asked)).status).toBe(400);
  // The upstream's answer says that this is the name of the conversation.
  expect((await post(`${gateway.url}/v1/responses`, { model: "m", input: "hi" })).status).toBe(200);
  await gateway.gateway.store.conversations.list("default");
  expect(await settingsConversation()).toBeUndefined();
  // Settings are no conversation.
  await api.call(routes.changeSettings, { body: { theme: "dark" } });
  expect(await settingsConversation()).toBeUndefined();
});

it("a key in the query of an upstream's address is sent there and told to nobody", async () => {
  const { conversations } = await api.call(routes.importFile, {
    body: { name: "a.json", text: JSON.stringify(HI) },
  });
  const { id } = conversations[0]!;
  await api.call(routes.changeConversation, { params: { id }, body: { settings: { model: "m" } } });
  const told = await Promise.all(
    [
      ["/api/status"],
      ["/api/models"],
      ["/api/settings"],
      [`/api/conversations/${id}/request`],
      ["/v1/models"],
      ["/v1/moved"],
      ["/metrics"],
    ].map(async ([path]) => {
      const response = await fetch(gateway.url + path!, { redirect: "manual" });
      return JSON.stringify([...response.headers]) + (await response.text());
    }),
  );
  expect(told.join("\n")).not.toContain(SECRET);
  expect(upstream.seen.map(({ request }) => request.url).join("\n")).toContain(SECRET);
});

/** What one request names, with which no answer could ever be stored. */
const UNSTORABLE: readonly (readonly [string, string, string])[] = [
  ["a conversation of 300 characters", "/v1/responses", `"conversation":"${"x".repeat(300)}"`],
  ["a conversation with a NUL", "/v1/responses", String.raw`"conversation":"x\u0000"`],
  ["an answer with a NUL", "/v1/responses", String.raw`"previous_response_id":"x\u0000"`],
  ["a model with a NUL", "/v1/chat/completions", String.raw`"model":"m\u0000"`],
  ["a model with half a character", "/v1/messages", String.raw`"model":"m\ud800"`],
  ["a model with a NUL in the address", "/v1beta/models/m%00:generateContent", `"x":1`],
  ["a model of the page with a NUL", "/api/conversations", String.raw`"settings":{"model":"m\u0000"}`],
];

it.each(UNSTORABLE)("a name that no store can hold is refused with the fix: %s", async (_, path, field) => {
  const isApi = path.startsWith("/api");
  const talk = `"model":"m","input":"hi","messages":${JSON.stringify(HI)},"contents":[{"role":"user","parts":[{"text":"hi"}]}],`;
  const response = await post(`${gateway.url}${path}`, `{${isApi ? "" : talk}${field}}`);
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch(
    /Use 1 to [\d,]+ characters of valid Unicode|Give it as the provider writes it/,
  );
  expect(upstream.seen.filter(({ request }) => request.method === "POST")).toEqual([]);
});

it("a tenant that no store can hold is refused when the server starts", async () => {
  const keys = [{ name: "a", key: "0123456789abcdef", tenant: "x".repeat(300) }];
  await expect(startGateway({ auth: { keys } })).rejects.toThrow(/isn't a name of a tenant/);
});
