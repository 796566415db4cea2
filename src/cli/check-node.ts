/** What package.json asks for: older versions lack functions that precis calls. */
const LEAST = { major: 22, minor: 13 };

/** What to tell the user of a Node that is too old; undefined for one that isn't. */
export function oldNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  if (major > LEAST.major || (major === LEAST.major && minor >= LEAST.minor)) return undefined;
  return `this needs Node ${LEAST.major}.${LEAST.minor} or later, and this is ${version}. Install a newer Node, then try again.`;
}
