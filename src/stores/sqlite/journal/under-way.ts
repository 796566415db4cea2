import type { Append } from "../../server-store.ts";

type Target = Pick<Append, "conversation" | "session">;

/** Appends on their way into the tables: until they are there, nobody knows where their conversations end. */
export interface UnderWay {
  /** What it returns ends it, however often it is called. */
  begin(tenant: string, target: Target): () => void;
  /** One of them may be for the same conversation. */
  isAny(tenant: string, target: Target): boolean;
}

export function createUnderWay(): UnderWay {
  const counts = new Map<string, number>();
  /** Those of which only the session is known. */
  let sessions = 0;
  return {
    begin(tenant, { conversation, session }) {
      const isBySession = conversation === undefined;
      const key = isBySession ? bySession(tenant, session) : byConversation(tenant, conversation);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (isBySession) sessions++;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = counts.get(key)! - 1;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
        if (isBySession) sessions--;
      };
    },
    isAny(tenant, { conversation, session }) {
      if (counts.size === 0) return false;
      if (conversation !== undefined && counts.has(byConversation(tenant, conversation))) return true;
      return sessions > 0 && (session === undefined || counts.has(bySession(tenant, session)));
    },
  };
}

function byConversation(tenant: string, id: string): string {
  return `conversation ${id} ${tenant}`;
}

function bySession(tenant: string, session: string | undefined): string {
  return `session ${session ?? ""} ${tenant}`;
}
