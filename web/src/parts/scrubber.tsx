import { type ReactNode, useEffect, useMemo, useState } from "react";
import type { Chat } from "../state/chat-state.ts";
import { count, dollars, percent } from "../state/format.ts";
import { createInspection } from "../state/inspection.ts";
import { columnsOf, type Point, requestAt } from "../state/turns.ts";
import { strings } from "../strings.ts";
import { AlignedView } from "./aligned-view.tsx";
import { IconButton } from "./controls.tsx";
import { PlaceLink } from "./place-link.tsx";
import { TallyBar } from "./tally-bar.tsx";
import { Legend, TokenChart } from "./token-chart.tsx";
import { useApp, useNumbers, usePiece, useStore } from "./use-store.ts";

const words = strings.timeline;
const CHART_HEIGHT = 210;
const STEP_MS = 650;

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
  // The transcript may come after the points.
  const total = Math.max(known, points.at(-1)?.messages ?? 0);
  // The numbers that summaries and the list below use: leading system messages count.
  const { lead } = useNumbers();
  const place = (messages: number) => words.at(messages + lead, total + lead);
  const { nth, point, isPlaying, show, play } = useSteps(points, goTo);
  const inspection = useMemo(
    () => createInspection(app.api, chat.id, { isReplayed }),
    [app, chat, isReplayed],
  );
  const { view, error } = useStore(inspection.store);
  useEffect(() => {
    void inspection.load(point.messages);
  }, [inspection, point.messages]);
  const columns = useMemo(() => columnsOf(points), [points]);
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
        <Legend items={series} marks={words.compaction} />
        <TokenChart
          x={columns.x}
          series={series}
          marks={columns.compacted}
          at={point.messages}
          height={CHART_HEIGHT}
          label={words.label}
          formatX={(messages) => `#${messages + lead}`}
          onPick={(x) => show(requestAt(points, x))}
        />
        <div className="scrub">
          <IconButton label={words.back} icon="back" size={16} onClick={() => show(nth - 1)} />
          <IconButton
            label={isPlaying ? words.pause : words.play}
            icon={isPlaying ? "pause" : "play"}
            size={16}
            kind="strong"
            onClick={play}
          />
          <IconButton label={words.forward} icon="forward" size={16} onClick={() => show(nth + 1)} />
          <input
            type="range"
            min={0}
            max={points.length - 1}
            value={nth}
            aria-label={words.scrub}
            aria-valuetext={place(point.messages)}
            onChange={(event) => show(Number(event.target.value))}
          />
          <PointFacts point={point} place={place(point.messages)} />
        </div>
      </div>
      <div className="timeline-below">
        <div className="timeline-view">
          <header>
            <h2>{heading}</h2>
            {view === undefined || error !== undefined ? null : <TallyBar view={view} />}
          </header>
          {error === undefined ? null : <p className="empty">{error.message}</p>}
          {view === undefined || error !== undefined ? null : (
            <AlignedView view={view} transcript={chat.transcript} />
          )}
        </div>
        {children}
      </div>
    </>
  );
}

/** The request that is looked at: chosen by a person, or one after the other. */
function useSteps(points: readonly Point[], goTo: { readonly messages: number } | undefined) {
  const last = points.length - 1;
  const [nth, setNth] = useState(last);
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (goTo) setNth(requestAt(points, goTo.messages));
  }, [points, goTo]);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => {
      if (nth < last) setNth(nth + 1);
      else setPlaying(false);
    }, STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, nth, last]);
  return {
    nth,
    point: points[Math.min(nth, last)]!,
    isPlaying,
    show(to: number) {
      setPlaying(false);
      setNth(Math.max(0, Math.min(last, to)));
    },
    /** Goes on by itself, or stops. At the end it begins anew. */
    play() {
      if (!isPlaying && nth === last) setNth(0);
      setPlaying(!isPlaying);
    },
  };
}

const hasValues = (values: readonly (number | null)[]): boolean => values.some((value) => value !== null);

function PointFacts({ point, place }: { point: Point; place: string }) {
  return (
    <p className="point-facts">
      <strong>{place}</strong>
      <span>
        {count(point.view)} {words.sent}
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
