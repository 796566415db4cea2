import { useCallback, useState } from "react";
import {
  JUDGE_QUESTIONS,
  type JudgeAnswer,
  type JudgeCost,
  type Policy,
  routes,
} from "../../../src/gateway/api.ts";
import { explain } from "../state/api-client.ts";
import { count, dollars } from "../state/format.ts";
import { strings } from "../strings.ts";
import { Button } from "./controls.tsx";
import { useApp } from "./use-store.ts";
import { useWork } from "./use-work.ts";
import { WorkProgress } from "./work-progress.tsx";

const words = strings.judge;

export interface JudgedReplay {
  readonly conversation: string;
  readonly policies: readonly Policy[];
}

/** Asks a model what readers of each strategy's view know. Says first what that costs, and can be cancelled. */
export function JudgePanel(props: {
  replay: JudgedReplay;
  models: readonly string[];
  onJudged: (answer: JudgeAnswer) => void;
}) {
  const { replay, models, onJudged } = props;
  const app = useApp();
  const [model, setModel] = useState(models[0] ?? "");
  const [cost, setCost] = useState<JudgeCost>();
  const [error, setError] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  const body = { ...replay, model };
  const ask = async () => {
    setError(undefined);
    try {
      setCost(await app.api.call(routes.judgeCost, { body }));
    } catch (cause) {
      setError(explain(cause).message);
    }
  };
  return (
    <section className="judge" aria-label={words.title}>
      <h2>{words.title}</h2>
      <p className="help">{words.help(JUDGE_QUESTIONS)}</p>
      <div className="row">
        <label>
          {words.model}{" "}
          <select
            value={model}
            onChange={(event) => {
              setModel(event.target.value);
              setCost(undefined);
              setRunning(false);
            }}
          >
            {models.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {cost === undefined ? (
          <Button onClick={() => void ask()}>{words.cost}</Button>
        ) : isRunning ? null : (
          <Button look="button primary" onClick={() => setRunning(true)}>
            {words.start}
          </Button>
        )}
        {cost === undefined ? null : (
          <p role="status">
            {words.costs(
              count(cost.requests),
              count(cost.tokens),
              cost.dollars === undefined ? words.unknown : dollars(cost.dollars),
            )}
          </p>
        )}
      </div>
      {error === undefined ? null : (
        <p className="notice error" role="alert">
          {error}
        </p>
      )}
      {isRunning ? <Judging replay={replay} model={model} onJudged={onJudged} /> : null}
    </section>
  );
}

function Judging(props: { replay: JudgedReplay; model: string; onJudged: (answer: JudgeAnswer) => void }) {
  const { replay, model, onJudged } = props;
  const app = useApp();
  const start = useCallback(
    (signal: AbortSignal) => app.api.stream(routes.judge, { body: { ...replay, model }, signal }),
    [app, replay, model],
  );
  const { work, cancel, again } = useWork<JudgeAnswer>(start, onJudged);
  if (work.answer === undefined)
    return <WorkProgress work={work} label={words.running} onCancel={cancel} onAgain={again} />;
  const { requests, dollars: spent } = work.answer.spent;
  return (
    <p role="status">{words.done(count(requests), spent === undefined ? words.unknown : dollars(spent))}</p>
  );
}
