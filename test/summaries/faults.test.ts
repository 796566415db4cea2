import { afterEach, describe, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { Events, Report, State } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { openaiCompatible } from "../../src/models/index.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import {
  chat,
  checkView,
  type FakeProvider,
  type FakeRequest,
  type FaultName,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/index.ts";
import { counterOf } from "../support/count.ts";
import { talk } from "../support/host.ts";
import { byProof } from "../support/proof.ts";
import { FAULT_KINDS, FAULTS } from "./fault-names.ts";
import { type HandDrivenDeadlines, handDrivenDeadlines } from "./hand-driven-deadlines.ts";
import { spyStore } from "./spy-store.ts";

const MODEL = "test-model";
const NOW = 1_700_000_000_000;

/** They leave room, so that nothing is due at the first request. */
const TURNS_BEFORE = 14;

const RUNGS = ["continuation", "full", "simple", "merge", "repair"] as const;
type Rung = (typeof RUNGS)[number];

/** Every fault meets one rung; the others meet one of each kind, which a rung can't tell apart. */
const ALL_FAULTS_MEET: Rung = "full";
/** A talk that is long enough for a merge takes several times as long as the others. */
const SAMPLE: { readonly [R in Rung]?: readonly FaultName[] } = { merge: ["server-error", "refusal"] };
const faultsOf = (rung: Rung): readonly FaultName[] =>
  rung === ALL_FAULTS_MEET
    ? FAULTS
    : byProof({ sample: SAMPLE[rung] ?? FAULT_KINDS, more: FAULTS, all: FAULTS });

/** Which kind of request for a summary this is. */
function rungOf({ lastUser, messages }: FakeRequest): Rung | undefined {
  if (lastUser.includes("This message comes from the program")) return "continuation";
  if (lastUser.includes("Write one record in their place")) return "merge";
  if (lastUser.includes("is a draft of the record")) return "repair";
  if (!messages[0]?.text.includes("You write the record")) return undefined;
  return lastUser.includes("<message index=") ? "full" : "simple";
}

let provider: FakeProvider | undefined;
let deadlines: HandDrivenDeadlines | undefined;
afterEach(async () => {
  await provider?.close();
  deadlines?.restore();
});

interface Outcome {
  readonly report: Report;
  readonly failed: readonly Events["failed"][];
  readonly state: State;
  readonly saved: readonly string[];
  readonly requests: FakeProvider["requests"];
}

/** Plays a conversation over its budget while every request of one kind fails, and inspects what is left. */
async function play(rung: Rung, fault: FaultName): Promise<Outcome> {
  deadlines = handDrivenDeadlines();
  const { hangs, fetch: send } = deadlines;
  const summary = summarizingReply({ forgets: rung === "repair" ? ["PORT", "module"] : [] });
  provider = await startFakeProvider({
    reply: summary,
    faults: (request) => {
      const kind = rungOf(request);
      if (kind === undefined) return undefined;
      // The rungs above the one that is looked at fail too, so that it is reached.
      if (rung === "simple" && kind === "full") return "server-error";
      if (kind !== rung) return undefined;
      if (fault === "never") hangs(request);
      return { type: fault, ms: fault === "slow" ? 50 : 5 };
    },
  });
  const baseURL = `${provider.url}/v1`;
  const store = spyStore(memoryStore());
  const compactor = createCompactor<ChatMessage>({
    dialect: openaiChat,
    budget: 4_000,
    store,
    ...(rung === "merge" && { summary: { merge: "segments", cap: 150 } }),
    summarizer: openaiCompatible({
      baseURL,
      model: MODEL,
      retry: { attempts: 2, sleep: async () => undefined },
      fetch: send,
    }),
  });
  const failed: Events["failed"][] = [];
  compactor.on("failed", (event) => failed.push(event));
  const count = counterOf(openaiChat);
  const reports: Report[] = [];
  const conversation = talk(rung === "merge" ? 90 : 36);
  const transcript: ChatMessage[] = [
    chat.system("You help."),
    chat.user("It is PORT-48213."),
    chat.assistant("Noted."),
    ...conversation.splice(0, 2 * TURNS_BEFORE),
  ];
  let state: State | undefined;
  let request: object | undefined;
  for (const [index, message] of conversation.entries()) {
    transcript.push(message);
    if (message.role !== "user") continue;
    const now = NOW + index * 1_000;
    const result = await compactor.fit(transcript, {
      now,
      lastRequestAt: now - 1_000,
      ...(state && { state }),
      ...(rung === "continuation" && request && { request }),
    });
    expect(
      checkView({ dialect: "openai-chat", transcript, system: undefined, extras: [], result, count }),
    ).toEqual([]);
    request = { model: MODEL, messages: result.messages, max_tokens: 50 };
    const answer = await fetch(`${baseURL}/chat/completions`, {
      method: "POST",
      body: JSON.stringify(request),
    });
    expect(answer.status, await answer.text()).toBe(200);
    if (state === undefined) expect(result.report.outcome).toBe("pass");
    state = result.state;
    if (result.report.outcome === "compacted") reports.push(result.report);
    await compactor.settled();
  }
  await compactor.close();
  expect(reports.length).toBeGreaterThan(1);
  return {
    report:
      reports.find(({ modelCalls }) => modelCalls.some((call) => call.result !== "accepted")) ??
      reports.at(-1)!,
    failed,
    state: state!,
    saved: [...store.summaries().map(({ text }) => text), ...state!.summaries.map(({ text }) => text)],
    requests: provider.requests,
  };
}

describe.each(RUNGS)("%s", (rung) => {
  it.each(faultsOf(rung))(
    "%s: the conversation goes on, nothing bad is stored, the report says what happened",
    async (fault) => {
      const { report, failed, saved, requests } = await play(rung, fault);
      const hit = requests.filter((request) => request.fault === fault);
      expect(hit.length).toBeGreaterThan(0);
      // Nothing that a failure said became a summary.
      for (const text of saved) {
        expect(text).not.toMatch(
          /the of of the|I'm sorry|Internal server|rate limit|overloaded|invalid|cut o/i,
        );
        expect(text.trim()).not.toBe("");
      }
      if (fault === "slow") return;
      const noted = report.modelCalls.filter((call) => call.result !== "accepted");
      // A `summary.cap` ends answers itself, so whole lines of a short one count; what they lack is asked for.
      const isMended = rung === "merge" && report.modelCalls.some(({ name }) => name.endsWith("-repair"));
      if (fault !== "cut-off" || !isMended) expect(noted.length).toBeGreaterThan(0);
      for (const call of noted) expect(call.note).toBeTruthy();
      // Below the rung that fails there is another; only where all of them fail the host is told of a failure.
      if (rung === "simple") expect(failed.length).toBeGreaterThan(0);
      if (rung === "merge" || rung === "repair") expect(failed).toEqual([]);
      // A request that hangs uses up the time of the whole summary.
      if ((rung === "continuation" || rung === "full") && fault !== "never") expect(failed).toEqual([]);
    },
  );
});
