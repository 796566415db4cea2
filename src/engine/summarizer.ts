import { ModelError } from "../core/errors.ts";
import type {
  Measure,
  Message,
  Model,
  ModelCall,
  ModelReply,
  ModelRequest,
  Run,
  RungName,
  Usage,
} from "../core/types.ts";
import { acceptSummary, appendMissing, plantedInstructions } from "../summaries/accept-summary.ts";
import { type MustKeep, missingItems } from "../summaries/must-keep.ts";
import { answerCap, PROMPTS, type Prompt, type PromptInput } from "../summaries/prompts/index.ts";
import { modelInfo } from "../tokens/index.ts";

/** So many names, or this share of all, need no second request: code appends them. */
const FEW_ITEMS = 3;
const FEW_SHARE = 1 / 3;
/** A summary is asked to be this much shorter than its ceiling, because models overshoot. */
const TARGET_SHARE = 0.9;

/** What one request for a summary is made from. */
export interface Assignment {
  /** `summarize-full`, `summarize-simple`, … */
  readonly name: string;
  readonly rung: RungName;
  readonly prompt: Prompt;
  readonly input: Omit<PromptInput, "target" | "mustKeep">;
  readonly mustKeep: readonly MustKeep[];
  /** Messages that the summary will speak for (absolute indexes). */
  readonly covers: Run;
  readonly ceiling: number;
  /** Tokens of what it replaces. */
  readonly source: number;
  readonly continues?: unknown;
}

/** A model with everything that its requests share. */
export interface Summarizer {
  readonly model: Model;
  readonly measure: Measure;
  readonly temperature: number | undefined;
  readonly signal: AbortSignal;
  readonly messages: readonly Message[];
  /** Every call that was made, in order, whatever came of it. */
  readonly calls: ModelCall[];
}

/**
 * One summary: asked for, checked, repaired. Missing items are asked for once more, then appended by code; a few at once.
 * Throws if the model fails or its answer can't be accepted; a failure is never stored and never becomes text.
 */
export async function askSummary(summarizer: Summarizer, work: Assignment): Promise<string> {
  const { measure } = summarizer;
  const items = work.mustKeep.map(({ text }) => text);
  const first = await ask(summarizer, work, items);
  if (first.missing.length === 0) return first.text;
  const completed = withFew(first, work, measure);
  if (completed !== undefined) return completed;
  const repaired = await ask(
    summarizer,
    {
      ...work,
      name: `${work.name}-repair`,
      prompt: PROMPTS.repair,
      input: { ...work.input, previous: first.text },
    },
    first.missing,
    // The draft is good but for the items, and code appends these.
  ).catch(() => first);
  const best = missingItems(repaired.text, work.mustKeep).length < first.missing.length ? repaired : first;
  const missing = missingItems(best.text, work.mustKeep).map(({ text }) => text);
  return appendMissing(best.text, missing, work.ceiling, measure.text);
}

/** The summary with the few items that it lacks, if these fit behind it. Citations belong behind their claims. */
function withFew(
  { text, missing }: { readonly text: string; readonly missing: readonly string[] },
  { mustKeep, ceiling }: Assignment,
  measure: Measure,
): string | undefined {
  const cited = mustKeep.some((item) => item.kind === "citation" && missing.includes(item.text));
  if (missing.length > Math.max(FEW_ITEMS, mustKeep.length * FEW_SHARE) || cited) return undefined;
  const completed = appendMissing(text, missing, ceiling, measure.text);
  return missingItems(completed, mustKeep).length === 0 ? completed : undefined;
}

async function ask(
  { model, measure, temperature, signal, messages, calls }: Summarizer,
  work: Assignment,
  mustKeep: readonly string[],
): Promise<{ readonly text: string; readonly missing: readonly string[] }> {
  const target = Math.floor(work.ceiling * TARGET_SHARE);
  const rendered = work.prompt.render({ ...work.input, target, mustKeep });
  const request: ModelRequest = {
    name: work.name,
    ...(rendered.system !== undefined && { system: rendered.system }),
    messages: [{ role: "user", text: rendered.user }],
    ...(work.continues !== undefined && { continues: work.continues }),
    cap: answerCap(work.prompt, target),
    ...(temperature !== undefined && { temperature }),
    signal,
  };
  const made = { name: work.name, rung: work.rung, covers: [work.covers], cap: request.cap, model: model.id };
  signal.throwIfAborted();
  const reply = await unlessAborted(signal, async () => replyOf(await model.complete(request), model)).catch(
    (error: unknown) => {
      if (!isCancelled(error)) calls.push({ ...made, result: "failed", note: String(error), cost: 0 });
      throw error;
    },
  );
  const paid = { usage: reply.usage, cost: costOf(reply.model ?? model.id, reply.usage) };
  const verdict = acceptSummary({
    reply,
    cap: work.ceiling,
    sourceTokens: work.source,
    mustKeep: work.mustKeep,
    count: measure.text,
    planted: plantedInstructions(messages, work.covers),
  });
  if (!verdict.ok) {
    calls.push({ ...made, ...paid, result: "rejected", note: verdict.reason });
    throw new ModelError({
      model: model.id,
      failure: verdict.reason === "refusal" ? "refused" : "bad-answer",
      message: `its summary can't be used: ${verdict.reason}.`,
      fix: "The next rung is tried; nothing was stored.",
    });
  }
  const note = verdict.suspicions.length > 0 ? { note: verdict.suspicions.join("; ") } : {};
  calls.push({ ...made, ...paid, ...note, result: "accepted" });
  return { text: verdict.text, missing: verdict.missing };
}

/** A model of the host's own may not heed its signal; nobody is kept waiting for it. */
/** Says that nobody wants the answer any more, which is no failure of the model. */
export function isCancelled(error: unknown): boolean {
  return error instanceof ModelError && error.failure === "cancelled";
}

function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", stop));
  });
}

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
  return { ...reply, usage: reply.usage ?? { input: 0 } };
}

/** US dollars for one call; 0 where the model's prices aren't known. */
function costOf(model: string, usage: Usage): number {
  const { prices } = modelInfo(model);
  if (!prices) return 0;
  const { input, output = 0, cacheRead = 0, cacheWrite = 0 } = usage;
  const plain = Math.max(0, input - cacheRead - cacheWrite);
  return (
    (plain * prices.input +
      cacheRead * prices.cacheRead +
      cacheWrite * prices.cacheWrite +
      output * prices.output) /
    1_000_000
  );
}
