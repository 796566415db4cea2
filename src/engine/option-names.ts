import { ConfigError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import type {
  CompactInput,
  CompactorOptions,
  FitInput,
  HandoverInput,
  Profile,
  SummarizeInput,
  Tuning,
} from "../core/types.ts";
import { withoutLeftOut } from "./refuse.ts";

/** Names of an object's options. The types see to it that none is missing here. */
type Names<T> = Readonly<Record<keyof Required<T>, true>>;

const TUNING: Names<Tuning> = {
  budget: true,
  strategy: true,
  startAt: true,
  landAt: true,
  tail: true,
  shares: true,
  reserve: true,
  safety: true,
  placement: true,
  triggers: true,
  auto: true,
  waitMs: true,
  images: true,
  cache: true,
  cacheBreakpoints: true,
  summary: true,
  recall: true,
  frames: true,
};
const PROFILE: Names<Profile> = { ...TUNING, name: true };
const OPTIONS: Names<CompactorOptions<never>> = {
  ...TUNING,
  dialect: true,
  window: true,
  profile: true,
  counter: true,
  models: true,
  summarizer: true,
  store: true,
  stateKey: true,
};
/** Options that are made of options. */
const GROUPS: { readonly [K in keyof Tuning]?: Names<NonNullable<Tuning[K]>> } = {
  tail: { share: true, tokens: true, messages: true, turns: true, rounds: true, minMessages: true },
  shares: { narrative: true, words: true, ledger: true },
  triggers: { messages: true, turns: true },
  images: { keep: true },
  cache: { ttlMs: true, read: true, write: true, output: true },
  summary: {
    prompt: true,
    cap: true,
    temperature: true,
    preface: true,
    mode: true,
    merge: true,
    fanout: true,
    maxRequests: true,
    deadlineMs: true,
  } satisfies Names<NonNullable<Tuning["summary"]>>,
  recall: { auto: true, tokens: true },
  frames: { tokensPerFrame: true, separator: true },
};

const FIT: Names<FitInput<never>> = {
  state: true,
  system: true,
  tools: true,
  maxAnswer: true,
  pins: true,
  knowledge: true,
  hostState: true,
  extras: true,
  request: true,
  now: true,
  lastRequestAt: true,
  thinking: true,
  rejected: true,
  signal: true,
};
const COMPACT: Names<CompactInput<never>> = {
  ...FIT,
  focus: true,
  budget: true,
  adopt: true,
  upTo: true,
  range: true,
  waitMs: true,
};
const SUMMARIZE: Names<SummarizeInput<never>> = { ...FIT, focus: true, cap: true, form: true };
const HANDOVER: Names<HandoverInput<never>> = { ...FIT, goal: true, cap: true };
const INPUTS = { fit: FIT, compact: COMPACT, summarize: SUMMARIZE, handover: HANDOVER };

/** Calls that take names of their own. All others take those of `fit`. */
export type InputOf = keyof typeof INPUTS;

/** The same for what one call takes beside the transcript. */
export function checkInputNames(input: object, call: InputOf): void {
  checkNames(input, INPUTS[call], "", false);
}

/** Options without those that are left out, in their groups and in the profile, too: one of them must not stand for a default. */
export function givenOptions<T extends Tuning>(options: T): T {
  const given = withoutLeftOut(options);
  if (typeof given !== "object" || given === null) return given;
  const groups = Object.keys(GROUPS).flatMap((name) => {
    const group = given[name as keyof Tuning];
    return typeof group === "object" && !Array.isArray(group) ? [[name, withoutLeftOut(group)]] : [];
  });
  const { profile } = given as { readonly profile?: Profile };
  return {
    ...given,
    ...Object.fromEntries(groups),
    ...(profile && typeof profile === "object" && { profile: givenOptions(profile) }),
  };
}

/** Refuses an option that doesn't exist: a mistyped one would silently leave the default in force. */
export function checkOptionNames<M>(options: CompactorOptions<M>): void {
  checkNames(options, OPTIONS);
  if (options.profile) checkNames(options.profile, PROFILE, "profile.");
}

function checkNames(
  given: object,
  known: Readonly<Record<string, true>>,
  path = "",
  hasGroups = path === "" || path === "profile.",
): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(known, name)) throw unknown(`${path}${name}`, name, Object.keys(known), path);
    const group = hasGroups ? GROUPS[name as keyof Tuning] : undefined;
    if (!group || value === null) continue;
    if (typeof value !== "object" || Array.isArray(value))
      throw notAGroup(`${path}${name}`, name, value, group);
    checkNames(value, group, `${path}${name}.`);
  }
}

/** A bare value for a group of options would silently leave all of its defaults in force. */
function notAGroup(option: string, name: string, value: unknown, known: object): ConfigError {
  const example = name === "recall" ? "{ auto: true }" : `{ ${Object.keys(known)[0]}: … }`;
  return new ConfigError({
    option,
    message: `${Array.isArray(value) ? "a list" : JSON.stringify(value)} isn't an object.`,
    fix: `Write \`${name}: ${example}\`. Known there: ${Object.keys(known).join(", ")}.`,
  });
}

function unknown(option: string, name: string, known: readonly string[], path: string): ConfigError {
  const meant = nearest(name, known);
  return new ConfigError({
    option,
    message: "there is no such option.",
    fix: meant ? `Did you mean \`${path}${meant}\`?` : `Known here: ${known.join(", ")}.`,
  });
}
