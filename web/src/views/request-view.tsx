import { useMemo } from "react";
import { type RequestRecord, routes } from "../../../src/gateway/api.ts";
import { Failure, ScrollArea } from "../parts/controls.tsx";
import { Fold } from "../parts/fold.tsx";
import { Json } from "../parts/json.tsx";
import { PlaceLink } from "../parts/place-link.tsx";
import { ReceiptText } from "../parts/receipt-text.tsx";
import { didWords, STOPPED } from "../parts/request-table.tsx";
import { useLoaded } from "../parts/use-loaded.ts";
import { useApp } from "../parts/use-store.ts";
import { count, dollars, duration, instant, percent } from "../state/format.ts";
import { messagesIn, oneLine } from "../state/message-text.ts";
import { strings } from "../strings.ts";

const words = strings.request;
const { columns } = strings.gateway;

/** One request: what became of it, what was sent, and what was answered. */
export default function RequestView({ id }: { id: string }) {
  const app = useApp();
  const { value: record, error } = useLoaded(
    () => app.api.call(routes.requestRecord, { params: { id } }),
    [app, id],
  );
  return (
    <ScrollArea className="page request" label={words.title}>
      <p className="help">
        <PlaceLink to={{ page: "gateway" }}>{words.all}</PlaceLink>
      </p>
      <h1>{words.title}</h1>
      {error === undefined ? null : <Failure error={error} />}
      {record === undefined ? null : <Shown key={id} record={record} />}
    </ScrollArea>
  );
}

function Shown({ record }: { record: RequestRecord }) {
  const { conversation, last, sent, answer, noAnswer, error } = record;
  const isStopped = record.status === STOPPED;
  return (
    <>
      <p className="lead">
        {instant(record.at)} · {kindOf(record)}
        {conversation === undefined ? null : (
          <>
            {" · "}
            <PlaceLink
              to={{
                page: "chat",
                id: conversation,
                tab: "chat",
                ...(last !== undefined && { message: last }),
              }}
            >
              {words.inChat}
            </PlaceLink>
            {" · "}
            <PlaceLink
              to={{
                page: "gateway",
                filters: { search: conversation, hours: "all", from: "all" },
              }}
            >
              {words.ofChat}
            </PlaceLink>
          </>
        )}
      </p>
      {error === undefined ? null : (
        <section className={isStopped ? "" : "failed"} role="note">
          <h2>
            {isStopped ? words.stopped : record.status < 400 ? words.marked : words.failed(record.status)}
          </h2>
          <p>{error}</p>
        </section>
      )}
      <dl className="request-facts">
        {factsOf(record).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd title={value}>{value}</dd>
          </div>
        ))}
      </dl>
      {record.advice.map((sentence) => (
        <p key={sentence} className="help" role="note">
          {sentence}
        </p>
      ))}
      {record.receipt === undefined ? null : (
        <section>
          <h2>{words.receipt}</h2>
          <ReceiptText receipt={record.receipt} />
        </section>
      )}
      <section>
        <h2>{words.sent}</h2>
        <p className="help">{sent.isExact ? words.exact : words.inexact(sent.why ?? "")}</p>
        {sent.changed.length === 0 ? null : (
          <p className="help">
            {words.changed}{" "}
            {sent.changed.map(({ name, was, now }) => `${name}: ${said(was)} → ${said(now)}`).join("; ")}
          </p>
        )}
        {sent.body === undefined ? null : <Messages label={words.sent} value={sent.body} />}
      </section>
      {answer.length === 0 && noAnswer === undefined ? null : (
        <section>
          <h2>{words.answer}</h2>
          {answer.length === 0 ? (
            <p className="help">{noAnswer}</p>
          ) : (
            <Messages label={words.answer} value={answer} />
          )}
        </section>
      )}
      {record.details === undefined ? null : (
        <section>
          <h2>{words.details}</h2>
          <Json label={words.details} value={record.details} />
        </section>
      )}
    </>
  );
}

/** What was sent or answered, message by message, and all of it as JSON. */
function Messages({ label, value }: { label: string; value: unknown }) {
  const messages = useMemo(() => messagesIn(value), [value]);
  return (
    <>
      {messages.map(({ role, text }, n) => (
        <Fold
          // biome-ignore lint/suspicious/noArrayIndexKey: messages of a request have no other name
          key={n}
          icon="chevron"
          kind="result"
          name={role}
          brief={oneLine(text)}
          body={text}
        />
      ))}
      <details open={messages.length === 0}>
        <summary>{words.json}</summary>
        <Json label={label} value={value} />
      </details>
    </>
  );
}

const kindOf = ({ from = "client", path }: RequestRecord): string =>
  (from === "compaction" ? words.came[path] : undefined) ?? words.kinds[from];

const said = (value: unknown): string => (value === undefined ? words.unset : JSON.stringify(value));

function factsOf(record: RequestRecord): readonly (readonly [name: string, value: string])[] {
  const { tokens, usage, spend, ownMs, firstMs, deferred } = record;
  const facts: readonly (readonly [string, string | undefined])[] = [
    [
      columns.what,
      record.from === "compaction" && record.outcome === "untouched" ? undefined : didWords(record),
    ],
    [words.reason, record.reason && strings.compaction.why(record.reason)],
    [columns.model, record.model],
    [columns.client, record.client],
    [columns.status, record.status === STOPPED ? strings.gateway.stopped : String(record.status)],
    [words.path, record.path],
    [columns.tokens, tokens && strings.gateway.became(tokens.before, tokens.after)],
    [words.deferred, deferred && words.sparing(deferred.tools, count(deferred.tokens))],
    [words.counted, usage && count(usage.input)],
    [
      columns.cache,
      usage &&
        strings.gateway.cached(
          usage.cacheRead ?? 0,
          percent((usage.cacheRead ?? 0) / Math.max(1, usage.input)),
        ),
    ],
    [
      words.cacheLost,
      record.cacheLost &&
        strings.gateway.lostBy(strings.gateway.lost[record.cacheLost], record.lostSpend ?? 0),
    ],
    [words.answered, usage?.output === undefined ? undefined : count(usage.output)],
    [columns.spend, spend === undefined ? undefined : dollars(spend)],
    [words.saved, record.saved === undefined ? undefined : words.savedBy(record.saved)],
    [columns.took, duration(record.ms)],
    [words.own, ownMs === undefined ? undefined : duration(ownMs)],
    [words.first, firstMs === undefined ? undefined : duration(firstMs)],
    [words.checkpoint, record.checkpoint],
    [words.sha256, record.sent.sha256],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
