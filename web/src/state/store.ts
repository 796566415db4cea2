/** A value that can be watched. All state of the page lives in these; components only draw it. */
export interface Store<T> {
  get(): T;
  set(change: Partial<T> | ((value: T) => Partial<T>)): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T extends object>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(change) {
      const changes = typeof change === "function" ? change(value) : change;
      value = { ...value, ...changes };
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
