import { chatWire } from "./chat.ts";
import { messagesWire } from "./messages.ts";
import { responsesWire } from "./responses.ts";
import type { Wire } from "./wire.ts";

/** The APIs by their path. */
export const wires: ReadonlyMap<string, Wire> = new Map(
  [chatWire, responsesWire, messagesWire].map((wire) => [wire.path, wire]),
);

/** The API of a wire format, for conversations that were stored in it. */
export function wireOfDialect(dialect: string | undefined): Wire {
  for (const wire of wires.values()) if (wire.dialect.id === dialect) return wire;
  return chatWire;
}
