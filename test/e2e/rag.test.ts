import { afterEach, beforeEach, expect, it } from "vitest";
import type { ChatMessage } from "../../src/apis/index.ts";
import { profiles } from "../../src/profiles/index.ts";
import { chat, type FakeProvider, startFakeProvider } from "../../src/testing/index.ts";
import { heedfulReply } from "../summaries/heedful-reply.ts";
import { compactions, createPlayer } from "../summaries/player.ts";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";

/** A retrieval assistant for a shop that sells pumps: every answer cites its passages. */
const N = 5;
const SYSTEM = "You answer questions about pumps from the passages you are given, and cite them as [n].";
const PRODUCTS = ["Aqua 300", "Aqua 500", "Hydra Mini", "Torrent X2", "Spring 12"];

function consultation(turns: number, from = 0): ChatMessage[] {
  return Array.from({ length: turns }, (_, at) => {
    const turn = from + at;
    const product = PRODUCTS[turn % PRODUCTS.length]!;
    const passages = Array.from(
      { length: 3 },
      (_, row) =>
        `[${turn * 3 + row + 1}] ${product} manual, page ${turn + row}: ${"It runs quietly at low speed and must be rinsed with clear water. ".repeat(4)}`,
    );
    return [
      chat.user(`How loud is the ${product}, question ${turn}?\n\nPassages:\n${passages.join("\n")}`),
      chat.assistant(
        `The ${product} makes ${30 + turn} dB at full speed [${turn * 3 + 1}], and less when it is rinsed [${turn * 3 + 2}]. ${"Keep the filter clean. ".repeat(6)}`,
      ),
    ];
  }).flat();
}

let provider: FakeProvider;
beforeEach(async () => {
  provider = await startFakeProvider({ reply: heedfulReply() });
});
afterEach(() => provider.close());

const asked = () =>
  provider.requests.filter(({ messages }) => messages[0]?.text.includes("You write the record"));

it("rag: more than 2N + 1 messages trigger, long before the budget does; the last N turns stay; the summary is a second system message", async () => {
  // This host waits for its summary; otherwise the turns that pass meanwhile stay, too.
  const player = createPlayer(provider, { profile: profiles.rag, window: 32_000, waitMs: HANGS_AFTER_MS });
  await player.play([chat.system(SYSTEM), ...consultation(70)]);
  const applied = compactions(player);
  expect(applied.length).toBeGreaterThan(3);
  for (const { report, messages } of applied) {
    expect(report.reason).toBe("messages");
    expect(report.pressure.before).toBeLessThan(0.7);
    expect(messages[0]).toEqual(chat.system(SYSTEM));
    expect(messages[1]?.role).toBe("system");
    // What it quotes of answers and passages, if anything, follows in the user's role; then the turns as they were.
    const quotes = messages
      .slice(2)
      .filter(({ content }) => String(content).startsWith("<conversation-summary>"));
    for (const { role, content } of quotes) {
      expect(role).toBe("user");
      expect(content).toMatch(/^<conversation-summary>\nQuotations from/);
    }
    const turns = messages.slice(2 + quotes.length);
    expect(turns.filter(({ role }) => role === "user")).toHaveLength(N);
    expect(turns).toEqual(turns.filter((message) => player.transcript.includes(message)));
  }
  // Counted since the last checkpoint with what it kept: it doesn't fire on every turn.
  const gaps = player.results.flatMap(({ report }, at) => (report.outcome === "compacted" ? [at] : []));
  for (const [at, turn] of gaps.slice(1).entries()) expect(turn - gaps[at]!).toBeGreaterThan(0);
  await player.close();
});

it("rag: the app's model is asked with 800 tokens at 0.3, for citations and products as they are", async () => {
  const player = createPlayer(provider, { profile: profiles.rag, window: 32_000, patient: true });
  await player.play([chat.system(SYSTEM), ...consultation(14)]);
  const [first] = asked();
  expect(first?.body["temperature"]).toBe(0.3);
  expect(first?.lastUser).toMatch(/products, models and technical facts/);
  expect(first?.messages[0]?.text).toMatch(/Markers of sources/);
  for (const { tokens } of player.state?.summaries ?? []) expect(tokens.text).toBeLessThanOrEqual(800);
  await player.close();
});

it("rag: a citation that later answers lean on survives a summary that forgot it, with its source", async () => {
  await provider.close();
  provider = await startFakeProvider({
    reply: (request) =>
      request.messages[0]?.text.includes("You write the record")
        ? "<conversation-summary>They spoke about several pumps, how loud each of them is and how to clean it.</conversation-summary>"
        : "OK.",
  });
  const player = createPlayer(provider, { profile: profiles.rag, window: 32_000, patient: true });
  await player.play([
    chat.system(SYSTEM),
    ...consultation(8),
    chat.user("You said [1] about the Aqua 300. Is that still so?"),
    chat.assistant("Yes, [1] holds: 30 dB."),
    // Long enough that the next compaction pays: its summary is about the question, too.
    ...consultation(16, 8),
    chat.user("And what was [1] again?"),
    chat.assistant("The manual of the Aqua 300 [1]."),
  ]);
  const view = player.results.at(-1)!.messages;
  const summary = String(view[1]?.content);
  expect(summary).toContain("[1]");
  expect(summary).toContain("Aqua 300");
  // Its source follows in the user's role: what passages say isn't for the system prompt.
  expect(
    view
      .slice(1, 3)
      .map(({ content }) => String(content))
      .join("\n"),
  ).toMatch(/Aqua 300 manual/);
  await player.close();
});

it("rag: switched off, it is system prompt and last N turns, word for word, and no model is asked", async () => {
  const player = createPlayer(provider, {
    profile: profiles.rag,
    strategy: "truncate-oldest",
    window: 32_000,
  });
  await player.play([chat.system(SYSTEM), ...consultation(30)]);
  const applied = compactions(player);
  expect(applied.length).toBeGreaterThan(3);
  for (const { messages } of applied) {
    expect(messages[0]).toBe(player.transcript[0]);
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(N);
    const from = player.transcript.indexOf(messages[1]!);
    expect(messages.slice(1)).toEqual(player.transcript.slice(from, from + messages.length - 1));
    expect(JSON.stringify(messages)).not.toContain("conversation-summary");
  }
  expect(asked()).toHaveLength(0);
  await player.close();
});

it("rag: settings are overridden one by one", async () => {
  const player = createPlayer(provider, {
    profile: profiles.rag,
    window: 32_000,
    triggers: { messages: 9 },
    tail: { turns: 3 },
    summary: { temperature: 0.1 },
    waitMs: HANGS_AFTER_MS,
  });
  await player.play([chat.system(SYSTEM), ...consultation(12)]);
  const [first] = compactions(player);
  const asAsked = first?.messages.slice(2).filter((message) => player.transcript.includes(message));
  expect(asAsked?.filter(({ role }) => role === "user")).toHaveLength(3);
  expect(asked()[0]?.body["temperature"]).toBe(0.1);
  expect(asked()[0]?.messages[0]?.text).toMatch(/Markers of sources/);
  await player.close();
});
