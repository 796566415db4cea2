import { useCallback, useEffect, useMemo, useState } from "react";
import {
  type Past,
  type PlacedEvent,
  type ReplayAnswer,
  type Run,
  routes,
} from "../../../src/gateway/api.ts";
import { Button, Tabs } from "../parts/controls.tsx";
import { PlaceLink } from "../parts/place-link.tsx";
import { ReceiptText } from "../parts/receipt-text.tsx";
import { Scrubber } from "../parts/scrubber.tsx";
import { useApp, useNumbers, usePiece } from "../parts/use-store.ts";
import { useWork, WorkProgress } from "../parts/work.tsx";
import type { Chat } from "../state/chat.ts";
import { ago, count, duration } from "../state/format.ts";
import { isPaid } from "../state/turns.ts";
import { strings } from "../strings.ts";

const words = strings.timeline;
const SIDES = { happened: words.happened, replay: words.replay };

/** What really happened, and apart from it what a replay would do. */
export default function TimelineView({ chat }: { chat: Chat }) {
  const hasUpstream = usePiece(useApp().store, ({ status }) => status?.hasUpstream);
  const [chosen, setSide] = useState<keyof typeof SIDES>();
  const [isEmpty, setEmpty] = useState(false);
  // Where nothing was recorded and no model can answer, only a replay has something to show.
  const side = chosen ?? (isEmpty && hasUpstream === false ? "replay" : "happened");
  return (
    <div className="timeline">
      <div className="timeline-sides">
        <Tabs legend={words.sides} names={SIDES} chosen={side} onChoose={setSide} />
        <p className="help">{side === "happened" ? words.happenedHelp : words.replayHelp}</p>
      </div>
      {side === "happened" ? (
        <Happened chat={chat} onReplay={() => setSide("replay")} onEmpty={() => setEmpty(true)} />
      ) : (
        <Replayed chat={chat} />
      )}
    </div>
  );
}

function Happened(props: { chat: Chat; onReplay: () => void; onEmpty: () => void }) {
  const { chat, onReplay, onEmpty } = props;
  const app = useApp();
  const version = usePiece(chat.store, (state) => state.version);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is a new past
  const start = useCallback(
    (signal: AbortSignal) => app.api.stream(routes.past, { params: { id: chat.id }, signal }),
    [app, chat, version],
  );
  const work = useWork<Past>(start);
  const [place, setPlace] = useState<{ readonly messages: number }>();
  const past = work.answer;
  const isOver = work.state !== "running";
  useEffect(() => {
    if (isOver) chat.shown();
  }, [chat, isOver]);
  const isEmpty = past?.events.length === 0;
  useEffect(() => {
    if (isEmpty) onEmpty();
  }, [isEmpty, onEmpty]);
  // Whoever goes elsewhere looks at something else.
  useEffect(() => () => chat.shown(), [chat]);
  const points = useMemo(() => {
    const compacted = new Set(
      past?.events.filter(({ type }) => type === "compacted").map(({ messages }) => messages),
    );
    return past?.points.map((point) => ({
      ...point,
      compacted: compacted.has(point.messages),
      isNext: point.request === undefined || point.unsent === true,
    }));
  }, [past]);
  if (past === undefined || points === undefined) return <WorkProgress work={work} label={words.reading} />;
  if (points.length === 0) return <p className="empty">{words.none}</p>;
  return (
    <Scrubber chat={chat} points={points} heading={words.sentThen} {...(place && { goTo: place })}>
      <aside className="events">
        <h2>{words.events}</h2>
        <EventList
          events={past.events}
          receipts={past.receipts}
          onPick={(messages) => setPlace({ messages })}
        />
        {past.events.length > 0 ? null : <Button onClick={onReplay}>{words.seeReplay}</Button>}
      </aside>
    </Scrubber>
  );
}

function Replayed({ chat }: { chat: Chat }) {
  const app = useApp();
  const version = usePiece(chat.store, (state) => state.version);
  const model = usePiece(chat.store, (state) => state.conversation?.model);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is another replay
  const start = useCallback(
    (signal: AbortSignal) =>
      app.api.stream(routes.followReplay, {
        body: {
          conversation: chat.id,
          policies: [{ name: words.replay }],
          asSet: true,
          ...(model !== undefined && { prices: model }),
        },
        signal,
      }),
    [app, chat, version, model],
  );
  const work = useWork<ReplayAnswer>(start);
  const { lead } = useNumbers();
  const [run] = work.answer?.runs ?? [];
  if (run === undefined) return <WorkProgress work={work} label={words.replaying} />;
  if (run.points.length === 0) return <p className="empty">{words.none}</p>;
  return (
    <Scrubber chat={chat} points={run.points} heading={words.wouldBeSent} isReplayed>
      <aside className="events">
        <h2>{words.wouldHappen}</h2>
        {run.every === undefined ? null : <p className="help">{words.sampled(run.every)}</p>}
        <ol>
          {run.points
            .filter(({ compacted }) => compacted)
            .map(({ messages, transcript, view }) => (
              <li key={messages} className="compacted">
                {words.wouldCompact(messages + lead, count(transcript), count(view))}
              </li>
            ))}
        </ol>
        {run.compactions === 0 ? <p className="help">{words.wouldNot}</p> : null}
      </aside>
    </Scrubber>
  );
}

/** What was recorded of a conversation, the newest first. */
function EventList(props: {
  events: readonly PlacedEvent[];
  receipts: Past["receipts"];
  /** Goes to where it happened. */
  onPick: (messages: number) => void;
}) {
  const { events, receipts, onPick } = props;
  const numbers = useNumbers();
  if (events.length === 0) return <p className="help">{strings.timeline.noEvents}</p>;
  return (
    <ol>
      {events.toReversed().map((event) => (
        <li key={`${event.conversation} ${event.id}`} className={event.type}>
          <time dateTime={new Date(event.at).toISOString()}>{ago(event.at, Date.now())}</time>
          <span>{eventText(event, numbers)}</span>
          {event.type === "compacted" ? (
            <ReceiptText receipt={receipts.find(({ checkpoint }) => checkpoint === event.checkpoint)} />
          ) : null}
          <Button look="link quiet" onClick={() => onPick(event.messages)}>
            {strings.timeline.afterMessage(event.messages + numbers.lead)}
          </Button>
          {event.request === undefined ? null : (
            <PlaceLink to={{ page: "request", id: event.request }}>{strings.request.title}</PlaceLink>
          )}
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
        words.tokens(event.tokens.transcript, event.tokens.after),
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
      return [
        strings.timeline.recalled(event.from.map(numbers.one).join(", "), event.words.join(", ")),
        event.until === undefined ? "" : strings.timeline.recalledUntil(numbers.one(event.until - 1)),
      ].join("");
    case "rejected":
      return strings.timeline.rejected;
    case "undone":
      return strings.timeline.undone;
    case "cleared":
      return strings.timeline.cleared;
    case "restored":
      return strings.timeline.restored;
    case "summary-edited":
      return strings.timeline.edited;
    case "loop":
      return strings.timeline.loop(event.tool, event.rounds);
    case "repeated":
      return strings.timeline.repeated(event.calls);
    default:
      return event satisfies never;
  }
}
