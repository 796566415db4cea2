import { parseExact } from "../core/exact-json.ts";
import type { Conversation } from "../stores/server-store.ts";
import { branchesOf } from "./inspect/branches.ts";
import { inspectConversation } from "./inspect/inspection.ts";
import { conversationsText, inspectionText } from "./inspect/text.ts";
import type { Io } from "./io.ts";
import { DATABASE_FLAGS, DEFAULT_TENANT, withDatabase } from "./open-database.ts";
import { lookOf } from "./paint.ts";
import { type CommandLine, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { FileError } from "./read-lines.ts";
import { findByName } from "./short-names.ts";

export const inspectLine: CommandLine = {
  name: "inspect",
  summary:
    "Shows a stored conversation: transcript, view, checkpoints, and why each message is or isn't shown.",
  usage: "precis inspect [SESSION] [flags]",
  flags: {
    ...DATABASE_FLAGS,
    json: { help: "print everything as JSON, with the view's messages in their wire format" },
  },
  notes: [
    "SESSION is the id of a session (the answer's header x-precis-session) or of a conversation. Without one, the newest conversations are listed. A session with several branches shows the newest and lists all of them; a conversation's own id shows that one.",
  ],
  examples: [
    "precis inspect",
    "precis inspect 3f1c… --db precis.db",
    "precis inspect 3f1c… --json | jq .view.messages",
  ],
};

const LISTED = 20;

export async function inspectCommand(flags: ParsedFlags, io: Io): Promise<void> {
  const [session, ...more] = flags.files;
  if (more.length > 0) throw new UsageError("precis inspect takes one SESSION.");
  const tenant = flags.value("tenant") ?? DEFAULT_TENANT;
  const look = lookOf(io.stdout, io.env);
  const say = (value: unknown, text: () => string) =>
    io.stdout.write(flags.has("json") ? `${JSON.stringify(value)}\n` : text());
  await withDatabase(flags, io, { create: false }, async (store, database) => {
    if (session === undefined) {
      const { conversations } = await store.conversations.list(tenant, { limit: LISTED, archived: "all" });
      const bySession = Map.groupBy(conversations, ({ session, id }) => session ?? id);
      const groups = await Promise.all(
        [...bySession.values()].map((group) => branchesOf(store.conversations, tenant, group)),
      );
      const listed: Conversation[] = [];
      // What is stored with them is a rough count.
      if (flags.has("json"))
        for (const one of conversations) {
          const { tokens } = await inspectConversation(store, tenant, one);
          listed.push({ ...one, tokens: tokens.transcript });
        }
      say(listed, () => conversationsText(groups, look));
      return;
    }
    const conversation = await findByName(store.conversations, tenant, session);
    if (!conversation)
      throw new FileError(
        `there is no session or conversation ${session} of tenant ${tenant} in ${database}. precis inspect lists the newest.`,
      );
    const inspection = await inspectConversation(store, tenant, conversation);
    const { messages, view, branches, tokens, ...rest } = inspection;
    const json = {
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
    say(json, () => inspectionText(inspection, look));
  });
}
