import type { Dialect, Message } from "../../../core/types.ts";
import { readingHidden } from "./hidden-rounds.ts";

/** A dialect as the gateway reads by it: with what a client wasn't shown, and each message once. */
export function wireDialect<M>(dialect: Dialect<M>): Dialect<unknown> {
  return rememberReads(readingHidden(dialect as Dialect<unknown>));
}

/** The dialect, reading each wire message once: messages come again with every request, and are the same objects then. */
function rememberReads(dialect: Dialect<unknown>): Dialect<unknown> {
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

/** What the client sent leaves as it came; what was rewritten, without fields that strict upstreams refuse. */
export function rewrittenMessages(
  dialect: Dialect<unknown>,
  before: unknown,
  messages: readonly unknown[],
): readonly unknown[] {
  const sent = new Set(Array.isArray(before) ? (before as readonly unknown[]) : []);
  return messages.map((message) =>
    sent.has(message) ? message : dialect.edit(message, [{ type: "strip-fields", why: "interface-only" }]),
  );
}
