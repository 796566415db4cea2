import { ConfigError, ModelError } from "../core/errors.ts";
import { summaryProof } from "../core/state.ts";
import type { Message, Run, Summary } from "../core/types.ts";
import { mustKeepOf } from "../summaries/must-keep.ts";
import { PROMPTS, type Prompt, promptById, promptKey } from "../summaries/prompts/index.ts";
import { splitRuns } from "../summaries/split-input.ts";
import { modelInfo } from "../tokens/index.ts";
import type { Call } from "./decide.ts";
import type { Written } from "./engine.ts";
import { mergeDue, narrativeOf, summaryKey } from "./narrative.ts";
import { askSummary, type Summarizer } from "./summarizer.ts";

/** Share of the landing that the narrative may take. */
const NARRATIVE_SHARE = 0.25;
/** A record shorter than this says nothing (tokens). */
const LEAST_RECORD = 200;
/** Tokens that prompt and frame take of the summariser's window. */
const PROMPT_TOKENS = 2_500;
/** Pieces never get smaller than this, however small the summariser's window is (tokens). */
const LEAST_PIECE = 1_000;
/** Merges after one compaction at most: one per level is the rule. */
const MAX_MERGES = 8;
/** Characters of the first tail message that a continuation quotes. */
const UNTIL_CHARACTERS = 80;

type Mode = "continuation" | "full" | "simple";

/** What one piece of work needs to know. */
interface Desk<M> {
  readonly call: Call<M>;
  readonly summarizer: Summarizer;
  readonly prompt: Prompt;
  readonly ceiling: number;
}

/** Has the run summarised from its originals, then merges what outgrew its share. Throws if every rung failed. */
export async function writeSummaries<M>(call: Call<M>, run: Run, signal: AbortSignal): Promise<Written> {
  const { engine, seen } = call;
  const { summary } = engine.settings;
  const share = narrativeShare(call);
  const desk = openDesk(call, signal, summary.merge === "rolling" ? share : share / (2 * summary.fanout));
  const segments =
    summary.merge === "rolling" ? await writeRolling(desk, run) : await writeSegments(desk, run);
  const merges = summary.merge === "rolling" ? [] : await writeMerges(desk, segments, share);
  engine.emitter.emit("progress", { done: 1, total: 1, label: "summary" });
  const known = new Set(seen.state.summaries.map(({ key }) => key));
  return {
    records: [...segments, ...merges].filter(({ key }) => !known.has(key)),
    calls: desk.summarizer.calls,
  };
}

/** A standalone summary of a run, in one text. */
export async function writeHandover<M>(
  call: Call<M>,
  run: Run,
  cap: number,
  signal: AbortSignal,
): Promise<{ readonly text: string } & Pick<Written, "calls">> {
  const desk = openDesk(call, signal, cap);
  const parts = await writeSegments(desk, run);
  const text = parts.length === 1 ? parts[0]!.text : (await mergeRecords(desk, parts)).text;
  return { text, calls: desk.summarizer.calls };
}

function openDesk<M>(call: Call<M>, signal: AbortSignal, ceiling: number): Desk<M> {
  const { engine, seen } = call;
  const { summary } = engine.settings;
  const model = engine.summarizer!;
  return {
    call,
    prompt: promptOf(summary.prompt),
    ceiling: Math.max(LEAST_RECORD, Math.floor(ceiling)),
    summarizer: {
      model,
      measure: seen.conversation.measure,
      temperature: summary.temperature,
      signal: AbortSignal.any([signal, AbortSignal.timeout(summary.deadlineMs)]),
      messages: seen.conversation.messages,
      calls: [],
    },
  };
}

/** Tokens that all records together may take in the summary message. */
function narrativeShare<M>({ engine, seen }: Call<M>): number {
  const landing = Math.max(0, seen.goal - seen.conversation.head);
  const share = engine.settings.shares.narrative ?? NARRATIVE_SHARE;
  return Math.min(engine.settings.summary.cap, Math.floor(landing * share));
}

function promptOf(prompt: string | { readonly text: string }): Prompt {
  if (typeof prompt === "string") return promptById(prompt);
  if (!prompt.text.trim()) {
    throw new ConfigError({
      option: "summary.prompt",
      message: "the text is empty.",
      fix: "Write what a summary should hold, or name a built-in prompt.",
    });
  }
  return promptById("custom", prompt.text);
}

/** One record for the run, or several where it is larger than the summariser's window. */
async function writeSegments<M>(desk: Desk<M>, run: Run): Promise<Summary[]> {
  let failure: unknown;
  for (const mode of modesOf(desk)) {
    try {
      return mode === "continuation"
        ? [await continueSegment(desk, run)]
        : await writePieces(desk, run, mode, undefined);
    } catch (error) {
      if (desk.summarizer.signal.aborted) throw error;
      failure = error;
    }
  }
  throw failure ?? noMode(desk);
}

/** Previous summary and new messages become one record, piece by piece. */
async function writeRolling<M>(desk: Desk<M>, run: Run): Promise<Summary[]> {
  const { records } = narrativeOf(
    desk.call.seen.state.summaries,
    desk.call.seen.conversation.chain,
    run.from,
  );
  const [previous] = records.length === 1 ? records : [];
  const whole = previous ? run : { from: 0, to: run.to };
  let failure: unknown;
  for (const mode of modesOf(desk).filter((one) => one !== "continuation")) {
    try {
      return (await writePieces(desk, whole, mode, previous)).slice(-1);
    } catch (error) {
      if (desk.summarizer.signal.aborted) throw error;
      failure = error;
    }
  }
  throw failure ?? noMode(desk);
}

/** The rungs of the summariser's ladder that can be tried, in order. */
function modesOf<M>({ call, summarizer }: Desk<M>): Mode[] {
  const { engine, input, now } = call;
  const { mode } = engine.settings.summary;
  const { model } = summarizer;
  const warm = input.lastRequestAt === undefined || now - input.lastRequestAt <= engine.settings.cache.ttlMs;
  // The same model and the same request, or the provider's cache holds nothing of it.
  const continues =
    input.request !== undefined &&
    model.continues === engine.dialect.id &&
    (input.request as { readonly model?: unknown }).model === model.id;
  if (mode === "continuation") return continues ? ["continuation"] : [];
  if (mode === "full" || mode === "simple") return [mode];
  return continues && warm ? ["continuation", "full", "simple"] : ["full", "simple"];
}

async function continueSegment<M>(desk: Desk<M>, run: Run): Promise<Summary> {
  const { call, ceiling, summarizer } = desk;
  const { messages, structure } = call.seen.conversation;
  const covers = absolute(desk, run);
  const text = await askSummary(summarizer, {
    name: "summarize-continuation",
    rung: "continuation",
    prompt: PROMPTS.continuation,
    input: { focus: call.input.focus, until: beginningOf(messages[structure.start + run.to]) },
    mustKeep: mustKeep(desk, covers),
    covers,
    ceiling,
    source: sourceTokens(desk, covers),
    continues: call.input.request,
  });
  return record(desk, run, PROMPTS.continuation, text, 0);
}

async function writePieces<M>(
  desk: Desk<M>,
  run: Run,
  mode: "full" | "simple",
  previous: Summary | undefined,
): Promise<Summary[]> {
  const { call, prompt, ceiling, summarizer } = desk;
  const { conversation, state } = call.seen;
  const { start, units } = conversation.structure;
  const rolling = call.engine.settings.summary.merge === "rolling";
  const pieces = splitRuns({
    messages: conversation.messages,
    units,
    run: absolute(desk, run),
    limit: pieceLimit(desk),
    count: conversation.measure.text,
    mode,
  });
  const written: Summary[] = [];
  let earlier = previous;
  for (const [done, piece] of pieces.entries()) {
    call.engine.emitter.emit("progress", { done, total: pieces.length, label: `summarize-${mode}` });
    const covers = { from: rolling ? 0 : piece.run.from - start, to: piece.run.to - start };
    const key = keyOf(desk, covers, prompt);
    const known = state.summaries.find((one) => one.key === key);
    const text =
      known?.text ??
      (await askSummary(summarizer, {
        name: `summarize-${mode}`,
        rung: mode,
        prompt,
        input: {
          transcript: piece.text,
          covers: piece.run,
          focus: call.input.focus,
          ...(earlier && { previous: earlier.text }),
        },
        mustKeep: mustKeep(desk, piece.run),
        covers: piece.run,
        ceiling,
        source: piece.tokens + (earlier?.tokens.text ?? 0),
      }));
    const one = known ?? record(desk, covers, prompt, text, 0);
    written.push(one);
    if (rolling) earlier = one;
  }
  return written;
}

/** Merges the oldest records of the lowest level while all of them together are too large. A failure ends it quietly. */
async function writeMerges<M>(
  desk: Desk<M>,
  segments: readonly Summary[],
  share: number,
): Promise<Summary[]> {
  const { seen, engine } = desk.call;
  const { chain } = seen.conversation;
  const merges: Summary[] = [];
  for (let count = 0; count < MAX_MERGES; count++) {
    const all = [...seen.state.summaries, ...segments, ...merges];
    const due = mergeDue(narrativeOf(all, chain, chain.length - 1), share, engine.settings.summary.fanout);
    if (!due) break;
    try {
      merges.push(await mergeRecords(desk, due));
    } catch (error) {
      if (desk.summarizer.signal.aborted) throw error;
      break;
    }
  }
  return merges;
}

async function mergeRecords<M>(desk: Desk<M>, parts: readonly Summary[]): Promise<Summary> {
  const { call, ceiling, summarizer } = desk;
  const run = { from: parts[0]!.covers.from, to: parts.at(-1)!.covers.to };
  const covers = absolute(desk, run);
  const text = await askSummary(summarizer, {
    name: "summarize-merge",
    rung: "full",
    prompt: PROMPTS.merge,
    input: {
      summaries: parts.map((part) => ({ text: part.text, covers: absolute(desk, part.covers) })),
      focus: call.input.focus,
    },
    mustKeep: [],
    covers,
    ceiling,
    source: parts.reduce((sum, part) => sum + part.tokens.text, 0),
  });
  return record(desk, run, PROMPTS.merge, text, Math.max(...parts.map(({ level }) => level)) + 1);
}

function record<M>(desk: Desk<M>, covers: Run, prompt: Prompt, text: string, level: number): Summary {
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
    tokens: { source: sourceTokens(desk, absolute(desk, covers)), text: conversation.measure.text(text) },
    at: call.now,
    proof: summaryProof(key, text),
  };
}

function keyOf<M>({ call, summarizer, ceiling }: Desk<M>, covers: Run, prompt: Prompt): string {
  return summaryKey({
    hash: call.seen.conversation.chain[covers.to]!,
    covers,
    prompt: promptKey(prompt),
    model: summarizer.model.id,
    focus: call.input.focus,
    cap: ceiling,
  });
}

function absolute<M>({ call }: Desk<M>, run: Run): Run {
  const { start } = call.seen.conversation.structure;
  return { from: start + run.from, to: start + run.to };
}

function mustKeep<M>({ call, ceiling }: Desk<M>, run: Run): ReturnType<typeof mustKeepOf> {
  const { messages, measure } = call.seen.conversation;
  return mustKeepOf({ messages, run, cap: ceiling, count: measure.text });
}

function sourceTokens<M>({ call }: Desk<M>, run: Run): number {
  return call.seen.conversation.tokens.slice(run.from, run.to).reduce((sum, tokens) => sum + tokens, 0);
}

/** Tokens of transcript that one request may hold. */
function pieceLimit<M>({ summarizer, ceiling }: Desk<M>): number {
  const { model } = summarizer;
  const window = model.window ?? modelInfo(model.id).window;
  return Math.max(LEAST_PIECE, Math.floor((window - PROMPT_TOKENS - 2 * ceiling) * 0.9));
}

function beginningOf(message: Message | undefined): string | undefined {
  const text = message?.parts.find((part) => part.type === "text")?.text.trim();
  return text ? text.slice(0, UNTIL_CHARACTERS) : undefined;
}

function noMode<M>({ summarizer }: Desk<M>): ModelError {
  return new ModelError({
    model: summarizer.model.id,
    failure: "bad-request",
    message: "the forced summary mode can't be used here.",
    fix: "`continuation` needs `request` and a summariser of the same model; leave `summary.mode` out to let precis choose.",
  });
}
