import { LEAST_CAP } from "../core/budget.ts";
import type { CompactInput, FitInput, HostState, Observation, SummarizeInput } from "../core/types.ts";
import { checkInputNames, type InputOf } from "./option-names.ts";
import { boolean, check, given, hasMethods, isObject, number, oneOf, refused, said } from "./refuse.ts";

const FORMS: readonly NonNullable<SummarizeInput<unknown>["form"]>[] = ["text", "record"];
const THINKING: readonly NonNullable<FitInput<unknown>["thinking"]>[] = ["may-stop", "must-stay"];
type Status = Exclude<HostState, string>["steps"][number]["status"];
const STATUSES: readonly Status[] = ["open", "active", "done", "blocked"];

/** Refuses an input of one call that can't be read. What is merely stale is ignored elsewhere. */
export function checkInput<M>(
  input: CompactInput<M> & Pick<SummarizeInput<M>, "cap" | "form">,
  /** Which call's names it may have. Left out: they were checked. */
  call?: InputOf,
): void {
  if (!isObject(input)) {
    throw refused(
      "input",
      `${said(input)} isn't an object.`,
      "Call `fit(transcript, { state, system, … })`.",
    );
  }
  if (call) checkInputNames(input, call);
  const { focus, extras, budget, signal, state, tools } = input;
  check(
    "state",
    state,
    typeof state !== "string" || !state.trimStart().startsWith("{"),
    "a state, but JSON that wasn't parsed",
    "Hand it back parsed: `state: JSON.parse(text)`.",
  );
  check(
    "tools",
    tools,
    isObject(tools),
    "a list of tools",
    "Give the `tools` of the request, as they are sent to the model.",
  );
  number("maxAnswer", input.maxAnswer, "a number of tokens", 1);
  number("cap", input.cap, "a number of tokens", LEAST_CAP);
  oneOf("form", input.form, FORMS);
  number("now", input.now, "a time in milliseconds", 0);
  number("lastRequestAt", input.lastRequestAt, "a time in milliseconds", 0);
  number("waitMs", input.waitMs, "a number of milliseconds", 0);
  oneOf("thinking", input.thinking, THINKING);
  checkRejected(input.rejected);
  check("focus", focus, typeof focus === "string", "a text", "Say what the summary should care about most.");
  boolean("adopt", input.adopt);
  checkSelect("pins", input.pins);
  checkSelect("knowledge", input.knowledge);
  check("extras", extras, Array.isArray(extras), "a list", "Give a list of wire messages.");
  checkHostState(input.hostState);
  check(
    "budget",
    budget,
    Number.isFinite(budget) && budget! > 0,
    "a number of tokens",
    "Give a number such as 8000, or a share of the transcript such as 0.1.",
  );
  const isSignal = hasMethods(signal, "throwIfAborted");
  check("signal", signal, isSignal, "an AbortSignal", "Pass the `signal` of an AbortController.");
}

/** Refuses an observation from which nothing could be learnt: mistyped fields would silently leave everything as it is. */
export function checkObservation<M>(observation: Observation<M>): Observation<M> {
  const fix = "Call `observe({ usage: { input, output }, tokens, report, transcript, input })`.";
  if (!isObject(observation)) throw refused("observe", `${said(observation)} isn't an object.`, fix);
  checkInputNames(observation, "observe");
  const { usage, tokens, transcript } = observation;
  check("usage", usage, isObject(usage), "an object", fix);
  const { input, output } = usage ?? {};
  if (usage && !given(input) && !given(output))
    throw refused(
      "usage",
      "it has neither `input` nor `output`.",
      "Give the provider's numbers as `{ input, output }`.",
    );
  number("usage.input", input, "a number of tokens", 0);
  number("usage.output", output, "a number of tokens", 0);
  number("tokens", tokens, "a number of tokens", 0);
  check("transcript", transcript, Array.isArray(transcript), "a list", fix);
  return observation;
}

/** Refuses what never selects anything. An index that the transcript doesn't have may be stale. */
function checkSelect(option: string, select: unknown): void {
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
