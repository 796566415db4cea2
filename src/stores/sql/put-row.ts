import { rows, type Script } from "./script.ts";

/**
 * Puts a row into a table. Where another one stands in its place: that is an error, or that one stays, or the one with the same
 * `key` gives way. True if the row is in the table now.
 */
export function* putRow(
  table: string,
  row: Readonly<Record<string, unknown>>,
  other: "fails" | "stays" | { readonly key: readonly string[] } = "fails",
): Script<boolean> {
  const names = Object.keys(row);
  const signs = names.map(() => "?").join(", ");
  const written = yield* rows(
    `insert into ${table} (${names.join(", ")}) values (${signs}) ${instead(other, names)} returning tenant`,
    ...Object.values(row),
  );
  return written.length > 0;
}

function instead(other: Parameters<typeof putRow>[2], names: readonly string[]): string {
  if (other === undefined || other === "fails") return "";
  if (other === "stays") return "on conflict do nothing";
  const changed = names
    .filter((name) => !other.key.includes(name))
    .map((name) => `${name} = excluded.${name}`);
  return `on conflict (${other.key.join(", ")}) do update set ${changed.join(", ")}`;
}
