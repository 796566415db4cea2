import { StoreError } from "../../core/errors.ts";

/** There is no file to copy. */
export function noBackup(fix: string): StoreError {
  return new StoreError({ operation: "backup", message: "only an SQLite file can be copied.", fix });
}
