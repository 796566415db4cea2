import { type Draft, type Fate, KEEP, withFates } from "../../core/draft.ts";
import { editableParts } from "../../core/edits.ts";
import type { DropReason, Edit } from "../../core/types.ts";
import { mediaPlaceholder } from "../../reductions/old-images.ts";
import { chooseTail, emptyTail, leastTail, newestUnit, type Tail, tailIndexes } from "../plan/tail.ts";
import {
  type Conversation,
  draftTokens,
  floorTokens,
  mustShow,
  unansweredTokens,
} from "../read/conversation.ts";
import { shrinkParts } from "./shrink.ts";
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
  const least = withoutSummary(input, aroundTail(conversation, leastTail(conversation), dropped("budget")));
  if (draftTokens(conversation, least) <= limit) return least;
  return withoutLastImages(input, least);
};

/** The last user message keeps its text, whatever happens; its images are the last thing that can go. */
function withoutLastImages(
  { conversation }: RungInput,
  draft: ReturnType<typeof withoutSummary>,
): typeof draft {
  const { messages, structure } = conversation;
  const index = structure.lastUser;
  if (index === undefined) return draft;
  const edits = editableParts(messages[index]!).flatMap((part, at): Edit[] =>
    part.type === "image" || part.type === "frame" || (part.type === "file" && part.text === undefined)
      ? [{ type: "replace", part: at, text: mediaPlaceholder(part), why: "hard-cut" }]
      : [],
  );
  const changes = new Map<number, Fate>(edits.length > 0 ? [[index, { type: "edit", edits }]] : []);
  return withFates(draft, changes);
}
