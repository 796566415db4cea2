/**
 * What was found out about texts that are too long for a memory of texts. Each is kept for as long as something that holds the
 * text lives.
 */
export interface HeldTexts<V> {
  get(text: string): V | undefined;
  /** Keeps a value for as long as `owner` lives. The text is kept with it, so the owner had better be what holds it. */
  hold(owner: object, text: string, value: V): void;
}

/** Texts from here on are held rather than remembered with the others (characters). */
export const HELD_FROM_CHARS = 32_768;

export function createHeldTexts<V>(): HeldTexts<V> {
  const held = new Map<string, { readonly value: V; owners: number }>();
  const owners = new FinalizationRegistry<string>((text) => {
    const one = held.get(text);
    if (one && --one.owners === 0) held.delete(text);
  });
  return {
    get: (text) => held.get(text)?.value,
    hold(owner, text, value) {
      const one = held.get(text);
      if (one) one.owners++;
      else held.set(text, { value, owners: 1 });
      owners.register(owner, text);
    },
  };
}
