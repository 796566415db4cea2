import type { GatewayConfig } from "../../config/gateway-schema.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import { hashFor } from "../../core/hash.ts";
import { systemMessage } from "../../core/render.ts";
import type { Message, Part } from "../../core/types.ts";
import type { WireRequest } from "../wires/wire.ts";
import type { CompactorChoice } from "./compactor-choice.ts";
import { countMessage, measureOf } from "./measure.ts";
import { createPace, type Pace } from "./pace.ts";
import { readSteps } from "./redacting.ts";
import type { Windows } from "./windows.ts";

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
    const message = await pace.run(readSteps(config, dialect, wire)).catch(unreadable);
    if (!message) continue;
    await countMessage(measure, message, pace);
    await hashTexts(message, pace);
  }
  const { system, tools } = asked;
  if (system !== undefined && system !== null) {
    const message = await pace.run(readSteps(config, dialect, systemMessage(system))).catch(unreadable);
    // What the engine reads of it is another object with the same texts.
    if (message) await countMessage(measure, message, pace, asked);
  }
  if (tools !== undefined) await pace.run(measure.counter.countFor(asked, stringifyDeep(tools)));
}

async function hashTexts(message: Message, pace: Pace): Promise<void> {
  for (const part of message.parts)
    for (const text of hashedTexts(message, part)) await pace.run(hashFor(message, text));
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
