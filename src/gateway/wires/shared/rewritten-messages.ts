import type { Dialect } from "../../../core/types.ts";

/**
 * The messages of a view as they are sent: what the client sent leaves as it came; what was rewritten leaves without fields that
 * only the client's interface needs, because strict upstreams refuse them.
 */
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
