/** Texts that are held; those that weren't asked for longest go first. */
const MOST = 500;

/** Equal texts as one and the same: thousands of conversations have the same system prompt. */
export function createSharedTexts(most = MOST): (text: string) => string {
  const texts = new Map<string, string>();
  let newest: string | undefined;
  return (text) => {
    // Mostly it is the same once more, and to compare two takes less than to look one up.
    if (text === newest) return newest;
    const shared = texts.get(text) ?? text;
    texts.delete(shared);
    texts.set(shared, shared);
    if (texts.size > most) texts.delete(texts.keys().next().value!);
    newest = shared;
    return shared;
  };
}
