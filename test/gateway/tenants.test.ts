import { afterEach, beforeEach, expect, it } from "vitest";
import { startGateway } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

const A = { authorization: "Bearer key-of-tenant-a-0001" };
const B = { authorization: "Bearer key-of-tenant-b-0001" };
const WINDOW = 16_000;

let there: OwnUpstream;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeEach(async () => {
  let count = 0;
  // Refuses roles that it doesn't know and repeats them, as providers do.
  there = await startUpstream((_, body, response) => {
    const { messages = [] } = JSON.parse(body.toString() || "{}") as { messages?: { role: string }[] };
    const odd = messages.find(({ role }) => !["user", "assistant"].includes(role));
    response.setHeader("content-type", "application/json");
    if (odd) {
      response.statusCode = 400;
      response.end(JSON.stringify({ error: { message: `Invalid value: '${odd.role}'.` } }));
      return;
    }
    const text = `Answer ${++count}.`;
    const content = [{ type: "output_text", text }];
    response.end(
      JSON.stringify({
        id: `resp_${count}`,
        choices: [{ index: 0, message: { role: "assistant", content: text } }],
        output: [{ type: "message", role: "assistant", id: `msg_${count}`, content }],
      }),
    );
  });
  const keys = ["a", "b"].map((tenant) => ({ name: tenant, tenant, key: `key-of-tenant-${tenant}-0001` }));
  gateway = await startGateway({
    upstreams: [{ name: "shared", baseURL: there.url, apiKey: "server-key" }],
    window: WINDOW,
    summarizer: "extractive",
    auth: { mode: "keys", keys },
  });
});
afterEach(async () => {
  await gateway.close();
  await there.close();
});

it("can't make another's window smaller with an error of their own", async () => {
  const messages = Array.from({ length: 21 }, (_, n) => ({
    role: n % 2 === 0 ? "user" : "assistant",
    content: `${n}: ${"please say more. ".repeat(40)}`,
  }));
  const chat = (headers: Record<string, string>, said: object[]) =>
    post(`${gateway.url}/v1/chat/completions`, { model: "m", messages: said }, headers);
  await chat(A, [{ role: "maximum context length is 1000 tokens", content: "x" }, ...messages]);
  const response = await chat(B, messages);
  expect(response.status).toBe(200);
  expect(response.headers.get("x-precis-action")).toBe("pass");
});

it("can't go on with another's conversation, by any name of it", async () => {
  const respond = (body: object, headers: Record<string, string>) =>
    post(`${gateway.url}/v1/responses`, { model: "m", ...body }, headers);
  const first = await respond({ input: "The code is 4711." }, { ...A, "x-precis-session": "mine" });
  const { id } = (await first.json()) as { id: string };
  await respond({ input: "What is it?", previous_response_id: id }, B);
  expect(there.seen.at(-1)!.body.toString()).not.toContain("4711");
  await respond({ input: "What is it?" }, { ...B, "x-precis-session": "mine" });
  expect(there.seen.at(-1)!.body.toString()).not.toContain("4711");
  const compacted = await post(
    `${gateway.url}/v1/responses/compact`,
    { model: "m", input: "What is it?", previous_response_id: id },
    B,
  );
  expect(await compacted.text()).not.toContain("4711");
  const { conversations } = (await (
    await fetch(`${gateway.url}/api/conversations`, { headers: A })
  ).json()) as { conversations: { id: string }[] };
  expect(conversations).toHaveLength(1);
  for (const path of ["", "/messages", "/view", "/pressure", "/export"]) {
    const url = `${gateway.url}/api/conversations/${conversations[0]!.id}${path}`;
    expect((await fetch(url, { headers: B })).status, path).toBe(404);
    expect((await fetch(url)).status, path).toBeGreaterThanOrEqual(401);
  }
  const erased = await fetch(`${gateway.url}/api/conversations/${conversations[0]!.id}`, {
    method: "DELETE",
    headers: B,
  });
  expect(erased.status).toBe(404);
});

it("hear nothing of each other", async () => {
  const controller = new AbortController();
  const heard = await fetch(`${gateway.url}/api/events`, { headers: B, signal: controller.signal });
  let text = "";
  const listening = (async () => {
    for await (const piece of heard.body!.pipeThrough(new TextDecoderStream())) text += piece;
  })().catch(() => {});
  const chat = (headers: Record<string, string>, content: string) =>
    post(
      `${gateway.url}/v1/chat/completions`,
      { model: "m", messages: [{ role: "user", content }] },
      headers,
    );
  await chat(A, "A secret of tenant a.");
  await chat(B, "Words of tenant b.");
  while (!text.includes('"request"')) await new Promise((resolve) => setTimeout(resolve, 10));
  controller.abort();
  await listening;
  expect(text).not.toContain("secret");
  expect(text.match(/"type":"request"/g)).toHaveLength(1);
});

it("see only their own totals", async () => {
  const totals = async (headers: Record<string, string>): Promise<unknown> =>
    (await fetch(`${gateway.url}/api/totals`, { headers })).json();
  const messages = [{ role: "user", content: "hi" }];
  for (const role of ["user", "nobody"])
    await post(`${gateway.url}/v1/chat/completions`, { model: "m", messages: [{ role, content: "hi" }] }, A);
  await post(`${gateway.url}/v1/chat/completions`, { model: "m", messages }, B);
  await post(`${gateway.url}/v1/chat/completions`, { model: "m", messages }, {});
  expect(await totals(A)).toMatchObject({ requests: 2, errors: 1, conversations: 1 });
  expect(await totals(B)).toMatchObject({ requests: 1, errors: 0, conversations: 1 });
  for (const one of [A, B]) expect(await totals(one)).not.toHaveProperty("storeBytes");
});
