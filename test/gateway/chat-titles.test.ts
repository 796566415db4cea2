/** What a chat of the page is called before anybody names it. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiConversation, type NewConversation, routes, urlOf } from "../../src/gateway/api.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { type ServeHere, serveHere } from "./serve-here.ts";

let provider: FakeProvider;
let serve: ServeHere;

beforeAll(async () => {
  provider = await startFakeProvider({
    models: ["gpt-4o"],
    reply: ({ lastUser, messages }) => {
      if (lastUser.startsWith("Write a title")) {
        if (lastUser.includes("at length"))
          return "Of course! Here is a title that says what the two of us have spoken about: mulch.";
        if (lastUser.includes("by echo")) return "Write a title for the conversation below";
        return "“Mulch in the shed.”";
      }
      if (!lastUser.startsWith("Look up") || messages.at(-1)?.role === "tool") return "Here it is.";
      return { text: "Let me look.", calls: [{ name: "precis_recall", args: { query: "mulch" } }] };
    },
  });
  serve = await serveHere(["--upstream", provider.url]);
  await call(routes.changeSettings.path, "PATCH", { modelTitles: false });
});
afterAll(async () => {
  await serve?.stop();
  await provider?.close();
});

async function call<T>(path: string, method: string, body?: object): Promise<T> {
  const answer = await fetch(serve.url + path, {
    method,
    ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return (text.startsWith("{") ? JSON.parse(text) : text) as T;
}
async function chat(...said: readonly string[]): Promise<string> {
  const made: NewConversation = { model: "gpt-4o" };
  const { id } = await call<ApiConversation>(routes.createConversation.path, "POST", made);
  for (const text of said) await call(urlOf(routes.chat, { id }), "POST", { text });
  return id;
}
const titleOf = async (id: string) =>
  (await call<ApiConversation>(urlOf(routes.conversation, { id }), "GET")).title;

it.each([
  ["its first words", ["Where is the mulch?", "And the spade?"], "Where is the mulch?"],
  ["what is asked after a greeting", ["Hello!", "Where is the mulch?"], "Where is the mulch?"],
  ["a greeting, as long as there is nothing else", ["Hello!"], "Hello!"],
  [
    "the words, not what is attached",
    ['Read it.\n\n<attachment name="a.md">\n# All of it\n</attachment>'],
    "Read it.",
  ],
  ["a file, if that is all", ['<attachment name="a.md">\n# All of it\n</attachment>'], "a.md"],
])("a chat is called by %s", async (_, said, title) => {
  expect(await titleOf(await chat(...said))).toBe(title);
});

it("a name that a person gave stays", async () => {
  const id = await chat("Hello!");
  await call(urlOf(routes.changeConversation, { id }), "PATCH", { title: "Garden" });
  await call(urlOf(routes.chat, { id }), "POST", { text: "Where is the mulch?" });
  expect(await titleOf(id)).toBe("Garden");
});

it("the model names it after the first answer, once, unless a setting forbids it", async () => {
  await call(routes.changeSettings.path, "PATCH", { modelTitles: null });
  const asked = provider.requests.length;
  const id = await chat("Where is the mulch?");
  await expect.poll(() => titleOf(id)).toBe("Mulch in the shed");
  expect(provider.requests.at(-1)?.raw).toContain("Here it is.");
  await call(urlOf(routes.chat, { id }), "POST", { text: "And the spade?" });
  expect(provider.requests.length).toBe(asked + 3);
});

it.each(["Answer at length.", "Answer by echo."])(
  "what is no title leaves the first words: %s",
  async (said) => {
    await call(routes.changeSettings.path, "PATCH", { modelTitles: null });
    const asked = provider.requests.length;
    const id = await chat(said);
    await expect.poll(() => provider.requests.length).toBe(asked + 2);
    // The title that comes of a later chat came after this one's.
    const other = await chat("Where is the mulch?");
    await expect.poll(() => titleOf(other)).toBe("Mulch in the shed");
    expect(await titleOf(id)).toBe(said);
  },
);

it("a chat that was given a name as it was made keeps it, also where that is its first words", async () => {
  await call(routes.changeSettings.path, "PATCH", { modelTitles: null });
  const made: NewConversation = { model: "gpt-4o", title: "Where is the mulch?" };
  const { id } = await call<ApiConversation>(routes.createConversation.path, "POST", made);
  const asked = provider.requests.length;
  await call(urlOf(routes.chat, { id }), "POST", { text: "Where is the mulch?" });
  await chat("What else is there?");
  await expect.poll(() => provider.requests.length).toBe(asked + 3);
  expect(await titleOf(id)).toBe("Where is the mulch?");
});

it("an answer that looked something up first is named, too", async () => {
  await call(routes.changeSettings.path, "PATCH", { tools: ["recall"] });
  const id = await chat("Look up the mulch.");
  await expect.poll(() => titleOf(id)).toBe("Mulch in the shed");
  expect(provider.requests.at(-1)?.raw).toContain("Here it is.");
});
