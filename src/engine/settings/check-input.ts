import { LEAST_CAP } from "../../core/options.ts";
import type {
  CompactInput,
  FitInput,
  HandoverInput,
  HostState,
  Observation,
  SummarizeInput,
} from "../../core/types.ts";
import {
  check,
  given,
  hasMethods,
  isObject,
  number,
  oneOf,
  refused,
  said,
  unknownOption,
} from "./check-options.ts";

const FORMS: readonly NonNullable<SummarizeInput<unknown>["form"]>[] = ["text", "record"];
const THINKING: readonly NonNullable<FitInput<unknown>["thinking"]>[] = ["may-stop", "must-stay"];
type Status = Exclude<HostState, string>["steps"][number]["status"];
const STATUSES: readonly Status[] = ["open", "active", "done", "blocked"];

type Checks<T> = { readonly [K in keyof Required<T>]: (value: unknown, option: string) => void };
const anything = (): void => undefined;
const ofTokens = (least: number) => (value: unknown, option: string) =>
  number(option, value, "a number of tokens", least);
const time = (value: unknown, option: string): void => number(option, value, "a time in milliseconds", 0);
const text = (fix: string) => (value: unknown, option: string) =>
  check(option, value, typeof value === "string", "a text", fix);
const focus = text("Say what the summary should care about most.");
const cap = ofTokens(LEAST_CAP);

/** What each call takes beside the transcript, each with its check. What is merely stale is ignored elsewhere. */
const FIT: Checks<FitInput<never>> = {
  state(value, option) {
    const isText = typeof value === "string" && value.trimStart().startsWith("{");
    const fix = "Hand it back parsed: `state: JSON.parse(text)`.";
    check(option, value, !isText, "a state, but JSON that wasn't parsed", fix);
  },
  system: anything,
  tools(value, option) {
    const fix = "Give the `tools` of the request, as they are sent to the model.";
    check(option, value, isObject(value), "a list of tools", fix);
  },
  maxAnswer: ofTokens(1),
  pins: checkSelect,
  knowledge: checkSelect,
  hostState: checkHostState,
  extras: (value, option) =>
    check(option, value, Array.isArray(value), "a list", "Give a list of wire messages."),
  request: anything,
  now: time,
  lastRequestAt: time,
  thinking: (value, option) => oneOf(option, value, THINKING),
  rejected: checkRejected,
  signal(value, option) {
    const isSignal = hasMethods(value, "throwIfAborted");
    check(option, value, isSignal, "an AbortSignal", "Pass the `signal` of an AbortController.");
  },
};
type Own<T> = Omit<T, keyof FitInput<never>>;
const COMPACT: Checks<Own<CompactInput<never>>> = {
  focus,
  budget(value, option) {
    const fix = "Give a number such as 8000, or a share of the transcript such as 0.1.";
    const isSize = Number.isFinite(value) && (value as number) > 0;
    check(option, value, isSize, "a number of tokens", fix);
  },
  adopt: (value, option) =>
    check(option, value, typeof value === "boolean", "a boolean", "Give true or false."),
  // Checked against the transcript, where that is known.
  upTo: anything,
  range: anything,
  waitMs: (value, option) => number(option, value, "a number of milliseconds", 0),
};
const SUMMARIZE: Checks<Own<SummarizeInput<never>>> = {
  focus,
  cap,
  form: (value, option) => oneOf(option, value, FORMS),
};
// What a hand-over is for is asked for with an example.
const HANDOVER: Checks<Own<HandoverInput<never>>> = { goal: anything, cap };
const OBSERVE: Checks<Observation<never>> = {
  usage: checkUsage,
  report: anything,
  tokens: ofTokens(0),
  model: anything,
  stop: anything,
  transcript: (value, option) => check(option, value, Array.isArray(value), "a list", OBSERVE_FIX),
  input: anything,
};
const INPUTS = {
  fit: FIT,
  compact: { ...FIT, ...COMPACT },
  summarize: { ...FIT, ...SUMMARIZE },
  handover: { ...FIT, ...HANDOVER },
  observe: OBSERVE,
};

/** Calls that take names of their own. All others take those of `fit`. */
export type InputOf = keyof typeof INPUTS;

/** Refuses an input of one call that has other names than the call takes, or values that can't be read. */
export function checkInput(input: unknown, call: InputOf): void {
  if (!isObject(input))
    throw call === "observe"
      ? refused("observe", `${said(input)} isn't an object.`, OBSERVE_FIX)
      : refused("input", `${said(input)} isn't an object.`, "Call `fit(transcript, { state, system, … })`.");
  const checks: Readonly<Record<string, Checks<FitInput<never>>["state"]>> = INPUTS[call];
  for (const [name, value] of Object.entries(input) as [string, unknown][]) {
    if (value === undefined) continue;
    if (!Object.hasOwn(checks, name)) throw unknownOption(name, Object.keys(checks));
    checks[name]!(value, name);
  }
}

const OBSERVE_FIX = "Call `observe({ usage: { input, output }, tokens, report, transcript, input })`.";

/** An observation from which nothing could be learnt: mistyped fields would silently leave everything as it is. */
function checkUsage(usage: unknown): void {
  if (!given(usage)) return;
  check("usage", usage, isObject(usage), "an object", OBSERVE_FIX);
  const { input, output } = usage as Record<string, unknown>;
  if (!given(input) && !given(output))
    throw refused(
      "usage",
      "it has neither `input` nor `output`.",
      "Give the provider's numbers as `{ input, output }`.",
    );
  number("usage.input", input, "a number of tokens", 0);
  number("usage.output", output, "a number of tokens", 0);
}

/** Refuses what never selects anything. An index that the transcript doesn't have may be stale. */
function checkSelect(select: unknown, option: string): void {
  if (!given(select) || typeof select === "function") return;
  const wrong: unknown[] = Array.isArray(select)
    ? select.filter((index) => !Number.isInteger(index))
    : [select];
  if (wrong.length === 0) return;
  throw refused(
    option,
    `${said(wrong[0])} selects no messages.`,
    "Give a list of indexes, or a function of message and index.",
  );
}

/** Refuses a choice of messages that a transcript of so many doesn't have. */
export function checkRange<M>(
  { upTo, range, budget }: Pick<CompactInput<M>, "upTo" | "range" | "budget">,
  length: number,
): void {
  const option = given(range) ? "range" : "upTo";
  if ((given(range) && given(upTo)) || given(budget)) {
    throw refused(
      option,
      "it can't be used together with `upTo`, `range` or `budget`.",
      "Say either which messages to hide or how much the view may take.",
    );
  }
  const { from, to } = given(range) && isObject(range) ? range : { from: 0, to: upTo };
  const isPlace = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
  if (isPlace(from) && isPlace(to) && (from as number) < (to as number) && (to as number) <= length) return;
  throw refused(
    option,
    `the transcript has ${length} messages, and ${option === "range" ? `from ${said(from)} to ${said(to)}` : said(to)} names none of them.`,
    "Give `upTo: 12` for #1–12, or `range: { from: 4, to: 12 }` for #5–12.",
  );
}

export function checkHostState(state: unknown, option = "hostState"): void {
  if (!given(state) || typeof state === "string") return;
  const fix = "Give a text, or `{ steps: [{ text, status }] }`.";
  const { title, steps } = (isObject(state) ? state : {}) as Record<string, unknown>;
  if (!Array.isArray(steps)) throw refused(option, `${said(state)} has no steps.`, fix);
  check(`${option}.title`, title, typeof title === "string", "a text", fix);
  for (const [index, step] of steps.entries()) {
    const { text, status } = (isObject(step) ? step : {}) as Record<string, unknown>;
    if (typeof text !== "string")
      throw refused(`${option}.steps[${index}].text`, `${said(text)} isn't a text.`, fix);
    oneOf(`${option}.steps[${index}].status`, status ?? "", STATUSES);
  }
}

function checkRejected(rejected: unknown): void {
  if (!given(rejected) || typeof rejected === "boolean") return;
  const fix = "Give true, or what `overflowOf` read: `{ tokens: 131_000, limit: 128_000 }`.";
  if (!isObject(rejected) || Array.isArray(rejected))
    throw refused("rejected", `${said(rejected)} is neither a boolean nor a count.`, fix);
  for (const name of ["tokens", "limit"]) {
    const value = (rejected as Record<string, unknown>)[name];
    if (given(value) && !(Number.isFinite(value) && (value as number) > 0))
      throw refused(`rejected.${name}`, `${said(value)} isn't a number of tokens.`, fix);
  }
}
