/** Collects what a conversion lost, each kind once with how often it happened. */
export interface Losses {
  add(what: string): void;
  list(): string[];
}

export function createLosses(): Losses {
  const counts = new Map<string, number>();
  return {
    add(what) {
      counts.set(what, (counts.get(what) ?? 0) + 1);
    },
    list() {
      return [...counts].map(([what, count]) => (count === 1 ? what : `${what} (${count} times)`));
    },
  };
}
