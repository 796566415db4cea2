import type { Citation, CitationStore, ClientKeyStore, EventStore, LeaseStore } from "../server-store.ts";
import { checkEventQuery } from "../shared/check-event-query.ts";
import { checkName } from "../shared/check-name.ts";
import { citationNumber } from "../shared/citation-number.ts";
import { cleanText } from "../shared/clean-text.ts";
import { hashClientKey, newClientKey, shownKey } from "../shared/client-key.ts";
import { EVENTS, pageSize } from "../shared/limits.ts";
import { conversationNotFound } from "../shared/not-found.ts";
import type { MemoryContext } from "./tenant-data.ts";

export function memoryEvents({ of, limits }: MemoryContext): EventStore {
  return {
    async append(tenant, { type, conversation, at, data: value }) {
      const data = of("events.append", tenant);
      checkName("events.append", "type", type);
      if (conversation !== undefined && !data.conversations.has(conversation))
        throw conversationNotFound("events.append", conversation);
      data.lastEvent += 1;
      data.events.add({ id: data.lastEvent, type, conversation, at, data: value }, limits);
      return data.lastEvent;
    },
    async list(tenant, query = {}) {
      checkEventQuery(query);
      const { after = 0, before, type, conversation, newest = false, limit } = query;
      return of("events.list", tenant).events.list(
        (event) =>
          event.id > after &&
          (before === undefined || event.id < before) &&
          (type === undefined || event.type === type) &&
          (conversation === undefined || event.conversation === conversation),
        pageSize(limit, EVENTS),
        newest,
      );
    },
  };
}

export function memoryCitations({ of }: MemoryContext): CitationStore {
  return {
    async register(tenant, conversation, sources) {
      const held = of("citations.register", tenant).conversations.get(conversation);
      if (!held) throw conversationNotFound("citations.register", conversation);
      return sources.map(({ source: given, title, number: wanted }): Citation => {
        const source = cleanText(given);
        const known = held.citations.find((one) => one.source === source);
        if (known) return known;
        const number = citationNumber(held.citations, wanted);
        const citation = { number, source, ...(title !== undefined && { title: cleanText(title) }) };
        held.citations.push(citation);
        return citation;
      });
    },
    list: async (tenant, conversation) =>
      (of("citations.list", tenant).conversations.get(conversation)?.citations ?? []).toSorted(
        (a, b) => a.number - b.number,
      ),
  };
}

export function memoryLeases({ of, now }: MemoryContext): LeaseStore {
  const held = (tenant: string, name: string, owner: string) => {
    const lease = of("leases", tenant).leases.get(name);
    return lease && lease.owner === owner && lease.expiresAt > now() ? lease : undefined;
  };
  return {
    async acquire(tenant, name, owner, ttlMs) {
      const { leases } = of("leases.acquire", tenant);
      checkName("leases.acquire", "name", name);
      checkName("leases.acquire", "owner", owner);
      const last = leases.get(name);
      if (last && last.owner !== owner && last.expiresAt > now()) return undefined;
      const fence = (last?.fence ?? 0) + (last?.owner === owner ? 0 : 1);
      const lease = { name, owner, expiresAt: now() + Math.round(ttlMs), fence };
      leases.set(name, lease);
      return lease;
    },
    async renew(tenant, name, owner, ttlMs) {
      const lease = held(tenant, name, owner);
      if (!lease) return false;
      of("leases.renew", tenant).leases.set(name, { ...lease, expiresAt: now() + Math.round(ttlMs) });
      return true;
    },
    async release(tenant, name, owner) {
      const lease = held(tenant, name, owner);
      if (!lease) return false;
      of("leases.release", tenant).leases.set(name, { ...lease, expiresAt: 0 });
      return true;
    },
  };
}

export function memoryClientKeys({ of, tenants, now, newId }: MemoryContext): ClientKeyStore {
  return {
    async create(tenant, wanted) {
      const data = of("clientKeys.create", tenant);
      const made = await newClientKey(wanted, { id: newId(), tenant, createdAt: now() });
      data.clientKeys.set(made.hash, made.clientKey);
      return { key: made.key, clientKey: made.clientKey };
    },
    async verify(key) {
      const hash = await hashClientKey(key);
      for (const { clientKeys } of tenants.values()) {
        if (!clientKeys.has(hash)) continue;
        const shown = shownKey(clientKeys.get(hash), now());
        if (shown) clientKeys.set(hash, shown);
        return shown;
      }
      return undefined;
    },
    list: async (tenant) => [...of("clientKeys.list", tenant).clientKeys.values()],
    async revoke(tenant, id) {
      const { clientKeys } = of("clientKeys.revoke", tenant);
      for (const [hash, one] of clientKeys) {
        if (one.id !== id) continue;
        clientKeys.set(hash, { ...one, revokedAt: one.revokedAt ?? now() });
        return true;
      }
      return false;
    },
  };
}
