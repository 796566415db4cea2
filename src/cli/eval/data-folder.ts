import { statSync } from "node:fs";
import { UsageError } from "../parse-flags.ts";
import { FileError } from "../read-lines.ts";

/** Says in words why a folder of data can't be read. */
export function checkDataFolder(data: string): void {
  const found = statSync(data, { throwIfNoEntry: false });
  if (found === undefined)
    throw new FileError(
      `there is no folder ${data}. Give one with --data; docs/guide/eval.md tells what belongs in it.`,
    );
  if (!found.isDirectory()) throw new UsageError(`--data ${data} is a file. Give a folder.`);
}
