import { REASON_WORDS, RUNG_WORDS } from "../../core/words.ts";
import type { CompactAnswer, LiveEvent, Lookup, RungName } from "../../gateway/api.ts";
import { formatCount, formatDollars } from "../format.ts";
import type { Tone } from "../paint.ts";

/** Something that a person is told beside the conversation. */
export interface Notice {
  readonly tone: Tone;
  readonly text: string;
}

const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;

/** What came of a compaction that was asked for. */
export function compactionNotice(answer: CompactAnswer): Notice[] {
  const { outcome, report, pressure, failed: why, isJustCompacted } = answer;
  const failure = why ? [failed(why.message, why.fallback)] : [];
  if (outcome === "cancelled") return [{ tone: "warn", text: "Stopped: nothing was compacted." }];
  if (isJustCompacted)
    return [
      { tone: "warn", text: "It was just compacted and nothing was said since; the view stays as it is." },
    ];
  if (report === undefined || outcome !== "compacted")
    return [...failure, { tone: "warn", text: "Nothing to gain: the view is as small as it gets." }];
  const { before, after } = report.tokens;
  const { covered, edited, dropped } = report.counts;
  const facts = [
    `${formatCount(before)} → ${formatCount(after)} tokens`,
    ...(covered > 0 ? [`${formatCount(covered)} messages summarised`] : []),
    ...(edited > 0 ? [`${formatCount(edited)} shortened`] : []),
    ...(dropped > 0 ? [`${formatCount(dropped)} left out`] : []),
    ...(report.cost > 0 ? [formatDollars(report.cost)] : []),
    ...(pressure.isOpen ? [] : [`${percent(pressure.pressure)} full`]),
  ];
  return [...failure, { tone: "good", text: `Compacted: ${facts.join(", ")}. /undo takes it back.` }];
}

/** A compaction that came with a turn. */
export const turnNotice = (
  tokens: { readonly before: number; readonly after: number },
  pressure: number,
): Notice => ({
  tone: "good",
  text: `Compacted: ${formatCount(tokens.before)} → ${formatCount(tokens.after)} tokens, ${percent(pressure)} full. /undo takes it back.`,
});

/** So many messages are named; of more, their number says enough. */
const MAX_NAMED = 8;

/** What the model looked up before it went on. */
export function lookupNotice({ query, found }: Lookup, lead: number): Notice {
  const named = found.slice(0, MAX_NAMED).map((index) => `#${index + 1 + lead}`);
  const more = found.length > named.length ? ", …" : "";
  const passages = found.length === 1 ? "1 passage" : `${formatCount(found.length)} passages`;
  return {
    tone: "dim",
    text: `Looked up: ${query}, ${found.length === 0 ? "nothing found" : `${passages} (${named.join(", ")}${more})`}.`,
  };
}

const failed = (message: string, fallback: RungName | undefined): Notice => ({
  tone: "bad",
  text: `The summary failed${message === "" ? "" : `: ${message.replace(/\.$/, "")}`}. ${
    fallback === undefined
      ? "It will be tried again."
      : `Done instead: ${RUNG_WORDS[fallback].toLowerCase()}.`
  }`,
});

/** What the live stream tells about this conversation. `isOurs`: its own answer tells of it. `isTold`: the failure was told. */
export function eventNotice(
  event: LiveEvent,
  id: string,
  { isOurs, isTold }: { readonly isOurs: boolean; readonly isTold: boolean },
): Notice | undefined {
  if (event.type === "compacting" && event.conversation === id)
    return isOurs && event.reason === "forced"
      ? undefined
      : { tone: "accent", text: `Compacting, because ${REASON_WORDS[event.reason]}…` };
  if (event.type !== "timeline" || event.event.conversation !== id) return undefined;
  const fact = event.event;
  switch (fact.type) {
    case "compacted":
      return isOurs ? undefined : turnNotice(fact.tokens, fact.pressure.after);
    case "summary":
      return {
        tone: "good",
        text: `A summary of ${formatCount(fact.summary.tokens.source)} tokens in ${formatCount(fact.summary.tokens.text)} is ready (${fact.summary.model}).`,
      };
    case "failed":
      return isTold ? undefined : failed(fact.message, fact.fallback);
    case "rejected":
      return {
        tone: "warn",
        text: "The model found the request too long: it is made smaller and sent again.",
      };
    case "loop":
      return { tone: "warn", text: `The same tool was called ${fact.rounds} times in a row: ${fact.tool}.` };
    case "repeated":
      return {
        tone: "warn",
        text: `Asked again, because a compaction had hidden it: ${fact.calls.join(", ")}.`,
      };
    case "recalled":
      return {
        tone: "accent",
        text: `Quoted for this question, from what the view hides: ${fact.words.join(", ")}.`,
      };
    case "undone":
    case "cleared":
    case "restored":
    case "summary-edited":
      return isOurs ? undefined : { tone: "accent", text: ELSEWHERE[fact.type] };
    default:
      return fact satisfies never;
  }
}

const ELSEWHERE = {
  undone: "A compaction was undone elsewhere.",
  cleared: "The summaries of this chat were cleared elsewhere.",
  restored: "The cleared summaries of this chat were brought back elsewhere.",
  "summary-edited": "The summary was edited elsewhere.",
} as const;
