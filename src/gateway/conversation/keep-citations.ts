import type { Message } from "../../core/types.ts";
import type { CitationStore } from "../../stores/server-store.ts";
import { redactSecrets } from "../compaction/redact-secrets.ts";
import type { Log } from "../telemetry/log.ts";
import { citedSources } from "./cited-sources.ts";

/** Keeps which number stands for which source, for whoever looks at a conversation later. */
export interface Citations {
  /** Answers from message `from` on may cite sources. Nobody waits for it. */
  note(tenant: string, conversation: string, messages: readonly Message[], from: number): void;
  /** All of it is stored. */
  settled(): Promise<void>;
}

export function createCitations(
  store: CitationStore,
  { redact, log }: { redact: boolean; log: Log },
): Citations {
  const underWay = new Set<Promise<void>>();
  const keep = async (tenant: string, conversation: string, messages: readonly Message[], from: number) => {
    // The answer goes out first.
    await new Promise((resolve) => setImmediate(resolve));
    const sources = citedSources(messages, from);
    if (sources.length === 0) return;
    const clean = (text: string): string => (redact ? redactSecrets(text) : text);
    try {
      await store.register(
        tenant,
        conversation,
        sources.map(({ source, title, ...rest }) => ({
          ...rest,
          source: clean(source),
          ...(title !== undefined && { title: clean(title) }),
        })),
      );
    } catch (error) {
      // The transcript has them, too.
      log.warn({ err: error, conversation }, "the sources of a conversation could not be stored");
    }
  };
  return {
    note(tenant, conversation, messages, from) {
      if (!citesAnything(messages, from)) return;
      const kept = keep(tenant, conversation, messages, from).finally(() => underWay.delete(kept));
      underWay.add(kept);
    },
    async settled() {
      await Promise.all(underWay);
    },
  };
}

/** A look that costs next to nothing: most answers cite nothing. */
function citesAnything(messages: readonly Message[], from: number): boolean {
  for (let index = from; index < messages.length; index++) {
    const { role, parts } = messages[index]!;
    if (role !== "assistant") continue;
    if (parts.some((part) => part.type === "text" && BRACKETED.test(part.text))) return true;
  }
  return false;
}

const BRACKETED = /[[【]\^?\d/;
