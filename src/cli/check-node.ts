/** Oldest Node that has everything, as in the package's `engines`. */
export const OLDEST_NODE = [22, 13] as const;

export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const [needMajor, needMinor] = OLDEST_NODE;
  return major < needMajor || (major === needMajor && minor < needMinor);
}

/** What to tell the user of a Node that is too old; undefined for one that isn't. */
export function oldNode(version: string): string | undefined {
  if (!isTooOld(version)) return undefined;
  return `this needs Node ${OLDEST_NODE.join(".")} or later, and this is ${version}. Install a newer Node, then try again.`;
}
