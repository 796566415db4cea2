import type { Arranged, Encoded } from "../../../src/apis/shared/arrange.ts";
import { dialectOf } from "../../../src/apis/shared/dialect.ts";
import { malformed, roleIn } from "../../../src/apis/shared/reading.ts";
import type { Dialect, Role } from "../../../src/core/types.ts";

/** A message: who speaks, and what. */
export interface ToyMessage {
  readonly who: string;
  readonly words: string;
  readonly precis?: unknown;
}

const ID = "toy";
const ROLES: Readonly<Record<string, Role>> = { rules: "system", me: "user", you: "assistant" };
const NAMES = { system: "rules", user: "me", assistant: "you", tool: "me" } as const;

export const toy: Dialect<ToyMessage> = dialectOf({
  id: ID,
  rules: { system: "message", laterSystem: "anywhere", firstRole: "any", results: "direct" },
  read({ who, words, ...rest }) {
    if (typeof words !== "string")
      throw malformed({ dialect: ID, expected: "a message with `words`", found: { who, ...rest } });
    return { role: roleIn(ID, ROLES, { role: who }), parts: [{ type: "text", text: words }] };
  },
  edit: (message, cursor) => ({
    ...message,
    words: [cursor.next() ?? message.words, ...cursor.append].join("\n"),
  }),
  isForInterface: (name) => name !== "who" && name !== "words",
  write: ({ role, text }): ToyMessage => ({ who: NAMES[role], words: text }),
});

export function encodeToy(messages: readonly Arranged[]): Encoded<ToyMessage> {
  return {
    messages: messages.map(({ role, parts }) => ({
      who: NAMES[role],
      words: parts.flatMap((part) => ("text" in part ? (part.text ?? []) : [])).join("\n"),
    })),
  };
}
