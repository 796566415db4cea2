import { contentHash } from "../../core/hash.ts";
import type { Citation, CitationStore } from "../server-store.ts";
import { citationNumber } from "../shared/citation-number.ts";
import { cleanText } from "../shared/clean-text.ts";
import { conversationNotFound } from "../shared/not-found.ts";
import { holdConversation } from "./conversation-row.ts";
import { putRow } from "./put-row.ts";
import { rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";

export function sqlCitations({ engine, read, write }: SqlContext): CitationStore {
  return {
    register: (tenant, conversation, sources) =>
      write("citations.register", function* () {
        // Numbers are given under the conversation's lock: two nodes never give the same one twice.
        if (!(yield* holdConversation(engine, tenant, conversation, "for update")))
          throw conversationNotFound("citations.register", conversation);
        const known = new Map((yield* listCitations(tenant, conversation)).map((one) => [one.source, one]));
        const registered: Citation[] = [];
        for (const { source: given, title, number } of sources) {
          const source = cleanText(given);
          let citation = known.get(source);
          if (!citation) {
            citation = {
              number: citationNumber(known.values(), number),
              source,
              ...(title !== undefined && { title: cleanText(title) }),
            };
            known.set(source, citation);
            yield* insertCitation(tenant, conversation, citation);
          }
          registered.push(citation);
        }
        return registered;
      }),

    list: (tenant, conversation) => read("citations.list", () => listCitations(tenant, conversation)),
  };
}

export function* insertCitation(
  tenant: string,
  conversation: string,
  { number, source, title = null }: Omit<Citation, "title"> & { readonly title?: string | null },
): Script<void> {
  const row = { tenant, conversation, number, source_hash: contentHash(source), source, title };
  yield* putRow("precis_citations", row);
}

export function* listCitations(tenant: string, conversation: string): Script<Citation[]> {
  const found = yield* rows<{ number: number | string; source: string; title: string | null }>(
    "select number, source, title from precis_citations where tenant = ? and conversation = ? order by number",
    tenant,
    conversation,
  );
  return found.map(({ number, source, title }) => ({
    number: Number(number),
    source,
    ...(title !== null && { title }),
  }));
}
