import { clipText } from "../core/clip.ts";
import { BudgetImpossibleError } from "../core/errors.ts";
import { isGarbage } from "../summaries/accept/faults.ts";
import { checkBooks, feed, type SessionCore } from "./core.ts";
import { formatSeconds } from "./format-seconds.ts";
import { joinFrames, splitFrames } from "./ledger.ts";
import { manage } from "./manage.ts";
import type { CacheItem, FramesItem, Said, StreamTrace } from "./types.ts";

/** What may be said in a step: nothing, something if it is worth it, or an answer in any case. */
export type Speech = "none" | "maybe" | "answer";

/** One step: feeds what waits, lets the model speak, manages the cache if it is full. */
export async function step(
  core: SessionCore,
  speech: Speech,
): Promise<{ readonly said: Said | undefined; readonly managed: readonly StreamTrace[] }> {
  const { settings, ledger } = core;
  core.steps++;
  const managed = await feedPending(core, speech === "none" ? 0 : (settings.speak?.cap ?? 0));
  const said = speech === "none" ? undefined : await speak(core, speech);
  if (core.anchorDue && ledger.length > 0) {
    core.anchor = ledger.length;
    core.anchorDue = false;
  }
  if (ledger.length >= settings.limit) managed.push(await manage(core, "full"));
  return { said, managed };
}

/** Feeds all that waits, in portions that fit; what doesn't fit makes the cache smaller first. */
async function feedPending(core: SessionCore, replyRoom: number): Promise<StreamTrace[]> {
  const { settings, ledger, cache } = core;
  const managed: StreamTrace[] = [];
  // True while the cache holds nothing but what a management left: there is nothing more to gain.
  let isFresh = ledger.length === 0;
  for (let item = core.pending[0]; item !== undefined; item = core.pending[0]) {
    const [next] = joinFrames([item], ledger.last) as [CacheItem];
    const room = settings.ceiling - ledger.length - replyRoom;
    const [portion, rest] = portionOf(core, next, room);
    const fits = cache.count(portion) <= room;
    if (!fits && !isFresh) {
      managed.push(await manage(core, "next-input"));
      isFresh = true;
      continue;
    }
    const isRestored = core.restored > 0;
    const shown = fits ? portion : shortened(core, portion, room);
    if (shown !== undefined) await feed(core, [shown]);
    core.pending.splice(0, 1, ...(rest === undefined ? [] : [rest]));
    if (shown === undefined && portion.type === "frames") throw tooLarge(core, portion, room);
    if (isRestored && rest === undefined) core.restored--;
    if (!isRestored) isFresh = false;
    if (ledger.length >= settings.limit && core.pending.length > 0 && !isRestored) {
      managed.push(await manage(core, "full"));
      isFresh = true;
    }
  }
  return managed;
}

/** Of a run of frames, those up to the one that fills the cache; of everything else, all. */
function portionOf(
  core: SessionCore,
  item: CacheItem,
  room: number,
): readonly [CacheItem, CacheItem | undefined] {
  if (item.type === "turn" || item.count <= 1) return [item, undefined];
  const fitting = countFrames(core, item, Math.min(room, core.settings.ceiling));
  const filling = countFrames(core, item, core.settings.limit - core.ledger.length - 1) + 1;
  const count = Math.max(1, Math.min(fitting, filling));
  return count >= item.count ? [item, undefined] : splitFrames(item, count);
}

/** How many of the frames take at most so many tokens. */
function countFrames({ cache }: SessionCore, item: FramesItem, tokens: number): number {
  if (item.images === undefined) {
    const one = item.tokensPerFrame + item.separator;
    if (one === 0) return item.count;
    return Math.max(0, Math.floor((tokens + (item.joined ? 0 : item.separator)) / one));
  }
  let count = 0;
  while (count < item.count && cache.count(splitFrames(item, count + 1)[0]) <= tokens) count++;
  return count;
}

/** A turn that is too large for an empty cache loses its middle; a frame that is too large can't be shown. */
function shortened({ cache, count }: SessionCore, item: CacheItem, room: number): CacheItem | undefined {
  if (item.type === "frames") return undefined;
  const frame = cache.count({ ...item, text: "" });
  const text = clipText(item.text, Math.max(0, room - frame), count);
  if (text === undefined) return undefined;
  const { ids: _, ...turn } = item;
  return { ...turn, text };
}

/** A picture can't be shortened. It is left out, and whoever pushed it is told: a session that sees nothing looks fine. */
function tooLarge(core: SessionCore, picture: FramesItem, room: number): BudgetImpossibleError {
  const tokens = core.cache.count(picture);
  // A summary is asked for with the newest frame: this one would fail each of them.
  core.lastFrame = undefined;
  return new BudgetImpossibleError({
    budget: room,
    needed: tokens,
    head: core.ledger.length,
    lastUserMessage: 0,
    message: `precis: the picture at ${formatSeconds(picture.until)} has ${tokens} tokens, an empty cache has room for ${room}. It was left out; the stream can go on.`,
    fix: "Send pictures smaller, or use a larger window.",
  });
}

async function speak(core: SessionCore, speech: "maybe" | "answer"): Promise<Said | undefined> {
  const { settings, cache, ledger, time, notes } = core;
  const { speak: options } = settings;
  if (options === undefined) return undefined;
  core.lastAsked = time;
  const generated = await cache.generate({
    name: "stream-reply",
    cap: Math.min(options.cap, settings.window - ledger.length),
    temperature: options.temperature,
    stop: options.stop,
    at: time,
    ...(speech === "maybe" ? { silence: options.silence } : {}),
  });
  if (generated.silent) return undefined;
  const { item } = generated;
  // Noise in the cache breeds more of it: the model is better off without.
  if (isGarbage(item.text)) {
    await cache.keep([{ from: 0, to: ledger.length }]);
    checkBooks(core);
    return undefined;
  }
  ledger.add(item, cache.count(item));
  checkBooks(core);
  notes.add("assistant", item.text);
  return { text: item.text, time };
}

/** Tokens of one frame as the settings say, for a run without pictures. */
export const framesItem = (
  core: SessionCore,
  fields: Pick<FramesItem, "count" | "at" | "until"> & Partial<Pick<FramesItem, "images">>,
): FramesItem => ({
  type: "frames",
  tokensPerFrame: core.settings.tokensPerFrame,
  separator: core.settings.separator,
  joined: false,
  ...fields,
});
