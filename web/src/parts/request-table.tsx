import { useState } from "react";
import { type ListedRequest, type RequestFact, type RequestQuery, routes } from "../../../src/gateway/api.ts";
import { count, dollars, duration, moment, percent } from "../state/format.ts";
import { type Filters, OUTCOMES, rangeOf } from "../state/request-filters.ts";
import type { Place, RequestFilters } from "../state/router.ts";
import { strings } from "../strings.ts";
import { Button, Choice, Failure, Form, ScrollArea, Tabs } from "./controls.tsx";
import { PlaceLink } from "./place-link.tsx";
import { useLoaded } from "./use-loaded.ts";
import { useApp } from "./use-store.ts";

const words = strings.gateway;
/** Rows that are shown at first, and so many more at a time, up to what a server answers with. */
const SHOWN = 100;
const MOST_SHOWN = 2_000;
/** Typing shouldn't ask for every letter (milliseconds). */
const SETTLE_MS = 250;

/** The status of an answer that the one who asked for it stopped. */
export const STOPPED = 499;

const SORTS = Object.keys(words.sorts) as (keyof typeof words.sorts)[];

/** Requests, also those from before a reload or a restart, searched and filtered. */
export function RequestTable(props: {
  filters: Filters;
  /** Another number whenever a request has ended. */
  news: number;
  onChange: (changes: RequestFilters) => void;
}) {
  const { filters, news, onChange } = props;
  const { from, search, model, client, outcome, sort, order } = filters;
  const app = useApp();
  const [limit, setLimit] = useState(SHOWN);
  const { value: requests, error } = useLoaded(
    async () => {
      const narrowed = Object.entries({ search, model, client, outcome }).filter(([, value]) => value !== "");
      const query: RequestQuery = {
        ...Object.fromEntries(narrowed),
        ...rangeOf(filters),
        from,
        sort,
        order,
        limit,
      };
      return (await app.api.call(routes.requests, { query })).requests;
    },
    [app, filters, limit],
    { settleMs: SETTLE_MS, news },
  );
  return (
    <section>
      <Form className="request-filters" aria-label={words.filters}>
        <Tabs legend={words.from} names={words.sides} chosen={from} onChoose={(from) => onChange({ from })} />
        <label>
          <span className="visually-hidden">{words.search}</span>
          <input
            type="search"
            placeholder={words.searched}
            value={search}
            onChange={(event) => onChange({ search: event.target.value })}
          />
        </label>
        <Choice
          isBrief
          label={words.columns.what}
          none={words.any(words.columns.what)}
          values={OUTCOMES.map((one) => [one, words.outcomes[one]] as const)}
          chosen={outcome || undefined}
          onChoose={(outcome = "") => onChange({ outcome })}
        />
        <span className="sort">
          <Choice
            isBrief
            label={words.sort}
            values={Object.entries(words.sorted)}
            chosen={`${sort} ${order}`}
            onChoose={(chosen = "") => {
              const [sort = "", order = ""] = chosen.split(" ");
              onChange({ sort, order });
            }}
          />
        </span>
      </Form>
      {error === undefined ? null : <Failure error={error} />}
      {requests === undefined ? (
        <p className="help">{error === undefined ? strings.loading : ""}</p>
      ) : requests.length === 0 ? (
        <p className="help">
          {[search, model, client, outcome].some((value) => value !== "") ? (
            words.noneMatch
          ) : from === "client" || from === "all" ? (
            <>
              {words.liveNone} <code>{`${location.origin}/v1`}</code>
            </>
          ) : (
            words.none[from]
          )}
        </p>
      ) : (
        <ScrollArea className="table-scroll of-requests" label={words.live}>
          <table className="requests">
            <thead>
              <tr>
                {Object.entries(words.columns).map(([column, name]) => {
                  const by = SORTS.find((one) => words.sorts[one] === column);
                  const isSorted = by === sort;
                  const isDown = order === "desc";
                  return by === undefined ? (
                    <th key={name}>{name}</th>
                  ) : (
                    <th key={name} aria-sort={isSorted ? (isDown ? "descending" : "ascending") : undefined}>
                      <button
                        type="button"
                        onClick={() => onChange({ sort: by, order: isSorted && isDown ? "asc" : "desc" })}
                      >
                        {name}
                        <span aria-hidden="true">{isSorted ? (isDown ? " ↓" : " ↑") : " ↕"}</span>
                      </button>
                    </th>
                  );
                })}
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
      {requests?.length === limit && limit < MOST_SHOWN ? (
        <Button onClick={() => setLimit(limit + SHOWN)}>{words.more}</Button>
      ) : null}
    </section>
  );
}

/** Its messages may have been passed on as they were, and its tools not. */
export const didWords = ({ outcome, spared }: Pick<RequestFact, "outcome" | "spared">): string =>
  outcome === "pass" && spared !== undefined ? words.fewerTools : words.outcomes[outcome];

/** What is asked for most comes first: on a narrow screen the rest is scrolled to. */
function RequestRow({ request }: { request: ListedRequest }) {
  const app = useApp();
  const { usage, spend, tokens, spared, cacheLost, error } = request;
  const to: Place = { page: "request", id: request.id };
  const did = [
    didWords(request),
    spared === undefined ? undefined : words.spared(spared),
    request.reason && strings.compaction.why(request.reason),
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
  const lost = cacheLost && words.lostBy(words.lost[cacheLost], request.lostSpend ?? 0);
  return (
    // The link in it does the same by keyboard.
    <tr onClick={() => app.router.go(to)}>
      <td>
        <PlaceLink to={to}>{moment(request.at)}</PlaceLink>
      </td>
      <td>
        {request.status === STOPPED ? (
          <span className="tag">{words.stopped}</span>
        ) : (
          <span className={`tag ${request.status >= 400 ? "dropped" : "kept"}`}>{request.status}</span>
        )}
      </td>
      <td>{request.client ?? (request.from === undefined ? "–" : words.sides[request.from])}</td>
      <td className="cut" title={request.model}>
        {request.model || "–"}
      </td>
      <td className="cut did" title={did}>
        {did}
      </td>
      <td data-name={words.columns.tokens}>
        {tokens === undefined
          ? usage === undefined
            ? "–"
            : // What is passed on as it is isn't counted here; the provider counted it.
              count(usage.input)
          : tokens.before === tokens.after
            ? count(tokens.after)
            : words.became(tokens.before, tokens.after)}
      </td>
      <td className="cut" data-name={words.columns.cache} title={lost}>
        {usage === undefined
          ? "–"
          : usage.cacheRead
            ? percent(usage.cacheRead / Math.max(1, usage.input))
            : words.uncached}
        {lost === undefined ? null : <small> {lost}</small>}
      </td>
      <td data-name={words.columns.spend}>
        {spend !== undefined ? dollars(spend) : usage === undefined ? "–" : words.unknown}
      </td>
      <td data-name={words.columns.took}>{duration(request.ms)}</td>
      <td className="cut about" title={[request.title, error].filter(Boolean).join("\n")}>
        {error === undefined ? (
          request.title
        ) : (
          <span className={request.status === STOPPED ? undefined : "bad"}>{error}</span>
        )}
      </td>
    </tr>
  );
}
