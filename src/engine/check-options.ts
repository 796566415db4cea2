import { LEAST_CAP } from "../core/budget.ts";
import { ConfigError } from "../core/errors.ts";
import type {
  CompactInput,
  CompactorOptions,
  FitInput,
  Placement,
  SummarizeInput,
  SummaryOptions,
  Tuning,
} from "../core/types.ts";
import { promptOf } from "../summaries/prompts/index.ts";
import { checkInputNames, checkOptionNames } from "./option-names.ts";

const PLACEMENTS: readonly Placement[] = ["user", "system", "merged"];
const MODES: readonly NonNullable<SummaryOptions["mode"]>[] = [
  "continuation",
  "full",
  "simple",
  "extractive",
];
const FORMS: readonly NonNullable<SummarizeInput<unknown>["form"]>[] = ["text", "record"];
/** A host's own words before a summary (characters): every view carries them. */
const MOST_PREFACE = 500;
const MERGES: readonly NonNullable<SummaryOptions["merge"]>[] = ["segments", "rolling", "anew"];

/** Refuses what types would have refused: hosts in JavaScript and options from files have none. */
export function checkOptions<M>(options: CompactorOptions<M>): void {
  if (!isObject(options)) {
    throw refused("dialect", "no options are given.", "Call `createCompactor({ dialect, window })`.");
  }
  checkDialect(options.dialect);
  const { profile, counter, summarizer, store } = options;
  if (given(profile) && !isObject(profile)) {
    throw refused(
      "profile",
      `${said(profile)} isn't a profile.`,
      'Import `profiles` from "precis" and pass one, such as `profiles.agent`.',
    );
  }
  if (given(counter) && !hasMethods(counter, "count")) {
    throw refused(
      "counter",
      "it has no method `count`.",
      "Pass a counter such as `charsCounter()`, or leave it out to count exactly.",
    );
  }
  if (given(summarizer) && summarizer !== "extractive" && !hasMethods(summarizer, "complete")) {
    throw refused(
      "summarizer",
      `${said(summarizer)} isn't a model.`,
      'Pass a model from "precis/models", or "extractive" for none.',
    );
  }
  if (given(store) && !hasMethods(store, "find", "save")) {
    throw refused(
      "store",
      "it has no methods `find` and `save`.",
      "Pass a store such as `memoryStore()`, or leave it out.",
    );
  }
  checkStateKey(options.stateKey);
  checkOptionNames(options);
  if (profile) checkTuning(profile);
  checkTuning(options);
}

/** Refuses an input of one call that can't be read. What is merely stale is ignored elsewhere. */
export function checkInput<M>(
  input: FitInput<M> & Pick<CompactInput<M>, "budget"> & Pick<SummarizeInput<M>, "cap" | "form">,
): void {
  if (!isObject(input)) {
    throw refused(
      "input",
      `${said(input)} isn't an object.`,
      "Call `fit(transcript, { state, system, … })`.",
    );
  }
  checkInputNames(input);
  const { pins, knowledge, extras, hostState, signal, budget } = input;
  number("maxAnswer", input.maxAnswer, "a number of tokens", 1);
  number("cap", input.cap, "a number of tokens", LEAST_CAP);
  oneOf("form", input.form, FORMS);
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
  if (given(hostState) && typeof hostState !== "string" && !hasSteps(hostState)) {
    throw refused(
      "hostState",
      `${said(hostState)} has no steps.`,
      "Give a text, or `{ steps: [{ text, status }] }`.",
    );
  }
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

/** Keys shorter than this can be guessed (characters). */
const LEAST_KEY = 16;

function checkStateKey(keys: CompactorOptions<unknown>["stateKey"]): void {
  if (!given(keys)) return;
  const list: readonly unknown[] = Array.isArray(keys) ? keys : [keys];
  if (list.length > 0 && list.every((key) => typeof key === "string" && key.length >= LEAST_KEY)) return;
  throw refused(
    "stateKey",
    `it isn't a secret of at least ${LEAST_KEY} characters, nor a list of such.`,
    "Give a random text that only your servers know, or leave it out.",
  );
}

function checkDialect(dialect: unknown): void {
  if (hasMethods(dialect, "read", "edit", "write")) return;
  throw refused(
    "dialect",
    given(dialect) ? `${said(dialect)} isn't a dialect.` : "it is required.",
    'Import one from "precis/dialects", such as `openaiChat`; `dialectById` finds one by its name.',
  );
}

function checkTuning(tuning: Tuning): void {
  oneOf("placement", tuning.placement, PLACEMENTS);
  oneOf("summary.mode", tuning.summary?.mode, MODES);
  oneOf("summary.merge", tuning.summary?.merge, MERGES);
  if (given(tuning.auto) && typeof tuning.auto !== "boolean") {
    throw refused("auto", `${said(tuning.auto)} isn't a boolean.`, "Give true or false.");
  }
  if (given(tuning.recall?.auto) && typeof tuning.recall.auto !== "boolean") {
    throw refused("recall.auto", `${said(tuning.recall.auto)} isn't a boolean.`, "Give true or false.");
  }
  number("recall.tokens", tuning.recall?.tokens, "a number of tokens", 0);
  checkPrompt(tuning.summary?.prompt);
  checkPreface(tuning.summary?.preface);
  number("summary.cap", tuning.summary?.cap, "a number of tokens", LEAST_CAP);
  number("summary.temperature", tuning.summary?.temperature, "a temperature from 0 to 2", 0, 2);
  number("summary.fanout", tuning.summary?.fanout, "a number of records", 2);
  number("summary.maxRequests", tuning.summary?.maxRequests, "a number of requests", 1);
  number("waitMs", tuning.waitMs, "a number of milliseconds", 0);
  number("summary.deadlineMs", tuning.summary?.deadlineMs, "a number of milliseconds", 1);
  number("triggers.messages", tuning.triggers?.messages, "a number of messages", 1);
  number("triggers.turns", tuning.triggers?.turns, "a number of turns", 1);
  for (const key of ["ttlMs", "read", "write", "output"] as const) {
    number(`cache.${key}`, tuning.cache?.[key], "a number", 0);
  }
  for (const key of ["narrative", "words", "ledger"] as const) {
    number(`shares.${key}`, tuning.shares?.[key], "a share from 0 to 1", 0, 1);
  }
  const keep: unknown = tuning.images?.keep;
  if (keep !== "last-user-message") number("images.keep", keep, 'a number or "last-user-message"', 0);
  if (given(tuning.frames)) {
    number("frames.tokensPerFrame", tuning.frames.tokensPerFrame ?? "nothing", "a number of tokens", 0);
    number("frames.separator", tuning.frames.separator, "a number of tokens", 0);
  }
}

/** A prompt is refused when it is set, not when it is used: until then a summary would silently never be written. */
function checkPrompt(prompt: unknown): void {
  if (!given(prompt)) return;
  if (typeof prompt !== "string") {
    const { id, version, text } = (isObject(prompt) ? prompt : {}) as Record<string, unknown>;
    if (
      typeof id !== "string" ||
      !/^[\w.-]+$/.test(id) ||
      !Number.isInteger(version) ||
      typeof text !== "string"
    ) {
      throw refused(
        "summary.prompt",
        `${said(prompt)} isn't a prompt.`,
        'Name a built-in one, write what a summary should hold, or give `{ id: "mine", version: 1, text }`.',
      );
    }
  }
  promptOf(prompt as NonNullable<SummaryOptions["prompt"]>);
}

function checkPreface(preface: unknown): void {
  if (!given(preface) || (typeof preface === "string" && preface.length <= MOST_PREFACE)) return;
  throw refused(
    "summary.preface",
    `it isn't a text of at most ${MOST_PREFACE} characters.`,
    "Give a sentence or two, or leave it out.",
  );
}

function number(option: string, value: unknown, what: string, least: number, most = Infinity): void {
  if (!given(value)) return;
  if (typeof value === "number" && value >= least && value <= most) return;
  const range = least > 0 ? ` from ${least}` : "";
  throw refused(option, `${said(value)} isn't ${what}${range}.`, "Leave it out for the default.");
}

function oneOf(option: string, value: unknown, names: readonly string[]): void {
  if (!given(value) || names.some((name) => name === value)) return;
  throw refused(option, `${said(value)} isn't known.`, `Choose one of: ${names.join(", ")}.`);
}

function refused(option: string, message: string, fix: string): ConfigError {
  return new ConfigError({ option, message, fix });
}

/** Null stands for "left out" as well: options from JSON have no undefined. */
function given<T>(value: T): value is T & {} {
  return value !== undefined && value !== null;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return (
    isObject(value) && names.every((name) => typeof (value as Record<string, unknown>)[name] === "function")
  );
}

function hasSteps(value: unknown): boolean {
  return isObject(value) && Array.isArray((value as { steps?: unknown }).steps);
}

/** A value as an error shows it: short, and never the content of an object. */
function said(value: unknown): string {
  if (typeof value === "string") return `"${value.slice(0, 40)}"`;
  return isObject(value) ? (Array.isArray(value) ? "a list" : "an object") : String(value);
}
