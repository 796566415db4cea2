import { Writable } from "node:stream";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GatewayParts } from "../../src/gateway/create-gateway.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { scratchFolder } from "../cli/run-cli.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";

let folder: ReturnType<typeof scratchFolder>;
let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let config: object;
beforeEach(async () => {
  folder = scratchFolder();
  provider = await startFakeProvider({ reply: ({ number }) => `Answer ${number + 1}.` });
  config = { ...upstreamAt(provider.url), db: folder.path("answers.db") };
  gateway = await startGateway(config);
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
  folder.remove();
});

/** Everything that the node remembers is gone; what it stored isn't. */
async function restart(more: object = {}, parts: GatewayParts = {}): Promise<void> {
  await gateway.close();
  config = { ...config, ...more };
  gateway = await startGateway(config, parts);
}

interface Asked {
  /** The id of the answer to go on from. */
  readonly after?: string;
  readonly stream?: boolean;
  readonly store?: boolean;
  readonly instructions?: string;
  readonly headers?: Record<string, string>;
}

async function ask(input: string | readonly object[], { after, headers, ...more }: Asked = {}) {
  const previous = after === undefined ? {} : { previous_response_id: after };
  const response = await post(
    `${gateway.url}/v1/responses`,
    { model: "gpt-5", input, ...previous, ...more },
    headers,
  );
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return {
    id: /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? "",
    session: response.headers.get("x-precis-session"),
  };
}

/** What the upstream got last, word for word; undefined if it was left to find it by itself. */
function sent(): readonly string[] | undefined {
  const { body, messages } = provider.requests.at(-1)!;
  return body["previous_response_id"] === undefined ? messages.map(({ text }) => text) : undefined;
}

const lengths = async (tenant = "default") =>
  (await gateway.gateway.store.conversations.list(tenant)).conversations.map(({ length }) => length).sort();

describe("a chain of answers", () => {
  it("has one session from its beginning to its end, on any node", async () => {
    const sessions = new Set<string | null>();
    let after: string | undefined;
    for (let turn = 0; turn < 6; turn++) {
      const answer = await ask(`Question ${turn}.`, {
        ...(after !== undefined && { after }),
        stream: turn % 2 === 1,
      });
      sessions.add(answer.session);
      after = answer.id;
      if (turn === 3) await restart();
    }
    expect(sessions.size).toBe(1);
    const [session] = sessions;
    expect(session).toMatch(/./);
    expect(session).not.toMatch(/^resp_/);
    expect(await gateway.gateway.store.conversations.findSession("default", session!)).toMatchObject({
      length: 12,
    });
    expect(await lengths()).toEqual([12]);
  });

  it("goes on from its newest answer after a restart, and branches from an older one", async () => {
    const first = await ask("My name is Ada.");
    const second = await ask("Who am I?", { after: first.id });
    const third = await ask("Are you sure?", { after: second.id });
    await restart();
    const branch = await ask("And who are you?", { after: first.id });
    expect(sent()).toEqual(["My name is Ada.", "Answer 1.", "And who are you?"]);
    const next = await ask("Really?", { after: third.id });
    expect(sent()?.slice(-3)).toEqual(["Are you sure?", "Answer 3.", "Really?"]);
    expect(sent()).toHaveLength(7);
    expect(next.session).toBe(first.session);
    const { conversations } = await gateway.gateway.store.conversations.list("default");
    expect(conversations.map(({ length, branched }) => ({ length, branched }))).toEqual([
      { length: 8, branched: true },
    ]);
    // Both branches go on where they are.
    await restart();
    await ask("Tell me.", { after: branch.id });
    expect(sent()).toEqual(["My name is Ada.", "Answer 1.", "And who are you?", "Answer 4.", "Tell me."]);
    await ask("Why?", { after: second.id });
    expect(sent()).toEqual(["My name is Ada.", "Answer 1.", "Who am I?", "Answer 2.", "Why?"]);
    expect(await lengths()).toEqual([6]);
  });

  it("is the client's own though another one has the very same words", async () => {
    provider.setReply("Hello.");
    const [one, other] = [await ask("Hi."), await ask("Hi.")];
    expect(other.session).not.toBe(one.session);
    expect((await ask("I am Ada.", { after: one.id })).session).toBe(one.session);
    const next = await ask("I am Bob.", { after: other.id });
    expect(next.session).toBe(other.session);
    await restart();
    expect((await ask("I am still Bob.", { after: next.id })).session).toBe(other.session);
    expect(sent()).toEqual(["Hi.", "Hello.", "I am Bob.", "Hello.", "I am still Bob."]);
    expect(await lengths()).toEqual([4, 6]);
  });

  it("is found by each id that a client got, where an answer came twice with the same words", async () => {
    provider.setReply("Hello.");
    const first = await ask("I am Ada.");
    const one = await ask("Who am I?", { after: first.id });
    const again = await ask("Who am I?", { after: first.id });
    expect(again.id).not.toBe(one.id);
    await restart();
    await ask("Sure?", { after: again.id });
    expect(sent()).toEqual(["I am Ada.", "Hello.", "Who am I?", "Hello.", "Sure?"]);
    expect(await lengths()).toEqual([6]);
    // The id that it got first names the same answer.
    await ask("Really?", { after: one.id });
    expect(sent()).toEqual(["I am Ada.", "Hello.", "Who am I?", "Hello.", "Really?"]);
  });

  it("keeps the name that it was given, and is found by it or by its answers", async () => {
    const headers = { "x-precis-session": "mine" };
    const first = await ask("My name is Ada.", { headers });
    const second = await ask("Who am I?", { after: first.id, headers });
    await restart();
    expect((await ask("Sure?", { after: second.id })).session).toBe("mine");
    expect(sent()).toHaveLength(5);
    const other = await ask("Another way.", { after: second.id, headers: { "x-precis-session": "other" } });
    expect(other.session).toBe("other");
    expect(sent()).toEqual(["My name is Ada.", "Answer 1.", "Who am I?", "Answer 2.", "Another way."]);
    expect(await lengths()).toEqual([6, 6]);
  });
});

describe("an answer isn't found", () => {
  it("by another tenant", async () => {
    const keys = ["a", "b"].map((tenant) => ({ name: tenant, tenant, key: `key-of-tenant-${tenant}-0001` }));
    await restart({
      upstreams: [{ name: "shared", baseURL: provider.url, apiKey: "server-key" }],
      auth: { mode: "keys", keys },
    });
    const of = (tenant: string) => ({ headers: { authorization: `Bearer key-of-tenant-${tenant}-0001` } });
    const first = await ask("The code is 4711.", of("a"));
    await ask("What is it?", { after: first.id, ...of("a") });
    await restart();
    await ask("What is it?", { after: first.id, ...of("b") });
    expect(sent()).toBeUndefined();
    expect(provider.requests.at(-1)!.raw).not.toContain("4711");
    await ask("What is it?", { after: first.id, ...of("a") });
    expect(sent()).toContain("The code is 4711.");
  });

  it("if its client said that it isn't to be kept", async () => {
    const first = await ask("My name is Ada.", { store: false });
    const next = { model: "gpt-5", input: "Who am I?", previous_response_id: first.id };
    for (const isAfterRestart of [false, true]) {
      if (isAfterRestart) await restart();
      await post(`${gateway.url}/v1/responses`, next);
      expect(provider.requests.at(-1)!.body).toEqual(next);
    }
  });

  it("where nothing is stored", async () => {
    await restart({ store: false });
    const first = await ask("My name is Ada.");
    await ask("Who am I?", { after: first.id });
    expect(sent()).toBeUndefined();
  });

  it.each([
    ["queued", false],
    ["in_progress", false],
    ["failed", false],
    ["queued", true],
    ["cancelled", true],
  ])("while it isn't there yet, or never will be: %s, streamed %s", async (status, isStreamed) => {
    let count = 0;
    const text = { type: "output_text", text: "The first half of" };
    const half = [{ type: "message", role: "assistant", content: [text] }];
    const there = await startUpstream((_, __, response) => {
      const answer = { id: `resp_${++count}`, object: "response", status, output: count === 1 ? [] : half };
      const event = { type: `response.${status}`, response: answer };
      response.setHeader("content-type", isStreamed ? "text/event-stream" : "application/json");
      response.end(
        isStreamed ? `data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n` : JSON.stringify(answer),
      );
    });
    try {
      await restart(upstreamAt(there.url));
      const ids: string[] = [];
      for (const input of ["Write a report.", "Another one."]) {
        const response = await post(`${gateway.url}/v1/responses`, {
          model: "gpt-5",
          input,
          background: true,
          stream: isStreamed,
        });
        await response.text().catch(() => "");
        ids.push(`resp_${count}`);
      }
      for (const isAfterRestart of [false, true]) {
        if (isAfterRestart) await restart();
        for (const id of ids) {
          const next = { model: "gpt-5", input: "Shorten it.", previous_response_id: id };
          await (await post(`${gateway.url}/v1/responses`, next)).text();
          expect(JSON.parse(there.seen.at(-1)!.body.toString())).toEqual(next);
        }
      }
    } finally {
      await there.close();
    }
  });

  it("once its conversation is deleted, in each of its branches", async () => {
    const first = await ask("My name is Ada.");
    const second = await ask("Who am I?", { after: first.id });
    await ask("And who are you?", { after: first.id });
    const { conversations } = gateway.gateway.store;
    const held = await conversations.findAnswer("default", second.id);
    await conversations.delete("default", held!.conversation.id);
    await ask("Sure?", { after: second.id });
    expect(sent()).toBeUndefined();
    await ask("Hm?", { after: first.id });
    expect(sent()).toBeUndefined();
  });
});

it("is found though it was cut off: what there is of it is the answer", async () => {
  provider.setReply({ text: "Half of", stop: "length" });
  const first = await ask("Write a report.");
  provider.setReply("Done.");
  await ask("Go on.", { after: first.id });
  expect(sent()).toEqual(["Write a report.", "Half of", "Go on."]);
});

it("is rebuilt with the developer's first messages, and without instructions of an earlier request", async () => {
  const words = [
    { role: "developer", content: "Speak French." },
    { role: "user", content: "Hello." },
  ];
  const first = await ask(words, { instructions: "Be kind." });
  const second = await ask("Good day.", { after: first.id });
  await restart();
  const third = await ask("Goodbye.", { after: second.id, instructions: "Be brief." });
  expect(sent()).toEqual([
    "Be brief.",
    "Speak French.",
    "Hello.",
    "Answer 1.",
    "Good day.",
    "Answer 2.",
    "Goodbye.",
  ]);
  expect([second.session, third.session]).toEqual([first.session, first.session]);
  expect(await lengths()).toEqual([6]);
  const { conversation } = (await gateway.gateway.store.conversations.findAnswer("default", third.id))!;
  const shown = await fetch(`${gateway.url}/api/conversations/${conversation.id}/messages`);
  expect(await shown.json()).toMatchObject({ system: "Be brief.\n\nSpeak French.", lead: 1, total: 6 });
});

it("holds no secret in what is rebuilt from a redacted store", async () => {
  const warnings: { msg: string; response?: string }[] = [];
  const sink = new Writable({
    write(line: Buffer, _, done) {
      warnings.push(JSON.parse(line.toString()) as (typeof warnings)[0]);
      done();
    },
  });
  const log = pino({ level: "warn" }, sink);
  await restart({ redact: true }, { log });
  const harmless = await ask("My name is Ada.");
  await ask("Who am I?", { after: harmless.id });
  expect(warnings).toEqual([]);
  const first = await ask("The password: hunter2hunter2, and sk-proj-abcdefghijklmnop1234567890 too.");
  const second = await ask("Keep them.", { after: first.id });
  await restart({}, { log });
  const third = await ask("What are they?", { after: first.id });
  expect(sent()).toEqual(["The password: [secret], and [secret] too.", "Answer 3.", "What are they?"]);
  // The model gets less than was said to it: whoever runs the gateway is told.
  expect(warnings).toMatchObject([first, first].map(({ id }) => ({ response: id })));
  expect(warnings[0]!.msg).toContain("[secret]");
  expect((await ask("And now?", { after: second.id })).session).toBe(first.session);
  expect(third.session).toBe(first.session);
  expect(await lengths()).toEqual([4, 6]);
});

it("finds answers with any id, and answers that say nothing", async () => {
  const ids = [
    "resp_1",
    `resp_${"long".repeat(1_000)}`,
    "resp 漢字\n",
    "sk-abcdefghijklmnopqrstuvwx",
    "resp_5",
  ];
  let count = 0;
  const there = await startUpstream(async (_, __, response) => {
    const id = ids[count++ % ids.length]!;
    const text = { type: "output_text", text: `Answer ${count}.` };
    const output = count === 5 ? [] : [{ type: "message", role: "assistant", content: [text] }];
    response.setHeader("content-type", "application/json");
    // The one that says nothing comes when its request is in the store already.
    if (count === 5) await expect.poll(() => lengths()).toHaveLength(5);
    response.end(JSON.stringify({ id, object: "response", output }));
  });
  try {
    await restart(upstreamAt(there.url));
    for (const [n, id] of ids.entries()) {
      await ask(`Question ${n + 1}.`);
      expect(there.seen).toHaveLength(n + 1);
      expect(await lengths()).toHaveLength(n + 1);
      expect(id).toBe(ids[n]);
    }
    await restart();
    for (const [n, id] of ids.entries()) {
      await ask("Go on.", { after: id });
      const body = there.seen.at(-1)!.body.toString();
      expect(body).toContain(`Question ${n + 1}.`);
      expect(body).toContain(n === 4 ? "Go on." : `Answer ${n + 1}.`);
      expect(body).not.toContain("previous_response_id");
    }
    expect(await lengths()).toEqual([3, 4, 4, 4, 4]);
  } finally {
    await there.close();
  }
});

it("an answer that was written in the background and polled for is gone on from", async () => {
  let polls = 0;
  const upstream = await startUpstream((request, body, response) => {
    const asked = body.length > 0 ? (JSON.parse(body.toString()) as { background?: boolean }) : {};
    const isDone = request.method === "GET" ? ++polls === 3 : !asked.background;
    const content = [{ type: "output_text", text: "The red door.", annotations: [] }];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        id: asked.background === undefined && request.method === "POST" ? "resp_b" : "resp_a",
        object: "response",
        status: isDone ? "completed" : "in_progress",
        output: isDone ? [{ type: "message", id: "msg_a", role: "assistant", content }] : [],
      }),
    );
  });
  try {
    await restart(upstreamAt(upstream.url));
    const url = `${gateway.url}/v1/responses`;
    const background = { model: "gpt-5", input: "Which door?", background: true };
    expect(await (await post(url, background)).json()).toMatchObject({ status: "in_progress" });
    const poll = async () => ((await (await fetch(`${url}/resp_a`)).json()) as { status: string }).status;
    expect([await poll(), await poll(), await poll()]).toEqual(["in_progress", "in_progress", "completed"]);
    await post(url, { model: "gpt-5", input: "Why?", previous_response_id: "resp_a" });
    const last = JSON.parse(upstream.seen.at(-1)!.body.toString()) as { input: object[] };
    expect(last).not.toHaveProperty("previous_response_id");
    expect(JSON.stringify(last.input)).toMatch(/Which door\?.*The red door\..*Why\?/);
    expect(await lengths()).toEqual([4]);
  } finally {
    await upstream.close();
  }
});
