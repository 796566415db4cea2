import { useMemo } from "react";
import type { Totals, TotalsPart } from "../../../src/gateway/api.ts";
import { count, dollars, dollarTick, duration, percent, short, signedDollars } from "../state/format.ts";
import { strings } from "../strings.ts";
import { ScrollArea, Tabs } from "./controls.tsx";
import { Legend, TokenChart } from "./token-chart.tsx";

const words = strings.usage;
const DAY_MS = 86_400_000;
type By = keyof typeof words.names;
const CHART_HEIGHT = 170;
/** Names of a chart that can be told apart; the rest is one. */
const MOST_NAMES = 5;
const COLORS = ["fill-user", "fill-assistant", "fill-tool", "fill-image", "fill-summary", "fill-system"];

export function Sums({ totals }: { totals: Totals }) {
  const { tokensSaved, input, spend, cost, unpriced, net, repeated, compactions } = totals;
  const isUnknown = spend + cost === 0 && unpriced > 0;
  const refused = Object.entries(totals.refused).map(([reason, n]) => words.refused(reason, n));
  return (
    <dl className="totals">
      <Total
        name={words.net}
        value={isUnknown ? strings.gateway.unknown : signedDollars(net)}
        {...(!isUnknown && { note: words.without(net, spend + cost + net) })}
        isMain
      />
      <Total
        name={words.tokensSaved}
        value={short(tokensSaved)}
        {...(tokensSaved > 0 && { note: words.savedOf(tokensSaved, input + tokensSaved) })}
      />
      <Total
        name={words.requests}
        value={count(totals.requests)}
        note={[words.errors(totals.errors), ...refused].join(", ")}
      />
      <Total
        name={words.compactions}
        value={count(compactions)}
        {...(repeated > 0 && { note: words.repeated(repeated) })}
      />
      <Total
        name={words.spend}
        value={isUnknown ? strings.gateway.unknown : dollars(spend + cost)}
        note={[words.summaries(cost), ...(unpriced > 0 ? [words.unpriced(unpriced)] : [])].join(", ")}
      />
      <Total
        name={words.conversations}
        value={count(totals.conversations)}
        note={words.messages(totals.messages)}
      />
    </dl>
  );
}

function Total(props: { name: string; value: string; note?: string; isMain?: boolean }) {
  const { name, value, note, isMain = false } = props;
  return (
    <div className={isMain ? "main" : undefined}>
      <dt>{name}</dt>
      <dd>
        {value}
        {note === undefined ? null : <small>{note}</small>}
      </dd>
    </div>
  );
}

/** Prices of requests are small. */
const LEAST_DOLLARS = 1e-6;

/** What is drawn of each stretch. A mean of nothing isn't a number. */
const CHARTS: readonly {
  readonly name: keyof typeof words.charts;
  value(part: TotalsPart): number;
  readonly format: (value: number) => string;
  readonly isMean?: true;
}[] = [
  { name: "requests", value: (part) => part.requests, format: short },
  { name: "tokens", value: (part) => part.input + part.output, format: short },
  { name: "spend", value: (part) => part.spend + part.cost, format: signedDollars },
  { name: "saved", value: (part) => part.net, format: signedDollars },
  { name: "latency", value: (part) => part.ms, format: duration, isMean: true },
];

/** Sums over time, by model or client, and the same as a table. */
export function Charts(props: {
  totals: Totals & { readonly query: { readonly since: number; readonly every: number } };
  by: By;
  onBy: (by: By) => void;
}) {
  const { totals, by, onBy } = props;
  const { parts = [], query, unpriced } = totals;
  const { since, every } = query;
  const { x, groups, shown } = useMemo(() => {
    const x: number[] = [];
    for (let at = since; at <= Date.now(); at += every) x.push(at);
    const groups = groupsOf(parts, by);
    const rest = groups.slice(MOST_NAMES).flatMap((one) => one.parts);
    const shown: Group[] = groups.slice(0, MOST_NAMES);
    return { x, groups, shown: rest.length === 0 ? shown : [...shown, { label: words.others, parts: rest }] };
  }, [parts, since, every, by]);
  const format = new Intl.DateTimeFormat(
    "en-GB",
    x.at(-1)! - since < DAY_MS ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short" },
  );
  return (
    <section>
      <Tabs legend={strings.gateway.by} names={strings.gateway.bys} chosen={by} onChoose={onBy} />
      {groups.length === 0 ? (
        <p className="help">{words.none}</p>
      ) : (
        <>
          <Legend items={shown.map(({ label }, n) => ({ label, color: COLORS[n]! }))} />
          <div className="usage-charts">
            {CHARTS.map((chart) => (
              <figure key={chart.name}>
                <figcaption>{words.charts[chart.name]}</figcaption>
                <OneChart
                  chart={chart}
                  x={x}
                  every={every}
                  groups={shown}
                  formatX={(at) => format.format(at)}
                />
              </figure>
            ))}
          </div>
          <Table groups={groups} by={by} isPriced={unpriced === 0} />
        </>
      )}
    </section>
  );
}

function OneChart(props: {
  chart: (typeof CHARTS)[number];
  x: readonly number[];
  every: number;
  groups: readonly Group[];
  formatX: (at: number) => string;
}) {
  const { chart, x, every, groups, formatX } = props;
  const { isMean, value } = chart;
  const series = useMemo(
    () =>
      groups.map(({ label, parts }, n) => ({
        label,
        color: COLORS[n]!,
        values: x.map((at) => {
          const some = parts.filter((part) => part.at === at);
          const sum = some.reduce((all, one) => all + value(one) * (isMean ? one.requests : 1), 0);
          if (!isMean) return sum;
          const requests = some.reduce((all, one) => all + one.requests, 0);
          return requests === 0 ? null : sum / requests;
        }),
      })),
    [isMean, value, x, groups],
  );
  return (
    <TokenChart
      x={x}
      series={series}
      height={CHART_HEIGHT}
      label={words.charts[chart.name]}
      formatX={formatX}
      formatY={chart.format}
      {...(chart.format === signedDollars && { formatTick: dollarTick, leastStep: LEAST_DOLLARS })}
      isTime
      {...(isMean ? { hasPoints: true } : { bars: every })}
    />
  );
}

/** What is summed up under one name, those with most requests first. */
function groupsOf(parts: readonly TotalsPart[], by: By) {
  return [...Map.groupBy(parts, ({ name }) => name)]
    .map(([name, some]) => ({
      label: name || words.unnamed[by],
      parts: some,
      sum: (of: (part: TotalsPart) => number) => some.reduce((all, one) => all + of(one), 0),
    }))
    .sort((a, b) => b.sum(({ requests }) => requests) - a.sum(({ requests }) => requests));
}
type Group = Pick<ReturnType<typeof groupsOf>[number], "label" | "parts">;

function Table(props: { groups: ReturnType<typeof groupsOf>; by: By; isPriced: boolean }) {
  const { groups, by, isPriced } = props;
  return (
    <ScrollArea className="table-scroll" label={words.table}>
      <table className="sums">
        <thead>
          <tr>
            {[words.names[by], ...Object.values(words.columns)].map((one) => (
              <th key={one}>{one}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map(({ label, sum }) => {
            const requests = sum((part) => part.requests);
            const input = sum((part) => part.input);
            const cost = sum((part) => part.cost);
            const paid = cost + sum((part) => part.spend);
            return (
              <tr key={label}>
                <td>{label}</td>
                <td>{count(requests)}</td>
                <td>{count(sum((part) => part.errors))}</td>
                <td>{short(input + sum((part) => part.output))}</td>
                <td>{percent(sum((part) => part.cacheRead) / Math.max(1, input))}</td>
                <td>
                  {paid === 0 && input > 0 && !isPriced ? strings.gateway.unknown : dollars(paid)}
                  {cost === 0 ? null : <small>{words.summaries(cost)}</small>}
                </td>
                <td>{signedDollars(sum((part) => part.net))}</td>
                <td>{requests === 0 ? "–" : duration(sum((part) => part.ms * part.requests) / requests)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollArea>
  );
}
