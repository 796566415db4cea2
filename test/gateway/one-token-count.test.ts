/** Whoever looks at a conversation is told one size of it, wherever it is shown, whatever the provider taught about its counting. */
import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiView, type Past, type Progress, routes } from "../../src/gateway/api.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { runCli, scratchFolder } from "../cli/run-cli.ts";
import { apiOf } from "./api-support.ts";
import { type ServeHere, serveHere } from "./serve-here.ts";

const WINDOW = 8_000;
const TURNS = 40;
const TOKENS_OF = (text: string) => Math.ceil(text.length / 3);
const folder = scratchFolder();
let provider: FakeProvider;
let serve: ServeHere;
const { call, events } = apiOf(() => serve.url);

beforeAll(async () => {
  // Its tokenizer is another than ours: what it reports calibrates ours.
  provider = await startFakeProvider({ count: TOKENS_OF, reply: () => "It is noted." });
  serve = await serveHere(["--upstream", provider.url, "--window", String(WINDOW)], {
    db: folder.path("precis.db"),
  });
});
afterAll(async () => {
  await serve.stop();
  await provider.close();
  await folder.remove();
});

/** Compactions are found by content, so each conversation is about a list of its own. */
const talk = (list: string) =>
  Array.from({ length: TURNS }, (_, turn) => [
    {
      role: "user",
      content: `Question ${turn} of ${list}: ${`what of item ${turn} on the list? `.repeat(12)}`,
    },
    { role: "assistant", content: `Answer ${turn}. ${"It is noted and done. ".repeat(10)}` },
  ]).flat();
const PROMPT = "You keep the list of the house. ".repeat(20);

const FILES = {
  "no model": { messages: talk("nobody") },
  "a system message": { model: "gpt-4o", messages: [{ role: "system", content: PROMPT }, ...talk("gpt")] },
  "a system prompt apart": { model: "claude-sonnet-4-5", system: PROMPT, messages: talk("claude") },
  "a model that nobody knows": { model: "house-model", messages: talk("house") },
};

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
const last = <T>(told: readonly Progress<T>[]): T =>
  told.flatMap((event) => (event.type === "done" ? [event.answer] : [])).at(-1)!;

/** What the rows of a view add up to: the transcript on the left, what is sent on the right. */
function rowsOf(view: ApiView, left: readonly number[]) {
  return {
    transcript: view.system + sum(left),
    sent: view.system + sum(view.entries.map((entry) => (entry.type === "drop" ? 0 : entry.tokens))),
  };
}

for (const [name, file] of Object.entries(FILES))
  it(`a conversation with ${name} has one size before and after its provider reported usage`, async () => {
    const { conversations } = await call(routes.importFile, {
      body: { name: "house.json", text: JSON.stringify(file) },
    });
    const { id } = conversations[0]!;
    const params = { id };
    const sizes = async () => {
      const view = await call(routes.view, { params });
      const pressure = await call(routes.pressure, { params });
      const { messages } = await call(routes.messages, { params });
      const whatIf = await call(routes.whatIf, { params, body: {} });
      const past = last(await events<Progress<Past>>(routes.past, { params }));
      const now = await call(routes.view, { params, query: { length: messages.length } });
      const replay = async (asSet: boolean) =>
        (
          await call(routes.replay, {
            body: { conversation: id, asSet, policies: [{ name: "x", window: WINDOW }] },
          })
        ).runs[0]!.points.at(-1)!;
      const lead = view.entries.flatMap((entry) =>
        entry.type !== "insert" && entry.index < 0
          ? [entry.type === "edit" ? entry.original : entry.tokens]
          : [],
      );
      const left = [...lead, ...messages.map(({ tokens }) => tokens)];
      const asSet = await replay(true);
      return {
        transcript: {
          view: view.tokens.transcript,
          rows: rowsOf(view, left).transcript,
          past: past.points.at(-1)!.transcript,
          recorded: now.tokens.transcript,
          whatIf: whatIf.tokens.transcript,
        },
        sent: {
          view: view.tokens.after,
          rows: rowsOf(view, left).sent,
          pressure: pressure.tokens,
          past: past.points.at(-1)!.view,
          recorded: now.tokens.after,
        },
        // Requests end before the answer that they ask for.
        replayed: { asSet: asSet.transcript, policy: (await replay(false)).transcript },
        // What was sent is what its own record says.
        asked: await Promise.all(
          past.points.flatMap(({ request, transcript, view }) =>
            request === undefined
              ? []
              : [
                  call(routes.requestRecord, { params: { id: request } }).then(({ tokens }) => [
                    tokens,
                    { before: transcript, after: view },
                  ]),
                ],
          ),
        ),
      };
    };
    const isOne = (group: object) =>
      expect(new Set(Object.values(group)).size, JSON.stringify(group)).toBe(1);
    const before = await sizes();
    isOne(before.transcript);
    isOne(before.replayed);
    await events(routes.chat, { params, body: { text: "What is still open on the list?" } });
    const after = await sizes();
    for (const group of [after.transcript, after.sent, after.replayed]) isOne(group);
    expect(before.asked).toEqual([]);
    expect(after.asked).toHaveLength(1);
    for (const [recorded, shown] of after.asked) expect(shown).toEqual(recorded);
    expect(after.transcript.view).not.toBe(before.transcript.view);
  });

for (const [name, file] of Object.entries(FILES))
  it(`a file with ${name} has one size on the page and in the terminal`, async () => {
    const text = JSON.stringify(file);
    const path = folder.path(`${name.replaceAll(" ", "-")}.json`);
    await writeFile(path, text);
    const { conversations } = await call(routes.importFile, { body: { name: "house.json", text } });
    const { id } = conversations[0]!;
    const json = async (...args: string[]) => JSON.parse((await runCli(args)).stdout);
    // Another chat may have taught the server something since.
    const fresh = await serveHere(["--window", "32k"]);
    try {
      const there = apiOf(() => fresh.url);
      const made = await there.call(routes.importFile, { body: { name: "house.json", text } });
      const view = await there.call(routes.view, { params: { id: made.conversations[0]!.id } });
      const replayed = await json("replay", path, "--window", "32k", "--json");
      const stored = ["--db", folder.path("precis.db"), "--json"];
      const inspected = await json("inspect", id, ...stored);
      const listed: { id: string; tokens: number }[] = await json("inspect", ...stored);
      const sizes = {
        page: view.tokens.transcript,
        compact: (await json("compact", path, "--budget", "4k", "--json")).report.tokens.transcript,
        inspect: inspected.tokens.transcript,
        conversation: inspected.conversation.tokens,
        listed: listed.find((one) => one.id === id)?.tokens,
        replay: replayed.tokens,
      };
      expect(new Set(Object.values(sizes)).size, JSON.stringify(sizes)).toBe(1);
    } finally {
      await fresh.stop();
    }
  });

it("a file that is opened again stands on the compaction that was made for it, and its timeline says so", async () => {
  const text = JSON.stringify({ model: "gpt-4o", messages: talk("twice") });
  const open = async () => {
    const { conversations } = await call(routes.importFile, { body: { name: "house.json", text } });
    const params = { id: conversations[0]!.id };
    await call(routes.compact, { params, body: { whenDue: true } });
    const view = await call(routes.view, { params });
    const { points, events: happened } = last(await events<Progress<Past>>(routes.past, { params }));
    const compactions = happened.filter(({ type }) => type === "compacted");
    return { id: params.id, view, sent: points.at(-1)!.view, compactions };
  };
  const first = await open();
  const again = await open();
  expect(again.id).not.toBe(first.id);
  expect(first.compactions).toHaveLength(1);
  expect(again.compactions).toMatchObject([{ isFound: true }]);
  expect(again.sent).toBe(again.view.tokens.after);
  expect(again.sent).toBe(first.sent);
});

it("a transcript only grows, so the line of its sizes never falls, also where its provider counts fewer tokens", async () => {
  const sparing = await startFakeProvider({
    count: (words) => Math.ceil(words.length / 5),
    reply: () => "Noted.",
  });
  const there = await serveHere(["--upstream", sparing.url, "--window", String(WINDOW)]);
  try {
    const api = apiOf(() => there.url);
    const text = JSON.stringify({ model: "claude-sonnet-4-5", messages: talk("sparing") });
    const { conversations } = await api.call(routes.importFile, { body: { name: "house.json", text } });
    const params = { id: conversations[0]!.id };
    for (const said of ["What is open?", "What else?"])
      await api.events(routes.chat, { params, body: { text: said } });
    const { points } = last(await api.events<Progress<Past>>(routes.past, { params }));
    const line = points.map(({ now, transcript }) => now?.transcript ?? transcript);
    expect(line.length).toBeGreaterThan(1);
    expect(line).toEqual(line.toSorted((a, b) => a - b));
    // Each request's own figure stays what its record says.
    expect(points[0]!.transcript).toBeGreaterThan(points.at(-1)!.transcript);
  } finally {
    await there.stop();
    await sparing.close();
  }
});
