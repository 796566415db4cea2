import { ModelError } from "../../core/errors.ts";
import { summaryProof } from "../../core/summary-proof.ts";
import type { ModelCall, Run, Summary } from "../../core/types.ts";
import { mustKeepOf } from "../../summaries/must-keep.ts";
import { type Prompt, promptKey, promptOf } from "../../summaries/prompts/index.ts";
import type { Call } from "../decide.ts";
import { narrativeOf, recordCeiling, summaryKey } from "../narrative.ts";
import { LEAST_RECORD, narrativeShare } from "../narrative-share.ts";
import type { Summarizer } from "../summarizer.ts";

/** What one piece of work needs to know. */
export interface Desk<M> {
  readonly call: Call<M>;
  readonly summarizer: Summarizer;
  readonly prompt: Prompt;
  /** Tokens of a record. */
  readonly ceiling: number;
  /** Records share the ceiling: each gets a part of what the others leave. */
  readonly shared: boolean;
  /** One record for everything, made anew each time. */
  readonly rolling: boolean;
}

/** What a piece of work takes. */
export interface Work {
  readonly signal: AbortSignal;
  /** Every call that is made is put here, whatever comes of it. */
  readonly calls: ModelCall[];
}

export function openDesk<M>(
  call: Call<M>,
  { signal, calls }: Work,
  ceiling: number,
  shared: boolean,
): Desk<M> {
  const { engine, seen } = call;
  const { summary } = engine.settings;
  const model = engine.summarizer!;
  return {
    call,
    prompt: promptOf(summary.prompt),
    ceiling: Math.max(LEAST_RECORD, Math.floor(ceiling)),
    shared,
    rolling: summary.merge === "rolling",
    summarizer: {
      model,
      measure: seen.conversation.measure,
      temperature: summary.temperature,
      signal: AbortSignal.any([signal, AbortSignal.timeout(summary.deadlineMs)]),
      messages: seen.conversation.messages,
      calls,
    },
  };
}

/** The same desk, with the room that a record has beside those that stand, without those that it will replace. */
export function besideOthers<M>(
  desk: Desk<M>,
  written: readonly Summary[],
  replaced: readonly Summary[] = [],
): Desk<M> {
  return desk.shared ? { ...desk, ceiling: ceilingBeside(desk.call, written, replaced) } : desk;
}

export function ceilingBeside<M>(
  call: Call<M>,
  written: readonly Summary[],
  replaced: readonly Summary[],
): number {
  const { engine, seen } = call;
  const { chain } = seen.conversation;
  const { records } = narrativeOf([...seen.state.summaries, ...written], chain, chain.length - 1);
  const standing = records.filter((one) => !replaced.includes(one));
  const share = shareOf(call);
  const { fanout } = engine.settings.summary;
  const level = replaced.length > 0 ? 1 : 0;
  const room = recordCeiling(standing, { share, fanout, level });
  return Math.max(LEAST_RECORD, room);
}

/** Tokens that all records together may take in the summary message. */
export function shareOf<M>({ engine, seen }: Call<M>): number {
  return narrativeShare(engine.settings, seen.usualGoal - seen.conversation.head);
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
