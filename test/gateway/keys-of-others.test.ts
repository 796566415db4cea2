/** A client's key goes to the upstream that the client's request goes to, and to no other one. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { routes } from "../../src/gateway/api.ts";
import {
  type FakeProvider,
  type FakeRequest,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import { apiOf } from "./api-support.ts";
import { startGateway } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";

const SECRET = "client-secret-for-main";
const WINDOW = 8_000;
const CARRYING = ["authorization", "x-api-key", "api-key", "openai-organization", "openai-project"];

let main: FakeProvider;
let other: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;

beforeEach(async () => {
  main = await startFakeProvider({ reply: "Noted." });
  other = await startFakeProvider({ reply: summarizingReply({ when: () => true, otherwise: "Noted." }) });
});
afterEach(async () => {
  await gateway.close();
  await main.close();
  await other.close();
});

async function start(
  more: { readonly own?: object; readonly other?: object; readonly config?: object } = {},
) {
  gateway = await startGateway({
    window: WINDOW,
    startAt: 0.5,
    waitMs: 5_000,
    summarizer: { model: "cheap", upstream: "other" },
    upstreams: [
      { name: "main", baseURL: main.url, models: ["m*"], ...more.own },
      { name: "other", baseURL: other.url, models: ["cheap"], ...more.other },
    ],
    ...more.config,
  });
}

const long = Array.from({ length: 41 }, (_, n) => ({
  role: n % 2 === 0 ? "user" : "assistant",
  content: `Part ${n}: ${`item ${n} of the list is noted and kept. `.repeat(20)}`,
}));
const heldBy = ({ headers }: FakeRequest): unknown[] =>
  CARRYING.map((name) => headers[name]).filter((value) => value !== undefined);

it.each([
  ["/v1/chat/completions", { messages: long }],
  ["/v1/responses", { input: long }],
  ["/v1/messages", { messages: long, max_tokens: 100 }],
])("a summariser on another upstream doesn't get the key of %s", async (path, body) => {
  await start();
  const response = await post(
    gateway.url + path,
    { model: "m1", ...body },
    {
      authorization: `Bearer ${SECRET}`,
      "x-api-key": SECRET,
      "openai-organization": SECRET,
    },
  );
  expect(response.status).toBe(200);
  await gateway.gateway.compactors.settled();
  expect(main.requests.length).toBeGreaterThan(0);
  expect(JSON.stringify(main.requests.map(({ headers }) => headers))).toContain(SECRET);
  expect(other.requests.length).toBeGreaterThan(0);
  expect(JSON.stringify(other.requests.map(({ headers }) => headers))).not.toContain(SECRET);
});

it("a summariser on another upstream gets that upstream's own key", async () => {
  await start({ other: { apiKey: "key-of-the-other" } });
  await post(
    `${gateway.url}/v1/chat/completions`,
    { model: "m1", messages: long },
    { authorization: `Bearer ${SECRET}` },
  );
  await gateway.gateway.compactors.settled();
  expect(other.requests.map(heldBy)[0]).toEqual(["Bearer key-of-the-other"]);
});

it("a summariser on the request's own upstream still gets the client's key", async () => {
  await start({ config: { summarizer: "same" } });
  await post(
    `${gateway.url}/v1/chat/completions`,
    { model: "m1", messages: long },
    { authorization: `Bearer ${SECRET}` },
  );
  await gateway.gateway.compactors.settled();
  expect(main.requests.length).toBeGreaterThan(1);
  for (const request of main.requests) expect(heldBy(request)).toEqual([`Bearer ${SECRET}`]);
});

it("a compaction that the page asks for doesn't send the page's key to the summariser's upstream", async () => {
  await start();
  const api = apiOf(() => gateway.url);
  const { conversations } = await api.call(routes.importFile, {
    body: { name: "a.json", text: JSON.stringify(long) },
  });
  const { id } = conversations[0]!;
  await api.call(routes.changeConversation, { params: { id }, body: { settings: { model: "m1" } } });
  await fetch(`${gateway.url}/api/conversations/${id}/compact`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${SECRET}` },
    body: "{}",
  });
  expect(other.requests.length).toBeGreaterThan(0);
  expect(JSON.stringify(other.requests.map(({ headers }) => headers))).not.toContain(SECRET);
});

it.each(["/v1/models", "/api/models"])("%s shows the client's key to one upstream at most", async (path) => {
  const lists = await Promise.all(
    ["m1", "n1"].map((id) =>
      startUpstream((_, __, response) => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ object: "list", data: [{ id, object: "model" }] }));
      }),
    ),
  );
  const [first, second] = lists;
  gateway = await startGateway({
    upstreams: lists.map(({ url }, index) => ({ name: `list${index}`, baseURL: url })),
  });
  const answer = await fetch(gateway.url + path, {
    headers: { authorization: `Bearer ${SECRET}`, "x-api-key": SECRET, "x-custom": SECRET },
  });
  const said = await answer.text();
  await Promise.all(lists.map((list) => list.close()));
  expect(said).toContain("m1");
  expect(said).toContain("n1");
  // Beside its list, an upstream may be asked for the windows of models that nobody knows.
  const [shown, hidden] = [first!, second!].map(({ seen }) => seen.map(({ request }) => request.headers));
  expect(new Set(shown!.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${SECRET}`]));
  expect(hidden!.length).toBeGreaterThan(0);
  expect(JSON.stringify(hidden)).not.toContain(SECRET);
});
