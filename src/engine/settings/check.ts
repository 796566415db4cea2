import {
  anything,
  type Checks,
  check,
  checkCounter,
  checkDialect,
  checkNames,
  checkUsage,
  duration,
  given,
  hasMethods,
  isObject,
  ofChoice,
  ofKind,
  ofTokens,
  refused,
  said,
  text,
  timestamp,
  truth,
  unknownOption,
} from "../../core/check.ts";
import { ConfigError } from "../../core/errors.ts";
import {
  type Group,
  isGroup,
  type Kind,
  LEAST_CAP,
  LEAST_TOKENS,
  type Row,
  type Rows,
  TUNING,
} from "../../core/options.ts";
import type {
  CompactInput,
  CompactorOptions,
  FitInput,
  HandoverInput,
  HostState,
  Model,
  ModelInfo,
  Observation,
  Profile,
  SummarizeInput,
  SummaryOptions,
  Tuning,
} from "../../core/types.ts";
import { promptOf } from "../../summaries/prompts/index.ts";

/** The options without those that are undefined or null; the same object if there are none. */
export function withoutLeftOut<T extends object>(options: T): T {
  if (!isObject(options) || Object.values(options).every(given)) return options;
  return Object.fromEntries(Object.entries(options).filter(([, value]) => given(value))) as T;
}

/** Keys shorter than this can be guessed (characters). */
const LEAST_KEY = 16;

/** What a host hands in beside the tuning, each with its check. */
const HOST: Checks<Omit<CompactorOptions<never>, keyof Tuning>> = {
  dialect: checkDialect,
  window: checkWindow,
  profile(profile) {
    const fix = 'Import `profiles` from "precis" and pass one, such as `profiles.agent`.';
    check("profile", profile, isObject(profile), "a profile", fix);
    if (isObject(profile)) checkTable(profile, { ...TUNING, name: undefined }, "profile.");
  },
  counter: checkCounter,
  models: checkModels,
  summarizer: checkSummarizer,
  store(store) {
    if (given(store) && !hasMethods(store, "find", "save"))
      throw refused(
        "store",
        "it has no methods `find` and `save`.",
        "Pass a store such as `memoryStore()`, or leave it out.",
      );
  },
  stateKey: checkStateKey,
};

/** Refuses what types would have refused: hosts in JavaScript and options from files have none. */
export function checkOptions<M>(options: CompactorOptions<M>): void {
  if (!isObject(options))
    throw refused("dialect", "no options are given.", "Call `createCompactor({ dialect, window })`.");
  for (const name of Object.keys(HOST) as (keyof typeof HOST)[]) HOST[name](options[name], name);
  checkTable(options, { ...HOST, ...TUNING });
}

/** Options without those that are left out, in their groups and in the profile, too: one of them must not stand for a default. */
export function givenOptions<T extends Tuning>(options: T): T {
  const left = withoutLeftOut(options);
  if (!isObject(left)) return left;
  const groups = Object.entries(left).flatMap(([name, value]: [string, unknown]) => {
    const row = Object.hasOwn(TUNING, name) ? (TUNING as Rows)[name] : undefined;
    return row && isGroup(row) && isObject(value) && !Array.isArray(value)
      ? [[name, withoutLeftOut(value)]]
      : [];
  });
  const { profile } = left as Partial<CompactorOptions<never>>;
  return {
    ...left,
    ...Object.fromEntries(groups),
    ...(isObject(profile) && { profile: givenOptions<Profile>(profile) }),
  };
}

/** Refuses an option that doesn't exist, which would silently leave the default in force, and a value that isn't of its kind. */
function checkTable(from: object, rows: Readonly<Record<string, unknown>>, path = ""): void {
  for (const [name, value] of Object.entries(from) as [string, unknown][]) {
    if (value === undefined) continue;
    if (!Object.hasOwn(rows, name)) throw unknownOption(name, Object.keys(rows), path);
    const row = rows[name];
    if (value === null || !isObject(row)) continue;
    if (!isGroup(row as Row)) checkValue(`${path}${name}`, value, row as Row);
    else if (!isObject(value) || Array.isArray(value)) throw notAGroup(path, name, value, row as Group);
    else checkTable(value, (row as Group).rows, `${path}${name}.`);
  }
  for (const [name, row] of Object.entries(rows))
    if (isObject(row) && "needed" in row && !given((from as Record<string, unknown>)[name]))
      checkValue(`${path}${name}`, "nothing", row as Row);
}

function checkValue(option: string, value: unknown, row: Kind): void {
  if (row.is === "prompt") checkPrompt(option, value);
  else ofKind(row)(value, option);
}

/** A prompt is refused when it is set, not when it is used: until then a summary would silently never be written. */
function checkPrompt(option: string, prompt: unknown): void {
  if (typeof prompt !== "string") {
    const { id, version, text } = (isObject(prompt) ? prompt : {}) as Record<string, unknown>;
    const isNamed = typeof id === "string" && /^[\w.-]+$/.test(id) && Number.isInteger(version);
    if (!isNamed || typeof text !== "string")
      throw refused(
        option,
        `${said(prompt)} isn't a prompt.`,
        'Name a built-in one, write what a summary should hold, or give `{ id: "mine", version: 1, text }`.',
      );
  }
  promptOf(prompt as NonNullable<SummaryOptions["prompt"]>);
}

/** A bare value for a group of options would silently leave all of its defaults in force. */
function notAGroup(path: string, name: string, value: unknown, { rows }: Group): ConfigError {
  const known = Object.keys(rows);
  const example = name === "recall" ? "{ auto: true }" : `{ ${known[0]}: … }`;
  return new ConfigError({
    option: `${path}${name}`,
    message: `${Array.isArray(value) ? "a list" : JSON.stringify(value)} isn't an object.`,
    fix: `Write \`${name}: ${example}\`. Known there: ${known.join(", ")}.`,
  });
}

function checkStateKey(keys: unknown): void {
  if (!given(keys)) return;
  const list: readonly unknown[] = Array.isArray(keys) ? keys : [keys];
  if (list.length > 0 && list.every((key) => typeof key === "string" && key.length >= LEAST_KEY)) return;
  throw refused(
    "stateKey",
    `it isn't a secret of at least ${LEAST_KEY} characters, nor a list of such.`,
    "Give a random text that only your servers know, or leave it out.",
  );
}

function checkSummarizer(model: unknown): void {
  if (!given(model) || model === "extractive") return;
  ofTokens(1)((model as Partial<Model>).window, "summarizer.window");
  if (typeof model === "function") return;
  const fix =
    'Pass a model from "precis/models", an async function that answers a request, or "extractive" for none.';
  if (!hasMethods(model, "complete")) throw refused("summarizer", `${said(model)} isn't a model.`, fix);
  const { id } = model as { readonly id?: unknown };
  if (typeof id !== "string")
    throw refused("summarizer", "it has no `id`.", `Give it the model's name: \`{ id, complete }\`. ${fix}`);
}

function checkWindow(window: unknown): void {
  if (!given(window)) return;
  if (typeof window === "number") {
    checkValue("window", window, { is: "tokens", least: LEAST_TOKENS });
    return;
  }
  const { model } = (isObject(window) ? window : {}) as { readonly model?: unknown };
  if (typeof model === "string" && model.trim() !== "") return;
  throw refused(
    "window",
    isObject(window) && !Array.isArray(window)
      ? `its \`model\` is ${said(model)}, which names none.`
      : `${said(window)} is neither a number of tokens nor a model.`,
    'Give the model\'s context size (`window: 128_000`) or a model to look up (`window: { model: "…" }`).',
  );
}

const price = { is: "number", what: "price", least: 0, most: 1_000_000, needed: true } as const;
/** What may be said of a model. */
const MODEL: { readonly [K in keyof Required<ModelInfo>]: Row | Group | undefined } = {
  id: undefined,
  known: undefined,
  window: { is: "tokens", least: 1 },
  output: { is: "tokens", least: 1 },
  encoding: { is: "choice", what: "encoding", names: ["o200k_base", "cl100k_base"] },
  factor: { is: "number", what: "factor", least: 0.01, most: 100 },
  images: {
    is: "choice",
    what: "way to count images",
    names: ["openai", "openai-patch", "anthropic", "anthropic-large", "gemini"],
  },
  prices: { rows: { input: price, cacheRead: price, cacheWrite: price, output: price } },
};

function checkModels(models: unknown): void {
  if (!given(models)) return;
  const fix = 'Give what differs by the model\'s id: `models: { "my-model": { window: 64_000 } }`.';
  check("models", models, isObject(models) && !Array.isArray(models), "an object", fix);
  for (const [id, info] of Object.entries(models) as [string, unknown][]) {
    if (!given(info)) continue;
    if (!isObject(info)) throw refused(`models.${id}`, `${said(info)} doesn't describe a model.`, fix);
    checkTable(info, MODEL, `models.${id}.`);
  }
}

const FORMS: readonly NonNullable<SummarizeInput<unknown>["form"]>[] = ["text", "record"];
const THINKING: readonly NonNullable<FitInput<unknown>["thinking"]>[] = ["may-stop", "must-stay"];
type Status = Exclude<HostState, string>["steps"][number]["status"];
const STATUSES: readonly Status[] = ["open", "active", "done", "blocked"];

const focus = text("Say what the summary should focus on.");
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
  extras: (value, option) => check(option, value, Array.isArray(value), "a list", "Give a list of messages."),
  request: anything,
  now: timestamp,
  lastRequestAt: timestamp,
  cacheTtlMs: duration,
  thinking: ofChoice("way to think", THINKING),
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
  adopt: truth,
  // Checked against the transcript, where that is known.
  upTo: anything,
  range: anything,
  waitMs: duration,
};
const SUMMARIZE: Checks<Own<SummarizeInput<never>>> = {
  focus,
  cap,
  form: ofChoice("form", FORMS),
};
// What a hand-over is for is asked for with an example.
const HANDOVER: Checks<Own<HandoverInput<never>>> = { goal: anything, cap };
const OBSERVE: Checks<Observation<never>> = {
  usage: (value, option) => checkUsage(value, option, OBSERVE_FIX),
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
  checkNames(input, INPUTS[call]);
}

const OBSERVE_FIX = "Call `observe({ usage: { input, output }, tokens, report, transcript, input })`.";

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
  const other = given(budget) ? "budget" : given(range) && given(upTo) ? "upTo" : undefined;
  if (other) {
    throw refused(
      option,
      `it can't be used together with \`${other}\`.`,
      "Give either the messages to hide or the size of the view.",
    );
  }
  const { from, to } = given(range) && isObject(range) ? range : { from: 0, to: upTo };
  const isPlace = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
  if (isPlace(from) && isPlace(to) && (from as number) < (to as number) && (to as number) <= length) return;
  throw refused(
    option,
    `the transcript has ${length} message${length === 1 ? "" : "s"}, and ${option === "range" ? `from ${said(from)} to ${said(to)}` : said(to)} names none of them.`,
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
    ofChoice("status", STATUSES)(status ?? "", `${option}.steps[${index}].status`);
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
