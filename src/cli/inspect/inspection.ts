import { dialectById } from "../../apis/index.ts";
import { restoreDraft } from "../../core/checkpoint.ts";
import { entriesOf, keepAll } from "../../core/draft.ts";
import { parseExact } from "../../core/json.ts";
import type { Checkpoint, Dialect, Entry, Measure, Message, Records } from "../../core/types.ts";
import { modelCounting } from "../../eval/replay/model-counting.ts";
import type { ApiCitations, DeferredTools, TimelineEvent } from "../../gateway/api.ts";
import { markedRecords } from "../../gateway/compaction/records.ts";
import { adviceOn } from "../../gateway/conversation/advice.ts";
import { metaOf } from "../../gateway/conversation/chat-settings.ts";
import { citationsOf } from "../../gateway/conversation/citations.ts";
import {
  detailsOf,
  eventsIn,
  receiptsIn,
  rowsOf,
  withRecalled,
} from "../../gateway/conversation/timeline.ts";
import { entryTokens, systemTokens } from "../../gateway/conversation/view-of.ts";
import { readHead } from "../../recall/conversation-index.ts";
import type {
  Conversation,
  ConversationStore,
  ServerStore,
  StoredMessage,
  StoredRequest,
} from "../../stores/server-store.ts";
import type { Receipts } from "../../tokens/receipts.ts";
import { cut, formatCount, formatTime, previewOf } from "../format.ts";
import { shortId } from "../open-database.ts";

/** Everything that the store knows about a conversation, and the view that follows from it. */
export interface Inspection {
  readonly conversation: Conversation;
  /** All conversations of its session, itself among them. */
  readonly branches: readonly Branch[];
  /** The system prompt as the wire has it. */
  readonly head: unknown;
  readonly messages: readonly StoredMessage[];
  readonly records: Records;
  readonly view: InspectedView;
  readonly tokens: InspectedTokens;
  /** What happened to it, as the records of its requests say it. */
  readonly events: readonly TimelineEvent[];
  /** What its compactions saved and cost so far. */
  readonly receipts: Receipts;
  /** Declarations of tools that its newest request was sent without; undefined where all were sent. */
  readonly deferred: DeferredTools | undefined;
  /** What would save more than precis can, in sentences. */
  readonly advice: readonly string[];
  readonly citations: ApiCitations["sources"];
}

/** What the model is sent, up to the last message. Indexes count leading system messages where those are messages. */
interface InspectedView {
  /** The checkpoint that it stands on; without one the view is the transcript. */
  readonly checkpoint: Checkpoint | undefined;
  readonly entries: readonly Entry[];
  readonly transcript: readonly Message[];
  readonly wire: readonly unknown[];
  /** In the wire format. */
  readonly messages: readonly unknown[];
  /** Leading system messages. */
  readonly lead: number;
}

/** Counted as the conversation's model counts, without what its provider's usage taught a server that runs. */
interface InspectedTokens {
  /** Of each message of the transcript. */
  readonly messages: readonly number[];
  /** Of a system prompt that stands apart from them. */
  readonly system: number;
  readonly transcript: number;
  readonly view: number;
}

const DEFAULT_DIALECT = "openai-chat";

export async function inspectConversation(
  store: ServerStore,
  tenant: string,
  conversation: Conversation,
  /** Hash of a message on the branch that is meant. Left out: the one that is shown. */
  branch?: string,
): Promise<Inspection> {
  const { id } = conversation;
  const messages = [
    ...(await store.conversations.read(tenant, id, branch === undefined ? {} : { leaf: branch })),
    ...(branch === undefined ? [] : await behind(store.conversations, tenant, id, branch)),
  ];
  const headText = await store.conversations.head(tenant, id);
  const head = headText === undefined ? undefined : parseExact(headText);
  // By the stored hashes: the texts may have been redacted since.
  // What a single request wished for is that request's alone.
  const records = await markedRecords(store.records(tenant), undefined).find(
    messages.map((message) => message.hash),
  );
  const dialect = dialectById(conversation.dialect ?? DEFAULT_DIALECT);
  const { settings, model = conversation.model ?? "" } = metaOf(conversation);
  const { measure } = await modelCounting(settings?.model ?? model);
  const rows = await rowsOf({ store }, tenant, id);
  const view = viewOf(dialect, headText, messages, records, rows);
  return {
    conversation,
    branches: await branchesOf(store.conversations, tenant, await kinOf(store, tenant, conversation)),
    head,
    messages,
    records,
    view,
    tokens: tokensOf(dialect, headText, view, measure),
    events: eventsIn(rows),
    receipts: receiptsIn(rows),
    deferred: rows.map((row) => detailsOf(row).deferred).findLast((one) => one !== undefined),
    advice: await adviceOn(store, tenant, { rows, dialect }),
    citations: citationsOf(view.transcript, view.lead).sources,
  };
}

/** What follows a message in the newest of its branches. */
async function behind(
  store: Pick<ConversationStore, "behind">,
  tenant: string,
  id: string,
  hash: string,
): Promise<readonly StoredMessage[]> {
  const branches = await store.behind(tenant, hash);
  return branches.find(({ conversation }) => conversation.id === id)?.messages ?? [];
}

function tokensOf(
  dialect: Dialect<unknown>,
  head: string | undefined,
  { entries, transcript, wire }: Pick<InspectedView, "entries" | "transcript" | "wire">,
  measure: Measure,
): InspectedTokens {
  const { system: prompt } = readHead(dialect, head);
  const messages = transcript.map((message) => measure.message(message));
  const system = systemTokens({ dialect, system: prompt }, measure);
  const loaded = { dialect, messages: transcript, transcript: wire, system: prompt };
  return {
    messages,
    system,
    transcript: messages.reduce((sum, one) => sum + one, system),
    // Of thousands of messages none is counted twice.
    view: entries.reduce(
      (sum, entry) =>
        sum + (entry.type === "keep" ? messages[entry.index]! : entryTokens(entry, loaded, measure)),
      system,
    ),
  };
}

/** Conversations of one session that are looked at. */
const MOST_BRANCHES = 100;

/** The conversations of its session. */
async function kinOf(
  { conversations }: ServerStore,
  tenant: string,
  conversation: Conversation,
): Promise<readonly Conversation[]> {
  const kin = new Map([[conversation.id, conversation]]);
  const { session } = conversation;
  if (session !== undefined) {
    const query = { session, limit: MOST_BRANCHES, archived: "all" } as const;
    for (const one of (await conversations.list(tenant, query)).conversations) kin.set(one.id, one);
  }
  return [...kin.values()];
}

function viewOf(
  dialect: Dialect<unknown>,
  head: string | undefined,
  stored: readonly StoredMessage[],
  { checkpoints, undos, recalled = [] }: Records,
  rows: readonly StoredRequest[],
): InspectedView {
  const { lead } = readHead(dialect, head);
  const wire = [...lead, ...stored.map((message) => parseExact(message.wire))];
  const transcript = wire.map((message) => dialect.read(message));
  const undone = new Set(undos.map((undo) => undo.checkpoint));
  const candidates = checkpoints
    .filter((one) => !undone.has(one.id) && stored[one.length - 1]?.hash === one.hash)
    .toSorted((a, b) => b.length - a.length || b.at - a.at);
  for (const checkpoint of candidates) {
    const draft = restoreDraft(checkpoint, transcript, lead.length);
    if (!draft) continue;
    // What the newest request that stands on it was sent with.
    const newest = rows.findLast((row) => row.checkpoint === checkpoint.id && row.kind !== "compaction");
    const places = newest && (detailsOf(newest).quoted ?? []);
    const of = { recalled, stored, messages: transcript, lead, dialect };
    const entries = entriesOf(withRecalled(draft, checkpoint, of, places));
    const messages = messagesOf(dialect, wire, entries);
    return { checkpoint, entries, transcript, wire, messages, lead: lead.length };
  }
  const entries = entriesOf(keepAll(transcript.length));
  return { checkpoint: undefined, entries, transcript, wire, messages: wire, lead: lead.length };
}

function messagesOf(
  dialect: Dialect<unknown>,
  wire: readonly unknown[],
  entries: readonly Entry[],
): unknown[] {
  return entries.flatMap((entry) => {
    if (entry.type === "keep") return [wire[entry.index]];
    if (entry.type === "edit") return [dialect.edit(wire[entry.index], entry.edits)];
    if (entry.type === "insert" && !entry.merged) return [dialect.write(entry.message)];
    return [];
  });
}

/** A conversation among others of its session, or another branch of one of them. */
export interface Branch {
  readonly conversation: Conversation;
  /** 0 for a conversation, 1 for a branch that isn't shown. */
  readonly depth: number;
  /** Its first message that the one which is shown doesn't have, from 1; of a conversation its first message. */
  readonly from: number;
  /** Hash of that message; undefined for a conversation. */
  readonly hash: string | undefined;
  /** Messages of the conversation that is shown, leading system messages among them. */
  readonly length: number;
  /** The beginning of its first user message, or of the message from which a branch differs. */
  readonly words: string;
}

/** Messages among which a conversation's first user message is looked for. */
const LEADING = 4;

/** Conversations, older ones first, each with the other branches that begin on its path. */
export async function branchesOf(
  store: Pick<ConversationStore, "head" | "read" | "siblings">,
  tenant: string,
  conversations: readonly Conversation[],
): Promise<Branch[]> {
  const branches: Branch[] = [];
  for (const conversation of conversations.toSorted((a, b) => a.createdAt - b.createdAt)) {
    const { id } = conversation;
    const dialect = dialectById(conversation.dialect ?? DEFAULT_DIALECT);
    const lead = readHead(dialect, await store.head(tenant, id)).lead.length;
    const length = conversation.length + lead;
    const add = async (depth: number, at: number, leaf?: string): Promise<void> => {
      const to = depth === 0 ? at + LEADING : at + 1;
      const read = await store.read(tenant, id, { from: at, to, ...(leaf !== undefined && { leaf }) });
      // What all of them share, such as a system prompt, tells none from another.
      const message = (depth === 0 && read.find(({ role }) => role === "user")) || read[0];
      const words = message ? wordsOf(conversation, message) : "";
      const from = depth === 0 ? 1 : at + lead + 1;
      branches.push({ conversation, depth, from, hash: leaf, length, words });
    };
    await add(0, 0);
    for (const [position, hashes] of conversation.branched ? await store.siblings(tenant, id) : []) {
      const [shown] = await store.read(tenant, id, { from: position, to: position + 1 });
      for (const hash of hashes) if (hash !== shown?.hash) await add(1, position, hash);
    }
  }
  return branches;
}

/** Characters of a hash that tell the branches of a conversation apart. */
const BRANCH_CHARS = 6;

/** What a branch is asked for by. */
function branchName(id: string, hash = ""): string {
  return `${shortId(id)}/${hash.slice(0, BRANCH_CHARS)}`;
}

/** The conversation and the branch that a name stands for. */
export function splitBranch(name: string): { readonly conversation: string; readonly branch?: string } {
  const [, conversation, branch] = /^(.+)\/([\w-]{4,})$/.exec(name) ?? [];
  return conversation === undefined || branch === undefined
    ? { conversation: name }
    : { conversation, branch };
}

/** The hash that the name of a branch begins. */
export async function findBranch(
  store: Pick<ConversationStore, "siblings">,
  tenant: string,
  id: string,
  branch: string,
): Promise<string | undefined> {
  const hashes = [...(await store.siblings(tenant, id)).values()].flat();
  return hashes.find((hash) => hash.startsWith(branch));
}

/** Columns that the words of a branch get before size and time do. */
const LEAST_WORDS = 20;

/** One line for each branch. `shown` is the conversation that stands below. */
export function branchLines(branches: readonly Branch[], columns: number, shown?: string): string[] {
  return branches.map(({ conversation, depth, from, hash, length, words }) => {
    const { id, updatedAt } = conversation;
    if (depth > 0)
      return cut(`      └ ${branchName(id, hash)}  from #${formatCount(from)} on: ${words}`, columns);
    const mark = shown === undefined ? "" : id === shown ? "→ " : "  ";
    const start = `  ${mark}${shortId(id)}  begins: `;
    const facts = ` (${formatCount(length)} messages, ${formatTime(updatedAt)})`;
    const room = columns - start.length;
    const isWide = room - facts.length >= LEAST_WORDS;
    return cut(`${start}${isWide ? `${cut(words, room - facts.length)}${facts}` : words}`, columns);
  });
}

function wordsOf({ dialect }: Conversation, { wire }: StoredMessage): string {
  try {
    return previewOf(dialectById(dialect ?? DEFAULT_DIALECT).read(JSON.parse(wire)));
  } catch {
    return cut(wire, 80);
  }
}
