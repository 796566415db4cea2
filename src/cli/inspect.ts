import { parseExact } from "../core/json.ts";
import type { Conversation } from "../stores/server-store.ts";
import { branchesOf } from "./inspect/branches.ts";
import { inspectConversation } from "./inspect/inspection.ts";
import { conversationsText, inspectionText } from "./inspect/text.ts";
import { DEFAULT_TENANT, withDatabase } from "./open-database.ts";
import { FileError } from "./read-lines.ts";
import type { RunOf } from "./run.ts";
import { findByName } from "./short-names.ts";

const LISTED = 20;

export async function inspect(run: RunOf<"inspect">): Promise<void> {
  const { options, look } = run;
  const [session] = run.args;
  const { tenant = DEFAULT_TENANT, json } = options;
  await withDatabase(run, { create: false }, async (store, database) => {
    if (session === undefined) {
      const { conversations } = await store.conversations.list(tenant, { limit: LISTED, archived: "all" });
      const bySession = Map.groupBy(conversations, ({ session, id }) => session ?? id);
      const groups = await Promise.all(
        [...bySession.values()].map((group) => branchesOf(store.conversations, tenant, group)),
      );
      const listed: Conversation[] = [];
      // What is stored with them is a rough count.
      for (const one of json ? conversations : [])
        listed.push({ ...one, tokens: (await inspectConversation(store, tenant, one)).tokens.transcript });
      run.print(listed, () => conversationsText(groups, look));
      return;
    }
    const conversation = await findByName(store.conversations, tenant, session);
    if (!conversation)
      throw new FileError(
        `there is no session or conversation ${session} of tenant ${tenant} in ${database}. precis inspect lists the newest.`,
      );
    const inspection = await inspectConversation(store, tenant, conversation);
    const { messages, view, branches, tokens, ...rest } = inspection;
    const value = {
      ...rest,
      conversation: { ...conversation, tokens: tokens.transcript },
      branches: branches.map(({ conversation: { id, length, updatedAt }, from, words }) => ({
        id,
        length,
        updatedAt,
        from,
        words,
      })),
      tokens: { transcript: tokens.transcript, view: tokens.view, system: tokens.system },
      transcript: messages.map(({ wire, ...message }, index) => ({
        ...message,
        tokens: tokens.messages[index + view.lead] ?? 0,
        message: parseExact(wire),
      })),
      view: { checkpoint: view.checkpoint?.id, entries: view.entries, messages: view.messages },
    };
    run.print(value, () => inspectionText(inspection, look));
  });
}
