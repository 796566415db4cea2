import { describe, expect, it } from "vitest";
import type { Dialect, FitResult, Message, State } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { toWire } from "../../src/testing/arbitraries/index.ts";
import { checkView } from "../../src/testing/index.ts";
import { counterOf } from "../support/count.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";
import { sent } from "../support/host.ts";

const NOW = 1_700_000_000_000;
const TURNS = 60;
/** The turn in whose place a tool is called. */
const ROUND_AT = 7;
const BUDGET = 4_000;
/** The conversation is played from here on: before this turn it has room for everything. */
const PLAYED_FROM = 28;

const say = (role: "user" | "assistant", text: string): Message => ({
  role,
  parts: [{ type: "text", text }],
});

/** Questions and answers, and one turn with a tool round: user, call, result, answer. */
const script: readonly Message[] = Array.from({ length: TURNS }, (_, turn): Message[] => [
  say("user", `Question ${turn}: shelf ${turn * 3}? ${"It matters to us. ".repeat(6)}`),
  ...(turn === ROUND_AT
    ? [
        {
          role: "assistant",
          parts: [{ type: "tool-call", id: "call_7", name: "look_up", args: '{"shelf":21}' }],
        } as const,
        {
          role: "tool",
          parts: [{ type: "tool-result", id: "call_7", name: "look_up", text: "Box 49." }],
        } as const,
      ]
    : []),
  say("assistant", `Answer ${turn}: box ${turn * 7}. ${"That is how it is stored. ".repeat(6)}`),
]).flat();

/** By what is pinned: its text names the message in every dialect. */
const PINS: Readonly<Record<string, readonly string[]>> = {
  nothing: [],
  "a question": ["Question 5:"],
  "an answer": ["Answer 5:"],
  "a tool round": ["Box 49."],
  "two questions": ["Question 5:", "Question 9:"],
  "two answers": ["Answer 5:", "Answer 9:"],
  "an answer and a later question": ["Answer 5:", "Question 9:"],
  "a round and a later answer": ["Box 49.", "Answer 9:"],
};

const strict = (id: string): Dialect<object> => {
  const dialect = dialectOf(id);
  return { ...dialect, rules: { ...dialect.rules, alternation: "strict" } };
};

const CASES = [
  ...DIALECT_IDS.map((id) => ({ name: id, id, dialect: dialectOf(id) })),
  ...["openai-chat", "anthropic-messages", "gemini-contents"].map((id) => ({
    name: `${id}, roles alternate`,
    id,
    dialect: strict(id),
  })),
];

describe.each(CASES)("$name", ({ id, dialect }) => {
  const usualPlay = once(() => playWith(dialect, id, wireOf(id).messages, []));

  it.each(Object.entries(PINS))("summaries go on with %s pinned", async (_name, texts) => {
    const { messages, placesOf } = wireOf(id);
    const pins = texts.map(placesOf);
    // Without pins it is compacted as seldom.
    const usual = await usualPlay();
    const play = pins.length === 0 ? usual : await playWith(dialect, id, messages, pins);
    expect(play.compactions).toBeGreaterThan(0);
    expect(play.compactions).toBeLessThanOrEqual(usual.compactions + 1);
    expect(play.withoutSummary).toBe(0);
    expect(play.warnings).toEqual([]);
    expect(play.changesBetween).toBe(0);
  });

  it("an answer that is pinned later joins the view, and leaves it as it was", async () => {
    const { messages, placesOf } = wireOf(id);
    const compactor = createCompactor<object>({ dialect, budget: BUDGET });
    const viewOf = (state: State | undefined, pins: readonly number[]) =>
      compactor.fit(messages.slice(0, -1), { now: NOW, lastRequestAt: NOW, pins, ...(state && { state }) });
    const before = await viewOf(undefined, []);
    expect(before.report.outcome).toBe("compacted");
    const pins = [placesOf("Answer 5:"), placesOf("Answer 9:")];
    const after = await viewOf(before.state, pins);
    expect(after.report.checkpoint).toBe(before.report.checkpoint);
    expect(after.report.prefixReason).toBe("pin");
    expect(breachesOf(dialect, id, messages.slice(0, -1), pins, after)).toEqual([]);
    const again = await viewOf(after.state, pins);
    expect(sent(again)).toBe(sent(after));
    const released = await viewOf(again.state, []);
    expect(sent(released)).toBe(sent(before));
  });

  it("what was pinned when it was compacted stays with its note until the next compaction", async () => {
    const { messages, placesOf } = wireOf(id);
    const compactor = createCompactor<object>({ dialect, budget: BUDGET });
    const pins = [placesOf("Answer 5:")];
    const pinned = await compactor.fit(messages.slice(0, -1), { now: NOW, pins });
    const released = await compactor.fit(messages.slice(0, -1), { now: NOW, pins: [], state: pinned.state });
    const notes = (result: FitResult<object>) => sent(result).split("are not shown.").length - 1;
    expect(notes(pinned)).toBe(beginsWithUser(dialect) ? 1 : 0);
    expect(notes(released)).toBe(notes(pinned));
    expect(breachesOf(dialect, id, messages.slice(0, -1), [], released)).toEqual([]);
  });
});

/** Does the work when it is first asked for. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

const beginsWithUser = ({ rules }: Dialect<object>) =>
  rules.firstRole === "user" || rules.alternation === "strict";

function wireOf(id: string) {
  const { messages } = toWire(id, script);
  const placesOf = (text: string) => {
    const at = messages.findIndex((message) => JSON.stringify(message).includes(text));
    expect(at).toBeGreaterThanOrEqual(0);
    return at;
  };
  return { messages, placesOf };
}

/** Fits the conversation before each answer, and judges every view. */
async function playWith(
  dialect: Dialect<object>,
  id: string,
  messages: readonly object[],
  pins: readonly number[],
) {
  const compactor = createCompactor<object>({ dialect, budget: BUDGET });
  let state: State | undefined;
  let last: readonly string[] | undefined;
  const seen = { compactions: 0, withoutSummary: 0, changesBetween: 0, warnings: [] as string[] };
  const first = messages.findIndex((message) => JSON.stringify(message).includes(`Question ${PLAYED_FROM}:`));
  for (let length = first + 1; length < messages.length; length++) {
    if (dialect.read(messages[length - 1]!).role !== "user") continue;
    const transcript = messages.slice(0, length);
    const result = await compactor.fit(transcript, {
      now: NOW,
      lastRequestAt: NOW,
      pins,
      ...(state && { state }),
    });
    if (state === undefined) expect(result.report.outcome).toBe("pass");
    ({ state } = result);
    expect(breachesOf(dialect, id, transcript, pins, result)).toEqual([]);
    const isCompacted = result.report.outcome === "compacted";
    const shown = [
      JSON.stringify(result.system ?? null),
      ...result.messages.map((one) => JSON.stringify(one)),
    ];
    if (isCompacted) seen.compactions++;
    else if (last?.some((message, at) => message !== shown[at])) seen.changesBetween++;
    if (
      result.report.counts.covered + result.report.counts.dropped > 0 &&
      !sent(result).includes("A record of earlier messages")
    )
      seen.withoutSummary++;
    seen.warnings.push(...result.report.warnings.map(({ code }) => code));
    last = shown;
  }
  return seen;
}

function breachesOf(
  dialect: Dialect<object>,
  id: string,
  transcript: readonly object[],
  pinned: readonly number[],
  result: FitResult<object>,
): string[] {
  const roles = result.messages
    .map((message) => dialect.read(message))
    .filter(({ role }) => role !== "system");
  const isStrict = dialect.rules.alternation === "strict";
  const twice = roles.filter(
    ({ role }, at) => isStrict && (role === "user" || role === "assistant") && roles[at - 1]?.role === role,
  );
  return [
    ...checkView({ dialect: id, transcript, pinned, extras: [], result, count: counterOf(dialect) }),
    ...(beginsWithUser(dialect) && roles[0]?.role !== "user" ? ["the view doesn't begin with the user"] : []),
    ...twice.map(({ role }) => `two messages of role ${role} in a row`),
  ];
}
