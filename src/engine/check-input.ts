import { LEAST_CAP } from "../core/budget.ts";
import type { CompactInput, FitInput, HostState, SummarizeInput } from "../core/types.ts";
import { checkInputNames, type InputOf } from "./option-names.ts";
import { given, hasMethods, isObject, number, oneOf, refused, said } from "./refuse.ts";

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
  const { pins, knowledge, extras, hostState, signal, budget } = input;
  number("maxAnswer", input.maxAnswer, "a number of tokens", 1);
  number("cap", input.cap, "a number of tokens", LEAST_CAP);
  oneOf("form", input.form, FORMS);
  number("now", input.now, "a time in milliseconds", 0);
  number("lastRequestAt", input.lastRequestAt, "a time in milliseconds", 0);
  number("waitMs", input.waitMs, "a number of milliseconds", 0);
  oneOf("thinking", input.thinking, THINKING);
  checkRejected(input.rejected);
  if (given(input.focus) && typeof input.focus !== "string")
    throw refused(
      "focus",
      `${said(input.focus)} isn't a text.`,
      "Say what the summary should care about most.",
    );
  if (given(input.adopt) && typeof input.adopt !== "boolean")
    throw refused("adopt", `${said(input.adopt)} isn't a boolean.`, "Give true or false.");
  for (const [name, select] of [
    ["pins", pins],
    ["knowledge", knowledge],
  ] as const) {
    if (!given(select) || typeof select === "function") continue;
    // An index that the transcript doesn't have may be stale; what isn't one never selects anything.
    const wrong = Array.isArray(select) ? select.filter((index) => !Number.isInteger(index)) : [select];
    if (wrong.length === 0) continue;
    throw refused(
      name,
      `${said(wrong[0])} selects no messages.`,
      "Give a list of indexes, or a function of message and index.",
    );
  }
  if (given(extras) && !Array.isArray(extras)) {
    throw refused("extras", `${said(extras)} isn't a list.`, "Give a list of wire messages.");
  }
  checkHostState(hostState);
  if (given(budget) && !(Number.isFinite(budget) && budget > 0)) {
    throw refused(
      "budget",
      `${said(budget)} isn't a number of tokens.`,
      "Give a number such as 8000, or a share of the transcript such as 0.1.",
    );
  }
  if (given(signal) && !hasMethods(signal, "throwIfAborted")) {
    throw refused(
      "signal",
      `${said(signal)} isn't an AbortSignal.`,
      "Pass the `signal` of an AbortController.",
    );
  }
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

function checkHostState(state: unknown): void {
  if (!given(state) || typeof state === "string") return;
  const fix = "Give a text, or `{ steps: [{ text, status }] }`.";
  const { title, steps } = (isObject(state) ? state : {}) as Record<string, unknown>;
  if (!Array.isArray(steps)) throw refused("hostState", `${said(state)} has no steps.`, fix);
  if (given(title) && typeof title !== "string")
    throw refused("hostState.title", `${said(title)} isn't a text.`, fix);
  for (const [index, step] of steps.entries()) {
    const { text, status } = (isObject(step) ? step : {}) as Record<string, unknown>;
    if (typeof text !== "string")
      throw refused(`hostState.steps[${index}].text`, `${said(text)} isn't a text.`, fix);
    oneOf(`hostState.steps[${index}].status`, status ?? "", STATUSES);
  }
}

function checkRejected(rejected: unknown): void {
  if (!given(rejected) || typeof rejected === "boolean") return;
  const { tokens } = (isObject(rejected) ? rejected : {}) as { readonly tokens?: unknown };
  if (typeof tokens === "number") return;
  throw refused(
    "rejected",
    `${said(rejected)} is neither a boolean nor a count.`,
    "Give true, or the provider's own count: `{ tokens: 131_000 }`.",
  );
}
