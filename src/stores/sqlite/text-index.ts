import type { TextIndex } from "../sql/recall/index-messages.ts";

/**
 * FTS5 without the texts. Numbers are cast, because what JavaScript hands over is a fraction to SQLite, and FTS5 passes over
 * a bound that isn't whole.
 */
export const sqliteTextIndex: TextIndex = {
  add: (document, tokens) => ({
    sql: "insert into precis_recall (rowid, tokens) values (cast(? as integer), ?)",
    parameters: [document, tokens.join(" ")],
  }),
  remove: (document, tokens) => ({
    sql: "insert into precis_recall (precis_recall, rowid, tokens) values ('delete', cast(? as integer), ?)",
    parameters: [document, tokens.join(" ")],
  }),
  find: (tokens, [from, to], limit) => ({
    sql: `select rowid as doc from precis_recall where precis_recall match ?
      and rowid between cast(? as integer) and cast(? as integer) order by rowid desc limit ?`,
    parameters: [tokens.map((token) => `"${token}"`).join(" or "), from, to, limit],
  }),
};
