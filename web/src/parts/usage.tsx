import { useMemo, useState } from "react";
import { routes, type Totals, type TotalsPart } from "../../../src/gateway/api.ts";
import { count, dollars, dollarTick, duration, percent, short, signedDollars } from "../state/format.ts";
import { strings } from "../strings.ts";
import { ScrollArea, Tabs } from "./controls.tsx";
import { Legend, TokenChart } from "./token-chart.tsx";
import { useLoaded, useRequestNews } from "./use-loaded.ts";
import { useApp } from "./use-store.ts";

const words = strings.usage;
/** A busy server isn't asked after every request (milliseconds). */
const SETTLE_MS = 250;
const HOUR_MS = 3_600_000;
/** How long each stretch of a range is (hours). Sums of the store are of four. */
const STRETCHES = { "24": 1, "168": 4, "720": 24, "2160": 24 } as const;
type By = keyof typeof words.bys;
type Range = keyof typeof STRETCHES;
const CHART_HEIGHT = 150;
/** Lines of a chart that can be told apart; the rest is one line. */
const MOST_LINES = 5;
const COLORS = ["fill-user", "fill-assistant", "fill-tool", "fill-image", "fill-summary", "fill-system"];

/** What requests come to in a range of time: totals, charts by model or client, and the same as a table. */
export function Usage() {
  const app = useApp();
  const [range, setRange] = useState<Range>("24");
  const [by, setBy] = useState<By>("model");
  const news = useRequestNews();
  const { value: totals } = useLoaded(
    async () => {
      const every = STRETCHES[range] * HOUR_MS;
      const since = Math.floor((Date.now() - Number(range) * HOUR_MS) / every + 1) * every;
      const answer = await app.api.call(routes.totals, { query: { since, every, by } });
      return { ...answer, query: { since, every } };
    },
    [app, range, by, news],
    SETTLE_MS,
  );
  return (
    <section className="usage">
      <div className="usage-choice">
        <Tabs legend={words.range} names={words.ranges} chosen={range} onChoose={setRange} />
        <Tabs legend={words.by} names={words.bys} chosen={by} onChoose={setBy} />
      </div>
      {totals === undefined ? null : (
        <>
          <Sums totals={totals} />
          <Charts parts={totals.parts ?? []} query={totals.query} by={by} />
          <Parts parts={totals.parts ?? []} by={by} isPriced={totals.unpriced === 0} />
        </>
      )}
    </section>
  );
}

function Sums({ totals }: { totals: Totals }) {
  const { tokensSaved, input, spend, cost, unpriced, net, repeated, compactions } = totals;
  const refused = Object.entries(totals.refused).map(([reason, n]) => words.refused(reason, n));
  return (
    <dl className="totals">
      <Total
        name={words.net}
        value={signedDollars(net)}
        note={words.without(net, spend + cost + net)}
        isMain
      />
      <Total
        name={words.tokensSaved}
        value={short(tokensSaved)}
        {...(tokensSaved > 0 && { note: words.savedOf(tokensSaved / (input + tokensSaved)) })}
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
        value={spend + cost === 0 && unpriced > 0 ? strings.gateway.unknown : dollars(spend + cost)}
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

/** What is drawn of each stretch. A mean of nothing is no number. */
const CHARTS: readonly {
  readonly name: keyof typeof words.charts;
  value(part: TotalsPart): number;
  readonly format: (value: number, step: number) => string;
  readonly leastStep?: number;
  readonly isMean?: true;
}[] = [
  { name: "requests", value: (part) => part.requests, format: short },
  { name: "tokens", value: (part) => part.input + part.output, format: short },
  { name: "spend", value: (part) => part.spend + part.cost, format: dollarTick, leastStep: LEAST_DOLLARS },
  {
    name: "saved",
    value: (part) => part.net,
    format: dollarTick,
    leastStep: LEAST_DOLLARS,
  },
  { name: "latency", value: (part) => part.ms, format: duration, isMean: true },
];

function Charts({
  parts,
  query: { since, every },
  by,
}: {
  parts: readonly TotalsPart[];
  query: { since: number; every: number };
  by: By;
}) {
  const { x, lines } = useMemo(() => {
    const x: number[] = [];
    for (let at = since; at <= Date.now(); at += every) x.push(at);
    return { x, lines: linesOf(parts, by) };
  }, [parts, since, every, by]);
  if (lines.length === 0) return <p className="help">{words.none}</p>;
  const isHours = every < 24 * HOUR_MS;
  const formatX = (at: number) =>
    isHours && x.length <= 24
      ? new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })
      : new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return (
    <>
      <Legend items={lines.map(({ label }, n) => ({ label, color: COLORS[n]! }))} />
      <div className="usage-charts">
        {CHARTS.map((chart) => (
          <figure key={chart.name}>
            <figcaption>{words.charts[chart.name]}</figcaption>
            <OneChart chart={chart} x={x} lines={lines} formatX={formatX} />
          </figure>
        ))}
      </div>
    </>
  );
}

function OneChart(props: {
  chart: (typeof CHARTS)[number];
  x: readonly number[];
  lines: ReturnType<typeof linesOf>;
  formatX: (at: number) => string;
}) {
  const { chart, x, lines, formatX } = props;
  const series = useMemo(
    () =>
      lines.map(({ label, parts }, n) => ({
        label,
        color: COLORS[n]!,
        values: x.map((at) => {
          const some = parts.filter((part) => part.at === at);
          if (chart.isMean) {
            const requests = some.reduce((sum, one) => sum + one.requests, 0);
            return requests === 0
              ? null
              : some.reduce((sum, one) => sum + chart.value(one) * one.requests, 0) / requests;
          }
          return some.reduce((sum, one) => sum + chart.value(one), 0);
        }),
      })),
    [chart, x, lines],
  );
  return (
    <TokenChart
      x={x}
      series={series}
      height={CHART_HEIGHT}
      label={words.charts[chart.name]}
      formatX={formatX}
      formatY={chart.format}
      {...(chart.leastStep !== undefined && { leastStep: chart.leastStep })}
      isTime
      hasPoints={chart.isMean === true}
    />
  );
}

/** The names with most requests, and all others as one. */
function linesOf(parts: readonly TotalsPart[], by: By) {
  const groups = [...Map.groupBy(parts, ({ name }) => name)]
    .map(([name, some]) => ({
      name,
      parts: some,
      requests: some.reduce((sum, one) => sum + one.requests, 0),
    }))
    .sort((a, b) => b.requests - a.requests);
  const rest = groups.slice(MOST_LINES).flatMap((one) => one.parts);
  return [
    ...groups.slice(0, MOST_LINES).map((one) => ({ label: one.name || words.unnamed[by], parts: one.parts })),
    ...(rest.length > 0 ? [{ label: words.others, parts: rest }] : []),
  ];
}

function Parts({ parts, by, isPriced }: { parts: readonly TotalsPart[]; by: By; isPriced: boolean }) {
  const groups = [...Map.groupBy(parts, (one) => one.name)];
  if (groups.length === 0) return null;
  const sum = (some: readonly TotalsPart[], of: (one: TotalsPart) => number) =>
    some.reduce((all, one) => all + of(one), 0);
  return (
    <ScrollArea className="table-scroll" label={words.table}>
      <table className="sums">
        <thead>
          <tr>
            {[words.bys[by], ...Object.values(words.columns)].map((one) => (
              <th key={one}>{one}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map(([one, some]) => {
            const requests = sum(some, (part) => part.requests);
            const input = sum(some, (part) => part.input);
            const net = sum(some, (part) => part.net);
            const cost = sum(some, (part) => part.cost);
            const paid = cost + sum(some, (part) => part.spend);
            return (
              <tr key={one}>
                <td>{one || words.unnamed[by]}</td>
                <td>{count(requests)}</td>
                <td>{count(sum(some, (part) => part.errors))}</td>
                <td>{short(input + sum(some, (part) => part.output))}</td>
                <td>{percent(sum(some, (part) => part.cacheRead) / Math.max(1, input))}</td>
                <td>
                  {paid === 0 && input > 0 && !isPriced ? strings.gateway.unknown : dollars(paid)}
                  {cost === 0 ? null : <small>{words.summaries(cost)}</small>}
                </td>
                <td>{signedDollars(net)}</td>
                <td>
                  {requests === 0 ? "–" : duration(sum(some, (part) => part.ms * part.requests) / requests)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollArea>
  );
}
