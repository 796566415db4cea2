import { useEffect, useMemo, useState } from "react";
import type { ApiView } from "../../../src/gateway/api.ts";
import {
  bestTrade,
  type JudgeAnswer,
  type ReplayAnswer,
  type ReplayRun,
  routes,
  type StrategyName,
  survivingShare,
} from "../../../src/gateway/api.ts";
import { Icon } from "../parts/icon.tsx";
import { type JudgedReplay, JudgePanel } from "../parts/judge-panel.tsx";
import { ScrollArea } from "../parts/scroll-area.tsx";
import { TallyBar } from "../parts/tally-bar.tsx";
import { TokenChart } from "../parts/token-chart.tsx";
import { useApp, useStore } from "../parts/use-store.ts";
import { explain } from "../state/api-client.ts";
import { count, dollars, parseTokens, percent } from "../state/format.ts";
import { columnsOf } from "../state/turns.ts";
import { strings } from "../strings.ts";

const MOST_STRATEGIES = 3;
const CHART_HEIGHT = 150;

interface Result {
  readonly answer: ReplayAnswer;
  /** What the model would see at the end, by strategy. */
  readonly ends: readonly (ApiView | undefined)[];
  /** What was replayed, for a judge. */
  readonly replay: JudgedReplay;
}

export default function CompareView({ id }: { id: string | undefined }) {
  const app = useApp();
  const { settings, models } = useStore(app.store);
  const { all } = useStore(app.conversations.store);
  const [chosen, setChosen] = useState<readonly StrategyName[]>([
    "summarize-oldest",
    "drop-middle",
    "truncate-oldest",
  ]);
  const [window, setWindow] = useState("32k");
  const [prices, setPrices] = useState("");
  const [result, setResult] = useState<Result>();
  const [judged, setJudged] = useState<JudgeAnswer>();
  const [error, setError] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  const words = strings.compare;
  const tokens = parseTokens(window);
  const newest = all.toSorted((a, b) => b.updatedAt - a.updatedAt);
  const served = models?.models.map(({ id: model }) => model) ?? [];
  const priced = models?.models.filter((model) => model.prices !== undefined) ?? [];

  useEffect(() => {
    if (id !== undefined) {
      setResult(undefined);
      setError(undefined);
    }
  }, [id]);

  const replay = async () => {
    if (id === undefined || tokens === undefined) return;
    setRunning(true);
    setError(undefined);
    setJudged(undefined);
    const policies = chosen.map((strategy) => ({
      name: strings.strategies[strategy].label,
      strategy,
      window: tokens,
    }));
    try {
      const answer = await app.api.call(routes.replay, {
        body: {
          conversation: id,
          policies,
          ...(prices !== "" && { prices }),
        },
      });
      const ends = await Promise.all(
        chosen.map((strategy) =>
          app.api
            .call(routes.whatIf, { params: { id }, body: { strategy, window: tokens } })
            .catch(() => undefined),
        ),
      );
      setResult({ answer, ends, replay: { conversation: id, policies } });
    } catch (cause) {
      setError(explain(cause).message);
    }
    setRunning(false);
  };

  return (
    <ScrollArea className="page" label={words.title}>
      <h1>{words.title}</h1>
      <p className="lead">{words.lead}</p>
      <form
        className="compare-form"
        onSubmit={(event) => {
          event.preventDefault();
          void replay();
        }}
      >
        <label>
          {words.conversation}
          <select
            value={id ?? ""}
            onChange={(event) =>
              app.router.go({ page: "compare", id: event.target.value || undefined }, "replace")
            }
          >
            <option value="">{words.pick}</option>
            {newest.map((conversation) => (
              <option key={conversation.id} value={conversation.id}>
                {conversation.title || strings.sidebar.untitled} (
                {strings.sidebar.messages(conversation.messages)})
              </option>
            ))}
          </select>
        </label>
        <label>
          {words.window}
          <input
            value={window}
            size={8}
            aria-invalid={tokens === undefined}
            onChange={(event) => setWindow(event.target.value)}
          />
        </label>
        {priced.length === 0 ? null : (
          <label>
            {words.prices}
            <select value={prices} onChange={(event) => setPrices(event.target.value)}>
              <option value="">{words.noPrices}</option>
              {priced.map(({ id: model }) => (
                <option key={model}>{model}</option>
              ))}
            </select>
          </label>
        )}
        <fieldset>
          <legend>{words.strategies}</legend>
          {chosen.map((strategy, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what is chosen
            <span key={n} className="pick">
              <select
                aria-label={`${words.strategies} ${n + 1}`}
                value={strategy}
                onChange={(event) =>
                  setChosen(chosen.map((old, m) => (m === n ? (event.target.value as StrategyName) : old)))
                }
              >
                {settings?.strategies.map(({ name }) => (
                  <option key={name} value={name}>
                    {strings.strategies[name].label}
                  </option>
                ))}
              </select>
              {chosen.length > 1 ? (
                <button
                  type="button"
                  className="icon-button"
                  aria-label={words.remove(strings.strategies[strategy].label)}
                  onClick={() => setChosen(chosen.filter((_, m) => m !== n))}
                >
                  <Icon name="close" size={14} />
                </button>
              ) : null}
            </span>
          ))}
          {chosen.length < MOST_STRATEGIES ? (
            <button
              type="button"
              className="button"
              onClick={() => setChosen([...chosen, "summarize-oldest"])}
            >
              <Icon name="plus" size={16} /> {words.add}
            </button>
          ) : null}
        </fieldset>
        <button
          type="submit"
          className="button primary"
          disabled={id === undefined || tokens === undefined || isRunning}
        >
          <Icon name="play" size={16} /> {isRunning ? words.running : words.run}
        </button>
      </form>
      {error === undefined ? null : (
        <p className="notice error" role="alert">
          <Icon name="warn" /> {error}
        </p>
      )}
      {result === undefined ? (
        <p className="empty">{words.empty}</p>
      ) : (
        <>
          <div className="compare-grid" aria-live="polite">
            {result.answer.runs.map((run, n) => (
              <RunCard
                // biome-ignore lint/suspicious/noArrayIndexKey: the same strategy may run twice
                key={n}
                run={run}
                end={result.ends[n]}
                {...(judged?.scores[n] && { knows: judged.scores[n].score })}
                isBest={run === bestOf(result.answer.runs, judged)}
              />
            ))}
          </div>
          {served.length === 0 ? null : (
            <JudgePanel replay={result.replay} models={served} onJudged={setJudged} />
          )}
        </>
      )}
    </ScrollArea>
  );
}

const survives = ({ survival }: ReplayRun): number => survivingShare(survival);

const priceOf = ({ cost, tokens }: ReplayRun): number => cost?.view ?? tokens.view;

/** By what survives: by a judge where one was asked, otherwise by the product's own measure. */
const bestOf = (runs: readonly ReplayRun[], judged: JudgeAnswer | undefined): ReplayRun | undefined =>
  bestTrade(
    runs.map((run, n) => ({
      run,
      keeps: judged?.scores[n]?.score ?? survives(run),
      costs: priceOf(run),
      isPossible: run.impossible === 0,
    })),
  )?.run;

function RunCard({
  run,
  end,
  knows,
  isBest,
}: {
  run: ReplayRun;
  end: ApiView | undefined;
  /** What a reader of the last view knows, by a judge. */
  knows?: number;
  isBest: boolean;
}) {
  const words = strings.compare;
  const columns = useMemo(() => columnsOf(run.points), [run]);
  const series = useMemo(
    () => [
      { label: strings.timeline.transcript, values: columns.transcript, color: "soft", width: 1 },
      { label: strings.timeline.view, values: columns.view, color: "accent", fill: true },
      { label: strings.timeline.budget, values: columns.budget, color: "dropped", dashed: true, width: 1.5 },
    ],
    [columns],
  );
  const saved = 1 - run.tokens.view / Math.max(1, run.tokens.transcript);
  return (
    <section className="run-card" aria-label={run.policy.name}>
      <header>
        <h2>{run.policy.name}</h2>
        {isBest ? <span className="tag kept">{words.best}</span> : null}
      </header>
      <div>
        {isBest ? (
          <p className="best-why">
            {knows === undefined ? words.bestWhy(survives(run), saved) : words.bestJudged(knows, saved)}
          </p>
        ) : null}
        {run.policy.strategy === undefined ? null : (
          <p className="help">{strings.strategies[run.policy.strategy].help}</p>
        )}
      </div>
      <TokenChart
        x={columns.x}
        series={series}
        marks={columns.compacted}
        height={CHART_HEIGHT}
        label={`${run.policy.name}: ${strings.timeline.label}`}
      />
      <dl>
        {run.survival === undefined || run.survival.items === 0 ? null : (
          <div>
            <dt title={words.survivesHelp}>{words.survives}</dt>
            <dd>
              {percent(survives(run))} <small>{words.ofItems(run.survival.kept, run.survival.items)}</small>
            </dd>
          </div>
        )}
        {knows === undefined ? null : (
          <div>
            <dt title={words.knowsHelp}>{words.knows}</dt>
            <dd>{percent(knows)}</dd>
          </div>
        )}
        <div>
          <dt>{words.sent}</dt>
          <dd>
            {count(run.tokens.view)} <small>{words.saved(saved)}</small>
          </dd>
        </div>
        <div>
          <dt>{words.everything}</dt>
          <dd>{count(run.tokens.transcript)}</dd>
        </div>
        <div>
          <dt>{words.peak}</dt>
          <dd>{count(run.peak.view)}</dd>
        </div>
        <div>
          <dt>{words.compactions}</dt>
          <dd>{count(run.compactions)}</dd>
        </div>
        {run.cost === undefined ? null : (
          <div>
            <dt>{words.cost}</dt>
            <dd>
              {dollars(run.cost.view)} <small>{dollars(run.cost.transcript)}</small>
            </dd>
          </div>
        )}
        {run.impossible === 0 ? null : (
          <div>
            <dt>{words.impossible}</dt>
            <dd>{count(run.impossible)}</dd>
          </div>
        )}
      </dl>
      {end === undefined ? null : (
        <>
          <h3>{words.survived}</h3>
          <TallyBar view={end} />
        </>
      )}
    </section>
  );
}
