import type { Message } from "../../core/types.ts";
import { fittingQuotations } from "../../engine/recall/fitting-quotations.ts";
import type { Past, PastPoint, PlacedEvent, TimelineEvent } from "../api.ts";
import type { Timeline } from "../telemetry/timeline.ts";
import { metaOf } from "./chat-meta.ts";
import type { Loaded, LoadParts } from "./loaded.ts";

/** A compaction that requests stood on. */
export interface CompactionInForce {
  readonly checkpoint: string | undefined;
  /** Messages of the transcript when it was made. */
  readonly messages: number;
  /** Tokens of the view that it left. */
  readonly tokens: number;
}

/** Points that are told of one conversation: more of them than a screen has pixels help nobody. */
const MAX_POINTS = 4_000;
/** Events that are read at once, and in all. */
const EVENTS_AT_ONCE = 1_000;
const MAX_EVENTS = 20_000;
/** Forks of forks that are followed back. */
const MAX_ORIGINS = 20;

/** The events of a conversation, and of those that it was forked from up to the fork, by their place in its transcript. */
export async function placedEvents(
  parts: LoadParts & { readonly timeline: Timeline },
  tenant: string,
  loaded: Loaded,
): Promise<readonly PlacedEvent[]> {
  const { stored, lead } = loaded;
  const messagesBy = messagesByTime(stored.map(({ at }) => at));
  let { conversation } = loaded;
  let length = stored.length;
  let until = Number.POSITIVE_INFINITY;
  const placed: PlacedEvent[] = [];
  for (let n = 0; n < MAX_ORIGINS; n++) {
    const events = await allEvents(parts.timeline, tenant, conversation.id);
    placed.push(
      ...events
        .filter(({ at }) => at <= until)
        .map((event) => ({ ...event, messages: placeOf(event, messagesBy, lead.length) }))
        .filter(({ messages }) => messages <= length),
    );
    const { fork } = metaOf(conversation);
    const origin = fork && (await parts.store.conversations.get(tenant, fork.of));
    if (fork === undefined || !origin) break;
    length = Math.min(length, fork.length);
    until = Math.min(until, conversation.createdAt);
    conversation = origin;
  }
  return placed.sort((a, b) => a.messages - b.messages || a.id - b.id);
}

async function allEvents(timeline: Timeline, tenant: string, conversation: string): Promise<TimelineEvent[]> {
  const all: TimelineEvent[] = [];
  for (;;) {
    const more = await timeline.list(tenant, conversation, all.at(-1)?.id, EVENTS_AT_ONCE);
    all.push(...more);
    if (more.length < EVENTS_AT_ONCE || all.length >= MAX_EVENTS) return all;
  }
}

/** A compaction accounts for every message that there was; of anything else the time tells how many there were. */
function placeOf(event: TimelineEvent, messagesBy: (time: number) => number, lead: number): number {
  if (event.type === "compacted") {
    const { kept, edited, covered, dropped } = event.counts;
    return Math.max(0, kept + edited + covered + dropped - lead);
  }
  return messagesBy(event.at);
}

/**
 * How many messages there were at a time: all up to the last one that isn't newer. Each answer takes a few steps, because both
 * events and messages are thousands.
 */
export function messagesByTime(times: readonly number[]): (time: number) => number {
  // Imported messages needn't stand in the order of their times. The oldest time from a place on never falls.
  const oldestFrom = [...times];
  for (let at = times.length - 2; at >= 0; at--) oldestFrom[at] = Math.min(times[at]!, oldestFrom[at + 1]!);
  return (time) => countUntil(oldestFrom.length, (at) => oldestFrom[at]! <= time);
}

/** How many of the first items hold, where all that hold come first. */
function countUntil(length: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What an event left for requests to stand on; undefined if it changed nothing about that. */
export function madeBy(event: PlacedEvent): CompactionInForce | undefined {
  const { messages } = event;
  if (event.type === "compacted")
    return { checkpoint: event.checkpoint, messages, tokens: event.tokens.after };
  // New words for a summary make another view of the same messages.
  if ((event.type === "summary-edited" || event.type === "restored") && event.view?.checkpoint !== undefined)
    return { checkpoint: event.view.checkpoint, messages, tokens: event.view.tokens };
  return undefined;
}

/** Which compaction requests stood on, by the number of messages that the transcript had. */
export function inForceAt(
  events: readonly PlacedEvent[],
): (messages: number) => CompactionInForce | undefined {
  const changes: { readonly messages: number; readonly inForce: CompactionInForce | undefined }[] = [];
  const stack: CompactionInForce[] = [];
  for (const event of events) {
    const { messages } = event;
    const made = madeBy(event);
    if (event.type === "summary-edited") {
      if (!event.view) continue;
      // The view with the old words was left for it.
      stack.pop();
    }
    if (made) stack.push(made);
    else if (event.type === "undone") {
      const undone = stack.findLastIndex(({ checkpoint }) => checkpoint === event.checkpoint);
      if (stack.length > 0) stack.splice(undone, 1);
    } else if (event.type === "cleared") stack.length = 0;
    else if (event.type !== "summary-edited") continue;
    changes.push({ messages, inForce: stack.at(-1) });
  }
  return (messages) =>
    changes[countUntil(changes.length, (at) => changes[at]!.messages <= messages) - 1]?.inForce;
}

/** What a view quoted for a user message, as the timeline counts it. */
export interface RecordedQuote {
  /** The compaction whose views show it. */
  readonly checkpoint: string;
  /** Messages of the transcript when it was first sent. */
  readonly messages: number;
  readonly tokens: number;
  /** What views of this compaction may have. */
  readonly budget: number;
}

/** What was sent before each answer. Between compactions a view grows by what is said. */
export function pastOf(options: {
  readonly messages: readonly Message[];
  /** Leading system messages among them. */
  readonly lead: number;
  /** Tokens of each message, and of a system prompt that stands apart from them. */
  readonly tokens: readonly number[];
  readonly system: number;
  readonly events: readonly PlacedEvent[];
  /** Tokens of the views that compactions left, by checkpoint, as they are counted now; otherwise as they were then. */
  readonly sizes?: ReadonlyMap<string, number>;
  /** What views quoted for user messages, oldest first; sizes don't hold it. */
  readonly quotes?: readonly RecordedQuote[];
}): Past {
  const { messages, lead, tokens, system, events, sizes } = options;
  const quotesOf = Map.groupBy(options.quotes ?? [], ({ checkpoint }) => checkpoint);
  const until: number[] = [system];
  for (const [index, count] of tokens.entries()) until.push(until[index]! + count);
  const inForce = inForceAt(events);
  /** Messages of the transcript when each quotation stood in the view last. */
  const stood = new Map<RecordedQuote, number>();
  const pointAt = (length: number): PastPoint => {
    const transcript = until[length + lead]!;
    const compaction = inForce(length);
    if (compaction === undefined) return { messages: length, transcript, view: transcript };
    const size = sizes?.get(compaction.checkpoint ?? "");
    // What was counted then counted what was quoted at once.
    const from = size === undefined ? compaction.messages + 1 : 0;
    const quotes = (quotesOf.get(compaction.checkpoint ?? "") ?? []).filter(
      (quote) => quote.messages >= from && quote.messages <= length,
    );
    const newer = transcript - until[Math.min(compaction.messages, length) + lead]!;
    const all = quotes.reduce((sum, { tokens }) => sum + tokens, (size ?? compaction.tokens) + newer);
    // As when it was sent: the oldest left where the view had no room for them.
    const { quoted, tokens: view } = fittingQuotations(quotes, all, quotes[0]?.budget ?? all);
    for (const quote of quoted) stood.set(quote, length);
    return { messages: length, transcript, view };
  };
  const answers = messages.flatMap(({ role }, index) =>
    index > lead && role === "assistant" ? [index - lead] : [],
  );
  const every = Math.ceil(answers.length / MAX_POINTS);
  const shown = new Set(answers.filter((_, nth) => every <= 1 || nth % every === 0));
  // The moments at which something changed are always among them.
  for (const event of events) if (event.type === "compacted") shown.add(event.messages);
  const sent = [...shown].sort((a, b) => a - b);
  const now = messages.length - lead;
  if (now > 0) shown.add(now);
  const points = [...shown].sort((a, b) => a - b).map(pointAt);
  return { points, events: withEnds(events, sent, stood) };
}

/** Events, and of each recall when its quotation left the view. `sent` are the moments at which views were made, oldest first. */
function withEnds(
  events: readonly PlacedEvent[],
  sent: readonly number[],
  stood: ReadonlyMap<RecordedQuote, number>,
): readonly PlacedEvent[] {
  const last = new Map<number, number>();
  for (const [{ messages }, length] of stood) last.set(messages, Math.max(length, last.get(messages) ?? 0));
  return events.map((event) => {
    const length = event.type === "recalled" && last.get(event.before + 1);
    if (!length) return event;
    const until = sent[countUntil(sent.length, (at) => sent[at]! <= length)];
    return until === undefined ? event : { ...event, until };
  });
}
