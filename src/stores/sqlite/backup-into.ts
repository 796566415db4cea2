import { closeSync, openSync, rmSync } from "node:fs";
import { StoreError } from "../../core/errors.ts";
import { openDatabase, PRIVATE } from "./sqlite-session.ts";

/** Writes all that a database holds, its log included, into a new file that is whole by itself. */
export async function backupInto(path: string, file: string): Promise<void> {
  createNew(file);
  const database = await openDatabase(path, { durability: "process", readOnly: true });
  try {
    // SQLite takes a file that is empty for one that isn't there, and so it keeps its mode.
    database.prepare("vacuum into ?").run(file);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    database.close();
  }
}

function createNew(file: string): void {
  try {
    closeSync(openSync(file, "wx", PRIVATE));
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw new StoreError({
      operation: "backup",
      message: isThere ? `${file} exists already.` : `${file} can't be made.`,
      fix: isThere ? "Choose another file." : "Check that its folder exists and may be written.",
      cause: error,
    });
  }
}
