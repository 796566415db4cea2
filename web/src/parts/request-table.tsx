import { useMemo } from "react";
import { type RequestFact, type RequestQuery, routes } from "../../../src/gateway/api.ts";
import { count, dollars, duration, moment, percent } from "../state/format.ts";
import type { Place, RequestFilters } from "../state/router.ts";
import { strings } from "../strings.ts";
import { Form, ScrollArea, Tabs } from "./controls.tsx";
import { PlaceLink } from "./place-link.tsx";
import { useLoaded, useRequestNews } from "./use-loaded.ts";
import { useApp } from "./use-store.ts";

const words = strings.gateway;
const OUTCOMES = ["failed", "compacted", "view", "pass", "observed", "off", "untouched"] as const;

/** Requests of clients: also those from before a reload or a restart, searched and filtered. The address says how. */
export function RequestTable({ filters: given }: { filters: RequestFilters }) {
  const app = useApp();
  const { from, ...filters } = useMemo(() => filtersOf(given), [given]);
  const news = useRequestNews();
  const { value: requests = [] } = useLoaded(
    async () => {
      const { hours, ...texts } = filters;
      const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ""));
      const since = hours === "" ? {} : { since: Date.now() - Number(hours) * HOUR_MS };
      const query: RequestQuery = { ...given, ...since, from, limit: SHOWN };
      return (await app.api.call(routes.requests, { query })).requests;
    },
    [app, given, news],
    SETTLE_MS,
  );
  const { value: totals } = useLoaded(() => app.api.call(routes.totals), [app, news], SETTLE_MS);
  const show = (filters: RequestFilters) => app.router.go({ page: "gateway", filters }, "replace");
  const change = (changes: RequestFilters) => show({ ...given, ...changes });
  const isFiltered = Object.values(filters).some((value) => value !== "");
  return (
    <section>
      <h2>{words.live}</h2>
      <Tabs
        legend={words.from}
        names={words.sides}
        chosen={from}
        // Models and clients of the one needn't be there in the other.
        onChoose={(side) => show(side === "client" ? {} : { from: side })}
      />
      <Form className="request-filters" aria-label={words.filters}>
        <label>
          <span className="visually-hidden">{words.search}</span>
          <input
            type="search"
            placeholder={words.searched}
            value={filters.search}
            onChange={(event) => change({ search: event.target.value })}
          />
        </label>
        <Filter
          label={words.columns.model}
          values={totals?.models ?? []}
          value={filters.model}
          onChange={(model) => change({ model })}
        />
        <Filter
          label={words.columns.client}
          values={totals?.clients ?? []}
          value={filters.client}
          onChange={(client) => change({ client })}
        />
        <Filter
          label={words.columns.what}
          values={OUTCOMES}
          text={(value) => words.outcomes[value as "pass"]}
          value={filters.outcome}
          onChange={(outcome) => change({ outcome })}
        />
        <Filter
          label={words.when}
          values={Object.keys(words.ranges)}
          text={(hours) => words.ranges[hours as "1"]}
          value={filters.hours}
          onChange={(hours) => change({ hours })}
        />
      </Form>
      {requests.length === 0 ? (
        <p className="help">
          {isFiltered ? (
            words.noneMatch
          ) : from === "page" ? (
            words.pageNone
          ) : from !== "client" ? (
            words.othersNone
          ) : (
            <>
              {words.liveNone} <code>{`${location.origin}/v1`}</code>
            </>
          )}
        </p>
      ) : (
        <ScrollArea className="table-scroll" label={words.live}>
          <table className="requests">
            <thead>
              <tr>
                {Object.values(words.columns).map((name) => (
                  <th key={name}>{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {requests.map((request) => (
                <RequestRow key={request.id} request={request} />
              ))}
            </tbody>
          </table>
        </ScrollArea>
      )}
    </section>
  );
}

/** Its messages may have been passed on as they were, and its tools not. */
export const didWords = ({ outcome, spared }: Pick<RequestFact, "outcome" | "spared">): string =>
  outcome === "pass" && spared !== undefined ? words.fewerTools : words.outcomes[outcome];

/** What is asked for most comes first: on a narrow screen the rest is scrolled to. */
function RequestRow({ request }: { request: RequestFact }) {
  const app = useApp();
  const { usage, spend, tokens, spared, cacheLost, error } = request;
  const to: Place = { page: "request", id: request.id };
  return (
    // The link in it does the same by keyboard.
    <tr onClick={() => app.router.go(to)}>
      <td>
        <PlaceLink to={to}>{moment(request.at)}</PlaceLink>
      </td>
      <td>{request.client ?? "–"}</td>
      <td>{request.model || "–"}</td>
      <td className="did">
        {didWords(request)}
        {spared === undefined ? null : <small>{words.spared(spared)}</small>}
        {request.reason === undefined ? null : <small>{strings.compaction.why(request.reason)}</small>}
        {error === undefined ? null : <small className="bad why">{error}</small>}
      </td>
      <td>
        {tokens === undefined
          ? usage === undefined
            ? "–"
            : // What is passed on as it is isn't counted here; the provider counted it.
              count(usage.input)
          : tokens.before === tokens.after
            ? count(tokens.after)
            : words.became(tokens.before, tokens.after)}
      </td>
      <td>
        {usage === undefined
          ? "–"
          : words.cached(usage.cacheRead ?? 0, percent((usage.cacheRead ?? 0) / Math.max(1, usage.input)))}
        {cacheLost === undefined ? null : (
          <small>{words.lostBy(words.lost[cacheLost], request.lostSpend ?? 0)}</small>
        )}
      </td>
      <td>{spend === undefined ? words.unknown : dollars(spend)}</td>
      <td>{duration(request.ms)}</td>
      <td className={request.status >= 400 ? "bad" : undefined}>{request.status}</td>
    </tr>
  );
}

function Filter(props: {
  label: string;
  values: readonly string[];
  text?: (value: string) => string;
  value: string;
  onChange: (value: string) => void;
}) {
  const { label, values, text = (value) => value, value, onChange } = props;
  if (values.length < 2) return null;
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{words.any(label)}</option>
      {values.map((one) => (
        <option key={one} value={one}>
          {text(one)}
        </option>
      ))}
    </select>
  );
}

const SHOWN = 100;
/** Typing shouldn't ask for every letter, and a busy server not for every request (milliseconds). */
const SETTLE_MS = 250;

/** Whose requests: those of clients, or those of the page's chats. */
type RequestSide = keyof typeof words.sides;

/** What narrows the list; "" doesn't, and neither does what no choice offers. */
function filtersOf({
  from = "",
  search = "",
  model = "",
  client = "",
  outcome = "",
  hours = "",
}: RequestFilters) {
  return {
    from: (Object.hasOwn(words.sides, from) ? from : "client") as RequestSide,
    search,
    model,
    client,
    outcome: OUTCOMES.find((one) => one === outcome) ?? "",
    hours: Object.hasOwn(words.ranges, hours) ? hours : "",
  };
}

const HOUR_MS = 3_600_000;
