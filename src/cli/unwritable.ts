/** Codes of the system for a disk that takes no more: it is full, or the user's share of it or the size of a file is used up. */
const NO_ROOM: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Says in words that something can't be written, for an error of the operating system. */
export function unwritable(target: string, code: string): string {
  if (NO_ROOM.has(code))
    return `${target} can't be written: there is no room for it (${code}). Free some space, or choose another place.`;
  return `${target} can't be written (${code}).`;
}
