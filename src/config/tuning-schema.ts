import type { Tuning } from "../core/types.ts";
import { numberFrom, object, oneOf, share, text, textUpTo, tokens, wholeNumber, yesOrNo } from "./values.ts";

/** Ways to ask for a summary. */
export const SUMMARY_MODES = ["continuation", "full", "simple", "extractive"] as const;
/** Most characters of a preface, as the engine has it. */
export const MOST_PREFACE = 500;

const messages = wholeNumber("number of messages", 1);
const turns = wholeNumber("number of turns", 1);

/** Options of the engine that a config, an upstream and a single request may set alike. */
export const fineTuning = {
  auto: yesOrNo.optional(),
  cacheBreakpoints: yesOrNo.optional(),
  tail: object({
    share: share.optional(),
    tokens: tokens.optional(),
    messages: messages.optional(),
    turns: turns.optional(),
    rounds: wholeNumber("number of rounds", 1).optional(),
    minMessages: messages.optional(),
  }).optional(),
  triggers: object({ messages: messages.optional(), turns: turns.optional() }).optional(),
  summary: object({
    prompt: text(
      "prompt",
      "Give the name of a prompt, such as agent, or what a summary should hold.",
    ).optional(),
    cap: tokens.optional(),
    temperature: numberFrom("temperature", 0, 2).optional(),
    preface: textUpTo("preface", MOST_PREFACE).optional(),
    mode: oneOf("mode", SUMMARY_MODES).optional(),
    merge: oneOf("merge", ["segments", "rolling"]).optional(),
  }).optional(),
};

/** The schema of `x-precis-options`. */
export const requestTuning = object(fineTuning);

const PICKED = [
  "startAt",
  "landAt",
  "safety",
  "placement",
  "waitMs",
  "auto",
  "cacheBreakpoints",
  "tail",
  "triggers",
  "summary",
] as const satisfies readonly (keyof Tuning)[];

/** The engine's options among those of a config, an upstream or a request. What isn't set is left out. */
export function pickTuning(from: { readonly [K in (typeof PICKED)[number]]?: unknown }): Tuning {
  return withoutUnset(Object.fromEntries(PICKED.map((name) => [name, from[name]])));
}

/** Several sets of options, the later ones over the earlier. What is made of options is put together, too. */
export function mergeTuning(...sets: readonly (Tuning | undefined)[]): Tuning {
  const merged: Record<string, unknown> = {};
  for (const [name, value] of sets.flatMap((set) => Object.entries(set ?? {}))) {
    const before = merged[name];
    merged[name] = isGroup(before) && isGroup(value) ? { ...before, ...value } : value;
  }
  return merged;
}

function isGroup(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function withoutUnset(value: object): Tuning {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) =>
      one === undefined ? [] : [[name, typeof one === "object" && one !== null ? withoutUnset(one) : one]],
    ),
  );
}
