/** Replies of earlier runs by the hash of what was asked: a run that was interrupted goes on where it stopped. */
export interface Journal {
  find(key: string): string | undefined;
  keep(key: string, text: string): Promise<void>;
}

/** A journal that ends with the process. */
export function memoryJournal(): Journal {
  const replies = new Map<string, string>();
  return {
    find: (key) => replies.get(key),
    async keep(key, text) {
      replies.set(key, text);
    },
  };
}
