import type { Citation, CitationStore } from "../server-store.ts";
import { citationNumber } from "../shared/citation-number.ts";
import { cleanText } from "../shared/clean-text.ts";
import { conversationNotFound } from "../shared/not-found.ts";
import { bodyHash } from "./place-text.ts";
import type { SqlContext } from "./sql-context.ts";
import type { Db } from "./sql-engine.ts";

export function sqlCitations({ engine, read, write }: SqlContext): CitationStore {
  return {
    register: (tenant, conversation, sources) =>
      write("citations.register", async (tx) => {
        // Numbers are given under the conversation's lock: two nodes never give the same one twice.
        const row = await tx
          .selectFrom("precis_conversations")
          .select("id")
          .where("tenant", "=", tenant)
          .where("id", "=", conversation)
          .$if(engine.lockRows === true, (query) => query.forUpdate())
          .executeTakeFirst();
        if (!row) throw conversationNotFound("citations.register", conversation);
        const known = new Map(
          (await listCitations(tx, tenant, conversation)).map((one) => [one.source, one]),
        );
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
            await insertCitation(tx, tenant, conversation, citation);
          }
          registered.push(citation);
        }
        return registered;
      }),

    list: (tenant, conversation) => read("citations.list", (db) => listCitations(db, tenant, conversation)),
  };
}

export async function insertCitation(
  tx: Db,
  tenant: string,
  conversation: string,
  { number, source, title }: Citation,
): Promise<void> {
  const row = { tenant, conversation, number, source_hash: bodyHash(source), source, title: title ?? null };
  await tx.insertInto("precis_citations").values(row).execute();
}

/** The sources of a conversation in the order of their numbers. */
export async function listCitations(db: Db, tenant: string, conversation: string): Promise<Citation[]> {
  const rows = await db
    .selectFrom("precis_citations")
    .select(["number", "source", "title"])
    .where("tenant", "=", tenant)
    .where("conversation", "=", conversation)
    .orderBy("number")
    .execute();
  return rows.map(({ number, source, title }) => ({
    number: Number(number),
    source,
    ...(title !== null && { title }),
  }));
}
