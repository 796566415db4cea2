import { ModelError } from "../../core/errors.ts";
import { summaryProof } from "../../core/summary-proof.ts";
import type { Message, Model, ModelCall, Run, Summary } from "../../core/types.ts";
import { lengthInWords } from "../../summaries/length-in-words.ts";
import { mustKeepOf } from "../../summaries/must-keep.ts";
import {
  type Prompt,
  promptForKind,
  promptKey,
  promptOf,
  type RecordKind,
} from "../../summaries/prompts/index.ts";
import { recordKind } from "../../summaries/record-kind.ts";
import type { Call } from "../decide.ts";
import { narrativeOf, recordRoom, summaryKey } from "../narrative.ts";
import { LEAST_RECORD, narrativeShare, recordLength } from "../narrative-share.ts";
import type { Summarizer } from "../summarizer.ts";
import { summarizerWindow } from "./summarizer-window.ts";

/** Share of a summariser's window that a record may take. */
const ANSWER_SHARE = 0.1;

/** What one piece of work needs to know. */
export interface Desk<M> {
  readonly call: Call<M>;
  readonly summarizer: Summarizer;
  readonly prompt: Prompt;
  /** What kind of conversation it is, for the steps that serve all kinds. */
  readonly kind: RecordKind;
  /** Tokens of a record, pointers not counted. */
  readonly ceiling: number;
  /** One record for everything, made anew each time. */
  readonly rolling: boolean;
  /** The ceiling is the host's, whatever other records stand. */
  readonly fixed?: boolean;
  /** All of it is needed now, however many requests that takes: nobody comes back for the rest. */
  readonly complete?: boolean;
}

/** What a piece of work takes. */
export interface Work {
  readonly signal: AbortSignal;
  /** Every call that is made is put here, whatever comes of it. */
  readonly calls: ModelCall[];
}

export function openDesk<M>(call: Call<M>, { signal, calls }: Work, ceiling: number): Desk<M> {
  const { engine, seen } = call;
  const { summary } = engine.settings;
  const model = engine.summarizer!;
  const { messages, measure } = seen.conversation;
  const kind = recordKind(messages);
  return {
    call,
    prompt: summary.prompt === undefined ? promptForKind(kind) : promptOf(summary.prompt),
    kind,
    ceiling: withinWindow(model, ceiling),
    rolling: summary.merge === "rolling",
    summarizer: {
      model,
      measure,
      temperature: summary.temperature,
      signal: AbortSignal.any([signal, AbortSignal.timeout(summary.deadlineMs)]),
      messages,
      calls,
      inWords: lengthInWords(spokenTexts(messages), measure.text),
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
  call: Call<M>,
  written: readonly Summary[],
  replaced: readonly Summary[] = [],
): number {
  const { chain } = call.seen.conversation;
  const { records } = narrativeOf([...call.seen.state.summaries, ...written], chain, chain.length - 1);
  return recordRoom(
    records.filter((one) => !replaced.includes(one)),
    shareOf(call),
  );
}

/** The same desk, for one of so many records of a run, with the room that the others leave it. */
export function withRoom<M>(
  desk: Desk<M>,
  { written, pieces = 1, source }: { written: readonly Summary[]; pieces?: number; source: number },
): Desk<M> {
  const room = desk.fixed
    ? desk.ceiling / pieces
    : recordLength(roomBeside(desk.call, written) / pieces, source);
  return { ...desk, ceiling: withinWindow(desk.summarizer.model, room) };
}

/** A record takes at most a part of the summariser's window: what it reads must have more room than what it writes. */
function withinWindow(model: Model, ceiling: number): number {
  return Math.max(LEAST_RECORD, Math.floor(Math.min(ceiling, summarizerWindow(model) * ANSWER_SHARE)));
}

/** Tokens that all records together may take in the summary message. */
export function shareOf<M>({ engine, seen, filling }: Call<M>): number {
  const landing = { goal: filling ?? seen.usualGoal, fills: filling !== undefined };
  return narrativeShare(engine.settings, seen.conversation, landing);
}

export function record<M>(desk: Desk<M>, covers: Run, prompt: Prompt, text: string, level: number): Summary {
  const { call, summarizer } = desk;
  const { conversation } = call.seen;
  const key = keyOf(desk, covers, prompt);
  return {
    key,
    text,
    hash: conversation.chain[covers.to]!,
    covers,
    level,
    prompt: promptKey(prompt),
    model: summarizer.model.id,
    author: "model",
    ...(call.anew && { anew: true }),
    tokens: { source: sourceTokens(desk, absolute(desk, covers)), text: conversation.measure.text(text) },
    at: call.now,
    proof: summaryProof(key, text),
    ...(goesOnFromUnproven(desk) && { unproven: true }),
  };
}

/** A model that read a record without proof may have repeated what it says. */
function goesOnFromUnproven<M>({ call }: Desk<M>): boolean {
  const { state, conversation } = call.seen;
  return state.summaries.some(
    ({ unproven, hash, covers }) => unproven && conversation.chain[covers.to] === hash,
  );
}

export function keyOf<M>({ call, summarizer, ceiling }: Desk<M>, covers: Run, prompt: Prompt): string {
  return summaryKey({
    hash: call.seen.conversation.chain[covers.to]!,
    covers,
    prompt: promptKey(prompt),
    model: summarizer.model.id,
    focus: call.input.focus,
    cap: ceiling,
    anew: call.anew ? call.now : undefined,
  });
}

export function absolute<M>({ call }: Desk<M>, run: Run): Run {
  const { start } = call.seen.conversation.structure;
  return { from: start + run.from, to: start + run.to };
}

export function mustKeep<M>({ call, ceiling }: Desk<M>, run: Run): ReturnType<typeof mustKeepOf> {
  const { messages, measure } = call.seen.conversation;
  return mustKeepOf({ messages, run, cap: ceiling, count: measure.text });
}

export function sourceTokens<M>({ call }: Desk<M>, run: Run): number {
  return call.seen.conversation.tokens.slice(run.from, run.to).reduce((sum, tokens) => sum + tokens, 0);
}

export function unfinished<M>({ summarizer }: Desk<M>): ModelError {
  return new ModelError({
    model: summarizer.model.id,
    failure: "bad-answer",
    message: "only a part of the messages could be summarised.",
    fix: "Try again later; nothing was stored.",
  });
}
