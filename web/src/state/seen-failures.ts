const keyOf = (chat: string) => `precis.seen.${chat}`;

/** Keeps in the browser up to which event of its timeline a person has closed the failures of a chat. */
export function keepSeen(chat: string, event: number): void {
  try {
    globalThis.localStorage?.setItem(keyOf(chat), String(event));
  } catch {
    // A browser that is full tells of it again when the chat is opened anew.
  }
}

export const readSeen = (chat: string): number =>
  Number(globalThis.localStorage?.getItem(keyOf(chat)) ?? 0) || 0;
