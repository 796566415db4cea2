import type { PlacedEvent, Run } from "../../../src/gateway/api.ts";
import { ago, duration } from "../state/format.ts";
import { isPaid } from "../state/turns.ts";
import { strings } from "../strings.ts";
import { useNumbers } from "./use-store.ts";

/** What was recorded of a conversation, the newest first. */
export function EventList({
  events,
  onPick,
}: {
  events: readonly PlacedEvent[];
  /** Goes to where it happened. */
  onPick: (messages: number) => void;
}) {
  const numbers = useNumbers();
  if (events.length === 0) return <p className="help">{strings.timeline.noEvents}</p>;
  return (
    <ol>
      {events.toReversed().map((event) => (
        <li key={`${event.conversation} ${event.id}`} className={event.type}>
          <time dateTime={new Date(event.at).toISOString()}>{ago(event.at, Date.now())}</time>
          <span>{eventText(event, numbers)}</span>
          <button type="button" className="link quiet" onClick={() => onPick(event.messages)}>
            {strings.timeline.afterMessage(event.messages + numbers.lead)}
          </button>
        </li>
      ))}
    </ol>
  );
}

function eventText(
  event: PlacedEvent,
  numbers: { one(index: number): string; run(run: Run): string },
): string {
  const words = strings.compaction;
  switch (event.type) {
    case "compacted":
      return [
        words.done(event.counts),
        words.tokens(event.tokens.before, event.tokens.after),
        event.rung && strings.rungs[event.rung],
        event.isFound ? words.found : duration(event.ms),
        isPaid(event.rung) ? words.cost(event.cost) : undefined,
        event.reason && words.why(event.reason),
      ]
        .filter((fact) => fact !== undefined)
        .join(" · ");
    case "summary":
      return `${words.summaryOf(numbers.run(event.summary.covers))} · ${words.model(event.summary.model)}`;
    case "failed":
      return [
        words.failed,
        event.message,
        event.fallback === undefined ? words.failedNothing : words.failedInstead(event.fallback),
      ].join(" ");
    case "recalled":
      return strings.timeline.recalled(event.from.map(numbers.one).join(", "), event.words.join(", "));
    case "rejected":
      return strings.timeline.rejected;
    case "undone":
      return strings.timeline.undone;
    case "cleared":
      return strings.timeline.cleared;
    case "summary-edited":
      return strings.timeline.edited;
    case "loop":
      return strings.timeline.loop(event.tool, event.rounds);
    default:
      return event satisfies never;
  }
}
