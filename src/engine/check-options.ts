import { LEAST_CAP, MOST_COST_SHARE } from "../core/budget.ts";
import type { CompactorOptions, ModelInfo, Placement, SummaryOptions, Tuning } from "../core/types.ts";
import { promptOf } from "../summaries/prompts/index.ts";
import { checkOptionNames } from "./option-names.ts";
import { boolean, check, given, hasMethods, isObject, number, oneOf, refused, said } from "./refuse.ts";

const PLACEMENTS: readonly Placement[] = ["user", "system", "merged"];
const MODES: readonly NonNullable<SummaryOptions["mode"]>[] = [
  "continuation",
  "full",
  "simple",
  "extractive",
];
/** A host's own words before a summary (characters): every view carries them. */
const MOST_PREFACE = 500;
const MERGES: readonly NonNullable<SummaryOptions["merge"]>[] = ["segments", "rolling"];

/** Refuses what types would have refused: hosts in JavaScript and options from files have none. */
export function checkOptions<M>(options: CompactorOptions<M>): void {
  if (!isObject(options)) {
    throw refused("dialect", "no options are given.", "Call `createCompactor({ dialect, window })`.");
  }
  checkDialect(options.dialect);
  const { profile, counter, summarizer, store } = options;
  const fix = 'Import `profiles` from "precis" and pass one, such as `profiles.agent`.';
  check("profile", profile, isObject(profile), "a profile", fix);
  if (given(counter) && !hasMethods(counter, "count")) {
    throw refused(
      "counter",
      "it has no method `count`.",
      "Pass a counter such as `charsCounter()`, or leave it out to count exactly.",
    );
  }
  if (given(summarizer) && summarizer !== "extractive") checkSummarizer(summarizer);
  if (given(store) && !hasMethods(store, "find", "save")) {
    throw refused(
      "store",
      "it has no methods `find` and `save`.",
      "Pass a store such as `memoryStore()`, or leave it out.",
    );
  }
  checkWindow(options.window);
  checkModels(options.models);
  checkStateKey(options.stateKey);
  checkOptionNames(options);
  if (profile) checkTuning(profile);
  checkTuning(options);
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

function checkSummarizer(model: unknown): void {
  const fix = 'Pass a model from "precis/models", or "extractive" for none.';
  if (!hasMethods(model, "complete")) throw refused("summarizer", `${said(model)} isn't a model.`, fix);
  const { id } = model as { readonly id?: unknown };
  if (typeof id !== "string")
    throw refused("summarizer", "it has no `id`.", `Give it the model's name: \`{ id, complete }\`. ${fix}`);
}

/** How large a number of tokens must be is checked with the other sizes. */
function checkWindow(window: unknown): void {
  if (!given(window) || typeof window === "number") return;
  const { model } = (isObject(window) ? window : {}) as { readonly model?: unknown };
  if (typeof model === "string") return;
  throw refused(
    "window",
    isObject(window) && !Array.isArray(window)
      ? `its \`model\` is ${said(model)}, which names none.`
      : `${said(window)} is neither a number of tokens nor a model.`,
    'Give the model\'s context size (`window: 128_000`) or a model to look up (`window: { model: "…" }`).',
  );
}

function checkModels(models: unknown): void {
  if (!given(models)) return;
  const fix = 'Give what differs by the model\'s id: `models: { "my-model": { window: 64_000 } }`.';
  check("models", models, isObject(models) && !Array.isArray(models), "an object", fix);
  for (const [id, info] of Object.entries(models) as [string, unknown][]) {
    if (!given(info)) continue;
    if (!isObject(info)) throw refused(`models.${id}`, `${said(info)} describes no model.`, fix);
    number(`models.${id}.window`, (info as Partial<ModelInfo>).window, "a number of tokens", 1);
  }
}

function checkTuning(tuning: Tuning): void {
  oneOf("placement", tuning.placement, PLACEMENTS);
  oneOf("summary.mode", tuning.summary?.mode, MODES);
  oneOf("summary.merge", tuning.summary?.merge, MERGES);
  boolean("auto", tuning.auto);
  boolean("summary.notes", tuning.summary?.notes);
  boolean("recall.auto", tuning.recall?.auto);
  number("recall.tokens", tuning.recall?.tokens, "a number of tokens", 0);
  checkPrompt(tuning.summary?.prompt);
  checkPreface(tuning.summary?.preface);
  number("summary.cap", tuning.summary?.cap, "a number of tokens", LEAST_CAP);
  number("summary.temperature", tuning.summary?.temperature, "a temperature from 0 to 2", 0, 2);
  number("summary.costShare", tuning.summary?.costShare, "a share from 0 to 1000", 0, MOST_COST_SHARE);
  number("waitMs", tuning.waitMs, "a number of milliseconds", 0);
  number("summary.deadlineMs", tuning.summary?.deadlineMs, "a number of milliseconds", 1);
  number("triggers.messages", tuning.triggers?.messages, "a number of messages", 1);
  number("triggers.turns", tuning.triggers?.turns, "a number of turns", 1);
  for (const key of ["ttlMs", "read", "write", "output"] as const) {
    number(`cache.${key}`, tuning.cache?.[key], "a number", 0);
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
