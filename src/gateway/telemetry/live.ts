import { randomUUID } from "node:crypto";
import type { LiveEvent } from "../api.ts";

/** Events that a page which lost its connection can still get. */
const REMEMBERED = 500;

/** An event as it goes over the wire. */
export interface SentEvent {
  readonly id: string;
  readonly tenant: string;
  readonly event: LiveEvent;
  /** Only the newest of a topic matters, and only until it is over (`event` is then left out by its sender). */
  readonly topic?: string;
  readonly isOver?: boolean;
}

/** Tells pages what happens, as it happens. */
export type Live = ReturnType<typeof createLive>;

/** `share` tells other processes of this server, whose listeners nobody here knows. */
export function createLive(share?: (event: SentEvent) => void) {
  const boot = randomUUID().slice(0, 8);
  let count = 0;
  const recent: SentEvent[] = [];
  const shown = new Map<string, SentEvent>();
  const listeners = new Map<(event: SentEvent) => void, string>();
  const newestId = (): string => recent.at(-1)?.id ?? `${boot}-0`;
  const deliver = (sent: SentEvent): void => {
    if (sent.topic === undefined) {
      recent.push(sent);
      if (recent.length > REMEMBERED) recent.shift();
    } else {
      const key = `${sent.tenant} ${sent.topic}`;
      if (sent.isOver) shown.delete(key);
      else shown.set(key, sent);
      if (sent.isOver) return;
    }
    // What isn't remembered doesn't move a page's place in the stream.
    const event = sent.topic === undefined ? sent : { ...sent, id: newestId() };
    for (const [listener, tenant] of listeners) if (tenant === sent.tenant) listener(event);
  };
  const both = (sent: SentEvent): void => {
    deliver(sent);
    share?.(sent);
  };
  return {
    get hasListeners(): boolean {
      return listeners.size > 0 || share !== undefined;
    },
    send: (tenant: string, event: LiveEvent) => both({ id: `${boot}-${++count}`, tenant, event }),
    /** Something that grows: each event takes the place of the one before; who comes later gets the newest. */
    show: (tenant: string, topic: string, event: LiveEvent) => both({ id: "", tenant, event, topic }),
    /** It has ended: nobody who comes later is told. */
    endShow: (tenant: string, topic: string) =>
      both({ id: "", tenant, topic, isOver: true, event: { type: "hello", missed: false } }),
    /** An event of another process of this server. */
    receive: deliver,
    /** Everything after `lastId`, then what comes. `missed` if it isn't known any more what came after it; `id`: where it is now. */
    listen(tenant: string, lastId: string | undefined, listener: (event: SentEvent) => void) {
      listeners.set(listener, tenant);
      const found = recent.findIndex(({ id }) => id === lastId);
      const isStart = lastId === `${boot}-0` && count <= REMEMBERED;
      const missed = lastId !== undefined && found < 0 && !isStart;
      const after = lastId === undefined || missed ? recent.length : found + 1;
      const id = newestId();
      return {
        missed,
        id,
        replay: [
          ...recent.slice(after).filter((one) => one.tenant === tenant),
          ...[...shown.values()].filter((one) => one.tenant === tenant).map((one) => ({ ...one, id })),
        ],
        stop: () => listeners.delete(listener),
      };
    },
  };
}
