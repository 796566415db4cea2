import type { Dialect } from "../../../core/types.ts";

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
