import { useMemo, useState } from "react";
import {
  bestTrade,
  type ReplayAnswer,
  type ReplayInput,
  type ReplayRun,
  routes,
  type StrategyName,
  survivingShare,
} from "../../../src/gateway/api.ts";
import { Button, Choice, CloseButton, Form, ScrollArea, TokensInput } from "../parts/controls.tsx";
import { RunCard } from "../parts/run-card.tsx";
import { useApp, useStore } from "../parts/use-store.ts";
import { useWork, WorkProgress } from "../parts/work.tsx";
import { parseTokens } from "../state/format.ts";
import { strings } from "../strings.ts";

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
  const [wish, setWish] = useState<ReplayInput>();
  const start = useMemo(
    () => wish && ((signal: AbortSignal) => app.api.stream(routes.followReplay, { body: wish, signal })),
    [app, wish],
  );
  const work = useWork<ReplayAnswer>(start);
  // Another conversation forgets what came of this one.
  const isWanted = wish !== undefined && wish.conversation === id;
  const isRunning = wish !== undefined && work.state === "running";
  const { answer } = work;
  const tokens = parseTokens(window);
  const newest = all.toSorted((a, b) => b.updatedAt - a.updatedAt);
  const priced = models?.models.filter((model) => model.prices !== undefined) ?? [];

  return (
    <ScrollArea className="page" label={words.title}>
      <h1>{words.title}</h1>
      <p className="lead">{words.lead}</p>
      <Form
        className="compare-form"
        onSubmit={() => {
          if (tokens === undefined || id === undefined) return;
          const policies = chosen.map((strategy) => ({
            name: strings.strategies[strategy].label,
            strategy,
            window: tokens,
          }));
          setWish({ conversation: id, policies, ...(prices !== undefined && { prices }) });
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
        <TokensInput label={words.window} value={window} onChange={setWindow} />
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
      {!isWanted ? (
        <p className="empty">{words.empty}</p>
      ) : isRunning || answer === undefined ? (
        <WorkProgress work={work} label={words.running} />
      ) : (
        <div className="compare-grid" aria-live="polite">
          {answer.runs.every(({ compactions, impossible }) => compactions + impossible === 0) ? (
            <p className="help all">{words.allFit}</p>
          ) : null}
          {answer.runs.map((run, n) => (
            <RunCard
              // biome-ignore lint/suspicious/noArrayIndexKey: the same strategy may run twice
              key={n}
              run={run}
              isBest={run === bestOf(answer.runs)}
            />
          ))}
        </div>
      )}
    </ScrollArea>
  );
}

const bestOf = (runs: readonly ReplayRun[]): ReplayRun | undefined =>
  bestTrade(
    runs.map((run) => ({
      run,
      keeps: survivingShare(run.survival),
      costs: run.cost?.view ?? run.tokens.view,
      isPossible: run.impossible === 0,
      strategy: run.policy.strategy,
    })),
  )?.run;

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
          <Choice
            isBrief
            label={`${words.strategies} ${n + 1}`}
            values={
              settings?.strategies.map(({ name }) => [name, strings.strategies[name].label] as const) ?? []
            }
            chosen={strategy}
            onChoose={(other = strategy) => onChange(chosen.with(n, other))}
          />
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
