import { useEffect, useState } from "react";
import {
  type ApiView,
  bestTrade,
  type JudgeAnswer,
  type ReplayAnswer,
  type ReplayRun,
  routes,
  type StrategyName,
  survivingShare,
} from "../../../src/gateway/api.ts";
import { Button, Choice, CloseButton, Form, ScrollArea } from "../parts/controls.tsx";
import { Icon } from "../parts/icon.tsx";
import { type JudgedReplay, JudgePanel } from "../parts/judge-panel.tsx";
import { RunCard } from "../parts/run-card.tsx";
import { useApp, useStore } from "../parts/use-store.ts";
import { explain } from "../state/api-client.ts";
import { parseTokens } from "../state/format.ts";
import { strings } from "../strings.ts";

interface Result {
  readonly answer: ReplayAnswer;
  /** What the model would see at the end, by strategy. */
  readonly ends: readonly (ApiView | undefined)[];
  /** What was replayed, for a judge. */
  readonly replay: JudgedReplay;
}

export default function CompareView({ id }: { id: string | undefined }) {
  const app = useApp();
  const { models } = useStore(app.store);
  const { all } = useStore(app.conversations.store);
  const [chosen, setChosen] = useState<readonly StrategyName[]>([
    "summarize-oldest",
    "drop-middle",
    "truncate-oldest",
  ]);
  const [window, setWindow] = useState("32k");
  const [prices, setPrices] = useState<string>();
  const words = strings.compare;
  const { result, judged, setJudged, error, isRunning, replay } = useReplay(id);
  const tokens = parseTokens(window);
  const newest = all.toSorted((a, b) => b.updatedAt - a.updatedAt);
  const served = models?.models.map(({ id: model }) => model) ?? [];
  const priced = models?.models.filter((model) => model.prices !== undefined) ?? [];

  return (
    <ScrollArea className="page" label={words.title}>
      <h1>{words.title}</h1>
      <p className="lead">{words.lead}</p>
      <Form
        className="compare-form"
        onSubmit={() => {
          if (tokens !== undefined) void replay(chosen, tokens, prices);
        }}
      >
        <Choice
          label={words.conversation}
          none={words.pick}
          values={newest.map(({ id: one, title, messages }) => [
            one,
            `${title || strings.sidebar.untitled} (${strings.sidebar.messages(messages)})`,
          ])}
          chosen={id}
          onChoose={(one) => app.router.go({ page: "compare", id: one }, "replace")}
        />
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
          <Choice
            label={words.prices}
            none={words.noPrices}
            values={priced.map(({ id: model }) => [model, model])}
            chosen={prices}
            onChoose={setPrices}
          />
        )}
        <StrategyPicks chosen={chosen} onChange={setChosen} />
        <Button
          look="button primary"
          icon="play"
          type="submit"
          disabled={id === undefined || tokens === undefined || isRunning}
        >
          {isRunning ? words.running : words.run}
        </Button>
      </Form>
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

/** By what survives: by a judge where one was asked, otherwise by the product's own measure. */
const bestOf = (runs: readonly ReplayRun[], judged: JudgeAnswer | undefined): ReplayRun | undefined =>
  bestTrade(
    runs.map((run, n) => ({
      run,
      keeps: judged?.scores[n]?.score ?? survivingShare(run.survival),
      costs: run.cost?.view ?? run.tokens.view,
      isPossible: run.impossible === 0,
      strategy: run.policy.strategy,
    })),
  )?.run;

/** Replays a conversation under several strategies when it is asked to. Another conversation forgets what came of it. */
function useReplay(id: string | undefined) {
  const { api } = useApp();
  const [result, setResult] = useState<Result>();
  const [judged, setJudged] = useState<JudgeAnswer>();
  const [error, setError] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  useEffect(() => {
    if (id !== undefined) {
      setResult(undefined);
      setError(undefined);
    }
  }, [id]);

  const replay = async (chosen: readonly StrategyName[], window: number, prices: string | undefined) => {
    if (id === undefined) return;
    setRunning(true);
    setError(undefined);
    setJudged(undefined);
    const policies = chosen.map((strategy) => ({
      name: strings.strategies[strategy].label,
      strategy,
      window,
    }));
    try {
      const answer = await api.call(routes.replay, {
        body: { conversation: id, policies, ...(prices !== undefined && { prices }) },
      });
      const ends = await Promise.all(
        chosen.map((strategy) =>
          api.call(routes.whatIf, { params: { id }, body: { strategy, window } }).catch(() => undefined),
        ),
      );
      setResult({ answer, ends, replay: { conversation: id, policies } });
    } catch (cause) {
      setError(explain(cause).message);
    }
    setRunning(false);
  };
  return { result, judged, setJudged, error, isRunning, replay };
}

const MOST_STRATEGIES = 3;

/** Up to three strategies that are compared. */
function StrategyPicks(props: {
  chosen: readonly StrategyName[];
  onChange: (chosen: readonly StrategyName[]) => void;
}) {
  const { chosen, onChange } = props;
  const { settings } = useStore(useApp().store);
  const words = strings.compare;
  return (
    <fieldset>
      <legend>{words.strategies}</legend>
      {chosen.map((strategy, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place is what is chosen
        <span key={n} className="pick">
          <select
            aria-label={`${words.strategies} ${n + 1}`}
            value={strategy}
            onChange={(event) =>
              onChange(chosen.map((old, m) => (m === n ? (event.target.value as StrategyName) : old)))
            }
          >
            {settings?.strategies.map(({ name }) => (
              <option key={name} value={name}>
                {strings.strategies[name].label}
              </option>
            ))}
          </select>
          {chosen.length > 1 ? (
            <CloseButton
              label={words.remove(strings.strategies[strategy].label)}
              size={14}
              onClick={() => onChange(chosen.filter((_, m) => m !== n))}
            />
          ) : null}
        </span>
      ))}
      {chosen.length < MOST_STRATEGIES ? (
        <Button icon="plus" onClick={() => onChange([...chosen, "summarize-oldest"])}>
          {words.add}
        </Button>
      ) : null}
    </fieldset>
  );
}
