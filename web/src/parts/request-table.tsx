import { useEffect, useState } from "react";
import { type RequestFact, type RequestQuery, routes } from "../../../src/gateway/api.ts";
import { ago, count, dollars, duration, percent } from "../state/format.ts";
import { strings } from "../strings.ts";
import { Form, ScrollArea, Tabs } from "./controls.tsx";
import { PlaceLink } from "./place-link.tsx";
import { useApp } from "./use-store.ts";

const words = strings.gateway;
const OUTCOMES = ["failed", "compacted", "view", "pass", "observed", "off", "untouched"] as const;

/** Requests of clients: also those from before a reload or a restart, searched and filtered. */
export function RequestTable() {
  const [from, setFrom] = useState<RequestSide>("client");
  const [filters, setFilters] = useState(NO_FILTERS);
  const { requests, models, clients } = useRequests(from, filters);
  const change = (changes: Partial<RequestFilters>) => setFilters((before) => ({ ...before, ...changes }));
  const isFiltered = Object.values(filters).some((value) => value !== "");
  return (
    <section>
      <h2>{words.live}</h2>
      <Tabs
        legend={words.from}
        names={words.sides}
        chosen={from}
        onChoose={(side) => {
          setFrom(side);
          // Models and clients of the one needn't be there in the other.
          setFilters(NO_FILTERS);
        }}
      />
      <Form className="request-filters" aria-label={words.filters}>
        <label>
          <span className="visually-hidden">{words.search}</span>
          <input
            type="search"
            placeholder={words.search}
            value={filters.search}
            onChange={(event) => change({ search: event.target.value })}
          />
        </label>
        <Filter
          label={words.columns.model}
          values={models}
          value={filters.model}
          onChange={(model) => change({ model })}
        />
        <Filter
          label={words.columns.client}
          values={clients}
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
        <select
          aria-label={words.when}
          value={filters.hours}
          onChange={(event) => change({ hours: event.target.value })}
        >
          <option value="">{words.anyTime}</option>
          {Object.entries(words.ranges).map(([hours, name]) => (
            <option key={hours} value={hours}>
              {name}
            </option>
          ))}
        </select>
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
        <>
          <LostCache requests={requests} />
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
        </>
      )}
    </section>
  );
}

/** What is asked for most comes first: on a narrow screen the rest is scrolled to. */
function RequestRow({ request }: { request: RequestFact }) {
  const { usage, spend, tokens, cacheLost, error } = request;
  return (
    <tr>
      <td>
        <PlaceLink to={{ page: "request", id: request.id }}>{ago(request.at, Date.now())}</PlaceLink>
      </td>
      <td>{request.model || "–"}</td>
      <td className="did">
        {words.outcomes[request.outcome]}
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
        {cacheLost === undefined ? null : <small>{words.lostHere(words.lost[cacheLost])}</small>}
      </td>
      <td>{spend === undefined ? words.unknown : dollars(spend)}</td>
      <td>{duration(request.ms)}</td>
      <td className={request.status >= 400 ? "bad" : undefined}>{request.status}</td>
      <td>{request.client ?? "–"}</td>
      <td>{request.path}</td>
    </tr>
  );
}

/** What lost caches cost in the requests that are shown, by the reason for it. */
function LostCache({ requests }: { requests: readonly RequestFact[] }) {
  const causes = new Map<NonNullable<RequestFact["cacheLost"]>, { requests: number; spend: number }>();
  for (const { cacheLost, lostSpend = 0 } of requests) {
    if (cacheLost === undefined) continue;
    const before = causes.get(cacheLost) ?? { requests: 0, spend: 0 };
    causes.set(cacheLost, { requests: before.requests + 1, spend: before.spend + lostSpend });
  }
  if (causes.size === 0) return null;
  const told = [...causes].toSorted(([, a], [, b]) => b.spend - a.spend || b.requests - a.requests);
  return (
    <p className="help lost-cache">
      {words.lostTitle(requests.length)}{" "}
      {told.map(([cause, { requests: n, spend }]) => words.lostBy(words.lost[cause], n, spend)).join("; ")}.
    </p>
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

/** What narrows the list; "" doesn't. */
type RequestFilters = { readonly [K in "search" | "model" | "client" | "outcome" | "hours"]: string };

const NO_FILTERS: RequestFilters = { search: "", model: "", client: "", outcome: "", hours: "" };

const HOUR_MS = 3_600_000;

/** The newest requests that match, as they come in; and the models and clients that there are among them without filters. */
function useRequests(from: RequestSide, filters: RequestFilters) {
  const app = useApp();
  const [requests, setRequests] = useState<readonly RequestFact[]>([]);
  const [met, setMet] = useState<{
    from: RequestSide;
    models: readonly string[];
    clients: readonly string[];
  }>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const { hours, ...texts } = filters;
    const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ""));
    const load = () => {
      clearTimeout(timer);
      timer = setTimeout(
        () =>
          void app.attempt(async () => {
            const since = hours === "" ? {} : { since: Date.now() - Number(hours) * HOUR_MS };
            const query: RequestQuery = { ...given, ...since, from, limit: SHOWN };
            const answer = await app.api.call(routes.requests, { query });
            setRequests(answer.requests);
            setMet((before) => {
              const known = before?.from === from ? before : { models: [], clients: [] };
              return {
                from,
                models: joined(known.models, answer.requests, "model"),
                clients: joined(known.clients, answer.requests, "client"),
              };
            });
          }),
        SETTLE_MS,
      );
    };
    load();
    const off = app.live.on((event) => {
      if (event.type === "request") load();
    });
    return () => {
      clearTimeout(timer);
      off();
    };
  }, [app, from, filters]);
  return { requests, models: met?.models ?? [], clients: met?.clients ?? [] };
}

/** Names that were met before, and those of these requests. */
function joined(
  before: readonly string[],
  requests: readonly RequestFact[],
  field: "model" | "client",
): readonly string[] {
  const names = requests.flatMap((request) => request[field] || []);
  return [...new Set([...before, ...names])].sort();
}
