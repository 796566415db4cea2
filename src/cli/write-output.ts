import { chmod, lstat, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { UsageError } from "./parse-flags.ts";
import { FileError, isOfSystem } from "./read-lines.ts";
import { unwritable } from "./unwritable.ts";

/** Files that hold words of a conversation are their owner's alone. One that is there already keeps its mode. */
export const PRIVATE_FILE = 0o600;

/** Writes a result to a file, but never over a file that it was made from. */
export async function writeOutput(
  flag: string,
  target: string,
  inputs: string | readonly string[],
  text: string,
): Promise<void> {
  await refuseInput(flag, target, typeof inputs === "string" ? [inputs] : inputs);
  try {
    await writeWhole(target, (file) => writeFile(file, text, { mode: PRIVATE_FILE }));
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === "ENOENT") throw new FileError(`there is no folder ${dirname(target)}.`, { cause: error });
    if (code === "EISDIR") throw new FileError(`${target} is a folder. Give a file.`, { cause: error });
    if (code === "EACCES")
      throw new FileError(`${target} may not be written (no permission).`, { cause: error });
    if (isOfSystem(error)) throw new FileError(unwritable(target, error.code ?? ""), { cause: error });
    throw error;
  }
}

/**
 * Has a file written under another name beside its place, and moved there once it is whole: half of one would look like a
 * whole one, and what was there before would be gone.
 */
export async function writeWhole(target: string, write: (file: string) => Promise<void>): Promise<void> {
  const place = await realpath(target).catch(() => target);
  // A link that leads nowhere is there, too.
  const before = await lstat(place).catch(() => undefined);
  // A device, a pipe, a file with several names or of another user stays what it is.
  if (before && !(before.isFile() && before.nlink === 1 && before.uid === (process.getuid?.() ?? before.uid)))
    return write(place);
  const beside = `${place}.${process.pid}.part`;
  try {
    await write(beside);
    if (before) await chmod(beside, before.mode);
    await rename(beside, place);
  } catch (error) {
    await rm(beside, { force: true });
    // The file may be written, but its folder takes no other.
    if (before && (error as { code?: unknown }).code === "EACCES") return write(place);
    throw error;
  }
}

/** Refuses a target that is one of the files that are read, under whatever name. */
export async function refuseInput(flag: string, target: string, inputs: readonly string[]): Promise<void> {
  const wanted = await identityOf(target);
  if (wanted === undefined) return;
  for (const input of inputs)
    if ((await identityOf(input)) === wanted)
      throw new UsageError(`--${flag} ${target} is a file that is read. Choose another one.`);
}

/** The same for all names of one file, symbolic and hard links too; none for a file that isn't there. */
async function identityOf(file: string): Promise<string | undefined> {
  try {
    // As bigints: numbers of files may be too large for a number.
    const { dev, ino } = await stat(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
