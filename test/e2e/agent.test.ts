import { afterEach, beforeEach, expect, it } from "vitest";
import type { ChatMessage } from "../../src/apis/index.ts";
import { profiles } from "../../src/profiles/index.ts";
import { chat, type FakeProvider, startFakeProvider } from "../../src/testing/index.ts";
import { heedfulReply } from "../summaries/heedful-reply.ts";
import { compactions, createPlayer } from "../summaries/player.ts";
import { byProof } from "../support/proof.ts";

/** A coding agent that works through a long task on its own: one request, then round after round. */
const LONG = { window: 24_000, share: 1 };
/** A window of half the size is full after half of the rounds. */
const { window: WINDOW, share: SHARE } = byProof({
  sample: { window: 12_000, share: 0.5 },
  more: LONG,
  all: LONG,
});
const SYSTEM = "You are a coding agent. You read, edit and test with tools.";
/** The prompt of a continuation with its list of items, at most (tokens). */
const QUESTION_TOKENS = 1_700;
const TASK =
  "Move every handler in src/http to the new router, keep the tests green, and never touch vendor/.";
const TOOLS = [
  {
    type: "function",
    function: { name: "read_file", parameters: { type: "object", properties: { path: { type: "string" } } } },
  },
  {
    type: "function",
    function: { name: "edit_file", parameters: { type: "object", properties: { path: { type: "string" } } } },
  },
];

function work(rounds: number, from = 0): ChatMessage[] {
  return Array.from({ length: rounds }, (_, at) => {
    const round = from + at;
    const path = `src/http/handler-${round}.ts`;
    const reads = round % 2 === 0;
    const lines = Array.from(
      { length: 24 },
      (_, row) => `${row + 1}: export const route${round}_${row} = old("/api/${round}/${row}");`,
    );
    return chat.round(
      reads ? "read_file" : "edit_file",
      { path, ...(reads ? {} : { find: `old("/api/${round}/0")`, put: `router.get("/api/${round}/0")` }) },
      reads ? lines.join("\n") : `Edited ${path}. 3 tests passed.`,
      `call_${round}`,
    );
  }).flat();
}

let provider: FakeProvider;
const isContinuation = (text: string) => text.includes("This message comes from the program");
beforeEach(async () => {
  const summary = heedfulReply({
    when: ({ lastUser, messages }) =>
      isContinuation(lastUser) || messages[0]!.text.includes("You write the record"),
  });
  provider = await startFakeProvider({ reply: summary });
});
afterEach(() => provider.close());

const script = (rounds: number): ChatMessage[] => [
  chat.system(SYSTEM),
  chat.user(TASK),
  ...work(rounds),
  chat.assistant("All handlers are moved."),
];

it("agent: in the background at 0.8, by continuing its own request from the prompt cache; the current request is always there", async () => {
  const player = createPlayer(provider, {
    profile: profiles.agent,
    window: LONG.window,
    continues: true,
    patient: true,
    input: { tools: TOOLS },
  });
  await player.play(script(160));
  const written = compactions(player).filter(({ report }) => report.rungs.at(-1)?.rung === "continuation");
  expect(written.length).toBeGreaterThan(0);
  for (const { messages, report } of compactions(player)) {
    // The user's request word for word, then a tagged user message, then whole rounds.
    expect(messages[1]).toEqual(chat.user(TASK));
    const at = messages.findIndex(({ content }) => String(content).includes("<conversation-summary"));
    if (at >= 0) expect(messages[at]?.role).toBe("user");
    expect(messages[at + 1]?.role).toBe("assistant");
    expect(report.pressure.after).toBeLessThan(0.65);
  }
  for (const { lastUser, tokens, body } of provider.requests.filter(({ lastUser }) =>
    isContinuation(lastUser),
  )) {
    // All of the conversation comes out of the cache; what is new is the question.
    expect(tokens.input - tokens.cacheRead).toBeLessThan(QUESTION_TOKENS);
    expect(tokens.cacheRead / tokens.input).toBeGreaterThan(0.85);
    expect(body["tools"]).toEqual(TOOLS);
    expect(body["model"]).toBe("test-model");
    expect(lastUser).toMatch(/call no tool/);
  }
  expect(player.failures).toEqual([]);
  await player.close();
});

it("agent: a record stays within min(0.1 × window, 25 % of the landing, 2,500); the transcript on screen is unchanged", async () => {
  const player = createPlayer(provider, {
    profile: profiles.agent,
    window: WINDOW,
    continues: true,
    patient: true,
  });
  const played = script(120 * SHARE);
  await player.play(played);
  expect(player.transcript).toEqual(played);
  const { summaries } = player.state!;
  expect(summaries.length).toBeGreaterThan(0);
  for (const { tokens } of summaries) expect(tokens.text).toBeLessThanOrEqual(Math.min(0.1 * WINDOW, 2_500));
  await player.close();
});

it("agent: a tool call in the answer fails the continuation, and the next rung writes the summary", async () => {
  const summary = heedfulReply({
    when: ({ messages }) => messages[0]!.text.includes("You write the record"),
  });
  provider.setReply((request) =>
    isContinuation(request.lastUser)
      ? { text: "", calls: [{ name: "read_file", args: { path: "src/http/handler-1.ts" } }] }
      : summary(request),
  );
  const player = createPlayer(provider, {
    profile: profiles.agent,
    window: WINDOW,
    continues: true,
    patient: true,
    input: { tools: TOOLS },
  });
  await player.play(script(120 * SHARE));
  const calls = compactions(player).flatMap(({ report }) => report.modelCalls);
  expect(calls).toContainEqual(
    expect.objectContaining({ name: "summarize-continuation", result: "rejected", note: "tool-call" }),
  );
  expect(calls).toContainEqual(expect.objectContaining({ name: "summarize-full", result: "accepted" }));
  await player.close();
});

it("agent: a summary that hangs is waited for by nobody; at the budget the view is made without it", async () => {
  provider.setReply((request) =>
    isContinuation(request.lastUser) || request.messages[0]!.text.includes("You write the record")
      ? new Promise<string>(() => {})
      : "OK.",
  );
  const player = createPlayer(provider, { profile: profiles.agent, window: WINDOW, continues: true });
  await player.play(script(120 * SHARE));
  expect(compactions(player).map(({ report }) => report.rungs.at(-1)?.rung)).toContain("extractive");
  const view = JSON.stringify(player.results.at(-1)?.messages);
  expect(view).toContain("never touch vendor/");
  await player.close();
});

it("agent: a standalone summary for a pull request changes no state", async () => {
  const player = createPlayer(provider, { profile: profiles.agent, window: LONG.window });
  const transcript = script(40);
  const before = await player.compactor.fit(transcript);
  const { text, tokens, report } = await player.compactor.summarize(transcript, {
    focus: "what a reviewer must know",
    cap: 400,
  });
  expect(text).toMatch(/began with/);
  expect(tokens).toBeLessThanOrEqual(400);
  expect(report.modelCalls.at(-1)?.result).toBe("accepted");
  expect(provider.requests.at(-1)?.lastUser).toContain("what a reviewer must know");
  const after = await player.compactor.fit(transcript);
  expect(after.messages).toEqual(before.messages);
  expect(after.state.summaries).toEqual(before.state.summaries);
  await player.close();
});
