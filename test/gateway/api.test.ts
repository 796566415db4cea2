import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AnswerOf,
  type ApiConversation,
  type ChatEvent,
  type LiveEvent,
  type Route,
  routes,
  urlOf,
} from "../../src/gateway/api.ts";
import {
  type FakeProvider,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import { type ServeHere, serveHere } from "./serve-here.ts";

const WINDOW = 4_000;
let provider: FakeProvider;
let serve: ServeHere;

beforeAll(async () => {
  provider = await startFakeProvider({
    window: WINDOW,
    reply: summarizingReply({ otherwise: "The answer is 42." }),
  });
  serve = await serveHere(["--upstream", provider.url, "--window", String(WINDOW)]);
});
afterAll(async () => {
  await serve.stop();
  await provider.close();
});

interface Call {
  readonly params?: object;
  readonly query?: object;
  readonly body?: object;
}

async function raw(route: Route, { params, query, body }: Call = {}): Promise<Response> {
  return fetch(serve.url + urlOf(route, params, query), {
    method: route.method,
    ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
}

async function call<R extends Route>(route: R, options: Call = {}): Promise<AnswerOf<R>> {
  const response = await raw(route, options);
  const answer: unknown = await response.json();
  if (!response.ok)
    throw new Error(`${route.method} ${route.path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer as AnswerOf<R>;
}

async function events<E>(route: Route, options: Call = {}): Promise<E[]> {
  const text = await (await raw(route, options)).text();
  return text
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => JSON.parse(line.slice(5)) as E);
}

async function chat(id: string, text: string): Promise<ChatEvent[]> {
  return events<ChatEvent>(routes.chat, { params: { id }, body: { text } });
}

async function longChat(turns: number): Promise<ApiConversation> {
  const made = await call(routes.createConversation, { body: { model: "gpt-4o", system: "Be brief." } });
  for (let turn = 0; turn < turns; turn++) {
    const told = await chat(
      made.id,
      `Question ${turn}: ${`what about item ${turn} of the list? `.repeat(25)}`,
    );
    expect(told.at(-1)?.type).toBe("done");
  }
  return made;
}

describe("/api", () => {
  it("tells what the server is", async () => {
    const status = await call(routes.status);
    expect(status).toMatchObject({ store: "sqlite", hasUpstream: true, noStore: false, observe: false });
    const { models } = await call(routes.models);
    expect(models.find(({ id }) => id === "gpt-4o")).toMatchObject({ window: WINDOW, windowFrom: "config" });
    expect((await call(routes.settings)).strategies.length).toBeGreaterThan(5);
  });

  it("keeps settings until they are taken back", async () => {
    await call(routes.changeSettings, { body: { budget: 3_000, theme: "dark" } });
    expect((await call(routes.settings)).settings).toMatchObject({ budget: 3_000, theme: "dark" });
    const { settings } = await call(routes.changeSettings, { body: { budget: null, theme: null } });
    expect(settings).toEqual({});
    expect((await raw(routes.changeSettings, { body: { budget: "many" } })).status).toBe(400);
    const { conversations } = await call(routes.conversations, { query: { archived: "all" } });
    expect(conversations.map(({ session }) => session)).not.toContain("precis:settings");
  });

  it("streams an answer, stores it, and titles the chat", async () => {
    await call(routes.changeSettings, { body: { modelTitles: false } });
    const made = await call(routes.createConversation, { body: { model: "gpt-4o" } });
    const told = await chat(made.id, "What is the answer?");
    expect(told.map(({ type }) => type)).toEqual(["accepted", "view", "text", "done"]);
    const { messages } = await call(routes.messages, { params: { id: made.id } });
    expect(messages.map(({ role, parts }) => [role, parts[0]?.type === "text" ? parts[0].text : ""])).toEqual(
      [
        ["user", "What is the answer?"],
        ["assistant", "The answer is 42."],
      ],
    );
    expect((await call(routes.conversation, { params: { id: made.id } })).title).toBe("What is the answer?");
    await call(routes.changeSettings, { body: { modelTitles: null } });
  });

  it("compacts a long chat, shows why, and undoes it", async () => {
    const { id } = await longChat(24);
    const { messages, dividers, system } = await call(routes.messages, { params: { id } });
    expect(system).toBe("Be brief.");
    expect(messages).toHaveLength(48);
    expect(dividers.length).toBeGreaterThan(0);
    // A divider stands behind what it covers, and before what was left as it was.
    for (const { after, covers } of dividers) expect(after).toBe(covers.at(-1)!.to - 1);
    expect(messages.some(({ fate }) => fate.type === "covered")).toBe(true);
    const view = await call(routes.view, { params: { id } });
    expect(view.entries.some(({ type }) => type === "insert")).toBe(true);
    expect(view.tokens.after).toBeLessThan(view.tokens.transcript);
    const request = await call(routes.request, { params: { id } });
    expect(JSON.stringify(request.body)).toContain("Be brief.");
    const { events: timeline } = await call(routes.timeline, { params: { id } });
    expect(timeline.some(({ type }) => type === "compacted")).toBe(true);
    const bigger = await call(routes.whatIf, { params: { id }, body: { window: 100_000 } });
    expect(bigger.entries.every(({ type }) => type === "keep")).toBe(true);
    const before = await call(routes.pressure, { params: { id } });
    const undone = await call(routes.undoCompaction, { params: { id } });
    expect(undone.outcome).toBe("undone");
    const compacted = await call(routes.compact, { params: { id }, body: { focus: "item 3" } });
    expect(compacted.outcome).toBe("compacted");
    expect(compacted.pressure.pressure).toBeLessThan(1);
    expect(before.pressure).toBeLessThanOrEqual(1);
    const { hits } = await call(routes.recall, { params: { id }, query: { q: "item 2 of" } });
    expect(hits[0]).toMatchObject({ index: 4, visible: false });
  });

  it("lets a person rewrite a summary", async () => {
    const { id } = await longChat(20);
    await call(routes.compact, { params: { id }, body: {} });
    const { summaries } = await call(routes.summaries, { params: { id } });
    expect(summaries.length).toBeGreaterThan(0);
    const { key } = summaries.at(-1)!;
    const edited = await call(routes.editSummary, {
      params: { id, key },
      body: { text: "We spoke of ZEBRA-77 only." },
    });
    expect(edited.outcome).toBe("edited");
    const after = await call(routes.summaries, { params: { id } });
    expect(after.summaries.some(({ author, text }) => author === "user" && text.includes("ZEBRA-77"))).toBe(
      true,
    );
    expect(JSON.stringify(edited.view.entries)).toContain("ZEBRA-77");
  });

  it("shows of a summary that was edited twice only the words in force", async () => {
    const { id } = await longChat(20);
    await call(routes.compact, { params: { id }, body: {} });
    const shown = async () => (await call(routes.messages, { params: { id } })).dividers.at(-1)!.summaries;
    const first = (await shown())[0]!;
    for (const words of ["Corrected once.", "Corrected twice."]) {
      const { key } = (await shown())[0]!;
      // The first line stays, by which the replaced words were taken for those that the model sees.
      const text = `${first.text}\n- ${words}`;
      await call(routes.editSummary, { params: { id, key }, body: { text } });
      const [edited, ...others] = await shown();
      expect(edited).toMatchObject({ author: "user", text, covers: first.covers });
      let end = first.covers.to;
      for (const { covers } of others) {
        expect(covers.from).toBe(end);
        end = covers.to;
      }
    }
  });

  it("edits, regenerates and forks without touching what was there", async () => {
    const made = await call(routes.createConversation, { body: { model: "gpt-4o" } });
    await chat(made.id, "one");
    await chat(made.id, "two");
    const edited = await events<ChatEvent>(routes.editMessage, {
      params: { id: made.id, index: 2 },
      body: { text: "zwei" },
    });
    const accepted = edited[0];
    if (accepted?.type !== "accepted") throw new Error(JSON.stringify(edited));
    expect(accepted.conversation.id).toBe(made.id);
    expect(edited.at(-1)?.type).toBe("done");
    const params = { id: made.id };
    const again = await events<ChatEvent>(routes.regenerate, { params, body: {} });
    expect(again.at(-1)?.type).toBe("done");
    // Both questions are there, each in its branch.
    const shown = await call(routes.messages, { params });
    expect(shown.messages.slice(0, 3).map(({ branches }) => branches?.length)).toEqual([
      undefined,
      undefined,
      2,
    ]);
    const said = ({ messages }: typeof shown) =>
      messages.flatMap(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")));
    expect(said(shown)[2]).toBe("zwei");
    const [before] = shown.messages[2]!.branches!;
    expect((await call(routes.showBranch, { params, body: { message: before! } })).messages).toBe(4);
    expect(said(await call(routes.messages, { params }))[2]).toBe("two");
    expect((await raw(routes.showBranch, { params, body: { message: "unknown" } })).status).toBe(404);
    const fork = await call(routes.fork, { params, body: { length: 2 } });
    expect(fork.messages).toBe(2);
    expect((await call(routes.messages, { params })).total).toBe(4);
  });

  it("renames, pins, archives, deletes and brings back", async () => {
    const made = await call(routes.createConversation, { body: { title: "first" } });
    const params = { id: made.id };
    await call(routes.changeConversation, { params, body: { title: "second", pinned: true } });
    const found = await call(routes.conversations, { query: { search: "SECOND" } });
    expect(found.conversations.map(({ id }) => id)).toEqual([made.id]);
    await call(routes.changeConversation, { params, body: { archived: true } });
    expect((await call(routes.conversations, { query: { search: "second" } })).conversations).toEqual([]);
    await call(routes.changeConversation, { params, body: { archived: false } });
    expect((await call(routes.deleteConversation, { params })).undoUntil).toBeGreaterThan(Date.now());
    expect((await call(routes.conversations, { query: { search: "second" } })).conversations).toEqual([]);
    await call(routes.undeleteConversation, { params });
    expect((await call(routes.conversations, { query: { search: "second" } })).conversations).toHaveLength(1);
  });

  it("imports, exports and replays", async () => {
    const log = Array.from({ length: 40 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Message ${index}: ${"some words about the matter at hand. ".repeat(20)}`,
    }));
    const text = JSON.stringify({ model: "gpt-4o", messages: log });
    const { conversations } = await call(routes.importFile, { body: { name: "chat.json", text } });
    expect(conversations).toHaveLength(1);
    expect(conversations[0]).toMatchObject({ messages: 40 });
    const exported = await (
      await raw(routes.exportConversation, { params: { id: conversations[0]!.id } })
    ).text();
    expect(
      exported
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(log);
    const { runs } = await call(routes.replay, {
      body: {
        file: { name: "chat.json", text },
        policies: [
          { name: "small", window: 3_000 },
          { name: "large", window: 200_000 },
        ],
        prices: "gpt-4o",
      },
    });
    expect(runs[0]?.compactions).toBeGreaterThan(0);
    expect(runs[1]?.compactions).toBe(0);
    expect(runs[0]!.tokens.view).toBeLessThan(runs[1]!.tokens.view);
    expect(runs[0]!.cost!.view).toBeLessThan(runs[0]!.cost!.transcript);
  });

  it("tells pages what happens, and goes on after a lost connection", async () => {
    const controller = new AbortController();
    const read = async (
      lastId?: string,
      onOpen?: () => void,
    ): Promise<{ id: string; event: LiveEvent }[]> => {
      const response = await fetch(serve.url + routes.events.path, {
        signal: controller.signal,
        ...(lastId !== undefined && { headers: { "last-event-id": lastId } }),
      });
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      while (!text.includes('"conversation"')) {
        text += (await reader.read()).value ?? "";
        if (text.includes('"hello"')) onOpen?.();
      }
      await reader.cancel();
      return [...text.matchAll(/id: (.*)\ndata: (.*)\n/g)].map(([, id, data]) => ({
        id: id!,
        event: JSON.parse(data!) as LiveEvent,
      }));
    };
    let opened = () => {};
    const isOpen = new Promise<void>((resolve) => (opened = resolve));
    const listening = read(undefined, opened);
    await isOpen;
    await call(routes.createConversation, { body: { title: "live one" } });
    const first = await listening;
    expect(first[0]?.event).toEqual({ type: "hello", missed: false });
    await call(routes.createConversation, { body: { title: "live two" } });
    const second = await read(first.at(-1)!.id);
    expect(JSON.stringify(second)).toContain("live two");
    expect(JSON.stringify(second)).not.toContain("live one");
    controller.abort();
  });

  it("shows what came through /v1, as one conversation", async () => {
    const say = async (messages: object[]): Promise<{ choices: { message: object }[] }> => {
      const response = await fetch(`${serve.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "gpt-4o", messages }),
      });
      return (await response.json()) as { choices: { message: object }[] };
    };
    const messages: object[] = [{ role: "user", content: "unmistakable first words" }];
    for (let turn = 0; turn < 5; turn++) {
      const { choices } = await say(messages);
      messages.push(choices[0]!.message, { role: "user", content: `turn ${turn}` });
    }
    const { conversations } = await call(routes.conversations, { query: { search: "unmistakable" } });
    expect(conversations).toHaveLength(1);
    expect(conversations[0]).toMatchObject({ client: "node", messages: 10 });
  });

  it("answers clearly what isn't there", async () => {
    const missing = await raw(routes.view, { params: { id: "nope" } });
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ error: { code: "not-found" } });
    expect((await fetch(`${serve.url}/api/nothing`)).status).toBe(404);
    const plain = await fetch(serve.url + routes.createConversation.path, { method: "POST", body: "{}" });
    expect(plain.status).toBe(415);
  });
});
