/**
 * Templates that want roles in turn refused views of tool loops: a summary, a pinned message or the host's state stood right behind
 * results (in formats that send results in the user's role, two messages of one role in a row), and without a system prompt a
 * summary became a system message in the middle.
 */
import { expect, it } from "vitest";
import type { HostState, Message, Placement, State } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { toWire } from "../../src/testing/arbitraries/index.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";
import { byProof } from "../support/proof.ts";

const TURNS = 16;
const words = (count: number, of: number) =>
  Array.from({ length: count }, (_, n) => `w${(n * 31 + of * 17) % 400}`).join(" ");

/** An agent that looks into files in most turns, mostly without a word. */
function agent(): Message[] {
  const text = (said: string) => ({ type: "text", text: said }) as const;
  let id = 0;
  return Array.from({ length: TURNS }, (_, turn): Message[] => [
    { role: "user", parts: [text(`Question ${turn}: ${words(5 + ((turn * 7) % 30), turn)}?`)] },
    ...Array.from({ length: (turn * 5) % 4 }, (_round, round): Message[] => {
      const calls = Array.from({ length: 1 + (round % 2) }, () => `call_${id++}`);
      return [
        {
          role: "assistant",
          parts: [
            ...(round === 1 ? [text("Let me look further.")] : []),
            ...calls.map((call) => ({ type: "tool-call", id: call, name: "read", args: "{}" }) as const),
          ],
        },
        {
          role: "tool",
          parts: calls.map((call) => ({
            type: "tool-result",
            id: call,
            name: "read",
            text: words(20 + ((id * 37) % 180), id),
          })),
        },
      ];
    }).flat(),
    { role: "assistant", parts: [text(`Answer ${turn}: ${words(10 + ((turn * 11) % 50), turn)}.`)] },
  ]).flat();
}

/** The roles of a view as a chat template has them; `calls` are the assistant's. */
type TemplateRole = "system" | "user" | "assistant" | "calls" | "tool";

interface WireMessage {
  readonly type?: string;
  readonly role?: string;
  readonly tool_calls?: readonly unknown[];
  readonly content?: unknown;
  readonly parts?: readonly { readonly functionCall?: unknown }[];
}

function templateRole(message: WireMessage): TemplateRole {
  const { type = "", role = "", content, parts, tool_calls: calls } = message;
  if (type === "function_call_output") return "tool";
  const isCall =
    type === "function_call" ||
    calls !== undefined ||
    (parts ?? []).some(({ functionCall }) => functionCall !== undefined) ||
    (role === "assistant" &&
      Array.isArray(content) &&
      /"type":"tool[-_](call|use)"/.test(JSON.stringify(content)));
  return isCall ? "calls" : role === "model" ? "assistant" : (role as TemplateRole);
}

/** What templates refuse; written from those of Mistral (calls and results aren't counted) and Gemma (every role is). */
function refused(id: string, messages: readonly object[]): string | undefined {
  const all = messages.map(templateRole);
  // Items of one answer: its text and its calls.
  const roles = id === "openai-responses" ? all.filter((role, at) => !isText(role, all[at + 1])) : all;
  for (const [at, role] of roles.entries()) {
    if (role === "system" && at > 0) return `system message at ${at}`;
    if (role === "user" && roles[at - 1] === "tool") return `user after tool at ${at}`;
    if ((role === "user" || role === "assistant") && roles[at - 1] === role) return `${role} twice at ${at}`;
  }
  // Results have the user's role on these wires, so that every message counts.
  if (id === "anthropic-messages" || id === "gemini-contents") return undefined;
  const spoken = roles.filter((role) => role === "user" || role === "assistant");
  const wrong = spoken.findIndex((role, at) => (role === "user") !== (at % 2 === 0));
  return wrong < 0 ? undefined : `${spoken[wrong]} out of turn`;
}

const isText = (role: TemplateRole, next: TemplateRole | undefined) =>
  role === "assistant" && next === "calls";

interface Case {
  readonly placement: Placement;
  readonly system: boolean;
  readonly pins: readonly number[];
  readonly stateKey?: string;
  readonly hostState?: HostState;
}
const KEY = "a key of thirty-two characters..";
const CASES: Readonly<Record<string, Case>> = {
  "a system prompt": { placement: "user", system: true, pins: [], stateKey: KEY },
  "no system prompt": { placement: "user", system: false, pins: [], stateKey: KEY },
  "summaries for the system prompt, and none": {
    placement: "merged",
    system: false,
    pins: [4],
    stateKey: KEY,
  },
  "pinned rounds and answers": { placement: "system", system: true, pins: [2, 5, 9, 14], stateKey: KEY },
  "an unsigned state": { placement: "merged", system: true, pins: [3, 8] },
  "the host's state behind results": {
    placement: "user",
    system: true,
    pins: [],
    hostState: { steps: [{ text: "Write the parser.", status: "active" }] },
  },
};

/** Every dialect with every case; in the sample with every other one, so that each case has several dialects. */
const PLAYED = DIALECT_IDS.flatMap((id, place) =>
  Object.keys(CASES)
    .filter((_, at) => byProof({ sample: (at + place) % 2 === 0, more: true, all: true }))
    .map((name) => [id, name] as const),
);

it.each(PLAYED)("%s: views of a tool loop keep roles in turn: %s", async (id, name) => {
  const { placement, system, pins, stateKey, hostState } = CASES[name]!;
  const dialect = dialectOf(id);
  const compactor = createCompactor({
    dialect: { ...dialect, rules: { ...dialect.rules, alternation: "strict" } },
    budget: 2_500,
    placement,
    recall: { auto: true },
    ...(stateKey !== undefined && { stateKey }),
  });
  const lead: Message[] = system ? [{ role: "system", parts: [{ type: "text", text: "You help." }] }] : [];
  const core = [...lead, ...agent()];
  let state: State | undefined;
  let compactions = 0;
  for (let length = 1; length <= core.length; length++) {
    const last = core[length - 1]!.role;
    if (last !== "user" && last !== "tool") continue;
    const wire = toWire(id, core.slice(0, length));
    expect(refused(id, wire.messages)).toBeUndefined();
    const { messages, ...result } = await compactor.fit(wire.messages, {
      now: 1_700_000_000_000 + length * 60_000,
      pins: pins.filter((pin) => pin < wire.messages.length - 6),
      ...(wire.system !== undefined && dialect.rules.system === "apart" && { system: wire.system }),
      ...(state !== undefined && { state }),
      ...(hostState !== undefined && { hostState }),
    });
    state = JSON.parse(JSON.stringify(result.state)) as State;
    if (result.report.outcome === "compacted") compactions++;
    expect([length, refused(id, messages)]).toEqual([length, undefined]);
  }
  await compactor.close();
  expect(compactions).toBeGreaterThan(1);
});
