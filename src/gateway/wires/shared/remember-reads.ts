import type { Dialect, Message } from "../../../core/types.ts";

/** The dialect, reading each wire message once: messages come again with every request, and are the same objects then. */
export function rememberReads(dialect: Dialect<unknown>): Dialect<unknown> {
  const known = new WeakMap<object, Message>();
  const remembering: Dialect<unknown> = {
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
  plain.set(remembering, dialect);
  return remembering;
}

const plain = new WeakMap<Dialect<unknown>, Dialect<unknown>>();

/** The dialect for messages that will not come again as the same objects: remembering them would be work for nothing. */
export function withoutMemory(dialect: Dialect<unknown>): Dialect<unknown> {
  return plain.get(dialect) ?? dialect;
}
