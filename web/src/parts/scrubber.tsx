import { type ReactNode, useEffect, useMemo, useState } from "react";
import { routes } from "../../../src/gateway/api.ts";
import type { Chat } from "../state/chat.ts";
import { count, dollars, percent } from "../state/format.ts";
import { columnsOf, type Point, requestAt } from "../state/turns.ts";
import { strings } from "../strings.ts";
import { AlignedView } from "./aligned-view.tsx";
import { Failure } from "./controls.tsx";
import { PlaceLink } from "./place-link.tsx";
import { TallyBar } from "./tally-bar.tsx";
import { Legend, TokenChart } from "./token-chart.tsx";
import { useLoaded } from "./use-loaded.ts";
import { useApp, useNumbers, usePiece } from "./use-store.ts";

const words = strings.timeline;
const CHART_HEIGHT = 210;

/** Goes through the requests of a conversation, and shows the view of each. */
export function Scrubber(props: {
  chat: Chat;
  points: readonly Point[];
  heading: string;
  /** The views are those of the last replay, not the recorded ones. */
  isReplayed?: boolean;
  /** A new object leads there. */
  goTo?: { readonly messages: number };
  children: ReactNode;
}) {
  const { chat, points, heading, isReplayed = false, goTo, children } = props;
  const app = useApp();
  const known = usePiece(chat.transcript.store, (state) => state.total);
  const isDue = usePiece(chat.store, ({ pressure }) => pressure?.next === "compaction");
  // The transcript may come after the points.
  const total = Math.max(known, points.at(-1)?.messages ?? 0);
  // The numbers that summaries and the list below use: leading system messages count.
  const { lead } = useNumbers();
  const place = (messages: number) => words.at(messages + lead, total + lead);
  const last = points.length - 1;
  const [chosen, setNth] = useState(last);
  useEffect(() => {
    if (goTo) setNth(requestAt(points, goTo.messages));
  }, [points, goTo]);
  const nth = Math.min(chosen, last);
  const point = points[nth]!;
  const { value: view, error } = useLoaded(
    () =>
      app.api.call(routes.view, {
        params: { id: chat.id },
        query: { length: point.messages, ...(isReplayed && { replayed: true }) },
      }),
    [app, chat, isReplayed, point.messages],
  );
  const columns = useMemo(() => columnsOf(points, lead), [points, lead]);
  const series = useMemo(
    () => [
      { label: words.transcript, values: columns.transcript, color: "soft", width: 1.5 },
      { label: words.view, values: columns.view, color: "accent", fill: true },
      ...(hasValues(columns.cached)
        ? [{ label: words.cached, values: columns.cached, color: "kept", width: 1.5 }]
        : []),
      ...(hasValues(columns.budget)
        ? [{ label: words.budget, values: columns.budget, color: "dropped", dashed: true, width: 1.5 }]
        : []),
    ],
    [columns],
  );
  return (
    <>
      <div className="timeline-top">
        {points.length < 2 ? null : (
          <>
            <Legend items={series} marks={words.compaction} />
            <TokenChart
              x={columns.x}
              series={series}
              marks={columns.compacted}
              at={point.messages + lead}
              height={CHART_HEIGHT}
              label={words.label}
              onPick={(x) => setNth(requestAt(points, Math.round(x) - lead))}
            />
          </>
        )}
        <div className="scrub">
          {points.length < 2 ? null : (
            <input
              type="range"
              min={points[0]!.messages}
              max={points[last]!.messages}
              value={point.messages}
              aria-label={words.scrub}
              aria-valuetext={place(point.messages)}
              onChange={(event) => {
                const to = Number(event.target.value);
                // A step of a key goes to the next request, however many messages that has.
                setNth(
                  to > point.messages
                    ? points.findIndex(({ messages }) => messages >= to)
                    : requestAt(points, to),
                );
              }}
            />
          )}
          <PointFacts
            point={point}
            place={place(point.messages)}
            state={point.isNext ? (isDue ? words.now : words.next) : isReplayed ? words.would : words.sent}
          />
        </div>
      </div>
      <div className="timeline-below">
        <div className="timeline-view">
          <header>
            <h2>{point.isNext ? (isDue ? words.nowSees : words.nextSends) : heading}</h2>
            {view === undefined ? null : <TallyBar view={view} />}
          </header>
          {error === undefined ? null : <Failure error={error} />}
          {view === undefined ? null : <AlignedView view={view} transcript={chat.transcript} />}
        </div>
        {children}
      </div>
    </>
  );
}

const hasValues = (values: readonly (number | null)[]): boolean => values.some((value) => value !== null);

function PointFacts({ point, place, state }: { point: Point; place: string; state: string }) {
  return (
    <p className="point-facts">
      <strong>{place}</strong>
      <span>
        {count(point.view)} {state}
        {point.budget === undefined ? null : ` (${percent(point.view / point.budget)})`}
      </span>
      {point.transcript > point.view ? (
        <span>
          {count(point.transcript - point.view)} {words.saved}
        </span>
      ) : null}
      {point.cost === undefined ? null : <span>{dollars(point.cost)}</span>}
      {point.compacted ? <span className="tag covered">{words.compaction}</span> : null}
      {point.request === undefined ? null : (
        <PlaceLink to={{ page: "request", id: point.request }}>{strings.request.title}</PlaceLink>
      )}
    </p>
  );
}
