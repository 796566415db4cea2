import { stringifyDeep } from "../../core/deep-json.ts";
import { runNow, type Steps } from "../../core/steps.ts";
import type { Dialect } from "../../core/types.ts";
import type { Append, Appended, ConversationStore, NewMessage } from "../../stores/server-store.ts";
import { isRefusal } from "../../stores/shared/not-found.ts";
import { createPace } from "../compaction/pace.ts";
import { redactSecrets } from "../compaction/redact-secrets.ts";
import type { WireRequest } from "../wires/wire.ts";
import { givenAnswersIn } from "./find-hidden.ts";
import type { Citations } from "./keep-citations.ts";
import { invented, type Known } from "./known.ts";
import { type Located, locateFirst, type Sought, storedAs } from "./locate.ts";
import type { ConversationMemory } from "./memory.ts";
import { isReservedSession } from "./session-of.ts";
import {
  ending,
  endWithoutReasoning,
  isLongTranscript,
  newMessageSteps,
  type TranscriptRecord,
  titleOf,
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

/** What is known of an answer beside its messages. */
interface Answered {
  readonly id?: string | undefined;
  /** The hash of its end without its reasoning, if that makes a difference. */
  readonly withoutReasoning?: string | undefined;
}

/** What goes with an answer into the store. */
interface AnswerExtras {
  readonly names?: AnswerNames | undefined;
  /** All that the model said and was answered, where the client was shown only a part. */
  readonly given?: readonly unknown[] | undefined;
}

/** What all recordings share. */
export interface RecordingContext {
  readonly store: ConversationStore;
  readonly memory: ConversationMemory;
  readonly redact: boolean;
  /** A short mark, the same for equal heads. */
  headMark(head: string): string;
  /** A conversation was made or grew. */
  onAppended?(tenant: string, appended: Appended, known: Known): void;
  readonly citations?: Pick<Citations, "note">;
}

/** What is known of a request when its recording begins. */
export interface Recorded {
  readonly dialect: Dialect<unknown>;
  readonly asked: Pick<WireRequest, "model">;
  readonly at: number;
  readonly sought: Sought;
  /** Where it belongs; undefined for a first request, of which that is found out later. */
  readonly place: Located | undefined;
}

/** The recording of one request. */
export class Recording {
  /**
   * The request is the first of its conversation, as far as can be told without a look at it: what follows is found out
   * while the upstream is at work, or when it is first asked for.
   */
  readonly isFirst: boolean;
  /** Pages are told of what begins in it once it is stored; they didn't ask. */
  readonly isWatched = false;
  readonly record: TranscriptRecord;
  readonly #context: RecordingContext;
  readonly #of: Recorded;
  readonly #prepared: NewMessage[] = [];
  #isStored = false;
  #waiting: PromiseWithResolvers<string | undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #located: Located | undefined;
  #before: number | undefined;
  #length: number | undefined;
  #isEnded = false;
  #counted: Known | undefined;
  #given: readonly string[] | undefined;
  #givenAnswers: ReturnType<typeof givenAnswersIn> | undefined;

  constructor(context: RecordingContext, of: Recorded) {
    this.#context = context;
    this.#of = of;
    this.isFirst = of.place === undefined;
    this.record = of.sought.record;
    if (of.place) this.#found(of.place);
  }

  get known(): Known {
    return this.#here().known;
  }

  /** Messages of the transcript that were stored before. */
  get matched(): number {
    this.#here();
    return this.#before ?? 0;
  }

  /** Messages of the conversation in the store. A client may leave out some of them. */
  get length(): number {
    return this.#length ?? this.#here().matched;
  }

  /**
   * Was the request before this one served by this node? Then it knows what was sent: either there was none, or nothing was
   * answered since.
   */
  get followsOurs(): boolean {
    const { record, matched } = this;
    if (matched === 0) return true;
    const { known, goesOn } = this.#here();
    const fresh = record.messages.slice(record.start + matched);
    // What is stored behind all that this node has stored was said on another one.
    const isOurs = goesOn === undefined || goesOn.newest === known.newest;
    return known.lastRequestAt > 0 && isOurs && fresh.every(({ role }) => role !== "assistant");
  }

  /** Only a request brings messages into a conversation of a client. */
  get hadRequest(): boolean {
    return this.matched > 0;
  }

  /** The conversation that the request's messages are in, once they are; undefined if they can't be stored. */
  async stored(): Promise<string | undefined> {
    if (this.#isStored) return this.#here().known.id;
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** Stores the request's messages, unless the answer comes within moments. */
  begin(): void {
    // A request of several rounds begins once.
    if (this.#timer) return;
    // By then the request is on its way.
    if (!this.#located && !isLongTranscript(this.record.messages)) setImmediate(() => this.#prepare());
    this.#timer = setTimeout(() => {
      this.#writing = this.#write(this.record);
      // Whoever waits for the commit gets the error; until then it is nobody's.
      this.#writing.catch(() => {});
    }, WRITE_ALONE_AFTER_MS);
  }

  /** Stores what isn't stored yet, with the answer. When it resolves, all of it is in the store for good. */
  finish(answer: readonly unknown[], { names, given }: AnswerExtras = {}): Promise<void> {
    clearTimeout(this.#timer);
    if (given) this.#given = given.map((message) => this.#stored(message));
    const finish = () => this.#finish(answer, names);
    return this.#writing ? this.#writing.then(finish) : finish();
  }

  #finish(answer: readonly unknown[], names: AnswerNames | undefined): Promise<void> {
    const { record } = this;
    const { dialect, sought } = this.#of;
    // A client that goes on by naming the provider's conversation finds ours by it, unless it has a name already.
    const { known } = this.#here();
    const named = names?.conversation;
    if (named !== undefined && !isReservedSession(named) && sought.session === undefined && !known.isNamed)
      known.session = named;
    const withoutReasoning = endWithoutReasoning(record, dialect, answer);
    return this.#write(answer.length === 0 ? record : withAnswer(record, dialect, answer), {
      id: names?.id,
      withoutReasoning,
    });
  }

  /** There will be no answer: stores the request's messages alone. */
  async abandon(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
    await this.#write(this.record);
  }

  /** The request is done with, one way or the other. */
  end(): void {
    if (this.#counted && !this.#isEnded) this.#counted.underWay--;
    this.#isEnded = true;
  }

  #here(): Located {
    return this.#located ?? this.#found(locateFirst(this.#context, this.#of.sought));
  }

  #found(one: Located): Located {
    if (!this.#isEnded) one.known.underWay++;
    this.#counted = one.known;
    this.#before = one.matched;
    this.#located = one;
    const isSaidOtherwise = one.goesOn?.instead !== undefined;
    if (one.matched === this.record.chain.length - 1 && !isSaidOtherwise) this.#nowStored();
    return one;
  }

  #nowStored(): void {
    this.#isStored = true;
    this.#waiting?.resolve(this.#here().known.id);
  }

  #prepare(): void {
    const { record } = this;
    try {
      const { matched, goesOn } = this.#here();
      for (let index = goesOn?.from ?? matched; index < record.chain.length - 1; index++)
        this.#messageAt(record, index);
      record.head();
    } catch {
      // Whoever stores it meets the same error, and can tell it.
    }
  }

  /** The same piece by piece, for a long request. */
  async #prepareInSlices(): Promise<void> {
    const { record } = this;
    const { matched, goesOn } = this.#here();
    const pace = createPace();
    for (let index = goesOn?.from ?? matched; index < record.chain.length - 1; index++) {
      await pace.run(this.#messageSteps(record, index));
      await pace.pause();
    }
  }

  #messageAt(upTo: TranscriptRecord, index: number): NewMessage {
    return runNow(this.#messageSteps(upTo, index));
  }

  *#messageSteps(upTo: TranscriptRecord, index: number): Steps<NewMessage> {
    const { at } = this.#of;
    const replacement = this.#located?.goesOn?.replacements.get(index);
    const given = index === this.record.chain.length - 1 ? this.#given : this.#givenBefore(index);
    this.#prepared[index] ??= {
      ...(yield* newMessageSteps(upTo, index, at, this.#context.redact)),
      ...(given && { given }),
      ...replacement,
    };
    return this.#prepared[index];
  }

  /** All of an answer that the client says again, where the store failed to take it when it was given. */
  #givenBefore(index: number): readonly string[] | undefined {
    const { record } = this;
    const place = record.start + index;
    if (record.messages[place]?.role !== "assistant") return undefined;
    this.#givenAnswers ??= givenAnswersIn(this.#context.memory, this.#of.sought.tenant, record);
    return this.#givenAnswers.get(place)?.map((message) => this.#stored(message));
  }

  #stored(message: unknown): string {
    const text = stringifyDeep(message);
    return this.#context.redact ? redactSecrets(text) : text;
  }

  /** Stores everything behind what is stored already. */
  async #write(upTo: TranscriptRecord, answer: Answered = {}): Promise<void> {
    const { store, memory } = this.#context;
    const { tenant, lane, dialect } = this.#of.sought;
    try {
      if (isLongTranscript(this.record.messages)) await this.#prepareInSlices();
      const input = this.#toAppend(upTo, answer);
      if (input) this.#appended(upTo, answer, input, await store.append(tenant, input));
    } catch (error) {
      const { id } = this.#here().known;
      if (id === undefined || !isRefusal(error)) throw error;
      // The conversation was deleted meanwhile: what the client still has of it is a new one.
      memory.forget(id);
      this.#located = { known: invented(tenant, lane, dialect), matched: 0 };
      const input = this.#toAppend(upTo, answer);
      if (input) this.#appended(upTo, answer, input, await store.append(tenant, input));
    } finally {
      this.#nowStored();
    }
  }

  /** Undefined if there is nothing to store. */
  #toAppend(upTo: TranscriptRecord, { id: answerId }: Answered): Append | undefined {
    const { redact } = this.#context;
    const { dialect, asked, at } = this.#of;
    const { chain } = upTo;
    const { known, matched, goesOn } = this.#here();
    // An answer without words ends with the last message, which may be stored already: it is said once more, with the id.
    const isSaidAgain = answerId !== undefined && matched > 0 && matched === chain.length - 1;
    const from = goesOn?.from ?? (isSaidAgain ? matched - 1 : matched);
    const fresh: NewMessage[] = [];
    for (let index = from; index < chain.length - 1; index++) fresh.push(this.#messageAt(upTo, index));
    const head = upTo.head();
    const isNewHead = head !== undefined && this.#context.headMark(head) !== known.head;
    if (fresh.length === 0 && !isNewHead) return undefined;
    const input: { -readonly [K in keyof Append]: Append[K] } = {
      session: known.session,
      messages: answerId === undefined ? fresh : ending(fresh, answerId),
      dialect: dialect.id,
      at,
    };
    if (known.isNamed) input.named = true;
    if (known.id === undefined) {
      input.title = titleOf(upTo.messages);
      if (known.isInvented) input.isNew = true;
    } else {
      input.conversation = known.id;
      // What has only a question in common with another conversation is no fork of it, and inherits no title.
      const shared = upTo.messages.slice(upTo.start, upTo.start + from);
      if (!shared.some(({ role }) => role === "assistant")) input.title = titleOf(upTo.messages);
      if (from > 0) input.after = goesOn?.after ?? storedAs(known, chain[from]!);
      if (goesOn?.instead && fresh.length > 0) input.instead = goesOn.instead;
    }
    if (isNewHead) input.head = redact ? redactSecrets(head) : head;
    if (asked.model !== "") input.model = asked.model;
    return input;
  }

  #appended(upTo: TranscriptRecord, { withoutReasoning }: Answered, input: Append, appended: Appended): void {
    const { memory, headMark, onAppended, citations } = this.#context;
    const { chain } = upTo;
    const { matched } = this.#here();
    let { known } = this.#here();
    // The other branch of a fork is remembered by itself.
    if (known.id !== undefined && known.id !== appended.conversation)
      known = { ...known, hashes: [], underWay: 0 };
    known.id = appended.conversation;
    const head = upTo.head();
    if (head === undefined) known.head = undefined;
    else if (input.head !== undefined) known.head = headMark(head);
    this.#located = { known, matched: chain.length - 1 };
    this.#length = appended.length;
    const end = chain.at(-1)!;
    known.withoutReasoning =
      withoutReasoning === undefined ? undefined : { comesAs: withoutReasoning, is: end };
    // A client that asks once more sends the request without its answer.
    if (upTo !== this.record) memory.remember(this.record.chain.at(-1)!, known);
    if (withoutReasoning !== undefined) memory.remember(withoutReasoning, known);
    memory.remember(end, known);
    onAppended?.(this.#of.sought.tenant, appended, known);
    citations?.note(this.#of.sought.tenant, appended.conversation, upTo.messages, upTo.start + matched);
  }
}
