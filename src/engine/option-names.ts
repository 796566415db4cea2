import { ConfigError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import type {
  CompactInput,
  CompactorOptions,
  FitInput,
  HandoverInput,
  Observation,
  Profile,
  SummarizeInput,
  Tuning,
} from "../core/types.ts";
import { withoutLeftOut } from "./refuse.ts";

/** Names of an object's options. */
type Names = Readonly<Record<string, true>>;
type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;

/** The names in a text. The types see to it that each is an option of `T`, and that none is missing. */
function namesOf<T>() {
  return <S extends string>(
    text: S & ([Exclude<keyof T, Words<S>>, Exclude<Words<S>, keyof T>] extends [never, never] ? S : never),
  ): Names => Object.fromEntries(text.split(" ").map((name) => [name, true]));
}

const TUNING = namesOf<Tuning>()(
  "budget strategy startAt landAt tail reserve safety placement triggers auto waitMs images cache cacheBreakpoints summary recall frames",
);
const PROFILE: Names = { ...TUNING, ...namesOf<Omit<Profile, keyof Tuning>>()("name") };
const OPTIONS: Names = {
  ...TUNING,
  ...namesOf<Omit<CompactorOptions<never>, keyof Tuning>>()(
    "dialect window profile counter models summarizer store stateKey",
  ),
};
type Group<K extends keyof Tuning> = NonNullable<Tuning[K]>;
/** Options that are made of options. */
const GROUPS: { readonly [K in keyof Tuning]?: Names } = {
  tail: namesOf<Group<"tail">>()("share tokens messages turns rounds minMessages"),
  triggers: namesOf<Group<"triggers">>()("messages turns"),
  images: namesOf<Group<"images">>()("keep"),
  cache: namesOf<Group<"cache">>()("ttlMs read write output"),
  summary: namesOf<Group<"summary">>()(
    "prompt cap notes temperature preface mode merge costShare deadlineMs",
  ),
  recall: namesOf<Group<"recall">>()("auto tokens"),
  frames: namesOf<Group<"frames">>()("tokensPerFrame separator"),
};

const FIT = namesOf<FitInput<never>>()(
  "state system tools maxAnswer pins knowledge hostState extras request now lastRequestAt thinking rejected signal",
);
type Own<T> = Omit<T, keyof FitInput<never>>;
const INPUTS = {
  fit: FIT,
  compact: { ...FIT, ...namesOf<Own<CompactInput<never>>>()("focus budget adopt upTo range waitMs") },
  summarize: { ...FIT, ...namesOf<Own<SummarizeInput<never>>>()("focus cap form") },
  handover: { ...FIT, ...namesOf<Own<HandoverInput<never>>>()("goal cap") },
  observe: namesOf<Observation<never>>()("usage report tokens model stop transcript input"),
};

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
  known: Names,
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
