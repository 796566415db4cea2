import type { Dialect, Message } from "../../core/types.ts";

/**
 * The dialect, reading each wire message once: a conversation's messages come again with every request, and are the same
 * objects then.
 */
export function rememberReads(dialect: Dialect<unknown>): Dialect<unknown> {
  const known = new WeakMap<object, Message>();
  return {
    ...dialect,
    read(message) {
      if (typeof message !== "object" || message === null) return dialect.read(message);
      const before = known.get(message);
      if (before) return before;
      const read = dialect.read(message);
      known.set(message, read);
      return read;
    },
  };
}
