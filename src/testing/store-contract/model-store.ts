import { defined } from "../../core/collections.ts";
import { StoreError } from "../../core/errors.ts";
import type { Records } from "../../core/types.ts";
import type {
  Append,
  Branch,
  Conversation,
  ConversationChanges,
  FindQuery,
  NewMessage,
  ReadRange,
  StoredMessage,
} from "../../stores/server-store.ts";

interface Node {
  readonly parent: number;
  readonly depth: number;
  message: NewMessage;
  /** All ids of the answer that ends with it. */
  readonly answers: string[];
}

interface Chat {
  readonly id: string;
  readonly nodes: Node[];
  leaf: number;
  head: string | undefined;
  rest: Pick<
    Conversation,
    "session" | "named" | "title" | "createdAt" | "updatedAt" | "pinned" | "deletedAt"
  >;
}

/** Records that are compared. */
export type Kept = Required<Pick<Records, "checkpoints" | "summaries" | "recalled">>;
const KINDS = ["checkpoints", "summaries", "recalled"] as const;
type Kind = (typeof KINDS)[number];
type Hashed = Kept[Kind][number];

/** What tells a record from others of its kind. */
function keyOf(record: Hashed): string {
  if ("id" in record) return record.id;
  return "key" in record ? record.key : `${record.checkpoint} ${record.hash}`;
}

/** What a tenant's conversations are, said in plain arrays that are looked through from end to end. Databases must agree with it. */
export class ModelStore {
  #chats: Chat[] = [];
  #made = 0;
  /** A record stands on a message in each conversation that holds it when it is saved. */
  #records: {
    readonly on: readonly Chat[];
    readonly key: string;
    readonly kind: Kind;
    readonly record: Hashed;
  }[] = [];

  append(_: string, { conversation, session, after, messages, at, ...more }: Append) {
    const known =
      conversation !== undefined
        ? this.#chat(conversation)
        : session === undefined || more.isNew
          ? undefined
          : this.#visible().find(({ rest }) => rest.session === session);
    if (conversation !== undefined && !known) throw refused();
    const chat = known ?? { ...emptyChat(`model ${this.#made++}`, at), head: undefined };
    const anchor = numberOf(chat, after);
    if (after !== undefined && anchor < 0) throw refused();
    let place = anchor;
    if (!known) this.#chats.push(chat);
    let added = 0;
    for (const message of messages) {
      const there = numberOf(chat, message.hash);
      if (there >= 0) {
        const node = chat.nodes[there]!;
        const { answer, given } = message;
        if (answer !== undefined) node.answers.push(answer);
        node.message = { ...node.message, ...defined({ answer, given }) };
        place = there;
        continue;
      }
      const answers = message.answer === undefined ? [] : [message.answer];
      chat.nodes.push({ message, answers, parent: place, depth: (chat.nodes[place]?.depth ?? 0) + 1 });
      place = chat.nodes.length - 1;
      added++;
    }
    // What comes late doesn't take the place of what was said since.
    const isNewest = chat.leaf < 0 || anchor === chat.leaf || at >= chat.rest.updatedAt;
    if (messages.length > 0 && isNewest) chat.leaf = place;
    chat.head = more.head ?? chat.head;
    chat.rest = {
      ...chat.rest,
      updatedAt: Math.max(chat.rest.updatedAt, at),
      ...(session !== undefined && { session }),
      ...(more.named && { named: true }),
    };
    return { conversation: chat.id, added, length: pathTo(chat, chat.leaf).length };
  }

  find(_: string, hashes: readonly string[], { session, prefer, head, isUnanswered }: FindQuery = {}) {
    const sameHead = (chat: Chat) => (chat.head ?? null) === (head ?? null);
    const likes = (chat: Chat) => (head !== undefined && sameHead(chat) ? 1 : 0);
    const matches = this.#visible()
      .filter(({ rest }) => session === undefined || rest.session === session)
      .flatMap((chat) =>
        chat.nodes.map(({ message }, n) => {
          const matched = hashes.lastIndexOf(message.hash) + 1;
          return { chat, matched, ends: chat.leaf === n, named: chat.rest.named };
        }),
      )
      .filter(({ matched, ends, chat }) => matched > 0 && (!isUnanswered || (ends && sameHead(chat))))
      .sort(
        (a, b) => b.matched - a.matched || Number(b.ends) - Number(a.ends) || likes(b.chat) - likes(a.chat),
      );
    const [best] = matches;
    const unnamed = matches.find(({ named, ends, matched }) => !named && (ends || matched === best?.matched));
    const found = prefer === "unnamed" && best?.named ? (unnamed ?? best) : best;
    return found && { conversation: conversationOf(found.chat), matched: found.matched };
  }

  behind(_: string, hash: string): Branch[] {
    const branches = this.#visible().flatMap((chat) => {
      const from = numberOf(chat, hash);
      const isEnd = (n: number) => !chat.nodes.some(({ parent }) => parent === n);
      return from < 0
        ? []
        : within(chat, from)
            .filter(isEnd)
            .reverse()
            .map((leaf) => ({
              conversation: conversationOf(chat),
              messages: read(chat, leaf).slice(chat.nodes[from]!.depth),
            }));
    });
    return branches.slice(0, 8);
  }

  findAnswer(_: string, answer: string) {
    const [found] = this.#visible()
      .flatMap((chat) =>
        chat.nodes.map(({ answers, message, depth }, n) => ({ chat, answers, message, depth, n })).reverse(),
      )
      .filter(({ answers }) => answers.includes(answer))
      .sort((a, b) => Number(b.chat.leaf === b.n) - Number(a.chat.leaf === a.n));
    if (!found) return undefined;
    return {
      conversation: conversationOf(found.chat),
      length: found.depth,
      hash: found.message.hash,
    };
  }

  findSession(_: string, session: string) {
    const chat = this.#visible().find(({ rest }) => rest.session === session);
    return chat && conversationOf(chat);
  }

  get(_: string, id: string) {
    const chat = this.#chat(id);
    return chat && conversationOf(chat);
  }

  head(_: string, id: string) {
    return this.#chat(id)?.head;
  }

  read(_: string, id: string, { from, to, leaf }: ReadRange = {}): StoredMessage[] {
    const chat = this.#chat(id);
    return chat ? read(chat, leaf === undefined ? chat.leaf : numberOf(chat, leaf)).slice(from, to) : [];
  }

  siblings(_: string, id: string): ReadonlyMap<number, readonly string[]> {
    const chat = this.#chat(id);
    const path = chat ? pathTo(chat, chat.leaf) : [];
    const inPlaceOf = (n: number) =>
      chat!.nodes.flatMap(({ parent, message }) =>
        parent === chat!.nodes[n]!.parent && !message.rewritten ? message.hash : [],
      );
    const all = path.map((n, position) => [position, inPlaceOf(n)] as const);
    return new Map(all.filter(([, hashes]) => hashes.length > 1));
  }

  list(_: string, { session }: { readonly session?: string } = {}) {
    const pinnedFirst = this.#visible()
      .filter(({ rest }) => session === undefined || rest.session === session)
      .sort((a, b) => Number(b.rest.pinned) - Number(a.rest.pinned));
    return { conversations: pinnedFirst.map(conversationOf) };
  }

  counts() {
    const messages = this.#chats.reduce((sum, { nodes }) => sum + nodes.length, 0);
    return { conversations: this.#chats.length, messages };
  }

  update(_: string, id: string, { leaf, ...changes }: ConversationChanges) {
    const chat = this.#chat(id);
    const place = chat && leaf !== undefined ? numberOf(chat, leaf) : 0;
    if (!chat || place < 0) throw refused();
    if (leaf !== undefined) chat.leaf = within(chat, place).at(-1)!;
    chat.rest = { ...chat.rest, ...(changes as Partial<Chat["rest"]>) };
    return conversationOf(chat);
  }

  delete(_: string, id: string): boolean {
    const isThere = this.#chat(id) !== undefined;
    this.#chats = this.#chats.filter((chat) => chat.id !== id);
    return isThere;
  }

  save(records: Kept): void {
    for (const kind of KINDS)
      for (const record of records[kind]) {
        const on = this.#chats.filter((chat) => numberOf(chat, record.hash) >= 0);
        if (on.length === 0) continue;
        const key = `${kind} ${keyOf(record)}`;
        this.#records = [...this.#records.filter((one) => one.key !== key), { on, key, kind, record }];
      }
  }

  forgetSummaries(hashes: readonly string[]): void {
    this.#records = this.#records.filter(
      ({ kind, record }) => kind !== "summaries" || !hashes.includes(record.hash),
    );
  }

  records(hashes: readonly string[]): Kept {
    const found = this.#records.filter(
      ({ on, record }) => hashes.includes(record.hash) && on.some((chat) => this.#chats.includes(chat)),
    );
    const of = (kind: Kind) => found.filter((one) => one.kind === kind).map(({ record }) => record);
    return Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as unknown as Kept;
  }

  #chat(id: string): Chat | undefined {
    return this.#chats.find((chat) => chat.id === id);
  }

  /** The newest first. */
  #visible(): Chat[] {
    return this.#chats
      .filter(({ rest }) => rest.deletedAt === undefined)
      .sort((a, b) => b.rest.updatedAt - a.rest.updatedAt);
  }
}

const refused = () => new StoreError({ operation: "append", message: "it isn't there.", fix: "None." });

function emptyChat(id: string, at: number): Omit<Chat, "head"> {
  const flags = { named: false, pinned: false, deletedAt: undefined };
  const rest = { session: id, title: "", createdAt: at, updatedAt: at, ...flags };
  return { id, nodes: [], leaf: -1, rest };
}

function numberOf({ nodes }: Chat | Omit<Chat, "head">, hash: string | undefined): number {
  return nodes.findIndex(({ message }) => message.hash === hash);
}

/** Numbers of the nodes from the first one to this. */
function pathTo({ nodes }: Pick<Chat, "nodes">, leaf: number): number[] {
  const path: number[] = [];
  for (let n = leaf; n >= 0; n = nodes[n]!.parent) path.unshift(n);
  return path;
}

/** Numbers of a node and of all that follow it. */
const within = (chat: Chat, from: number): number[] =>
  chat.nodes.map((_, n) => n).filter((n) => pathTo(chat, n).includes(from));

const read = (chat: Chat, leaf: number): StoredMessage[] =>
  pathTo(chat, leaf).map((n, position) => ({ ...chat.nodes[n]!.message, position }));

function conversationOf(chat: Chat): Conversation {
  const path = read(chat, chat.leaf);
  return {
    ...chat.rest,
    id: chat.id,
    length: path.length,
    tokens: path.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
    branched: chat.nodes.some(({ depth }, n) => depth !== n + 1),
    leaf: chat.leaf < 0 ? undefined : chat.leaf,
    client: undefined,
    dialect: undefined,
    model: undefined,
    storedAt: undefined,
    expiresAt: undefined,
    archived: false,
    meta: undefined,
  };
}
