import { givingWay, LEAST_CAP, MOST_COST_SHARE } from "../core/budget.ts";
import type { Tuning } from "../core/types.ts";
import {
  anyOf,
  duration,
  numberFrom,
  object,
  oneOf,
  share,
  text,
  textUpTo,
  threshold,
  thresholdOrNone,
  tokens,
  tokensFrom,
  wholeNumber,
  yesOrNo,
} from "./values.ts";

/** Ways to ask for a summary. */
export const SUMMARY_MODES = ["continuation", "full", "simple", "extractive"] as const;
/** Where a summary may go. */
export const PLACEMENTS = ["user", "system", "merged"] as const;
/** Most characters of a preface, as the engine has it. */
export const MOST_PREFACE = 500;
/** Prices are told in units of the price of an input token; none is that much dearer. */
const MOST_PRICE = 1_000;

const messages = wholeNumber("number of messages", 1);
const turns = wholeNumber("number of turns", 1);
const someTokens = wholeNumber("number of tokens", 0);
const price = numberFrom("price", 0, MOST_PRICE);

/** Options of the engine that a config, an upstream and a request may set. Budget and strategy have keys of their own. */
export const fineTuning = {
  startAt: threshold.optional(),
  landAt: threshold.optional(),
  reserve: thresholdOrNone.optional(),
  safety: thresholdOrNone.optional(),
  placement: oneOf("placement", PLACEMENTS).optional(),
  waitMs: duration(0).optional(),
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
    cap: tokensFrom(LEAST_CAP).optional(),
    notes: yesOrNo.optional(),
    temperature: numberFrom("temperature", 0, 2).optional(),
    preface: textUpTo("preface", MOST_PREFACE).optional(),
    mode: oneOf("mode", SUMMARY_MODES).optional(),
    merge: oneOf("merge", ["segments", "rolling"]).optional(),
    costShare: numberFrom("share", 0, MOST_COST_SHARE).optional(),
    deadlineMs: duration(1).optional(),
  }).optional(),
  recall: object({ auto: yesOrNo.optional(), tokens: someTokens.optional() }).optional(),
  images: object({
    keep: anyOf([oneOf("choice of images", ["last-user-message"]), wholeNumber("number of images", 0)], {
      problem: "is no choice of images",
      fix: 'Give "last-user-message", or how many of the newest stay, such as 2.',
    }),
  }).optional(),
  cache: object({
    ttlMs: duration(0).optional(),
    read: price.optional(),
    write: price.optional(),
    output: price.optional(),
  }).optional(),
  frames: object({ tokensPerFrame: someTokens, separator: someTokens.optional() }).optional(),
} satisfies Record<Exclude<keyof Tuning, "budget" | "strategy">, unknown>;

/** The schema of `x-precis-options`. */
export const requestTuning = object(fineTuning);

const PICKED = Object.keys(fineTuning) as readonly (keyof typeof fineTuning)[];

/** The engine's options among those of a config, an upstream or a request. What isn't set is left out. */
export function pickTuning(from: { readonly [K in keyof typeof fineTuning]?: unknown }): Tuning {
  return withoutUnset(Object.fromEntries(PICKED.map((name) => [name, from[name]])));
}

/** Several sets of options, the later ones over the earlier. What is made of options is put together, too. */
export function mergeTuning(...sets: readonly (Tuning | undefined)[]): Tuning {
  return sets.reduce<Tuning>(
    (below, above) => (above ? mergeTwo(givingWay(below, above), above) : below),
    {},
  );
}

function mergeTwo(below: Tuning, above: Tuning): Tuning {
  const merged: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const before = merged[name];
    merged[name] = isGroup(before) && isGroup(value) ? { ...before, ...value } : value;
  }
  return merged;
}

function isGroup(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Options that are set. What is made of options is left out where none of them is. */
export function withoutUnset(options: object): Tuning {
  return Object.fromEntries(
    Object.entries(options)
      .map(([name, value]) => [name, isGroup(value) ? withoutUnset(value) : value] as const)
      .filter(([, value]) => value !== undefined && !(isGroup(value) && Object.keys(value).length === 0)),
  );
}
