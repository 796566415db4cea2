import { beforeEach, describe, expect, it, vi } from "vitest";
import type { ApiConversation, TimelineEvent } from "../../../src/gateway/api.ts";
import { brokenOff } from "./api-client.ts";
import type { Chat } from "./chat.ts";
import { createChat } from "./chat.ts";
import { CONVERSATION, fakeServer, message, PRESSURE, told } from "./testing/fake-server.ts";

let server: ReturnType<typeof fakeServer>;
let chat: Chat;
let forks: string[];
let failures: ApiConversation["failure"][];

beforeEach(async () => {
  server = fakeServer();
  forks = [];
  failures = [];
  chat = createChat({
    api: server.api,
    id: "c",
    onConversation: ({ failure }) => failures.push(failure),
    onFork: (conversation) => forks.push(conversation.id),
    now: () => 7,
  });
  await chat.load();
});

const said = () =>
  [...chat.transcript.store.get().messages.values()].map(
    ({ parts: [part] }) => part?.type === "text" && part.text,
  );

describe("an answer that was asked for here", () => {
  it("grows, is put into the transcript, and its notices go", async () => {
    const seen: string[] = [];
    chat.store.subscribe(() => seen.push(chat.store.get().answer?.text ?? "-"));
    server.messages = [message(0, "user", "Hi"), message(1, "assistant", "Hello")];
    server.stream = [
      { type: "accepted", conversation: CONVERSATION, message: server.messages[0]! },
      { type: "text", text: "Hel" },
      { type: "text", text: "lo" },
      { type: "done", message: server.messages[1]!, usage: undefined, pressure: PRESSURE as never },
    ];
    await chat.send({ text: "Hi" });
    expect(seen).toContain("Hel");
    expect(chat.store.get().answer).toBeUndefined();
    expect(chat.transcript.store.get().messages.get(1)?.parts).toEqual([{ type: "text", text: "Hello" }]);
  });

  it("to an edited message stands in the same chat, without what followed the earlier words", async () => {
    server.messages = [
      message(0, "user", "Hi"),
      message(1, "assistant", "Hello"),
      message(2, "user", "And?"),
    ];
    await chat.load();
    expect(said()).toEqual(["Hi", "Hello", "And?"]);
    const written = Promise.withResolvers<void>();
    const edited = [message(0, "user", "Good day"), message(1, "assistant", "To you, too")];
    server.stream = [
      { type: "accepted", conversation: { ...CONVERSATION, leaf: 3 }, message: edited[0]! },
      { type: "text", text: "To" },
      written.promise,
      { type: "done", message: edited[1]!, usage: undefined, pressure: PRESSURE as never },
    ];
    // The box for the edit closes while the answer is still being written.
    expect(await chat.edit(0, "Good day")).toBe(true);
    await vi.waitFor(() => expect(chat.store.get().answer?.text).toBe("To"));
    expect(said()).toEqual(["Good day"]);
    server.messages = edited;
    written.resolve();
    await vi.waitFor(() => expect(said()).toEqual(["Good day", "To you, too"]));
    expect(forks).toEqual([]);
  });

  it("that the server refuses leaves the words of an edit to be sent again", async () => {
    server.stream = [{ type: "failed", error: { code: "busy", message: "An answer is being written." } }];
    expect(await chat.edit(0, "other words")).toBe(false);
  });

  it("that breaks off says so until the server is back, and then shows what the server has", async () => {
    server.stream = [{ type: "accepted", conversation: CONVERSATION }, brokenOff()];
    server.fails = brokenOff();
    await chat.send({ text: "Hi" });
    expect(chat.store.get().notice).toMatchObject({ kind: "error", passes: true });
    server.fails = undefined;
    server.conversation = { ...CONVERSATION, busy: "answering", messages: 1 };
    chat.apply({ type: "hello", missed: false });
    expect(chat.store.get().notice).toBeUndefined();
    chat.apply({ type: "answer", conversation: "c", text: "still coming" });
    expect(chat.store.get().answer).toMatchObject({ text: "still coming", mine: false });
  });

  it("that broke off stays where it was when something else is said, until the server has an answer there", async () => {
    server.messages = [message(0, "user", "Hi")];
    server.stream = [
      { type: "accepted", conversation: CONVERSATION, message: message(0, "user", "Hi") },
      { type: "text", text: "half" },
      brokenOff(),
    ];
    await chat.send({ text: "Hi" });
    expect(chat.store.get().conversation?.busy).toBeUndefined();
    server.messages = [message(0, "user", "Hi"), message(1, "user", "More")];
    server.stream = [
      { type: "accepted", conversation: CONVERSATION, message: message(1, "user", "More") },
      {
        type: "done",
        message: message(2, "assistant", "Here"),
        usage: undefined,
        pressure: undefined as never,
      },
    ];
    await chat.send({ text: "More" });
    expect(chat.store.get().cut).toEqual({ text: "half", length: 1 });
    server.messages = [message(0, "user", "Hi"), message(1, "assistant", "All of it")];
    chat.apply({ type: "hello", missed: true });
    await vi.waitFor(() => expect(chat.store.get().cut).toBeUndefined());
  });

  it("whose stream just ends is taken for broken off, too", async () => {
    server.stream = [
      { type: "accepted", conversation: CONVERSATION },
      { type: "text", text: "half" },
    ];
    await chat.send({ text: "Hi" });
    expect(chat.store.get().notice?.passes).toBe(true);
  });

  it("that failed leaves its reason", async () => {
    server.stream = [
      { type: "accepted", conversation: CONVERSATION },
      { type: "failed", error: { code: "upstream", message: "It said 500.", fix: "Try later." } },
    ];
    await chat.send({ text: "Hi" });
    expect(forks).toEqual([]);
    expect(failures).toContainEqual({ code: "upstream", message: "It said 500.", fix: "Try later." });
  });
});

describe("another branch", () => {
  const first = [message(0, "user", "Hi"), message(1, "assistant", "Hello")];
  const second = [message(0, "user", "Good day"), message(1, "assistant", "To you, too")];
  beforeEach(async () => {
    server.messages = first;
    await chat.load();
    server.asked.length = 0;
    server.messages = second;
    server.conversation = { ...CONVERSATION, messages: 2, leaf: 3 };
  });

  it("is shown with its meter and its view", async () => {
    const { version } = chat.store.get();
    await chat.showBranch(second[0]!.hash);
    await vi.waitFor(() => expect(said()).toEqual(["Good day", "To you, too"]));
    await vi.waitFor(() => expect(chat.store.get().version).toBeGreaterThan(version));
    expect(server.asked).toContain("GET /api/conversations/:id/pressure");
  });

  it("that another tab shows is shown here, too, if it is as long as this one", async () => {
    chat.apply(told({ messages: 2, leaf: 3 }));
    await vi.waitFor(() => expect(said()).toEqual(["Good day", "To you, too"]));
  });
});

describe("what others do", () => {
  it("shows an answer of another tab, and reads the messages when it has ended", async () => {
    chat.apply(told({ busy: "answering", messages: 1 }));
    expect(chat.store.get().answer).toMatchObject({ text: "", mine: false });
    chat.apply({ type: "answer", conversation: "c", text: "so far" });
    expect(chat.store.get().answer?.text).toBe("so far");
    server.messages = [message(0, "user", "Hi")];
    chat.apply(told({ messages: 1, leaf: 0, updatedAt: 3 }));
    expect(chat.store.get().answer).toBeUndefined();
    await expect.poll(() => chat.transcript.store.get().total).toBe(1);
  });

  it("shows a summary in the background until it has ended", () => {
    chat.apply({ type: "compacting", conversation: "c", reason: "pressure" });
    chat.apply(told({ busy: "compacting" }));
    expect(chat.store.get().compacting).toEqual({ reason: "pressure", since: 7 });
    chat.apply(told({ updatedAt: 4 }));
    expect(chat.store.get().compacting).toBeUndefined();
  });

  it("shows a compaction that was under way before the page was opened", () => {
    chat.apply(told({ busy: "compacting" }));
    expect(chat.store.get().compacting).toEqual({ reason: undefined, since: 7 });
  });

  it("knows of a compaction that ended while the page was still reading", async () => {
    const slow = Promise.withResolvers<typeof PRESSURE>();
    server.pressure = () => slow.promise;
    server.asked.length = 0;
    const loading = chat.load();
    await vi.waitFor(() => expect(server.asked.join()).toContain("/timeline"));
    const compacted = { id: "1", type: "compacted", conversation: "c" } as unknown as TimelineEvent;
    server.events = [compacted];
    server.pressure = () => PRESSURE;
    chat.apply({ type: "timeline", event: compacted });
    await vi.waitFor(() => expect(chat.store.get().timeline).toEqual([compacted]));
    slow.resolve(PRESSURE);
    await loading;
    expect(chat.store.get().timeline).toEqual([compacted]);
  });

  it("keeps its own compaction's notice until its own answer", async () => {
    const done = chat.compact();
    chat.apply(told({ updatedAt: 5 }));
    expect(chat.store.get().compacting).toBeDefined();
    await done;
    expect(chat.store.get().compacting).toBeUndefined();
  });

  it("is none of its business in another conversation", () => {
    chat.apply({ type: "answer", conversation: "other", text: "x" });
    chat.apply({ type: "compacting", conversation: "other", reason: "forced" });
    expect(chat.store.get()).toMatchObject({ answer: undefined, compacting: undefined });
  });
});

describe("what is chosen for a chat", () => {
  it("in another tab changes the meter here, too", async () => {
    server.asked.length = 0;
    chat.apply(told({ updatedAt: 8 }));
    expect(server.asked).toEqual([]);
    chat.apply(told({ updatedAt: 9, settings: { window: 8_000 } }));
    await vi.waitFor(() => expect(server.asked.join()).toContain("/pressure"));
  });

  it("by looking at it in a smaller window is taken back by a cancel, which says that nothing was changed", async () => {
    server.outcome = "cancelled";
    await chat.seeIn(32_000);
    expect(server.changes).toEqual([{ settings: { window: 32_000 } }, { settings: { window: null } }]);
    server.outcome = "compacted";
    server.changes.length = 0;
    await chat.seeIn(32_000);
    expect(server.changes).toEqual([{ settings: { window: 32_000 } }]);
  });
});

describe("a chat that has no model yet", () => {
  const PATCH = "PATCH /api/conversations/:id";
  beforeEach(async () => {
    server.conversation = { ...CONVERSATION, model: undefined };
    chat = createChat({
      api: server.api,
      id: "c",
      chooseModel: async () => "the first one",
      onConversation: () => {},
      onFork: () => {},
    });
    await chat.load();
    server.asked.length = 0;
  });

  it("is tried again with the model that a new message is sent to", async () => {
    await chat.regenerate();
    await chat.send({ text: "Hi" });
    expect(server.bodies).toMatchObject([{ model: "the first one" }, { model: "the first one" }]);
  });

  it.each([
    ["compacted", "POST /api/conversations/:id/compact", () => chat.compact()],
    ["summarised anew", "POST /api/conversations/:id/rebuild", () => chat.rebuild()],
    ["seen in a smaller window", "POST /api/conversations/:id/compact", () => chat.seeIn(1_000)],
    ["edited", "PUT /api/conversations/:id/messages/:index", () => chat.edit(0, "other words")],
  ])("is %s with it, too", async (_, path, work) => {
    await work();
    expect(server.changes[0]).toEqual({ model: "the first one" });
    expect(server.asked[0]).toBe(PATCH);
    expect(server.asked.slice(1)).toContain(path);
  });

  it("keeps the model that it has", async () => {
    server.conversation = CONVERSATION;
    await chat.load();
    await chat.compact();
    await chat.regenerate();
    expect(server.changes).toEqual([]);
    expect(server.bodies).toEqual([{}]);
  });
});
