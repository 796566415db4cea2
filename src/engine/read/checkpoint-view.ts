import { findCheckpoint, restoreDraft } from "../../core/checkpoint.ts";
import { clipMarker } from "../../core/clip.ts";
import {
  coversOf,
  type Draft,
  entriesOf,
  type Fate,
  isShown,
  KEEP,
  keepAll,
  renderView,
  withFates,
  withoutInserts,
} from "../../core/draft.ts";
import { editableParts, editableText } from "../../core/edits.ts";
import { breachesOf } from "../../core/invariants.ts";
import { isExactNumber, tryParseExact } from "../../core/json.ts";
import { isOnlyReasoning } from "../../core/rounds.ts";
import { sameValue } from "../../core/same-message.ts";
import type { Remembered } from "../../core/state/read-state.ts";
import type { Checkpoint, Dialect, DialectRules, Edit, Message, Part, Undo } from "../../core/types.ts";
import { mediaPlaceholder, resultWithoutMedia } from "../../reductions/old-images.ts";
import { sourcesOf } from "../../reductions/old-retrieval.ts";
import { SUPERSEDED } from "../../reductions/superseded-results.ts";
import { reframe } from "../../summaries/write/sections.ts";
import { mergeIntoSystem } from "../ladder/cover-by-summary.ts";
import { withRoleNotes } from "../ladder/step.ts";
import { roundsText } from "../ladder/summarize.ts";
import { type Conversation, mustShow, newestSpeaks, recordOfLong, wholeTokens } from "./conversation.ts";
import { LARGER_BUDGET } from "./limits.ts";
import { detachFromHiddenReasoning, isSigned, withNeededReasoning } from "./reasoning.ts";

/** A checkpoint made for a smaller budget is left when the whole transcript is below this share of the present one. */
export const LEAVE_BELOW = 0.65;

/** What a checkpoint is chosen by. */
export interface CheckpointChoice {
  readonly state: Pick<Remembered, "checkpoints" | "undos" | "last" | "branches">;
  readonly chain: readonly string[];
  readonly dialect: string;
  readonly strategy: string;
  /** Tokens that the present view may have. */
  readonly budget: number;
  /** Tokens of the whole transcript. */
  readonly total: number;
  /** Pressure from which on a compaction is due. */
  readonly startsAt: number;
  /** Time of records that are made now. */
  readonly recordAt: number;
}

/** The checkpoint that the current view stands on, and what was left on the way to it. */
interface ChosenCheckpoint {
  readonly checkpoint: Checkpoint | undefined;
  /** Records of checkpoints that are left for a larger budget just now: they are kept, or the view would flip back. */
  readonly left: readonly Undo[];
}

/**
 * The newest checkpoint that this transcript begins with and that nobody undid. One that was made for a smaller budget is
 * left for good, until a compaction is due anyway: a view that was shown whole doesn't shrink because the transcript grew.
 */
function chooseCheckpoint(choice: CheckpointChoice): ChosenCheckpoint {
  const { state, budget, total, startsAt } = choice;
  const roomy = total < startsAt * budget;
  const wasLeft = new Set(state.undos.flatMap(({ why, checkpoint }) => (why ? [checkpoint] : [])));
  const skipped: Undo[] = state.undos.filter(({ why }) => !why);
  const left: Undo[] = [];
  const shown = [...state.branches, ...(state.last ? [state.last] : [])];
  for (;;) {
    const checkpoint = findCheckpoint({
      ...choice,
      checkpoints: state.checkpoints,
      undos: skipped,
      shown,
    });
    if (!checkpoint) return { checkpoint, left };
    const { why, ...skip } = leave(checkpoint, choice);
    if (wasLeft.has(checkpoint.id) && roomy) skipped.push(skip);
    else if (checkpoint.budget * LARGER_BUDGET > budget) return { checkpoint, left };
    else if (total < LEAVE_BELOW * budget) {
      skipped.push(skip);
      left.push({ ...skip, why });
    } else return { checkpoint, left };
  }
}

/** The record of a checkpoint that is left for a larger budget. */
function leave({ id }: Checkpoint, { budget, total, recordAt }: CheckpointChoice) {
  return {
    checkpoint: id,
    at: recordAt,
    pressure: total / budget,
    why: "larger-budget",
  } as const satisfies Undo;
}

/** Undos by a person, of checkpoints that this transcript begins with. */
export function undosOf(choice: CheckpointChoice): readonly Undo[] {
  const { state } = choice;
  return state.undos.filter(
    (undo) =>
      !undo.why &&
      findCheckpoint({
        ...choice,
        checkpoints: state.checkpoints.filter(({ id }) => id === undo.checkpoint),
        undos: [],
      }),
  );
}

/** A round fits with ease where the budget is this many times what must be shown: it isn't cut again at once. */
const WITH_EASE = 1.25;

/** The view that a conversation goes on from. */
export interface CurrentView {
  readonly checkpoint: Checkpoint | undefined;
  /** There is a checkpoint, but its view of this transcript would break a post-condition. */
  readonly invalid: boolean;
  /** Records of checkpoints that are left just now because the budget is larger; to be saved with the next view. */
  readonly left: readonly Undo[];
  /** Messages that the checkpoint hid or shortened and that are shown again: pins, the other half of a round. */
  readonly broughtBack: readonly number[];
  /** Nobody vouches for the checkpoint, and so it is shown otherwise than it was made. */
  readonly reworded: boolean;
  readonly current: Draft;
}

/** The view of the newest checkpoint that still holds, or all of the transcript. */
export function currentView<M>(
  choice: CheckpointChoice & { readonly state: Pick<Remembered, "unproven"> },
  read: ReadTranscript<M>,
  /** Tokens that the view may have. */
  budget: number,
  /** Look at the whole transcript as if nothing had been compacted. */
  fresh: boolean,
): CurrentView {
  const { conversation } = read;
  const whole = { broughtBack: [], reworded: false, current: keepAll(conversation.messages.length) };
  const { checkpoint, left } = fresh ? { checkpoint: undefined, left: [] } : chooseCheckpoint(choice);
  const isUnproven = checkpoint !== undefined && choice.state.unproven.has(checkpoint.id);
  const view = checkpoint && viewOfCheckpoint(checkpoint, conversation, read.dialect, isUnproven);
  if (!checkpoint || !view) return { ...whole, checkpoint: undefined, invalid: false, left };
  // The model asked for its newest results and has never seen them: a view that was made for less room may not keep them from it.
  // What a long history needs for its record isn't room for them: a new compaction would cut them again.
  const isTooNarrow =
    wholeTokens(conversation) * WITH_EASE <= budget - recordOfLong(conversation, budget) &&
    !showsUnanswered(conversation, view.draft);
  const allLeft = isTooNarrow ? [...left, leave(checkpoint, choice)] : left;
  // What the view ended with may have been taken back, or what must be shown by now may not go with the rest; or nobody
  // vouches for the view.
  const isDoubtful =
    view.shown.length > 0 || checkpoint.seen.messages > conversation.messages.length || isUnproven;
  const isBroken = (): boolean => judge(read, { draft: view.draft, tokens: 0, limit: 0 }).length > 0;
  if (isTooNarrow || (isDoubtful && isBroken()))
    return { ...whole, checkpoint: undefined, invalid: true, left: allLeft };
  return {
    checkpoint,
    invalid: false,
    left: allLeft,
    broughtBack: view.shown,
    reworded: view.reworded,
    current: view.draft,
  };
}

export interface ReadTranscript<M> {
  readonly dialect: Dialect<M>;
  readonly transcript: readonly M[];
  readonly system: unknown;
  readonly conversation: Conversation;
}

/** The post-conditions of a draft, judged on the wire messages that it renders to. */
export function judge<M>(
  { dialect, transcript, system, conversation }: ReadTranscript<M>,
  { draft, tokens, limit }: { readonly draft: Draft; readonly tokens: number; readonly limit: number },
): readonly string[] {
  const entries = entriesOf(draft);
  const rendered = renderView({ dialect, transcript, entries, system });
  return breachesOf({
    messages: conversation.messages,
    structure: conversation.structure,
    entries,
    shown: rendered.messages.map((message) => dialect.read(message)),
    rules: dialect.rules,
    isHead: conversation.isHead,
    tokens,
    budget: limit,
    transcriptTokens: conversation.total,
  });
}

interface CheckpointView extends Amended {
  /** Nobody vouches for the checkpoint, and so it is shown otherwise than it was made. */
  readonly reworded: boolean;
}

/** The checkpoint's view of the transcript as it is now. Undefined if the record doesn't fit it. */
function viewOfCheckpoint<M>(
  checkpoint: Checkpoint,
  conversation: Conversation,
  dialect: Dialect<M>,
  isUnproven: boolean,
): CheckpointView | undefined {
  const { messages, structure } = conversation;
  const restored = restoreDraft(checkpoint, messages, structure.start);
  if (!restored) return undefined;
  const believed = isUnproven ? unprovenView(restored, conversation) : restored;
  const { draft, shown } = amend(conversation, believed, dialect.rules);
  const { rules } = dialect;
  const merged = mergeIntoSystem({ conversation, rules }, draft);
  return {
    // What was brought back may begin the view, or stand beside a message of its own role.
    draft: withRoleNotes(
      { conversation, rules },
      // What was newer than the checkpoint may have come from reasoning that it hides.
      detachFromHiddenReasoning({ conversation, rules }, withNeededReasoning(conversation, rules, merged)),
    ),
    shown,
    reworded: isUnproven && !sameValue(restored, believed),
  };
}

/**
 * The view of a checkpoint that came from outside and that nobody signed. It may hide messages and shorten them, and say
 * in a summary message what they were about: that is all that a compaction does. It can't speak in another role, outside
 * of the summary's frame, or change what somebody said.
 */
function unprovenView(draft: Draft, conversation: Conversation): Draft {
  const { messages } = conversation;
  return {
    inserts: draft.inserts.map(({ message: { text }, merged: _, ...insert }, at) => ({
      ...insert,
      // What begins like a summary of rounds can go on in the user's voice; what code would write again needs nobody's word.
      message: { role: "user", text: text === roundsText(conversation, draft, at) ? text : reframe(text) },
    })),
    fates: draft.fates.map((fate, index) =>
      fate.type === "edit" ? unprovenEdit(fate.edits, messages[index]!) : fate,
    ),
  };
}

function unprovenEdit(edits: readonly Edit[], message: Message): Fate {
  const parts = editableParts(message);
  const believed = edits.flatMap((edit): Edit[] => {
    if (edit.type === "append") return [];
    if (edit.type === "strip-reasoning" || edit.type === "strip-fields") return [edit];
    const part = parts[edit.part];
    if (!part) return [];
    if (isShortened(edit.text, part)) return [edit];
    // What the part was made into isn't known, so nothing of it is shown.
    return [{ ...edit, text: leastOf(part) }];
  });
  return believed.length > 0 ? { type: "edit", edits: believed } : KEEP;
}

/** The shortest text that can stand for a part. */
function leastOf(part: Part): string {
  if (part.type === "tool-call") return "{}";
  if (part.type === "image" || part.type === "frame" || part.type === "file") return mediaPlaceholder(part);
  return clipMarker(editableText(part)?.length ?? 0, 1);
}

/** The view of a checkpoint with what must be shown by now, although it was hidden or shortened when it was made. */
interface Amended {
  readonly draft: Draft;
  /** The messages that were brought back, by index. */
  readonly shown: readonly number[];
}

/**
 * Brings back what the view of an older checkpoint may no longer hide: messages that were pinned since, a last user
 * message that became the last one because later ones were taken back, the other half of a round whose result came late.
 * Everything else stays as the compaction left it. Rounds come back whole.
 */
function amend(
  conversation: Conversation,
  draft: Draft,
  rules: Pick<DialectRules, "boundReasoning">,
): Amended {
  const { structure, messages } = conversation;
  const { fates } = draft;
  const due = new Set<number>();
  const bringBack = (index: number) => {
    const { from, to } = structure.units[structure.unitOf[index]!]!;
    for (let one = from; one < to; one++) if (!isWhole(conversation, draft, one)) due.add(one);
  };
  for (let index = 0; index < fates.length; index++) {
    if (
      fates[index]!.type !== "keep" &&
      mustShow(conversation, index) &&
      !isWhole(conversation, draft, index)
    )
      bringBack(index);
  }
  if (newestSpeaks(conversation) && !isShown(fates.at(-1)!)) bringBack(fates.length - 1);
  for (let at = 0; at < structure.pairs.length; at++) {
    const { call, result } = structure.pairs[at]!;
    const asked = isShown(fates[call.index]!);
    const answered = isShown(fates[result.index]!);
    if (asked !== answered) bringBack(asked ? result.index : call.index);
  }
  const changes = new Map<number, Fate>();
  for (const index of due) {
    const message = messages[index]!;
    // Its reasoning was bound to a prefix that is no longer sent.
    const bound = rules.boundReasoning && isSigned(message);
    if (bound && isOnlyReasoning(message)) continue;
    const fate = fates[index]!;
    const kept: readonly Edit[] = fate.type === "edit" ? fate.edits.filter(isHarmless) : [];
    const edits: readonly Edit[] =
      bound && !kept.some(({ type }) => type === "strip-reasoning")
        ? [...kept, { type: "strip-reasoning", why: "signed-reasoning" }]
        : kept;
    changes.set(index, edits.length > 0 ? { type: "edit", edits } : KEEP);
  }
  const amended = withoutSilentInserts(withFates(draft, changes), draft);
  return { draft: amended, shown: [...changes.keys()].sort((a, b) => a - b) };
}

/** Shown so that nothing of it is missing which this message must show. */
function isWhole(conversation: Conversation, { fates }: Draft, index: number): boolean {
  const fate = fates[index]!;
  if (fate.type === "keep") return true;
  if (fate.type !== "edit") return false;
  if (!mustShow(conversation, index)) return true;
  const parts = editableParts(conversation.messages[index]!);
  return !fate.edits.some(
    (edit) => edit.type === "replace" && (conversation.isHead(index) || parts[edit.part]?.type === "text"),
  );
}

/** Is everything whole that the model hasn't seen yet? Its own words before a call are no news to it. */
function showsUnanswered({ structure, messages }: Conversation, { fates }: Draft): boolean {
  return fates.every(
    (fate, index) =>
      index < structure.unanswered ||
      messages[index]!.role === "assistant" ||
      (isShown(fate) && (fate.type !== "edit" || fate.edits.every(isHarmless))),
  );
}

/** Takes nothing away that a reader would miss: what a compaction appends or strips stays appended and stripped. */
function isHarmless({ type }: Edit): boolean {
  return type !== "replace";
}

/** An insert whose every message is shown again has nothing left to speak for. */
function withoutSilentInserts(draft: Draft, before: Draft): Draft {
  const covers = coversOf(draft);
  const had = coversOf(before);
  return withoutInserts(draft, (_insert, by) => covers[by]!.length === 0 && had[by]!.length > 0);
}

/** What stands where text was taken out, with the space that is put around it. */
const CLIP_MARKER = /\s?\[… \d+ characters(?:, \d+ lines)? not shown …\]\s?/u;
const LEFT_OUT_ITEMS = /^… \d+ more …$/u;
/** What is left of a result that has no room at all. */
const NOTHING_LEFT = "…";

/**
 * Is this what a reduction or a cut can make of a part? Then it says nothing that the part doesn't say: it is the part with
 * pieces taken out, or one of the fixed texts that stand for it.
 */
function isShortened(text: string, part: Part): boolean {
  switch (part.type) {
    case "text":
      return isExcerpt(text, part.text);
    case "tool-result":
      return (
        text === NOTHING_LEFT ||
        SUPERSEDED.test(text) ||
        isExcerpt(text, resultWithoutMedia(part)) ||
        isExcerpt(text, sourcesOf(part.text) ?? "")
      );
    case "tool-call":
      return isShorterJson(text, part.args);
    case "image":
    case "frame":
    case "file":
      return text === mediaPlaceholder(part);
    default:
      return false;
  }
}

/** Pieces of the original in their order, with markers between. */
function isExcerpt(text: string, original: string): boolean {
  let from = 0;
  for (const piece of text.split(CLIP_MARKER)) {
    const at = original.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}

function isShorterJson(text: string, original: string): boolean {
  const [value, before] = [tryParseExact(text), tryParseExact(original)];
  if (value === undefined) return false;
  const isWrapped =
    typeof before !== "object" || before === null || Array.isArray(before) || isExactNumber(before);
  return isShorterValue(value, isWrapped ? { clipped: before ?? original } : before);
}

function isShorterValue(value: unknown, original: unknown): boolean {
  if (typeof value === "string") return typeof original === "string" && isExcerpt(value, original);
  if (Array.isArray(value)) {
    if (!Array.isArray(original)) return false;
    const gap = value.findIndex((item) => typeof item === "string" && LEFT_OUT_ITEMS.test(item));
    const before = gap < 0 || value.length === original.length ? value : value.slice(0, gap);
    const after = before === value ? [] : value.slice(gap + 1);
    return (
      before.length + after.length <= original.length &&
      before.every((item, at) => isShorterValue(item, original[at])) &&
      after.every((item, at) => isShorterValue(item, original[original.length - after.length + at]))
    );
  }
  if (typeof value === "object" && value !== null && !isExactNumber(value)) {
    if (typeof original !== "object" || original === null) return false;
    return Object.entries(value).every(
      ([key, inner]) =>
        Object.hasOwn(original, key) && isShorterValue(inner, (original as Record<string, unknown>)[key]),
    );
  }
  return JSON.stringify(value) === JSON.stringify(original);
}
