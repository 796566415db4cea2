import { clipText } from "../core/clip.ts";
import { BudgetImpossibleError } from "../core/errors.ts";
import type { Run } from "../core/types.ts";
import { isGarbage } from "../summaries/accept/faults.ts";
import { checkBooks, feed, type SessionCore } from "./core.ts";
import { joinFrames, rangesOf, sliceFrames, splitFrames } from "./ledger.ts";
import { type Progress, progressInput, renderSteps, writeProgress } from "./progress.ts";
import { type CachePlan, DROP_ALL, HEAD_SHARE } from "./settings.ts";
import type { CacheEntry, CacheItem, FramesItem, Said, StreamTrace } from "./types.ts";
import { formatSeconds } from "./words.ts";

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

/** Old pictures leave until no more than this share of the limit is used; if that works, nothing else has to leave. */
const ENOUGH = 0.6;
/** The last seconds may take this share of the room that the head leaves. */
const RECENT_SHARE = 0.5;
/** The user's newest turn may take this share of the limit. */
const LAST_TURN_SHARE = 0.25;

type Restart = Extract<CachePlan, { type: "restart" }>;
type Outcome = Partial<Pick<StreamTrace, "kept" | "query" | "summary" | "head" | "rungs">> &
  Pick<StreamTrace, "action">;

/** Makes the cache smaller, once, as the strategy says. */
export async function manage(core: SessionCore, reason: StreamTrace["reason"]): Promise<StreamTrace> {
  const { settings, ledger } = core;
  const started = core.now();
  const before = ledger.length;
  const warnings: string[] = [];
  const outcome = await carryOut(core, warnings);
  checkBooks(core);
  const entry: StreamTrace = {
    step: core.steps,
    time: core.time,
    frame: core.frames,
    strategy: settings.strategy.name,
    reason,
    ...outcome,
    tokens: { before, after: ledger.length + (outcome.action === "restart" ? restoredTokens(core) : 0) },
    durationMs: core.now() - started,
    warnings,
  };
  core.trace.push(entry);
  while (
    core.trace.length > MOST_TRACED ||
    (core.trace.length > 1 && charsOf(core.trace) > MOST_TRACED_CHARS)
  )
    core.trace.shift();
  return entry;
}

/** Managements that are remembered, and how long their texts may be together (characters): a stream may go on for weeks. */
const MOST_TRACED = 1_000;
const MOST_TRACED_CHARS = 4_000_000;

const charsOf = (trace: readonly StreamTrace[]): number =>
  trace.reduce((sum, { head = "", summary = "" }) => sum + head.length + summary.length, 0);

/** Tokens that wait to be fed in place of what was dropped. */
function restoredTokens({ pending, restored, cache }: SessionCore): number {
  return joinFrames(pending.slice(0, restored), undefined).reduce((sum, item) => sum + cache.count(item), 0);
}

async function carryOut(core: SessionCore, warnings: string[]): Promise<Outcome> {
  const { settings, ledger, anchor } = core;
  const { limit, tail, keepSeconds } = settings;
  const pictures = withoutOldPictures(core);
  if (pictures !== undefined) return keep(core, pictures, "old-frames");
  const plan = settings.strategy.plan({ length: ledger.length, limit, anchor, tail, keepSeconds });
  if (plan.type === "nothing") return { action: "nothing" };
  if (plan.type === "restart") return restart(core, plan, warnings);
  const outcome = await keep(core, plan.ranges, "keep");
  if (ledger.length < limit) return outcome;
  warnings.push(`what was kept still had ${ledger.length} tokens of ${limit}, so all was dropped`);
  return restart(core, DROP_ALL, warnings);
}

async function keep(
  core: SessionCore,
  ranges: readonly Run[],
  action: "keep" | "old-frames",
): Promise<Outcome> {
  const kept = await core.cache.keep(ranges);
  core.ledger.keep(kept);
  if (action === "old-frames" && core.anchor !== undefined)
    core.anchor = kept.reduce(
      (sum, { from, to }) => sum + Math.max(0, Math.min(to, core.anchor ?? 0) - from),
      0,
    );
  return { action, kept };
}

/** A fresh system message, and what else the plan keeps, wait to be fed into an empty cache. */
async function restart(core: SessionCore, plan: Restart, warnings: string[]): Promise<Outcome> {
  const { cache, settings, ledger } = core;
  const cap = summaryRoom(core, warnings);
  const progress = await summaryFor(core, plan, cap);
  const text = core.head.text(progress?.text);
  const head: CacheItem[] = text === "" ? [] : [{ type: "turn", role: "system", text, at: core.time }];
  const headTokens = head.reduce((sum, item) => sum + cache.count(item), 0);
  const recent = plan.keepSeconds > 0 ? recentItems(core, plan.keepSeconds, headTokens) : [];
  const user = plan.lastUserTurn ? lastUserTurn(core) : [];
  await cache.reset();
  ledger.clear();
  core.anchor = undefined;
  core.anchorDue = settings.strategy.name === "drop-middle";
  const restored = [...head, ...user, ...recent];
  core.pending = [...restored, ...core.pending.slice(core.restored)];
  core.restored = restored.length;
  return {
    action: "restart",
    ...(text !== "" && { head: text }),
    ...(progress && { summary: progress.text }),
    ...(progress?.query && { query: progress.query }),
    ...(progress && progress.rungs.length > 0 && { rungs: progress.rungs }),
  };
}

/** The user's newest turn, unless it waits to be fed anyway. */
function lastUserTurn({ notes, pending, settings, count, time }: SessionCore): CacheItem[] {
  const asked = notes.last("user");
  const waits = pending.some((item) => item.type === "turn" && item.role === "user" && item.text === asked);
  if (asked === undefined || waits) return [];
  const text = clipText(asked, Math.floor(settings.limit * LAST_TURN_SHARE), count);
  return text === undefined ? [] : [{ type: "turn", role: "user", text, at: time }];
}

async function summaryFor(core: SessionCore, plan: Restart, cap: number): Promise<Progress | undefined> {
  if (plan.head === "plain") return undefined;
  if (plan.head === "summary") return writeProgress(core, cap);
  const input = progressInput(core, cap);
  const text = renderSteps(core.hostSteps, input);
  return { text: clipText(text, cap, input.count) ?? text, rungs: [], query: undefined };
}

/** The summary's ceiling: its cap, or less where system prompt and knowledge came with the turns and are large. */
function summaryRoom(core: SessionCore, warnings: string[]): number {
  const { limit, summaryCap } = core.settings;
  const plain = core.count(core.head.text());
  const room = Math.floor(limit * HEAD_SHARE) - plain;
  if (room >= summaryCap) return summaryCap;
  if (room <= 0)
    throw new BudgetImpossibleError({
      budget: limit,
      needed: plain,
      head: plain,
      lastUserMessage: 0,
      message: `precis: system prompt and knowledge of the stream have ${plain} tokens, its cache holds ${limit}.`,
      fix: "Use a larger window, or shorten them.",
    });
  warnings.push(`system prompt and knowledge leave ${room} tokens for a summary of ${summaryCap}`);
  return room;
}

/** The newest items of the last seconds, as far as they fit. The old system message is none of them. */
function recentItems(
  { ledger, cache, settings, time }: SessionCore,
  seconds: number,
  head: number,
): CacheItem[] {
  const since = time - seconds;
  let room = Math.min(settings.tail, Math.floor((settings.limit - head) * RECENT_SHARE));
  const items: CacheItem[] = [];
  for (const { item } of ledger.entries().toReversed()) {
    if (item.type === "turn" && (item.role === "system" || item.at < since)) break;
    const part = item.type === "frames" ? framesSince(item, since) : item;
    if (part === undefined) break;
    room -= cache.count(part);
    if (room < 0) break;
    items.unshift(part);
  }
  return items;
}

function framesSince(item: Extract<CacheItem, { type: "frames" }>, since: number): CacheItem | undefined {
  if (item.at >= since) return item;
  if (item.until < since) return undefined;
  const spacing = item.count > 1 ? (item.until - item.at) / (item.count - 1) : 0;
  const from =
    spacing === 0 ? item.count - 1 : Math.min(item.count - 1, Math.ceil((since - item.at) / spacing));
  return sliceFrames(item, from, item.count);
}

/** Ranges without the oldest pictures, so many that enough is free; undefined if even the last but one isn't enough. */
function withoutOldPictures({ ledger, settings }: SessionCore): Run[] | undefined {
  const entries = ledger.entries();
  const isPicture = ({ item }: CacheEntry): boolean => item.type === "frames" && item.images !== undefined;
  const newest = entries.findLastIndex(isPicture);
  let surplus = ledger.length - settings.limit * ENOUGH;
  if (newest < 0 || surplus <= 0) return undefined;
  const ranges = rangesOf(entries, ({ from, to }, entry, at) => {
    if (surplus <= 0 || at >= newest || !isPicture(entry)) return true;
    surplus -= to - from;
    return false;
  });
  return surplus <= 0 ? ranges : undefined;
}
