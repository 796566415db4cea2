import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

/** An upstream that keeps conversations of its own names them in its answers. */
let keepsConversations: boolean;
/** The conversations that clients have made at the upstream. */
let made: Set<string>;
let there: OwnUpstream;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeEach(async () => {
  keepsConversations = false;
  made = new Set();
  let count = 0;
  there = await startUpstream((request, body, response) => {
    const [, named, items] = /^\/v1\/conversations\/?([^/]*)(\/items)?$/.exec(request.url!) ?? [];
    response.setHeader("content-type", "application/json");
    if (request.method === "DELETE") return void response.end("{}");
    if (request.method === "GET" && !made.has(named!)) return void response.writeHead(404).end();
    if (named === "") made.add("conv_made");
    if (items) return void response.end(JSON.stringify({ object: "list", data: [] }));
    if (named !== undefined)
      return void response.end(JSON.stringify({ id: "conv_made", object: "conversation" }));
    const { conversation } = JSON.parse(body.toString()) as { conversation?: string };
    const id = ++count;
    response.end(
      JSON.stringify({
        id: `resp_${id}`,
        object: "response",
        ...(keepsConversations && { conversation: { id: conversation } }),
        output: [
          {
            id: `msg_${id}`,
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text: `Answer ${id}.` }],
          },
        ],
        usage: { input_tokens: 3, output_tokens: 1 },
      }),
    );
  });
  gateway = await startGateway(upstreamAt(there.url));
});
afterEach(async () => {
  await gateway.close();
  await there.close();
});

const ask = (body: object) =>
  post(`${gateway.url}/v1/responses`, JSON.stringify({ model: "m", ...body }, undefined, 1));
const sent = () => there.seen.at(-1)!.body.toString();
const untouched = (body: object) => JSON.stringify({ model: "m", ...body }, undefined, 1);

describe("an answer that a request only names", () => {
  it("isn't rebuilt from an answer that itself stands on one we don't have", async () => {
    const first = { input: "What did I say?", previous_response_id: "resp_elsewhere" };
    const response = await ask(first);
    expect(response.headers.get("x-precis-action")).toBe("untouched");
    expect(sent()).toBe(untouched(first));
    const second = { input: "And before?", previous_response_id: "resp_1" };
    await ask(second);
    expect(sent()).toBe(untouched(second));
  });

  it("isn't gone on from once the client has deleted it", async () => {
    await ask({ input: "My name is Ada." });
    await ask({ input: "I live in Rome.", previous_response_id: "resp_1" });
    await fetch(`${gateway.url}/v1/responses/resp_1`, { method: "DELETE" });
    expect(there.seen.at(-1)!.request).toMatchObject({ method: "DELETE", url: "/v1/responses/resp_1" });
    const next = { input: "Who am I?", previous_response_id: "resp_1" };
    await ask(next);
    expect(sent()).toBe(untouched(next));
    // The one behind it wasn't deleted.
    await ask({ input: "Where do I live?", previous_response_id: "resp_2" });
    expect(sent()).toContain("My name is Ada.");
  });

  it("is the upstream's to find once its conversation is deleted here", async () => {
    await ask({ input: "My name is Ada." });
    const { conversations } = await gateway.gateway.store.conversations.list("default");
    await gateway.gateway.store.conversations.delete("default", conversations[0]!.id);
    const next = { input: "Who am I?", previous_response_id: "resp_1" };
    const response = await ask(next);
    expect(response.status).toBe(200);
    expect(sent()).toBe(untouched(next));
  });
});

describe("a conversation that a request only names", () => {
  it("is rebuilt where the upstream keeps none", async () => {
    const first = { input: "My name is Ada.", conversation: "conv_1" };
    const response = await ask(first);
    expect(response.headers.get("x-precis-action")).toBe("untouched");
    expect(sent()).toBe(untouched(first));
    await ask({ input: "Who am I?", conversation: { id: "conv_1" } });
    await ask({ input: "Sure?", conversation: "conv_1" });
    expect(sent()).not.toContain("conv_1");
    const { input } = JSON.parse(sent()) as { input: { role: string; content: unknown }[] };
    expect(input.map(({ content }) => JSON.stringify(content)).join(" ")).toMatch(
      /My name is Ada.*Answer 1.*Who am I.*Answer 2.*Sure/,
    );
  });

  it("is left to an upstream at which the client made it, whose items nobody else has", async () => {
    const items = [{ type: "message", role: "user", content: "My name is Ada." }];
    const conversation = (
      (await (await post(`${gateway.url}/v1/conversations`, { items })).json()) as { id: string }
    ).id;
    for (const input of ["Who am I?", "Sure?"]) {
      await ask({ input, conversation });
      expect(sent()).toBe(untouched({ input, conversation }));
    }
    const moved = [{ type: "message", role: "user", content: "I moved to Paris." }];
    await post(`${gateway.url}/v1/conversations/${conversation}/items`, { items: moved });
    const last = { input: "Where do I live?", conversation: { id: conversation } };
    expect((await ask(last)).headers.get("x-precis-action")).toBe("untouched");
    expect(sent()).toBe(untouched(last));
  });

  it("is left to an upstream that keeps it", async () => {
    keepsConversations = true;
    for (const input of ["My name is Ada.", "Who am I?"]) {
      const body = { input, conversation: "conv_1" };
      await ask(body);
      expect(sent()).toBe(untouched(body));
    }
  });
});

it("an answer that nobody knows is said to be unknown, where the upstream ignores its name", async () => {
  const ignoring = await startUpstream((_, __, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        id: "resp_9",
        object: "response",
        status: "completed",
        previous_response_id: null,
        output: [],
      }),
    );
  });
  const other = await startGateway(upstreamAt(ignoring.url));
  try {
    const asked = { model: "m", input: "And then?", previous_response_id: "resp_nobody" };
    const response = await post(`${other.url}/v1/responses`, asked);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { code: string; message: string; type: string } };
    expect(error).toMatchObject({ code: "previous_response_not_found", type: "invalid_request_error" });
    expect(error.message).toContain("resp_nobody");
  } finally {
    await other.close();
    await ignoring.close();
  }
});
