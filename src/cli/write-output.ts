import { chmod, lstat, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { UsageError } from "./flags.ts";
import { FileError, isOfSystem } from "./read-lines.ts";

/** Codes of the system for a disk that takes no more: it is full, or the user's share of it or the size of a file is used up. */
const NO_ROOM: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Says in words that something can't be written, for an error of the operating system. */
export function unwritable(target: string, code: string): string {
  if (NO_ROOM.has(code))
    return `${target} can't be written: there is no room for it (${code}). Free some space, or choose another place.`;
  return `${target} can't be written (${code}).`;
}

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
  await written(target, (file) => writeFile(file, text, { mode: PRIVATE_FILE }));
}

/** Has a file written whole, and says in words why it can't be. */
export async function written(target: string, write: (file: string) => Promise<void>): Promise<void> {
  try {
    await writeWhole(target, write);
  } catch (error) {
    if (!isOfSystem(error)) throw error;
    const code = error.code ?? "";
    const why: Readonly<Record<string, string>> = {
      ENOENT: `there is no folder ${dirname(target)}.`,
      EISDIR: `${target} is a folder. Give a file.`,
      EACCES: `${target} can't be written (no permission).`,
    };
    throw new FileError(why[code] ?? unwritable(target, code), { cause: error });
  }
}

/**
 * Has a file written under another name beside its place, and moved there once it is whole: half of one would look like a
 * whole one, and what was there before would be gone.
 */
async function writeWhole(target: string, write: (file: string) => Promise<void>): Promise<void> {
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
      throw new UsageError(`--${flag} ${target} would overwrite an input. Choose another file.`);
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
