import { timeOrderedId } from "../../stores/shared/time-ordered-id.ts";
import type { Known } from "./known-conversations.ts";

/** What is known of a conversation of which only the session is. */
export function named(tenant: string, session: string, lane: string, dialect: string): Known {
  return {
    tenant,
    id: undefined,
    session,
    isInvented: false,
    isNamed: false,
    lane,
    dialect,
    newest: undefined,
    head: undefined,
    lastRequestAt: 0,
    underWay: 0,
    rounds: undefined,
    hashes: [],
  };
}

/** One that begins here, under a name that nobody can know yet. */
export function invented(tenant: string, lane: string, dialect: string): Known {
  return { ...named(tenant, timeOrderedId(), lane, dialect), isInvented: true };
}
