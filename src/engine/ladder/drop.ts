import { clipArgs, clipText } from "../../core/clip.ts";
import { evenShare } from "../../core/collections.ts";
import { type Draft, type Fate, KEEP, withFates } from "../../core/draft.ts";
import { applyEdits, editableParts, editableText } from "../../core/edits.ts";
import { isOnlyReasoning } from "../../core/rounds.ts";
import type {
  DialectRules,
  DropReason,
  Edit,
  EditReason,
  FilePart,
  FramePart,
  ImagePart,
  Measure,
  Part,
} from "../../core/types.ts";
import { isImageOrFile, mediaPlaceholder, resultWithoutMedia } from "../../reductions/old-images.ts";
import { currentMessage, edited } from "../../reductions/reduction.ts";
import { chooseTail, emptyTail, leastTail, newestUnit, type Tail, tailIndexes } from "../plan/tail.ts";
import {
  type Conversation,
  draftTokens,
  floorTokens,
  mustShow,
  newestSpeaks,
  unansweredTokens,
} from "../read/conversation.ts";
import { neededReasoning } from "../read/reasoning.ts";
import { aroundTail, dropped, type Rung, type RungInput, withoutSummary } from "./step.ts";

/** Of what may be kept, the beginning of the conversation gets at most this share. */
const START_SHARE = 0.25;
/** A draft whose note makes it too large is tried again with less (tokens). */
const NOTE_TOKENS = 40;

/** Rung 4, oldest first: the newest units that fit. */
export const dropOldest: Rung = (input) => keepEnds(input, 0);

/** Rung 4, middle-out: the first user turn and the newest units that fit. */
export const dropMiddle: Rung = (input) => keepEnds(input, START_SHARE);

/** Head, last user message and the unanswered round only. */
export const dropAll: Rung = async (input) => {
  const { conversation, limit, rules } = input;
  const around = (tail: Tail) => withoutSummary(input, aroundTail(conversation, tail, dropped("strategy")));
  for (const tail of [emptyTail(conversation), leastTail(conversation)]) {
    await input.pause();
    const indexes = tailIndexes(conversation, tail);
    const draft = shrinkParts({ conversation, draft: around(tail), indexes, limit, why: "hard-cut", rules });
    if (draft) return draft;
  }
  return around(leastTail(conversation));
};

function keepEnds(input: RungInput, startShare: number): Draft | undefined {
  const { conversation, settings } = input;
  const aim = dropsByChoice(input) ? input.goal : input.limit;
  for (const spare of [0, NOTE_TOKENS]) {
    const landing = aim - floorTokens(conversation) - spare;
    if (landing <= 0) return undefined;
    const most = Math.min(Math.floor(landing * startShare), landing - unansweredTokens(conversation));
    const beginning = most > 0 ? beginningOf(conversation, most) : [];
    const used = beginning.reduce((sum, index) => sum + conversation.tokens[index]!, 0);
    const { share: _share, tokens: _tokens, ...counts } = settings.tail;
    const tail = chooseTail(conversation, {
      tail: { ...counts, minMessages: 1 },
      limit: landing - used,
      soft: false,
    });
    const fates: Fate[] = aroundTail(conversation, tail, dropped(reasonOf(input)));
    for (const index of beginning) fates[index] = KEEP;
    const draft = withoutSummary(input, fates);
    if (draftTokens(conversation, draft) <= Math.max(aim, 0)) return draft;
  }
  return undefined;
}

/** The strategy itself drops (and so lands at `landAt`), or dropping is what is left to do (and stops at the budget). */
function dropsByChoice({ settings }: RungInput): boolean {
  return settings.strategy === "truncate-oldest" || settings.strategy === "drop-middle";
}

function reasonOf(input: RungInput): DropReason {
  return dropsByChoice(input) ? "strategy" : "budget";
}

/** The first user message and what follows in its turn, as whole units within `limit` tokens. */
function beginningOf(conversation: Conversation, limit: number): number[] {
  const { structure, tokens } = conversation;
  const [first] = structure.turns;
  if (!first) return [];
  const kept: number[] = [];
  let sum = 0;
  for (const unit of structure.units) {
    if (unit.from < first.from) continue;
    if (unit.to > first.to) break;
    const indexes = Array.from({ length: unit.to - unit.from }, (_, at) => unit.from + at).filter(
      (index) => !mustShow(conversation, index),
    );
    sum += indexes.reduce((total, index) => total + tokens[index]!, 0);
    if (sum > limit) break;
    kept.push(...indexes);
  }
  return kept;
}

/** Rung 5: the newest unit with its largest parts shortened; if that can't fit, head and last user message alone. */
export const hardCut: Rung = async (input) => {
  const { conversation, rules, limit } = input;
  const { messages } = conversation;
  const newest = newestUnit(conversation);
  if (newest.from < messages.length) {
    const fates = aroundTail(conversation, newest, dropped("budget"));
    const cut = shrinkParts({
      conversation,
      draft: withoutSummary(input, fates),
      indexes: tailIndexes(conversation, newest),
      limit,
      why: "hard-cut",
      rules,
    });
    if (cut) return cut;
    await input.pause();
  }
  return withoutSummary(input, aroundTail(conversation, leastTail(conversation), dropped("budget")));
};

/** The unanswered round may ask images of the last user message to make room for it, up to this share of the budget. */
const ROUND_BESIDE_IMAGES = 0.25;

/**
 * The last user message keeps its text, whatever happens. Where head and last user message don't fit, as many of its images and files go as
 * must, oldest first. Undefined if they fit, or if that isn't enough.
 */
export function withFewerImages(input: RungInput): { conversation: Conversation; edits: Edit[] } | undefined {
  const { conversation, limit } = input;
  const { messages, structure, measure, tokens, isHead } = conversation;
  const { lastUser } = structure;
  if (lastUser === undefined || isHead(lastUser) || floorTokens(conversation) <= limit) return undefined;
  const spare = Math.min(unansweredTokens(conversation), limit * ROUND_BESIDE_IMAGES);
  const edits: Edit[] = [];
  let smaller = conversation;
  for (const [part, media] of editableParts(messages[lastUser]!).entries()) {
    if (!isImageOrFile(media)) continue;
    edits.push({ type: "replace", part, text: mediaPlaceholder(media), why: "hard-cut" });
    const left = measure.message(applyEdits(messages[lastUser]!, edits));
    smaller = { ...conversation, tokens: tokens.with(lastUser, left) };
    if (floorTokens(smaller) + spare <= limit) break;
  }
  return floorTokens(smaller) <= limit ? { conversation: smaller, edits } : undefined;
}

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
      const message = currentMessage(draft, index, messages[index]!);
      const onlyResults = index === messages.length - 1 && newestSpeaks(conversation);
      const edits = editableParts(message).flatMap((part, at): Edit[] => {
        if (onlyResults && part.type !== "tool-result") return [];
        if (index >= keepFrom && isMedia(part)) return [];
        const text =
          partTokens(part, measure) > allowance ? shortenedText(part, allowance, measure.text) : undefined;
        return text === undefined ? [] : [{ type: "replace", part: at, text, why: options.why }];
      });
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

/** What is left of a part that is too large. */
function shortenedText(part: Part, allowance: number, count: Measure["text"]): string | undefined {
  switch (part.type) {
    case "text":
      return clipText(part.text, allowance, count);
    case "tool-result":
      return clipText(resultWithoutMedia(part), allowance, count) ?? "…";
    case "tool-call":
      return clipArgs(part.args, allowance, count);
    case "image":
    case "frame":
    case "file":
      return mediaPlaceholder(part);
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

/** Tokens of what an edit would replace; 0 where none may. */
function partTokens(part: Part, measure: Measure): number {
  if (part.type === "image" || part.type === "frame" || part.type === "file")
    return mediaTokens(part, measure);
  const media = part.type === "tool-result" && !part.locked ? (part.media ?? []) : [];
  return media.reduce((sum, one) => sum + mediaTokens(one, measure), measure.text(editableText(part) ?? ""));
}

/** Pictures are counted by formulas that only know whole messages. */
function mediaTokens(part: ImagePart | FilePart | FramePart, measure: Measure): number {
  return measure.message({ role: "user", parts: [part] }) - measure.message({ role: "user", parts: [] });
}
