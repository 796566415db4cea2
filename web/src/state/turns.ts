import type {
  Divider,
  FailedSummary,
  ReplayPoint,
  RungName,
  TimelineEvent,
} from "../../../src/gateway/api.ts";

/** One request. What happened has no budget: it may have changed since. */
export type Point = Omit<ReplayPoint, "budget"> & {
  readonly budget?: number;
  readonly request?: string;
  /** As counted now, where that is another count. */
  readonly now?: { readonly transcript: number; readonly view: number };
  /** Nothing was sent: the next request will send it. */
  readonly isNext?: boolean;
};

/** The timeline as columns, ready to be drawn; `x` is the number that people use for the last message of each request. */
export function columnsOf(points: readonly Point[], lead = 0) {
  return {
    x: points.map(({ messages }) => messages + lead),
    view: points.map(({ now, view }) => now?.view ?? view),
    transcript: points.map(({ now, transcript }) => now?.transcript ?? transcript),
    budget: points.map(({ budget }) => budget ?? null),
    cached: points.map(({ cached }) => cached ?? null),
    compacted: points.filter(({ compacted }) => compacted).map(({ messages }) => messages + lead),
  };
}

/** The request that a place on the timeline belongs to: the last one at or before it. */
export function requestAt(points: readonly Point[], messages: number): number {
  let found = 0;
  for (const [nth, point] of points.entries()) if (point.messages <= messages) found = nth;
  return found;
}

/** How many messages a compaction summarised, left out and shortened. */
export const hiddenBy = ({ covers, dropped, edited }: Pick<Divider, "covers" | "dropped" | "edited">) => ({
  covered: covers.reduce((sum, run) => sum + run.to - run.from, 0),
  dropped,
  edited,
});

type CompactedEvent = Extract<TimelineEvent, { type: "compacted" }>;

/** What the timeline knows about a divider's compaction. */
export const compactionOf = (
  timeline: readonly TimelineEvent[],
  checkpoint: string,
): CompactedEvent | undefined =>
  timeline.findLast(
    (event): event is CompactedEvent => event.type === "compacted" && event.checkpoint === checkpoint,
  );

/** Rungs on which a model's words are used. */
const BY_MODEL: readonly (RungName | undefined)[] = ["continuation", "full", "simple", "known-summaries"];

/** The newest failure that no later summary or compaction has made good, unless a person has seen it. */
export function openFailure(timeline: readonly TimelineEvent[], seen = ""): FailedSummary | undefined {
  const at = timeline.findLastIndex(({ type }) => type === "failed");
  const failed = timeline[at];
  if (failed?.type !== "failed" || failed.id <= seen) return undefined;
  const isOver = timeline.slice(at).some(
    (event) =>
      event.type === "summary" ||
      // What was done instead of it belongs to the same request.
      (event.type === "compacted" && (BY_MODEL.includes(event.rung) || event.request !== failed.request)),
  );
  return isOver ? undefined : failed;
}

/** Steps for which a model is asked and paid. */
const PAID: ReadonlySet<RungName | undefined> = new Set<RungName>(["continuation", "full", "simple"]);

/** Was a model asked for this compaction? What was summarised ahead of time was paid before. */
export const isPaid = (rung: RungName | undefined): boolean => PAID.has(rung);
