import { SCHEMA_VERSION } from "../migrations/0001-initial.ts";
import type { Imported, Retention, StoreStats, Swept, Upkeep } from "../server-store.ts";
import {
  EXPORT_VERSION,
  type ExportLine,
  type ImportCount,
  type ImportItem,
  readExport,
} from "../shared/export-line.ts";
import { LEASE_MEMORY_MS, TOMBSTONE_MS } from "../shared/limits.ts";
import { noBackup } from "../shared/no-backup.ts";
import { conversationOf, conversationRow } from "../shared/rows.ts";
import { deleteConversation } from "./delete-conversation.ts";
import type { EventLimits } from "./held-events.ts";
import type { Held } from "./held-records.ts";
import type { MemoryContext, TenantData } from "./tenant-data.ts";

export function memoryUpkeep(context: MemoryContext): Upkeep {
  return {
    sweep: async (retention = {}) => sweep(context, retention),
    stats: async (tenant) => stats(context, tenant),
    activeTenants: async (since) =>
      [...context.tenants]
        .filter(([, { conversations }]) =>
          [...conversations.values()].some(({ row }) => row.updated_at >= since),
        )
        .map(([name]) => name)
        .sort(),
    async vacuum() {},
    async backup() {
      throw noBackup("Use `exportAll`.");
    },
    async *exportAll({ tenant } = {}) {
      const lines: ExportLine[] = [{ type: "precis-export", version: EXPORT_VERSION, at: context.now() }];
      const names = tenant === undefined ? [...context.tenants.keys()].sort() : [tenant];
      // Gathered first: an export shows one moment.
      for (const name of names)
        for (const line of linesOf(name, context.of("export", name))) lines.push(line);
      for (const line of lines) yield JSON.stringify(line);
    },
    importAll: (lines, options) => importAll(context, lines, options),
  };
}

function chosen({ tenants }: MemoryContext, tenant: string | undefined): [string, TenantData][] {
  return [...tenants].filter(([name]) => tenant === undefined || name === tenant);
}

function sweep(context: MemoryContext, retention: Retention): Swept {
  const at = context.now();
  const before = (ms: number | undefined) => (ms === undefined ? Number.NEGATIVE_INFINITY : at - ms);
  const swept = { conversations: 0, events: 0, records: 0, leases: 0 };
  for (const [, data] of chosen(context, retention.tenant)) {
    for (const { row } of [...data.conversations.values()]) {
      const isOver = (row.expires_at ?? Number.POSITIVE_INFINITY) <= at;
      const isOld =
        Math.max(row.updated_at, row.created_at, row.stored_at ?? 0) < before(retention.conversationsMs) &&
        row.pinned === 0;
      if ((isOver || isOld) && deleteConversation(data, row.id, at)) swept.conversations += 1;
    }
    swept.events += data.events.keep((event) => event.at >= before(retention.eventsMs));
    const recordsBefore = before(retention.recordsMs);
    for (const map of [data.checkpoints, data.summaries, data.answers, data.recalled] as Map<
      string,
      Held<{ hash: string }>
    >[])
      for (const [key, { record, savedAt }] of map)
        if (savedAt < recordsBefore && !data.byHash.has(record.hash) && map.delete(key)) swept.records += 1;
    for (const [key, { savedAt }] of data.undos)
      if (savedAt < recordsBefore && !data.checkpoints.has(key) && data.undos.delete(key)) swept.records += 1;
    for (const [name, { expiresAt }] of data.leases)
      if (expiresAt <= at - LEASE_MEMORY_MS && data.leases.delete(name)) swept.leases += 1;
    for (const [hash, since] of data.tombstones) if (since <= at - TOMBSTONE_MS) data.tombstones.delete(hash);
  }
  return swept;
}

function stats(context: MemoryContext, tenant: string | undefined): StoreStats {
  const all = chosen(context, tenant).map(([, data]) => data);
  const sum = (of: (data: TenantData) => number) => all.reduce((total, data) => total + of(data), 0);
  const held = all.flatMap((data) => [...data.conversations.values()]);
  const counts = {
    conversations: held.length,
    messages: held.reduce((total, one) => total + one.messages.length, 0),
    bodies: sum((data) => bodiesOf(data)),
    checkpoints: sum((data) => data.checkpoints.size),
    summaries: sum((data) => data.summaries.size),
    undos: sum((data) => data.undos.size),
    events: sum((data) => data.events.size),
    citations: held.reduce((total, one) => total + one.citations.length, 0),
    leases: sum((data) => data.leases.size),
    clientKeys: sum((data) => data.clientKeys.size),
  };
  return {
    kind: "memory",
    schema: SCHEMA_VERSION,
    tenants: all.filter((data) => !isEmpty(data)).length,
    counts,
    bytes: undefined,
    updatedAt: held.length === 0 ? undefined : Math.max(...held.map(({ row }) => row.updated_at)),
  };
}

function bodiesOf(data: TenantData): number {
  const bodies = new Set<string>();
  for (const { row, messages } of data.conversations.values()) {
    if (row.head !== null) bodies.add(row.head);
    for (const message of messages) bodies.add(message.wire);
  }
  return bodies.size;
}

function isEmpty({ conversations, checkpoints, summaries, undos, events, clientKeys }: TenantData): boolean {
  return [conversations, checkpoints, summaries, undos, events, clientKeys].every(({ size }) => size === 0);
}

function* linesOf(tenant: string, data: TenantData): Iterable<ExportLine> {
  const byId = [...data.conversations.values()].sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
  for (const { row, messages, citations } of byId) {
    const conversation = conversationOf(row);
    yield { type: "conversation", tenant, conversation, ...(row.head !== null && { head: row.head }) };
    for (const message of messages) yield { type: "message", tenant, conversation: conversation.id, message };
    for (const citation of citations)
      yield { type: "citation", tenant, conversation: conversation.id, citation };
  }
  for (const held of data.checkpoints.values()) yield { type: "checkpoint", tenant, ...held };
  for (const held of data.summaries.values()) yield { type: "summary", tenant, ...held };
  for (const held of data.undos.values()) yield { type: "undo", tenant, ...held };
  for (const event of data.events.list(() => true)) yield { type: "event", tenant, event };
  for (const [hash, clientKey] of data.clientKeys) yield { type: "clientKey", tenant, hash, clientKey };
}

async function importAll(
  context: MemoryContext,
  lines: AsyncIterable<string> | Iterable<string>,
  options: { readonly clientKeys?: boolean } = {},
): Promise<Imported> {
  const count: ImportCount = { lines: 0, added: 0, clientKeys: { added: 0, leftOut: 0 } };
  const cameNow = new Set<string>();
  for await (const item of readExport(lines, count, options)) {
    const one = importItem(context.of("import", item.tenant), item, { cameNow, limits: context.limits });
    count.added += one;
    if (item.type === "clientKey") count.clientKeys.added += one;
  }
  return count;
}

function importItem(
  data: TenantData,
  item: ImportItem,
  { cameNow, limits }: { readonly cameNow: Set<string>; readonly limits: EventLimits },
): number {
  const put = <T>(map: Map<string, T>, key: string, value: T): number => {
    if (map.has(key)) return 0;
    map.set(key, value);
    return 1;
  };
  switch (item.type) {
    case "whole-conversation": {
      const { conversation, head, messages, citations } = item;
      const row = conversationRow(item.tenant, { ...conversation, length: messages.length }, head);
      if (put(data.conversations, conversation.id, { row, messages, citations }) === 0) return 0;
      for (const { hash } of messages)
        data.byHash.set(hash, (data.byHash.get(hash) ?? new Set()).add(conversation.id));
      cameNow.add(`${item.tenant}/${conversation.id}`);
      return 1 + messages.length + citations.length;
    }
    case "checkpoint":
      return put(data.checkpoints, item.record.id, { record: item.record, savedAt: item.savedAt });
    case "summary":
      return put(data.summaries, item.record.key, { record: item.record, savedAt: item.savedAt });
    case "undo":
      return put(data.undos, item.record.checkpoint, { record: item.record, savedAt: item.savedAt });
    case "clientKey": {
      const { expiresAt, revokedAt, lastUsedAt } = item.clientKey;
      return put(data.clientKeys, item.hash, { ...item.clientKey, expiresAt, revokedAt, lastUsedAt });
    }
    case "event": {
      const { event } = item;
      const isNew = event.id > data.lastEvent || cameNow.has(`${item.tenant}/${event.conversation}`);
      if (!isNew || (event.conversation !== undefined && !data.conversations.has(event.conversation)))
        return 0;
      data.lastEvent = Math.max(event.id, data.lastEvent + 1);
      data.events.add({ ...event, conversation: event.conversation, id: data.lastEvent }, limits);
      return 1;
    }
    default:
      return item satisfies never;
  }
}
