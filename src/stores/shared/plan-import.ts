import type { ImportedConversation } from "./export-line.ts";
import { placeTexts, type TextPlaces } from "./place-texts.ts";
import type { AppendPlan } from "./plan-append.ts";
import { conversationRow } from "./rows.ts";

/** What the import of a whole conversation writes, citations aside: the same as an append that makes it. */
export function planImport(
  { tenant, conversation, head: text, messages: given }: ImportedConversation,
  places: TextPlaces,
): AppendPlan {
  const { id } = conversation;
  const length = given.length;
  const { messages, head, bodies } = placeTexts(
    { tenant, conversation: id, position: 0 },
    given,
    text,
    places,
  );
  return {
    tenant,
    removeFrom: undefined,
    answers: [],
    texts: bodies,
    made: conversationRow(tenant, { ...conversation, length }, head),
    changes: {},
    copied: undefined,
    messages,
    left: [],
    appended: { conversation: id, forkOf: undefined, added: length, length },
  };
}
