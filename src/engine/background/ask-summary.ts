import { ModelError } from "../../core/errors.ts";
import { CHARS_PER_TOKEN } from "../../core/message-text.ts";
import { unlessAborted } from "../../core/pause.ts";
import type {
  CompactorOptions,
  Measure,
  Message,
  Model,
  ModelCall,
  ModelReply,
  ModelRequest,
  Run,
  RungName,
  StopReason,
  Usage,
} from "../../core/types.ts";
import {
  type Acceptance,
  acceptNotes,
  acceptSummary,
  appendMissing,
  plantedInstructions,
  splitNotes,
  type Unacceptable,
} from "../../summaries/accept/accept-summary.ts";
import { LANGUAGE_NAMES, languageOf } from "../../summaries/frames/language.ts";
import { renderExcerpts } from "../../summaries/input/summarizer-input.ts";
import { type MustKeep, missingItems } from "../../summaries/keep/must-keep.ts";
import { answerCap, PROMPTS, type Prompt, type PromptInput } from "../../summaries/prompts/index.ts";
import { trimRecord } from "../../summaries/records/render-narrative.ts";
import { modelInfo } from "../../tokens/index.ts";
import { spendOf } from "../../tokens/model-info.ts";
import { learnFrom } from "./writing-task.ts";

/** So many names, or this share of all, need no second request: code appends them. */
const FEW_ITEMS = 3;
const FEW_SHARE = 1 / 3;
/** A summary is asked to be this much shorter than its ceiling, because models overshoot. */
const TARGET_SHARE = 0.9;
/** Where an answer can't be longer than the cap, it is asked to be so much shorter that it is hardly ever cut off. */
const CAPPED_SHARE = 0.7;
/** A draft that nobody could shorten is trimmed by code as long as it isn't longer than this many ceilings. */
const MOST_TRIMMED = 2;

/** What one request for a summary is made from. */
export interface Assignment {
  /** `summarize-full`, `summarize-simple`, … */
  readonly name: string;
  readonly rung: RungName;
  readonly prompt: Prompt;
  readonly input: Omit<PromptInput, "target" | "mustKeep" | "inWords">;
  readonly mustKeep: readonly MustKeep[];
  /** Messages that the summary will speak for (absolute indexes). */
  readonly covers: Run;
  /** Tokens of the summary, pointers not counted. */
  readonly ceiling: number;
  /** Tokens of what it replaces. */
  readonly source: number;
  /** What it replaces, to see whether the answer is about it. */
  readonly sourceText?: string;
  /** The request that it continues, and about how many tokens that has. */
  readonly continues?: unknown;
  readonly continuedTokens?: number;
  /** Tokens of notes that the model writes before the record, for the next one. Default 0: none. */
  readonly notesCeiling?: number;
}

/** A record, and what was noted for the next one. */
export interface Written {
  readonly text: string;
  readonly notes?: string | undefined;
}

/** A model with everything that its requests share. */
export interface Summarizer {
  readonly model: Model;
  /** What the host said of models. */
  readonly models: CompactorOptions<never>["models"];
  readonly measure: Measure;
  readonly temperature: number | undefined;
  /** Tokens that an answer may have without its notes, where the host or its profile set a cap. */
  readonly longest?: number;
  /** Tokens that the model may take to reason, on top of an answer's cap. */
  readonly reasoning: number;
  readonly signal: AbortSignal;
  readonly messages: readonly Message[];
  /** Every call that was made, in order, whatever came of it. */
  readonly calls: ModelCall[];
  /** Is told of a request's tokens before it is made, and says whether they may be spent; what was spent anyway is told with `isSpent`. */
  readonly spend: (tokens: number, isSpent?: true) => boolean;
  /** Says in words of this conversation how long so many tokens are. */
  readonly inWords: (tokens: number) => string;
}

/** An answer that can be stored, and what it lacks. */
interface Draft {
  readonly text: string;
  readonly missing: readonly MustKeep[];
  readonly notes?: string | undefined;
}

/**
 * One summary: asked for, checked, mended. One that is too long is sent back once, without the messages, and trimmed by code
 * if that doesn't help. Missing items are asked for once more, with the lines that they stand in, then appended by code; a few
 * at once. Throws if the model fails or its answer can't be accepted; a failure is never stored and never becomes text.
 */
export async function askSummary(summarizer: Summarizer, work: Assignment): Promise<Written> {
  const { measure } = summarizer;
  const first = await askOnce(summarizer, work);
  const { notes } = first;
  const best = needsRepair(first, work) ? await repair(summarizer, work, first) : first;
  const text = appendMissing(best.text, missingItems(best.text, work.mustKeep), work.ceiling, measure.text);
  return { text, ...(notes && { notes }) };
}

/** The summary within its ceiling. */
async function askOnce(summarizer: Summarizer, work: Assignment): Promise<Draft> {
  const verdict = await ask(summarizer, work, work.mustKeep);
  if (verdict.ok) return verdict;
  const { draft, notes } = verdict;
  if (draft === undefined) throw unacceptable(summarizer, verdict.reason);
  const { focus, kind, task } = work.input;
  const shorter = await ask(
    summarizer,
    {
      ...standingAlone(work),
      name: `${work.name}-shorten`,
      prompt: PROMPTS.shorten,
      input: {
        previous: draft.text,
        focus,
        kind,
        task,
        written: draft.tokens,
      },
    },
    work.mustKeep,
    { trimsAny: true },
    // What was paid for is better than nothing, as long as trimming leaves most of it.
  ).catch(() => verdict);
  if (shorter.ok) return { ...shorter, notes };
  if (draft.tokens > work.ceiling * MOST_TRIMMED) throw unacceptable(summarizer, "too-long");
  const { measure } = summarizer;
  const text = trimRecord({ text: draft.text, cap: work.ceiling, count: measure.text });
  return { text, missing: missingItems(text, work.mustKeep), notes };
}

/** Are more items missing than code may simply append? Citations belong behind their claims; restrictions code can place. */
function needsRepair({ missing }: Draft, { mustKeep }: Assignment): boolean {
  const names = missing.filter(({ kind }) => kind !== "restriction");
  const most = Math.max(FEW_ITEMS, mustKeep.length * FEW_SHARE);
  return names.length > most || names.some(({ kind }) => kind === "citation");
}

/** Asks for the missing items with nothing but the draft and the lines that they stand in. */
async function repair(summarizer: Summarizer, work: Assignment, first: Draft): Promise<Draft> {
  const { messages } = summarizer;
  const excerpts = renderExcerpts(messages, first.missing);
  const { focus, kind } = work.input;
  const repaired = await ask(
    summarizer,
    {
      ...standingAlone(work),
      name: `${work.name}-repair`,
      prompt: PROMPTS.repair,
      input: { previous: first.text, focus, kind, ...(excerpts !== "" && { excerpts }) },
    },
    first.missing,
    { trimsAny: true },
    // The draft is good but for the items, and code appends these.
  ).catch(() => undefined);
  if (!repaired?.ok) return first;
  return missingItems(repaired.text, work.mustKeep).length < first.missing.length ? repaired : first;
}

/** A second request stands alone: the conversation would only be paid for again. */
function standingAlone({
  continues: _,
  continuedTokens: __,
  notesCeiling: ___,
  ...work
}: Assignment): Assignment {
  return work;
}

function unacceptable({ model }: Summarizer, reason: Unacceptable): ModelError {
  return new ModelError({
    model: model.id,
    failure: reason === "refusal" ? "refused" : "bad-answer",
    message: `its summary can't be used: ${reason}.`,
    fix: "The next rung is tried; nothing was stored.",
  });
}

async function ask(
  summarizer: Summarizer,
  work: Assignment,
  mustKeep: readonly MustKeep[],
  { trimsAny = false }: { readonly trimsAny?: boolean } = {},
): Promise<Acceptance & { readonly notes?: string }> {
  const { model, measure, temperature, longest, reasoning, signal, messages, calls, spend, inWords } =
    summarizer;
  const { notesCeiling = 0 } = work;
  const target = Math.floor(Math.min(work.ceiling * TARGET_SHARE, (longest ?? Infinity) * CAPPED_SHARE));
  const rendered = work.prompt.render({
    ...work.input,
    target,
    ...(notesCeiling > 0 && { notesTarget: notesCeiling }),
    ...(longest !== undefined && { isCapped: true }),
    inWords,
    spoken: spokenIn(messages),
    // `$25` by itself could mean several things.
    mustKeep: mustKeep.map(({ kind, text, message }) => ({ text, ...(kind === "number" && { message }) })),
  });
  const request: ModelRequest = {
    name: work.name,
    ...(rendered.system !== undefined && { system: rendered.system }),
    messages: [{ role: "user", text: rendered.user }],
    ...(work.continues !== undefined && { continues: work.continues }),
    cap: Math.min(answerCap(work.prompt, target, notesCeiling), (longest ?? Infinity) + 2 * notesCeiling),
    ...(temperature !== undefined && { temperature }),
    signal,
  };
  const made = {
    name: work.name,
    rung: work.rung,
    covers: [work.covers],
    cap: request.cap,
    model: model.id,
    ...(reasoning > 0 && { reasoning }),
  };
  signal.throwIfAborted();
  const chars = rendered.user.length + (rendered.system?.length ?? 0);
  // What it costs is estimated before it is made.
  const about = Math.ceil(chars / CHARS_PER_TOKEN) + (work.continuedTokens ?? 0);
  if (!spend(about)) throw tooDear(model);
  const reply = await unlessAborted(complete(model, request), signal).catch((error: unknown) => {
    // What fails at once isn't paid for; what somebody stopped waiting for may be.
    if (!signal.aborted && !isCancelled(error) && !isTimeout(error)) spend(-about, true);
    if (!isCancelled(error)) calls.push({ ...made, result: "failed", note: String(error), cost: 0 });
    // What continues a conversation was too long with it: that says nothing about pieces.
    if (work.continues === undefined)
      learnFrom(
        model,
        error,
        measure.text(rendered.user) + measure.text(rendered.system ?? "") + request.cap,
      );
    throw error;
  });
  const { usage } = reply;
  if (usage && usage.input > about) spend(usage.input - about, true);
  const paid = { ...(usage && { usage }), cost: costOf(summarizer, reply) };
  const planted = plantedInstructions(messages, work.covers);
  const parts = splitNotes(reply.text);
  const verdict = acceptSummary({
    reply: { ...reply, text: parts.reply },
    cap: work.ceiling,
    sourceTokens: work.source,
    mustKeep: work.mustKeep,
    count: measure.text,
    trimsAny,
    keepPartial: longest !== undefined,
    planted,
    ...(work.sourceText !== undefined && { material: work.sourceText }),
  });
  if (!verdict.ok) calls.push({ ...made, ...paid, result: "rejected", note: verdict.reason });
  else {
    const note = verdict.suspicions.length > 0 ? { note: verdict.suspicions.join("; ") } : {};
    calls.push({ ...made, ...paid, ...note, result: "accepted" });
  }
  if (notesCeiling === 0) return verdict;
  return {
    ...verdict,
    notes: acceptNotes({ notes: parts.notes, cap: notesCeiling, count: measure.text, planted }),
  };
}

/** The language of a conversation, where it isn't English: English is what code takes it for where it can't tell. */
function spokenIn(messages: readonly Message[]): string | undefined {
  const language = languageOf(messages);
  return language === "en" ? undefined : LANGUAGE_NAMES[language];
}

function tooDear({ id }: Model): ModelError {
  return new ModelError({
    model: id,
    failure: "cancelled",
    message: "summaries have used up their share of the chat's cost.",
    fix: "Raise `summary.costShare` to allow more.",
  });
}

/** Says that nobody wants the answer any more, which is no failure of the model. */
export function isCancelled(error: unknown): boolean {
  return error instanceof ModelError && error.failure === "cancelled";
}

export function isTimeout(error: unknown): boolean {
  return error instanceof ModelError
    ? error.failure === "timeout"
    : error instanceof Error && error.name === "TimeoutError";
}

async function complete(model: Model, request: ModelRequest): Promise<ModelReply> {
  return replyOf(await model.complete(request), model);
}

const STOPS: readonly StopReason[] = ["end", "length", "refusal", "tool-call", "other"];

/** A model of the host's own may answer anything. */
function replyOf(reply: ModelReply, model: Model): ModelReply {
  if (typeof reply?.text !== "string") {
    throw new ModelError({
      model: model.id,
      failure: "bad-answer",
      message: "its answer has no text.",
      fix: "`complete` must resolve to `{ text, stop, usage }`.",
    });
  }
  const stop = reply.stop ?? "end";
  if (!STOPS.includes(stop)) {
    throw new ModelError({
      model: model.id,
      failure: "bad-answer",
      message: `the \`stop\` of its answer is ${JSON.stringify(stop)}, which isn't valid.`,
      fix: `Give one of: ${STOPS.join(", ")}; \`end\` for a whole answer.`,
    });
  }
  const { usage, ...said } = reply;
  return { ...said, stop, ...usageOf(usage) };
}

/** What a model says that it took, where it says anything; a count that is none counts as nothing. */
function usageOf(usage: Usage | undefined): Pick<ModelReply, "usage"> {
  const counts = Object.entries(usage ?? {}).filter(([, count]) => Number.isFinite(count) && count >= 0);
  return counts.length === 0 ? {} : { usage: { input: 0, ...Object.fromEntries(counts) } };
}

/** US dollars for one call, by the prices that the host gave for its model or else known ones; 0 where there are none. */
function costOf({ model: { id }, models }: Summarizer, { model = id, usage }: ModelReply): number {
  const prices = models?.[id]?.prices ?? modelInfo(model, models).prices;
  return prices && usage ? spendOf(usage, prices) : 0;
}
