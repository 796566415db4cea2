import type { Message, Part, Role } from "../../core/types.ts";
import { isRecord } from "./is-record.ts";

/**
 * The message that `read` returns, with precis's marker (`precis: { pin: true }`, `precis: { knowledge: true }`).
 *
 * A kept message leaves as the same object, so the marker would be sent on and most providers refuse unknown fields.
 * Hosts normally name such messages with `fit({ pins, knowledge })`; the marker is for hosts that strip their own
 * fields before sending, and for providers that ignore unknown ones.
 */
export function markedMessage(role: Role, parts: readonly Part[], marker: unknown): Message {
  if (!isRecord(marker)) return { role, parts };
  return {
    role,
    parts,
    ...(marker.pin === true ? { pinned: true } : {}),
    ...(marker.knowledge === true ? { knowledge: true } : {}),
  };
}
