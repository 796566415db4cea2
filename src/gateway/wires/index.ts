import type { IncomingHttpHeaders } from "node:http";
import { chatWire } from "./chat/chat-wire.ts";
import { messagesWire } from "./messages/messages-wire.ts";
import { responsesWire } from "./responses/responses-wire.ts";
import type { Wire } from "./wire.ts";

/** All APIs, the usual one first. */
const all: readonly Wire[] = [chatWire, responsesWire, messagesWire];

/** The APIs by their path. */
export const wires: ReadonlyMap<string, Wire> = new Map(all.map((wire) => [wire.path, wire]));

/** The APIs by the path of their counting route. */
export const counting: ReadonlyMap<string, Wire> = byPath(({ counting }) => counting?.path);

/** The APIs by the path of their route that does nothing but compact. */
export const compacting: ReadonlyMap<string, Wire> = byPath(({ compacting }) => compacting?.path);

/** The API of a wire format, for conversations that were stored in it. */
export function wireOfDialect(dialect: string | undefined): Wire {
  return all.find((wire) => wire.dialect.id === dialect) ?? chatWire;
}

/** The API that a path belongs to: its own, or one below it. */
export function wireAtPath(path: string): Wire | undefined {
  return all.find((wire) => path.startsWith(wire.path));
}

/** The API of a request, by its path or else by its headers: some paths belong to several. */
export function wireOfRequest(path: string, headers: IncomingHttpHeaders): Wire {
  return wireAtPath(path) ?? all.find((wire) => wire.isSpokenBy?.(headers)) ?? chatWire;
}

function byPath(pathOf: (wire: Wire) => string | undefined): ReadonlyMap<string, Wire> {
  return new Map(
    all.flatMap((wire) => {
      const path = pathOf(wire);
      return path === undefined ? [] : [[path, wire] as const];
    }),
  );
}
