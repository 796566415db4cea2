/** Opening files and new chats: which model answers, what else was in the file, and what is left behind. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ApiConversation } from "../../../src/gateway/api.ts";
import type { Api } from "./api-client.ts";
import { type App, createApp } from "./app.ts";
import type { ClientKey } from "./client-key.ts";
import type { Live } from "./live.ts";
import type { Place } from "./router.ts";
import { createStore } from "./store.ts";

const conversation = (id: string, more: Partial<ApiConversation> = {}) =>
  ({
    id,
    title: id,
    client: undefined,
    messages: 2,
    settings: {},
    pins: [],
    updatedAt: 1,
    ...more,
  }) as unknown as ApiConversation;

let imported: ApiConversation[];
let isKnown: true | undefined;
let all: ApiConversation[];
let system: string;
let asked: { readonly route: string; readonly body: unknown }[];
let app: App;
let place: () => Place;

const answers: Readonly<Record<string, (body: unknown) => unknown>> = {
  "GET /api/status": () => ({ hasUpstream: true, upstreams: [] }),
  "GET /api/models": () => ({ models: [{ id: "llama" }], problems: [] }),
  "GET /api/settings": () => ({ settings: {} }),
  "GET /api/conversations": () => ({ conversations: all, next: undefined }),
  "POST /api/conversations": () => conversation("made", { title: "", messages: 0 }),
  "GET /api/conversations/:id": () => conversation("any", { model: "llama" }),
  "GET /api/conversations/:id/messages": () => ({
    system,
    total: 0,
    messages: [],
    dividers: [],
    lead: 0,
    from: 0,
  }),
  "GET /api/conversations/:id/timeline": () => ({ events: [] }),
  "PATCH /api/conversations/:id": (body) => conversation("changed", body as Partial<ApiConversation>),
  "POST /api/import": () => ({ conversations: imported, warnings: [], isKnown }),
};

beforeEach(async () => {
  imported = [];
  isKnown = undefined;
  all = [];
  system = "";
  asked = [];
  const api = {
    async call(route: { method: string; path: string }, input?: { body?: unknown }) {
      const name = `${route.method} ${route.path}`;
      asked.push({ route: name, body: input?.body });
      return answers[name]?.(input?.body);
    },
  } as unknown as Api;
  const store = createStore<{ place: Place }>({ place: { page: "home" } });
  place = () => store.get().place;
  app = createApp({
    api,
    router: { store, arrive: () => {}, go: (to) => store.set({ place: to }) },
    clientKey: { store: createStore({ wanted: false }) } as unknown as ClientKey,
    live: { store: createStore({ connection: "open" }), on: () => () => {} } as unknown as Live,
  });
});

const changes = () =>
  asked.filter(({ route }) => route === "PATCH /api/conversations/:id").map(({ body }) => body);
const open = () => app.importFile("talk.json", async () => "[]");

it("a file that names a model which no server has is answered by one that is there, and says so", async () => {
  imported = [conversation("a", { model: "claude" })];
  await app.start();
  await open();
  expect(changes()).toEqual([{ model: "llama" }]);
  expect(app.store.get().toast?.message).toContain("claude");
  expect(app.store.get().toast?.message).toContain("llama");
});

it("a file that names a model which is there keeps it", async () => {
  imported = [conversation("a", { model: "llama" })];
  await app.start();
  await open();
  expect(changes()).toEqual([]);
  expect(app.store.get().toast).toBeUndefined();
});

it("a file of two conversations says that there is a second one", async () => {
  imported = [conversation("a"), conversation("b")];
  await app.start();
  await open();
  expect(app.store.get().toast?.message).toContain("2 conversations");
  expect(app.conversations.store.get().all.map(({ id }) => id)).toEqual(expect.arrayContaining(["a", "b"]));
});

it("a new chat is the empty one that nobody has used", async () => {
  all = [conversation("used"), conversation("empty", { title: "", messages: 0, model: "llama" })];
  await app.start();
  await app.newChat();
  expect(place()).toMatchObject({ page: "chat", id: "empty" });
  await app.newChat({ title: "Release" });
  expect(place()).toMatchObject({ page: "chat", id: "made" });
});

it("an empty chat that was given a system prompt, settings or a name isn't taken for a new one", async () => {
  all = [
    conversation("named", { messages: 0 }),
    conversation("set", { title: "", messages: 0, settings: { window: 4_000 } }),
    conversation("told", { title: "", messages: 0 }),
  ];
  system = "Be brief.";
  await app.start();
  await app.newChat();
  expect(place()).toMatchObject({ page: "chat", id: "made" });
});

it("what only informs goes by itself and with the page that it was told on; an error stays", async () => {
  await app.start();
  vi.useFakeTimers();
  app.tell({ kind: "info", message: "Added." });
  await vi.advanceTimersByTimeAsync(4_000);
  expect(app.store.get().toast).toBeDefined();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(app.store.get().toast).toBeUndefined();
  app.tell({ kind: "info", message: "Added." });
  app.router.go({ page: "settings" });
  expect(app.store.get().toast).toBeUndefined();
  app.tell({ kind: "error", message: "The disk is full." });
  app.router.go({ page: "home" });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(app.store.get().toast).toBeDefined();
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it("an example that was opened before is opened as it is, and a second click makes no second one", async () => {
  vi.stubGlobal("fetch", async () => new Response("[]"));
  const openExample = () => app.openExample("coding.jsonl", { title: "Example", window: 32_000 });
  imported = [conversation("example", { model: "llama" })];
  await app.start();
  await Promise.all([openExample(), openExample()]);
  const imports = () => asked.filter(({ route }) => route === "POST /api/import");
  expect(imports()).toEqual([
    { route: "POST /api/import", body: { name: "coding.jsonl", text: "[]", isExample: true } },
  ]);
  expect(changes()).toEqual([{ title: "Example", settings: { window: 32_000 } }]);
  isKnown = true;
  await openExample();
  expect(imports()).toHaveLength(2);
  expect(changes()).toHaveLength(1);
  expect(place()).toMatchObject({ page: "chat", id: "example" });
});

it("a list that was asked for before a chat was begun doesn't take it, or what was said in it, away", async () => {
  all = [conversation("old"), conversation("chat", { title: "", messages: 0 })];
  await app.start();
  const listed = app.conversations.load();
  app.conversations.put(conversation("chat", { title: "How do I bake?", messages: 1 }));
  app.conversations.put(conversation("new", { title: "Another", messages: 1 }));
  await listed;
  const titles = app.conversations.store.get().all.map(({ title }) => title);
  expect(titles.sort()).toEqual(["Another", "How do I bake?", "old"]);
});

it("an answer about a chat that was asked for before something was said in it changes nothing of it", async () => {
  const chat = app.chat("any");
  chat.apply({
    type: "conversation",
    change: "changed",
    conversation: conversation("any", { title: "How do I bake?", model: "llama", messages: 1 }),
  });
  await vi.waitFor(() => expect(chat.transcript.store.get().loaded).toBe(true));
  await vi.waitFor(() => expect(asked.some(({ route }) => route.endsWith("/timeline"))).toBe(true));
  expect(chat.store.get().conversation).toMatchObject({ title: "How do I bake?", messages: 1 });
});

it("whoever opens a chat while the list shows clients' conversations finds it in the list", async () => {
  all = [conversation("theirs", { client: "agent" })];
  await app.start();
  app.conversations.store.set({ of: "clients" });
  app.chat("any");
  await vi.waitFor(() => expect(app.conversations.store.get().of).toBe("person"));
});
