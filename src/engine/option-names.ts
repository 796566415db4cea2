import { ConfigError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import type {
  CompactInput,
  CompactorOptions,
  HandoverInput,
  Profile,
  SummarizeInput,
  Tuning,
} from "../core/types.ts";

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

const INPUT: Names<CompactInput<never>> & Names<SummarizeInput<never>> & Names<HandoverInput<never>> = {
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
  focus: true,
  budget: true,
  adopt: true,
  upTo: true,
  range: true,
  waitMs: true,
  // Of `summarize` and `handover`.
  cap: true,
  form: true,
  goal: true,
};

/** The same for what one call takes beside the transcript. */
export function checkInputNames(input: object): void {
  checkNames(input, INPUT, "", false);
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
