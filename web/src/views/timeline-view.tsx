import { useEffect, useMemo, useState } from "react";
import {
  type ReplayPoint,
  type ReplayRun,
  type Run,
  routes,
  type TimelineEvent,
} from "../../../src/gateway/api.ts";
import { AlignedView } from "../parts/aligned-view.tsx";
import { Icon } from "../parts/icon.tsx";
import { Legend } from "../parts/legend.tsx";
import { TallyBar } from "../parts/tally-bar.tsx";
import { TokenChart } from "../parts/token-chart.tsx";
import { useApp, useNumbers, usePiece, useStore } from "../parts/use-store.ts";
import { explain } from "../state/api-client.ts";
import type { Chat } from "../state/chat-state.ts";
import { ago, count, dollars, duration, percent } from "../state/format.ts";
import { createInspection } from "../state/inspection.ts";
import { columnsOf, isPaid, requestAt } from "../state/turns.ts";
import { strings } from "../strings.ts";

const words = strings.timeline;
const CHART_HEIGHT = 230;
const STEP_MS = 650;

export default function TimelineView({ chat }: { chat: Chat }) {
  const app = useApp();
  const { version, conversation, timeline } = useStore(chat.store);
  const [run, setRun] = useState<ReplayRun>();
  const [error, setError] = useState<string>();
  const model = conversation?.model;
  const settings = conversation?.settings;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is a new timeline
  useEffect(() => {
    if (settings === undefined) return;
    app.api
      .call(routes.replay, {
        body: {
          conversation: chat.id,
          policies: [{ name: words.asItWas }],
          asItWas: true,
          ...(model !== undefined && { prices: model }),
        },
      })
      .then(({ runs }) => setRun(runs[0]))
      .catch((cause) => setError(explain(cause).message));
  }, [app, chat, version, model, settings]);
  if (error !== undefined) return <p className="empty">{error}</p>;
  if (run === undefined) return <p className="empty">{strings.loading}</p>;
  if (run.points.length === 0) return <p className="empty">{strings.timeline.none}</p>;
  return <Scrubber chat={chat} run={run} timeline={timeline} />;
}

function Scrubber({
  chat,
  run,
  timeline,
}: {
  chat: Chat;
  run: ReplayRun;
  timeline: readonly TimelineEvent[];
}) {
  const app = useApp();
  const { points } = run;
  const total = usePiece(chat.transcript.store, (state) => state.total);
  const [nth, setNth] = useState(points.length - 1);
  const [isPlaying, setPlaying] = useState(false);
  const point = points[Math.min(nth, points.length - 1)]!;
  const inspection = useMemo(() => createInspection(app.api, chat.id), [app, chat]);
  const { view } = useStore(inspection.store);
  useEffect(() => {
    void inspection.load(point.messages);
  }, [inspection, point.messages]);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => {
      if (nth < points.length - 1) setNth(nth + 1);
      else setPlaying(false);
    }, STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, nth, points.length]);
  const columns = useMemo(() => columnsOf(points), [points]);
  const hasCache = columns.cached.some((value) => value !== null);
  const series = useMemo(
    () => [
      { label: words.transcript, values: columns.transcript, color: "soft", width: 1.5 },
      { label: words.view, values: columns.view, color: "accent", fill: true },
      ...(hasCache ? [{ label: words.cached, values: columns.cached, color: "kept", width: 1.5 }] : []),
      { label: words.budget, values: columns.budget, color: "dropped", dashed: true, width: 1.5 },
    ],
    [columns, hasCache],
  );
  const step = (by: number) => {
    setPlaying(false);
    setNth(Math.max(0, Math.min(points.length - 1, nth + by)));
  };
  return (
    <div className="timeline">
      <div className="timeline-top">
        <Legend items={series} marks={words.compaction} />
        {run.every === undefined ? null : <p className="help">{words.sampled(run.every)}</p>}
        <TokenChart
          x={columns.x}
          series={series}
          marks={columns.compacted}
          at={point.messages}
          height={CHART_HEIGHT}
          label={words.label}
          onPick={(x) => {
            setPlaying(false);
            setNth(requestAt(points, x));
          }}
        />
        <div className="scrub">
          <button
            type="button"
            className="icon-button"
            aria-label={words.back}
            title={words.back}
            onClick={() => step(-1)}
          >
            <Icon name="back" size={16} />
          </button>
          <button
            type="button"
            className="icon-button strong"
            aria-label={isPlaying ? words.pause : words.play}
            title={isPlaying ? words.pause : words.play}
            onClick={() => {
              if (!isPlaying && nth === points.length - 1) setNth(0);
              setPlaying(!isPlaying);
            }}
          >
            <Icon name={isPlaying ? "pause" : "play"} size={16} />
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label={words.forward}
            title={words.forward}
            onClick={() => step(1)}
          >
            <Icon name="forward" size={16} />
          </button>
          <input
            type="range"
            min={0}
            max={points.length - 1}
            value={nth}
            aria-label={words.scrub}
            aria-valuetext={words.at(point.messages, total)}
            onChange={(event) => {
              setPlaying(false);
              setNth(Number(event.target.value));
            }}
          />
          <PointFacts point={point} total={total} />
        </div>
      </div>
      <div className="timeline-below">
        <div className="timeline-view">
          <header>
            <h2>{words.viewThen}</h2>
            {view === undefined ? null : <TallyBar view={view} />}
          </header>
          {view === undefined ? null : <AlignedView view={view} transcript={chat.transcript} />}
        </div>
        <aside className="events">
          <h2>{words.events}</h2>
          <EventList timeline={timeline} />
        </aside>
      </div>
    </div>
  );
}

function PointFacts({ point, total }: { point: ReplayPoint; total: number }) {
  return (
    <p className="point-facts">
      <strong>{words.at(point.messages, total)}</strong>
      <span>
        {count(point.view)} {words.sent} ({percent(point.view / point.budget)})
      </span>
      {point.transcript > point.view ? (
        <span>
          {count(point.transcript - point.view)} {words.saved}
        </span>
      ) : null}
      {point.cost === undefined ? null : <span>{dollars(point.cost)}</span>}
      {point.compacted ? <span className="tag covered">{words.compaction}</span> : null}
    </p>
  );
}

function EventList({ timeline }: { timeline: readonly TimelineEvent[] }) {
  const numbers = useNumbers();
  if (timeline.length === 0) return <p className="help">{strings.timeline.noEvents}</p>;
  return (
    <ol>
      {timeline.toReversed().map((event) => (
        <li key={event.id} className={event.type}>
          <time dateTime={new Date(event.at).toISOString()}>{ago(event.at, Date.now())}</time>
          <span>{eventText(event, numbers.run)}</span>
        </li>
      ))}
    </ol>
  );
}

function eventText(event: TimelineEvent, runOf: (run: Run) => string): string {
  const words = strings.compaction;
  switch (event.type) {
    case "compacted":
      return [
        words.covered(event.counts.covered),
        words.tokens(event.tokens.before, event.tokens.after),
        event.rung && strings.rungs[event.rung],
        duration(event.ms),
        isPaid(event.rung) ? words.cost(event.cost) : undefined,
        event.reason && words.why(event.reason),
      ]
        .filter((fact) => fact !== undefined)
        .join(" · ");
    case "summary":
      return `${words.summaryOf(runOf(event.summary.covers))} · ${words.model(event.summary.model)}`;
    case "failed":
      return `${words.failed} ${event.message}`;
    case "rejected":
      return strings.reasons.rejected;
    case "undone":
      return words.undo;
    case "cleared":
      return strings.settings.clear;
    case "summary-edited":
      return words.edited;
    case "loop":
      return `${event.tool} × ${event.rounds}`;
    default:
      return "";
  }
}
