import { timeOrderedId } from "../../stores/shared/time-ordered-id.ts";
import type { Known } from "./known-conversations.ts";

/** What is known of a conversation of which only the session is. */
export function named(tenant: string, session: string, lane: string, dialect: string): Known {
  return known(tenant, session, lane, dialect, false);
}

/** One that begins here, under a name that nobody can know yet. */
export function invented(tenant: string, lane: string, dialect: string): Known {
  return known(tenant, timeOrderedId(), lane, dialect, true);
}

/** With all that it may ever hold: what is added later makes another kind of object of each. */
function known(tenant: string, session: string, lane: string, dialect: string, isInvented: boolean): Known {
  return {
    tenant,
    id: undefined,
    session,
    isInvented,
    isNamed: false,
    lane,
    dialect,
    newest: undefined,
    withoutReasoning: undefined,
    head: undefined,
    lastRequestAt: 0,
    underWay: 0,
    rounds: undefined,
    meta: undefined,
    hashes: [],
  };
}
