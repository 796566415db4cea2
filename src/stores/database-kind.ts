/**
 * What a text names as a database: memory, a PostgreSQL, or a file of SQLite; undefined for an address of any other
 * kind, which would be taken for the name of a file. A drive of Windows has one letter, so `C:\precis.db` is a file.
 */
export function databaseKind(where: string): "memory" | "postgres" | "sqlite" | undefined {
  if (/^(?::?memory:?|memory:\/\/)$/i.test(where)) return "memory";
  if (/^postgres(?:ql)?:\/\//i.test(where)) return "postgres";
  return where === "" || /^(?!file:)[a-z][a-z\d+.-]+:/i.test(where) ? undefined : "sqlite";
}

/** What to do about a name that is none. */
export const DATABASE_FIX =
  "Give a file, postgres://…, or memory. A file whose name has a colon is written with its folder, such as ./a:b.db.";
