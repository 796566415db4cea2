import type { Json } from "../../apis/shared/fields.ts";
import { restoreDraft } from "../../core/checkpoint.ts";
import { type Draft, entriesOf, keepAll } from "../../core/draft.ts";
import type { Checkpoint, Measure, Records } from "../../core/types.ts";
import { placedQuotations, withQuoted } from "../../engine/read/quotations.ts";
import type { ServerStore, StoredRequest } from "../../stores/server-store.ts";
import { type CacheLoss, isOfClient } from "../../tokens/billing.ts";
import { type ReceiptItem, type Receipts, receiptsOf } from "../../tokens/receipts.ts";
import type {
  ApiView,
  DeferredTools,
  Past,
  PastPoint,
  PlacedEvent,
  TimelineEvent,
  TimelineFact,
} from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { measureOf } from "../compaction/measure.ts";
import { bareName } from "../compaction/records.ts";
import { RequestFault } from "../http/request-fault.ts";
import { metaOf } from "./chat-settings.ts";
import { countAhead, type Loaded, type LoadParts, load } from "./loaded.ts";
import { entryTokens, fitInput, systemTokens, viewOf } from "./view-of.ts";

/** The cause of summaries that no request asked for: they were written while nobody said anything. */
export const IDLE = "idle";

/** What a row says beside its columns: how it was sent, what it was made for, and what happened in it. */
export interface RowDetails {
  /** The request that it was made for or came of. */
  readonly cause?: string;
  readonly facts?: readonly TimelineFact[];
  /** The API that the upstream was asked in, where it isn't the client's. */
  readonly api?: string;
  /** Fields that aren't as the client sent them. */
  readonly changed?: readonly string[];
  /** What decided about the view, if anything did. */
  readonly settings?: Json;
  /** Places of user messages before which something is quoted that the view hides. */
  readonly quoted?: readonly number[];
  /** Places of messages with a marker for the provider's cache. */
  readonly markers?: readonly number[];
  /** How long its provider keeps a prompt, as somebody set it or as it was seen (milliseconds). */
  readonly cacheMs?: number;
  /** The text of a summary, as its model wrote it. */
  readonly reply?: string;
  /** US dollars for rounds in which the model looked up what is hidden. */
  readonly lookUps?: number;
  /** Declarations of tools that weren't sent, and the tokens that this spared. */
  readonly deferred?: DeferredTools & {
    /** US dollars that they would have cost, less what it cost to load some. */
    readonly saved?: number;
  };
}

/** The name of what happened in a request: events are in the order of their names. */
export const eventId = (request: string, n: number): string => `${request}.${String(n).padStart(3, "0")}`;

/** A request of a conversation, and its place in the transcript. */
interface PlacedRow {
  readonly row: StoredRequest;
  /** Messages of the transcript when it was sent. */
  readonly messages: number;
}

/** Points that are told of one conversation: more of them than a screen has pixels help nobody. */
const MAX_POINTS = 4_000;
/** Rows that are read at once, and in all of one conversation: the newest. */
const ROWS_AT_ONCE = 2_000;
const MAX_ROWS = 20_000;
/** Forks of forks that are followed back. */
const MAX_ORIGINS = 20;

interface RowParts {
  readonly store: Pick<ServerStore, "requests" | "conversations">;
  /** Rows that wait to be written; left out by who reads a database that others write. */
  readonly requests?: { flush(): Promise<void> };
}

/** Rows of the requests of a conversation, the oldest first. */
export async function rowsOf(parts: RowParts, tenant: string, id: string): Promise<StoredRequest[]> {
  await parts.requests?.flush();
  const all: StoredRequest[] = [];
  for (;;) {
    const query = { conversation: id, details: true, before: all.at(-1)?.id, limit: ROWS_AT_ONCE };
    const more = await parts.store.requests.list(tenant, query);
    all.push(...more);
    if (more.length < ROWS_AT_ONCE || all.length >= MAX_ROWS) return all.reverse();
  }
}

/** What happened to a conversation, as its rows say it. */
export const eventsIn = (rows: readonly StoredRequest[]): TimelineEvent[] =>
  rows.flatMap((row) => {
    const { cause = row.id, facts = [] } = detailsOf(row);
    const of = { at: row.at, conversation: row.conversation ?? "", request: cause };
    return facts.map((fact, n) => ({ id: eventId(row.id, n), ...of, ...fact }));
  });

export const detailsOf = ({ details }: Pick<StoredRequest, "details">): RowDetails =>
  (details ?? {}) as RowDetails;

/** What the compactions of a conversation saved and cost so far, as its rows say it. */
export function receiptsIn(rows: readonly StoredRequest[]): Receipts {
  const checks = new Map(
    rows.flatMap((row) =>
      (detailsOf(row).facts ?? []).flatMap((fact) =>
        fact.type === "compacted" ? [[fact.checkpoint, fact.summaryCheck] as const] : [],
      ),
    ),
  );
  return receiptsOf(
    rows.flatMap((row): ReceiptItem[] => {
      const { id, kind, spend, saved, checkpoint, lostSpend = 0, cacheLost, status } = row;
      const {
        cause,
        lookUps = 0,
        facts = [],
        quoted,
        deferred: { saved: deferred = 0 } = {},
      } = detailsOf(row);
      if (kind === "summary") return [{ id, isSummary: true, cause, spend }];
      // What failed wasn't paid, and what was only observed was sent as it came.
      if (kind === "compaction" || status >= 400) return [];
      if (checkpointOf({ row }) === undefined) return [{ id, spend, saved }];
      const isOurs = cacheLost !== undefined && cacheLost !== "tools" && !isOfClient(cacheLost as CacheLoss);
      const rewritten = isOurs ? lostSpend : 0;
      return [
        {
          id,
          spend,
          checkpoint,
          hidden: Math.max(0, (row.tokensBefore ?? 0) - (row.tokensAfter ?? 0)),
          saved: saved === undefined ? undefined : saved - deferred + rewritten + lookUps,
          deferred,
          rewritten,
          isQuoting: quoted !== undefined,
          lookUps,
          summaryCheck: checks.get(checkpoint),
          repeated: facts.flatMap((fact) =>
            fact.type === "repeated" ? fact.calls.map((text) => ({ checkpoint: fact.checkpoint, text })) : [],
          ),
        },
      ];
    }),
  );
}

/** The rows of a conversation's path, and those of the conversations that it was forked from, up to the fork. */
async function placedRows(
  parts: RowParts,
  tenant: string,
  { conversation, stored }: Pick<Loaded, "conversation" | "stored">,
): Promise<readonly PlacedRow[]> {
  const lengthOf = new Map(stored.map(({ hash }, index) => [hash, index + 1]));
  const placed = new Map<string, PlacedRow>();
  let of = conversation;
  let until = Number.POSITIVE_INFINITY;
  for (let n = 0; n < MAX_ORIGINS; n++) {
    for (const row of await rowsOf(parts, tenant, of.id)) {
      // What was written beside a request, or came of it, stands where the request stood.
      const cause = placed.get(detailsOf(row).cause ?? "");
      const messages = cause?.messages ?? lengthOf.get(row.message ?? "");
      if (messages !== undefined && row.at <= until) placed.set(row.id, { row, messages });
    }
    const { fork } = metaOf(of);
    const origin = fork && (await parts.store.conversations.get(tenant, fork.of));
    if (!origin) break;
    until = Math.min(until, of.createdAt);
    of = origin;
  }
  return [...placed.values()].sort((a, b) => a.messages - b.messages || (a.row.id < b.row.id ? -1 : 1));
}

const isRequest = ({ row: { kind } }: PlacedRow): boolean => kind === "client" || kind === "page";
/** Does it say what requests stand on from then on? A summary that is written beside them doesn't. */
const isStanding = (one: PlacedRow): boolean =>
  isRequest(one) || (one.row.kind === "compaction" && detailsOf(one.row).cause === undefined);

/** The request that a view is asked for by its length: the last one at or before it. */
function rowAt(rows: readonly PlacedRow[], length: number): PlacedRow | undefined {
  // One that was refused before a view was made for it changed nothing; one that failed afterwards did.
  return rows.findLast(
    (one) =>
      one.messages <= length && isStanding(one) && (one.row.tokensBefore !== undefined || !isRequest(one)),
  );
}

/** The compaction that a request stood on; what was passed on as it came stood on none. */
function checkpointOf({ row: { checkpoint, outcome } }: Pick<PlacedRow, "row">): string | undefined {
  return outcome === "observed" || outcome === "off" ? undefined : checkpoint;
}

/** What was sent, request by request, and what happened: as the rows say it. The last point is the present. */
export async function pastOf(
  parts: RowParts & Pick<CompactionParts, "records" | "compactors">,
  tenant: string,
  loaded: Loaded,
  measure: Measure,
): Promise<Past> {
  const rows = await placedRows(parts, tenant, loaded);
  const { stored, messages, lead } = loaded;
  // The size of the transcript after each of its messages, as it is counted now.
  let size = systemTokens(loaded, measure);
  const sizes = messages.map((message) => {
    size += measure.message(message);
    return size;
  });
  const points = new Map<number, PastPoint>();
  for (const one of rows) {
    const { row, messages: at } = one;
    const { tokensBefore: transcript, tokensAfter = transcript } = row;
    if (transcript === undefined || !isStanding(one) || (row.status >= 400 && points.has(at))) continue;
    const view = row.outcome === "observed" ? transcript : tokensAfter!;
    const whole = sizes[at + lead.length - 1] ?? transcript;
    points.set(at, {
      messages: at,
      transcript,
      view,
      ...(whole !== transcript && {
        now: { transcript: whole, view: Math.round((view * whole) / Math.max(1, transcript)) },
      }),
      request: row.id,
      ...(!isRequest(one) && { unsent: true }),
    });
  }
  const standing = await parts.compactors.of(loaded.choice).pressure(loaded.transcript, fitInput(loaded));
  const there = points.get(stored.length);
  const made = rows.find(({ row }) => row.id === there?.request);
  if (stored.length > 0)
    points.set(stored.length, {
      messages: stored.length,
      transcript: size,
      view: standing.tokens,
      ...(there &&
        made?.row.checkpoint === standing.checkpoint && {
          request: there.request,
          ...(there.unsent && { unsent: true }),
        }),
    });
  const events = placedEvents(rows, lead.length);
  const found = await foundEvent(parts, tenant, loaded, { events, inForce: standing.checkpoint });
  const { compactions } = receiptsIn(await rowsOf(parts, tenant, loaded.conversation.id));
  return {
    receipts: compactions,
    points: thinned(
      [...points.values()].sort((a, b) => a.messages - b.messages),
      events,
    ),
    events: found ? [found, ...events] : events,
  };
}

/** Of a very long conversation some points, those among them at which something changed. */
function thinned(points: readonly PastPoint[], events: readonly PlacedEvent[]): readonly PastPoint[] {
  const every = Math.ceil(points.length / MAX_POINTS);
  const changed = new Set(events.flatMap((event) => (event.type === "compacted" ? [event.messages] : [])));
  return points.filter(
    ({ messages }, n) => n % every === 0 || n === points.length - 1 || changed.has(messages),
  );
}

/** Events by their place, and of each recall when its quotation left the view. */
function placedEvents(rows: readonly PlacedRow[], lead: number): readonly PlacedEvent[] {
  const sent = rows.filter((one) => isRequest(one) && one.row.status < 400);
  return rows.flatMap(({ row, messages }) =>
    eventsIn([row]).map((event): PlacedEvent => {
      if (event.type !== "recalled") return { ...event, messages };
      const isQuoting = (one: PlacedRow): boolean =>
        detailsOf(one.row).quoted?.includes(event.before + lead) === true;
      const left = sent.find((one) => one.messages > messages && !isQuoting(one));
      return { ...event, messages, ...(left && { until: left.messages }) };
    }),
  );
}

/**
 * The compaction that a conversation stands on without having made it: records are found by the messages that they are about, so
 * that a file that is opened again has a view at once, of which no row tells.
 */
async function foundEvent(
  parts: Pick<CompactionParts, "records">,
  tenant: string,
  { conversation, messages, lead, stored }: Loaded,
  { events, inForce }: { readonly events: readonly PlacedEvent[]; readonly inForce: string | undefined },
): Promise<PlacedEvent | undefined> {
  const isKnown = events.some(
    (event) =>
      (event.type === "compacted" && event.checkpoint === inForce) ||
      ("view" in event && event.view?.checkpoint === inForce),
  );
  if (inForce === undefined || isKnown) return undefined;
  const { checkpoints } = await parts.records.of(tenant).find(stored.map(({ hash }) => hash));
  const checkpoint = checkpoints.find(({ id }: Checkpoint) => id === inForce);
  const draft =
    checkpoint && restoreDraft(checkpoint, messages.slice(0, lead.length + checkpoint.length), lead.length);
  if (!draft) return undefined;
  const { reason, rung, strategy, tokens, budget, id, length } = checkpoint;
  const count = (type: string) => draft.fates.filter((fate) => fate.type === type).length;
  return {
    // Stands before all that was recorded here.
    id: "",
    at: conversation.createdAt,
    conversation: conversation.id,
    messages: length,
    type: "compacted",
    reason,
    rung,
    strategy,
    tokens: { transcript: tokens.before, ...tokens },
    pressure: { before: tokens.before / budget, after: tokens.after / budget },
    counts: {
      kept: count("keep"),
      edited: count("edit"),
      covered: count("cover"),
      dropped: count("drop"),
      inserted: draft.inserts.length,
    },
    ms: 0,
    cost: 0,
    checkpoint: id,
    isFound: true,
  };
}

/** What was sent when the transcript had so many messages, by the record of the last request until then. */
export async function recordedView(
  parts: LoadParts &
    Pick<CompactionParts, "records" | "compactors" | "windows"> & {
      readonly requests: { flush(): Promise<void> };
    },
  tenant: string,
  id: string,
  length: number,
): Promise<ApiView> {
  const found = rowAt(await placedRows(parts, tenant, await load(parts, tenant, id)), length);
  const loaded = await load(parts, tenant, id, length);
  await countAhead(parts, loaded);
  const measure = await measureOf(parts, loaded.choice);
  const { budget } = await parts.compactors.of(loaded.choice).pressure(loaded.transcript, fitInput(loaded));
  const system = systemTokens(loaded, measure);
  const checkpoint = found && checkpointOf(found);
  const draft =
    checkpoint === undefined
      ? keepAll(loaded.messages.length)
      : (await draftsThen(parts, tenant, loaded, found!.row))[0];
  if (!draft)
    throw new RequestFault(
      410,
      "not-kept",
      "The record of this compaction isn't kept any more, so what was sent can't be shown word for word.",
    );
  const transcript = loaded.messages.reduce((sum, message) => sum + measure.message(message), system);
  const after = entriesOf(draft).reduce((sum, entry) => sum + entryTokens(entry, loaded, measure), system);
  // One figure, one name: of a request that was sent it is that of its record.
  const { kind, tokensBefore, tokensAfter } = found?.messages === length ? found.row : {};
  const isSent = (kind === "client" || kind === "page") && tokensBefore !== undefined;
  const tokens = isSent
    ? { transcript: tokensBefore, before: tokensAfter ?? tokensBefore, after: tokensAfter ?? tokensBefore }
    : { transcript, before: after, after };
  const pressure = tokens.after / budget.budget;
  return viewOf(
    parts,
    loaded,
    {
      entries: entriesOf(draft),
      budget,
      pressure: { before: pressure, after: pressure },
      tokens,
      warnings: [],
    },
    checkpoint === undefined ? "pass" : "view",
  );
}

/**
 * The views that a request may have stood on a compaction with: one, but of requests with wishes of their own there may be
 * several compactions by one name. None where its record isn't kept any more.
 */
export async function draftsThen(
  { store }: Pick<CompactionParts, "store">,
  tenant: string,
  loaded: Loaded,
  { checkpoint, kind, ...row }: Pick<StoredRequest, "checkpoint" | "kind" | "details">,
): Promise<readonly Draft[]> {
  const { stored, messages, lead } = loaded;
  const { checkpoints, recalled = [] } = await store.records(tenant).find(stored.map(({ hash }) => hash));
  const { quoted = [] } = detailsOf(row);
  return checkpoints
    .filter(({ id }) => id === checkpoint || bareName(id) === checkpoint)
    .toSorted((a, b) => Number(b.id === checkpoint) - Number(a.id === checkpoint))
    .flatMap((one) => {
      const draft = restoreDraft(one, messages, lead.length);
      return draft
        ? withRecalled(draft, one, { ...loaded, recalled }, kind === "compaction" ? undefined : quoted)
        : [];
    });
}

/** A view that stands on a compaction, with what is quoted in it: at these places; left out: wherever something is on record. */
export function withRecalled(
  draft: Draft,
  { id }: Pick<Checkpoint, "id">,
  {
    recalled = [],
    stored,
    messages,
    lead,
    dialect,
  }: Pick<Loaded, "stored" | "messages" | "lead" | "dialect"> & Pick<Records, "recalled">,
  places?: readonly number[],
): Draft {
  const own = recalled.filter(({ checkpoint }) => checkpoint === id);
  const hashOf = (length: number) => stored[length - 1]?.hash;
  const quoted = placedQuotations(own, { messages, start: lead.length, hashOf });
  return withQuoted(
    draft,
    quoted.filter(({ before }) => places?.includes(before) ?? true),
    dialect.rules,
  );
}
