import { expect, test } from "vitest";
import { withoutPassword } from "./open-database.ts";

test.each([
  ["postgres://me:secret@db.internal/precis", "postgres://me@db.internal/precis"],
  ["postgres://db.internal/precis?user=me&password=secret", "postgres://db.internal/precis?user=me"],
  // PostgreSQL's own way of naming a socket, and a password with a sign in it: both are no URLs.
  ["postgres://me:secret@/precis?host=/run/postgresql", "postgres://…"],
  ["postgres://me:secret#1@db.internal/precis", "postgres://…"],
  ["postgres://db.internal/precis?sslmode=require", "postgres://db.internal/precis?sslmode=require"],
  ["chats/precis.db", "chats/precis.db"],
])("no password of a database is shown: %s", (given, shown) => {
  expect(withoutPassword(given)).toBe(shown);
});
