import { reasoningAllowance } from "../../apis/shared/model-traits.ts";
import { summaryProof } from "../../core/checkpoint.ts";
import { ModelError } from "../../core/errors.ts";
import { shifted } from "../../core/rounds.ts";
import type { Message, Model, ModelCall, Run, Summary } from "../../core/types.ts";
import { timeLimit } from "../../models/shared/retry.ts";
import { breathe } from "../../recall/pause.ts";
import { lengthInWords, recordKind } from "../../summaries/input/summarizer-input.ts";
import { type MustKeep, mustKeepOf } from "../../summaries/keep/must-keep.ts";
import { abridged } from "../../summaries/material/abridge.ts";
import {
  KIND_PROMPTS,
  type Prompt,
  promptKey,
  promptOf,
  type RecordKind,
} from "../../summaries/prompts/index.ts";
import { citationRegistry, readForRecord } from "../../summaries/sources/citations.ts";
import { modelInfo } from "../../tokens/index.ts";
import {
  LEAST_RECORD,
  narrativeOf,
  recordLength,
  recordRoom,
  shareOf,
  summaryKey,
} from "../plan/narrative.ts";
import { tokensIn } from "../read/conversation.ts";
import type { Operation } from "../read/survey.ts";
import type { Summarizer, Written } from "./ask-summary.ts";
import { settledInTime } from "./jobs.ts";

/** Share of a summariser's window that a record may take. */
const ANSWER_SHARE = 0.1;

/** The writing of one record: who writes it, by which prompt, and how long it may be. */
export interface WritingTask<M> {
  readonly operation: Operation<M>;
  readonly summarizer: Summarizer;
  readonly prompt: Prompt;
  /** What kind of conversation it is, for the steps that serve all kinds. */
  readonly kind: RecordKind;
  /** Tokens of a record, pointers not counted. */
  readonly ceiling: number;
  /** One record for everything, made anew each time. */
  readonly rolling: boolean;
  /** Where that record begins: behind what a person wrote. */
  readonly rollsFrom?: number;
  /** How often what the record so far says was rewritten; -1 where there is none. */
  readonly rewritten?: number;
  /** The ceiling is the host's, whatever other records stand. */
  readonly fixed?: boolean;
  /** All of it is needed now, however many requests that takes: nobody comes back for the rest. */
  readonly complete?: boolean;
}

/** What all writing of one summary shares. */
export interface Work {
  readonly signal: AbortSignal;
  /** Every model call that is made is put here, whatever comes of it. */
  readonly calls: ModelCall[];
  /** Is told of a request's tokens before it is made, and says whether they may be spent; what was spent anyway is told with `isSpent`. */
  readonly spend?: (tokens: number, isSpent?: true) => boolean;
}

export function createWritingTask<M>(
  operation: Operation<M>,
  { signal, calls, spend = () => true }: Work,
  ceiling: number,
): WritingTask<M> {
  const { engine, survey } = operation;
  const { summary } = engine.settings;
  const model = engine.summarizer!;
  const { measure } = survey.conversation;
  const messages = readForRecord(survey.conversation.messages);
  const named = summary.prompt === undefined ? undefined : promptOf(summary.prompt);
  const kind = named?.kind ?? recordKind(messages);
  // Reads a while, and most who plan a summary never ask.
  let words: ((tokens: number) => string) | undefined;
  return {
    operation,
    prompt: named ?? KIND_PROMPTS[kind],
    kind,
    ceiling: withinWindow(model, ceiling),
    rolling: summary.merge === "rolling",
    summarizer: {
      model,
      models: engine.models,
      measure,
      temperature: summary.temperature,
      ...(engine.settings.hasCap && { longest: Math.max(summary.cap, ceiling) }),
      reasoning: reasoningAllowance(model.id, summarizerWindow(model)),
      signal: AbortSignal.any([signal, timeLimit(summary.deadlineMs)]),
      messages,
      calls,
      spend,
      inWords(tokens) {
        words ??= lengthInWords(spokenTexts(messages), measure.text);
        return words(tokens);
      },
    },
  };
}

/** What people and the assistant said, the newest first: a record is written like that. */
function* spokenTexts(messages: readonly Message[]): Generator<string> {
  for (const { role, parts } of messages.toReversed())
    if (role !== "system") for (const part of parts) if (part.type === "text") yield part.text;
}

/** Tokens that a record of a run has room for beside those that stand, without those that it will replace. */
export function roomBeside<M>(
  operation: Operation<M>,
  written: readonly Summary[],
  replaced: readonly Summary[] = [],
): number {
  const { chain } = operation.survey.conversation;
  const { records } = narrativeOf([...operation.survey.state.summaries, ...written], chain, chain.length - 1);
  return recordRoom(
    records.filter((one) => !replaced.includes(one)),
    shareOf(operation),
  );
}

/** The same task, for one of so many records of a run, with the room that the others leave it. */
export function withRoom<M>(
  task: WritingTask<M>,
  { written, pieces = 1, source }: { written: readonly Summary[]; pieces?: number; source: number },
): WritingTask<M> {
  const { cap } = task.operation.engine.settings.summary;
  const ceiling = task.fixed
    ? // What is merged in the end may be longer in between.
      Math.max(Math.min(LEAST_RECORD, task.ceiling), task.ceiling / pieces)
    : recordLength({ room: roomBeside(task.operation, written) / pieces, source, cap });
  return { ...task, ceiling: withinWindow(task.summarizer.model, ceiling) };
}

/** A record takes at most a part of the summariser's window: what it reads must have more room than what it writes. */
function withinWindow(model: Model, ceiling: number): number {
  return Math.floor(Math.min(ceiling, Math.max(LEAST_RECORD, summarizerWindow(model) * ANSWER_SHARE)));
}

export function record<M>(
  task: WritingTask<M>,
  covers: Run,
  prompt: Prompt,
  written: Written,
  level: number,
): Summary {
  const { operation, summarizer } = task;
  const { text, notes } = inOwnNumbers(task, { ...written, covers });
  const { conversation } = operation.survey;
  const key = keyOf(task, covers, prompt);
  return {
    key,
    text,
    ...(notes && { notes }),
    hash: conversation.chain[covers.to]!,
    covers,
    level,
    prompt: promptKey(prompt),
    model: summarizer.model.id,
    author: "model",
    ...(operation.anew && { anew: true }),
    tokens: { source: sourceTokens(task, absolute(task, covers)), text: conversation.measure.text(text) },
    at: operation.now,
    proof: summaryProof(key, text, notes),
    ...(goesOnFromUnproven(task) && { unproven: true }),
  };
}

/** A record with its citations in the numbers that its conversation has now; what cites nothing is left out. */
export function inOwnNumbers<M, R extends Written & { readonly covers: Run }>(
  task: WritingTask<M>,
  record: R,
): R {
  const { messages } = task.operation.survey.conversation;
  const { inRecord } = citationRegistry(abridged(messages));
  const { to } = absolute(task, record.covers);
  const { text, notes } = record;
  return { ...record, text: inRecord(text, to), ...(notes && { notes: inRecord(notes, to) }) };
}

/** A model that read a record without proof may have repeated what it says. */
function goesOnFromUnproven<M>({ operation }: WritingTask<M>): boolean {
  const { state, conversation } = operation.survey;
  return state.summaries.some(
    ({ unproven, hash, covers }) => unproven && conversation.chain[covers.to] === hash,
  );
}

export function keyOf<M>(
  { operation, summarizer, ceiling }: WritingTask<M>,
  covers: Run,
  prompt: Prompt,
): string {
  return summaryKey({
    hash: operation.survey.conversation.chain[covers.to]!,
    covers,
    prompt: promptKey(prompt),
    model: summarizer.model.id,
    focus: operation.input.focus,
    cap: ceiling,
    anew: operation.anew ? operation.now : undefined,
  });
}

export function absolute<M>({ operation }: WritingTask<M>, run: Run): Run {
  return shifted(run, operation.survey.conversation.structure.start);
}

/** Longer runs keep others waiting (tokens); for a shorter one the model is asked before anybody else has a turn. */
const LONG_TOKENS = 250_000;

/** Does work that reads a run of messages (absolute indexes); others have their turn before it where it takes long. */
export async function inTurns<M, T>(task: WritingTask<M>, run: Run, work: () => T): Promise<T> {
  if (sourceTokens(task, run) > LONG_TOKENS) await breathe(task.summarizer.signal);
  return work();
}

export function mustKeep<M>(task: WritingTask<M>, run: Run): Promise<readonly MustKeep[]> {
  const { operation, ceiling } = task;
  const { messages, measure } = operation.survey.conversation;
  const items = () =>
    mustKeepOf({ messages: readForRecord(messages), run, cap: ceiling, count: measure.text });
  // What stands behind the run says what is still used, and may be longer than the run.
  return inTurns(task, { from: run.from, to: messages.length }, items);
}

export function sourceTokens<M>({ operation }: WritingTask<M>, run: Run): number {
  return tokensIn(operation.survey.conversation, run);
}

export function unfinished<M>({ summarizer }: WritingTask<M>): ModelError {
  return new ModelError({
    model: summarizer.model.id,
    failure: "bad-answer",
    message: "only some of the messages could be summarised.",
    fix: "Try again later; nothing was stored.",
  });
}

/** A model that says "too long" without a number gets pieces of this share from then on: much smaller ones at first, then a little. */
const SMALLER = 0.5;
/** So often a piece is made smaller for one summary at most. */
export const MOST_SHORTENED = 4;
/** A server that doesn't tell its window at once isn't waited for (milliseconds). */
const ASK_MS = 3_000;
/** A window that no model has: what a server says below it is something else (tokens). */
const LEAST_WINDOW = 1_024;

/** What models turned out to have room for. */
const learned = new WeakMap<Model, number>();
/** Models whose servers were asked. */
const asked = new WeakMap<Model, Promise<void>>();

/** The window of a summariser: what it said, or what it was found to be (tokens). */
export function summarizerWindow(model: Model): number {
  return ownWindow(model) ?? modelInfo(model.id).window;
}

/** The same, where a host or a server said it of this very model; undefined where only its name tells something. */
export function ownWindow(model: Model): number | undefined {
  return learned.get(model) ?? model.window;
}

/**
 * Asks a model's server how large its window is, once, where neither the host nor the registry knows: the least that a
 * model might have would make dozens of small requests out of one.
 */
export async function learnWindow(model: Model, signal: AbortSignal): Promise<void> {
  if (model.findWindow === undefined || model.window !== undefined || modelInfo(model.id).known) return;
  const question = asked.get(model) ?? askWindow(model);
  asked.set(model, question);
  await question;
  signal.throwIfAborted();
}

async function askWindow(model: Model): Promise<void> {
  const window = await answerOf(model);
  if (window !== undefined && Number.isFinite(window) && window >= LEAST_WINDOW && !learned.has(model))
    learned.set(model, Math.floor(window));
}

/** What the server says. A model of the host's own may throw, or heed no signal: then nobody knows. */
async function answerOf(model: Model): Promise<number | undefined> {
  try {
    const answer = Promise.resolve(model.findWindow?.(timeLimit(ASK_MS)));
    return (await settledInTime(answer, ASK_MS)) ? await answer : undefined;
  } catch {
    return undefined;
  }
}

/** Did a model refuse a request as too long? */
export function isTooLong(error: unknown): error is ModelError {
  return error instanceof ModelError && error.failure === "too-long";
}

/** Remembers that a model refused a request of so many tokens as too long: the window that it named, or less than that request. */
export function learnFrom(model: Model, error: unknown, asked: number): void {
  if (!isTooLong(error)) return;
  const window = summarizerWindow(model);
  const isNamed = error.limit !== undefined && error.limit >= LEAST_WINDOW && error.limit < window;
  learned.set(model, isNamed ? error.limit : Math.floor(Math.min(window, asked) * SMALLER));
}
