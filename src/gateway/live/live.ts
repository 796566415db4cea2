import { randomUUID } from "node:crypto";
import type { LiveEvent } from "../api.ts";

/** Events that a page which lost its connection can still get. */
const REMEMBERED = 500;

/** An event as it goes over the wire. */
export interface SentEvent {
  readonly id: string;
  readonly tenant: string;
  readonly event: LiveEvent;
}

/** Tells pages what happens, as it happens. */
export interface Live {
  send(tenant: string, event: LiveEvent): void;
  /** Everything after `lastId`, then what comes. `missed` if it isn't known any more what came after it. */
  listen(
    tenant: string,
    lastId: string | undefined,
    listener: (event: SentEvent) => void,
  ): { readonly missed: boolean; readonly replay: readonly SentEvent[]; stop(): void };
  /** An event of another process of this server. */
  receive(event: SentEvent): void;
  readonly hasListeners: boolean;
}

export function createLive(share: (event: SentEvent) => void = () => {}): Live {
  const boot = randomUUID().slice(0, 8);
  let count = 0;
  const recent: SentEvent[] = [];
  const listeners = new Map<(event: SentEvent) => void, string>();
  const deliver = (sent: SentEvent): void => {
    recent.push(sent);
    if (recent.length > REMEMBERED) recent.shift();
    for (const [listener, tenant] of listeners) if (tenant === sent.tenant) listener(sent);
  };
  return {
    get hasListeners() {
      return listeners.size > 0;
    },
    send(tenant, event) {
      const sent = { id: `${boot}-${++count}`, tenant, event };
      deliver(sent);
      share(sent);
    },
    receive: deliver,
    listen(tenant, lastId, listener) {
      listeners.set(listener, tenant);
      const at = lastId === undefined ? recent.length - 1 : recent.findIndex(({ id }) => id === lastId);
      return {
        missed: lastId !== undefined && at < 0,
        replay: at < 0 ? [] : recent.slice(at + 1).filter((one) => one.tenant === tenant),
        stop: () => listeners.delete(listener),
      };
    },
  };
}
