import type { EventStore } from "../../stores/server-store.ts";
import type { TimelineEvent, TimelineFact } from "../api.ts";
import type { Live } from "./live.ts";
import type { Log } from "./log.ts";

/** What happened to a conversation, kept in the store and told to pages. */
export interface Timeline {
  add(
    tenant: string,
    conversation: string,
    at: number,
    fact: TimelineFact & { readonly request?: string },
  ): Promise<void>;
  list(tenant: string, conversation: string, after?: number, limit?: number): Promise<TimelineEvent[]>;
}

const TYPE = "timeline";

export function createTimeline(events: EventStore, live: Live, log: Log): Timeline {
  return {
    async add(tenant, conversation, at, fact) {
      try {
        const id = await events.append(tenant, { type: TYPE, conversation, at, data: fact });
        live.send(tenant, { type: "timeline", event: { id, at, conversation, ...fact } });
      } catch (error) {
        // A timeline is for looking at; a conversation doesn't stop because it can't be written.
        log.warn({ err: error, conversation }, "an event of the timeline could not be stored");
      }
    },
    async list(tenant, conversation, after, limit) {
      const stored = await events.list(tenant, {
        type: TYPE,
        conversation,
        ...(after !== undefined && { after }),
        ...(limit !== undefined && { limit }),
      });
      return stored.map(({ id, at, data }) => ({
        id,
        at,
        conversation,
        ...(data as TimelineFact & { readonly request?: string }),
      }));
    },
  };
}
