import { realpath, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { FileError } from "./read-lines.ts";
import { UsageError } from "./usage-error.ts";

/** Writes a result to a file, but never over the transcript that it was made from. */
export async function writeOutput(flag: string, target: string, input: string, text: string): Promise<void> {
  const same = await Promise.all([realpath(target), realpath(input)]).then(
    ([a, b]) => a === b,
    () => false,
  );
  if (same) throw new UsageError(`--${flag} ${target} is the file that is read. Choose another one.`);
  try {
    await writeFile(target, text);
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === "ENOENT") throw new FileError(`there is no folder ${dirname(target)}.`, { cause: error });
    if (code === "EISDIR") throw new FileError(`${target} is a folder. Give a file.`, { cause: error });
    if (code === "EACCES")
      throw new FileError(`${target} may not be written (no permission).`, { cause: error });
    throw error;
  }
}
