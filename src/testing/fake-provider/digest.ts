import { createHash } from "node:crypto";

/** A short, stable name for a value: the same JSON gives the same name. */
export function digest(...values: readonly unknown[]): string {
  const hash = createHash("sha256");
  for (const value of values)
    hash.update(typeof value === "string" ? value : (JSON.stringify(value) ?? "")).update("\0");
  return hash.digest("base64url").slice(0, 22);
}
