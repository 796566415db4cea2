import { stringifyDeep } from "../../core/json.ts";
import type { Dialect, Measure } from "../../core/types.ts";

interface Sent {
  readonly system: unknown;
  readonly messages: readonly unknown[];
}

/**
 * Tells of each request which share of it, from its front, the request before had too: that is what a provider reads from
 * its prompt cache. Views share most of their messages, so each object is counted once.
 */
export function createCachedShare(
  dialect: Pick<Dialect<unknown>, "read">,
  measure: Measure,
): (now: Sent) => number {
  const known = new WeakMap<object, number>();
  const tokensOf = (message: unknown): number => {
    const key = typeof message === "object" && message !== null ? message : undefined;
    const found = key && known.get(key);
    if (found !== undefined) return found;
    const tokens = measure.message(dialect.read(message));
    if (key) known.set(key, tokens);
    return tokens;
  };
  let before: Sent | undefined;
  return (now) => {
    const last = before;
    before = now;
    const system = now.system == null ? 0 : tokensOf({ role: "system", content: now.system });
    const total = now.messages.reduce<number>((sum, message) => sum + tokensOf(message), system);
    if (!last || total === 0 || !isSame(last.system, now.system)) return 0;
    return (system + commonTokens(last.messages, now.messages, tokensOf)) / total;
  };
}

/** Tokens at the front that both requests have. */
export function commonTokens<M>(
  before: readonly M[],
  now: readonly M[],
  tokensOf: (message: M) => number,
): number {
  let total = 0;
  for (const [index, message] of now.entries()) {
    if (index >= before.length || !isSame(before[index], message)) break;
    total += tokensOf(message);
  }
  return total;
}

const isSame = (a: unknown, b: unknown): boolean => a === b || stringifyDeep(a) === stringifyDeep(b);
