import type { Arranged, Encoded } from "../../../src/apis/shared/arrange.ts";
import { editCursor, withFieldEdit } from "../../../src/apis/shared/edit.ts";
import { malformed, markedMessage, roleIn, withoutMarker } from "../../../src/apis/shared/reading.ts";
import { reasoningOf } from "../../../src/apis/shared/reasoning.ts";
import type { Dialect, Edit, InsertMessage, Message, Role } from "../../../src/core/types.ts";

/** A message: who speaks, and what. */
export interface ToyMessage {
  readonly who: string;
  readonly words: string;
  readonly precis?: unknown;
}

const ID = "toy";
const ROLES: Readonly<Record<string, Role>> = { rules: "system", me: "user", you: "assistant" };
const NAMES = { system: "rules", user: "me", assistant: "you", tool: "me" } as const;

function read(message: ToyMessage): Message {
  if (typeof message?.words !== "string")
    throw malformed({ dialect: ID, expected: "a message with `words`", found: message });
  const role = roleIn(ID, ROLES, { role: message.who });
  return markedMessage(role, [{ type: "text", text: message.words }], message.precis);
}

function edit(message: ToyMessage, edits: readonly Edit[]): ToyMessage {
  const cursor = editCursor(ID, edits);
  const words = [cursor.next() ?? message.words, ...cursor.append].join("\n");
  cursor.done();
  return words === message.words ? message : { ...message, words };
}

export const toy: Dialect<ToyMessage> = {
  id: ID,
  rules: { system: "message", laterSystem: "anywhere", firstRole: "any", results: "direct" },
  reasoningOf,
  read,
  edit: withFieldEdit(edit, (name) => name !== "who" && name !== "words"),
  unmarked: withoutMarker,
  write: ({ role, text }: InsertMessage): ToyMessage => ({ who: NAMES[role], words: text }),
};

export function encodeToy(messages: readonly Arranged[]): Encoded<ToyMessage> {
  return {
    messages: messages.map(({ role, parts }) => ({
      who: NAMES[role],
      words: parts.flatMap((part) => ("text" in part ? (part.text ?? []) : [])).join("\n"),
    })),
  };
}
