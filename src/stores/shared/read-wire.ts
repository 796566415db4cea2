import { parseExact } from "../../core/exact-json.ts";
import type { Dialect, Message } from "../../core/types.ts";

/** A stored message; undefined for what its dialect can't read, which nobody can search. */
export function readWire(dialect: Dialect<unknown>, wire: string): Message | undefined {
  try {
    return dialect.read(parseExact(wire));
  } catch {
    return undefined;
  }
}
