import { firstCharacters } from "../../core/first-characters.ts";
import type {
  NewRequest,
  Refusals,
  RequestDetails,
  RequestFields,
  RequestFilter,
  RequestStore,
  RequestSums,
  RequestsQuery,
  RequestTexts,
  StoredRequest,
  TotalsQuery,
} from "../server-store.ts";
import { LATENCY_BOUNDS } from "../shared/latency.ts";
import { pageSize, REQUESTS } from "../shared/pages.ts";
import { checkName, cleanText } from "../shared/texts.ts";
import { type BodyRow, bodyRow, loosen, nameOfText, readBody, storeTexts } from "./bodies.ts";
import { type ConversationRow, holdConversation, rowOf } from "./conversation-row.ts";
import { allOf, firstRow, insertValues, rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";
import type { SqlEngine } from "./sql-engine.ts";
import { keyOfNode, nodesOf, placeOf } from "./tree.ts";

/** The columns of a row that its caller gives, and how they are stored. The one place to declare one. */
const COLUMNS = {
  id: "text",
  at: "bigint",
  kind: "text",
  api: "text",
  path: "text",
  client: "text",
  model: "text",
  upstream: "text",
  status: "bigint",
  outcome: "text",
  reason: "text",
  cacheLost: "text",
  compactions: "bigint",
  tokensBefore: "bigint",
  tokensAfter: "bigint",
  spared: "bigint",
  input: "bigint",
  cacheRead: "bigint",
  cacheWrite: "bigint",
  output: "bigint",
  spend: "double precision",
  lostSpend: "double precision",
  saved: "double precision",
  unpriced: "bigint",
  rejected: "bigint",
  loops: "bigint",
  repeated: "bigint",
  ownMs: "double precision",
  firstMs: "double precision",
  ms: "double precision",
  checkpoint: "text",
  checksum: "text",
  error: "text",
} as const satisfies Record<
  | keyof RequestFields
  | Exclude<keyof RequestDetails, "conversation" | "message" | "answer" | "fields" | "details">,
  string
>;
type Field = keyof typeof COLUMNS;

const FIELDS = Object.keys(COLUMNS) as readonly Field[];
/** `tokensBefore` is `tokens_before` in SQL. */
const columnOf = (field: Field): string => SQL_NAMES[field];
const SQL_NAMES = Object.fromEntries(
  FIELDS.map((field) => [field, field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
) as Record<Field, string>;

/** What requests are told apart by in sums, */
const GROUPS = ["kind", "client", "model", "path", "outcome", "status"] as const;
/** and what is summed up. */
const SUMS = [
  "compactions",
  "tokensBefore",
  "tokensAfter",
  "spared",
  "input",
  "cacheRead",
  "output",
  "spend",
  "lostSpend",
  "saved",
  "unpriced",
  "rejected",
  "loops",
  "repeated",
  "ms",
] as const satisfies readonly Field[];

/** How many requests took how long, by class, and what lists may be sorted by: the least and the most of each is kept. */
const LATENCY = LATENCY_BOUNDS.map((below, n) => {
  const from = LATENCY_BOUNDS[n - 1];
  const is = [
    ...(from === undefined ? [] : [`ms >= ${from}`]),
    ...(below === Infinity ? [] : [`ms < ${below}`]),
  ];
  return { column: `latency_${n}`, sum: `sum(case when ${is.join(" and ")} then 1 else 0 end)` };
});
const SORTED = {
  tokens: { type: "bigint", sql: "coalesce(r.tokens_after, r.input, 0)" },
  spend: { type: "double precision", sql: "coalesce(r.spend, 0)" },
  ms: { type: "double precision", sql: "r.ms" },
} as const satisfies Record<Exclude<RequestsQuery["sort"], "time" | undefined>, object>;
const EXTREMES = Object.entries(SORTED).flatMap(([name, { type, sql }]) => [
  { column: `least_${name}`, type, of: `min(${sql})`, isFirst: "<" },
  { column: `most_${name}`, type, of: `max(${sql})`, isFirst: ">" },
]);

/** What counts as an error. Who stops an answer (499) makes none. */
const FAILED = "status >= 400 and status <> 499";

/** Characters of an error that are kept, and of anything else: an index takes no more than some hundred. */
const MAX_ERROR = 2_000;
const MAX_NAME = 120;

/**
 * Sums are made of so long at a time (milliseconds). Of a million requests in three months whole hours were too many sums to add
 * up within 0.2 s, and whole days too many rows to look through for a model that is rare.
 */
const PERIOD_MS = 4 * 3_600_000;
/** A row is in the store so long after its time at the latest, or it is summed up on its own (milliseconds). */
const GRACE_MS = 60_000;
/** Rows that one transaction sums up. */
const ROWS_AT_ONCE = 20_000;

/**
 * Rows are in the order of tenant and time, and nothing else finds them but the index of messages. Sums of some hours, made by
 * the sweep, tell what requests come to, and when there were some of a model or a client.
 */
export function* createRequestTables({ kind }: Pick<SqlEngine, "kind">): Script<void> {
  const columns = FIELDS.map((field) => `${columnOf(field)} ${COLUMNS[field]}`);
  yield* rows(`create table precis_requests (
    tenant text not null,
    ${columns.join(", ")},
    node bigint references precis_nodes (id) on delete set null,
    answer bigint,
    head text,
    fields text,
    details text,
    primary key (tenant, id)
  ) ${kind === "sqlite" ? "without rowid" : ""}`);
  yield* rows("create index precis_requests_by_node on precis_requests (node) where node is not null");
  yield* rows(`create table precis_request_sums (
    tenant text not null,
    start bigint not null,
    ${GROUPS.map((name) => `${name} ${COLUMNS[name]} not null`).join(", ")},
    requests bigint not null,
    ${SUMS.map((name) => `${columnOf(name)} ${COLUMNS[name]} not null`).join(", ")},
    ${LATENCY.map(({ column }) => `${column} bigint not null`).join(", ")},
    ${EXTREMES.map(({ column, type }) => `${column} ${type} not null`).join(", ")},
    primary key (tenant, start, ${GROUPS.join(", ")})
  )`);
  yield* rows(`create table precis_refusals (
    tenant text not null,
    at bigint not null,
    reason text not null,
    count bigint not null,
    primary key (tenant, at, reason)
  )`);
}

type Row = { readonly [name: string]: string | number | null };

const insertRows = insertValues(
  "precis_requests",
  ["tenant", ...FIELDS.map(columnOf), "node", "answer", "head", "fields", "details"],
  "on conflict (tenant, id) do nothing",
);
/** A request with the place of its messages; null where they aren't stored. */
export interface PlacedRequest {
  readonly tenant: string;
  readonly request: NewRequest;
  readonly place: {
    readonly node: number;
    /** The last message of its answer. */
    readonly answer: number | null;
    readonly head: string | null;
    /** The name of the text of its fields, which is in the table of bodies. */
    readonly fields: string | null;
  } | null;
}

/** The text of a request's fields. */
export function fieldsBody(tenant: string, { fields }: NewRequest): BodyRow | undefined {
  return fields === undefined ? undefined : bodyRow(tenant, fields, nameOfText(tenant, fields));
}

/** Does a request of the conversation name its system prompt? Mostly the newest does. */
export function* isHeadOfRequest({ key, head }: Pick<ConversationRow, "key" | "head">): Script<boolean> {
  const found = yield* rows(
    "select 1 from precis_requests where node >= ? and node < ? and head = ? order by node desc limit 1",
    ...nodesOf(key),
    head,
  );
  return found.length > 0;
}

/** Adds rows within a transaction that holds their conversations. */
export function* insertRequests(
  engine: Pick<SqlEngine, "lockRows">,
  requests: readonly PlacedRequest[],
  now: number,
): Script<void> {
  const late = requests.filter(({ request }) => request.at < now - GRACE_MS);
  yield* insertRows(
    (late.length === 0 ? requests : requests.filter((one) => !late.includes(one))).map(valuesOf),
  );
  for (const one of late) {
    const { tenant, request } = one;
    const summed = yield* lastSummed(engine, tenant);
    if (yield* isThere(tenant, request.id)) continue;
    yield* insertRows([valuesOf(one)]);
    if (request.id <= summed) yield* sumUp("tenant = ? and id = ?", [tenant, request.id]);
  }
}

/** A row in the order of the columns. */
function valuesOf({ tenant, request, place }: PlacedRequest): (string | number | null)[] {
  const values: (string | number | null)[] = [tenant];
  for (const field of FIELDS) values.push(columnValue(field, request[field]));
  const details = place && request.details !== undefined ? JSON.stringify(request.details) : null;
  const { node = null, answer = null, head = null, fields = null } = place ?? {};
  values.push(node, answer, head, fields, details);
  return values;
}

function* isThere(tenant: string, id: string): Script<boolean> {
  return (yield* rows("select 1 from precis_requests where tenant = ? and id = ?", tenant, id)).length > 0;
}

function columnValue(field: Field, value: NewRequest[Field]): string | number | null {
  if (value === undefined) return null;
  if (typeof value === "number") return COLUMNS[field] === "bigint" ? Math.round(value) : value;
  const most = field === "error" ? MAX_ERROR : MAX_NAME;
  if (value.length <= most && /^[ -~]*$/.test(value)) return value;
  return firstCharacters(cleanText(value), most);
}

function fieldsOf(row: Row): RequestFields & Pick<RequestDetails, "checkpoint" | "checksum" | "error"> {
  const fields: { [name: string]: unknown } = {};
  for (const field of FIELDS) {
    const value = row[columnOf(field)];
    if (value !== null && value !== undefined) fields[field] = value;
  }
  return fields as unknown as ReturnType<typeof fieldsOf>;
}

export function sqlRequests({ engine, read, write, now }: SqlContext): RequestStore {
  return {
    add: (tenant, requests) =>
      write("requests.add", function* () {
        checkName("requests.add", "tenant", tenant);
        const [alone, told] = [
          requests.filter(({ conversation }) => conversation === undefined),
          requests.filter(({ conversation }) => conversation !== undefined),
        ];
        yield* insertRequests(
          engine,
          alone.map((request) => ({ tenant, request, place: null })),
          now(),
        );
        for (const request of told) yield* addRequest(engine, tenant, request, now());
      }),

    list: (tenant, query = {}) => read("requests.list", () => list(tenant, query)),

    get: (tenant, id) =>
      read("requests.get", function* () {
        return (yield* textsWhere("r.tenant = ? and r.id = ?", tenant, id))[0];
      }),

    totals: (tenant, query = {}) => read("requests.totals", () => totals(tenant, query)),

    refuse: (tenant, refusals) =>
      write("requests.refuse", function* () {
        for (const { at, reason, count } of refusals.toSorted((a, b) => (a.reason < b.reason ? -1 : 1)))
          yield* rows(
            `insert into precis_refusals (tenant, at, reason, count) values (?, ?, ?, ?)
             on conflict (tenant, at, reason) do update set count = precis_refusals.count + excluded.count`,
            tenant,
            at,
            reason,
            count,
          );
      }),

    refusals: (tenant, { from, to } = {}) =>
      read("requests.refusals", function* () {
        const { where, values } = allOf(["tenant = ?", tenant], ["at >= ?", from], ["at < ?", to]);
        return yield* rows<Refusals>(
          `select at, reason, count from precis_refusals where ${where} order by at, reason`,
          ...values,
        );
      }),
  };
}

/** Adds a row of a request whose messages are in the store already, or nowhere. Says how many are new: one or none. */
export function* addRequest(
  engine: SqlEngine,
  tenant: string,
  request: NewRequest,
  now: number,
): Script<number> {
  if (yield* isThere(tenant, request.id)) return 0;
  const { conversation, message, answer, error, checkpoint, checksum, ...numbers } = request;
  const isHeld =
    conversation !== undefined && (yield* holdConversation(engine, tenant, conversation, "for key share"));
  const row = isHeld ? yield* rowOf(tenant, conversation) : undefined;
  const found = row && message !== undefined ? yield* placeOf(row.key, message) : undefined;
  const node = found?.id ?? row?.leaf ?? null;
  const fields = row && node !== null ? fieldsBody(tenant, request) : undefined;
  if (fields) yield* storeTexts(engine, [fields]);
  const answered = row && answer !== undefined ? yield* placeOf(row.key, answer) : undefined;
  const place =
    row && node !== null
      ? { node, answer: answered?.id ?? null, head: row.head, fields: fields?.hash ?? null }
      : null;
  // Of a conversation that was deleted meanwhile no words may come back.
  const isGone = conversation !== undefined && place === null;
  yield* insertRequests(engine, [{ tenant, request: isGone ? numbers : request, place }], now);
  return 1;
}

/** Rows with all of their texts. */
function* textsWhere(where: string, ...values: readonly unknown[]): Script<RequestTexts[]> {
  const found = yield* rows<Row>(
    `${selectRows(`r.*, ${MESSAGES}`)} ${WITH_MESSAGES} where ${where}`,
    ...values,
  );
  const texts: RequestTexts[] = [];
  for (const row of found) {
    const { head, fields } = row as Readonly<Record<string, string | null>>;
    texts.push({
      ...requestOf(row),
      ...(fields != null && { fields: yield* readBody(fields) }),
      head: head == null ? undefined : yield* readBody(head),
    });
  }
  return texts;
}

/** Some rows from after another one on, the oldest first. */
export const requestsAfter = (tenant: string, after: string, most: number): Script<RequestTexts[]> =>
  textsWhere(`r.tenant = ? and r.id > ? order by r.id limit ${most}`, tenant, after);

const selectRows = (columns: string): string =>
  `select ${columns}, c.id as conversation from precis_requests r
   left join precis_conversations c on c.key = ${keyOfNode("r.node")}`;
const MESSAGES = "n.hash as message, a.hash as answer";
const WITH_MESSAGES = "left join precis_nodes n on n.id = r.node left join precis_nodes a on a.id = r.answer";
const LISTED = [...FIELDS.map((field) => `r.${columnOf(field)}`)].join(", ");

function requestOf(row: Row): StoredRequest & Pick<RequestDetails, "checksum"> {
  const { conversation, message, answer, details } = row;
  return {
    ...fieldsOf(row),
    ...(conversation != null && { conversation: String(conversation) }),
    ...(message != null && { message: String(message) }),
    ...(answer != null && { answer: String(answer) }),
    ...(details != null && { details: JSON.parse(String(details)) as unknown }),
  };
}

/** The first id that a request of a time may have. */
const idAt = (time: number | undefined): string | undefined => {
  if (time === undefined) return undefined;
  const digits = Math.max(0, Math.ceil(time)).toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
};

type Condition = readonly [sql: string, ...values: readonly unknown[]];

/**
 * The conditions of a filter on what requests are told apart by, of rows or of sums. Sums of requests that failed may hold some with the
 * words of a search in their errors.
 */
function groupConditions(
  { kinds, model, client, outcome, failed, search }: RequestFilter,
  of: string,
): readonly Condition[] {
  const words = search
    ?.trim()
    .toLowerCase()
    .replace(/[\\%_]/g, (sign) => `\\${sign}`);
  const like = words ? `%${words}%` : undefined;
  // Sums don't say why requests failed, only that some did.
  const isOfSums = of === "";
  const names = ["model", "client", "path", "outcome", ...(isOfSums ? [] : ["error"])];
  const searched = names.map((name) => `lower(${of}${name}) like ? escape '\\'`);
  return [
    ...(kinds ? [[`${of}kind in (${kinds.map(() => "?").join(", ")})`, ...kinds] as const] : []),
    [`${of}model = ?`, model],
    [`${of}client = ?`, client],
    [`${of}outcome = ?`, outcome],
    ...(failed === undefined ? [] : [[failed ? FAILED : "status < 400"] as const]),
    [
      `(${searched.join(" or ")} or cast(${of}status as text) like ? escape '\\'${isOfSums ? ` or ${FAILED}` : ""})`,
      ...Array<string | undefined>(searched.length + 1).fill(like),
    ],
  ];
}

/** Rows with an id above one and below others. One bound each, because a database goes by the first that it is given. */
interface Stretch {
  /** Ids or their beginnings. */
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  /** Up to and with this one. */
  readonly upTo?: string | undefined;
}

function within(stretches: readonly Stretch[]): readonly Condition[] {
  const after = stretches
    .flatMap((one) => one.after ?? [])
    .sort()
    .at(-1);
  const before = stretches.flatMap((one) => one.before ?? []).sort()[0];
  const upTo = stretches.flatMap((one) => one.upTo ?? []).sort()[0];
  const end: Condition =
    upTo !== undefined && (before === undefined || upTo < before)
      ? ["r.id <= ?", upTo]
      : ["r.id < ?", before];
  return [["r.id > ?", after], end];
}

function* list(tenant: string, query: RequestsQuery): Script<readonly StoredRequest[]> {
  const { from, to, before, sort = "time", order = "desc" } = query;
  const isDown = order === "desc";
  const most = pageSize(query.limit, REQUESTS);
  const named = yield* namedChat(tenant, query);
  if (named === "none") return [];
  const { chat, filter } = named;
  const sorted = sort === "time" ? "0" : SORTED[sort].sql;
  const orderBy = [...(sort === "time" ? [] : [`sorted ${order}`]), `r.id ${order}`].join(", ");
  const beyond = (side: "<" | ">", { sorted: value, id }: Row): Condition => [
    `(${sorted}, r.id) ${side} (?, ?)`,
    value,
    id,
  ];
  const asWanted: Stretch[] = [{ after: idAt(from), before: idAt(to) }];
  const further: Condition[] = [];
  if (before !== undefined && sort === "time") asWanted.push(isDown ? { before } : { after: before });
  else if (before !== undefined) {
    const last = yield* firstRow<Row>(
      `select id, ${sorted} as sorted from precis_requests r where tenant = ? and id = ?`,
      tenant,
      before,
    );
    if (!last) return [];
    further.push(beyond(isDown ? "<" : ">", last));
  }
  const select = function* (stretch: Stretch, ...more: readonly Condition[]): Script<readonly Row[]> {
    const { where, values } = allOf(
      ["r.tenant = ?", tenant],
      ...within([...asWanted, stretch]),
      ...groupConditions(filter, "r."),
      ...further,
      ...more,
    );
    const columns = `${LISTED}, ${sorted} as sorted`;
    const from = query.details
      ? `${selectRows(`${columns}, r.details, ${MESSAGES}`)} ${WITH_MESSAGES}`
      : selectRows(columns);
    return yield* rows<Row>(`${from} where ${where} order by ${orderBy} limit ?`, ...values, most);
  };
  if (chat) return (yield* select({}, ...ofChat(chat.key))).map(requestOf);
  if (sort === "time" && allOf(["true"], ...groupConditions(filter, "")).where === "true")
    return (yield* select({})).map(requestOf);
  // Rows that aren't summed up yet are looked through; then the periods that have some, the one with the first of the list first.
  const summed = yield* summedUpTo(tenant);
  let found = yield* select({ after: summed });
  const { where, values } = allOf(
    ["tenant = ?", tenant],
    ["start > ?", from === undefined ? undefined : from - PERIOD_MS],
    ["start < ?", to],
    ...groupConditions(filter, ""),
  );
  const first = sort === "time" ? "0" : isDown ? `max(most_${sort})` : `min(least_${sort})`;
  const periods = yield* rows<{ readonly start: number; readonly sorted: number }>(
    `select start, ${first} as sorted from precis_request_sums where ${where} group by start
     order by sorted ${order}, start ${order}`,
    ...values,
  );
  const compare = (a: Row, b: Row) =>
    (Number(a["sorted"]) - Number(b["sorted"]) || (String(a["id"]) < String(b["id"]) ? -1 : 1)) *
    (isDown ? -1 : 1);
  for (const { start, sorted } of periods) {
    const [after, end] = [idAt(start)!, idAt(start + PERIOD_MS)!];
    const last = found[most - 1];
    if (last && compare(last, { sorted, id: isDown ? end : after }) < 0) break;
    if (sort === "time" && before !== undefined && (isDown ? after > before : end < before)) continue;
    const stretch = { after, before: end, upTo: summed };
    const better = last ? [beyond(isDown ? ">" : "<", last)] : [];
    found = [...found, ...(yield* select(stretch, ...better))].sort(compare).slice(0, most);
  }
  return found.map(requestOf);
}

/** The conversation that a filter names, by its own field or as the text that is searched for, and what else the filter says. */
function* namedChat(
  tenant: string,
  query: RequestFilter,
): Script<"none" | { readonly chat: { readonly key: number } | undefined; readonly filter: RequestFilter }> {
  const { conversation, search } = query;
  const asked = conversation ?? search?.trim();
  const chat = asked ? yield* rowOf(tenant, asked) : undefined;
  if (conversation !== undefined && !chat) return "none";
  const isSearched = chat !== undefined && conversation === undefined;
  return { chat, filter: isSearched ? { ...query, search: undefined } : query };
}

function ofChat(key: number): readonly Condition[] {
  const [first, end] = nodesOf(key);
  return [
    ["r.node >= ?", first],
    ["r.node < ?", end],
  ];
}

/** Sums of whole periods, and of the rows that are in none of these. */
function* totals(tenant: string, query: TotalsQuery): Script<readonly RequestSums[]> {
  const { from, to, every } = query;
  // As a text: SQLite would divide by a bound number as by a fraction.
  const startOf = (time: string) =>
    every === undefined ? "" : `${time} / ${Math.trunc(every)} * ${Math.trunc(every)} as start, `;
  const grouped = every === undefined ? "kind, model, client" : "1, kind, model, client";
  const named = yield* namedChat(tenant, query);
  if (named === "none") return [];
  const { chat, filter } = named;
  const isFine = (every !== undefined && every % PERIOD_MS !== 0) || Boolean(filter.search?.trim());
  const first = from === undefined ? undefined : Math.ceil(from / PERIOD_MS) * PERIOD_MS;
  const end = to === undefined ? undefined : Math.floor(to / PERIOD_MS) * PERIOD_MS;
  const summed = yield* summedUpTo(tenant);
  const found: Row[] = [];
  const sums = SUMS.map((name) => `sum(${columnOf(name)}) as ${columnOf(name)}`).join(", ");
  const latency = (of: (one: (typeof LATENCY)[number]) => string) =>
    LATENCY.map((one) => `${of(one)} as ${one.column}`).join(", ");
  const ofRows = function* (stretch: Stretch): Script<void> {
    const { where, values } = allOf(
      ["r.tenant = ?", tenant],
      ...within([{ after: idAt(from), before: idAt(to) }, stretch]),
      ...groupConditions(filter, "r."),
      ...(chat ? ofChat(chat.key) : []),
    );
    found.push(
      ...(yield* rows<Row>(
        `select ${startOf("at")}kind, model, client, min(at) as since, count(*) as requests,
           sum(case when ${FAILED} then 1 else 0 end) as errors, ${sums},
           ${latency(({ sum }) => sum)}, min(ms) as least_ms, max(ms) as most_ms
         from precis_requests r where ${where} group by ${grouped}`,
        ...values,
      )),
    );
  };
  // Sums don't say of which conversation they are, when within their period, or what an error said.
  yield* ofRows(chat || isFine ? {} : { after: summed });
  if (chat || isFine) return sumsOf(found);
  if (first !== undefined && end !== undefined && first >= end) yield* ofRows({ upTo: summed });
  else {
    if (first !== from) yield* ofRows({ upTo: summed, before: idAt(first) });
    if (end !== to) yield* ofRows({ upTo: summed, after: idAt(end) });
    const { where, values } = allOf(
      ["tenant = ?", tenant],
      ["start >= ?", first],
      ["start < ?", end],
      ...groupConditions(filter, ""),
    );
    found.push(
      ...(yield* rows<Row>(
        `select ${startOf("start")}kind, model, client, min(start) as since, sum(requests) as requests,
           sum(case when ${FAILED} then requests else 0 end) as errors, ${sums},
           ${latency(({ column }) => `sum(${column})`)}, min(least_ms) as least_ms, max(most_ms) as most_ms
         from precis_request_sums where ${where} group by ${grouped}`,
        ...values,
      )),
    );
  }
  return sumsOf(found);
}

/** Sums of parts, by kind, model, client and time. */
function sumsOf(found: readonly Row[]): readonly RequestSums[] {
  const groups = Map.groupBy(found, ({ kind, model, client, start }) =>
    JSON.stringify([kind, model ?? "", client ?? "", start ?? 0]),
  );
  return [...groups.values()].map((some) => {
    const sum = (column: string) => some.reduce((all, row) => all + Number(row[column]), 0);
    const { kind, model, client, start } = some[0]!;
    return {
      ...(Object.fromEntries(SUMS.map((name) => [name, sum(columnOf(name))])) as Pick<
        RequestSums,
        (typeof SUMS)[number]
      >),
      kind: kind as RequestSums["kind"],
      model: String(model ?? ""),
      client: String(client ?? ""),
      ...(start != null && { start: Number(start) }),
      since: Math.min(...some.map(({ since }) => Number(since))),
      requests: sum("requests"),
      errors: sum("errors"),
      latency: LATENCY.map(({ column }) => sum(column)),
      leastMs: Math.min(...some.map((row) => Number(row["least_ms"]))),
      mostMs: Math.max(...some.map((row) => Number(row["most_ms"]))),
    };
  });
}

/** Adds rows to the sums of their periods. */
function sumUp(where: string, values: readonly unknown[]): Script<unknown> {
  const groups = GROUPS.map((name) =>
    name === "client" || name === "model" ? `coalesce(${name}, '')` : name,
  );
  const added = ["requests", ...SUMS.map(columnOf), ...LATENCY.map(({ column }) => column)];
  const columns = [...added, ...EXTREMES.map(({ column }) => column)];
  return rows(
    `insert into precis_request_sums (tenant, start, ${GROUPS.join(", ")}, ${columns.join(", ")})
     select tenant, at / ${PERIOD_MS} * ${PERIOD_MS}, ${groups.join(", ")}, count(*),
       ${SUMS.map((name) => `coalesce(sum(${columnOf(name)}), 0)`).join(", ")},
       ${LATENCY.map(({ sum }) => sum).join(", ")}, ${EXTREMES.map(({ of }) => of).join(", ")}
     from precis_requests r where ${where} group by tenant, at / ${PERIOD_MS}, ${groups.join(", ")}
     on conflict (tenant, start, ${GROUPS.join(", ")}) do update set
       ${[
         ...added.map((name) => `${name} = precis_request_sums.${name} + excluded.${name}`),
         ...EXTREMES.map(
           ({ column, isFirst }) =>
             `${column} = case when excluded.${column} ${isFirst} precis_request_sums.${column}
                then excluded.${column} else precis_request_sums.${column} end`,
         ),
       ].join(", ")}`,
    ...values,
  );
}

/** The newest row that is summed up; "" for none. */
function* summedUpTo(tenant: string, lock = ""): Script<string> {
  const found = yield* firstRow<{ readonly summed: string }>(
    `select summed from precis_tenants where tenant = ? ${lock}`,
    tenant,
  );
  return found?.summed ?? "";
}

/** The same, and nobody sums up until the transaction ends. */
function* lastSummed({ lockRows }: Pick<SqlEngine, "lockRows">, tenant: string): Script<string> {
  yield* rows("insert into precis_tenants (tenant) values (?) on conflict (tenant) do nothing", tenant);
  return yield* summedUpTo(tenant, lockRows ? "for update" : "");
}

/** Sums up rows that nobody adds to any more, some at a time. */
export async function sumUpRequests({
  engine,
  read,
  write,
  now,
}: Pick<SqlContext, "engine" | "read" | "write" | "now">): Promise<void> {
  const end = idAt(now() - 2 * GRACE_MS)!;
  for (const one of await read("sweep", tenantsWithRequests))
    while (
      await write("sweep", function* () {
        const from = yield* lastSummed(engine, one);
        const last = yield* rows<{ readonly id: string }>(
          `select id from precis_requests where tenant = ? and id > ? and id < ? order by id limit 1 offset ${ROWS_AT_ONCE - 1}`,
          one,
          from,
          end,
        );
        const to = last[0]?.id ?? end;
        yield* sumUp("tenant = ? and id > ? and id <= ?", [one, from, to]);
        // Never back: another server may be ahead by its clock.
        if (to > from) yield* rows("update precis_tenants set summed = ? where tenant = ?", to, one);
        return last.length > 0;
      })
    );
}

/** One after the other, because there may be a million rows of each. */
function* tenantsWithRequests(): Script<string[]> {
  const tenants: string[] = [];
  for (;;) {
    const [next] = yield* rows<{ readonly tenant: string | null }>(
      "select min(tenant) as tenant from precis_requests where tenant > ?",
      tenants.at(-1) ?? "",
    );
    if (next?.tenant == null) return tenants;
    tenants.push(next.tenant);
  }
}

/** Takes the words of a conversation out of the rows of its requests. Returns names of texts that may be unused now. */
export function* blankRequests(key: number): Script<(string | null)[]> {
  const among = "node >= ? and node < ?";
  const found = yield* rows<Names>(
    `select distinct head, fields from precis_requests where ${among}`,
    ...nodesOf(key),
  );
  yield* rows(
    `update precis_requests set node = null, answer = null, head = null, fields = null, details = null, error = null,
       checkpoint = null, checksum = null where ${among}`,
    ...nodesOf(key),
  );
  return found.flatMap(namesOf);
}

/** The names of the texts of a request. */
interface Names {
  readonly head: string | null;
  readonly fields: string | null;
}
const namesOf = ({ head, fields }: Names): (string | null)[] => [head, fields];

/** Removes rows and sums from before a time, whole periods of them and some rows at a time. Returns how many rows there were. */
export async function sweepRequests(
  { engine, read, write }: Pick<SqlContext, "engine" | "read" | "write">,
  before: number,
  tenant: string | undefined,
): Promise<number> {
  const end = Math.floor(before / PERIOD_MS) * PERIOD_MS;
  const tenants = tenant === undefined ? await read("sweep", tenantsWithRequests) : [tenant];
  let removed = 0;
  for (const one of tenants)
    for (let some = ROWS_AT_ONCE; some === ROWS_AT_ONCE; removed += some)
      some = await write("sweep", function* () {
        const gone = yield* rows<Names>(
          `delete from precis_requests where tenant = ? and id in (
             select id from precis_requests where tenant = ? and id < ? order by id limit ${ROWS_AT_ONCE}) returning head, fields`,
          one,
          one,
          idAt(end),
        );
        yield* loosen(engine, gone.flatMap(namesOf));
        return gone.length;
      });
  await write("sweep", function* () {
    for (const [table, column] of [
      ["precis_request_sums", "start"],
      ["precis_refusals", "at"],
    ]) {
      const { where, values } = allOf([`${column} < ?`, end], ["tenant = ?", tenant]);
      yield* rows(`delete from ${table} where ${where}`, ...values);
    }
  });
  return removed;
}
