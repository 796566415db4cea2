import { clipText } from "../../core/clip.ts";
import type { ModelReply } from "../../core/types.ts";
import { timeLimit } from "../../models/shared/retry.ts";
import { acceptSummary } from "../../summaries/accept/accept-summary.ts";
import { answerCap, PROMPTS } from "../../summaries/prompts/index.ts";
import type { SessionCore } from "../core.ts";
import { joinFrames, sliceFrames } from "../ledger.ts";
import type { CacheItem, StreamQuery, StreamRung, StreamRungReport } from "../types.ts";
import { captionText, formatSeconds } from "../words.ts";
import { extractProgress, frameProgress, type ProgressInput } from "./render-progress.ts";

/** A progress summary, and how it came about. */
export interface Progress {
  readonly text: string;
  readonly rungs: readonly StreamRungReport[];
  /** The question, if the cache was asked. */
  readonly query: StreamQuery | undefined;
}

export function progressInput(core: SessionCore, cap: number): ProgressInput {
  const { notes, time, frames, count } = core;
  return { notes, time, frames, cap, count };
}

/**
 * Writes a summary by the first rung that succeeds: asked of the live cache, asked of a model of its own, or put
 * together from the session's turns. Leaves question and answer in the cache: reset or restore it.
 */
export async function writeProgress(core: SessionCore, cap: number): Promise<Progress> {
  const { settings } = core;
  const input = progressInput(core, cap);
  const rungs: StreamRungReport[] = [];
  const attempt = async (rung: StreamRung, ask: () => Promise<ModelReply>): Promise<string | undefined> => {
    try {
      const accepted = acceptSummary({
        reply: await ask(),
        cap,
        sourceTokens: core.ledger.length,
        mustKeep: [],
        count: input.count,
        source: core.notes.lines.map((line) => line.text).join("\n"),
      });
      if (accepted.ok) {
        rungs.push({ rung, result: "used" });
        return frameProgress(accepted.text, input);
      }
      rungs.push({ rung, result: "rejected", note: accepted.reason });
    } catch (error) {
      rungs.push({ rung, result: "failed", note: error instanceof Error ? error.message : String(error) });
    }
    return undefined;
  };
  const { summarizer } = settings;
  let text = await attempt("continuation", () => askCache(core, cap));
  if (text === undefined && summarizer !== undefined)
    text = await attempt("full", () => summarizer.complete(fullRequest(core, cap)));
  if (text === undefined) {
    text = extractProgress(input);
    rungs.push({ rung: "extractive", result: "used" });
  }
  return { text: clipText(text, cap, input.count) ?? text, rungs, query: settings.query };
}

/** The question behind what the cache holds, together with the newest frame. */
async function askCache(core: SessionCore, cap: number): Promise<ModelReply> {
  const { cache, settings, ledger, lastFrame, time } = core;
  const { role, text } = settings.query;
  const question: CacheItem = { type: "turn", role, text, at: time };
  const frame = lastFrame === undefined ? [] : [sliceFrames(lastFrame, lastFrame.count - 1, lastFrame.count)];
  const withFrame = joinFrames([...frame, question], ledger.last);
  const roomBehind = (items: readonly CacheItem[]): number =>
    settings.window - cache.length - items.reduce((sum, item) => sum + cache.count(item), 0);
  // A picture may cost more than the reserve has for a frame: then the question stands alone.
  const items = roomBehind(withFrame) >= cap ? withFrame : [question];
  const room = Math.min(cap, roomBehind(items));
  if (room < cap) throw new Error(`only ${Math.max(0, room)} tokens are left for the answer`);
  const signal = timeLimit(settings.deadlineMs);
  await cache.feed(items, signal);
  const generated = await cache.generate({
    name: "stream-summary",
    cap: room,
    temperature: 0,
    at: time,
    signal,
  });
  return generated.silent
    ? { text: "", stop: "end", usage: { input: cache.length } }
    : { text: generated.item.text, stop: generated.stop, usage: { input: cache.length } };
}

/** The turns as text, for a model that hasn't seen the stream. */
function fullRequest({ notes, time, settings }: SessionCore, cap: number) {
  const transcript = notes.lines
    .map(({ role, text }) => (role === "caption" ? captionText(text) : `${role}: ${text}`))
    .join("\n");
  const rendered = PROMPTS.progress.render({ transcript, target: cap, elapsed: formatSeconds(time) });
  return {
    name: "stream-summary-full",
    ...(rendered.system === undefined ? {} : { system: rendered.system }),
    messages: [{ role: "user" as const, text: rendered.user }],
    cap: answerCap(PROMPTS.progress, cap),
    temperature: 0,
    signal: timeLimit(settings.deadlineMs),
  };
}
