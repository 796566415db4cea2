import { afterEach, beforeEach, expect, it } from "vitest";
import type { ChatMessage } from "../../src/apis/index.ts";
import type { State } from "../../src/core/types.ts";
import { openaiCompatible } from "../../src/models/index.ts";
import { profiles } from "../../src/profiles/index.ts";
import { chat, type FakeProvider, startFakeProvider, TINY_PNG } from "../../src/testing/index.ts";
import { heedfulReply } from "../summaries/heedful-reply.ts";
import { compactions, createPlayer, type Player } from "../summaries/player.ts";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";

/** A desktop chat: many kinds of talk, tools now and then, and a small cheap model of its own for summaries. */
const SYSTEM = "You are a helpful assistant on the desktop.";
const TARGET = 6_000;
const SMALL_MODEL = "small-and-cheap";
const KEY = "key-of-the-small-one";

function chatting(turns: number, from = 0): ChatMessage[] {
  return Array.from({ length: turns }, (_, at) => {
    const turn = from + at;
    const topic = ["the trip to Lisbon", "the tax form", "the new bicycle", "the birthday"][turn % 4];
    return [
      chat.user(`Turn ${turn}: about ${topic}, what should I do next?`),
      ...(turn % 5 === 2
        ? chat.round(
            "web_search",
            { query: `${topic} ${turn}` },
            `1. Result about ${topic}, id R-${turn}\n`.repeat(12),
            `call_${turn}`,
          )
        : []),
      chat.assistant(
        `For ${topic}: step ${turn} is to call office ${1_000 + turn}. ${"It opens at nine. ".repeat(12)}`,
      ),
    ];
  }).flat();
}

let provider: FakeProvider;
let cheap: FakeProvider;
beforeEach(async () => {
  provider = await startFakeProvider();
  cheap = await startFakeProvider({ reply: heedfulReply({ when: () => true }), apiKey: KEY });
});
afterEach(async () => {
  await provider.close();
  await cheap.close();
});

const summarizer = (apiKey = KEY) =>
  openaiCompatible({ baseURL: `${cheap.url}/v1`, apiKey, model: SMALL_MODEL, retry: { attempts: 1 } });
const host = (more: Parameters<typeof createPlayer>[1] = {}): Player =>
  createPlayer(provider, {
    profile: profiles.desktop,
    window: 128_000,
    budget: TARGET,
    summarizer: summarizer(),
    // What comes back unsigned never becomes system text.
    stateKey: "a secret of this application",
    ...more,
  });
const summaryOf = (messages: readonly ChatMessage[]) =>
  messages.filter(
    ({ role, content }) => role === "system" && String(content).includes("conversation-summary"),
  );

it("desktop: over min(target, window) the oldest are summarised by a separate small model; as many newest as fit stay", async () => {
  const player = host({ waitMs: HANGS_AFTER_MS });
  await player.play([chat.system(SYSTEM), ...chatting(130)]);
  const applied = compactions(player);
  expect(applied.length).toBeGreaterThan(2);
  for (const { report, messages } of applied) {
    expect(report.budget.budget).toBe(TARGET);
    expect(report.pressure.before).toBeGreaterThan(1);
    // [system prompt, summary, newest messages]
    expect(messages[0]).toEqual(chat.system(SYSTEM));
    expect(summaryOf(messages)).toHaveLength(1);
  }
  // Only summaries go to the small model, and nothing else.
  expect(cheap.requests.length).toBeGreaterThan(2);
  for (const { body, streamed, tokens } of cheap.requests) {
    expect(body).toMatchObject({ model: SMALL_MODEL, temperature: 0.3 });
    expect(streamed).toBe(false);
    expect(tokens.input).toBeGreaterThan(0);
  }
  expect(provider.requests.every(({ model }) => model === "test-model")).toBe(true);
  for (const { tokens } of player.state?.summaries ?? []) expect(tokens.text).toBeLessThanOrEqual(1_000);
  // Tool use is told, too.
  expect(cheap.requests[0]?.messages[0]?.text).toMatch(/Where tools were used/);
  await player.close();
  // A model with a smaller window than the target: the window counts.
  const small = host({ window: 4_000 });
  expect((await small.compactor.pressure([chat.user("Hi.")])).budget.budget).toBeLessThan(4_000);
  await small.close();
});

it("desktop: the whole transcript stays, and the summary is saved with the chat: after a restart nothing is paid again", async () => {
  const player = host({ waitMs: HANGS_AFTER_MS });
  const script = [chat.system(SYSTEM), ...chatting(60)];
  await player.play(script);
  expect(player.transcript).toEqual(script);
  const file = JSON.stringify({ messages: player.transcript, precis: player.state });
  await player.close();
  const paid = cheap.requests.length;
  const saved = JSON.parse(file) as { messages: ChatMessage[]; precis: State };
  const again = host({ waitMs: HANGS_AFTER_MS });
  const result = await again.compactor.fit([...saved.messages, chat.user("Where were we?")], {
    state: saved.precis,
  });
  expect(result.report.outcome).toBe("view");
  expect(summaryOf(result.messages)).toHaveLength(1);
  expect(cheap.requests.length).toBe(paid);
  // "Clear the summaries of this chat": without its state the chat starts from the originals.
  const cleared = await again.compactor.fit([chat.system(SYSTEM), chat.user("Something new.")]);
  expect(cleared.report.outcome).toBe("pass");
  await again.close();
});

it("desktop: a pass over stored chats ahead of time makes the summaries that they will need", async () => {
  const chats = [0, 1, 2].map((number) => [
    chat.system(SYSTEM),
    ...chatting(38, number * 100),
    chat.user("Go on."),
  ]);
  const sweep = host();
  const states: State[] = [];
  for (const stored of chats) states.push(await sweep.compactor.prepare(stored));
  await sweep.close();
  const paid = cheap.requests.length;
  expect(paid).toBeGreaterThanOrEqual(3);
  for (const [at, stored] of chats.entries()) {
    expect(states[at]?.summaries.length).toBeGreaterThan(0);
    const app = host();
    const grown = [...stored, chat.assistant("Yes.")];
    for (let turn = 900; (await app.compactor.pressure(grown)).pressure <= 1; turn++)
      grown.push(...chatting(1, turn));
    const { report, messages } = await app.compactor.fit([...grown, chat.user("And now?")], {
      state: states[at],
    });
    expect(report.outcome).toBe("compacted");
    expect(report.rungs.at(-1)?.rung).toBe("known-summaries");
    expect(summaryOf(messages)).toHaveLength(1);
    await app.close();
  }
  expect(cheap.requests.length).toBe(paid);
});

it("desktop: a wrong key or a dead summariser is told, and the oldest give way without it", async () => {
  const player = host({ summarizer: summarizer("wrong"), waitMs: HANGS_AFTER_MS });
  await player.play([chat.system(SYSTEM), ...chatting(50)]);
  expect(compactions(player).length).toBeGreaterThan(0);
  expect(player.failures[0]?.error.message).toMatch(/401|key/i);
  const told = compactions(player).flatMap(({ report }) => report.modelCalls);
  expect(told[0]).toMatchObject({ result: "failed", model: SMALL_MODEL });
  await player.close();
});

it("desktop: completed tool calls alone can be summarised: “Summary of previous tool interaction (name)”", async () => {
  const player = host({ strategy: "tool-summaries", budget: 9_000 });
  await player.play([chat.system(SYSTEM), ...chatting(70)]);
  const [first] = compactions(player);
  const lines = first!.messages.filter(({ content }) =>
    String(content).startsWith("Summary of previous tool interaction (web_search): "),
  );
  expect(lines.length).toBeGreaterThan(0);
  expect(String(lines[0]?.content)).toMatch(/R-2/);
  // It is made by code, so nobody pays for it.
  expect(cheap.requests).toHaveLength(0);
  await player.close();
});

it("desktop: the other strategies that a person can choose, and pictures of older messages become placeholders", async () => {
  for (const strategy of ["truncate-oldest", "drop-middle"] as const) {
    const player = host({ strategy });
    await player.play([chat.system(SYSTEM), ...chatting(60)]);
    const [first] = compactions(player);
    expect(first?.messages[0]).toEqual(chat.system(SYSTEM));
    const kept = first!.messages.includes(player.transcript[1]!);
    expect(kept).toBe(strategy === "drop-middle");
    await player.close();
  }
  const player = host({ waitMs: HANGS_AFTER_MS });
  await player.play([
    chat.system(SYSTEM),
    chat.image("What is this?", TINY_PNG),
    chat.assistant("A dot."),
    ...chatting(50),
  ]);
  expect(compactions(player).length).toBeGreaterThan(0);
  expect(JSON.stringify(compactions(player)[0]?.messages)).not.toContain(TINY_PNG);
  expect(cheap.requests[0]?.raw).not.toContain(TINY_PNG);
  await player.close();
});
