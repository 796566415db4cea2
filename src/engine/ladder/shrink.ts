import { clipArgs, clipText } from "../../core/clip.ts";
import { evenShare } from "../../core/collections.ts";
import { type Draft, type Fate, withFates } from "../../core/draft.ts";
import { editableParts } from "../../core/edits.ts";
import { isOnlyReasoning } from "../../core/rounds.ts";
import type {
  DialectRules,
  Edit,
  EditReason,
  FilePart,
  FramePart,
  ImagePart,
  Measure,
  Part,
} from "../../core/types.ts";
import { mediaPlaceholder, resultWithoutMedia } from "../../reductions/old-images.ts";
import { currentMessage, edited } from "../../reductions/reduction.ts";
import { type Conversation, draftTokens, newestSpeaks } from "../read/conversation.ts";
import { neededReasoning } from "../read/reasoning.ts";

/** Even a hard cut leaves a part this many tokens: enough for the marker that says what is missing. */
const LEAST_PART = 16;
/** A part is rarely cut to its allowance exactly: so many further attempts allow just as much less as was too much … */
const FINE_STEPS = 4;
/** … and each one after them this much of the one before. */
const STEP = 0.7;
const MAX_STEPS = 20;
/** Pictures of the newest round stay for as long as every other part keeps this many tokens: nobody has seen them yet. */
const LEAST_BESIDE_PICTURES = 100;

interface ShrinkOptions {
  readonly conversation: Conversation;
  readonly draft: Draft;
  readonly indexes: readonly number[];
  readonly limit: number;
  readonly why: EditReason;
  /** Only tool results, not the assistant's own text and arguments. */
  readonly only?: "results";
  readonly rules: DialectRules;
}

/**
 * Shortens the largest parts of the given messages until the draft fits `limit`, all to the same allowance, so that
 * small parts stay whole. Undefined if even the smallest allowance doesn't fit.
 */
export function shrinkParts(options: ShrinkOptions): Draft | undefined {
  const { conversation, draft, limit } = options;
  if (draftTokens(conversation, draft) <= limit) return draft;
  const { messages, structure } = conversation;
  const newest = structure.units.at(-1)?.from ?? messages.length;
  const hasPictures = options.indexes.some(
    (index) => index >= newest && messages[index]!.parts.some(isMedia),
  );
  const withPictures = hasPictures ? shrinkTo(options, LEAST_BESIDE_PICTURES, newest) : undefined;
  return withPictures ?? shrinkTo(options, LEAST_PART, messages.length);
}

/** Leaves every part `least` tokens, and pictures from the message `keepFrom` on as they are. */
function shrinkTo(options: ShrinkOptions, least: number, keepFrom: number): Draft | undefined {
  const { conversation, draft, indexes, limit } = options;
  const { measure, messages } = conversation;
  const needsReasoning = neededReasoning(conversation, options.rules);
  const tokens = draftTokens(conversation, draft);
  const sizes = indexes.flatMap((index) =>
    editableParts(currentMessage(draft, index, messages[index]!))
      .filter((part) => index < keepFrom || !isMedia(part))
      .map((part) => partTokens(part, measure)),
  );
  const share = evenShare(sizes, sizes.reduce((sum, size) => sum + size, 0) - (tokens - limit));
  let allowance = Math.min(
    share,
    sizes.reduce((most, size) => Math.max(most, size), LEAST_PART),
  );
  // Something must be left when messages of nothing but reasoning go.
  const leadsOn = indexes.some(
    (index) => messages[index]!.role !== "system" && !isOnlyReasoning(messages[index]!),
  );
  for (let step = 0; step < MAX_STEPS; step++) {
    allowance = Math.max(least, Math.floor(allowance));
    const changes = new Map<number, Fate>();
    for (const index of indexes) {
      const edits = shortened(
        currentMessage(draft, index, messages[index]!),
        allowance,
        {
          why: options.why,
          ...(options.only !== undefined && { only: options.only }),
          ...(index === messages.length - 1 && newestSpeaks(conversation) && { only: "results" as const }),
          keepsPictures: index >= keepFrom,
        },
        measure,
      );
      // Reasoning goes before a word is cut, where it may.
      const thinks =
        options.why === "hard-cut" &&
        !needsReasoning(index) &&
        messages[index]!.parts.some((part) => part.type === "reasoning");
      const only = isOnlyReasoning(messages[index]!);
      if (thinks && !only) edits.push({ type: "strip-reasoning", why: "hard-cut" });
      if (thinks && only && leadsOn) changes.set(index, { type: "drop", reason: "reasoning" });
      else if (edits.length > 0) changes.set(index, edited(draft.fates[index]!, edits));
    }
    const smaller = withFates(draft, changes);
    const over = draftTokens(conversation, smaller) - limit;
    if (over <= 0) return smaller;
    if (allowance === least) return undefined;
    const cut = sizes.filter((size) => size > allowance).length;
    allowance = step < FINE_STEPS ? allowance - Math.ceil(over / Math.max(1, cut)) : allowance * STEP;
  }
  return undefined;
}

function shortened(
  message: Parameters<typeof editableParts>[0],
  allowance: number,
  options: { readonly why: EditReason; readonly only?: "results"; readonly keepsPictures: boolean },
  measure: Measure,
): Edit[] {
  const edits: Edit[] = [];
  for (const [at, part] of editableParts(message).entries()) {
    if (options.only === "results" && part.type !== "tool-result") continue;
    if (options.keepsPictures && isMedia(part)) continue;
    const text = shortenedText(part, allowance, measure);
    if (text !== undefined) edits.push({ type: "replace", part: at, text, why: options.why });
  }
  return edits;
}

function shortenedText(part: Part, allowance: number, measure: Measure): string | undefined {
  const count = measure.text;
  switch (part.type) {
    case "text":
      return count(part.text) > allowance ? clipText(part.text, allowance, count) : undefined;
    case "tool-result": {
      if (part.locked || partTokens(part, measure) <= allowance) return undefined;
      return clipText(resultWithoutMedia(part), allowance, count) ?? "…";
    }
    case "tool-call":
      return !part.locked && count(part.args) > allowance ? clipArgs(part.args, allowance, count) : undefined;
    case "image":
    case "frame":
    case "file":
      return partTokens(part, measure) > allowance ? mediaPlaceholder(part) : undefined;
    default:
      return undefined;
  }
}

/** Pictures and files, also in the result of a tool. */
function isMedia(part: Part): boolean {
  return (
    part.type === "image" ||
    part.type === "frame" ||
    part.type === "file" ||
    (part.type === "tool-result" && !part.locked && (part.media?.length ?? 0) > 0)
  );
}

function partTokens(part: Part, measure: Measure): number {
  switch (part.type) {
    case "text":
      return measure.text(part.text);
    case "tool-result": {
      if (part.locked) return 0;
      const pictures = (part.media ?? []).reduce((sum, media) => sum + mediaTokens(media, measure), 0);
      return measure.text(part.text) + pictures;
    }
    case "tool-call":
      return part.locked ? 0 : measure.text(part.args);
    case "image":
    case "frame":
    case "file":
      return mediaTokens(part, measure);
    default:
      return 0;
  }
}

/** Pictures are counted by formulas that only know whole messages. */
function mediaTokens(part: ImagePart | FilePart | FramePart, measure: Measure): number {
  return measure.message({ role: "user", parts: [part] }) - measure.message({ role: "user", parts: [] });
}
