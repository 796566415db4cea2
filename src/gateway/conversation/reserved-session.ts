/** Names of sessions that begin like this are precis's own. */
const RESERVED = "precis:";

/** The store has no table for settings: they stand with a conversation of this name, which no list shows. */
export const SETTINGS_SESSION = `${RESERVED}settings`;

/** May a client or an upstream not give a conversation this name? What it says would stand among precis's own data. */
export function isReservedSession(name: string): boolean {
  return name.toLowerCase().startsWith(RESERVED);
}
