import { isShown } from "../core/draft.ts";
import { ConfigError, ModelError } from "../core/errors.ts";
import { summaryProof } from "../core/state.ts";
import type { Message, ModelCall, PlannedCall, Run, Summary } from "../core/types.ts";
import { type MustKeep, missingItems, mustKeepOf } from "../summaries/must-keep.ts";
import { PROMPTS, type Prompt, promptById, promptKey } from "../summaries/prompts/index.ts";
import { splitRuns } from "../summaries/split-input.ts";
import { modelInfo } from "../tokens/index.ts";
import type { Call } from "./decide.ts";
import { mergeDue, narrativeOf, recordCeiling, summaryKey } from "./narrative.ts";
import { ARGS_TOKENS, RESULT_TOKENS, summarizesRounds, unsealedRounds } from "./round-runs.ts";
import { askSummary, type Summarizer } from "./summarizer.ts";

/** Share of the landing that the narrative may take. */
const NARRATIVE_SHARE = 0.25;
/** A record shorter than this says nothing (tokens). */
const LEAST_RECORD = 200;
/** Tokens that prompt and frame take of the summariser's window. */
const PROMPT_TOKENS = 2_500;
/** Pieces never get smaller than this, however small the summariser's window is (tokens). */
const LEAST_PIECE = 1_000;
/** Share of a merged record that items of its parts may take, besides citations. */
const MERGE_ITEMS_SHARE = 0.3;
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
  /** Tokens of a record. */
  readonly ceiling: number;
  /** Records share the ceiling: each gets a part of what the others leave. */
  readonly shared: boolean;
  /** One record for everything, made anew each time. */
  readonly rolling: boolean;
}

/** What a piece of work takes. */
interface Work {
  readonly signal: AbortSignal;
  /** Every call that is made is put here, whatever comes of it. */
  readonly calls: ModelCall[];
}

/**
 * Has the run summarised from its originals, then merges what outgrew its share. Throws if every rung failed; if only a
 * part of a long run could be summarised, that part is kept.
 */
export async function writeSummaries<M>(call: Call<M>, run: Run, work: Work): Promise<readonly Summary[]> {
  const { engine, seen } = call;
  const { summary } = engine.settings;
  if (summarizesRounds(engine.settings)) return writeRounds(call, run, work);
  const rolling = summary.merge === "rolling";
  const share = narrativeShare(call);
  const desk = openDesk(call, work, share, !rolling);
  const segments = rolling ? await writeRolling(desk, run) : await writeSegments(desk, run);
  // Half of what was to be made anew would stand beside the other half of what it replaces.
  if (call.anew && segments.at(-1)!.covers.to < run.to) throw unfinished(desk);
  const merges = rolling ? [] : await writeMerges(desk, segments, share);
  engine.emitter.emit("progress", { done: 1, total: 1, label: "summary" });
  const known = new Set(seen.state.summaries.map(({ key }) => key));
  return [...segments, ...merges].filter(({ key }) => !known.has(key));
}

/** Has finished rounds summarised: what was wanted, called, found. The talk around them stays, so nothing is merged. */
async function writeRounds<M>(call: Call<M>, within: Run, work: Work): Promise<readonly Summary[]> {
  const { conversation, state } = call.seen;
  const { start } = conversation.structure;
  const written: Summary[] = [];
  let failure: unknown;
  for (const { from, to } of unsealedRounds(conversation, state.summaries, {
    from: start + within.from,
    to: start + within.to,
  })) {
    const run = { from: from - start, to: to - start };
    const desk = openDesk(call, work, roundsCeiling(call, run), false);
    const modes = modesOf(call, run).filter((mode) => mode !== "continuation");
    try {
      const place = { ...desk, prompt: PROMPTS["tool-rounds"], rolling: false };
      written.push(...(await writeSegments(place, run, modes)));
    } catch (error) {
      failure = error;
      break;
    }
  }
  if (written.length === 0 && failure !== undefined) throw failure;
  call.engine.emitter.emit("progress", { done: 1, total: 1, label: "summary" });
  return written;
}

/** Half of what lines by code would take. */
function roundsCeiling<M>({ engine, seen }: Call<M>, run: Run): number {
  const { messages, structure } = seen.conversation;
  const calls = messages
    .slice(structure.start + run.from, structure.start + run.to)
    .reduce((sum, { parts }) => sum + parts.filter((part) => part.type === "tool-call").length, 0);
  return Math.min(engine.settings.summary.cap, (calls * (ARGS_TOKENS + RESULT_TOKENS)) / 2);
}

/** The first request that a summary of this run would make; none where the forced mode can't be used. */
export function plannedCalls<M>(call: Call<M>, run: Run): readonly PlannedCall[] {
  const { start } = call.seen.conversation.structure;
  const { settings } = call.engine;
  if (summarizesRounds(settings)) return plannedRounds(call, run);
  const rolling = settings.summary.merge === "rolling";
  const rung = modesOf(call, run).find((mode) => !rolling || mode !== "continuation");
  if (!rung) return [];
  return [
    {
      name: `summarize-${rung}`,
      rung,
      covers: [{ from: start + run.from, to: start + run.to }],
      cap: rolling ? narrativeShare(call) : ceilingBeside(call, [], []),
    },
  ];
}

function plannedRounds<M>(call: Call<M>, within: Run): readonly PlannedCall[] {
  const { conversation, state } = call.seen;
  const { start } = conversation.structure;
  const runs = unsealedRounds(conversation, state.summaries, {
    from: start + within.from,
    to: start + within.to,
  });
  const rung = modesOf(call, within).find((mode) => mode !== "continuation");
  if (!rung) return [];
  return runs.map((run) => ({
    name: `summarize-${rung}`,
    rung,
    covers: [run],
    cap: Math.max(
      LEAST_RECORD,
      Math.floor(roundsCeiling(call, { from: run.from - start, to: run.to - start })),
    ),
  }));
}

/** A standalone summary of a run, in one text. */
export async function writeHandover<M>(call: Call<M>, run: Run, cap: number, work: Work): Promise<string> {
  const desk = openDesk(call, work, cap, false);
  const parts = await writeSegments(desk, run);
  if (parts.at(-1)!.covers.to < run.to) throw unfinished(desk);
  return parts.length === 1 ? parts[0]!.text : (await mergeRecords(desk, parts)).text;
}

function openDesk<M>(call: Call<M>, { signal, calls }: Work, ceiling: number, shared: boolean): Desk<M> {
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
function besideOthers<M>(
  desk: Desk<M>,
  written: readonly Summary[],
  replaced: readonly Summary[] = [],
): Desk<M> {
  return desk.shared ? { ...desk, ceiling: ceilingBeside(desk.call, written, replaced) } : desk;
}

function ceilingBeside<M>(call: Call<M>, written: readonly Summary[], replaced: readonly Summary[]): number {
  const { engine, seen } = call;
  const { chain } = seen.conversation;
  const { records } = narrativeOf([...seen.state.summaries, ...written], chain, chain.length - 1);
  const standing = records.filter((one) => !replaced.includes(one));
  const { fanout } = engine.settings.summary;
  const level = replaced.length > 0 ? 1 : 0;
  const room = recordCeiling(standing, { share: narrativeShare(call), fanout, level });
  return Math.max(LEAST_RECORD, room);
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
async function writeSegments<M>(
  desk: Desk<M>,
  run: Run,
  modes: readonly Mode[] = modesOf(desk.call, run),
): Promise<Summary[]> {
  const written: Summary[] = [];
  let failure: unknown;
  for (const mode of modes) {
    const rest = { from: written.at(-1)?.covers.to ?? run.from, to: run.to };
    try {
      if (mode === "continuation") written.push(await continueSegment(besideOthers(desk, written), rest));
      else await writePieces(desk, rest, mode, written);
      return written;
    } catch (error) {
      failure = error;
      if (desk.summarizer.signal.aborted) break;
    }
  }
  // What was paid for is kept: it speaks for the beginning of the run, and the rest is offered again.
  if (written.length > 0) return written;
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
  const written: Summary[] = [];
  let failure: unknown;
  for (const mode of modesOf(desk.call, run).filter((one) => one !== "continuation")) {
    const earlier = written.at(-1) ?? previous;
    try {
      await writePieces(desk, { from: earlier?.covers.to ?? 0, to: run.to }, mode, written, earlier);
      break;
    } catch (error) {
      failure = error;
      if (desk.summarizer.signal.aborted) break;
    }
  }
  if (written.length > 0) return written.slice(-1);
  throw failure ?? noMode(desk);
}

/** The rungs of the summariser's ladder that can be tried, in order. */
function modesOf<M>(call: Call<M>, run: Run): Mode[] {
  const { engine, input, now } = call;
  const { mode } = engine.settings.summary;
  const model = engine.summarizer!;
  const warm = input.lastRequestAt === undefined || now - input.lastRequestAt <= engine.settings.cache.ttlMs;
  // The same model and the same request, or the provider's cache holds nothing of it.
  const continues =
    input.request !== undefined &&
    model.continues === engine.dialect.id &&
    (input.request as { readonly model?: unknown }).model === model.id &&
    isInRequest(call, run);
  if (mode === "continuation") return continues ? ["continuation"] : [];
  if (mode === "full" || mode === "simple") return [mode];
  return continues && warm ? ["continuation", "full", "simple"] : ["full", "simple"];
}

/** Does the last request show all of the run? A summary of what the model can't see would be made up. */
function isInRequest<M>({ seen, transcript, input }: Call<M>, run: Run): boolean {
  const { start } = seen.conversation.structure;
  if (!seen.current.fates.slice(start + run.from, start + run.to).every(isShown)) return false;
  const { last } = seen.state;
  if (last && last.length >= run.to && seen.conversation.chain[last.length] === last.hash) return true;
  const { messages, input: items } = input.request as { messages?: unknown; input?: unknown };
  const newest = JSON.stringify(transcript[start + run.to - 1]);
  const sent = Array.isArray(messages) ? messages : Array.isArray(items) ? items : [];
  return sent.findLast((message) => JSON.stringify(message) === newest) !== undefined;
}

async function continueSegment<M>(desk: Desk<M>, run: Run): Promise<Summary> {
  const { call, ceiling, summarizer } = desk;
  const { messages, structure } = call.seen.conversation;
  const covers = absolute(desk, run);
  const text = await askSummary(summarizer, {
    name: "summarize-continuation",
    rung: "continuation",
    prompt: PROMPTS.continuation,
    input: {
      focus: call.input.focus,
      until: beginningOf(messages[structure.start + run.to]),
      hasRecord: run.from > 0,
    },
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
  /** Takes each record as soon as it is there. */
  written: Summary[],
  previous?: Summary,
): Promise<void> {
  const { call, prompt, summarizer, rolling } = desk;
  const { conversation, state } = call.seen;
  const { start, units } = conversation.structure;
  const pieces = splitRuns({
    messages: conversation.messages,
    units,
    run: absolute(desk, run),
    limit: pieceLimit(desk),
    count: conversation.measure.text,
    mode,
  });
  let earlier = previous;
  for (const [done, piece] of pieces.entries()) {
    call.engine.emitter.emit("progress", { done, total: pieces.length, label: `summarize-${mode}` });
    const covers = { from: rolling ? 0 : piece.run.from - start, to: piece.run.to - start };
    const place = besideOthers(desk, written);
    const key = keyOf(place, covers, prompt);
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
        mustKeep: mustKeep(place, piece.run),
        covers: piece.run,
        ceiling: place.ceiling,
        // One record for everything replaces everything, however little is new.
        source: rolling ? sourceTokens(desk, absolute(desk, covers)) : piece.tokens,
      }));
    const one = known ?? record(place, covers, prompt, text, 0);
    written.push(one);
    if (rolling) earlier = one;
  }
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
      merges.push(await mergeRecords(besideOthers(desk, [...segments, ...merges], due), due));
    } catch {
      // The segments stand without it.
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
    mustKeep: carriedItems(desk, parts),
    covers,
    ceiling,
    source: parts.reduce((sum, part) => sum + part.tokens.text, 0),
  });
  return record(desk, run, PROMPTS.merge, text, Math.max(...parts.map(({ level }) => level)) + 1);
}

/**
 * What a merge must not lose: what its parts still carry, the first item of each part before the second of any, because
 * the newest part would take all of the room otherwise. What a part left out can't be asked of a merge.
 */
function carriedItems<M>(desk: Desk<M>, parts: readonly Summary[]): MustKeep[] {
  const lists = parts.map((part) => {
    const items = mustKeep(desk, absolute(desk, part.covers));
    const lacking = new Set(missingItems(part.text, items));
    return items.filter((item) => !lacking.has(item));
  });
  const cited = lists.flat().filter(({ kind }) => kind === "citation");
  const chosen = new Map(cited.map((item) => [item.text, item]));
  const { measure } = desk.summarizer;
  let left = desk.ceiling * MERGE_ITEMS_SHARE;
  for (let rank = 0; left > 0 && lists.some((list) => rank < list.length); rank++) {
    for (const item of lists.flatMap((list) => list.slice(rank, rank + 1))) {
      left -= chosen.has(item.text) ? 0 : measure.text(`${item.text}\n`);
      if (left >= 0) chosen.set(item.text, item);
    }
  }
  return [...chosen.values()];
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
    ...(call.anew && { anew: true }),
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
    anew: call.anew ? call.now : undefined,
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

function unfinished<M>({ summarizer }: Desk<M>): ModelError {
  return new ModelError({
    model: summarizer.model.id,
    failure: "bad-answer",
    message: "only a part of the messages could be summarised.",
    fix: "Try again later; nothing was stored.",
  });
}

function noMode<M>({ summarizer }: Desk<M>): ModelError {
  return new ModelError({
    model: summarizer.model.id,
    failure: "bad-request",
    message: "the forced summary mode can't be used here.",
    fix: "`continuation` needs `request` and a summariser of the same model; leave `summary.mode` out to let precis choose.",
  });
}
