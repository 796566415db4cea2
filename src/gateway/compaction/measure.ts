import { setImmediate as breathe } from "node:timers/promises";
import type { GatewayConfig } from "../../config/gateway-schema.ts";
import { systemMessage } from "../../core/draft.ts";
import { hashFor } from "../../core/hash.ts";
import { stringifyDeep } from "../../core/json.ts";
import type { Measure, Message, Part } from "../../core/types.ts";
import { countLongTexts, type PatientCounter, patientCounter } from "../../tokens/exact-counter.ts";
import { createMeasure } from "../../tokens/index.ts";
import type { WireRequest } from "../wires/index.ts";
import type { CompactorChoice } from "./compactors.ts";
import { readWithPauses } from "./redact-secrets.ts";
import type { Windows } from "./windows.ts";

/** Counts messages as the compactor of a conversation does. */
export async function measureOf(
  { windows }: { readonly windows: Windows },
  { upstream, model, tenant }: CompactorChoice,
): Promise<Measure & { readonly counter: PatientCounter }> {
  const info = windows.of(upstream, model, tenant);
  const counter = await patientCounter(info.encoding);
  const factor = windows.factor(upstream, model, tenant);
  return { ...createMeasure({ counter, factor, images: info.images }), counter };
}

export interface CountOptions {
  readonly signal?: AbortSignal;
  /** Told now and then how many messages are counted. */
  readonly onProgress?: (messages: number) => void;
}

/** Counts messages with turns for others in between; recorder and engine, which go through all at once, find it remembered. */
export async function countInSlices(
  parts: { readonly windows: Windows },
  choice: CompactorChoice,
  messages: Iterable<Message>,
  { signal, onProgress }: CountOptions = {},
): Promise<void> {
  const measure = await measureOf(parts, choice);
  let counted = 0;
  const pace = createPace({ ...(signal && { signal }), onPause: () => onProgress?.(counted) });
  for (const message of messages) {
    await countMessage(measure, message, pace);
    counted += 1;
  }
}

/** Counts a message, a long one in steps: whoever counts it again has its tokens at once. */
async function countMessage(
  measure: Measure & { readonly counter: PatientCounter },
  message: Message,
  pace: Pace,
  /** What holds its texts. */
  owner: object = message,
): Promise<void> {
  await countLongTexts(measure, message, pace.pause, owner);
  measure.message(message);
  await pace.pause();
}

/** How long work may keep others waiting, as far as its steps allow (milliseconds). */
const SLICE_MS = 8;

/** Long work for one client, with turns for all others in between. */
export interface Pace {
  /** Lets the others have their turn, if this one was long enough. Throws when the client has gone: nobody needs what comes after. */
  pause(): Promise<void>;
}

export function createPace({
  signal,
  onPause,
}: {
  readonly signal?: AbortSignal;
  readonly onPause?: () => void;
} = {}): Pace {
  let started = performance.now();
  const pause = async (): Promise<void> => {
    if (performance.now() - started < SLICE_MS) return;
    onPause?.();
    await breathe();
    signal?.throwIfAborted();
    started = performance.now();
  };
  return { pause };
}

/** From here on reading and counting a request takes long enough for others to notice (bytes). */
const LONG_FROM_BYTES = 512 * 1024;

interface LookParts {
  readonly config: Pick<GatewayConfig, "redact">;
  readonly windows: Windows;
}

/**
 * Reads, counts and hashes a long request piece by piece. What was found out is remembered for as long as the request lives, so
 * that recorder and engine, which go through all of it at once, have little left to do. Ends when the client has gone.
 * Undefined for a request that isn't long.
 */
export function lookAhead(
  parts: LookParts,
  choice: CompactorChoice,
  request: {
    readonly bytes: number;
    readonly asked: Pick<WireRequest, "transcript" | "system" | "tools">;
    readonly signal: AbortSignal;
  },
): Promise<void> | undefined {
  return request.bytes < LONG_FROM_BYTES ? undefined : look(parts, choice, request);
}

async function look(
  { config, windows }: LookParts,
  choice: CompactorChoice,
  { asked, signal }: Parameters<typeof lookAhead>[2],
): Promise<void> {
  const { dialect } = choice.wire;
  const measure = await measureOf({ windows }, choice);
  const pace = createPace({ signal });
  /** What can't be read is for others to refuse, in words. */
  const unreadable = (): undefined => signal.throwIfAborted() as undefined;
  for (const wire of asked.transcript) {
    const message = await readWithPauses(config, dialect, wire, pace.pause).catch(unreadable);
    if (!message) continue;
    await countMessage(measure, message, pace);
    await hashTexts(message, pace);
  }
  const { system, tools } = asked;
  if (system !== undefined && system !== null) {
    const message = await readWithPauses(config, dialect, systemMessage(system), pace.pause).catch(
      unreadable,
    );
    // What the engine reads of it is another object with the same texts.
    if (message) await countMessage(measure, message, pace, asked);
  }
  if (tools !== undefined) await measure.counter.countFor(asked, stringifyDeep(tools), pace.pause);
}

async function hashTexts(message: Message, pace: Pace): Promise<void> {
  for (const part of message.parts)
    for (const text of hashedTexts(message, part)) await hashFor(message, text, pace.pause);
}

/** What of a part is part of a message's name (`nextLink`). */
function hashedTexts({ role }: Message, part: Part): readonly string[] {
  switch (part.type) {
    case "text":
      return [role === "assistant" ? part.text.trim() : part.text];
    case "tool-result":
      return [part.text, ...(part.media ?? []).map(({ source }) => source)];
    case "tool-call":
      return [part.args];
    case "image":
    case "file":
    case "frame":
      return [part.source];
    case "other":
      return [part.json];
    default:
      return [];
  }
}
