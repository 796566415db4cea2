import { afterEach, beforeEach, expect, it } from "vitest";
import type { ChatMessage } from "../../src/apis/index.ts";
import { profiles } from "../../src/profiles/index.ts";
import { chat, type FakeProvider, knowledge, startFakeProvider } from "../../src/testing/index.ts";
import { heedfulReply } from "../summaries/heedful-reply.ts";
import { compactions, createPlayer, summaryRequests } from "../summaries/player.ts";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";

/** A video assistant on a KV cache: frames come all the time, words now and then, and the cache is small. */
const WINDOW = 3_000;
const RESERVE = 600;
const SYSTEM = "You watch a person assemble a toy crane and help when a step goes wrong.";
const RECIPE =
  "Task knowledge: chassis, then cabin, then boom, then hook. The short screws go into the cabin.";
const STEPS = [
  "screws the chassis",
  "clicks the cabin in",
  "holds the boom against the light",
  "threads the hook",
];

const frames = (second: number): ChatMessage =>
  chat.user(
    `[frames ${second}–${second + 4} s] The person ${STEPS[Math.floor(second / 60) % STEPS.length]} at the table, part P-${100 + second}, left hand steady, right hand moving slowly.`,
  );

function watch(seconds: number, from = 0): ChatMessage[] {
  const messages: ChatMessage[] = [];
  for (let second = from; second < from + seconds; second += 5) {
    messages.push(frames(second));
    if (second % 60 === 30)
      messages.push(
        chat.user("Is that the right screw?"),
        chat.assistant("Yes, the short one goes into the cabin."),
      );
    else messages.push(chat.assistant("(watching)"));
  }
  return messages;
}

let provider: FakeProvider;
beforeEach(async () => {
  provider = await startFakeProvider({ reply: heedfulReply({ mustKeep: ["short screws"] }) });
});
afterEach(() => provider.close());

/** It sees nothing else while it summarises, so it waits for its summary. */
const host = () =>
  createPlayer(provider, {
    profile: profiles.stream,
    window: WINDOW,
    reserve: RESERVE,
    waitMs: HANGS_AFTER_MS,
  });

const QUOTATIONS = "<conversation-summary>\nQuotations from earlier messages";

it("stream: summarises when the cache is full, keeps nothing else, and goes on", async () => {
  const player = host();
  await player.play([chat.system(SYSTEM), knowledge(chat.user(RECIPE)), ...watch(900)]);
  const applied = compactions(player);
  expect(applied.length).toBeGreaterThan(3);
  for (const { report, messages, system } of applied) {
    // Trigger: cache ≥ window − reserve.
    expect(report.budget.budget).toBe(WINDOW - RESERVE);
    expect(report.pressure.before).toBeGreaterThanOrEqual(1);
    // The KV cache is to be dropped: only head and summary come again.
    expect(report.prefixChanged).toBe(true);
    // System ⊕ summary ⊕ knowledge, then what is said now. What the summary quotes stands in the user's role, in one message.
    expect(system).toBeUndefined();
    const isQuotation = ({ content }: ChatMessage) => String(content).startsWith(QUOTATIONS);
    expect(messages.filter(isQuotation).length).toBeLessThanOrEqual(1);
    const [first, second, third, ...more] = messages.filter((message) => !isQuotation(message));
    expect([first, second, third].map((message) => message?.role)).toEqual(["system", "user", "user"]);
    expect(more).toEqual([]);
    expect(String(first?.content).startsWith(SYSTEM)).toBe(true);
    expect(String(first?.content)).toContain("conversation-summary");
    expect(second?.content).toBe(RECIPE);
    expect(String(third?.content)).toMatch(/^\[frames|^Is that/);
  }
  // Between two of them the view only grows.
  for (const { report } of player.results.filter(({ report }) => report.outcome !== "compacted").slice(1))
    expect(report.prefixChanged).toBe(false);
  await player.close();
});

it("stream: the same model is asked once per summary, structured, at most 512 tokens, greedy, taking the last one in", async () => {
  const player = host();
  await player.play([chat.system(SYSTEM), knowledge(chat.user(RECIPE)), ...watch(750)]);
  const asked = summaryRequests(provider).concat(
    provider.requests.filter(({ lastUser }) => lastUser.includes("Say where the task stands")),
  );
  const plain = asked.filter(({ lastUser }) => lastUser.includes("Say where the task stands"));
  expect(plain.length).toBeGreaterThan(2);
  for (const { body, lastUser, messages } of plain) {
    expect(body["model"]).toBe("test-model");
    expect(body["temperature"]).toBe(0);
    expect(Number(body["max_tokens"] ?? body["max_completion_tokens"])).toBeLessThanOrEqual(512 * 1.5 + 100);
    for (const topic of ["Elapsed time", "Goal", "Done", "Other topics", "Now"])
      expect(lastUser).toContain(topic);
    expect(messages[0]?.role).toBe("system");
  }
  expect(plain[1]?.lastUser).toContain("<previous-summary>");
  for (const { tokens } of player.state?.summaries ?? []) expect(tokens.text).toBeLessThanOrEqual(512);
  await player.close();
});

it("stream: a summary that fails still leaves a view, and the watching goes on", async () => {
  const broken = await startFakeProvider({
    faults: ({ messages }) =>
      messages[0]?.text.includes("You write the record") ? "server-error" : undefined,
  });
  const player = createPlayer(broken, {
    profile: profiles.stream,
    window: WINDOW,
    reserve: RESERVE,
    waitMs: HANGS_AFTER_MS,
  });
  await player.play([chat.system(SYSTEM), knowledge(chat.user(RECIPE)), ...watch(600)]);
  expect(compactions(player).length).toBeGreaterThan(1);
  expect(player.failures.length).toBeGreaterThan(0);
  expect(String(player.results.at(-1)?.messages[0]?.content).startsWith(SYSTEM)).toBe(true);
  await player.close();
  await broken.close();
});
