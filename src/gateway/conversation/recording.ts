import { stringifyDeep } from "../../core/deep-json.ts";
import { contentHash } from "../../core/hash.ts";
import { runNow, type Steps } from "../../core/steps.ts";
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
import { redactSecrets } from "../compaction/redact-secrets.ts";
import type { WireRequest } from "../wires/index.ts";
import type { Citations } from "./citations.ts";
import type { ConversationCacheEntry } from "./conversation-cache-entry.ts";
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
import { givenAnswersIn } from "./hidden-answers.ts";
import type { ConversationMemory, Place } from "./memory.ts";
import { isReservedSession, type Session } from "./session-of.ts";
import {
  ending,
  isLongTranscript,
  newMessageSteps,
  type TranscriptRecord,
  titleOf,
  transcriptRecord,
  withAnswer,
} from "./transcript-record.ts";

/** An upstream that answers within this time gets request and answer stored in one write (milliseconds). */
const WRITE_ALONE_AFTER_MS = 25;

/** What a client may name to go on from an answer without sending it. */
export interface AnswerNames {
  /** The id of the answer. */
  readonly id: string | undefined;
  /** The provider's conversation that it belongs to. */
  readonly conversation: string | undefined;
}

/** The row of a request, which goes with its messages into the store. */
export interface RecordedRequest {
  row(message: string): NewRequest;
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
  /** A conversation was made or grew. */
  onAppended?(tenant: string, appended: Appended, known: ConversationCacheEntry): void;
  readonly citations?: Pick<Citations, "note">;
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

interface RecordingContext extends RecorderOptions {
  /** A short mark, the same for equal heads. */
  headMark(head: string | undefined): string | undefined;
  /** A text as it is stored. */
  cleaned<T extends string | undefined>(text: T): T;
}

/** Writes transcripts into the store while the upstream is at work. */
export function createRecorder(options: RecorderOptions): Recorder {
  const mark = createHeadMark();
  const context: RecordingContext = {
    ...options,
    headMark: (head) => (head === undefined ? undefined : mark(head)),
    cleaned: <T extends string | undefined>(text: T) =>
      (options.redact && text !== undefined ? redactSecrets(text) : text) as T,
  };
  return {
    open(opening) {
      const { tenant, dialect, asked, session, comesAgain, from } = opening;
      // Texts come as new strings: to look one up takes longer than to hash it.
      const chains = comesAgain ? context.memory.chains : undefined;
      const record = transcriptRecord(dialect, asked, contentHash, chains);
      const kind = kindOf(dialect.id, asked);
      const query: Query = {
        tenant,
        record,
        kind,
        reading: dialect,
        session,
        from,
        head: () => context.cleaned(record.head()),
        headMark: () => context.headMark(record.head()),
      };
      const recorded = (match: Match) => new Recording(context, opening, query, match);
      const found = () =>
        isFirst(query) ? recorded(newConversation(query)) : matchConversation(context, query).then(recorded);
      return isLongTranscript(record.messages) ? createPace().run(record.hashSteps()).then(found) : found();
    },
  };
}

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

/** The recording of one request: where it belongs, what of it is stored, and how the rest gets there. */
export class Recording {
  /** Pages are told of what begins in it once it is stored; they didn't ask. */
  readonly isWatched = false;
  readonly record: TranscriptRecord;
  /** Messages of the transcript that were stored before. */
  readonly matched: number;
  /** Chain hash of the newest message of the request that was stored before it. */
  readonly anchor: string | undefined;
  /** Nothing was stored of its conversation, as far as is known: it may still be asked for once more. */
  readonly isFirst: boolean;
  /**
   * Was the request before this one served by this server? Then it knows what was sent: either there was none, or nothing was
   * answered since.
   */
  readonly followsOurs: boolean;
  readonly #context: RecordingContext;
  readonly #opening: Opening;
  readonly #query: Query;
  /** What the store is given, each message made once. */
  readonly #made: NewMessage[] = [];
  #given: readonly string[] | undefined;
  #givenBefore: ReturnType<typeof givenAnswersIn> | undefined;
  #match: Match;
  #newest: string | undefined;
  #length: number;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isStored: boolean;
  #waiting: PromiseWithResolvers<string | undefined> | undefined;
  #request: RecordedRequest | undefined;
  /** What is to be done once when the request is done with. */
  #ends: (() => void)[];

  constructor(context: RecordingContext, opening: Opening, query: Query, match: Match) {
    const { record, tenant } = query;
    const { matched, goesOn } = match;
    this.#context = context;
    this.#opening = opening;
    this.#query = query;
    this.#match = match;
    this.#length = matched;
    this.record = record;
    this.matched = matched;
    this.isFirst = isFirst(query);
    this.anchor = goesOn?.newest ?? (matched === 0 ? undefined : record.chain[matched]);
    const isAnswered = record.messages.slice(record.start + matched).some(({ role }) => role === "assistant");
    const { lastRequestAt, newest } = match.known;
    this.followsOurs = matched === 0 || (lastRequestAt > 0 && newest === this.anchor && !isAnswered);
    // What `fit` makes of messages that aren't stored yet may come before them.
    const fresh = record.chain.slice(1 + (goesOn?.from ?? matched));
    this.#isStored = fresh.length === 0;
    this.#ends = [context.memory.begin(this.#name)];
    if (fresh.length > 0) this.#ends.push(context.expect(tenant, fresh));
  }

  get known(): ConversationCacheEntry {
    return this.#match.known;
  }

  /** Chain hash of the newest message that was stored by this. */
  get newest(): string | undefined {
    return this.#newest;
  }

  /** Messages of the conversation in the store. A client may leave out some of them. */
  get length(): number {
    return this.#length;
  }

  /** Only a request brings messages into a conversation of a client. */
  get hadRequest(): boolean {
    return this.matched > 0;
  }

  /** The conversation that the request's messages are in, once they are; undefined if they can't be stored. */
  async stored(): Promise<string | undefined> {
    if (this.#isStored) return this.known.id;
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** Stores the request's messages, unless the answer comes within moments. */
  begin(): void {
    // A request of several rounds begins once.
    if (this.#timer) return;
    // By then the request is on its way.
    if (!isLongTranscript(this.record.messages)) setImmediate(() => this.#prepare());
    this.#timer = setTimeout(() => {
      this.#writing = this.#write(this.record);
      // Whoever waits for the commit gets the error; until then it is nobody's.
      this.#writing.catch(() => {});
    }, WRITE_ALONE_AFTER_MS);
  }

  /** Stores what isn't stored yet, with the answer. When it resolves, all of it is in the store for good. */
  async finish(answer: readonly unknown[], { names, given, request }: AnswerExtras = {}): Promise<void> {
    this.#request = request;
    clearTimeout(this.#timer);
    if (given) this.#given = given.map((message) => this.#written(message));
    if (this.#writing) await this.#writing;
    // A client that goes on by naming the provider's conversation finds ours by it, unless it has a name already.
    const named = names?.conversation;
    const { session, dialect } = this.#opening;
    if (named !== undefined && !isReservedSession(named) && session === undefined && !this.known.isNamed)
      this.known.session = named;
    const upTo = answer.length === 0 ? this.record : withAnswer(this.record, dialect, answer);
    await this.#write(upTo, names?.id);
  }

  /** There will be no answer: stores the request's messages alone. */
  async abandon(request?: RecordedRequest): Promise<void> {
    this.#request = request;
    clearTimeout(this.#timer);
    await this.#writing;
    await this.#write(this.record);
  }

  /** The request is done with, one way or the other. */
  end(): void {
    for (const end of this.#ends) end();
    this.#ends = [];
  }

  /** What requests have in common that ask the same of the same model for the same client. */
  get #name(): string {
    const { tenant, kind, record } = this.#query;
    return `${tenant} ${kind} ${record.chain.at(-1)}`;
  }

  #prepare(): void {
    try {
      runNow(this.#prepareSteps());
    } catch {
      // Whoever stores it meets the same error, and can tell it.
    }
  }

  /** Makes the request's own messages that aren't stored yet. */
  *#prepareSteps(): Steps<void> {
    const { record } = this;
    const { goesOn, matched } = this.#match;
    for (let index = goesOn?.from ?? matched; index < record.chain.length - 1; index++) {
      yield* this.#messageSteps(record, index);
      yield;
    }
    record.head();
  }

  /** Stores everything behind what is stored already. */
  async #write(upTo: TranscriptRecord, answerId?: string): Promise<void> {
    const { memory } = this.#context;
    try {
      if (isLongTranscript(this.record.messages)) await createPace().run(this.#prepareSteps());
      if (this.known.id === undefined) await this.#lookAgain();
      await this.#append(upTo, answerId);
    } catch (error) {
      const { id, tenant } = this.known;
      if (id === undefined || !isRefusal(error)) throw error;
      // The conversation was deleted meanwhile: what the client still has of it is a new one.
      memory.forget(tenant, id);
      this.#match = newConversation(this.#query);
      await this.#append(upTo, answerId);
    } finally {
      this.#isStored = true;
      this.#waiting?.resolve(this.known.id);
    }
  }

  /** The conversation may be there by now: what a failing store didn't take came there meanwhile. */
  async #lookAgain(): Promise<void> {
    if (this.record.hasAnswer) this.#goOnWith(await findAnswered(this.#context, this.#query));
  }

  #goOnWith(match: Match | undefined): void {
    if (!match) return;
    // What is known of this request holds for the conversation.
    const { lastRequestAt, sent } = this.known;
    Object.assign(match.known, { lastRequestAt, sent });
    this.#match = match;
  }

  async #append(upTo: TranscriptRecord, answerId: string | undefined): Promise<void> {
    const input = this.#appendOf(upTo, answerId);
    const request = this.#request;
    // Where all of its messages are there already, too, it stands on the last one, and not on what others said behind it.
    const row = request?.row(this.record.chain.at(-1)!);
    if (!input) return;
    const { memory, headMark, onAppended, citations, store } = this.#context;
    const { tenant } = this.#query;
    const appended = await store.append(tenant, row ? { ...input, request: row } : input);
    if (request) request.isStored = true;
    // The request was asked before.
    if (this.known.id === undefined && appended.added < input.messages.length)
      this.#goOnWith(await findById(this.#context, this.#query, appended.conversation));
    const { known, matched } = this.#match;
    known.id = appended.conversation;
    const head = upTo.head();
    if (head === undefined || input.head !== undefined) known.head = headMark(head);
    const { chain } = upTo;
    this.#match = { known, matched: chain.length - 1 };
    this.#length = appended.length;
    this.#newest = chain.at(-1)!;
    memory.remember(this.#newest, known);
    onAppended?.(tenant, appended, known);
    citations?.note(tenant, appended.conversation, upTo.messages, upTo.start + matched);
  }

  /** Everything behind what is stored already, as the store takes it; undefined if there is nothing. */
  #appendOf(upTo: TranscriptRecord, answerId: string | undefined): Append | undefined {
    const { dialect, asked, at, program } = this.#opening;
    const { known, matched, goesOn } = this.#match;
    const { chain } = upTo;
    // An answer without words ends with the last message, which may be stored already: it is said once more, with the id.
    const isSaidAgain = answerId !== undefined && matched > 0 && matched === chain.length - 1;
    const from = goesOn?.from ?? (isSaidAgain ? matched - 1 : matched);
    const fresh: NewMessage[] = [];
    for (let index = from; index < chain.length - 1; index++)
      fresh.push(runNow(this.#messageSteps(upTo, index)));
    const head = upTo.head();
    const isNewHead = head !== undefined && this.#context.headMark(head) !== known.head;
    if (fresh.length === 0 && !isNewHead) return undefined;
    const append: { -readonly [K in keyof Append]: Append[K] } = {
      session: known.session,
      messages: answerId === undefined ? fresh : ending(fresh, answerId),
      dialect: dialect.id,
      at,
    };
    if (known.isNamed) append.named = true;
    if (known.id === undefined) {
      append.title = titleOf(upTo.messages);
      if (program !== undefined) append.client = program;
      if (known.isInvented) append.isNew = true;
      // A request without an answer is asked once more. Who says the same while the first one is still being answered is somebody else.
      if (
        !this.record.hasAnswer &&
        this.record.chain.length > 1 &&
        this.#context.memory.underWay(this.#name) <= 1
      )
        append.unanswered = { hash: this.record.chain.at(-1)!, query: storeQuery(this.#query) };
    } else {
      append.conversation = known.id;
      if (from > 0) append.after = goesOn?.after ?? chain[from]!;
    }
    if (isNewHead) append.head = this.#context.cleaned(head);
    if (asked.model !== "") append.model = asked.model;
    return append;
  }

  *#messageSteps(upTo: TranscriptRecord, index: number): Steps<NewMessage> {
    const given = this.#givenAt(index);
    this.#made[index] ??= {
      ...(yield* newMessageSteps(upTo, index, this.#opening.at, this.#context.redact)),
      ...(given && { given }),
      ...this.#match.goesOn?.rewritten.get(index),
    };
    return this.#made[index];
  }

  /** Also of an answer that the client says again, where the store failed to take it when it was given. */
  #givenAt(index: number): readonly string[] | undefined {
    const { record } = this;
    if (index === record.chain.length - 1) return this.#given;
    const place = record.start + index;
    if (record.messages[place]?.role !== "assistant") return undefined;
    this.#givenBefore ??= givenAnswersIn(this.#context.memory, this.#query.tenant, record);
    return this.#givenBefore.get(place)?.map((message) => this.#written(message));
  }

  #written(message: unknown): string {
    return this.#context.cleaned(stringifyDeep(message));
  }
}
