import type { ReadRange, StoredMessage } from "../server-store.ts";
import { MESSAGE_FACT_NAMES, type MessageFacts } from "../shared/columns.ts";
import { messageOf } from "../shared/rows.ts";
import { allOf, rows, type Script } from "./script.ts";

const FACTS = MESSAGE_FACT_NAMES.map((name) => `m.${name}`).join(", ");

/** The messages of a conversation by position, with their texts from wherever these stand. */
export function* readMessages(
  tenant: string,
  conversation: string,
  { from = 0, to, after }: ReadRange,
): Script<StoredMessage[]> {
  const { where, values } = allOf(
    ["m.tenant = ? and m.conversation = ?", tenant, conversation],
    ["m.position >= ?", from],
    [
      "m.position > (select position from precis_messages where tenant = ? and conversation = ? and hash = ?)",
      tenant,
      conversation,
      after,
    ],
    ["m.position < ?", to],
  );
  const found = yield* rows<MessageFacts & { readonly position: number; readonly wire: string }>(
    `select m.position, ${FACTS}, coalesce(m.wire, b.wire) as wire
     from precis_messages m left join precis_bodies b on b.tenant = m.tenant and b.hash = m.body
     where ${where} order by m.position`,
    ...values,
  );
  return found.map(messageOf);
}
