import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { Events, State } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { seededRandom } from "../../src/eval/bootstrap.ts";
import { openaiCompatible } from "../../src/models/index.ts";
import { chat, checkView, startFakeProvider, summarizingReply } from "../../src/testing/index.ts";
import { counterOf } from "../support/count.ts";
import { byProof } from "../support/proof.ts";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";
import { FAULTS } from "./fault-names.ts";
import { handDrivenDeadlines } from "./hand-driven-deadlines.ts";

const TURNS = byProof({ sample: 120, more: 1_000, all: 10_000 });
/** A conversation is followed for so many turns; then another one begins with the same compactor. */
const CONVERSATION = byProof({ sample: 60, more: 200, all: 200 });
const SEED = 20_261_115;
/** Share of requests for a summary that fail in some way. */
const FAULTY = 0.6;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

it(`${TURNS} turns with random faults: every view is valid and is taken by the provider`, {
  timeout: byProof({ sample: HANGS_AFTER_MS, more: 1_800_000, all: 7_200_000 }),
}, async () => {
  const next = seededRandom(SEED);
  // Its own: requests come when they come, and the conversations are the same in every run.
  const nextFault = seededRandom(SEED + 1);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(nextFault() * list.length)]!;
  const summary = summarizingReply();
  const deadlines = handDrivenDeadlines();
  const provider = await startFakeProvider({
    window: 6_000,
    reply: (request) => ((request.cap ?? 0) === 50 ? "OK." : summary(request)),
    faults: (request) => {
      if (request.cap === 50 || nextFault() > FAULTY) return undefined;
      const type = pick(FAULTS);
      if (type === "never") deadlines.hangs(request);
      return { type, ms: 1 + Math.floor(nextFault() * 20) };
    },
  });
  const baseURL = `${provider.url}/v1`;
  const compactor = createCompactor<ChatMessage>({
    dialect: openaiChat,
    budget: 4_000,
    summary: { merge: "segments" },
    summarizer: openaiCompatible({
      baseURL,
      model: "test-model",
      window: 6_000,
      retry: { attempts: 2, sleep: async () => undefined },
      fetch: deadlines.fetch,
    }),
  });
  const failures: Events["failed"][] = [];
  const told = new Map<string, number>();
  compactor.on("failed", (event) => failures.push(event));
  const count = counterOf(openaiChat);
  let now = 1_700_000_000_000;
  let transcript: ChatMessage[] = [];
  let state: State | undefined;
  let request: object | undefined;
  let compactions = 0;
  let withModel = 0;
  try {
    for (let turn = 0; turn < TURNS; turn++) {
      if (turn % CONVERSATION === 0) {
        transcript = [
          chat.system("You help."),
          chat.user(`Conversation ${turn}: look after the garden.`),
          chat.assistant("Yes."),
        ];
        state = undefined;
        request = undefined;
      }
      if (next() < 0.3) {
        const id = `call_${turn}`;
        transcript.push(
          ...chat.round(
            "read",
            { path: `beds/bed-${turn}.txt` },
            `row ${turn}\n`.repeat(1 + Math.floor(next() * 120)),
            id,
          ),
        );
        transcript.push(chat.assistant(`Bed ${turn} is fine.`));
      }
      transcript.push(
        chat.user(
          `Turn ${turn}: what about bed-${turn % 40}.txt? ${"Tell me more. ".repeat(Math.floor(next() * 30))}`,
        ),
      );
      // People edit, come back after a pause, lose their state, and change their mind.
      if (next() < 0.02) state = undefined;
      if (next() < 0.02 && state) state = await compactor.undo(transcript, { state, now });
      const lastRequestAt = now;
      now += next() < 0.05 ? 7 * MINUTE : Math.floor(next() * 20 * SECOND);
      const snapshot = JSON.stringify(transcript);
      const result = await compactor.fit(transcript, {
        now,
        lastRequestAt,
        ...(state && { state }),
        ...(request && next() < 0.5 && { request }),
      });
      const breaches = checkView({ dialect: "openai-chat", transcript, snapshot, extras: [], result, count });
      expect(breaches, `turn ${turn}`).toEqual([]);
      state = JSON.parse(JSON.stringify(result.state)) as State;
      for (const { text } of state.summaries)
        expect(text).not.toMatch(/the of of the|I'm sorry, but|server had an error|Rate limit|<html/);
      if (result.report.outcome === "compacted") {
        compactions++;
        if (result.report.modelCalls.some((call) => call.result === "accepted")) withModel++;
        for (const call of result.report.modelCalls)
          if (call.result !== "accepted") told.set(call.note ?? "", (told.get(call.note ?? "") ?? 0) + 1);
      }
      request = { model: "test-model", messages: result.messages, max_tokens: 50 };
      const answer = await fetch(`${baseURL}/chat/completions`, {
        method: "POST",
        body: JSON.stringify(request),
      });
      expect(answer.status, `turn ${turn}: ${await answer.text()}`).toBe(200);
      transcript.push(
        chat.assistant(
          `Answer ${turn}: bed-${turn % 40}.txt holds leeks. ${"They grow. ".repeat(Math.floor(next() * 40))}`,
        ),
      );
      if (next() < 0.3) await compactor.observe({ transcript, input: { now, ...(state && { state }) } });
      if (next() < 0.5) await compactor.settled();
      if (next() < 0.02)
        transcript.splice(-2, 2, chat.user("No, another way."), chat.assistant("As you wish."));
      // The provider keeps what it was sent; a soak would fill the memory with it.
      (provider.requests as unknown[]).splice(0, provider.requests.length - 5);
    }
    await compactor.settled();
  } finally {
    await compactor.close();
    await provider.close();
    deadlines.restore();
  }
  expect(compactions).toBeGreaterThan(TURNS / 40);
  expect(withModel).toBeGreaterThan(0);
  expect(failures.length).toBeGreaterThan(0);
  expect(told.size).toBeGreaterThan(3);
  expect(deadlines.over()).toBeGreaterThan(0);
});
