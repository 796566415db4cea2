import type { NewMessage } from "../server-store.ts";
import type { MessageRow } from "./columns.ts";
import { messageFacts } from "./rows.ts";

/** Where texts stand in a back end. */
export interface TextPlaces {
  /** The address of a body: a text that doesn't stand with its message. */
  addressOf(wire: string): string;
  /** Whether a text of so many characters stands with its message, as one of so many new ones. */
  standsWithMessage(length: number, messages: number): boolean;
}

/** Messages and a head whose texts have found their places. */
export interface PlacedTexts {
  readonly messages: readonly MessageRow[];
  /** The address of the head. */
  readonly head: string | undefined;
  /** Texts that don't stand with their messages, by their addresses. */
  readonly bodies: ReadonlyMap<string, string>;
}

/** Rows of new messages, the first one at `position`. */
export function placeTexts(
  { tenant, conversation, position }: Pick<MessageRow, "tenant" | "conversation" | "position">,
  messages: readonly NewMessage[],
  head: string | undefined,
  { addressOf, standsWithMessage }: TextPlaces,
): PlacedTexts {
  const bodies = new Map<string, string>();
  const addBody = (wire: string): string => {
    const address = addressOf(wire);
    bodies.set(address, wire);
    return address;
  };
  const rows = messages.map((message, index): MessageRow => {
    const isWithIt = standsWithMessage(message.wire.length, messages.length);
    return {
      tenant,
      conversation,
      position: position + index,
      ...messageFacts(message),
      body: isWithIt ? null : addBody(message.wire),
      wire: isWithIt ? message.wire : null,
    };
  });
  return { messages: rows, head: head === undefined ? undefined : addBody(head), bodies };
}
