import type { TextIndex } from "../sql/recall/index-messages.ts";

/** A list of tokens for each document, and an inverted index (GIN) of these. */
export const postgresTextIndex: TextIndex = {
  add: (document, tokens) => ({
    sql: "insert into precis_recall (doc, tokens) values (?, ?) on conflict (doc) do update set tokens = precis_recall.tokens || excluded.tokens",
    parameters: [document, [...tokens]],
  }),
  remove: (document) => ({ sql: "delete from precis_recall where doc = ?", parameters: [document] }),
  find: (tokens, [from, to], limit) => ({
    sql: `select doc from precis_recall where tokens && ?::text[] and doc between ? and ? order by doc desc limit ?`,
    parameters: [[...tokens], from, to, limit],
  }),
};
