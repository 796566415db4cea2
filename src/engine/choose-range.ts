import { coversOf, type Draft, isShown } from "../core/draft.ts";
import type { CompactInput, Run } from "../core/types.ts";
import { type Conversation, mustShow } from "./conversation.ts";

/** The messages that are hidden because a person chose them. */
export interface ChosenRange {
  readonly run: Run;
  /** `front`: nothing that may be hidden is shown before it, so its summary is that of the whole beginning. */
  readonly place: "front" | "inside";
  /** Why it isn't just what was asked for. */
  readonly widened?: string;
}

/** The run that a person asked for, by place in the transcript. */
export function askedRange({ upTo, range }: Pick<CompactInput<never>, "upTo" | "range">): Run | undefined {
  return range ?? (upTo === undefined ? undefined : { from: 0, to: upTo });
}

/**
 * What can be hidden of a run: whole rounds only, nothing that waits for the model, and a summary that stands within or beside
 * it is taken in. A text says why nothing can.
 */
export function chooseRange(conversation: Conversation, current: Draft, asked: Run): ChosenRange | string {
  const { structure } = conversation;
  const { start } = structure;
  const end = waitingFrom(conversation);
  const wanted = { from: Math.max(asked.from, start), to: Math.min(asked.to, end) };
  if (wanted.from >= wanted.to)
    return asked.to <= start
      ? "The range holds nothing but the system prompt, which every view shows."
      : "The range holds nothing but the newest round, and the model hasn't seen or finished that one yet.";
  const whole = {
    from: structure.units[structure.unitOf[wanted.from]!]!.from,
    to: structure.units[structure.unitOf[wanted.to - 1]!]!.to,
  };
  const joined = joinSummaries(conversation, current, whole);
  const isFront = !hasShown(conversation, current, { from: start, to: joined.from });
  const run = isFront ? { ...joined, from: start } : joined;
  if (!hasShown(conversation, current, run)) {
    const isHidden = current.fates.slice(run.from, run.to).some((fate) => fate.type === "cover");
    return isHidden
      ? "The range is hidden already."
      : "The range holds only what every view shows: pins, knowledge or the last user message.";
  }
  const why = [
    ...(whole.from < wanted.from || whole.to > wanted.to ? ["a call is never parted from its result"] : []),
    ...(joined.from < whole.from || joined.to > whole.to ? ["a summary beside it was taken in"] : []),
    ...(asked.to > end ? ["the newest round waits for the model"] : []),
  ];
  return {
    run,
    place: isFront ? "front" : "inside",
    ...(why.length > 0 && { widened: `Messages ${pointer(run)} are hidden: ${why.join("; ")}.` }),
  };
}

/** `#5–12` for messages 4 to 11. */
export function pointer({ from, to }: Run): string {
  return to - from === 1 ? `#${to}` : `#${from + 1}–${to}`;
}

/** First message of a round that the model hasn't answered yet, or that still waits for results. */
function waitingFrom({ structure }: Conversation): number {
  const open = structure.units.find((unit) => unit.open);
  return Math.min(structure.unanswered, open?.from ?? Number.POSITIVE_INFINITY);
}

/** The run with every summary that speaks for a part of it, or stands directly before or behind it. */
function joinSummaries(conversation: Conversation, current: Draft, run: Run): Run {
  const spans = coversOf(current).flatMap((runs) =>
    runs.length > 0 ? [{ from: runs[0]!.from, to: runs.at(-1)!.to }] : [],
  );
  const touches = (one: Run, other: Run): boolean =>
    one.from < other.to && other.from < one.to
      ? true
      : !hasShown(conversation, current, {
          from: Math.min(one.to, other.to),
          to: Math.max(one.from, other.from),
        });
  let joined = run;
  for (let before: Run | undefined; joined !== before; ) {
    before = joined;
    for (const span of spans)
      if ((span.from < joined.from || span.to > joined.to) && touches(span, joined))
        joined = { from: Math.min(span.from, joined.from), to: Math.max(span.to, joined.to) };
  }
  return joined;
}

/** Does a view show messages of a run that may be hidden? */
function hasShown(conversation: Conversation, { fates }: Draft, { from, to }: Run): boolean {
  for (let index = from; index < to; index++)
    if (isShown(fates[index]!) && !mustShow(conversation, index)) return true;
  return false;
}
