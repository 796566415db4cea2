import { PrecisError, StoreError } from "../../core/errors.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** Any error of a database as one that says what to do. */
export function storeFailure(
  operation: string,
  error: unknown,
  engine: Pick<SqlEngine, "explain">,
): PrecisError {
  if (error instanceof PrecisError) return error;
  const explained = engine.explain(error) ?? {
    message: `${error instanceof Error ? error.message : String(error)}.`,
    fix: "See the cause for what the database said.",
  };
  return new StoreError({ operation, ...explained, cause: error });
}
