import { useEffect, useMemo, useState } from "react";
import {
  routes,
  type StreamReplayAnswer,
  type StreamReplayInput,
  type StreamStrategyName,
  type StreamTrace,
} from "../../../src/gateway/api.ts";
import { Button, Choice, Failure, Form, ScrollArea, TokensInput } from "../parts/controls.tsx";
import { Legend, TokenChart } from "../parts/token-chart.tsx";
import { useLoaded } from "../parts/use-loaded.ts";
import { useApp, usePiece } from "../parts/use-store.ts";
import { clock } from "../state/format.ts";
import { managementAt, sawColumns } from "../state/stream-file.ts";
import { strings } from "../strings.ts";

const words = strings.stream;
/** How the recording is tried. */
type StreamOptions = Pick<StreamReplayInput, "strategy" | "window" | "tokensPerFrame" | "pick">;

const CHART_HEIGHT = 240;

/** A recorded stream: tokens in the cache over time, and every time that it was managed. */
export default function StreamView() {
  const app = useApp();
  const recording = usePiece(app.store, (state) => state.recording);
  const [options, setOptions] = useState<StreamOptions>({});
  const {
    value: answer,
    error,
    isLoading,
  } = useLoaded(
    () => recording && app.api.call(routes.replayStream, { body: { file: recording, ...options } }),
    [app, recording, options],
  );
  return (
    <ScrollArea className="page" label={words.title}>
      <h1>{answer?.title ?? words.title}</h1>
      <p className="lead">
        {answer === undefined
          ? words.lead
          : words.facts(clock(answer.timeline.status.time), answer.timeline.status.frames, answer.turns)}
      </p>
      {error === undefined ? null : <Failure error={error} />}
      {answer === undefined ? (
        <p className="empty">
          {recording !== undefined ? (
            isLoading ? (
              words.running
            ) : null
          ) : (
            <>
              {words.empty}{" "}
              <Button look="link" onClick={() => void app.openExample("bicycle-repair.jsonl")}>
                {words.example}
              </Button>
            </>
          )}
        </p>
      ) : (
        <>
          <StreamForm answer={answer} options={options} isRunning={isLoading} onChange={setOptions} />
          <StreamTimeline key={`${answer.title} ${answer.strategy}`} answer={answer} />
        </>
      )}
    </ScrollArea>
  );
}

function StreamForm(props: {
  answer: StreamReplayAnswer;
  options: StreamOptions;
  isRunning: boolean;
  onChange: (options: StreamOptions) => void;
}) {
  const { answer, options, isRunning, onChange } = props;
  const [window, setWindow] = useState(String(answer.timeline.status.window));
  const [perFrame, setPerFrame] = useState(String(answer.tokensPerFrame));
  const change = (changes: StreamOptions) => onChange({ ...options, ...changes });
  const takeWindow = (tokens: number) => {
    if (tokens !== answer.timeline.status.window) change({ window: tokens });
  };
  const takePerFrame = (tokens: number) => {
    if (tokens !== answer.tokensPerFrame) change({ tokensPerFrame: tokens });
  };
  return (
    <Form
      className="compare-form"
      aria-busy={isRunning}
      // Enter takes a number as leaving its box does.
      onSubmit={() => (document.activeElement as HTMLElement | null)?.blur()}
    >
      <Choice
        label={words.strategy}
        values={Object.entries(words.strategies)}
        chosen={answer.strategy}
        onChoose={(strategy) => change({ strategy: strategy as StreamStrategyName })}
      />
      <TokensInput label={words.window} value={window} onChange={setWindow} onTake={takeWindow} />
      <TokensInput
        label={words.tokensPerFrame}
        value={perFrame}
        onChange={setPerFrame}
        onTake={takePerFrame}
      />
      {answer.recordings < 2 ? null : (
        <Choice
          label={words.recording}
          values={Array.from({ length: answer.recordings }, (_, n) => [String(n), String(n + 1)])}
          chosen={String(options.pick ?? 0)}
          onChoose={(pick) => change({ pick: Number(pick) })}
        />
      )}
    </Form>
  );
}

function StreamTimeline({ answer }: { answer: StreamReplayAnswer }) {
  const { timeline } = answer;
  const { managed, status, said } = timeline;
  const [nth, setNth] = useState(Math.max(0, managed.length - 1));
  const chosen = managed[Math.min(nth, managed.length - 1)];
  useEffect(() => setNth(Math.max(0, managed.length - 1)), [managed]);
  const { seconds, tokens } = useMemo(() => sawColumns(timeline), [timeline]);
  const series = useMemo(
    () => [
      { label: words.tokens, values: tokens, color: "accent", fill: true },
      {
        label: words.limit,
        values: tokens.map(() => status.limit),
        color: "dropped",
        dashed: true,
        width: 1.5,
      },
      { label: words.fullWindow, values: tokens.map(() => status.window), color: "soft", width: 1 },
    ],
    [tokens, status],
  );
  const marks = useMemo(() => managed.map(({ time }) => time), [managed]);
  return (
    <>
      <div className="stream-chart">
        <Legend items={series} marks={words.managed} />
        <TokenChart
          x={seconds}
          series={series}
          marks={marks}
          {...(chosen && { at: chosen.time })}
          height={CHART_HEIGHT}
          label={words.chart}
          formatX={clock}
          onPick={(at) => setNth(managementAt(managed, at))}
        />
      </div>
      <div className="stream-below">
        <section aria-label={words.managed}>
          <h2>{words.managedTimes(managed.length)}</h2>
          <ol className="stream-steps">
            {managed.map((step, n) => (
              <li key={step.step}>
                <button type="button" aria-pressed={n === nth} onClick={() => setNth(n)}>
                  <strong>{words.step(n + 1, clock(step.time))}</strong>
                  <span>{words.change(step.tokens.before, step.tokens.after)}</span>
                </button>
              </li>
            ))}
          </ol>
        </section>
        {chosen === undefined ? null : <Step step={chosen} nth={nth} />}
      </div>
      {said.length === 0 ? null : (
        <section className="stream-said">
          <h2>{words.said}</h2>
          <ul>
            {said.map(({ time, text }) => (
              <li key={`${time} ${text}`}>
                <time>{clock(time)}</time> {text}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Step({ step, nth }: { step: StreamTrace; nth: number }) {
  const { tokens, rungs = [], warnings } = step;
  const facts = [
    words.frame(step.frame),
    words.left(tokens.before, tokens.after),
    words.took(step.durationMs),
    words.reasons[step.reason],
    ...rungs.map(({ rung, result }) => `${strings.rungs[rung]}: ${words.rungResult[result]}`),
    ...warnings,
  ];
  return (
    <section className="stream-step" aria-live="polite">
      <h2>
        {words.step(nth + 1, clock(step.time))}{" "}
        <span className="tag covered">{words.actions[step.action]}</span>
      </h2>
      <p className="stream-change">
        <strong>{words.change(tokens.before, tokens.after)}</strong>
        <span className="bar" aria-hidden="true">
          <i style={{ width: `${(100 * tokens.after) / Math.max(1, tokens.before)}%` }} />
        </span>
      </p>
      <p className="help">{facts.join(" · ")}</p>
      <h3>{words.summary}</h3>
      {step.summary === undefined ? (
        <p className="help">{words.noSummary}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
        <pre tabIndex={0}>{step.summary}</pre>
      )}
      {step.query === undefined ? null : (
        <details>
          <summary>{words.question}</summary>
          <p className="plain">{step.query.text}</p>
        </details>
      )}
    </section>
  );
}
