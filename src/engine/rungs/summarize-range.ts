import { coversOf, type Draft, type Fate, type Insert, isShown, KEEP } from "../../core/draft.ts";
import type { Run } from "../../core/types.ts";
import { type Conversation, draftTokens, mustShow, shownInsertTokens } from "../conversation.ts";
import { usesSummaries } from "../strategies.ts";
import { MAX_SUMMARY } from "../summary-room.ts";
import { coverBySummary } from "./cover-by-summary.ts";
import { type SummaryPlace, summaryPlace } from "./place-summary.ts";
import { dropped, type Rung, type RungInput, withoutSummary } from "./rung.ts";

/** Shares of what it hides that a summary of a range may take, tried in turn: a short range needs more of its length. */
const SHARES = [0.35, 0.6];
/** A summary between other messages stands where they stood; it never speaks as system text. */
const INSIDE: SummaryPlace = { role: "user", merged: false, needsUser: false };

/** Hides the messages that a person chose behind a summary of their own; everything else stays as the view shows it. */
export const summarizeRange: Rung = async (input) => {
  const { conversation, current, limit, range, settings } = input;
  if (!range) return undefined;
  const hides = (index: number) => index >= range.from && index < range.to && !mustShow(conversation, index);
  if (!usesSummaries(settings.strategy)) return dropRange(input, hides);
  const isFront = range.from === conversation.structure.start;
  const others = otherInserts(current, range, isFront);
  const stays = new Map(others.map(({ by }, at) => [by, at]));
  // What other summaries speak for isn't shown either, and is theirs again afterwards.
  const fates = current.fates.map((fate, index): Fate => {
    if (hides(index)) return { type: "cover", by: 0 };
    if (fate.type === "cover") return dropped("budget");
    return isFront ? withoutOldSummary(fate) : fate;
  });
  const bare = draftTokens(conversation, { fates, inserts: others.map(({ insert }) => insert) });
  const shown = shownTokens(conversation, current, hides);
  const standing = current.inserts.reduce(
    (sum, insert, by) => sum + (stays.has(by) ? 0 : shownInsertTokens(conversation, insert)),
    0,
  );
  const place = isFront ? summaryPlace(input, fates) : INSIDE;
  for (const share of SHARES) {
    const cap = Math.min(MAX_SUMMARY, limit - bare, Math.floor(standing + shown * share));
    const made = await coverBySummary({ ...input, goal: bare + cap }, fates, place, cap);
    if (made) return withOthers(made, current, hides, others);
  }
  return undefined;
};

/** A strategy that writes no summaries leaves the range out. */
function dropRange(input: RungInput, hides: (index: number) => boolean): Draft {
  return withoutSummary(
    input,
    input.current.fates.map((fate, index) =>
      hides(index) || fate.type === "cover" ? dropped("strategy") : fate,
    ),
  );
}

/** The inserts of a view that a summary of the range doesn't replace. */
function otherInserts(
  current: Draft,
  range: Run,
  isFront: boolean,
): { readonly insert: Insert; readonly by: number }[] {
  const covers = coversOf(current);
  return current.inserts.flatMap((insert, by) => {
    const [first] = covers[by]!;
    // What covers nothing belongs to a summary of the beginning that stands in the system prompt.
    const stays = first ? first.from < range.from || first.from >= range.to : !isFront;
    return stays ? [{ insert, by }] : [];
  });
}

/** A message without the summary that was appended to it. */
function withoutOldSummary(fate: Fate): Fate {
  if (fate.type !== "edit") return fate;
  const edits = fate.edits.filter(({ why }) => why !== "summary");
  return edits.length === 0 ? KEEP : edits.length === fate.edits.length ? fate : { type: "edit", edits };
}

/** Tokens of what a view shows now and is to hide. */
function shownTokens(conversation: Conversation, current: Draft, hides: (index: number) => boolean): number {
  return current.fates.reduce((sum, fate, index) => {
    if (!hides(index) || !isShown(fate)) return sum;
    const tokens =
      fate.type === "edit" ? conversation.editedTokens(index, fate.edits) : conversation.tokens[index]!;
    return sum + tokens;
  }, 0);
}

function withOthers(
  made: Draft,
  current: Draft,
  hides: (index: number) => boolean,
  others: readonly { readonly insert: Insert; readonly by: number }[],
): Draft {
  const place = new Map(others.map(({ by }, at) => [by, made.inserts.length + at]));
  return {
    inserts: [...made.inserts, ...others.map(({ insert }) => insert)],
    fates: made.fates.map((fate, index): Fate => {
      const before = current.fates[index]!;
      return before.type === "cover" && !hides(index) ? { type: "cover", by: place.get(before.by)! } : fate;
    }),
  };
}
