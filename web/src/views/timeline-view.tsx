import { useCallback, useEffect, useMemo, useState } from "react";
import { type Past, type ReplayAnswer, routes } from "../../../src/gateway/api.ts";
import { EventList } from "../parts/event-list.tsx";
import { Scrubber } from "../parts/scrubber.tsx";
import { useApp, useNumbers, usePiece } from "../parts/use-store.ts";
import { useWork } from "../parts/use-work.ts";
import { WorkProgress } from "../parts/work-progress.tsx";
import type { Chat } from "../state/chat-state.ts";
import { count } from "../state/format.ts";
import { strings } from "../strings.ts";

const words = strings.timeline;
const SIDES = ["happened", "replay"] as const;
type Side = (typeof SIDES)[number];

/** What really happened, and apart from it what a replay would do. */
export default function TimelineView({ chat }: { chat: Chat }) {
  const [side, setSide] = useState<Side>("happened");
  return (
    <div className="timeline">
      <div className="timeline-sides">
        <fieldset className="tabs">
          <legend className="visually-hidden">{words.sides}</legend>
          {SIDES.map((one) => (
            <button key={one} type="button" aria-pressed={one === side} onClick={() => setSide(one)}>
              {words[one]}
            </button>
          ))}
        </fieldset>
        <p className="help">{side === "happened" ? words.happenedHelp : words.replayHelp}</p>
      </div>
      {side === "happened" ? (
        <Happened chat={chat} onReplay={() => setSide("replay")} />
      ) : (
        <Replayed chat={chat} />
      )}
    </div>
  );
}

function Happened({ chat, onReplay }: { chat: Chat; onReplay: () => void }) {
  const app = useApp();
  const version = usePiece(chat.store, (state) => state.version);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is a new past
  const start = useCallback(
    (signal: AbortSignal) => app.api.stream(routes.past, { params: { id: chat.id }, signal }),
    [app, chat, version],
  );
  const { work, cancel, again } = useWork<Past>(start);
  const [place, setPlace] = useState<{ readonly messages: number }>();
  const past = work.answer;
  const isOver = past !== undefined || work.error !== undefined || work.isCancelled;
  useEffect(() => {
    if (isOver) chat.shown();
  }, [chat, isOver]);
  // Whoever goes elsewhere looks at something else.
  useEffect(() => () => chat.shown(), [chat]);
  const points = useMemo(() => {
    const compacted = new Set(
      past?.events.filter(({ type }) => type === "compacted").map(({ messages }) => messages),
    );
    return past?.points.map((point) => ({ ...point, compacted: compacted.has(point.messages) }));
  }, [past]);
  if (past === undefined || points === undefined)
    return <WorkProgress work={work} label={words.reading} onCancel={cancel} onAgain={again} />;
  if (points.length === 0) return <p className="empty">{words.none}</p>;
  return (
    <Scrubber chat={chat} points={points} heading={words.sentThen} {...(place && { goTo: place })}>
      <aside className="events">
        <h2>{words.events}</h2>
        <EventList events={past.events} onPick={(messages) => setPlace({ messages })} />
        {past.events.length > 0 ? null : (
          <button type="button" className="button" onClick={onReplay}>
            {words.seeReplay}
          </button>
        )}
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
  const { work, cancel, again } = useWork<ReplayAnswer>(start);
  const { lead } = useNumbers();
  const [run] = work.answer?.runs ?? [];
  if (run === undefined)
    return <WorkProgress work={work} label={words.replaying} onCancel={cancel} onAgain={again} />;
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
