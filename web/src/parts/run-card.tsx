import { type ReactNode, useMemo } from "react";
import { type ReplayRun, survivingShare } from "../../../src/gateway/api.ts";
import { count, dollars, percent } from "../state/format.ts";
import { columnsOf } from "../state/turns.ts";
import { strings } from "../strings.ts";
import { TokenChart } from "./token-chart.tsx";

const words = strings.compare;
const CHART_HEIGHT = 150;

/** What a conversation would have been under one policy. */
export function RunCard(props: { run: ReplayRun; isBest: boolean }) {
  const { run, isBest } = props;
  const { policy, tokens, survival, cost } = run;
  const columns = useMemo(() => columnsOf(run.points), [run]);
  const series = useMemo(
    () => [
      { label: strings.timeline.transcript, values: columns.transcript, color: "soft", width: 1 },
      { label: strings.timeline.view, values: columns.view, color: "accent", fill: true },
      { label: strings.timeline.budget, values: columns.budget, color: "dropped", dashed: true, width: 1.5 },
    ],
    [columns],
  );
  const saved = 1 - tokens.view / Math.max(1, tokens.transcript);
  const survives = survivingShare(survival);
  return (
    <section className="run-card" aria-label={policy.name}>
      <header>
        <h2>{policy.name}</h2>
        {isBest ? <span className="tag kept">{words.best}</span> : null}
      </header>
      <div>
        {isBest ? <p className="best-why">{words.bestWhy(survives, saved)}</p> : null}
        {policy.strategy === undefined ? null : (
          <p className="help">{strings.strategies[policy.strategy].help}</p>
        )}
      </div>
      <TokenChart
        x={columns.x}
        series={series}
        marks={columns.compacted}
        height={CHART_HEIGHT}
        label={`${policy.name}: ${strings.timeline.label}`}
      />
      <dl>
        {survival === undefined || survival.items === 0 ? null : (
          <Fact label={words.survives} help={words.survivesHelp}>
            {percent(survives)} <small>{words.ofItems(survival.kept, survival.items)}</small>
          </Fact>
        )}
        <Fact label={words.sent}>
          {count(tokens.view)} <small className="less">{words.saved(saved)}</small>
        </Fact>
        <Fact label={words.everything}>{count(tokens.transcript)}</Fact>
        <Fact label={words.peak}>{count(run.peak.view)}</Fact>
        <Fact label={words.compactions}>{count(run.compactions)}</Fact>
        {cost === undefined ? null : (
          <Fact label={words.cost}>
            {dollars(cost.view)} <small>{dollars(cost.transcript)}</small>
          </Fact>
        )}
        {run.impossible === 0 ? null : <Fact label={words.impossible}>{count(run.impossible)}</Fact>}
      </dl>
    </section>
  );
}

function Fact({ label, help, children }: { label: string; help?: string; children: ReactNode }) {
  return (
    <div>
      <dt title={help}>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
