import { contentHash } from "../../core/hash.ts";
import { stringifyDeep } from "../../core/json.ts";
import type { Dialect } from "../../core/types.ts";
import type {
  Append,
  Appended,
  ConversationStore,
  NewMessage,
  NewRequest,
} from "../../stores/server-store.ts";
import { isRefusal } from "../../stores/shared/not-found.ts";
import { createPace } from "../compaction/measure.ts";
import { redactSecrets, redactWithPauses } from "../compaction/redact-secrets.ts";
import type { WireRequest } from "../wires/index.ts";
import {
  findAnswered,
  findById,
  isFirst,
  kindOf,
  type Match,
  matchConversation,
  newConversation,
  type Query,
  storeQuery,
} from "./find-conversation.ts";
import type { ConversationCacheEntry, ConversationMemory, Place } from "./memory.ts";
import { isReservedSession, type Session } from "./named-by-client.ts";
import {
  answerKey,
  newMessage,
  saysAnswer,
  type Transcript,
  type TranscriptRecord,
  titleOf,
  transcriptRecord,
} from "./transcript-record.ts";

/**
 * An answer that comes within this time is stored together with its request, unless somebody wants to see that before (milliseconds).
 * Until then only its client has what was asked.
 */
const ANSWERED_WITHIN_MS = 10_000;

/** What a client may name to go on from an answer without sending it. */
export interface AnswerNames {
  /** The id of the answer. */
  readonly id: string | undefined;
  /** The provider's conversation that it belongs to. */
  readonly conversation: string | undefined;
}

/** The row of a request, which goes with its messages into the store. */
export interface RecordedRequest {
  row(message: string, answer: string | undefined): NewRequest;
  isStored: boolean;
}

/** What goes with an answer into the store. */
interface AnswerExtras {
  readonly request?: RecordedRequest | undefined;
  readonly names?: AnswerNames | undefined;
  /** All that the model said and was answered, where the client was shown only a part. */
  readonly given?: readonly unknown[] | undefined;
}

/** What recordings are made with. */
export interface RecorderOptions {
  readonly store: ConversationStore;
  readonly memory: ConversationMemory;
  readonly redact: boolean;
  /** Records of these messages may come before them. Returns what ends that. */
  expect(tenant: string, hashes: readonly string[]): () => void;
  /** Somebody looks on, and wants to see requests before their answers. */
  isWatched?(): boolean;
  /** A conversation was made or grew. */
  onAppended?(tenant: string, appended: Appended): void;
}

/** A request that is to be recorded. */
export interface Opening {
  readonly tenant: string;
  readonly dialect: Dialect<unknown>;
  readonly asked: WireRequest;
  readonly session: Session | undefined;
  /** The program that asks. */
  readonly program?: string;
  readonly at: number;
  /** The messages will come again as the same objects. */
  readonly comesAgain?: boolean;
  /** Where the client goes on from, if it said so: other conversations with the same messages aren't meant. */
  readonly from?: Place | undefined;
}

export interface Recorder {
  open(opening: Opening): Recording | Promise<Recording>;
}

/** Writes transcripts into the store while the upstream is at work. */
export function createRecorder(options: RecorderOptions): Recorder {
  const mark = createHeadMark();
  return {
    open(opening) {
      const { tenant, dialect, asked, session, comesAgain, from } = opening;
      const record = transcriptRecord(dialect, asked, comesAgain);
      const query: Query = {
        tenant,
        record,
        kind: () => kindOf(dialect.id, asked),
        reading: dialect,
        session,
        from,
        head: () => cleaned(options, record.head()),
        headMark() {
          const head = record.head();
          return head === undefined ? undefined : mark(head);
        },
      };
      const recorded = (match: Match) => new Recording(options, opening, query, match);
      const found = () =>
        isFirst(query) ? recorded(newConversation(query)) : matchConversation(options, query).then(recorded);
      return record.isLong ? record.hash(createPace().pause).then(found) : found();
    },
  };
}

/** A text as it is stored. */
const cleaned = <T extends string | undefined>({ redact }: Pick<RecorderOptions, "redact">, text: T): T =>
  (redact && text !== undefined ? redactSecrets(text) : text) as T;

/** Shorter system prompts stand for themselves (characters). */
const SHORT = 256;

/**
 * What is remembered of a conversation's system prompt, to see whether it changed. A hash, because thousands of
 * conversations may each have one of hundreds of kilobytes.
 */
export function createHeadMark(): (head: string) => string {
  let newest: { readonly head: string; readonly mark: string } | undefined;
  return (head) => {
    if (head.length <= SHORT) return head;
    // Mostly it is the same once more, and to compare two takes less than to hash one.
    if (newest?.head !== head) newest = { head, mark: contentHash(head) };
    return newest.mark;
  };
}

/**
 * The recording of one request. It is opened when the request has come, begun when it leaves for the upstream, finished with or
 * without an answer, and ended when nobody will ask it any more. What it holds is stored in one write, or in two where the answer
 * takes long or somebody looks on: the request, then the answer.
 */
export class Recording {
  /** Pages are told of what begins in it once it is stored; they didn't ask. */
  readonly isWatched = false;
  readonly record: TranscriptRecord;
  /** Messages of the transcript that were stored before. */
  readonly matched: number;
  /** Only a request brings messages into a conversation of a client. */
  readonly hadRequest: boolean;
  /** Chain hash of the newest message of the request that was stored before it. */
  readonly anchor: string | undefined;
  /** Nothing was stored of its conversation, as far as is known: it may still be asked for once more. */
  readonly isFirst: boolean;
  /**
   * Was the request before this one served by this server? Then it knows what was sent: either there was none, or nothing was
   * answered since.
   */
  readonly followsOurs: boolean;
  /** All of its messages were stored before: whoever asks has asked the same. */
  readonly isAskedAgain: boolean;
  readonly #options: RecorderOptions;
  readonly #opening: Opening;
  readonly #query: Query;
  /** What it has in common with requests that ask the same. */
  readonly #name: string;
  /** What of the transcript is in which conversation. Each write moves it on. */
  #match: Match;
  /** What the store is given, each message made once. */
  readonly #made: NewMessage[] = [];
  /** The request's own messages are in the store, or the store didn't take them. */
  readonly #written = Promise.withResolvers<void>();
  /** Somebody waits for them. */
  #isAwaited = false;
  /** The write of the request alone, once it is due. */
  #begun: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  readonly #end: (() => void)[];

  constructor(options: RecorderOptions, opening: Opening, query: Query, match: Match) {
    const { record, tenant } = query;
    const { matched, reconciled, known } = match;
    this.#options = options;
    this.#opening = opening;
    this.#query = query;
    this.#match = match;
    this.record = record;
    this.matched = matched;
    this.hadRequest = matched > 0;
    this.isFirst = isFirst(query);
    this.anchor = reconciled?.newest ?? (matched === 0 ? undefined : record.chain[matched]);
    this.followsOurs =
      matched === 0 ||
      (known.lastRequestAt > 0 && known.newest === this.anchor && !saysAnswer(record, matched));
    this.#name = nameOf(query);
    this.#end = [options.memory.begin(this.#name)];
    // What `fit` makes of messages that aren't stored yet may come before them.
    const fresh = record.chain.slice(1 + (reconciled?.from ?? matched));
    this.isAskedAgain = fresh.length === 0;
    if (fresh.length > 0) this.#end.push(options.expect(tenant, fresh));
    else this.#written.resolve();
  }

  get known(): ConversationCacheEntry {
    return this.#match.known;
  }

  /** The conversation that the request's messages are in, which are stored now; undefined if they can't be. */
  async stored(): Promise<string | undefined> {
    this.#isAwaited = true;
    if (this.#begun) this.#writeAlone();
    await this.#written.promise;
    return this.known.id;
  }

  /** The request leaves for its upstream. One of several rounds begins once. */
  begin(): void {
    if (this.#begun) return;
    this.#begun = setTimeout(() => this.#writeAlone(), ANSWERED_WITHIN_MS);
    if (this.#isAwaited || this.#options.isWatched?.()) this.#writeAlone();
  }

  /** Stores the request's messages before there is an answer. */
  #writeAlone(): void {
    clearTimeout(this.#begun);
    this.#writing ??= this.#write(this.record, {});
    // Whoever waits for the commit gets the error; until then it is nobody's.
    this.#writing.catch(() => {});
  }

  /** Stores what isn't stored yet, with the answer if there is one. When it resolves, all of it is in the store for good. */
  async finish(answer: readonly unknown[], extras: AnswerExtras = {}): Promise<void> {
    clearTimeout(this.#begun);
    this.#writing ??= Promise.resolve();
    await this.#writing;
    // A client that goes on by naming the provider's conversation finds ours by it, unless it has a name already.
    const named = extras.names?.conversation;
    if (named !== undefined && !isReservedSession(named) && !this.#opening.session && !this.known.isNamed)
      Object.assign(this.known, { session: named, goesById: false, isOneMore: true });
    await this.#write(this.record.with(answer), extras);
  }

  /** The request is done with, one way or the other. One that left and never came to an answer is stored without. */
  end(): void {
    if (this.#begun) this.#writeAlone();
    const ends = this.#end.splice(0);
    const end = (): void => {
      for (const one of ends) one();
    };
    if (this.#writing) void this.#writing.then(end, end);
    else end();
  }

  /** Stores everything behind what is stored already. */
  async #write(upTo: Transcript, extras: AnswerExtras): Promise<void> {
    try {
      if (this.record.isLong) await this.#prepare();
      // The conversation may be there by now: what a failing store didn't take came there meanwhile.
      if (this.known.id === undefined && this.record.hasAnswer)
        this.#continueWith(await findAnswered(this.#options, this.#query));
      await this.#append(upTo, extras);
    } catch (error) {
      const { id, tenant } = this.known;
      if (id === undefined || !isRefusal(error)) throw error;
      // The conversation was deleted meanwhile: what the client still has of it is a new one.
      this.#options.memory.forget(tenant, id);
      this.#match = newConversation(this.#query);
      await this.#append(upTo, extras);
    } finally {
      this.#written.resolve();
    }
  }

  #continueWith(match: Match | undefined): void {
    if (!match) return;
    // What is known of this request holds for the conversation.
    const { lastRequestAt, sent } = this.known;
    Object.assign(match.known, { lastRequestAt, sent });
    this.#match = match;
  }

  async #append(upTo: Transcript, extras: AnswerExtras): Promise<void> {
    const { memory, onAppended, store } = this.#options;
    const query = this.#query;
    const { request } = extras;
    const input = this.#appendOf(upTo, extras);
    // Where all of its messages are there already, too, it stands on the last one, and not on what others said behind it.
    const { chain } = this.record;
    const answer = upTo.chain.length > chain.length ? upTo.chain.at(-1) : undefined;
    const row = request?.row(chain.at(-1)!, answer);
    if (!input) return;
    const appended = await store.append(query.tenant, row ? { ...input, request: row } : input);
    if (request) request.isStored = true;
    // The request was asked before.
    if (this.known.id === undefined && appended.added < input.messages.length)
      this.#continueWith(await findById(this.#options, query, appended.conversation));
    const { known } = this.#match;
    known.id = appended.conversation;
    if (input.head !== undefined || upTo.head() === undefined) known.head = query.headMark();
    this.#match = { known, matched: upTo.chain.length - 1 };
    memory.remember(upTo.chain.at(-1)!, known);
    onAppended?.(query.tenant, appended);
  }

  /** Everything behind what is stored already, as the store takes it; undefined if there is nothing. */
  #appendOf(upTo: Transcript, { names, given }: AnswerExtras): Append | undefined {
    const { dialect, asked, at, program } = this.#opening;
    const { known, matched, reconciled } = this.#match;
    const { chain } = upTo;
    const answerId = names?.id;
    // An answer without words ends with the last message, which may be stored already: it is said once more, with the id.
    const isSaidAgain = answerId !== undefined && matched > 0 && matched === chain.length - 1;
    const from = reconciled?.from ?? (isSaidAgain ? matched - 1 : matched);
    const messages = this.#messages(upTo, from, given);
    if (answerId !== undefined && messages.length > 0)
      messages.push({ ...messages.pop()!, answer: answerKey(answerId) });
    const isNewHead = upTo.head() !== undefined && this.#query.headMark() !== known.head;
    if (messages.length === 0 && !isNewHead) return undefined;
    const append: { -readonly [K in keyof Append]: Append[K] } = {
      messages,
      dialect: dialect.id,
      at,
    };
    if (!known.goesById) append.session = known.session;
    if (known.isNamed) append.named = true;
    if (known.id === undefined) {
      append.title = titleOf(upTo.messages);
      if (program !== undefined) append.client = program;
      if (known.goesById) append.id = known.session;
      if (known.isOneMore) append.isNew = true;
      // A request without an answer is asked once more. Who says the same while the first one is still being answered is somebody else.
      const { hasAnswer, chain: own } = this.record;
      if (!hasAnswer && own.length > 1 && this.#options.memory.underWay(this.#name) <= 1)
        append.unanswered = { hash: own.at(-1)!, query: storeQuery(this.#query) };
    } else {
      append.conversation = known.id;
      if (from > 0) append.after = reconciled?.after ?? chain[from]!;
    }
    if (isNewHead) append.head = this.#query.head()!;
    if (asked.model !== "") append.model = asked.model;
    return append;
  }

  /** The messages from one on as the store takes them. */
  #messages(upTo: Transcript, from: number, given: readonly unknown[] | undefined): NewMessage[] {
    for (let index = from; index < upTo.chain.length - 1; index++) {
      if (this.#made[index]) continue;
      const real = index === this.record.chain.length - 1 ? given : undefined;
      this.#made[index] = this.#messageOf(upTo, index, this.#text(upTo.wire[upTo.start + index]), real);
    }
    return this.#made.slice(from, upTo.chain.length - 1);
  }

  /** Makes the messages of a long request, with turns for others. */
  async #prepare(): Promise<void> {
    const { record } = this;
    const { reconciled, matched } = this.#match;
    const { pause } = createPace();
    for (let index = reconciled?.from ?? matched; index < record.chain.length - 1; index++) {
      await pause();
      const text = stringifyDeep(record.wire[record.start + index]);
      const clean = this.#options.redact ? await redactWithPauses(text, pause) : text;
      this.#made[index] ??= this.#messageOf(record, index, clean);
    }
  }

  #messageOf(upTo: Transcript, index: number, wire: string, given?: readonly unknown[]): NewMessage {
    const message = newMessage(upTo, index, this.#opening.at, wire);
    const rewritten = this.#match.reconciled?.rewritten.get(index);
    if (!given && !rewritten) return message;
    return { ...message, ...(given && { given: given.map((one) => this.#text(one)) }), ...rewritten };
  }

  #text(message: unknown): string {
    return cleaned(this.#options, stringifyDeep(message));
  }
}

/** What requests have in common that ask the same with the same system prompt for the same client. */
function nameOf({ tenant, reading, record, headMark }: Query): string {
  return `${tenant} ${reading.id} ${record.chain.at(-1)} ${headMark()}`;
}
