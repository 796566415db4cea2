import { stringifyDeep } from "../../core/deep-json.ts";
import { isShown } from "../../core/draft.ts";
import { ModelError } from "../../core/errors.ts";
import type { Message, Run, Summary } from "../../core/types.ts";
import { answerCap, PROMPTS } from "../../summaries/prompts/index.ts";
import { splitRuns } from "../../summaries/split-input.ts";
import type { Call } from "../decide.ts";
import { narrativeOf } from "../narrative.ts";
import { askSummary, isCancelled } from "../summarizer.ts";
import { absolute, besideOthers, type Desk, keyOf, mustKeep, record, sourceTokens } from "./desk.ts";
import { learnFrom, MOST_SHORTENED, summarizerWindow } from "./summarizer-window.ts";

/** Share of the summariser's window that is left free, because its own count may differ from ours. */
const WINDOW_MARGIN = 0.1;
/** What items to keep, and the draft that lacks some or the record that goes on, take in units of the ceiling. */
const PROMPT_CEILINGS = 1.25;
/** Pieces never get smaller than this, however small the summariser's window is (tokens). */
const LEAST_PIECE = 1_000;

/** Characters of the first tail message that a continuation quotes. */
const UNTIL_CHARACTERS = 80;

type Mode = "continuation" | "full" | "simple";

/** Records of a run, from its beginning on. */
export interface Segments {
  readonly segments: Summary[];
  /** Why they don't reach its end. */
  readonly failure?: unknown;
}

/** One record for the run, or several where it is larger than the summariser's window. */
export async function writeSegments<M>(
  desk: Desk<M>,
  run: Run,
  modes: readonly Mode[] = modesOf(desk.call, run),
): Promise<Segments> {
  const written: Summary[] = [];
  let failure: unknown;
  for (const mode of modes) {
    const rest = { from: written.at(-1)?.covers.to ?? run.from, to: run.to };
    try {
      if (mode === "continuation") written.push(await continueSegment(besideOthers(desk, written), rest));
      else await writeShorter(desk, rest, mode, written);
      return { segments: written };
    } catch (error) {
      failure = error;
      if (desk.summarizer.signal.aborted || isCancelled(error)) break;
    }
  }
  // What was paid for is kept: it speaks for the beginning of the run, and the rest is offered again.
  if (written.length > 0) return { segments: written, failure };
  throw failure ?? noMode(desk);
}

/** Previous summary and new messages become one record, piece by piece; where there is none yet, it may be continued. */
export async function writeRolling<M>(desk: Desk<M>, run: Run): Promise<Segments> {
  const { records } = narrativeOf(
    desk.call.seen.state.summaries,
    desk.call.seen.conversation.chain,
    run.from,
  );
  // Segments that were written under a larger budget are taken in together.
  const previous = records.at(-1) && {
    text: records.map(({ text }) => text).join("\n"),
    to: records.at(-1)!.covers.to,
  };
  const written: Summary[] = [];
  let failure: unknown;
  for (const mode of rollingModes(desk.call, run)) {
    const last = written.at(-1);
    const earlier = last ? { text: last.text, to: last.covers.to } : previous;
    const rest = { from: earlier?.to ?? 0, to: run.to };
    try {
      if (mode === "continuation") written.push(await continueSegment(desk, rest));
      else await writeShorter(desk, rest, mode, written, earlier?.text);
      failure = undefined;
      break;
    } catch (error) {
      failure = error;
      if (desk.summarizer.signal.aborted || isCancelled(error)) break;
    }
  }
  if (written.length > 0) return { segments: written.slice(-1), failure };
  throw failure ?? noMode(desk);
}

/** The rungs of the summariser's ladder that can be tried, in order. */
export function modesOf<M>(call: Call<M>, run: Run): Mode[] {
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

/** A continuation is told to leave out what earlier records say, so it can only be the first of a record for all. */
export function rollingModes<M>(call: Call<M>, run: Run): Mode[] {
  const isFirst = run.from === 0 && call.engine.settings.summary.merge !== "rolling";
  return modesOf(call, run).filter((mode) => isFirst || mode !== "continuation");
}

/** Does the last request show all of the run? A summary of what the model can't see would be made up. */
function isInRequest<M>({ seen, transcript, input }: Call<M>, run: Run): boolean {
  const { start } = seen.conversation.structure;
  if (!seen.current.fates.slice(start + run.from, start + run.to).every(isShown)) return false;
  const { last } = seen.state;
  if (last && last.length >= run.to && seen.conversation.chain[last.length] === last.hash) return true;
  const { messages, input: items } = input.request as { messages?: unknown; input?: unknown };
  const newest = stringifyDeep(transcript[start + run.to - 1]);
  const sent = Array.isArray(messages) ? messages : Array.isArray(items) ? items : [];
  return sent.findLast((message) => stringifyDeep(message) === newest) !== undefined;
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

/** Pieces as long as the model takes them: one that says "too long" gets smaller ones, now and from then on. */
async function writeShorter<M>(
  desk: Desk<M>,
  run: Run,
  mode: "full" | "simple",
  written: Summary[],
  previous?: string,
): Promise<void> {
  const { length } = written;
  for (let tries = 0; ; tries++) {
    const last = written.at(-1);
    const isBegun = last !== undefined && written.length > length;
    const rest = isBegun && !desk.rolling ? { from: last.covers.to, to: run.to } : run;
    try {
      return await writePieces(desk, rest, mode, written, previous);
    } catch (error) {
      const isAgain = desk.rolling && written.length > length;
      if (isAgain || tries >= MOST_SHORTENED || !learnFrom(desk.summarizer.model, error)) throw error;
    }
  }
}

async function writePieces<M>(
  desk: Desk<M>,
  run: Run,
  mode: "full" | "simple",
  /** Takes each record as soon as it is there. */
  written: Summary[],
  previous?: string,
): Promise<void> {
  const { call, prompt, summarizer, rolling } = desk;
  const { conversation, state } = call.seen;
  const { start, units } = conversation.structure;
  const pieces = splitRuns({
    messages: conversation.messages,
    units,
    run: absolute(desk, run),
    limit: pieceLimit(besideOthers(desk, written), run, previous),
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
          ...(earlier !== undefined && { previous: earlier }),
        },
        mustKeep: mustKeep(place, piece.run),
        covers: piece.run,
        ceiling: place.ceiling,
        // One record for everything replaces everything, however little is new.
        source: rolling ? sourceTokens(desk, absolute(desk, covers)) : piece.tokens,
      }));
    const one = known ?? record(place, covers, prompt, text, 0);
    written.push(one);
    if (rolling) earlier = text;
  }
}

/** Tokens of transcript that one request may hold: what its window leaves beside the prompt and the answer. */
function pieceLimit<M>(desk: Desk<M>, run: Run, previous: string | undefined): number {
  const { call, prompt, summarizer, ceiling } = desk;
  const { model, measure } = summarizer;
  const window = summarizerWindow(model);
  const { system = "", user } = prompt.render({
    transcript: "",
    covers: absolute(desk, run),
    focus: call.input.focus,
    target: ceiling,
    ...(previous !== undefined && { previous }),
  });
  const asked = measure.text(system) + measure.text(user) + ceiling * PROMPT_CEILINGS;
  return Math.max(LEAST_PIECE, Math.floor(window * (1 - WINDOW_MARGIN) - asked - answerCap(prompt, ceiling)));
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
