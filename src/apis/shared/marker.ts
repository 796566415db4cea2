import { isRecord } from "../../core/is-record.ts";
import type { Message, Part, Role } from "../../core/types.ts";

/** The message that `read` returns, with precis's marker (`precis: { pin: true }`, `precis: { knowledge: true }`). */
export function markedMessage(role: Role, parts: readonly Part[], marker: unknown): Message {
  if (!isRecord(marker)) return { role, parts };
  return {
    role,
    parts,
    ...(marker.pin === true ? { pinned: true } : {}),
    ...(marker.knowledge === true ? { knowledge: true } : {}),
  };
}

/** The message without the marker, which providers refuse; the same object if it has none. */
export function withoutMarker<M extends object>(message: M): M {
  if (!isRecord(message) || !("precis" in message)) return message;
  const { precis: _, ...rest } = message;
  return rest as M;
}
