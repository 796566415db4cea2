import { clipArgs, clipText } from "../core/clip.ts";
import { type Draft, type Fate, withFates } from "../core/draft.ts";
import { editableParts } from "../core/edits.ts";
import { isOnlyReasoning } from "../core/rounds.ts";
import type { Edit, EditReason, Part } from "../core/types.ts";
import { mediaPlaceholder, resultWithoutMedia } from "../reductions/old-images.ts";
import { currentMessage, edited } from "../reductions/reduction.ts";
import { type Conversation, draftTokens, newestSpeaks } from "./conversation.ts";

/** Even a hard cut leaves a part this many tokens: enough for the marker that says what is missing. */
const LEAST_PART = 16;
/** Each further attempt allows this much of the one before. */
const STEP = 0.7;
const MAX_STEPS = 16;

/**
 * Shortens the largest parts of the given messages until the draft fits `limit`, all to the same allowance, so that
 * small parts stay whole. Undefined if even the smallest allowance doesn't fit.
 */
export function shrinkParts(options: {
  readonly conversation: Conversation;
  readonly draft: Draft;
  readonly indexes: readonly number[];
  readonly limit: number;
  readonly why: EditReason;
  /** Only tool results, not the assistant's own text and arguments. */
  readonly only?: "results";
}): Draft | undefined {
  const { conversation, draft, indexes, limit } = options;
  const tokens = draftTokens(conversation, draft);
  if (tokens <= limit) return draft;
  const { measure, messages } = conversation;
  const sizes = indexes.flatMap((index) =>
    editableParts(currentMessage(draft, index, messages[index]!)).map((part) =>
      partTokens(part, measure.text),
    ),
  );
  let allowance = uniformAllowance(sizes, sizes.reduce((sum, size) => sum + size, 0) - (tokens - limit));
  // Something must be left when messages of nothing but reasoning go.
  const leadsOn = indexes.some(
    (index) => messages[index]!.role !== "system" && !isOnlyReasoning(messages[index]!),
  );
  for (let step = 0; step < MAX_STEPS; step++) {
    allowance = Math.max(LEAST_PART, Math.floor(allowance));
    const changes = new Map<number, Fate>();
    for (const index of indexes) {
      const edits = shortened(
        currentMessage(draft, index, messages[index]!),
        allowance,
        index === messages.length - 1 && newestSpeaks(conversation)
          ? { ...options, only: "results" }
          : options,
        measure.text,
      );
      // Reasoning goes before a word is cut.
      const thinks =
        options.why === "hard-cut" && messages[index]!.parts.some((part) => part.type === "reasoning");
      const only = isOnlyReasoning(messages[index]!);
      if (thinks && !only) edits.push({ type: "strip-reasoning", why: "hard-cut" });
      if (thinks && only && leadsOn) changes.set(index, { type: "drop", reason: "reasoning" });
      else if (edits.length > 0) changes.set(index, edited(draft.fates[index]!, edits));
    }
    const smaller = withFates(draft, changes);
    if (draftTokens(conversation, smaller) <= limit) return smaller;
    if (allowance === LEAST_PART) return undefined;
    allowance *= STEP;
  }
  return undefined;
}

function shortened(
  message: Parameters<typeof editableParts>[0],
  allowance: number,
  options: { readonly why: EditReason; readonly only?: "results" },
  count: (text: string) => number,
): Edit[] {
  const edits: Edit[] = [];
  for (const [at, part] of editableParts(message).entries()) {
    if (options.only === "results" && part.type !== "tool-result") continue;
    const text = shortenedText(part, allowance, count);
    if (text !== undefined) edits.push({ type: "replace", part: at, text, why: options.why });
  }
  return edits;
}

function shortenedText(part: Part, allowance: number, count: (text: string) => number): string | undefined {
  switch (part.type) {
    case "text":
      return count(part.text) > allowance ? clipText(part.text, allowance, count) : undefined;
    case "tool-result": {
      if (part.locked) return undefined;
      const text = part.media?.length ? resultWithoutMedia(part) : part.text;
      if (!part.media?.length && count(text) <= allowance) return undefined;
      return clipText(text, allowance, count) ?? "…";
    }
    case "tool-call":
      return !part.locked && count(part.args) > allowance ? clipArgs(part.args, allowance, count) : undefined;
    case "image":
      return mediaPlaceholder(part);
    case "file":
      return mediaPlaceholder(part);
    default:
      return undefined;
  }
}

function partTokens(part: Part, count: (text: string) => number): number {
  switch (part.type) {
    case "text":
      return count(part.text);
    case "tool-result":
      return part.locked ? 0 : count(part.text);
    case "tool-call":
      return part.locked ? 0 : count(part.args);
    default:
      return 0;
  }
}

/** The allowance at which the sizes, each cut to it, sum up to `target`. */
function uniformAllowance(sizes: readonly number[], target: number): number {
  const sorted = [...sizes].sort((a, b) => a - b);
  let left = target;
  for (const [at, size] of sorted.entries()) {
    const share = left / (sorted.length - at);
    if (size > share) return share;
    left -= size;
  }
  return sorted.at(-1) ?? LEAST_PART;
}
